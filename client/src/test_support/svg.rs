//! A screen as a picture: one SVG, in which a cell is a rectangle of its ground and its symbol.
//!
//! Lines, blocks and braille are drawn as shapes, so that they join whatever font the viewer has.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::fmt::Write;

/// Columns and lines of a cell in the picture's units: two of them are a square.
const CELL: (u16, u16) = (8, 16);
const FONT_SIZE: u16 = 13;
/// From the top of a cell to the line on which its letters stand.
const BASELINE: u16 = 12;

/// The colours of a terminal's own: its ink, its ground, and the first 16 of its palette.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    ink: [u8; 3],
    ground: [u8; 3],
    named: [[u8; 3]; 16],
}

/// Xterm's own palette on black, and the same on white.
pub(crate) const DARK: Palette =
    Palette { ink: [0xd8, 0xdb, 0xe2], ground: [0x15, 0x17, 0x1c], named: XTERM };
pub(crate) const LIGHT: Palette =
    Palette { ink: [0x20, 0x22, 0x26], ground: [0xfd, 0xfd, 0xfb], named: XTERM };
const XTERM: [[u8; 3]; 16] = [
    [0x00, 0x00, 0x00],
    [0xcd, 0x00, 0x00],
    [0x00, 0xcd, 0x00],
    [0xcd, 0xcd, 0x00],
    [0x00, 0x00, 0xee],
    [0xcd, 0x00, 0xcd],
    [0x00, 0xcd, 0xcd],
    [0xe5, 0xe5, 0xe5],
    [0x7f, 0x7f, 0x7f],
    [0xff, 0x00, 0x00],
    [0x00, 0xff, 0x00],
    [0xff, 0xff, 0x00],
    [0x5c, 0x5c, 0xff],
    [0xff, 0x00, 0xff],
    [0x00, 0xff, 0xff],
    [0xff, 0xff, 0xff],
];

/// Where a symbol's lines lead: left, up, right, down; 1 light, 2 heavy.
const LINES: [(&str, [u8; 4]); 33] = [
    ("─", [1, 0, 1, 0]),
    ("│", [0, 1, 0, 1]),
    ("╭", [0, 0, 1, 1]),
    ("╮", [1, 0, 0, 1]),
    ("╯", [1, 1, 0, 0]),
    ("╰", [0, 1, 1, 0]),
    ("┌", [0, 0, 1, 1]),
    ("┐", [1, 0, 0, 1]),
    ("┘", [1, 1, 0, 0]),
    ("└", [0, 1, 1, 0]),
    ("├", [0, 1, 1, 1]),
    ("┤", [1, 1, 0, 1]),
    ("┬", [1, 0, 1, 1]),
    ("┴", [1, 1, 1, 0]),
    ("┼", [1, 1, 1, 1]),
    ("╴", [1, 0, 0, 0]),
    ("╵", [0, 1, 0, 0]),
    ("╶", [0, 0, 1, 0]),
    ("╷", [0, 0, 0, 1]),
    ("━", [2, 0, 2, 0]),
    ("┃", [0, 2, 0, 2]),
    ("┏", [0, 0, 2, 2]),
    ("┓", [2, 0, 0, 2]),
    ("┛", [2, 2, 0, 0]),
    ("┗", [0, 2, 2, 0]),
    ("┣", [0, 2, 2, 2]),
    ("┫", [2, 2, 0, 2]),
    ("┳", [2, 0, 2, 2]),
    ("┻", [2, 2, 2, 0]),
    ("╋", [2, 2, 2, 2]),
    ("╺", [0, 0, 2, 0]),
    ("╸", [2, 0, 0, 0]),
    ("╻", [0, 0, 0, 2]),
];

/// Draws a screen as a picture on a terminal with these colours.
pub(crate) fn picture(buffer: &Buffer, palette: &Palette) -> String {
    let (columns, lines) = (buffer.area.width, buffer.area.height);
    let (width, height) = (columns * CELL.0, lines * CELL.1);
    let ground = hex(palette.ground);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, \
         monospace\" font-size=\"{FONT_SIZE}\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"{ground}\"/>\n"
    );
    for (y, row) in (0..).zip(buffer.content.chunks(usize::from(columns))) {
        let runs = runs(row, palette);
        for run in &runs {
            if run.ground != palette.ground {
                rect(
                    &mut svg,
                    [run.x * CELL.0, y * CELL.1, run.cells * CELL.0, CELL.1],
                    run.ground,
                );
            }
        }
        for run in &runs {
            draw(&mut svg, run, y);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Cells of a line that look alike.
struct Run<'a> {
    x: u16,
    cells: u16,
    symbols: Vec<(u16, &'a str)>,
    ink: [u8; 3],
    ground: [u8; 3],
    modifier: Modifier,
}

fn runs<'a>(row: &'a [Cell], palette: &Palette) -> Vec<Run<'a>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    let mut covered = 0;
    for (x, cell) in (0u16..).zip(row) {
        let (ink, ground) = colors(cell, palette);
        let modifier = cell.modifier & (Modifier::BOLD | Modifier::UNDERLINED);
        // A wide symbol leaves the cell behind it empty.
        let symbol = if covered > 0 { "" } else { cell.symbol() };
        covered = crate::display::safe_text::cells(symbol).max(covered).saturating_sub(1);
        match runs.last_mut() {
            Some(run) if (run.ink, run.ground, run.modifier) == (ink, ground, modifier) => {
                run.cells += 1;
                run.symbols.push((x, symbol));
            }
            _ => runs.push(Run { x, cells: 1, symbols: vec![(x, symbol)], ink, ground, modifier }),
        }
    }
    runs
}

