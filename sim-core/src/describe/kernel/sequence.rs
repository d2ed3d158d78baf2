//! The launches of a run one after the other: a kernel lists each launch once, and says which of them repeat and what changes from repeat to repeat.
//!
//! So do iterative programs: two launches that swap their arrays, ten times; or a grid that loses a row with each step. With the repeat `i`, counted from
//! 0, the grid of a launch is `grid + i grid_step`, and each address `offset + i repeat`.

use super::{CarveOut, Kernel, Launch, Op, Tile};
use crate::describe::ids::LaunchId;
use alloc::vec::Vec;

/// Extent of a grid: CTAs along x, y and z. CTAs are numbered along x first, then y, then z.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl Dim3 {
    /// CTAs of the grid; validated grids have at most 2^24.
    pub fn ctas(self) -> u32 {
        self.x * self.y * self.z
    }
}

impl Default for Dim3 {
    fn default() -> Self {
        1.into()
    }
}

/// A grid of one dimension.
impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Dim3 { x, y: 1, z: 1 }
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Self {
        Dim3 { x, y, z }
    }
}

impl From<Dim3> for [u32; 3] {
    fn from(Dim3 { x, y, z }: Dim3) -> Self {
        [x, y, z]
    }
}

/// Launches of a kernel that run several times: all of them in order, then all of them again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Repeat {
    /// The first of them.
    pub first: usize,
    /// How many they are.
    pub launches: usize,
    /// How often they run.
    pub times: u32,
}

/// A launch of one CTA with one warp, for what is not said.
impl Default for Launch {
    fn default() -> Self {
        let carve_out = CarveOut::Default;
        Launch {
            grid: 1.into(),
            grid_step: [0; 3],
            gap: 0,
            threads: 32,
            registers: 16,
            shared_bytes: 0,
            carve_out,
            program: Vec::new(),
            recorded: None,
        }
    }
}

impl Launch {
    /// CTAs of the grid, the first time.
    pub fn ctas(&self) -> u32 {
        self.grid.ctas()
    }

    /// The grid in a repeat.
    pub fn grid_at(&self, repeat: u32) -> Dim3 {
        let extents: [u32; 3] = self.grid.into();
        core::array::from_fn(|i| (i64::from(extents[i]) + i64::from(self.grid_step[i]) * i64::from(repeat)) as u32).into()
    }

    /// The launch as it is in a repeat, by itself.
    pub fn at(&self, repeat: u32) -> Launch {
        let mut launch = Launch { grid: self.grid_at(repeat), grid_step: [0; 3], ..self.clone() };
        for op in &mut launch.program {
            if let Op::Load { address, .. } | Op::Store { address, .. } | Op::Atomic { address, .. } = op {
                address.offset += address.repeat * i64::from(repeat);
                address.repeat = 0;
                address.tile = address.tile.map(|tile| Tile { x: tile.x.at_repeat(repeat), y: tile.y.at_repeat(repeat), ..tile });
            }
        }
        launch
    }
}

impl Kernel {
    /// Every launch of a run in order: its position in `launches`, and how often it has run before.
    pub fn sequence(&self) -> impl Iterator<Item = (usize, u32)> {
        let of_group =
            |(Repeat { first, launches, times }, _)| (0..times).flat_map(move |time| (first..first + launches).map(move |at| (at, time)));
        self.groups().flat_map(of_group)
    }

    /// Cycles between the launches of so many runs, one after the other; none before the first.
    pub fn gaps(&self, runs: u64) -> u64 {
        let each: u64 = self.sequence().map(|(at, _)| self.launches[at].gap).sum();
        runs.saturating_mul(each).saturating_sub(self.launches[0].gap)
    }

    /// Every launch of a run in order, by itself.
    pub fn unrolled(&self) -> impl Iterator<Item = Launch> {
        self.sequence().map(|(at, repeat)| self.launches[at].at(repeat))
    }

    /// The grid of every launch of a run in order.
    pub fn grids(&self) -> impl Iterator<Item = Dim3> {
        self.sequence().map(|(at, repeat)| self.launches[at].grid_at(repeat))
    }

