//! Programs made ready for issue: loop ends resolved, bank conflicts and array bases worked out once.

use super::issue::Issue;
use super::lsu::Instruction;
use crate::describe::ids::{KernelId, LineAddr, MAX_KERNELS};
use crate::describe::kernel::{Address, Array, Dim3, Kernel, List, MAX_LOOPS, Op, Scatter, Tile, Trips, WARP_SIZE};
use crate::describe::rng::{below, draw, mix};
use crate::machine::coherence::Words;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Range;

/// Lines of address space that each kernel has for itself.
pub const KERNEL_LINES: u32 = 1 << 28;

const _: () = assert!((KERNEL_LINES as u64) * (MAX_KERNELS as u64) < u32::MAX as u64);

/// Farther outside a matrix it makes no difference where.
const OUTSIDE: i64 = 1 << 30;

/// One operation, ready for issue.
#[allow(missing_docs)] // the fields are those of `kernel::Op`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// `count` instructions, `latency` cycles apart.
    Alu { count: u32, latency: u32, lanes: u32 },
    /// `count` special-function instructions, `latency` cycles apart.
    Sfu { count: u32, latency: u32, lanes: u32 },
    /// `count` shared-memory accesses that take `ways` cycles of the banks each.
    Shared { count: u32, ways: u32, lanes: u32 },
    /// A global load.
    Load { address: StepAddress, lanes: u32 },
    /// A global store.
    Store { address: StepAddress, lanes: u32 },
    /// Wait until at most `loads` loads are outstanding.
    Wait { loads: u32 },
    /// Wait for the CTA.
    Barrier,
    /// Enter a loop of nesting `depth`, or go to `after`.
    Loop { depth: usize, trips: Trips, after: u32 },
    /// Go back to `body` while trips are left.
    End { depth: usize, body: u32 },
    /// The warp is done once its loads are.
    Exit,
    /// A global atomic operation.
    Atomic { address: StepAddress, lanes: u32 },
}

/// An address pattern with its array resolved.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StepAddress {
    first_line: LineAddr,
    bytes: u64,
    terms: Strides,
    /// The matrix in which it is a position, and the extent of the grid; rare, so it stands apart.
    tile: Option<Box<(Tile, Dim3)>>,
}

/// What issuing reads of an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Strides {
    offset: i64,
    cta: i64,
    warp: i64,
    loops: [i64; MAX_LOOPS],
    lane: i64,
    scatter: Scatter,
}

/// Where in its grid and loops a warp is: what an address depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Place {
    /// CTA of the grid.
    pub cta: u32,
    /// Warp of the CTA.
    pub warp: u32,
    /// Iteration of each enclosing loop, outermost first.
    pub loops: [u32; MAX_LOOPS],
}

/// One launch, ready for issue, with its shape.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Code {
    /// Operations; the last is `Exit`.
    pub steps: Vec<Step>,
    /// What issuing reads of each of them; for those that issue nothing, nothing.
    issues: Vec<Option<Issue>>,
    /// The fewest instructions that a warp issues after each of them.
    least: Vec<u32>,
    /// CTAs of the grid along each dimension.
    pub grid: Dim3,
    /// CTAs of the grid.
    pub ctas: u32,
    /// Cycles between the end of the launch before and its own beginning.
    pub gap: u32,
    /// Warps of a CTA.
    pub warps: u32,
    /// Threads of a CTA.
    pub threads: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a CTA, bytes.
    pub shared_bytes: u32,
    /// Key of every draw of the launch.
    key: u64,
    /// The kernel's lists of trips, and how often the launch has run before in its sequence.
    lists: Arc<Vec<List>>,
    repeat: u32,
}

/// The lines of each array of a kernel that stands at position `index` of the mix.
pub fn layout(kernel: &Kernel, index: usize, line_bytes: u32) -> impl Iterator<Item = (&Array, Range<LineAddr>)> {
    let mut next = index as u32 * KERNEL_LINES;
    kernel.arrays.iter().map(move |array| {
        let first = next;
        next += array.bytes.div_ceil(u64::from(line_bytes)) as u32;
        (array, first..next)
    })
}

