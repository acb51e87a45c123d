//! Smooth random values on integers: value noise (Perlin 1985 describes the idea) with the
//! smoothstep weights 3t² − 2t³, summed over octaves.

use super::palette::WHOLE;
use crate::util::seed::PortableRng;

/// Random values at the corners of a lattice that repeats itself.
const SIDE: usize = 16;

#[derive(Debug)]
pub(super) struct Noise {
    values: Vec<i32>,
}

impl Noise {
    pub fn drawn(rng: &mut PortableRng) -> Self {
        let value = |_| i32::try_from(rng.below(1_025)).unwrap_or(0);
        Self { values: (0..SIDE * SIDE).map(value).collect() }
    }

    /// Returns a value from 0 to [`WHOLE`], of three octaves, each of half the extent of
    /// the one before, with the weights 6, 2 and 1; `pitch` is the extent of the first in pixels.
    pub fn at(&self, x: i32, y: i32, pitch: i32) -> i32 {
        let octave = |number: i32| self.octave(x + 37 * number, y + 71 * number, pitch >> number);
        (6 * octave(0) + 2 * octave(1) + octave(2)) / 9
    }

    fn octave(&self, x: i32, y: i32, pitch: i32) -> i32 {
        let corner = |column: i32, row: i32| {
            let index = |at: i32| usize::try_from(at.rem_euclid(16)).unwrap_or(0);
            self.values[index(row) * SIDE + index(column)]
        };
        let (column, row) = (x.div_euclid(pitch), y.div_euclid(pitch));
        let across = smooth(x.rem_euclid(pitch) * WHOLE / pitch);
        let down = smooth(y.rem_euclid(pitch) * WHOLE / pitch);
        let between = |from: i32, to: i32, share: i32| from + (to - from) * share / WHOLE;
        between(
            between(corner(column, row), corner(column + 1, row), across),
            between(corner(column, row + 1), corner(column + 1, row + 1), across),
            down,
        )
    }
}

fn smooth(share: i32) -> i32 {
    share * share / WHOLE * (3 * WHOLE - 2 * share) / WHOLE
}
