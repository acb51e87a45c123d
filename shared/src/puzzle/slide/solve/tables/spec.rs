//! Table specs: sizes, grades and patterns.

use super::colouring::Colouring;
use super::pack::ValueWidth;
use super::placement_rank::PlacementRanking;
use crate::util::grid::Size;

/// The memory and time of a table.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::EnumString,
)]
#[strum(serialize_all = "snake_case")]
pub enum TableGrade {
    /// At most 16 MB, built on one core in about a second (4×4: 0.9, 3×5 and 2×8: 0.7, 5×5: 2.2
    /// CPU seconds, the others much less); built when needed.
    Default,
    /// At most 600 MB, built on two cores within a minute; built on request.
    Large,
    /// For the fewest multi-tile moves: at most 110 MB, built on one core within half a minute (4×4:
    /// 31 CPU seconds, 3×5 and 2×8: 10, the others much less); built when needed.
    Mtm,
}

/// The table of a size and grade, written `4x4-default`. A size and its transposed one share a
/// table, written with the fewer rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableSpec {
    size: Size,
    grade: TableGrade,
}

/// Why a text or a size has no table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableSpecError {
    #[error("a table is written like 4x4-default, 4x4-large or 4x4-mtm")]
    Unreadable,
    #[error("there is no {grade} table for {size}")]
    None { size: Size, grade: TableGrade },
}

/// The home cells of a pattern's tiles.
pub(super) type Pattern = Vec<usize>;

/// Disjoint patterns of all tiles.
pub(super) type Partition = Vec<Pattern>;

/// Two partitions for 4×4, with three patterns of six tiles between them; found by hill climbing
/// from random ones on the nodes of some of Korf's boards.
const FOUR_DEFAULT: [&[&[usize]]; 2] = [
    &[&[9, 10, 11, 12, 13, 14], &[1, 2, 4, 5, 6, 7], &[0, 3, 8]],
    &[&[9, 10, 11, 12, 13, 14], &[1, 2, 3, 5, 6, 7], &[0, 4, 8]],
];

/// Seven and eight tiles (Korf and Felner 2002).
const FOUR_LARGE: [&[&[usize]]; 1] = [&[&[8, 9, 10, 11, 12, 13, 14], &[0, 1, 2, 3, 4, 5, 6, 7]]];

/// Four times six tiles (Korf and Felner 2002), mirrored for our goal.
const FIVE_LARGE: [&[&[usize]]; 1] = [&[
    &[23, 22, 19, 18, 17, 12],
    &[21, 20, 16, 15, 11, 10],
    &[14, 13, 9, 8, 4, 3],
    &[7, 6, 5, 2, 1, 0],
]];

/// The rows of 5×5; a near-optimal search looks up the transposed board as well.
const FIVE_DEFAULT: [&[&[usize]]; 1] = [&[
    &[0, 1, 2, 3, 4],
    &[5, 6, 7, 8, 9],
    &[10, 11, 12, 13, 14],
    &[15, 16, 17, 18, 19],
    &[20, 21, 22, 23],
]];

/// Maximum bytes of a default table.
const DEFAULT_BYTES: usize = 16_000_000;

/// Tiles of a pattern on boards without a listed partition.
const PATTERN_TILES: usize = 6;

impl TableSpec {
    /// Creates the spec of a grade for boards of a size or its transposed one.
    pub fn new(size: Size, grade: TableGrade) -> Result<Self, TableSpecError> {
        let size = size.min(size.transposed());
        match (size.rows(), size.cols(), grade) {
            (5, 5, TableGrade::Default) => Ok(Self { size, grade }),
            (2.., _, TableGrade::Default | TableGrade::Mtm) if size.cells() <= 16 => {
                Ok(Self { size, grade })
            }
            (4, 4, TableGrade::Large) | (5, 5, TableGrade::Large) => Ok(Self { size, grade }),
            _ => Err(TableSpecError::None { size, grade }),
        }
    }

    /// Returns the size, with at most as many rows as columns.
    pub const fn size(self) -> Size {
        self.size
    }

    pub const fn grade(self) -> TableGrade {
        self.grade
    }

    /// Returns the bytes of the table.
    pub fn payload_len(self) -> usize {
        match self.grade {
            TableGrade::Default | TableGrade::Large => {
                self.bytes_of(&self.partitions(), self.width())
            }
            TableGrade::Mtm => self.colourings().iter().map(Colouring::payload_len).sum(),
        }
    }

    /// Returns the bytes of one of its patterns.
    pub(super) fn pattern_len(self, pattern: &Pattern) -> usize {
        self.width().bytes(self.numbers(pattern))
    }

    fn numbers(self, pattern: &Pattern) -> usize {
        PlacementRanking::count(self.size.cells(), pattern.len())
    }

    fn bytes_of(self, partitions: &[Partition], width: ValueWidth) -> usize {
        let patterns = distinct(partitions);
        let bytes = patterns.map(|pattern| width.bytes(self.numbers(pattern)));
        bytes.sum()
    }

    /// Returns the bits of a value: four if they fit, since clamping to two bits costs most on
    /// narrow boards, where tiles block each other.
    pub(super) fn width(self) -> ValueWidth {
        let four = self.bytes_of(&self.partitions(), ValueWidth::Four);
        match self.grade {
            TableGrade::Default if four > DEFAULT_BYTES => ValueWidth::Two,
            TableGrade::Default | TableGrade::Large | TableGrade::Mtm => ValueWidth::Four,
        }
    }

