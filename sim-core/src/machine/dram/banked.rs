//! A channel with banks and rows, scheduled FR-FCFS with direction awareness.
//!
//! **Commands.** One a clock on a shared command bus (activate, precharge, read, write, all-bank precharge and refresh), each when every
//! row of `timing.rs` allows it. The data bus needs no state: its occupation is rows of that table.
//!
//! **Order.** Under `reads_first` reads go before writes, but writes in batches, as memory controllers do to save bus turnarounds. Writes wait
//! in the queue until a drain begins. A drain goes on, also past reads that come meanwhile, down to a low watermark. It begins when writes fill three
//! quarters of the queue and ends at one half. While no read waits, it begins when they fill one half, and ends a thirty-second lower.
//! Without reads for a while (`IDLE`) writes are served at once, and give way to the next read. Under `one_queue` reads and writes wait
//! together, and the bus turns when the timings of a turn let the next command through: GPGPU-Sim 3.x, `dram_sched.cc`.
//!
//! Of the requests that are served now each bank offers the next command of one: the lowest rank, then a hit in the open row, then the
//! oldest (FR-FCFS). Of the commands that can be given now the channel gives the one of the lowest rank, then a column command, then the
//! oldest request's.
//!
//! **Pages.** Open: a row is closed when the bank's next request wants another. Closed: the column command carries an auto-precharge
//! unless another queued request wants its row.
//!
//! **Refresh.** When it is due, all banks are closed by one all-bank precharge as soon as every bank allows it, and refreshed together.
//!
//! Simplified: (1) a read does not take its data from a queued write of the same line; (2) no limit on how long row hits or better
//! ranks may pass an older request.
//!
//! **Speed.** Requests hang in lists by bank and, where reads go first, by direction, oldest first. Each bank's offer is kept, and worked out again only
//! when something happened to its bank. Banks are sets by the command that they offer and by whether their own time for it has come, so a
//! decision looks at few of them. The channel sleeps until the first clock in which there can be another.

use super::super::derived::Derived;
use super::super::link::Full;
use super::super::noc::members;
use super::super::packet::DramRequest;
use super::timing::{COMMANDS, Clock, Command, Earliest, Gaps, Transfer};
use crate::describe::gpu::{DramConfig, DramMap, DramOrder, PagePolicy};
use crate::describe::ids::{KernelId, PerKernel};
use alloc::boxed::Box;
use alloc::vec;

/// Not a place of the transaction queue: `new` keeps the queue shorter.
const NONE: u16 = u16::MAX;

/// What the scheduler reads of a place of the transaction queue while it walks a list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Link {
    row: u32,
    /// The next younger in its list, or the next free place.
    next: u16,
    kernel: KernelId,
}

/// The rest of a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Slot {
    arrived: Clock,
    /// Order of arrival: the age.
    number: u64,
    request: DramRequest,
    /// The next older in its list.
    older: u16,
    bank: u8,
    /// An activate was given for this request, so it is no row hit.
    activated: bool,
}

/// Ends of a list of places, oldest first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct List {
    first: u16,
    last: u16,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Bank {
    /// The open row.
    open: Option<u32>,
    earliest: Earliest,
    /// Requests that wait for it: `READS` and `WRITES`.
    waiting: [List; 2],
}

/// Set in a key for a row command: column commands go first within a rank.
const ROW_COMMAND: u64 = 1 << 54;

/// The part of a key that goes before age.
const PREFERENCE: u64 = !0 << 54;

/// Where the 8 bits of the rank stand in a key; the age is in the low bits. The highest bit stays clear, so that no offer has the key `NO_OFFER`.
const RANK: u32 = 55;

/// After every key.
const NO_OFFER: u64 = u64::MAX;

/// Requests that are served without a drain: reads, and under `one_queue` all.
const READS: usize = 0;

/// Writes that wait for a drain.
const WRITES: usize = 1;

