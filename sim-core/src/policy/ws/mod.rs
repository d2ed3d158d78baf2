//! Warped-Slicer: the combination of CTAs that curves of IPC against CTAs call for.
//!
//! # Idea
//! Xu et al., ISCA 2016, as CCBP §7.1 reads it. From one CTA each, the kernel with the lowest IPC, as a part of the best on its own curve,
//! gets its next useful step, until nothing more fits. It is as if water rose evenly in vessels of different shape. A step is useful if it
//! leads to more IPC than any smaller number of CTAs has, by more than noise.
//! # Observes
//! IPC of each kernel alone with 1, 2, … CTAs on every SM, or of each SM while the kernels run; what a CTA takes of each SM.
//! # Sets
//! `cta_target`; while it measures its own curves also `allowed`.
//! # Parameters
//! See `docs/reference/schemes/ws.md`.
//! # Deviations
//! 1. Curves are measured before the run with the kernel alone on all SMs, not during the run on different SMs. So they need no correction
//!    for unequal contention; `curves_from` = `online` measures them in the run, by our reading (`online`).
//! 2. It never falls back to a spatial split (see `fallback`).
//! 3. A kernel whose first CTA does not fit beside the others keeps a target of one and waits for room, so that no kernel starves.

mod fill;
mod online;
mod shown;
mod topics;

use self::fill::{filled, level};
use self::online::Online;
use self::topics::{CurveCtas, IpcCurve, SampledCurve, TOPICS};
use super::ctas::decide_ctas;
use super::fixed::Fixed;
use super::scheme::{Absent, MAX_LIST, Member, PROFILE_CYCLES, Param, Policy, PolicyInfo, Shape};
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::path::field;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, decide};
use crate::interface::observation::{By, Needs, Observation};
use crate::interface::shown::Table;
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "ws",
    title: "Warped-Slicer",
    source: "Xu et al., ISCA 2016, as read by CCBP §7.1",
    doc: "The combination of CTAs with the highest least IPC, as the kernels' curves of IPC against CTAs call for",
    params: &[
        Param::choice(
            "curves_from",
            &["alone", "online"],
            "alone",
            "alone: each kernel's curve is given, or measured before the run. online: each SM runs another number of CTAs at the beginning of the run",
        ),
        PROFILE_CYCLES,
        CURVES,
        COMBINATION,
        Param::constant(
            "fallback",
            Absent::Flag(false),
            "SMs are never split instead, as the source does where a kernel would lose too much: what CCBP compares is the combination (§6)",
        ),
        Param::constant("fallback_loss", Absent::Number(1.2), "It would be the loss from which on SMs are split, in parts of 1/K"),
        Param::int("warm_up", (1, 100_000_000), 20_000, "cycles", "Online: before anything is counted"),
        Param::int("window", (1, 100_000_000), 5000, "cycles", "Online: in which each SM's IPC is counted"),
    ],
    topics: TOPICS,
    check: |spec, mix, problems| {
        if is_online(spec) && !(spec.lists("curves").is_empty() && spec.ints("combination").is_empty()) {
            let found = "online, with curves or a combination that are given";
            problems.add(field(mix.path, "curves_from"), found, "one of them: online measures what the others give");
        }
    },
};

fn is_online(spec: &Member) -> bool {
    spec.choice("curves_from") == "online"
}

/// See `Ws::curves`.
pub const CURVES: Param = Param {
    name: "curves",
    shape: Shape::PerKernel(&Shape::List {
        of: &Shape::Number { min: 0.0, max: 100_000.0 },
        min: 1,
        max: MAX_LIST,
        what: "numbers",
        beyond: "",
    }),
    unit: "thread instructions per cycle",
    absent: Absent::Words("measured before the run"),
    doc: "IPC of each kernel alone with 1, 2, … CTAs on every SM",
};

/// See `Ws::combination`.
pub const COMBINATION: Param = Param {
    name: "combination",
    shape: Shape::PerKernel(&Shape::Int { min: 1, max: 64 }),
    unit: "CTAs per SM",
    absent: Absent::Words("what the curves call for"),
    doc: "CTAs of each kernel on every SM, whatever the curves say; then nothing is measured",
};

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Ws {
    /// Core cycles of each run of each curve.
    pub profile_cycles: Cycle,
    /// IPC of each kernel with 1, 2, … CTAs on every SM; empty if it is to be measured.
    pub curves: Vec<Vec<f64>>,
    /// CTAs of each kernel on every SM, in place of what the curves call for; empty if they decide.
    pub combination: Vec<u32>,
    /// The profile under way, if the curves are measured in the run.
    online: Option<Online>,
    /// The curves by which CTAs were combined; empty before, and with a combination that is given.
    combined_by: Vec<Vec<f64>>,
}

