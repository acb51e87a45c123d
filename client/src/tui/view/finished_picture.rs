//! The finished picture, small, beside the chart of a heat whose tiles have one.

use crate::display::canvas::{Canvas, TilePicture};
use crate::display::color::Rgb;
use crate::tui::view::progress_chart;
use gridrace_shared::util::grid::{Cell, Size};
use ratatui::layout::Rect;

/// Columns between the chart and the picture, so that both have room in 80 columns.
const GAP: u16 = 1;
/// The fewest lines in which a picture is recognised, and the most that it takes from the chart.
const LEAST_LINES: u16 = 4;
const MOST_LINES: u16 = 12;

/// Draws the picture of the heat, if it has one, at the right of a chart's area, or in its place
/// where there is no room for both. Returns what is left of the area.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    let Some(TilePicture { board, .. }) = canvas.picture else {
        return area;
    };
    let size = board.size;
    let beside = area.width.saturating_sub(progress_chart::LEAST_WIDTH + GAP);
    let (parts, left) = if let Some(parts) = parts_of_tile(size, beside, area.height) {
        (parts, area.width - parts * columns(size) - GAP)
    } else if let Some(parts) = parts_of_tile(size, area.width, area.height) {
        (parts, 0)
    } else {
        return area;
    };
    let x = if left > 0 { area.x + left + GAP } else { area.x };
    // The last cell is the blank's.
    for home in (0..columns(size) * rows(size) - 1).map(Cell) {
        let tile = |at: usize| u16::try_from(at).unwrap_or(u16::MAX) * parts;
        let (left, top) = (x + tile(size.col_of(home)), 2 * area.y + tile(size.row_of(home)));
        for row in 0..parts {
            for column in 0..parts {
                let of = |part: u16| (usize::from(part), usize::from(parts));
                let [red, green, blue] = board.picture.part_of_tile(home, of(column), of(row));
                canvas.color_half(left + column, top + row, Rgb(red, green, blue));
            }
        }
    }
    Rect { width: left, ..area }
}

/// Returns into how many parts each way a tile is cut: a part is a column wide and half a line high,
/// about a square.
fn parts_of_tile(size: Size, width: u16, height: u16) -> Option<u16> {
    let lines = height.min(MOST_LINES);
    let parts = (width / columns(size)).min(2 * lines / rows(size));
    (parts * rows(size) >= 2 * LEAST_LINES).then_some(parts)
}

fn columns(size: Size) -> u16 {
    u16::try_from(size.cols()).unwrap_or(u16::MAX)
}

fn rows(size: Size) -> u16 {
    u16::try_from(size.rows()).unwrap_or(u16::MAX)
}
