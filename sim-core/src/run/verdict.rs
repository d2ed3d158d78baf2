//! The verdict: who suffers from sharing, and what costs it most, as data and in words. `cargo xtask verdicts` holds it against runs in which
//! the cause that it names is relieved.
//!
//! A place is the cause if the sufferer would gain most without it. What it would gain follows from where its time goes. An instruction of a
//! warp takes so many cycles. In some of them the warp waits for memory, or for a load-store unit that memory blocks; these pass in the
//! stations of its reads. Beyond what a station takes when nothing is in its way, they are spent in queues.
//!
//! - Queues before a full station fill up too. What waits at L1D's miss queue, in the request network or at L2 is counted for the reply network
//!   or for DRAM. Their queues divide it: load / (1 − load), as with arrivals and services at random. A load is the traffic over what can be
//!   sustained. What a policy's credits hold back in the miss queue waits for neither.
//! - Without one of the two, traffic grows until the other carries all that it can.
//! - With more warps, the sufferer's own part of a queue grows in proportion: as great a part as it has of the traffic. So does its wait for the
//!   load-store unit, which holds a fixed number of its instructions whatever warps there are.
//! - Where another kernel's misses hold L1D's MSHRs and lines, the load-store unit waits with hits too. L1D costs what that wait is longer than
//!   alone, or the misses that were hits alone.

use crate::describe::gpu::{Gpu, NocKind};
use crate::describe::ids::{KernelId, MAX_KERNELS};
use crate::describe::record::Absent::Needed;
use crate::describe::record::{Shape, int, list, names, record, text};
use crate::describe::value::Value;
use crate::interface::observation::Breakdown;
use crate::interface::ratios::{DRAM_SUSTAINABLE, NOC_SUSTAINABLE, breakdown, ratio};
use crate::interface::stats::KernelStats;
use crate::machine::sm::Sm;
use crate::run::outcome::KernelOutcome;
use crate::run::simulation::{Measured, Simulation};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

names! {
    /// What a verdict answers.
    #[derive(PartialOrd, Ord)]
    pub enum Question {
        /// Who suffers from sharing.
        Sharing = "sharing",
        /// Who keeps its promise.
        Goals = "goals",
        /// What one kernel finds again in its caches.
        Reuse = "reuse",
    }
}

names! {
    /// What costs a kernel most.
    #[derive(PartialOrd, Ord)]
    pub enum Cause {
        /// It has fewer warps than alone.
        Room = "room",
        /// Its reads wait for the reply network.
        Noc = "noc",
        /// Its reads wait for DRAM.
        Dram = "dram",
        /// Its lines are pushed out of L1D, or L1D is too full of misses to take its accesses.
        L1 = "l1",
    }
}

record! {
    /// Who suffers and why.
    pub struct Verdict as VERDICT "Verdict", "a verdict";
    /// What it answers.
    question: Question = Shape::Choice(Question::NAMES), Needed;
    /// The answer in words, a sentence each.
    says: Vec<String> = list!(text!(400), 1, 8, "sentences"), Needed;
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

/// A kernel suffers from this slowdown on.
const SUFFERS: f64 = 1.1;

/// Within this of 1, a slowdown is none.
const ALIKE: f64 = 0.05;

/// A cause stands out if the sufferer would gain so much without it, and so much more than without the next.
const GAINS: f64 = 1.05;
const LEADS: f64 = 1.1;

/// A slowdown is known if its interval is at most this part of it to either side.
const KNOWN: f64 = 0.15;

/// The traffic of NoC or DRAM.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Traffic {
    /// The part of the peak that all kernels use.
    pub used: f64,
    /// The part of it that the sufferer uses.
    pub own: f64,
}

impl Traffic {
    /// The sufferer's part of the traffic.
    fn part(&self) -> f64 {
        if self.used > 0.0 { self.own / self.used } else { 0.0 }
    }

    /// The traffic over what can be sustained. What goes through is sustained.
    fn load(&self, sustains: f64) -> f64 {
        self.used / self.used.max(sustains)
    }
}

/// What is known of the places that a kernel shares, beside where its own time goes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Places {
    /// The network.
    pub noc: Traffic,
    /// DRAM.
    pub dram: Traffic,
    /// Of the cycles in which an access waits for L1D, those in which MSHRs or lines lack, and not what lies behind: the miss queue or the store
    /// buffer.
    pub l1_full: f64,
    /// The part of the SMs that the sufferer is on.
    pub sms: f64,
    /// Whether another kernel is on one of them.
    pub shared: bool,
    /// Whether the policy hands out credits to send the sufferer's misses with.
    pub credits: bool,
}

