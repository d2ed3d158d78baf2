//! A sharing scheme of one's own: whoever has issued least since the last interval gets one more CTA an SM, up to what fits.

use sim_core::{Controls, Experiment, KernelId, Log, Observation, Policy, Problems, Simulation, decide};

sim_core::topics! {
    Helped "helped", "The kernel that gets one more CTA an SM" {
        ctas: u32, "CTAs per SM", "At most so many from now on";
    } => format!("may hold {ctas} CTAs an SM");
}

#[derive(Clone, Debug)]
struct HelpTheLast;

impl Policy for HelpTheLast {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, _: &mut Log) {
        KernelId::first(seen.kernels).for_each(|kernel| controls.each_sm(|sm| sm.cta_target[kernel] = 1));
    }

    fn interval(&self) -> Option<u64> {
        Some(2000)
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let issued = |kernel: &KernelId| seen.window[kernel.index()].warp_instructions;
        let Some(last) = KernelId::first(seen.kernels).min_by_key(issued) else { return };
        let ctas = controls.sms[0].cta_target[last] + 1;
        if u32::from(ctas) <= seen.cta_limit[0][last] {
            controls.each_sm(|sm| sm.cta_target[last] = ctas);
            decide(log, seen, last, Helped { ctas: ctas.into() });
        }
    }
}

fn main() -> Result<(), Problems> {
    let experiment = Experiment::of(["ccbp/BP", "ccbp/SAD"]).set("gpu", "tiny-2sm").set("stop.cycles", 20_000).build()?;
    let mut run = Simulation::with_policy(&experiment, Box::new(HelpTheLast))?;
    run.advance(u64::MAX);
    run.decisions().iter().for_each(|decision| println!("{:>6}: {:?} {}", decision.cycle, decision.kernel, decision.what.sentence()));
    Ok(())
}
