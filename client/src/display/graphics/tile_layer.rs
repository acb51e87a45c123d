//! The tile layer: the cells of a screen that show parts of tile images.
//!
//! A tile puts a mark into each of its cells. What is drawn later, a number or a dialog say, takes
//! cells from it; those that still have the mark at the end show the image.

use gridrace_shared::puzzle::picture::Picture;
use gridrace_shared::util::grid::{Cell, Size};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Marks a cell while the screen is drawn: text never has it, as private characters are replaced.
const MARK: &str = "\u{10EEEE}";
/// Stands under an image: a blank that differs from a space, so that ratatui writes the cell, and
/// erases the image there, when a space follows.
const BLANK: &str = "\u{a0}";

/// The picture of a board, and into how many tiles it is cut.
#[derive(Debug, Clone)]
pub struct BoardPicture {
    pub picture: Arc<Picture>,
    pub size: Size,
}

impl BoardPicture {
    /// Says whether two are the same without a look at the pixels.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.picture, &other.picture) && self.size == other.size
    }
}

/// The image of a tile, by its home, in a number of cells. Of the last line it covers the upper half.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileImage {
    pub home: Cell,
    pub columns: u16,
    pub lines: u16,
}

/// The images that the terminal can show at once, all of one picture.
#[derive(Debug, Default)]
pub struct ReadyImages {
    pub of: Option<BoardPicture>,
    pub images: BTreeSet<TileImage>,
    /// Whether a tile on its way is shown there; otherwise it is shown at its place at once.
    pub shows_motion: bool,
}

/// A rectangle of cells that show a part of a tile's image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisiblePart {
    pub image: TileImage,
    /// The column and line of the image at the upper left of the area.
    pub from: (u16, u16),
    pub area: Rect,
}

/// The images that a screen shows, and those that it lacks.
#[derive(Debug, Default)]
pub struct PlacedImages {
    pub parts: Vec<VisiblePart>,
    /// What would show more of them: the picture, and images that are not ready.
    pub of: Option<BoardPicture>,
    pub missing: BTreeSet<TileImage>,
}

/// The images on a screen that is being drawn.
#[derive(Debug)]
pub struct TileLayer<'a> {
    ready: &'a ReadyImages,
    /// The images with their upper left corners, the latest last.
    placed: Vec<(TileImage, (u16, u16))>,
    missing: BTreeSet<TileImage>,
}

impl<'a> TileLayer<'a> {
    pub const fn new(ready: &'a ReadyImages) -> Self {
        Self { ready, placed: Vec::new(), missing: BTreeSet::new() }
    }

    pub const fn shows_motion(&self) -> bool {
        self.ready.shows_motion
    }

    /// Marks the cells of a tile as its image's; returns false if it must be drawn otherwise.
    pub fn place(
        &mut self,
        buffer: &mut Buffer,
        of: &BoardPicture,
        home: Cell,
        area: Rect,
    ) -> bool {
        // A sixel at the last line would scroll the screen.
        let above_last = Rect { height: buffer.area.height.saturating_sub(1), ..buffer.area };
        if area.is_empty() || above_last.intersection(area) != area {
            return false;
        }
        let image = TileImage { home, columns: area.width, lines: area.height };
        let is_ready = self.ready.of.as_ref().is_some_and(|ready| ready.is_same(of));
        if !is_ready || !self.ready.images.contains(&image) {
            self.missing.insert(image);
            return false;
        }
        for position in area.positions() {
            if let Some(cell) = buffer.cell_mut(position) {
                cell.reset();
                cell.set_symbol(MARK);
            }
        }
        self.placed.push((image, (area.x, area.y)));
        true
    }

    /// Finds the cells that still have the mark, and clears them.
    pub fn finish(self, buffer: &mut Buffer, of: Option<BoardPicture>) -> PlacedImages {
        // By line, then column.
        let mut cells = BTreeMap::new();
        for (index, (image, (x, y))) in self.placed.iter().enumerate() {
            for position in Rect::new(*x, *y, image.columns, image.lines).positions() {
                if let Some(cell) = buffer.cell_mut(position)
                    && (cell.symbol() == MARK || cells.contains_key(&(position.y, position.x)))
                {
                    cell.reset();
                    cells.insert((position.y, position.x), index);
                }
            }
        }
        let mut by_image = vec![BTreeSet::new(); self.placed.len()];
        for (cell, index) in cells {
            by_image[index].insert(cell);
        }
        let placed = self.placed.iter().zip(by_image);
        let parts = placed.flat_map(|(&(image, (x, y)), cells)| {
            rectangles(&cells).into_iter().map(move |area| VisiblePart {
                image,
                from: (area.x - x, area.y - y),
                area,
            })
        });
        PlacedImages { parts: parts.collect(), of, missing: self.missing }
    }
}

