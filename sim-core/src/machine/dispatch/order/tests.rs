//! Do the orders do what the paper's figures and its Algorithm 1 say, CTA by CTA? A model of four SMs with one CTA each and whole costs drives
//! the orders themselves, so that each trace can be followed by hand.

use super::*;
use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::Set;
use crate::describe::kernel::Dim3;
use crate::interface::spec::Setting;
use alloc::format;
use alloc::string::String;

fn order(name: &str) -> CtaOrderSpec {
    CtaOrderSpec::of(CtaOrderInfo::find(name).unwrap())
}

/// Some SMs, an order, and one kernel.
struct Model {
    sms: u16,
    /// CTAs that an SM holds.
    slots: usize,
    order: AnyOrder,
    /// SMs on which the kernel may run.
    open: Set,
    now: Cycle,
    grid: Grid,
}

/// What a launch does.
#[derive(Default)]
struct Launch {
    cycles: Cycle,
    /// CTAs of each SM in the order in which it began them.
    ran: Vec<Vec<u32>>,
    /// When each of those began.
    begun: Vec<Vec<Cycle>>,
}

impl Launch {
    fn text(&self) -> String {
        let numbers = |ctas: &Vec<u32>| ctas.iter().map(|cta| format!("{cta}")).collect::<Vec<_>>().join(" ");
        self.ran.iter().map(numbers).collect::<Vec<_>>().join(" | ")
    }

    /// CTAs that ran on another SM than their chunk's: when, where, and which.
    fn moved(&self, ctas: u32) -> Vec<(Cycle, usize, u32)> {
        let sms = self.ran.len();
        let chunk = |sm| ChunkEntry::of(sm as u32, sms as u32, ctas);
        let of = |sm: usize| self.begun[sm].iter().zip(&self.ran[sm]).map(move |(&at, &cta)| (at, sm, cta));
        let mut moved: Vec<_> = (0..sms).flat_map(of).filter(|&(_, sm, cta)| cta < chunk(sm).first || cta >= chunk(sm).end).collect();
        moved.sort_unstable();
        moved
    }
}

impl Model {
    fn new(spec: &CtaOrderSpec) -> Self {
        let sms = 4;
        let order = AnyOrder::new(spec, sms.into(), 1);
        Model { sms, slots: 1, order, open: Set::below(sms.into()), now: 0, grid: Grid::default() }
    }

    /// Runs a launch of so many CTAs to its end; `cost` is of a CTA on an SM.
    fn launch(&mut self, ctas: u32, cost: impl Fn(usize, u32) -> Cycle) -> Launch {
        self.launch_grid(ctas.into(), cost)
    }

    /// Runs a launch of a grid to its end; `cost` is of a CTA on an SM.
    fn launch_grid(&mut self, grid: Dim3, cost: impl Fn(usize, u32) -> Cycle) -> Launch {
        self.begin(grid);
        let sms = usize::from(self.sms);
        let begun = self.now;
        let mut ran = Launch { cycles: 0, ran: alloc::vec![Vec::new(); sms], begun: alloc::vec![Vec::new(); sms] };
        let mut running: Vec<(Cycle, u16, u32)> = Vec::new();
        loop {
            for at in (0..running.len()).rev() {
                if running[at].0 == self.now {
                    let (_, sm, cta) = running.remove(at);
                    self.order.finished(self.now, sm, KernelId(0), cta);
                }
            }
            while self.place(&mut running, &mut ran, begun, &cost) {}
            if running.is_empty() && self.grid.is_placed() {
                ran.cycles = self.now - begun;
                return ran;
            }
            assert!(self.now < begun + 10_000, "CTAs wait for ever: {:?}", self.grid.waiting());
            self.now += 1;
        }
    }

    fn begin(&mut self, grid: Dim3) {
        self.grid.make_wait(grid, self.order.remembers());
        self.order.launch(KernelId(0), &self.grid, self.sms);
    }

    fn choose(&mut self, sm: u16) -> Option<u32> {
        let grids = [self.grid.clone()];
        let offer = Offer { now: self.now, sm, sms: self.sms, room: Resources::default(), allowed: 1, open: &[self.open], grids: &grids };
        let (_, cta) = self.order.choose(&offer)?;
        assert!(self.grid.take(cta, sm), "{cta} does not wait");
        Some(cta)
    }

