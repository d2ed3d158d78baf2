//! A channel with banks and rows, scheduled FR-FCFS with direction awareness.
//!
//! **Commands.** One a clock on a shared command bus (activate, precharge, read, write, all-bank precharge and refresh), each when every
//! row of `timing.rs` allows it. The data bus needs no state: its occupation is rows of that table.
//!
//! **Order.** Reads before writes, but writes in batches, as memory controllers do to save bus turnarounds: when writes fill half of the
//! queue they are drained until they fill a quarter, or, without reads, at once. Within the direction each bank offers the
//! next command of one request: the lowest rank, then a hit in the open row, then the oldest (FR-FCFS). Of the commands that can be
//! given now the channel gives the one with the lowest rank, then a column command, then the oldest request's.
//!
//! **Pages.** Open: a row is closed when the bank's next request wants another. Closed: the column command carries an auto-precharge
//! unless another queued request wants its row.
//!
//! **Refresh.** When it is due, all banks are closed by one all-bank precharge as soon as every bank allows it, and refreshed together.
//!
//! Simplified: (1) no idle clock between reads and writes on the data bus beyond the listed timings; (2) a read does not take its
//! data from a queued write of the same line; (3) no limit on how long row hits or better ranks may pass an older request.
//!
//! **Speed.** Requests hang in one list for each bank and direction, oldest first. Each bank's offer (`Plan`) is kept and worked out
//! again only when something happened to its bank, so a decision reads one plan for each bank that has work.

use super::super::derived::Derived;
use super::super::link::Full;
use super::super::noc::members;
use super::super::packet::DramRequest;
use super::Transfer;
use super::timing::{COMMANDS, Clock, Command, Earliest, Gaps};
use crate::gpu::{DramConfig, DramMap, PagePolicy};
use crate::ids::{KernelId, LineAddr, PerKernel};
use alloc::boxed::Box;

const NONE: u16 = u16::MAX;
const CLOSED: u32 = u32::MAX;

/// A place of the transaction queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Slot {
    arrived: Clock,
    /// Order of arrival: the age.
    number: u64,
    row: u32,
    request: DramRequest,
    bank: u8,
    /// An activate was given for this request, so it is no row hit.
    activated: bool,
    /// Neighbours in its bank's list; `next` also links free places.
    older: u16,
    next: u16,
}

/// Ends of a list of places, oldest first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct List {
    first: u16,
    last: u16,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Bank {
    open: u32,
    earliest: Earliest,
    /// Reads and writes that wait for it.
    waiting: [List; 2],
}

/// The command that a bank offers, and for whom.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// The bank's earliest clock for it; the channel's comes on top.
    ready: Clock,
    /// Rank, row command or not, age: lower goes first.
    key: u64,
    slot: u16,
    command: Command,
}

const ROW_COMMAND: u64 = 1 << 55;

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
    slots: Box<[Slot]>,
    free: u16,
    /// Reads and writes in the queue.
    count: [u32; 2],
    /// Banks with reads and with writes.
    pending: [u64; 2],
    draining: bool,
    arrivals: u64,
    refresh_due: Clock,
    // What the configuration says, once.
    high: u32,
    low: u32,
    columns: u32,
    map: DramMap,
    page: PagePolicy,
    data_at: [u32; 2],
    transfer: u32,
    faw: u32,
    refresh_every: u32,
    // What follows from the above.
    next: Derived<Clock>,
    plans: Derived<Box<[Plan]>>,
    stale: Derived<u64>,
    planned_writes: Derived<bool>,
    bus: Derived<[Beat; 16]>,
    bus_at: Derived<u8>,
}

