//! Order, maps, pages and sleeping of one channel. Its bandwidth under load is in the root package's tests/first_principles.

use super::*;
use crate::gpu::{DramMap, PagePolicy};
use crate::probe::DramProbe;
use crate::rng::{below, mix};
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
    assert_eq!([31, 32, row + 32].map(|line| place(DramMap::XorBank, line)), [(0, 0), (0, 1), (1, 0)]);
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
        config.map = [DramMap::RowBankColumn, DramMap::RowColumnBank, DramMap::XorBank][round as usize % 3];
        config.page = if round % 2 == 0 { PagePolicy::Open } else { PagePolicy::Closed };
        config.timing.tFAW = draw(2, 2) * 40;
        config.timing.tREFI = draw(3, 2) * 700;
        config.timing.tRFC = 60;
        let mut always = Channel::new(&config);
        let mut asked = always.clone();
        let (mut sent, mut bus_free) = (0, 0);
        let mut served = alloc::vec![0_u8; 4_000];
        let rank = PerKernel([0, 1, 2, 0, 1, 2, 3, 4]);
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