/// The lines of its arrays that are read only, in ascending order.
pub fn read_only(kernel: &Kernel, index: usize, line_bytes: u32) -> impl Iterator<Item = Range<LineAddr>> {
    layout(kernel, index, line_bytes).filter(|(array, _)| array.read_only).map(|(_, lines)| lines)
}

impl Code {
    /// The launches of a kernel's run, when it stands at position `index` of the mix. Draws are keyed by the kernel's key, not its
    /// position, so that it issues one pattern alone and in any mix. They are also keyed by the launch as the kernel lists it, so that
    /// repeats draw alike.
    pub fn compile(kernel: &Kernel, index: usize, seed: u64, line_bytes: u32, shared_banks: u32) -> Vec<Code> {
        let arrays: Vec<(LineAddr, u64)> = layout(kernel, index, line_bytes).map(|(array, lines)| (lines.start, array.bytes)).collect();
        let name_key = kernel.key().bytes().fold(draw(seed), |key, byte| mix(key, u64::from(byte)));
        let lists = Arc::new(kernel.lists.clone());
        let launches = kernel.sequence().map(|(number, repeat)| (number, repeat, kernel.launches[number].at(repeat)));
        launches
            .map(|(number, repeat, launch)| (number, repeat, steps(&launch.program, &arrays, shared_banks, launch.grid), launch))
            .map(|(number, repeat, steps, launch)| Code {
                issues: steps.iter().map(|step| Issue::of(step, KernelId(index as u8))).collect(),
                least: least(&steps),
                steps,
                grid: launch.grid,
                ctas: launch.ctas(),
                gap: launch.gap,
                warps: launch.threads.div_ceil(WARP_SIZE),
                threads: launch.threads,
                registers: launch.registers,
                shared_bytes: launch.shared_bytes,
                key: mix(name_key, number as u64),
                lists: lists.clone(),
                repeat,
            })
            .collect()
    }

    /// What the step at `pc` issues, if it does.
    #[inline]
    pub(super) fn issue(&self, pc: u32) -> Option<Issue> {
        self.issues[pc as usize]
    }

    /// The fewest instructions that a warp still issues after the step at `pc`: a lower bound of the cycles until it ends.
    pub fn least_after(&self, pc: u32) -> u32 {
        self.least[pc as usize]
    }

    /// The key of a warp's draws.
    pub fn warp_key(&self, cta: u32, warp: u32) -> u64 {
        mix(self.key, u64::from(cta) << 32 | u64::from(warp))
    }

    /// Byte position of lane 0 of the memory instruction at `pc`, and the key of what is drawn for it.
    pub fn base(&self, pc: u32, place: &Place, warp_key: u64) -> (u64, u64) {
        match self.steps[pc as usize] {
            Step::Load { ref address, .. } | Step::Store { ref address, .. } | Step::Atomic { ref address, .. } => {
                address.base(place, warp_key, pc)
            }
            _ => (0, 0),
        }
    }

    /// Active lanes of the memory instruction at `pc`.
    pub fn lanes(&self, pc: u32) -> u8 {
        match self.steps[pc as usize] {
            Step::Load { lanes, .. } | Step::Store { lanes, .. } | Step::Atomic { lanes, .. } => lanes as u8,
            _ => 0,
        }
    }

    /// The lines that a memory instruction's lanes touch, each once, in the order of the lanes: coalescing. Returns how many.
    pub fn lines(&self, head: &Instruction, line_bytes: u32, lines: &mut [LineAddr; WARP_SIZE as usize]) -> u32 {
        match self.steps[usize::from(head.pc)] {
            Step::Load { ref address, lanes } | Step::Store { ref address, lanes } | Step::Atomic { ref address, lanes } => {
                address.lines(head.base, head.key, lanes, line_bytes, lines)
            }
            _ => 0,
        }
    }

