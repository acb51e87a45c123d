//! Colours: the one table of all themes.
//!
//! The colours of text are Okabe and Ito's, which colour-blind people tell apart, in the nearest
//! of the 256. Nothing is said by colour alone. Without colours only bold, underlined and reversed
//! are left; they are taken out here, since crossterm's own way of leaving them out wipes those,
//! too.

use crate::display::color::Rgb;
use crate::display::symbols::{ASCII, Symbols, UNICODE};
use ratatui::style::{Color, Modifier, Style};

/// What a piece of the screen means; the theme says how that looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Text,
    Faint,
    /// A heading, or what is chosen.
    Strong,
    /// The program's own colour: its name, the player's own row.
    Own,
    /// A tile at home; what went well.
    Good,
    /// What to look at: a hint, the leader.
    Mark,
    Bad,
    Line,
    Cursor,
    Key,
    /// A colour of links, by its number in the theme's list, in turn.
    Link(usize),
    /// A filled tile, by the class that the scheme gives it.
    Tile(usize),
    /// A filled tile that a hint is about.
    HintedTile,
    /// Black on white, as scanners want it.
    QrCode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appearance {
    /// Whether the terminal's background is light.
    pub light: bool,
    pub colors: Colors,
    /// Whether only ASCII is drawn.
    pub ascii: bool,
    pub tiles: TileScheme,
}

/// The colours that the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Colors {
    None,
    /// The 16 named ones, whose values the terminal chooses.
    Named,
    /// The 256 of xterm.
    Indexed,
    /// Any.
    True,
}

/// How the tiles of a sliding puzzle are coloured, by the row and column of their home.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum TileScheme {
    /// Nested corners: the first row and column, then the second, as slidysim has it
    #[default]
    Fringe,
    /// Each row its colour
    Rows,
    /// Each column its colour
    Columns,
    /// One colour
    Plain,
    /// Nested corners in black and white
    Contrast,
}

/// The style of each [`Look`], and the symbols.
#[derive(Debug, Clone, Copy)]
pub struct Theme {
    light: bool,
    pub colors: Colors,
    pub tiles: TileScheme,
    pub symbols: &'static Symbols,
}

/// A colour, and the one that stands for it among the 16.
#[derive(Debug, Clone, Copy)]
struct Paint {
    rgb: Rgb,
    named: Color,
}

/// A colour on a dark and on a light background.
type OnBoth = [Paint; 2];

const FAINT: OnBoth = [paint(0x8a_8a8a, Color::Gray), paint(0x62_6262, Color::DarkGray)];
const OWN: OnBoth = [paint(0x5f_afd7, Color::LightCyan), paint(0x00_5faf, Color::Blue)];
const GOOD: OnBoth = [paint(0x00_af87, Color::LightGreen), paint(0x00_875f, Color::Green)];
const MARK: OnBoth = [paint(0xff_af00, Color::LightYellow), paint(0xaf_5f00, Color::Magenta)];
const BAD: OnBoth = [paint(0xd7_5f00, Color::LightRed), paint(0xd7_0000, Color::Red)];
const WHITE: Paint = paint(0xff_ffff, Color::White);
const LINE: OnBoth = [paint(0x58_5858, Color::DarkGray), paint(0xb2_b2b2, Color::Gray)];

/// The colours of links. Any two are apart, and each from that of a hint.
const LINKS_ON_DARK: [u32; 12] = [
    0x5f_87ff, 0x00_d787, 0xff_5f5f, 0xff_ffaf, 0xff_00ff, 0x87_ffff, 0xaf_8700, 0xff_afaf,
    0x5f_afd7, 0xd7_ff00, 0xff_87ff, 0xd7_5faf,
];
const LINKS_ON_LIGHT: [u32; 12] = [
    0x00_00d7, 0x00_5f00, 0xaf_0000, 0x5f_00ff, 0x00_5f87, 0xaf_0087, 0x5f_0000, 0x87_5fd7,
    0x00_0087, 0x00_875f, 0x5f_00af, 0x5f_005f,
];
/// Those of the 16 that are apart and stand out from the ground.
const NAMED_LINKS_ON_DARK: [Color; 8] = [
    Color::LightBlue,
    Color::Green,
    Color::LightRed,
    Color::White,
    Color::Magenta,
    Color::LightCyan,
    Color::Yellow,
    Color::Cyan,
];
const NAMED_LINKS_ON_LIGHT: [Color; 7] = [
    Color::Blue,
    Color::Green,
    Color::Red,
    Color::Black,
    Color::Cyan,
    Color::DarkGray,
    Color::LightBlue,
];

