//! The verdict: who suffers from sharing, and what costs it most, as data and in words. `cargo xtask study verdicts` holds it against runs in which
//! the cause that it names is relieved.

mod gains;
pub(super) mod words;

pub use self::gains::Cause;

use self::gains::{Gains, Places, Traffic, in_network};
use self::words::{ALIKE, counted, list_of, pace, percent, times, whole};
use crate::describe::gpu::NocKind;
use crate::describe::ids::{KernelId, MAX_KERNELS};
use crate::describe::record::Absent::Needed;
use crate::describe::record::{Shape, int, list, names, record, text};
use crate::describe::value::Value;
use crate::interface::controls::SmControls;
use crate::interface::observation::Breakdown;
use crate::interface::ratios::{ratio, scheduler_cycles};
use crate::interface::stats::{KernelStats, StallCause};
use crate::machine::Divided;
use crate::machine::sm::Sm;
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
    /// Who suffers and why.
    pub struct Verdict as VERDICT "Verdict", "a verdict";
    /// What it answers.
    question: Question = Shape::Choice(Question::NAMES), Needed;
    /// The answer in words, a sentence each.
    says: Vec<String> = list!(text!(400), 1, MAX_SENTENCES, "sentences"), Needed;
    /// The kernel that suffers most.
    sufferer: Option<u32> = Shape::Nullable(&int!(0, MAX_KERNELS - 1)), Needed;
    /// How many times slower than alone that is.
    slowdown: Option<f64> ["×"] = Shape::Measured, Needed;
    /// The ends of the 95 % interval of that.
    ci95: Option<[f64; 2]> = Shape::Nullable(&list!(Shape::Measured, 2, 2, "ends of an interval")), Needed;
    /// What costs it most; null where nothing stands out.
    cause: Option<Cause> = Shape::Nullable(&Shape::Choice(Cause::NAMES)), Needed;
    /// The kernel that fills that place most.
    filled_by: Option<u32> = Shape::Nullable(&int!(0, MAX_KERNELS - 1)), Needed;
    /// What the cause follows from.
    evidence: Vec<Evidence> = list!(Shape::Record(&EVIDENCE), 0, 16, "figures"), Needed;
    /// Whether the run is long enough, its policy has learned, and one cause stands out.
    sure: bool = Shape::Flag, Needed;
}

record! {
    /// A figure of the sufferer, beside that of its run alone.
    pub struct Evidence as EVIDENCE "Evidence", "a figure";
    /// What it is.
    what: String = text!(80), Needed;
    /// Its unit.
    unit: String = text!(40), Needed;
    /// In this run.
    here: f64 = Shape::Measured, Needed;
    /// Alone.
    alone: Option<f64> = Shape::Measured, Needed;
}

/// Sentences of a verdict, at most.
const MAX_SENTENCES: usize = 8;

/// A kernel suffers from this slowdown on.
pub const SUFFERS: f64 = 1.1;

/// What a sentence about runs alone that go on ends with.
const SO_FAR: &str = "Kernels alone are still being measured, which may change this.";

/// A factor stands in a sentence if its interval is at most this part of it to either side.
const SAYABLE: f64 = 0.25;

/// From this part of its time on, a kernel sits on SMs of a class.
const SITS: f64 = 0.9;

/// Credits are spent if so great a part of them is used: what is left at the end of an interval is dropped.
const SPENT: f64 = 0.9;

/// Miss credits of a request.
const CREDIT: f64 = 16.0;

/// A slowdown is known if its interval is at most this part of it to either side.
const KNOWN: f64 = 0.15;

/// What a run says as it stands. `kernels` and `ci95` are its result's; `noc` and `dram` the parts of their peaks in use.
pub fn verdict(simulation: &Simulation, measured: &Measured, kernels: &[KernelOutcome], (noc, dram): (f64, f64), ci95: &Value) -> Verdict {
    let run = Run { simulation, measured, kernels, noc, dram, ci95 };
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
    noc: f64,
    dram: f64,
    ci95: &'r Value,
}

