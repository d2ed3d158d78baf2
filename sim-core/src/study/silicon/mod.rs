//! What kernels took on a real GPU, alone and beside each other, and what the machine makes of the same: `corun silicon`, and a file that is dropped on
//! the page. Whoever runs the cases brings the IPC of each.

mod measured;

pub use measured::{MAX_BYTES, Measured, Pairs, Row};

use crate::describe::error::Problems;
use crate::describe::gpu::occupancy::Divisions;
use crate::describe::gpu::presets;
use crate::describe::kernel::library::probe;
use crate::describe::kernel::{CarveOut, Kernel};
use crate::describe::scale::Scale;
use crate::describe::value::Value;
use crate::run::experiment::{Experiment, VERSION};
use crate::study::errors::Errors;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use measured::problem;

/// Cycles of each run that are measured.
pub const CYCLES: u64 = 200_000;

/// The part of a GPU that is simulated where nobody chooses, and all of its numbers divide.
const PART: &str = "1/4";

/// Slowdowns from this on are those of caches that thrash and of slots that run out: of them the place and the sign count more than the size.
const THRASHING: f64 = 4.0;

/// What is simulated: a kernel alone, or beside another; numbers of rows.
pub type Case = (usize, Option<usize>);

/// IPC of a kernel in each case, over the whole GPU.
pub type Simulated = BTreeMap<Case, f64>;

/// On what the cases run.
#[derive(Clone, Copy, Debug)]
pub struct On<'a> {
    /// The name of a preset.
    pub gpu: &'a str,
    /// The part of it.
    pub scale: &'a str,
    /// Cycles that are measured.
    pub cycles: u64,
}

/// The presets with as many SMs as the GPU of a file, by name, each with the part of it that is simulated: a quarter where that divides.
pub fn presets_of(measured: &Measured) -> Result<Vec<(&'static str, &'static str)>, Problems> {
    let sms = measured.number("sms")?;
    let fitting = presets::PRESETS.iter().filter_map(|preset| {
        let mut gpu = presets::find(preset.name).filter(|gpu| gpu.sm_count() == sms)?;
        let mut problems = Problems::default();
        Scale::of(PART).gpu(&mut gpu, "gpu", &mut problems);
        Some((preset.name, if problems.0.is_empty() { PART } else { "1" }))
    });
    Ok(fitting.collect())
}

/// All that is simulated of the kernels that the machine can run: each alone and then beside each, so that what has run makes slowdowns.
pub fn cases(measured: &Measured) -> Vec<Case> {
    let known: Vec<usize> = (0..measured.alone.len()).filter(|&k| kernel(&measured.alone[k]).is_some()).collect();
    let beside = || [None].into_iter().chain(known.iter().copied().map(Some));
    known.iter().flat_map(|&row| beside().map(move |beside| (row, beside))).collect()
}

/// What the experiments of all cases share.
pub fn setting(measured: &Measured, on: On<'_>) -> Result<Vec<(&'static str, Value)>, Problems> {
    let On { gpu, scale, cycles } = on;
    let mut changed = Vec::from([("preset", Value::from(gpu))]);
    let preset = presets::find(gpu);
    // L1D has what shared memory leaves. Where the GPU can divide them, the kernels say how.
    if let (Ok(shared), Some(preset)) = (measured.number("shared_bytes"), preset.filter(|gpu| !Divisions::of(&gpu.sms[0]).any())) {
        let both = preset.sms[0].l1.bytes + preset.sms[0].shared_bytes;
        let left = both
            .checked_sub(shared)
            .ok_or_else(|| problem("# shared_bytes", shared, &format!("at most L1D and shared memory of {gpu}, {both}")))?;
        changed.extend([("sm.shared_bytes", Value::from(shared)), ("sm.l1.bytes", left.into())]);
    }
    Ok(Vec::from([
        ("corun", Value::from(VERSION)),
        ("gpu", Value::object(changed)),
        ("policy", "leftover".into()),
        ("stop", Value::object([("cycles", cycles)])),
        ("scale", scale.into()),
    ]))
}

