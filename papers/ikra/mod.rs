//! What only the IKRA paper's claims measure (Huzaifa, Alsop, Mahmoud, Salvador, Sinclair and Adve, 2020).
//!
//! These are where accesses are served from, traffic and energy as the paper divides them, orders of CTAs in several programs at once, and
//! launches that are warm. They are also sizes of the caches, storage, and what follows from the programs' descriptions. Each function says
//! what it gives; none sees a claim's value.

use crate::engine::measures;
use crate::engine::measures::{Code, Function, Measure, reduced};
use crate::engine::paper::mix::Mix;
use sim_core::describe::gpu::presets;
use sim_core::describe::kernel::{Kernel, library};
use sim_core::describe::value::Value;
use sim_core::study::dependence::{Dependence, dependence};
use sim_core::study::figure::lookup;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The paper's code.
pub const CODE: Code = Code { functions: FUNCTIONS, complete };

/// Every function by its name in the claims.
const FUNCTIONS: &[(&str, Function)] = &[
    ("matrix", matrix),
    ("difference", difference),
    ("single", single),
    ("warm", warm),
    ("sizes", sizes),
    ("part", part),
    ("storage", storage),
    ("described", described),
];

/// A case is slower if it takes more than this of the other's time.
const SLOWER: f64 = 1.01;

/// By what factor a core's energy is above the published ones of arithmetic and special functions. With it the core has the printed 58 % of
/// the energy of the regular programs under G, on average (§6.2.3). Fixed by these runs of G alone.
const CORE: f64 = 4.3;

/// Sizes of L1D, KB; L2 has 32 times as much (§7.1).
const SIZES: [u32; 6] = [16, 32, 64, 128, 256, 512];

/// Bits of a CTA's number along x, y and z (§4.1).
const ID_BITS: [u32; 3] = [31, 16, 16];

/// Adds `ikra`, what the paper's figures show, by counters of the only kernel:
///
/// - `accesses`: lines that loads ask for, by who serves them: the SM's own `l1`, another's (`remote`), `l2`, `memory`, their `total`. A
///   load that waits for a line that is on its way is none of them.
/// - `accesses.scratchpad_share`: the part of the loads and stores that goes to the scratchpad.
/// - `share`: `accesses` as parts of the total, and `beyond`, which is `remote` and `l2`.
/// - `l2_hit`: the part of what leaves the SMs that L2 serves.
/// - `traffic`: flits times the links that they cross, by class of message (`read`, `write`, `writeback`), and their `total`.
/// - `energy` (joules): `core`, `l1`, `scratchpad`, `l2` and their `total`; the shares `core_share`, `memory_share` and `l2_share`. A core
///   has `CORE` times the energy of arithmetic and special functions, with fetch, issue and registers. `l2` has the NoC's, which nobody has
///   published apart. DRAM and leakage are none of an SM's (§5.2).
/// - `imbalance`: the time over the mean time in which an SM has CTAs.
fn complete(result: &mut Value) {
    let at = |path: &str| lookup(result, path);
    let counter = |key: &str| at(&format!("kernels[0].counters.{key}"));
    let of = |pairs: Vec<(&str, Option<f64>)>| Value::object(pairs);
    let ratio = |part: Option<f64>, whole: Option<f64>| Some(part? / whole?).filter(|ratio| ratio.is_finite());
    let sum = |parts: &[Option<f64>]| parts.iter().copied().sum::<Option<f64>>();

    let joules = |part: &str| at(&format!("energy.parts.{part}"));
    let core = sum(&[joules("arithmetic"), joules("special")]).map(|joules| CORE * joules);
    let (l1, l2) = (joules("l1"), joules("l2"));
    let scratchpad = joules("shared_memory");
    let total = sum(&[core, l1, scratchpad, l2]);
    let energy = of(vec![
        ("core", core),
        ("l1", l1),
        ("scratchpad", scratchpad),
        ("l2", l2),
        ("total", total),
        ("core_share", ratio(core, total)),
        ("memory_share", ratio(sum(&[l1, scratchpad, l2]), total)),
        ("l2_share", ratio(l2, total)),
    ]);

    let (shared, global) = (counter("shared_thread_instructions"), counter("global_thread_instructions"));
    let [own, remote, l2_served, memory] = ["l1_hits", "misses_to_remote_l1", "misses_to_l2", "misses_to_memory"].map(counter);
    let served = sum(&[own, remote, l2_served, memory]);
    let accesses = of(vec![
        ("l1", own),
        ("remote", remote),
        ("l2", l2_served),
        ("memory", memory),
        ("total", served),
        ("scratchpad_share", ratio(shared, sum(&[shared, global]))),
    ]);
    let share = of(vec![
        ("l1", ratio(own, served)),
        ("remote", ratio(remote, served)),
        ("l2", ratio(l2_served, served)),
        ("memory", ratio(memory, served)),
        ("beyond", ratio(sum(&[remote, l2_served]), served)),
    ]);
    // Schedulers without a warp, of all.
    let idle = (|| Some(at("gpu.stalls.idle")? * (1.0 - counter("warp_instructions")? / at("gpu.scheduler_cycles")?)))();
    let crossings = |class: &str| counter(&format!("noc_{class}_crossings"));
    let [read, write, writeback] = ["read", "write", "writeback"].map(crossings);
    let traffic = of(vec![("read", read), ("write", write), ("writeback", writeback), ("total", sum(&[read, write, writeback]))]);
    let added = Value::object([
        ("energy", energy),
        ("traffic", traffic),
        ("accesses", accesses),
        ("share", share),
        ("l2_hit", ratio(l2_served, sum(&[l2_served, memory])).into()),
        ("imbalance", ratio(Some(1.0), idle.map(|idle| 1.0 - idle)).into()),
    ]);
    if let Value::Object(fields) = result {
        fields.push(("ikra".to_owned(), added));
    }
}

