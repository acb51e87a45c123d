//! The canvas: draws text, bars and boxes in the theme's styles, clipped to an area.

use crate::display::color::Rgb;
use crate::display::graphics::tile_layer::{BoardPicture, PlacedImages, ReadyImages, TileLayer};
use crate::display::safe_text;
use crate::display::theme::{Look, Theme};
use gridrace_shared::util::grid::Cell;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::Widget;
use std::ops::Range;

/// A piece of a line: its text and its look.
pub(crate) type Segment<'a> = (&'a str, Look);

#[derive(Debug)]
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    pub theme: Theme,
    /// What the tiles of sliding puzzles show.
    pub picture: Option<TilePicture<'a>>,
    /// The images of tiles, where the terminal has graphics.
    images: Option<TileLayer<'a>>,
}

/// The picture on the tiles of a sliding puzzle.
#[derive(Debug, Clone, Copy)]
pub struct TilePicture<'a> {
    pub board: &'a BoardPicture,
    /// Whether tiles have their number in a corner.
    pub numbers: bool,
}

impl<'a> Canvas<'a> {
    pub fn new(buffer: &'a mut Buffer, theme: Theme) -> Self {
        Self { buffer, theme, picture: None, images: None }
    }

    /// Shows a picture on tiles, where the terminal has the colours for it.
    pub fn with_picture(self, picture: Option<TilePicture<'a>>) -> Self {
        Self { picture: picture.filter(|_| self.theme.shows_pictures()), ..self }
    }

    /// Shows images that the terminal has ready on tiles with a picture.
    pub fn with_images(self, ready: Option<&'a ReadyImages>) -> Self {
        Self { images: ready.map(TileLayer::new), ..self }
    }

    /// Shows the image of a tile, whose lower half line stays free, in an area; returns false where it
    /// must be drawn with half blocks.
    pub fn place_image(&mut self, of: &BoardPicture, home: Cell, area: Rect) -> bool {
        let images = self.images.as_mut();
        images.is_some_and(|images| images.place(self.buffer, of, home, area))
    }

    /// Says whether a tile with a picture is shown on its way.
    pub fn shows_motion(&self) -> bool {
        self.images.as_ref().is_none_or(TileLayer::shows_motion)
    }

    /// Returns the images that nothing was drawn over, and clears their cells.
    pub fn finish(self) -> PlacedImages {
        let of = self.picture.map(|picture| picture.board.clone());
        self.images.map(|images| images.finish(self.buffer, of)).unwrap_or_default()
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

    /// Returns the mark of the row that is chosen, or a blank.
    pub const fn cursor(&self, is_chosen: bool) -> &'static str {
        if is_chosen { self.theme.symbols.cursor } else { " " }
    }

    /// Draws a row of a menu: a key and a name. Returns the column behind them.
    pub fn menu_row(&mut self, row: Rect, key: &str, name: &str, is_chosen: bool) -> u16 {
        let look = if is_chosen { Look::Cursor } else { Look::Text };
        let segments: [Segment<'_>; 5] = [
            (self.cursor(is_chosen), Look::Cursor),
            (" ", Look::Text),
            (key, Look::Key),
            ("  ", Look::Text),
            (name, look),
        ];
        self.segments(row, &segments)
    }