fn draw(svg: &mut String, run: &Run<'_>, line: u16) {
    let y = line * CELL.1;
    let (mut text, mut columns) = (String::new(), Vec::new());
    let (mut rects, mut path) = (String::new(), String::new());
    for &(column, symbol) in &run.symbols {
        let x = column * CELL.0;
        let drawn = block(&mut rects, symbol, x, y)
            || shade(&mut path, symbol, x, y)
            || braille(&mut rects, symbol, x, y)
            || lines(&mut path, symbol, x, y);
        if !drawn && !symbol.trim().is_empty() {
            text.push_str(&escaped(symbol));
            // An attribute for each letter, those of a symbol with marks included.
            columns.push(x.to_string());
            columns.extend(symbol.chars().skip(1).map(|_| x.to_string()));
        }
    }
    let ink = hex(run.ink);
    if !rects.is_empty() {
        writeln!(svg, "<path fill=\"{ink}\" d=\"{rects}\"/>").unwrap();
    }
    if !path.is_empty() {
        svg.push_str(&path.replace("INK", &ink));
        svg.push('\n');
    }
    if !text.is_empty() {
        let bold = if run.modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
        let (x, y) = (columns.join(" "), y + BASELINE);
        writeln!(svg, "<text x=\"{x}\" y=\"{y}\" fill=\"{ink}\"{bold}>{text}</text>").unwrap();
    }
    if run.modifier.contains(Modifier::UNDERLINED) {
        rect(svg, [run.x * CELL.0, y + CELL.1 - 2, run.cells * CELL.0, 1], run.ink);
    }
}

/// Draws a block element; says whether the symbol is one.
fn block(path: &mut String, symbol: &str, x: u16, y: u16) -> bool {
    let (w, h) = (f32::from(CELL.0), f32::from(CELL.1));
    let mut part = |left: f32, top: f32, right: f32, bottom: f32| {
        let (x, y) = (f32::from(x) + left * w, f32::from(y) + top * h);
        let (width, height) = ((right - left) * w, (bottom - top) * h);
        write!(path, "M{x} {y}h{width}v{height}h-{width}z").unwrap();
    };
    let Some(letter) = symbol.chars().next() else { return false };
    match letter {
        '▀' => part(0.0, 0.0, 1.0, 0.5),
        '▁'..='█' => {
            let eighths = u32::from(letter) - u32::from('▀');
            part(0.0, 1.0 - eighths as f32 / 8.0, 1.0, 1.0);
        }
        '▉'..='▏' => {
            let eighths = u32::from('▐') - u32::from(letter);
            part(0.0, 0.0, eighths as f32 / 8.0, 1.0);
        }
        '▐' => part(0.5, 0.0, 1.0, 1.0),
        '▔' => part(0.0, 0.0, 1.0, 0.125),
        '▕' => part(0.875, 0.0, 1.0, 1.0),
        '▖'..='▟' => {
            // Upper left, upper right, lower left, lower right, of ▖▗▘▙▚▛▜▝▞▟.
            const QUADRANTS: [[u8; 4]; 10] = [
                [0, 0, 1, 0],
                [0, 0, 0, 1],
                [1, 0, 0, 0],
                [1, 0, 1, 1],
                [1, 0, 0, 1],
                [1, 1, 1, 0],
                [1, 1, 0, 1],
                [0, 1, 0, 0],
                [0, 1, 1, 0],
                [0, 1, 1, 1],
            ];
            let quadrants = QUADRANTS[(u32::from(letter) - u32::from('▖')) as usize];
            for (index, _) in quadrants.iter().enumerate().filter(|(_, set)| **set == 1) {
                let (left, top) = ((index % 2) as f32 / 2.0, (index / 2) as f32 / 2.0);
                part(left, top, left + 0.5, top + 0.5);
            }
        }
        _ => return false,
    }
    true
}

/// Draws a shade as the ink, thinned; says whether the symbol is one.
fn shade(path: &mut String, symbol: &str, x: u16, y: u16) -> bool {
    let shades = [("░", 0.25), ("▒", 0.5), ("▓", 0.75)];
    let Some((_, share)) = shades.into_iter().find(|(known, _)| *known == symbol) else {
        return false;
    };
    let (w, h) = CELL;
    write!(path, "<path fill=\"INK\" fill-opacity=\"{share}\" d=\"M{x} {y}h{w}v{h}h-{w}z\"/>")
        .unwrap();
    true
}

