//! Sixel: <https://vt100.net/docs/vt3xx-gp/chapter14.html>.
//!
//! A terminal keeps no images: pixels belong to the cells on which they were drawn, until something
//! else is written there. So what is sent are the cells that changed.

use super::kitty::move_to;
use super::tile_layer::{BoardPicture, TileImage, VisiblePart, rectangles};
use super::tile_pixels::{self, CellPixels};
use icy_sixel::{BackgroundMode, EncodeOptions, SixelImage};
use image::{RgbaImage, imageops};
use ratatui::layout::Rect;
use std::collections::{BTreeMap, BTreeSet};

/// How much of a colour's error the pixels beside it take: more is finer for photos, and longer.
const DIFFUSION: f32 = 0.5;
/// One of how many cells of a part is much of it.
const MUCH: usize = 4;

/// Images to be sent, and what the terminal shows of them.
#[derive(Debug, Default)]
pub struct Images {
    encoded: BTreeMap<TileImage, Encoded>,
    /// What each cell, by line and column, shows: an image, and the column and line of it.
    shown: BTreeMap<(u16, u16), (TileImage, (u16, u16))>,
}

#[derive(Debug)]
struct Encoded {
    pixels: RgbaImage,
    cell: CellPixels,
    whole: Vec<u8>,
}

impl Images {
    /// Encodes the image of a tile; returns its length in bytes.
    pub fn encode(
        &mut self,
        board: &BoardPicture,
        image: TileImage,
        cell: CellPixels,
    ) -> Result<usize, icy_sixel::SixelError> {
        let mut pixels = tile_pixels::draw(board, image, cell);
        // Only what is seen, to the end of its half line.
        pixels = imageops::crop_imm(&pixels, 0, 0, pixels.width(), tile_pixels::rows(image, cell))
            .to_image();
        let whole = encode(pixels.clone())?;
        let bytes = whole.len();
        self.encoded.insert(image, Encoded { pixels, cell, whole });
        Ok(bytes)
    }

    /// Takes it that the terminal shows nothing, and that cells may have another size.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Drops the image of a tile.
    pub fn drop_image(&mut self, image: TileImage) {
        self.encoded.remove(&image);
    }

    /// Sends what changed, while there is budget after a number of bytes; says whether that is all. Cells
    /// that show nothing any more have been written to.
    pub fn show(
        &mut self,
        out: &mut Vec<u8>,
        parts: &[VisiblePart],
        has_budget: impl Fn(usize) -> bool,
    ) -> bool {
        let mut wanted = BTreeMap::new();
        for part in parts {
            for position in part.area.positions() {
                let of = (
                    part.from.0 + (position.x - part.area.x),
                    part.from.1 + (position.y - part.area.y),
                );
                wanted.insert((position.y, position.x), (part.image, of));
            }
        }
        self.shown.retain(|cell, _| wanted.contains_key(cell));
        let start = out.len();
        for part in parts {
            let changed: BTreeSet<_> = part
                .area
                .positions()
                .map(|position| (position.y, position.x))
                .filter(|cell| self.shown.get(cell) != wanted.get(cell))
                .collect();
            // Each sixel has colours of its own, so where much changed the part is sent as one.
            let is_much = changed.len() * MUCH >= usize::from(part.area.width * part.area.height);
            let areas = match (changed.is_empty(), is_much) {
                (true, _) => Vec::new(),
                (false, true) => vec![part.area],
                (false, false) => rectangles(&changed),
            };
            for area in areas {
                if !has_budget(out.len() - start) {
                    return false;
                }
                let from =
                    (part.from.0 + (area.x - part.area.x), part.from.1 + (area.y - part.area.y));
                self.send(out, part.image, from, area);
                let cells = area.positions().map(|position| (position.y, position.x));
                self.shown.extend(cells.filter_map(|cell| Some((cell, *wanted.get(&cell)?))));
            }
        }
        true
    }

    fn send(&self, out: &mut Vec<u8>, image: TileImage, from: (u16, u16), area: Rect) {
        let Some(Encoded { pixels, cell, whole }) = self.encoded.get(&image) else { return };
        move_to(out, area.x, area.y);
        if (area.width, area.height) == (image.columns, image.lines) {
            out.extend_from_slice(whole);
            return;
        }
        let scaled = |cells: u16, of_cell: u16| u32::from(cells) * u32::from(of_cell);
        let (x, y) = (scaled(from.0, cell.width), scaled(from.1, cell.height));
        let (width, height) = (scaled(area.width, cell.width), scaled(area.height, cell.height));
        let part = imageops::crop_imm(pixels, x, y, width, height).to_image();
        // A part without pixels, as of cells of one pixel, shows nothing.
        if let Ok(sixel) = encode(part) {
            out.extend_from_slice(&sixel);
        }
    }
}