    /// Writes a text into as many lines as the area has, broken between words; what doesn't fit
    /// ends in an ellipsis. Returns how many lines it took.
    pub fn wrapped(&mut self, area: Rect, text: &str, look: Look) -> u16 {
        let mut lines = wrap(text, area.width.into());
        if let Some(last) = usize::from(area.height).checked_sub(1)
            && last + 1 < lines.len()
        {
            let ellipsis = self.theme.symbols.ellipsis;
            let width = usize::from(area.width + 1).saturating_sub(safe_text::cells(ellipsis));
            let cut = safe_text::text(&lines.split_off(last).join(" "), width);
            lines.push(format!("{}{ellipsis}", cut.trim_end_matches('…')));
        }
        for (index, text) in (0..area.height).zip(&lines) {
            self.text(line(area, index), text, look);
        }
        u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height)
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
        self.outlined(area, look);
        if !title.is_empty() {
            let title = format!(" {title} ");
            self.text(Rect { x: area.x + 2, width: area.width - 3, ..area }, &title, Look::Strong);
        }
        Rect::new(area.x + 1, area.y + 1, area.width - 2, area.height - 2)
    }

    /// Draws a box for words; returns the inside without its margins.
    pub fn framed(&mut self, area: Rect, title: &str) -> Rect {
        let inside = self.boxed(area, title, Look::Line);
        Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside }
    }

    /// Writes on the lower border of a box what its inside doesn't show.
    pub fn foot(&mut self, inside: Rect, text: &str) {
        let row = Rect { y: inside.bottom(), height: 1, ..inside };
        self.right(row, &format!(" {text} "), Look::Faint);
    }

    /// Fills an area with the ground of a look.
    pub fn fill(&mut self, area: Rect, look: Look) {
        let style = self.theme.style(look);
        let blank = " ".repeat(area.width.into());
        for y in area.top()..area.bottom() {
            self.styled(Rect { y, height: 1, ..area }, &blank, style);
        }
    }

    /// Writes a text on a ground in the colour of a look.
    pub fn text_on(&mut self, area: Rect, text: &str, look: Look) {
        self.styled(area, text, self.theme.filled_style(look));
    }

    /// Fills columns and halves of lines, which count from the screen's first, with the colour of
    /// a look; nothing in ASCII.
    pub fn fill_halves(&mut self, columns: Range<u16>, halves: Range<u16>, look: Look) {
        let width = columns.end.saturating_sub(columns.start);
        for y in halves.start / 2..halves.end.div_ceil(2) {
            let line = Rect { x: columns.start, y, width, height: 1 };
            match (halves.contains(&(2 * y)), halves.contains(&(2 * y + 1))) {
                (true, true) => self.text_on(line, &" ".repeat(width.into()), look),
                (true, false) => self.part_of_cells(line, "▀", look, false),
                (false, _) => self.part_of_cells(line, "▄", look, false),
            }
        }
    }

    /// Fills the upper half of a line with the ground of a look; nothing in ASCII.
    pub fn upper_halves(&mut self, line: Rect, look: Look) {
        self.part_of_cells(line, "▀", look, false);
    }

    /// Colours one column of half a line; halves count from the screen's first line.
    pub fn color_half(&mut self, column: u16, half: u16, rgb: Rgb) {
        let Some(color) = self.theme.color_of(rgb) else { return };
        let Some(cell) = self.buffer.cell_mut((column, half / 2)) else { return };
        // What the other half shows stays.
        let (upper, lower) = match cell.symbol() {
            "▀" => (cell.fg, cell.bg),
            "▄" => (cell.bg, cell.fg),
            _ => (cell.bg, cell.bg),
        };
        let (upper, lower) = if half.is_multiple_of(2) { (color, lower) } else { (upper, color) };
        cell.reset();
        if upper == Color::Reset {
            cell.set_symbol("▄").set_fg(lower).set_bg(upper);
        } else {
            cell.set_symbol("▀").set_fg(upper).set_bg(lower);
        }
    }

    /// Fills an area and the upper half of the line below it, moved by eighths of a column to the
    /// right and halves of a line down; in ASCII by whole ones.
    pub fn fill_moved(&mut self, area: Rect, right: i32, down: i32, look: Look) {
        const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        let moved = |from: u16, by: i32| u16::try_from(i32::from(from) + by).unwrap_or(0);
        let (columns, eighths) = if self.theme.symbols.is_ascii {
            ((right + 4).div_euclid(8), 0)
        } else {
            (right.div_euclid(8), right.rem_euclid(8))
        };
        let x = moved(area.x, columns);
        // From here on in halves of lines.
        let top = 2 * i32::from(area.y) + down;
        let bottom = top + 2 * i32::from(area.height) + 1;
        for y in top.div_euclid(2)..(bottom + 1).div_euclid(2) {
            let is_covered = |half: i32| (top..bottom).contains(&half);
            let (upper, lower) = (is_covered(2 * y), is_covered(2 * y + 1));
            let line = Rect { x, y: moved(0, y), width: area.width, height: 1 };
            let shifted = Rect { x: moved(x, i32::from(eighths >= 4)), ..line };
            match (upper, lower) {
                (true, false) => self.part_of_cells(shifted, "▀", look, false),
                (false, _) => self.part_of_cells(shifted, "▄", look, false),
                (true, true) if eighths == 0 => self.fill(line, look),
                (true, true) => {
                    let symbol = EIGHTHS[usize::try_from(eighths).unwrap_or(0)];
                    let first = Rect { width: 1, ..line };
                    self.part_of_cells(first, symbol, look, true);
                    self.fill(Rect { x: x + 1, width: line.width.saturating_sub(1), ..line }, look);
                    self.part_of_cells(Rect { x: line.right(), ..first }, symbol, look, false);
                }
            }
        }
    }

    /// Draws a block symbol that covers a part of each cell in the ground of a look, or, the other
    /// way round, the part that it leaves free.
    fn part_of_cells(&mut self, line: Rect, symbol: &str, look: Look, is_inverse: bool) {
        let Some(fill) = self.theme.filled_style(look).bg.filter(|_| !self.theme.symbols.is_ascii)
        else {
            return;
        };
        let style = Style::new().fg(fill);
        let style = if is_inverse { style.reversed() } else { style };
        self.styled(line, &symbol.repeat(line.width.into()), style);
    }

    /// Draws a widget over what is there.
    pub fn overlay(&mut self, widget: impl Widget, area: Rect) {
        widget.render(area.intersection(self.buffer.area), self.buffer);
    }

    /// Draws a border and leaves what is inside.
    pub fn outlined(&mut self, area: Rect, look: Look) {
        let set = &self.theme.symbols.border;
        let across = usize::from(area.width.saturating_sub(2));
        let edge =
            |left: &str, fill: &str, right: &str| format!("{left}{}{right}", fill.repeat(across));
        let top = edge(set.top_left, set.horizontal_top, set.top_right);
        let bottom = edge(set.bottom_left, set.horizontal_bottom, set.bottom_right);
        let last = area.height.saturating_sub(1);
        for index in 0..area.height {
            let row = line(area, index);
            match index {
                0 => self.text(row, &top, look),
                _ if index == last => self.text(row, &bottom, look),
                _ => {
                    self.text(row, set.vertical_left, look);
                    self.right(row, set.vertical_right, look)
                }
            };
        }
    }

    /// Turns an area's colours around: seen on every terminal, also without colours.
    pub fn reverse(&mut self, area: Rect) {
        self.buffer.set_style(area, Style::new().reversed());
    }

    /// Writes a text across the area's whole first line, with its colours turned around.
    pub fn banner(&mut self, area: Rect, text: &str, look: Look) {
        let line = Rect { height: 1, ..area };
        let blank = " ".repeat(usize::from(area.width).saturating_sub(safe_text::cells(text)));
        self.segments(line, &[(text, look), (&blank, look)]);
        self.reverse(line);
    }

    pub fn bold(&mut self, area: Rect) {
        self.buffer.set_style(area, Style::new().bold());
    }

    pub fn underline(&mut self, area: Rect) {
        self.buffer.set_style(area, Style::new().underlined());
    }

    /// Clears an area without a border; returns what of it is on the screen.
    pub fn cleared(&mut self, area: Rect) -> Rect {
        let area = area.intersection(self.buffer.area);
        self.clear(area);
        area
    }

    fn clear(&mut self, area: Rect) {
        // A character of two columns that the area cuts in half would cover its border.
        if let Some(x) = area.x.checked_sub(1) {
            for y in area.rows().map(|row| row.y) {
                let cell = self.buffer.cell_mut((x, y));
                if let Some(cell) = cell.filter(|cell| safe_text::cells(cell.symbol()) > 1) {
                    cell.set_symbol(" ");
                }
            }
        }
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

/// Breaks a text between words into lines of at most `width` cells, and a longer word where its line
/// ends.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').flat_map(|word| safe_text::pieces(word, width)) {
        match lines.last_mut() {
            Some(last) if last.is_empty() => *last = word,
            Some(last) if safe_text::cells(last) + 1 + safe_text::cells(&word) <= width => {
                last.push(' ');
                last.push_str(&word);
            }
            Some(_) | None => lines.push(word),
        }
    }
    lines
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

/// Says how many entries of a list [`scrolled`] doesn't show, if any.
pub(crate) fn hidden(area: Rect, list: usize, chosen: usize) -> Option<String> {
    let space = usize::from(area.height).max(1);
    let above = (chosen + 1).saturating_sub(space);
    let below = list.saturating_sub(above + space);
    match (above, below) {
        (0, 0) => None,
        (0, below) => Some(format!("{below} more below")),
        (above, 0) => Some(format!("{above} more above")),
        (above, below) => Some(format!("{above} above, {below} below")),
    }
}

/// Returns the first of the texts that fits a width, or else the last one.
pub(crate) fn fitting(width: u16, texts: impl IntoIterator<Item = String>) -> String {
    let mut last = String::new();
    for text in texts {
        if width_of(&text) <= width {
            return text;
        }
        last = text;
    }
    last
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_wrapped_between_words_and_a_longer_word_where_its_line_ends() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("at wss://race.example now", 8), ["at", "wss://ra", "ce.examp", "le now"]);
        assert_eq!(wrap("", 8), [""]);
    }
}
