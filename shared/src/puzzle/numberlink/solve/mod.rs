//! Solvers: one solution, or the number of solutions up to two.
//!
//! [`first`] finds a solution and [`count`] distinguishes none, one and several under each
//! [`Rule`] within a node budget. The results are the same on every machine, and "undecided" if
//! the budget does not suffice.
//!
//! Under [`Rule::Loose`] only taut solutions are searched (see `row_search`). Shortening links
//! that touch themselves and pushing links downwards around empty cells ends with a taut solution,
//! so a puzzle has a solution if it has a taut one; and if it has a single taut one, every further
//! solution is one such step away from it.

mod clause_learning;
mod cut_bound;
mod edge_propagation;
mod fragment_ends;
mod layout;
mod neighbourhood;
mod paths;
mod planarity;
mod portfolio;
mod row_search;
mod transposition_table;
mod uniqueness;

use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::solver::budget::{Budget, Unsolved};
use clause_learning::ClauseSearch;
use neighbourhood::NeighbourhoodSearch;
use portfolio::{Portfolio, PortfolioStatus};
use row_search::SolutionClass;
pub(super) use uniqueness::{Uniqueness, UniquenessProof};

/// The result of [`first`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstSolution {
    pub solution: Result<Solution, Unsolved>,
    pub nodes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountResult {
    pub verdict: SolutionCount,
    pub nodes: u64,
}

/// The number of solutions of a puzzle under a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SolutionCount {
    None,
    Unique(Solution),
    /// Two or more; these are two of them.
    Multiple([Solution; 2]),
    Undecided,
}

/// The nodes that a search gets from its first side before the others, and before another class of
/// solutions is searched: most puzzles made for people have a full solution without touches, which
/// is found at once.
const HEAD_START_NODES: u64 = 8_192;

/// The nodes that a count gets from its first side before the others.
const COUNT_HEAD_START_NODES: u64 = 4_096;

/// The minimum slice of each of two alternating counts, in nodes, and the divisor of the nodes so
/// far that gives later slices.
const MIN_SLICE_NODES: u64 = 1_024;
const SLICE_DIVISOR: u64 = 4;

/// The nodes after which a count also searches near a first solution for a second one, and the
/// share of the nodes that this gets.
const NEIGHBOURHOOD_AFTER_NODES: u64 = 65_536;
const NEIGHBOURHOOD_DIVISOR: u64 = 8;

/// The nodes of a count's row searches after which it also searches by learned clauses.
const CLAUSES_AFTER_NODES: u64 = 1 << 25;
/// From there on, the nodes of row searches for taut solutions for each node of the search by
/// learned clauses.
const CLAUSES_DIVISOR: u64 = 4;
/// From there on, the nodes of the search by learned clauses for each node of row searches for full
/// solutions without touches: its proofs of these are short.
const FULL_TAUT_CLAUSES_SHARE: u64 = 6;

/// The nodes after which a count of full solutions gives the count of all solutions beside it
/// [`LOOSE_SHARE`] nodes for each of its own: that decides hard boards sooner.
const LOOSE_AFTER_NODES: u64 = 65_536;
const LOOSE_SHARE: u64 = 7;

/// The nodes of the count of all solutions for each node of a search for a full one, which it goes beside:
/// it proves soonest that each solution leaves cells empty.
const LOOSE_SHARE_OF_FIRST: u64 = 2;

/// Finds any solution under a rule.
///
/// A full solution that does not touch itself is valid under every rule and found fastest; that
/// search alternates with the search for any solution, and under [`Rule::Full`] after some nodes with
/// the count of all solutions.
pub fn first(puzzle: &Puzzle, rule: Rule, budget: Budget) -> FirstSolution {
    let any = solution_class(rule);
    let mut portfolios = vec![Portfolio::new(puzzle, SolutionClass::FullTaut, HEAD_START_NODES)];
    if any != SolutionClass::FullTaut {
        portfolios.push(Portfolio::new(puzzle, any, HEAD_START_NODES));
    }
    let mut loose = (rule == Rule::Full).then(|| CountSearch::new(puzzle, Rule::Loose));
    let mut nodes = 0;
    let mut slice = HEAD_START_NODES;
    let mut turn = 0;
    let solution = loop {
        let left = budget.0.saturating_sub(nodes);
        let Some(portfolio) = portfolios.get_mut(turn) else {
            turn = 0;
            if let Some(counting) = loose.as_mut().filter(|_| nodes >= LOOSE_AFTER_NODES) {
                let before = counting.nodes();
                let verdict = counting.resume(left.min(slice.saturating_mul(LOOSE_SHARE_OF_FIRST)));
                nodes += counting.nodes() - before;
                match to_full_count(puzzle, verdict) {
                    Some(SolutionCount::None) => break Err(Unsolved::Unsolvable),
                    Some(SolutionCount::Unique(one) | SolutionCount::Multiple([one, _])) => {
                        break Ok(one);
                    }
                    Some(SolutionCount::Undecided) if nodes >= budget.0 => {
                        break Err(Unsolved::OverBudget);
                    }
                    Some(SolutionCount::Undecided) => {}
                    None => loose = None,
                }
            }
            slice = slice.saturating_mul(2);
            continue;
        };
        let before = portfolio.nodes;
        let step = portfolio.resume(slice.min(left));
        nodes += portfolio.nodes - before;
        match step {
            PortfolioStatus::Found(found) if satisfies(puzzle, rule, &found) => break Ok(found),
            PortfolioStatus::Found(_) => {}
            PortfolioStatus::Exhausted if portfolio.class == any => {
                break Err(Unsolved::Unsolvable);
            }
            PortfolioStatus::Exhausted => {
                portfolios.remove(turn);
                turn = 0;
            }
            PortfolioStatus::Spent if nodes >= budget.0 => break Err(Unsolved::OverBudget),
            PortfolioStatus::Spent => turn += 1,
        }
    };
    FirstSolution { solution, nodes }
}

