//! Colours of a picture, from dark to light.

use crate::util::seed::PortableRng;

/// A colour in sRGB: red, green, blue.
pub type Rgb = [u8; 3];

/// Each from its darkest colour to its lightest.
const PALETTES: [[u32; 5]; 7] = [
    [0x1b_1f4b, 0x6a_2c70, 0xb8_3b5e, 0xf0_8a5d, 0xf9_ed69],
    [0x0b_2545, 0x13_4e7c, 0x1b_8a9e, 0x6f_d3c4, 0xfa_f3d1],
    [0x10_302b, 0x1e_5f4b, 0x5f_a55a, 0xc5_d86d, 0xfa_f3dd],
    [0x2d_1457, 0x7b_3aa8, 0xe8_4393, 0xff_a552, 0xff_f0bd],
    [0x2b_1d14, 0x7a_2e1d, 0xc8_553d, 0xf2_9f4b, 0xff_dfae],
    [0x10_2a43, 0x2f_5d7c, 0x70_a9a1, 0xf0_b67f, 0xfe_f0d5],
    [0x22_223b, 0x4a_4e8a, 0x9a_6fb0, 0xf2_a6b3, 0xff_e8d6],
];

/// A whole, in which shares of colours are given.
pub(super) const WHOLE: i32 = 1_024;

/// The darkest and the lightest colour, and those between.
#[derive(Debug, Clone, Copy)]
pub(super) struct Palette([Rgb; 5]);

impl Palette {
    pub fn drawn(rng: &mut PortableRng) -> Self {
        let index = rng.below(u32::try_from(PALETTES.len()).unwrap_or(1)) as usize;
        Self(PALETTES[index].map(|hex| {
            let [_, red, green, blue] = hex.to_be_bytes();
            [red, green, blue]
        }))
    }

    /// Returns a colour by its share of lightness, 0 to [`WHOLE`].
    pub fn at(&self, share: i32) -> Rgb {
        let share = share.clamp(0, WHOLE) * 4;
        let index = (share / WHOLE).min(3);
        let [from, to] =
            [index, index + 1].map(|index| self.0[usize::try_from(index).unwrap_or(0)]);
        mix(from, to, share - index * WHOLE)
    }
}

/// Mixes a share of another colour, 0 to [`WHOLE`], into one.
pub(super) fn mix(one: Rgb, other: Rgb, share: i32) -> Rgb {
    let share = share.clamp(0, WHOLE);
    let mixed = |index: usize| {
        let (from, to) = (i32::from(one[index]), i32::from(other[index]));
        u8::try_from(from + (to - from) * share / WHOLE).unwrap_or(0)
    };
    [mixed(0), mixed(1), mixed(2)]
}

/// Lightens a colour by a share, or darkens it by a negative one.
pub(super) fn lighten(color: Rgb, share: i32) -> Rgb {
    if share >= 0 { mix(color, [255; 3], share) } else { mix(color, [0; 3], -share) }
}
