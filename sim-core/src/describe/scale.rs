//! Scale models: a part of a large GPU with the same part of each kernel's work, which answers like the whole in a part of the time.
//!
//! SMs, L2 banks and DRAM channels are divided, and with them the ports of the NoC: a warp meets as much bandwidth and L2 as on the whole. What is
//! inside an SM stays, and so do latencies (Liu, Heirman, Eyerman, Akram and Eeckhout, ISPASS 2022; SeyyedAghaei, Naderan-Tahan and Eeckhout,
//! HPCA 2024). The work is divided as well (weak scaling), so that a launch has as many waves of CTAs as on the whole, and as much reuse:
//!
//! 1. Grids: along the first dimension that divides, else along the longest, rounded. CTAs that follow each other stay those that follow each
//!    other, and the row after them comes the sooner by as much as L2 is smaller.
//! 2. Arrays of which a part of the CTAs reads nearly as much as all of them, such as the matrix that every CTA goes through. Else fewer CTAs
//!    would use each line, and L2 would hold less of what they share. None becomes smaller than `IN_L1` L1 data caches: it would begin to live
//!    in L1D, which is as large as on the whole.
//! 3. Rows in which all CTAs lie side by side, such as a plane of a volume that each goes through. They are as much shorter as there are fewer
//!    CTAs, and follow each other as closely as on the whole. Else gaps between them would leave sets of L2 and places in DRAM's rows empty.
//!
//! Any other array of which each CTA has its own part stays: the rest of it is left untouched.

use super::error::Problems;
use super::gpu::{Gpu, NocKind};
use super::kernel::{Address, Dim3, Kernel, Launch, Op, Scatter, Tile, WARP_SIZE};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The parts that there are.
pub const PARTS: &[&str] = &["1", "1/2", "1/3", "1/4", "1/6", "1/8"];

/// L1 data caches that an array does not shrink below.
const IN_L1: u64 = 4;

/// Bytes of a line.
const LINE: u64 = 128;

/// A part of a GPU, one in so many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scale(u32);

fn of_part(part: &str) -> u32 {
    part.strip_prefix("1/").and_then(|parts| parts.parse().ok()).unwrap_or(1)
}

impl core::fmt::Display for Scale {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.is_whole() { f.write_str("1") } else { write!(f, "1/{}", self.0) }
    }
}

impl Scale {
    /// One of `PARTS`.
    pub fn of(part: &str) -> Scale {
        Scale(of_part(part))
    }

    /// Whether it is the whole.
    pub fn is_whole(self) -> bool {
        self.0 == 1
    }

    /// Whether the part of so many is a whole number.
    pub fn divides(self, count: u32) -> bool {
        count.is_multiple_of(self.0)
    }

    /// The part of SMs or channels of the whole GPU, rounded down.
    pub fn of_count(self, count: u32) -> u32 {
        count / self.0
    }

    /// The part of a rate of the whole GPU.
    pub fn of_rate(self, rate: f64) -> f64 {
        rate / f64::from(self.0)
    }

    /// Makes it the part of `gpu`, which stands at `path` in the input.
    pub fn gpu(self, gpu: &mut Gpu, path: &str, problems: &mut Problems) {
        if self.is_whole() {
            return;
        }
        if gpu.noc.kind == NocKind::Mesh {
            let found = format!("{self} of {path}, {}, with a mesh, in which distances grow with the SMs", gpu.name);
            return problems.add("scale", found, "no scale where noc.kind is \"mesh\"");
        }
        let mut counts: Vec<&mut u32> = gpu.sms.iter_mut().map(|class| &mut class.count).collect();
        counts.extend([&mut gpu.l2.banks, &mut gpu.dram.channels]);
        let fits = |parts: u32| counts.iter().all(|count| count.is_multiple_of(parts));
        if !fits(self.0) {
            let all: Vec<String> = counts.iter().map(ToString::to_string).collect();
            let [sms @ .., banks, channels] = &all[..] else { return };
            let found = format!("{self} of {path}: {} SMs, {banks} L2 banks and {channels} DRAM channels", sms.join(" and "));
            let possible: Vec<&str> = PARTS.iter().copied().filter(|part| fits(of_part(part))).collect();
            return problems.add("scale", found, format!("{}, which divides all of them", possible.join(" or ")));
        }
        counts.into_iter().for_each(|count| *count /= self.0);
    }