impl Verdict {
    fn said(question: Question, says: Vec<String>, sure: bool) -> Verdict {
        let says = says.into_iter().map(|sentence| sentence.chars().take(400).collect()).collect();
        Verdict { question, says, sufferer: None, slowdown: None, ci95: None, cause: None, filled_by: None, evidence: Vec::new(), sure }
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
        let slower = one.share.as_ref().filter(|_| self.suffers(0) && self.is_known(0));
        let slower =
            slower.zip(one.slowdown).map(|(share, slowdown)| format!("{}: its share is {share}.", pace(&one.name, slowdown, false)));
        let says = match found {
            Some((l1, l2)) => {
                format!(
                    "{} finds {} of its reads in L1D, and L2 finds {} of what it is asked for.",
                    one.name,
                    percent(l1),
                    percent(1.0 - l2)
                )
            }
            None => format!("{} has read nothing.", one.name),
        };
        Verdict::said(Question::Reuse, slower.into_iter().chain([says]).collect(), found.is_some())
    }

    fn goals(&self) -> Verdict {
        let kept = |kernel: &KernelOutcome| {
            let reached = kernel.goal_reached?;
            let by = percent((reached - 1.0).abs());
            Some(if reached >= 1.0 {
                format!("{} keeps its promise, with {by} to spare.", kernel.name)
            } else {
                format!("{} misses its promise by {by}.", kernel.name)
            })
        };
        let promised = |kernel: &&KernelOutcome| kernel.goal_ipc.is_some();
        let mut says: Vec<String> = self.kernels.iter().filter(promised).filter_map(kept).collect();
        let others = (0..self.kernels.len()).filter(|&k| self.kernels[k].goal_ipc.is_none() && self.is_known(k));
        says.extend(others.filter_map(|k| Some(format!("{}.", pace(&self.kernels[k].name, self.kernels[k].slowdown?, false)))));
        let held = (0..self.kernels.len()).filter(|&k| self.held(k) >= ALIKE);
        says.extend(held.map(|k| {
            let part = percent(self.held(k));
            format!("The scheme's quota holds {} back in {part} of the cycles in which its schedulers issue nothing.", self.kernels[k].name)
        }));
        says.truncate(MAX_SENTENCES - 1);
        let decided = self
            .kernels
            .iter()
            .enumerate()
            .filter(|(_, kernel)| kernel.goal_ipc.is_some())
            .all(|(k, _)| self.ends(k, "goal_reached").is_some_and(|[low, high]| low >= 1.0 || high < 1.0));
        if says.is_empty() {
            says.push("Nothing is known of the goals yet.".to_string());
        } else if !decided {
            says.push("A longer run would tell a promise that is kept from one that is missed.".to_string());
        }
        Verdict::said(Question::Goals, says, decided)
    }

    fn sharing(&self) -> Verdict {
        let mut order: Vec<usize> = (0..self.kernels.len()).collect();
        order.sort_by(|&a, &b| self.slowdown(b).unwrap_or(0.0).total_cmp(&self.slowdown(a).unwrap_or(0.0)));
        if self.measured.cycles == 0 || order.iter().any(|&k| self.slowdown(k).is_none()) {
            let says = "How fast each kernel is alone is not known yet.".to_string();
            return Verdict::said(Question::Sharing, alloc::vec![says], false);
        }
        let worst = order[0];
        let mut says = self.paces(&order);
        let sits = self.sits(&order);
        let question = if sits.is_some() { Question::Classes } else { Question::Sharing };
        says.extend(sits);
        says.extend(self.lacks_a_goal());
        let kept_out = order.iter().filter(|&&k| self.suffers(k)).filter_map(|&k| self.kept_out(k));
        says.extend(kept_out);
        let mut verdict = Verdict::said(question, Vec::new(), false);
        verdict.slowdown = self.slowdown(worst).filter(|times| times.is_finite());
        verdict.ci95 = self.ends(worst, "slowdown");
        if self.suffers(worst) {
            self.explain(worst, &mut verdict, &mut says);
        } else {
            let high = verdict.ci95.map(|[_, high]| high);
            verdict.sure = self.is_known(worst) && high.is_some_and(|high| high < SUFFERS) && !self.simulation.is_so_far();
        }
        verdict.says = says;
        verdict
    }