    /// Offers every SM with room one CTA; whether any took one.
    fn place(&mut self, running: &mut Vec<(Cycle, u16, u32)>, ran: &mut Launch, begun: Cycle, cost: &impl Fn(usize, u32) -> Cycle) -> bool {
        let mut any = false;
        let (first, open) = (self.order.first_sm(), self.open);
        for sm in (first..self.sms).chain(0..first).filter(|&sm| open.contains(sm.into())) {
            if self.grid.is_placed() || running.iter().filter(|one| one.1 == sm).count() >= self.slots {
                continue;
            }
            if let Some(cta) = self.choose(sm) {
                running.push((self.now + cost(sm.into(), cta), sm, cta));
                ran.ran[usize::from(sm)].push(cta);
                ran.begun[usize::from(sm)].push(self.now - begun);
                any = true;
            }
        }
        any
    }
}

/// SM 0 is as fast as all others are slow.
fn first_is_fast(slow: Cycle) -> impl Fn(usize, u32) -> Cycle + Copy {
    move |sm, _| if sm == 0 { 1 } else { slow }
}

fn chunks(ctas: u32, parts: u32) -> Vec<(u32, u32)> {
    (0..parts).map(|index| ChunkEntry::of(index, parts, ctas)).map(|chunk| (chunk.first, chunk.end)).collect()
}

/// Figure 2: a grid of 6 × 4 on four SMs, row by row, and which CTA each SM is at, as (x, y).
#[test]
fn chunks_are_the_rows_of_figure_2() {
    let place = |cta: u32| (cta % 6, cta / 6);
    let mut entries: Vec<ChunkEntry> = (0..4).map(|index| ChunkEntry::of(index, 4, 24)).collect();
    let at = |entries: &[ChunkEntry]| entries.iter().map(|entry| place(entry.first)).collect::<Vec<_>>();
    assert_eq!(at(&entries), [(0, 0), (0, 1), (0, 2), (0, 3)]);
    assert_eq!(entries.iter().map(|entry| place(entry.end - 1)).collect::<Vec<_>>(), [(5, 0), (5, 1), (5, 2), (5, 3)]);
    entries.iter_mut().for_each(|entry| assert!(entry.take(false).is_some()));
    assert_eq!(at(&entries), [(1, 0), (1, 1), (1, 2), (1, 3)]);
    entries.iter_mut().for_each(|entry| while entry.take(false).is_some() {});
    assert_eq!(at(&entries), [(0, 1), (0, 2), (0, 3), (0, 4)]);
    assert!(entries.iter_mut().all(|entry| entry.take(false).is_none() && entry.take(true).is_none()));
}

/// The first chunks take one more; where there are fewer CTAs than SMs, the last have none.
#[test]
fn what_is_left_over_goes_to_the_first_chunks() {
    assert_eq!(chunks(25, 4), [(0, 7), (7, 13), (13, 19), (19, 25)]);
    assert_eq!(chunks(26, 4), [(0, 7), (7, 14), (14, 20), (20, 26)]);
    assert_eq!(chunks(27, 4), [(0, 7), (7, 14), (14, 21), (21, 27)]);
    assert_eq!(chunks(3, 4), [(0, 1), (1, 2), (2, 3), (3, 3)]);
}

/// Chunks of the applications' grids (Table 3) on 15 SMs: CTAs of the smaller chunks, and how many chunks have one more.
#[test]
fn the_papers_grids_are_dealt_without_gap() {
    let grids = [
        (361, 24, 1),
        (391, 26, 1),
        (394, 26, 4),
        (128, 8, 8),
        (1024, 68, 4),
        (64, 4, 4),
        (2209, 147, 4),
        (63, 4, 3),
        (2048, 136, 8),
        (512, 34, 2),
        (8, 0, 8),
        (669, 44, 9),
        (496, 33, 1),
        (66, 4, 6),
        (345, 23, 0),
    ];
    for (ctas, size, more) in grids {
        let dealt = chunks(ctas, 15);
        assert!(dealt.windows(2).all(|pair| pair[0].1 == pair[1].0) && dealt[0].0 == 0 && dealt[14].1 == ctas, "{ctas}");
        let sizes: Vec<u32> = dealt.iter().map(|chunk| chunk.1 - chunk.0).collect();
        let wanted: Vec<u32> = (0..15).map(|index| size + u32::from(index < more)).collect();
        assert_eq!(sizes, wanted, "{ctas}");
    }
}

