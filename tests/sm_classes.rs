//! Do GPUs with unlike SMs keep what the paper of HeteroCore states of them, and does every CTA run where it fits?

#[allow(dead_code)] // tests/kernels.rs and the examples use the rest
mod alone;

use alone::{HETERO, Launched, Resident, classes};
use sim_core::describe::gpu::{SmClass, occupancy, presets};
use sim_core::describe::ids::KernelId;
use sim_core::describe::kernel::library;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::{Reason, Simulation};
use sim_core::study::profile;

/// The fewest CTAs of any launch of a kernel of the library that an SM of the class holds.
fn held(name: &str, class: &SmClass) -> u32 {
    let kernel = library::find(name).expect("a kernel");
    kernel.launches.iter().map(|launch| occupancy::of(launch, class).ctas).min().expect("a launch")
}

/// Table 3.
#[test]
fn ctas_of_each_class_are_the_papers() {
    let (fermi, hetero) = (presets::find("fermi-16sm").unwrap(), presets::find("hetero-8b8s").unwrap());
    for Resident { name, ctas, .. } in HETERO {
        assert_eq!([&fermi.sms[0], &hetero.sms[0], &hetero.sms[1]].map(|class| held(name, class)), ctas, "{name}");
    }
    // The program of two kernels whose CTAs differ; the paper's 5, 9 and 3 are of neither.
    let keys = &library::find("BTREE-H").unwrap().launches[1];
    assert_eq!([&fermi.sms[0], &hetero.sms[0], &hetero.sms[1]].map(|class| occupancy::of(keys, class).ctas), [6, 9, 3]);
}

/// §4.2.1: a lean kernel is not slower on eight small SMs than on eight of the baseline, a thick one is, and gains on eight big ones.
#[test]
fn small_sms_slow_thick_kernels_alone_down() {
    let gpus = classes();
    for Resident { name, thick, .. } in HETERO {
        let [base, big, small] = gpus.each_ref().map(|gpu| Launched::measure(gpu, name, 0, 200_000).unwrap().ipc);
        println!("{name}: {:.3} big, {:.3} small", big / base, small / base);
        if thick {
            assert!(small < 0.98 * base && big > 1.02 * base, "{name}: {base:.1}, big {big:.1}, small {small:.1}");
        } else {
            assert!(small >= 0.98 * base, "{name}: {base:.1}, small {small:.1}");
        }
    }
}

/// §6.5: 81,920 registers, 96 KB and 120 warps for each of 4 big SMs, 38,229, 53 and 56 for each of 12; and what follows for CTAs.
#[test]
fn big_sms_have_what_small_ones_leave() {
    let sizes = |name: &str| {
        let gpu = presets::find(name).unwrap();
        assert_eq!((gpu.sm_count(), gpu.sms[1].count), (16, 16 - gpu.sms[0].count));
        assert_eq!(gpu.sms[1].name, "small");
        [gpu.sms[0].registers, gpu.sms[0].shared_bytes >> 10, gpu.sms[0].threads / 32, gpu.sms[0].ctas]
    };
    assert_eq!(sizes("hetero-8b8s"), [49_152, 64, 72, 10]);
    assert_eq!(sizes("hetero-4b12s"), [81_920, 96, 120, 14]);
    assert_eq!(sizes("hetero-12b4s"), [38_229, 53, 56, 8]);
    let (four, twelve) = (presets::find("hetero-4b12s").unwrap(), presets::find("hetero-12b4s").unwrap());
    for (name, held) in [("SYRK", [14, 7]), ("SC", [7, 3]), ("FDTD3D", [5, 2]), ("NQU", [6, 3]), ("DXTC", [14, 8])] {
        assert_eq!([&four, &twelve].map(|gpu| self::held(name, &gpu.sms[0])), held, "{name}");
    }
}

/// A kernel of so many CTAs of so many threads each, a launch for each entry.
fn kernel(name: &str, launches: &[(u32, u32, u32)]) -> Value {
    let alu = Value::object([("alu", Value::object([("count", 200), ("latency", 4)]))]);
    let program = Value::array([alu]);
    let launches = launches.iter().map(|&(ctas, threads, shared_bytes)| {
        Value::object([
            ("ctas", Value::from(ctas)),
            ("threads", threads.into()),
            ("registers", 16.into()),
            ("shared_bytes", shared_bytes.into()),
            ("program", program.clone()),
        ])
    });
    Value::object([("name", Value::from(name)), ("launches", Value::array(launches))])
}

fn experiment(gpu: Value, kernels: &[Value], policy: Value) -> Value {
    let stop = Value::object([("kernels_done", Value::from(true)), ("cycles", 1_000_000.into())]);
    Value::object([
        ("corun", Value::from(1)),
        ("gpu", gpu),
        ("kernels", Value::array(kernels.iter().cloned())),
        ("policy", policy),
        ("restart", false.into()),
        ("stop", stop),
    ])
}

/// SMs on which the CTAs of each kernel of a run to its end have run.
fn ran_on(written: &Value, kernels: usize) -> Vec<Vec<u16>> {
    let mut run = profile::start(&Experiment::decode(written).unwrap()).unwrap();
    run.machine_mut().record_events = true;
    assert_eq!(run.advance(u64::MAX), Reason::KernelsDone);
    let on = |kernel| run.machine().events.iter().filter(move |event| event.placed && event.kernel == kernel).map(|event| event.sm);
    KernelId::first(kernels).map(|kernel| on(kernel).collect()).collect()
}