/// A metric under `of` over that under `over`, of each mix; all are asked for, even when one is missing.
fn quotients(measure: &Measure, mixes: &[Mix], metric: &str, of: &str, over: &str) -> Option<Vec<f64>> {
    let (above, below) = (measure.runs.all(mixes, of, metric), measure.runs.all(mixes, over, metric));
    Some(measures::quotients(&above?, &below?))
}

/// A metric under each scheme of `of` over that under `over`, in each mix. As one by `pick`:
///
/// - `spread`: how far the schemes' means are apart, in points;
/// - `slower`: how many cases are slower;
/// - `same`: which part of them is equal;
/// - `best`: the least of each mix, of these the greatest.
fn matrix(measure: &Measure) -> Option<f64> {
    let mixes = measure.mixes();
    let of = |scheme| quotients(measure, &mixes, measure.text("metric"), scheme, measure.text("over"));
    let all: Vec<Option<Vec<f64>>> = measure.texts("of").into_iter().map(of).collect();
    let all: Vec<Vec<f64>> = all.into_iter().collect::<Option<_>>()?;
    match measure.text("pick") {
        "spread" => {
            let means: Vec<f64> = all.iter().map(|values| reduced("mean", values)).collect::<Option<_>>()?;
            Some(100.0 * (reduced("max", &means)? - reduced("min", &means)?))
        }
        "slower" => Some(all.concat().into_iter().filter(|value| *value > SLOWER).count() as f64),
        "same" => {
            let all = all.concat();
            Some(all.iter().filter(|value| **value == 1.0).count() as f64 / all.len() as f64)
        }
        "best" => {
            let least = (0..mixes.len()).map(|mix| all.iter().map(|values| values[mix]).reduce(f64::min));
            reduced("max", &least.collect::<Option<Vec<f64>>>()?)
        }
        _ => None,
    }
}

/// By how much a metric is greater under `of` than under `over`: the least of the mixes over the greatest of the `others`.
fn difference(measure: &Measure) -> Option<f64> {
    let of = |mixes: &[Mix]| {
        let [of, over] = ["of", "over"].map(|scheme| measure.runs.all(mixes, measure.text(scheme), measure.text("metric")));
        Some(of?.iter().zip(&over?).map(|(of, over)| of - over).collect::<Vec<f64>>())
    };
    let others: Vec<Mix> = measure.texts("others").into_iter().flat_map(|name| measure.runs.study.mixes.named(name)).collect();
    let (these, others) = (of(&measure.mixes()), of(&others));
    Some(reduced("min", &these?)? / reduced("max", &others?)?)
}

