//! The image that a host gives its room: so few bytes, and of so plain a form, that any of that number
//! are an image. What comes from a stranger is looked up, never parsed.
//!
//! The form is the block compression of graphics cards (BC1) with four colours in each block: a square
//! of [`SIDE`] pixels in blocks of 4×4, row by row. A block has two colours in five, six and five bits,
//! then two bits for each pixel: which of the two, or of the two between them. All numbers have their
//! low byte first.

use super::{LONGER_SIDE, Picture, Rgb};
use crate::util::grid::Size;
use crate::util::hex_bytes::HexBytes;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Width and height in pixels: half blocks of a terminal show no more, and as text the message is
/// below the longest frame of a client.
pub const SIDE: usize = 80;
/// How many bytes an image has.
pub const BYTES: usize = BLOCKS_ACROSS * BLOCKS_ACROSS * BLOCK_BYTES;

const BLOCK_SIDE: usize = 4;
const BLOCKS_ACROSS: usize = SIDE / BLOCK_SIDE;
const BLOCK_BYTES: usize = 8;
/// The most values of the three primaries of a block's colours.
const MOST: [u8; 3] = [31, 63, 31];

/// An image of a host's, for the tiles of all members' boards; cheap to clone.
///
/// ```
/// use gridrace_shared::puzzle::picture::room_image::{BYTES, RoomImage};
/// use gridrace_shared::util::hex_bytes::HexBytes;
/// let image = RoomImage::try_from(HexBytes(vec![0; BYTES]))?;
/// assert_eq!(image.picture("3x4".parse().unwrap()).width(), 512);
/// assert!(RoomImage::try_from(HexBytes(vec![0; BYTES - 1])).is_err());
/// # Ok::<(), gridrace_shared::puzzle::picture::room_image::RoomImageError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "HexBytes", into = "HexBytes")]
pub struct RoomImage(Arc<[u8; BYTES]>);

/// Says that bytes are no image: there are too many of them, or too few.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an image of a room has {BYTES} bytes: {SIDE}x{SIDE} pixels in blocks of 4x4")]
pub struct RoomImageError;

/// A colour of a block: red, green and blue up to [`MOST`].
type Packed = [u8; 3];

impl RoomImage {
    /// Encodes a square of [`SIDE`]×[`SIDE`] pixels, row by row. What is missing is black.
    pub fn encode(pixels: &[Rgb]) -> Self {
        let mut bytes = [0; BYTES];
        for (index, block) in bytes.chunks_exact_mut(BLOCK_BYTES).enumerate() {
            let at = BLOCK_SIDE * (index / BLOCKS_ACROSS * SIDE + index % BLOCKS_ACROSS);
            let pixels = std::array::from_fn(|pixel| {
                let at = at + pixel / BLOCK_SIDE * SIDE + pixel % BLOCK_SIDE;
                pixels.get(at).copied().unwrap_or_default()
            });
            block.copy_from_slice(&encode_block(&pixels));
        }
        Self(Arc::new(bytes))
    }

    /// Returns the colours row by row.
    pub fn pixels(&self) -> Vec<Rgb> {
        let mut pixels = vec![Rgb::default(); SIDE * SIDE];
        for (index, block) in self.0.chunks_exact(BLOCK_BYTES).enumerate() {
            let at = BLOCK_SIDE * (index / BLOCKS_ACROSS * SIDE + index % BLOCKS_ACROSS);
            let color = |low: u8, high: u8| unpack(packed(u16::from_le_bytes([low, high])));
            let colors = palette(color(block[0], block[1]), color(block[2], block[3]));
            for pixel in 0..BLOCK_SIDE * BLOCK_SIDE {
                let (row, column) = (pixel / BLOCK_SIDE, pixel % BLOCK_SIDE);
                let choice = block[4 + row] >> (2 * column) & 3;
                pixels[at + row * SIDE + column] = colors[usize::from(choice)];
            }
        }
        pixels
    }

    /// Makes the middle of the image the picture of a board.
    pub fn picture(&self, size: Size) -> Picture {
        let [width, height] = Picture::extent(size);
        let source = self.pixels();
        let columns: Vec<_> = (0..width).map(|x| between(x + (LONGER_SIDE - width) / 2)).collect();
        let rows = (0..height).map(|y| between(y + (LONGER_SIDE - height) / 2));
        let pixels = rows.flat_map(|row| {
            let source = &source;
            columns.iter().map(move |&column| smooth(source, column, row))
        });
        Picture::of_pixels(size, pixels.collect())
    }
}

