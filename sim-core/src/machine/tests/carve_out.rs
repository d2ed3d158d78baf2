//! Is L1D what shared memory leaves of an SM's array, and who waits for another division?

use super::*;
use crate::describe::kernel::CarveOut;

const KB: u32 = 1024;
const A: KernelId = KernelId(0);
const B: KernelId = KernelId(1);

/// SMs with an array of 256 KB, divided as an H100's.
fn divided(sms: u32, wait: CarveOutWait) -> Gpu {
    let mut gpu = gpu(sms);
    let class = &mut gpu.sms[0];
    (class.carve_outs, class.carve_out_wait) = (CarveOuts::Cc90, wait);
    (class.shared_bytes, class.shared_reserved, class.l1.bytes, class.l1.ways) = (228 * KB, KB, 256 * KB, 16);
    gpu
}

/// A kernel that says nothing of shared memory, or what an SM shall have of it.
fn wanting(kernel: Kernel, carve_out: CarveOut) -> Kernel {
    let launches = kernel.launches.into_iter().map(|launch| Launch { shared_bytes: 0, carve_out, ..launch }).collect();
    Kernel { launches, ..kernel }
}

/// Reads so many lines one after the other, twice.
fn twice(lines: u32) -> Vec<Op> {
    let address = Address { lane: 4, loops: [0, 128, 0], ..Address::default() };
    let work = Op::Alu { count: 1, latency: 4, lanes: 32 };
    let each = [Op::Loop { trips: Trips::Fixed(lines) }, Op::Load { address, lanes: 32 }, Op::Wait { loads: 0 }, Op::End];
    [&[Op::Loop { trips: Trips::Fixed(2) }, work][..], &each, &[Op::End]].concat()
}

/// Of so many lines, read twice in order under LRU, all are found again; of one line more, none of its set: L1D has that many lines exactly.
#[test]
fn l1d_is_what_shared_memory_leaves() {
    let mut gpu = divided(1, CarveOutWait::Wanted);
    gpu.sms[0].shared_reserved = 0;
    for shared in [0, 8, 16, 32, 64, 100, 132, 164, 196, 228] {
        let lines = (256 - shared) * KB / 128;
        let found = |lines: u32| {
            let kernel = wanting(kernel("A", 1, 32, twice(lines)), CarveOut::Bytes(shared * KB));
            let mut m = machine(&gpu, &[kernel], false);
            run(&mut m, 5_000_000);
            assert_eq!((m.runs_done(), m.sms[0].ctas.division()), (1, Some(shared * KB)));
            m.kernel_stats(A).l1_hits
        };
        assert_eq!([found(lines), found(lines + 1)], [u64::from(lines), u64::from(lines) - 16], "{shared} KB");
    }
}

/// Placements and retirements: the cycle, the kernel, whether it is a placement.
fn events(m: &Machine) -> Vec<(Cycle, KernelId, bool)> {
    m.events.iter().map(|event| (event.cycle, event.kernel, event.placed)).collect()
}

fn placed(m: &Machine, kernel: KernelId) -> Vec<Cycle> {
    events(m).into_iter().filter(|event| (event.1, event.2) == (kernel, true)).map(|event| event.0).collect()
}

/// A CTA of 768 threads wants 8 KB, for the two of which an SM has the threads: each takes 1 KB. One of 64 threads wants 32, for 32 CTAs.
#[test]
fn who_wants_more_than_there_is_waits_until_the_sm_is_empty() {
    let work = |count| vec![Op::Alu { count, latency: 4, lanes: 32 }];
    let [large, small] = [(768, 500), (64, 100)].map(|(threads, count)| wanting(kernel("K", 1, threads, work(count)), CarveOut::Default));
    let both = |wait, kernels: [&Kernel; 2]| {
        let mut m = machine(&divided(1, wait), &kernels.map(Kernel::clone), false);
        m.record_events = true;
        let (mut divisions, mut waiting) = (Vec::new(), Vec::new());
        while m.runs_done() < 2 {
            m.step();
            waiting.extend(m.divided_for_others(B));
            let division = m.sms[0].ctas.division().map(|bytes| bytes / KB);
            assert_eq!(m.sms[0].l1().sets() * 16 * 128, (256 - division.unwrap_or(0)) * KB);
            if divisions.last() != Some(&division) {
                divisions.push(division);
            }
        }
        (m, divisions, waiting)
    };
    let (m, divisions, waiting) = both(CarveOutWait::Wanted, [&large, &small]);
    let left = events(&m).into_iter().find(|event| !event.2).expect("a CTA has finished");
    assert_eq!((left.1, placed(&m, A), placed(&m, B)), (A, vec![0], vec![left.0]), "in the cycle in which the other leaves");
    assert!(left.0 > 1999, "500 instructions, 4 cycles each: {}", left.0);
    assert_eq!(divisions, [Some(8), Some(32)]);
    assert_eq!((waiting.len() as Cycle, waiting[0]), (left.0, Divided { wanted: 32 * KB, has: 8 * KB }), "from the next cycle on");
    // Who wants less takes what there is.
    let (m, divisions, _) = both(CarveOutWait::Wanted, [&small, &large]);
    assert_eq!((placed(&m, A), placed(&m, B), divisions), (vec![0], vec![1], vec![Some(32)]));
    // Where only the CTA has to fit, it does.
    let (m, divisions, _) = both(CarveOutWait::Needed, [&large, &small]);
    assert_eq!((placed(&m, A), placed(&m, B), divisions), (vec![0], vec![1], vec![Some(8)]));
    // Two that want the same share freely.
    let (m, divisions, _) = both(CarveOutWait::Wanted, [&large, &large]);
    assert_eq!((placed(&m, A), placed(&m, B), divisions), (vec![0], vec![1], vec![Some(8)]));
}

