//! The face of Numberlink: letters for its numbers, and links in box lines.
//!
//! Links that join their terminals are drawn heavy, with their letters in brackets where
//! there is room; a link that doesn't yet ends in a dot. So nothing hangs on colours. In large
//! cells with colours, links are [bands].
//! On a light ground, which light colours are not seen on, the lines stand on the fill of their
//! link, and each cell of a band has its letters.

use crate::display::big_digits::{self, NumberMarks};
use crate::display::canvas::{Canvas, middle};
use crate::display::theme::{Look, Theme};
use crate::families::face::{Face, Grid, Metrics, PanelPlacement};
use crate::families::numberlink::bands::{self, BandCell};
use crate::families::numberlink::cell_glyphs::{
    DOWN, LEFT, Piece, RIGHT, UP, label, letters, pieces,
};
use crate::families::numberlink::link_colors;
use crate::families::numberlink::marks::Marks;
use gridrace_shared::puzzle::numberlink::{Drawing, Square};
use gridrace_shared::util::grid::{Cell, Size};
use ratatui::layout::Rect;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// How cells are drawn: the lines of a cell, which has twice as many columns, with or without a
/// frame around them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Style {
    scale: u16,
    framed: bool,
}

/// The lines of the largest cells: four by four of them then fill a terminal of 60 lines.
const LARGEST: u16 = 13;
/// Those of the smallest cells that always have a frame around them all.
const FRAMED: u16 = 3;
/// The styles below those, the largest first.
const SMALL: [Style; 4] = [style(2, true), style(2, false), style(1, true), style(1, false)];
const STYLES: usize = framed(FRAMED) + 1 + SMALL.len();

/// The styles that are tried in the player's own race.
const ARRANGEMENTS: [(usize, PanelPlacement); 19] = [
    (framed(13), PanelPlacement::Beside(40)),
    (framed(12), PanelPlacement::Beside(40)),
    (framed(11), PanelPlacement::Beside(40)),
    (framed(10), PanelPlacement::Beside(40)),
    (framed(9), PanelPlacement::Beside(40)),
    (framed(8), PanelPlacement::Beside(40)),
    (framed(7), PanelPlacement::Beside(40)),
    (framed(6), PanelPlacement::Beside(40)),
    (framed(5), PanelPlacement::Beside(40)),
    (framed(4), PanelPlacement::Beside(40)),
    (framed(3), PanelPlacement::Beside(34)),
    (STYLES - 4, PanelPlacement::Beside(28)),
    (STYLES - 3, PanelPlacement::Beside(28)),
    (STYLES - 3, PanelPlacement::Beside(22)),
    (STYLES - 2, PanelPlacement::Beside(28)),
    (STYLES - 2, PanelPlacement::Beside(15)),
    (STYLES - 1, PanelPlacement::Beside(15)),
    (STYLES - 1, PanelPlacement::Below(4)),
    (STYLES - 1, PanelPlacement::Beside(15)),
];

/// Columns and lines between the frame and the cells, the frame included.
const FRAME: (u16, u16) = (2, 1);

pub(super) struct LinkFace<'a> {
    pub drawing: Cow<'a, Drawing>,
    pub marks: Marks,
}

