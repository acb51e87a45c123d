//! Edge propagation: what decided edges imply for others, anywhere on the board.
//!
//! The rules hold in taut solutions (see [`super`]): a link has one edge at a terminal and two at
//! every other of its cells, at most two of the edges around a square of four cells are present,
//! two adjacent ends of one number are joined and those of two numbers are not, and a link that
//! turns downwards has another one inside that turns the same way. `penciloid-rust` (semiexp, 2020)
//! counts the solutions of a Numberlink by a search with such rules. (Deductions for people have an
//! edge grid of their own: it keeps a reason for each edge, under the rules of full solutions.)

use super::fragment_ends::{FragmentEnds, JoinUndo};
use super::layout::{LEFT_AND_DOWN, Layout, NUMBERED, RIGHT_AND_DOWN, ROOM, SOLID, TERMINAL};
use crate::puzzle::numberlink::SIDES;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EdgeState {
    Undecided,
    Present,
    Absent,
}

/// An edge by its left or upper cell: twice that place, and one more if it leads downwards.
type Edge = u16;

const EDGES: usize = 2 * ROOM;
const _: () = assert!((*SIDES.end() + 2) * (*SIDES.end() + 1) <= ROOM);

/// What one present edge and one undecided edge add to a cell's [`degrees`](EdgePropagation).
const PRESENT: u8 = 1;
const UNDECIDED: u8 = 16;

/// The edges of a board.
///
/// A cell's place is its index on a board with a row more above and below and a column more at the
/// left, which are solid. So each cell has four edges.
#[derive(Debug, Clone)]
pub(super) struct EdgePropagation {
    cols: usize,
    edges: Box<[EdgeState; EDGES]>,
    /// For each place, the sum over its edges; one present edge more for a terminal, and two for a solid
    /// cell, so that each cell of a link has two in the end.
    degrees: Box<[u8; ROOM]>,
    /// For each place, the flags of the layout.
    cells: Box<[u8; ROOM]>,
    ends: FragmentEnds,
    /// The edges decided since the start.
    trail: Vec<TrailEntry>,
    /// A stack of edges to decide.
    implied: Vec<(Edge, EdgeState)>,
}

#[derive(Debug, Clone, Copy)]
struct TrailEntry {
    edge: Edge,
    /// `None` for an absent edge.
    join: Option<JoinUndo>,
}

impl EdgePropagation {
    /// Returns the edges with what follows from the puzzle alone; `None` if that is a contradiction.
    pub fn new(layout: &Layout) -> Option<Self> {
        let cols = layout.cols + 1;
        let place = |at: usize| (at / layout.cols + 1) * cols + at % layout.cols + 1;
        let places = || (0..layout.cells.len()).map(place);
        let mut cells = Box::new([SOLID; ROOM]);
        let mut mates: Vec<u16> = (0u16..).take((layout.rows + 2) * cols).collect();
        for (at, &mate) in places().zip(&layout.mates) {
            mates[at] = place(usize::from(mate & !NUMBERED)) as u16 | mate & NUMBERED;
        }
        for (at, &cell) in places().zip(&layout.cells) {
            cells[at] = cell;
        }
        let own_degree = |cell: u8| match cell & (SOLID | TERMINAL) {
            0 => 0,
            TERMINAL => PRESENT,
            _ => 2 * PRESENT,
        };
        let mut board = Self {
            cols,
            edges: Box::new([EdgeState::Absent; EDGES]),
            degrees: Box::new(cells.map(own_degree)),
            cells,
            ends: FragmentEnds::new(&mates),
            trail: Vec::new(),
            implied: Vec::new(),
        };
        for edge in places().flat_map(|at| [2 * at, 2 * at + 1]) {
            let ends = board.ends_of(edge as Edge);
            if ends.iter().all(|&at| board.cells[at] & SOLID == 0) {
                board.edges[edge] = EdgeState::Undecided;
                ends.iter().for_each(|&at| board.degrees[at] += UNDECIDED);
            }
        }
        let is_consistent = places().all(|at| {
            board.check_degree(at)
                && (board.cells[at] & TERMINAL == 0 || board.check_end(at))
                && board.propagate()
        });
        is_consistent.then_some(board)
    }

