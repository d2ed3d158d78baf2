//! Whether a race finds the best scheme of a mix, and what it saves: every scheme runs whole, and is looked at on the way where the race looks.

use crate::Page;
use corun_lab::menu::{self, Variant};
use corun_lab::{native, workers};
use sim_core::describe::kernel::library;
use sim_core::describe::rng::{below, mix};
use sim_core::describe::value::Value;
use sim_core::study::race::{BEHIND, FIRST_LOOK, Standing, race};
use sim_core::{Experiment, Plan, Simulation, SoloProfiles};

/// Presets of 16 to 30 SMs with a crossbar.
const GPUS: [&str; 4] = ["ccbp-16sm", "fermi-16sm", "qos-16sm", "rtx2060-30sm"];

/// Length of a whole run, as on the page.
const CYCLES: u64 = 500_000;

/// The further forms of the page's menu.
const VARIANTS: &str = include_str!("../../web/src/schemes/variants.json");

/// Kernels on a GPU.
#[derive(Clone, PartialEq, Debug)]
struct Mix {
    gpu: &'static str,
    kernels: Vec<&'static str>,
}

/// A scheme on a mix.
#[derive(Clone, Debug)]
struct Entry {
    mix: usize,
    name: String,
    experiment: Experiment,
}

/// Where a scheme stood each time that a race would look, and at its end.
type Course = Vec<Standing>;

/// A race, and what whole runs say.
#[derive(Debug)]
struct Raced {
    /// The best of all, and the best that the race has left, as places in the menu.
    best: usize,
    found: usize,
    /// The best's interval does not tell what was found from it.
    alike: bool,
    schemes: usize,
    /// Schemes that race on after the first look, and those that run whole.
    left: usize,
    whole: usize,
    /// Cycles that are run, as a part of those of whole runs.
    part: f64,
}

/// Fills the page. Arguments: how many mixes, and the seed that draws them.
pub fn page(args: &[String], page: &mut Page) -> Result<(), String> {
    let [wanted, seed] = args else { return Err("wanted are the number of mixes and a seed".into()) };
    let number = |text: &String| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let (wanted, seed) = (number(wanted)?, number(seed)?);
    let mixes = drawn(seed, wanted as usize);
    let variants = menu::variants("variants.json", VARIANTS).map_err(|problems| problems.to_string())?;
    let entries: Vec<Entry> = mixes.iter().enumerate().flat_map(|(at, mix)| mix.entries(at, &variants)).collect();
    let plans: Vec<Plan> = entries.iter().map(|entry| Plan::of(&entry.experiment)).collect();
    let alone = native::profiles(plans.iter().flat_map(Plan::runs), None, workers::jobs(None), None);
    let alone = alone.map_err(|failure| format!("{failure:?}"))?.ok_or("it was told to stop")?;
    let courses = super::each(&entries, |entry| course(entry, &alone))?;
    let of_mix = |at: usize| entries.iter().zip(&courses).filter(move |(entry, _)| entry.mix == at);
    let raced: Vec<Raced> = (0..mixes.len()).map(|at| replayed(&of_mix(at).map(|(_, course)| course).collect::<Vec<_>>())).collect();
    page.say("seed", seed);
    for (at, (mix, one)) in mixes.iter().zip(&raced).enumerate() {
        let names: Vec<&str> = of_mix(at).map(|(entry, _)| entry.name.as_str()).collect();
        page.line("rows", row(mix, one, &names));
    }
    fill(&raced, page);
    Ok(())
}

impl Mix {
    fn under(&self, policy: &Value) -> Option<Experiment> {
        let fields = [
            ("corun", Value::from(1)),
            ("gpu", self.gpu.into()),
            ("kernels", Value::array(self.kernels.iter().copied())),
            ("policy", policy.clone()),
            ("alone", true.into()),
            ("stop", Value::object([("cycles", CYCLES)])),
        ];
        Experiment::decode(&Value::object(fields)).ok()
    }

