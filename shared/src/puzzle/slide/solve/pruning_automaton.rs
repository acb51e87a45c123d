//! A finite automaton that prunes duplicate sequences of moves.
//!
//! Two short sequences of moves from the same cell of the blank may have the same effect: around a
//! block of 2×2 in six moves, or the other way around. Only the first of them in the order of
//! length and letters needs to be searched. The others are words that the automaton learns from a
//! breadth-first search and recognises anywhere in a longer sequence (Taylor and Korf, "Pruning
//! duplicate nodes in depth-first search", 1993). A path with a forbidden word can be replaced by
//! one that is earlier in that order, so a shortest solution without such words always remains.

use crate::util::grid::{Cell, Direction, Size};
use std::collections::{HashSet, VecDeque};

/// The length of the longest learnt word. Longer ones prune little more and take long to learn.
const MAX_WORD_MOVES: usize = 10;
/// The maximum number of states, which are numbered in 16 bits. Learning stops before.
const MAX_STATES: usize = 1 << 15;
/// The largest boards with learnt words, in cells; on larger ones only reversals are pruned.
const MAX_LEARNT_CELLS: usize = 25;
/// The move is pruned or leaves the board.
const PRUNED: u16 = u16::MAX;

/// The automaton of a board size. It tracks the blank's cell, so that moves off the board are
/// pruned too.
#[derive(Debug, Clone)]
pub struct Automaton {
    next: Vec<[u16; 4]>,
}

/// The blank's cell, and the prefixes of forbidden words that the last moves form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AutomatonState(u16);

impl Automaton {
    pub fn new(size: Size) -> Self {
        let mut trie = WordTrie::new(size);
        trie.learn_words();
        trie.into_automaton()
    }

    /// Creates an automaton that prunes only moves that take the one before back.
    pub fn of_reversals(size: Size) -> Self {
        let mut trie = WordTrie::new(size);
        (0..size.cells() as u16).for_each(|cell| trie.forbid_reversals(Cell(cell)));
        trie.into_automaton()
    }

    pub const fn start(&self, blank: Cell) -> AutomatonState {
        AutomatonState(blank.0)
    }

    /// Returns the state after a move, or `None` if the move is pruned.
    #[inline]
    pub fn next(&self, state: AutomatonState, way: usize) -> Option<AutomatonState> {
        let next = self.next[usize::from(state.0)][way];
        (next != PRUNED).then_some(AutomatonState(next))
    }
}

/// The forbidden words as a trie for each initial cell of the blank.
struct WordTrie {
    size: Size,
    /// For each node, its children; the first nodes are the roots, one for each cell.
    children: Vec<[Option<u16>; 4]>,
    /// Whether a forbidden word ends at a node.
    forbidden: Vec<bool>,
    blank: Vec<Cell>,
}

/// A board of the search: the content of each cell in five bits, and the word that led there.
struct ReachedBoard {
    tiles: u128,
    blank: Cell,
    word: Vec<u8>,
}

impl WordTrie {
    fn new(size: Size) -> Self {
        let cells = size.cells();
        Self {
            size,
            children: vec![[None; 4]; cells],
            forbidden: vec![false; cells],
            blank: (0..cells as u16).map(Cell).collect(),
        }
    }

    fn step(&self, blank: Cell, way: usize) -> Option<Cell> {
        self.size.neighbour(blank, Direction::ALL[way].opposite())
    }

    fn learn_words(&mut self) {
        let roots = self.size.cells() as u16;
        if self.size.cells() > MAX_LEARNT_CELLS {
            (0..roots).for_each(|cell| self.forbid_reversals(Cell(cell)));
            return;
        }
        let mut searches: Vec<_> =
            (0..roots).map(|cell| BreadthFirstSearch::new(Cell(cell))).collect();
        for _ in 0..MAX_WORD_MOVES {
            for search in &mut searches {
                // Words of one length are learnt for all cells, so that pruning does not depend on
                // the blank's cell.
                search.deepen(self);
            }
            if self.children.len() > MAX_STATES / 4 {
                return;
            }
        }
    }

    fn forbid_reversals(&mut self, root: Cell) {
        for way in 0..4 {
            if self.step(root, way).is_some() {
                self.forbid(root, &[way as u8, (way ^ 2) as u8]);
            }
        }
    }

    fn forbid(&mut self, root: Cell, word: &[u8]) {
        let mut node = usize::from(root.0);
        for &way in word {
            let way = usize::from(way);
            node = match self.children[node][way] {
                Some(child) => usize::from(child),
                None => {
                    let child = self.children.len();
                    if child == MAX_STATES {
                        return;
                    }
                    let blank = self.step(self.blank[node], way);
                    self.blank.push(blank.unwrap_or_default());
                    self.children.push([None; 4]);
                    self.forbidden.push(false);
                    self.children[node][way] = Some(child as u16);
                    child
                }
            };
        }
        self.forbidden[node] = true;
    }