/// The fills of tiles, in turn: Okabe and Ito's colours in the order in which neighbours differ
/// most, also to colour-blind people. Text on them is black or white.
const TILES: [Paint; 7] = [
    paint(0x00_72b2, Color::LightCyan),
    paint(0x00_9e73, Color::LightYellow),
    paint(0xf0_e442, Color::LightMagenta),
    paint(0xcc_79a7, Color::LightGreen),
    paint(0xe6_9f00, Color::LightCyan),
    paint(0x56_b4e9, Color::LightYellow),
    paint(0xd5_5e00, Color::LightMagenta),
];
const PLAIN_TILES: OnBoth =
    [paint(0x3a_5f7d, Color::LightCyan), paint(0xb9_d3e8, Color::LightCyan)];
const CONTRAST_TILES: [OnBoth; 2] = [
    [paint(0xff_ffff, Color::White), paint(0x00_0000, Color::Black)],
    [paint(0x58_5858, Color::Blue), paint(0xd0_d0d0, Color::Gray)],
];
/// In the scheme that has black and white itself, a hint's tile is yellow.
const HINTED_TILES: OnBoth = [paint(0xff_ffff, Color::Black), paint(0x00_0000, Color::Black)];
const HINTED_CONTRAST_TILE: Paint = paint(0xff_af00, Color::LightYellow);

const fn paint(hex: u32, named: Color) -> Paint {
    Paint { rgb: Rgb::hex(hex), named }
}

impl TileScheme {
    /// Returns the class of a tile by the row and column of its home, from 0.
    pub const fn class(self, row: usize, column: usize) -> usize {
        match self {
            Self::Fringe | Self::Contrast => {
                if row < column {
                    row
                } else {
                    column
                }
            }
            Self::Rows => row,
            Self::Columns => column,
            Self::Plain => 0,
        }
    }
}

impl Theme {
    pub const fn new(Appearance { light, colors, ascii, tiles }: Appearance) -> Self {
        Self { light, colors, tiles, symbols: if ascii { &ASCII } else { &UNICODE } }
    }

    pub fn style(&self, look: Look) -> Style {
        match look {
            Look::Text => Style::new(),
            Look::Strong | Look::Key => Style::new().bold(),
            Look::Faint => self.text(self.pick(FAINT)),
            Look::Line => self.text(self.pick(LINE)),
            Look::Own | Look::Cursor => self.text(self.pick(OWN)).bold(),
            Look::Good => self.text(self.pick(GOOD)).bold(),
            Look::Mark => self.text(self.pick(MARK)).bold(),
            Look::Bad => self.text(self.pick(BAD)).bold(),
            Look::Link(number) => self.text(self.link(number)),
            Look::Tile(class) => self.filled(self.tile(class)),
            Look::HintedTile => self.filled(self.hinted_tile()),
            // Bold black is grey on some terminals.
            Look::QrCode => self.filled(WHITE).remove_modifier(Modifier::BOLD),
        }
    }

    /// Returns the style of text on a ground in the colour of a look; none without colours, and
    /// for looks that have none.
    pub fn filled_style(&self, look: Look) -> Style {
        self.filled(match look {
            Look::Faint => self.pick(FAINT),
            Look::Line => self.pick(LINE),
            Look::Own | Look::Cursor => self.pick(OWN),
            Look::Good => self.pick(GOOD),
            Look::Mark => self.pick(MARK),
            Look::Bad => self.pick(BAD),
            Look::Link(number) => self.link(number),
            Look::Tile(class) => self.tile(class),
            Look::HintedTile => self.hinted_tile(),
            Look::QrCode => WHITE,
            Look::Text | Look::Strong | Look::Key => return Style::new(),
        })
    }

    pub fn has_colors(&self) -> bool {
        self.colors > Colors::None
    }

    /// Returns how many colours of links there are.
    pub const fn link_colors(&self) -> usize {
        match (self.colors, self.light) {
            (Colors::Named, false) => NAMED_LINKS_ON_DARK.len(),
            (Colors::Named, true) => NAMED_LINKS_ON_LIGHT.len(),
            (Colors::None | Colors::Indexed | Colors::True, _) => LINKS_ON_DARK.len(),
        }
    }