/// What the banks offer of `READS` or `WRITES`: each at most one command for one request.
#[derive(Clone, Debug)]
struct Offers {
    /// Which of the two.
    serving: usize,
    /// Banks that offer activate, precharge, read, and write.
    by_command: [u64; 4],
    /// Banks whose own earliest clock for it has come; the channel's comes on top.
    ripe: u64,
    /// By command: the first clock in which another bank becomes ripe, or earlier.
    next_ripe: [Clock; 4],
    /// By bank: its earliest clock for the command.
    ready: Box<[Clock]>,
    /// By bank: rank, row command or not, age. Lower goes first; `NO_OFFER` without an offer.
    key: Box<[u64]>,
    /// By bank: for which request.
    slot: Box<[u16]>,
}

/// Writes below the watermarks wait until no read has been served for so many clocks: a few turns of the bus.
const IDLE: Clock = 100;

/// Watermarks of waiting writes: the bus stays with the writes between them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Drain {
    /// Writes that begin a drain.
    begin: u32,
    /// Writes at which a drain ends, if reads wait.
    end: u32,
}

impl Offers {
    fn new(banks: u32) -> Self {
        let n = banks as usize;
        Offers {
            serving: READS,
            by_command: [0; 4],
            ripe: 0,
            next_ripe: [Clock::MAX; 4],
            ready: vec![0; n].into(),
            key: vec![NO_OFFER; n].into(),
            slot: vec![NONE; n].into(),
        }
    }

    /// The bank offers nothing.
    fn withdraw(&mut self, bank: usize) {
        let others = !(1 << bank);
        self.by_command = self.by_command.map(|banks| banks & others);
        self.ripe &= others;
        self.key[bank] = NO_OFFER;
    }

    fn put(&mut self, bank: usize, command: usize, ready: Clock, key: u64, slot: u16) {
        self.withdraw(bank);
        self.by_command[command] |= 1 << bank;
        self.next_ripe[command] = self.next_ripe[command].min(ready);
        self.ready[bank] = ready;
        self.key[bank] = key;
        self.slot[bank] = slot;
    }

    /// Moves the banks whose time has come to `ripe`.
    fn ripen(&mut self, clock: Clock) {
        for (banks, next_ripe) in self.by_command.into_iter().zip(&mut self.next_ripe) {
            if clock < *next_ripe {
                continue;
            }
            *next_ripe = Clock::MAX;
            for bank in members(banks & !self.ripe, false) {
                let ready = self.ready[bank as usize];
                let ripe = ready <= clock;
                self.ripe |= u64::from(ripe) << bank;
                *next_ripe = (*next_ripe).min(if ripe { Clock::MAX } else { ready });
            }
        }
    }

    /// The bank whose offer goes first among those that are ripe and whose command the channel allows in `clock`, if there is any.
    #[inline(always)] // into the one tick that calls it
    fn first(&self, clock: Clock, allowed: [Clock; 4]) -> Option<usize> {
        let mut set = 0;
        for (banks, allowed) in self.by_command.into_iter().zip(allowed) {
            set |= if allowed <= clock { banks } else { 0 };
        }
        set &= self.ripe;
        if set == 0 {
            return None;
        }
        let mut winner = set.trailing_zeros() as usize;
        let mut best = self.key[winner];
        for bank in members(set & (set - 1), false) {
            let key = self.key[bank as usize];
            winner = if key < best { bank as usize } else { winner };
            best = best.min(key);
        }
        Some(winner)
    }

    /// The first clock in which an offer can be taken, or earlier: its bank is ripe and the channel allows its command.
    fn next(&self, allowed: [Clock; 4]) -> Clock {
        let mut next = Clock::MAX;
        for ((banks, allowed), next_ripe) in self.by_command.into_iter().zip(allowed).zip(self.next_ripe) {
            let ripe = if banks & self.ripe != 0 { 0 } else { next_ripe };
            next = next.min(allowed.max(ripe));
        }
        next
    }
}