/// IKRA §4.3: SM 0 runs its chunk up in one launch, down in the next.
#[test]
fn flip_turns_round_at_each_launch() {
    let mut model = Model::new(&order("flip"));
    let ran: Vec<Vec<u32>> = (0..3).map(|_| model.launch(40, |_, _| 1).ran[0].clone()).collect();
    let up: Vec<u32> = (0..10).collect();
    let down: Vec<u32> = up.iter().copied().rev().collect();
    assert_eq!(ran, [up.clone(), down, up]);
}

/// The direction is turned whatever the grid; `anew` starts with the beginning again where the grid is another.
#[test]
fn flip_goes_on_with_another_grid_unless_told_otherwise() {
    for (spec, firsts) in [(order("flip"), [0, 4, 0]), (order("flip").with("anew", Setting::Bool(true)), [0, 0, 4])] {
        let mut model = Model::new(&spec);
        assert_eq!([40, 20, 20].map(|ctas| model.launch(ctas, |_, _| 1).ran[0][0]), firsts);
    }
}

/// After a launch that SM 2 ends, SM 3 is first: with `chunk` it gets the first chunk, with `round-robin` and `after_last` the first CTA. The
/// others begin at SM 0.
#[test]
fn the_sm_after_the_last_begins_under_chunk_and_the_papers_round_robin() {
    let firsts = |spec: &CtaOrderSpec| {
        let mut model = Model::new(spec);
        let second_is_last = |sm: usize, _| if sm == 2 { 50 } else { 1 };
        let first = model.launch(24, second_is_last);
        let second = model.launch(24, second_is_last);
        [first, second].map(|launch| launch.ran.iter().map(|ctas| ctas[0]).collect::<Vec<_>>())
    };
    let after_last = order("round-robin").with("after_last", Setting::Bool(true));
    assert_eq!(firsts(&order("chunk")), [[0, 6, 12, 18], [6, 12, 18, 0]]);
    assert_eq!(firsts(&after_last), [[0, 1, 2, 3], [1, 2, 3, 0]]);
    assert_eq!(firsts(&order("round-robin")), [[0, 1, 2, 3]; 2]);
    assert_eq!(firsts(&order("reset")), [[0, 6, 12, 18]; 2]);
    assert_eq!(firsts(&order("flip")), [[0, 6, 12, 18], [5, 11, 17, 23]]);
    assert_eq!(firsts(&order("dependence")), [[0, 6, 12, 18]; 2]);
}

/// With a remainder, the one more goes to the first chunks as they go round, not to the first SMs.
#[test]
fn the_remainder_goes_round_with_the_chunks() {
    let mut model = Model::new(&order("chunk"));
    model.launch(25, |sm, _| if sm == 2 { 50 } else { 1 });
    let sizes: Vec<usize> = model.launch(25, |_, _| 1).ran.iter().map(Vec::len).collect();
    assert_eq!(sizes, [6, 6, 6, 7]);
}

/// Under chunk, reset and flip an SM that has done its chunk waits, however long the others take.
#[test]
fn nothing_moves_without_stealing() {
    for name in ["chunk", "reset", "flip"] {
        let launch = Model::new(&order(name)).launch(24, first_is_fast(3));
        assert_eq!((launch.cycles, launch.moved(24)), (18, Vec::new()), "{name}");
    }
}

/// Figure 3: SM 0 has done its row and steals the last CTA of SM 1's; in the other direction, the first.
#[test]
fn stealing_takes_what_the_victim_would_run_last() {
    let mut model = Model::new(&order("steal"));
    for stolen in [11, 6] {
        model.begin(24.into());
        for _ in 0..6 {
            assert!(model.choose(0).unwrap() < 6);
        }
        assert_eq!(model.choose(0), Some(stolen));
        // The queue's CTA runs first in the launch that goes backwards: not there, so that the next direction is seen alone.
        model = Model::new(&order("steal"));
        model.launch(24, |_, _| 1);
    }
}

