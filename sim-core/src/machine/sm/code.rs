//! Programs made ready for issue: loop ends resolved, bank conflicts and array bases worked out once.

use super::address::{Place, StepAddress};
use super::next::{Issue, Next};
use super::recorded::{Mark, Operations};
use crate::describe::gpu::SmClass;
use crate::describe::ids::{Cycle, KernelId, LaunchId, LineAddr, MAX_KERNELS};
use crate::describe::kernel::{Address, Array, CarveOut, Dim3, Kernel, Launch, List, MAX_LINES, Op, Trips, WARP_SIZE};
use crate::describe::rng::{below, draw, mix};
use crate::machine::coherence::Words;
use crate::machine::packet::Access;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::ops::Range;

/// Lines of address space that each kernel has for itself, and as many for its contexts in the upper half.
pub const KERNEL_LINES: u32 = MAX_LINES as u32;

const _: () = assert!((KERNEL_LINES as u64) * (MAX_KERNELS as u64) == CONTEXT_LINES as u64);

/// The first line of the contexts of all kernels.
pub const CONTEXT_LINES: LineAddr = 1 << 31;

/// The first line of the kernel at position `index` of the mix. The ninth follows on the first, the tenth on the second: the first eight lie as far
/// apart as they would without the others.
pub const fn first_line(index: usize) -> LineAddr {
    (index % 8 * 2 + index / 8) as u32 * KERNEL_LINES
}

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
    /// One instruction, after which the warp issues nothing for so many cycles.
    Sleep { cycles: u32 },
    /// `count` FP64 instructions, `latency` cycles apart.
    Fp64 { count: u32, latency: u32, lanes: u32 },
}

impl Step {
    /// What it issues for a kernel, if it does.
    fn issue(&self, kernel: KernelId) -> Option<Issue> {
        let issue = |next, left, lanes: u32, latency: u32| Some(Issue { left, next, lanes: lanes as u8, latency: latency as u8, kernel });
        match *self {
            Step::Alu { count, latency, lanes } => issue(Next::Alu, count, lanes, latency),
            Step::Sfu { count, latency, lanes } => issue(Next::Sfu, count, lanes, latency),
            Step::Fp64 { count, latency, lanes } => issue(Next::Fp64, count, lanes, latency),
            Step::Shared { count, ways, lanes } => issue(Next::Shared, count, lanes, ways),
            Step::Load { lanes, .. } => issue(Next::Load, 1, lanes, 0),
            Step::Store { lanes, .. } => issue(Next::Store, 1, lanes, 0),
            Step::Atomic { lanes, .. } => issue(Next::Atomic, 1, lanes, 0),
            Step::Barrier => issue(Next::Barrier, 1, WARP_SIZE, 0),
            Step::Sleep { .. } => issue(Next::Sleep, 1, WARP_SIZE, 0),
            Step::Wait { .. } | Step::Loop { .. } | Step::End { .. } | Step::Exit => None,
        }
    }
}

/// A memory instruction: what its lines follow from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Position of lane 0.
    pub base: u64,
    /// Key of its draws.
    pub key: u64,
    /// Step of the launch's code.
    pub pc: u32,
    /// Entry of the load table, for a load; the slot of its CTA, for a store that the CTA waits for.
    pub tag: u16,
    /// Launch of its kernel.
    pub launch: LaunchId,
    /// Load or store.
    pub access: Access,
}

impl Hash for Instruction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.base, self.key, self.pc, self.tag, self.launch, self.access).hash(state);
    }
}

