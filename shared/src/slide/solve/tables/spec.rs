//! Which tables there are.

use crate::grid::Size;

/// How much memory and time a table may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// At most 16 MB, built on one core within a second: made where it is needed.
    Default,
    /// At most 600 MB, built on two cores within a minute: made when asked for.
    Large,
}

/// The tables of one size and grade, written `4x4-default`. A size and its transposed one
/// have the same tables, written with the fewer rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableSpec {
    size: Size,
    grade: Grade,
}

/// Why something names no table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableSpecError {
    /// Not a size, a hyphen and a grade.
    #[error("a table is written like 4x4-default or 4x4-large")]
    Unreadable,
    /// No solver uses a table of that grade for that size.
    #[error("there is no {grade} table for {size}")]
    None {
        /// The size.
        size: Size,
        /// The grade.
        grade: Grade,
    },
}

impl Grade {
    const ALL: [Self; 2] = [Self::Default, Self::Large];
}

impl std::fmt::Display for Grade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Default => "default",
            Self::Large => "large",
        })
    }
}

impl TableSpec {
    /// Names the table of a grade for boards of a size or its transposed one.
    ///
    /// # Errors
    /// [`TableSpecError::None`] where no solver uses such a table.
    pub fn new(size: Size, grade: Grade) -> Result<Self, TableSpecError> {
        let size = size.min(size.transposed());
        match (size.rows(), size.cells(), grade) {
            (2.., 4..=16, Grade::Default) | (4, 16, Grade::Large) => Ok(Self { size, grade }),
            _ => Err(TableSpecError::None { size, grade }),
        }
    }

    /// Returns the size, not more rows than columns.
    #[must_use]
    pub const fn size(self) -> Size {
        self.size
    }

    /// Returns the grade.
    #[must_use]
    pub const fn grade(self) -> Grade {
        self.grade
    }

    /// Returns how many bytes the table has.
    #[must_use]
    pub const fn payload_len(self) -> usize {
        self.size.cells()
    }
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
        let grade = Grade::ALL
            .into_iter()
            .find(|known| known.to_string() == grade)
            .ok_or(TableSpecError::Unreadable)?;
        Self::new(size, grade)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_is_read_as_it_is_written_and_knows_no_orientation() {
        for text in ["4x4-default", "4x4-large", "3x4-default"] {
            assert_eq!(text.parse::<TableSpec>().unwrap().to_string(), text);
        }
        let upright: TableSpec = "5x3-default".parse().unwrap();
        assert_eq!(upright.to_string(), "3x5-default");
        for text in ["", "4x4", "4x4-huge", "1x9-default", "4xx-default"] {
            assert!(text.parse::<TableSpec>().is_err(), "{text}");
        }
    }
}
