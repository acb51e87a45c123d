//! The link to the room or the tournament, and its QR code, which a phone scans.

use crate::display::canvas::{Canvas, Segment, below, line, middle};
use crate::display::safe_text;
use crate::display::theme::{Colors, Look};
use crate::tui::model::Model;
use gridrace_lan::qr_code::{NARROW_QUIET_ZONE, QUIET_ZONE, QrCode};
use ratatui::layout::Rect;

/// Columns of the box without a code.
const WIDTH: u16 = 60;
/// Lines below the code: the link, and the keys.
const CAPTION: u16 = 2;

pub(super) fn draw(model: &Model, chosen: usize, canvas: &mut Canvas<'_>, area: Rect) {
    let links = model.links();
    let Some(link) = links.get(chosen) else {
        let text = "By the address that is known, only a browser here opens";
        return without_code(text, &model.own_link().unwrap_or_default(), &[], canvas, area);
    };
    let keys = keys(links.len());
    let Some(code) = QrCode::of_link(link) else {
        return without_code("The link is too long for a QR code.", link, &keys, canvas, area);
    };
    if model.settings.appearance.ascii {
        return without_code("A QR code needs more than ASCII; open", link, &keys, canvas, area);
    }
    let zones = [QUIET_ZONE, NARROW_QUIET_ZONE].into_iter();
    let Some(zone) = zones.into_iter().find(|&zone| fits(&code, zone, area)) else {
        let (columns, lines) = extent(&code, NARROW_QUIET_ZONE);
        let text = format!("No room for the QR code, which takes {columns}x{lines}; open");
        return without_code(&text, link, &keys, canvas, area);
    };
    let (columns, lines) = extent(&code, zone);
    let shown = safe_text::text(link, area.width.into());
    let inside = canvas.cleared(middle(area, area.width, lines));
    let square = middle(Rect { height: lines - CAPTION, ..inside }, columns, lines - CAPTION);
    for (row, text) in (0..).zip(code.half_blocks(zone)) {
        // Without colours the light modules are inked where the ground is dark.
        let is_swapped = canvas.theme.colors == Colors::None && !model.settings.appearance.light;
        let text = if is_swapped { swapped(&text) } else { text };
        canvas.text(line(square, row), &text, Look::QrCode);
    }
    let caption = below(inside, lines - CAPTION);
    canvas.centred(line(caption, 0), &shown, Look::Strong);
    canvas.centred_segments(line(caption, 1), &keys);
}

fn keys(links: usize) -> Vec<Segment<'static>> {
    let mut keys = vec![("c", Look::Key), (" copy", Look::Faint)];
    if links > 1 {
        keys.extend([("  tab", Look::Key), (" next address", Look::Faint)]);
    }
    keys.extend([("  esc", Look::Key), (" back", Look::Faint)]);
    keys
}

/// Draws the link in a box, with the keys in the last line, if there are any.
fn without_code(text: &str, link: &str, keys: &[Segment<'_>], canvas: &mut Canvas<'_>, area: Rect) {
    let last = u16::from(!keys.is_empty());
    let inside = canvas.framed(middle(area, WIDTH, 6 + last), "Link for phones and browsers");
    let words = Rect { height: inside.height.saturating_sub(last), ..inside };
    let used = canvas.wrapped(words, text, Look::Text);
    canvas.wrapped(below(words, used), link, Look::Strong);
    canvas.segments(line(inside, words.height), keys);
}

/// Returns the columns and lines of a code with its caption.
fn extent(code: &QrCode, quiet_zone: usize) -> (u16, u16) {
    let width = code.width(quiet_zone);
    let of = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    (of(width), of(width.div_ceil(2)) + CAPTION)
}

fn fits(code: &QrCode, quiet_zone: usize, area: Rect) -> bool {
    let (columns, lines) = extent(code, quiet_zone);
    columns <= area.width && lines <= area.height
}

/// Swaps dark and light.
fn swapped(line: &str) -> String {
    let swap = |cell| match cell {
        '█' => ' ',
        '▀' => '▄',
        '▄' => '▀',
        _ => '█',
    };
    line.chars().map(swap).collect()
}
