//! The kitty graphics protocol: <https://sw.kovidgoyal.net/kitty/graphics-protocol/>.
//!
//! Each image is transmitted once under an id. What is shown of it are placements, each with an id of
//! its own: to place one again moves it. The terminal is told to answer nothing (`q=2`), as answers
//! would come as keys.

use super::tile_layer::{BoardPicture, TileImage, VisiblePart};
use super::tile_pixels::{self, CellPixels};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageResult};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Asks for a pixel to be checked and not kept: an answer means that the protocol is understood.
pub const QUERY: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\";
/// The answer of a terminal that supports the protocol.
pub const ANSWER: &[u8] = b"\x1b_Gi=31;OK\x1b\\";
/// The id of the first image. Others count from here, so that all can be deleted by a count.
pub const FIRST_ID: u32 = 0x67_72_00;
/// The longest chunk of Base64 in one escape sequence, as the protocol says.
const CHUNK_BYTES: usize = 4_096;

/// The images that the terminal has, and what it shows of them.
#[derive(Debug, Default)]
pub struct Images {
    /// Ids, and the pixels that a cell has in the image.
    sent: BTreeMap<TileImage, (u32, CellPixels)>,
    /// By the ids of image and placement.
    shown: BTreeMap<(u32, u32), VisiblePart>,
    /// How many ids were ever used since the last [`Images::forget`].
    ids: u32,
}

impl Images {
    /// Returns how many ids are in use, from [`FIRST_ID`] on.
    pub const fn ids(&self) -> u32 {
        self.ids
    }

    /// Transmits the image of a tile, in no more pixels than the picture has: the terminal enlarges it.
    pub fn send(
        &mut self,
        out: &mut Vec<u8>,
        board: &BoardPicture,
        image: TileImage,
        cell: CellPixels,
    ) -> ImageResult<()> {
        let cell = cell.limited(board, image);
        let pixels = tile_pixels::draw(board, image, cell);
        let mut png = Vec::new();
        PngEncoder::new_with_quality(&mut png, CompressionType::Default, FilterType::Adaptive)
            .write_image(&pixels, pixels.width(), pixels.height(), ExtendedColorType::Rgba8)?;
        let used: BTreeSet<u32> = self.sent.values().map(|(id, _)| *id).collect();
        let id = (FIRST_ID..).find(|id| !used.contains(id)).unwrap_or(FIRST_ID);
        self.ids = self.ids.max(id - FIRST_ID + 1);
        self.sent.insert(image, (id, cell));
        transmit(out, id, &png);
        Ok(())
    }

    /// Deletes the image of a tile.
    pub fn delete(&mut self, out: &mut Vec<u8>, image: TileImage) {
        if let Some((id, _)) = self.sent.remove(&image) {
            self.shown.retain(|(of, _), _| *of != id);
            delete(out, id);
        }
    }

    /// Deletes all images.
    pub fn forget(&mut self, out: &mut Vec<u8>) {
        delete_first(out, self.ids);
        *self = Self::default();
    }

    /// Shows parts of images and nothing else: only what differs is sent.
    pub fn show(&mut self, out: &mut Vec<u8>, parts: &[VisiblePart]) {
        let mut free = BTreeMap::<u32, BTreeSet<u32>>::new();
        let mut wanted = parts.to_vec();
        for ((id, placement), part) in &self.shown {
            match wanted.iter().position(|wanted| wanted == part) {
                Some(index) => drop(wanted.remove(index)),
                None => drop(free.entry(*id).or_default().insert(*placement)),
            }
        }
        let mut placed = Vec::new();
        for part in wanted {
            let Some(&(id, cell)) = self.sent.get(&part.image) else { continue };
            let moved = free.get_mut(&id).and_then(BTreeSet::pop_first);
            let placement = moved.unwrap_or_else(|| {
                (1..).find(|placement| !self.shown.contains_key(&(id, *placement))).unwrap_or(1)
            });
            self.shown.insert((id, placement), part);
            placed.push((id, placement, part, cell));
        }
        for (id, placement) in
            free.iter().flat_map(|(id, all)| all.iter().map(move |it| (*id, *it)))
        {
            self.shown.remove(&(id, placement));
            escape(out, &format!("a=d,d=i,i={id},p={placement},q=2"), &[]);
        }
        for (id, placement, part, cell) in placed {
            place(out, (id, placement), &part, cell);
        }
    }
}

/// Deletes images by how many ids were used.
pub fn delete_first(out: &mut Vec<u8>, ids: u32) {
    for id in FIRST_ID..FIRST_ID + ids {
        delete(out, id);
    }
}

/// Deletes an image and all its placements.
fn delete(out: &mut Vec<u8>, id: u32) {
    escape(out, &format!("a=d,d=I,i={id},q=2"), &[]);
}

fn transmit(out: &mut Vec<u8>, id: u32, png: &[u8]) {
    let text = BASE64.encode(png);
    let mut chunks = text.as_bytes().chunks(CHUNK_BYTES).peekable();
    let mut control = format!("a=t,f=100,t=d,i={id},");
    while let Some(chunk) = chunks.next() {
        let more = u8::from(chunks.peek().is_some());
        escape(out, &format!("{control}q=2,m={more}"), chunk);
        control.clear();
    }
}