    fn ends_forbidden(&self, root: Cell, word: &[u8]) -> bool {
        let mut from = root;
        for start in 0..word.len() {
            let mut node = usize::from(from.0);
            let whole = word[start..].iter().all(|&way| {
                let child = self.children[node][usize::from(way)];
                node = child.map_or(node, usize::from);
                child.is_some()
            });
            if whole && self.forbidden[node] {
                return true;
            }
            from = self.step(from, word[start].into()).unwrap_or(from);
        }
        false
    }

    /// Converts the tries into an automaton that recognises every word at any position (Aho and
    /// Corasick 1975).
    fn into_automaton(mut self) -> Automaton {
        let cells = self.size.cells();
        let mut next = vec![[PRUNED; 4]; self.children.len()];
        let mut fail: Vec<u16> = (0..self.children.len() as u16).collect();
        let mut queue: VecDeque<usize> = (0..cells).collect();
        while let Some(node) = queue.pop_front() {
            self.forbidden[node] |= self.forbidden[usize::from(fail[node])];
            for (way, child) in self.children[node].into_iter().enumerate() {
                let Some(blank) = self.step(self.blank[node], way) else {
                    continue;
                };
                let shorter =
                    if node < cells { blank.0 } else { next[usize::from(fail[node])][way] };
                next[node][way] = match child {
                    Some(child) => {
                        fail[usize::from(child)] = shorter;
                        queue.push_back(child.into());
                        child
                    }
                    None => shorter,
                };
            }
        }
        for state in next.iter_mut().flatten() {
            if *state != PRUNED && self.forbidden[usize::from(*state)] {
                *state = PRUNED;
            }
        }
        Automaton { next }
    }
}

/// A breadth-first search from one cell of the blank.
struct BreadthFirstSearch {
    root: Cell,
    seen: HashSet<u128>,
    layer: Vec<ReachedBoard>,
}

impl BreadthFirstSearch {
    fn new(root: Cell) -> Self {
        // Every cell holds its own number, the blank's cell the largest that fits five bits, so
        // that different boards differ in some cell.
        let tiles = (0..MAX_LEARNT_CELLS as u128)
            .map(|cell| if cell == u128::from(root.0) { 31 } else { cell } << (5 * cell))
            .sum();
        Self {
            root,
            seen: HashSet::from([tiles]),
            layer: vec![ReachedBoard { tiles, blank: root, word: Vec::new() }],
        }
    }

    fn deepen(&mut self, trie: &mut WordTrie) {
        for board in std::mem::take(&mut self.layer) {
            for way in 0..4 {
                let Some(blank) = trie.step(board.blank, way) else {
                    continue;
                };
                let mut word = board.word.clone();
                word.push(way as u8);
                if trie.ends_forbidden(self.root, &word) {
                    continue;
                }
                let tiles = swap(board.tiles, board.blank, blank);
                if self.seen.insert(tiles) {
                    self.layer.push(ReachedBoard { tiles, blank, word });
                } else {
                    trie.forbid(self.root, &word);
                }
            }
        }
    }
}

fn swap(tiles: u128, one: Cell, other: Cell) -> u128 {
    let (one, other) = (5 * u32::from(one.0), 5 * u32::from(other.0));
    let differ = (tiles >> one ^ tiles >> other) & 31;
    tiles ^ (differ << one | differ << other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::Board;

    /// Counts the boards within some moves of the goal by all paths and by the automaton's paths,
    /// and the latter paths.
    fn reach(size: &str, depth: usize) -> (usize, usize, usize) {
        let size: Size = size.parse().unwrap();
        let automaton = Automaton::new(size);
        let start = Board::solved(size);
        let mut all = HashSet::from([start.clone()]);
        let mut layer = all.clone();
        for _ in 0..depth {
            layer = layer
                .iter()
                .flat_map(|board| {
                    Direction::ALL.into_iter().filter_map(|way| {
                        let mut board = board.clone();
                        board.step(way).map(|_| board)
                    })
                })
                .collect();
            all.extend(layer.iter().cloned());
        }
        let mut left = HashSet::from([start.clone()]);
        let mut ways = vec![(start.clone(), automaton.start(start.blank()))];
        let mut count = 0;
        for _ in 0..depth {
            let mut longer = Vec::new();
            for (board, state) in ways {
                for (n, way) in Direction::ALL.into_iter().enumerate() {
                    if let Some(state) = automaton.next(state, n) {
                        let mut board = board.clone();
                        board.step(way).unwrap();
                        left.insert(board.clone());
                        longer.push((board, state));
                    }
                }
            }
            count += longer.len();
            ways = longer;
        }
        assert!(left.is_subset(&all));
        (all.len(), left.len(), count)
    }

    #[test]
    fn every_board_keeps_a_shortest_path_and_most_keep_only_one() {
        for size in ["2x2", "2x3", "3x3", "4x4", "3x2"] {
            let (all, left, ways) = reach(size, 11);
            assert_eq!(all, left, "{size}");
            assert!(ways < all + all / 8, "{size}: {ways} ways to {all} boards");
        }
    }

    #[test]
    fn large_boards_only_prune_reversals() {
        let (all, left, _) = reach("3x9", 7);
        assert_eq!(all, left);
    }
}