impl LinkFace<'_> {
    fn draw_cell(
        &self,
        canvas: &mut Canvas<'_>,
        brush: Brush,
        cell: Cell,
        piece: Piece,
        links: &Links,
    ) {
        let colors = &links.colors;
        let symbols = &canvas.theme.symbols.links;
        let link_look = |number| Look::Link(color_of(colors, number));
        let look = piece.owner.map_or(Look::Line, link_look);
        let look = if self.marks.wrong.contains(&cell) { Look::LinkHint } else { look };
        let set = if piece.done { &symbols.done } else { &symbols.open };
        let square = self.drawing.puzzle().square(cell);
        let banded = brush.band(&canvas.theme);
        if let Some(band) = banded {
            if let Square::Terminal(number) = square {
                let look = self.terminal_look(cell, link_look(number));
                return self.draw_square(canvas, band, (cell, number, piece), look);
            }
            if piece.owner.is_some() {
                band.draw_link(canvas, piece, look);
            }
        } else {
            brush.draw_arms(canvas, piece, set, look);
        }
        let glyph = match square {
            Square::Terminal(number) => {
                return self.draw_terminal(canvas, brush, (cell, number), link_look(number));
            }
            Square::Solid => {
                let row = symbols.solid.repeat(brush.place.width.into());
                for y in brush.place.top()..brush.place.bottom() {
                    canvas.text(Rect { y, ..brush.place }, &row, Look::Line);
                }
                return;
            }
            Square::Open if self.marks.astray == Some(cell) => (symbols.wrong, Look::LinkHint),
            Square::Open if self.marks.cut.contains(&cell) => (symbols.cut, Look::Bad),
            Square::Open if self.marks.lost.contains(&cell) => (symbols.lost, Look::Bad),
            Square::Open if links.is_lettered(cell, piece, banded, &canvas.theme) => {
                return draw_letters(canvas, brush, piece, (banded, look));
            }
            Square::Open if piece.owner.is_some() && banded.is_some() => return,
            Square::Open if piece.owner.is_some() => {
                (set.get(usize::from(piece.ways)).copied().unwrap_or(" "), look)
            }
            Square::Open if self.marks.hint.contains(&cell) => {
                if let Some(band) = banded {
                    return band.draw_dot(canvas, Look::LinkHint);
                }
                (symbols.hint, Look::LinkHint)
            }
            Square::Open => (symbols.empty, Look::Line),
        };
        if let (Some(band), look @ (Look::Bad | Look::LinkHint)) = (banded, glyph.1) {
            band.draw_dot(canvas, look);
            return canvas.text_on(brush.centre(), glyph.0, look);
        }
        canvas.text(brush.centre(), glyph.0, glyph.1);
        if piece.done {
            canvas.bold(brush.centre());
        }
        if self.marks.wrong.contains(&cell) {
            canvas.underline(brush.centre());
        }
    }

    fn terminal_look(&self, cell: Cell, look: Look) -> Look {
        let is_marked = self.marks.hint.contains(&cell) || self.marks.wrong.contains(&cell);
        if is_marked { Look::LinkHint } else { look }
    }

    /// Draws a terminal as a filled square, with the beginning of its link.
    fn draw_square(
        &self,
        canvas: &mut Canvas<'_>,
        band: BandCell,
        (cell, number, piece): (Cell, u16, Piece),
        look: Look,
    ) {
        if piece.owner.is_some() {
            band.draw_linked_square(canvas, piece, look);
        } else {
            band.draw_square(canvas, look);
        }
        let symbols = canvas.theme.symbols;
        let (marks, [left, right]) =
            match (self.marks.hint.contains(&cell), self.drawing.is_linked(number)) {
                (true, _) => (NumberMarks::Hint, symbols.hint),
                (false, true) => (NumberMarks::Brackets, ["[", "]"]),
                (false, false) => (NumberMarks::None, ["", ""]),
            };
        let (name, place) = (letters(number), band.square());
        let digits = u16::try_from(name.len()).unwrap_or(u16::MAX);
        match big_digits::fitting(canvas, place, digits) {
            Some(dots) => {
                big_digits::draw_number(canvas, place, &name, (dots, marks), (look, true));
            }
            None => {
                let text = format!("{left}{name}{right}");
                let width = u16::try_from(text.chars().count()).unwrap_or(u16::MAX);
                canvas.text_on(middle(place, width, 1), &text, look);
            }
        }
    }

    fn draw_terminal(
        &self,
        canvas: &mut Canvas<'_>,
        brush: Brush,
        (cell, number): (Cell, u16),
        look: Look,
    ) {
        let columns = brush.place.width;
        let name = label(number, columns);
        let width = u16::try_from(name.len()).unwrap_or(u16::MAX);
        let done = self.drawing.is_linked(number);
        let hinted = self.marks.hint.contains(&cell);
        let [left, right] = match (hinted, done) {
            (true, _) => canvas.theme.symbols.hint,
            (false, true) => ["[", "]"],
            (false, false) => ["", ""],
        };
        let roomy = columns >= width + 2;
        let text = if roomy { format!("{left}{name}{right}") } else { name };
        let look = self.terminal_look(cell, look);
        let place = brush.middle(if roomy && (done || hinted) { width + 2 } else { width });
        canvas.text(place, &text, look);
        canvas.bold(place);
        if !roomy && (done || hinted) {
            canvas.underline(place);
        }
    }
}