/// Shows a part of an image in its cells; the cursor stays where it is put for that.
fn place(out: &mut Vec<u8>, (id, placement): (u32, u32), part: &VisiblePart, cell: CellPixels) {
    let (area, (column, line)) = (part.area, part.from);
    let pixels = |cells: u16, of_cell: u16| u32::from(cells) * u32::from(of_cell);
    move_to(out, area.x, area.y);
    let control = format!(
        "a=p,i={id},p={placement},x={},y={},w={},h={},c={},r={},C=1,q=2",
        pixels(column, cell.width),
        pixels(line, cell.height),
        pixels(area.width, cell.width),
        pixels(area.height, cell.height),
        area.width,
        area.height
    );
    escape(out, &control, &[]);
}

/// Moves the cursor to a column and line, from 0.
pub(super) fn move_to(out: &mut Vec<u8>, x: u16, y: u16) {
    // Into memory nothing fails.
    write!(out, "\x1b[{};{}H", u32::from(y) + 1, u32::from(x) + 1).ok();
}

fn escape(out: &mut Vec<u8>, control: &str, payload: &[u8]) {
    out.extend_from_slice(b"\x1b_G");
    out.extend_from_slice(control.as_bytes());
    if !payload.is_empty() {
        out.push(b';');
        out.extend_from_slice(payload);
    }
    out.extend_from_slice(b"\x1b\\");
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::puzzle::picture::Picture;
    use gridrace_shared::util::grid::{Cell, Size};
    use ratatui::layout::Rect;
    use std::sync::Arc;

    const CELL: CellPixels = CellPixels { width: 8, height: 16 };

    fn board() -> BoardPicture {
        let size: Size = "3x3".parse().unwrap();
        BoardPicture { picture: Arc::new(Picture::named("kitty", size)), size }
    }

    fn image(home: u16) -> TileImage {
        TileImage { home: Cell(home), columns: 10, lines: 6 }
    }

    /// Images of two tiles.
    fn images() -> Images {
        let (board, mut images) = (board(), Images::default());
        for home in 0..2 {
            images.send(&mut Vec::new(), &board, image(home), CELL).unwrap();
        }
        images
    }

    fn whole(home: u16, x: u16, y: u16) -> VisiblePart {
        VisiblePart { image: image(home), from: (0, 0), area: Rect::new(x, y, 10, 6) }
    }

    fn show(images: &mut Images, parts: &[VisiblePart]) -> String {
        let mut out = Vec::new();
        images.show(&mut out, parts);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_image_is_transmitted_as_png_in_chunks() {
        let (board, mut out) = (board(), Vec::new());
        Images::default().send(&mut out, &board, image(4), CELL).unwrap();
        let text = String::from_utf8(out).unwrap();
        let chunks: Vec<&str> = text.split("\x1b\\").collect();
        let (end, chunks) = chunks.split_last().unwrap();
        assert_eq!(*end, "");
        assert!(chunks.len() > 1);
        let mut png = String::new();
        for (index, chunk) in chunks.iter().enumerate() {
            let (control, data) = chunk.strip_prefix("\x1b_G").unwrap().split_once(';').unwrap();
            let more = u8::from(index + 1 < chunks.len());
            let first = if index == 0 { "a=t,f=100,t=d,i=6779392," } else { "" };
            assert_eq!(control, format!("{first}q=2,m={more}"));
            assert!(data.len() == CHUNK_BYTES || more == 0);
            png += data;
        }
        let decoded = image::load_from_memory(&BASE64.decode(png).unwrap()).unwrap();
        assert_eq!(decoded.into_rgba8(), tile_pixels::draw(&board, image(4), CELL));
    }

    #[test]
    fn only_what_differs_is_placed_moved_and_removed() {
        let mut images = images();
        let [one, other] = [6_779_392, 6_779_393];
        let place = |at: &str, id: u32| {
            format!("\x1b[{at}H\x1b_Ga=p,i={id},p=1,x=0,y=0,w=80,h=96,c=10,r=6,C=1,q=2\x1b\\")
        };
        let both = [whole(0, 2, 3), whole(1, 13, 3)];
        assert_eq!(show(&mut images, &both), place("4;3", one) + &place("4;14", other));
        assert_eq!(show(&mut images, &both), "");
        let moved = [whole(0, 2, 3), whole(1, 13, 10)];
        assert_eq!(show(&mut images, &moved), place("11;14", other));
        let removed = format!("\x1b_Ga=d,d=i,i={one},p=1,q=2\x1b\\");
        assert_eq!(show(&mut images, &moved[1..]), removed);
    }

    #[test]
    fn a_part_is_cut_out_of_the_image_at_whole_cells() {
        let mut images = images();
        show(&mut images, &[whole(0, 2, 3)]);
        let right = VisiblePart { from: (2, 0), area: Rect::new(4, 3, 8, 1), ..whole(0, 2, 3) };
        let below = VisiblePart { from: (0, 1), area: Rect::new(2, 4, 10, 5), ..whole(0, 2, 3) };
        assert_eq!(
            show(&mut images, &[right, below]),
            "\x1b[4;5H\x1b_Ga=p,i=6779392,p=1,x=16,y=0,w=64,h=16,c=8,r=1,C=1,q=2\x1b\\\
             \x1b[5;3H\x1b_Ga=p,i=6779392,p=2,x=0,y=16,w=80,h=80,c=10,r=5,C=1,q=2\x1b\\"
        );
    }

    #[test]
    fn all_that_were_ever_sent_are_deleted() {
        let (mut images, mut out) = (images(), Vec::new());
        assert_eq!(images.ids(), 2);
        images.forget(&mut out);
        let all = "\x1b_Ga=d,d=I,i=6779392,q=2\x1b\\\x1b_Ga=d,d=I,i=6779393,q=2\x1b\\";
        assert_eq!(String::from_utf8(out).unwrap(), all);
        assert_eq!(images.ids(), 0);
    }
}
