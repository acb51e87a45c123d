//! Pattern databases: for every placement of some tiles, a lower bound on the number of their own
//! moves. The bounds of disjoint sets of tiles add up. For multi-tile moves there are colourings
//! instead.
//!
//! This module builds and reads tables as bytes in memory. The caller stores and checks them, and
//! provides threads.

mod colour_rank;
mod colouring;
mod fingerprint;
mod inverse_reading;
mod lookup;
mod pack;
mod permutation_rank;
mod placement_rank;
mod retrograde_search;
mod slide_counts;
mod slide_lookup;
mod spec;
mod subset_rank;
mod tile_sequence;

use super::pruning_automaton::Automaton;
use crate::util::grid::Size;
pub(super) use colouring::MAX_COLOURINGS;
pub(super) use inverse_reading::InverseReading;
pub(super) use lookup::{Keys, LookupChange, LookupState, PartitionLookup, PartitionView};
pub use retrograde_search::Workers;
pub(super) use slide_lookup::{ColouringLookup, ColouringView, SlideCount};
pub use spec::{TableGrade, TableSpec, TableSpecError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
pub(super) use tile_sequence::{Axis, MAX_CELLS as MAX_SEQUENCE_CELLS, TileSequence};

/// The version of the format. It changes with any change of patterns, ranking or packing; tables
/// of another version cannot be used.
pub const LAYOUT_VERSION: u32 = 1;

/// The bytes of a table, in memory or mapped from a file.
pub type Payload = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The pattern databases of one size and grade.
#[derive(Clone)]
pub struct Table {
    spec: TableSpec,
    payload: Payload,
    views: Views,
}

/// How solvers read a table.
#[derive(Clone)]
enum Views {
    SingleTile {
        /// The views for boards in the table's orientation, and for transposed ones.
        partitions: [Vec<PartitionView>; 2],
        automata: [Automaton; 2],
    },
    /// The views of each axis, for boards in the table's orientation.
    MultiTile([Vec<ColouringView>; 2]),
}

/// The error for bytes of another length than the table's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a table {spec} has {expected} bytes, not {found}")]
pub struct TableLengthError {
    pub spec: TableSpec,
    pub expected: usize,
    pub found: usize,
}

impl Table {
    /// Creates a table from bytes that [`build`] made for the same spec and [`LAYOUT_VERSION`].
    /// The content is not checked: other bytes of the right length give wrong answers, but do no
    /// other harm. The caller verifies a checksum first.
    pub fn from_payload(spec: TableSpec, payload: Payload) -> Result<Self, TableLengthError> {
        let (expected, found) = (spec.payload_len(), (*payload).as_ref().len());
        if found == expected {
            Ok(Self::new(spec, payload))
        } else {
            Err(TableLengthError { spec, expected, found })
        }
    }

    fn new(spec: TableSpec, payload: Payload) -> Self {
        let size = spec.size();
        let views = match spec.grade() {
            TableGrade::Default | TableGrade::Large => Views::SingleTile {
                partitions: lookup::views(spec),
                automata: [size, size.transposed()].map(Automaton::new),
            },
            TableGrade::Mtm => Views::MultiTile(slide_lookup::views(spec)),
        };
        Self { spec, payload, views }
    }

    pub const fn spec(&self) -> TableSpec {
        self.spec
    }

    pub fn payload(&self) -> &[u8] {
        (*self.payload).as_ref()
    }

    /// Returns the views for boards of a size; each gives an independent bound. A table for
    /// multi-tile moves has none.
    pub(super) fn views(&self, size: Size) -> Vec<&PartitionView> {
        let Views::SingleTile { partitions: [plain, transposed], .. } = &self.views else {
            return Vec::new();
        };
        let lying = size != self.spec.size();
        let square = size.rows() == size.cols();
        match (square, lying) {
            (true, _) => plain.iter().zip(transposed).flat_map(|(a, b)| [a, b]).collect(),
            (false, false) => plain.iter().collect(),
            (false, true) => transposed.iter().collect(),
        }
    }

    /// Returns the automaton that prunes searches on boards of a size. A table for multi-tile moves
    /// has none.
    pub(super) fn automaton(&self, size: Size) -> Option<&Automaton> {
        match &self.views {
            Views::SingleTile { automata, .. } => {
                Some(&automata[usize::from(size != self.spec.size())])
            }
            Views::MultiTile(_) => None,
        }
    }

    /// Returns the views of the vertical and the horizontal axis. A table for single-tile moves has
    /// none.
    pub(super) fn colourings(&self) -> [&[ColouringView]; 2] {
        match &self.views {
            Views::SingleTile { .. } => [&[], &[]],
            Views::MultiTile([vertical, horizontal]) => [vertical, horizontal],
        }
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({})", self.spec)
    }
}

/// The progress of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildProgress {
    pub done: u64,
    pub of: u64,
}

