//! How well a run knows its result: a 95 % interval for every ratio, at the place in `ci95` that the ratio has in the result.
//!
//! A ratio of two sums, n / d, differs from its long-run value by about Σ (nⱼ / n − dⱼ / d) of itself. Here nⱼ and dⱼ are the sums of
//! batch j (the delta method; Law, *Simulation Modeling and Analysis*, ch. 9). So each ratio has a series of relative deviations, and
//! `interval` says how well its sum is known. Metrics of the mix depend on the IPC of every kernel. Their deviations are those of the
//! IPCs, weighted with the derivatives, batch by batch, so that what one kernel wins while another loses cancels. Runs alone are other
//! runs: their errors are independent, and add as squares.
//!
//! No interval goes beyond what its ratio can be: none below 0, and none of a share above 1.

use crate::describe::goal::Goal;
use crate::describe::ids::Cycle;
use crate::describe::kernel::Kernel;
use crate::describe::value::Value;
use crate::interface::ratios::{IPC, Metrics, NO_END, RATIOS, Ratio};
use crate::interface::stats::{KernelStats, StallCause, StallCounts, StallInfo};
use crate::run::batches::{Batches, Counters};
use crate::run::interval::half_width;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The ratios that a part of a result has.
fn those_of(result: &Value) -> impl Iterator<Item = &'static Ratio> {
    RATIOS.iter().filter(|ratio| result.get(ratio.path).is_some())
}

/// What the result says of a kernel alone and together with others.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// IPC alone.
    pub alone: Option<f64>,
    /// The interval in which it lies.
    pub alone_ci95: Option<[f64; 2]>,
    /// IPC alone in the share that the kernel had at last, and the interval in which it lies. None: as well known as the IPC of the run itself.
    pub in_share: Option<(f64, Option<[f64; 2]>)>,
    /// IPC as it is measured.
    pub shared: Option<f64>,
    /// What it is promised, deadlines as rates.
    pub goal: Option<Goal>,
}

/// How well batches know the figures of a result. It has the fields `gpu`, `kernels`, `metrics` and `sm_classes` of the result, with the
/// two ends of an interval instead of each ratio, or nothing where it is not known.
pub fn ci95(batches: Option<&Batches>, gpu: &Value, kernels: &[Value], classes: &[Value], paces: &[Pace], metrics: Metrics) -> Value {
    let rows = batches.map_or(&[][..], Batches::rows);
    let of_kernel = |(k, (result, pace)): (usize, (&Value, &Pace))| {
        let mut fields = of_ratios(result, RATIOS, rows, |row| row.stats[k]);
        fields.extend(of_stalls(result, rows, |row| row.stalls[k]));
        let ipc = half_width(&deviations(rows, |row| IPC.parts(&row.stats[k], row.cycles)).unwrap_or_default());
        let slowdown = ipc.zip(pace.error()).map(|(shared, alone)| root_of_squares([shared, alone]));
        fields.push(("ipc_alone".into(), pace.alone_ci95.map(Value::array).into()));
        fields.push(("slowdown".into(), around(result, "slowdown", slowdown, NO_END)));
        if let Some((in_share, ends)) = pace.in_share {
            let by_itself = kernels.len() == 1;
            let error = if by_itself { ipc } else { error(in_share, ends) };
            let of = |other: Option<f64>| error.zip(other).map(|(share, other)| root_of_squares([share, other]));
            fields.push(("share_cost".into(), around(result, "share_cost", of(pace.error()), NO_END)));
            fields.push(("neighbour_cost".into(), around(result, "neighbour_cost", if by_itself { Some(0.0) } else { of(ipc) }, NO_END)));
        }
        if let Some(goal) = pace.goal {
            let of_alone = matches!(goal, Goal::OfAlone(_));
            fields.push(("goal_ipc".into(), around(result, "goal_ipc", if of_alone { pace.error() } else { Some(0.0) }, NO_END)));
            fields.push(("goal_reached".into(), around(result, "goal_reached", if of_alone { slowdown } else { ipc }, NO_END)));
        }
        nested(fields)
    };
    let mut whole = of_ratios(gpu, those_of(gpu), rows, sum);
    let throughput = relative(rows, |row| IPC.parts(&sum(row), row.cycles));
    whole.push(("throughput".into(), around(gpu, "throughput", throughput, 1.0)));
    whole.extend(of_stalls(gpu, rows, |row| row.all_stalls));
    let mut fields = alloc::vec![
        ("batches", Value::from(rows.len())),
        ("batch_windows", batches.map(Batches::width).into()),
        ("gpu", nested(whole)),
        ("kernels", Value::array(kernels.iter().zip(paces).enumerate().map(of_kernel))),
        ("metrics", of_metrics(rows, paces, metrics)),
    ];
    if !classes.is_empty() {
        fields.push(("sm_classes", Value::array(classes.iter().enumerate().map(|(c, class)| of_class(class, rows, c)))));
    }
    Value::object(fields)
}

