//! Parses the input of `gridrace solve`: one board, or a list with one board a line.

use crate::cli::args::solve::SolveArgs;
use crate::cli::exit_code::Failure;
use crate::commands::solve::lines::{grids_as_lines, numbered};
use crate::commands::solve::link::input::is_meant;
use crate::display::safe_text;
use anyhow::Context;
use gridrace_shared::puzzle::Board as AnyBoard;
use gridrace_shared::puzzle::id::{PuzzleId, PuzzleIdError};
use gridrace_shared::puzzle::slide::notation::{BoardTextError, read_board};
use gridrace_shared::puzzle::slide::{Board, SlideIdError};
use gridrace_shared::util::grid::Size;
use std::fs::File;
use std::io::{self, IsTerminal, Read};

/// The longest input that is read, in bytes: two hundred thousand boards of 4×4.
const INPUT_BYTES: u64 = 8 * 1024 * 1024;
/// As many faults of a board as fit on a screen.
const FAULTS: usize = 16;
/// As much of a word that is no tile as half a line has room for, in cells.
const WORD: usize = 40;

const NO_BOARD: &str = "no board: give one, as in gridrace solve '1 2 3/4 0 6/7 5 8' or \
    gridrace solve 'slide:4x4#friday', or --file, or pipe one in";
/// What is said of a text that has none of a board's numbers.
const FORMS: &str = "it is written like '1 2 3/4 0 6/7 5 8', or as an id like slide:4x4#friday";
/// What is said of a Numberlink among sliding puzzles.
const OTHER_FAMILY: &str =
    "that is a Numberlink; a list holds one family, and this one began with a sliding puzzle";

#[derive(Debug, PartialEq)]
pub enum SlideBoards {
    One(Board),
    List(SlideList),
}

/// Lines that are read one by one, so that a long list takes no more room than its text.
#[derive(Debug, PartialEq)]
pub struct SlideList {
    text: String,
    size: Option<Size>,
}

#[derive(Debug, PartialEq)]
pub struct SlideLine {
    /// Its number, from 1, comments and empty lines counted.
    pub number: usize,
    /// Its board, or why it has none.
    pub board: Result<Board, String>,
    /// The length that its shortest solutions are known to have.
    pub known: Option<u32>,
}

impl SlideList {
    pub fn of(board: &Board) -> Self {
        let (text, size) = (board.to_string(), Some(board.size()));
        Self { text, size }
    }

    /// Counts the lines that should have a board.
    pub fn len(&self) -> usize {
        numbered(&self.text).count()
    }

    pub fn lines(&self) -> impl Iterator<Item = SlideLine> {
        numbered(&self.text).map(|(number, text)| line(number, text, self.size))
    }
}

pub fn goal(args: &SolveArgs) -> Result<Option<Board>, Failure> {
    let goal = args.goal.as_ref().map(|text| sized(text, args.size)).transpose();
    goal.map_err(|why| Failure::usage(format!("the goal: {why}")))
}

/// Returns the text that holds the boards; without one, the failure shows examples.
pub fn text(args: &SolveArgs) -> Result<String, Failure> {
    let text = match (args.board(), &args.file) {
        (Some(board), _) => Some(board.to_owned()),
        (None, Some(path)) => {
            let name = path.display();
            let file = File::open(path).with_context(|| format!("can't open {name}"))?;
            bounded(file).with_context(|| format!("can't read {name}"))?
        }
        (None, None) if io::stdin().is_terminal() => Some(String::new()),
        (None, None) => bounded(io::stdin().lock()).context("can't read standard input")?,
    };
    let text = text.ok_or_else(|| unreadable("the input is too long", "", args))?;
    if numbered(&text).next().is_none() {
        return Err(unreadable(NO_BOARD, "", args));
    }
    Ok(text)
}

/// Reads boards of the sliding puzzle; a single one that can't be read is a usage failure.
pub fn read(text: &str, args: &SolveArgs) -> Result<SlideBoards, Failure> {
    if args.board().is_some() {
        return sized(text, args.size).map(SlideBoards::One).map_err(Failure::usage);
    }
    parse(text, args.size).map_err(|why| unreadable(&why, text, args))
}