/// A program of the study.
fn program(name: &str) -> Option<Kernel> {
    library::find(&format!("ikra/{name}"))
}

/// A metric under `of` over that under `over`, as one by `pick`. Of the launches that a program repeats until it has converged, only the
/// first pass runs (§6.4). The programs of `whole` are added, which repeat nothing.
fn single(measure: &Measure) -> Option<f64> {
    let pass = |mix: &Mix| {
        let launches = program(&mix[0])?.repeats.first().map(|repeat| repeat.first + repeat.launches)?;
        Some(format!(" {}.launches={launches}", mix[0]))
    };
    let passes = measure.mixes().iter().map(pass).collect::<Option<String>>()?;
    let [of, over] = ["of", "over"].map(|scheme| format!("{}{passes}", measure.text(scheme)));
    let whole = measure.texts("whole").into_iter().flat_map(|name| measure.runs.study.mixes.named(name));
    let mixes: Vec<Mix> = measure.mixes().into_iter().chain(whole).collect();
    reduced(measure.text("pick"), &quotients(measure, &mixes, measure.text("metric"), &of, &over)?)
}

/// What a program does after its first launch, mean: its run less that of its first launch alone. By `what` it is the share of its accesses
/// that `l1` serves, the share that remote L1 and L2 serve (`beyond`), or its `traffic`.
fn warm(measure: &Measure) -> Option<f64> {
    let of = |mix: &Mix| {
        let first = format!("{} {}.launches=1", measure.text("of"), mix[0]);
        let later = |path: &str| {
            let [all, first] = [measure.text("of"), &first].map(|scheme| measure.runs.value(mix, scheme, path));
            Some(all? - first?)
        };
        let [l1, remote, l2, total, traffic] =
            ["accesses.l1", "accesses.remote", "accesses.l2", "accesses.total", "traffic.total"].map(|path| later(&format!("ikra.{path}")));
        match measure.text("what") {
            "l1" => Some(l1? / total?),
            "beyond" => Some((remote? + l2?) / total?),
            "traffic" => traffic,
            _ => None,
        }
    };
    let all: Vec<Option<f64>> = measure.mixes().iter().map(of).collect();
    reduced("mean", &all.into_iter().collect::<Option<Vec<f64>>>()?)
}

/// A metric of a program over sizes of L1D and L2, without that of `but` KB. By `pick` it is the greatest quotient from one size to the
/// next (`step`), or the `min` or `max` of all sizes. With `over`, each size's value is over that scheme's with as much.
fn sizes(measure: &Measure) -> Option<f64> {
    let mixes = measure.mixes();
    let metric = measure.text("metric");
    let sized = |scheme: &str, kb: u32| format!("{scheme} l1={} bank={}", kb << 10, kb << 11);
    let but = measure.number("but");
    let sizes = SIZES.into_iter().filter(|kb| but != Some(f64::from(*kb)));
    let of = |kb: u32| {
        let of = measure.runs.all(&mixes, &sized(measure.text("of"), kb), metric);
        let over = match measure.text("over") {
            "" => None,
            over => Some(measure.runs.all(&mixes, &sized(over, kb), metric)),
        };
        let values = match over {
            Some(over) => measures::quotients(&of?, &over?),
            None => of?,
        };
        reduced("mean", &values)
    };
    let all: Vec<Option<f64>> = sizes.map(of).collect();
    let all: Vec<f64> = all.into_iter().collect::<Option<_>>()?;
    match measure.text("pick") {
        "step" => all.windows(2).map(|two| two[1] / two[0]).reduce(f64::max),
        pick => reduced(pick, &all),
    }
}

