//! Tiles in the terminal's own pixels: the kitty graphics protocol, or sixel.
//!
//! - [`tile_layer`] notes while a screen is drawn which cells show which part of which tile, and fills
//!   the cells of tiles whose images the terminal doesn't have yet with half blocks.
//! - [`detection`] asks the terminal what it understands.
//! - [`painter`] sends images, and what changed from screen to screen; [`kitty`] and [`sixel`] have the
//!   escape sequences, [`tile_pixels`] the pixels.
//!
//! Only the tile layer and the choice are there without the feature `graphics`.

#[cfg(feature = "graphics")]
pub mod detection;
#[cfg(feature = "graphics")]
pub mod kitty;
#[cfg(feature = "graphics")]
pub mod painter;
#[cfg(feature = "graphics")]
pub mod sixel;
pub mod tile_layer;
#[cfg(feature = "graphics")]
pub mod tile_pixels;

/// What tiles with a picture are drawn with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum GraphicsChoice {
    /// What the terminal says it understands: kitty's protocol, sixel, or else half blocks
    #[default]
    Auto,
    /// The kitty graphics protocol
    #[cfg(feature = "graphics")]
    Kitty,
    /// Sixel
    #[cfg(feature = "graphics")]
    Sixel,
    /// Half blocks
    Blocks,
}