/// The traces follow Algorithm 1 with the direction bit: SM 0 needs 1 for each CTA, the others 3.
#[test]
fn what_is_stolen_once_is_kept_and_the_next_launches_steal_nothing() {
    let mut model = Model::new(&order("steal"));
    let first = model.launch(24, first_is_fast(3));
    assert_eq!(first.cycles, 12);
    assert_eq!(first.moved(24), [(6, 0, 11), (7, 0, 10), (8, 0, 9), (9, 0, 17), (9, 1, 16), (10, 0, 23), (11, 0, 22)]);
    assert_eq!(first.text(), "0 1 2 3 4 5 11 10 9 17 23 22 | 6 7 8 16 | 12 13 14 15 | 18 19 20 21");
    let second = model.launch(24, first_is_fast(3));
    assert_eq!(second.cycles, 12);
    assert_eq!(second.text(), "22 23 17 9 10 11 5 4 3 2 1 0 | 16 8 7 6 | 15 14 13 12 | 21 20 19 18");
    let third = model.launch(24, first_is_fast(3));
    assert_eq!((third.cycles, third.text()), (12, first.text()));
}

/// What the order says of itself on the way: who was robbed, what is left of the chunks, and what the queues have.
#[test]
fn thefts_chunks_and_queues_can_be_seen() {
    let mut model = Model::new(&order("steal"));
    model.begin(24.into());
    let shares = |model: &Model| model.order.shares(KernelId(0)).unwrap();
    assert!(shares(&model).sms.is_empty(), "chunks are dealt with the first CTA");
    for _ in 0..6 {
        assert!(model.choose(0).is_some() && model.order.stolen_from().is_none());
    }
    assert_eq!((model.choose(0), model.order.stolen_from()), (Some(11), Some(1)));
    let range = |chunk: ChunkEntry| (chunk.first, chunk.end);
    let seen = shares(&model);
    let [first, second] = [0, 1].map(|sm| &seen.sms[sm]);
    assert_eq!((range(first.chunk.unwrap()), range(first.left), &first.queue[..], first.waiting), ((0, 6), (6, 6), &[11][..], (0, 0)));
    assert_eq!((range(second.chunk.unwrap()), range(second.left), &second.queue[..]), ((6, 11), (6, 11), &[][..]));
    assert!(!seen.backward && !seen.deals_anew);

    // The next launch: the queue of SM 0 waits, and goes first.
    let mut model = Model::new(&order("steal"));
    model.launch(24, first_is_fast(3));
    model.begin(24.into());
    assert_eq!((model.choose(0), model.order.stolen_from()), (Some(22), None));
    let seen = shares(&model);
    assert_eq!((&seen.sms[0].queue[..], seen.sms[0].waiting, seen.backward), (&[11, 10, 9, 17, 23, 22][..], (0, 5), true));
    assert_eq!(seen.sms.iter().map(|share| range(share.left)).collect::<Vec<_>>(), [(0, 6), (6, 9), (12, 16), (18, 22)]);

    let mut model = Model::new(&order("flip"));
    model.begin(24.into());
    assert_eq!((model.choose(1), model.order.stolen_from()), (Some(6), None));
    assert_eq!(shares(&model).sms.iter().map(|share| range(share.left)).collect::<Vec<_>>(), [(0, 6), (7, 12), (12, 18), (18, 24)]);
    assert!(Model::new(&order("round-robin")).order.shares(KernelId(0)).is_none());
}

/// With `wrap`, the first SM and the last are neighbours.
#[test]
fn with_wrap_sm_0_steals_from_the_last_sm_first() {
    let mut model = Model::new(&order("steal").with("wrap", Setting::Bool(true)));
    let first = model.launch(24, first_is_fast(3));
    assert_eq!(first.cycles, 12);
    assert_eq!(first.moved(24), [(6, 0, 23), (7, 0, 22), (8, 0, 21), (9, 0, 11), (9, 3, 17), (10, 0, 10), (11, 0, 16)]);
    let second = model.launch(24, first_is_fast(3));
    assert_eq!(second.text(), "16 10 11 21 22 23 5 4 3 2 1 0 | 9 8 7 6 | 15 14 13 12 | 17 20 19 18");
    assert_eq!(second.cycles, 12);
}

