//! Positions in a matrix: what blocks of threads read of images and grids, halo and edges included.
//!
//! A column and a row are sums of terms each, for lanes that lie in rows of their own: a warp of a 16 × 16 block has two rows of 16. What lies outside
//! the matrix is taken at its edge, as programs do that clamp their indices; of those that switch such threads off, the instructions are too many,
//! the lines are not.

/// An element of 4 bytes of a matrix, for each lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tile {
    /// Columns of the matrix.
    pub columns: u32,
    /// Its rows.
    pub rows: u32,
    /// Bytes from a row to the next.
    pub pitch: u32,
    /// Lanes in a row; the next lane is in the next row.
    pub lanes: u32,
    /// Column of lane 0.
    pub x: Terms,
    /// Row of lane 0.
    pub y: Terms,
}

/// What a column or row depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Terms {
    /// Where it starts.
    pub at: i32,
    /// For each CTA along x, y and z.
    pub grid: [i32; 3],
    /// For each warp of the CTA.
    pub warp: i32,
    /// For each iteration of the enclosing loops, outermost first.
    pub loops: [i32; 3],
    /// For each repeat of the launch.
    pub repeat: i32,
}

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

    /// The same terms in a repeat of the launch.
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
