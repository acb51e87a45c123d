//! Symbols of the display that are not letters: one set in Unicode, one in ASCII.

use ratatui::symbols::border;

/// What is drawn with more than letters.
#[derive(Debug)]
pub struct Symbols {
    pub is_ascii: bool,
    /// Borders of boxes.
    pub border: border::Set<'static>,
    /// Crossings of a board's lines: top, middle and bottom `┬ ┼ ┴`, left and right `├ ┤`.
    pub cross: [&'static str; 5],
    /// A full and an empty part of a bar.
    pub bar: [&'static str; 2],
    /// Both sides of a tile that a hint is about.
    pub hint: [&'static str; 2],
    /// Both sides of a large number in brackets: at its top, between and at its bottom.
    pub brackets: [[&'static str; 3]; 2],
    pub leader: &'static str,
    /// Columns of one to eight eighths.
    pub columns: [&'static str; 8],
    pub cursor: &'static str,
    /// Time goes on, and time stands still.
    pub playing: [&'static str; 2],
    pub check: [&'static str; 2],
    /// The arrow keys.
    pub arrows: &'static str,
    /// Between two facts on a line.
    pub dot: &'static str,
    pub times: &'static str,
    pub plus_minus: &'static str,
    /// What a big digit is drawn with.
    pub block: &'static str,
    pub ellipsis: &'static str,
    /// Stands in place of a missing value.
    pub none: &'static str,
    /// Bars of growing height; none in ASCII.
    pub levels: Option<[&'static str; 8]>,
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
    /// A cell without a link.
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

pub(super) const UNICODE: Symbols = symbols(false);
pub(super) const ASCII: Symbols = symbols(true);
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
        is_ascii: ascii,
        brackets: [[["┌", "│", "└"], ["┐", "│", "┘"]], [["[", "[", "["], ["]", "]", "]"]]][set],
        border: if ascii { ASCII_BORDER } else { border::ROUNDED },
        cross: [["┬", "┼", "┴", "├", "┤"], ["+"; 5]][set],
        bar: [["█", "░"], ["#", "."]][set],
        hint: [["›", "‹"], [">", "<"]][set],
        columns: [
            ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
            [".", ".", ":", ":", "|", "|", "#", "#"],
        ][set],
        leader: ["★", "*"][set],
        cursor: ["▸", ">"][set],
        playing: [["▶", "‖"], [">", "="]][set],
        check: [["✓", "✗"], ["ok", "NO"]][set],
        arrows: ["←↑↓→", "arrows"][set],
        dot: ["·", "-"][set],
        times: ["×", "x"][set],
        plus_minus: ["±", "+-"][set],
        block: ["█", "#"][set],
        ellipsis: ["…", "..."][set],
        none: ["–", "-"][set],
        levels: if ascii {
            None
        } else {
            Some(["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"])
        },
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