    /// How many times slower than alone a kernel is; for ever, if it does nothing.
    fn slowdown(&self, k: usize) -> Option<f64> {
        if self.kernels[k].thread_instructions == 0 { Some(f64::INFINITY) } else { self.kernels[k].slowdown }
    }

    /// Whether a kernel's slowdown may be said: its interval is close, and a kernel that seems faster than alone has shown all of itself.
    fn is_known(&self, k: usize) -> bool {
        let Some(slowdown) = self.slowdown(k) else { return false };
        let half = self.ends(k, "slowdown").map(|[_, high]| high - slowdown);
        let shown = slowdown >= 1.0 - ALIKE || self.kernels[k].runs_done > 0;
        slowdown.is_infinite() || shown && half.is_some_and(|half| half <= SAYABLE * slowdown)
    }

    /// Whether a kernel suffers, as far as the run can say so.
    fn suffers(&self, k: usize) -> bool {
        let low = self.ends(k, "slowdown").map_or(0.0, |[low, _]| low);
        self.slowdown(k) >= Some(SUFFERS) && (self.is_known(k) || low >= SUFFERS)
    }

    /// How slow kernels are, worst first: those of which it is known how much, behind what is not known.
    fn paces(&self, order: &[usize]) -> Vec<String> {
        let worst = order[0];
        let (known, unknown): (Vec<usize>, Vec<usize>) = order.iter().partition(|&&k| self.is_known(k));
        let mut clauses: Vec<String> = Vec::new();
        let mut slower = false;
        for &k in &known {
            let slowdown = self.slowdown(k).unwrap_or_default();
            let share = if slower { String::new() } else { self.of_its_share(k) };
            clauses.push(format!("{}{share}", pace(&self.kernels[k].name, slowdown, slower)));
            slower |= slowdown > 1.0 + ALIKE && slowdown.is_finite();
        }
        let separator = if clauses.iter().any(|clause| clause.contains(" its share")) { "; " } else { ", " };
        let clauses = clauses.join(separator);
        if unknown.is_empty() {
            return alloc::vec![if self.suffers(worst) { format!("{clauses}.") } else { format!("Nobody suffers: {clauses}.") }];
        }
        let names = list_of(unknown.iter().map(|&k| self.kernels[k].name.as_str()));
        let one = unknown.len() == 1;
        let doubt = if self.simulation.is_so_far() {
            format!("How fast {names} {} alone is still being measured.", if one { "is" } else { "are" })
        } else if self.suffers(worst) && !self.is_known(worst) {
            format!("The run is too short to say how much slower than alone {} is.", self.kernels[worst].name)
        } else {
            format!("The run is too short to say whether {names} {}.", if one { "suffers" } else { "suffer" })
        };
        let said = (!clauses.is_empty()).then(|| format!("{clauses}."));
        // What is known of the worst comes first.
        if self.is_known(worst) { said.into_iter().chain([doubt]).collect() } else { [doubt].into_iter().chain(said).collect() }
    }

    /// What of a slowdown is a kernel's share, where that is something and close.
    fn of_its_share(&self, k: usize) -> String {
        let kernel = &self.kernels[k];
        let cost = kernel.share_cost.filter(|cost| *cost > 1.0 + ALIKE && kernel.share.is_some());
        let close = |cost: f64| self.ends(k, "share_cost").is_some_and(|[_, high]| high - cost <= SAYABLE * cost);
        match cost.filter(|cost| close(*cost)) {
            Some(_) if kernel.neighbour_cost.is_some_and(|cost| cost <= 1.0 + ALIKE) => ", all of it for its share".into(),
            Some(cost) => format!(", of which its share {}", times(cost)),
            None => String::new(),
        }
    }

    /// A scheme that keeps goals wants one.
    fn lacks_a_goal(&self) -> Option<String> {
        self.simulation.lacks_goals().then(|| format!("{} keeps goals, and no kernel has one.", self.simulation.policy_name()))
    }

