//! Points for places.

use crate::util::bounded_vec;
use serde::{Deserialize, Serialize};

/// Most places of a table of points of an organiser's own.
pub const MAX_CUSTOM_PLACES: usize = 32;
/// Most points for a place: twelve boards of them stay readable in a column.
pub const MAX_CUSTOM_POINTS: u16 = 1_000;

/// The points of Formula 1 since 2010.
const FORMULA_1: [u16; 10] = [25, 18, 15, 12, 10, 8, 6, 4, 2, 1];
/// The points of Mario Kart 8 for twelve racers.
const MARIO_KART: [u16; 12] = [15, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];

/// How many points a place on a board brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointsTable {
    /// The last of the largest table gets 1, and each place above it one more.
    Linear,
    /// 25, 18, 15, 12, 10, 8, 6, 4, 2, 1.
    F1,
    /// 15, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1.
    Kart,
    Custom(CustomPoints),
}

/// Points of an organiser's own, of the first place, the second, and so on; none below the last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct CustomPoints(Vec<u16>);

/// A list of numbers that is no table of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "points are 1 to {MAX_CUSTOM_PLACES} numbers up to {MAX_CUSTOM_POINTS}, the first at least 1, none greater than the one before"
)]
pub struct PointsError;

impl PointsTable {
    /// Returns the points of a place, from 1, among `seats` seats of the largest table.
    ///
    /// ```
    /// use gridrace_shared::tournament::points::PointsTable;
    /// assert_eq!(PointsTable::F1.of(2, 8), 18);
    /// assert_eq!(PointsTable::Linear.of(2, 8), 7);
    /// assert_eq!(PointsTable::Kart.of(13, 32), 0);
    /// ```
    pub fn of(&self, place: u16, seats: usize) -> u32 {
        let listed = |table: &[u16]| {
            let index = usize::from(place).checked_sub(1)?;
            table.get(index).map(|&points| u32::from(points))
        };
        match self {
            Self::Linear => {
                let seats = u32::try_from(seats).unwrap_or(u32::MAX);
                (seats + 1).saturating_sub(place.max(1).into())
            }
            Self::F1 => listed(&FORMULA_1).unwrap_or(0),
            Self::Kart => listed(&MARIO_KART).unwrap_or(0),
            Self::Custom(CustomPoints(table)) => listed(table).unwrap_or(0),
        }
    }
}

impl CustomPoints {
    pub fn new(points: Vec<u16>) -> Result<Self, PointsError> {
        let counted = points.len() <= MAX_CUSTOM_PLACES;
        let first = points.first().is_some_and(|first| (1..=MAX_CUSTOM_POINTS).contains(first));
        if counted && first && points.is_sorted_by(|above, below| above >= below) {
            Ok(Self(points))
        } else {
            Err(PointsError)
        }
    }

    pub fn as_slice(&self) -> &[u16] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for CustomPoints {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let points = bounded_vec::read::<_, _, MAX_CUSTOM_PLACES>(from)?;
        Self::new(points).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_an_organiser_s_own_are_checked() {
        assert!(CustomPoints::new(vec![5, 3, 3, 0]).is_ok());
        for bad in [vec![], vec![0], vec![3, 5], vec![1_001], vec![1; 33]] {
            assert_eq!(CustomPoints::new(bad.clone()), Err(PointsError), "{bad:?}");
        }
        assert!(serde_json::from_str::<CustomPoints>("[1,2]").is_err());
    }

    #[test]
    fn linear_points_are_those_of_the_largest_table() {
        let of = |place| PointsTable::Linear.of(place, 8);
        assert_eq!([1, 7, 8, 9].map(of), [8, 2, 1, 0]);
    }
}
