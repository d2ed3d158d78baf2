//! Whether an answer depends on which warp goes first: pairs of five papers' kernels under `gto` and under `gty`.

use super::{Page, each};
use super::verdicts::{Mix, drawn, ran};
use sim_core::describe::value::Value;
use sim_core::{Experiment, Outcome};

/// How many mixes are drawn, and with which seed.
const MIXES: usize = 40;
const SEED: u64 = 3;

/// Length of each run, core cycles, and what goes before it.
const CYCLES: u64 = 100_000;
const WARM_UP: u64 = 10_000;

const SCHEMES: [&str; 3] = ["even", "spatial", "smk"];

/// A scheme is better than another where its HSpeedup is by this part.
const BETTER: f64 = 0.02;

/// Slowdowns are another where they differ by this part.
const OTHER: f64 = 0.1;

/// Of a mix under an order: how much slower each kernel is under the even split, and HSpeedup under each scheme.
struct Seen {
    slowdowns: [f64; 2],
    best: [f64; 3],
}

impl Seen {
    fn of(mix: &Mix, order: &str) -> Result<Seen, String> {
        let outcomes = SCHEMES.map(|scheme| Ok::<_, String>(ran(&experiment(mix, order, scheme)?)?.outcome()));
        let [even, spatial, smk] = outcomes;
        let outcomes: [Outcome; 3] = [even?, spatial?, smk?];
        let slowdown = |kernel: usize| outcomes[0].kernels[kernel].slowdown.unwrap_or(f64::INFINITY);
        let best = outcomes.each_ref().map(|outcome| outcome.metrics.hspeedup.unwrap_or(0.0));
        Ok(Seen { slowdowns: [slowdown(0), slowdown(1)], best })
    }

    fn suffers(&self) -> usize {
        usize::from(self.slowdowns[1] > self.slowdowns[0])
    }

    fn best(&self) -> usize {
        (1..3).fold(0, |best, at| if self.best[at] > self.best[best] { at } else { best })
    }
}

/// Fills the page.
pub fn page(_: &[String], page: &mut Page) -> Result<(), String> {
    // The draw has schemes, too: a pair counts once, whatever its scheme.
    let mut mixes: Vec<Mix> = Vec::new();
    for mix in drawn(SEED, 3 * MIXES) {
        let same = |other: &Mix| other.gpu == mix.gpu && mix.kernels.iter().all(|kernel| other.kernels.contains(kernel));
        if mixes.len() < MIXES && !mixes.iter().any(same) {
            mixes.push(mix);
        }
    }
    let seen = each(&mixes, |mix| Ok((Seen::of(mix, "gto")?, Seen::of(mix, "gty")?)))?;
    let seen: Vec<(&Mix, Seen, Seen)> = mixes.iter().zip(seen).map(|(mix, (gto, gty))| (mix, gto, gty)).collect();
    let count = |of: &dyn Fn(&Seen, &Seen) -> bool| seen.iter().filter(|(_, gto, gty)| of(gto, gty)).count();
    page.say("mixes", seen.len());
    page.say("same", count(&|gto, gty| gto.suffers() == gty.suffers()));
    page.say("other", count(&|gto, gty| apart(gto, gty) >= OTHER));
    page.say("best", count(&|gto, gty| !other_best(gto, gty)));
    for (mix, gto, gty) in &seen {
        let [first, second] = &mix.kernels;
        let marked = |is: bool, text: String| if is { format!("**{text}**") } else { text };
        let both = |seen: &Seen| seen.slowdowns.map(|slowdown| format!("{slowdown:.2}")).join(", ");
        page.line("rows", format!(
            "| {} | {first} + {second} | {} | {} | {} | {} |",
            mix.gpu,
            both(gto),
            marked(gto.suffers() != gty.suffers(), both(gty)),
            SCHEMES[gto.best()],
            marked(other_best(gto, gty), SCHEMES[gty.best()].into())
        ));
    }
    Ok(())
}

/// How far the slowdowns of a kernel are apart, of the one whose are further.
fn apart(gto: &Seen, gty: &Seen) -> f64 {
    gto.slowdowns.iter().zip(gty.slowdowns).map(|(gto, gty)| (gty / gto - 1.0).abs()).fold(0.0, f64::max)
}

/// Whether each order's best scheme is worse than the best under the other.
fn other_best(gto: &Seen, gty: &Seen) -> bool {
    let worse = |seen: &Seen, than: usize| seen.best[than] < seen.best[seen.best()] * (1.0 - BETTER);
    worse(gto, gty.best()) || worse(gty, gto.best())
}

fn experiment(mix: &Mix, order: &str, scheme: &str) -> Result<Experiment, String> {
    let fields = [
        ("corun", Value::from(1)),
        ("gpu", mix.gpu.into()),
        ("kernels", Value::array(mix.kernels.iter().map(String::as_str))),
        ("policy", scheme.into()),
        ("warp_order", order.into()),
        ("warm_up", WARM_UP.into()),
        ("stop", Value::object([("cycles", CYCLES)])),
    ];
    Experiment::from_json(&Value::object(fields).to_string()).map_err(|problems| problems.to_string())
}
