//! Order, maps, pages and sleeping of one channel. Its bandwidth under load is in the root package's tests/first_principles.

use super::*;
use crate::describe::gpu::{DramMap, DramOrder, DramTiming, PagePolicy};
use crate::describe::rng::{below, mix};
use crate::study::probe::DramProbe;
use alloc::vec::Vec;

/// The probe's channel: GDDR5 as in HeteroCore's Table 2, T = 4.
fn config() -> DramConfig {
    DramProbe::default().config
}

const EQUAL: PerKernel<u8> = PerKernel::all(0);

fn read(line: u32) -> DramRequest {
    DramRequest { line, ..DramRequest::default() }
}

fn write(line: u32) -> DramRequest {
    DramRequest { line, access: Access::Write, ..DramRequest::default() }
}

/// Serves everything queued, from `clock` on, and returns the transfers.
fn serve(channel: &mut Channel, mut clock: Clock, rank: &PerKernel<u8>) -> Vec<Transfer> {
    let mut transfers = Vec::new();
    channel.set_rank(rank);
    while channel.queued() > 0 {
        channel.tick(clock, |transfer| transfers.push(transfer));
        clock += 1;
    }
    transfers
}

#[test]
fn an_unloaded_read_takes_what_its_bank_makes_of_it() {
    let config = config();
    let row = config.columns * config.banks;
    // Closed, then a hit, then another row of the same bank.
    let mut channel = Channel::new(&config);
    for (at, line, want) in [(10, 0, 28), (1_000, 1, 16), (2_000, row, 40), (3_000, row + 31, 16), (4_000, 33, 28)] {
        channel.push(at, read(line)).unwrap();
        let got = serve(&mut channel, at, &EQUAL);
        assert_eq!(got[0].end - at, want, "line {line}");
        assert_eq!(got[0].row_hit, want == 16);
    }
    let mut ideal = Channel::new(&DramConfig { kind: DramKind::Ideal, ..config });
    ideal.push(5, read(0)).unwrap();
    assert_eq!(serve(&mut ideal, 5, &EQUAL)[0].end - 5, 28);
}

#[test]
fn a_read_goes_before_a_lone_write() {
    let mut channel = Channel::new(&config());
    channel.push(0, write(0)).unwrap();
    channel.push(0, read(1)).unwrap();
    let order: Vec<u32> = serve(&mut channel, 0, &EQUAL).iter().map(|transfer| transfer.request.line).collect();
    assert_eq!(order, [1, 0]);
}

/// A channel with one queue for reads and writes.
fn one_queue() -> Channel {
    Channel::new(&DramConfig { order: DramOrder::OneQueue, ..config() })
}

/// Lines in the order in which they are served, and the ends of their transfers.
fn ends(transfers: &[Transfer]) -> Vec<(u32, Clock)> {
    transfers.iter().map(|transfer| (transfer.request.line, transfer.end)).collect()
}

/// The write: tRCD + WL + T. Behind it tWR, then tRP, tRCD, tCL and T for the read's row.
#[test]
fn in_one_queue_an_older_write_goes_before_a_read_of_another_row() {
    let row = 32 * 16;
    let mut channel = one_queue();
    channel.push(0, write(0)).unwrap();
    channel.push(0, read(row)).unwrap();
    assert_eq!(ends(&serve(&mut channel, 0, &EQUAL)), [(0, 20), (row, 72)]);
}

/// A read of another row waits for a younger write into the open one: WL + T, then tWR, tRP, tRCD, tCL and T.
#[test]
fn in_one_queue_a_write_that_hits_goes_before_an_older_read_that_misses() {
    let row = 32 * 16;
    let mut channel = one_queue();
    channel.push(0, read(0)).unwrap();
    serve(&mut channel, 0, &EQUAL);
    channel.push(100, read(row)).unwrap();
    channel.push(100, write(1)).unwrap();
    assert_eq!(ends(&serve(&mut channel.clone(), 100, &EQUAL)), [(1, 108), (row, 160)]);
    // A better rank comes before hits: tRP + tRCD + tCL + T. The write waits for its row until the read's may be closed, tRAS after it was
    // opened in 112.
    let mut rank = PerKernel::all(1);
    rank[KernelId(1)] = 0;
    channel.push(100, DramRequest { kernel: KernelId(1), ..read(2 * row) }).unwrap();
    let got = ends(&serve(&mut channel, 100, &rank));
    assert_eq!(got[0], (2 * row, 140));
    assert_eq!((got[1].0, got[2].0), (row, 1), "then the oldest: row 0 is no longer open");
}