fn encode(pixels: RgbaImage) -> Result<Vec<u8>, icy_sixel::SixelError> {
    let (width, height) = (pixels.width() as usize, pixels.height() as usize);
    let image = SixelImage::try_from_rgba(pixels.into_raw(), width, height)?
        .with_background_mode(BackgroundMode::Transparent);
    let options = EncodeOptions { diffusion: DIFFUSION, ..EncodeOptions::default() };
    let mut sixel = image.encode_with(&options)?.into_bytes();
    // A line feed behind the last line of sixels would move the cursor, and maybe the screen.
    if sixel.ends_with(b"-\x1b\\") {
        sixel.truncate(sixel.len() - 3);
        sixel.extend_from_slice(b"\x1b\\");
    }
    Ok(sixel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::puzzle::picture::Picture;
    use gridrace_shared::util::grid::{Cell, Size};
    use image::Rgba;
    use std::sync::Arc;

    const CELL: CellPixels = CellPixels { width: 4, height: 8 };
    const IMAGE: TileImage = TileImage { home: Cell(2), columns: 6, lines: 4 };

    fn images() -> Images {
        let size: Size = "3x3".parse().unwrap();
        let board = BoardPicture { picture: Arc::new(Picture::named("sixel", size)), size };
        let mut images = Images::default();
        images.encode(&board, IMAGE, CELL).unwrap();
        images
    }

    fn whole(x: u16, y: u16) -> VisiblePart {
        let area = Rect::new(x, y, IMAGE.columns, IMAGE.lines);
        VisiblePart { image: IMAGE, from: (0, 0), area }
    }

    fn show(images: &mut Images, parts: &[VisiblePart]) -> String {
        let mut out = Vec::new();
        assert!(images.show(&mut out, parts, |_| true));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn two_colours_are_sent_as_they_are() {
        let (red, blue) = (Rgba([255, 0, 0, 255]), Rgba([0, 0, 255, 255]));
        let pixels = RgbaImage::from_fn(4, 7, |x, y| if x < 2 && y < 6 { red } else { blue });
        let sixel = String::from_utf8(encode(pixels).unwrap()).unwrap();
        // Left of the first line of sixels one colour, right of it and below the other; no line feed
        // at the end.
        let parts: Vec<&str> = sixel.split('#').collect();
        assert_eq!(parts[0], "\x1bP9;1;0q\"1;1;4;7");
        assert_eq!(parts.len(), 6, "{sixel}");
        for data in ["~~??$", "??~~$-", "!4@$"] {
            assert!(sixel.contains(data), "{data} in {sixel}");
        }
        assert!(sixel.ends_with("!4@$\x1b\\"), "{sixel}");
    }

    #[test]
    fn a_tile_that_moves_is_sent_once() {
        let mut images = images();
        let first = show(&mut images, &[whole(3, 2)]);
        assert!(first.starts_with("\x1b[3;4H\x1bP"));
        // Six columns, and three lines and a half.
        assert!(first.contains("\"1;1;24;28#"), "{first}");
        assert_eq!(show(&mut images, &[whole(3, 2)]), "");
        let moved = show(&mut images, &[whole(10, 2)]);
        assert_eq!(moved, first.replace("\x1b[3;4H", "\x1b[3;11H"));
        // The text took its place, and gives it back.
        assert_eq!(show(&mut images, &[]), "");
        assert_eq!(show(&mut images, &[whole(10, 2)]), moved);
    }

    #[test]
    fn a_corner_that_was_covered_is_sent_alone() {
        let mut images = images();
        show(&mut images, &[whole(3, 2)]);
        let right = VisiblePart { from: (2, 0), area: Rect::new(5, 2, 4, 1), ..whole(3, 2) };
        let below = VisiblePart { from: (0, 1), area: Rect::new(3, 3, 6, 3), ..whole(3, 2) };
        assert_eq!(show(&mut images, &[right, below]), "");
        let corner = show(&mut images, &[whole(3, 2)]);
        assert!(corner.starts_with("\x1b[3;4H\x1bP9;1;0q\"1;1;8;8#"), "{corner}");
        assert_eq!(corner.matches("\x1bP").count(), 1);
    }

    #[test]
    fn what_is_beyond_the_budget_is_sent_later() {
        let mut images = images();
        let (parts, mut out) = ([whole(3, 2), whole(10, 2)], Vec::new());
        assert!(!images.show(&mut out, &parts, |bytes| bytes < 1));
        let first = out.len();
        assert!(images.show(&mut out, &parts, |_| true));
        assert!(out[first..].starts_with(b"\x1b[3;11H"));
    }
}
