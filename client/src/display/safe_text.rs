//! Makes text from a server or a file safe to display: no control sequence passes.

use gridrace_shared::heat::player_name::is_displayable;
use ratatui::buffer::Buffer;
use ratatui::text::Span;
use unicode_segmentation::UnicodeSegmentation;

/// What stands in for a character that may not be shown.
pub const STAND_IN: char = '·';
const STAND_IN_SYMBOL: &str = "·";
/// The same where only ASCII is drawn.
const ASCII_STAND_IN: &str = "?";
/// What a text that was cut off ends in, and the same where only ASCII is drawn.
const CUT: &str = "…";
const ASCII_CUT: &str = "~";
/// The longest symbol that one cell of the screen keeps, in bytes: a letter with a few
/// marks. More marks than that would pile up over the lines above.
const SYMBOL_BYTES: usize = 24;

/// Returns the text without control, escape, bidirectional and invisible characters,
/// shortened to a width in cells; what is cut off ends in `…`.
pub fn text(raw: &str, width: usize) -> String {
    // First of all, as a mark belongs to a stand-in that comes to be before it.
    let sound: String = raw.chars().map(shown).collect();
    let mut clean = String::new();
    let mut used = 0;
    for grapheme in sound.graphemes(true) {
        let symbol = symbol(grapheme);
        let cells = cells(symbol);
        if used + cells > width {
            shorten(&mut clean, width);
            return clean;
        }
        used += cells;
        clean.push_str(symbol);
    }
    clean
}

/// Returns a text in full, made fit to be shown, in pieces of at most `width` cells; one at least.
pub fn pieces(raw: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for grapheme in text(raw, usize::MAX).graphemes(true) {
        match pieces.last_mut() {
            Some(last) if last.is_empty() || cells(last) + cells(grapheme) <= width => {
                last.push_str(grapheme);
            }
            Some(_) | None => pieces.push(grapheme.to_owned()),
        }
    }
    pieces
}

/// Returns a text of several lines in full, each of them made fit to be shown.
pub fn lines(raw: &str) -> String {
    let lines: Vec<String> = raw.split('\n').map(|line| text(line, usize::MAX)).collect();
    lines.join("\n")
}

pub fn cells(text: &str) -> usize {
    Span::raw(text).width()
}

/// Returns the text in exactly this many cells: cut off, or padded with spaces.
pub fn column(raw: &str, width: usize) -> String {
    let mut clean = text(raw, width);
    let blank = width.saturating_sub(cells(&clean));
    clean.extend(std::iter::repeat_n(' ', blank));
    clean
}

/// Looks through a whole screen for what may not be shown: the last line of defence.
pub fn screen(buffer: &mut Buffer, ascii: bool) {
    for cell in &mut buffer.content {
        let symbol = cell.symbol();
        if symbol.len() == 1 && symbol.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            continue;
        }
        let steers = symbol.len() > SYMBOL_BYTES || !symbol.chars().all(is_displayable);
        if ascii && (steers || !symbol.is_ascii()) {
            cell.set_symbol(if symbol == CUT { ASCII_CUT } else { ASCII_STAND_IN });
        } else if steers {
            cell.set_symbol(STAND_IN_SYMBOL);
        }
    }
}

fn shown(c: char) -> char {
    if is_displayable(c) { c } else { STAND_IN }
}

fn symbol(grapheme: &str) -> &str {
    if grapheme.len() > SYMBOL_BYTES { STAND_IN_SYMBOL } else { grapheme }
}

/// Takes graphemes off the end until `…` fits behind them.
fn shorten(clean: &mut String, width: usize) {
    while cells(clean) + 1 > width {
        let Some((start, _)) = clean.grapheme_indices(true).next_back() else {
            return;
        };
        clean.truncate(start);
    }
    clean.push_str(CUT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::buffer::Cell;

    #[test]
    fn nothing_that_steers_is_left() {
        assert_eq!(text("a\u{1b}[31mb", 20), "a·[31mb");
        assert_eq!(text("a\u{202e}b\u{200b}c\u{9b}d\ne\r\nf", 20).matches('·').count(), 6);
        assert_eq!(text("Zoë 東京", 20), "Zoë 東京");
        assert_eq!(lines("a\u{1b}[2J\n  b\rc\n"), "a·[2J\n  b·c\n");
    }

    #[test]
    fn what_stands_in_on_a_screen_of_ascii_is_ascii() {
        for (ascii, shown) in [(false, "·é…"), (true, "??~")] {
            let mut buffer = Buffer::with_lines(["   "]);
            buffer.content[0].set_symbol("\u{1b}[2J");
            buffer.content[1].set_symbol("é");
            buffer.content[2].set_symbol("…");
            screen(&mut buffer, ascii);
            let symbols: String = buffer.content.iter().map(Cell::symbol).collect();
            assert_eq!(symbols, shown);
        }
    }

    #[test]
    fn a_text_is_cut_to_its_width_in_cells() {
        assert_eq!(text("abcdef", 4), "abc…");
        assert_eq!(text("東京都", 4), "東…");
        assert_eq!(text("abcd", 4), "abcd");
        assert_eq!(text("abcd", 0), "");
        assert_eq!(column("東", 4), "東  ");
    }

    #[test]
    fn a_text_is_broken_into_pieces_between_cells_and_nothing_of_it_is_lost() {
        assert_eq!(pieces("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(pieces("東京都", 5), ["東京", "都"]);
        assert_eq!(pieces("e\u{301}e\u{301}", 1), ["e\u{301}", "e\u{301}"]);
        assert_eq!(pieces("", 4), [""]);
        assert_eq!(pieces("ab", 0), ["a", "b"]);
    }

    #[test]
    fn marks_without_end_become_one_stand_in() {
        assert_eq!(text(&format!("a{}b", "\u{301}".repeat(100)), 20), "·b");
        // Nor do they pile up on a stand-in.
        assert_eq!(text(&format!("\u{1e}{}b", "\u{301}".repeat(12)), 20), "·b");
    }
}