/// Counts the solutions under a rule, up to two.
pub fn count(puzzle: &Puzzle, rule: Rule, budget: Budget) -> CountResult {
    let mut counting = CountSearch::new(puzzle, rule);
    if rule == Rule::Full {
        return count_full(puzzle, counting, budget, MIN_SLICE_NODES);
    }
    let verdict = counting.resume(budget.0);
    let nodes = counting.nodes();
    CountResult { verdict, nodes }
}

/// Returns the class of solutions to search under a rule.
const fn solution_class(rule: Rule) -> SolutionClass {
    match rule {
        Rule::Loose => SolutionClass::Taut,
        Rule::Full => SolutionClass::Full,
        Rule::FullNoTouch => SolutionClass::FullTaut,
    }
}

/// Returns whether a found solution satisfies the rule: the search detects a touch only where it
/// is a U-turn.
fn satisfies(puzzle: &Puzzle, rule: Rule, solution: &Solution) -> bool {
    rule != Rule::FullNoTouch || solution.touches(puzzle) == 0
}

/// Counts the full solutions, alternating with a count of all solutions: if a puzzle has a single
/// solution even with empty cells, that is cheaper to prove, since solutions that touch themselves
/// need not be searched.
fn count_full(puzzle: &Puzzle, mut full: CountSearch, budget: Budget, least: u64) -> CountResult {
    let mut loose = Some(CountSearch::new(puzzle, Rule::Loose));
    let mut nodes = 0;
    let verdict = loop {
        let turn = |nodes: u64, share: u64| {
            (least.max(nodes / SLICE_DIVISOR) / share).min(budget.0.saturating_sub(nodes))
        };
        let share = if loose.is_none() || nodes < LOOSE_AFTER_NODES { 1 } else { LOOSE_SHARE };
        let before = full.nodes();
        let verdict = full.resume(turn(nodes, share));
        nodes += full.nodes() - before;
        if verdict != SolutionCount::Undecided || nodes >= budget.0 {
            break verdict;
        }
        let Some(counting) = &mut loose else { continue };
        let before = counting.nodes();
        let verdict = counting.resume(turn(nodes, 1));
        nodes += counting.nodes() - before;
        match to_full_count(puzzle, verdict) {
            Some(SolutionCount::Undecided) if nodes >= budget.0 => break SolutionCount::Undecided,
            Some(SolutionCount::Undecided) => {}
            Some(decided) => break decided,
            None => loose = None,
        }
    };
    CountResult { verdict, nodes }
}

/// Returns what a count of all solutions says of the full ones; nothing if it found several of which some
/// leave cells empty.
fn to_full_count(puzzle: &Puzzle, verdict: SolutionCount) -> Option<SolutionCount> {
    let is_full = |solution: &Solution| solution.solves(puzzle, Rule::Full);
    match verdict {
        SolutionCount::Unique(one) if !is_full(&one) => Some(SolutionCount::None),
        SolutionCount::Multiple(two) if !two.iter().all(is_full) => None,
        SolutionCount::None
        | SolutionCount::Unique(_)
        | SolutionCount::Multiple(_)
        | SolutionCount::Undecided => Some(verdict),
    }
}

#[derive(Debug)]
struct CountSearch<'a> {
    puzzle: &'a Puzzle,
    rule: Rule,
    portfolio: Portfolio<'a>,
    /// The only solution so far.
    found: Option<Solution>,
    neighbourhood: NeighbourhoodSearch<'a>,
    clauses: ClauseTurn<'a>,
}

/// The search by learned clauses of a count.
#[derive(Debug)]
enum ClauseTurn<'a> {
    NotYet,
    Never,
    Running(Box<ClauseSearch<'a>>),
}