/// For figures: `what` of the programs under `of`, over `whole` of them under `over`; mean.
fn part(measure: &Measure) -> Option<f64> {
    let mixes = measure.mixes();
    let all = |scheme, path| measure.runs.all(&mixes, measure.text(scheme), measure.text(path));
    let (what, whole) = (all("of", "what"), all("over", "whole"));
    reduced("mean", &measures::quotients(&what?, &whole?))
}

/// What S keeps on each SM (§4.4), by `what`:
///
/// - `entries`: those of its queue;
/// - `id`: the bits of a CTA's number;
/// - `bits` and `bytes`: those of the queue;
/// - `part`: the queue as a part of the register file, the scratchpad, L1D and a bank of L2 of the preset `on`.
fn storage(measure: &Measure) -> Option<f64> {
    let id: u32 = ID_BITS.iter().sum();
    let entries = 32;
    let bits = f64::from(entries * id);
    Some(match measure.text("what") {
        "entries" => f64::from(entries),
        "id" => f64::from(id),
        "bits" => bits,
        "bytes" => bits / 8.0,
        "part" => {
            let gpu = presets::find(measure.text("on"))?;
            let sm = gpu.sms.first()?;
            bits / 8.0 / f64::from(4 * sm.registers + sm.shared_bytes + sm.l1.bytes + gpu.l2.bank_bytes)
        }
        _ => return None,
    })
}

/// What follows from a program's description (§2.2, Table 1 and Table 3), by `what`:
///
/// - `self`, `ghost`, `other`: which part this is of what its CTAs read of earlier launches; `self with older`: also of launches before the
///   last;
/// - `range of self`: how far launches differ in it. The paper counts these with loads in the place of shared memory, and so does this;
/// - `CTAs` and `KB`: those of the launch `launch`, or of all launches as one by `reduce`, the greatest if that is left out;
/// - `KB of arrays`: all of them.
fn described(measure: &Measure) -> Option<f64> {
    let mixes = measure.mixes();
    let [mix] = &mixes[..] else { return None };
    let (name, kernel) = (&mix[0], program(&mix[0])?);
    let of = |values: Vec<f64>| match measure.number("launch") {
        Some(launch) => values.get(launch as usize).copied(),
        None => reduced(if measure.text("reduce").is_empty() { "max" } else { measure.text("reduce") }, &values),
    };
    match measure.text("what") {
        "CTAs" => of(kernel.grids().map(|grid| f64::from(grid.ctas())).collect()),
        "KB" => of(counted(name, false)?.launches.iter().map(|launch| launch.bytes as f64 / 1024.0).collect()),
        "KB of arrays" => Some(kernel.arrays.iter().map(|array| array.bytes).sum::<u64>() as f64 / 1024.0),
        "self" => Some(counted(name, true)?.split()?[0]),
        "ghost" => Some(counted(name, true)?.split()?[1]),
        "other" => Some(counted(name, true)?.split()?[2]),
        "self with older" => counted(name, true)?.own_with_older(),
        "range of self" => range_of_self(&*counted(name, true)?),
        _ => None,
    }
}

/// How far launches differ in the part of what they read of earlier ones that their CTAs wrote themselves in the last.
fn range_of_self(found: &Dependence) -> Option<f64> {
    let launches = found.launches.iter().filter(|launch| launch.written_before > 0);
    let own: Vec<f64> = launches.map(|launch| launch.own as f64 / launch.written_before as f64).collect();
    Some(reduced("max", &own)? - reduced("min", &own)?)
}

