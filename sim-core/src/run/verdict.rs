//! The verdict: who suffers from sharing, and how much of that is its share, as data and in words. Why the neighbours cost a kernel something is found
//! by running (`run/why.rs`).

pub(super) mod words;

use self::words::{ALIKE, Figure, PART, Part, Sentence, headline, list_of, pace, percent};
use crate::describe::ids::{KernelId, MAX_KERNELS};
use crate::describe::record::Absent::Needed;
use crate::describe::record::{Shape, int, list, names, record, text};
use crate::describe::value::Value;
use crate::interface::ratios::ratio;
use crate::interface::stats::StallCause;
use crate::machine::Divided;
use crate::run::experiment::Stop;
use crate::run::outcome::KernelOutcome;
use crate::run::simulation::{Measured, Reason, Simulation};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

names! {
    /// What a verdict answers.
    #[derive(PartialOrd, Ord)]
    pub enum Question {
        /// Who suffers from sharing.
        Sharing = "sharing",
        /// Who suffers from sharing, and who sits on SMs of which class.
        Classes = "classes",
        /// Who keeps its promise.
        Goals = "goals",
        /// What one kernel finds again in its caches.
        Reuse = "reuse",
    }
}

record! {
    /// Who suffers, and how much.
    pub struct Verdict as VERDICT "Verdict", "a verdict";
    /// What it answers.
    question: Question = Shape::Choice(Question::NAMES), Needed;
    /// The answer, read at a glance: who suffers most and by what, in pieces of which some are kernels and their figures.
    headline: Vec<Part> = list!(Shape::Record(&PART), 1, 64, "pieces"), Needed;
    /// What else there is to say, a sentence each.
    says: Vec<String> = list!(text!(400), 0, MAX_SENTENCES, "sentences"), Needed;
    /// The kernel that suffers most.
    sufferer: Option<u32> = Shape::Nullable(&int!(0, MAX_KERNELS - 1)), Needed;
    /// How many times slower than alone that is.
    slowdown: Option<f64> ["×"] = Shape::Measured, Needed;
    /// The ends of the 95 % interval of that.
    ci95: Option<[f64; 2]> = Shape::Nullable(&list!(Shape::Measured, 2, 2, "ends of an interval")), Needed;
    /// Whether the run is long enough, and its policy has learned.
    sure: bool = Shape::Flag, Needed;
}

/// Sentences of a verdict, at most.
const MAX_SENTENCES: usize = 8;

/// Kernels in a sentence that is read at a glance.
const FEW: usize = 3;

/// A kernel suffers from this slowdown on.
pub const SUFFERS: f64 = 1.1;

/// What a sentence about runs alone that go on ends with.
const SO_FAR: &str = "Kernels alone are still being measured, which may change this.";

/// A factor stands in a sentence if its interval is at most this part of it to either side.
const SAYABLE: f64 = 0.25;

/// From this part of its time on, a kernel sits on SMs of a class.
const SITS: f64 = 0.9;

/// A slowdown is known if its interval is at most this part of it to either side.
const KNOWN: f64 = 0.15;

/// What a run says as it stands. `kernels` and `ci95` are its result's.
pub fn verdict(simulation: &Simulation, measured: &Measured, kernels: &[KernelOutcome], ci95: &Value) -> Verdict {
    let run = Run { simulation, measured, kernels, ci95 };
    let mut verdict = if kernels.iter().any(|kernel| kernel.goal_ipc.is_some()) {
        run.goals()
    } else if let [one] = kernels {
        run.reuse(one)
    } else {
        run.sharing()
    };
    if let Some(missed) = run.missed() {
        (verdict.sure, verdict.says) = (false, verdict.says.into_iter().take(MAX_SENTENCES - 1).chain([missed]).collect());
    }
    verdict
}

struct Run<'r> {
    simulation: &'r Simulation,
    measured: &'r Measured,
    kernels: &'r [KernelOutcome],
    ci95: &'r Value,
}

