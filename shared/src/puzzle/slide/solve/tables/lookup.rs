//! Incremental lookups of a partition in a table.

use super::pack::ValueWidth;
use super::placement_rank::{PlacementRanking, among_free};
use super::spec::{Partition, Pattern, TableSpec};
use crate::puzzle::slide::Board;
use std::collections::HashMap;
use std::sync::Arc;

/// The maximum number of patterns of a partition.
const MAX_PATTERNS: usize = 6;

/// A partition in one orientation of the board. Square boards are looked up transposed as well,
/// for a second bound from the same table.
#[derive(Debug, Clone)]
pub(crate) struct PartitionView {
    patterns: Vec<PatternTable>,
    /// For each tile of the board, the group and weight of its cell in a key.
    digits: Vec<KeyDigit>,
    /// For each cell of the board, its cell in the table's orientation.
    cells: Vec<u16>,
    width: ValueWidth,
}

#[derive(Debug, Clone)]
struct PatternTable {
    ranking: Arc<PlacementRanking>,
    /// The pattern's first byte in the table.
    start: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct KeyDigit {
    /// Twice the pattern, plus one for its second group.
    group: u8,
    weight: u16,
}

/// A view with its table, prepared for many lookups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartitionLookup<'a> {
    table: &'a [u8],
    digits: &'a [KeyDigit],
    cells: &'a [u16],
    /// For each group, the rank by key.
    ranks: [&'a [u16]; 2 * MAX_PATTERNS],
    patterns: [PatternOffsets; MAX_PATTERNS],
    count: usize,
    log_per_byte: u32,
    log_bits: u32,
    max: u8,
}

#[derive(Debug, Clone, Copy, Default)]
struct PatternOffsets {
    start: usize,
    /// The factor of the first group's rank.
    scale: u32,
    dense: bool,
}

/// The keys and values of a board in a view.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LookupState {
    keys: [u16; 2 * MAX_PATTERNS],
    values: [u8; MAX_PATTERNS],
    /// Half of the excess over the Manhattan distance, summed over all patterns.
    pub(crate) sum: u8,
}

/// The keys of a board, for searches that store no values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys([u16; 2 * MAX_PATTERNS]);

/// The change of a lookup state by a move.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LookupChange {
    group: u8,
    key: u16,
    value: u8,
    /// Half of the excess over the Manhattan distance after the move.
    pub(crate) sum: u8,
}

