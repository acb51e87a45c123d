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
    /// What a hint marks among links.
    LinkHint,
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

/// The fills of links: Okabe and Ito's colours, with a light grey for their black, which is not
/// seen on a dark ground. Any two are apart, and each from the black or white of a hint.
const LINKS: [Paint; 8] = [
    paint(0x00_72b2, Color::LightBlue),
    paint(0xe6_9f00, Color::Yellow),
    paint(0x00_9e73, Color::Green),
    paint(0xf0_e442, Color::LightYellow),
    paint(0xcc_79a7, Color::Magenta),
    paint(0x56_b4e9, Color::LightCyan),
    paint(0xd5_5e00, Color::LightRed),
    paint(0xcc_cccc, Color::Cyan),
];
/// The blue of links as text on a dark ground: lighter, so that it has the contrast of text.
const BLUE_LINK_ON_DARK: Paint = paint(0x00_87d7, Color::LightBlue);
const LINK_HINTS: OnBoth = [paint(0xff_ffff, Color::White), paint(0x00_0000, Color::Black)];

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

/// How many colours of links there are.
pub const LINK_COLORS: usize = LINKS.len();

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
            // Light colours have too little contrast with a light ground to be text on it.
            Look::Link(_) | Look::LinkHint if self.light && self.has_colors() => {
                self.filled_style(look)
            }
            Look::Link(number) if number % LINKS.len() == 0 => self.text(BLUE_LINK_ON_DARK),
            Look::Link(number) => self.text(self.link(number)),
            Look::LinkHint => self.text(self.pick(LINK_HINTS)).bold(),
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
            Look::LinkHint => self.pick(LINK_HINTS),
            Look::Tile(class) => self.tile(class),
            Look::HintedTile => self.hinted_tile(),
            Look::QrCode => WHITE,
            Look::Text | Look::Strong | Look::Key => return Style::new(),
        })
    }

    pub fn has_colors(&self) -> bool {
        self.colors > Colors::None
    }

    /// Says whether a picture can be shown.
    pub fn shows_pictures(&self) -> bool {
        self.colors >= Colors::Indexed && !self.symbols.is_ascii
    }

    /// Says whether links have too little contrast with the ground to be seen by their fill alone.
    pub const fn needs_letters_on_links(&self) -> bool {
        self.light
    }

    const fn link(&self, number: usize) -> Paint {
        LINKS[number % LINKS.len()]
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

    /// Returns the terminal's nearest to any colour; none where it has 16 or fewer.
    pub fn color_of(&self, rgb: Rgb) -> Option<Color> {
        match self.colors {
            Colors::None | Colors::Named => None,
            Colors::Indexed => Some(Color::Indexed(rgb.nearest_256())),
            Colors::True => Some(Color::Rgb(rgb.0, rgb.1, rgb.2)),
        }
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
            let links = (0..LINK_COLORS).map(Look::Link);
            let links = links.chain([Look::LinkHint, Look::Mark, Look::Bad]);
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
            for look in [Look::Faint, Look::Own, Look::Good, Look::Mark, Look::Bad, Look::LinkHint]
                .into_iter()
                .chain((0..LINK_COLORS).map(Look::Link))
            {
                let style = theme.style(look);
                let ground = style.bg.map_or(ground, |fill| rgb(Some(fill)));
                let contrast = rgb(style.fg).contrast(ground);
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
    fn fills_of_links_have_the_contrast_of_graphical_objects_with_a_dark_ground() {
        for theme in themes().filter(|theme| !theme.light && theme.colors > Colors::Named) {
            for number in 0..LINK_COLORS {
                let contrast = rgb(theme.filled_style(Look::Link(number)).bg).contrast(BLACK);
                assert!(contrast >= 3.0, "{} {number}: {contrast}", name(&theme));
            }
        }
    }

    #[test]
    fn any_two_colours_of_links_are_apart_and_each_from_a_hint() {
        for (theme, is_filled) in themes().flat_map(|theme| [(theme, false), (theme, true)]) {
            let links = (0..LINK_COLORS).map(Look::Link).chain([Look::LinkHint]);
            let color = |look| {
                let style = theme.style(look);
                let fill = theme.filled_style(look).bg;
                rgb(if is_filled { fill } else { style.bg.or(style.fg) })
            };
            let colors: Vec<Rgb> = links.map(color).collect();
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
        for look in [Look::Faint, Look::Mark, Look::Link(3), Look::LinkHint, Look::Tile(2)] {
            let style = theme.style(look);
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }
}