/// CTAs rather than SMs differ: the first six take 1, the others 3.
#[test]
fn light_ctas_are_balanced_once() {
    let mut model = Model::new(&order("steal"));
    let cost = |_, cta| if cta < 6 { 1 } else { 3 };
    let first = model.launch(24, cost);
    assert_eq!(first.moved(24), [(6, 0, 11), (9, 0, 10), (12, 0, 17), (12, 1, 16), (12, 2, 23)]);
    let sets = |launch: &Launch| {
        let mut ran = launch.ran.clone();
        ran.iter_mut().for_each(|ctas| ctas.sort_unstable());
        ran
    };
    for _ in 0..2 {
        let again = model.launch(24, cost);
        assert_eq!((first.cycles, again.cycles), (15, 15));
        assert_eq!(sets(&again), sets(&first));
    }
}

/// Steals of a launch: CTAs that begin somewhere else than in the launch before, or than where they were dealt.
fn steals(model: &mut Model, ctas: u32, slow: Cycle, launches: usize) -> Vec<(usize, Cycle)> {
    let mut homes: Vec<usize> =
        (0..4).flat_map(|sm| alloc::vec![sm; chunks(ctas, 4)[sm].1 as usize - chunks(ctas, 4)[sm].0 as usize]).collect();
    let dealt = homes.clone();
    let mut counts = Vec::new();
    for _ in 0..launches {
        let AnyOrder::Steal(order) = &model.order else { unreachable!() };
        if order.deals_anew(KernelId(0)) {
            homes = dealt.clone();
        }
        let launch = model.launch(ctas, first_is_fast(slow));
        let mut moved = 0;
        for (sm, ran) in launch.ran.iter().enumerate() {
            for &cta in ran {
                moved += usize::from(core::mem::replace(&mut homes[cta as usize], sm) != sm);
            }
        }
        counts.push((moved, launch.cycles));
    }
    counts
}

/// A queue of 32 that ends exactly full is where Algorithm 1 and the text differ; a fuller one overflows by both.
#[test]
fn a_queue_that_overflows_makes_the_next_launch_deal_anew() {
    let literal = || Model::new(&order("steal"));
    let evict = || Model::new(&order("steal").with("overflow_on_evict", Setting::Bool(true)));
    assert_eq!(steals(&mut literal(), 124, 3, 3).iter().map(|launch| launch.0).collect::<Vec<_>>(), [37, 0, 0]);
    assert_eq!(steals(&mut literal(), 128, 3, 3), [(40, 66); 3]);
    assert_eq!(steals(&mut evict(), 128, 3, 3), [(40, 66), (0, 66), (0, 66)]);
    assert_eq!(steals(&mut literal(), 160, 4, 3), [(61, 92); 3]);
    assert_eq!(steals(&mut evict(), 160, 4, 3), [(61, 92); 3]);
}

/// A grid of another shape is dealt anew, also where it has as many CTAs (IKRA §4.4).
#[test]
fn what_was_stolen_is_forgotten_with_the_grids_dimensions() {
    for (grid, first) in [([6, 4, 1], 22), ([4, 6, 1], 5)] {
        let mut model = Model::new(&order("steal"));
        model.launch_grid([6, 4, 1].into(), first_is_fast(3));
        assert_eq!(model.launch_grid(grid.into(), first_is_fast(3)).ran[0][0], first, "{grid:?}");
    }
}

/// A queue is a victim's too: what SM 0 has stolen goes on, from the end that it would run last or, to the letter of Algorithm 1, from its tail.
#[test]
fn queues_are_stolen_from_before_chunks() {
    for (tail, stolen) in [(false, 11), (true, 22)] {
        let mut model = Model::new(&order("steal").with("tail", Setting::Bool(tail)));
        model.launch(24, first_is_fast(3));
        // SM 1 does its own, 16 8 7 6, before SM 0 has begun its queue 22 23 17 9 10 11.
        model.begin(24.into());
        let ran: Vec<Option<u32>> = (0..5).map(|_| model.choose(1)).collect();
        assert_eq!(ran, [16, 8, 7, 6, stolen].map(Some), "tail {tail}");
    }
}

