//! Pictures for sliding puzzles: drawn from a name, the same on every machine.
//!
//! All arithmetic is on integers, so that the terminal, the page and the server see the same bytes.
//! A picture is drawn once in [`LONGER_SIDE`] pixels; a display takes averages of its areas.

mod contours;
mod glass;
mod hills;
mod motif;
mod noise;
mod palette;
pub mod room_image;

use crate::util::grid::{Cell, Size};
use crate::util::seed::PortableRng;
use motif::Motif;
use palette::Palette;
use std::ops::Range;

pub use palette::Rgb;

/// The longer side of each picture in pixels: eight rows of tiles have 64 each, and a picture on a
/// large screen is enlarged some three times.
pub const LONGER_SIDE: usize = 512;
/// The most rows and columns of a board that shows a picture: of more tiles, two would look alike.
pub const MOST_SIDES: usize = 8;

/// Two tiles differ visibly if one of their [`SAMPLES`]×[`SAMPLES`] parts differs by this, summed
/// over the three primaries, in 255ths. For comparison: black and white differ by 765.
const VISIBLE: u32 = 24;
const SAMPLES: usize = 3;
/// How many pictures are drawn at most until every two tiles differ visibly.
const MOST_ATTEMPTS: u32 = 16;

/// A picture that is cut into the tiles of a board.
///
/// ```
/// use gridrace_shared::puzzle::picture::Picture;
/// let picture = Picture::named("friday", "3x4".parse()?);
/// assert_eq!((picture.width(), picture.height()), (512, 384));
/// assert_eq!(picture, Picture::named("friday", "3x4".parse()?));
/// # Ok::<(), gridrace_shared::util::grid::SizeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    size: Size,
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

/// Says whether a board of a size can show a picture.
pub fn fits(size: Size) -> bool {
    size.rows().max(size.cols()) <= MOST_SIDES
}

impl Picture {
    /// Draws the picture that a name gives a board of a size.
    ///
    /// Draws again, to a limit, until every two tiles differ visibly.
    pub fn named(name: &str, size: Size) -> Self {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let domain = format!("gridrace picture {attempt}");
            let picture =
                Self::draw(&mut PortableRng::named(&domain, &size.to_string(), name), size);
            if attempt == MOST_ATTEMPTS || picture.least_difference() >= VISIBLE {
                return picture;
            }
        }
    }

    fn draw(rng: &mut PortableRng, size: Size) -> Self {
        let [width, height] = Self::extent(size);
        let palette = Palette::drawn(rng);
        let motif: Box<dyn Motif> = match rng.below(3) {
            0 => Box::new(glass::Glass::drawn(rng, palette)),
            1 => Box::new(hills::Hills::drawn(rng, palette, height)),
            _ => Box::new(contours::Contours::drawn(rng, palette)),
        };
        let at = |index: usize| i32::try_from(index).unwrap_or(0);
        let rows = (0..height).flat_map(|y| (0..width).map(move |x| (at(x), at(y))));
        let pixels = rows.map(|(x, y)| motif.color(x, y)).collect();
        Self { size, width, height, pixels }
    }

    /// Returns the width and the height in pixels of a picture for a board of a size.
    pub fn extent(size: Size) -> [usize; 2] {
        let longer = size.rows().max(size.cols());
        [size.cols(), size.rows()].map(|side| LONGER_SIDE * side / longer)
    }

    /// Makes a picture of an image of the [extent](Self::extent) that the size gives: its colours row
    /// by row. What is missing is black; two tiles may look alike.
    pub fn of_pixels(size: Size, mut pixels: Vec<Rgb>) -> Self {
        let [width, height] = Self::extent(size);
        pixels.resize(width * height, [0; 3]);
        Self { size, width, height, pixels }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the colours row by row.
    pub fn pixels(&self) -> &[Rgb] {
        &self.pixels
    }

    /// Returns the mean colour of a part of a tile: of `across` columns and `down` rows of parts the
    /// one at a column and row, from 0. The tile is named by its home.
    pub fn part_of_tile(
        &self,
        home: Cell,
        (column, across): (usize, usize),
        (row, down): (usize, usize),
    ) -> Rgb {
        let part = |whole: usize, tiles: usize, tile: usize, parts: usize, part: usize| {
            let from = whole * (tile * parts + part) / (tiles * parts);
            let to = whole * (tile * parts + part + 1) / (tiles * parts);
            from..to.max(from + 1).min(whole)
        };
        self.mean(
            part(self.width, self.size.cols(), self.size.col_of(home), across, column),
            part(self.height, self.size.rows(), self.size.row_of(home), down, row),
        )
    }

    fn mean(&self, columns: Range<usize>, rows: Range<usize>) -> Rgb {
        let mut sums = [0usize; 3];
        for row in rows.clone() {
            let from = row * self.width;
            for color in &self.pixels[from + columns.start..from + columns.end] {
                for (sum, primary) in sums.iter_mut().zip(color) {
                    *sum += usize::from(*primary);
                }
            }
        }
        let count = (columns.len() * rows.len()).max(1);
        sums.map(|sum| u8::try_from(sum / count).unwrap_or(u8::MAX))
    }

    /// Returns by how much the two tiles that are most alike differ in the part in which they
    /// differ most, summed over the primaries. The last cell is the blank's.
    fn least_difference(&self) -> u32 {
        let last = self.size.cells() - 1;
        let tiles: Vec<Vec<Rgb>> = (0..u16::try_from(last).unwrap_or(u16::MAX))
            .map(|home| {
                let home = Cell(home);
                let parts =
                    (0..SAMPLES).flat_map(|row| (0..SAMPLES).map(move |column| (row, column)));
                parts
                    .map(|(row, column)| self.part_of_tile(home, (column, SAMPLES), (row, SAMPLES)))
                    .collect()
            })
            .collect();
        let pairs = tiles.iter().enumerate();
        let differences = pairs.flat_map(|(index, one)| {
            tiles[..index].iter().map(move |other| {
                one.iter()
                    .zip(other)
                    .map(|(one, other)| difference(*one, *other))
                    .max()
                    .unwrap_or(0)
            })
        });
        differences.min().unwrap_or(u32::MAX)
    }
}

