//! The M×N sliding puzzle.
