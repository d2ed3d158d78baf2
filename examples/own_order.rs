//! A CTA order of one's own: every SM takes the last CTA of the grid that waits, where round-robin takes the first.

use sim_core::{CtaOrder, Experiment, KernelId, Offer, Problems, Simulation};

#[derive(Clone, Hash, Debug)]
struct LastFirst;

impl CtaOrder for LastFirst {
    fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
        let kernel = offer.kernels().next()?;
        let (_, end) = offer.grid(kernel).waiting().last()?;
        Some((kernel, end - 1))
    }
}

fn main() -> Result<(), Problems> {
    let experiment = Experiment::of(["ccbp/SAD"]).set("gpu", "tiny-2sm").set("policy", "leftover").set("stop.cycles", 20_000).build()?;
    let mut forward = Simulation::new(&experiment)?;
    let mut backward = Simulation::with_order(&experiment, Box::new(LastFirst))?;
    for run in [&mut forward, &mut backward] {
        run.advance(u64::MAX);
        println!("IPC {:.2}, digest {:016x}", run.ipc(KernelId(0)).unwrap_or(0.0), run.digest());
    }
    Ok(())
}
