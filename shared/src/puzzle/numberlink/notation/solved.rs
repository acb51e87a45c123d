//! Grids with drawn links.

use super::{GridTextError, check_length, read_squares, write_grid, write_squares};
use crate::puzzle::numberlink::{Puzzle, Rule, Solution, Square};
use crate::util::grid::{Cell, Direction, Size};

/// The style of links in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marks {
    /// As box-drawing lines, one character per cell: `╶─┐`. Parses back unambiguously.
    Lines,
    /// As the number of each cell's link. Does not parse back if a link touches itself.
    Numbers,
}

/// Why a text is no puzzle with a solution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SolvedTextError {
    #[error("a solved puzzle is two grids with an empty line between them")]
    NotTwo,
    #[error(transparent)]
    Grid(#[from] GridTextError),
    #[error("the puzzle is {puzzle}, its solution {solution}")]
    OtherSize { puzzle: Size, solution: Size },
    /// A number's link is not a unique path to its end.
    #[error("the link of {0} can't be followed")]
    NoLink(u16),
    #[error("cell {0} belongs to no link")]
    Stray(Cell),
}

/// Writes a puzzle and, after an empty line, links in the order of their numbers: a solution's or
/// a drawing's.
///
/// ```
/// use gridrace_shared::puzzle::numberlink::notation::{Marks, read_solved, write_links};
/// let (puzzle, solution) = read_solved("1.2\n.X.\n1.2\n\n1.2\n1X2\n1.2\n")?;
/// let lines = write_links(&puzzle, &solution.0, Marks::Lines);
/// assert_eq!(lines, "1 . 2\n. X .\n1 . 2\n\n╷.╷\n│X│\n╵.╵\n");
/// assert_eq!(read_solved(&lines)?, (puzzle, solution));
/// # Ok::<(), gridrace_shared::puzzle::numberlink::notation::SolvedTextError>(())
/// ```
pub fn write_links(puzzle: &Puzzle, links: &[Vec<Cell>], marks: Marks) -> String {
    let size = puzzle.size();
    let shown = match marks {
        Marks::Lines => {
            let mut sides = vec![0u8; size.cells()];
            for two in links.iter().flat_map(|link| link.windows(2)) {
                if let Some(way) = size.direction(two[0], two[1]) {
                    sides[usize::from(two[0].0)] |= bit(way);
                    sides[usize::from(two[1].0)] |= bit(way.opposite());
                }
            }
            let mut text = String::new();
            for (cell, &sides) in (0..).map(Cell).zip(&sides) {
                text.push(match puzzle.square(cell) {
                    Square::Solid => 'X',
                    Square::Open | Square::Terminal(_) => LINES[usize::from(sides)],
                });
                if size.col_of(cell) + 1 == size.cols() {
                    text.push('\n');
                }
            }
            text
        }
        Marks::Numbers => {
            let mut squares = puzzle.squares().to_vec();
            for (number, link) in (1..).zip(links) {
                for cell in link.iter().filter(|&&cell| size.contains(cell)) {
                    squares[usize::from(cell.0)] = Square::Terminal(number);
                }
            }
            write_squares(size, &squares)
        }
    };
    format!("{}\n{shown}", write_grid(puzzle))
}

/// Parses a puzzle and, after an empty line, its solution as lines or numbers. The solution
/// satisfies [`Rule::Loose`]; [`Solution::solves`] checks other rules.
pub fn read_solved(text: &str) -> Result<(Puzzle, Solution), SolvedTextError> {
    check_length(text)?;
    let text = text.replace('\r', "");
    let (puzzle, shown) = text.trim().split_once("\n\n").ok_or(SolvedTextError::NotTwo)?;
    let puzzle: Puzzle = puzzle.parse()?;
    let ways = if shown.contains(|c| c != '.' && sides_of(c).is_some()) {
        by_lines(puzzle.size(), shown)?
    } else {
        by_numbers(puzzle.size(), shown)?
    };
    let solution = follow(&puzzle, &ways)?;
    Ok((puzzle, solution))
}

/// For each cell, the directions in which its link continues, as bits; both cells of a step have a
/// bit.
type Ways = Vec<u8>;

