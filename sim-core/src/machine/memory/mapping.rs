//! Which L2 bank a line belongs to.

use crate::describe::gpu::{BankIndex, Gpu};
use crate::describe::ids::{KernelId, LineAddr, PerKernel};
use crate::interface::controls::Controls;

/// The address mapping: over all banks, or, for kernels that have channels of their own, over the banks of these.
#[derive(Clone, Debug)]
pub(super) struct Mapping {
    bank_index: BankIndex,
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
    pub fn new(gpu: &Gpu) -> Self {
        let (banks, channels) = (gpu.l2.banks, gpu.dram.channels);
        Mapping {
            bank_index: gpu.l2.bank_index,
            banks,
            channels,
            banks_per_channel: banks / channels,
            homes: PerKernel::all((0, channels)),
            spread: PerKernel::all(banks),
        }
    }

    /// The bank of a kernel's line.
    pub fn bank_of(&self, kernel: KernelId, line: LineAddr) -> u32 {
        match self.spread[kernel] {
            some if some < self.banks => self.own_bank_of(kernel, line),
            _ => self.bank_index.bank(line, self.banks),
        }
    }

    /// The bank of a line of a kernel that has channels of its own.
    #[cold]
    fn own_bank_of(&self, kernel: KernelId, line: LineAddr) -> u32 {
        let (first, count) = self.homes[kernel];
        let bank = self.bank_index.bank(line, self.spread[kernel]);
        (first + bank % count) % self.channels + bank / count * self.channels
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;
    use alloc::vec;
    use alloc::vec::Vec;

    /// A mapping whose first kernel has the channels from `first` on.
    fn mapping(index: BankIndex, (banks, channels): (u32, u32), (first, count): (u32, u32)) -> Mapping {
        let mut gpu = presets::find("tiny-2sm").unwrap();
        (gpu.l2.bank_index, gpu.l2.banks, gpu.dram.channels) = (index, banks, channels);
        let mut mapping = Mapping::new(&gpu);
        mapping.homes[KernelId(0)] = (first, count);
        mapping.spread[KernelId(0)] = count * mapping.banks_per_channel;
        mapping
    }

    /// A bank knows a line by its number divided by the banks: no two lines have bank and number in common.
    #[test]
    fn every_line_has_a_place_of_its_own() {
        for index in [BankIndex::Modulo, BankIndex::Hash] {
            for (banks, channels, home) in [(16, 16, (0, 16)), (80, 40, (0, 40)), (33, 11, (0, 11)), (80, 40, (37, 7)), (64, 32, (3, 1))] {
                let mapping = mapping(index, (banks, channels), home);
                let (kernel, rows) = (KernelId(0), 500);
                let spread = mapping.spread[kernel];
                let mut seen = vec![false; (banks * rows) as usize];
                for line in 0..spread * rows {
                    let bank = mapping.bank_of(kernel, line);
                    assert!((bank + channels - home.0) % channels < home.1, "line {line} is in bank {bank}, of a channel it does not have");
                    let place = &mut seen[(line / spread * banks + bank) as usize];
                    assert!(!core::mem::replace(place, true), "{index:?} of {banks} banks: line {line} has the place of another");
                }
            }
        }
    }

    /// Lines at a distance from each other meet few banks under modulo, if the distance and the banks have much in common. Under the hash they
    /// meet nearly all at any distance, and none of these has more than three times its share.
    #[test]
    fn a_hash_spreads_lines_of_any_distance() {
        for banks in [16, 20, 33, 64, 80] {
            for distance in (1..600).chain((10..18).map(|power| 1 << power)) {
                let of_banks = |index: BankIndex| {
                    let mut lines = vec![0; banks as usize];
                    (0..8 * banks).for_each(|line: u32| lines[index.bank(line * distance, banks) as usize] += 1);
                    lines
                };
                let met = |lines: &[u32]| lines.iter().filter(|&&lines| lines > 0).count() as u32;
                let common = (1..=banks).rev().find(|of| banks.is_multiple_of(*of) && distance.is_multiple_of(*of)).unwrap();
                assert_eq!(met(&of_banks(BankIndex::Modulo)), banks / common);
                let hashed: Vec<u32> = of_banks(BankIndex::Hash);
                assert!(10 * met(&hashed) >= 9 * banks && hashed.iter().max() <= Some(&24), "{distance} lines, {banks} banks: {hashed:?}");
            }
        }
    }
}