/// The intervals of a class of SMs.
fn of_class(result: &Value, rows: &[Counters], class: usize) -> Value {
    let Some(Value::Array(kernels)) = result.get("kernels") else { return Value::Null };
    let of_kernel = |(k, result): (usize, &Value)| nested(of_ratios(result, those_of(result), rows, |row| row.classes[class][k]));
    Value::object([("kernels", Value::array(kernels.iter().enumerate().map(of_kernel)))])
}

/// The relative half-width of a kernel's ratio; 0 for one without data.
pub fn known(batches: &Batches, kernel: usize, ratio: &Ratio) -> Option<f64> {
    let deviations = deviations(batches.rows(), |row| ratio.parts(&row.stats[kernel], row.cycles));
    deviations.map_or(Some(0.0), |deviations| half_width(&deviations))
}

/// Complete batches before which no run is settled.
const FIRST_LOOK: usize = 128;

/// Batches between two looks: a run that is looked at more often ends more often by chance.
const LOOKS: usize = 4;

/// By how much wider than an interval what excludes a goal is: a run is looked at until a look decides, and each look may be wrong. Pocock's
/// constant for ten looks (*Biometrika* 64(2), 1977), 2.555, over the 1.960 of one look.
const LOOKED: f64 = 1.304;

/// Figures of a kernel that a run may wait for, by their place in its result: every ratio, and what compares it with itself alone.
pub const FIGURES: [&str; RATIOS.len() + 2] = {
    let mut all = ["slowdown"; RATIOS.len() + 2];
    let mut i = 0;
    while i < RATIOS.len() {
        all[i] = RATIOS[i].path;
        i += 1;
    }
    all[GOAL_REACHED] = "goal_reached";
    all
};

/// The place of the slowdown among the figures.
pub const SLOWDOWN: usize = RATIOS.len();

/// The place of a goal among the figures.
pub const GOAL_REACHED: usize = SLOWDOWN + 1;

/// When a run knows what it measures.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settled {
    /// Half of the 95 % interval of each of the kernels' figures, as a part of the figure itself; over 0 and under 1.
    pub within: f64,
    /// Which figures: a bit for each of `FIGURES`.
    pub of: u32,
    /// Measured cycles after which the run ends all the same.
    pub at_most: Cycle,
}

/// What a goal asks for.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// This IPC.
    pub ipc: f64,
    /// Half of the interval of that IPC, as a part of it.
    pub error: f64,
}

/// What is known least of all that a run waits for.
#[derive(Clone, Copy, Debug)]
pub struct Least {
    /// Half of the interval as a part of the figure; missing where there is none yet.
    pub known: Option<f64>,
    /// Of which kernel.
    pub kernel: usize,
    /// Which figure, one of `FIGURES`.
    pub figure: &'static str,
    /// How many times too wide the interval is to decide; 1 or less decides.
    pub lacks: f64,
}

/// Whether the run is looked at after its last batch.
pub fn is_look(batches: &Batches) -> bool {
    let count = batches.rows().len();
    count >= FIRST_LOOK && count.is_multiple_of(LOOKS)
}

