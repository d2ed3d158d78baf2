//! A line's words at an L1D.

use super::{Rules, Words};

/// The words of a line that an L1D holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Line {
    /// Words with a value. All that follow are among them, but for those that atomic operations wait for.
    pub valid: Words,
    /// Written here, and still to be let go by the store buffer.
    pub written: Words,
    /// Words whose registration is under way.
    pub asked: Words,
    /// Words of these that another has got before the grant has come.
    pub passed: Words,
    /// Words that this L1D owns.
    pub owned: Words,
    /// Words that atomic operations wait for, and that are still to be asked for.
    pub atomic: Words,
    /// Words of `asked` that atomic operations wait for: the grant brings their values.
    pub coming: Words,
}

impl Line {
    /// Words that L2 has this L1D down for as their owner.
    pub fn held(&self) -> Words {
        self.owned | self.asked & !self.passed
    }

    /// Words that the line waits with in the store buffer.
    pub fn waits(&self) -> Words {
        self.written | self.atomic
    }

    /// Words that atomic operations wait for: no load or store may touch them.
    pub fn awaited(&self) -> Words {
        self.atomic | self.coming
    }

    /// An atomic operation changes `words`, at once where this L1D has the newest value. The others are asked for.
    pub fn update(&mut self, words: Words) {
        let asks = words & !(self.held() | self.written);
        self.atomic |= asks;
        self.valid &= !asks;
    }

    /// L2 changes `words`, in place of this L1D.
    pub fn forget(&mut self, words: Words) {
        self.valid &= !words;
    }

    /// A store writes `words`. Returns whether the line has words to be let go now.
    pub fn store(&mut self, words: Words) -> bool {
        self.valid |= words;
        self.written |= words & !self.held();
        self.written != 0
    }

    /// A fetch begins that waits for `wanted`.
    pub fn fetch(&self, wanted: Words) -> Fetch {
        Fetch { wanted, later: 0, overwritten: self.valid | self.awaited() }
    }

    /// Values of `words` have arrived. Returns those that are taken: what is here is never older.
    pub fn fill(&mut self, words: Words) -> Words {
        let taken = words & !self.valid;
        self.valid |= words;
        taken
    }

    /// Whether the store buffer may let the line go: one registration of a line is under way at most.
    pub fn may_ask(&self) -> bool {
        self.asked == 0
    }

    /// The store buffer lets the line go. Returns the words that are written through, or registered.
    pub fn ask(&mut self, rules: Rules) -> Words {
        let atomic = core::mem::take(&mut self.atomic);
        let words = core::mem::take(&mut self.written) | atomic;
        if rules == Rules::Ownership {
            self.asked |= words;
            self.coming |= atomic;
        }
        words
    }

    /// The registration of `words` is granted, with their values where atomic operations wait for them. Returns whether no word of it is left to be
    /// granted.
    pub fn granted(&mut self, words: Words) -> bool {
        // Those that wait for the ownership after this one have no value here.
        self.valid |= words & self.coming & !self.atomic;
        self.coming &= !words;
        self.owned |= words & self.asked & !self.passed;
        self.asked &= !words;
        self.passed &= !words;
        self.asked == 0
    }

    /// Whether the line may not be evicted.
    pub fn is_pinned(&self, rules: Rules) -> bool {
        rules == Rules::Ownership && self.waits() | self.asked != 0
    }

    /// The line leaves. Returns the words to be written through, or back.
    pub fn evict(self, rules: Rules) -> Words {
        match rules {
            Rules::WriteThrough => self.written,
            Rules::Ownership => self.owned,
        }
    }

    /// A launch begins: what another may have written since is dropped.
    pub fn acquire(&mut self) {
        self.valid &= self.written | self.asked | self.owned;
    }

    /// Another wants to read `words`. Returns those that it gets; the rest is refused.
    pub fn serves(&self, words: Words) -> Words {
        words & self.held() & !self.coming
    }

    /// The home passes `words` on to another, or recalls them: they stay as clean copies. Returns those that were held; of these, those that atomic
    /// operations wait for can leave only when they have come.
    pub fn give_up(&mut self, words: Words) -> Words {
        let given = words & self.held();
        self.owned &= !given;
        self.passed |= given & self.asked;
        given
    }
}

/// A fetch of a line that is under way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Fetch {
    /// Words that have been asked for and have not come.
    pub wanted: Words,
    /// Words that later loads wait for: they are asked for if they do not come with these.
    pub later: Words,
    /// Words that were here when it began, or were written here since: what it brings of them may be older.
    pub overwritten: Words,
}

impl Fetch {
    /// Whether a load of `words` may wait for it: what it brings of them is not older than what was here.
    pub fn serves(&self, words: Words) -> bool {
        words & self.overwritten == 0
    }

    /// A load of `words`, which it may wait for, does so.
    pub fn awaited_for(&mut self, words: Words) {
        self.later |= words & !self.wanted;
    }

    /// Words for which loads wait.
    pub fn awaited(&self) -> Words {
        self.wanted | self.later
    }

    /// The answer for `words` has arrived, with values of `extra` words beside them. Returns those that may go into the cache. A word that
    /// comes as an extra may still have its own answer on the way, so the fetch goes on waiting for it.
    pub fn arrived(&mut self, words: Words, extra: Words) -> Words {
        self.wanted &= !words;
        self.later &= !extra;
        (words | extra) & !self.overwritten
    }

    /// Words that are asked for now: once all that was asked for has come, what loads wait for beside it.
    pub fn asks_again(&mut self) -> Words {
        if self.wanted != 0 {
            return 0;
        }
        self.wanted = core::mem::take(&mut self.later);
        self.wanted
    }
}

/// A write of a line that has left L1D and is not over.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Write {
    /// Its words. Those of a write-back are kept here.
    pub words: Words,
    /// Whether the home has answered.
    pub answered: bool,
}

impl Write {
    /// The home has taken `words`. What it has not taken it has asked for, on behalf of another or for itself, and that will come.
    pub fn answered(&mut self, words: Words) {
        self.words &= !words;
        self.answered = true;
    }

    /// The home passes `words` on to another, or recalls them. Returns those that were kept here.
    pub fn give_up(&mut self, words: Words) -> Words {
        let given = words & self.words;
        self.words &= !given;
        given
    }

    /// Whether requests for the line may leave.
    pub fn is_over(&self) -> bool {
        self.answered && self.words == 0
    }
}