    /// The words that the lanes of a load or store touch of each of its `lines`: bit `n` for word `n` of 4 bytes.
    pub fn words(&self, head: &Instruction, line_bytes: u32, lines: &[LineAddr], words: &mut [Words; WARP_SIZE as usize]) {
        if let Step::Load { ref address, lanes } | Step::Store { ref address, lanes } | Step::Atomic { ref address, lanes } =
            self.steps[usize::from(head.pc)]
        {
            address.words(head.base, head.key, lanes, line_bytes, lines, words);
        }
    }

    /// The entry of a list for one of so many `parts` of a CTA.
    fn listed(&self, list: u8, cta: u32, parts: u32, part: u32) -> u32 {
        let values = &self.lists[usize::from(list)].values;
        let ctas = u64::from(self.repeat) * u64::from(self.ctas) + u64::from(cta);
        values[((ctas * u64::from(parts) + u64::from(part)) % values.len() as u64) as usize]
    }

    /// Where each lane of the memory instruction at `pc` reads or writes: line, and byte of the line.
    pub fn positions<'p>(
        &self,
        pc: u32,
        place: &Place,
        warp_key: u64,
        line_bytes: u32,
        positions: &'p mut [(LineAddr, u32); WARP_SIZE as usize],
    ) -> &'p [(LineAddr, u32)] {
        let (Step::Load { ref address, lanes } | Step::Store { ref address, lanes } | Step::Atomic { ref address, lanes }) =
            self.steps[pc as usize]
        else {
            return &[];
        };
        let (base, key) = address.base(place, warp_key, pc);
        for (lane, slot) in (0..lanes).zip(positions.iter_mut()) {
            let at = address.at(base, key, lane);
            *slot = (address.first_line + (at / u64::from(line_bytes)) as LineAddr, (at % u64::from(line_bytes)) as u32);
        }
        &positions[..lanes as usize]
    }

    /// How often a loop at step `pc` runs for a warp.
    pub fn trips(&self, trips: Trips, pc: u32, place: &Place) -> u32 {
        let drawn = |min: u32, max: u32, warp: u64| {
            let key = mix(mix(self.key, u64::from(place.cta) << 32 | warp), u64::from(pc) << 1 | 1);
            min + below(key, u64::from(max - min) + 1) as u32
        };
        match trips {
            Trips::Fixed(n) => n,
            Trips::PerCta { min, max } => drawn(min, max, u64::from(u32::MAX)),
            Trips::PerWarp { min, max } => drawn(min, max, u64::from(place.warp)),
            Trips::ListedPerCta { list } => self.listed(list, place.cta, 1, 0),
            Trips::ListedPerWarp { list } => self.listed(list, place.cta, self.warps, place.warp),
            Trips::SomeWarps { trips, one_in } => {
                if drawn(0, one_in - 1, u64::from(place.warp)) == 0 {
                    trips
                } else {
                    0
                }
            }
        }
    }
}

fn steps(program: &[Op], arrays: &[(LineAddr, u64)], shared_banks: u32, grid: Dim3) -> Vec<Step> {
    let resolve = |address: &Address| {
        let (first_line, bytes) = arrays[usize::from(address.array)];
        StepAddress::new(address, first_line, bytes, grid)
    };
    let mut open = Vec::new();
    let mut steps = Vec::with_capacity(program.len() + 1);
    for op in program {
        let step = match *op {
            Op::Alu { count, latency, lanes } => Step::Alu { count, latency, lanes },
            Op::Sfu { count, latency, lanes } => Step::Sfu { count, latency, lanes },
            Op::Shared { count, stride, lanes } => Step::Shared { count, ways: conflict_ways(stride, lanes, shared_banks), lanes },
            Op::Load { ref address, lanes } => Step::Load { address: resolve(address), lanes },
            Op::Store { ref address, lanes } => Step::Store { address: resolve(address), lanes },
            Op::Atomic { ref address, lanes } => Step::Atomic { address: resolve(address), lanes },
            Op::Wait { loads } => Step::Wait { loads },
            Op::Barrier => Step::Barrier,
            Op::Loop { trips } => {
                open.push(steps.len());
                Step::Loop { depth: open.len() - 1, trips, after: 0 }
            }
            Op::End => {
                let begin = open.pop().expect("validated: every End has its Loop");
                let after = steps.len() as u32 + 1;
                if let Step::Loop { after: end, .. } = &mut steps[begin] {
                    *end = after;
                }
                Step::End { depth: open.len(), body: begin as u32 + 1 }
            }
        };
        steps.push(step);
    }
    steps.push(Step::Exit);
    steps
}

