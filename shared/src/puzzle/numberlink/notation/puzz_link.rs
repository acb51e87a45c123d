//! puzz.link URLs of Numberlink puzzles.
//!
//! `https://puzz.link/p?numlin/COLS/ROWS/BODY`, where the body lists the cells row by row: a
//! hexadecimal digit is a number up to 15, `-` precedes two digits and `+` three, and `g` to `z`
//! skip 1 to 20 open cells. The format is pzpr's (sabo2 and others; "decodeNumber16" in
//! robx/pzprjs, src/puzzle/Encode.js); it has no solid cells. puzz.link allows empty cells, so a
//! puzzle with two solutions there may have one here.

use crate::puzzle::numberlink::{NumberlinkErrors, Puzzle, Square, Touch};
use crate::util::grid::{Cell, Size, SizeError};

/// The maximum length of a URL, in bytes: four characters for each cell of the largest board, and
/// room for the site's name.
const MAX_ADDRESS_BYTES: usize = 8 * 1024;

/// The maximum number of open cells that one letter skips.
const MAX_SKIP: u8 = 20;

/// Why a text is no puzzle's URL, or a puzzle has none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PuzzLinkError {
    #[error("the address is longer than any puzzle's")]
    TooLong,
    #[error("an address is written like https://puzz.link/p?numlin/COLS/ROWS/CELLS")]
    Malformed,
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error("character {0} of the cells makes no sense")]
    NoCell(usize),
    #[error("there are more cells than the size has")]
    TooMany,
    #[error(transparent)]
    Faults(#[from] NumberlinkErrors),
    #[error("puzz.link's Numberlink has no solid cells")]
    Solid,
    #[error("puzz.link's Numberlink lets links touch themselves")]
    NoTouch,
}

/// Parses a URL of any site with this format, with or without what precedes `numlin/`; `arukone/`,
/// whose cells are all covered, is accepted too. Gaps between numbers are closed.
///
/// ```
/// use gridrace_shared::puzzle::numberlink::notation::{read_puzz_link, write_puzz_link};
/// let address = "https://puzz.link/p?numlin/5/5/1j2h3m1h2j3";
/// let puzzle = read_puzz_link(address)?;
/// assert_eq!(puzzle.to_string(), "1..../2..3./...../.1..2/....3");
/// assert_eq!(write_puzz_link(&puzzle)?, address);
/// # Ok::<(), gridrace_shared::puzzle::numberlink::notation::PuzzLinkError>(())
/// ```
pub fn read_puzz_link(address: &str) -> Result<Puzzle, PuzzLinkError> {
    if address.len() > MAX_ADDRESS_BYTES {
        return Err(PuzzLinkError::TooLong);
    }
    let address = address.trim();
    let query = address.split_once('?').map_or(address, |(_, query)| query);
    let parts: Vec<&str> = query.split('/').collect();
    let ["numlin" | "arukone", cols, rows, body] = parts[..] else {
        return Err(PuzzLinkError::Malformed);
    };
    let side = |text: &str| match text.parse::<u16>() {
        Ok(side) if text.bytes().all(|c| c.is_ascii_digit()) => Ok(usize::from(side)),
        _ => Err(PuzzLinkError::Malformed),
    };
    let size = Size::new(side(rows)?, side(cols)?)?;
    let terminals = renumber(read_body(body, size.cells())?);
    Ok(Puzzle::new(size, &terminals, &[], Touch::Free)?)
}

/// Returns a puzzle's URL.
///
/// # Errors
/// [`PuzzLinkError::Solid`] and [`PuzzLinkError::NoTouch`] for puzzles that the format cannot
/// express.
pub fn write_puzz_link(puzzle: &Puzzle) -> Result<String, PuzzLinkError> {
    if puzzle.touch() == Touch::Forbidden {
        return Err(PuzzLinkError::NoTouch);
    }
    let (cols, rows) = (puzzle.size().cols(), puzzle.size().rows());
    let mut text = format!("https://puzz.link/p?numlin/{cols}/{rows}/");
    let mut open = 0;
    for square in puzzle.squares() {
        match *square {
            Square::Solid => return Err(PuzzLinkError::Solid),
            Square::Open => open += 1,
            Square::Terminal(number) => {
                text.extend(skip(open));
                open = 0;
                text += &match number {
                    0..16 => format!("{number:x}"),
                    16..256 => format!("-{number:x}"),
                    // At most 800 pairs.
                    256.. => format!("+{number:x}"),
                };
            }
        }
        if open == MAX_SKIP {
            text.extend(skip(open));
            open = 0;
        }
    }
    text.extend(skip(open));
    Ok(text)
}

/// Returns the letter that skips some cells, if any.
fn skip(open: u8) -> Option<char> {
    (1..=MAX_SKIP).contains(&open).then(|| char::from(b'f' + open))
}

/// Parses the numbers and their cells. Missing cells at the end are open.
fn read_body(body: &str, cells: usize) -> Result<Vec<(u16, Cell)>, PuzzLinkError> {
    let mut terminals = Vec::new();
    let (mut at, mut cell) = (0, 0);
    while let Some(&c) = body.as_bytes().get(at) {
        let wrong = PuzzLinkError::NoCell(at + 1);
        let (before, digits) = match c {
            b'0'..=b'9' | b'a'..=b'f' => (0, 1),
            b'-' => (1, 2),
            b'+' => (1, 3),
            b'g'..=b'z' => {
                at += 1;
                cell += usize::from(c - b'f');
                continue;
            }
            _ => return Err(wrong),
        };
        let digits = body.get(at + before..at + before + digits).ok_or(wrong.clone())?;
        if !digits.bytes().all(|c| c.is_ascii_hexdigit()) {
            return Err(wrong);
        }
        let number = u16::from_str_radix(digits, 16).map_err(|_| wrong)?;
        if cell >= cells {
            return Err(PuzzLinkError::TooMany);
        }
        // Cell numbers fit 16 bits.
        terminals.push((number, Cell(u16::try_from(cell).unwrap_or(u16::MAX))));
        at += before + digits.len();
        cell += 1;
    }
    if cell > cells {
        return Err(PuzzLinkError::TooMany);
    }
    Ok(terminals)
}

/// Closes the gaps between numbers if each of them occurs twice. Otherwise they are unchanged, so
/// that errors name the URL's own numbers.
fn renumber(mut terminals: Vec<(u16, Cell)>) -> Vec<(u16, Cell)> {
    terminals.sort_unstable();
    let twice = terminals.chunk_by(|a, b| a.0 == b.0);
    if twice.clone().all(|same| same.len() == 2 && same[0].0 > 0) {
        for (number, two) in (1..).zip(terminals.chunks_mut(2)) {
            two.iter_mut().for_each(|terminal| terminal.0 = number);
        }
    }
    terminals
}
