//! Colours by their three primaries: contrast, and the nearest of a terminal's 256.

/// A colour in sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

pub const BLACK: Rgb = Rgb(0, 0, 0);
pub const WHITE: Rgb = Rgb(255, 255, 255);

/// The levels of each primary in the 6×6×6 cube of the 256 colours, which begin at [`CUBE`].
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
const CUBE: u8 = 16;
/// The greys behind the cube: 24, ten apart from 8 on.
const GREYS: u8 = 232;

impl Rgb {
    /// Reads `0xRRGGBB`.
    pub const fn hex(hex: u32) -> Self {
        let [_, red, green, blue] = hex.to_be_bytes();
        Self(red, green, blue)
    }

    /// Returns the contrast ratio with another colour, from 1 to 21, as WCAG 2.2 defines it.
    pub fn contrast(self, other: Self) -> f32 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Returns black or white, whichever is read better on this colour.
    pub fn text_on(self) -> Self {
        if self.contrast(BLACK) >= self.contrast(WHITE) { BLACK } else { WHITE }
    }

    /// Returns the nearest colour of the 256 that don't depend on the terminal's settings.
    pub fn nearest_256(self) -> u8 {
        let Self(red, green, blue) = self;
        let [r, g, b] = [red, green, blue].map(nearest_level);
        let in_cube = Self(LEVELS[r], LEVELS[g], LEVELS[b]);
        let mean = (u16::from(red) + u16::from(green) + u16::from(blue)) / 3;
        let step = u8::try_from(mean.saturating_sub(3) / 10).unwrap_or(u8::MAX).min(23);
        let level = 8 + 10 * step;
        if self.squared_distance(Self(level, level, level)) < self.squared_distance(in_cube) {
            return GREYS + step;
        }
        let index = 36 * r + 6 * g + b;
        CUBE + u8::try_from(index).unwrap_or(0)
    }

    fn luminance(self) -> f32 {
        let [red, green, blue] = self.to_linear();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn to_linear(self) -> [f32; 3] {
        [self.0, self.1, self.2].map(|level| {
            let level = f32::from(level) / 255.0;
            if level <= 0.040_45 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn squared_distance(self, other: Self) -> u32 {
        let squared = |one: u8, two: u8| u32::from(one.abs_diff(two)).pow(2);
        squared(self.0, other.0) + squared(self.1, other.1) + squared(self.2, other.2)
    }
}

fn nearest_level(primary: u8) -> usize {
    let levels = LEVELS.iter().enumerate();
    levels.min_by_key(|(_, level)| level.abs_diff(primary)).map_or(0, |(index, _)| index)
}

#[cfg(test)]
pub(crate) mod vision {
    //! How far apart colours are to the eye, colour-blind ones included.

    use super::{CUBE, GREYS, LEVELS, Rgb};

    /// Matrices on linear RGB for full protanopia and deuteranopia: Machado, Oliveira and
    /// Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009.
    const PROTANOPIA: [[f32; 3]; 3] = [
        [0.152_286, 1.052_583, -0.204_868],
        [0.114_503, 0.786_281, 0.099_216],
        [-0.003_882, -0.048_116, 1.051_998],
    ];
    const DEUTERANOPIA: [[f32; 3]; 3] = [
        [0.367_322, 0.860_646, -0.227_968],
        [0.280_085, 0.672_501, 0.047_413],
        [-0.011_820, 0.042_940, 0.968_881],
    ];
    const NORMAL: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    /// Returns the distance of two colours in `OKLab`, from 0 to 1 between black and white.
    pub(crate) fn distance(one: Rgb, two: Rgb) -> f32 {
        distance_by(one, two, NORMAL)
    }

    /// Returns the least distance, of those to people with all three cones, without the
    /// long-wave ones and without the middle-wave ones.
    pub(crate) fn least_distance(one: Rgb, two: Rgb) -> f32 {
        let all = [NORMAL, PROTANOPIA, DEUTERANOPIA];
        all.into_iter().map(|eye| distance_by(one, two, eye)).fold(f32::INFINITY, f32::min)
    }

    /// Returns what a number of the 256 stands for; of the first 16 what xterm shows.
    pub(crate) fn of_256(index: u8) -> Rgb {
        const FIRST: [u32; 16] = [
            0x0000_0000,
            0x00cd_0000,
            0x0000_cd00,
            0x00cd_cd00,
            0x0000_00ee,
            0x00cd_00cd,
            0x0000_cdcd,
            0x00e5_e5e5,
            0x007f_7f7f,
            0x00ff_0000,
            0x0000_ff00,
            0x00ff_ff00,
            0x005c_5cff,
            0x00ff_00ff,
            0x0000_ffff,
            0x00ff_ffff,
        ];
        if let Some(&hex) = FIRST.get(usize::from(index)) {
            return Rgb::hex(hex);
        }
        if index >= GREYS {
            let level = 8 + 10 * (index - GREYS);
            return Rgb(level, level, level);
        }
        let index = usize::from(index - CUBE);
        Rgb(LEVELS[index / 36], LEVELS[index / 6 % 6], LEVELS[index % 6])
    }

    fn distance_by(one: Rgb, two: Rgb, eye: [[f32; 3]; 3]) -> f32 {
        let (one, two) = (oklab(times(eye, one.to_linear())), oklab(times(eye, two.to_linear())));
        one.iter().zip(two).map(|(one, two)| (one - two).powi(2)).sum::<f32>().sqrt()
    }

    fn times(matrix: [[f32; 3]; 3], vector: [f32; 3]) -> [f32; 3] {
        let row = |row: [f32; 3]| row.iter().zip(vector).map(|(a, b)| a * b).sum::<f32>();
        matrix.map(|line| row(line).clamp(0.0, 1.0))
    }

    /// From linear RGB, as in Björn Ottosson, "A perceptual color space for image processing",
    /// 2020.
    fn oklab([r, g, b]: [f32; 3]) -> [f32; 3] {
        let long = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
        let middle = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
        let short = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
        [
            0.210_454_26 * long + 0.793_617_8 * middle - 0.004_072_047 * short,
            1.977_998_5 * long - 2.428_592_2 * middle + 0.450_593_7 * short,
            0.025_904_037 * long + 0.782_771_77 * middle - 0.808_675_77 * short,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((BLACK.contrast(WHITE) - 21.0).abs() < 0.001);
        // A value that the working group itself gives: the lightest grey that passes on white.
        assert!((Rgb::hex(0x76_7676).contrast(WHITE) - 4.54).abs() < 0.01);
    }

    #[test]
    fn each_of_the_256_is_its_own_nearest() {
        for index in CUBE..=u8::MAX {
            let color = vision::of_256(index);
            assert_eq!(vision::of_256(color.nearest_256()), color, "{index}");
        }
    }

    #[test]
    fn the_colour_blind_confuse_red_and_green_of_one_lightness() {
        let (red, green) = (Rgb::hex(0x00c8_5a3c), Rgb::hex(0x0096_823c));
        assert!(vision::least_distance(red, green) < vision::distance(red, green) / 2.0);
        assert!((vision::distance(BLACK, WHITE) - 1.0).abs() < 0.001);
    }
}