/// The fewest instructions that a warp issues after each step: every loop that it is in or comes to ends as soon as it can.
fn least(steps: &[Step]) -> Vec<u32> {
    // From each step on, from the last to the first; a loop's body that runs at all runs once.
    let mut from = alloc::vec![0_u32; steps.len() + 1];
    for (pc, step) in steps.iter().enumerate().rev() {
        let next = from[pc + 1];
        from[pc] = match *step {
            Step::Alu { count, .. } | Step::Sfu { count, .. } | Step::Shared { count, .. } => next.saturating_add(count),
            Step::Load { .. } | Step::Store { .. } | Step::Atomic { .. } | Step::Barrier => next.saturating_add(1),
            Step::Loop { after, .. } => next.min(from[after as usize]),
            Step::Wait { .. } | Step::End { .. } => next,
            Step::Exit => 0,
        };
    }
    from.split_off(1)
}

/// Cycles that the banks need for one access of `lanes` lanes, `stride` words apart: the most distinct words that fall into one bank.
/// Lanes that read the same word share it (broadcast).
pub fn conflict_ways(stride: u32, lanes: u32, banks: u32) -> u32 {
    if stride == 0 {
        return 1;
    }
    let mut ways = 1;
    for bank in 0..banks {
        let words = (0..lanes).filter(|lane| lane * stride % banks == bank).count() as u32;
        ways = ways.max(words);
    }
    ways
}

impl StepAddress {
    fn new(address: &Address, first_line: LineAddr, bytes: u64, grid: Dim3) -> Self {
        let &Address { offset, cta, warp, loops, lane, scatter, tile, .. } = address;
        let tile = tile.map(|tile| Box::new((tile, grid)));
        StepAddress { first_line, bytes, terms: Strides { offset, cta, warp, loops, lane, scatter }, tile }
    }

    /// Column and row of lane 0 in one word, and the bytes that are added.
    #[inline(never)] // so that what is not in a matrix stays short
    fn base_of_tile(&self, (tile, grid): &(Tile, Dim3), place: &Place, sum: i64) -> (u64, u64) {
        let (row, x) = (place.cta / grid.x, place.cta % grid.x);
        let cta = [x, row % grid.y, row / grid.y];
        let [x, y] = [&tile.x, &tile.y].map(|terms| terms.sum(cta, place.warp, place.loops).clamp(-OUTSIDE, OUTSIDE) as i32 as u32);
        (u64::from(y) << 32 | u64::from(x), self.wrap(sum))
    }

    /// Byte position of lane 0 in the array, and the key of what is drawn for the access; for a tile, what `tile_at` takes.
    fn base(&self, place: &Place, warp_key: u64, pc: u32) -> (u64, u64) {
        let t = &self.terms;
        let mut sum =
            t.offset.wrapping_add(t.cta.wrapping_mul(i64::from(place.cta))).wrapping_add(t.warp.wrapping_mul(i64::from(place.warp)));
        for (stride, iteration) in t.loops.iter().zip(place.loops) {
            sum = sum.wrapping_add(stride.wrapping_mul(i64::from(iteration)));
        }
        if let Some(tile) = &self.tile {
            return self.base_of_tile(tile, place, sum);
        }
        let mut base = self.wrap(sum);
        if t.scatter == Scatter::None {
            return (base, 0);
        }
        let loops = u64::from(place.loops[0]) << 40 ^ u64::from(place.loops[1]) << 20 ^ u64::from(place.loops[2]);
        let key = mix(mix(warp_key, u64::from(pc) << 1), loops);
        if let Scatter::Warp { bytes } = t.scatter {
            base = (base + below(key, (bytes / 128).max(1)) * 128) % self.bytes;
        }
        (base, key)
    }