/// Builds the table of a spec. The bytes do not depend on the workers.
pub fn build(
    spec: TableSpec,
    workers: Workers<'_>,
    progress: &(dyn Fn(BuildProgress) + Sync),
) -> Table {
    let payload = match spec.grade() {
        TableGrade::Default | TableGrade::Large => build_partitions(spec, workers, progress),
        TableGrade::Mtm => build_colourings(spec, workers, progress),
    };
    Table::new(spec, Arc::new(payload))
}

fn build_partitions(
    spec: TableSpec,
    workers: Workers<'_>,
    progress: &(dyn Fn(BuildProgress) + Sync),
) -> Vec<u8> {
    let (size, blank) = (spec.size(), spec.size().cells() - 1);
    let placements = |homes: &spec::Pattern| {
        let arranged = size.cells() - homes.len() + 1..=size.cells();
        arranged.map(|n| n as u64).product::<u64>()
    };
    let of = spec.patterns().iter().map(placements).sum();
    let done = AtomicU64::new(0);
    let mut payload = vec![0; spec.payload_len()];
    let mut rest = payload.as_mut_slice();
    for homes in spec.patterns() {
        let before = done.load(Ordering::Relaxed);
        let found = |found| {
            done.store(before + found, Ordering::Relaxed);
            let done = before + found;
            progress(BuildProgress { done, of });
        };
        let excesses = retrograde_search::half_excesses(size, &homes, blank, workers, &found);
        let (table, more) = rest.split_at_mut(spec.pattern_len(&homes));
        pack::pack(size, homes.len(), &excesses, spec.width(), workers, table);
        rest = more;
    }
    payload
}

fn build_colourings(
    spec: TableSpec,
    workers: Workers<'_>,
    progress: &(dyn Fn(BuildProgress) + Sync),
) -> Vec<u8> {
    let colourings = spec.colourings();
    let of = colourings.iter().map(|colouring| 2 * colouring.values() as u64).sum();
    let mut before = 0;
    let mut payload = vec![0; spec.payload_len()];
    let mut rest = payload.as_mut_slice();
    for colouring in colourings {
        let found = |found| progress(BuildProgress { done: before + found, of });
        let (database, more) = rest.split_at_mut(colouring.payload_len());
        slide_counts::fill(&colouring, workers, &found, database);
        before += 2 * colouring.values() as u64;
        rest = more;
    }
    payload
}

/// The available tables: a snapshot that is cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Tables(Vec<Arc<Table>>);

impl Tables {
    /// No tables; every solver works without.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns these tables with another one, which replaces one of the same spec.
    pub fn with(&self, table: Arc<Table>) -> Self {
        let others = self.0.iter().filter(|other| other.spec() != table.spec());
        let mut all: Vec<_> = others.cloned().collect();
        all.push(table);
        Self(all)
    }

    /// Returns the best table for boards of a size or its transposed one.
    pub fn best(&self, size: Size) -> Option<&Arc<Table>> {
        [TableGrade::Large, TableGrade::Default].into_iter().find_map(|grade| self.of(size, grade))
    }

    pub fn of(&self, size: Size, grade: TableGrade) -> Option<&Arc<Table>> {
        let spec = TableSpec::new(size, grade).ok()?;
        self.0.iter().find(|table| table.spec() == spec)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.0.iter()
    }
}