/// The kernel of a case is the last of the experiment: the other one is on the GPU before it.
fn kernels(measured: &Measured, gpu: &str, (row, beside): Case) -> Value {
    let rows = beside.into_iter().chain([row]);
    Value::array(rows.filter_map(|row| program(measured, gpu, row)))
}

/// The kernel of a row as it runs on a preset. All of a file ask for as much shared memory of an SM: in whole percent, as `silicon/interfere.cu` has to.
fn program(measured: &Measured, gpu: &str, row: usize) -> Option<Value> {
    let mut kernel = kernel(&measured.alone[row])?;
    let most = presets::find(gpu).and_then(|gpu| Divisions::of(&gpu.sms[0]).sizes().last());
    if let (Ok(shared), Some(most)) = (measured.number("shared_bytes"), most) {
        let percent = (100 * u64::from(shared)).div_ceil(most.into()).min(100) as u32;
        kernel.launches.iter_mut().for_each(|launch| launch.carve_out = CarveOut::Percent(percent));
    }
    Some(kernel.encode())
}

/// The experiment of a case.
pub fn experiment(measured: &Measured, on: On<'_>, case: Case) -> Result<Experiment, Problems> {
    let mut fields = setting(measured, on)?;
    fields.push(("kernels", kernels(measured, on.gpu, case)));
    Experiment::decode(&Value::object(fields))
}

/// The experiments of all cases as a sweep, whose points are the cases in their order, by name: `l1 beside dram`.
pub fn sweep(measured: &Measured, on: On<'_>) -> Result<Value, Problems> {
    let cases = cases(measured);
    let name = |&(row, beside): &Case| {
        let of = |row: usize| measured.alone[row].name.as_str();
        beside.map_or_else(|| format!("{} alone", of(row)), |beside| pair(of(row), of(beside)))
    };
    let path = |path: &str, values: Vec<Value>| Value::object([("path", Value::from(path)), ("values", values.into())]);
    let zip = Value::array([
        path("name", cases.iter().map(|case| name(case).into()).collect()),
        path("kernels", cases.iter().map(|&case| kernels(measured, on.gpu, case)).collect()),
    ]);
    let body = Value::object([("base", Value::object(setting(measured, on)?)), ("axes", Value::array([Value::object([("zip", zip)])]))]);
    Ok(Value::object([("corun", Value::from(VERSION)), ("sweep", body)]))
}

/// The IPC that the run of a case on a part of a GPU has, over the whole: the rates of a part are a part.
pub fn of_whole(scale: &str, ipc: f64) -> f64 {
    1.0 / Scale::of(scale).of_rate(1.0) * ipc
}

fn pair(kernel: &str, beside: &str) -> String {
    format!("{kernel} beside {beside}")
}

fn kernel(row: &Row) -> Option<Kernel> {
    probe::kernel(&row.name, row.shape, &probe::INTERFERE_ON_H100)
}

/// How many times as long as measured each kernel takes alone.
fn alone(measured: &Measured, simulated: &Simulated, row: usize) -> Option<f64> {
    let Row { passes, ms, .. } = measured.alone[row];
    let instructions = kernel(&measured.alone[row])?.thread_instructions() / f64::from(probe::ENDLESS) * passes as f64;
    let cycles = ms * 1e3 * f64::from(measured.number("core_mhz").ok()?);
    Some(instructions / simulated.get(&(row, None))? / cycles)
}

/// How much slower a kernel is beside another than alone, as simulated.
pub fn slowdown(simulated: &Simulated, row: usize, beside: usize) -> Option<f64> {
    Some(simulated.get(&(row, None))? / simulated.get(&(row, Some(beside)))?)
}

/// A pair: the numbers of both rows, its slowdown as measured and as simulated.
struct Cell {
    row: usize,
    beside: usize,
    real: f64,
    ours: f64,
}

