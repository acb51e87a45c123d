//! Linear conflicts: tiles in their home row or column that must pass each other (Hansson, Mayer
//! and Yung, "Criticizing solutions to relaxed models yields powerful admissible heuristics",
//! 1992).

use crate::puzzle::slide::solve::near_optimal::geometry::Geometry;

/// Rows, as the index of a pair of lines.
pub(super) const ROW: usize = 0;
/// Columns, as the index of a pair of lines.
pub(super) const COLUMN: usize = 1;

/// Returns how many tiles must leave a line temporarily so that its other tiles can pass each
/// other; each costs two moves more than its distance.
///
/// This is the number of tiles at home in the line less the longest increasing subsequence of
/// their homes.
pub(super) fn in_row_or_column(geometry: &Geometry, tiles: &[u8], axis: usize, line: u8) -> u16 {
    let (start, stride, length) = match axis {
        ROW => (usize::from(line) * geometry.size.cols(), 1, geometry.size.cols()),
        _ => (usize::from(line), geometry.size.cols(), geometry.size.rows()),
    };
    // Patience sorting: the last elements of the best increasing subsequences of each length.
    let mut tails = [0u8; 128];
    let (mut longest, mut count) = (0, 0);
    for n in 0..length {
        let tile = tiles[start + n * stride];
        if tile == 0 {
            continue;
        }
        let home = geometry.home_lines(tile);
        if home[axis] != line {
            continue;
        }
        count += 1;
        let home_place = home[1 - axis];
        let at = tails[..longest].iter().take_while(|&&endgame| endgame < home_place).count();
        tails[at] = home_place;
        longest = longest.max(at + 1);
    }
    (count - longest) as u16
}

/// Returns the conflicts of all rows and columns.
pub(super) fn in_all_lines(geometry: &Geometry, tiles: &[u8]) -> u16 {
    let rows =
        (0..geometry.size.rows() as u8).map(|row| in_row_or_column(geometry, tiles, ROW, row));
    let columns =
        (0..geometry.size.cols() as u8).map(|col| in_row_or_column(geometry, tiles, COLUMN, col));
    rows.chain(columns).sum()
}