/// The dependences of a program, or of that with loads in the place of shared memory (`direct`), counted once: that takes longer than all
/// else here.
fn counted(name: &str, direct: bool) -> Option<Rc<Dependence>> {
    thread_local!(static COUNTED: RefCell<BTreeMap<(String, bool), Rc<Dependence>>> = const { RefCell::new(BTreeMap::new()) });
    let key = (name.to_owned(), direct);
    if let Some(found) = COUNTED.with_borrow(|counted| counted.get(&key).cloned()) {
        return Some(found);
    }
    let kernel = if direct { library::ikra::direct(&format!("ikra/{name}")) } else { program(name) };
    let found = Rc::new(dependence(&kernel?));
    COUNTED.with_borrow_mut(|counted| counted.insert(key, found.clone()));
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result with what `complete` reads: counters by name, all else fixed.
    fn completed(counters: &[(&str, f64)]) -> Value {
        let parts = [
            ("arithmetic", 5.0),
            ("special", 1.0),
            ("shared_memory", 2.0),
            ("l1", 1.0),
            ("l2", 3.0),
            ("dram", 100.0),
            ("constant", 1000.0),
        ];
        let kernel = Value::object([("counters", Value::object(counters.iter().copied()))]);
        let mut result = Value::object([
            ("energy", Value::object([("parts", Value::object(parts))])),
            ("gpu", Value::object([("stalls", Value::object([("idle", 0.5)])), ("scheduler_cycles", 1000.into())])),
            ("kernels", Value::array([kernel])),
        ]);
        complete(&mut result);
        result
    }

    #[test]
    fn energy_is_that_of_the_sms_events_l2_and_the_noc() {
        let result = completed(&[]);
        let of = |path: &str| lookup(&result, &format!("ikra.energy.{path}"));
        let core = CORE * 6.0;
        assert_eq!([of("core"), of("scratchpad"), of("total")], [Some(core), Some(2.0), Some(core + 6.0)]);
        assert_eq!([of("core_share"), of("memory_share"), of("l2_share")], [core, 6.0, 3.0].map(|part| Some(part / (core + 6.0))));
        assert_eq!(lookup(&result, "ikra.imbalance"), None, "of a kernel without instructions");
    }

    /// The bytes of Table 3 and the parts of Table 1 of two programs that are counted quickly; the others are in docs/reference/kernels-ikra.md.
    #[test]
    fn tables_1_and_3_follow_from_descriptions() {
        let found = counted("PF", false).unwrap();
        assert_eq!((found.launches.len(), found.launches[0].ctas), (10, 394));
        assert_eq!((found.launches[9].bytes as f64 / 1024.0).round(), 1172.0);
        assert!(counted("PF", true).unwrap().split().unwrap()[0] > 0.99);
        assert!(Rc::ptr_eq(&found, &counted("PF", false).unwrap()), "counted once");
        assert!(counted("none", false).is_none());
        let first = |name: &str| program(name).unwrap().repeats.first().map(|repeat| repeat.first + repeat.launches);
        assert_eq!(["DJ1", "CL1", "MI1", "PR1"].map(first), [2, 3, 4, 3].map(Some), "what begins, and one pass");
    }

    /// A part, as are the others of Table 1: claims make percent of it.
    #[test]
    fn a_range_of_dependences_is_a_part() {
        use sim_core::study::dependence::Touched;
        let launch = |own, written_before| Touched { ctas: 1, bytes: 64, read_only: 0, most: 20, accesses: 20, own, written_before };
        let launches = vec![launch(0, 0), launch(2, 10), launch(9, 10)];
        let found = Dependence { own: 11, ghost: 0, other: 9, own_older: 0, written_twice: 0, launches };
        assert!((range_of_self(&found).unwrap() - 0.7).abs() < 1e-12, "what reads nothing of earlier launches has no part");
    }

    #[test]
    fn accesses_are_parts_of_who_serves_them() {
        let result = completed(&[("l1_hits", 60.0), ("misses_to_remote_l1", 10.0), ("misses_to_l2", 10.0), ("misses_to_memory", 20.0)]);
        let of = |path: &str| lookup(&result, &format!("ikra.{path}"));
        assert_eq!([of("accesses.total"), of("share.l1"), of("share.beyond")], [Some(100.0), Some(0.6), Some(0.2)]);
        assert!((of("l2_hit").unwrap() - 1.0 / 3.0).abs() < 1e-12);
    }

    /// Of 1000 cycles of schedulers 200 have an instruction, and half of the rest have no warp: what SMs have CTAs for is 600 of 1000.
    #[test]
    fn imbalance_is_the_time_over_the_mean_time_with_ctas() {
        let found = lookup(&completed(&[("warp_instructions", 200.0)]), "ikra.imbalance").unwrap();
        assert!((found - 1000.0 / 600.0).abs() < 1e-12);
    }
}