    /// Makes it the part of a kernel's work, on SMs with an L1D of so many bytes. The kernel stands at `path` in the input.
    pub fn kernel(self, kernel: &mut Kernel, l1_bytes: u32, path: &str, problems: &mut Problems) {
        if self.is_whole() {
            return;
        }
        if kernel.launches.iter().any(|launch| launch.grid_step != [0; 3]) {
            let found = format!("{self} with {path}, {}, whose grid changes from repeat to repeat", kernel.name);
            return problems.add("scale", found, "no scale, or kernels whose grids stay");
        }
        let before = kernel.clone();
        for launch in &mut kernel.launches {
            // The first CTAs, in the order of their numbers: others have other addresses.
            launch.grid = if launch.recorded.is_some() { launch.ctas().div_ceil(self.0).into() } else { self.grid(launch.grid) };
        }
        for at in 0..kernel.arrays.len() {
            let bytes = kernel.arrays[at].bytes;
            if self.is_shared(&before, at) {
                let least = bytes.min(IN_L1 * u64::from(l1_bytes));
                kernel.arrays[at].bytes = (bytes / u64::from(self.0)).max(least).next_multiple_of(LINE).min(bytes);
            } else if let Some(rows) = self.rows(&before, at) {
                kernel.arrays[at].bytes = (rows.of(bytes as i64) as u64).next_multiple_of(LINE).min(bytes);
                let addresses = kernel.launches.iter_mut().flat_map(addresses_mut);
                addresses.filter(|address| usize::from(address.array) == at).for_each(|address| rows.shorten(address));
            }
        }
        let bytes: Vec<u64> = kernel.arrays.iter().map(|array| array.bytes).collect();
        for address in kernel.launches.iter_mut().flat_map(addresses_mut) {
            if let Scatter::Warp { bytes: over } | Scatter::Lane { bytes: over } | Scatter::Skewed { bytes: over } = &mut address.scatter {
                *over = (*over).min(bytes[usize::from(address.array)]);
            }
        }
    }

    /// The part of a grid.
    fn grid(self, grid: Dim3) -> Dim3 {
        let mut extents: [u32; 3] = grid.into();
        let longest = (0..3).rev().max_by_key(|&i| extents[i]).unwrap_or(0);
        let along = (0..3).find(|&i| self.divides(extents[i])).unwrap_or(longest);
        extents[along] = ((extents[along] + self.0 / 2) / self.0).max(1);
        extents.into()
    }

    /// Whether the part of the CTAs reaches nearly as much of an array as all of them do: more than halfway from its part to the whole. It goes by
    /// what the access that reaches most covers, on the part and on the whole.
    fn is_shared(self, kernel: &Kernel, array: usize) -> bool {
        let most = |scale: Scale| {
            let reach = |Access { launch, address, loops }| reach(&address, kernel, launch, scale.grid(launch.grid), &loops);
            accesses(kernel, array).map(reach).max().unwrap_or(0).min(kernel.arrays[array].bytes)
        };
        2 * u64::from(self.0) * most(self) > u64::from(self.0 + 1) * most(Scale(1))
    }