    /// What costs the kernel that suffers most.
    fn explain(&self, worst: usize, verdict: &mut Verdict, says: &mut Vec<String>) {
        verdict.sufferer = Some(worst as u32);
        let kernel = KernelId(worst as u8);
        let Some((here, alone)) = self.kernels[worst].breakdown.zip(self.simulation.breakdown_alone(kernel)) else { return };
        let gains = self.gains(worst, &here, alone);
        let (cause, gain, stands_out) = gains.first();
        let settled = self.simulation.has_settled();
        let so_far = self.simulation.is_so_far();
        let precise = verdict.ci95.zip(verdict.slowdown).is_some_and(|([low, high], slowdown)| high - low <= 2.0 * KNOWN * slowdown);
        let by = self.filler(cause, worst);
        verdict.evidence = evidence(cause, &here, alone);
        if stands_out {
            verdict.cause = Some(cause);
            verdict.filled_by = by.map(|by| by as u32);
            says.push(self.because(cause, worst, by, &here, alone));
        }
        // A cause whose relief would give back less than half of what is lost leaves more to explain than it explains. What the share costs is said
        // apart.
        let neighbours = self.kernels[worst].neighbour_cost.filter(|_| cause != Cause::Share);
        let explains = neighbours.or(verdict.slowdown).is_some_and(|lost| gain * gain >= lost);
        verdict.sure = stands_out && settled && precise && explains && !so_far && self.is_known(worst);
        if so_far {
            says.push(SO_FAR.to_string());
        } else if !verdict.sure {
            says.push(wants(settled, precise, stands_out).to_string());
        }
    }