/// How far a run is from being settled.
#[derive(Clone, Copy, Debug)]
pub struct Settling {
    /// The first kernel that has not shown all of itself.
    pub waits_for: Option<usize>,
    /// What is known least.
    pub least: Option<Least>,
}

impl Settling {
    /// How far these batches of a run are from deciding what is asked. They may begin where the kernels do.
    ///
    /// - A ratio is decided when half of its interval is `within` of it.
    /// - So is a slowdown. The kernel alone is another run, which ends by the same rule. So either may err by `within` over the root of two, and
    ///   when this run ends does not depend on when it hears of the other.
    /// - A goal is decided, too, when its interval excludes it, on either side and however wide. Kernels without a goal are not waited for. Where
    ///   no goal is known, each slowdown is.
    pub fn of(batches: &Batches, from_the_beginning: bool, kernels: &[&Kernel], asked: &Settled, promises: &[Option<Promise>]) -> Settling {
        let sum = batches.sum();
        let is_promised = promises.iter().any(Option::is_some);
        let goal_of = |kernel: usize, figure: usize| promises.get(kernel).copied().flatten().filter(|_| figure == GOAL_REACHED);
        let is_asked = |figure: usize| asked.of & 1 << figure != 0;
        let waited_for = |kernel: usize, figure: usize| figure != GOAL_REACHED || !is_promised || goal_of(kernel, figure).is_some();
        let pairs = (0..sum.stats.len().min(kernels.len())).flat_map(|kernel| (0..FIGURES.len()).map(move |figure| (kernel, figure)));
        let pairs: Vec<(usize, usize)> = pairs.filter(|&(kernel, figure)| is_asked(figure) && waited_for(kernel, figure)).collect();
        let unseen: Vec<Option<f64>> =
            sum.stats.iter().zip(kernels).map(|(stats, kernel)| unseen(stats, sum.cycles, from_the_beginning, kernel)).collect();
        let waits = |&&(kernel, figure): &&(usize, usize)| match unseen[kernel] {
            Some(_) if goal_of(kernel, figure).is_some() => false,
            unseen => unseen.is_none_or(|unseen| unseen > asked.within),
        };
        let least = |&(kernel, figure): &(usize, usize)| {
            let ratio = known(batches, kernel, RATIOS.get(figure).unwrap_or(&IPC));
            let goal = goal_of(kernel, figure);
            let known = ratio.map(|ratio| match goal {
                Some(goal) => root_of_squares([ratio, goal.error]),
                None if figure >= SLOWDOWN => ratio * core::f64::consts::SQRT_2,
                None => ratio,
            });
            let lacks = |known: f64| match goal {
                Some(goal) => {
                    let reached = sum.stats[kernel].thread_instructions as f64 / sum.cycles.max(1) as f64 / goal.ipc;
                    let apart = if reached < 1.0 { 1.0 - reached } else { reached - 1.0 };
                    let unseen = unseen[kernel].unwrap_or(f64::INFINITY);
                    let narrow = if unseen <= asked.within { known / asked.within } else { f64::INFINITY };
                    if apart > 0.0 { narrow.min((known + unseen) * reached * LOOKED / apart) } else { narrow }
                }
                None => known / asked.within,
            };
            Least { known, kernel, figure: FIGURES[figure], lacks: known.map_or(f64::INFINITY, lacks) }
        };
        Settling {
            waits_for: pairs.iter().find(waits).map(|&(kernel, _)| kernel),
            least: pairs.iter().map(least).reduce(|worst, next| if next.lacks > worst.lacks { next } else { worst }),
        }
    }

    /// Whether a run that is looked at stops.
    pub fn is_done(&self) -> bool {
        self.waits_for.is_none() && self.least.is_some_and(|least| least.lacks <= 1.0)
    }
}

/// Generations of CTAs, one after the other in the same places, after which a launch has shown how it goes on.
const GENERATIONS: f64 = 4.0;