    /// The rows of an array in which CTAs lie side by side: the shortest distance that leads past all of them.
    fn rows(self, kernel: &Kernel, array: usize) -> Option<Rows> {
        let bytes = kernel.arrays[array].bytes as i64;
        let past_all = |Access { launch, address, loops }: Access| {
            let [ctas, all] = [self.grid(launch.grid), launch.grid].map(|grid| i64::from(grid.ctas()));
            let last = address.cta.abs().saturating_mul(all - 1);
            let repeat = (times(kernel, launch) > 1).then_some(address.repeat);
            let distances = address.loops.into_iter().take(loops.len()).chain(repeat).chain([address.offset]).map(i64::abs);
            let (past, nearly): (Vec<i64>, Vec<i64>) = distances
                .filter(|distance| last > 0 && (last - last / 16..bytes).contains(distance))
                .partition(|&distance| distance > last);
            // A grid is often a little larger than a row: its last threads do nothing.
            let whole = past.into_iter().min().or(nearly.into_iter().max())?;
            // As many lines as those CTAs need, beginning where it began in a line.
            let line = LINE as i64;
            let lines = (whole / line * ctas + all - 1) / all;
            (address.scatter == Scatter::None).then_some(Rows { whole, part: lines * line + whole % line })
        };
        let rows = accesses(kernel, array).filter_map(past_all).min_by_key(|rows| rows.whole)?;
        // Whoever steps over rows from CTA to CTA would meet other rows when they are shorter. A matrix has rows of its own.
        let is_one = |Access { address, .. }: Access| address.tile.is_none() && address.cta.abs() < rows.part;
        accesses(kernel, array).all(is_one).then_some(rows)
    }
}

/// Bytes of a row of an array, on the whole and on the part.
#[derive(Clone, Copy, Debug)]
struct Rows {
    whole: i64,
    part: i64,
}

impl Rows {
    /// A distance, on the part: as many rows, and as far from the nearest. What is too far for a shorter row is as much nearer, at the same place in its
    /// line.
    fn of(self, distance: i64) -> i64 {
        let rows = (distance + self.whole / 2).div_euclid(self.whole);
        let within = distance - rows * self.whole;
        if self.part == self.whole || 2 * within.abs() < self.part {
            return rows * self.part + within;
        }
        let line = LINE as i64;
        let lines = (within.div_euclid(line) * self.part).div_euclid(self.whole);
        rows * self.part + lines * line + within.rem_euclid(line)
    }

    fn shorten(self, address: &mut Address) {
        let Address { offset, repeat, warp, loops, lane, scatter, .. } = address;
        loops.iter_mut().chain([offset, repeat, warp, lane]).for_each(|distance| *distance = self.of(*distance));
        if let Scatter::Warp { bytes } | Scatter::Lane { bytes } | Scatter::Skewed { bytes } = scatter {
            *bytes = (self.of(*bytes as i64) as u64).max(LINE).min(*bytes);
        }
    }
}

/// An access of a launch, with the loops around it.
#[derive(Debug)]
struct Access<'a> {
    launch: &'a Launch,
    address: Address,
    loops: Vec<Op>,
}

/// All accesses to an array.
fn accesses(kernel: &Kernel, array: usize) -> impl Iterator<Item = Access<'_>> {
    let of = |launch| addresses(launch).map(move |(address, loops)| Access { launch, address, loops });
    kernel.launches.iter().flat_map(of).filter(move |access| usize::from(access.address.array) == array)
}

/// Addresses of a launch, each with the trips of the loops around it.
fn addresses(launch: &Launch) -> impl Iterator<Item = (Address, Vec<Op>)> {
    let mut open: Vec<Op> = Vec::new();
    launch.program.iter().filter_map(move |op| {
        match op {
            Op::Loop { .. } => open.push(op.clone()),
            Op::End => drop(open.pop()),
            Op::Load { address, .. } | Op::Store { address, .. } | Op::Atomic { address, .. } => return Some((*address, open.clone())),
            _ => {}
        }
        None
    })
}

fn addresses_mut(launch: &mut Launch) -> impl Iterator<Item = &mut Address> {
    launch.program.iter_mut().filter_map(|op| match op {
        Op::Load { address, .. } | Op::Store { address, .. } | Op::Atomic { address, .. } => Some(address),
        _ => None,
    })
}

