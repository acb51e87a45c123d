//! The policy of a bot that slides tiles.

use crate::puzzle::skill::{Skill, vary};
use crate::puzzle::slide::solve::tables::Tables;
use crate::puzzle::slide::{Board, SlidePlan};
use crate::solver::budget::{Aim, Budget, NodesUsed, Unsolved};
use crate::util::grid::{Cell, Size};
use crate::util::seed::PortableRng;

/// The work that one look may cost a bot: of 99 boards of 4×4 in a hundred the shortest way
/// is found, at worst in a fifth of a second.
const LOOK_BUDGET: Budget = Budget(3_000_000);
/// The least work of a look for a short way. Bots double it up to [`SHORT_DOUBLINGS`] times, each
/// its own number of times, and so find different ways.
const LEAST_SHORT_BUDGET: u64 = 20_000;
const SHORT_DOUBLINGS: u32 = 4;
/// With how many moves at random a bot begins at most, unless it takes a shortest way: they lead
/// bots of one skill to different ways.
const MAX_OPENING: u32 = 2;
/// By how much a bot's share of slips differs from its skill's at most, in percent.
const SLIPS_SPREAD: u32 = 60;

/// What a skill means for the sliding puzzle: the weaker three go by a person's method,
/// with slips, the stronger two by the solvers' short ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlideProfile {
    pub tile_millis: u32,
    /// Milliseconds that a look at the board takes.
    pub look_millis: u32,
    /// After how many moves it looks up again: for a shorter way, where there may be one.
    pub look_every: u16,
    /// What its ways are to be.
    pub aim: Aim,
    /// Of a thousand moves, how many are slips: any legal move instead of the right one.
    pub slips: u16,
}

/// A bot's state during one race.
#[derive(Debug, Clone)]
pub struct SlidePolicy {
    profile: SlideProfile,
    /// The work that a look may cost.
    look_budget: Budget,
    /// Whether it goes by columns where others go by rows: it plans on the transposed board.
    by_columns: bool,
    /// How many moves at random are still to come.
    opening: u32,
    plan: Option<SlidePlan>,
    since_look: u16,
}

impl SlideProfile {
    pub const fn of(skill: Skill) -> Self {
        let (tile_millis, look_millis, look_every, aim, slips) = match skill {
            Skill::Beginner => (600, 1_500, 200, Aim::Plain, 80),
            Skill::Casual => (350, 800, 100, Aim::Plain, 30),
            Skill::Steady => (200, 400, 40, Aim::Plain, 8),
            Skill::Expert => (150, 300, 40, Aim::Short, 2),
            Skill::Master => (70, 70, 20, Aim::Shortest, 0),
        };
        Self { tile_millis, look_millis, look_every, aim, slips }
    }
}

impl SlidePolicy {
    /// Makes the policy of one bot; `rng` draws in what it differs from others of its skill: how
    /// often it slips, how hard it looks for a short way, how it begins, and whether it goes by rows
    /// or columns.
    pub fn new(skill: Skill, size: Size, rng: &mut PortableRng) -> Self {
        let mut profile = SlideProfile::of(skill);
        profile.slips = vary(profile.slips, SLIPS_SPREAD, rng);
        let doublings = rng.below(SHORT_DOUBLINGS + 1);
        let look_budget = match profile.aim {
            Aim::Short => Budget(LEAST_SHORT_BUDGET << doublings),
            Aim::Plain | Aim::Shortest => LOOK_BUDGET,
        };
        // Tables are for a size and not for its transposed one.
        let can_transpose = profile.aim == Aim::Plain || size == size.transposed();
        let by_columns = rng.below(2) == 1 && can_transpose;
        let most = if profile.aim == Aim::Shortest { 0 } else { MAX_OPENING };
        let opening = rng.below(most + 1);
        Self { profile, look_budget, by_columns, opening, plan: None, since_look: 0 }
    }

    /// Decides on the tile to slide next on a board that isn't solved, and how many
    /// milliseconds that takes.
    ///
    /// # Errors
    /// [`Unsolved`] for a board that no moves solve.
    pub fn decide(
        &mut self,
        board: &Board,
        tables: &Tables,
        rng: &mut PortableRng,
    ) -> Result<(u32, Cell), Unsolved> {
        if self.by_columns {
            let transposed = board.transposed();
            let (millis, cell) = self.decide_by_rows(&transposed, tables, rng)?;
            return Ok((millis, transposed.size().transposed_cell(cell)));
        }
        self.decide_by_rows(board, tables, rng)
    }

    fn decide_by_rows(
        &mut self,
        board: &Board,
        tables: &Tables,
        rng: &mut PortableRng,
    ) -> Result<(u32, Cell), Unsolved> {
        let looked = self.look_if_due(board, tables)?;
        let slip = self.opening > 0 || u32::from(self.profile.slips) > rng.below(1_000);
        self.opening = self.opening.saturating_sub(1);
        let cell = if slip { any_move(board, rng) } else { self.advice(board) };
        let cell = cell.ok_or(Unsolved::Unsolvable)?;
        self.since_look = self.since_look.saturating_add(1);
        let pause = if looked { self.profile.look_millis } else { 0 };
        Ok((pause + self.profile.tile_millis * tiles(board, cell), cell))
    }

    /// Plans where there is no plan for this board, or a look is due and the plan may be
    /// too long: then the new plan is taken only if it is the shorter one, or the bot might
    /// run in circles.
    fn look_if_due(&mut self, board: &Board, tables: &Tables) -> Result<bool, Unsolved> {
        let known = self.plan.as_mut().and_then(|plan| plan.next(board));
        if known.is_some() && self.since_look < self.profile.look_every {
            return Ok(false);
        }
        self.since_look = 0;
        let knows_best = self.plan.as_ref().is_some_and(SlidePlan::is_shortest);
        if known.is_some() && (knows_best || self.profile.aim == Aim::Plain) {
            return Ok(true);
        }
        let spent = &mut NodesUsed::default();
        let mut fresh = SlidePlan::plan(board, self.profile.aim, self.look_budget, tables, spent)?;
        let better = match (known, fresh.next(board)) {
            (Some(old), Some(new)) => new.at_most < old.at_most,
            (None, _) => true,
            (Some(_), None) => false,
        };
        if better {
            self.plan = Some(fresh);
        }
        Ok(true)
    }

    fn advice(&mut self, board: &Board) -> Option<Cell> {
        let hint = self.plan.as_mut()?.next(board)?;
        Some(hint.play)
    }
}

fn any_move(board: &Board, rng: &mut PortableRng) -> Option<Cell> {
    let moves: Vec<Cell> = board.legal_moves().collect();
    let count = u32::try_from(moves.len()).unwrap_or(u32::MAX);
    moves.get(rng.below(count) as usize).copied()
}

fn tiles(board: &Board, cell: Cell) -> u32 {
    let played = board.clone().play(cell);
    played.map_or(1, |played| u32::from(played.tiles))
}
