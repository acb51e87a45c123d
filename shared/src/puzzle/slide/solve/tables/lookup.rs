//! Reads a table as a board changes: one partition, seen one way.

use super::pack::Width;
use super::placement_rank::{Layout, among_free};
use super::spec::{Partition, Pattern, TableSpec};
use crate::puzzle::slide::Board;
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

/// A view with its table, made ready for many look-ups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lens<'a> {
    table: &'a [u8],
    digits: &'a [Digit],
    cells: &'a [u16],
    /// For each group, the rank by the key.
    ranks: [&'a [u16]; 2 * MAX_PATTERNS],
    patterns: [Numbering; MAX_PATTERNS],
    count: usize,
    log_per_byte: u32,
    log_bits: u32,
    max: u8,
}

#[derive(Debug, Clone, Copy, Default)]
struct Numbering {
    start: usize,
    /// What the first group's rank counts.
    scale: u32,
    dense: bool,
}

/// Where a view stands on a board.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Standing {
    keys: [u16; 2 * MAX_PATTERNS],
    values: [u8; MAX_PATTERNS],
    /// Half of the excess over the Manhattan distance, of all patterns.
    sum: u8,
}

/// The keys of a board, for a search that keeps no standings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys([u16; 2 * MAX_PATTERNS]);

/// What a move changes of a standing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Change {
    group: u8,
    key: u16,
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
            value: self.values[pattern],
            sum: self.sum,
        };
        self.keys[group] = change.key;
        self.values[pattern] = change.value;
        self.sum = change.sum;
        before
    }
}

/// Makes all views of a spec's table, for boards as they lie in it and as their transposed.
pub(super) fn views(spec: TableSpec) -> [Vec<View>; 2] {
    let mut layouts = HashMap::new();
    let mut start = 0;
    let mut looks = HashMap::new();
    for pattern in spec.patterns() {
        let new = || Arc::new(Layout::new(spec.size().cells(), pattern.len()));
        let layout = layouts.entry(pattern.len()).or_insert_with(new);
        let look = Look { layout: Arc::clone(layout), start };
        start += spec.pattern_len(&pattern);
        looks.insert(pattern, look);
    }
    let partitions = spec.partitions();
    [false, true].map(|transposed| {
        let view = |partition| View::new(spec, partition, &looks, transposed);
        partitions.iter().map(view).collect()
    })
}

impl View {
    fn new(
        spec: TableSpec,
        partition: &Partition,
        looks: &HashMap<Pattern, Look>,
        transposed: bool,
    ) -> Self {
        let patterns: Vec<Look> = partition.iter().map(|homes| looks[homes].clone()).collect();
        let size = spec.size();
        // The board's own rows are the table's columns where it lies transposed.
        let there = |cell: usize| {
            if transposed { cell % size.rows() * size.cols() + cell / size.rows() } else { cell }
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

    /// Makes it ready for look-ups in its table.
    pub(crate) fn lens<'a>(&'a self, table: &'a [u8]) -> Lens<'a> {
        let mut lens = Lens {
            table,
            digits: &self.digits,
            cells: &self.cells,
            ranks: [&[]; 2 * MAX_PATTERNS],
            patterns: [Numbering::default(); MAX_PATTERNS],
            count: self.patterns.len(),
            log_per_byte: self.width.log_per_byte(),
            log_bits: 3 - self.width.log_per_byte(),
            max: self.width.max(),
        };
        for (n, Look { layout, start }) in self.patterns.iter().enumerate() {
            lens.ranks[2 * n] = layout.first().ranks();
            lens.ranks[2 * n + 1] = layout.second().ranks();
            lens.patterns[n] = Numbering {
                start: *start,
                scale: layout.second().count() as u32,
                dense: layout.is_dense(),
            };
        }
        lens
    }

    /// Looks a whole board up.
    pub(crate) fn stand(&self, board: &Board, table: &[u8]) -> Standing {
        self.lens(table).stand(board)
    }
}

impl Lens<'_> {
    /// Looks a whole board up.
    pub(crate) fn stand(&self, board: &Board) -> Standing {
        let mut standing = Standing::default();
        for (&tile, &cell) in board.tiles().iter().zip(self.cells) {
            if let Some(home) = usize::from(tile).checked_sub(1) {
                let Digit { group, weight } = self.digits[home];
                standing.keys[usize::from(group)] += cell * weight;
            }
        }
        for n in 0..self.count {
            let keys = [standing.keys[2 * n], standing.keys[2 * n + 1]];
            standing.values[n] = self.value(n, keys);
            standing.sum += standing.values[n];
        }
        standing
    }

    /// Reads the keys of a board by its tiles, row by row.
    #[inline]
    pub(crate) fn keys(&self, tiles: &[u8]) -> Keys {
        let mut keys = [0u16; 2 * MAX_PATTERNS];
        for (&tile, &cell) in tiles.iter().zip(self.cells) {
            if let Some(home) = usize::from(tile).checked_sub(1) {
                let Digit { group, weight } = self.digits[home];
                keys[usize::from(group)] += cell * weight;
            }
        }
        Keys(keys)
    }

    /// Looks up half of the excess of all patterns.
    pub(crate) fn excess(&self, keys: &Keys) -> u8 {
        let of = |n| self.value(n, [keys.0[2 * n], keys.0[2 * n + 1]]);
        (0..self.count).map(of).sum()
    }

    /// Looks up the excess of a tile's pattern (halved) before and after a move of it.
    #[inline]
    pub(crate) fn compare(&self, keys: &Keys, tile: usize, from: usize, to: usize) -> [u8; 2] {
        let Digit { group, weight } = self.digits[tile - 1];
        let own = usize::from(group);
        let step = self.cells[to].wrapping_sub(self.cells[from]);
        let (before, other) = (keys.0[own], keys.0[own ^ 1]);
        let after = before.wrapping_add(step.wrapping_mul(weight));
        [before, after].map(|key| {
            let in_order = own & 1 == 0;
            let keys = if in_order { [key, other] } else { [other, key] };
            self.value(own / 2, keys)
        })
    }

    /// Looks up what a move of a tile (from 1) from one cell to another changes.
    #[inline]
    pub(crate) fn look(&self, standing: &Standing, tile: usize, from: usize, to: usize) -> Change {
        let Digit { group, weight } = self.digits[tile - 1];
        let (own, pattern) = (usize::from(group), usize::from(group / 2));
        let step = self.cells[to].wrapping_sub(self.cells[from]);
        let key = standing.keys[own].wrapping_add(step.wrapping_mul(weight));
        let other = standing.keys[own ^ 1];
        let keys = if own & 1 == 0 { [key, other] } else { [other, key] };
        let value = self.value(pattern, keys);
        Change { group, key, value, sum: standing.sum - standing.values[pattern] + value }
    }

    #[inline]
    fn value(&self, pattern: usize, [first, mut second]: [u16; 2]) -> u8 {
        let Numbering { start, scale, dense } = self.patterns[pattern];
        if dense {
            second = among_free(first, second);
        }
        let rank = |group: usize, key: u16| u32::from(self.ranks[group][usize::from(key)]);
        let number = rank(2 * pattern, first) * scale + rank(2 * pattern + 1, second);
        let byte = self.table[start + (number >> self.log_per_byte) as usize];
        let place = number & ((1 << self.log_per_byte) - 1);
        byte >> (place << self.log_bits) & self.max
    }
}