/// The pairs that have both slowdowns.
fn cells(measured: &Measured, simulated: &Simulated) -> Vec<Cell> {
    let rows = 0..measured.alone.len();
    let pairs = rows.clone().flat_map(|row| rows.clone().map(move |beside| (row, beside)));
    let cell = |(row, beside)| {
        let (real, ours) = (measured.slowdown(&measured.pairs, row, beside)?, slowdown(simulated, row, beside)?);
        Some(Cell { row, beside, real, ours })
    };
    pairs.filter_map(cell).collect()
}

/// The errors of some pairs.
fn errors(measured: &Measured, of: &str, cells: Vec<&Cell>) -> Option<Value> {
    let nobody = Errors::of(cells.iter().map(|cell| (1.0, cell.real, ())))?;
    let Errors { count, mean, nine_in_ten, worst, factor, worst_factor } =
        Errors::of(cells.into_iter().map(|cell| (cell.ours, cell.real, cell)))?;
    Some(Value::object([
        ("of", Value::from(of)),
        ("factor", factor.into()),
        ("worst_factor", worst_factor.into()),
        ("nobody_suffers", nobody.mean.into()),
        ("nobody_suffers_factor", nobody.factor.into()),
        ("cells", (count as u64).into()),
        ("mean", mean.into()),
        ("nine_in_ten", nine_in_ten.into()),
        ("worst", worst.0.into()),
        ("worst_pair", pair(&measured.alone[worst.1.row].name, &measured.alone[worst.1.beside].name).into()),
    ]))
}

/// How often a question is answered as the GPU answers it: right, of all.
fn right(answers: impl Iterator<Item = bool>) -> Value {
    let (right, all) = answers.fold((0_u64, 0_u64), |(right, all), is| (right + u64::from(is), all + 1));
    Value::array([right, all])
}

/// A kernel that uses nothing: pairs with it say little.
const SLEEPER: &str = "sleep";

/// How well the slowdowns are met. Errors are of all pairs, of those without the sleeper, of those that are slowed, and of those on either side of
/// `THRASHING`. Each stands beside what the rule that nobody suffers is off by. Then who of two suffers more, where that is by a
/// tenth, and whether a kernel suffers by more than a quarter.
fn met(measured: &Measured, simulated: &Simulated) -> Value {
    let cells = cells(measured, simulated);
    let thrash = |cell: &&Cell| cell.real >= THRASHING;
    let of = [
        ("all", cells.iter().collect()),
        (
            "without the sleeper",
            cells.iter().filter(|cell| [cell.row, cell.beside].iter().all(|&row| measured.alone[row].name != SLEEPER)).collect(),
        ),
        ("slowed by a tenth or more", cells.iter().filter(|cell| cell.real >= 1.1).collect()),
        ("slowdown below 4", cells.iter().filter(|cell| !thrash(cell)).collect()),
        ("from 4 on: caches thrash, or slots run out", cells.iter().filter(thrash).collect::<Vec<_>>()),
    ];
    let more = cells.iter().filter(|cell| cell.row < cell.beside).filter_map(|cell| {
        let other = cells.iter().find(|other| (other.row, other.beside) == (cell.beside, cell.row))?;
        let clear = cell.real.max(other.real) > 1.1 * cell.real.min(other.real);
        clear.then_some((cell.real > other.real) == (cell.ours > other.ours))
    });
    Value::object([
        ("errors", Value::array(of.into_iter().filter_map(|(name, of)| errors(measured, name, of)).collect::<Vec<_>>())),
        ("who_suffers_more", right(more)),
        ("suffers", right(cells.iter().map(|cell| (cell.real > 1.25) == (cell.ours > 1.25)))),
    ])
}

/// What a file is of, for people.
pub fn title(measured: &Measured) -> Result<String, Problems> {
    let fact = |key| measured.fact(key);
    Ok(format!("{}: {} SMs, {} MHz, measured {}", fact("gpu")?, fact("sms")?, fact("core_mhz")?, fact("date")?))
}