impl Verdict {
    fn said(question: Question, sentences: Vec<Sentence>, sure: bool) -> Verdict {
        let (Sentence(headline), rest) = headline(sentences);
        let says = rest.iter().map(Sentence::text).collect();
        Verdict { question, headline, says, sufferer: None, slowdown: None, ci95: None, sure }
    }

    /// The headline as text.
    pub fn headline_text(&self) -> String {
        Sentence(self.headline.clone()).text()
    }

    /// The headline and what else there is to say.
    pub fn sentences(&self) -> Vec<String> {
        [self.headline_text()].into_iter().chain(self.says.iter().cloned()).collect()
    }

    /// Goes on with why the kernel suffers: in the headline, if that is read at a glance then. One that does not say how much names no cause.
    pub(super) fn add_cause(&mut self, why: Sentence) {
        if self.headline.iter().all(|part| part.figure != Some(Figure::Slowdown)) {
            return;
        }
        let (Sentence(whole), rest) = headline(alloc::vec![Sentence(core::mem::take(&mut self.headline)), why]);
        self.headline = whole;
        self.says.splice(0..0, rest.iter().map(Sentence::text));
    }
}

impl Run<'_> {
    /// That a run which was to be settled ended at its most cycles.
    fn missed(&self) -> Option<String> {
        let Stop::Settled(asked) = self.simulation.experiment().stop else { return None };
        if self.simulation.stopped() != Some(Reason::Cycles) {
            return None;
        }
        let settling = self.simulation.settling()?;
        let name = |k: usize| &self.kernels[k].name;
        let known = settling.least.and_then(|least| least.known);
        let far = match (settling.waits_for, known) {
            (Some(kernel), _) => format!("{} has not shown a whole launch", name(kernel)),
            (None, Some(known)) => format!("± {}", percent(known)),
            (None, None) => "nothing is known".into(),
        };
        Some(format!("The run was to settle within ± {}, and missed that at its most cycles: {far}.", percent(asked.within)))
    }

    fn reuse(&self, one: &KernelOutcome) -> Verdict {
        let found = one.rates.l1_hit_rate.zip(one.rates.l2_miss_rate);
        let share = one.share.as_ref().filter(|_| self.suffers(0) && self.is_known(0));
        let slower =
            share.zip(one.slowdown).map(|(share, slowdown)| pace(0, &one.name, slowdown, false).words(format!(": its share is {share}.")));
        let name = Sentence::default().name(0, &one.name);
        let says = match found {
            Some((l1, l2)) => name.words(format!(
                " finds {} of its reads in L1D, and L2 finds {} of what it is asked for.",
                percent(l1),
                percent(1.0 - l2)
            )),
            None => name.words(" has read nothing."),
        };
        Verdict::said(Question::Reuse, slower.into_iter().chain([says]).collect(), found.is_some())
    }

    fn goals(&self) -> Verdict {
        let promised = |&k: &usize| self.kernels[k].goal_ipc.is_some();
        let kept = |k: usize| {
            let reached = self.kernels[k].goal_reached?;
            let (by, name) = (percent((reached - 1.0).abs()), Sentence::default().name(k, &self.kernels[k].name));
            Some(name.words(if reached >= 1.0 {
                format!(" keeps its promise, with {by} to spare.")
            } else {
                format!(" misses its promise by {by}.")
            }))
        };
        let all = 0..self.kernels.len();
        let mut says: Vec<Sentence> = all.clone().filter(promised).filter_map(kept).collect();
        let others = all.clone().filter(|k| !promised(k) && self.is_known(*k));
        says.extend(others.filter_map(|k| Some(pace(k, &self.kernels[k].name, self.kernels[k].slowdown?, false).words("."))));
        let held = all.filter(|&k| self.held(k) >= ALIKE);
        says.extend(held.map(|k| {
            let part = percent(self.held(k));
            Sentence::default()
                .words("The scheme's quota holds ")
                .name(k, &self.kernels[k].name)
                .words(format!(" back in {part} of the cycles in which its schedulers issue nothing."))
        }));
        says.truncate(MAX_SENTENCES - 1);
        let decided = self
            .kernels
            .iter()
            .enumerate()
            .filter(|(_, kernel)| kernel.goal_ipc.is_some())
            .all(|(k, _)| self.ends(k, "goal_reached").is_some_and(|[low, high]| low >= 1.0 || high < 1.0));
        if says.is_empty() {
            says.push(Sentence::default().words("Nothing is known of the goals yet."));
        } else if !decided {
            says.push(Sentence::default().words("A longer run would tell a promise that is kept from one that is missed."));
        }
        Verdict::said(Question::Goals, says, decided)
    }

    fn sharing(&self) -> Verdict {
        let mut order: Vec<usize> = (0..self.kernels.len()).collect();
        order.sort_by(|&a, &b| self.slowdown(b).unwrap_or(0.0).total_cmp(&self.slowdown(a).unwrap_or(0.0)));
        if self.measured.cycles == 0 || order.iter().any(|&k| self.slowdown(k).is_none()) {
            let says = Sentence::default().words("How fast each kernel is alone is not known yet.");
            return Verdict::said(Question::Sharing, alloc::vec![says], false);
        }
        // Who is known to suffer comes before who may suffer more, but behind who certainly does.
        let (first, low) = (order[0], self.ends(order[0], "slowdown").map_or(0.0, |[low, _]| low));
        let known = |k: usize| self.suffers(k) && self.is_known(k) && (k == first || self.slowdown(k) >= Some(low));
        let first_known = order.iter().position(|&k| known(k)).unwrap_or(0);
        order[..=first_known].rotate_right(1);
        let worst = order[0];
        let (first, mut says) = self.paces(&order);
        let sits = self.sits(&order);
        let question = if sits.is_some() { Question::Classes } else { Question::Sharing };
        says.extend(sits);
        says.extend(self.lacks_a_goal());
        let kept_out = order.iter().filter(|&&k| self.suffers(k)).filter_map(|&k| self.kept_out(k));
        says.extend(kept_out);
        let mut verdict = Verdict::said(question, alloc::vec![first], false);
        verdict.slowdown = self.slowdown(worst).filter(|times| times.is_finite());
        verdict.ci95 = self.ends(worst, "slowdown");
        if self.suffers(worst) {
            says.extend(self.its_share(worst));
            verdict.sufferer = Some(worst as u32);
            let precise = verdict.ci95.zip(verdict.slowdown).is_some_and(|([low, high], slowdown)| high - low <= 2.0 * KNOWN * slowdown);
            verdict.sure =
                precise && self.is_known(worst) && first_known == 0 && self.simulation.has_settled() && !self.simulation.is_so_far();
            says.extend(self.wants(precise && first_known == 0).filter(|_| !verdict.sure).map(ToString::to_string));
        } else {
            let high = verdict.ci95.map(|[_, high]| high);
            verdict.sure = self.is_known(worst) && high.is_some_and(|high| high < SUFFERS) && !self.simulation.is_so_far();
        }
        verdict.says = says;
        verdict
    }

    fn slowdown(&self, k: usize) -> Option<f64> {
        slowdown(&self.kernels[k])
    }

    fn is_known(&self, k: usize) -> bool {
        is_known(&self.kernels[k], self.ends(k, "slowdown"))
    }

    fn suffers(&self, k: usize) -> bool {
        suffers(self.kernels, self.ci95, k)
    }

    /// How slow the worst kernel is, and by what; and in further sentences, how slow others are.
    fn paces(&self, order: &[usize]) -> (Sentence, Vec<String>) {
        let worst = order[0];
        let (known, unknown): (Vec<usize>, Vec<usize>) = order.iter().partition(|&&k| self.is_known(k));
        let clauses = |of: &[usize], mut again: bool| {
            of.iter().enumerate().fold(Sentence::default(), |all, (n, &k)| {
                let slowdown = self.slowdown(k).unwrap_or_default();
                let mut all = if n > 0 { all.words(", ") } else { all };
                all.0.extend(pace(k, &self.kernels[k].name, slowdown, again).0);
                again |= slowdown > 1.0 + ALIKE && slowdown.is_finite();
                all
            })
        };
        let others = |of: &[usize], again| (!of.is_empty()).then(|| clauses(of, again).words(".").text());
        if unknown.is_empty() && !self.suffers(worst) {
            let (few, rest) = known.split_at(known.len().min(FEW));
            let mut first = Sentence::default().words("Nobody suffers: ");
            first.0.extend(clauses(few, false).words(".").0);
            return (first, others(rest, false).into_iter().collect());
        }
        let names = list_of(unknown.iter().map(|&k| self.kernels[k].name.as_str()));
        let one = unknown.len() == 1;
        let doubt = if self.simulation.is_so_far() {
            format!("How fast {names} {} alone is still being measured.", if one { "is" } else { "are" })
        } else if unknown.iter().any(|&k| self.suffers(k)) {
            format!("The run is too short to say how much slower than alone {names} {}.", if one { "is" } else { "are" })
        } else {
            format!("The run is too short to say whether {names} {}.", if one { "suffers" } else { "suffer" })
        };
        if !self.is_known(worst) {
            return (Sentence::default().words(doubt), others(&known, false).into_iter().collect());
        }
        let mut first = clauses(&[worst], false);
        first.0.extend(self.by_what(worst).words(".").0);
        (first, others(&known[1..], true).into_iter().chain((!unknown.is_empty()).then_some(doubt)).collect())
    }

    /// What of a slowdown is a kernel's share, and what the others', where that is something and close.
    fn by_what(&self, k: usize) -> Sentence {
        let kernel = &self.kernels[k];
        let said = Sentence::default();
        let names: Vec<&str> = self.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        let close = |cost: f64| self.ends(k, "share_cost").is_some_and(|[_, high]| high - cost <= SAYABLE * cost);
        let costs = kernel.share_cost.zip(kernel.neighbour_cost).filter(|(share, _)| self.suffers(k) && close(*share));
        match costs {
            Some((share, others)) if share > 1.0 + ALIKE && others > 1.0 + ALIKE && kernel.share.is_some() => said
                .words(": ")
                .figure(k, Figure::ShareCost, share)
                .words(" for its share, ")
                .figure(k, Figure::NeighbourCost, others)
                .words(" for ")
                .other(k, &names),
            Some((share, _)) if share > 1.0 + ALIKE && kernel.share.is_some() => said.words(", all of it for its share"),
            Some((_, others)) if others > 1.0 + ALIKE => said.words(", all of it for ").other(k, &names),
            _ => said,
        }
    }

    /// A scheme that keeps goals wants one.
    fn lacks_a_goal(&self) -> Option<String> {
        self.simulation.lacks_goals().then(|| format!("{} keeps goals, and no kernel has one.", self.simulation.policy_name()))
    }

    /// What a kernel's share is, where that costs it at least as much as its neighbours do.
    fn its_share(&self, k: usize) -> Option<String> {
        let kernel = &self.kernels[k];
        let (share, cost) = kernel.share.as_ref().zip(kernel.share_cost.filter(|cost| *cost >= SUFFERS))?;
        kernel.neighbour_cost.is_some_and(|others| others <= cost).then(|| format!("The share of {} is {share}.", kernel.name))
    }

    /// What a verdict would have to know to be sure.
    fn wants(&self, precise: bool) -> Option<&'static str> {
        if self.simulation.is_so_far() {
            Some(SO_FAR)
        } else if !self.simulation.has_settled() {
            Some("The policy still learns: what it does to the kernels is not known yet.")
        } else {
            (!precise).then_some("A longer run would say this more precisely.")
        }
    }

    /// On SMs of which class kernels have their warps; nothing where all SMs are alike.
    fn sits(&self, order: &[usize]) -> Option<String> {
        let classes = &self.simulation.experiment().gpu.sms;
        if classes.len() < 2 {
            return None;
        }
        let of_kernel = |&k: &usize| {
            let times: Vec<u64> = self.measured.classes.iter().map(|stats| stats[k].warp_cycles).collect();
            let most = (0..times.len()).max_by_key(|&class| times[class])?;
            let part = ratio(times[most], times.iter().sum())?;
            let (name, class) = (&self.kernels[k].name, &classes[most].name);
            Some(if part >= SITS {
                format!("{name} sits on the {class} SMs")
            } else {
                format!("{name} spends {} of its warps' time on the {class} SMs", percent(part))
            })
        };
        let clauses: Vec<String> = order.iter().filter_map(of_kernel).collect();
        (!clauses.is_empty()).then(|| format!("{}.", clauses.join(", ")))
    }

    /// That a kernel's CTAs wait for SMs to be divided otherwise between L1D and shared memory.
    fn kept_out(&self, kernel: usize) -> Option<String> {
        let Divided { wanted, has } = self.simulation.machine().divided_for_others(KernelId(kernel as u8))?;
        let kb = |bytes: u32| f64::from(bytes) / 1024.0;
        let name = &self.kernels[kernel].name;
        Some(format!(
            "{name} waits for empty SMs: it wants {} KB of an SM as shared memory, and others have it divided with {} (carve_out).",
            kb(wanted),
            kb(has)
        ))
    }

    /// The part of the cycles without an issue in which a kernel's warps are ready and its quota is used up.
    fn held(&self, kernel: usize) -> f64 {
        self.kernels[kernel].stalls.0[StallCause::Quota as usize].unwrap_or_default()
    }

    fn ends(&self, kernel: usize, figure: &str) -> Option<[f64; 2]> {
        ends(self.ci95, kernel, figure)
    }
}