/// A read of another bank waits while writes hit, one in T clocks, since each holds reads back for WL + T + tWTR; and no longer than that. Its
/// row is opened meanwhile.
#[test]
fn in_one_queue_writes_that_hit_hold_a_read_no_longer_than_they_last() {
    let mut channel = one_queue();
    channel.push(0, read(0)).unwrap();
    serve(&mut channel, 0, &EQUAL);
    channel.push(100, read(32)).unwrap();
    (1..=8).for_each(|line| channel.push(100, write(line)).unwrap());
    // A write that misses in the read's bank does not go before it, though the bus is the writes'.
    channel.push(100, write(32 * 17)).unwrap();
    let got = ends(&serve(&mut channel, 100, &EQUAL));
    let writes: Vec<_> = (1..=8).map(|line| (line, 104 + 4 * Clock::from(line))).collect();
    assert_eq!(got[..8], writes[..]);
    assert_eq!(got[8], (32, 128 + 13 + 16), "the last of the writes was given in 128");
    assert_eq!(got[9].0, 32 * 17);
}

#[test]
fn rank_then_row_hit_then_age() {
    let config = config();
    let row = config.columns * config.banks;
    let of = |kernel, line| DramRequest { kernel: KernelId(kernel), ..read(line) };
    let order = |rank: &PerKernel<u8>| -> Vec<u32> {
        let mut channel = Channel::new(&config);
        for request in [of(0, 0), of(0, row), of(1, 2 * row), of(0, 1), of(1, 2 * row + 1)] {
            channel.push(0, request).unwrap();
        }
        serve(&mut channel, 0, rank).iter().map(|transfer| transfer.request.line).collect()
    };
    assert_eq!(order(&EQUAL), [0, 1, row, 2 * row, 2 * row + 1]);
    let mut rank = EQUAL;
    rank[KernelId(0)] = 1;
    assert_eq!(order(&rank), [2 * row, 2 * row + 1, 0, 1, row]);
}

/// Every rank, every row: no value of a request looks like "no offer" or "no open row".
#[test]
fn the_last_rank_and_the_last_row_are_served_like_others() {
    let mut channel = Channel::new(&config());
    channel.push(0, read(0)).unwrap();
    channel.push(0, write(700)).unwrap();
    let (base, last) = (serve(&mut channel.clone(), 0, &EQUAL), serve(&mut channel, 0, &PerKernel::all(255)));
    assert_eq!(last, base);
    let mut channel = Channel::new(&config());
    channel.set_rank(&PerKernel::all(255));
    channel.push(0, read(0)).unwrap();
    assert_eq!(
        (0..100).find(|&clock| {
            let mut served = false;
            channel.tick(clock, |_| served = true);
            served
        }),
        Some(12),
        "an activate, then the read"
    );
    let mut channel = Channel::new(&DramConfig { banks: 1, columns: 1, ..config() });
    channel.push(0, read(u32::MAX)).unwrap();
    let got = serve(&mut channel, 0, &EQUAL);
    assert_eq!((got[0].end, got[0].row_hit), (28, false));
}

#[test]
fn a_closed_page_closes_behind_the_last_hit() {
    let config = DramConfig { page: PagePolicy::Closed, ..config() };
    let mut channel = Channel::new(&config);
    channel.push(0, read(0)).unwrap();
    channel.push(0, read(1)).unwrap();
    let got = serve(&mut channel, 0, &EQUAL);
    assert_eq!((got[0].end, got[1].end, got[1].row_hit), (28, 32, true));
    assert_eq!(channel.open_row(0), None);
    // Long after, another row of the bank finds it closed: 28, not 40.
    channel.push(500, read(32 * 16)).unwrap();
    assert_eq!(serve(&mut channel, 500, &EQUAL)[0].end, 528);
}

#[test]
fn each_map_puts_consecutive_lines_where_it_says() {
    let place = |map, line| {
        let mut channel = Channel::new(&DramConfig { map, ..config() });
        channel.push(0, read(line)).unwrap();
        serve(&mut channel, 0, &EQUAL);
        (0..16).find_map(|bank| channel.open_row(bank).map(|row| (row, bank))).unwrap()
    };
    let row = 32 * 16;
    assert_eq!([31, 32, row + 32].map(|line| place(DramMap::RowBankColumn, line)), [(0, 0), (0, 1), (1, 1)]);
    assert_eq!([1, 16, row + 2].map(|line| place(DramMap::RowColumnBank, line)), [(0, 1), (0, 0), (1, 2)]);
    assert_eq!([31, 32, row + 32].map(|line| place(DramMap::HashedBank, line)), [(0, 0), (0, 1), (1, 2)]);
    assert_eq!([16, 17, 257].map(|of| place(DramMap::HashedBank, of * row)), [(16, 1), (17, 0), (257, 0)]);
}

