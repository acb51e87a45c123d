//! Pointer paths: from the cells at which a pointer was observed to the cells of a stroke.

use crate::util::grid::{Cell, Size};

/// Returns the cells that a pointer passed on a straight line from one cell to another, the last
/// one included.
///
/// Within a row or column these are the cells between them. Otherwise it is the staircase closest
/// to the line between the centres, horizontal before vertical where the line passes through a
/// corner (Amit Patel, "Line drawing on a grid", 2014: grid walking). Empty for a cell outside the
/// grid, and if the cells are equal.
///
/// ```
/// use gridrace_shared::util::grid::Cell;
/// use gridrace_shared::puzzle::numberlink::cells_between;
/// let size = "4x5".parse()?;
/// assert_eq!(cells_between(size, Cell(1), Cell(4)), [2, 3, 4].map(Cell));
/// assert_eq!(cells_between(size, Cell(1), Cell(12)), [6, 7, 12].map(Cell));
/// # Ok::<(), gridrace_shared::util::grid::SizeError>(())
/// ```
pub fn cells_between(size: Size, from: Cell, to: Cell) -> Vec<Cell> {
    if !size.contains(from) || !size.contains(to) {
        return Vec::new();
    }
    let (mut row, mut col) = (size.row_of(from), size.col_of(from));
    let (rows, cols) = (row.abs_diff(size.row_of(to)), col.abs_diff(size.col_of(to)));
    let (down, right) = (size.row_of(to) > row, size.col_of(to) > col);
    let step = |at: usize, up: bool| if up { at + 1 } else { at - 1 };
    let (mut down_by, mut right_by) = (0, 0);
    let mut cells = Vec::with_capacity(rows + cols);
    while down_by < rows || right_by < cols {
        // Which of the two edges the line crosses first.
        if (1 + 2 * right_by) * rows <= (1 + 2 * down_by) * cols && right_by < cols {
            right_by += 1;
            col = step(col, right);
        } else {
            down_by += 1;
            row = step(row, down);
        }
        cells.push(size.cell(row, col));
    }
    cells
}

/// Extends a stroke to the pointer's current cell along [`cells_between`]. If the path meets the
/// stroke, the stroke is shortened to that cell, so it never becomes longer than the board.
///
/// ```
/// use gridrace_shared::util::grid::Cell;
/// use gridrace_shared::puzzle::numberlink::extend_stroke;
/// let size = "4x5".parse()?;
/// let mut stroke = vec![Cell(0)];
/// for seen in [3, 1, 11] {
///     extend_stroke(size, &mut stroke, Cell(seen));
/// }
/// assert_eq!(stroke, [0, 1, 6, 11].map(Cell));
/// # Ok::<(), gridrace_shared::util::grid::SizeError>(())
/// ```
pub fn extend_stroke(size: Size, stroke: &mut Vec<Cell>, to: Cell) {
    let Some(&from) = stroke.last() else {
        stroke.extend(Some(to).filter(|&to| size.contains(to)));
        return;
    };
    for cell in cells_between(size, from, to) {
        match stroke.iter().position(|&earlier| earlier == cell) {
            Some(at) => stroke.truncate(at + 1),
            None => stroke.push(cell),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::numberlink::tests::samples::{any_drawing, any_random_stroke};
    use crate::puzzle::numberlink::{Square, Stroke};
    use proptest::prelude::*;

    #[test]
    fn a_diagonal_is_a_staircase_in_both_directions() {
        let size = "4x5".parse().unwrap();
        assert_eq!(cells_between(size, Cell(0), Cell(12)), [1, 6, 7, 12].map(Cell));
        assert_eq!(cells_between(size, Cell(12), Cell(0)), [11, 6, 5, 0].map(Cell));
        assert_eq!(cells_between(size, Cell(15), Cell(11)), [16, 11].map(Cell));
        assert_eq!(cells_between(size, Cell(3), Cell(3)), []);
        assert_eq!(cells_between(size, Cell(3), Cell(20)), []);
        assert_eq!(cells_between(size, Cell(65_535), Cell(0)), []);
    }

    proptest! {
        #[test]
        fn cells_between_form_a_shortest_path(rows in 1usize..=40, cols in 1usize..=40, a in any::<u16>(), b in any::<u16>()) {
            let size = Size::new(rows, cols).unwrap();
            let [a, b] = [a, b].map(|cell| Cell(cell % size.cells() as u16));
            let cells = cells_between(size, a, b);
            prop_assert_eq!(cells.len(), size.distance(a, b));
            let walk: Vec<_> = std::iter::once(a).chain(cells).collect();
            prop_assert!(walk.windows(2).all(|two| size.distance(two[0], two[1]) == 1));
            prop_assert_eq!(walk.last(), Some(&b));
        }

        #[test]
        fn a_stroke_without_detours_draws_the_same_link(drawing in any_drawing(2..=6), random in any_random_stroke()) {
            let Stroke::Draw(cells) = random.stroke(&drawing) else {
                return Ok(());
            };
            let size = drawing.puzzle().size();
            let mut straight = Vec::new();
            cells.iter().for_each(|&cell| extend_stroke(size, &mut straight, cell));
            prop_assert!(straight.iter().all(|cell| straight.iter().filter(|other| *other == cell).count() == 1));
            prop_assert!(straight.windows(2).all(|two| size.distance(two[0], two[1]) == 1));
            // A detour of a stroke that continues a link may cross and cut that link.
            let begins = matches!(drawing.puzzle().square(cells[0]), Square::Terminal(_));
            let (mut drawing, mut copy) = (drawing.clone(), drawing);
            if let (Ok(counted), true) = (drawing.play(&Stroke::Draw(cells)), begins) {
                prop_assert_eq!(copy.play(&Stroke::Draw(straight)), Ok(counted));
                prop_assert_eq!(drawing, copy);
            }
        }
    }
}
