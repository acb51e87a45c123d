//! Shortest solutions in multi-tile moves (MTM) by IDA* with colourings.
//!
//! Two slides in a row along one axis are one slide, so that vertical and horizontal slides take
//! turns. An iteration fixes the number of moves and the axis of the first one, and with them how
//! many slides of each axis are left at every depth and which axis comes last. A slide changes the
//! bounds of its own axis only: of the other one neither the sequences of colours nor the blank's
//! line change. On two rows the vertical slides alone have bounds, and more of them.

#[cfg(test)]
mod tests;

use crate::puzzle::slide::Board;
use crate::puzzle::slide::parity::is_solvable;
use crate::puzzle::slide::solve::optimal::IterationStatus;
use crate::puzzle::slide::solve::solution::Solution;
use crate::puzzle::slide::solve::tables::{
    Axis, ColouringLookup, InverseReading, MAX_COLOURINGS, MAX_SEQUENCE_CELLS, SlideCount, Table,
    TableGrade, Tables, TileSequence,
};
use crate::solver::budget::{Budget, Unsolved};
use crate::util::grid::{Cell, Direction, Size};
use std::ops::Range;
use std::sync::Arc;

/// The boards that are expanded at a time.
const CHUNK: usize = 32;

/// Finds a solution with the fewest multi-tile moves. Without a table of [`TableGrade::Mtm`] for the
/// board's size it takes far longer.
///
/// ```
/// use gridrace_shared::solver::budget::Budget;
/// use gridrace_shared::puzzle::slide::{Board, solve::{shortest_mtm, tables::{Tables, build}}};
/// let table = build("3x3-mtm".parse()?, &|work| work(), &|_| {});
/// let tables = Tables::none().with(std::sync::Arc::new(table));
/// let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// assert_eq!(shortest_mtm(&board, Budget(10_000), &tables)?.count().acts, 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`MtmSearch::new`], and [`Unsolved::OverBudget`] when the budget is spent.
pub fn shortest_mtm(board: &Board, budget: Budget, tables: &Tables) -> Result<Solution, Unsolved> {
    MtmSearch::new(board, tables)?.search(budget).ok_or(Unsolved::OverBudget)
}

/// A resumable search for a solution with the fewest multi-tile moves.
#[derive(Debug, Clone)]
pub struct MtmSearch {
    board: Board,
    /// The size that is searched, with at most as many rows as columns: a higher board is searched
    /// transposed.
    size: Size,
    table: Option<Arc<Table>>,
    root: Node,
    /// The goal's tiles, and its blank's lines.
    goal: TileSequence,
    goal_blank: [u8; 2],
    /// The moves from the standard goal to this one.
    walk: u32,
    /// The slides of that walk along each axis: a table's count less these is a bound.
    walk_slides: [u32; 2],
    /// The moves of this iteration: no solution has fewer.
    length: u32,
    /// The axis of the first one.
    first: usize,
    nodes: u64,
    /// For each depth, the boards after some of the depth before.
    levels: Vec<Level>,
    /// The deepest level in use.
    depth: usize,
    /// The slides from some boards, with the numbers of their values in a database and what they tell.
    slides: Vec<AxisSlide>,
    numbers: Vec<usize>,
    found: Vec<SlideCount>,
    counts: Vec<u8>,
}

#[derive(Debug, Clone, Default)]
struct Level {
    nodes: Vec<Node>,
    /// The first one that isn't expanded yet.
    next: usize,
}

/// A board on a path.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// Its index in the level before.
    parent: u32,
    /// The blank's row and column: its line on each axis.
    blank: [u8; 2],
    /// For each axis and colouring, the slides to the goal, and the colours.
    counts: [[u8; MAX_COLOURINGS]; 2],
    colours: [[TileSequence; MAX_COLOURINGS]; 2],
    tiles: TileSequence,
}

/// A slide along an axis, with the counts and the colours of that axis after it.
#[derive(Debug, Clone, Copy)]
struct AxisSlide {
    /// The board's index in its level.
    parent: usize,
    /// The line that the blank comes to.
    to: usize,
    counts: [u8; MAX_COLOURINGS],
    colours: [TileSequence; MAX_COLOURINGS],
}

/// The slides of an axis that are left.
#[derive(Debug, Clone, Copy)]
struct SlidesLeft {
    count: u32,
    /// Whether the last slide of all is among them.
    has_last: bool,
}

