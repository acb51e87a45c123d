//! Parses the input of `gridrace solve` for Numberlink: one puzzle or a list.

use crate::commands::solve::lines::{grids_as_lines, numbered};
use crate::display::safe_text;
use gridrace_shared::puzzle::Board;
use gridrace_shared::puzzle::id::PuzzleId;
use gridrace_shared::puzzle::numberlink::Puzzle;
use gridrace_shared::puzzle::numberlink::notation::{LinkId, read_puzz_link};
use gridrace_shared::util::grid::Size;

/// As much of what is said of a grid as a few lines have room for, in cells: it may quote a
/// word of any length.
const WHY: usize = 400;

/// What is said of a sliding puzzle among Numberlinks.
const OTHER_FAMILY: &str =
    "that is a sliding puzzle; a list holds one family, and this one began with Numberlink";

pub enum LinkPuzzles {
    One(Puzzle),
    List(LinkList),
}

/// Lines that are read one by one: a seed's puzzle may take seconds to generate.
pub struct LinkList {
    text: String,
    size: Option<Size>,
}

pub struct LinkLine {
    /// Its number, from 1, comments and empty lines counted.
    pub number: usize,
    /// Its puzzle, or why it has none.
    pub puzzle: Result<Puzzle, String>,
}

impl LinkList {
    pub fn of(puzzle: &Puzzle) -> Self {
        Self { text: LinkId::Written(puzzle.clone()).to_string(), size: None }
    }

    /// Counts the lines that should have a puzzle.
    pub fn len(&self) -> usize {
        numbered(&self.text).count()
    }

    pub fn lines(&self) -> impl Iterator<Item = LinkLine> {
        let line = |(number, text)| LinkLine { number, puzzle: one(text, self.size) };
        numbered(&self.text).map(line)
    }
}

/// Says whether a text is meant as Numberlink rather than as a sliding puzzle: its first
/// line with anything on it is an id or an address of one, or has an open or solid cell, or is a
/// Numberlink without such cells. A grid may take several lines.
pub fn is_meant(text: &str) -> bool {
    let Some((line, grid)) = first(text) else {
        return false;
    };
    let named = ["link:", "no-touch", "http://", "https://"];
    let is_named = named.iter().any(|start| line.starts_with(start));
    // The tiles of a sliding puzzle all differ.
    is_named || grid.lines().any(is_grid) || grid.parse::<Puzzle>().is_ok()
}

/// Says whether a text may be meant as Numberlink, where its rule says that one is: it is no id of a
/// sliding puzzle, and has no blank.
pub fn may_be_meant(text: &str) -> bool {
    let is_slide = |(line, grid): (&str, String)| line.starts_with("slide:") || is_sliding(&grid);
    !first(text).is_some_and(is_slide)
}

/// Returns the first line with anything on it, and the grid that it is or begins.
fn first(text: &str) -> Option<(&str, String)> {
    let lines: Vec<&str> = numbered(text).map(|(_, line)| line).collect();
    let &line = lines.first()?;
    let grid = if line.contains([':', '/']) { line.to_owned() } else { lines.join("\n") };
    Some((line, grid))
}

/// Reads a text as one puzzle, which may take several lines, or else as a list.
pub fn read(text: &str, size: Option<Size>) -> Result<LinkPuzzles, String> {
    let lines: Vec<_> = numbered(text).collect();
    let alone = |line: &str| line.contains(':') || line.contains('/');
    if lines.len() > 1 && lines.iter().any(|(_, line)| alone(line)) {
        let text = text.to_owned();
        return Ok(LinkPuzzles::List(LinkList { text, size }));
    }
    let grid: Vec<&str> = lines.iter().map(|&(_, line)| line).collect();
    one(&grid.join("\n"), size).map(LinkPuzzles::One).or_else(|why| {
        let text = grids_as_lines(text, |grid| one(grid, size).is_ok()).ok_or(why)?;
        Ok(LinkPuzzles::List(LinkList { text, size }))
    })
}

/// Says whether a line is of cells with one that no sliding puzzle has.
fn is_grid(line: &str) -> bool {
    !line.contains(':') && line.contains(['.', 'X'])
}

/// Says whether a line is of cells with the one that no Numberlink has: the blank.
fn is_sliding(line: &str) -> bool {
    let mut words = line.split(|c: char| c.is_whitespace() || c == ',' || c == '/');
    !is_grid(line) && words.any(|word| matches!(word, "0" | "_"))
}

