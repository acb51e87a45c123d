//! A player's own image: read from a file within bounds, and cut to the shape of a board.

use gridrace_shared::puzzle::picture::Picture;
use gridrace_shared::puzzle::picture::room_image::{self, RoomImage};
use gridrace_shared::util::grid::Size;
use image::imageops::FilterType;
use image::{
    DynamicImage, ImageDecoder, ImageError, ImageReader, Limits, Rgb, RgbImage, Rgba, RgbaImage,
};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 64 * MIB;
/// The longest side that is decoded, in pixels.
const MAX_SIDE: u32 = 16_384;
/// The most memory that decoded pixels take: a photo of 85 megapixels.
const MAX_DECODED_BYTES: u64 = 256 * MIB;
const MIB: u64 = 1 << 20;
/// The longer side of an image that is kept, in pixels: twice that of a picture, of which a board
/// may show half.
const KEPT_SIDE: u32 = 1_024;
/// What shows where an image is transparent: neither black nor white lines vanish on it.
const GROUND: u8 = 128;

/// A player's own image, which only this program shows unless a host gives it to a room.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnImage(Arc<RgbImage>);

/// An error of an image file.
#[derive(Debug, thiserror::Error)]
pub enum OwnImageError {
    #[error("can't read the image {}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{} is no file; an image is a PNG, JPEG, WebP or GIF file", .0.display())]
    NoFile(PathBuf),
    #[error("the image {} is longer than {} MiB: scale it down", .0.display(), MAX_FILE_BYTES / MIB)]
    TooLong(PathBuf),
    #[error("{} is no image in a known format: PNG, JPEG, WebP or GIF", .0.display())]
    Format(PathBuf),
    #[error(
        "the image {} is too large: scale it down to at most {MAX_SIDE} pixels a side and {} MiB of pixels",
        .0.display(),
        MAX_DECODED_BYTES / MIB
    )]
    TooLarge(PathBuf),
    #[error("the image {} is damaged: {error}", path.display())]
    Damaged { path: PathBuf, error: ImageError },
}

impl OwnImage {
    /// Reads an image from a file, whatever its name ends with.
    pub fn read(path: &Path) -> Result<Self, OwnImageError> {
        let fail = |error| OwnImageError::File { path: path.to_owned(), error };
        if !std::fs::metadata(path).map_err(fail)?.is_file() {
            return Err(OwnImageError::NoFile(path.to_owned()));
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(fail)?;
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(OwnImageError::TooLong(path.to_owned()));
        }
        Self::decode(&bytes).map_err(|error| {
            let path = path.to_owned();
            match error {
                ImageError::Unsupported(_) => OwnImageError::Format(path),
                ImageError::Limits(_) => OwnImageError::TooLarge(path),
                ImageError::Decoding(_)
                | ImageError::Encoding(_)
                | ImageError::Parameter(_)
                | ImageError::IoError(_) => OwnImageError::Damaged { path, error },
            }
        })
    }

    /// Decodes an image within the bounds, upright as its camera was held, and scales it down.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, ImageError> {
        let mut limits = Limits::no_limits();
        limits.max_image_width = Some(MAX_SIDE);
        limits.max_image_height = Some(MAX_SIDE);
        limits.max_alloc = Some(MAX_DECODED_BYTES);
        let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
        reader.limits(limits.clone());
        let mut decoder = reader.into_decoder()?;
        limits.reserve(decoder.total_bytes())?;
        let orientation = decoder.orientation()?;
        let mut image = DynamicImage::from_decoder(decoder)?;
        if image.width().max(image.height()) > KEPT_SIDE {
            image = image.thumbnail(KEPT_SIDE, KEPT_SIDE);
        }
        image.apply_orientation(orientation);
        Ok(Self(Arc::new(opaque(&image.into_rgba8()))))
    }

    /// Cuts the middle of the image into the picture of a board.
    pub fn picture(&self, size: Size) -> Picture {
        let [width, height] = Picture::extent(size);
        let side = |side: usize| u32::try_from(side).unwrap_or(KEPT_SIDE);
        let image = DynamicImage::ImageRgb8(RgbImage::clone(&self.0));
        let image = image.resize_to_fill(side(width), side(height), FilterType::CatmullRom);
        let pixels = image.into_rgb8().pixels().map(|pixel| pixel.0).collect();
        Picture::of_pixels(size, pixels)
    }

    /// Encodes the middle of the image for all members of a room.
    pub fn room_image(&self) -> RoomImage {
        let side = u32::try_from(room_image::SIDE).unwrap_or(KEPT_SIDE);
        let image = DynamicImage::ImageRgb8(RgbImage::clone(&self.0));
        let image = image.resize_to_fill(side, side, FilterType::CatmullRom).into_rgb8();
        let pixels: Vec<_> = image.pixels().map(|pixel| pixel.0).collect();
        RoomImage::encode(&pixels)
    }
}