    /// Returns the edges from a cell to the right and downwards.
    #[inline]
    pub fn state(&self, row: usize, col: usize) -> [EdgeState; 2] {
        let at = self.place(row, col);
        [self.edge(2 * at), self.edge(2 * at + 1)]
    }

    /// Returns the number of edges decided so far.
    pub const fn trail_len(&self) -> usize {
        self.trail.len()
    }

    /// Decides whether the edges from a cell to the right and downwards are present, and all that
    /// follows. Returns false if that is a contradiction: then some of it has to be taken back.
    #[inline]
    pub fn decide(&mut self, row: usize, col: usize, are_present: [bool; 2]) -> bool {
        let states = are_present
            .map(|is_present| if is_present { EdgeState::Present } else { EdgeState::Absent });
        if self.state(row, col) == states {
            return true;
        }
        let right = 2 * self.place(row, col) as Edge;
        self.implied.extend([(right + 1, states[1]), (right, states[0])]);
        self.propagate()
    }

    /// Takes back all but the first `trail_len` decided edges.
    #[inline]
    pub fn take_back(&mut self, trail_len: usize) {
        while self.trail.len() > trail_len {
            let Some(TrailEntry { edge, join }) = self.trail.pop() else { return };
            let change = match join {
                Some(join) => {
                    self.ends.part(join);
                    UNDECIDED - PRESENT
                }
                None => UNDECIDED,
            };
            self.edges[usize::from(edge) % EDGES] = EdgeState::Undecided;
            self.ends_of(edge).iter().for_each(|&at| self.degrees[at % ROOM] += change);
        }
    }

    fn place(&self, row: usize, col: usize) -> usize {
        (row + 1) * self.cols + col + 1
    }

    fn edge(&self, edge: usize) -> EdgeState {
        self.edges[edge % EDGES]
    }

    fn ends_of(&self, edge: Edge) -> [usize; 2] {
        let from = usize::from(edge / 2);
        [from, from + if edge.is_multiple_of(2) { 1 } else { self.cols }]
    }

    /// Returns a cell's edges with the cells to which they lead.
    fn around(&self, at: usize) -> [(usize, usize); 4] {
        let [left, above] = [at - 1, at - self.cols];
        [(2 * at, at + 1), (2 * left, left), (2 * at + 1, at + self.cols), (2 * above + 1, above)]
    }

    fn imply(&mut self, edge: usize, state: EdgeState) {
        self.implied.push((edge as Edge, state));
    }

    /// Decides what is implied until nothing more follows. Returns false at a contradiction.
    fn propagate(&mut self) -> bool {
        while let Some((edge, state)) = self.implied.pop() {
            let is_consistent = match (self.edge(edge.into()), state) {
                (EdgeState::Undecided, EdgeState::Present) => self.add_edge(edge),
                (EdgeState::Undecided, _) => self.rule_out_edge(edge),
                (known, _) => known == state,
            };
            if !is_consistent {
                self.implied.clear();
                return false;
            }
        }
        true
    }

    fn rule_out_edge(&mut self, edge: Edge) -> bool {
        self.edges[usize::from(edge) % EDGES] = EdgeState::Absent;
        self.trail.push(TrailEntry { edge, join: None });
        let ends = self.ends_of(edge);
        ends.iter().for_each(|&at| self.degrees[at % ROOM] -= UNDECIDED);
        ends.iter().all(|&at| self.check_degree(at))
    }

    fn add_edge(&mut self, edge: Edge) -> bool {
        let ends = self.ends_of(edge);
        if ends.iter().any(|&at| self.degrees[at % ROOM] % UNDECIDED >= 2 * PRESENT) {
            return false;
        }
        let mates = ends.map(|at| self.ends.mate(at));
        let Some(join) = self.ends.join(ends[0] as u16, ends[1] as u16) else { return false };
        self.edges[usize::from(edge) % EDGES] = EdgeState::Present;
        self.trail.push(TrailEntry { edge, join: Some(join) });
        ends.iter().for_each(|&at| self.degrees[at % ROOM] -= UNDECIDED - PRESENT);
        let is_complete = usize::from(mates[0] & !NUMBERED) == ends[1];
        ends.iter().all(|&at| self.check_degree(at))
            && self.check_squares(edge.into())
            && self.check_turns(edge.into())
            && (is_complete
                || mates.iter().all(|&mate| self.check_end(usize::from(mate & !NUMBERED))))
    }

