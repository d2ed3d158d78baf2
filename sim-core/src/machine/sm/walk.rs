//! What a warp touches, by walking its Program without running it: for counts of dependences, and of what L1Ds hold for CTAs that have not begun.

use super::address::Place;
use super::code::{Code, Step};
use crate::describe::ids::LineAddr;
use crate::describe::kernel::{MAX_LOOPS, WARP_SIZE};

/// Every word that a lane of a warp loads or stores, in the order of the Program: whether it stores, as atomic operations do, the line of `line_bytes`, and the byte of it.
/// Each step takes one of `steps`; returns whether they were enough.
pub fn each_access(
    code: &Code,
    (cta, warp): (u32, u32),
    line_bytes: u32,
    steps: &mut u64,
    mut visit: impl FnMut(bool, LineAddr, u32),
) -> bool {
    let mut place = Place { cta, warp, ..Place::default() };
    let key = code.warp_key(cta, warp);
    let mut trips = [0; MAX_LOOPS];
    let mut pc = 0_u32;
    loop {
        let Some(left) = steps.checked_sub(1) else { return false };
        *steps = left;
        match code.steps[pc as usize] {
            Step::Exit => return true,
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
            Step::Load { .. } | Step::Store { .. } | Step::Atomic { .. } => {
                let stores = !matches!(code.steps[pc as usize], Step::Load { .. });
                let mut positions = [(0, 0); WARP_SIZE as usize];
                for &(line, byte) in code.positions(pc, &place, key, line_bytes, &mut positions) {
                    visit(stores, line, byte);
                }
            }
            _ => {}
        }
        pc += 1;
    }
}
