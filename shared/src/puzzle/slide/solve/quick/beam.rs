//! A beam search without an end: it looks some moves ahead, some of the moves are played, and it
//! continues with the states that begin with these moves.
//!
//! A state is a patch of the board around the blank. Its score is the cost of its moves to the
//! tiles plus what an [`Aim`] still asks for.

use crate::puzzle::slide::solve::constructive::route::TileCarrier;
use crate::puzzle::slide::solve::quick::position::Position;
use crate::puzzle::slide::solve::quick::window::{CELLS, Window, target};
use crate::util::grid::{Cell, Direction};

/// The cost of one move; the other costs use the same unit.
pub(super) const MOVE: i32 = 10;

/// The bits of a child's index in a key for sorting.
const INDEX_MASK: u64 = (1 << 10) - 1;

/// The content of a cell that the blank cannot enter.
const WALL: u16 = u16::MAX;
const BLANK: u16 = u16::MAX - 1;

/// What a search aims at, besides cheap places for all tiles.
pub(super) trait Aim {
    type Progress: Copy;

    /// Returns the progress at the beginning of a search, and its cost.
    fn start(&self, finder: Finder<'_>) -> (Self::Progress, i32);

    /// Returns the progress after a move of a tile, and the move's cost.
    fn after(
        &self,
        before: Self::Progress,
        slide: TileSlide,
        finder: Finder<'_>,
    ) -> (Self::Progress, i32);

    /// Returns the cost of what remains.
    fn remaining(&self, progress: Self::Progress, blank: Position) -> i32;

    fn is_reached(&self, progress: Self::Progress) -> bool;

    /// Returns the positions that are finished and become walls between two states of progress.
    fn finished(
        &self,
        before: Self::Progress,
        after: Self::Progress,
    ) -> impl Iterator<Item = Position>;
}

/// A move of a tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct TileSlide {
    pub home: u16,
    pub from: Position,
    pub to: Position,
}

/// Finds tiles by their homes: in a state's patch, else on the board.
#[derive(Clone, Copy)]
pub(super) struct Finder<'a> {
    frame: &'a PatchFrame<'a>,
    patch: &'a Patch,
    pub blank: Position,
}

/// The limits of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct BeamLimits {
    /// The states that a layer keeps.
    pub width: usize,
    pub lookahead: usize,
}

impl BeamLimits {
    /// Returns the maximum number of boards that one search generates.
    pub(super) const fn nodes(&self) -> u64 {
        (self.lookahead * 3 * self.width) as u64 + 4
    }
}

/// The result of a search.
#[derive(Debug)]
pub(super) struct BeamPath {
    pub moves: Vec<Direction>,
    pub reached: bool,
    /// The cost less the gain; the path pays if it is below 0.
    pub cost: i32,
    pub nodes: u64,
}

/// The search, with the paths of its states from the board on.
#[derive(Debug)]
pub(super) struct ContinuousBeam<P> {
    states: Vec<BeamState<P>>,
    next: Vec<BeamState<P>>,
    children: Vec<Child<P>>,
    order: Vec<u64>,
    /// Patches of states that are no longer used.
    #[expect(clippy::vec_box, reason = "they move between states without being copied")]
    spare: Vec<Box<Patch>>,
    tree: Vec<(u32, Direction)>,
    /// The paths of the states that the next search continues with.
    paths: Vec<Vec<Direction>>,
    /// The place of these states' patches; `None` when they must be set up anew.
    window: Option<Window>,
}

type Patch = [u16; CELLS];

#[derive(Debug, Clone)]
struct BeamState<P> {
    patch: Box<Patch>,
    blank: u16,
    last: Option<Direction>,
    cost: i32,
    hash: u64,
    /// The index in the tree of moves, from 1; 0 is the root.
    node: u32,
    progress: P,
}

#[derive(Debug, Clone, Copy)]
struct Child<P> {
    parent: u16,
    /// The cell of the blank.
    blank: u16,
    way: Direction,
    is_kept: bool,
    cost: i32,
    score: i32,
    progress: P,
}

/// The patch's place on the board.
struct PatchFrame<'a> {
    window: Window,
    carrier: &'a TileCarrier,
}