/// Draws the dots of a braille symbol; says whether it is one.
fn braille(path: &mut String, symbol: &str, x: u16, y: u16) -> bool {
    let Some(letter @ '\u{2800}'..='\u{28ff}') = symbol.chars().next() else { return false };
    let dots = u32::from(letter) - 0x2800;
    // Unicode numbers six dots down the columns, and the two lowest after those.
    for (bit, (column, row)) in
        [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)].into_iter().enumerate()
    {
        if dots >> bit & 1 == 1 {
            let (x, y) = (x + 4 * column + 1, y + 4 * row + 1);
            write!(path, "M{x} {y}h2v2h-2z").unwrap();
        }
    }
    true
}

/// Draws a symbol of lines; says whether it is one.
fn lines(path: &mut String, symbol: &str, x: u16, y: u16) -> bool {
    let Some((_, arms)) = LINES.iter().find(|(known, _)| *known == symbol) else { return false };
    let (mid_x, mid_y) = (x + CELL.0 / 2, y + CELL.1 / 2);
    let heavy = arms.contains(&2);
    let width = if heavy { 3 } else { 1 };
    let ends = [(x, mid_y), (mid_x, y), (x + CELL.0, mid_y), (mid_x, y + CELL.1)];
    let led: Vec<(u16, u16)> =
        ends.into_iter().zip(arms).filter(|(_, arm)| **arm > 0).map(|(end, _)| end).collect();
    let drawn = match (symbol, led.as_slice()) {
        ("╭" | "╮" | "╯" | "╰", &[(ax, ay), (bx, by)]) => {
            format!("M{ax} {ay}Q{mid_x} {mid_y} {bx} {by}")
        }
        (_, ends) => {
            ends.iter().map(|(end_x, end_y)| format!("M{mid_x} {mid_y}L{end_x} {end_y}")).collect()
        }
    };
    write!(
        path,
        "<path fill=\"none\" stroke=\"INK\" stroke-width=\"{width}\" stroke-linecap=\"square\" \
         d=\"{drawn}\"/>"
    )
    .unwrap();
    true
}

fn rect(svg: &mut String, [x, y, width, height]: [u16; 4], color: [u8; 3]) {
    let fill = hex(color);
    writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>"
    )
    .unwrap();
}

/// Returns a cell's ink and ground as the terminal shows them.
fn colors(cell: &Cell, palette: &Palette) -> ([u8; 3], [u8; 3]) {
    let ink = color(cell.fg, palette).unwrap_or(palette.ink);
    let ground = color(cell.bg, palette).unwrap_or(palette.ground);
    let (ink, ground) =
        if cell.modifier.contains(Modifier::REVERSED) { (ground, ink) } else { (ink, ground) };
    let mixed = |index: usize| (u16::from(ink[index]) + u16::from(ground[index])) / 2;
    let dim = [mixed(0), mixed(1), mixed(2)].map(|part| u8::try_from(part).unwrap_or(u8::MAX));
    (if cell.modifier.contains(Modifier::DIM) { dim } else { ink }, ground)
}

fn color(color: Color, palette: &Palette) -> Option<[u8; 3]> {
    let named = |index: usize| Some(palette.named[index]);
    match color {
        Color::Reset => None,
        Color::Black => named(0),
        Color::Red => named(1),
        Color::Green => named(2),
        Color::Yellow => named(3),
        Color::Blue => named(4),
        Color::Magenta => named(5),
        Color::Cyan => named(6),
        Color::Gray => named(7),
        Color::DarkGray => named(8),
        Color::LightRed => named(9),
        Color::LightGreen => named(10),
        Color::LightYellow => named(11),
        Color::LightBlue => named(12),
        Color::LightMagenta => named(13),
        Color::LightCyan => named(14),
        Color::White => named(15),
        Color::Rgb(red, green, blue) => Some([red, green, blue]),
        Color::Indexed(index @ 0..=15) => named(index.into()),
        Color::Indexed(index @ 16..=231) => {
            let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
            let index = index - 16;
            Some([level(index / 36), level(index / 6 % 6), level(index % 6)])
        }
        Color::Indexed(index) => Some([8 + 10 * (index - 232); 3]),
    }
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn a_cell_has_its_ground_its_colour_and_its_column() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 2));
        buffer.set_string(1, 1, "<東", Style::new().fg(Color::Indexed(214)).bold());
        buffer.set_string(0, 0, " ", Style::new().reversed());
        let svg = picture(&buffer, &DARK);
        let text = "<text x=\"8 16\" y=\"28\" fill=\"#ffaf00\" font-weight=\"bold\">&lt;東</text>";
        assert!(svg.contains(text), "{svg}");
        let ground = "<rect x=\"0\" y=\"0\" width=\"8\" height=\"16\" fill=\"#d8dbe2\"/>";
        assert!(svg.contains(ground), "{svg}");
    }

    #[test]
    fn lines_blocks_and_braille_are_shapes() {
        for symbol in ["╭", "┼", "━", "█", "▀", "▌", "░", "▞", "⠿"] {
            let svg = picture(&Buffer::with_lines([symbol]), &LIGHT);
            assert!(svg.contains("<path") && !svg.contains("<text"), "{symbol}: {svg}");
        }
    }
}