impl LookupState {
    /// Applies a change and returns its inverse.
    #[inline]
    pub(crate) fn replace(&mut self, change: LookupChange) -> LookupChange {
        let group = usize::from(change.group);
        let pattern = group / 2;
        let before = LookupChange {
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

/// Returns all views of a spec's table, for boards in its orientation and for transposed ones.
pub(super) fn views(spec: TableSpec) -> [Vec<PartitionView>; 2] {
    let mut layouts = HashMap::new();
    let mut start = 0;
    let mut tables_by_pattern = HashMap::new();
    for pattern in spec.patterns() {
        let new = || Arc::new(PlacementRanking::new(spec.size().cells(), pattern.len()));
        let ranking = layouts.entry(pattern.len()).or_insert_with(new);
        let pattern_table = PatternTable { ranking: Arc::clone(ranking), start };
        start += spec.pattern_len(&pattern);
        tables_by_pattern.insert(pattern, pattern_table);
    }
    let partitions = spec.partitions();
    [false, true].map(|transposed| {
        let view = |partition| PartitionView::new(spec, partition, &tables_by_pattern, transposed);
        partitions.iter().map(view).collect()
    })
}

impl PartitionView {
    fn new(
        spec: TableSpec,
        partition: &Partition,
        tables_by_pattern: &HashMap<Pattern, PatternTable>,
        transposed: bool,
    ) -> Self {
        let patterns: Vec<PatternTable> =
            partition.iter().map(|homes| tables_by_pattern[homes].clone()).collect();
        let size = spec.size();
        // The rows of a transposed board are the table's columns.
        let table_cell = |cell: usize| {
            if transposed { cell % size.rows() * size.cols() + cell / size.rows() } else { cell }
        };
        let mut at_home = vec![KeyDigit::default(); size.cells()];
        for (n, (homes, pattern_table)) in (0..).zip(partition.iter().zip(&patterns)) {
            let (first, second) = (&pattern_table.ranking.first, &pattern_table.ranking.second);
            for (tile, &home) in homes.iter().enumerate() {
                let (group, nth) = match tile.checked_sub(first.tiles) {
                    None => (first, tile),
                    Some(nth) => (second, nth),
                };
                at_home[home] = KeyDigit {
                    group: 2 * n + u8::from(tile >= first.tiles),
                    weight: group.weight(nth) as u16,
                };
            }
        }
        let cells = 0..size.cells();
        Self {
            patterns,
            digits: cells.clone().map(|home| at_home[table_cell(home)]).collect(),
            cells: cells.map(|cell| table_cell(cell) as u16).collect(),
            width: spec.width(),
        }
    }

    pub(crate) fn lookup<'a>(&'a self, table: &'a [u8]) -> PartitionLookup<'a> {
        let mut lookup = PartitionLookup {
            table,
            digits: &self.digits,
            cells: &self.cells,
            ranks: [&[]; 2 * MAX_PATTERNS],
            patterns: [PatternOffsets::default(); MAX_PATTERNS],
            count: self.patterns.len(),
            log_per_byte: self.width.log_per_byte(),
            log_bits: 3 - self.width.log_per_byte(),
            max: self.width.max(),
        };
        for (n, PatternTable { ranking, start }) in self.patterns.iter().enumerate() {
            lookup.ranks[2 * n] = &ranking.first.ranks;
            lookup.ranks[2 * n + 1] = &ranking.second.ranks;
            lookup.patterns[n] = PatternOffsets {
                start: *start,
                scale: ranking.second.count as u32,
                dense: ranking.dense,
            };
        }
        lookup
    }
}

impl PartitionLookup<'_> {
    /// Looks up a whole board.
    pub(crate) fn evaluate(&self, board: &Board) -> LookupState {
        let Keys(keys) = self.keys(board.tiles());
        let mut state = LookupState { keys, ..LookupState::default() };
        for n in 0..self.count {
            let keys = [state.keys[2 * n], state.keys[2 * n + 1]];
            state.values[n] = self.value(n, keys);
            state.sum += state.values[n];
        }
        state
    }

    #[inline]
    pub(crate) fn keys<T: Copy + Into<usize>>(&self, tiles: &[T]) -> Keys {
        let mut keys = [0u16; 2 * MAX_PATTERNS];
        for (&tile, &cell) in tiles.iter().zip(self.cells) {
            if let Some(home) = tile.into().checked_sub(1) {
                let KeyDigit { group, weight } = self.digits[home];
                keys[usize::from(group)] += cell * weight;
            }
        }
        Keys(keys)
    }

    /// Returns half of the excess of all patterns.
    pub(crate) fn excess(&self, keys: &Keys) -> u8 {
        let of = |n| self.value(n, [keys.0[2 * n], keys.0[2 * n + 1]]);
        (0..self.count).map(of).sum()
    }

    /// Returns half of the excess of a tile's pattern before and after its move.
    #[inline]
    pub(crate) fn excess_change(
        &self,
        keys: &Keys,
        tile: usize,
        from: usize,
        to: usize,
    ) -> [u8; 2] {
        let KeyDigit { group, weight } = self.digits[tile - 1];
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

    /// Looks up the change by the move of a tile (from 1) between two cells.
    #[inline]
    pub(crate) fn preview(
        &self,
        state: &LookupState,
        tile: usize,
        from: usize,
        to: usize,
    ) -> LookupChange {
        let KeyDigit { group, weight } = self.digits[tile - 1];
        let (own, pattern) = (usize::from(group), usize::from(group / 2));
        let step = self.cells[to].wrapping_sub(self.cells[from]);
        let key = state.keys[own].wrapping_add(step.wrapping_mul(weight));
        let other = state.keys[own ^ 1];
        let keys = if own & 1 == 0 { [key, other] } else { [other, key] };
        let value = self.value(pattern, keys);
        LookupChange { group, key, value, sum: state.sum - state.values[pattern] + value }
    }

    #[inline]
    fn value(&self, pattern: usize, [first, mut second]: [u16; 2]) -> u8 {
        let PatternOffsets { start, scale, dense } = self.patterns[pattern];
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
