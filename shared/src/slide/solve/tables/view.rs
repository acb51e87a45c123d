//! Reads a table as a board changes: one partition, seen one way.

use super::layout::{Layout, among_free};
use super::pack::Width;
use super::spec::{Partition, TableSpec};
use crate::slide::Board;
use std::collections::HashMap;
use std::sync::Arc;

/// The most patterns of a partition.
const MAX_PATTERNS: usize = 6;

/// A partition, as its table is looked up for boards of one orientation. A square board is
/// looked at transposed as well, for a second bound from the same table.
#[derive(Debug, Clone)]
pub(crate) struct View {
    patterns: Vec<Look>,
    /// For each tile of the board as it lies, where in a key its cell is.
    digits: Vec<Digit>,
    /// For each cell of the board as it lies, the cell that the table knows it by.
    cells: Vec<u16>,
    width: Width,
}

#[derive(Debug, Clone)]
struct Look {
    layout: Arc<Layout>,
    /// The first byte in the table.
    start: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Digit {
    /// Twice the pattern, and one more for its second group.
    group: u8,
    weight: u16,
}

/// Where a view stands on a board.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Standing {
    keys: [u16; 2 * MAX_PATTERNS],
    ranks: [u32; 2 * MAX_PATTERNS],
    values: [u8; MAX_PATTERNS],
    /// Half of the excess over the Manhattan distance, of all patterns.
    sum: u8,
}

/// What a move changes of a standing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Change {
    group: u8,
    key: u16,
    rank: u32,
    value: u8,
    sum: u8,
}

impl Change {
    /// Returns half of the excess over the Manhattan distance after the move.
    #[inline]
    pub(crate) const fn sum(self) -> u8 {
        self.sum
    }
}

impl Standing {
    /// Returns half of the excess over the Manhattan distance.
    pub(crate) const fn sum(&self) -> u8 {
        self.sum
    }

    /// Makes a change and returns what takes it back.
    #[inline]
    pub(crate) fn replace(&mut self, change: Change) -> Change {
        let group = usize::from(change.group);
        let pattern = group / 2;
        let before = Change {
            group: change.group,
            key: self.keys[group],
            rank: self.ranks[group],
            value: self.values[pattern],
            sum: self.sum,
        };
        self.keys[group] = change.key;
        self.ranks[group] = change.rank;
        self.values[pattern] = change.value;
        self.sum = change.sum;
        before
    }
}

/// Makes all views of a spec's table, for boards as they lie in it and as their transposed.
pub(super) fn views(spec: TableSpec) -> [Vec<View>; 2] {
    let mut layouts = HashMap::new();
    let mut start = 0;
    let mut all = [Vec::new(), Vec::new()];
    for partition in spec.partitions() {
        let patterns: Vec<Look> = partition
            .iter()
            .map(|pattern| {
                let new = || Arc::new(Layout::new(spec.size().cells(), pattern.len()));
                let layout = layouts.entry(pattern.len()).or_insert_with(new);
                let look = Look {
                    layout: Arc::clone(layout),
                    start,
                };
                start += spec.pattern_len(pattern);
                look
            })
            .collect();
        for (views, transposed) in all.iter_mut().zip([false, true]) {
            views.push(View::new(spec, &partition, patterns.clone(), transposed));
        }
    }
    all
}

impl View {
    fn new(spec: TableSpec, partition: &Partition, patterns: Vec<Look>, transposed: bool) -> Self {
        let size = spec.size();
        // The board's own rows are the table's columns where it lies transposed.
        let there = |cell: usize| {
            if transposed {
                cell % size.rows() * size.cols() + cell / size.rows()
            } else {
                cell
            }
        };
        let mut at_home = vec![Digit::default(); size.cells()];
        for (n, (homes, look)) in (0..).zip(partition.iter().zip(&patterns)) {
            let (first, second) = (look.layout.first(), look.layout.second());
            for (tile, &home) in homes.iter().enumerate() {
                let (group, nth) = match tile.checked_sub(first.tiles()) {
                    None => (first, tile),
                    Some(nth) => (second, nth),
                };
                at_home[home] = Digit {
                    group: 2 * n + u8::from(tile >= first.tiles()),
                    weight: group.weight(nth) as u16,
                };
            }
        }
        let cells = 0..size.cells();
        Self {
            patterns,
            digits: cells.clone().map(|home| at_home[there(home)]).collect(),
            cells: cells.map(|cell| there(cell) as u16).collect(),
            width: spec.width(),
        }
    }

    /// Looks a whole board up.
    pub(crate) fn stand(&self, board: &Board, table: &[u8]) -> Standing {
        let mut standing = Standing::default();
        for (&tile, &cell) in board.tiles().iter().zip(&self.cells) {
            if let Some(home) = usize::from(tile).checked_sub(1) {
                let Digit { group, weight } = self.digits[home];
                standing.keys[usize::from(group)] += cell * weight;
            }
        }
        for n in 0..self.patterns.len() {
            for group in [2 * n, 2 * n + 1] {
                standing.ranks[group] = self.rank(group, standing.keys[group]);
            }
            let keys = [standing.keys[2 * n], standing.keys[2 * n + 1]];
            let ranks = [standing.ranks[2 * n], standing.ranks[2 * n + 1]];
            standing.values[n] = self.value(n, keys, ranks, table);
            standing.sum += standing.values[n];
        }
        standing
    }

    /// Looks up what a move of a tile (from 1) from one cell to another changes.
    #[inline]
    pub(crate) fn look(
        &self,
        standing: &Standing,
        tile: usize,
        [from, to]: [usize; 2],
        table: &[u8],
    ) -> Change {
        let digit = self.digits[tile - 1];
        let group = usize::from(digit.group);
        let step = self.cells[to].wrapping_sub(self.cells[from]);
        let key = standing.keys[group].wrapping_add(step.wrapping_mul(digit.weight));
        let rank = self.rank(group, key);
        let (other_key, other_rank) = (standing.keys[group ^ 1], standing.ranks[group ^ 1]);
        let (keys, ranks) = if group & 1 == 0 {
            ([key, other_key], [rank, other_rank])
        } else {
            ([other_key, key], [other_rank, rank])
        };
        let value = self.value(group / 2, keys, ranks, table);
        Change {
            group: digit.group,
            key,
            rank,
            value,
            sum: standing.sum - standing.values[group / 2] + value,
        }
    }

    #[inline]
    fn rank(&self, group: usize, key: u16) -> u32 {
        let layout = &self.patterns[group / 2].layout;
        match (group & 1, layout.is_dense()) {
            (0, _) => layout.first().ranks()[usize::from(key)],
            (_, false) => layout.second().ranks()[usize::from(key)],
            // Hangs on the other key as well: see `value`.
            (_, true) => 0,
        }
    }

    #[inline]
    fn value(&self, pattern: usize, keys: [u16; 2], ranks: [u32; 2], table: &[u8]) -> u8 {
        let Look { layout, start } = &self.patterns[pattern];
        let second = if layout.is_dense() {
            layout.second().ranks()[usize::from(among_free(keys[0], keys[1]))]
        } else {
            ranks[1]
        };
        let number = (ranks[0] + second) as usize;
        let byte = table[start + (number >> self.width.log_per_byte())];
        byte >> self.width.shift(number) & self.width.max()
    }
}