#[test]
fn a_cta_that_fits_one_class_runs_there() {
    // 1024 threads and 40 KB fit big SMs alone; 64 threads fit all.
    let kernels = [kernel("threads", &[(60, 1024, 0)]), kernel("shared", &[(60, 64, 40 << 10)]), kernel("any", &[(400, 64, 0)])];
    for policy in ["leftover", "even", "smk", "ws"] {
        let policy = match policy {
            "smk" | "ws" => Value::object([("name", Value::from(policy)), ("profile_cycles", 1000.into())]),
            name => name.into(),
        };
        let on = ran_on(&experiment("hetero-8b8s".into(), &kernels, policy.clone()), 3);
        for (kernel, sms) in on[..2].iter().enumerate() {
            assert_eq!((sms.len(), sms.iter().filter(|&&sm| sm >= 8).count()), (60, 0), "kernel {kernel} under {policy}");
        }
        assert_eq!(on[2].len(), 400);
        assert!(on[2].iter().any(|&sm| sm >= 8), "{policy}");
    }
}

#[test]
fn launches_that_fit_unlike_classes_follow_each_other() {
    // The first launch fits the wide SMs only, the second one those with shared memory.
    let gpu = Value::object([
        ("preset", Value::from("hetero-8b8s")),
        ("sm.big.shared_bytes", 1024.into()),
        ("sm.small.shared_bytes", 65_536.into()),
    ]);
    let on = ran_on(&experiment(gpu, &[kernel("both", &[(20, 1024, 0), (20, 64, 40 << 10)])], "even".into()), 1);
    let (first, second) = on[0].split_at(20);
    assert!(first.iter().all(|&sm| sm < 8) && second.iter().all(|&sm| sm >= 8) && second.len() == 20);
}

#[test]
fn results_tell_classes_apart() {
    let value = Value::object([
        ("corun", Value::from(1)),
        ("gpu", "hetero-8b8s".into()),
        ("kernels", Value::array(["BP", "CFD"])),
        ("warm_up", 2000.into()),
        ("stop", Value::object([("cycles", 8000)])),
    ]);
    let mut run = Simulation::new(&Experiment::decode(&value).unwrap()).unwrap();
    assert_eq!(run.advance(u64::MAX), Reason::Cycles);
    let result = run.result();
    let items = |value: &Value, key: &str| if let Some(Value::Array(items)) = value.get(key) { items.clone() } else { panic!("{key}") };
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_f64).unwrap();
    let classes = items(&result, "sm_classes");
    assert_eq!(classes.iter().map(|class| class.get("name").unwrap().as_str().unwrap()).collect::<Vec<_>>(), ["big", "small"]);
    for (k, kernel) in items(&result, "kernels").iter().enumerate() {
        let on = |class: usize, key| number(&items(&classes[class], "kernels")[k], key);
        assert!((on(0, "ipc") + on(1, "ipc") - number(kernel, "ipc")).abs() < 1e-9, "the classes' IPC adds up");
        assert!(on(0, "ctas_per_sm") > on(1, "ctas_per_sm"), "a big SM holds more");
        assert!(on(1, "ipc") > 0.0);
    }
    let equal = Value::object([("corun", Value::from(1)), ("gpu", "fermi-16sm".into()), ("kernels", Value::array(["BP"]))]);
    assert_eq!(Simulation::new(&Experiment::decode(&equal).unwrap()).unwrap().result().get("sm_classes"), None);
}

#[test]
fn what_cannot_be_shared_out_is_refused() {
    let refused = |kernels: &[Value], policy: Value| {
        let problems = Experiment::decode(&experiment("hetero-8b8s".into(), kernels, policy)).unwrap_err();
        problems.0.into_iter().map(|problem| problem.path).collect::<Vec<_>>()
    };
    let (any, wide) = (kernel("any", &[(10, 64, 0)]), kernel("wide", &[(10, 1024, 0)]));
    assert_eq!(refused(&[any.clone(), wide.clone()], "spatial".into()), ["policy.split"], "the small SMs are its part");
    assert_eq!(refused(&[any.clone(), wide.clone()], "ccbp".into()), ["policy"]);
    assert_eq!(refused(&[any.clone(), kernel("huge", &[(10, 64, 65 << 10)])], "even".into()), ["kernels[1].launches[0]"; 2]);
    assert!(Experiment::decode(&experiment("hetero-8b8s".into(), &[wide, any], "spatial".into())).is_ok());
}

/// A class is declared by its count, starts as the preset's first, and is written down so that it reads back.
#[test]
fn a_class_can_be_added_to_a_preset() {
    let gpu = Value::object([
        ("preset", Value::from("ccbp-16sm")),
        ("sm.tiny.threads", 64.into()),
        ("sm.sm.count", 3.into()),
        ("sm.tiny.count", 2.into()),
    ]);
    let read = Experiment::decode(&experiment(gpu, &[kernel("any", &[(10, 64, 0)])], "even".into())).unwrap();
    let classes: Vec<_> = read.gpu.sms.iter().map(|class| (class.name.as_str(), class.count, class.threads, class.ctas)).collect();
    assert_eq!(classes, [("sm", 3, 2048, 32), ("tiny", 2, 64, 32)]);
    assert_eq!(Experiment::decode(&read.encode()).unwrap().gpu, read.gpu);
    for (key, value) in [("sm.tniy.threads", 64), ("sm.l1.count", 2), ("sm.a b.count", 2), ("sm..count", 2), ("sm.no.such.count", 2)] {
        let gpu = Value::object([("preset", Value::from("ccbp-16sm")), (key, value.into())]);
        let problems = Experiment::decode(&experiment(gpu, &[kernel("any", &[(10, 64, 0)])], "even".into())).unwrap_err();
        assert_eq!(problems.0[0].path, format!("gpu.{key}"));
    }
}