    /// A terminal has one edge, and any other cell two or none.
    fn check_degree(&mut self, at: usize) -> bool {
        let degree = self.degrees[at % ROOM];
        let state = match (degree % UNDECIDED, degree / UNDECIDED) {
            (1, 0) => return false,
            (1, 1) => EdgeState::Present,
            (2, 1..) | (0, 1) => EdgeState::Absent,
            _ => return true,
        };
        for (edge, _) in self.around(at) {
            if self.edge(edge) == EdgeState::Undecided {
                self.imply(edge, state);
            }
        }
        true
    }

    /// Two adjacent ends of a number are joined, and those of two numbers are not. The ends of a
    /// fragment without a number are not adjacent, unless it is one edge.
    fn check_end(&mut self, at: usize) -> bool {
        let mate = self.ends.mate(at);
        for (edge, to) in self.around(at) {
            let state = self.edge(edge);
            if usize::from(mate & !NUMBERED) == to {
                match state {
                    EdgeState::Present => {}
                    EdgeState::Undecided if mate & NUMBERED != 0 => {
                        self.imply(edge, EdgeState::Present);
                    }
                    EdgeState::Undecided | EdgeState::Absent => return false,
                }
            } else if state == EdgeState::Undecided
                && mate & self.ends.mate(to) & NUMBERED != 0
                && self.degrees[to % ROOM] % UNDECIDED == PRESENT
            {
                self.imply(edge, EdgeState::Absent);
            }
        }
        true
    }

    /// Three edges around a square are a touch, and four a loop.
    fn check_squares(&mut self, edge: usize) -> bool {
        let row = 2 * self.cols;
        let squares = if edge.is_multiple_of(2) {
            let above = edge - row;
            [[above, above + 1, above + 3], [edge + row, edge + 1, edge + 3]]
        } else {
            let (top, bottom) = (edge - 1, edge - 1 + row);
            [[top - 2, edge - 2, bottom - 2], [top, edge + 2, bottom]]
        };
        for others in squares {
            let present = others.iter().filter(|&&other| self.edge(other) == EdgeState::Present);
            match present.count() {
                0 => {}
                1 => others.iter().for_each(|&other| {
                    if self.edge(other) == EdgeState::Undecided {
                        self.imply(other, EdgeState::Absent);
                    }
                }),
                _ => return false,
            }
        }
        true
    }

    /// Checks the downward turns of which an edge may be a part.
    fn check_turns(&mut self, edge: usize) -> bool {
        let at = edge / 2;
        let [first, second] = if edge.is_multiple_of(2) {
            [(at, edge + 1), (at + 1, edge + 3)]
        } else {
            [(at, edge - 1), (at, edge - 3)]
        };
        self.check_turn(first.0, first.1, RIGHT_AND_DOWN)
            && self.check_turn(second.0, second.1, LEFT_AND_DOWN)
    }

