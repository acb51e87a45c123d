//! Colours and symbols.
//!
//! The colours are Okabe and Ito's, which colour-blind people tell apart, in the nearest
//! of the 256 that every terminal has. Nothing is said by colour alone. Without colours
//! only bold, underlined and reversed are left; they are taken out here, since crossterm's
//! own way of leaving them out wipes those, too.

use ratatui::style::{Color, Style};
use ratatui::symbols::border;

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
    /// A number and its link: the letters tell apart what has the same colour.
    Number(u16),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appearance {
    /// Whether the terminal's background is light.
    pub light: bool,
    pub color: bool,
    /// Whether only ASCII is drawn.
    pub ascii: bool,
}

/// The style of each [`Look`], and the symbols.
#[derive(Debug, Clone, Copy)]
pub struct Theme {
    color: bool,
    light: bool,
    pub symbols: &'static Symbols,
}

/// What is drawn with more than letters.
#[derive(Debug)]
pub struct Symbols {
    /// Borders of boxes.
    pub border: border::Set<'static>,
    /// Crossings of a board's lines: top, middle and bottom `┬ ┼ ┴`, left and right `├ ┤`.
    pub cross: [&'static str; 5],
    /// A full and an empty part of a bar.
    pub bar: [&'static str; 2],
    /// Both sides of a tile that a hint is about.
    pub hint: [&'static str; 2],
    pub leader: &'static str,
    pub cursor: &'static str,
    /// Time goes on, and time stands still.
    pub playing: [&'static str; 2],
    pub check: [&'static str; 2],
    /// The arrow keys.
    pub arrows: &'static str,
    /// Those that go left and right.
    pub sideways: &'static str,
    /// Between two facts on a line.
    pub dot: &'static str,
    pub times: &'static str,
    pub plus_minus: &'static str,
    /// What a big digit is drawn with.
    pub block: &'static str,
    pub ellipsis: &'static str,
    /// Nothing to say here.
    pub none: &'static str,
    pub links: LinkSymbols,
}

/// What links are drawn with. A piece has its number by where it leads: 1 left, 2 up, 4
/// right, 8 down, added.
#[derive(Debug)]
pub struct LinkSymbols {
    /// The pieces of a link that is being drawn.
    pub open: [&'static str; 16],
    /// The pieces of one that joins its terminals.
    pub done: [&'static str; 16],
    /// Nothing is drawn here.
    pub empty: &'static str,
    pub solid: &'static str,
    /// What another link loses to the stroke in the making.
    pub lost: &'static str,
    /// Where the stroke in the making cuts another link.
    pub cut: &'static str,
    pub hint: &'static str,
    /// Where a link goes wrong, as a hint says.
    pub wrong: &'static str,
}

const UNICODE: Symbols = symbols(false);
const ASCII: Symbols = symbols(true);
const ASCII_BORDER: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};
const OPEN: [[&str; 16]; 2] = [
    ["●", "●", "●", "╯", "●", "─", "╰", "┴", "●", "╮", "│", "┤", "╭", "┬", "├", "┼"],
    ["@", "@", "@", "+", "@", "-", "+", "+", "@", "+", "|", "+", "+", "+", "+", "+"],
];
const DONE: [[&str; 16]; 2] = [
    ["●", "●", "●", "┛", "●", "━", "┗", "┻", "●", "┓", "┃", "┫", "┏", "┳", "┣", "╋"],
    ["@", "@", "@", "#", "@", "=", "#", "#", "@", "#", "#", "#", "#", "#", "#", "#"],
];

/// Returns the symbols: of each pair the first, or the second where only ASCII is drawn.
const fn symbols(ascii: bool) -> Symbols {
    let set = ascii as usize;
    Symbols {
        border: if ascii { ASCII_BORDER } else { border::ROUNDED },
        cross: [["┬", "┼", "┴", "├", "┤"], ["+"; 5]][set],
        bar: [["█", "░"], ["#", "."]][set],
        hint: [["›", "‹"], [">", "<"]][set],
        leader: ["★", "*"][set],
        cursor: ["▸", ">"][set],
        playing: [["▶", "‖"], [">", "="]][set],
        check: [["✓", "✗"], ["ok", "NO"]][set],
        arrows: ["←↑↓→", "arrows"][set],
        sideways: ["←→", "left right"][set],
        dot: ["·", "-"][set],
        times: ["×", "x"][set],
        plus_minus: ["±", "+-"][set],
        block: ["█", "#"][set],
        ellipsis: ["…", "..."][set],
        none: ["–", "-"][set],
        links: LinkSymbols {
            open: OPEN[set],
            done: DONE[set],
            empty: ["·", "."][set],
            solid: ["▒", "%"][set],
            lost: ["×", "~"][set],
            cut: ["╳", "!"][set],
            hint: "*",
            wrong: ["✗", "?"][set],
        },
    }
}

/// Okabe and Ito's colours by their nearest of the 256.
const ORANGE: Color = Color::Indexed(214);
const SKY: Color = Color::Indexed(74);
const GREEN: Color = Color::Indexed(36);
const BLUE: Color = Color::Indexed(25);
const VERMILLION: Color = Color::Indexed(166);
const DARK_GREEN: Color = Color::Indexed(29);
const DARK_ORANGE: Color = Color::Indexed(130);
const GREY: Color = Color::Indexed(245);
const DARK_GREY: Color = Color::Indexed(241);
const LINE_ON_DARK: Color = Color::Indexed(240);
const LINE_ON_LIGHT: Color = Color::Indexed(249);
/// The colours of numbers, in turn; black and yellow, which one of the grounds swallows,
/// are left to the other, and blue is lighter on dark.
const NUMBERS_ON_DARK: [Color; 7] =
    [ORANGE, SKY, GREEN, Color::Indexed(227), Color::Indexed(32), VERMILLION, Color::Indexed(175)];
const NUMBERS_ON_LIGHT: [Color; 7] = [
    DARK_ORANGE,
    Color::Indexed(31),
    DARK_GREEN,
    Color::Indexed(16),
    BLUE,
    VERMILLION,
    Color::Indexed(132),
];

impl Theme {
    pub const fn new(Appearance { light, color, ascii }: Appearance) -> Self {
        Self { color, light, symbols: if ascii { &ASCII } else { &UNICODE } }
    }

    pub fn style(&self, look: Look) -> Style {
        let style = match look {
            Look::Text => Style::new(),
            Look::Faint => Style::new().fg(self.pick(GREY, DARK_GREY)),
            Look::Strong | Look::Key => Style::new().bold(),
            Look::Own | Look::Cursor => Style::new().fg(self.pick(SKY, BLUE)).bold(),
            Look::Good => Style::new().fg(self.pick(GREEN, DARK_GREEN)).bold(),
            Look::Mark => Style::new().fg(self.pick(ORANGE, DARK_ORANGE)).bold(),
            Look::Bad => Style::new().fg(VERMILLION).bold(),
            Look::Line => Style::new().fg(self.pick(LINE_ON_DARK, LINE_ON_LIGHT)),
            Look::Number(number) => Style::new().fg(self.number(number)),
        };
        if self.color {
            style
        } else {
            Style { fg: None, bg: None, underline_color: None, ..style }
        }
    }

    fn number(&self, number: u16) -> Color {
        let colors = if self.light { NUMBERS_ON_LIGHT } else { NUMBERS_ON_DARK };
        colors[usize::from(number.saturating_sub(1)) % colors.len()]
    }

    const fn pick(&self, on_dark: Color, on_light: Color) -> Color {
        if self.light { on_light } else { on_dark }
    }
}
