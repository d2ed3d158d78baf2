//! Which L2 bank a line belongs to.

use crate::describe::ids::{KernelId, LineAddr, PerKernel};
use crate::interface::controls::Controls;

/// The address mapping: over all banks, or, for kernels that have channels of their own, over the banks of these.
#[derive(Clone, Debug)]
pub(super) struct Mapping {
    banks: u32,
    channels: u32,
    pub banks_per_channel: u32,
    /// The first channel of each kernel's lines, and how many there are: all from 0 on, or some.
    homes: PerKernel<(u32, u32)>,
    /// Banks over which each kernel's lines are spread.
    pub spread: PerKernel<u32>,
}

impl Mapping {
    /// Every kernel's lines are in all banks.
    pub fn new(banks: u32, channels: u32) -> Self {
        Mapping {
            banks,
            channels,
            banks_per_channel: banks / channels,
            homes: PerKernel::all((0, channels)),
            spread: PerKernel::all(banks),
        }
    }

    /// The bank of a kernel's line: its number modulo the banks, without the division where it can be.
    pub fn bank_of(&self, kernel: KernelId, line: LineAddr) -> u32 {
        match self.spread[kernel] {
            some if some < self.banks => self.own_bank_of(kernel, line),
            _ if self.banks.is_power_of_two() => line & (self.banks - 1),
            _ => line % self.banks,
        }
    }

    /// The bank of a line of a kernel that has channels of its own.
    #[cold]
    fn own_bank_of(&self, kernel: KernelId, line: LineAddr) -> u32 {
        let (first, count) = self.homes[kernel];
        (first + line % count) % self.channels + line / count % self.banks_per_channel * self.channels
    }

    /// The bank that has asked a channel for a line, which the channel numbers by itself.
    #[inline]
    pub fn bank_of_channel(&self, channel: u32, line: LineAddr) -> u32 {
        line % self.banks_per_channel * self.channels + channel
    }

    /// Takes over which channels a kernel has, and says whether that moves its lines.
    pub fn moves(&mut self, kernel: KernelId, controls: &Controls) -> bool {
        let home = controls.home(kernel, self.channels);
        self.spread[kernel] = home.1 * self.banks_per_channel;
        core::mem::replace(&mut self.homes[kernel], home) != home
    }
}
