//! The parts of the screen.

use ratatui::layout::Rect;

/// From this height on there is a blank line after the first and before the last.
pub(super) const AIRY_HEIGHT: u16 = 20;
/// From this width on the margins are two columns.
pub(super) const AIRY_WIDTH: u16 = 60;

/// Returns the part of the screen between the first and the last line.
pub(super) fn body(area: Rect) -> Rect {
    let air = u16::from(area.height >= AIRY_HEIGHT);
    let margin = margin(area);
    Rect {
        x: area.x + margin,
        y: area.y + 1 + air,
        width: area.width.saturating_sub(2 * margin),
        height: area.height.saturating_sub(2 + 2 * air),
    }
}

pub(super) fn margin(area: Rect) -> u16 {
    if area.width >= AIRY_WIDTH { 2 } else { 1 }
}