/// How much of itself a kernel has not shown; missing where that may be anything. It is nothing once it has run to its end, from its beginning. Of
/// one launch alone, whose CTAs are alike and of which some generations have come and gone, it is the last generation, with which it drains.
fn unseen(stats: &KernelStats, cycles: u64, from_its_beginning: bool, kernel: &Kernel) -> Option<f64> {
    let runs = if from_its_beginning { 1 } else { 2 };
    if stats.runs_done >= runs {
        return Some(0.0);
    }
    let generations = |ctas: u64| ctas as f64 * cycles as f64 / stats.cta_cycles as f64;
    // What repeats is more than one launch.
    match &kernel.launches[..] {
        [only] if kernel.repeats.is_empty() && stats.ctas_done > 0 && generations(stats.ctas_done) >= GENERATIONS => {
            Some(1.0 / generations(only.ctas().into()))
        }
        _ => None,
    }
}

impl Pace {
    /// Relative half-width of the IPC alone.
    fn error(&self) -> Option<f64> {
        error(self.alone?, self.alone_ci95)
    }
}

/// The ends of an IPC that is known to this part of itself.
pub fn interval(ipc: f64, error: f64) -> [f64; 2] {
    [(ipc - ipc * error).max(0.0), ipc + ipc * error]
}

/// The relative half-width of an IPC with these ends.
pub fn error(ipc: f64, ci95: Option<[f64; 2]>) -> Option<f64> {
    let [_, high] = ci95?; // the lower end may have been cut off at 0
    (ipc > 0.0).then(|| (high - ipc).max(0.0) / ipc)
}

/// Counters of the whole GPU.
fn sum(row: &Counters) -> KernelStats {
    let mut sum = KernelStats::default();
    row.stats.iter().for_each(|stats| sum += *stats);
    sum
}

/// What each batch adds to a ratio, relative to it; missing where nothing is divided by.
fn deviations(rows: &[Counters], parts: impl Fn(&Counters) -> (u64, u64)) -> Option<Vec<f64>> {
    let parts: Vec<(u64, u64)> = rows.iter().map(parts).collect();
    let (of, over) = parts.iter().fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    let share = |part: u64, sum: u64| if sum == 0 { 0.0 } else { part as f64 / sum as f64 };
    // What never happened is known not to happen.
    let one = |part: &(u64, u64)| if of == 0 { 0.0 } else { share(part.0, of) - share(part.1, over) };
    (over > 0).then(|| parts.iter().map(one).collect())
}

fn relative(rows: &[Counters], parts: impl Fn(&Counters) -> (u64, u64)) -> Option<f64> {
    half_width(&deviations(rows, parts)?)
}

/// The interval around a number of the result, which is `most` at most.
fn around(result: &Value, path: &str, relative: Option<f64>, most: f64) -> Value {
    let number = path.split('.').try_fold(result, |at, key| at.get(key)).and_then(Value::as_f64);
    ends(number, number.zip(relative).map(|(number, relative)| number * relative), most)
}

fn ends(number: Option<f64>, half: Option<f64>, most: f64) -> Value {
    number.zip(half).map(|(number, half)| Value::array([(number - half).max(0.0), (number + half).min(most.max(number))])).into()
}

fn of_ratios<'r>(
    result: &Value,
    ratios: impl IntoIterator<Item = &'r Ratio>,
    rows: &[Counters],
    stats: impl Fn(&Counters) -> KernelStats,
) -> Vec<(String, Value)> {
    let of = |ratio: &Ratio| {
        let relative = relative(rows, |row| ratio.parts(&stats(row), row.cycles));
        (ratio.path.to_string(), around(result, ratio.path, relative, ratio.most))
    };
    ratios.into_iter().map(of).collect()
}

fn of_stalls(result: &Value, rows: &[Counters], stalls: impl Fn(&Counters) -> StallCounts) -> Vec<(String, Value)> {
    let of = |(i, info): (usize, &StallInfo)| {
        let path = alloc::format!("stalls.{}", info.key);
        let relative = relative(rows, |row| (stalls(row).0[i], stalls(row).total()));
        let interval = around(result, &path, relative, 1.0);
        (path, interval)
    };
    StallCause::INFO.iter().enumerate().map(of).collect()
}

