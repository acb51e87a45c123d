//! A solver for formulas in conjunctive normal form that learns a clause from each conflict.
//!
//! Conflict-driven clause learning (Marques-Silva and Sakallah 1996) with two watched literals and
//! decisions on the variables of recent conflicts (Moskewicz et al., "Chaff", 2001), minimized
//! clauses (Sörensson and Biere 2009), and restarts and a forgetting of learned clauses by the
//! number of their decision levels (Audemard and Simon, "Glucose", 2009). There is no chance in
//! it, and of floating-point numbers it uses sums, products, quotients and comparisons only, so it
//! is the same on every machine.

use super::variable_order::VariableOrder;
use std::ops::Not;

/// A variable, or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Literal(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SolverStatus {
    /// An assignment, read by [`Solver::is_true`] until a clause is added.
    Satisfied,
    Unsatisfiable,
    Spent,
}

/// The nodes that a propagated literal counts as: it takes as long as some three of a row search.
const NODES_PER_PROPAGATION: u64 = 3;

/// The conflicts before learned clauses are first forgotten, and what each time adds to the
/// distance to the next.
const FIRST_REDUCTION: u64 = 2_000;
const REDUCTION_INCREMENT: u64 = 100;
/// The words of all clauses from which on learned ones are forgotten at once: 32 MB.
const MAX_CLAUSE_WORDS: usize = 1 << 23;
/// Learned clauses of at most this many levels are kept for good, or for a while after each use.
const KEPT_LEVELS: u32 = 2;
const KEPT_LEVELS_AFTER_USE: u32 = 6;
/// The reductions that a clause's use is remembered for.
const USE_MEMORY: u32 = 3;

/// A search restarts if the levels of recent learned clauses exceed the mean of all by this factor.
const RESTART_FACTOR: f64 = 1.1;
/// The fewest conflicts between two restarts.
const MIN_CONFLICTS_PER_RESTART: u64 = 30;
const RECENT_CONFLICTS: f64 = 32.0;
const ALL_CONFLICTS: f64 = 8_192.0;

/// The literals that are followed from one that may be redundant.
const MAX_REDUNDANCY_DEPTH: u32 = 200;

/// A clause's position in the arena: its length, its [`ClauseNote`], and its literals, of which
/// the first two are watched. Clauses of two literals are stored with the literals.
type ClauseAt = u32;
const HEADER: usize = 2;
/// Marks a learned clause in its length.
const LEARNED: u32 = 1 << 31;
/// The note of a clause that is removed.
const REMOVED: u32 = u32::MAX;

/// Why a literal is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Decision,
    /// A clause of two literals; this one, which is false, is the other.
    Binary(Literal),
    Clause(ClauseAt),
}

#[derive(Debug, Clone, Copy)]
enum Conflict {
    Binary([Literal; 2]),
    Clause(ClauseAt),
}