impl Policy for Ws {
    fn needs(&self) -> Needs {
        let known = self.online.is_some() || !self.curves.is_empty() || !self.combination.is_empty();
        if known { Needs::default() } else { Needs::of(By::Ctas, self.profile_cycles) }
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        if let Some(online) = &mut self.online {
            return online.start(seen, controls, log);
        }
        if !self.combination.is_empty() {
            return Fixed { combination: self.combination.clone() }.start(seen, controls, log);
        }
        let curves = &if self.curves.is_empty() { seen.profile.curves(|run| run.ipc) } else { self.curves.clone() };
        self.combine(curves, seen, controls, log);
    }

    fn interval(&self) -> Option<Cycle> {
        self.online.as_ref().map(Online::wait)
    }

    fn settled(&self) -> bool {
        self.online.is_none()
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let Some(curves) = self.online.as_mut().and_then(|online| online.next(seen, controls)) else { return };
        self.combine(&curves, seen, controls, log);
        self.online = None;
    }

    fn shows(&self, seen: &Observation) -> Vec<Table> {
        match &self.online {
            Some(online) => alloc::vec![online.shown(seen)],
            None if self.combined_by.is_empty() => Vec::new(),
            None => shown::combination(&self.combined_by, seen),
        }
    }
}

impl Ws {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        let online = || Online::new(spec.int("warm_up") as Cycle, spec.int("window") as Cycle);
        Ws {
            profile_cycles: spec.int("profile_cycles") as Cycle,
            curves: spec.lists("curves").to_vec(),
            combination: spec.ints("combination").to_vec(),
            online: is_online(spec).then(online),
            combined_by: Vec::new(),
        }
    }

    /// The combination that the curves call for, on each SM.
    fn combine(&mut self, curves: &[Vec<f64>], seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let filled: Vec<Vec<u32>> = (0..seen.cta_limit.len()).map(|sm| filled(curves, sm, seen, |_, _, _| {})).collect();
        self.explain(curves, &filled, seen, log);
        self.combined_by = curves.to_vec();
        for (sm, filled) in controls.sms.iter_mut().zip(&filled) {
            for (kernel, &ctas) in KernelId::first(seen.kernels).zip(filled) {
                sm.cta_target[kernel] = ctas.max(1) as u16;
            }
        }
    }

    /// Logs the choice for each SM.
    fn explain(&self, curves: &[Vec<f64>], filled: &[Vec<u32>], seen: &Observation, log: &mut Log) {
        for (kernel, curve) in KernelId::first(seen.kernels).zip(curves) {
            let on = |sm: usize| filled[sm][kernel.index()];
            let ctas = (0..filled.len()).map(on).sum::<u32>() / filled.len() as u32;
            // The mean over SMs, as what one of them has and how far the others are from it: exact where they are alike.
            let first = level(curve, on(0));
            let ipc_part = first + (0..filled.len()).map(|sm| level(curve, on(sm)) - first).sum::<f64>() / filled.len() as f64;
            let ipc = curve.clone();
            if self.online.is_some() {
                decide(log, seen, kernel, SampledCurve { ipc });
            } else {
                decide(log, seen, kernel, IpcCurve { ipc });
            }
            decide_ctas(log, seen, kernel, CurveCtas { ctas, ipc_part }, on);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ctas::ClassCtas;
    use super::super::even::Even;
    use super::super::smk::Smk;
    use super::*;
    use crate::describe::gpu::occupancy::Resources;
    use crate::describe::gpu::presets;
    use crate::describe::ids::PerKernel;
    use crate::describe::value::Value;
    use crate::interface::controls::WarpOrder;
    use crate::interface::decision::{Decided, Topic};
    use crate::interface::observation::Profile;
    use alloc::vec;

    /// The decisions on 8 big and 8 small SMs of which only big ones hold the first kernel, and the targets of SMs 0 and 8.
    fn on_unlike_sms(mut policy: impl Policy) -> (Vec<Decided>, [[u16; 2]; 2]) {
        let gpu = presets::find("hetero-8b8s").unwrap();
        let pair = |a, b| PerKernel::of(&[a, b]);
        let limits = [vec![pair(2, 10); 8], vec![pair(0, 6); 8]].concat();
        let mut cost = PerKernel::all(Resources::default());
        cost.0[0] = Resources { ctas: 1, threads: 1024, registers: 16_384, shared_bytes: 0 };
        cost.0[1] = Resources { ctas: 1, threads: 64, registers: 1024, shared_bytes: 0 };
        let profile = Profile::default();
        let seen = Observation { cta_limit: &limits, cta_cost: &[cost; 16], ..Observation::bare(&gpu, 2, &profile) };
        let (mut controls, mut log) = (Controls::neutral(16, WarpOrder::Gto), Log::new());
        policy.start(&seen, &mut controls, &mut log);
        let targets = [0, 8].map(|sm| [0, 1].map(|kernel| controls.sms[sm].cta_target.0[kernel]));
        (log.into_iter().map(|decision| decision.what).collect(), targets)
    }

    #[test]
    fn a_kernel_that_fits_no_small_sm_keeps_a_target_of_one_there() {
        let (decided, targets) = on_unlike_sms(ws());
        assert!(decided.contains(&IpcCurve { ipc: vec![10.0] }.into()), "{decided:?}");
        assert_eq!(targets, [[1, 1]; 2]);
    }

    /// The curves of `the_lowest_level_gets_the_next_step` on SMs with room for eight CTAs: its turns, in words, and where they end.
    #[test]
    fn the_filling_can_be_watched_turn_by_turn() {
        let (gpu, profile) = (presets::find("tiny-2sm").unwrap(), Profile::default());
        let eighth = Resources { ctas: 1, threads: gpu.sms[0].threads / 8, registers: 0, shared_bytes: 0 };
        let (limits, costs) = ([PerKernel::all(8); 2], [PerKernel::all(eighth); 2]);
        let seen = Observation { cta_limit: &limits, cta_cost: &costs, ..Observation::bare(&gpu, 2, &profile) };
        let curves = vec![(1..=8).map(f64::from).collect(), vec![50.0, 80.0, 100.0]];
        let mut ws = Ws { curves, ..ws() };
        assert_eq!(ws.shows(&seen), [], "nothing is chosen yet");
        ws.start(&seen, &mut Controls::neutral(2, WarpOrder::Gto), &mut Log::new());
        let tables = ws.shows(&seen);
        let [curves, turns] = &tables[..] else { panic!("{tables:?}") };
        let (room, none, chosen) = (Value::from("room on the SM"), Value::Null, Value::from("chosen"));
        let turn = |refused: &Value, a: u32, b: u32| {
            [refused.clone(), a.into(), (f64::from(a) / 8.0).into(), b.into(), if b == 1 { 0.5 } else { 0.8 }.into()]
        };
        let wanted = [(2, 1), (3, 1), (4, 1), (5, 1), (5, 2), (6, 2)]
            .map(|(a, b)| turn(&none, a, b))
            .into_iter()
            .chain([turn(&room, 6, 2), turn(&room, 6, 2)]);
        assert_eq!(turns.cells(), wanted.collect::<Vec<_>>());
        assert_eq!(turns.rows.iter().map(|row| row.kernel.unwrap().0).collect::<Vec<_>>(), [0, 0, 0, 0, 1, 0, 0, 1]);
        let (second, sixth, last) = (&curves.rows[1].cells, &curves.rows[5].cells, &curves.rows[7].cells);
        assert_eq!(second[..], [2.0.into(), 0.25.into(), none.clone(), 80.0.into(), 0.8.into(), chosen.clone()]);
        assert_eq!(sixth[..], [6.0.into(), 0.75.into(), chosen, none.clone(), none.clone(), none.clone()]);
        assert_eq!((curves.rows.len(), &last[3..]), (8, &[none.clone(), none.clone(), none][..]), "the second curve has three points");
    }

    fn ws() -> Ws {
        Ws { profile_cycles: 1000, curves: vec![vec![10.0]; 2], combination: Vec::new(), online: None, combined_by: Vec::new() }
    }

    #[test]
    fn one_cta_is_not_many() {
        assert_eq!(IpcCurve { ipc: vec![2.0] }.sentence(), "alone, 1 CTA on every SM makes 2.0 instructions a cycle");
        assert_eq!(IpcCurve { ipc: vec![2.0, 3.0] }.sentence(), "alone, 1 to 2 CTAs on every SM make 2.0, 3.0 instructions a cycle");
    }

    #[test]
    fn policies_say_what_each_class_may_hold() {
        let smk = Smk { quotas: false, periodic: true, epoch: 1000, quota_scale: 1.0, profile_cycles: 1000, warp_ipc_alone: Vec::new() };
        let said = |decided: Vec<Decided>| decided.into_iter().filter(|what| what.topic() == "class_ctas").collect::<Vec<_>>();
        for (decided, wide, any) in
            [(on_unlike_sms(Even).0, [1, 0], [5, 3]), (on_unlike_sms(smk).0, [1, 0], [9, 6]), (on_unlike_sms(ws()).0, [1, 0], [1, 1])]
        {
            assert_eq!(said(decided), [wide, any].map(|ctas| ClassCtas { ctas: ctas.to_vec() }.into()));
        }
    }
}