    /// What the sufferer would gain without each cause. What its share costs is known from a run; then the neighbours cost what is left. Until then,
    /// what no neighbour can take is its share's.
    fn gains(&self, worst: usize, here: &Breakdown, alone: &Breakdown) -> Gains {
        let (gpu, kernel, places) = (&self.simulation.experiment().gpu, KernelId(worst as u8), self.places(worst));
        let in_share = self.simulation.in_share(kernel).zip(self.kernels[worst].share_cost);
        let base = in_share.and_then(|(of, _)| of.breakdown).unwrap_or(*alone);
        let mut gains = Gains::of(gpu, here, &base, &places);
        let mut not_taken: f64 = 1.0;
        for cause in Cause::ALL.into_iter().filter(|cause| !matches!(cause, Cause::Share | Cause::Quota)) {
            if self.filler(cause, worst).is_none() {
                not_taken = not_taken.max(gains.without(cause));
                gains.set(cause, 1.0);
            }
        }
        // A quota is part of the share, and the better word for it.
        let quota = Gains::of(gpu, here, alone, &places).without(Cause::Quota);
        gains.set(Cause::Quota, quota);
        if self.kernels[worst].share.is_some() {
            gains.set(Cause::Share, in_share.map_or(not_taken, |(_, cost)| cost) / quota);
        }
        gains
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

    fn places(&self, sufferer: usize) -> Places {
        let stats = &self.measured.stats;
        let waited = |of: fn(&KernelStats) -> u64| stats.iter().map(of).sum::<u64>();
        let full = waited(|stats| stats.fail_mshr + stats.fail_merge + stats.fail_line);
        let behind = waited(|stats| stats.fail_miss_queue + stats.fail_store_buffer);
        let sms = &self.simulation.machine().sms;
        let is_on = |sm: &&Sm, kernel: usize| sm.stats()[kernel].warp_cycles > 0;
        let own = sms.iter().filter(|sm| is_on(sm, sufferer));
        let kernel = KernelId(sufferer as u8);
        let others = |sm: &Sm| (0..stats.len()).any(|kernel| kernel != sufferer && is_on(&sm, kernel));
        let rates = &self.kernels[sufferer].rates;
        let on = own.clone().count() as f64 / sms.len() as f64;
        let shared = own.clone().any(others);
        let slots = scheduler_cycles(&self.simulation.experiment().gpu, self.measured.cycles) as f64 * on;
        let issued: Vec<u64> = stats.iter().map(|stats| stats.warp_instructions).collect();
        let part = |issued: &[u64]| issued.iter().sum::<u64>() as f64 / slots.max(1.0);
        let controls = self.simulation.machine().controls().sms.iter();
        let a_cycle = |sm: &SmControls| Some(f64::from(sm.miss_credits[kernel]?) / CREDIT / f64::from(sm.credit_interval));
        let credits: Option<f64> = controls.zip(sms).filter(|(_, sm)| is_on(sm, sufferer)).map(|(of, _)| a_cycle(of)).sum();
        Places {
            noc: Traffic { used: self.noc, own: rates.noc_utilisation_all.unwrap_or_default() },
            dram: Traffic { used: self.dram, own: rates.dram_utilisation.unwrap_or_default() },
            slots: Traffic {
                used: if shared { part(&issued) } else { part(&issued[sufferer..=sufferer]) },
                own: part(&issued[sufferer..=sufferer]),
            },
            l1_full: ratio(full, full + behind).unwrap_or_default(),
            sms: on,
            shared,
            quota: self.held(sufferer) >= ALIKE,
            credits: credits.is_some_and(|credits| stats[sufferer].requests as f64 >= SPENT * credits * self.measured.cycles as f64),
        }
    }

    /// The part of the cycles without an issue in which a kernel's warps are ready and its quota is used up.
    fn held(&self, kernel: usize) -> f64 {
        self.kernels[kernel].stalls.0[StallCause::Quota as usize].unwrap_or_default()
    }

    /// The ends of a figure's interval.
    fn ends(&self, kernel: usize, figure: &str) -> Option<[f64; 2]> {
        let Some(Value::Array(kernels)) = self.ci95.get("kernels") else { return None };
        let Some(Value::Array(ends)) = kernels.get(kernel)?.get(figure) else { return None };
        Some([ends.first()?.as_f64()?, ends.get(1)?.as_f64()?])
    }

    /// The other kernel that fills a place most; none where nobody else does, or can.
    fn filler(&self, cause: Cause, sufferer: usize) -> Option<usize> {
        self.fillers(cause, sufferer).into_iter().next()
    }

    /// The other kernels that fill a place, most first, the first of the mix among equals.
    fn fillers(&self, cause: Cause, sufferer: usize) -> Vec<usize> {
        let fills = |k: usize| {
            let stats = &self.measured.stats[k];
            match cause {
                Cause::Share | Cause::Quota => 0,
                Cause::Room => stats.warp_cycles,
                Cause::Slots => stats.warp_instructions,
                Cause::Noc => stats.noc_reply_flits + stats.noc_acknowledgement_flits,
                Cause::Dram => stats.dram_reads + stats.dram_writes,
                Cause::L1 => stats.l1_misses,
            }
        };
        let others = (0..self.kernels.len()).filter(|&k| k != sufferer && fills(k) > 0 && self.meet(cause, k, sufferer));
        let mut others: Vec<usize> = others.collect();
        others.sort_by_key(|&k| core::cmp::Reverse(fills(k)));
        others
    }

    /// Whether two kernels use a unit of a place together.
    fn meet(&self, cause: Cause, one: usize, other: usize) -> bool {
        let machine = self.simulation.machine();
        let gpu = &self.simulation.experiment().gpu;
        let on_an_sm = || machine.sms.iter().any(|sm| [one, other].iter().all(|&k| sm.stats()[k].warp_cycles > 0));
        let channels = gpu.dram.channels;
        let home = |k: usize| machine.controls().home(KernelId(k as u8), channels);
        let has = |(first, count): (u32, u32), channel: u32| (channel + channels - first) % channels < count;
        let in_dram = || has(home(one), home(other).0) || has(home(other), home(one).0);
        match cause {
            Cause::Share | Cause::Quota => false,
            // In turns each has all places and slots to itself.
            Cause::Room | Cause::Slots => on_an_sm() && !self.simulation.takes_turns(),
            Cause::L1 => on_an_sm(),
            Cause::Dram => in_dram(),
            // A crossbar's ports are SMs' and banks'; the links of a mesh are everybody's.
            Cause::Noc => gpu.noc.kind == NocKind::Mesh || on_an_sm() || in_dram(),
        }
    }

    fn because(&self, cause: Cause, worst: usize, by: Option<usize>, here: &Breakdown, alone: &Breakdown) -> String {
        let name = &self.kernels[worst].name;
        let other = by.map_or("itself", |by| &self.kernels[by].name);
        match cause {
            Cause::Share => format!("The share of {name} is {}.", self.kernels[worst].share.as_deref().unwrap_or("the whole GPU")),
            Cause::Room => {
                let warps = counted(here.warps, "warp");
                let held = |k: usize| self.measured.stats[k].warp_cycles;
                let fillers = self.fillers(cause, worst);
                let many: Vec<&str> =
                    fillers.iter().filter(|&&k| 2 * held(k) >= held(fillers[0])).map(|&k| self.kernels[k].name.as_str()).collect();
                let have = if many.len() > 1 { "have" } else { "has" };
                format!("{name} has {warps} on the GPU, and {} alone: {} {have} taken their room.", whole(alone.warps), list_of(many))
            }
            Cause::Quota if self.held(worst) >= ALIKE => {
                let held = percent(self.held(worst));
                format!(
                    "The scheme holds {name} back: in {held} of the cycles without an issue its warps are ready and its quota is used up."
                )
            }
            Cause::Quota => {
                let (waits, before) = (counted(here.miss_queue, "cycle"), whole(alone.miss_queue));
                format!("The scheme holds {name} back: its misses wait {waits} for credits to be sent, and {before} alone.")
            }
            Cause::Slots => {
                let [waits, before] = [here, alone].map(|of| format!("{:.1}", of.other));
                format!("{other} takes issue slots: apart from memory, an instruction of {name} takes {waits} cycles, and {before} alone.")
            }
            Cause::Noc => {
                let (waits, before) = (counted(in_network(here), "cycle"), whole(in_network(alone)));
                format!("Its reads wait for the NoC, which {other} fills: {waits} from L1D to L2 and back, and {before} alone.")
            }
            Cause::Dram => {
                let (waits, before) = (counted(here.dram, "cycle"), whole(alone.dram));
                format!("The reads of {name} wait for DRAM, which {other} fills: {waits}, and {before} alone.")
            }
            Cause::L1 => {
                let [hits, before] = [here, alone].map(|of| percent(of.l1_hit_rate));
                let (waits, once) = (counted(here.lsu, "cycle"), whole(alone.lsu));
                format!(
                    "{other} fills L1D: {hits} of the reads of {name} find their lines there, and {before} alone; \
                     an instruction waits {waits} for its access, and {once} alone."
                )
            }
        }
    }
}

fn wants(settled: bool, precise: bool, stands_out: bool) -> &'static str {
    match (settled, precise, stands_out) {
        (false, _, _) => "The policy still learns: what it does to the kernels is not known yet.",
        (true, false, _) => "A longer run would say this more precisely.",
        (true, true, false) => "No single place stands out as the cause.",
        (true, true, true) => "That explains less than half of what it loses.",
    }
}

