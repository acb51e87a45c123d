//! A map with contour lines: bands of height, darker where it is low.

use super::motif::Motif;
use super::noise::Noise;
use super::palette::{Palette, Rgb, WHOLE, lighten};
use crate::util::seed::PortableRng;

const BANDS: i32 = 11;
/// The extent of the largest hills in pixels.
const PITCH: i32 = 208;

#[derive(Debug)]
pub(super) struct Contours {
    palette: Palette,
    height: Noise,
    /// Where the land rises, in thousandths of the height for a pixel to the right and down.
    slope: (i32, i32),
}

impl Contours {
    pub fn drawn(rng: &mut PortableRng, palette: Palette) -> Self {
        let sign = |bit: u32| if bit == 1 { -1 } else { 1 };
        let steep = i32::try_from(rng.below(500)).unwrap_or(0) + 300;
        let slope = (sign(rng.below(2)) * steep, sign(rng.below(2)) * (1_100 - steep));
        Self { palette, height: Noise::drawn(rng), slope }
    }
}

impl Motif for Contours {
    fn color(&self, x: i32, y: i32) -> Rgb {
        let plane = |along: i32, slope: i32| (along - 256) * slope / 1_000;
        let rise = plane(x, self.slope.0) + plane(y, self.slope.1);
        let height = WHOLE / 2 + rise + (self.height.at(x, y, PITCH) - WHOLE / 2) * 7 / 8;
        let height = height.clamp(0, WHOLE - 1);
        let band = height * BANDS / WHOLE;
        // A band throws a shadow on the one below, and its own edge is light.
        let within = height * BANDS % WHOLE;
        let shade = (WHOLE / 4 - within).max(0) - (within - WHOLE * 5 / 8).max(0);
        // Across the slope the tint changes, so that no two places of one height are alike.
        let across = plane(x, -self.slope.1) + plane(y, self.slope.0);
        lighten(self.palette.at(band * WHOLE / (BANDS - 1)), shade * 3 / 4 + across / 3)
    }
}
