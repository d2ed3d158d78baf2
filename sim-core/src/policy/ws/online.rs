//! Warped-Slicer's own way to its curves: each SM runs another number of CTAs, all at once, while the kernels really run.
//!
//! The SMs are split between the kernels. On a kernel's SMs stand 1, 2, … CTAs up to what fits, again from 1 where there are more SMs than
//! that, spread evenly where there are fewer. After a warm-up the IPC of each SM is counted for a while. The SMs share the memory system
//! unequally meanwhile: one with few CTAs stands beside others with more than it would if all had as few. So its IPC is multiplied by 1 +
//! φ (mean / own − 1), where mean and own are CTAs, and φ is the part of its schedulers' cycles in which they wait for loads that missed
//! L1D. Bandwidth goes by CTAs, and an SM with the mean of all has what it would have if all were like it.
//!
//! Only the paper's abstract and first page are public, and nothing that we found says how it profiles: all of this is our reading.

use super::super::spatial::parts;
use super::topics::SampledCtas;
use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::describe::value::Value;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, decide};
use crate::interface::observation::Observation;
use crate::interface::shown::{Column, Row, Table};
use crate::interface::stats::StallCause;
use alloc::format;
use alloc::vec::Vec;

/// The profile, from the start of the run to its curves.
#[derive(Clone, PartialEq, Debug)]
pub struct Online {
    /// Core cycles before anything is counted, and those in which it is.
    pub warm_up: Cycle,
    pub window: Cycle,
    /// What each kernel's SMs are and hold.
    places: Vec<Vec<Place>>,
    /// When the window began.
    began: Option<Cycle>,
}

/// A kernel on one of its SMs.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Place {
    sm: u32,
    ctas: u32,
    /// Thread instructions there, and cycles of its schedulers in which they waited for memory, before the window.
    instructions: u64,
    waited: u64,
}

impl Online {
    /// Before the run.
    pub fn new(warm_up: Cycle, window: Cycle) -> Self {
        Online { warm_up, window, places: Vec::new(), began: None }
    }

    /// Core cycles until `next` wants to be asked.
    pub fn wait(&self) -> Cycle {
        if self.began.is_none() { self.warm_up } else { self.window }
    }

    /// Splits the SMs.
    pub fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let sms = seen.gpu.sm_count();
        // More kernels than SMs stand on an SM together.
        let sharers = (seen.kernels as u32).div_ceil(sms);
        for (kernel, (first, count)) in KernelId::first(seen.kernels).zip(parts(&[], sms, seen.kernels as u32)) {
            let limit = |sm: u32| seen.cta_limit[sm as usize][kernel];
            let own = first..first + count;
            let most = own.clone().map(limit).max().unwrap_or(0) / sharers;
            let on = |sm: u32| ctas_on(sm - first, count, most.max(1)).min(limit(sm));
            controls.each_sm(|sm| sm.allowed[kernel] = false);
            for sm in own.clone() {
                let controls = &mut controls.sms[sm as usize];
                (controls.allowed[kernel], controls.cta_target[kernel]) = (true, on(sm) as u16);
            }
            decide(log, seen, kernel, SampledCtas { first, ctas: own.clone().map(on).collect() });
            let place = |sm| Place { sm, ctas: on(sm), instructions: 0, waited: 0 };
            self.places.push(own.map(place).filter(|place| place.ctas > 0).collect());
        }
    }

    /// The next step: the window begins, or it has ended, and these are the curves.
    pub fn next(&mut self, seen: &Observation, controls: &mut Controls) -> Option<Vec<Vec<f64>>> {
        let Some(began) = self.began else {
            self.places = self.counted(seen);
            self.began = Some(seen.now);
            return None;
        };
        let after = self.counted(seen);
        controls.each_sm(|sm| (sm.allowed, sm.cta_target) = (PerKernel::all(true), PerKernel::all(u16::MAX)));
        let cycles = (seen.now - began) as f64;
        Some((0..seen.kernels).map(|kernel| curve(&samples(&self.places[kernel], &after[kernel], cycles, seen))).collect())
    }

    /// Its places with what has been counted there by now.
    fn counted(&self, seen: &Observation) -> Vec<Vec<Place>> {
        let now = |kernel: usize, place: &Place| Place {
            instructions: seen.on_sm[place.sm as usize][kernel].thread_instructions,
            waited: seen.stalls_on_sm[place.sm as usize][kernel].0[StallCause::RawLong.index()],
            ..*place
        };
        self.places.iter().enumerate().map(|(kernel, places)| places.iter().map(|place| now(kernel, place)).collect()).collect()
    }

    /// What each SM holds, and what it has made in the window so far.
    pub fn shown(&self, seen: &Observation) -> Table {
        let doing = match self.began {
            None => format!("a warm-up of {} cycles", self.warm_up),
            Some(began) => format!("counted from cycle {began} until {}", began + self.window),
        };
        let window = self.began.map(|began| (seen.now - began) as f64).filter(|&cycles| cycles > 0.0);
        let of_kernel = |((kernel, before), after): ((KernelId, &Vec<Place>), &Vec<Place>)| {
            let samples = window.map(|cycles| samples(before, after, cycles, seen));
            let row = |(n, place): (usize, &Place)| {
                let part = |of: fn(&Sample) -> f64| Value::from(samples.as_ref().map(|samples| of(&samples[n])));
                let cells = alloc::vec![
                    place.ctas.into(),
                    part(|sample| sample.ipc),
                    part(|sample| sample.waits),
                    part(|sample| sample.ipc * sample.scale)
                ];
                Row { name: place.sm.into(), kernel: Some(kernel), cells }
            };
            before.iter().enumerate().map(row).collect::<Vec<_>>()
        };
        let counted = self.counted(seen);
        Table {
            key: "ws_profile",
            title: format!("Which SM profiles what: {doing}"),
            doc: "Each SM runs another number of CTAs of one kernel. Its IPC is scaled for contention that is not alike on all SMs (Warped-Slicer, \
                  ISCA 2016; the scaling is Corun's reading)",
            row: "SM",
            course: None,
            columns: alloc::vec![
                Column::of("CTAs", "", "CTAs that it may hold"),
                Column::of("IPC", "", "Thread instructions per cycle that the GPU would make if every SM made as much as this one"),
                Column::of("Waits", "of cycles", "Part of its schedulers' cycles in which they wait for loads that missed L1D"),
                Column::of("Scaled", "", "That IPC as if every SM held as many CTAs: a point of the kernel's curve"),
            ],
            rows: KernelId::first(seen.kernels).zip(&self.places).zip(&counted).flat_map(of_kernel).collect(),
        }
    }
}