fn evidence(cause: Cause, here: &Breakdown, alone: &Breakdown) -> Vec<Evidence> {
    let figure = |what: &str, unit: &str, of: fn(&Breakdown) -> f64| Evidence {
        what: what.to_string(),
        unit: unit.to_string(),
        here: of(here),
        alone: Some(of(alone)),
    };
    let read = "cycles per read";
    let mut all = alloc::vec![
        figure("warps on the GPU", "warps", |of| of.warps),
        figure("waiting for memory", "cycles of a warp per instruction", |of| of.memory + of.lsu),
    ];
    match cause {
        Cause::Share | Cause::Room => (),
        Cause::Quota | Cause::Slots => all.extend([
            figure("apart from memory", "cycles of a warp per instruction", |of| of.other),
            figure("miss queue", read, |of| of.miss_queue),
        ]),
        Cause::Noc => all.extend([
            figure("miss queue", read, |of| of.miss_queue),
            figure("request NoC", read, |of| of.request_noc),
            figure("L2", read, |of| of.l2),
            figure("reply NoC", read, |of| of.reply_noc),
        ]),
        Cause::Dram => all.push(figure("DRAM", read, |of| of.dram)),
        Cause::L1 => all.extend([
            figure("L1D hit rate", "fraction", |of| of.l1_hit_rate),
            figure("waiting for the load-store unit", "cycles of a warp per instruction", |of| of.lsu),
        ]),
    }
    all
}