impl<'a> CountSearch<'a> {
    const fn new(puzzle: &'a Puzzle, rule: Rule) -> Self {
        let class = solution_class(rule);
        Self {
            puzzle,
            rule,
            portfolio: Portfolio::new(puzzle, class, COUNT_HEAD_START_NODES),
            found: None,
            neighbourhood: NeighbourhoodSearch::new(puzzle, rule, class),
            clauses: ClauseTurn::NotYet,
        }
    }

    /// Returns the nodes used so far.
    const fn nodes(&self) -> u64 {
        self.neighbourhood.nodes() + self.board_nodes()
    }

    /// Returns the nodes used for the whole board.
    const fn board_nodes(&self) -> u64 {
        let clauses = match &self.clauses {
            ClauseTurn::Running(search) => search.nodes(),
            ClauseTurn::NotYet | ClauseTurn::Never => 0,
        };
        self.portfolio.nodes + clauses
    }

    /// Continues until the count is known or about `budget` more nodes are used.
    fn resume(&mut self, budget: u64) -> SolutionCount {
        let end = self.nodes().saturating_add(budget);
        loop {
            let left = end.saturating_sub(self.nodes());
            if let Some(two) = self.resume_neighbourhood(left) {
                return SolutionCount::Multiple(two);
            }
            let left = end.saturating_sub(self.nodes());
            match self.resume_next(left) {
                PortfolioStatus::Spent if self.nodes() >= end => return SolutionCount::Undecided,
                PortfolioStatus::Spent => {}
                PortfolioStatus::Exhausted => {
                    return self.found.take().map_or(SolutionCount::None, SolutionCount::Unique);
                }
                PortfolioStatus::Found(this) if satisfies(self.puzzle, self.rule, &this) => {
                    if self.rule == Rule::Loose
                        && let Some(other) = paths::another(self.puzzle, &this)
                    {
                        return SolutionCount::Multiple([this, other]);
                    }
                    match self.found.take() {
                        Some(one) if one != this => return SolutionCount::Multiple([one, this]),
                        Some(_) | None => self.found = Some(this),
                    }
                }
                PortfolioStatus::Found(_) => {}
            }
        }
    }

    /// Continues the row searches or the search by learned clauses. Each of them finds all
    /// solutions of the class.
    fn resume_next(&mut self, budget: u64) -> PortfolioStatus {
        let beyond = self.portfolio.nodes.saturating_sub(CLAUSES_AFTER_NODES);
        let clauses_due = match self.portfolio.class {
            SolutionClass::Taut => beyond / CLAUSES_DIVISOR,
            SolutionClass::Full | SolutionClass::FullTaut => beyond * FULL_TAUT_CLAUSES_SHARE,
        };
        if matches!(self.clauses, ClauseTurn::NotYet) && self.portfolio.nodes >= CLAUSES_AFTER_NODES
        {
            let search = ClauseSearch::new(self.puzzle, self.portfolio.class);
            self.clauses =
                search.map_or(ClauseTurn::Never, |search| ClauseTurn::Running(Box::new(search)));
        }
        let budget = budget.min(self.until_neighbourhood());
        let slice = match &mut self.clauses {
            ClauseTurn::NotYet => CLAUSES_AFTER_NODES - self.portfolio.nodes,
            ClauseTurn::Never => budget,
            ClauseTurn::Running(search) => {
                let due = clauses_due.saturating_sub(search.nodes());
                if due > 0 {
                    return search.resume(due.min(budget));
                }
                MIN_SLICE_NODES.max(beyond / SLICE_DIVISOR)
            }
        };
        self.portfolio.resume(slice.min(budget))
    }

    /// Returns the nodes for the whole board before the neighbourhood is searched again.
    fn until_neighbourhood(&self) -> u64 {
        if self.neighbourhood.is_exhausted() {
            return u64::MAX;
        }
        let due = self.neighbourhood.nodes() * NEIGHBOURHOOD_DIVISOR;
        let due = due.max(NEIGHBOURHOOD_AFTER_NODES);
        due.saturating_sub(self.board_nodes()).max(MIN_SLICE_NODES)
    }

    /// Searches the neighbourhood until it has had its share, or `budget` more nodes are used.
    fn resume_neighbourhood(&mut self, budget: u64) -> Option<[Solution; 2]> {
        let board_nodes = self.board_nodes();
        let near = &mut self.neighbourhood;
        let end = near.nodes().saturating_add(budget);
        while board_nodes >= NEIGHBOURHOOD_AFTER_NODES
            && near.nodes() < end.min(board_nodes / NEIGHBOURHOOD_DIVISOR)
            && !near.is_exhausted()
        {
            if let Some(two) = near.resume(end - near.nodes()) {
                return Some(two);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
