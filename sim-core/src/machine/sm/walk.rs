//! What a warp touches, by walking its Program without running it: for counts of dependences, and of what L1Ds hold for CTAs that have not begun.

use super::address::Place;
use super::code::{Code, Step};
use crate::describe::ids::LineAddr;
use crate::describe::kernel::{MAX_LOOPS, WARP_SIZE};

/// Every step of a warp that issues an instruction, a wait or its end, in the order of the Program. With it come its place in the Program, where in grid
/// and loops the warp is then, and the key of its draws. Each step takes one of `steps`, as loops do; returns whether they were enough.
pub fn each_step(code: &Code, (cta, warp): (u32, u32), steps: &mut u64, mut visit: impl FnMut(&Step, u32, &Place, u64)) -> bool {
    let mut place = Place { cta, warp, ..Place::default() };
    let (key, mut pc) = code.begin(cta, warp);
    let mut trips = [0; MAX_LOOPS];
    loop {
        let Some(left) = steps.checked_sub(1) else { return false };
        *steps = left;
        match code.steps[pc as usize] {
            Step::Loop { depth, trips: given, after } => {
                place.loops[depth] = 0;
                trips[depth] = code.trips(given, pc, &place);
                pc = if trips[depth] == 0 { after } else { pc + 1 };
                continue;
            }
            Step::End { depth, body } => {
                place.loops[depth] += 1;
                if place.loops[depth] < trips[depth] {
                    pc = body;
                    continue;
                }
                place.loops[depth] = 0;
            }
            ref step => {
                visit(step, pc, &place, key);
                if matches!(step, Step::Exit) {
                    return true;
                }
            }
        }
        pc += 1;
    }
}

/// Every word that a lane of a warp loads or stores, in the order of the Program: whether it stores, as atomic operations do, the line of `line_bytes`, and the byte of it.
/// Each step takes one of `steps`; returns whether they were enough.
pub fn each_access(code: &Code, warp: (u32, u32), line_bytes: u32, steps: &mut u64, mut visit: impl FnMut(bool, LineAddr, u32)) -> bool {
    let mut positions = [(0, 0); WARP_SIZE as usize];
    if let Some(recorded) = &code.recorded {
        let number = warp.0 as usize * code.warps as usize + warp.1 as usize;
        return recorded.each_access(number, &code.issues, steps, |stores, pc, chunk| {
            for &(line, byte) in code.positions(pc, &Place::default(), chunk, line_bytes, &mut positions) {
                visit(stores, line, byte);
            }
        });
    }
    each_step(code, warp, steps, |step, pc, place, key| {
        if let Step::Load { .. } | Step::Store { .. } | Step::Atomic { .. } = step {
            for &(line, byte) in code.positions(pc, place, key, line_bytes, &mut positions) {
                visit(!matches!(step, Step::Load { .. }), line, byte);
            }
        }
    })
}