/// SM 1's neighbours have nothing: then SM 3 is next after it, or first from SM 0 on.
#[test]
fn the_scan_goes_on_after_the_neighbours_or_from_the_first_sm() {
    for (scan, stolen) in [("next", 29), ("first", 5)] {
        let mut model = Model { sms: 5, open: Set::below(5), ..Model::new(&order("steal")) };
        model.order = AnyOrder::new(&order("steal").with("scan", Setting::Choice(scan)), 5, 1);
        model.begin(30.into());
        for sm in [2, 1, 3] {
            assert!((0..6).all(|_| model.choose(sm).is_some()));
        }
        assert_eq!(model.choose(2), Some(stolen), "{scan}");
    }
}

/// Another grid is dealt anew, and the same one afterwards too; the direction goes on.
#[test]
fn another_grid_is_dealt_anew() {
    let mut model = Model::new(&order("steal"));
    model.launch(24, first_is_fast(3));
    let other = model.launch(28, |_, _| 1);
    assert!(other.moved(28).is_empty() && other.ran[0] == [6, 5, 4, 3, 2, 1, 0]);
    let again = model.launch(24, |_, _| 1);
    assert!(again.moved(24).is_empty() && again.ran[0] == [0, 1, 2, 3, 4, 5]);
}

/// With two CTAs at a time each theft still takes one CTA.
#[test]
fn every_cta_runs_once_whatever_the_order_the_room_and_the_costs() {
    for info in CTA_ORDERS {
        let mut model = Model { slots: 3, ..Model::new(&CtaOrderSpec::of(info)) };
        for (launch, ctas) in [61, 61, 61, 7, 3, 61, 1, 200].into_iter().enumerate() {
            let ran = model.launch(ctas, |sm, cta| 1 + (Cycle::from(cta) * 7 + sm as Cycle * 3 + launch as Cycle) % 11);
            let mut all: Vec<u32> = ran.ran.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..ctas), "{}, {ctas} CTAs", info.name);
        }
    }
}

/// A theft that takes 5 cycles: each of SM 0's begins 5 after it has room.
#[test]
fn a_theft_takes_its_latency() {
    let mut model = Model::new(&order("steal").with("latency", Setting::Int(5)));
    let first = model.launch(24, first_is_fast(10));
    let of_first: Vec<Cycle> = first.moved(24).iter().filter(|moved| moved.1 == 0).map(|moved| moved.0).collect();
    assert_eq!(of_first[..3], [11, 17, 23]);
    assert!(first.cycles < 60);
}

/// Chunks are for the SMs on which the kernel may run; one that is closed in the middle leaves its rest to others, under every order.
#[test]
fn a_closed_sm_keeps_nothing_to_itself() {
    for info in CTA_ORDERS {
        let mut model = Model::new(&CtaOrderSpec::of(info));
        model.open = Set::of(&[false, true, true, false], |&is_open| is_open);
        let halves = model.launch(24, |_, _| 1);
        assert!(halves.ran[0].is_empty() && halves.ran[1].len() == 12 && halves.ran[2].len() == 12, "{}", info.name);

        model.open = Set::below(4);
        model.begin(24.into());
        let mut ran: Vec<u32> = (0..4).filter_map(|sm| model.choose(sm)).collect();
        model.open = Set::of(&[false, true, true, false], |&is_open| is_open);
        while let Some(cta) = model.choose(1).or_else(|| model.choose(2)) {
            ran.push(cta);
        }
        ran.sort_unstable();
        assert!(ran.into_iter().eq(0..24), "{}: {:?} wait for ever", info.name, model.grid.waiting());
    }
}

/// IKRA §8: with `i → i + 4`, CTA i runs where CTA i + 4 ran; the last four, which depend on none, where reset has them.
#[test]
fn an_affine_dependence_follows_its_producer() {
    let mut model = Model::new(&order("dependence").with("b", Setting::Int(4)));
    let first = model.launch(24, |_, _| 1);
    assert_eq!(first.text(), "0 1 2 3 4 5 | 6 7 8 9 10 11 | 12 13 14 15 16 17 | 18 19 20 21 22 23");
    assert_eq!(model.launch(24, |_, _| 1).text(), "0 1 | 2 3 4 5 6 7 | 8 9 10 11 12 13 | 14 15 16 17 18 19 20 21 22 23");
}

#[test]
fn every_orders_parameters_have_defaults_that_their_kinds_take() {
    for info in CTA_ORDERS {
        let spec = CtaOrderSpec::of(info);
        spec.check_table();
        let _ = AnyOrder::new(&spec, 4, 2);
    }
}