fn one(text: &str, size: Option<Size>) -> Result<Puzzle, String> {
    let puzzle = if text.starts_with("http://") || text.starts_with("https://") {
        read_puzz_link(text).map_err(|error| error.to_string())
    } else if text.contains(':') {
        match text.parse::<PuzzleId>().and_then(|id| id.board()) {
            Ok(Board::Link(drawing)) => Ok(drawing.puzzle().as_ref().clone()),
            Ok(Board::Slide(_)) => Err(OTHER_FAMILY.to_owned()),
            Err(error) => Err(error.to_string()),
        }
    } else if is_sliding(text) {
        Err(OTHER_FAMILY.to_owned())
    } else {
        text.parse::<Puzzle>().map_err(|error| safe_text::text(&error.to_string(), WHY))
    }?;
    match size {
        Some(size) if size != puzzle.size() => {
            Err(format!("the puzzle is {}, and --size says {size}", puzzle.size()))
        }
        Some(_) | None => Ok(puzzle),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn puzzles(text: &str) -> Vec<String> {
        match read(text, None).unwrap() {
            LinkPuzzles::One(puzzle) => vec![puzzle.to_string()],
            LinkPuzzles::List(lines) => {
                assert_eq!(lines.lines().count(), lines.len());
                let text = |puzzle: Result<Puzzle, String>| {
                    puzzle.map_or_else(|why| why, |puzzle| puzzle.to_string())
                };
                lines.lines().map(|line| format!("{} {}", line.number, text(line.puzzle))).collect()
            }
        }
    }

    #[test]
    fn numberlinks_are_told_from_sliding_puzzles() {
        for text in [
            "1..2/..../12..",
            "# two rows\n1 . 1\n2 X 2\n",
            "1 1\n. .",
            "link:7x7#friday",
            "https://puzz.link/p?numlin/3/2/1g1i",
            "no-touch\n1 .\n. 1",
        ] {
            assert!(is_meant(text), "{text}");
        }
        for text in ["", "# a . comment\n1 2/3 0", "slide:3x3#v1.2", "1 2 3 0", "1 2/3 0\n1./.1"] {
            assert!(!is_meant(text), "{text}");
        }
    }

    #[test]
    fn a_grid_of_numbers_alone_is_a_numberlink_if_it_is_one() {
        for text in ["1 1/2 2", "11/22", "# full\n1 1\n2 2\n", "ab/ab/99/87/87/65/65/43/43/21/21"] {
            assert!(is_meant(text), "{text}");
        }
        // Two boards, and two with faults.
        for text in ["1 2 3 0\n1 2 0 3", "1 2/0 0", "1 1 9/7 5 6/4 3 3", "1 2 3/4 5 6/7 8 8"] {
            assert!(!is_meant(text), "{text}");
        }
    }

    #[test]
    fn with_a_rule_all_is_numberlink_but_what_is_a_sliding_puzzle() {
        for text in ["1 1/2 2", "11/22", "1 2/3 3", "link:5x5#a"] {
            assert!(may_be_meant(text), "{text}");
        }
        for text in ["1 2/3 0", "1 2/3 _", "1 2\n3 0", "slide:3x3#a", "# a\nslide:3x3#a\n1./.1"] {
            assert!(!may_be_meant(text), "{text}");
        }
    }

    #[test]
    fn one_puzzle_may_take_several_lines_and_a_list_has_one_a_line() {
        assert_eq!(puzzles("1 .\n. 1\n"), ["1./.1"]);
        assert_eq!(puzzles("link:2x2=1./.1"), ["1./.1"]);
        let list = puzzles("# three\n1./.1\nlink:2x2=11/..\n1./.2\n");
        assert_eq!(list[..2], ["2 1./.1", "3 11/.."]);
        assert!(list[2].starts_with("4 number 1 has one terminal"), "{}", list[2]);
        let grids = "1 .\n. 1\n\n. 1\n1 .\n\n1 .\n2 2\n";
        assert_eq!(puzzles(grids)[..2], ["1 1./.1", "4 .1/1."]);
    }

    #[test]
    fn a_list_generates_no_puzzle_before_its_turn() {
        // Generating them all would take hours.
        let hard: String = (0..10_000).map(|seed| format!("link:20x20:hard#{seed}\n")).collect();
        let LinkPuzzles::List(list) = read(&format!("1./.1\n{hard}"), None).unwrap() else {
            panic!("each line is a puzzle");
        };
        assert_eq!(list.len(), 10_001);
        assert!(list.lines().next().unwrap().puzzle.is_ok());
    }

    #[test]
    fn a_sliding_puzzle_among_numberlinks_is_told_that_a_list_holds_one_family() {
        let list = puzzles("1./.1\nslide:3x3#friday\n1 2/3 0\n");
        let told = |number| format!("{number} {OTHER_FAMILY}");
        assert_eq!(list, ["1 1./.1".to_owned(), told(2), told(3)]);
    }

    #[test]
    fn what_is_no_puzzle_is_said_short_and_steers_nothing() {
        let why = read("1 . \u{1b}[2J", None).err().unwrap();
        assert!(why.contains("isn't a cell") && !why.contains('\u{1b}'), "{why}");
        let why = read(&format!("1 . {}", "y".repeat(20_000)), None).err().unwrap();
        assert!(why.chars().count() <= WHY, "{}", why.len());
        let size = Some("2x3".parse().unwrap());
        let why = read("1./.1", size).err().unwrap();
        assert_eq!(why, "the puzzle is 2x2, and --size says 2x3");
    }
}