/// Lays an image on a plain ground.
fn opaque(image: &RgbaImage) -> RgbImage {
    let over = |Rgba([red, green, blue, alpha]): Rgba<u8>| {
        let mix = |primary: u8| {
            let (alpha, primary) = (u16::from(alpha), u16::from(primary));
            let mixed = (primary * alpha + u16::from(GROUND) * (255 - alpha)) / 255;
            u8::try_from(mixed).unwrap_or(u8::MAX)
        };
        Rgb([mix(red), mix(green), mix(blue)])
    };
    RgbImage::from_fn(image.width(), image.height(), |x, y| over(*image.get_pixel(x, y)))
}

/// Without the pixels.
impl std::fmt::Debug for OwnImage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "OwnImage({}x{})", self.0.width(), self.0.height())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::util::grid::Cell;
    use image::codecs::jpeg::JpegEncoder;
    use image::{ExtendedColorType, ImageEncoder, ImageFormat};
    use proptest::prelude::*;

    const RED: Rgb<u8> = Rgb([220, 30, 30]);
    const GREEN: Rgb<u8> = Rgb([30, 200, 40]);
    const BLUE: Rgb<u8> = Rgb([40, 50, 210]);

    /// Three upright stripes.
    fn flag(width: u32, height: u32) -> DynamicImage {
        let stripe = |x, _| [RED, GREEN, BLUE][(x * 3 / width) as usize];
        DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, stripe))
    }

    fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    /// The mean colours of the tiles.
    fn tiles(bytes: &[u8], size: &str) -> Vec<[u8; 3]> {
        let size: Size = size.parse().unwrap();
        let picture = OwnImage::decode(bytes).unwrap().picture(size);
        let cells = 0..u16::try_from(size.cells()).unwrap();
        cells.map(|home| picture.part_of_tile(Cell(home), (0, 1), (0, 1))).collect()
    }

    fn is_like(seen: [u8; 3], Rgb(expected): Rgb<u8>) -> bool {
        seen.iter().zip(expected).all(|(seen, expected)| seen.abs_diff(expected) < 12)
    }

    fn read(bytes: &[u8]) -> Result<OwnImage, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cat.png");
        std::fs::write(&path, bytes).unwrap();
        OwnImage::read(&path).map_err(|error| {
            let error = error.to_string();
            assert!(error.contains("cat.png"), "{error}");
            error
        })
    }

    #[test]
    fn every_format_is_read_and_cut_into_tiles() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif] {
            let bytes = encoded(&flag(1_050, 1_050), format);
            assert!(read(&bytes).is_ok(), "{format:?}");
            let tiles = tiles(&bytes, "3x3");
            for (index, tile) in tiles.iter().enumerate() {
                let expected = [RED, GREEN, BLUE][index % 3];
                assert!(is_like(*tile, expected), "{format:?}, tile {index}: {tile:?}");
            }
        }
    }

    #[test]
    fn the_middle_of_an_image_is_shown() {
        let bytes = encoded(&flag(900, 300), ImageFormat::Png);
        assert!(tiles(&bytes, "2x2").into_iter().all(|tile| is_like(tile, GREEN)));
        let tiles = tiles(&encoded(&flag(300, 900), ImageFormat::Png), "2x3");
        let expected = [RED, GREEN, BLUE, RED, GREEN, BLUE];
        assert!(tiles.iter().zip(expected).all(|(tile, expected)| is_like(*tile, expected)));
    }

    #[test]
    fn a_small_image_is_enlarged() {
        let tiles = tiles(&encoded(&flag(3, 1), ImageFormat::Png), "2x6");
        let strongest = |tile: [u8; 3]| (0..3).max_by_key(|&primary| tile[primary]).unwrap();
        let primaries: Vec<_> = tiles[..6].iter().map(|&tile| strongest(tile)).collect();
        assert_eq!(primaries, [0, 0, 1, 1, 2, 2], "{tiles:?}");
    }

    #[test]
    fn a_photo_is_upright() {
        let flag = flag(90, 90);
        let mut bytes = Vec::new();
        let mut encoder = JpegEncoder::new(&mut bytes);
        // Exif of one entry: the orientation 6, to be turned by 90 degrees clockwise.
        let exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        encoder.set_exif_metadata(exif.to_vec()).unwrap();
        encoder.write_image(flag.as_bytes(), 90, 90, ExtendedColorType::Rgb8).unwrap();
        let tiles = tiles(&bytes, "3x3");
        assert!(tiles[..3].iter().all(|tile| is_like(*tile, RED)), "{tiles:?}");
        assert!(tiles[6..].iter().all(|tile| is_like(*tile, BLUE)), "{tiles:?}");
    }

    #[test]
    fn a_room_gets_the_middle_of_an_image() {
        let image = OwnImage::decode(&encoded(&flag(300, 100), ImageFormat::Png)).unwrap();
        let pixels = image.room_image().pixels();
        assert_eq!(pixels.len(), room_image::SIDE * room_image::SIDE);
        // Where a flag of that height has its second stripe.
        assert!(pixels[2_000..2_080].iter().all(|pixel| is_like(*pixel, GREEN)));
    }

    #[test]
    fn what_is_transparent_is_grey() {
        let clear = RgbaImage::from_pixel(8, 8, Rgba([255, 0, 0, 0]));
        let bytes = encoded(&DynamicImage::ImageRgba8(clear), ImageFormat::Png);
        assert!(tiles(&bytes, "2x2").into_iter().all(|tile| tile == [GROUND; 3]));
    }

    #[test]
    fn what_is_no_image_is_refused_with_the_reason() {
        let png = encoded(&flag(64, 64), ImageFormat::Png);
        // The width and the height stand behind the signature and the head of the first chunk, whose
        // checksum follows.
        let sized = |width: u32, height: u32| {
            let mut png = png.clone();
            png[16..20].copy_from_slice(&width.to_be_bytes());
            png[20..24].copy_from_slice(&height.to_be_bytes());
            let checksum = crc32(&png[12..29]);
            png[29..33].copy_from_slice(&checksum.to_be_bytes());
            png
        };
        for (bytes, why) in [
            (Vec::new(), "no image in a known format"),
            (b"once upon a time".to_vec(), "no image in a known format"),
            (b"BM\0\0\0\0".to_vec(), "no image in a known format"),
            (png[..png.len() / 2].to_vec(), "is damaged"),
            (sized(20_000, 1), "too large"),
            (sized(16_384, 16_384), "too large"),
        ] {
            let error = read(&bytes).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn what_is_no_file_is_refused_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let error = OwnImage::read(&folder.path().join("none.png")).unwrap_err();
        assert!(matches!(error, OwnImageError::File { .. }), "{error}");
        let error = OwnImage::read(folder.path()).unwrap_err();
        assert!(matches!(error, OwnImageError::NoFile(_)), "{error}");
        let long = folder.path().join("long.png");
        File::create(&long).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
        let error = OwnImage::read(&long).unwrap_err();
        assert!(error.to_string().contains("longer than 64 MiB"), "{error}");
    }

    fn crc32(bytes: &[u8]) -> u32 {
        bytes.iter().fold(u32::MAX, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
                (sum >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(sum & 1))
            })
        }) ^ u32::MAX
    }

    proptest! {
        #[test]
        fn damaged_images_are_errors(
            format in 0usize..4,
            at in proptest::collection::vec((0usize..4_096, any::<u8>()), 1..8),
            cut in 0usize..4_096,
        ) {
            let formats =
                [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif];
            let mut bytes = encoded(&flag(24, 24), formats[format]);
            for (at, value) in at {
                let at = at % bytes.len();
                bytes[at] = value;
            }
            let length = bytes.len();
            bytes.truncate(if cut < 2_048 { length } else { cut % length });
            // Either is fine, but no panic.
            if let Ok(image) = OwnImage::decode(&bytes) {
                image.picture("4x4".parse().unwrap());
            }
        }
    }
}