/// A line's time on the data bus.
#[derive(Clone, Copy, Debug, Default)]
struct Beat {
    start: Clock,
    end: Clock,
    kernel: KernelId,
}

/// One channel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Banked {
    gaps: Gaps,
    banks: Box<[Bank]>,
    earliest: Earliest,
    /// When the row commands that follow the last four activates are allowed by tFAW; the oldest is at `window_at`.
    window: [Clock; 4],
    window_at: u8,
    links: Box<[Link]>,
    slots: Box<[Slot]>,
    free: u16,
    /// Requests in the queue: `READS` and `WRITES`.
    count: [u32; 2],
    /// While writes are served: how many may be left when waiting reads get the bus.
    drain_to: Option<u32>,
    /// When a read was served last.
    read_at: Clock,
    arrivals: u64,
    refresh_due: Clock,
    // What the configuration says, once.
    forced: Drain,
    unhurried: Drain,
    columns: u32,
    map: DramMap,
    page: PagePolicy,
    data_at: [u32; 2],
    transfer: u32,
    faw: u32,
    refresh_every: u32,
    one_queue: Derived<bool>,
    // What follows from the fields above.
    next: Derived<Clock>,
    offers: Derived<Offers>,
    rank: Derived<PerKernel<u8>>,
    bus: Derived<[Beat; 16]>,
    bus_at: Derived<u8>,
}