/// The division bounds the CTAs that fit, whoever they are of.
#[test]
fn ctas_fit_the_division_and_not_the_largest() {
    let work = vec![Op::Alu { count: 500, latency: 4, lanes: 32 }];
    let mut wide = wanting(kernel("K", 4, 32, work.clone()), CarveOut::Bytes(64 * KB));
    wide.launches[0].shared_bytes = 20 * KB;
    // With the driver's KB three of 21 are 63 of 64 KB.
    let mut m = machine(&divided(1, CarveOutWait::Needed), &[wide.clone()], false);
    run(&mut m, 100);
    assert_eq!((m.sms[0].ctas.used(A).ctas, m.sms[0].ctas.used(A).shared_bytes), (3, 63 * KB));
    assert_eq!(m.divided_for_others(A), None, "it is full");
    // Beside one of no shared memory of its own there is room for two: the division stays as it is.
    let mut m = machine(&divided(1, CarveOutWait::Needed), &[wanting(kernel("L", 3, 32, work), CarveOut::Bytes(64 * KB)), wide], false);
    run(&mut m, 100);
    assert_eq!([A, B].map(|kernel| m.sms[0].ctas.used(kernel).ctas), [3, 2]);
}

/// With room for one CTA the kernels take turns. Their lines stay as long as the SM stays divided as it is.
#[test]
fn another_division_empties_l1d_and_the_same_one_does_not() {
    let hits = |other: u32| {
        let mut gpu = divided(1, CarveOutWait::Wanted);
        gpu.sms[0].ctas = 1;
        let reads = wanting(kernel("A", 2, 32, twice(10)), CarveOut::Bytes(8 * KB));
        let work = vec![Op::Alu { count: 10, latency: 4, lanes: 32 }];
        let mut m = machine(&gpu, &[reads, wanting(kernel("B", 2, 32, work), CarveOut::Bytes(other * KB))], false);
        run(&mut m, 50_000);
        assert_eq!(m.runs_done(), 2);
        m.kernel_stats(A).l1_hits
    };
    // Each CTA finds its ten lines the second time; the second CTA finds those of the first.
    assert_eq!([hits(8), hits(32)], [30, 20]);
}

#[test]
fn sleeping_order_steps_and_clones_change_nothing_where_sms_are_divided_anew() {
    // Few CTAs, so that SMs are empty now and then.
    let few = |name| Kernel { launches: vec![Launch { grid: 5.into(), ..mixed(name).launches[0].clone() }], ..mixed(name) };
    let kernels = [(8, "A"), (100, "B"), (32, "C")].map(|(kb, name)| wanting(few(name), CarveOut::Bytes(kb * KB)));
    for wait in [CarveOutWait::Wanted, CarveOutWait::Needed] {
        let mut plain = machine(&divided(3, wait), &kernels, true);
        plain.record_events = true;
        let mut awake = plain.clone();
        awake.keep_awake = true;
        let mut reversed = plain.clone();
        reversed.reversed = true;
        let mut whole = plain.clone();
        let mut divisions = alloc::collections::BTreeSet::new();
        for _ in 0..40 {
            plain = plain.clone();
            run(&mut plain, 2993);
            run(&mut awake, 2993);
            run(&mut reversed, 2993);
            assert_eq!(digest(&mut plain), digest(&mut awake));
            assert_eq!(digest(&mut plain), digest(&mut reversed));
            divisions.extend(plain.sms.iter().filter_map(|sm| sm.ctas.division()));
        }
        run(&mut whole, 40 * 2993);
        assert_eq!((digest(&mut plain), events(&plain)), (digest(&mut whole), events(&whole)));
        assert!(divisions.len() > 1, "{divisions:?}");
    }
}
