//! Precomputed tables for a board size: neighbours, distances, weights.

use super::board::{DirectionIndex, MAX_CELLS};
use super::evaluation::Evaluation;
use super::features::FEATURES;
use super::position_evaluation::PositionEvaluation;
use super::position_features::PositionFeatures;
use super::weights::WEIGHTS;
use crate::puzzle::slide::solve::tables::{Table, Tables};
use crate::util::grid::{Cell, Direction, Size};
use std::sync::Arc;

/// The tables of a size, each a flat list.
#[derive(Debug, Clone)]
pub struct Geometry {
    pub size: Size,
    /// For each cell of the blank and direction, the cell of the tile that slides.
    sources: Vec<Option<u8>>,
    /// For each tile and cell, the Manhattan distance from the cell to the tile's home.
    distances: Vec<u8>,
    pub(super) evaluation: Evaluation,
    /// If there is one, it replaces all of the other one but the patterns.
    pub(super) position_evaluation: Option<Arc<PositionEvaluation>>,
    pub(super) table: Option<Arc<Table>>,
    /// For each cell (and tile less one), its row and column.
    lines: Vec<[u8; 2]>,
}

impl Geometry {
    /// Computes the tables of a size of at most [`MAX_CELLS`] cells.
    pub fn new(size: Size, tables: &Tables) -> Self {
        let position_evaluation = PositionEvaluation::of(size);
        let table = tables.best(size).cloned();
        Self { position_evaluation, table, ..Self::with_weights(size, &WEIGHTS) }
    }

    /// Like [`Self::new`], with other weights, and without those by position and without tables.
    pub fn with_weights(size: Size, weights: &[i16; FEATURES]) -> Self {
        let cells = size.cells().min(MAX_CELLS);
        let all = || (0..cells as u16).map(Cell);
        let byte = |cell: Cell| cell.0 as u8;
        let sources = all().flat_map(|blank| {
            Direction::ALL.map(|way| size.neighbour(blank, way.opposite()).map(byte))
        });
        let homes = || (0..=cells).map(|tile| Cell((tile + cells - 1) as u16 % cells as u16));
        let distances = homes().flat_map(|home| all().map(move |cell| size.distance(home, cell)));
        Self {
            evaluation: Evaluation::new(size, weights),
            position_evaluation: None,
            table: None,
            size,
            sources: sources.collect(),
            distances: distances.map(|distance| distance as u8).collect(),
            lines: all().map(|cell| [size.row_of(cell) as u8, size.col_of(cell) as u8]).collect(),
        }
    }

    /// Like [`Self::new`], with other weights by position, and without tables.
    pub fn with_position_weights(features: &PositionFeatures, weights: &[i16]) -> Self {
        let position_evaluation = Some(Arc::new(PositionEvaluation::new(features, weights)));
        Self { position_evaluation, ..Self::with_weights(features.size, &WEIGHTS) }
    }

    /// Returns whether a beam may search for goals with the blank in another cell than the last.
    /// Tables know that one only, but beams with weights by position don't use them.
    pub const fn fits_any_goal(&self) -> bool {
        self.table.is_none() || self.position_evaluation.is_some()
    }

    pub(super) const fn cells(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn source(&self, blank: u8, way: DirectionIndex) -> Option<u8> {
        self.sources[usize::from(blank) * 4 + usize::from(way)]
    }

    /// Returns the Manhattan distance of a tile in a cell from its home.
    pub(super) fn distance(&self, tile: u8, cell: u8) -> u16 {
        u16::from(self.distances[usize::from(tile) * self.cells() + usize::from(cell)])
    }

    pub(super) fn home_lines(&self, tile: u8) -> [u8; 2] {
        self.lines[usize::from(tile) - 1]
    }
}