impl TryFrom<HexBytes> for RoomImage {
    type Error = RoomImageError;

    fn try_from(HexBytes(bytes): HexBytes) -> Result<Self, RoomImageError> {
        bytes.try_into().map(|bytes| Self(Arc::new(bytes))).map_err(|_: Vec<u8>| RoomImageError)
    }
}

impl From<RoomImage> for HexBytes {
    fn from(image: RoomImage) -> Self {
        Self(image.0.to_vec())
    }
}

/// Without the bytes.
impl std::fmt::Debug for RoomImage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("RoomImage")
    }
}

/// The parts into which the way from one pixel of the image to the next is divided.
const PARTS: usize = 2 * LONGER_SIDE;

/// Returns between which two pixels of a row or column of the image the middle of a pixel of the picture
/// lies, and how many [`PARTS`] behind the first.
fn between(at: usize) -> (usize, usize, usize) {
    let at = ((2 * at + 1) * SIDE).saturating_sub(LONGER_SIDE).min((SIDE - 1) * PARTS);
    (at / PARTS, (at / PARTS + 1).min(SIDE - 1), at % PARTS)
}

fn smooth(
    source: &[Rgb],
    (left, right, across): (usize, usize, usize),
    (top, bottom, down): (usize, usize, usize),
) -> Rgb {
    std::array::from_fn(|primary| {
        let row = |row: usize| {
            let at = |column: usize| usize::from(source[row * SIDE + column][primary]);
            at(left) * (PARTS - across) + at(right) * across
        };
        let sum = row(top) * (PARTS - down) + row(bottom) * down;
        u8::try_from((sum + PARTS * PARTS / 2) / (PARTS * PARTS)).unwrap_or(u8::MAX)
    })
}

fn encode_block(pixels: &[Rgb; 16]) -> [u8; BLOCK_BYTES] {
    let pairs = (1..16).flat_map(|one| (0..one).map(move |other| (one, other)));
    let apart = |&(one, other): &(usize, usize)| distance(pixels[one], pixels[other]);
    let (one, other) = pairs.max_by_key(apart).unwrap_or((0, 0));
    let mut ends = [pack(pixels[one]), pack(pixels[other])];
    let mut least = error_of(pixels, ends);
    // Local search by single steps: the outermost pixels are seldom the best ends.
    loop {
        let steps = (0..6).flat_map(|place| {
            [1, -1].into_iter().filter_map(move |by| {
                let (end, primary) = (place / 3, place % 3);
                let mut ends = ends;
                let value = ends[end][primary].checked_add_signed(by)?;
                ends[end][primary] = value;
                (value <= MOST[primary]).then_some(ends)
            })
        });
        let best = steps.map(|ends| (error_of(pixels, ends), ends)).min();
        match best {
            Some((error, better)) if error < least => (least, ends) = (error, better),
            Some(_) | None => break,
        }
    }
    let colors = palette(unpack(ends[0]), unpack(ends[1]));
    let mut block = [0; BLOCK_BYTES];
    for (bytes, [red, green, blue]) in block.chunks_exact_mut(2).zip(ends) {
        let color = u16::from(red) << 11 | u16::from(green) << 5 | u16::from(blue);
        bytes.copy_from_slice(&color.to_le_bytes());
    }
    for (at, &pixel) in pixels.iter().enumerate() {
        let nearest = (0u8..4).min_by_key(|&choice| distance(colors[usize::from(choice)], pixel));
        block[4 + at / BLOCK_SIDE] |= nearest.unwrap_or(0) << (2 * (at % BLOCK_SIDE));
    }
    block
}

/// Returns the sum of the distances of pixels from their nearest colours.
fn error_of(pixels: &[Rgb; 16], ends: [Packed; 2]) -> u32 {
    let colors = palette(unpack(ends[0]), unpack(ends[1]));
    let nearest = |pixel| colors.iter().map(|&color| distance(color, pixel)).min().unwrap_or(0);
    pixels.iter().map(|&pixel| nearest(pixel)).sum()
}

fn distance(one: Rgb, other: Rgb) -> u32 {
    one.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
}

/// Returns the colours of a block: its two, and those a third and two thirds of the way.
fn palette(first: Rgb, second: Rgb) -> [Rgb; 4] {
    let mix = |one: Rgb, other: Rgb| {
        std::array::from_fn(|primary| {
            let sum = 2 * u16::from(one[primary]) + u16::from(other[primary]);
            u8::try_from(sum / 3).unwrap_or(u8::MAX)
        })
    };
    [first, second, mix(first, second), mix(second, first)]
}