fn difference(one: Rgb, other: Rgb) -> u32 {
    one.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(other))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// Name, size, and the SHA-256 of the colours: stained glass, hills and contours.
    const GOLDEN: [(&str, &str, &str); 3] = [
        ("s7", "4x4", "0bf16f6f74fa849a358c1d1d2b36b66426ba6bc6079f256979582e16ff6deb84"),
        ("s5", "3x5", "5502cbb23a23551876e8eaad574294993047af8230cec6fbf2b5b95557d317eb"),
        ("s3", "8x8", "635bc8e91ffc948c992ad2683d221b8ba893c712229038650ba9f20b400f1f3c"),
    ];

    fn picture(name: &str, size: &str) -> Picture {
        Picture::named(name, size.parse().unwrap())
    }

    #[test]
    fn every_two_tiles_differ_visibly() {
        for (size, names) in [("2x2", 2), ("3x5", 4), ("4x4", 4), ("8x8", 4)] {
            for name in 0..names {
                let least = picture(&format!("s{name}"), size).least_difference();
                assert!(least >= VISIBLE, "s{name} on {size}: {least}");
            }
        }
    }

    #[test]
    fn a_name_gives_the_same_bytes_for_ever() {
        let hash = |name, size| {
            let bytes = picture(name, size).pixels().concat();
            hex::encode(Sha256::digest(bytes))
        };
        for (name, size, expected) in GOLDEN {
            assert_eq!(hash(name, size), expected, "{name} on {size}");
        }
    }

    #[test]
    fn parts_of_tiles_cover_the_picture_once() {
        let picture = picture("friday", "3x5");
        let whole = picture.mean(0..picture.width, 0..picture.height);
        let mut sums = [0; 3];
        for home in 0..15 {
            let mean = picture.part_of_tile(Cell(home), (0, 1), (0, 1));
            for (sum, primary) in sums.iter_mut().zip(mean) {
                *sum += u32::from(primary);
            }
        }
        for (sum, primary) in sums.iter().zip(whole) {
            assert!((sum / 15).abs_diff(u32::from(primary)) <= 2, "{sums:?} {whole:?}");
        }
    }
}
