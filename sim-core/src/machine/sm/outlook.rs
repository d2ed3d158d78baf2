//! What cannot happen on an SM in the next cycles: it has to be known before SMs run ahead of each other.

use super::code::Code;
use super::ctas::Cta;
use super::lanes::WarpRef;
use super::{Inputs, Sm};
use crate::describe::ids::{Cycle, KernelId};
use crate::machine::noc::members;

impl Sm {
    /// Whether a CTA of a kernel is here that cannot finish within `cycles` cycles.
    pub fn has_cta_beyond(&self, kernel: KernelId, cycles: Cycle, codes: &[Code]) -> bool {
        self.ctas_of(kernel).any(|cta| self.is_beyond(cta, cycles, codes))
    }

    /// Whether any CTA may finish within `cycles` cycles.
    pub fn may_finish_any(&self, cycles: Cycle, inputs: &Inputs) -> bool {
        self.ctas.slots().iter().flatten().any(|cta| !self.is_beyond(cta, cycles, &inputs.codes[cta.kernel.index()]))
    }

    /// Whether a kernel with more CTAs here than its target may lose as many as it has too many within `cycles` cycles. No CTA is switched out.
    pub fn may_come_to_target(&self, cycles: Cycle, inputs: &Inputs) -> bool {
        KernelId::first(inputs.codes.len()).zip(inputs.codes).any(|(kernel, codes)| {
            let held = self.ctas.used(kernel).ctas;
            let target = inputs.controls.may_hold(kernel);
            held > target && self.ctas_of(kernel).filter(|cta| self.is_beyond(cta, cycles, codes)).count() as u32 <= target
        })
    }

    /// Whether it may be found within `cycles` cycles that all kernels here have spent their quotas.
    pub fn may_spend_quotas(&self, now: Cycle, cycles: Cycle, inputs: &Inputs) -> bool {
        let stays = |kernel: KernelId| self.has_cta_beyond(kernel, cycles, &inputs.codes[kernel.index()]);
        self.gate.quotas.may_all_be_spent(now, cycles, self.ctas.resident(), inputs.controls, stays)
    }

    fn ctas_of(&self, kernel: KernelId) -> impl Iterator<Item = &Cta> {
        self.ctas.slots().iter().flatten().filter(move |cta| cta.kernel == kernel)
    }

    /// Whether a CTA cannot finish within `cycles` cycles: one of its warps has more instructions to issue.
    fn is_beyond(&self, cta: &Cta, cycles: Cycle, codes: &[Code]) -> bool {
        let code = &codes[cta.launch.index()];
        let is_beyond = |s, lane| Cycle::from(code.least_after(self.warps.states[WarpRef::new(s, lane).index()].pc)) > cycles;
        cta.warps.iter().enumerate().any(|(s, &warps)| members(warps, false).any(|lane| is_beyond(s, lane)))
    }
}