impl<P: Copy> Default for ContinuousBeam<P> {
    fn default() -> Self {
        Self {
            states: Vec::new(),
            next: Vec::new(),
            children: Vec::new(),
            order: Vec::new(),
            spare: Vec::new(),
            tree: Vec::new(),
            paths: Vec::new(),
            window: None,
        }
    }
}

impl<P: Copy> ContinuousBeam<P> {
    /// Forgets all states, so that the next search begins at the board.
    pub(super) fn restart(&mut self) {
        self.paths.clear();
        self.window = None;
    }

    /// Computes the costs of the states anew in the next search, since the aim has others.
    pub(super) fn recompute_costs(&mut self) {
        self.window = None;
    }

    /// Continues the search to its lookahead. The last move must not be reversed.
    pub(super) fn search<A: Aim<Progress = P>>(
        &mut self,
        carrier: &TileCarrier,
        last: Option<Direction>,
        aim: &A,
        limits: BeamLimits,
    ) -> BeamPath {
        let frame = PatchFrame::new(carrier, self.paths.first(), self.window);
        let window = Some(frame.window);
        let root = frame.root(aim, last);
        let mut start =
            root.cost + aim.remaining(root.progress, frame.window.position(root.blank.into()));
        let mut depth = 0;
        if window != self.window {
            depth = self.resume(&frame, aim, root);
        } else if let (Some(state), Some(path)) = (self.states.first(), self.paths.first()) {
            // The costs of the states that are kept begin at an earlier board.
            let cost = frame.replay(aim, root, path).map_or(state.cost, |replayed| replayed.cost);
            start += state.cost - cost;
            depth = path.len();
        }
        self.window = window;
        let mut nodes = 0;
        let mut best = self.best_first(&frame, aim);
        while depth < limits.lookahead && !best.is_some_and(|(_, _, reached)| reached) {
            nodes += self.expand(&frame, aim);
            self.keep_best(limits.width);
            self.next_layer(&frame, aim);
            depth += 1;
            best = self.best_first(&frame, aim);
        }
        let (score, node, reached) = best.unwrap_or((i32::MAX, 0, false));
        let spent = MOVE * i32::try_from(depth).unwrap_or(i32::MAX);
        let cost = score.saturating_sub(start).saturating_add(spent);
        BeamPath { moves: self.moves_to(node), reached, cost, nodes }
    }

    /// Keeps the states whose paths begin with the first moves of one of them: with as many as
    /// asked for, or with those that all paths have in common. Returns the number of these moves.
    pub(super) fn commit(&mut self, moves: &[Direction], least: usize) -> usize {
        let paths = self.states.iter().map(|state| self.moves_to(state.node));
        let mut paths: Vec<Vec<Direction>> = paths.collect();
        let common = |path: &Vec<Direction>| {
            path.iter().zip(moves).take_while(|(one, other)| one == other).count()
        };
        let shared = paths.iter().map(common).min().unwrap_or(0);
        let count = least.max(shared).min(moves.len());
        let goes_on = |path: &Vec<Direction>| path.len() > count && path[..count] == moves[..count];
        let mut kept = paths.iter().map(goes_on);
        self.states.retain(|_| kept.next().unwrap_or(false));
        paths.retain(goes_on);
        paths.iter_mut().for_each(|path| drop(path.drain(..count)));
        self.tree.clear();
        for (state, path) in self.states.iter_mut().zip(&paths) {
            state.node = extend_tree(&mut self.tree, 0, path);
        }
        if paths.is_empty() {
            self.window = None;
        }
        self.paths = paths;
        count
    }

    /// Sets up the states of the known paths, or the root, and returns their depth.
    fn resume<A: Aim<Progress = P>>(
        &mut self,
        frame: &PatchFrame<'_>,
        aim: &A,
        root: BeamState<P>,
    ) -> usize {
        self.states.clear();
        self.tree.clear();
        let depth = self.paths.first().map_or(0, Vec::len);
        for path in &self.paths {
            if let Some(mut state) = frame.replay(aim, root.clone(), path) {
                state.node = extend_tree(&mut self.tree, 0, path);
                self.states.push(state);
            }
        }
        if self.states.is_empty() {
            self.states.push(root);
            return 0;
        }
        depth
    }

