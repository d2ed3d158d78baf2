//! Kernels together: windows (paper §7.1), and in them each kernel's latency.

use super::interference as eq;
use super::reading::{Model, Reading};
use super::{Platform, fluid};
use alloc::vec::Vec;

/// A kernel on its partition, as the formulas know it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Load {
    /// SMs of its own, n.
    pub sms: u32,
    /// Latency alone on these SMs, C(n).
    pub latency: f64,
    /// Bandwidth that it asks for alone on these SMs, BW(n).
    pub bandwidth: f64,
    /// L2 accesses of the whole kernel; only their ratio to those of the others counts.
    pub accesses: f64,
    /// Latency that Eq. 8 stretches: by Eq. 4, or measured.
    pub tc: f64,
}

/// A time in which the same kernels run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Window {
    /// When it begins.
    pub start: f64,
    /// When it ends: when the next kernel would end alone, or ends in the fluid model.
    pub end: f64,
    /// Kernels that run in it, m.
    pub kernels: usize,
    /// Sum S of the bandwidths that they ask for.
    pub sum: f64,
    /// Interference factor I (Eq. 7), or the fluid model's stretch.
    pub interference: f64,
}

/// A kernel in one of its windows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Part {
    /// Part P of its latency alone (Eq. 5).
    pub share: f64,
    /// Π (Eq. 6).
    pub penalty: f64,
    /// What Eq. 15 bounds, where S reaches the sustained bandwidth.
    pub factors: Option<Factors>,
}

/// The penalties of Eqs. 9 to 12.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Factors {
    /// Eq. 10.
    pub sms: f64,
    /// Eq. 11.
    pub accesses: f64,
    /// Eq. 12.
    pub bandwidth: f64,
    /// Eq. 9.
    pub together: f64,
}

/// What becomes of a kernel in its group.
#[derive(Clone, PartialEq, Debug)]
pub struct Predicted {
    /// Latency in the group (Eq. 8).
    pub latency: f64,
    /// Latency in the group over latency alone on the same SMs.
    pub slowdown: f64,
    /// The kernel in each window from the first to the one in which it ends.
    pub parts: Vec<Part>,
}

/// What becomes of a group.
#[derive(Clone, PartialEq, Debug)]
pub struct Prediction {
    /// The windows in order.
    pub windows: Vec<Window>,
    /// The kernels in the order of the group.
    pub kernels: Vec<Predicted>,
}

impl Prediction {
    /// When the last kernel ends.
    pub fn makespan(&self) -> f64 {
        self.kernels.iter().fold(0.0, |last, kernel| last.max(kernel.latency))
    }
}

/// Predicts the latency of each kernel of a group. All begin at 0 and run once.
pub fn predict(platform: &Platform, loads: &[Load], model: Model) -> Prediction {
    let windows = windows(platform, loads);
    if model.reading == Reading::Fluid {
        return flow(platform, loads, windows);
    }
    let kernels = loads.iter().map(|load| {
        let parts: Vec<Part> = own(&windows, load).map(|window| part(platform, loads, load, window, model)).collect();
        let factors = windows.iter().zip(&parts).map(|(window, part)| (part.share, window.interference, part.penalty));
        let latency = eq::latency(load.tc, factors);
        Predicted { latency, slowdown: latency / load.latency, parts }
    });
    let kernels = kernels.collect();
    Prediction { windows, kernels }
}

/// The windows between the ends of the kernels alone: no empty one where kernels end together.
fn windows(platform: &Platform, loads: &[Load]) -> Vec<Window> {
    let mut windows = Vec::with_capacity(loads.len());
    let mut start = 0.0;
    while let Some(end) = loads.iter().map(|load| load.latency).filter(|&end| end > start).reduce(f64::min) {
        let running = loads.iter().filter(|load| load.latency >= end);
        let sum = running.clone().map(|load| load.bandwidth).sum();
        windows.push(Window { start, end, kernels: running.count(), sum, interference: eq::interference(sum, platform.threshold()) });
        start = end;
    }
    windows
}