impl PlacedImages {
    /// Fills the cells under images.
    pub fn blank(&self, buffer: &mut Buffer) {
        for position in self.parts.iter().flat_map(|part| part.area.positions()) {
            if let Some(cell) = buffer.cell_mut(position) {
                cell.set_symbol(BLANK);
            }
        }
    }
}

/// Cuts cells, each a line and a column, into rectangles: the runs of each line, joined with equal
/// ones below.
pub fn rectangles(cells: &BTreeSet<(u16, u16)>) -> Vec<Rect> {
    let mut found: Vec<Rect> = Vec::new();
    let mut runs: Vec<Rect> = Vec::new();
    for &(y, x) in cells {
        match runs.last_mut() {
            Some(run) if run.y == y && run.right() == x => run.width += 1,
            Some(_) | None => runs.push(Rect::new(x, y, 1, 1)),
        }
    }
    for run in runs {
        let above =
            |area: &&mut Rect| area.bottom() == run.y && (area.x, area.width) == (run.x, run.width);
        match found.iter_mut().find(above) {
            Some(area) => area.height += 1,
            None => found.push(run),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Rect = Rect::new(0, 0, 20, 10);

    fn board() -> BoardPicture {
        let size: Size = "2x2".parse().unwrap();
        BoardPicture { picture: Arc::new(Picture::named("layer", size)), size }
    }

    fn ready(board: &BoardPicture) -> ReadyImages {
        let images = (0..4).map(|home| TileImage { home: Cell(home), columns: 6, lines: 3 });
        ReadyImages { of: Some(board.clone()), images: images.collect(), shows_motion: true }
    }

    #[test]
    fn what_is_drawn_over_a_tile_takes_its_cells() {
        let (board, mut buffer) = (board(), Buffer::empty(SCREEN));
        let ready = ready(&board);
        let mut layer = TileLayer::new(&ready);
        assert!(layer.place(&mut buffer, &board, Cell(1), Rect::new(2, 1, 6, 3)));
        buffer.set_string(2, 1, "15", ratatui::style::Style::new());
        buffer.set_string(6, 3, " dialog", ratatui::style::Style::new());
        let placed = layer.finish(&mut buffer, Some(board));
        placed.blank(&mut buffer);
        let image = TileImage { home: Cell(1), columns: 6, lines: 3 };
        let part = |from, area| VisiblePart { image, from, area };
        assert_eq!(
            placed.parts,
            [
                part((2, 0), Rect::new(4, 1, 4, 1)),
                part((0, 1), Rect::new(2, 2, 6, 1)),
                part((0, 2), Rect::new(2, 3, 4, 1)),
            ]
        );
        assert_eq!(buffer.cell((2, 1)).unwrap().symbol(), "1");
        assert_eq!(buffer.cell((4, 1)).unwrap().symbol(), BLANK);
        assert!(!buffer.content.iter().any(|cell| cell.symbol() == MARK));
    }

    #[test]
    fn a_tile_that_lies_on_another_takes_its_cells() {
        let (board, mut buffer) = (board(), Buffer::empty(SCREEN));
        let ready = ready(&board);
        let mut layer = TileLayer::new(&ready);
        layer.place(&mut buffer, &board, Cell(0), Rect::new(0, 0, 6, 3));
        layer.place(&mut buffer, &board, Cell(1), Rect::new(4, 0, 6, 3));
        let areas: Vec<_> =
            layer.finish(&mut buffer, None).parts.iter().map(|part| part.area).collect();
        assert_eq!(areas, [Rect::new(0, 0, 4, 3), Rect::new(4, 0, 6, 3)]);
    }

    #[test]
    fn an_image_that_is_not_ready_is_missing_and_the_last_line_is_left_free() {
        let (board, mut buffer) = (board(), Buffer::empty(SCREEN));
        let ready = ready(&board);
        let mut layer = TileLayer::new(&ready);
        assert!(!layer.place(&mut buffer, &board, Cell(0), Rect::new(0, 0, 7, 3)));
        assert!(!layer.place(&mut buffer, &board, Cell(0), Rect::new(0, 7, 6, 3)));
        assert!(!layer.place(&mut buffer, &board, Cell(0), Rect::new(16, 0, 6, 3)));
        let placed = layer.finish(&mut buffer, None);
        assert!(placed.parts.is_empty());
        let missing = TileImage { home: Cell(0), columns: 7, lines: 3 };
        assert_eq!(Vec::from_iter(placed.missing), [missing]);
    }

    #[test]
    fn images_of_another_picture_are_not_shown() {
        let (one, other, mut buffer) = (board(), board(), Buffer::empty(SCREEN));
        let ready = ready(&one);
        let mut layer = TileLayer::new(&ready);
        assert!(!layer.place(&mut buffer, &other, Cell(0), Rect::new(0, 0, 6, 3)));
    }
}