    fn link(&self, number: usize) -> Paint {
        let number = number % self.link_colors();
        let (colors, named) = if self.light {
            (LINKS_ON_LIGHT.get(number), NAMED_LINKS_ON_LIGHT.get(number))
        } else {
            (LINKS_ON_DARK.get(number), NAMED_LINKS_ON_DARK.get(number))
        };
        paint(colors.copied().unwrap_or_default(), named.copied().unwrap_or_default())
    }

    fn tile(&self, class: usize) -> Paint {
        match self.tiles {
            TileScheme::Plain => self.pick(PLAIN_TILES),
            TileScheme::Contrast => self.pick(CONTRAST_TILES[class % CONTRAST_TILES.len()]),
            TileScheme::Fringe | TileScheme::Rows | TileScheme::Columns => {
                TILES[class % TILES.len()]
            }
        }
    }

    fn hinted_tile(&self) -> Paint {
        match self.tiles {
            TileScheme::Contrast => HINTED_CONTRAST_TILE,
            TileScheme::Fringe | TileScheme::Rows | TileScheme::Columns | TileScheme::Plain => {
                self.pick(HINTED_TILES)
            }
        }
    }

    fn pick(&self, [on_dark, on_light]: OnBoth) -> Paint {
        if self.light { on_light } else { on_dark }
    }

    fn text(&self, paint: Paint) -> Style {
        self.color(paint).map_or_else(Style::new, |color| Style::new().fg(color))
    }

    /// Returns the style of text on a filled ground.
    fn filled(&self, paint: Paint) -> Style {
        let Some(fill) = self.color(paint) else {
            return Style::new();
        };
        let is_dark_named = matches!(
            paint.named,
            Color::Black | Color::Blue | Color::LightBlue | Color::Red | Color::Magenta
        );
        let text = match (self.colors, is_dark_named) {
            // Bold black is grey on many terminals with 16 colours.
            (Colors::Named, true) => return Style::new().bg(fill).fg(Color::White),
            (Colors::Named, false) => return Style::new().bg(fill).fg(Color::Black),
            (Colors::None | Colors::Indexed | Colors::True, _) => paint.rgb.text_on(),
        };
        let text = self.color(Paint { rgb: text, ..paint });
        Style { fg: text, bg: Some(fill), ..Style::new() }.bold()
    }