/// What the sufferer would gain without each cause, as a factor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gains(pub [f64; Cause::ALL.len()]);

impl Gains {
    /// From where the kernel's time goes in the run and alone, and what is known of the places.
    pub fn of(gpu: &Gpu, here: &Breakdown, alone: &Breakdown, places: &Places) -> Gains {
        let idle = Idle::of(gpu, here);
        // What a mesh sustains is not known: it is loaded as it is used.
        let load_noc = places.noc.load(if gpu.noc.kind == NocKind::Crossbar { NOC_SUSTAINABLE } else { 1.0 });
        let load_dram = places.dram.load(DRAM_SUSTAINABLE);
        let queue = |load: f64| load / (1.0 - load.min(0.99));
        let queues = queue(load_noc) + queue(load_dram);
        let of_dram = if queues > 0.0 { queue(load_dram) / queues } else { 0.0 };
        let latency = here.miss_queue + here.request_noc + here.l2 + here.dram + here.reply_noc;
        let instruction = here.memory + here.lsu + here.other;
        let stalled = here.memory + here.lsu;
        // Cycles of an instruction, of cycles of a read.
        let waits = |cycles: f64| if latency > 0.0 { stalled * cycles / latency } else { 0.0 };
        let held_back = if places.credits { 0.0 } else { queued(here.miss_queue, idle.miss_queue) };
        let before = held_back + queued(here.request_noc, idle.request_noc) + queued(here.l2, idle.l2);
        let in_noc = waits(queued(here.reply_noc, idle.reply_noc) + before * (1.0 - of_dram));
        let in_dram = waits(queued(here.dram, idle.dram) + before * of_dram);
        let without = |cycles: f64| instruction / (instruction - cycles).max(instruction / 50.0);
        let more = if here.warps > 0.0 { (alone.warps / here.warps).max(1.0) } else { 1.0 };
        // More SMs have more load-store units.
        let more_per_sm = (more * places.sms).max(1.0);
        let own = in_noc * places.noc.part() + in_dram * places.dram.part();
        let lengthened = own * (more - 1.0) + here.lsu * (more_per_sm - 1.0);
        let were_hits = 1.0 - (1.0 - alone.l1_hit_rate) / (1.0 - here.l1_hit_rate).max(0.001);
        let not_queued = if stalled > 0.0 { 1.0 - (in_noc + in_dram) / stalled } else { 0.0 };
        let refused = (here.lsu - alone.lsu) * places.l1_full * not_queued;
        Gains(Cause::ALL.map(|cause| match cause {
            Cause::Room => more * instruction / (instruction + lengthened),
            Cause::Noc => without(in_noc).min(1.0 / load_dram),
            Cause::Dram => without(in_dram).min(1.0 / load_noc),
            Cause::L1 if places.shared => without((stalled * were_hits).max(refused).max(0.0)),
            Cause::L1 => 1.0,
        }))
    }

    /// The cause that costs most, what the sufferer would gain without it, and whether it stands out.
    pub fn first(&self) -> (Cause, f64, bool) {
        let mut order: Vec<(Cause, f64)> = Cause::ALL.into_iter().zip(self.0).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        (order[0].0, order[0].1, order[0].1 >= GAINS && order[0].1 >= order[1].1 * LEADS)
    }
}

fn queued(cycles: f64, idle: f64) -> f64 {
    (cycles - idle).max(0.0)
}

/// Cycles of a read in each station when nothing is in its way.
struct Idle {
    miss_queue: f64,
    request_noc: f64,
    l2: f64,
    dram: f64,
    reply_noc: f64,
}

impl Idle {
    fn of(gpu: &Gpu, here: &Breakdown) -> Idle {
        let clocks = |mhz: u32| f64::from(gpu.core_mhz) / f64::from(mhz);
        let (noc, dram) = (clocks(gpu.noc.mhz), clocks(gpu.dram.mhz));
        let timing = &gpu.dram.timing;
        let bank = f64::from(timing.tRCD + timing.tCL + timing.T) * dram + f64::from(gpu.dram.latency);
        Idle {
            miss_queue: f64::from(gpu.sms.first().map_or(1, |class| class.l1.arbiter_latency) + 1),
            request_noc: f64::from(gpu.noc.latency + 1) * noc,
            l2: f64::from(gpu.l2.latency + 1) * noc,
            // A mean over all reads: only those that miss L2 go there.
            dram: bank * here.l2_miss_rate,
            reply_noc: f64::from(gpu.noc.latency + gpu.line_flits()) * noc,
        }
    }
}

