//! Sizes, cells and directions of a grid.