    /// Every scheme of the menu that applies.
    fn entries(&self, mix: usize, variants: &[Variant]) -> Vec<Entry> {
        let entry = |policy: Value| {
            let form = variants.iter().find(|form| form.policy == policy).and_then(|form| form.title.clone());
            let name = form.or_else(|| menu::named(&policy).map(str::to_owned)).unwrap_or_default();
            self.under(&policy).map(|experiment| Entry { mix, name, experiment })
        };
        menu::policies(self.kernels.len(), false, variants).into_iter().filter_map(entry).collect()
    }
}

/// The first mixes of the draw, none of them twice, each of kernels that can run beside each other.
fn drawn(seed: u64, count: usize) -> Vec<Mix> {
    let mut mixes: Vec<Mix> = Vec::new();
    for at in 0..100 * count as u64 {
        let one = drawn_at(seed, at);
        if mixes.len() < count && one.under(&"even".into()).is_some() && !mixes.contains(&one) {
            mixes.push(one);
        }
    }
    mixes
}

/// The mix at a place of the draw: two or three different kernels on one of the GPUs.
fn drawn_at(seed: u64, at: u64) -> Mix {
    let draw = |part: u64, bound: usize| below(mix(mix(seed, at), part), bound as u64) as usize;
    // Those of `ikra` are made for its mesh.
    let mut left: Vec<&'static str> = library::names().into_iter().filter(|name| !name.starts_with("ikra/")).collect();
    let mut kernels: Vec<&str> = (0..2 + draw(1, 2) as u64).map(|k| left.remove(draw(2 + k, left.len()))).collect();
    kernels.sort_unstable();
    Mix { gpu: GPUS[draw(0, GPUS.len())], kernels }
}

/// The cycles at which a race looks, as its rule says for a scheme that is never dropped.
fn looks() -> Vec<u64> {
    let next = |at: &Option<u64>| at.map(|cycle| race(CYCLES, &[Standing { cycle, ..Standing::default() }]).to);
    std::iter::successors(Some(race(CYCLES, &[]).to), next).flatten().collect()
}

/// Runs a scheme whole.
fn course(entry: &Entry, alone: &SoloProfiles) -> Result<Course, String> {
    let mut run = Simulation::with(&entry.experiment, alone).map_err(|problems| format!("{}: {problems}", entry.name))?;
    run.add_solo_profiles(alone);
    let mut course = Course::new();
    for look in looks().into_iter().chain([u64::MAX]) {
        run.advance(look - run.cycle());
        course.push(Standing::of(&mut run));
    }
    course.iter_mut().last().into_iter().for_each(|last| last.cycle = CYCLES);
    Ok(course)
}

/// What a race would have made of these courses.
fn replayed(courses: &[&Course]) -> Raced {
    let mut now = vec![Standing::default(); courses.len()];
    let (mut out, mut left) = (vec![false; courses.len()], None);
    loop {
        let racing: Vec<usize> = (0..courses.len()).filter(|at| !out[*at]).collect();
        let told = race(CYCLES, &racing.iter().map(|at| now[*at]).collect::<Vec<_>>());
        let to = told.to.unwrap_or(CYCLES);
        let mut goes_on = 0;
        for (at, fate) in racing.into_iter().zip(told.fates) {
            out[at] = fate.behind.is_some();
            if fate.goes_on {
                goes_on += 1;
                now[at] = courses[at].iter().find(|standing| standing.cycle >= to).copied().unwrap_or(now[at]);
            }
        }
        if to > FIRST_LOOK && left.is_none() {
            left = Some(goes_on);
        }
        if goes_on == 0 {
            break;
        }
    }
    let whole: Vec<Standing> = courses.iter().filter_map(|course| course.last().copied()).collect();
    let figure = |at: &usize| whole[*at].speedup.unwrap_or(-1.0);
    let top = |of: &dyn Fn(&usize) -> bool| {
        (0..whole.len()).filter(|at| of(at)).max_by(|a, b| figure(a).total_cmp(&figure(b)).then(b.cmp(a))).unwrap_or(0)
    };
    let (best, found) = (top(&|_| true), top(&|at| !out[*at]));
    Raced {
        best,
        found,
        alike: best == found || whole[best].ends.is_some_and(|[low, _]| figure(&found) >= low),
        schemes: courses.len(),
        left: left.unwrap_or(0),
        whole: out.iter().filter(|out| !**out).count(),
        part: now.iter().map(|standing| standing.cycle).sum::<u64>() as f64 / (CYCLES * courses.len() as u64).max(1) as f64,
    }
}