    /// The cell inside a downward turn is neither empty nor of the same link: from there a link
    /// turns the same way, or it is a terminal or solid. `other` is the second edge of the turn.
    fn check_turn(&mut self, corner: usize, other: usize, turn: u8) -> bool {
        let is_possible = self.cells[corner % ROOM] & turn != 0;
        match self.edge(other) {
            EdgeState::Absent => {}
            EdgeState::Undecided if is_possible => {}
            EdgeState::Undecided => self.imply(other, EdgeState::Absent),
            EdgeState::Present if is_possible => {
                let below = corner + self.cols;
                let is_right = turn == RIGHT_AND_DOWN;
                let inside = if is_right { below + 1 } else { below - 1 };
                if self.cells[inside % ROOM] & (TERMINAL | SOLID) == 0 {
                    let beside = if is_right { inside } else { inside - 1 };
                    self.imply(2 * beside, EdgeState::Present);
                    self.imply(2 * inside + 1, EdgeState::Present);
                }
            }
            EdgeState::Present => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Side;
    use super::*;
    use crate::puzzle::numberlink::generate::make;
    use crate::puzzle::numberlink::{Mode, Puzzle, Solution};
    use crate::util::grid::Size;

    fn layout(rows: &[&str]) -> Layout {
        let puzzle: Puzzle = rows.join("/").parse().unwrap();
        Layout::new(&puzzle, Side::Top)
    }

    /// Draws each cell by its edges to the right and downwards: `┌` both, `─` and `│` one, `·` none,
    /// and `?` if one is undecided.
    fn draw(board: &EdgePropagation, layout: &Layout) -> Vec<String> {
        let symbol = |row, col| match board.state(row, col) {
            [EdgeState::Present, EdgeState::Present] => '┌',
            [EdgeState::Present, EdgeState::Absent] => '─',
            [EdgeState::Absent, EdgeState::Present] => '│',
            [EdgeState::Absent, EdgeState::Absent] => '·',
            [EdgeState::Undecided, _] | [_, EdgeState::Undecided] => '?',
        };
        (0..layout.rows).map(|row| (0..layout.cols).map(|col| symbol(row, col)).collect()).collect()
    }

    /// Returns for each cell of a layout whether a solution has its edges to the right and
    /// downwards.
    fn edges(layout: &Layout, solution: &Solution) -> Vec<[bool; 2]> {
        let place = |cell| layout.origin.iter().position(|own| own == cell).unwrap();
        let steps = solution.0.iter().flat_map(|link| link.windows(2));
        let steps: Vec<[usize; 2]> = steps
            .map(|step| {
                let (from, to) = (place(&step[0]), place(&step[1]));
                [from.min(to), from.max(to)]
            })
            .collect();
        let has = |from, to| steps.contains(&[from, to]);
        (0..layout.cells.len()).map(|at| [has(at, at + 1), has(at, at + layout.cols)]).collect()
    }

    #[test]
    fn what_a_puzzle_implies_is_decided_at_the_start() {
        // The terminals of one number are joined, and those of two are not.
        let layout = layout(&["11", "22"]);
        let board = EdgePropagation::new(&layout).unwrap();
        assert_eq!(draw(&board, &layout), ["─·", "─·"]);
        // Each terminal has terminals of the other number beside it only.
        assert!(EdgePropagation::new(&self::layout(&["12", "21"])).is_none());
    }

    #[test]
    fn edges_follow_from_the_first_ones_of_a_link() {
        let layout = layout(&["1...", "..2.", "....", "2..1"]);
        let mut board = EdgePropagation::new(&layout).unwrap();
        let before = draw(&board, &layout);
        assert_eq!(before, ["????", "????", "????", "???·"]);
        // A turn down before the corner would need another link inside.
        assert!(board.decide(0, 0, [true, false]));
        assert_eq!(draw(&board, &layout), ["───│", "???│", "???│", "??··"]);
        board.take_back(0);
        assert_eq!(draw(&board, &layout), before);
    }

    /// A puzzle with one solution has a taut one: what follows from its edges is a part of it.
    #[test]
    fn only_edges_of_the_solution_follow_from_its_edges() {
        for (rows, cols) in [(4, 4), (7, 7), (9, 5), (4, 12), (12, 12), (18, 10)] {
            let size = Size::new(rows, cols).unwrap();
            for (seed, mode) in (0..12).flat_map(|n| [(n, Mode::Any), (n, Mode::Classic)]) {
                let seed = format!("edges{seed}").parse().unwrap();
                let made = make(size, mode, &seed).unwrap();
                for side in Side::all(&made.puzzle) {
                    let layout = Layout::new(&made.puzzle, side);
                    let solution = edges(&layout, &made.solution);
                    check(&layout, &solution);
                }
            }
        }
    }

    fn check(layout: &Layout, solution: &[[bool; 2]]) {
        let mut board = EdgePropagation::new(layout).unwrap();
        let start = draw(&board, layout);
        let given = board.trail_len();
        for (at, &edges) in solution.iter().enumerate() {
            let (row, col) = (at / layout.cols, at % layout.cols);
            assert!(board.decide(row, col, edges), "{:?}", draw(&board, layout));
            for (at, own) in solution.iter().enumerate() {
                let states = board.state(at / layout.cols, at % layout.cols);
                let agrees = |(state, &is_present)| match state {
                    EdgeState::Undecided => true,
                    EdgeState::Present => is_present,
                    EdgeState::Absent => !is_present,
                };
                assert!(states.into_iter().zip(own).all(agrees), "{:?}", draw(&board, layout));
            }
        }
        board.take_back(given);
        assert_eq!(draw(&board, layout), start);
    }
}