    /// Makes the best state of the layer the first one. Returns its score, its node, and whether it has
    /// reached the aim.
    fn best_first<A: Aim<Progress = P>>(
        &mut self,
        frame: &PatchFrame<'_>,
        aim: &A,
    ) -> Option<(i32, u32, bool)> {
        let scores = self.states.iter().enumerate().map(|(index, state)| {
            let blank = frame.window.position(state.blank.into());
            (state.cost + aim.remaining(state.progress, blank), index)
        });
        let (score, index) = scores.min()?;
        self.states.swap(0, index);
        let state = &self.states[0];
        Some((score, state.node, aim.is_reached(state.progress)))
    }

    /// Lists the children of all states, and returns their number.
    fn expand<A: Aim<Progress = P>>(&mut self, frame: &PatchFrame<'_>, aim: &A) -> u64 {
        self.children.clear();
        for (parent, state) in (0..).zip(&self.states) {
            if aim.is_reached(state.progress) {
                continue;
            }
            let back = state.last.map(Direction::opposite);
            for way in Direction::ALL {
                if Some(way) != back {
                    self.children.extend(frame.child(aim, parent, state, way));
                }
            }
        }
        self.children.len() as u64
    }

    /// Keeps the children with the lowest scores, one of equal boards.
    fn keep_best(&mut self, width: usize) {
        let hash =
            |child: &Child<P>| child_hash(&self.states[usize::from(child.parent)], child.blank);
        let key = |(index, child): (u64, &Child<P>)| {
            // Equal boards are adjacent.
            to_ordered_bits(child.score) << 32 | hash(child) >> 32 & !INDEX_MASK | index
        };
        debug_assert!(self.children.len() as u64 <= INDEX_MASK + 1);
        self.order.clear();
        self.order.extend((0..).zip(&self.children).map(key));
        self.order.sort_unstable();
        let (mut last, mut left) = (None, width);
        for &key in &self.order {
            if left == 0 {
                break;
            }
            let index = (key & INDEX_MASK) as usize;
            let hash = Some(hash(&self.children[index]));
            if last != hash {
                self.children[index].is_kept = true;
                last = hash;
                left -= 1;
            }
        }
    }

    /// Makes the kept children the next layer. The last child of a state takes over its patch.
    fn next_layer<A: Aim<Progress = P>>(&mut self, frame: &PatchFrame<'_>, aim: &A) {
        let mut children = self.children.iter().filter(|child| child.is_kept).peekable();
        for (parent, mut state) in (0..).zip(self.states.drain(..)) {
            let Some(mut child) = children.next_if(|child| child.parent == parent) else {
                self.spare.push(state.patch);
                continue;
            };
            while let Some(next) = children.next_if(|child| child.parent == parent) {
                let mut patch = self.spare.pop().unwrap_or_else(|| Box::new([0; CELLS]));
                patch.copy_from_slice(&state.patch[..]);
                let mut sibling = BeamState { patch, ..state };
                sibling.node = extend_tree(&mut self.tree, state.node, &[child.way]);
                frame.play(aim, &mut sibling, child);
                self.next.push(sibling);
                child = next;
            }
            state.node = extend_tree(&mut self.tree, state.node, &[child.way]);
            frame.play(aim, &mut state, child);
            self.next.push(state);
        }
        std::mem::swap(&mut self.states, &mut self.next);
    }

    fn moves_to(&self, mut node: u32) -> Vec<Direction> {
        let mut moves = Vec::new();
        while let Some(&(before, way)) =
            (node as usize).checked_sub(1).and_then(|index| self.tree.get(index))
        {
            moves.push(way);
            node = before;
        }
        moves.reverse();
        moves
    }
}

impl<'a> PatchFrame<'a> {
    /// Places the patch around the blank and the end of its path.
    fn new(
        carrier: &'a TileCarrier,
        path: Option<&Vec<Direction>>,
        before: Option<Window>,
    ) -> Self {
        let size = carrier.board.size();
        let blank = Position::of(size, carrier.board.blank());
        let end = path.into_iter().flatten().fold(blank, |at, &way| at.before(way));
        Self { window: Window::around(size, blank, end, before), carrier }
    }