impl Banked {
    /// An idle channel of 1 to 64 banks with all rows closed.
    pub fn new(config: &DramConfig) -> Self {
        let t = &config.timing;
        let (banks, queue) = (config.banks.clamp(1, 64), config.queue.clamp(1, u32::from(NONE - 1)));
        let empty = List { first: NONE, last: NONE };
        let slot = |i: u32| Slot {
            arrived: 0,
            number: 0,
            row: 0,
            request: DramRequest::default(),
            bank: 0,
            activated: false,
            older: NONE,
            next: if i + 1 == queue { NONE } else { i as u16 + 1 },
        };
        let plan = Plan { ready: 0, key: 0, slot: NONE, command: Command::Activate };
        Banked {
            gaps: Gaps::new(t),
            banks: (0..banks).map(|_| Bank { open: CLOSED, earliest: [0; COMMANDS], waiting: [empty; 2] }).collect(),
            earliest: [0; COMMANDS],
            window: [0; 4],
            window_at: 0,
            slots: (0..queue).map(slot).collect(),
            free: 0,
            count: [0; 2],
            pending: [0; 2],
            draining: false,
            arrivals: 0,
            refresh_due: if t.tREFI == 0 { Clock::MAX } else { Clock::from(t.tREFI) },
            high: (queue / 2).max(1),
            low: queue / 4,
            columns: config.columns.max(1),
            map: config.map,
            page: config.page,
            data_at: [t.tCL, t.WL],
            transfer: t.T,
            faw: t.tFAW,
            refresh_every: t.tREFI,
            next: Derived(if t.tREFI == 0 { Clock::MAX } else { Clock::from(t.tREFI) }),
            plans: Derived((0..banks).map(|_| plan).collect()),
            stale: Derived(0),
            planned_writes: Derived(false),
            bus: Derived::default(),
            bus_at: Derived(0),
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.free != NONE
    }

    /// Row and bank of a line of this channel.
    fn decode(&self, line: LineAddr) -> (u32, u32) {
        let banks = self.banks.len() as u32;
        match self.map {
            DramMap::RowBankColumn => {
                let rows = line / self.columns;
                (rows / banks, rows % banks)
            }
            DramMap::RowColumnBank => (line / banks / self.columns, line % banks),
            DramMap::XorBank => {
                let rows = line / self.columns;
                let (row, bank) = (rows / banks, rows % banks);
                // Where XOR would leave the range it is a rotation.
                (row, if banks.is_power_of_two() { bank ^ (row & (banks - 1)) } else { (bank + row % banks) % banks })
            }
        }
    }

    pub(super) fn push(&mut self, clock: Clock, request: DramRequest) -> Result<(), Full> {
        if self.free == NONE {
            return Err(Full);
        }
        let (row, bank) = self.decode(request.line);
        let (at, way) = (self.free, usize::from(request.is_write()));
        let list = &mut self.banks[bank as usize].waiting[way];
        let older = core::mem::replace(&mut list.last, at);
        if older == NONE {
            list.first = at;
        } else {
            self.slots[usize::from(older)].next = at;
        }
        let slot = &mut self.slots[usize::from(at)];
        self.free = slot.next;
        *slot = Slot { arrived: clock, number: self.arrivals, row, request, bank: bank as u8, activated: false, older, next: NONE };
        self.arrivals += 1;
        self.count[way] += 1;
        self.pending[way] |= 1 << bank;
        // A newcomer is the youngest, so it changes its bank's offer only if it is the first, a hit, or better ranked; ranks are not
        // known here, so `tick` compares them.
        *self.stale |= 1 << bank;
        *self.next = (*self.next).min(clock);
        Ok(())
    }

    /// Takes a request out of the queue.
    fn remove(&mut self, at: u16) {
        let Slot { older, next, bank, request, .. } = self.slots[usize::from(at)];
        let way = usize::from(request.is_write());
        let list = &mut self.banks[usize::from(bank)].waiting[way];
        if older == NONE {
            list.first = next;
        } else {
            self.slots[usize::from(older)].next = next;
        }
        if next == NONE {
            list.last = older;
        } else {
            self.slots[usize::from(next)].older = older;
        }
        if list.first == NONE {
            self.pending[way] &= !(1 << bank);
        }
        self.slots[usize::from(at)].next = self.free;
        self.free = at;
        self.count[way] -= 1;
    }

    /// What a bank offers in the direction `way`, which it has requests for.
    fn plan(&self, bank: usize, way: usize, rank: &PerKernel<u8>) -> Plan {
        let Bank { open, ref earliest, waiting } = self.banks[bank];
        let mut at = waiting[way].first;
        let (mut best, mut best_key) = (at, (u8::MAX, true));
        while at != NONE {
            let slot = &self.slots[usize::from(at)];
            let key = (rank[slot.request.kernel], slot.row != open);
            if key < best_key || best == at {
                (best, best_key) = (at, key);
                if key == (0, false) {
                    break;
                }
            }
            at = slot.next;
        }
        let command = match (best_key.1, open, way) {
            (false, _, 0) => Command::Read,
            (false, _, _) => Command::Write,
            (true, CLOSED, _) => Command::Activate,
            (true, _, _) => Command::Precharge,
        };
        let mut key = u64::from(best_key.0) << 56 | self.slots[usize::from(best)].number;
        if best_key.1 {
            key |= ROW_COMMAND;
        }
        Plan { ready: earliest[command as usize], key, slot: best, command }
    }

    pub(super) fn tick(&mut self, clock: Clock, rank: &PerKernel<u8>, mut transfer: impl FnMut(Transfer)) {
        if clock < *self.next {
            return;
        }
        if clock >= self.refresh_due {
            self.refresh(clock);
            return;
        }
        let way = self.direction();
        let refreshed = core::mem::take(&mut *self.stale);
        for bank in members(refreshed & self.pending[way], false) {
            self.plans[bank as usize] = self.plan(bank as usize, way, rank);
        }

        let mut winner = None;
        let (mut best, mut next) = (u64::MAX, self.refresh_due);
        let mut channel = self.earliest;
        channel[Command::Activate as usize] = channel[Command::Activate as usize].max(self.window[usize::from(self.window_at)]);
        for bank in members(self.pending[way], false) {
            let plan = &self.plans[bank as usize];
            let ready = plan.ready.max(channel[plan.command as usize]);
            if ready > clock {
                next = next.min(ready);
            } else if plan.key < best {
                (best, winner) = (plan.key, Some(bank as usize));
            }
        }
        let Some(bank) = winner else {
            *self.next = next;
            return;
        };
        *self.next = clock + 1;
        self.give(clock, bank, &mut transfer);
    }

    /// Reads (0) or writes (1): which of them the channel serves now.
    fn direction(&mut self) -> usize {
        let [reads, writes] = self.count;
        if self.draining {
            self.draining = writes > self.low || reads == 0 && writes > 0;
        } else {
            self.draining = writes >= self.high;
        }
        let write = self.draining || reads == 0;
        if write != *self.planned_writes {
            *self.planned_writes = write;
            *self.stale = u64::MAX;
        }
        usize::from(write)
    }

    /// Gives a bank the command that it offers.
    fn give(&mut self, clock: Clock, bank: usize, transfer: &mut impl FnMut(Transfer)) {
        let Plan { slot: at, command, .. } = self.plans[bank];
        self.gaps.apply(command, clock, &mut self.banks[bank].earliest, &mut self.earliest);
        let state = &mut self.banks[bank];
        let slot = &mut self.slots[usize::from(at)];
        // After a row command the bank goes on with the same request: it is its oldest of the best rank.
        let plan = &mut self.plans[bank];
        match command {
            Command::Activate => {
                state.open = slot.row;
                slot.activated = true;
                self.window[usize::from(self.window_at)] = clock + Clock::from(self.faw);
                self.window_at = (self.window_at + 1) % 4;
                plan.command = if slot.request.is_write() { Command::Write } else { Command::Read };
                plan.key &= !ROW_COMMAND;
                plan.ready = state.earliest[plan.command as usize];
            }
            Command::Precharge => {
                state.open = CLOSED;
                plan.command = Command::Activate;
                plan.ready = state.earliest[plan.command as usize];
            }
            Command::Read | Command::Write => {
                let Slot { arrived, request, activated, row, .. } = *slot;
                let start = clock + Clock::from(self.data_at[usize::from(request.is_write())]);
                let end = start + Clock::from(self.transfer);
                self.bus[usize::from(*self.bus_at)] = Beat { start, end, kernel: request.kernel };
                *self.bus_at = (*self.bus_at + 1) % 16;
                self.remove(at);
                *self.stale |= 1 << bank;
                if self.page == PagePolicy::Closed && !self.wanted(bank, row) {
                    self.close(clock, bank);
                }
                transfer(Transfer { request, arrived, end, row_hit: !activated });
            }
            Command::Refresh => {}
        }
    }

    /// Whether a queued request wants this row.
    fn wanted(&self, bank: usize, row: u32) -> bool {
        self.banks[bank].waiting.iter().any(|list| {
            let mut at = list.first;
            while at != NONE && self.slots[usize::from(at)].row != row {
                at = self.slots[usize::from(at)].next;
            }
            at != NONE
        })
    }

    /// Precharges a bank as soon as it allows it, from `clock` on, without the command bus.
    fn close(&mut self, clock: Clock, bank: usize) {
        let at = clock.max(self.banks[bank].earliest[Command::Precharge as usize]);
        self.banks[bank].open = CLOSED;
        self.gaps.apply(Command::Precharge, at, &mut self.banks[bank].earliest, &mut self.earliest);
    }

    /// A refresh is due: close all banks, then refresh them.
    fn refresh(&mut self, clock: Clock) {
        let open = self.banks.iter().filter(|bank| bank.open != CLOSED);
        let allowed = match open.map(|bank| bank.earliest[Command::Precharge as usize]).max() {
            Some(precharge) => precharge,
            None => self.earliest[Command::Refresh as usize],
        };
        if allowed > clock {
            *self.next = allowed;
            return;
        }
        *self.next = clock + 1;
        *self.stale = u64::MAX;
        if self.banks.iter().any(|bank| bank.open != CLOSED) {
            for bank in 0..self.banks.len() {
                if self.banks[bank].open != CLOSED {
                    self.close(clock, bank);
                }
            }
        } else {
            self.gaps.apply(Command::Refresh, clock, &mut [0; COMMANDS], &mut self.earliest);
            self.refresh_due += Clock::from(self.refresh_every);
        }
    }

    pub(super) fn next_clock(&self) -> Clock {
        *self.next
    }

    pub(super) fn rank_changed(&mut self) {
        *self.stale = u64::MAX;
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
                let slot = &self.slots[usize::from(at)];
                count[slot.request.kernel] += 1;
                at = slot.next;
            }
        }
        count
    }

    pub(super) fn open_row(&self, bank: u32) -> Option<u32> {
        self.banks.get(bank as usize).map(|bank| bank.open).filter(|&row| row != CLOSED)
    }

    pub(super) fn on_bus(&self, clock: Clock) -> Option<KernelId> {
        self.bus.iter().find(|beat| beat.start <= clock && clock < beat.end).map(|beat| beat.kernel)
    }
}