/// Fields with paths as an object; those of an inner object stand together.
fn nested(fields: Vec<(String, Value)>) -> Value {
    let mut outer: Vec<(String, Value)> = Vec::new();
    for (path, value) in fields {
        match path.split_once('.') {
            None => outer.push((path, value)),
            Some((group, key)) => {
                if outer.last().is_none_or(|(last, _)| last != group) {
                    outer.push((group.to_string(), Value::Object(Vec::new())));
                }
                if let Some((_, Value::Object(inner))) = outer.last_mut() {
                    inner.push((key.to_string(), value));
                }
            }
        }
    }
    Value::Object(outer)
}

pub fn root_of_squares(errors: impl IntoIterator<Item = f64>) -> f64 {
    libm::sqrt(errors.into_iter().map(|error| error * error).sum())
}

/// Intervals of the mix's metrics.
fn of_metrics(rows: &[Counters], paces: &[Pace], metrics: Metrics) -> Value {
    let progress: Option<Vec<f64>> = paces.iter().map(|pace| Some(pace.shared? / pace.alone?)).collect();
    let series = |k: usize| deviations(rows, |row| IPC.parts(&row.stats[k], row.cycles));
    let series: Option<Vec<Vec<f64>>> = (0..paces.len()).map(series).collect();
    let alone: Option<Vec<f64>> = paces.iter().map(Pace::error).collect();
    let interval = |(key, value, weights): (&'static str, Option<f64>, Vec<f64>)| {
        let half = series.as_ref().zip(alone.as_ref()).and_then(|(series, alone)| {
            let of_batch = |i: usize| weights.iter().zip(series).map(|(weight, series)| weight * series[i]).sum();
            let shared = half_width(&(0..rows.len()).map(of_batch).collect::<Vec<f64>>())?;
            Some(root_of_squares(weights.iter().zip(alone).map(|(weight, error)| weight * error).chain([shared])))
        });
        (key, ends(value, half, if key == "fairness" { 1.0 } else { NO_END }))
    };
    Value::object(derivatives(metrics, &progress.unwrap_or_default()).map(interval))
}

