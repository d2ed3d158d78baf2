//! Positions in a matrix: what blocks of threads read of images and grids, halo and edges included.
//!
//! A column and a row are sums of terms each, for lanes that lie in rows of their own: a warp of a 16 × 16 block has two rows of 16. What lies outside
//! the matrix is taken at its edge, as programs do that clamp their indices; of those that switch such threads off, the instructions are too many,
//! the lines are not.

use crate::describe::record::Absent::{Int, Needed, Words};
use crate::describe::record::{Shape, int, list, record};

record! {
    /// An element of 4 bytes of a matrix, for each lane.
    #[derive(Copy, Eq, Hash, Default)]
    pub struct Tile as TILE "Tile", "a tile: columns, rows, pitch, lanes, x and y";
    /// Columns of the matrix.
    columns: u32 ["columns"] = int!(1, MAX_TERM), Needed;
    /// Rows of the matrix.
    rows: u32 ["rows"] = int!(1, MAX_TERM), Int(1);
    /// Distance from a row to the next.
    pitch: u32 ["bytes"] = int!(1, 1 << 30), Int(4);
    /// Lanes in a row; the next lane is in the next row.
    lanes: u32 ["lanes"] = int!(1, 32), Int(32);
    /// Column of lane 0.
    x: Terms = Shape::Record(&TERMS), Words("0");
    /// Row of lane 0.
    y: Terms = Shape::Record(&TERMS), Words("0");
}

record! {
    /// What a column or row depends on: the sum of these terms.
    #[derive(Copy, Eq, Hash, Default)]
    pub struct Terms as TERMS "Terms", "terms: at, grid, warp, loops and repeat";
    /// Where it starts.
    at: i32 = TERM, Int(0), sparse;
    /// What each warp of the CTA adds.
    warp: i32 = TERM, Int(0), sparse;
    /// What each repeat of the launch adds.
    repeat: i32 = TERM, Int(0), sparse;
    /// What each CTA along x, y and z adds.
    grid: [i32; 3] = list!(TERM, 0, 3, "numbers"), Words("0"), sparse;
    /// What each iteration of the enclosing loops adds, outermost first.
    loops: [i32; 3] = list!(TERM, 0, 3, "numbers"), Words("0"), sparse;
}

/// A term.
const TERM: Shape = int!(-MAX_TERM, MAX_TERM);

/// Largest term either way, and most columns and rows.
pub const MAX_TERM: i64 = 1 << 24;

impl Terms {
    /// The sum for a CTA, a warp and iterations; repeats are part of `at` by then.
    pub fn sum(&self, cta: [u32; 3], warp: u32, loops: [u32; 3]) -> i64 {
        let times = |factors: [i32; 3], counts: [u32; 3]| -> i64 {
            factors.into_iter().zip(counts).map(|(factor, count)| i64::from(factor) * i64::from(count)).sum()
        };
        i64::from(self.at) + times(self.grid, cta) + i64::from(self.warp) * i64::from(warp) + times(self.loops, loops)
    }

    /// The terms in a repeat of the launch.
    pub fn at_repeat(self, repeat: u32) -> Terms {
        let at = i64::from(self.at) + i64::from(self.repeat) * i64::from(repeat);
        // Further out than any matrix reaches it makes no difference.
        Terms { at: at.clamp(-MAX_TERM * 64, MAX_TERM * 64) as i32, repeat: 0, ..self }
    }
}

impl Tile {
    /// Byte position of a lane within the matrix, whose lane 0 is at this column and row.
    pub fn position(&self, x: i64, y: i64, lane: u32) -> u64 {
        let column = (x + i64::from(lane % self.lanes)).clamp(0, i64::from(self.columns) - 1);
        let row = (y + i64::from(lane / self.lanes)).clamp(0, i64::from(self.rows) - 1);
        row as u64 * u64::from(self.pitch) + 4 * column as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_lie_in_rows_and_stay_within_the_matrix() {
        let tile = Tile { columns: 8, rows: 4, pitch: 64, lanes: 2, ..Tile::default() };
        let at = |x, y| [0, 1, 2, 3].map(|lane| tile.position(x, y, lane));
        assert_eq!(at(3, 1), [76, 80, 140, 144]);
        assert_eq!(at(-1, 0), [0, 0, 64, 64]);
        assert_eq!(at(7, 3), [220, 220, 220, 220]);
    }

    #[test]
    fn terms_add_up() {
        let terms = Terms { at: -1, grid: [14, 100, 0], warp: 2, loops: [0, 5, 0], repeat: 16 };
        assert_eq!(terms.sum([3, 1, 9], 4, [7, 2, 1]), -1 + 42 + 100 + 8 + 10);
        assert_eq!(terms.at_repeat(2).sum([0; 3], 0, [0; 3]), 31);
    }
}