impl Face for LinkFace<'_> {
    fn size(&self) -> Size {
        self.drawing.puzzle().size()
    }

    fn styles(&self) -> usize {
        STYLES
    }

    fn arrangements(&self) -> &'static [(usize, PanelPlacement)] {
        &ARRANGEMENTS
    }

    fn metrics(&self, number: usize) -> Metrics {
        let Style { scale, framed } = nth(number);
        // From the 27th link on, two letters stand in brackets.
        let wide = u16::from(self.drawing.puzzle().pairs().len() > 26);
        Metrics {
            pitch: (2 * scale, scale),
            cell: match scale {
                0 | 1 => (1, 1),
                2 => (3 + wide, 1),
                _ => (2 * scale - 1, scale),
            },
            margin: if framed { FRAME } else { (0, 0) },
            gap: 2,
        }
    }

    fn focus(&self) -> Cell {
        self.marks.focus.unwrap_or_default()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, grid: &Grid) {
        let style = nth(grid.style);
        if style.framed {
            canvas.boxed(grid.area, "", Look::Line);
        }
        let pieces = pieces(&self.drawing);
        let colors = link_colors::assign(self.drawing.puzzle());
        let lettered = if canvas.theme.has_colors() {
            link_colors::lettered_cells(&self.drawing, &colors)
        } else {
            BTreeSet::new()
        };
        let links = Links { colors, lettered };
        let (rows, columns) = grid.shown;
        for (index, (cell, place)) in (0u16..).zip(grid.cells()) {
            let (row, column) = (index / columns, index % columns);
            let piece = pieces.get(usize::from(cell.0)).copied().unwrap_or_default();
            let brush = Brush {
                place,
                scale: style.scale,
                // Up to the next cell, where there is one.
                right: if column + 1 < columns { place.x + 2 * style.scale } else { place.right() },
                bottom: if row + 1 < rows { place.y + style.scale } else { place.bottom() },
            };
            self.draw_cell(canvas, brush, cell, piece, &links);
        }
        for (cell, place) in grid.cells() {
            if self.marks.cursor == Some(cell) {
                let (right, bottom) = (place.right(), place.bottom());
                let brush = Brush { place, right, bottom, scale: style.scale };
                match brush.band(&canvas.theme) {
                    Some(band) => band.draw_cursor(canvas),
                    None => canvas.reverse(brush.middle(place.width.min(4))),
                }
            }
        }
    }
}

/// How links are told apart.
struct Links {
    /// The colour of each, in the order of their numbers.
    colors: Vec<usize>,
    /// The cells in which one shows its letters to be told from another of its colour.
    lettered: BTreeSet<Cell>,
}

impl Links {
    /// Says whether a link shows its letters in a cell. A band does so where it isn't joined, too.
    fn is_lettered(&self, cell: Cell, piece: Piece, band: Option<BandCell>, theme: &Theme) -> bool {
        let is_end = piece.ways.count_ones() < 2;
        let on_band = band.is_some() && (is_end || theme.needs_letters_on_links());
        self.lettered.contains(&cell) || piece.owner.is_some() && on_band
    }
}