/// The windows in which a kernel runs.
fn own<'w>(windows: &'w [Window], load: &Load) -> impl Iterator<Item = &'w Window> {
    let latency = load.latency;
    windows.iter().take_while(move |window| latency >= window.end)
}

fn part(platform: &Platform, loads: &[Load], load: &Load, window: &Window, model: Model) -> Part {
    let share = eq::overlap(window.end - window.start, load.latency);
    let mut factors = None;
    let penalty = eq::penalty(window.sum, platform.bandwidth_sustained, || {
        let found = *factors.insert(unbounded(platform, loads, load, window));
        bounded(loads, load, window, found, model)
    });
    Part { share, penalty, factors }
}

/// The kernels that run in a window.
fn running<'l>(loads: &'l [Load], window: &Window) -> impl Iterator<Item = &'l Load> {
    let end = window.end;
    loads.iter().filter(move |load| load.latency >= end)
}

/// A kernel's accesses in a window: at one rate from its begin to its end (the paper does not say how it counts them).
fn accesses(load: &Load, window: &Window) -> f64 {
    load.accesses * eq::overlap(window.end - window.start, load.latency)
}

fn unbounded(platform: &Platform, loads: &[Load], load: &Load, window: &Window) -> Factors {
    let of_all = eq::accesses(running(loads, window).map(|other| accesses(other, window)));
    let sms = eq::penalty_sm(platform.sms, load.sms, window.kernels);
    let overlap = eq::overlap(window.end - window.start, load.latency);
    let accesses = eq::penalty_access(accesses(load, window), of_all, overlap);
    let bandwidth = eq::penalty_bandwidth(load.bandwidth, eq::equity(platform.bandwidth_max, window.kernels));
    Factors { sms, accesses, bandwidth, together: eq::together(sms, accesses, bandwidth) }
}

/// Eq. 15 under a reading.
fn bounded(loads: &[Load], load: &Load, window: &Window, factors: Factors, model: Model) -> f64 {
    let density = |load: &Load| eq::request_density(accesses(load, window), load.tc);
    let printed = || {
        eq::bounded(factors.together, factors.bandwidth, window.interference, || {
            let relative = eq::penalty_density(density(load), eq::densest(running(loads, window).map(density)));
            if model.density_added { 1.0 + relative } else { relative }
        })
    };
    match model.reading {
        Reading::Literal => printed(),
        Reading::Clamped => printed().max(1.0),
        Reading::Elected if is_elected(loads, load, window) => factors.bandwidth.min(window.interference),
        Reading::Elected => factors.together.max(1.0),
        Reading::IOnly | Reading::Fluid => 1.0,
    }
}

/// Whether a kernel asks for the most bandwidth in a window; of equals, it is the first in the group.
fn is_elected(loads: &[Load], load: &Load, window: &Window) -> bool {
    let most = running(loads, window).fold(0.0_f64, |most, other| most.max(other.bandwidth));
    running(loads, window).find(|other| other.bandwidth >= most).is_some_and(|first| core::ptr::eq(first, load))
}

/// The fluid model: the same work in each window, each stretched as a whole.
fn flow(platform: &Platform, loads: &[Load], mut windows: Vec<Window>) -> Prediction {
    let ends: Vec<f64> = windows.iter().map(|window| window.end).collect();
    let (mut alone, mut now) = (0.0, 0.0);
    for window in &mut windows {
        let work = window.end - alone;
        alone = window.end;
        window.interference = fluid::stretch(window.sum, platform.bandwidth_sustained);
        (window.start, window.end) = (now, now + work * window.interference);
        now = window.end;
    }
    let kernels = loads.iter().map(|load| {
        let last = ends.iter().take_while(|&&end| load.latency >= end).count();
        let works = ends[..last].iter().scan(0.0, |before, &end| Some(end - core::mem::replace(before, end)));
        let parts = works.map(|work| Part { share: eq::overlap(work, load.latency), penalty: 1.0, factors: None }).collect();
        let latency = windows[..last].last().map_or(load.latency, |window| window.end);
        Predicted { latency, slowdown: latency / load.latency, parts }
    });
    let kernels = kernels.collect();
    Prediction { windows, kernels }
}