/// The character of each set of sides that a line connects, at most two; the bits are those of
/// [`bit`].
const LINES: [char; 16] =
    ['.', '╴', '╵', '┘', '╶', '─', '└', '?', '╷', '┐', '│', '?', '┌', '?', '?', '?'];

const fn bit(way: Direction) -> u8 {
    match way {
        Direction::Left => 1,
        Direction::Up => 2,
        Direction::Right => 4,
        Direction::Down => 8,
    }
}

fn sides_of(character: char) -> Option<u8> {
    let known = |&line: &char| line == character && line != '?';
    let at = LINES.iter().position(known)?;
    u8::try_from(at).ok()
}

fn by_lines(size: Size, shown: &str) -> Result<Ways, SolvedTextError> {
    let rows: Vec<&str> = shown.trim().split(['/', '\n']).map(str::trim).collect();
    let cols = rows.first().map_or(0, |row| row.chars().count());
    let mut ways = Vec::new();
    for (row, line) in (1..).zip(&rows) {
        let found = line.chars().count();
        if found != cols {
            let expected = cols;
            return Err(GridTextError::Ragged { row, expected, found }.into());
        }
        for c in line.chars() {
            // A solid cell has no directions; the puzzle says whether it is one.
            let sides = if c == 'X' { Some(0) } else { sides_of(c) };
            ways.push(sides.ok_or_else(|| GridTextError::NoCell(c.into()))?);
        }
    }
    same_size(size, Size::new(rows.len(), cols).map_err(GridTextError::Size)?)?;
    Ok(ways)
}

fn by_numbers(size: Size, shown: &str) -> Result<Ways, SolvedTextError> {
    let (found, squares) = read_squares(shown)?;
    same_size(size, found)?;
    let same = |cell: Cell, way: &Direction| match squares[usize::from(cell.0)] {
        Square::Open | Square::Solid => false,
        number @ Square::Terminal(_) => {
            size.neighbour(cell, *way).is_some_and(|next| squares[usize::from(next.0)] == number)
        }
    };
    let ways = |cell| Direction::ALL.into_iter().filter(move |way| same(cell, way));
    let cells = (0..).map(Cell).take(size.cells());
    Ok(cells.map(|cell| ways(cell).map(bit).sum()).collect())
}

fn same_size(puzzle: Size, solution: Size) -> Result<(), SolvedTextError> {
    if puzzle == solution { Ok(()) } else { Err(SolvedTextError::OtherSize { puzzle, solution }) }
}

/// Traces every link from its first terminal; no line may be left over.
fn follow(puzzle: &Puzzle, ways: &Ways) -> Result<Solution, SolvedTextError> {
    let size = puzzle.size();
    let mut left = ways.clone();
    let mut links = Vec::new();
    for (number, &[from, to]) in (1..).zip(puzzle.pairs()) {
        let mut link = vec![from];
        let mut at = from;
        while at != to {
            let sides = std::mem::take(&mut left[usize::from(at.0)]);
            let mut on = Direction::ALL.into_iter().filter(|&way| sides & bit(way) != 0);
            let no_link = SolvedTextError::NoLink(number);
            let (Some(way), None) = (on.next(), on.next()) else {
                return Err(no_link);
            };
            let next = size.neighbour(at, way).ok_or(no_link.clone())?;
            let back = bit(way.opposite());
            if left[usize::from(next.0)] & back == 0 {
                return Err(no_link);
            }
            left[usize::from(next.0)] &= !back;
            link.push(next);
            at = next;
        }
        links.push(link);
    }
    if let Some(at) = left.iter().position(|&sides| sides != 0) {
        let cell = Cell(u16::try_from(at).unwrap_or(u16::MAX));
        return Err(SolvedTextError::Stray(cell));
    }
    let solution = Solution(links);
    if !solution.solves(puzzle, Rule::Loose) {
        // A line through another number's terminal is as invalid as one that ends nowhere.
        let through = |link: &Vec<Cell>| {
            !link[1..link.len() - 1].iter().all(|&c| puzzle.square(c) == Square::Open)
        };
        let number = solution.0.iter().position(through).map_or(1, |at| at + 1);
        return Err(SolvedTextError::NoLink(u16::try_from(number).unwrap_or(u16::MAX)));
    }
    Ok(solution)
}
