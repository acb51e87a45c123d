//! Property tests of the family, and the puzzles and drawings that its tests share.

mod properties;
pub(super) mod samples;