/// Says why a text is no board; of a file, in which line if it has only one.
pub fn unreadable(why: &str, text: &str, args: &SolveArgs) -> Failure {
    let Some(file) = &args.file else { return Failure::usage(why) };
    let mut lines = numbered(text);
    let line = match (lines.next(), lines.next()) {
        (Some((number, _)), None) => format!(", line {number}"),
        (_, _) => String::new(),
    };
    Failure::usage(format!("{}{line}: {why}", file.display()))
}

/// Reads a text as one board, which may take several lines, or else as a list.
pub fn parse(text: &str, size: Option<Size>) -> Result<SlideBoards, String> {
    let lines: Vec<&str> = numbered(text).map(|(_, line)| line).collect();
    let why = match one(&lines.join("\n"), size) {
        Ok(board) => return of_size(board, size).map(SlideBoards::One),
        Err(why) => why,
    };
    let text = match grids_as_lines(text, |grid| one(grid, size).is_ok()) {
        Some(text) => text,
        None if is_list(&lines, text, size) => text.to_owned(),
        None => return Err(why),
    };
    Ok(SlideBoards::List(SlideList { text, size }))
}

/// Says whether lines that are no board together are meant as a list of them: some line has what
/// only a line with a whole board has, or two lines are boards: each board has a blank, so they are no
/// rows of one; of a text with comments, one line is enough.
fn is_list(lines: &[&str], text: &str, size: Option<Size>) -> bool {
    let is_board = |line: &&&str| one(line, None).is_ok();
    match lines {
        [] => false,
        [line] => line.contains(';'),
        _ => {
            size.is_some()
                || lines.iter().any(|line| line.contains(['/', ':', ';']))
                || lines.iter().filter(is_board).nth(1).is_some()
                || (text.contains('#') && lines.iter().any(|line| is_board(&line)))
        }
    }
}

fn line(number: usize, text: &str, size: Option<Size>) -> SlideLine {
    let (board, known) = match text.split_once(';') {
        None => (text, Ok(None)),
        Some((board, known)) => (board, known.trim().parse().map(Some)),
    };
    let Ok(known) = known else {
        let why = "what follows the ; is no length".to_owned();
        return SlideLine { number, board: Err(why), known: None };
    };
    let board = sized(board, size);
    SlideLine { number, board, known }
}

/// Reads a board that is to have the size which was asked for, if one was.
pub fn sized(text: &str, size: Option<Size>) -> Result<Board, String> {
    of_size(one(text, size)?, size)
}

fn of_size(board: Board, size: Option<Size>) -> Result<Board, String> {
    match size {
        Some(size) if size != board.size() => {
            Err(format!("the board is {}, and --size says {size}", board.size()))
        }
        Some(_) | None => Ok(board),
    }
}