/// One launch, ready for issue, with its shape.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Code {
    /// Operations; the last is `Exit`. None where it is recorded.
    pub steps: Vec<Step>,
    /// What it did, where it is recorded.
    pub recorded: Option<Operations>,
    /// What issuing reads of each of them; for those that issue nothing, nothing.
    pub(super) issues: Vec<Option<Issue>>,
    /// The fewest instructions that a warp issues after each of them.
    least: Vec<u32>,
    /// CTAs of the grid along each dimension.
    pub grid: Dim3,
    /// CTAs of the grid.
    pub ctas: u32,
    /// Cycles between the end of the launch before and its own beginning.
    pub gap: Cycle,
    /// Warps of a CTA.
    pub warps: u32,
    /// Threads of a CTA.
    pub threads: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a CTA, bytes.
    pub shared_bytes: u32,
    /// Shared memory of an SM that it prefers.
    pub carve_out: CarveOut,
    /// Key of every draw of the launch.
    key: u64,
    /// The kernel's lists of trips, and how often the launch has run before in its sequence.
    lists: Arc<Vec<List>>,
    repeat: u32,
}

/// The lines of each array of a kernel that stands at position `index` of the mix.
pub fn layout(kernel: &Kernel, index: usize, line_bytes: u32) -> impl Iterator<Item = (&Array, Range<LineAddr>)> {
    let mut next = first_line(index);
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
    /// The launches of a kernel's run, when it stands at position `index` of the mix. Draws are keyed by the kernel's name, not its
    /// position, so that it issues one pattern alone and in any mix. They are also keyed by the launch as the kernel lists it, so that
    /// repeats draw alike.
    pub fn compile(kernel: &Kernel, index: usize, seed: u64, line_bytes: u32, class: &SmClass) -> Vec<Code> {
        let arrays: Vec<(LineAddr, u64)> = layout(kernel, index, line_bytes).map(|(array, lines)| (lines.start, array.bytes)).collect();
        let name_key = kernel.name.bytes().fold(draw(seed), |key, byte| mix(key, u64::from(byte)));
        let lists = Arc::new(kernel.lists.clone());
        let launches = kernel.sequence().map(|(number, repeat)| (number, repeat, kernel.launches[number].at(repeat)));
        launches
            .map(|(number, repeat, launch)| (number, repeat, Body::new(&launch, &arrays, KernelId(index as u8), class), launch))
            .map(|(number, repeat, Body { recorded, steps, issues, least }, launch)| Code {
                issues,
                least,
                steps,
                recorded,
                grid: launch.grid,
                ctas: launch.ctas(),
                gap: launch.gap,
                warps: launch.threads.div_ceil(WARP_SIZE),
                threads: launch.threads,
                registers: launch.registers,
                shared_bytes: launch.shared_bytes,
                carve_out: launch.carve_out,
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

    /// The cycles that the step at `pc` sleeps.
    #[cold]
    pub(super) fn sleep(&self, pc: u32) -> u32 {
        match self.steps[pc as usize] {
            Step::Sleep { cycles } => cycles,
            _ => 1,
        }
    }

    /// The fewest instructions that a warp still issues after the step at `pc`: a lower bound of the cycles until it ends.
    pub fn least_after(&self, pc: u32) -> u32 {
        self.least[pc as usize]
    }

    /// The key of a warp's draws, or of what it recorded, and its first step.
    pub fn begin(&self, cta: u32, warp: u32) -> (u64, u32) {
        match &self.recorded {
            None => (mix(self.key, u64::from(cta) << 32 | u64::from(warp)), 0),
            Some(recorded) => recorded.begin(cta as usize * self.warps as usize + warp as usize),
        }
    }

    /// What is asked of a recorded launch: described ones have found their step before, and pay nothing.
    #[cold]
    fn recorded<T: Default>(&self, ask: impl FnOnce(&Operations) -> T) -> T {
        self.recorded.as_ref().map(ask).unwrap_or_default()
    }

    /// The mark at `pc` of a recorded launch, for a warp in this chunk.
    pub(super) fn mark(&self, pc: u32, chunk: u64) -> Mark {
        self.recorded.as_ref().map_or(Mark::Ends, |recorded| recorded.mark(pc, chunk))
    }

    /// The scoreboard's entry of the load at `pc`, of a recorded launch.
    pub fn entry(&self, pc: u32) -> u32 {
        self.recorded(|recorded| recorded.entry(pc))
    }

    /// Cycles from the issue of the operation at `pc` to that of the next one, and those for which it takes a tensor unit.
    pub(super) fn timing(&self, pc: u32) -> (u32, u32) {
        self.recorded(|recorded| recorded.timing(pc))
    }

    /// Byte position of lane 0 of the memory instruction at `pc`, and the key of what is drawn for it.
    pub fn base(&self, pc: u32, place: &Place, warp_key: u64) -> (u64, u64) {
        match self.steps.get(pc as usize) {
            Some(Step::Load { address, .. } | Step::Store { address, .. } | Step::Atomic { address, .. }) => {
                address.base(place, warp_key, pc)
            }
            _ => self.recorded(|recorded| (recorded.base(pc, warp_key), 0)),
        }
    }

    /// Active lanes of the memory instruction at `pc`.
    pub fn lanes(&self, pc: u32) -> u8 {
        match self.steps.get(pc as usize) {
            Some(Step::Load { lanes, .. } | Step::Store { lanes, .. } | Step::Atomic { lanes, .. }) => *lanes as u8,
            _ => self.recorded(|recorded| recorded.active(pc)),
        }
    }

    /// The lines that a memory instruction's lanes touch, each once, in the order of the lanes: coalescing. Returns how many.
    pub fn lines(&self, head: &Instruction, line_bytes: u32, lines: &mut [LineAddr; WARP_SIZE as usize]) -> u32 {
        match self.steps.get(head.pc as usize) {
            Some(Step::Load { address, lanes } | Step::Store { address, lanes } | Step::Atomic { address, lanes }) => {
                address.lines(head.base, head.key, *lanes, line_bytes, lines)
            }
            _ => self.recorded(|recorded| recorded.lines(head.pc, head.base, line_bytes, lines)),
        }
    }

    /// The words that the lanes of a load or store touch of each of its `lines`: bit `n` for word `n` of 4 bytes.
    pub fn words(&self, head: &Instruction, line_bytes: u32, lines: &[LineAddr], words: &mut [Words; WARP_SIZE as usize]) {
        match self.steps.get(head.pc as usize) {
            Some(Step::Load { address, lanes } | Step::Store { address, lanes } | Step::Atomic { address, lanes }) => {
                address.words(head.base, head.key, *lanes, line_bytes, lines, words);
            }
            _ => self.recorded(|recorded| recorded.words(head.pc, head.base, line_bytes, lines, words)),
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
        if let Some(recorded) = &self.recorded {
            let count = recorded.positions(pc, recorded.base(pc, warp_key), line_bytes, positions);
            return &positions[..count];
        }
        let (Step::Load { ref address, lanes } | Step::Store { ref address, lanes } | Step::Atomic { ref address, lanes }) =
            self.steps[pc as usize]
        else {
            return &[];
        };
        let (base, key) = address.base(place, warp_key, pc);
        for (lane, slot) in (0..lanes).zip(positions.iter_mut()) {
            *slot = address.at(base, key, lane, line_bytes);
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
            Op::Fp64 { count, latency, lanes } => Step::Fp64 { count, latency, lanes },
            Op::Shared { count, stride, lanes } => Step::Shared { count, ways: conflict_ways(stride, lanes, shared_banks), lanes },
            Op::Load { ref address, lanes } => Step::Load { address: resolve(address), lanes },
            Op::Store { ref address, lanes } => Step::Store { address: resolve(address), lanes },
            Op::Atomic { ref address, lanes } => Step::Atomic { address: resolve(address), lanes },
            Op::Wait { loads } => Step::Wait { loads },
            Op::Barrier => Step::Barrier,
            Op::Sleep { cycles } => Step::Sleep { cycles },
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

/// What the warps of a launch do.
struct Body {
    recorded: Option<Operations>,
    steps: Vec<Step>,
    issues: Vec<Option<Issue>>,
    least: Vec<u32>,
}

impl Body {
    fn new(launch: &Launch, arrays: &[(LineAddr, u64)], kernel: KernelId, class: &SmClass) -> Body {
        let recorded = launch.recorded.as_ref().and_then(|name| Some((name, name.trace.as_ref()?)));
        if let Some((name, trace)) = recorded {
            let (operations, issues) = Operations::new(name, trace, class, kernel, first_line(kernel.index()));
            return Body { steps: Vec::new(), least: operations.least(&issues), recorded: Some(operations), issues };
        }
        let steps = steps(&launch.program, arrays, class.shared_banks, launch.grid);
        Body { recorded: None, issues: steps.iter().map(|step| step.issue(kernel)).collect(), least: least(&steps), steps }
    }
}

/// The fewest instructions that a warp issues after each step: every loop that it is in or comes to ends as soon as it can.
fn least(steps: &[Step]) -> Vec<u32> {
    // From each step on, from the last to the first; a loop's body that runs at all runs once.
    let mut from = alloc::vec![0_u32; steps.len() + 1];
    for (pc, step) in steps.iter().enumerate().rev() {
        let next = from[pc + 1];
        from[pc] = match *step {
            Step::Alu { count, .. } | Step::Sfu { count, .. } | Step::Fp64 { count, .. } | Step::Shared { count, .. } => {
                next.saturating_add(count)
            }
            Step::Load { .. } | Step::Store { .. } | Step::Atomic { .. } | Step::Barrier | Step::Sleep { .. } => next.saturating_add(1),
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn a_warp_issues_no_fewer_instructions_than_are_left_at_least() {
        let alu = |count| Op::Alu { count, latency: 1, lanes: 32 };
        let program = vec![alu(5), Op::Loop { trips: Trips::Fixed(3) }, alu(7), Op::Barrier, Op::End, Op::Wait { loads: 0 }, alu(2)];
        // After each step: the loop may not run again, or not at all.
        assert_eq!(least(&steps(&program, &[], 32, 1.into())), [2, 10, 3, 2, 2, 2, 0, 0]);
    }

    /// No two kernels share a line, and no line is that of a context or the one that marks an empty way. The first eight lie as far apart as they always have.
    #[test]
    fn each_kernel_has_addresses_of_its_own() {
        let mut all: Vec<Range<u64>> = Vec::new();
        for index in 0..MAX_KERNELS {
            let first = u64::from(first_line(index));
            assert!(index >= 8 || first == (index as u64) << 28);
            for base in [0, u64::from(CONTEXT_LINES)] {
                all.push(base + first..base + first + u64::from(KERNEL_LINES));
            }
        }
        all.sort_unstable_by_key(|lines| lines.start);
        assert!(all.windows(2).all(|two| two[0].end <= two[1].start) && all[all.len() - 1].end <= 1 << 32);
    }

    #[test]
    fn some_warps_run_a_loop_and_the_others_skip_it() {
        let alu = Op::Alu { count: 1, latency: 4, lanes: 32 };
        let launch = |trips| Launch {
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
            let code = &Code::compile(&kernel, 0, 1, 128, &SmClass { shared_banks: 32, ..SmClass::default() })[0];
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
    fn bank_conflicts_follow_from_the_stride() {
        let ways: Vec<u32> = [0, 1, 2, 3, 4, 8, 16, 32, 33].iter().map(|&stride| conflict_ways(stride, 32, 32)).collect();
        assert_eq!(ways, vec![1, 1, 2, 1, 4, 8, 16, 32, 1]);
        // Half as many banks, and lanes of half a warp.
        let ways: Vec<u32> = [0, 1, 2, 3, 4, 8, 16, 17].iter().map(|&stride| conflict_ways(stride, 32, 16)).collect();
        assert_eq!(ways, vec![1, 2, 4, 2, 8, 16, 32, 2]);
        assert_eq!([1, 2, 16].map(|stride| conflict_ways(stride, 16, 16)), [1, 2, 16]);
    }
}
