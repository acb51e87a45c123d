//! The policy of a bot that draws links.

use crate::puzzle::numberlink::deduce::{KnownSolution, LinkHint};
use crate::puzzle::numberlink::{Drawing, LinkPlan, Square, Stroke};
use crate::puzzle::skill::{Skill, vary};
use crate::solver::budget::{Budget, NodesUsed, Unsolved};
use crate::util::grid::Cell;
use crate::util::seed::PortableRng;

/// The work that the look at the board may cost a bot.
const LOOK_BUDGET: Budget = Budget(20_000_000);
/// How many cells a slip goes astray at most.
const ASTRAY: u32 = 3;
/// By how much a bot's share of slips differs from its skill's at most, in percent.
const SLIPS_SPREAD: u32 = 60;
/// By how much the length of its strokes differs, in percent.
const PIECE_SPREAD: u32 = 40;

/// What a skill means for Numberlink: all know where the links run, the weaker take long to
/// see it, draw piece by piece, and go astray now and then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkProfile {
    pub cell_millis: u32,
    /// Milliseconds that a look at the board takes before another link, and before a
    /// slip is seen.
    pub look_millis: u32,
    /// How many cells a stroke goes on at most.
    pub piece: u16,
    /// Of a thousand strokes, how many are slips: they leave the right way.
    pub slips: u16,
}

/// A bot's state during one race.
#[derive(Debug, Clone)]
pub struct LinkPolicy {
    profile: LinkProfile,
    order: LinkOrder,
    plan: Option<LinkPlan>,
    number: Option<u16>,
}

/// Which link a bot begins next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkOrder {
    /// From the rim inwards: the one that has the fewest cells inside.
    Rim,
    Shortest,
    Longest,
    /// The one that begins nearest to where the last one did.
    Nearest,
}

const ORDERS: [LinkOrder; 4] =
    [LinkOrder::Rim, LinkOrder::Shortest, LinkOrder::Longest, LinkOrder::Nearest];

impl LinkProfile {
    pub const fn of(skill: Skill) -> Self {
        let (cell_millis, look_millis, piece, slips) = match skill {
            Skill::Beginner => (280, 4_500, 6, 250),
            Skill::Casual => (210, 3_000, 9, 120),
            Skill::Steady => (150, 1_800, 14, 50),
            Skill::Expert => (100, 900, u16::MAX, 15),
            Skill::Master => (45, 250, u16::MAX, 0),
        };
        Self { cell_millis, look_millis, piece, slips }
    }
}

impl LinkPolicy {
    /// Makes the policy of one bot; `rng` draws in what it differs from others of its skill: how
    /// often it slips, how far its strokes go, and in which order it draws the links.
    pub fn new(skill: Skill, rng: &mut PortableRng) -> Self {
        let mut profile = LinkProfile::of(skill);
        profile.slips = vary(profile.slips, SLIPS_SPREAD, rng);
        if profile.piece < u16::MAX {
            profile.piece = vary(profile.piece, PIECE_SPREAD, rng).max(2);
        }
        let order = ORDERS[rng.below(ORDERS.len() as u32) as usize];
        Self { profile, order, plan: None, number: None }
    }