/// CTAs of a kernel on the n-th of its SMs, where an SM holds at most so many.
fn ctas_on(n: u32, sms: u32, most: u32) -> u32 {
    match sms {
        1 => most,
        _ if sms >= most => n % most + 1,
        _ => 1 + n * (most - 1) / (sms - 1),
    }
}

/// What an SM shows of a kernel.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Sample {
    ctas: u32,
    /// IPC of the whole GPU if all SMs did as well as this one.
    ipc: f64,
    /// The part of its schedulers' cycles in which they waited for memory.
    waits: f64,
    /// What its IPC is multiplied by.
    scale: f64,
}

fn samples(before: &[Place], after: &[Place], cycles: f64, seen: &Observation) -> Vec<Sample> {
    let mean = before.iter().map(|place| f64::from(place.ctas)).sum::<f64>() / before.len().max(1) as f64;
    let sample = |(before, after): (&Place, &Place)| {
        let schedulers = f64::from(seen.gpu.class_of(before.sm).schedulers);
        let waits = (after.waited - before.waited) as f64 / (schedulers * cycles);
        let ipc = (after.instructions - before.instructions) as f64 / cycles * f64::from(seen.gpu.sm_count());
        Sample { ctas: before.ctas, ipc, waits, scale: 1.0 + waits * (mean / f64::from(before.ctas) - 1.0) }
    };
    before.iter().zip(after).map(sample).collect()
}

