//! A puzzle as clauses, and its solutions from their assignments.

use super::solver::{Literal, Solver};
use crate::puzzle::numberlink::solve::layout::{Layout, NUMBERED, SOLID, TERMINAL};

/// The widest valley that a taut link is forbidden: wider ones hardly occur, and their clauses are
/// long.
const MAX_VALLEY: usize = 8;

#[derive(Debug)]
pub(super) struct Encoding {
    rows: usize,
    cols: usize,
    /// By cell, the edges to the right and downwards; false where there can be none.
    rights: Vec<Literal>,
    downs: Vec<Literal>,
    /// By cell, whether a link passes it.
    used: Vec<Literal>,
    never: Literal,
}

/// The edges of a link or of a loop.
struct Component {
    edges: Vec<Literal>,
    is_loop: bool,
}

impl Encoding {
    /// Adds the clauses of the solutions without touches: of the full ones, or of the taut ones.
    pub fn new(layout: &Layout, is_taut: bool, solver: &mut Solver) -> Self {
        let (rows, cols, cells) = (layout.rows, layout.cols, layout.cells.len());
        let never = solver.add_variable();
        solver.add_clause(&[!never]);
        let mut encoding = Self {
            rows,
            cols,
            rights: vec![never; cells],
            downs: vec![never; cells],
            used: vec![never; cells],
            never,
        };
        encoding.add_edges(layout, solver);
        for at in 0..cells {
            encoding.used[at] = match layout.cells[at] {
                cell if cell & SOLID != 0 => never,
                cell if cell & TERMINAL == 0 && is_taut => solver.add_variable(),
                _ => !never,
            };
        }
        for at in 0..cells {
            encoding.add_degree(at, layout.cells[at], solver);
        }
        encoding.add_numbers(layout, solver);
        for at in 0..cells {
            encoding.add_square(at, layout, is_taut, solver);
            if is_taut {
                encoding.add_valleys(at, layout, solver);
            }
        }
        encoding
    }

    /// Returns each row's edges to the right and downwards, a bit per column; or, if the
    /// assignment has loops, adds a clause against each of them. Otherwise it adds one against
    /// the same solution.
    pub fn edges(&self, solver: &mut Solver) -> Option<(Vec<u64>, Vec<u64>)> {
        let row = |edges: &[Literal]| {
            let bit = |(col, &edge): (usize, &Literal)| u64::from(solver.is_true(edge)) << col;
            edges.iter().enumerate().map(bit).sum()
        };
        let rights = self.rights.chunks(self.cols).map(row).collect();
        let downs = self.downs.chunks(self.cols).map(row).collect();
        let (loops, links): (Vec<_>, Vec<_>) =
            self.components(solver).into_iter().partition(|component| component.is_loop);
        let not_all = |edges: Vec<Literal>| edges.into_iter().map(|edge| !edge).collect::<Vec<_>>();
        if loops.is_empty() {
            let edges = links.into_iter().flat_map(|link| link.edges).collect();
            solver.add_clause(&not_all(edges));
            return Some((rights, downs));
        }
        for component in loops {
            solver.add_clause(&not_all(component.edges));
        }
        None
    }

    fn components(&self, solver: &Solver) -> Vec<Component> {
        let cells = self.rows * self.cols;
        let mut is_seen = vec![false; cells];
        let mut components = Vec::new();
        for first in 0..cells {
            if is_seen[first] {
                continue;
            }
            is_seen[first] = true;
            let mut edges = Vec::new();
            let (mut stack, mut ends) = (vec![first], 0);
            while let Some(at) = stack.pop() {
                let mut degree = 0;
                for (edge, to) in self.around(at) {
                    if !solver.is_true(edge) {
                        continue;
                    }
                    degree += 1;
                    if at < to {
                        edges.push(edge);
                    }
                    if !is_seen[to] {
                        is_seen[to] = true;
                        stack.push(to);
                    }
                }
                ends += usize::from(degree == 1);
            }
            if !edges.is_empty() {
                components.push(Component { edges, is_loop: ends == 0 });
            }
        }
        components
    }

    /// Returns the edges of a cell that may exist, and the cells at their other ends.
    fn around(&self, at: usize) -> impl Iterator<Item = (Literal, usize)> {
        let col = at % self.cols;
        let left = (col > 0).then(|| (self.rights[at.wrapping_sub(1)], at - 1));
        let up = at.checked_sub(self.cols).map(|up| (self.downs[up], up));
        let right = (self.rights[at], at + 1);
        let down = (self.downs[at], at + self.cols);
        let all = [left, up, Some(right), Some(down)].into_iter().flatten();
        all.filter(|&(edge, _)| edge != self.never)
    }

    fn add_edges(&mut self, layout: &Layout, solver: &mut Solver) {
        let mate = |at: usize| usize::from(layout.mates[at] & !NUMBERED);
        let mut edge = |from: usize, to: usize| {
            let kinds = layout.cells[from] | layout.cells[to];
            let is_between_terminals = layout.cells[from] & layout.cells[to] & TERMINAL != 0;
            let may_be = kinds & SOLID == 0 && (!is_between_terminals || mate(from) == to);
            may_be.then(|| solver.add_variable())
        };
        for at in 0..self.rights.len() {
            if at % self.cols + 1 < self.cols {
                self.rights[at] = edge(at, at + 1).unwrap_or(self.never);
            }
            if at + self.cols < self.rights.len() {
                self.downs[at] = edge(at, at + self.cols).unwrap_or(self.never);
            }
        }
    }

