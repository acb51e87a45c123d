//! The brush: text, bars and boxes in the theme's looks, cut off where the area ends.

use crate::display::safe_text;
use crate::display::theme::{Look, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// A piece of a line: its text and its look.
pub(crate) type Segment<'a> = (&'a str, Look);

#[derive(Debug)]
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    pub theme: Theme,
}

impl<'a> Canvas<'a> {
    pub fn new(buffer: &'a mut Buffer, theme: Theme) -> Self {
        Self { buffer, theme }
    }

    /// Writes pieces one after the other from the left of the area's first line; returns
    /// the column behind them.
    pub fn segments(&mut self, area: Rect, segments: &[Segment<'_>]) -> u16 {
        let mut x = area.x;
        for (text, look) in segments {
            x = self.styled(
                Rect { x, width: area.right().saturating_sub(x), ..area },
                text,
                self.theme.style(*look),
            );
        }
        x
    }

    pub fn text(&mut self, area: Rect, text: &str, look: Look) -> u16 {
        self.segments(area, &[(text, look)])
    }

    /// Writes a text into as many lines as the area has, broken between words.
    pub fn wrapped(&mut self, area: Rect, text: &str, look: Look) {
        let mut index = 0;
        let mut x = area.x;
        for word in text.split(' ') {
            let end = area.right();
            if x > area.x && x + width_of(word) > end {
                index += 1;
                x = area.x;
            }
            let row = line(area, index);
            let rest = Rect { x, width: end.saturating_sub(x), ..row };
            let word = safe_text::text(word, rest.width.into());
            x = if row.is_empty() { x } else { self.text(rest, &word, look) + 1 };
        }
    }

    /// Writes a text at the right of the area's first line; the column where it begins.
    pub fn right(&mut self, area: Rect, text: &str, look: Look) -> u16 {
        let width = width_of(text).min(area.width);
        let x = area.right() - width;
        self.text(Rect { x, width, ..area }, text, look);
        x
    }

    pub fn centred(&mut self, area: Rect, text: &str, look: Look) {
        self.centred_segments(area, &[(text, look)]);
    }

    pub fn centred_segments(&mut self, area: Rect, segments: &[Segment<'_>]) {
        let width: u16 = segments.iter().map(|(text, _)| width_of(text)).sum();
        let before = area.width.saturating_sub(width) / 2;
        self.segments(Rect { x: area.x + before, width: area.width - before, ..area }, segments);
    }

    /// Draws a bar that is filled by `thousandths` of its width.
    pub fn bar(&mut self, area: Rect, thousandths: u16, look: Look) {
        let [full, empty] = self.theme.symbols.bar;
        let filled = u32::from(area.width) * u32::from(thousandths.min(1_000)) / 1_000;
        let filled = u16::try_from(filled).unwrap_or(area.width);
        let (full, empty) =
            (full.repeat(filled.into()), empty.repeat((area.width - filled).into()));
        self.segments(area, &[(&full, look), (&empty, Look::Line)]);
    }

    /// Draws the border of a box and clears what is inside; returns the inside.
    pub fn boxed(&mut self, area: Rect, title: &str, look: Look) -> Rect {
        let area = area.intersection(self.buffer.area);
        if area.width < 2 || area.height < 2 {
            return Rect::default();
        }
        self.clear(area);
        let set = &self.theme.symbols.border;
        let across = usize::from(area.width - 2);
        let top = format!("{}{}{}", set.top_left, set.horizontal_top.repeat(across), set.top_right);
        let bottom = format!(
            "{}{}{}",
            set.bottom_left,
            set.horizontal_bottom.repeat(across),
            set.bottom_right
        );
        let (left, right) = (set.vertical_left, set.vertical_right);
        self.text(area, &top, look);
        self.text(Rect { y: area.bottom() - 1, ..area }, &bottom, look);
        for y in area.y + 1..area.bottom() - 1 {
            self.text(Rect { y, ..area }, left, look);
            self.text(Rect { y, x: area.right() - 1, width: 1, ..area }, right, look);
        }
        if !title.is_empty() {
            let title = format!(" {title} ");
            self.text(Rect { x: area.x + 2, width: area.width - 3, ..area }, &title, Look::Strong);
        }
        Rect::new(area.x + 1, area.y + 1, area.width - 2, area.height - 2)
    }

    /// Turns an area's colours around: seen on every terminal, also without colours.
    pub fn reverse(&mut self, area: Rect) {
        self.buffer.set_style(area, Style::new().reversed());
    }

    pub fn bold(&mut self, area: Rect) {
        self.buffer.set_style(area, Style::new().bold());
    }

    pub fn underline(&mut self, area: Rect) {
        self.buffer.set_style(area, Style::new().underlined());
    }

    fn clear(&mut self, area: Rect) {
        for position in area.positions() {
            if let Some(cell) = self.buffer.cell_mut(position) {
                cell.reset();
            }
        }
    }

    fn styled(&mut self, area: Rect, text: &str, style: Style) -> u16 {
        let area = area.intersection(self.buffer.area);
        if area.is_empty() {
            return area.x;
        }
        // What was there before, the lines of a board say, must not shine through.
        let style = Style::reset().patch(style);
        self.buffer.set_stringn(area.x, area.y, text, area.width.into(), style).0
    }
}

pub(crate) fn width_of(text: &str) -> u16 {
    u16::try_from(safe_text::cells(text)).unwrap_or(u16::MAX)
}

/// Returns the area's line with this number, or an empty area below its end.
pub(crate) fn line(area: Rect, index: u16) -> Rect {
    if index >= area.height {
        return Rect { y: area.bottom(), height: 0, width: 0, ..area };
    }
    Rect { y: area.y + index, height: 1, ..area }
}

/// Returns the lines of an area, `pitch` apart, with the entries of a list that they show, and
/// whether each is the chosen one; a list that is too long is scrolled to that.
pub(crate) fn scrolled<T>(
    area: Rect,
    pitch: u16,
    list: &[T],
    chosen: usize,
) -> impl Iterator<Item = (Rect, &T, bool)> {
    let space = usize::from(area.height.div_ceil(pitch)).max(1);
    let first = (chosen + 1).saturating_sub(space);
    let shown = list.iter().enumerate().skip(first).take(space);
    let lines = (0..).map(move |row: u16| line(area, row * pitch));
    lines.zip(shown).map(move |(row, (index, entry))| (row, entry, index == chosen))
}

/// Returns the area without its top `lines`.
pub(crate) fn below(area: Rect, lines: u16) -> Rect {
    let lines = lines.min(area.height);
    Rect { y: area.y + lines, height: area.height - lines, ..area }
}

/// Returns the area without its leftmost `columns`.
pub(crate) fn indent(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    Rect { x: area.x + columns, width: area.width - columns, ..area }
}

pub(crate) fn middle(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}
