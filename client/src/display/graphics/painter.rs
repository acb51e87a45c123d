//! Sends what a screen shows of images, and no more than changed.
//!
//! Images are prepared a few at a time, and until one is, its tile is drawn with half blocks: so a slow
//! connection delays sharp tiles, but no move.

use super::detection::{Protocol, Support};
use super::tile_layer::{PlacedImages, ReadyImages, TileImage};
use super::tile_pixels::CellPixels;
use super::{kitty, sixel};
use std::collections::BTreeSet;

/// The most images that are kept: those of two boards of 8×8 in different sizes.
const MAX_IMAGES: usize = 128;

/// Shows images on the terminal's screen.
#[derive(Debug)]
pub struct Painter {
    cell: CellPixels,
    images: Images,
    ready: ReadyImages,
    is_complete: bool,
}

#[derive(Debug)]
enum Images {
    Kitty(kitty::Images),
    Sixel(sixel::Images),
}

impl Painter {
    pub fn new(Support { protocol, cell }: Support) -> Self {
        let images = match protocol {
            Protocol::Kitty => Images::Kitty(kitty::Images::default()),
            Protocol::Sixel => Images::Sixel(sixel::Images::default()),
        };
        let mut painter = Self { cell, images, ready: ReadyImages::default(), is_complete: true };
        painter.forget(&mut Vec::new());
        painter
    }

    /// Returns the images that the next screen can show.
    pub const fn ready(&self) -> &ReadyImages {
        &self.ready
    }

    /// Says whether another screen would show more.
    pub const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns how many ids of kitty's images are in use.
    pub const fn kitty_ids(&self) -> u32 {
        match &self.images {
            Images::Kitty(images) => images.ids(),
            Images::Sixel(_) => 0,
        }
    }

    /// Takes another size of the cells, in pixels.
    pub fn set_cell(&mut self, cell: CellPixels) {
        self.cell = cell;
    }

    /// Deletes all images, and takes it that the screen is blank.
    pub fn forget(&mut self, out: &mut Vec<u8>) {
        match &mut self.images {
            Images::Kitty(images) => images.forget(out),
            Images::Sixel(images) => images.forget(),
        }
        // A tile on its way is sent anew for each of its steps by sixel.
        let shows_motion = matches!(self.images, Images::Kitty(_));
        self.ready = ReadyImages { shows_motion, ..ReadyImages::default() };
    }

    /// Appends what shows the images of a screen whose text was just written; with `prepares` also
    /// images for the next. Of both it is no more than one image beyond the budget: that says of a number
    /// of bytes whether others may follow.
    pub fn paint(
        &mut self,
        out: &mut Vec<u8>,
        placed: &PlacedImages,
        has_budget: &dyn Fn(usize) -> bool,
        prepares: bool,
    ) {
        let start = out.len();
        // The cursor is where the screen wants it.
        out.extend_from_slice(b"\x1b7");
        let before = out.len();
        let all_shown = match &mut self.images {
            Images::Kitty(images) => {
                images.show(out, &placed.parts);
                true
            }
            Images::Sixel(images) => images.show(out, &placed.parts, has_budget),
        };
        if out.len() == before {
            out.truncate(start);
        } else {
            out.extend_from_slice(b"\x1b8");
        }
        let shown = out.len() - start;
        let mut missing = placed.missing.clone();
        if prepares {
            let has_budget = |bytes: usize| has_budget(shown + bytes);
            self.prepare(out, placed, &mut missing, has_budget);
        }
        self.is_complete = all_shown && missing.is_empty();
    }

    /// Prepares missing images while there is budget; `missing` keeps what the next screen shows more of.
    fn prepare(
        &mut self,
        out: &mut Vec<u8>,
        placed: &PlacedImages,
        missing: &mut BTreeSet<TileImage>,
        has_budget: impl Fn(usize) -> bool,
    ) {
        let Some(board) = placed.of.as_ref().filter(|_| !missing.is_empty()) else { return };
        if !self.ready.of.as_ref().is_some_and(|of| of.is_same(board)) {
            self.forget(out);
            self.ready.of = Some(board.clone());
        }
        let used: BTreeSet<TileImage> = placed.parts.iter().map(|part| part.image).collect();
        let mut bytes = 0;
        for &image in &placed.missing {
            if !has_budget(bytes) {
                return;
            }
            if self.ready.images.len() >= MAX_IMAGES {
                let unused = self.ready.images.iter().copied();
                let unused: Vec<_> = unused.filter(|image| !used.contains(image)).collect();
                if unused.is_empty() {
                    // The others stay half blocks.
                    missing.clear();
                    return;
                }
                unused.into_iter().for_each(|image| self.delete(out, image));
            }
            let before = out.len();
            let sent = match &mut self.images {
                Images::Kitty(images) => {
                    let sent = images.send(out, board, image, self.cell);
                    sent.map(|()| out.len() - before).ok()
                }
                Images::Sixel(images) => images.encode(board, image, self.cell).ok(),
            };
            // An image that can't be encoded stays half blocks.
            match sent {
                Some(sent) => {
                    bytes += sent;
                    self.ready.images.insert(image);
                }
                None => {
                    missing.remove(&image);
                }
            }
        }
    }