impl Banked {
    /// An idle channel of 1 to 64 banks with all rows closed.
    pub fn new(config: &DramConfig) -> Self {
        let t = &config.timing;
        let (banks, queue) = (config.banks.clamp(1, 64), config.queue.clamp(1, u32::from(NONE - 1)));
        let empty = List { first: NONE, last: NONE };
        let link = |i: u32| Link { row: 0, next: if i + 1 == queue { NONE } else { i as u16 + 1 }, kernel: KernelId(0) };
        let slot = Slot { arrived: 0, number: 0, request: DramRequest::default(), older: NONE, bank: 0, activated: false };
        Banked {
            gaps: Gaps::new(t),
            banks: (0..banks).map(|_| Bank { open: None, earliest: [0; COMMANDS], waiting: [empty; 2] }).collect(),
            earliest: [0; COMMANDS],
            window: [0; 4],
            window_at: 0,
            links: (0..queue).map(link).collect(),
            slots: vec![slot; queue as usize].into(),
            free: 0,
            count: [0; 2],
            drain_to: None,
            read_at: 0,
            arrivals: 0,
            refresh_due: if t.tREFI == 0 { Clock::MAX } else { Clock::from(t.tREFI) },
            forced: Drain { begin: (queue * 3 / 4).max(1), end: queue / 2 },
            unhurried: Drain { begin: (queue / 2).max(1), end: (queue / 2).saturating_sub((queue / 32).max(1)) },
            columns: config.columns.max(1),
            map: config.map,
            page: config.page,
            data_at: [t.tCL, t.WL],
            transfer: t.T,
            faw: t.tFAW,
            refresh_every: t.tREFI,
            one_queue: Derived(config.order == DramOrder::OneQueue),
            next: Derived(if t.tREFI == 0 { Clock::MAX } else { Clock::from(t.tREFI) }),
            offers: Derived(Offers::new(banks)),
            rank: Derived(PerKernel::all(0)),
            bus: Derived::default(),
            bus_at: Derived(0),
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.free != NONE
    }

    /// Whether a request waits among `READS` or `WRITES`.
    fn among(&self, request: &DramRequest) -> usize {
        if request.is_write() && !*self.one_queue { WRITES } else { READS }
    }

    pub(super) fn push(&mut self, clock: Clock, request: DramRequest) -> Result<(), Full> {
        if self.free == NONE {
            return Err(Full);
        }
        let (row, bank) = self.map.place(request.line, self.columns, self.banks.len() as u32);
        let (at, among) = (self.free, self.among(&request));
        let list = &mut self.banks[bank as usize].waiting[among];
        let older = core::mem::replace(&mut list.last, at);
        if older == NONE {
            list.first = at;
        } else {
            self.links[usize::from(older)].next = at;
        }
        let link = &mut self.links[usize::from(at)];
        self.free = link.next;
        *link = Link { row, next: NONE, kernel: request.kernel };
        let number = self.arrivals;
        self.slots[usize::from(at)] = Slot { arrived: clock, number, request, older, bank: bank as u8, activated: false };
        self.arrivals += 1;
        self.count[among] += 1;
        if among == self.offers.serving {
            // The new request is the youngest, so it replaces the bank's offer only with a better rank, or with a hit where the offer is no
            // hit.
            let (bank, hit) = (bank as usize, self.banks[bank as usize].open == Some(row));
            if self.key(at, hit) & PREFERENCE < self.offers.key[bank] & PREFERENCE {
                let command = self.offer(bank, at, hit);
                *self.next = (*self.next).min(self.offers.ready[bank].max(self.allowed()[command]).max(clock));
            }
        }
        *self.next = (*self.next).min(self.turns_at(clock));
        Ok(())
    }

    /// Takes a request out of the queue.
    fn remove(&mut self, at: u16) {
        let Slot { older, bank, request, .. } = self.slots[usize::from(at)];
        let next = self.links[usize::from(at)].next;
        let among = self.among(&request);
        let list = &mut self.banks[usize::from(bank)].waiting[among];
        if older == NONE {
            list.first = next;
        } else {
            self.links[usize::from(older)].next = next;
        }
        if next == NONE {
            list.last = older;
        } else {
            self.slots[usize::from(next)].older = older;
        }
        self.links[usize::from(at)].next = self.free;
        self.free = at;
        self.count[among] -= 1;
    }

    /// A request's place in the order of commands.
    fn key(&self, at: u16, hit: bool) -> u64 {
        let rank = u64::from(self.rank[self.links[usize::from(at)].kernel]) << RANK;
        rank | self.slots[usize::from(at)].number | if hit { 0 } else { ROW_COMMAND }
    }

    /// Makes a request its bank's offer; returns the index of the command in `Offers::by_command`.
    fn offer(&mut self, bank: usize, at: u16, hit: bool) -> usize {
        let Bank { open, ref earliest, .. } = self.banks[bank];
        let command = match (hit, self.slots[usize::from(at)].request.is_write()) {
            (true, false) => Command::Read,
            (true, true) => Command::Write,
            (false, _) if open.is_none() => Command::Activate,
            (false, _) => Command::Precharge,
        } as usize;
        let key = self.key(at, hit);
        self.offers.put(bank, command, earliest[command], key, at);
        command
    }

    /// Computes a bank's offer: of its requests that are served now the lowest rank, then a hit, then the oldest.
    fn reconsider(&mut self, bank: usize) {
        let Bank { open, waiting, .. } = self.banks[bank];
        let mut at = waiting[self.offers.serving].first;
        if at == NONE {
            self.offers.withdraw(bank);
            return;
        }
        let (mut best, mut best_key) = (at, u32::MAX);
        while at != NONE {
            let link = &self.links[usize::from(at)];
            let key = u32::from(self.rank[link.kernel]) << 1 | u32::from(open != Some(link.row));
            if key < best_key {
                (best, best_key) = (at, key);
                if key == 0 {
                    break;
                }
            }
            at = link.next;
        }
        self.offer(bank, best, best_key & 1 == 0);
    }

    /// Computes all offers.
    #[cold]
    fn reconsider_all(&mut self) {
        (0..self.banks.len()).for_each(|bank| self.reconsider(bank));
    }

    /// The channel's earliest clocks for the commands that are offered.
    fn allowed(&self) -> [Clock; 4] {
        let [activate, precharge, read, write, _] = self.earliest;
        let activate = activate.max(self.window[usize::from(self.window_at & 3)]);
        [activate, precharge, read, write]
    }

    pub(super) fn tick(&mut self, clock: Clock, mut transfer: impl FnMut(Transfer)) {
        if clock < *self.next {
            return;
        }
        if clock >= self.refresh_due {
            self.refresh(clock);
            return;
        }
        self.turn_bus(clock);
        self.offers.ripen(clock);
        if let Some(bank) = self.offers.first(clock, self.allowed()) {
            self.give(clock, bank, &mut transfer);
        }
        *self.next = self.offers.next(self.allowed()).min(self.refresh_due).min(self.turns_at(clock)).max(clock + 1);
    }

    /// Decides whether `READS` or `WRITES` are served from now on.
    fn turn_bus(&mut self, clock: Clock) {
        self.drain_to = self.direction(clock);
        let serving = if self.drain_to.is_some() { WRITES } else { READS };
        if serving != self.offers.serving {
            self.offers.serving = serving;
            self.reconsider_all();
        }
    }

    /// What `drain_to` is to be from `clock` on.
    fn direction(&self, clock: Clock) -> Option<u32> {
        let [reads, writes] = self.count;
        match self.drain_to {
            _ if writes == 0 => None,
            Some(end) if reads == 0 || writes > end => Some(end),
            _ if writes >= self.forced.begin => Some(self.forced.end),
            _ if reads > 0 => None,
            _ if writes >= self.unhurried.begin => Some(self.unhurried.end),
            _ => (clock >= self.idle_at()).then_some(writes),
        }
    }

    /// The first clock from `clock` on in which the bus turns if no request comes and none is served.
    fn turns_at(&self, clock: Clock) -> Clock {
        if self.direction(clock) != self.drain_to {
            clock
        } else if self.drain_to.is_none() && self.count[READS] == 0 && self.count[WRITES] > 0 {
            self.idle_at()
        } else {
            Clock::MAX
        }
    }

    /// When writes are served at once, unless a read comes.
    fn idle_at(&self) -> Clock {
        self.read_at + IDLE
    }

    /// Gives a bank the command that it offers.
    fn give(&mut self, clock: Clock, bank: usize, transfer: &mut impl FnMut(Transfer)) {
        let at = self.offers.slot[bank];
        let is = |command: Command| self.offers.by_command[command as usize] >> bank & 1 != 0;
        let command = match () {
            () if is(Command::Read) => Command::Read,
            () if is(Command::Write) => Command::Write,
            () if is(Command::Activate) => Command::Activate,
            () => Command::Precharge,
        };
        self.gaps.apply(command as usize, clock, &mut self.banks[bank].earliest, &mut self.earliest);
        // After a row command the bank continues with the same request: the oldest of the best rank.
        match command {
            Command::Activate => {
                self.banks[bank].open = Some(self.links[usize::from(at)].row);
                self.slots[usize::from(at)].activated = true;
                self.window[usize::from(self.window_at & 3)] = clock + Clock::from(self.faw);
                self.window_at = (self.window_at + 1) & 3;
                self.offer(bank, at, true);
            }
            Command::Precharge => {
                self.banks[bank].open = None;
                self.offer(bank, at, false);
            }
            _ => {
                let Slot { arrived, request, activated, .. } = self.slots[usize::from(at)];
                let start = clock + Clock::from(self.data_at[usize::from(request.is_write())]);
                let end = start + Clock::from(self.transfer);
                self.bus[usize::from(*self.bus_at & 15)] = Beat { start, end, kernel: request.kernel };
                *self.bus_at = (*self.bus_at + 1) & 15;
                self.remove(at);
                if self.page == PagePolicy::Closed && !self.wanted(bank, self.links[usize::from(at)].row) {
                    self.close(clock, bank);
                }
                self.reconsider(bank);
                if command == Command::Read {
                    self.read_at = clock;
                }
                self.turn_bus(clock);
                transfer(Transfer { request, arrived, end, row_hit: !activated });
            }
        }
    }

    /// Whether a queued request wants this row.
    #[inline(never)] // for closed pages alone
    fn wanted(&self, bank: usize, row: u32) -> bool {
        self.banks[bank].waiting.iter().any(|list| {
            let mut at = list.first;
            while at != NONE && self.links[usize::from(at)].row != row {
                at = self.links[usize::from(at)].next;
            }
            at != NONE
        })
    }

    /// Precharges a bank as soon as it allows it, from `clock` on, without the command bus.
    fn close(&mut self, clock: Clock, bank: usize) {
        let at = clock.max(self.banks[bank].earliest[Command::Precharge as usize]);
        self.banks[bank].open = None;
        self.gaps.apply(Command::Precharge as usize, at, &mut self.banks[bank].earliest, &mut self.earliest);
    }

    /// A refresh is due: close all banks, then refresh them.
    #[cold]
    fn refresh(&mut self, clock: Clock) {
        let open = self.banks.iter().filter(|bank| bank.open.is_some());
        let allowed = match open.map(|bank| bank.earliest[Command::Precharge as usize]).max() {
            Some(precharge) => precharge,
            None => self.earliest[Command::Refresh as usize],
        };
        if allowed > clock {
            *self.next = allowed;
            return;
        }
        *self.next = clock + 1;
        if self.banks.iter().any(|bank| bank.open.is_some()) {
            for bank in 0..self.banks.len() {
                if self.banks[bank].open.is_some() {
                    self.close(clock, bank);
                }
            }
        } else {
            self.gaps.apply(Command::Refresh as usize, clock, &mut [0; COMMANDS], &mut self.earliest);
            self.refresh_due += Clock::from(self.refresh_every);
        }
        self.reconsider_all();
    }

    pub(super) fn next_clock(&self) -> Clock {
        *self.next
    }

    /// Whether it has nothing to do but to be refreshed when that is due.
    pub(super) fn rests(&self) -> bool {
        let closed = || self.banks.iter().all(|bank| bank.open.is_none());
        self.queued() == 0 && (self.refresh_due == Clock::MAX || self.earliest[Command::Refresh as usize] <= self.refresh_due && closed())
    }

    /// Lets the clocks up to this one pass, in which it rests: what refreshes of closed banks leave behind follows from the last.
    pub(super) fn rest(&mut self, clock: Clock) {
        let every = Clock::from(self.refresh_every);
        if clock < self.refresh_due || every == 0 {
            return;
        }
        let last = clock - (clock - self.refresh_due) % every;
        self.gaps.apply(Command::Refresh as usize, last, &mut [0; COMMANDS], &mut self.earliest);
        self.refresh_due = last + every;
        *self.next = clock + 1;
        self.reconsider_all();
    }

    pub(super) fn longest_read(&self) -> Clock {
        Clock::from(self.data_at[0] + self.transfer)
    }

    pub(super) fn set_rank(&mut self, rank: &PerKernel<u8>) {
        *self.rank = *rank;
        self.reconsider_all();
        if self.count != [0; 2] {
            *self.next = 0;
        }
    }

    pub(super) fn queued(&self) -> u32 {
        self.count[0] + self.count[1]
    }

    pub(super) fn queued_by_kernel(&self) -> PerKernel<u32> {
        let mut count = PerKernel::all(0);
        for list in self.banks.iter().flat_map(|bank| bank.waiting) {
            let mut at = list.first;
            while at != NONE {
                let link = &self.links[usize::from(at)];
                count[link.kernel] += 1;
                at = link.next;
            }
        }
        count
    }

    pub(super) fn open_row(&self, bank: u32) -> Option<u32> {
        self.banks.get(bank as usize).and_then(|bank| bank.open)
    }

    pub(super) fn on_bus(&self, clock: Clock) -> Option<KernelId> {
        self.bus.iter().find(|beat| beat.start <= clock && clock < beat.end).map(|beat| beat.kernel)
    }
}