    /// A position modulo the array's size; most are inside already, and a division is slow.
    fn wrap(&self, at: i64) -> u64 {
        if (0..self.bytes as i64).contains(&at) { at as u64 } else { at.rem_euclid(self.bytes as i64) as u64 }
    }

    /// Whether each lane draws its own position.
    fn is_gather(&self) -> bool {
        self.drawn_bytes().is_some()
    }

    /// The bytes among which each lane draws its own position, if it does.
    fn drawn_bytes(&self) -> Option<u64> {
        match self.terms.scatter {
            Scatter::Lane { bytes } | Scatter::Skewed { bytes } => Some(bytes),
            Scatter::None | Scatter::Warp { .. } => None,
        }
    }

    /// Position of a lane of a tile in the array.
    fn tile_at(&self, tile: &Tile, base: u64, key: u64, lane: u32) -> u64 {
        let (x, y) = (base as u32 as i32, (base >> 32) as u32 as i32);
        self.wrap((key + tile.position(x.into(), y.into(), lane)) as i64)
    }

    /// Position of a lane in the array, of a tile or not.
    #[inline(always)] // as `lane_at`
    fn at(&self, base: u64, key: u64, lane: u32) -> u64 {
        match &self.tile {
            Some(tile) => self.tile_at(&tile.0, base, key, lane),
            None => self.lane_at(base, key, lane),
        }
    }

    /// `lines` of a tile.
    #[inline(never)]
    fn lines_of_tile(&self, tile: &Tile, base: u64, key: u64, lanes: u32, shift: u32, lines: &mut [LineAddr; WARP_SIZE as usize]) -> u32 {
        let mut count = 0;
        for lane in 0..lanes {
            let line = self.first_line + (self.tile_at(tile, base, key, lane) >> shift) as LineAddr;
            if !lines[..count].contains(&line) {
                lines[count] = line;
                count += 1;
            }
        }
        count as u32
    }

    /// Position of a lane in the array.
    #[inline(always)] // in two loops over lanes, each of which looks once at what the scatter is
    fn lane_at(&self, base: u64, key: u64, lane: u32) -> u64 {
        let at = base.wrapping_add_signed(self.terms.lane.wrapping_mul(i64::from(lane)));
        let draw_word = |n: u64, bytes: u64| below(mix(key, u64::from(lane) << 2 | n), bytes / 4);
        let word = match self.terms.scatter {
            Scatter::None | Scatter::Warp { .. } => 0,
            Scatter::Lane { bytes } => draw_word(0, bytes),
            Scatter::Skewed { bytes } => draw_word(0, bytes).min(draw_word(1, bytes)).min(draw_word(2, bytes)),
        };
        self.wrap(at.wrapping_add(word * 4) as i64)
    }

    /// The words that the lanes touch of each of `lines`, as `lines` gave them; two lanes that touch one word touch it once.
    #[inline(never)]
    fn words(&self, base: u64, key: u64, lanes: u32, line_bytes: u32, lines: &[LineAddr], words: &mut [Words; WARP_SIZE as usize]) {
        words.fill(0);
        let mut at = 0;
        for lane in 0..lanes {
            let position = self.at(base, key, lane);
            let line = self.first_line + (position / u64::from(line_bytes)) as LineAddr;
            if self.is_gather() || self.tile.is_some() {
                at = 0;
            }
            // Affine lanes move through the lines in order.
            while lines[at] != line {
                at += 1;
            }
            words[at] |= 1 << (position % u64::from(line_bytes) / 4);
        }
    }