    /// Decides on the next stroke on a drawing that isn't solved, and how many milliseconds
    /// that takes: a slip is taken back first, else the link in hand goes on, else
    /// another is begun.
    ///
    /// # Errors
    /// [`Unsolved`] for a puzzle without a solution, or with none that the bot finds.
    pub fn decide(
        &mut self,
        drawing: &Drawing,
        rng: &mut PortableRng,
    ) -> Result<(u32, Stroke), Unsolved> {
        let plan = match self.plan.take() {
            Some(plan) => plan,
            None => {
                let (nothing, spent) = (&KnownSolution::Nothing, &mut NodesUsed::default());
                LinkPlan::plan(drawing, nothing, LOOK_BUDGET, spent)?
            }
        };
        let plan = self.plan.insert(plan);
        if let Some(mistake) = plan.mistake(drawing) {
            let undo = rng.below(2) == 0 && drawing.undos() > 0;
            let shorten = || LinkHint::Wrong(mistake).stroke(drawing);
            let stroke = if undo { Some(Stroke::Undo) } else { shorten() };
            let stroke = stroke.ok_or(Unsolved::Unsolvable)?;
            return Ok((self.profile.look_millis + self.profile.cell_millis, stroke));
        }
        let in_hand = self.number.filter(|&number| plan.rest(drawing, number).is_some());
        let next = in_hand
            .or_else(|| next(plan, drawing, self.order, self.number))
            .ok_or(Unsolved::Unsolvable)?;
        let mut cells = plan.rest(drawing, next).ok_or(Unsolved::Unsolvable)?;
        cells.truncate(usize::from(self.profile.piece).saturating_add(1));
        if u32::from(self.profile.slips) > rng.below(1_000)
            && let Some(astray) = astray(drawing, &cells, rng)
        {
            cells = astray;
        }
        self.number = Some(next);
        let look = if in_hand == Some(next) { 0 } else { self.profile.look_millis };
        let length = u32::try_from(cells.len()).unwrap_or(u32::MAX);
        let hand = self.profile.cell_millis.saturating_mul(length);
        Ok((look.saturating_add(hand), Stroke::Draw(cells)))
    }
}

/// Chooses the link to begin, by the bot's order.
fn next(plan: &LinkPlan, drawing: &Drawing, order: LinkOrder, last: Option<u16>) -> Option<u16> {
    let size = drawing.puzzle().size();
    let is_inside = |cell: &&Cell| {
        let free = |next: &Cell| {
            drawing.puzzle().square(*next) != Square::Solid && drawing.owner(*next).is_none()
        };
        size.neighbours(**cell).filter(free).count() == 4
    };
    let begins = |number: u16| drawing.puzzle().pairs().get(usize::from(number) - 1)?.first();
    let from = last.and_then(begins);
    let rank = |number: u16, cells: &[Cell]| match order {
        LinkOrder::Rim => cells.iter().filter(is_inside).count(),
        LinkOrder::Shortest => cells.len(),
        LinkOrder::Longest => size.cells() - cells.len().min(size.cells()),
        LinkOrder::Nearest => {
            from.zip(begins(number)).map_or(0, |(from, to)| size.distance(*from, *to))
        }
    };
    let numbers = (1u16..).zip(drawing.puzzle().pairs()).map(|(number, _)| number);
    let rest = numbers.filter_map(|number| Some((number, plan.rest(drawing, number)?)));
    let (number, _) = rest.min_by_key(|(number, cells)| (rank(*number, cells), cells.len()))?;
    Some(number)
}

/// Leaves the right way somewhere, for a few free cells; nothing where none lie beside it.
fn astray(drawing: &Drawing, right: &[Cell], rng: &mut PortableRng) -> Option<Vec<Cell>> {
    let below = |rng: &mut PortableRng, count: usize| {
        rng.below(u32::try_from(count).unwrap_or(u32::MAX).max(1)) as usize
    };
    let leave = below(rng, right.len().saturating_sub(1));
    let mut cells = right.get(..=leave)?.to_vec();
    let wanted = cells.len() + 1 + rng.below(ASTRAY) as usize;
    while cells.len() < wanted {
        let last = *cells.last()?;
        let is_free = |next: &Cell| {
            drawing.puzzle().square(*next) == Square::Open
                && drawing.owner(*next).is_none()
                && !cells.contains(next)
                && right.get(cells.len()) != Some(next)
        };
        let ways: Vec<Cell> = drawing.puzzle().size().neighbours(last).filter(is_free).collect();
        match ways.get(below(rng, ways.len())) {
            Some(&way) => cells.push(way),
            None => break,
        }
    }
    let stroke = Stroke::Draw(cells);
    let went = drawing.clone().play(&stroke).is_ok();
    let Stroke::Draw(cells) = stroke else {
        return None;
    };
    (went && cells.len() > leave + 1).then_some(cells)
}