/// How much an access covers that starts with `each` and goes on in steps, each with a stride and a count. A step that is no longer than what
/// lies before it makes the piece longer. A longer one makes more pieces.
fn covered(each: u64, mut steps: Vec<(i64, u64)>) -> u64 {
    steps.sort_by_key(|(stride, _)| stride.unsigned_abs());
    let (mut piece, mut pieces) = (each, 1_u64);
    for (stride, count) in steps.into_iter().map(|(stride, count)| (stride.unsigned_abs(), count.max(1))) {
        if stride <= piece {
            piece = piece.saturating_add(stride.saturating_mul(count - 1));
        } else {
            pieces = pieces.saturating_mul(count);
        }
    }
    piece.saturating_mul(pieces)
}

/// How often a launch of a kernel is repeated.
fn times(kernel: &Kernel, launch: &Launch) -> u64 {
    let at = kernel.launches.iter().position(|other| core::ptr::eq(other, launch)).unwrap_or(0);
    let repeat = kernel.repeats.iter().find(|repeat| (repeat.first..repeat.first + repeat.launches).contains(&at));
    repeat.map_or(1, |repeat| u64::from(repeat.times))
}

/// Bytes that an access of a launch of this grid covers of an array without an end.
fn reach(address: &Address, kernel: &Kernel, launch: &Launch, grid: Dim3, loops: &[Op]) -> u64 {
    let trips: Vec<u64> = loops.iter().map(|op| if let Op::Loop { trips } = op { trips.mean(&kernel.lists) as u64 } else { 1 }).collect();
    let warps = u64::from(launch.threads.div_ceil(WARP_SIZE));
    let within = |strides: &[i64]| strides.iter().copied().zip(trips.iter().copied()).collect::<Vec<_>>();
    let mut steps = within(&address.loops);
    steps.extend([(address.cta, u64::from(grid.ctas())), (address.warp, warps), (address.repeat, times(kernel, launch))]);
    let Some(Tile { columns, rows, lanes, x, y, .. }) = address.tile else {
        steps.push((address.lane, u64::from(WARP_SIZE)));
        let each = match address.scatter {
            Scatter::None => 4,
            Scatter::Warp { bytes } | Scatter::Lane { bytes } | Scatter::Skewed { bytes } => bytes,
        };
        return covered(each, steps);
    };
    let extents: [u32; 3] = grid.into();
    let along = |each: u32, terms: super::kernel::Terms, most: u32| {
        let mut steps = within(&terms.loops.map(i64::from));
        steps.extend(terms.grid.into_iter().zip(extents).map(|(stride, count)| (i64::from(stride), u64::from(count))));
        steps.extend([(i64::from(terms.warp), warps), (i64::from(terms.repeat), times(kernel, launch))]);
        covered(each.into(), steps).min(most.into())
    };
    covered(4 * along(lanes, x, columns) * along(WARP_SIZE.div_ceil(lanes), y, rows), steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;
    use crate::describe::kernel::library;

    fn scaled(name: &str, part: &str) -> (Kernel, Kernel) {
        let whole = library::find(name).unwrap();
        let (mut kernel, mut problems) = (whole.clone(), Problems::default());
        Scale::of(part).kernel(&mut kernel, 94208, "kernels[0]", &mut problems);
        assert!(problems.0.is_empty(), "{problems}");
        (whole, kernel)
    }

    /// Every part that is offered reads back, and 1 is the whole.
    #[test]
    fn parts_read_back() {
        for part in PARTS {
            let scale = Scale::of(part);
            assert_eq!((scale.to_string().as_str(), scale.is_whole()), (*part, *part == "1"));
        }
    }

    #[test]
    fn a_quarter_of_a_gpu_has_its_sms_banks_and_channels_and_nothing_else_changes() {
        let whole = presets::find("a100-40gb").unwrap();
        let (mut part, mut problems) = (whole.clone(), Problems::default());
        Scale(4).gpu(&mut part, "gpu", &mut problems);
        assert!(problems.0.is_empty());
        assert_eq!((part.sm_count(), part.l2.banks, part.dram.channels), (27, 20, 10));
        part.sms[0].count = 108;
        (part.l2.banks, part.dram.channels) = (80, 40);
        assert_eq!(part, whole);
    }

    #[test]
    fn what_does_not_divide_and_a_mesh_are_refused() {
        let refused = |name: &str, parts| {
            let (mut gpu, mut problems) = (presets::find(name).unwrap(), Problems::default());
            let whole = gpu.clone();
            Scale(parts).gpu(&mut gpu, "gpu", &mut problems);
            assert_eq!(gpu, whole);
            problems.0[0].to_string()
        };
        let said = "scale: found 1/8 of gpu: 108 SMs, 80 L2 banks and 40 DRAM channels, want 1 or 1/2 or 1/4, which divides all of them";
        assert_eq!(refused("a100-40gb", 8), said);
        assert!(refused("ikra-15cu", 3).contains("with a mesh"));
    }

    /// By hand: of the product's 8 × 66 CTAs a quarter. All of A is read by every column of CTAs, so it is a quarter too. A row of B, of which
    /// each CTA has 8 bytes, is 9 lines in place of 33. C is the CTAs' own, and stays.
    #[test]
    fn what_all_ctas_read_and_rows_shrink_with_the_grid_and_what_is_their_own_stays() {
        let (whole, part) = scaled("qos/SGEMM", "1/4");
        assert_eq!((whole.launches[0].ctas(), part.launches[0].ctas()), (528, 132));
        let bytes = |kernel: &Kernel| kernel.arrays.iter().map(|array| array.bytes).collect::<Vec<_>>();
        let [a, b, c] = bytes(&whole)[..] else { panic!("three arrays") };
        assert_eq!(bytes(&part), [a / 4, b / 33 * 9, c]);
        for streams in ["VADD", "latency/COPY"] {
            let (whole, part) = scaled(streams, "1/4");
            let largest = |kernel: &Kernel| kernel.arrays.iter().map(|array| array.bytes).max();
            assert_eq!(largest(&part), largest(&whole), "{streams}");
        }
    }

    /// By hand: a plane is 1024 CTAs of 1 KB, and a quarter of them make one of 256 KB. A halo stays a row of 8 KB before its plane.
    #[test]
    fn planes_of_a_volume_follow_each_other_as_closely_as_on_the_whole() {
        let (whole, part) = scaled("qos/STENCIL", "1/4");
        assert_eq!((whole.arrays[0].bytes, part.arrays[0].bytes), (64 << 20, 16 << 20));
        let of = |kernel: &Kernel| -> Vec<(i64, i64)> {
            addresses(&kernel.launches[0]).map(|(address, _)| (address.offset, address.loops[0])).collect()
        };
        for (whole, part) in of(&whole).into_iter().zip(of(&part)) {
            let planes = (whole.0 + 8192) >> 20;
            assert_eq!(part, (whole.0 - planes * 3 * 262_144, 256 << 10), "{whole:?}");
        }
    }

    /// Each dimension of the points is a row, from which all CTAs read one candidate's. On the part it is as far along a shorter row.
    #[test]
    fn one_small_access_by_all_makes_no_array_shared() {
        let (whole, part) = scaled("hetero/SC", "1/4");
        assert_eq!(part.arrays[0].bytes, whole.arrays[0].bytes / 4);
        let coordinates = |kernel: &Kernel| addresses(&kernel.launches[0]).take(2).map(|(address, _)| address).collect::<Vec<_>>();
        let (whole, part) = (coordinates(&whole), coordinates(&part));
        assert!((0..2).all(|i| (whole[i].loops[0], part[i].loops[0]) == (256 << 10, 64 << 10)));
        assert_eq!((whole[1].offset, part[1].offset), (87380, 21844));
        assert_eq!(part[0].cta, whole[0].cta);
    }

    /// Rows of 494,020 points, with CTAs for six more.
    #[test]
    fn a_grid_may_be_a_little_larger_than_its_rows() {
        let (whole, part) = scaled("hetero/KMEANS", "1/4");
        let last = |kernel: &Kernel| addresses(&kernel.launches[0]).last().unwrap().0.loops[0];
        // 15,438 lines and 16 bytes; of 484 in place of 1936 CTAs, 3860 lines and 16 bytes.
        assert_eq!((last(&whole), last(&part)), (1_976_080, 3860 * 128 + 16));
    }

    #[test]
    fn a_distance_keeps_its_rows_and_its_place_in_a_line() {
        let rows = Rows { whole: 1 << 20, part: 1 << 18 };
        for (distance, part) in [(0, 0), (3 << 20, 3 << 18), (-4096, -4096), ((1 << 20) - 4096, (1 << 18) - 4096), (3 << 18, 3 << 16)] {
            assert_eq!(rows.of(distance), part, "{distance}");
        }
        for distance in (-(2 << 20)..2 << 20).step_by(4096 + 4) {
            assert_eq!((rows.of(distance) - distance).rem_euclid(128), 0, "{distance}");
        }
        let same = Rows { whole: 128, part: 128 };
        assert_eq!(same.of(64), 64);
    }

    /// A CTA of `parts` steps over a quarter of a row: with shorter rows it would step over more than one.
    #[test]
    fn rows_stay_where_ctas_step_over_them() {
        let (whole, part) = scaled("qos/HISTO", "1/4");
        let bytes = |kernel: &Kernel| kernel.arrays.iter().find(|array| array.name == "parts").map(|array| array.bytes);
        assert_eq!(bytes(&part), bytes(&whole));
    }

    /// Neighbours anywhere in a graph are anywhere in a quarter of it; a small table stays as it is.
    #[test]
    fn gathers_stay_within_their_arrays_and_small_arrays_stay() {
        let (whole, part) = scaled("ccbp/BFS", "1/4");
        assert_eq!(part.arrays[2].bytes, whole.arrays[2].bytes / 4);
        assert_eq!(part.arrays[6].bytes, 128);
        for (address, _) in part.launches.iter().flat_map(addresses) {
            if let Scatter::Lane { bytes } = address.scatter {
                assert!(bytes <= part.arrays[usize::from(address.array)].bytes);
            }
        }
    }

    /// Every kernel of the library has a quarter that a machine takes, with a quarter of the CTAs to half a row.
    #[test]
    fn every_kernel_has_a_quarter_or_says_why_not() {
        let mut refused = Vec::new();
        for name in library::names() {
            let whole = library::find(name).unwrap();
            let (mut part, mut problems) = (whole.clone(), Problems::default());
            Scale(4).kernel(&mut part, 94208, "kernels[0]", &mut problems);
            crate::describe::kernel::validate::check(&part, "kernel", &mut problems);
            if !problems.0.is_empty() {
                refused.push(name);
                assert!(problems.0[0].found.contains("whose grid changes"), "{problems}");
                continue;
            }
            for (whole, part) in whole.launches.iter().zip(&part.launches) {
                let extents: [u32; 3] = whole.grid.into();
                let row = whole.ctas() / extents.into_iter().max().unwrap();
                assert!(
                    (4 * part.ctas()).abs_diff(whole.ctas()) <= 2 * row || extents == [1; 3],
                    "{name}: {} of {}",
                    part.ctas(),
                    whole.ctas()
                );
            }
        }
        assert!(!refused.is_empty() && refused.iter().all(|name| name.starts_with("ikra/")), "{refused:?}");
    }

    #[test]
    fn pieces_grow_together_or_stand_apart() {
        assert_eq!(covered(4, alloc::vec![(4, 32)]), 128);
        assert_eq!(covered(4, alloc::vec![(1024, 10), (4, 32), (128, 8)]), 10 * 1024);
        assert_eq!(covered(4, alloc::vec![(1024, 10), (4, 32)]), 10 * 128);
        assert_eq!(covered(4, alloc::vec![(-128, 3), (4, 32), (0, 7)]), 3 * 128);
    }

    #[test]
    fn a_grid_shrinks_along_what_divides() {
        for (grid, part) in [([8, 66, 1], [2, 66, 1]), ([47, 48, 1], [47, 12, 1]), ([47, 46, 3], [12, 46, 3]), ([1, 1, 1], [1, 1, 1])] {
            assert_eq!(Scale(4).grid(grid.into()), part.into());
        }
    }
}