/// What a run says as it stands. `kernels` and `ci95` are its result's; `noc` and `dram` the parts of their peaks in use.
pub fn verdict(simulation: &Simulation, measured: &Measured, kernels: &[KernelOutcome], (noc, dram): (f64, f64), ci95: &Value) -> Verdict {
    let run = Run { simulation, measured, kernels, noc, dram, ci95 };
    if kernels.iter().any(|kernel| kernel.goal_ipc.is_some()) {
        run.goals()
    } else if let [one] = kernels {
        Run::reuse(one)
    } else {
        run.sharing()
    }
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
    fn reuse(one: &KernelOutcome) -> Verdict {
        let found = one.rates.l1_hit_rate.zip(one.rates.l2_miss_rate);
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
        Verdict::said(Question::Reuse, alloc::vec![says], found.is_some())
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
        let others = self.kernels.iter().filter(|kernel| kernel.goal_ipc.is_none());
        says.extend(others.filter_map(|kernel| Some(format!("{}.", pace(&kernel.name, kernel.slowdown?, false)))));
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
        let slowdown = |k: usize| if self.kernels[k].thread_instructions == 0 { Some(f64::INFINITY) } else { self.kernels[k].slowdown };
        order.sort_by(|&a, &b| slowdown(b).unwrap_or(0.0).total_cmp(&slowdown(a).unwrap_or(0.0)));
        if self.measured.cycles == 0 || order.iter().any(|&k| slowdown(k).is_none()) {
            let says = "How fast each kernel is alone is not known yet.".to_string();
            return Verdict::said(Question::Sharing, alloc::vec![says], false);
        }
        let worst = order[0];
        let clauses = order.iter().enumerate().filter_map(|(place, &k)| Some(pace(&self.kernels[k].name, slowdown(k)?, place > 0)));
        let mut says = alloc::vec![format!("{}.", clauses.collect::<Vec<_>>().join(", "))];
        let known = self.ends(worst, "slowdown");
        let mut verdict = Verdict::said(Question::Sharing, Vec::new(), false);
        verdict.slowdown = slowdown(worst).filter(|times| times.is_finite());
        verdict.ci95 = known;
        if slowdown(worst) < Some(SUFFERS) {
            verdict.sure = known.is_some_and(|[_, high]| high < SUFFERS);
            verdict.says = alloc::vec![format!("Nobody suffers: {}", says[0])];
            return verdict;
        }
        verdict.sufferer = Some(worst as u32);
        let kernel = KernelId(worst as u8);
        let here = breakdown(&self.measured.stats[worst], self.measured.cycles);
        let Some((here, alone)) = here.zip(self.simulation.breakdown_alone(kernel)) else {
            verdict.says = says;
            return verdict;
        };
        let gains = Gains::of(&self.simulation.experiment().gpu, &here, alone, &self.places(worst));
        let (cause, gain, stands_out) = gains.first();
        let settled = self.simulation.has_settled();
        let precise = known.zip(verdict.slowdown).is_some_and(|([low, high], slowdown)| high - low <= 2.0 * KNOWN * slowdown);
        let by = self.filler(cause, worst);
        verdict.evidence = evidence(cause, &here, alone);
        if stands_out {
            verdict.cause = Some(cause);
            verdict.filled_by = by.map(|by| by as u32);
            says.push(self.because(cause, worst, by, &here, alone));
        }
        // A cause whose relief would give back less than half of what is lost leaves more to explain than it explains.
        let explains = verdict.slowdown.is_some_and(|slowdown| gain * gain >= slowdown);
        verdict.sure = stands_out && settled && precise && explains;
        if !verdict.sure {
            says.push(wants(settled, precise, stands_out).to_string());
        }
        verdict.says = says;
        verdict
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
        Places {
            noc: Traffic { used: self.noc, own: rates.noc_utilisation_all.unwrap_or_default() },
            dram: Traffic { used: self.dram, own: rates.dram_utilisation.unwrap_or_default() },
            l1_full: ratio(full, full + behind).unwrap_or_default(),
            sms: own.clone().count() as f64 / sms.len() as f64,
            shared: own.into_iter().any(others),
            credits: self.simulation.machine().controls().sms.iter().any(|sm| sm.miss_credits[kernel].is_some()),
        }
    }

    /// The ends of a figure's interval.
    fn ends(&self, kernel: usize, figure: &str) -> Option<[f64; 2]> {
        let Some(Value::Array(kernels)) = self.ci95.get("kernels") else { return None };
        let Some(Value::Array(ends)) = kernels.get(kernel)?.get(figure) else { return None };
        Some([ends.first()?.as_f64()?, ends.get(1)?.as_f64()?])
    }

    /// The other kernel that fills a place most; none where nobody else does.
    fn filler(&self, cause: Cause, sufferer: usize) -> Option<usize> {
        let fills = |stats: &KernelStats| match cause {
            Cause::Room => stats.warp_cycles,
            Cause::Noc => stats.noc_reply_flits + stats.noc_acknowledgement_flits,
            Cause::Dram => stats.dram_reads + stats.dram_writes,
            Cause::L1 => stats.l1_misses,
        };
        let others = (0..self.kernels.len()).filter(|&k| k != sufferer);
        others.max_by_key(|&k| fills(&self.measured.stats[k])).filter(|&k| fills(&self.measured.stats[k]) > 0)
    }

    fn because(&self, cause: Cause, worst: usize, by: Option<usize>, here: &Breakdown, alone: &Breakdown) -> String {
        let name = &self.kernels[worst].name;
        let other = by.map_or("itself", |by| &self.kernels[by].name);
        match cause {
            Cause::Room => {
                format!(
                    "{name} has {} warps on the GPU, and {} alone: {other} has taken their room.",
                    whole(here.warps),
                    whole(alone.warps)
                )
            }
            Cause::Noc => {
                let [waits, before] = [here, alone].map(|of| whole(of.miss_queue + of.request_noc + of.l2 + of.reply_noc));
                format!("Its reads wait for the NoC, which {other} fills: {waits} cycles from L1D to L2 and back, and {before} alone.")
            }
            Cause::Dram => {
                format!(
                    "The reads of {name} wait for DRAM, which {other} fills: {} cycles, and {} alone.",
                    whole(here.dram),
                    whole(alone.dram)
                )
            }
            Cause::L1 => {
                let [hits, before] = [here, alone].map(|of| percent(of.l1_hit_rate));
                let [waits, once] = [here, alone].map(|of| whole(of.lsu));
                format!(
                    "{other} fills L1D: {hits} of the reads of {name} find their lines there, and {before} alone; \
                     an instruction waits {waits} cycles for its access, and {once} alone."
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
        Cause::Room => (),
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

/// What a kernel does; `again`: after a clause about another one.
fn pace(name: &str, slowdown: f64, again: bool) -> String {
    if slowdown.is_infinite() {
        format!("{name} gets nothing")
    } else if slowdown < 1.0 - ALIKE {
        format!("{name} runs {} times faster than alone", times(1.0 / slowdown))
    } else if slowdown <= 1.0 + ALIKE {
        format!("{name} runs as fast as alone")
    } else if again {
        format!("{name} {} times", times(slowdown))
    } else {
        format!("{name} runs {} times slower than alone", times(slowdown))
    }
}

/// `12.3`, `1.29`: as many digits as a reader can use.
fn times(times: f64) -> String {
    if times >= 9.95 { format!("{times:.1}") } else { format!("{times:.2}") }
}

/// `2,051`.
fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn percent(part: f64) -> String {
    if part < 0.095 { format!("{:.1} %", part * 100.0) } else { format!("{:.0} %", part * 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu() -> Gpu {
        crate::run::experiment::Experiment::from_json(
            r#"{ "corun": 1, "gpu": "ccbp-16sm", "kernels": ["BP"], "policy": "even", "stop": { "cycles": 1 } }"#,
        )
        .unwrap_or_else(|problems| panic!("{problems}"))
        .gpu
    }

    /// A kernel on all SMs, with another one; traffic as said.
    fn places(noc: f64, dram: f64) -> Places {
        let traffic = |used| Traffic { used, own: used / 2.0 };
        Places { noc: traffic(noc), dram: traffic(dram), l1_full: 0.0, sms: 1.0, shared: true, credits: false }
    }

    #[test]
    fn a_kernel_that_waits_for_nothing_gains_by_room_alone() {
        let of = |warps| Breakdown { warps, other: 10.0, ..Breakdown::default() };
        assert_eq!(Gains::of(&gpu(), &of(100.0), &of(200.0), &places(0.3, 0.35)).0, [2.0, 1.0, 1.0, 1.0]);
        assert_eq!(Gains::of(&gpu(), &of(200.0), &of(200.0), &places(0.3, 0.35)).first(), (Cause::Room, 1.0, false));
    }

    #[test]
    fn what_waits_before_both_belongs_to_the_one_that_is_used_more() {
        let here = Breakdown { warps: 100.0, memory: 90.0, other: 10.0, l2: 1000.0, ..Breakdown::default() };
        let first = |noc, dram| Gains::of(&gpu(), &here, &here, &places(noc, dram)).first();
        assert_eq!([first(0.5, 0.2).0, first(0.2, 0.6).0], [Cause::Noc, Cause::Dram]);
        assert!(first(0.5, 0.2).2 && first(0.2, 0.6).2);
        assert!(!first(0.3, 0.35).2, "both are at half of what they sustain");
    }

    #[test]
    fn what_credits_hold_back_waits_for_no_place() {
        let here = Breakdown { warps: 100.0, memory: 90.0, other: 10.0, miss_queue: 1000.0, ..Breakdown::default() };
        let first = |credits| Gains::of(&gpu(), &here, &here, &Places { credits, ..places(0.5, 0.2) }).first();
        assert_eq!((first(false).0, first(false).2, first(true).2), (Cause::Noc, true, false));
    }

    #[test]
    fn without_a_full_place_the_other_one_fills() {
        let here = Breakdown { warps: 100.0, memory: 90.0, other: 10.0, dram: 5000.0, ..Breakdown::default() };
        let gain = |noc| Gains::of(&gpu(), &here, &here, &places(noc, 0.7)).0[Cause::Dram as usize];
        assert!(gain(0.1) > 4.0);
        assert_eq!([gain(0.3), gain(0.6)], [2.0, 1.0]);
    }

    #[test]
    fn more_warps_lengthen_the_own_part_of_a_queue() {
        let of = |warps| Breakdown { warps, memory: 100.0, dram: 1e9, ..Breakdown::default() };
        let room = |own| {
            let dram = Traffic { used: 0.7, own };
            Gains::of(&gpu(), &of(100.0), &of(200.0), &Places { dram, ..places(0.1, 0.7) }).0[Cause::Room as usize]
        };
        assert_eq!(room(0.0), 2.0);
        assert!((room(0.7) - 1.0).abs() < 1e-3, "{}", room(0.7));
    }

    #[test]
    fn more_warps_wait_longer_for_a_load_store_unit_and_more_sms_have_more_of_them() {
        let of = |warps| Breakdown { warps, lsu: 100.0, ..Breakdown::default() };
        let room = |sms| Gains::of(&gpu(), &of(100.0), &of(200.0), &Places { sms, ..places(0.1, 0.1) }).0[Cause::Room as usize];
        assert_eq!([room(1.0), room(0.5)], [1.0, 2.0]);
    }

    #[test]
    fn a_kernel_whose_reads_hit_less_often_gains_by_its_l1() {
        let of = |l1_hit_rate| Breakdown { warps: 100.0, memory: 90.0, other: 10.0, l1_hit_rate, ..Breakdown::default() };
        let gains = |places| Gains::of(&gpu(), &of(0.2), &of(0.8), &places);
        assert_eq!((gains(places(0.1, 0.1)).first().0, gains(places(0.1, 0.1)).first().2), (Cause::L1, true));
        assert_eq!(gains(Places { shared: false, ..places(0.1, 0.1) }).0[Cause::L1 as usize], 1.0);
    }

    #[test]
    fn a_kernel_whose_accesses_wait_for_another_ones_misses_gains_by_its_l1() {
        let of = |lsu| Breakdown { warps: 100.0, lsu, other: 10.0, ..Breakdown::default() };
        let gain = |l1_full| Gains::of(&gpu(), &of(90.0), &of(0.0), &Places { l1_full, ..places(0.1, 0.1) }).0[Cause::L1 as usize];
        assert_eq!([gain(0.0), gain(1.0)], [1.0, 10.0]);
    }

    #[test]
    fn a_slowdown_is_said_once_in_full() {
        let said = |slowdown, again| pace("BP", slowdown, again);
        assert_eq!([said(4.768, false), said(4.768, true)], ["BP runs 4.77 times slower than alone", "BP 4.77 times"]);
        assert_eq!([said(1.02, true), said(0.5, true)], ["BP runs as fast as alone", "BP runs 2.00 times faster than alone"]);
        assert_eq!([said(f64::INFINITY, false), said(12.34, true)], ["BP gets nothing", "BP 12.3 times"]);
    }
}