type Lookups<'a> = [Vec<ColouringLookup<'a>>; 2];

impl SlidesLeft {
    const fn suffice(self, count: u8, at: SlideCount) -> bool {
        let needed = if self.has_last { count + at.extra() } else { count };
        needed as u32 <= self.count
    }
}

impl Level {
    fn of(node: Node) -> Self {
        Self { nodes: vec![node], next: 0 }
    }
}

impl MtmSearch {
    /// Creates a search.
    ///
    /// # Errors
    /// [`Unsolved::Unsolvable`] for an unsolvable board, [`Unsolved::OverBudget`] for one of more
    /// than 16 cells that is not a single row or column.
    pub fn new(board: &Board, tables: &Tables) -> Result<Self, Unsolved> {
        Self::towards(board, &[], tables)
    }

    /// Creates a search for the board to which a walk leads from the standard goal.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn towards(board: &Board, walk: &[Direction], tables: &Tables) -> Result<Self, Unsolved> {
        if !is_solvable(board) {
            return Err(Unsolved::Unsolvable);
        }
        let mut goal = Board::solved(board.size());
        for &way in walk {
            goal.step(way);
        }
        let slides = walk.chunk_by(|one, next| one == next);
        let along_rows = slides
            .clone()
            .filter(|run| matches!(run[0], Direction::Left | Direction::Right))
            .count() as u32;
        let mut walk_slides = [slides.count() as u32 - along_rows, along_rows];
        let is_high = board.size().rows() > board.size().cols();
        let turned = if is_high {
            walk_slides.reverse();
            goal = goal.transposed();
            &board.transposed()
        } else {
            board
        };
        let size = turned.size();
        let [vertical, _] = Axis::both(size);
        let mut search = Self {
            board: board.clone(),
            size,
            table: tables.of(size, TableGrade::Mtm).cloned(),
            root: Node {
                parent: 0,
                blank: lines(size, turned.blank()),
                counts: Default::default(),
                colours: Default::default(),
                tiles: TileSequence::default(),
            },
            goal: TileSequence::default(),
            goal_blank: lines(size, goal.blank()),
            walk: walk.len() as u32,
            walk_slides,
            length: 0,
            first: 0,
            nodes: 0,
            levels: Vec::new(),
            depth: 0,
            slides: Vec::new(),
            numbers: Vec::new(),
            found: Vec::new(),
            counts: Vec::new(),
        };
        if search.is_line() {
            search.slide_home();
        } else if size.cells() > MAX_SEQUENCE_CELLS {
            return Err(Unsolved::OverBudget);
        } else {
            search.goal = vertical.sequence(&goal, |tile| tile as u8);
            search.prepare(turned);
        }
        Ok(search)
    }

    /// Sets the root, and begins the first iteration.
    fn prepare(&mut self, board: &Board) {
        let table = self.table.clone();
        let lookups = lookups(table.as_ref());
        for (n, lookups) in lookups.iter().enumerate() {
            let line = self.root.blank[n].into();
            for (nth, lookup) in lookups.iter().enumerate() {
                let colours = lookup.sequence(board);
                self.root.colours[n][nth] = colours;
                self.root.counts[n][nth] = lookup.count(line, colours);
            }
        }
        let [vertical, _] = Axis::both(self.size);
        self.root.tiles = vertical.sequence(board, |tile| tile as u8);
        self.levels = vec![Level::of(self.root)];
        if !self.root_fits(&lookups) {
            self.next_iteration(&lookups, u32::MAX);
        }
    }

    /// In a single row the blank slides home at once, if it isn't there.
    fn slide_home(&mut self) {
        self.levels = vec![Level::of(self.root)];
        if self.root.blank != self.goal_blank {
            self.levels[0].next = 1;
            self.levels.push(Level::of(Node { blank: self.goal_blank, ..self.root }));
            (self.length, self.depth) = (1, 1);
        }
    }

    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the lower bound on the multi-tile moves of every solution.
    pub const fn at_least(&self) -> u32 {
        self.length
    }

    /// Returns the nodes so far: boards whose bound was looked up.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Continues until `budget` nodes are spent, or some hundred more; returns `None` when they do
    /// not suffice.
    pub fn search(&mut self, budget: Budget) -> Option<Solution> {
        (self.advance(budget, u32::MAX) == IterationStatus::Found).then(|| {
            let moves = self.pass_solution();
            Solution::new(moves, self.at_least_single_tile(), self.nodes)
        })
    }

    /// Returns a lower bound on the single-tile moves of every solution.
    pub(super) fn at_least_single_tile(&self) -> u32 {
        self.board.manhattan_distance().saturating_sub(self.walk)
    }

    /// Returns the moves of the solution that was found last; the next search continues behind it.
    pub(super) fn pass_solution(&self) -> Vec<Direction> {
        let mut blanks = Vec::new();
        let mut index = self.levels[self.depth].next.saturating_sub(1);
        for level in self.levels[1..=self.depth].iter().rev() {
            let node = level.nodes[index];
            let [row, col] = node.blank.map(usize::from);
            blanks.push(self.size.cell(row, col));
            index = node.parent as usize;
        }
        let mut board = self.board.clone();
        let is_turned = self.size != board.size();
        let cells = blanks.into_iter().rev();
        let cells =
            cells.map(|cell| if is_turned { self.size.transposed_cell(cell) } else { cell });
        let slides = cells.filter_map(|cell| board.play(cell).ok());
        slides.flat_map(|slide| std::iter::repeat_n(slide.direction, slide.tiles.into())).collect()
    }

    /// Continues until `budget` nodes are spent, or some hundred more. [`IterationStatus::Nothing`]
    /// says that no solution is left that has at most `longest` moves.
    pub(super) fn advance(&mut self, Budget(budget): Budget, longest: u32) -> IterationStatus {
        let table = self.table.clone();
        let lookups = lookups(table.as_ref());
        let end = self.nodes.saturating_add(budget);
        loop {
            let depth = self.depth;
            let is_last = depth == self.length as usize;
            let Level { nodes, next } = &mut self.levels[depth];
            if let (true, Some(node)) = (is_last, nodes.get(*next)) {
                *next += 1;
                if node.tiles == self.goal && node.blank == self.goal_blank {
                    return IterationStatus::Found;
                }
            } else if *next < nodes.len() {
                if self.nodes >= end {
                    return IterationStatus::Interrupted;
                }
                let chunk = *next..nodes.len().min(*next + CHUNK);
                *next = chunk.end;
                self.expand(chunk, &lookups);
            } else if depth > 0 {
                self.depth -= 1;
            } else if self.is_line() || !self.next_iteration(&lookups, longest) {
                return IterationStatus::Nothing;
            }
        }
    }

    const fn is_line(&self) -> bool {
        self.size.rows() == 1
    }

    /// Begins the next iteration that may have a solution; false if it would have more than `longest`
    /// moves.
    fn next_iteration(&mut self, lookups: &Lookups<'_>, longest: u32) -> bool {
        loop {
            // Without moves the first one's axis says nothing.
            if self.first == 0 && self.length > 0 {
                self.first = 1;
            } else if self.length >= longest {
                return false;
            } else {
                (self.first, self.length) = (0, self.length + 1);
            }
            if self.root_fits(lookups) {
                self.levels[0].next = 0;
                return true;
            }
        }
    }

    /// Counts the slides of an axis among the moves that are left; `is_next` says whether the next
    /// one is along it. What the walk takes back is added, and then its last slide comes last.
    const fn slides_left(&self, axis: usize, moves: u32, is_next: bool) -> SlidesLeft {
        let count = if is_next { moves.div_ceil(2) } else { moves / 2 };
        SlidesLeft {
            count: count + self.walk_slides[axis],
            has_last: self.walk == 0 && moves > 0 && is_next == (moves % 2 == 1),
        }
    }

    fn root_fits(&self, lookups: &Lookups<'_>) -> bool {
        if self.size.rows() == 2 {
            // Each vertical slide takes the blank to the other row.
            let left = self.slides_left(0, self.length, self.first == 0).count;
            let is_even = (left - self.walk_slides[0]).is_multiple_of(2);
            if is_even != (self.root.blank[0] == self.goal_blank[0]) {
                return false;
            }
        }
        lookups.iter().enumerate().all(|(n, lookups)| {
            let left = self.slides_left(n, self.length, n == self.first);
            let line = self.root.blank[n].into();
            let counts = self.root.counts[n].iter().zip(&self.root.colours[n]);
            let mut bounds = lookups.iter().zip(counts);
            bounds.all(|(lookup, (&count, &at))| left.suffice(count, lookup.get(line, at)))
        })
    }

    /// Fills the next level with the boards after some of this one that may lead to a solution in
    /// time, and goes there.
    fn expand(&mut self, chunk: Range<usize>, lookups: &Lookups<'_>) {
        let n = (self.depth + self.first) % 2;
        let (axis, lookups) = (Axis::both(self.size)[n], &lookups[n]);
        let left = self.slides_left(n, self.length - self.depth as u32 - 1, false);
        self.depth += 1;
        if self.levels.len() == self.depth {
            self.levels.push(Level::default());
        }
        let (before, level) = self.levels.split_at_mut(self.depth);
        let parents = &before[self.depth - 1].nodes;
        let Level { nodes, next } = &mut level[0];
        *next = 0;
        nodes.clear();
        self.slides.clear();
        for parent in chunk {
            let node = &parents[parent];
            let (line, place) = (node.blank[n].into(), node.blank[1 - n].into());
            axis.any_slide(node.colours[n][0], line, place, |to, colours| {
                self.slides.push(AxisSlide {
                    parent,
                    to,
                    counts: node.counts[n],
                    colours: [colours; MAX_COLOURINGS],
                });
                false
            });
        }
        self.nodes += self.slides.len() as u64;
        let after = |slide: &AxisSlide, sequence| {
            let [line, place] = [n, 1 - n].map(|n| parents[slide.parent].blank[n].into());
            axis.slide(sequence, line, slide.to, place)
        };
        for (nth, lookup) in lookups.iter().enumerate() {
            self.numbers.clear();
            self.numbers.extend(self.slides.iter_mut().map(|slide| {
                if nth > 0 {
                    slide.colours[nth] = after(slide, parents[slide.parent].colours[n][nth]);
                }
                lookup.number(slide.to, slide.colours[nth])
            }));
            self.found.clear();
            self.found.extend(self.numbers.iter().map(|&number| lookup.at(number)));
            let mut found = self.found.iter();
            self.slides.retain_mut(|slide| {
                found.next().is_some_and(|&found| {
                    slide.counts[nth] = found.of_neighbour(slide.counts[nth]);
                    left.suffice(slide.counts[nth], found)
                })
            });
        }
        // A last slide of all is at the goal's blank: the inverses are read without it.
        let most = left.count - u32::from(left.has_last);
        for (lookup, inverse) in lookups.iter().flat_map(inverses) {
            self.numbers.clear();
            self.numbers.extend(self.slides.iter().map(|slide| {
                let tiles = after(slide, parents[slide.parent].tiles);
                let (row, read) = inverse.read(slide.to, tiles, left.has_last);
                lookup.number(row, read)
            }));
            // All before the first is used, so that they don't wait for each other.
            self.counts.clear();
            self.counts.extend(self.numbers.iter().map(|&number| lookup.count_on_two_rows(number)));
            let mut counts = self.counts.iter();
            self.slides.retain(|_| counts.next().is_some_and(|&count| u32::from(count) <= most));
        }
        nodes.extend(self.slides.iter().map(|slide| {
            let parent = &parents[slide.parent];
            let mut node = Node { parent: slide.parent as u32, ..*parent };
            node.blank[n] = slide.to as u8;
            (node.counts[n], node.colours[n]) = (slide.counts, slide.colours);
            // The tiles are written by rows.
            if n == 0 {
                node.tiles = after(slide, node.tiles);
            }
            node
        }));
    }
}

const fn lines(size: Size, cell: Cell) -> [u8; 2] {
    [size.row_of(cell) as u8, size.col_of(cell) as u8]
}

fn inverses<'a>(
    lookup: &'a ColouringLookup<'a>,
) -> impl Iterator<Item = (&'a ColouringLookup<'a>, &'a InverseReading)> {
    lookup.inverses().iter().map(move |inverse| (lookup, inverse))
}

fn lookups(table: Option<&Arc<Table>>) -> Lookups<'_> {
    let lookups = |n: usize| {
        let tables = table.into_iter();
        tables
            .flat_map(|table| table.colourings()[n].iter().map(|view| view.lookup(table.payload())))
            .take(MAX_COLOURINGS)
            .collect()
    };
    [lookups(0), lookups(1)]
}