    fn root<A: Aim>(&self, aim: &A, last: Option<Direction>) -> BeamState<A::Progress> {
        let (board, size) = (&self.carrier.board, self.carrier.board.size());
        let mut patch = Box::new([WALL; CELLS]);
        for (index, at) in self.window.cells(size) {
            if let Some(cell) = at.cell(size)
                && self.carrier.is_free(cell)
            {
                patch[index] = board.home(board.tile(cell)).0;
            }
        }
        let at = Position::of(size, board.blank());
        let blank = self.window.index(at).unwrap_or(0);
        patch[blank] = BLANK;
        let (progress, cost) = aim.start(Finder { frame: self, patch: &patch, blank: at });
        BeamState { patch, blank: blank as u16, last, cost, hash: 0, node: 0, progress }
    }

    /// Returns the state after some moves, unless they leave the patch.
    fn replay<A: Aim>(
        &self,
        aim: &A,
        mut state: BeamState<A::Progress>,
        path: &[Direction],
    ) -> Option<BeamState<A::Progress>> {
        for &way in path {
            let child = self.child(aim, 0, &state, way)?;
            self.play(aim, &mut state, &child);
        }
        Some(state)
    }

    /// Returns the child after the move of a tile in a direction, if there is such a tile.
    fn child<A: Aim>(
        &self,
        aim: &A,
        parent: u16,
        state: &BeamState<A::Progress>,
        way: Direction,
    ) -> Option<Child<A::Progress>> {
        let blank = usize::from(state.blank);
        let source = target(blank, way.opposite());
        let home = state.patch[source];
        if home == WALL {
            return None;
        }
        let (from, to) = (self.window.position(source), self.window.position(blank));
        let finder = Finder { frame: self, patch: &state.patch, blank: from };
        let slide = TileSlide { home, from, to };
        let (progress, cost) = aim.after(state.progress, slide, finder);
        let cost = state.cost + cost;
        Some(Child {
            parent,
            blank: source as u16,
            way,
            is_kept: false,
            cost,
            score: cost + aim.remaining(progress, from),
            progress,
        })
    }

    fn play<A: Aim>(
        &self,
        aim: &A,
        state: &mut BeamState<A::Progress>,
        child: &Child<A::Progress>,
    ) {
        state.hash = child_hash(state, child.blank);
        state.patch.swap(usize::from(state.blank), usize::from(child.blank));
        for at in aim.finished(state.progress, child.progress) {
            if let Some(index) = self.window.index(at) {
                state.patch[index] = WALL;
            }
        }
        state.blank = child.blank;
        state.last = Some(child.way);
        state.cost = child.cost;
        state.progress = child.progress;
    }
}

impl Finder<'_> {
    /// Returns the position of a tile before the current move.
    pub(super) fn position_of(&self, home: Cell) -> Position {
        match self.patch.iter().position(|&other| other == home.0) {
            Some(index) => self.frame.window.position(index),
            None => {
                let carrier = self.frame.carrier;
                Position::of(carrier.board.size(), carrier.cell_of(home))
            }
        }
    }
}

/// Adds a path from a node to a tree of moves, and returns its last node.
fn extend_tree(tree: &mut Vec<(u32, Direction)>, from: u32, path: &[Direction]) -> u32 {
    path.iter().fold(from, |node, &way| {
        tree.push((node, way));
        u32::try_from(tree.len()).unwrap_or(u32::MAX)
    })
}

/// Returns a number of 32 bits that is the greater, the higher the score.
const fn to_ordered_bits(score: i32) -> u64 {
    (score.cast_unsigned() ^ (1 << 31)) as u64
}

/// Returns the hash of a state's child with the blank in a cell.
fn child_hash<P>(state: &BeamState<P>, source: u16) -> u64 {
    let (source, blank) = (usize::from(source), usize::from(state.blank));
    let home = state.patch[source];
    state.hash ^ key(home, source) ^ key(home, blank)
}

/// Returns the key of a tile at a cell of the patch (Zobrist 1970), mixed by a multiplication
/// (Fibonacci hashing, Knuth 1973).
const fn key(home: u16, index: usize) -> u64 {
    let number = (home as u64) << 16 | index as u64;
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
