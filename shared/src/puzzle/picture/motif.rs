//! The interface of a picture's motif: the colour of a point.

use super::palette::Rgb;

/// The colour of each point, in pixels from the top left.
pub(super) trait Motif {
    fn color(&self, x: i32, y: i32) -> Rgb;
}