/// How near the machine comes, for people.
#[derive(Debug)]
pub struct Summary {
    /// How long each kernel takes alone, and which are left out.
    pub alone: Vec<String>,
    /// A table of errors with its heading.
    pub errors: Vec<Vec<String>>,
    /// How often the questions are answered right.
    pub right: String,
}

impl Summary {
    /// Of what has been simulated.
    pub fn of(measured: &Measured, simulated: &Simulated) -> Summary {
        let rows = || measured.alone.iter().enumerate();
        let times: Vec<String> =
            rows().filter_map(|(k, row)| Some(format!("{} {:.2}", row.name, alone(measured, simulated, k)?))).collect();
        let mut said = Vec::from([format!("Alone, simulated time over measured: {}", times.join(", "))]);
        let left_out: Vec<&str> = rows().filter(|(_, row)| kernel(row).is_none()).map(|(_, row)| row.name.as_str()).collect();
        if !left_out.is_empty() {
            said.push(format!("Not simulated, as the machine does not know them: {}", left_out.join(", ")));
        }
        let met = met(measured, simulated);
        let number = |of: &Value, key| of.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let percent = |of: &Value, key| format!("{:.0} %", 100.0 * number(of, key));
        let text = |of: &Value, key| of.get(key).and_then(Value::as_str).unwrap_or("").to_string();
        let heading = ["Error of the slowdown", "pairs", "mean", "as a factor", "if nobody suffered", "nine in ten within", "worst", ""];
        let heading = heading.map(String::from);
        let lines = met.get("errors").map_or(&[][..], Value::items).iter().map(|of| {
            let cells = number(of, "cells").to_string();
            let factor = format!("{:.2}", number(of, "factor"));
            let [mean, nobody, ninth, worst] = ["mean", "nobody_suffers", "nine_in_ten", "worst"].map(|key| percent(of, key));
            [text(of, "of"), cells, mean, factor, nobody, ninth, worst, text(of, "worst_pair")]
        });
        let right = |key| met.get(key).map_or(&[][..], Value::items).iter().map(Value::to_string).collect::<Vec<_>>().join(" of ");
        Summary {
            alone: said,
            errors: [heading].into_iter().chain(lines).map(Vec::from).collect(),
            right: format!(
                "Right: who of two suffers more {}, whether a kernel suffers by more than a quarter {}",
                right("who_suffers_more"),
                right("suffers")
            ),
        }
    }
}