/// Reads a board written out, a puzzle's id, or numbers only: those of a square, or else of a single
/// row, where no size says otherwise.
fn one(text: &str, size: Option<Size>) -> Result<Board, String> {
    let text = text.trim();
    let board = if text.contains(':') {
        text.parse::<PuzzleId>().and_then(|id| id.board())
    } else {
        let numbers_only = !text.contains(['/', '\n']);
        let board = match size.or_else(|| square(text)).filter(|_| numbers_only) {
            Some(size) => read_board(size, text),
            None => text.parse(),
        };
        board.map(AnyBoard::Slide).map_err(|error| PuzzleIdError::Slide(SlideIdError::Board(error)))
    };
    match board {
        Ok(AnyBoard::Slide(board)) => Ok(board),
        Ok(AnyBoard::Link(_)) => Err(OTHER_FAMILY.to_owned()),
        Err(PuzzleIdError::Slide(SlideIdError::Board(BoardTextError::Faults(faults)))) => {
            let shown = faults.0.iter().take(FAULTS);
            let mut lines: Vec<String> = shown.map(|fault| format!("\n  {fault}")).collect();
            if let Some(more @ 1..) = faults.0.len().checked_sub(FAULTS) {
                lines.push(format!("\n  and {more} more"));
            }
            Err(format!("that is no board:{}", lines.concat()))
        }
        Err(PuzzleIdError::Slide(SlideIdError::Board(BoardTextError::NoTile(word)))) => {
            if is_meant(text) {
                return Err(OTHER_FAMILY.to_owned());
            }
            let shown = safe_text::text(&word, WORD);
            if text.contains(|c: char| c.is_ascii_digit()) {
                return Err(BoardTextError::NoTile(shown).to_string());
            }
            Err(format!("`{shown}` is no board: {FORMS}"))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the square with as many cells as the text has words.
fn square(text: &str) -> Option<Size> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    let count = words.filter(|word| !word.is_empty()).count();
    let side = count.isqrt();
    Size::new(side, side).ok().filter(|size| size.cells() == count)
}

/// Reads to the end, or nothing if the input is too long. What isn't UTF-8 becomes what
/// no board has.
fn bounded(source: impl Read) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = source.take(INPUT_BYTES + 1).read_to_end(&mut bytes)?;
    let fits = u64::try_from(read).is_ok_and(|read| read <= INPUT_BYTES);
    // Some editors begin a file with the byte order mark.
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    Ok(fits.then(|| String::from_utf8_lossy(text).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boards(text: &str, size: Option<&str>) -> Vec<String> {
        let size = size.map(|size| size.parse().unwrap());
        match parse(text, size).unwrap() {
            SlideBoards::One(board) => vec![board.to_string()],
            SlideBoards::List(lines) => {
                let text = |board: Result<Board, String>| {
                    board.map_or_else(|why| why, |board| board.to_string())
                };
                lines.lines().map(|line| format!("{} {}", line.number, text(line.board))).collect()
            }
        }
    }

    #[test]
    fn a_board_may_take_several_lines() {
        for text in ["1 2\n3 0\n", "1 2/3 0", "slide:2x2=1 2 3 0"] {
            assert_eq!(boards(text, None), ["1 2/3 0"], "{text}");
        }
        assert_eq!(boards("1 2 3 0", None), ["1 2/3 0"]);
        assert_eq!(boards("1 2 3 4 0", None), ["1 2 3 4 0"]);
        assert_eq!(boards("1 2 3 0", Some("1x4")), ["1 2 3 0"]);
        assert_eq!(boards("1 2 3 0", Some("2x2")), ["1 2/3 0"]);
        assert_eq!(boards("1 2 3 4 5 0", Some("2x3")), ["1 2 3/4 5 0"]);
    }

    #[test]
    fn comments_are_no_lines_of_a_board() {
        for text in ["# my board\n1 2 3\n4 5 6\n7 0 8\n", "1 2 3\n# half\n\n4 5 6\n7 0 8"] {
            assert_eq!(boards(text, None), ["1 2 3/4 5 6/7 0 8"], "{text}");
            assert_eq!(boards(text, Some("3x3")), ["1 2 3/4 5 6/7 0 8"], "{text}");
        }
        let why = parse("# my board\n1 2 3\n4 5 6\n7 8 8\n", None).unwrap_err();
        assert!(why.contains("tile 8 occurs twice"), "{why}");
        let list = boards("# two\n1 2 3 0\n1 2 x 0\n", None);
        assert_eq!(list, ["2 1 2/3 0", "3 `x` isn't a tile"]);
        assert!(parse("# nothing; at all\n", None).is_err());
    }

    #[test]
    fn a_list_has_a_board_a_line() {
        for text in
            ["1 2/3 0\n1 2/0 3", "# comment\n\n1 2 3 0\nslide:2x2=1 2/0 3\n", "1 2 3 0\n1 2 0 3\n"]
        {
            let read = boards(text, None);
            let read: Vec<_> = read.iter().map(|line| line.split_once(' ').unwrap().1).collect();
            assert_eq!(read, ["1 2/3 0", "1 2/0 3"], "{text}");
        }
        assert_eq!(boards("1 2 3 0\n1 2 x 0", Some("2x2"))[1], "2 `x` isn't a tile");
        // Two boards can't be rows of one, so a bad line stops no other.
        assert_eq!(boards("1 2 3 0\n1 2 0 3\n1 2 x 0", None)[2], "3 `x` isn't a tile");
    }

    #[test]
    fn a_list_may_have_an_empty_line_between_each_two_grids() {
        let text = "# two\n1 2\n3 0\n\n1 2\n# here\n0 3\n\n1 2/3 x\n";
        assert_eq!(boards(text, None), ["2 1 2/3 0", "5 1 2/0 3", "9 `x` isn't a tile"]);
        assert_eq!(boards("1 2\n3 0\n\n1 2\n0 3", Some("2x2")), ["1 1 2/3 0", "4 1 2/0 3"]);
        // Halves of one board aren't boards.
        assert_eq!(boards("1 2\n3 4\n\n5 6\n7 0", None), ["1 2/3 4/5 6/7 0"]);
        assert!(parse("1 2\n3 4\n\n5 6\n6 0", None).is_err());
    }

    #[test]
    fn a_line_may_know_the_shortest_length() {
        let text = "1 2/3 0 ; 0\n1 2/0 3;1\n1 2/0 3 ; one\n";
        let SlideBoards::List(list) = parse(text, None).unwrap() else {
            panic!("three lines are a list");
        };
        let lines: Vec<_> = list.lines().collect();
        let known: Vec<_> = lines.iter().map(|line| line.known).collect();
        assert_eq!(known, [Some(0), Some(1), None]);
        assert!(lines[2].board.is_err());
        assert!(
            matches!(parse("1 2/3 0 ; 0", None), Ok(SlideBoards::List(lines)) if lines.len() == 1)
        );
    }

    #[test]
    fn a_board_of_another_size_than_was_asked_for_is_refused() {
        let size = Some("2x3".parse().unwrap());
        for text in ["1 2/3 0", "1 2\n3 0\n", "slide:2x2=1 2/3 0"] {
            let why = parse(text, size).unwrap_err();
            assert_eq!(why, "the board is 2x2, and --size says 2x3", "{text}");
            assert_eq!(sized(text, size), Err(why));
        }
        let lines = boards("1 2 3/4 5 0\n1 2/3 0 ; 0\n1 2 3 4 0 5", Some("2x3"));
        assert_eq!(lines[1], "2 the board is 2x2, and --size says 2x3");
        assert_eq!((&*lines[0], &*lines[2]), ("1 1 2 3/4 5 0", "3 1 2 3/4 0 5"));
        // A size that is only guessed refuses nothing.
        assert_eq!(boards("1 2/3 4/5 0\n1 2/3 4/0 5", None)[0], "1 1 2/3 4/5 0");
    }

    #[test]
    fn a_word_that_is_no_tile_is_shown_short_and_steers_nothing() {
        assert_eq!(one("1 2/3 \u{1b}]0;x\u{7}", None).unwrap_err(), "`·]0;x·` isn't a tile");
        let why = one("hello", None).unwrap_err();
        assert!(why.starts_with("`hello` is no board: it is written like '1 2 3/"), "{why}");
        let why = one(&format!("1 2/3 {}", "9".repeat(10_000)), None).unwrap_err();
        assert_eq!(why, format!("`{}…` isn't a tile", "9".repeat(39)));
    }

    #[test]
    fn every_fault_of_a_board_is_named() {
        for text in ["1 1 9/7 5 6/4 3 3", "1 1 9\n7 5 6\n4 3 3"] {
            let why = parse(text, None).unwrap_err();
            for fault in ["tile 1 occurs twice", "tile 9 is out of range", "tile 3 occurs twice"] {
                assert!(why.contains(fault), "{why}");
            }
        }
    }

    #[test]
    fn an_input_without_an_end_is_not_read_to_it() {
        assert_eq!(bounded(io::repeat(b'1')).unwrap(), None);
        assert_eq!(bounded(&b"1 0"[..]).unwrap(), Some("1 0".to_owned()));
        assert_eq!(bounded("\u{feff}1 0".as_bytes()).unwrap(), Some("1 0".to_owned()));
    }
}