    fn color(&self, Paint { rgb, named }: Paint) -> Option<Color> {
        match self.colors {
            Colors::None => None,
            Colors::Named => Some(named),
            Colors::Indexed => Some(Color::Indexed(rgb.nearest_256())),
            Colors::True => Some(Color::Rgb(rgb.0, rgb.1, rgb.2)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::color::vision;
    use crate::display::color::{BLACK, WHITE};
    use clap::ValueEnum;

    /// The least contrast of text that WCAG 2.2 asks for at level AA.
    const LEAST_CONTRAST: f32 = 4.5;
    /// In `OKLab`: the two are told apart at a glance where they touch. For comparison, Okabe and
    /// Ito's orange and vermillion are 0.16 apart.
    const APART: f32 = 0.12;
    /// The same to colour-blind people, for whom the letters say the rest.
    const APART_TO_ALL: f32 = 0.06;

    const DEPTHS: [Colors; 3] = [Colors::Named, Colors::Indexed, Colors::True];

    fn themes() -> impl Iterator<Item = Theme> {
        let schemes = TileScheme::value_variants().iter().copied();
        schemes.flat_map(|tiles| {
            DEPTHS.into_iter().flat_map(move |colors| {
                [false, true]
                    .map(|light| Theme::new(Appearance { light, colors, ascii: false, tiles }))
            })
        })
    }

    /// What a colour shows, on a terminal with xterm's values of the 16.
    fn rgb(color: Option<Color>) -> Rgb {
        const NAMED: [Color; 16] = [
            Color::Black,
            Color::Red,
            Color::Green,
            Color::Yellow,
            Color::Blue,
            Color::Magenta,
            Color::Cyan,
            Color::Gray,
            Color::DarkGray,
            Color::LightRed,
            Color::LightGreen,
            Color::LightYellow,
            Color::LightBlue,
            Color::LightMagenta,
            Color::LightCyan,
            Color::White,
        ];
        let color = color.unwrap();
        if let Color::Rgb(red, green, blue) = color {
            return Rgb(red, green, blue);
        }
        let index = if let Color::Indexed(index) = color {
            index
        } else {
            NAMED.iter().position(|named| *named == color).unwrap() as u8
        };
        vision::of_256(index)
    }

    fn name(theme: &Theme) -> String {
        format!("{:?} light={} {:?}", theme.colors, theme.light, theme.tiles)
    }

    fn fill(theme: &Theme, look: Look) -> Rgb {
        rgb(theme.style(look).bg)
    }

    #[test]
    fn numbers_on_tiles_and_terminals_have_the_contrast_of_text() {
        for theme in themes() {
            let links = (0..theme.link_colors()).map(Look::Link).chain([Look::Mark, Look::Bad]);
            for look in (0..16).map(Look::Tile).chain([Look::HintedTile]).chain(links) {
                let style = theme.filled_style(look);
                let contrast = rgb(style.fg).contrast(rgb(style.bg));
                assert!(contrast >= LEAST_CONTRAST, "{} {look:?}: {contrast}", name(&theme));
            }
        }
    }

    #[test]
    fn text_has_the_contrast_of_text_on_its_ground() {
        for theme in themes().filter(|theme| theme.colors > Colors::Named) {
            let ground = if theme.light { WHITE } else { BLACK };
            for look in [Look::Faint, Look::Own, Look::Good, Look::Mark, Look::Bad]
                .into_iter()
                .chain((0..theme.link_colors()).map(Look::Link))
            {
                let contrast = rgb(theme.style(look).fg).contrast(ground);
                assert!(contrast >= LEAST_CONTRAST, "{} {look:?}: {contrast}", name(&theme));
            }
        }
    }

    #[test]
    fn neighbouring_classes_of_tiles_are_apart_to_colour_blind_people_too() {
        for theme in themes().filter(|theme| theme.tiles != TileScheme::Plain) {
            for class in 0..16 {
                let (one, next) = (Look::Tile(class), Look::Tile(class + 1));
                let apart = vision::least_distance(fill(&theme, one), fill(&theme, next));
                assert!(apart >= APART, "{} {class}: {apart}", name(&theme));
            }
        }
    }

    #[test]
    fn a_hinted_tile_is_apart_from_all_others() {
        for theme in themes() {
            for class in 0..16 {
                let (one, hinted) =
                    (fill(&theme, Look::Tile(class)), fill(&theme, Look::HintedTile));
                let apart = vision::least_distance(one, hinted);
                assert!(apart >= APART, "{} {class}: {apart}", name(&theme));
            }
        }
    }

    #[test]
    fn any_two_colours_of_links_are_apart_and_each_from_a_hint() {
        for theme in themes() {
            let links = (0..theme.link_colors()).map(Look::Link).chain([Look::Mark]);
            let colors: Vec<Rgb> = links.map(|look| rgb(theme.style(look).fg)).collect();
            for (index, &one) in colors.iter().enumerate() {
                for &other in &colors[..index] {
                    let (apart, to_all) =
                        (vision::distance(one, other), vision::least_distance(one, other));
                    assert!(apart >= APART, "{} {one:?} {other:?}: {apart}", name(&theme));
                    // The terminal itself chooses what the 16 are.
                    let to_all = if theme.colors == Colors::Named { 1.0 } else { to_all };
                    assert!(to_all >= APART_TO_ALL, "{} {one:?} {other:?}: {to_all}", name(&theme));
                }
            }
        }
    }

    #[test]
    fn fringes_are_nested_corners() {
        let classes = |scheme: TileScheme| {
            [0, 1, 2].map(|row| [0, 1, 2].map(|column| scheme.class(row, column)))
        };
        assert_eq!(classes(TileScheme::Fringe), [[0, 0, 0], [0, 1, 1], [0, 1, 2]]);
        assert_eq!(classes(TileScheme::Rows), [[0; 3], [1; 3], [2; 3]]);
        assert_eq!(classes(TileScheme::Columns), [[0, 1, 2]; 3]);
        assert_eq!(classes(TileScheme::Plain), [[0; 3]; 3]);
    }

    #[test]
    fn without_colours_there_are_none() {
        let (colors, tiles) = (Colors::None, TileScheme::Fringe);
        let theme = Theme::new(Appearance { light: false, colors, ascii: false, tiles });
        for look in [Look::Faint, Look::Mark, Look::Link(3), Look::Tile(2), Look::HintedTile] {
            let style = theme.style(look);
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }
}