/// What a protocol checker remembers of the commands that it saw; it reads the data sheet's rules, not the channel's table.
struct Seen {
    activate: Vec<Clock>,
    precharge: Vec<Clock>,
    column: Vec<[Clock; 2]>,
    activates: Vec<Clock>,
    last_column: [Clock; 2],
    bus_free: Clock,
}

/// Clocks start here: 0 is longer ago than any rule looks back, and the first refresh is not due yet.
const START: Clock = 200;

impl Seen {
    fn new(banks: usize) -> Self {
        let never = alloc::vec![0; banks];
        let column = alloc::vec![[0; 2]; banks];
        Seen { activate: never.clone(), precharge: never, column, activates: alloc::vec![0; 4], last_column: [0; 2], bus_free: 0 }
    }

    /// The first clock in which the bank's row may be closed.
    fn closable(&self, t: &DramTiming, bank: usize) -> Clock {
        let [read, write] = self.column[bank];
        (self.activate[bank] + u64::from(t.tRAS)).max(read + u64::from(t.tRTP)).max(write + u64::from(t.WL + t.T + t.tWR))
    }

    fn activate(&mut self, t: &DramTiming, clock: Clock, bank: usize) {
        let precharged = self.precharge[bank].max(self.closable(t, bank)) + u64::from(t.tRP);
        assert!(clock >= precharged && clock >= self.activate[bank] + u64::from(t.tRC), "activate at {clock}");
        let [first, .., last] = self.activates[self.activates.len() - 4..] else { return };
        assert!(clock >= last + u64::from(t.tRRD) && clock >= first + u64::from(t.tFAW), "activate at {clock}");
        self.activates.push(clock);
        self.activate[bank] = clock;
    }

    fn column(&mut self, t: &DramTiming, clock: Clock, bank: usize, way: usize) {
        let delay = u64::from([t.tCL, t.WL][way]);
        assert!(clock >= self.activate[bank] + u64::from(t.tRCD), "column at {clock}");
        assert!(clock >= self.last_column[way] + u64::from(t.tCCD), "column at {clock}");
        assert!(way == 1 || clock >= self.last_column[1] + u64::from(t.WL + t.T + t.tWTR), "read at {clock}");
        assert!(way == 0 || clock + delay >= self.last_column[0] + u64::from(t.tCL + t.T + t.tRTW), "write at {clock}");
        assert!(clock + delay >= self.bus_free, "lines overlap on the data bus at {clock}");
        self.bus_free = clock + delay + u64::from(t.T);
        self.column[bank][way] = clock;
        self.last_column[way] = clock;
    }
}