    /// Returns all distinct patterns in the order of the table.
    pub(super) fn patterns(self) -> Vec<Pattern> {
        distinct(&self.partitions()).cloned().collect()
    }

    /// Returns the colourings in the order of the table: none if it is not for multi-tile moves.
    pub(super) fn colourings(self) -> Vec<Colouring> {
        match self.grade {
            TableGrade::Default | TableGrade::Large => Vec::new(),
            TableGrade::Mtm => Colouring::of(self.size),
        }
    }

    /// Returns the partitions; each gives an independent bound. Tables for multi-tile moves have
    /// colourings instead.
    pub(super) fn partitions(self) -> Vec<Partition> {
        match (self.size.rows(), self.size.cols(), self.grade) {
            (_, _, TableGrade::Mtm) => Vec::new(),
            (4, 4, TableGrade::Default) => written(&FOUR_DEFAULT),
            (4, 4, TableGrade::Large) => written(&FOUR_LARGE),
            (5, 5, TableGrade::Large) => written(&FIVE_LARGE),
            (5, 5, TableGrade::Default) => written(&FIVE_DEFAULT),
            (rows, cols, _) => {
                let tiles = 0..rows * cols - 1;
                let by_rows: Vec<usize> = tiles.clone().collect();
                let by_cols: Vec<usize> = tiles.map(|n| n % rows * cols + n / rows).collect();
                let mut partitions = vec![chunks(&by_cols), chunks(&by_rows)];
                // On narrow boards four bits per value are better than a second bound.
                if self.bytes_of(&partitions, ValueWidth::Four) > DEFAULT_BYTES {
                    partitions.truncate(1);
                }
                partitions
            }
        }
    }
}

fn written(partitions: &[&[&[usize]]]) -> Vec<Partition> {
    let partition = |patterns: &&[&[usize]]| patterns.iter().map(|homes| homes.to_vec()).collect();
    partitions.iter().map(partition).collect()
}

fn distinct(partitions: &[Partition]) -> impl Iterator<Item = &Pattern> {
    let all = || partitions.iter().flatten();
    let first = move |&(n, pattern): &(usize, &Pattern)| !all().take(n).any(|one| one == pattern);
    all().enumerate().filter(first).map(|(_, pattern)| pattern)
}

fn chunks(order: &[usize]) -> Partition {
    order.chunks(PATTERN_TILES).map(<[usize]>::to_vec).collect()
}

impl std::fmt::Display for TableSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.size, self.grade)
    }
}

impl std::str::FromStr for TableSpec {
    type Err = TableSpecError;

    fn from_str(text: &str) -> Result<Self, TableSpecError> {
        let (size, grade) = text.split_once('-').ok_or(TableSpecError::Unreadable)?;
        let size: Size = size.parse().map_err(|_| TableSpecError::Unreadable)?;
        let grade = grade.parse().map_err(|_| TableSpecError::Unreadable)?;
        Self::new(size, grade)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<TableSpec> {
        let sizes = (2..=16).flat_map(|rows| (rows..=16).map(move |cols| (rows, cols)));
        sizes
            .filter_map(|(rows, cols)| Size::new(rows, cols).ok())
            .flat_map(|size| {
                [TableGrade::Default, TableGrade::Large, TableGrade::Mtm]
                    .map(|grade| TableSpec::new(size, grade))
            })
            .filter_map(Result::ok)
            .collect()
    }

    #[test]
    fn specs_parse_as_written_and_ignore_orientation() {
        for text in ["4x4-default", "4x4-large", "3x4-default", "4x4-mtm"] {
            assert_eq!(text.parse::<TableSpec>().unwrap().to_string(), text);
        }
        let upright: TableSpec = "5x3-default".parse().unwrap();
        assert_eq!(upright.to_string(), "3x5-default");
        for text in ["", "4x4", "4x4-huge", "1x9-default", "4xx-default", "5x5-mtm"] {
            assert!(text.parse::<TableSpec>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_partition_has_every_tile_once() {
        for spec in all() {
            assert_eq!(spec.partitions().is_empty(), spec.grade() == TableGrade::Mtm);
            for partition in spec.partitions() {
                let mut homes: Vec<usize> = partition.into_iter().flatten().collect();
                homes.sort_unstable();
                assert!(homes.into_iter().eq(0..spec.size().cells() - 1), "{spec}");
            }
        }
    }

    #[test]
    fn every_colouring_has_a_colour_for_every_tile() {
        for spec in all() {
            let colourings = spec.colourings();
            assert_eq!(colourings.is_empty(), spec.grade() != TableGrade::Mtm, "{spec}");
            for colouring in colourings {
                assert_eq!(colouring.colours.len(), spec.size().cells() - 1, "{spec}");
                let most = colouring.colours.iter().max().unwrap();
                assert!((0..=*most).all(|colour| colouring.colours.contains(&colour)), "{spec}");
            }
        }
    }

    #[test]
    fn no_table_is_larger_than_its_grade_allows() {
        for spec in all() {
            let most = match spec.grade() {
                TableGrade::Default => DEFAULT_BYTES,
                TableGrade::Large => 600_000_000,
                TableGrade::Mtm => 110_000_000,
            };
            assert!((1..=most).contains(&spec.payload_len()), "{spec}: {}", spec.payload_len());
        }
    }
}