    /// The lines that the lanes touch, each once, in the order of the lanes: coalescing. Returns how many.
    fn lines(&self, base: u64, key: u64, lanes: u32, line_bytes: u32, lines: &mut [LineAddr; WARP_SIZE as usize]) -> u32 {
        let t = &self.terms;
        let shift = line_bytes.trailing_zeros();
        if let Some(tile) = &self.tile {
            return self.lines_of_tile(&tile.0, base, key, lanes, shift, lines);
        }
        let drawn = self.drawn_bytes();
        let gather = drawn.is_some();
        let span = t.lane.wrapping_mul(i64::from(lanes) - 1);
        let is_dense = (0..=i64::from(line_bytes)).contains(&t.lane);
        if let Some(drawn) = drawn
            && is_dense
            && drawn <= 63 * u64::from(line_bytes) - span as u64
            && base + span as u64 + drawn <= self.bytes
        {
            return self.lines_of_near(base, key, lanes, shift, lines);
        }
        if !gather && is_dense && base + (span as u64) < self.bytes {
            // Lanes at most a line apart: every line from the first lane's to the last's.
            let (first, last) = ((base >> shift) as LineAddr, ((base + span as u64) >> shift) as LineAddr);
            for (slot, line) in lines.iter_mut().zip(first..=last) {
                *slot = self.first_line + line;
            }
            return last - first + 1;
        }
        let mut count = 0;
        // The low bits of the lines so far: most lines of a gather are new, and show it here.
        let mut low_bits = 0_u64;
        for lane in 0..lanes {
            let line = self.first_line + (self.lane_at(base, key, lane) >> shift) as LineAddr;
            let low = 1 << (line % 64);
            // Affine lanes repeat only their neighbour's line; gathers may repeat any.
            let seen = if gather { low_bits & low != 0 && lines[..count].contains(&line) } else { count > 0 && lines[count - 1] == line };
            low_bits |= low;
            if !seen {
                lines[count] = line;
                count += 1;
            }
        }
        count as u32
    }