/// How many times slower than alone a kernel is; for ever, if it does nothing.
fn slowdown(kernel: &KernelOutcome) -> Option<f64> {
    if kernel.thread_instructions == 0 { Some(f64::INFINITY) } else { kernel.slowdown }
}

/// Whether a kernel's slowdown may be said: its interval is close, and a kernel that seems faster than alone has shown all of itself.
fn is_known(kernel: &KernelOutcome, ends: Option<[f64; 2]>) -> bool {
    let Some(slowdown) = slowdown(kernel) else { return false };
    let half = ends.map(|[_, high]| high - slowdown);
    let shown = slowdown >= 1.0 - ALIKE || kernel.runs_done > 0;
    slowdown.is_infinite() || shown && half.is_some_and(|half| half <= SAYABLE * slowdown)
}

/// Whether a kernel suffers, as far as a run with these intervals can say so.
pub(super) fn suffers(kernels: &[KernelOutcome], ci95: &Value, k: usize) -> bool {
    let ends = ends(ci95, k, "slowdown");
    let low = ends.map_or(0.0, |[low, _]| low);
    slowdown(&kernels[k]) >= Some(SUFFERS) && (is_known(&kernels[k], ends) || low >= SUFFERS)
}

/// The ends of a figure's interval.
fn ends(ci95: &Value, kernel: usize, figure: &str) -> Option<[f64; 2]> {
    let Some(Value::Array(kernels)) = ci95.get("kernels") else { return None };
    let Some(Value::Array(ends)) = kernels.get(kernel)?.get(figure) else { return None };
    Some([ends.first()?.as_f64()?, ends.get(1)?.as_f64()?])
}