    /// The launch that has this place in a run, as the kernel lists it. The first one for a place behind the last.
    pub fn launch(&self, id: LaunchId) -> &Launch {
        if self.repeats.is_empty() {
            return self.launches.get(id.index()).unwrap_or(&self.launches[0]);
        }
        let mut left = id.index();
        for (Repeat { first, launches, times }, _) in self.groups() {
            let all = launches * times as usize;
            if left < all {
                return &self.launches[first + left % launches];
            }
            left -= all;
        }
        &self.launches[0]
    }

    /// The launches in order, those that do not repeat as groups of one, and whether it is one of the repeats.
    pub(super) fn groups(&self) -> impl Iterator<Item = (Repeat, bool)> {
        let mut next = 0;
        let mut repeats = self.repeats.iter().copied().peekable();
        core::iter::from_fn(move || {
            let repeat = repeats.next_if(|repeat| repeat.first == next);
            let group = repeat.unwrap_or(Repeat { first: next, launches: 1, times: 1 });
            next += group.launches;
            (group.first < self.launches.len()).then_some((group, repeat.is_some()))
        })
    }

    /// The kernel, cut off after so many launches. Those of a repeat that is cut off stand by themselves.
    pub fn cut(self, launches: usize) -> Kernel {
        let (mut kept, mut repeats, mut left) = (Vec::new(), Vec::new(), launches);
        for (Repeat { first, launches, times }, _) in self.groups() {
            let whole = times.min((left / launches) as u32);
            let body = &self.launches[first..first + launches];
            if whole > 1 {
                repeats.push(Repeat { first: kept.len(), launches, times: whole });
                kept.extend_from_slice(body);
            } else if whole == 1 {
                kept.extend(body.iter().map(|launch| launch.at(0)));
            }
            left -= whole as usize * launches;
            if whole < times {
                kept.extend(body[..left].iter().map(|launch| launch.at(whole)));
                break;
            }
        }
        Kernel { launches: kept, repeats, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::kernel::library;

    fn repeated() -> Kernel {
        let mut kernel = library::find("COPY").unwrap();
        let launch = |x: u32, step| Launch { grid: x.into(), grid_step: [step, 0, 0], ..kernel.launches[0].clone() };
        kernel.launches = alloc::vec![launch(7, 0), launch(3, -1), launch(10, 2), launch(5, 0)];
        let Op::Load { address, .. } = &mut kernel.launches[1].program[1] else { panic!("COPY loads") };
        address.repeat = 64;
        kernel.repeats = alloc::vec![Repeat { first: 1, launches: 2, times: 3 }];
        kernel
    }

    fn grids(kernel: &Kernel) -> Vec<u32> {
        kernel.sequence().map(|(at, repeat)| kernel.launches[at].at(repeat).ctas()).collect()
    }

    #[test]
    fn a_sequence_repeats_its_groups_and_changes_with_each_repeat() {
        let kernel = repeated();
        assert_eq!(grids(&kernel), [7, 3, 10, 2, 12, 1, 14, 5]);
        let Op::Load { address, .. } = &kernel.launches[1].at(2).program[1] else { panic!("COPY loads") };
        assert_eq!((address.offset, address.repeat), (128, 0));
    }

    /// Eight launches, the second and third of them three times, with gaps of 10, 20, 30 and 40 cycles before them.
    #[test]
    fn gaps_stand_between_launches_and_runs() {
        let mut kernel = repeated();
        kernel.launches.iter_mut().zip([10, 20, 30, 40]).for_each(|(launch, gap)| launch.gap = gap);
        assert_eq!([0, 1, 2].map(|runs| kernel.gaps(runs)), [0, 190, 390]);
    }

    #[test]
    fn a_sequence_that_is_cut_off_begins_as_the_whole() {
        let all = grids(&repeated());
        for launches in 1..=all.len() + 2 {
            assert_eq!(grids(&repeated().cut(launches)), all[..launches.min(all.len())], "{launches}");
        }
        assert_eq!(repeated().cut(100).launches.len(), 4);
    }
}