/// IPC with 1, 2, … CTAs: the mean of what SMs with so many have, and lines between.
fn curve(samples: &[Sample]) -> Vec<f64> {
    let most = samples.iter().map(|sample| sample.ctas).max().unwrap_or(0);
    let mean = |ctas: u32| {
        let with: Vec<f64> = samples.iter().filter(|sample| sample.ctas == ctas).map(|sample| sample.ipc * sample.scale).collect();
        (!with.is_empty()).then(|| with.iter().sum::<f64>() / with.len() as f64)
    };
    let mut curve: Vec<f64> = Vec::new();
    let mut known = (0, 0.0);
    for (ctas, ipc) in (1..=most).filter_map(|ctas| Some((ctas, mean(ctas)?))) {
        let step = (ipc - known.1) / f64::from(ctas - known.0);
        curve.extend((known.0 + 1..ctas).map(|between| known.1 + step * f64::from(between - known.0)));
        curve.push(ipc);
        known = (ctas, ipc);
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;
    use crate::interface::controls::WarpOrder;
    use crate::interface::observation::Profile;
    use crate::interface::stats::{KernelStats, StallCounts};
    use alloc::vec;

    #[test]
    fn every_number_of_ctas_has_its_sms() {
        let on = |sms, most| (0..sms).map(|n| ctas_on(n, sms, most)).collect::<Vec<_>>();
        assert_eq!(on(8, 4), [1, 2, 3, 4, 1, 2, 3, 4]);
        assert_eq!(on(4, 8), [1, 3, 5, 8]);
        assert_eq!((on(1, 6), on(3, 1), on(2, 6)), (vec![6], vec![1, 1, 1], vec![1, 6]));
    }

    #[test]
    fn a_curve_goes_through_the_means_of_what_was_measured() {
        let through = |points: &[(u32, f64)]| {
            curve(&points.iter().map(|&(ctas, ipc)| Sample { ctas, ipc, waits: 0.0, scale: 1.0 }).collect::<Vec<_>>())
        };
        assert_eq!(through(&[(1, 10.0), (3, 50.0), (1, 30.0), (4, 44.0)]), [20.0, 35.0, 50.0, 44.0]);
        assert_eq!(through(&[(4, 8.0)]), [2.0, 4.0, 6.0, 8.0]);
        assert_eq!(curve(&[]), [0.0; 0]);
    }

    /// 16 SMs, two kernels, four CTAs of the first and eight of the second: what each SM runs, and what becomes of its counters.
    #[test]
    fn each_sm_runs_another_number_of_ctas_and_its_ipc_is_scaled_by_how_much_it_waits() {
        let (gpu, profile) = (presets::find("ccbp-16sm").unwrap(), Profile::default());
        let limits = [PerKernel::of(&[4, 8]); 16];
        let (mut controls, mut log, mut online) = (Controls::neutral(16, WarpOrder::Lrr), Log::new(), Online::new(20_000, 5000));
        let bare = || Observation { cta_limit: &limits, ..Observation::bare(&gpu, 2, &profile) };
        online.start(&bare(), &mut controls, &mut log);
        let held = |kernel: usize| {
            let on = controls.sms.iter().map(|sm| if sm.allowed.0[kernel] { sm.cta_target.0[kernel] } else { 0 });
            on.collect::<Vec<_>>()
        };
        assert_eq!(held(0), [1, 2, 3, 4, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(held(1), [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(online.wait(), 20_000);

        // The first makes 100 instructions a cycle on each SM and waits for half of the time, the second 10 for each CTA and never waits.
        let with = |now: Cycle, look: &mut dyn FnMut(&Observation)| {
            let made = |thread_instructions| KernelStats { thread_instructions, ..KernelStats::default() };
            let on = |sm: u64| if sm < 8 { vec![made(100 * now), made(0)] } else { vec![made(0), made(10 * (sm - 7) * now)] };
            let on_sm: Vec<Vec<KernelStats>> = (0..16).map(on).collect();
            let mut waits = StallCounts::default();
            waits.charge(StallCause::RawLong, 4 * now / 2);
            let stalls: Vec<Vec<StallCounts>> = (0..16).map(|_| vec![waits, StallCounts::default()]).collect();
            look(&Observation { now, on_sm: &on_sm, stalls_on_sm: &stalls, ..bare() });
        };
        let ask = |online: &mut Online, now: Cycle, controls: &mut Controls| {
            let mut curves = None;
            with(now, &mut |seen| curves = online.next(seen, controls));
            curves
        };
        let shown = |online: &Online, now: Cycle| {
            let mut table = None;
            with(now, &mut |seen| table = Some(online.shown(seen)));
            table.unwrap()
        };
        assert_eq!(shown(&online, 7000).rows[3].cells, [4.into(), Value::Null, Value::Null, Value::Null]);
        assert_eq!(ask(&mut online, 20_000, &mut controls), None);
        assert_eq!(online.wait(), 5000);
        // Half-way through the window each SM already shows its point: IPC of 16 SMs like it, its waits, and that IPC scaled.
        let table = shown(&online, 22_500);
        assert!(table.title.contains("from cycle 20000 until 25000"), "{}", table.title);
        assert_eq!(table.rows[0].cells, [1.into(), 1600.0.into(), 0.5.into(), 2800.0.into()]);
        assert_eq!(table.rows[7].cells, [4.into(), 1600.0.into(), 0.5.into(), 1300.0.into()]);
        assert_eq!((&table.rows[15].name, table.rows[15].kernel), (&15.into(), Some(KernelId(1))));
        assert_eq!(table.rows[15].cells, [8.into(), 1280.0.into(), 0.0.into(), 1280.0.into()]);
        let curves = ask(&mut online, 25_000, &mut controls).unwrap();
        // A mean of 2.5 CTAs: 1 + (2.5 / 1 − 1) / 2 is 1.75, with two 1.125, with three 11/12, with four 0.8125.
        assert_eq!((curves[0][0], curves[0][1], curves[0][3]), (2800.0, 1800.0, 1300.0));
        assert!((curves[0][2] - 1600.0 * 11.0 / 12.0).abs() < 1e-9, "{curves:?}");
        assert_eq!(curves[1], (1..=8).map(|ctas| 160.0 * f64::from(ctas)).collect::<Vec<_>>());
        assert!(controls.sms.iter().all(|sm| sm.allowed.0[0] && sm.allowed.0[1]), "then the kernels share every SM");
    }
}