#[derive(Debug, Clone, Copy)]
struct Watch {
    clause: ClauseAt,
    /// A literal of the clause: if it is true, the clause need not be read.
    other: Literal,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Mark {
    #[default]
    None,
    InClause,
    Redundant,
    NotRedundant,
}

#[derive(Debug, Default)]
pub(super) struct Solver {
    arena: Vec<u32>,
    learned: Vec<ClauseAt>,
    /// By literal, the clauses that watch it, and the others of its clauses of two literals.
    watches: Vec<Vec<Watch>>,
    binaries: Vec<Vec<Literal>>,
    /// By literal: 1 for true, -1 for false.
    values: Vec<i8>,
    /// By variable.
    levels: Vec<u32>,
    reasons: Vec<Reason>,
    phases: Vec<bool>,
    marks: Vec<Mark>,
    order: VariableOrder,
    trail: Vec<Literal>,
    /// The length of the trail before each decision.
    decisions: Vec<usize>,
    propagated: usize,
    is_unsatisfiable: bool,
    conflicts: u64,
    conflicts_since_restart: u64,
    next_reduction: u64,
    reductions: u64,
    recent_levels: f64,
    mean_levels: f64,
    /// By level, the last count of levels that met it.
    level_seen: Vec<u64>,
    level_counts: u64,
    /// The marked variables.
    marked: Vec<u32>,
    /// The work so far, in nodes of a row search.
    pub nodes: u64,
}

impl Literal {
    const fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl Solver {
    pub fn new() -> Self {
        Self { next_reduction: FIRST_REDUCTION, ..Self::default() }
    }

    /// Adds a variable, which is first tried as false.
    pub fn add_variable(&mut self) -> Literal {
        let variable = self.levels.len() as u32;
        for _ in 0..2 {
            self.watches.push(Vec::new());
            self.binaries.push(Vec::new());
            self.values.push(0);
        }
        self.levels.push(0);
        self.level_seen.push(0);
        self.reasons.push(Reason::Decision);
        self.phases.push(false);
        self.marks.push(Mark::None);
        self.order.add(variable);
        Literal(variable << 1)
    }

    /// Adds a clause, and takes all decisions back.
    pub fn add_clause(&mut self, literals: &[Literal]) {
        self.backtrack(0);
        self.nodes += literals.len() as u64;
        let mut clause = literals.to_vec();
        clause.sort_unstable();
        clause.dedup();
        let is_true = |literal: &Literal| self.value(*literal) > 0;
        if clause.iter().any(is_true) || clause.windows(2).any(|two| two[0] == !two[1]) {
            return;
        }
        clause.retain(|literal| self.value(*literal) == 0);
        match clause[..] {
            [] => self.is_unsatisfiable = true,
            [literal] => self.assign(literal, Reason::Decision),
            [first, second, ..] => {
                self.store(&clause, first, second, None);
            }
        }
    }

    pub fn is_true(&self, literal: Literal) -> bool {
        self.value(literal) > 0
    }

    /// Continues until the formula is satisfied or refuted, or about `budget` more nodes are used.
    pub fn resume(&mut self, budget: u64) -> SolverStatus {
        let until = self.nodes.saturating_add(budget);
        while !self.is_unsatisfiable {
            if let Some(conflict) = self.propagate() {
                self.learn(conflict);
                continue;
            }
            if self.nodes >= until {
                return SolverStatus::Spent;
            }
            if self.conflicts_since_restart > MIN_CONFLICTS_PER_RESTART
                && self.recent_levels > RESTART_FACTOR * self.mean_levels
            {
                self.conflicts_since_restart = 0;
                self.backtrack(0);
            }
            if self.conflicts >= self.next_reduction || self.arena.len() >= MAX_CLAUSE_WORDS {
                self.forget_clauses();
            }
            if !self.decide() {
                return SolverStatus::Satisfied;
            }
        }
        SolverStatus::Unsatisfiable
    }

    #[inline]
    fn value(&self, literal: Literal) -> i8 {
        self.values[literal.index()]
    }

    fn level(&self, literal: Literal) -> u32 {
        self.levels[literal.variable()]
    }

    fn literals(&self, clause: ClauseAt) -> impl Iterator<Item = Literal> {
        let at = clause as usize;
        let len = (self.arena[at] & !LEARNED) as usize;
        self.arena[at + HEADER..at + HEADER + len].iter().map(|&word| Literal(word))
    }

    #[inline]
    fn assign(&mut self, literal: Literal, reason: Reason) {
        self.values[literal.index()] = 1;
        self.values[(!literal).index()] = -1;
        let variable = literal.variable();
        self.levels[variable] = self.decisions.len() as u32;
        self.reasons[variable] = reason;
        self.trail.push(literal);
    }

    /// Assigns the most active variable the value that it had last, if there is one left.
    fn decide(&mut self) -> bool {
        while let Some(variable) = self.order.pop() {
            let literal = Literal(variable << 1);
            if self.value(literal) == 0 {
                self.decisions.push(self.trail.len());
                let is_true = self.phases[variable as usize];
                self.assign(if is_true { literal } else { !literal }, Reason::Decision);
                return true;
            }
        }
        false
    }

    /// Stores a clause and returns the reason that it is for its first literal. The levels of a
    /// learned clause are given.
    fn store(
        &mut self,
        clause: &[Literal],
        first: Literal,
        second: Literal,
        levels: Option<u32>,
    ) -> Reason {
        if clause.len() == 2 {
            self.binaries[first.index()].push(second);
            self.binaries[second.index()].push(first);
            return Reason::Binary(second);
        }
        let at = self.arena.len() as ClauseAt;
        self.arena.push(clause.len() as u32 | if levels.is_some() { LEARNED } else { 0 });
        self.arena.push(note(levels.unwrap_or(0), USE_MEMORY - 1));
        self.arena.extend(clause.iter().map(|literal| literal.0));
        self.watches[first.index()].push(Watch { clause: at, other: second });
        self.watches[second.index()].push(Watch { clause: at, other: first });
        if levels.is_some() {
            self.learned.push(at);
        }
        Reason::Clause(at)
    }

    /// Assigns what follows, until nothing more does or a clause is false.
    fn propagate(&mut self) -> Option<Conflict> {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            self.nodes += NODES_PER_PROPAGATION;
            let conflict = self.propagate_binaries(!literal);
            let conflict = conflict.or_else(|| self.propagate_watches(!literal));
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    fn propagate_binaries(&mut self, lost: Literal) -> Option<Conflict> {
        let binaries = std::mem::take(&mut self.binaries[lost.index()]);
        let mut conflict = None;
        for &other in &binaries {
            match self.value(other) {
                0 => self.assign(other, Reason::Binary(lost)),
                1.. => {}
                ..0 => {
                    conflict = Some(Conflict::Binary([lost, other]));
                    break;
                }
            }
        }
        self.binaries[lost.index()] = binaries;
        conflict
    }

    fn propagate_watches(&mut self, lost: Literal) -> Option<Conflict> {
        let mut watches = std::mem::take(&mut self.watches[lost.index()]);
        let mut conflict = None;
        let (mut read, mut kept) = (0, 0);
        while let Some(&watch) = watches.get(read) {
            read += 1;
            if self.value(watch.other) > 0 {
                watches[kept] = watch;
                kept += 1;
                continue;
            }
            let at = watch.clause as usize;
            let len = (self.arena[at] & !LEARNED) as usize;
            let clause = &mut self.arena[at + HEADER..at + HEADER + len];
            if clause[0] == lost.0 {
                clause.swap(0, 1);
            }
            let other = Literal(clause[0]);
            let watch = Watch { other, ..watch };
            let value = self.values[other.index()];
            if value <= 0 {
                let is_open = |word: &u32| self.values[*word as usize] >= 0;
                if let Some(n) = clause[2..].iter().position(is_open) {
                    clause.swap(1, n + 2);
                    self.watches[clause[1] as usize].push(watch);
                    continue;
                }
            }
            watches[kept] = watch;
            kept += 1;
            if value < 0 {
                conflict = Some(Conflict::Clause(watch.clause));
                break;
            }
            if value == 0 {
                self.assign(other, Reason::Clause(watch.clause));
            }
        }
        watches.drain(kept..read);
        self.watches[lost.index()] = watches;
        conflict
    }

    /// Takes decisions back until `level` of them are left.
    fn backtrack(&mut self, level: usize) {
        let Some(&len) = self.decisions.get(level) else { return };
        while self.trail.len() > len {
            let Some(literal) = self.trail.pop() else { break };
            self.values[literal.index()] = 0;
            self.values[(!literal).index()] = 0;
            self.phases[literal.variable()] = literal.0 & 1 == 0;
            self.order.insert(literal.variable() as u32);
        }
        self.decisions.truncate(level);
        self.propagated = len;
    }

    /// Learns a clause from a conflict, and takes back the decisions after which it would have
    /// assigned a literal.
    fn learn(&mut self, conflict: Conflict) {
        self.conflicts += 1;
        self.conflicts_since_restart += 1;
        if self.decisions.is_empty() {
            self.is_unsatisfiable = true;
            return;
        }
        let mut clause = self.first_unique_implication_point(conflict);
        self.minimize(&mut clause);
        for variable in self.marked.drain(..) {
            self.marks[variable as usize] = Mark::None;
        }
        let levels = self.count_levels(clause.iter().copied());
        let mean_over = ALL_CONFLICTS.min(self.conflicts as f64);
        self.recent_levels += (f64::from(levels) - self.recent_levels) / RECENT_CONFLICTS;
        self.mean_levels += (f64::from(levels) - self.mean_levels) / mean_over;
        let first = clause[0];
        let latest = (1..clause.len()).max_by_key(|&n| self.level(clause[n]));
        let reason = match latest {
            None => {
                self.backtrack(0);
                Reason::Decision
            }
            Some(latest) => {
                clause.swap(1, latest);
                self.backtrack(self.level(clause[1]) as usize);
                self.store(&clause, first, clause[1], Some(levels))
            }
        };
        self.assign(first, reason);
        self.order.decay();
    }

    /// Returns the clause that the last decision's level contributes one literal to: the first.
    fn first_unique_implication_point(&mut self, conflict: Conflict) -> Vec<Literal> {
        let now = self.decisions.len() as u32;
        let mut cause: Vec<Literal> = match conflict {
            Conflict::Binary(both) => both.into(),
            Conflict::Clause(clause) => {
                self.note_use(clause);
                self.literals(clause).collect()
            }
        };
        let mut earlier = Vec::new();
        let mut open = 0;
        let mut at = self.trail.len();
        loop {
            for &literal in &cause {
                let variable = literal.variable();
                if self.marks[variable] == Mark::None && self.levels[variable] > 0 {
                    self.mark(variable, Mark::InClause);
                    self.order.bump(variable as u32);
                    if self.levels[variable] == now {
                        open += 1;
                    } else {
                        earlier.push(literal);
                    }
                }
            }
            // A conflict has a literal of the last level, so the trail does not end before it.
            at -= 1;
            while self.marks[self.trail[at].variable()] == Mark::None {
                at -= 1;
            }
            let literal = self.trail[at];
            open -= 1;
            if open == 0 {
                earlier.insert(0, !literal);
                return earlier;
            }
            cause.clear();
            match self.reasons[literal.variable()] {
                Reason::Decision => {}
                Reason::Binary(other) => cause.push(other),
                Reason::Clause(clause) => {
                    self.note_use(clause);
                    cause.extend(self.literals(clause).filter(|&other| other != literal));
                }
            }
        }
    }

    fn mark(&mut self, variable: usize, mark: Mark) {
        self.marks[variable] = mark;
        self.marked.push(variable as u32);
    }

    /// Removes the literals of a learned clause that follow from the others.
    fn minimize(&mut self, clause: &mut Vec<Literal>) {
        let mut n = 1;
        while let Some(&literal) = clause.get(n) {
            if self.is_redundant(literal, 0) {
                clause.swap_remove(n);
            } else {
                n += 1;
            }
        }
    }

    fn is_redundant(&mut self, literal: Literal, depth: u32) -> bool {
        match self.reasons[literal.variable()] {
            _ if depth > MAX_REDUNDANCY_DEPTH => false,
            Reason::Decision => false,
            Reason::Binary(other) => self.is_implied(other, depth),
            Reason::Clause(clause) => {
                let first = clause as usize + HEADER;
                let len = (self.arena[clause as usize] & !LEARNED) as usize;
                (first..first + len).all(|at| {
                    let other = Literal(self.arena[at]);
                    other == !literal || self.is_implied(other, depth)
                })
            }
        }
    }

    /// Returns whether a false literal follows from the learned clause's.
    fn is_implied(&mut self, literal: Literal, depth: u32) -> bool {
        let variable = literal.variable();
        if self.levels[variable] == 0 {
            return true;
        }
        match self.marks[variable] {
            Mark::InClause | Mark::Redundant => true,
            Mark::NotRedundant => false,
            Mark::None => {
                let is_redundant = self.is_redundant(literal, depth + 1);
                let mark = if is_redundant { Mark::Redundant } else { Mark::NotRedundant };
                self.mark(variable, mark);
                is_redundant
            }
        }
    }

    /// Returns the number of levels of some literals.
    fn count_levels(&mut self, literals: impl Iterator<Item = Literal>) -> u32 {
        self.level_counts += 1;
        let mut count = 0;
        for literal in literals {
            let seen = &mut self.level_seen[self.levels[literal.variable()] as usize];
            count += u32::from(*seen != self.level_counts);
            *seen = self.level_counts;
        }
        count
    }

    /// Remembers that a learned clause was used, and the number of its levels if it has fewer now.
    fn note_use(&mut self, clause: ClauseAt) {
        let at = clause as usize;
        if self.arena[at] & LEARNED == 0 {
            return;
        }
        let mut levels = levels_of(self.arena[at + 1]);
        if levels > KEPT_LEVELS {
            let len = (self.arena[at] & !LEARNED) as usize;
            self.level_counts += 1;
            let mut count = 0;
            for n in at + HEADER..at + HEADER + len {
                let level = self.levels[Literal(self.arena[n]).variable()] as usize;
                count += u32::from(self.level_seen[level] != self.level_counts);
                self.level_seen[level] = self.level_counts;
            }
            levels = levels.min(count);
        }
        self.arena[at + 1] = note(levels, USE_MEMORY);
    }

    /// Removes half of the learned clauses that were not used lately, or of nearly all if there is
    /// no more room: those of the most levels.
    fn forget_clauses(&mut self) {
        let has_room = self.arena.len() < MAX_CLAUSE_WORDS;
        self.reductions += 1;
        self.next_reduction =
            self.conflicts + FIRST_REDUCTION + REDUCTION_INCREMENT * self.reductions;
        let mut candidates = Vec::new();
        for &clause in &self.learned {
            let at = clause as usize;
            let (levels, uses) = (levels_of(self.arena[at + 1]), uses_of(self.arena[at + 1]));
            self.arena[at + 1] = note(levels, uses.saturating_sub(1));
            let was_used = uses == USE_MEMORY || uses > 0 && levels <= KEPT_LEVELS_AFTER_USE;
            let is_kept = levels <= KEPT_LEVELS || has_room && was_used || self.is_reason(clause);
            if !is_kept {
                candidates.push((levels, self.arena[at], clause));
            }
        }
        candidates.sort_unstable();
        for &(_, _, clause) in &candidates[candidates.len() / 2..] {
            self.arena[clause as usize + 1] = REMOVED;
        }
        self.compact();
    }

    fn is_reason(&self, clause: ClauseAt) -> bool {
        let first = Literal(self.arena[clause as usize + HEADER]);
        self.value(first) > 0 && self.reasons[first.variable()] == Reason::Clause(clause)
    }

    /// Moves the clauses over the removed ones.
    fn compact(&mut self) {
        // While clauses are moved, the note of a clause is its new place.
        let mut notes = Vec::new();
        let (mut at, mut end) = (0, 0);
        while at < self.arena.len() {
            let len = HEADER + (self.arena[at] & !LEARNED) as usize;
            if self.arena[at + 1] != REMOVED {
                notes.push(self.arena[at + 1]);
                self.arena[at + 1] = end as ClauseAt;
                end += len;
            }
            at += len;
        }
        let arena = &self.arena;
        let place = |clause: &mut ClauseAt| {
            *clause = arena[*clause as usize + 1];
            *clause != REMOVED
        };
        self.learned.retain_mut(place);
        for watches in &mut self.watches {
            watches.retain_mut(|watch| place(&mut watch.clause));
        }
        for literal in &self.trail {
            if let Reason::Clause(clause) = &mut self.reasons[literal.variable()] {
                place(clause);
            }
        }
        let mut notes = notes.into_iter();
        let mut at = 0;
        while at < self.arena.len() {
            let len = HEADER + (self.arena[at] & !LEARNED) as usize;
            if self.arena[at + 1] != REMOVED
                && let Some(note) = notes.next()
            {
                let to = self.arena[at + 1] as usize;
                self.arena.copy_within(at..at + len, to);
                self.arena[to + 1] = note;
            }
            at += len;
        }
        self.arena.truncate(end);
    }
}

/// Packs the levels of a learned clause, and for how many reductions its use is remembered.
const fn note(levels: u32, uses: u32) -> u32 {
    levels << 2 | uses
}

const fn levels_of(note: u32) -> u32 {
    note >> 2
}

const fn uses_of(note: u32) -> u32 {
    note & 3
}