    /// The lines that lanes ask for in a gather from 64 lines at most that does not wrap in its array: the low bits of a line tell it from
    /// the others. Which lane repeats a line is hard to predict, so there is no branch on it.
    fn lines_of_near(&self, base: u64, key: u64, lanes: u32, shift: u32, lines: &mut [LineAddr; WARP_SIZE as usize]) -> u32 {
        let mut count = 0;
        let mut seen = 0_u64;
        for lane in 0..lanes {
            let line = self.first_line + (self.lane_at(base, key, lane) >> shift) as LineAddr;
            let low = 1 << (line % 64);
            let is_new = seen & low == 0;
            let slot = &mut lines[count];
            *slot = select_unpredictable(is_new, line, *slot);
            count += usize::from(is_new);
            seen |= low;
        }
        count as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn address(terms: Address, bytes: u64) -> StepAddress {
        StepAddress::new(&terms, 100, bytes, 1.into())
    }

    fn lines_of(a: &StepAddress, place: Place, lanes: u32) -> Vec<LineAddr> {
        let mut lines = [0; 32];
        let (base, key) = a.base(&place, 1, 2);
        let count = a.lines(base, key, lanes, 128, &mut lines);
        lines[..count as usize].to_vec()
    }

    #[test]
    fn lanes_coalesce_into_lines() {
        let unit = address(Address { lane: 4, ..Address::default() }, 1 << 20);
        assert_eq!(lines_of(&unit, Place::default(), 32), [100]);
        let shifted = address(Address { lane: 4, offset: 64, ..Address::default() }, 1 << 20);
        assert_eq!(lines_of(&shifted, Place::default(), 32), [100, 101]);
        let strided = address(Address { lane: 128, ..Address::default() }, 1 << 20);
        assert_eq!(lines_of(&strided, Place::default(), 32).len(), 32);
        let broadcast = address(Address::default(), 1 << 20);
        assert_eq!(lines_of(&broadcast, Place::default(), 32), [100]);
    }

    #[test]
    fn a_warp_issues_no_fewer_instructions_than_are_left_at_least() {
        let alu = |count| Op::Alu { count, latency: 1, lanes: 32 };
        let program = vec![alu(5), Op::Loop { trips: Trips::Fixed(3) }, alu(7), Op::Barrier, Op::End, Op::Wait { loads: 0 }, alu(2)];
        // After each step: the loop may not run again, or not at all.
        assert_eq!(least(&steps(&program, &[], 32, 1.into())), [2, 10, 3, 2, 2, 2, 0, 0]);
    }

    #[test]
    fn some_warps_run_a_loop_and_the_others_skip_it() {
        let alu = Op::Alu { count: 1, latency: 4, lanes: 32 };
        let launch = |trips| crate::describe::kernel::Launch {
            grid: 1000.into(),
            threads: 256,
            registers: 16,
            shared_bytes: 0,
            program: vec![Op::Loop { trips }, alu.clone(), Op::End],
            ..Default::default()
        };
        let draws = |trips: Trips| -> Vec<u32> {
            let mut kernel = crate::describe::kernel::library::find("COPY").unwrap();
            kernel.launches = vec![launch(trips)];
            let code = &Code::compile(&kernel, 0, 1, 128, 32)[0];
            let places = (0..1000).flat_map(|cta| (0..8).map(move |warp| Place { cta, warp, ..Place::default() }));
            places.map(|place| code.trips(trips, 0, &place)).collect()
        };
        let found = draws(Trips::SomeWarps { trips: 3, one_in: 8 });
        let run = found.iter().filter(|&&trips| trips == 3).count();
        // 8000 warps, 1000 expected; five standard deviations.
        assert!((852..1148).contains(&run) && found.iter().all(|&trips| trips == 0 || trips == 3), "{run}");
        // Not the same warp of each CTA.
        assert!((0..8).all(|warp| found.iter().skip(warp).step_by(8).any(|&trips| trips == 3)));
        assert!(draws(Trips::SomeWarps { trips: 3, one_in: 1 }).iter().all(|&trips| trips == 3));
    }

    #[test]
    fn addresses_wrap_in_their_array() {
        let a = address(Address { lane: 4, cta: 128, ..Address::default() }, 256);
        assert_eq!(lines_of(&a, Place { cta: 5, ..Place::default() }, 32), [101]);
        let backwards = address(Address { lane: -4, ..Address::default() }, 256);
        assert_eq!(lines_of(&backwards, Place::default(), 32), [100, 101]);
    }

    #[test]
    fn a_gather_stays_in_its_span_and_repeats_under_the_same_key() {
        let a = address(Address { scatter: Scatter::Lane { bytes: 1 << 16 }, ..Address::default() }, 1 << 20);
        let first = lines_of(&a, Place::default(), 32);
        assert_eq!(first, lines_of(&a, Place::default(), 32));
        assert!(first.len() > 20 && first.iter().all(|&line| (100..100 + 512).contains(&line)));
        assert_ne!(first, lines_of(&a, Place { loops: [1, 0, 0], ..Place::default() }, 32));
    }

    /// Gathers from few lines and from many, at the start of the array and across its end: as the lanes say, one after the other.
    #[test]
    fn a_gather_touches_each_line_once_in_the_order_of_its_lanes() {
        for (bytes, lane) in [(1900, 0), (1900, 4), (63 * 128, 0), (62 * 128, 4), (64 * 128, 0), (200 * 128, 0), (1900, 128), (1900, -4)] {
            for offset in [0, 68, (1 << 20) - 1900, (1 << 20) - 4] {
                for scatter in [Scatter::Lane { bytes }, Scatter::Skewed { bytes }] {
                    let a = address(Address { scatter, lane, offset, ..Address::default() }, 1 << 20);
                    let (base, key) = a.base(&Place::default(), 1, 2);
                    let mut touched: Vec<LineAddr> = Vec::new();
                    for lane in 0..32 {
                        let line = 100 + (a.lane_at(base, key, lane) / 128) as LineAddr;
                        if !touched.contains(&line) {
                            touched.push(line);
                        }
                    }
                    assert_eq!(lines_of(&a, Place::default(), 32), touched, "{bytes} bytes, lane {lane}, offset {offset}");
                }
            }
        }
    }

    #[test]
    fn bank_conflicts_follow_from_the_stride() {
        let ways: Vec<u32> = [0, 1, 2, 3, 4, 8, 16, 32, 33].iter().map(|&stride| conflict_ways(stride, 32, 32)).collect();
        assert_eq!(ways, vec![1, 1, 2, 1, 4, 8, 16, 32, 1]);
    }
}