fn row(mix: &Mix, one: &Raced, names: &[&str]) -> String {
    let found = if one.found == one.best { "the same" } else { names[one.found] };
    let verdict = if one.alike { "" } else { "missed" };
    let Raced { schemes, left, whole, part, .. } = one;
    format!("| {} | {} | {} | {found} | {schemes} | {left} | {whole} | {part:.2} | {verdict} |", mix.gpu, mix.kernels.join(" + "), names[one.best])
}

fn fill(raced: &[Raced], page: &mut Page) {
    let count = |of: &dyn Fn(&Raced) -> bool| raced.iter().filter(|one| of(one)).count();
    let product: f64 = raced.iter().map(|one| one.part.ln()).sum();
    page.say("count", raced.len());
    page.say("cycles", CYCLES);
    page.say("first", FIRST_LOOK);
    page.say("kept", (100.0 * (1.0 - BEHIND)).round());
    page.say("looks", looks().iter().skip(1).map(u64::to_string).collect::<Vec<_>>().join(" and "));
    page.say("alike", count(&|one| one.alike));
    page.say("strict", count(&|one| one.best == one.found));
    page.say("part", format!("{:.2}", (product / raced.len().max(1) as f64).exp()));
    page.say("whole", count(&|one| one.whole == one.schemes));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(cycle: u64, speedup: f64) -> Standing {
        Standing { cycle, steady_since: Some(0), speedup: Some(speedup), ends: Some([speedup - 0.01, speedup + 0.01]) }
    }

    fn steady(speedup: f64) -> Course {
        looks().into_iter().chain([CYCLES]).map(|cycle| at(cycle, speedup)).collect()
    }

    #[test]
    fn a_race_is_replayed_from_courses() {
        // Far behind, and behind beyond the intervals: dropped at the first look and at the second.
        let courses = [steady(0.5), steady(0.2), steady(0.46), steady(0.49)];
        let raced = replayed(&courses.iter().collect::<Vec<_>>());
        assert_eq!((raced.best, raced.found, raced.alike, raced.schemes), (0, 0, true, 4));
        assert_eq!((raced.left, raced.whole), (3, 2));
        let second = looks()[1];
        assert!((raced.part - (2 * CYCLES + FIRST_LOOK + second) as f64 / (4 * CYCLES) as f64).abs() < 1e-9, "{}", raced.part);
        // One that was far behind and comes to be the best is missed.
        let mut late = steady(0.2);
        late.iter_mut().skip(1).for_each(|standing| (standing.speedup, standing.ends) = (Some(0.9), Some([0.8, 1.0])));
        let courses = [steady(0.5), late];
        let raced = replayed(&courses.iter().collect::<Vec<_>>());
        assert_eq!((raced.best, raced.found, raced.alike), (1, 0, false));
    }

    #[test]
    fn a_draw_is_of_different_mixes_and_the_menu_has_what_the_page_has() {
        let mixes = drawn(1, 20);
        assert_eq!(mixes.len(), 20);
        assert!(mixes.iter().enumerate().all(|(at, mix)| !mixes[..at].contains(mix) && (2..=3).contains(&mix.kernels.len())));
        let variants = menu::variants("variants.json", VARIANTS).unwrap();
        let mix = Mix { gpu: "ccbp-16sm", kernels: vec!["ccbp/BP", "ccbp/CFD"] };
        assert_eq!(mix.entries(0, &variants).len(), 29);
    }
}