    /// One edge ends at a terminal, and two or none at any other cell.
    fn add_degree(&self, at: usize, cell: u8, solver: &mut Solver) {
        let edges: Vec<Literal> = self.around(at).map(|(edge, _)| edge).collect();
        let others = |skipped: Literal| edges.iter().copied().filter(move |&edge| edge != skipped);
        if cell & SOLID != 0 {
            return;
        }
        if cell & TERMINAL != 0 {
            solver.add_clause(&edges);
            for (n, &edge) in edges.iter().enumerate() {
                edges[..n].iter().for_each(|&other| solver.add_clause(&[!edge, !other]));
            }
            return;
        }
        if edges.len() < 2 {
            solver.add_clause(&[!self.used[at]]);
        }
        for &edge in &edges {
            solver.add_clause(&[!edge, self.used[at]]);
            // Of three edges, or of four without this one, one is missing.
            if edges.len() == 4 {
                solver.add_clause(&others(edge).map(|other| !other).collect::<Vec<_>>());
            }
            let more = others(edge).chain([!self.used[at]]);
            solver.add_clause(&more.collect::<Vec<_>>());
        }
        if edges.len() == 3 {
            solver.add_clause(&edges.iter().map(|&edge| !edge).collect::<Vec<_>>());
        }
    }

    /// One number passes each cell that is used, the same one at both ends of an edge, and an edge
    /// lies between any two adjacent cells of one number.
    fn add_numbers(&self, layout: &Layout, solver: &mut Solver) {
        let mate = |at: usize| usize::from(layout.mates[at] & !NUMBERED);
        let is_first = |&at: &usize| mate(at) > at;
        let firsts: Vec<usize> = (0..layout.cells.len()).filter(is_first).collect();
        let numbers = |at: usize, solver: &mut Solver| -> Vec<Literal> {
            let number = |&first: &usize| match layout.cells[at] {
                cell if cell & TERMINAL != 0 && (at == first || at == mate(first)) => !self.never,
                cell if cell & (TERMINAL | SOLID) != 0 => self.never,
                _ => solver.add_variable(),
            };
            firsts.iter().map(number).collect()
        };
        let numbers: Vec<Vec<Literal>> =
            (0..layout.cells.len()).map(|at| numbers(at, solver)).collect();
        for at in 0..numbers.len() {
            if layout.cells[at] & (TERMINAL | SOLID) == 0 {
                let own = &numbers[at];
                let some = own.iter().copied().chain([!self.used[at]]);
                solver.add_clause(&some.collect::<Vec<_>>());
                for (n, &number) in own.iter().enumerate() {
                    solver.add_clause(&[!number, self.used[at]]);
                    own[..n].iter().for_each(|&other| solver.add_clause(&[!number, !other]));
                }
            }
            for (edge, to) in self.around(at).filter(|&(_, to)| to > at) {
                for (&from, &to) in numbers[at].iter().zip(&numbers[to]) {
                    solver.add_clause(&[!edge, !from, to]);
                    solver.add_clause(&[!edge, from, !to]);
                    solver.add_clause(&[edge, !from, !to]);
                }
            }
        }
    }

    /// No link has three edges of a square of four cells, and a taut one that turns around a cell
    /// below it can't be pushed there.
    fn add_square(&self, at: usize, layout: &Layout, is_taut: bool, solver: &mut Solver) {
        let below = at + self.cols;
        if below >= layout.cells.len() || at % self.cols + 1 == self.cols {
            return;
        }
        let (top, bottom) = (self.rights[at], self.rights[below]);
        let (left, right) = (self.downs[at], self.downs[at + 1]);
        let edges = [top, bottom, left, right];
        for skipped in 0..4 {
            let three = (0..4).filter(|&n| n != skipped).map(|n| !edges[n]);
            solver.add_clause(&three.collect::<Vec<_>>());
        }
        for (side, inside) in [(left, below + 1), (right, below)] {
            if is_taut && layout.cells[inside] & SOLID == 0 {
                solver.add_clause(&[!top, !side, self.used[inside]]);
            }
        }
    }

    /// No taut link leads down, to the right and up around empty cells: it could be shorter. Adds
    /// the clauses of the links that lead down to a cell.
    fn add_valleys(&self, at: usize, layout: &Layout, solver: &mut Solver) {
        let Some(above) = at.checked_sub(self.cols) else { return };
        let mut clause = vec![!self.downs[above], !self.rights[at]];
        let widest = MAX_VALLEY.min(self.cols - 1 - at % self.cols);
        for width in 2..=widest {
            if layout.cells[above + width - 1] & SOLID != 0 {
                return;
            }
            clause.extend([!self.rights[at + width - 1], self.used[above + width - 1]]);
            clause.push(!self.downs[above + width]);
            solver.add_clause(&clause);
            clause.pop();
        }
    }
}