/// Where a cell is, and how far its lines go to the right and down.
#[derive(Debug, Clone, Copy)]
struct Brush {
    place: Rect,
    /// The lines of a cell.
    scale: u16,
    right: u16,
    bottom: u16,
}

impl Brush {
    /// Returns the cell for bands, where links are such.
    fn band(self, theme: &Theme) -> Option<BandCell> {
        let Rect { x, y, .. } = self.place;
        let (at, end) = ((x, y), (self.right, self.bottom));
        bands::are_drawn(theme, self.scale).then_some(BandCell { at, scale: self.scale, end })
    }

    fn centre(self) -> Rect {
        self.middle(1)
    }

    /// Returns `count` columns around the middle, more of them to its right.
    fn middle(self, width: u16) -> Rect {
        let (x, y) = self.middle_at();
        Rect { x: x.saturating_sub(width.saturating_sub(1) / 2), y, width, height: 1 }
    }

    const fn middle_at(self) -> (u16, u16) {
        (
            self.place.x + self.place.width.saturating_sub(1) / 2,
            self.place.y + self.place.height.saturating_sub(1) / 2,
        )
    }

    /// Draws the lines that lead from a cell's middle to its neighbours.
    fn draw_arms(self, canvas: &mut Canvas<'_>, piece: Piece, set: &[&str; 16], look: Look) {
        let (x, y) = self.middle_at();
        let across = set[usize::from(LEFT | RIGHT)];
        let down = set[usize::from(UP | DOWN)];
        let arms = [
            (LEFT, (self.place.x, y), (x, y + 1), across),
            (RIGHT, (x + 1, y), (self.right, y + 1), across),
            (UP, (x, self.place.y), (x + 1, y), down),
            (DOWN, (x, y + 1), (x + 1, self.bottom), down),
        ];
        for (way, (left, top), (right, bottom), line) in arms {
            if piece.ways & way == 0 {
                continue;
            }
            let arm = Rect::new(left, top, right.saturating_sub(left), bottom.saturating_sub(top));
            for y in arm.top()..arm.bottom() {
                canvas.text(Rect { y, ..arm }, &line.repeat(arm.width.into()), look);
            }
            if piece.done {
                canvas.bold(arm);
            }
        }
    }
}

/// Draws the letters of a link on its way.
fn draw_letters(
    canvas: &mut Canvas<'_>,
    brush: Brush,
    piece: Piece,
    (band, look): (Option<BandCell>, Look),
) {
    let Some(number) = piece.owner else { return };
    match band {
        Some(band) => {
            let name = letters(number);
            let width = u16::try_from(name.len()).unwrap_or(u16::MAX);
            canvas.text_on(middle(band.square(), width, 1), &name, look);
        }
        None => {
            let name = label(number, brush.place.width);
            let width = u16::try_from(name.len()).unwrap_or(u16::MAX);
            canvas.text(brush.middle(width), &name, look);
        }
    }
}

/// Returns the colour of a number, of those that its puzzle gives the pairs.
fn color_of(colors: &[usize], number: u16) -> usize {
    colors.get(usize::from(number).wrapping_sub(1)).copied().unwrap_or(0)
}

const fn style(scale: u16, framed: bool) -> Style {
    Style { scale, framed }
}

/// Returns the number of a framed style by the lines of its cells.
const fn framed(scale: u16) -> usize {
    (LARGEST - scale) as usize
}

fn nth(number: usize) -> Style {
    let large = u16::try_from(number).ok().and_then(|number| LARGEST.checked_sub(number));
    match large.filter(|&scale| scale >= FRAMED) {
        Some(scale) => style(scale, true),
        None => {
            let small = number.saturating_sub(framed(FRAMED) + 1);
            SMALL.get(small).copied().unwrap_or(style(1, false))
        }
    }
}