    fn delete(&mut self, out: &mut Vec<u8>, image: TileImage) {
        self.ready.images.remove(&image);
        match &mut self.images {
            Images::Kitty(images) => images.delete(out, image),
            Images::Sixel(images) => images.drop_image(image),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::graphics::tile_layer::{BoardPicture, VisiblePart};
    use gridrace_shared::puzzle::picture::Picture;
    use gridrace_shared::util::grid::{Cell, Size};
    use ratatui::layout::Rect;
    use std::sync::Arc;

    const BUDGET: usize = 32 << 10;

    fn has_budget(bytes: usize) -> bool {
        bytes < BUDGET
    }

    const CELL: CellPixels = CellPixels { width: 10, height: 20 };

    fn painter(protocol: Protocol) -> Painter {
        Painter::new(Support { protocol, cell: CELL })
    }

    fn board() -> BoardPicture {
        let size: Size = "4x4".parse().unwrap();
        BoardPicture { picture: Arc::new(Picture::named("painter", size)), size }
    }

    fn images(lines: u16) -> impl Iterator<Item = TileImage> {
        (0..15).map(move |home| TileImage { home: Cell(home), columns: 10, lines })
    }

    /// What a screen places of these images: those that are ready.
    fn placed(painter: &Painter, board: &BoardPicture, lines: u16) -> PlacedImages {
        let is_same = painter.ready().of.as_ref().is_some_and(|of| of.is_same(board));
        let is_ready = |image: &TileImage| is_same && painter.ready().images.contains(image);
        let part = |image: TileImage| {
            let (x, y) = (11 * (image.home.0 % 4), (lines + 1) * (image.home.0 / 4));
            VisiblePart { image, from: (0, 0), area: Rect::new(x, y, 10, lines) }
        };
        PlacedImages {
            parts: images(lines).filter(is_ready).map(part).collect(),
            of: Some(board.clone()),
            missing: images(lines).filter(|image| !is_ready(image)).collect(),
        }
    }

    /// Draws screens until all is shown; returns the bytes of each.
    fn complete(painter: &mut Painter, board: &BoardPicture, lines: u16) -> Vec<usize> {
        let mut sizes = Vec::new();
        loop {
            let mut out = Vec::new();
            painter.paint(&mut out, &placed(painter, board, lines), &has_budget, true);
            sizes.push(out.len());
            if painter.is_complete() {
                return sizes;
            }
        }
    }

    #[test]
    fn images_come_a_few_at_a_time_and_all_in_the_end() {
        for protocol in [Protocol::Kitty, Protocol::Sixel] {
            let (mut painter, board) = (painter(protocol), board());
            let sizes = complete(&mut painter, &board, 6);
            assert!(sizes.len() > 2, "{protocol:?}: {sizes:?}");
            // The budget, and what the last image has beyond it.
            assert!(sizes.iter().all(|&size| size < 2 * BUDGET), "{protocol:?}: {sizes:?}");
            assert_eq!(painter.ready().images, images(6).collect());
            let mut out = Vec::new();
            painter.paint(&mut out, &placed(&painter, &board, 6), &has_budget, true);
            assert!(out.is_empty(), "nothing changed");
        }
    }

    #[test]
    fn while_a_connection_rests_only_what_is_ready_moves() {
        let (mut painter, board) = (painter(Protocol::Kitty), board());
        let mut out = Vec::new();
        painter.paint(&mut out, &placed(&painter, &board, 6), &has_budget, false);
        assert!(out.is_empty() && !painter.is_complete());
    }

    #[test]
    fn another_picture_takes_the_place_of_the_first() {
        let mut painter = painter(Protocol::Kitty);
        complete(&mut painter, &board(), 6);
        let other = board();
        complete(&mut painter, &other, 6);
        assert!(painter.ready().of.as_ref().unwrap().is_same(&other));
        assert_eq!(painter.kitty_ids(), 15);
    }

    #[test]
    fn images_that_are_not_shown_give_way() {
        let (mut painter, board) = (painter(Protocol::Kitty), board());
        for lines in 3..13 {
            complete(&mut painter, &board, lines);
            assert!(painter.ready().images.len() <= MAX_IMAGES);
        }
        assert!(painter.kitty_ids() as usize <= MAX_IMAGES);
    }
}
