//! One iteration of IDA*: a depth-first search with a limit on the solution's length.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::solve::pruning_automaton::{Automaton, AutomatonState};
use crate::puzzle::slide::solve::tables::{LookupChange, LookupState, PartitionLookup};
use crate::util::grid::{Cell, Direction};
use std::cmp::Ordering;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IterationStatus {
    Found,
    Nothing,
    Interrupted,
}

pub(super) struct Iteration<'a, const V: usize> {
    lookups: [PartitionLookup<'a>; V],
    states: [LookupState; V],
    automaton: &'a Automaton,
    tiles: Vec<u8>,
    goal: Vec<u8>,
    /// The length of the walk from the standard goal to this one.
    pub(super) walk: i32,
    /// For each cell of the blank and direction, the cell of the tile that slides.
    sources: Vec<[u8; 4]>,
    /// For each tile and cell, the Manhattan distance from home.
    distances: Vec<u8>,
    pub(super) path: Vec<u8>,
    /// The length of the path at which an interrupted search resumes; 0 once it has been reached.
    resume_depth: usize,
    pub(super) nodes: u64,
    pub(super) node_limit: u64,
}

impl<'a, const V: usize> Iteration<'a, V> {
    pub(super) fn new(
        board: &Board,
        goal: &Board,
        lookups: [PartitionLookup<'a>; V],
        automaton: &'a Automaton,
        path: Vec<u8>,
    ) -> Self {
        let size = board.size();
        let cells = 0..size.cells() as u16;
        let sources = |cell| {
            Direction::ALL.map(|way| {
                let from = size.neighbour(Cell(cell), way.opposite());
                from.map_or(0, |from| from.0 as u8)
            })
        };
        let distance = |tile| {
            let away = move |cell| size.distance(Cell(cell), board.home(tile)) as u8;
            cells.clone().map(away)
        };
        Self {
            states: lookups.map(|lookup| lookup.evaluate(board)),
            lookups,
            automaton,
            tiles: bytes(board),
            goal: bytes(goal),
            walk: 0,
            sources: cells.clone().map(sources).collect(),
            distances: cells.clone().flat_map(distance).collect(),
            resume_depth: path.len(),
            path,
            nodes: 0,
            node_limit: 0,
        }
    }

    /// Searches below a board for a solution of exactly `left` moves, the walk included;
    /// `distance` is its Manhattan distance. Leaves the path to the solution or to the point of
    /// interruption.
    pub(super) fn search(
        &mut self,
        blank: usize,
        depth: usize,
        left: i32,
        distance: i32,
        state: AutomatonState,
    ) -> IterationStatus {
        if left == self.walk && (left == 0 || self.tiles == self.goal) {
            // With no moves left, no tile is away from home.
            return IterationStatus::Found;
        }
        if left == self.walk {
            return IterationStatus::Nothing;
        }
        let first = match (depth + 1).cmp(&self.resume_depth) {
            Ordering::Less => usize::from(self.path[depth]),
            Ordering::Equal => {
                self.resume_depth = 0;
                usize::from(self.path[depth])
            }
            Ordering::Greater => 0,
        };
        for way in first..4 {
            let Some(state) = self.automaton.next(state, way) else {
                continue;
            };
            if self.resume_depth == 0 {
                if self.nodes == self.node_limit {
                    self.path.truncate(depth);
                    self.path.push(way as u8);
                    return IterationStatus::Interrupted;
                }
                self.nodes += 1;
            }
            let from = usize::from(self.sources[blank][way]);
            let tile = usize::from(self.tiles[from]);
            let away = tile * self.tiles.len();
            let nearer =
                i32::from(self.distances[away + from]) - i32::from(self.distances[away + blank]);
            let distance = distance - nearer;
            if distance > left - 1 {
                continue;
            }
            let slack = (left - 1 - distance) / 2;
            let mut changes = [LookupChange::default(); V];
            let mut worst = 0;
            for ((change, lookup_state), lookup) in
                changes.iter_mut().zip(&self.states).zip(&self.lookups)
            {
                *change = lookup.preview(lookup_state, tile, from, blank);
                worst = i32::from(change.sum);
                if worst > slack {
                    break;
                }
            }
            if worst > slack {
                if worst > slack + 1 {
                    return IterationStatus::Nothing;
                }
                continue;
            }
            for (change, lookup_state) in changes.iter_mut().zip(&mut self.states) {
                *change = lookup_state.replace(*change);
            }
            self.tiles[blank] = tile as u8;
            self.tiles[from] = 0;
            if self.path.len() <= depth {
                self.path.push(way as u8);
            } else {
                self.path[depth] = way as u8;
            }
            let outcome = self.search(from, depth + 1, left - 1, distance, state);
            if outcome != IterationStatus::Nothing {
                return outcome;
            }
            self.tiles[from] = tile as u8;
            self.tiles[blank] = 0;
            for (change, lookup_state) in changes.iter().zip(&mut self.states) {
                lookup_state.replace(*change);
            }
        }
        IterationStatus::Nothing
    }
}

fn bytes(board: &Board) -> Vec<u8> {
    board.tiles().iter().map(|&tile| tile as u8).collect()
}