fn packed(color: u16) -> Packed {
    let bits = |shift: u32, most: u8| (color >> shift).to_le_bytes()[0] & most;
    [bits(11, MOST[0]), bits(5, MOST[1]), bits(0, MOST[2])]
}

fn pack(color: Rgb) -> Packed {
    std::array::from_fn(|primary| {
        let value = u16::from(color[primary]) * u16::from(MOST[primary]) + 127;
        u8::try_from(value / 255).unwrap_or(MOST[primary])
    })
}

/// Spreads the values over all of eight bits, by the usual repetition of the high ones.
fn unpack([red, green, blue]: Packed) -> Rgb {
    [red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};

    fn square(color: impl Fn(usize, usize) -> Rgb) -> Vec<Rgb> {
        (0..SIDE * SIDE).map(|at| color(at % SIDE, at / SIDE)).collect()
    }

    fn byte(value: usize) -> u8 {
        u8::try_from(value % 256).unwrap()
    }

    #[test]
    fn an_image_is_like_what_was_encoded() {
        let smooth = square(|x, y| [byte(x * 3), byte(y * 3), byte((x + y) * 3 / 2)]);
        let far = |pixels: &[Rgb]| {
            let shown = RoomImage::encode(pixels).pixels();
            let apart = shown.iter().zip(pixels).map(|(one, other)| distance(*one, *other));
            apart.max().unwrap()
        };
        assert!(far(&smooth) <= 3 * 8 * 8, "{}", far(&smooth));
        // Two colours a block have no colour between them that is missing.
        let edges =
            square(
                |x, y| if (x / 2 + y / 3).is_multiple_of(2) { [255, 0, 0] } else { [0, 0, 255] },
            );
        assert_eq!(far(&edges), 0);
        assert_eq!(RoomImage::encode(&[]).pixels(), square(|_, _| [0; 3]));
    }

    /// The second colour, then the first and the two between, in the first row of the first block.
    #[test]
    fn blocks_have_the_form_of_graphics_cards() {
        let mut bytes = vec![0; BYTES];
        bytes[..5].copy_from_slice(&[0x00, 0xf8, 0x1f, 0x00, 0b11_10_00_01]);
        let image = RoomImage::try_from(HexBytes(bytes)).unwrap();
        let expected = [[0, 0, 255], [255, 0, 0], [170, 0, 85], [85, 0, 170], [0; 3]];
        assert_eq!(image.pixels()[..5], expected);
    }

    #[test]
    fn a_picture_is_the_middle_of_the_image() {
        // A red square with a green stripe at its left and a blue one at its right.
        let image = RoomImage::encode(&square(|x, _| match x {
            0..20 => [0, 255, 0],
            60..80 => [0, 0, 255],
            _ => [255, 0, 0],
        }));
        let picture = |size: &str| image.picture(size.parse().unwrap());
        let whole = picture("4x4");
        assert_eq!((whole.width(), whole.height()), (512, 512));
        assert_eq!((whole.pixels()[0], whole.pixels()[511]), ([0, 255, 0], [0, 0, 255]));
        let narrow = picture("4x2");
        assert_eq!((narrow.width(), narrow.height()), (256, 512));
        assert!(narrow.pixels()[8..248].iter().all(|color| *color == [255, 0, 0]));
    }

    #[test]
    fn an_image_gives_the_same_bytes_for_ever() {
        let image =
            RoomImage::encode(&square(|x, y| [byte(x * y), byte(3 * x), byte(200 - 2 * y)]));
        let hash = |bytes: Vec<u8>| hex::encode(Sha256::digest(bytes));
        let picture = image.picture("3x5".parse().unwrap());
        assert_eq!(
            hash(HexBytes::from(image).0),
            "9f0ff574e7bf9639377aa1865db9c9397d8912373d4fe4ce92136309062e3e67"
        );
        assert_eq!(
            hash(picture.pixels().concat()),
            "6d74561320e8bbb032ae95b131eba4e2231d49341fbb2aabc1d0b5de17d2d2b4"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_of_the_length_are_an_image(bytes in proptest::collection::vec(any::<u8>(), BYTES)) {
            let image = RoomImage::try_from(HexBytes(bytes.clone())).unwrap();
            prop_assert_eq!(image.pixels().len(), SIDE * SIDE);
            prop_assert_eq!(HexBytes::from(image.clone()).0, bytes);
            image.picture("8x5".parse().unwrap());
        }
    }
}
