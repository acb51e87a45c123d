//! The pixels of a tile's image.

use super::tile_layer::{BoardPicture, TileImage};
use image::imageops::{self, FilterType};
use image::{Rgba, RgbaImage};

/// The width and height of a cell in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellPixels {
    pub width: u16,
    pub height: u16,
}

impl CellPixels {
    /// Returns the size, if both sides are at least a pixel.
    pub const fn new(width: u16, height: u16) -> Option<Self> {
        if width == 0 || height == 0 { None } else { Some(Self { width, height }) }
    }

    /// Limits the pixels to those that the picture has for the tile.
    pub fn limited(self, board: &BoardPicture, image: TileImage) -> Self {
        let most = |pixels: usize, tiles: usize, cells: u16| {
            u16::try_from(pixels / tiles / usize::from(cells).max(1)).unwrap_or(u16::MAX).max(1)
        };
        let (picture, size) = (&board.picture, board.size);
        Self {
            width: self.width.min(most(picture.width(), size.cols(), image.columns)),
            height: self.height.min(most(picture.height(), size.rows(), image.lines)),
        }
    }
}

/// Returns how many rows of pixels an image has above the half line that it leaves free.
pub fn rows(image: TileImage, cell: CellPixels) -> u32 {
    u32::from(image.lines) * u32::from(cell.height) - u32::from(cell.height.div_ceil(2))
}

/// Draws a tile in all pixels of its cells; the half line below is transparent.
pub fn draw(board: &BoardPicture, image: TileImage, cell: CellPixels) -> RgbaImage {
    let (width, height) = (u32::from(image.columns) * u32::from(cell.width), rows(image, cell));
    let limited = cell.limited(board, image);
    let (across, down) =
        (u32::from(image.columns) * u32::from(limited.width), rows(image, limited));
    let part = |at: u32, of: u32| (at as usize, of as usize);
    let mut tile = RgbaImage::from_fn(across, down, |x, y| {
        let [red, green, blue] =
            board.picture.part_of_tile(image.home, part(x, across), part(y, down));
        Rgba([red, green, blue, u8::MAX])
    });
    if limited != cell {
        tile = imageops::resize(&tile, width, height, FilterType::Triangle);
    }
    let mut drawn = RgbaImage::new(width, u32::from(image.lines) * u32::from(cell.height));
    imageops::replace(&mut drawn, &tile, 0, 0);
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::puzzle::picture::Picture;
    use gridrace_shared::util::grid::{Cell, Size};
    use std::sync::Arc;

    fn board() -> BoardPicture {
        let size: Size = "4x4".parse().unwrap();
        BoardPicture { picture: Arc::new(Picture::named("s5", size)), size }
    }

    #[test]
    fn each_pixel_is_a_part_of_the_tile_and_the_last_half_line_is_free() {
        let (board, cell) = (board(), CellPixels { width: 8, height: 15 });
        let image = TileImage { home: Cell(6), columns: 10, lines: 6 };
        let drawn = draw(&board, image, cell);
        assert_eq!(drawn.dimensions(), (80, 90));
        for (x, y, Rgba([red, green, blue, alpha])) in drawn.enumerate_pixels() {
            let expected = (y < 82).then(|| {
                let at = ((x as usize, 80), (y as usize, 82));
                board.picture.part_of_tile(image.home, at.0, at.1)
            });
            assert_eq!((*alpha == 255).then_some([*red, *green, *blue]), expected, "{x} {y}");
        }
    }

    #[test]
    fn a_large_tile_is_enlarged_smoothly() {
        let size: Size = "4x4".parse().unwrap();
        let pixels = (0..512 * 512).map(|at| [u8::try_from(at * 2 % 256).unwrap(), 0, 0]);
        let picture = Arc::new(Picture::of_pixels(size, pixels.collect()));
        let (board, cell) = (BoardPicture { picture, size }, CellPixels { width: 20, height: 40 });
        let image = TileImage { home: Cell(6), columns: 20, lines: 11 };
        assert_eq!(cell.limited(&board, image), CellPixels { width: 6, height: 11 });
        let drawn = draw(&board, image, cell);
        assert_eq!(drawn.dimensions(), (400, 440));
        let reds: Vec<u8> = (0..400).map(|x| drawn.get_pixel(x, 200).0[0]).collect();
        assert!(reds.windows(2).all(|two| two[1] - two[0] <= 1), "{reds:?}");
        assert_eq!((reds[0], reds[399]), (0, 253));
    }
}