/// Random traffic, random devices with random timings: no command is given before the data sheet allows it, one command a clock, every
/// column command finds its row open, and every refresh interval has its pause.
#[test]
fn commands_keep_to_the_data_sheet() {
    for round in 0..60_u64 {
        let draw = |part: u64, bound: u64| below(mix(round, part), bound) as u32;
        let mut config = config();
        config.queue = 1 + draw(0, 60);
        config.banks = 1 << draw(1, 5);
        config.columns = 1 + draw(2, 8);
        config.page = if round % 2 == 0 { PagePolicy::Open } else { PagePolicy::Closed };
        config.order = if round % 4 < 2 { DramOrder::ReadsFirst } else { DramOrder::OneQueue };
        let t = &mut config.timing;
        (t.T, t.tCL, t.WL, t.tRP, t.tRC, t.tRAS) =
            (1 + draw(3, 8), 1 + draw(4, 20), 1 + draw(5, 10), draw(6, 20), draw(7, 60), draw(8, 40));
        (t.tRCD, t.tRRD, t.tFAW, t.tCCD) = (draw(9, 20), draw(10, 9), draw(11, 2) * draw(12, 60), draw(13, 9));
        (t.tWR, t.tWTR, t.tRTW, t.tRTP) = (draw(14, 20), draw(15, 12), draw(16, 5), draw(17, 12));
        (t.tREFI, t.tRFC) = (draw(18, 2) * 300, 60);
        let (t, banks, columns) = (config.timing.clone(), config.banks, config.columns);
        let mut channel = Channel::new(&config);
        let (mut seen, mut sent, mut served, mut quiet, mut pauses) = (Seen::new(banks as usize), 0, 0, 0, 0);
        for clock in START..START + 9_000 {
            while channel.has_room() {
                let key = mix(round, 100 + sent);
                let line = below(mix(key, 1), 8 * u64::from(columns * banks)) as u32;
                channel.push(clock, if below(key, 3) == 0 { write(line) } else { read(line) }).unwrap();
                sent += 1;
            }
            let rows = |channel: &Channel| -> Vec<_> { (0..banks).map(|bank| channel.open_row(bank)).collect() };
            let before = rows(&channel);
            let mut transfer = None;
            channel.tick(clock, |done| assert!(transfer.replace(done).is_none(), "two lines in a clock"));
            let after = rows(&channel);
            let changed: Vec<usize> = (0..before.len()).filter(|&bank| before[bank] != after[bank]).collect();
            if let Some(Transfer { request, end, .. }) = transfer {
                let (row, bank) = (request.line / columns / banks, request.line / columns % banks);
                assert_eq!(before[bank as usize], Some(row), "the row is open");
                seen.column(&t, clock, bank as usize, usize::from(request.is_write()));
                assert_eq!(end, seen.bus_free);
                // Closed pages: the column command may carry the precharge.
                assert!(changed.is_empty() || changed == [bank as usize] && round % 2 == 1, "one command a clock");
                served += 1;
            } else {
                let closed = changed.iter().filter(|&&bank| after[bank].is_none()).count();
                assert!(changed.len() <= 1 || closed == changed.len() && t.tREFI > 0, "one command a clock, but for a precharge of all");
                for &bank in &changed {
                    if after[bank].is_some() {
                        seen.activate(&t, clock, bank);
                    } else {
                        assert!(clock >= seen.closable(&t, bank), "precharge at {clock}");
                        seen.precharge[bank] = clock;
                    }
                }
            }
            quiet = if after.iter().all(Option::is_none) { quiet + 1 } else { 0 };
            pauses += u32::from(quiet == t.tRFC);
        }
        assert!(served > 100, "round {round}: {served}");
        assert!(t.tREFI == 0 || pauses >= 9_000 / t.tREFI - 1, "round {round}: {pauses} refreshes");
    }
}

/// Random traffic, random devices: every request is served once; no two lines overlap on the bus; ticking only when the channel asks
/// for it gives the same as ticking every clock.
#[test]
fn everything_is_served_once_and_sleeping_changes_nothing() {
    for round in 0..20_u64 {
        let draw = |part: u64, bound: u64| below(mix(round, part), bound) as u32;
        let mut config = config();
        config.queue = 1 + draw(0, 40);
        config.banks = 1 + draw(1, 16);
        config.map = [DramMap::RowBankColumn, DramMap::RowColumnBank, DramMap::HashedBank][round as usize % 3];
        config.page = if round % 2 == 0 { PagePolicy::Open } else { PagePolicy::Closed };
        config.order = if round % 4 < 2 { DramOrder::ReadsFirst } else { DramOrder::OneQueue };
        config.timing.tFAW = draw(2, 2) * 40;
        config.timing.tREFI = draw(3, 2) * 700;
        config.timing.tRFC = 60;
        let mut always = Channel::new(&config);
        let mut asked = always.clone();
        let (mut sent, mut bus_free) = (0, 0);
        let mut served = alloc::vec![0_u8; 4_000];
        let rank = PerKernel::of(&[0, 1, 2, 0, 1, 2, 3, 4]);
        always.set_rank(&rank);
        asked.set_rank(&rank);
        for clock in 0..200_000 {
            let key = mix(round, clock + 100);
            if sent < served.len() && always.has_room() && below(key, 8) == 0 {
                let request = DramRequest {
                    line: below(mix(key, 1), 4_000) as u32,
                    access: if below(mix(key, 2), 3) == 0 { Access::Write } else { Access::Read },
                    kernel: KernelId(below(mix(key, 3), 8) as u8),
                    tag: sent as u16,
                };
                always.push(clock, request).unwrap();
                asked.push(clock, request).unwrap();
                sent += 1;
            }
            always.tick(clock, |transfer| {
                served[usize::from(transfer.request.tag)] += 1;
                assert!(transfer.end >= bus_free + 4, "lines overlap on the data bus");
                bus_free = transfer.end;
            });
            if asked.next_clock() <= clock {
                asked.tick(clock, |_| ());
            }
            assert!(always == asked);
        }
        assert_eq!(sent, served.len(), "round {round}");
        assert!(served.iter().all(|&times| times == 1), "round {round}");
    }
}