/// Each metric, and by how much it grows when each kernel's progress grows, relative to that: its derivatives by the logarithms.
fn derivatives(metrics: Metrics, progress: &[f64]) -> [(&'static str, Option<f64>, Vec<f64>); 5] {
    let count = progress.len() as f64;
    let (least, greatest) = progress.iter().fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), &p| (a.min(p), b.max(p)));
    let [hspeedup, fairness] = [metrics.hspeedup, metrics.fairness].map(Option::unwrap_or_default);
    let extreme = |p: f64| f64::from(u8::from(p == least)) - f64::from(u8::from(p == greatest));
    let of = |key, value, derivative: &dyn Fn(f64) -> f64| (key, value, progress.iter().map(|&p| derivative(p)).collect());
    [
        of("hspeedup", metrics.hspeedup, &|p| hspeedup * hspeedup / count / p),
        of("stp", metrics.stp, &|p| p),
        of("wspeedup", metrics.stp, &|p| p),
        of("antt", metrics.antt, &|p| -1.0 / p / count),
        of("fairness", metrics.fairness, &|p| fairness * extreme(p)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::ids::KernelId;
    use crate::describe::kernel::Launch;
    use crate::run::experiment::{Experiment, Stop};
    use crate::run::simulation::Simulation;

    /// A run with the runs alone that its metrics need.
    fn ended(kernels: &[&str], seed: u64, cycles: u64) -> Simulation {
        ended_on("tiny-2sm", kernels, seed, cycles)
    }

    fn ended_on(gpu: &str, kernels: &[&str], seed: u64, cycles: u64) -> Simulation {
        let fields = [("corun", Value::from(1)), ("gpu", gpu.into()), ("kernels", Value::array(kernels.iter().copied()))];
        let experiment = Experiment { seed, stop: Stop::Cycles(cycles), ..Experiment::decode(&Value::object(fields)).unwrap() };
        let mut run = Simulation::new(&experiment).unwrap();
        run.advance(u64::MAX);
        for kernel in KernelId::first(kernels.len()) {
            let mut alone = Simulation::new(&experiment.alone(kernel)).unwrap();
            alone.advance(u64::MAX);
            let answer = alone.answer();
            run.set_alone(kernel, answer.ipc, answer.ipc_ci95);
        }
        run
    }

    /// Every number with a fraction, by its path.
    fn fractions(value: &Value, path: &str, found: &mut Vec<(String, f64)>) {
        match value {
            Value::Float(x) => found.push((path.to_string(), *x)),
            Value::Object(pairs) => pairs.iter().for_each(|(key, value)| fractions(value, &alloc::format!("{path}.{key}"), found)),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, value)| fractions(value, &alloc::format!("{path}.{i}"), found));
            }
            _ => {}
        }
    }

    fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
        let step = |value: &'v Value, key: &str| match value {
            Value::Array(items) => &items[key.parse::<usize>().unwrap()],
            value => value.get(key).unwrap_or(&Value::Null),
        };
        path.split('.').skip(1).fold(value, step)
    }

    #[test]
    fn every_ratio_has_an_interval_where_it_stands() {
        let result = ended_on("hetero-8b8s", &["ccbp/BP", "ccbp/CFD"], 1, 30_000).result();
        let mut found = Vec::new();
        for part in ["gpu", "kernels", "metrics", "sm_classes"] {
            fractions(result.get(part).unwrap(), &alloc::format!(".{part}"), &mut found);
        }
        // A breakdown is other figures once more, whose intervals stand beside them.
        found.retain(|(path, _)| !path.contains(".breakdown."));
        assert!(found.len() > 60, "{}", found.len());
        let ci95 = result.get("ci95").unwrap();
        let mut wide = 0;
        for (path, number) in found {
            let Value::Array(ends) = at(ci95, &path) else { panic!("no interval for {path}") };
            let [low, high] = [0, 1].map(|i| ends[i].as_f64().unwrap());
            assert!(low <= number && number <= high, "{path}: {low} {number} {high}");
            wide += usize::from(low < high);
        }
        assert!(wide > 50, "{wide}");
    }

    /// Whether a number of the result is a part of a whole.
    fn is_share(path: &str) -> bool {
        let name = path.split('.').find(|part| part.contains("stalls")).or(path.rsplit('.').next()).unwrap();
        name.contains("stalls")
            || name.contains("utilisation")
            || name.ends_with("_rate")
            || ["rf", "throughput", "fairness"].contains(&name)
    }

    /// A run that is much too short knows its ratios so badly that an interval around them would leave what they can be.
    #[test]
    fn no_interval_goes_beyond_what_its_ratio_can_be() {
        let result = ended(&["ccbp/BP", "ccbp/CFD"], 1, 4400).result();
        let (mut ends, mut cut) = (Vec::new(), [0, 0]);
        fractions(result.get("ci95").unwrap(), ".ci95", &mut ends);
        for (path, end) in ends {
            let (name, which) = path.rsplit_once('.').unwrap();
            assert!(end >= 0.0 && (end <= 1.0 || !is_share(name)), "{path}: {end}");
            cut[0] += usize::from(which == "0" && end == 0.0);
            cut[1] += usize::from(which == "1" && end == 1.0);
        }
        assert!(cut[0] > 9 && cut[1] > 1, "{cut:?}");
    }

    /// What a ratio divides is what the result divides: the two differ by one constant for both kernels.
    #[test]
    fn ratios_are_those_of_the_result() {
        let mut run = ended(&["ccbp/BP", "ccbp/CFD"], 1, 30_000);
        let (result, measured) = (run.result(), run.measured());
        for ratio in RATIOS {
            let shown = |k: usize| at(&result, &alloc::format!(".kernels.{k}.{}", ratio.path)).as_f64().unwrap();
            let divided = |k: usize| {
                let (of, over) = ratio.parts(&measured.stats[k], measured.cycles);
                of as f64 / over as f64
            };
            let [one, other] = [shown(0) * divided(1), shown(1) * divided(0)];
            assert!((one - other).abs() <= 1e-12 * one, "{}: {one} {other}", ratio.path);
        }
    }

    /// The derivatives of every metric are what a small change of one kernel's progress does to it.
    #[test]
    fn derivatives_are_those_of_the_metrics() {
        let progress = [0.7, 0.2, 0.4];
        let of = |progress: &[f64]| Metrics::of(&progress.iter().map(|&p| (Some(1.0), Some(p))).collect::<Vec<_>>());
        let step = 1e-6;
        for k in 0..3 {
            let mut more = progress;
            more[k] *= 1.0 + step;
            let after = derivatives(of(&more), &more);
            for ((key, value, weights), (_, after, _)) in derivatives(of(&progress), &progress).into_iter().zip(after) {
                let change = (after.unwrap() - value.unwrap()) / step;
                assert!((change - weights[k]).abs() < 1e-4, "{key} by kernel {k}: {change}, not {}", weights[k]);
            }
        }
    }

    /// A launch of which only a part has run counts if it is so long that its end does not matter, and shows nothing of another launch.
    #[test]
    fn a_launch_has_shown_all_when_its_end_does_not_matter() {
        let sad = ended(&["ccbp/SAD"], 1, 1).experiment().kernels[0].kernel.clone();
        let of = |ctas: u32, launches: usize| {
            let mut kernel = sad.clone();
            kernel.launches = alloc::vec![Launch { grid: ctas.into(), ..kernel.launches[0].clone() }; launches];
            kernel
        };
        // Ten CTAs at a time, each 1,000 cycles, after 3,900, 4,000 and 8,000 cycles.
        let after = |ctas_done, runs_done| KernelStats { ctas_done, cta_cycles: ctas_done * 1000, runs_done, ..KernelStats::default() };
        let left = |done: u64, runs, kernel: &Kernel| unseen(&after(done, runs), done * 100, true, kernel);
        assert_eq!([39, 40, 80].map(|done| left(done, 0, &of(10_000, 1))), [None, Some(0.001), Some(0.001)]);
        assert_eq!(left(80, 0, &of(800, 1)), Some(0.0125), "its end is more than 1 % of it");
        assert_eq!(left(80, 0, &of(10_000, 2)), None, "the second launch has not begun");
        assert_eq!(left(1800, 1, &of(900, 2)), Some(0.0), "a whole run");
        assert_eq!(unseen(&after(1800, 1), 180_000, false, &of(900, 2)), None, "a run that was under way when measuring began");
        assert_eq!(left(0, 0, &of(10_000, 1)), None, "none has ended");
    }

    /// Too short a run says nothing about itself.
    #[test]
    fn a_run_of_few_batches_has_no_intervals() {
        let result = ended(&["ccbp/BP"], 1, 3000).result();
        assert_eq!(at(&result, ".ci95.kernels.0.ipc"), &Value::Null);
        assert_eq!(at(&result, ".ci95.metrics.hspeedup"), &Value::Null);
        assert_eq!(at(&result, ".ci95.batches"), &Value::from(7_u32));
    }

    /// Twenty seeds of runs on a tiny machine: how often the interval of one run covers the mean of all.
    #[test]
    fn one_run_covers_the_mean_over_seeds() {
        let runs: Vec<Value> = (1..=20).map(|seed| ended(&["ccbp/BT", "ccbp/SAD"], seed, 60_000).result()).collect();
        for path in [".kernels.0.ipc", ".kernels.1.ipc", ".kernels.1.dram_utilisation", ".kernels.0.slowdown", ".metrics.hspeedup"] {
            let mean = runs.iter().map(|run| at(run, path).as_f64().unwrap()).sum::<f64>() / 20.0;
            let covers = |run: &&Value| {
                let end = |i: usize| at(run, &alloc::format!(".ci95{path}.{i}")).as_f64().unwrap();
                end(0) <= mean && mean <= end(1)
            };
            let covered = runs.iter().filter(covers).count();
            std::eprintln!("{path}: {covered} of 20, mean {mean}");
            assert!(covered >= 17, "{path}: {covered} of 20");
        }
    }
}
