//! Hills under a low sun, one range behind the other.

use super::motif::Motif;
use super::noise::Noise;
use super::palette::{Palette, Rgb, WHOLE, lighten, mix};
use crate::util::seed::PortableRng;

const RANGES: i32 = 6;
const SUN_RADIUS: i32 = 44;
const GLOW_RADIUS: i32 = 330;

#[derive(Debug)]
pub(super) struct Hills {
    palette: Palette,
    ridges: Noise,
    /// The height of the picture.
    height: i32,
    sun: (i32, i32),
}

impl Hills {
    pub fn drawn(rng: &mut PortableRng, palette: Palette, height: usize) -> Self {
        let height = i32::try_from(height).unwrap_or(0);
        let mut draw = |n: u32| i32::try_from(rng.below(n)).unwrap_or(0);
        // In the left or the right third: what lies beside it differs from what lies opposite.
        let side = draw(2) * 300;
        let sun = (70 + side + draw(72), height / 5 + draw(60));
        Self { palette, ridges: Noise::drawn(rng), height, sun }
    }

    /// Returns the height of a range's ridge above the bottom, in pixels.
    fn ridge(&self, range: i32, x: i32) -> i32 {
        let base = self.height * (RANGES - range) / (RANGES + 3);
        let rough = self.height * (RANGES + 2 - range) / 40;
        let noise = self.ridges.at(x + 97 * range, 211 * range, 128 - 12 * range) - WHOLE / 2;
        base + noise * rough / (WHOLE / 4)
    }
}

impl Motif for Hills {
    fn color(&self, x: i32, y: i32) -> Rgb {
        let from_sun = ((x - self.sun.0).pow(2) + (y - self.sun.1).pow(2)).isqrt();
        let glow = (GLOW_RADIUS - from_sun).max(0) * WHOLE / GLOW_RADIUS;
        let light = self.palette.at(WHOLE);
        let up = self.height - y;
        // The nearest range that reaches up to here is seen.
        let seen = (0..RANGES).rev().find_map(|range| {
            let below = self.ridge(range, x) - up;
            (below >= 0).then_some((range, below))
        });
        let Some((range, below)) = seen else {
            let sky = self.palette.at(WHOLE / 3 + y * WHOLE / self.height);
            let sky = mix(sky, light, glow * glow / WHOLE);
            return mix(sky, lighten(light, WHOLE / 2), (SUN_RADIUS - from_sun) * WHOLE / 2);
        };
        // Far ranges are light from haze, near ones dark; each is lit from the sun's side.
        let share = (RANGES - 1 - range) * WHOLE / (RANGES + 2) - below;
        let lit = (x - self.sun.0).abs() * WHOLE / 512;
        let color = lighten(self.palette.at(share), 90 - lit / 3);
        mix(color, light, glow / 4)
    }
}