/// What is measured, and what is simulated of it. `setting`: what all runs share. That of a pair has the kernel of `beside` and then that of `kernel`.
pub fn to_value(
    measured: &Measured,
    simulated: Option<&Simulated>,
    setting: Option<Vec<(&'static str, Value)>>,
) -> Result<Value, Problems> {
    let rows = 0..measured.alone.len();
    let cells = rows.clone().flat_map(|row| rows.clone().map(move |beside| (row, beside))).map(|(row, beside)| {
        Value::object([
            ("kernel", Value::from(measured.alone[row].name.as_str())),
            ("beside", measured.alone[beside].name.as_str().into()),
            ("measured", measured.slowdown(&measured.pairs, row, beside).into()),
            ("measured_first", measured.slowdown(&measured.first, row, beside).into()),
            ("simulated", simulated.and_then(|simulated| slowdown(simulated, row, beside)).into()),
        ])
    });
    let gpu =
        setting.iter().flatten().find(|(field, _)| *field == "gpu").and_then(|(_, gpu)| gpu.get("preset")?.as_str().map(String::from));
    let alone = rows.clone().map(|row| {
        Value::object([
            ("kernel", Value::from(measured.alone[row].name.as_str())),
            ("ms", measured.alone[row].ms.into()),
            ("program", program(measured, gpu.as_deref().unwrap_or(""), row).into()),
            ("simulated_over_measured", simulated.and_then(|simulated| alone(measured, simulated, row)).into()),
        ])
    });
    Ok(Value::object([
        ("corun", Value::from(VERSION)),
        ("gpu", measured.fact("gpu")?.into()),
        ("date", measured.fact("date")?.into()),
        ("alone", Value::array(alone.collect::<Vec<_>>())),
        ("pairs", Value::array(cells.collect::<Vec<_>>())),
        ("met", simulated.map(|simulated| met(measured, simulated)).into()),
        ("setting", setting.map(Value::object).into()),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::sweep::Sweep;

    const H100: &str = include_str!("../../../../silicon/h100.csv");

    fn h100() -> Measured {
        Measured::read(H100).unwrap()
    }

    #[test]
    fn presets_with_as_many_sms_are_offered_with_a_part_that_divides() {
        assert_eq!(presets_of(&h100()).unwrap(), [("h100-sxm5", "1/4"), ("h200-sxm", "1/4"), ("accelsim-h100", "1/4")]);
        let of = |sms: u32| presets_of(&Measured::read(&H100.replace("# sms: 132", &format!("# sms: {sms}"))).unwrap()).unwrap();
        assert_eq!(of(30), [("rtx2060-30sm", "1"), ("accelsim-rtx2060", "1")]);
        assert_eq!(of(131), []);
    }

    #[test]
    fn the_points_of_the_sweep_are_the_cases() {
        let (measured, on) = (h100(), On { gpu: "h100-sxm5", scale: "1/4", cycles: CYCLES });
        let (cases, sweep) = (cases(&measured), Sweep::decode(&sweep(&measured, on).unwrap()).unwrap());
        assert_eq!((cases.len(), sweep.points()), (72, 72));
        for (n, &case) in cases.iter().enumerate() {
            let (point, alone) = (sweep.point(n).unwrap().experiment, experiment(&measured, on, case).unwrap());
            assert_eq!(point.config_hash(), alone.config_hash());
            assert_eq!(point.kernels.last().map(|kernel| kernel.kernel.name.clone()), Some(measured.alone[case.0].name.clone()));
        }
        let name = |n: usize| sweep.point(n).unwrap().experiment.name;
        assert_eq!((name(0), name(2)), ("sleep alone".to_string(), "sleep beside dram".to_string()));
    }

    #[test]
    fn the_summary_is_of_what_has_run() {
        let measured = Measured::read(&H100.replace("fp64", "tensor")).unwrap();
        let row = |name: &str| measured.alone.iter().position(|row| row.name == name).unwrap();
        let (l1, l2, fma) = (row("l1"), row("l2"), row("fma"));
        let real = |row, beside| measured.slowdown(&measured.pairs, row, beside).unwrap();
        // As measured, but for one that is twice as fast.
        let mut simulated = Simulated::from([((l1, None), 8.0), ((l2, None), 8.0)]);
        simulated.insert((l1, Some(l2)), 8.0 / real(l1, l2));
        simulated.insert((l2, Some(l1)), 16.0 / real(l2, l1));
        simulated.insert((fma, Some(l1)), 1.0);
        let said = Summary::of(&measured, &simulated);
        assert_eq!(said.alone[1], "Not simulated, as the machine does not know them: tensor");
        assert_eq!(said.errors[1], ["all", "2", "25 %", "1.41", "40 %", "50 %", "50 %", "l2 beside l1"]);
        assert_eq!(said.errors[2][..2], ["without the sleeper", "2"]);
        assert_eq!(said.right, "Right: who of two suffers more 1 of 1, whether a kernel suffers by more than a quarter 2 of 2");
        let pairs = to_value(&measured, Some(&simulated), None).unwrap();
        let has = |pair: &&Value| pair.get("simulated").and_then(Value::as_f64).is_some();
        assert_eq!(pairs.get("pairs").unwrap().items().iter().filter(has).count(), 2);
    }
}
