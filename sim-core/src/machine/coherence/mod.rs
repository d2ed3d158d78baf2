//! The coherence protocols of L1D and L2 as pure state machines: a line's words at an L1D (`l1`) and at its home, the L2 bank (`home`), and
//! the messages between them. They hold no values and know no queues; the machine moves the messages, and a model checker in the tests
//! walks every order in which they can arrive.
//!
//! State is by word of 4 bytes. Both protocols need programs without data races. Within a launch, a word that one SM writes no other SM
//! reads or writes. A word that two SMs change by atomic operations no SM reads or writes otherwise. With races, values may be old, and a
//! word may have two owners for a while; every launch ends all the same. A launch begins with an *acquire* on each SM that runs it, and
//! has ended only after a *release* on all SMs.
//!
//! | event at L1D | `gpu` | `denovo` |
//! |---|---|---|
//! | load of words that are here | hit | hit |
//! | load of words that are not here | the line is fetched from L2 | L2 answers with the words that it has, and forwards to the owners of the others |
//! | store | the words are written here, and wait in the store buffer | the same, unless this L1D owns them |
//! | atomic operation | L2 does it; the words leave this L1D | at once if this L1D has written the words or owns them; else when it owns them: it takes them, with their values |
//! | the store buffer lets a line go | written through to L2 | one registration for its words; they are owned when it is granted |
//! | release | every line in the store buffer is let go, and every answer awaited | the same |
//! | acquire | what is not waiting in the store buffer is dropped | the same, but for owned words |
//! | eviction | written words are written through | owned words are written back; a line with words that wait for ownership stays |
//!
//! Rules on which correctness rests, whatever the networks do to the order of messages:
//!
//! * No request for a line leaves an L1D while a write of it (a write-through or a write-back) is not acknowledged, and a line has one
//!   registration under way at most. So requests of one L1D for one line never overtake each other where it matters.
//! * A registration of a word that another L1D owns is passed on to that L1D, which gives up the word and grants it itself. Until then the new
//!   owner's release waits, so no launch that follows can read the old copy as an owned one. The old copy stays as a clean one (valid), to be
//!   dropped at the next acquire.
//! * An L1D whose own registration is under way is the owner in the eyes of L2. It serves forwards, and if it must give a word up, it does so at
//!   once, and the grant that comes later gives it nothing; what it writes afterwards is registered again.
//! * A write-back keeps its words until L2 has taken them, so that what crosses it is served. L2 does not take words that another L1D has
//!   registered since, or that it has recalled: these the old owner keeps until the transfer or the recall has come.
//! * A forward that finds nothing is refused, and the requester asks L2 again. L2 may send more words of a line than it was asked for, but
//!   only with one of those. A word that comes beside what was asked for answers nothing: else an answer may come that nobody awaits.
//! * A fetch brings no word that was here when it began, or was written here since.
//! * An atomic operation that L2 does waits until earlier stores of this L1D to its words have got there. No later load or store of its line
//!   leaves, or is written, before it is acknowledged.
//! * A word that atomic operations of this L1D wait for is not read, written or served. If it has to be given up before it has come, it is given
//!   up when it comes, after the operations that wait for it. Those that are issued meanwhile wait until it is taken again.
//! * L2 recalls the registered words of a line before it evicts it, and answers no read or registration of that line meanwhile.
//!
//! Sources: DeNovo for GPUs and GPU coherence: Sinclair, Alsop, Adve (MICRO 2015), "Efficient GPU Synchronization without Scopes". Old owner to
//! valid, refusal and retry, write-back in two steps: the authors' Spandex (ISCA 2018) and its published protocol tables.

pub mod home;
pub mod l1;
#[cfg(test)]
mod tests;

/// Words of a line: word `n` at bit `n`. A line of 128 bytes has 32.
pub type Words = u32;

/// Every word of a line of `line_bytes`, 4 to 128.
pub fn all_words(line_bytes: u32) -> Words {
    Words::MAX >> (32 - line_bytes / 4)
}

/// The sixteenths of a line of `line_bytes` that `words` has whole: a packet says in these which words come beside those that were asked for. Of 64 bytes or
/// less a sixteenth is a word; of 128, two.
pub fn sixteenths(words: Words, line_bytes: u32) -> u16 {
    if line_bytes <= 64 {
        return words as u16;
    }
    let both = words & words >> 1;
    (0..16).fold(0, |sum, n| sum | (both >> (2 * n) & 1) << n) as u16
}

/// The words of sixteenths of a line.
pub fn from_sixteenths(sixteenths: u16, line_bytes: u32) -> Words {
    if line_bytes <= 64 {
        return sixteenths.into();
    }
    (0..16).fold(0, |words, n| words | (Words::from(sixteenths >> n & 1) * 0b11) << (2 * n))
}

/// Which rules hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rules {
    /// GPU coherence: written words go through to L2 at a release; nothing is owned.
    WriteThrough,
    /// DeNovo: written words are registered, and stay.
    Ownership,
}

/// What L1Ds and homes say to each other about some words of a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Message {
    /// L1D to home: send me these words.
    #[default]
    Read,
    /// L1D to home: here are these words, which I have written. Write-through.
    WriteThrough,
    /// L1D to home: I own these words from now on.
    Register,
    /// L1D to home: here are these words, which I no longer own.
    WriteBack,
    /// Home to owner: send these words to another L1D.
    Forward,
    /// Home to owner: these words belong to another L1D now; tell it so.
    Transfer,
    /// Home to owner: give these words back to me.
    Recall,
    /// Home or owner to L1D: these words, with their values.
    Data,
    /// Former owner to L1D: I do not have these words; ask again.
    Refusal,
    /// Home or former owner to L1D: these words are yours; with their values if you have taken them.
    Grant,
    /// Home to L1D: your write has arrived.
    Acknowledgement,
    /// Owner to home: the words that you have recalled, as far as I had them.
    Recalled,
    /// L1D to home: do an atomic operation on these words.
    Update,
    /// L1D to home: I own these words from now on; send me their values.
    Take,
}
