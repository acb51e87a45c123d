//! The solver's plans for the players of a heat: a cache beside the race.
//!
//! A plan answers further hints as long as its player follows it. The race and its journal hold
//! what the hints said and no plan, so a server that lost its plans asks the solver again.

use super::{HintError, HintRequest};
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::protocol::snapshot::GivenHint;
use gridrace_shared::puzzle::{Board, HintStyle};
use gridrace_shared::solver::plan::{HintAnswer, Plan};
use std::collections::BTreeMap;

/// How often the solver plans for one hint: a player who moves on meanwhile gets a new plan, but
/// can't keep the solver busy for ever.
const MAX_ATTEMPTS: u8 = 3;

/// The latest plan of each player.
#[derive(Debug, Clone, Default)]
pub(crate) struct HintPlans {
    /// The heat that they are for.
    number: u32,
    plans: BTreeMap<PlayerId, CachedPlan>,
}

#[derive(Debug, Clone)]
struct CachedPlan {
    plan: Plan,
    style: HintStyle,
    /// What the solver said of the last move before it planned, and after which move that was.
    judged: Option<(Seq, Option<i32>)>,
}

/// What a plan was asked for: after which of the player's moves, in which style, and which time,
/// counted from 1.
pub(crate) type HintAsked = (Seq, HintStyle, u8);

/// How to go on with a hint.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one lives for the time of a call")]
pub(crate) enum HintStep {
    Answer(Result<GivenHint, HintError>),
    /// Ask the solver, for this time, counted from 1.
    Solve(HintRequest, u8),
}

impl HintPlans {
    /// Starts with a request: by the player's plan, if that leads on from the board.
    pub(crate) fn start(&mut self, request: HintRequest) -> HintStep {
        match self.answer(&request) {
            Some(given) => HintStep::Answer(Ok(given)),
            None => HintStep::Solve(self.with_known(request), 1),
        }
    }

    /// Takes the solver's answer on the board after some move, and answers the request as it is
    /// by now. A player who took another way meanwhile gets a new plan, if still connected.
    pub(crate) fn take_answer(
        &mut self,
        request: HintRequest,
        (after, style, attempt): HintAsked,
        outcome: Result<HintAnswer, HintError>,
        is_here: bool,
    ) -> HintStep {
        let HintAnswer { plan, distance_change } = match outcome {
            Ok(answer) => answer,
            Err(error) => return HintStep::Answer(Err(error)),
        };
        self.clear_unless(request.number);
        let judged = Some((after, distance_change));
        self.plans.insert(request.player, CachedPlan { plan, style, judged });
        match self.answer(&request) {
            Some(given) => HintStep::Answer(Ok(given)),
            None if attempt >= MAX_ATTEMPTS || !is_here => HintStep::Answer(Err(HintError::Busy)),
            None => HintStep::Solve(self.with_known(request), attempt + 1),
        }
    }

    /// Answers a request by the player's plan, if the board lies on it.
    fn answer(&mut self, request: &HintRequest) -> Option<GivenHint> {
        self.clear_unless(request.number);
        let cached = self.plans.get_mut(&request.player);
        let CachedPlan { plan, style, judged } =
            cached.filter(|cached| cached.style == request.style)?;
        // A player who moved on along the plan is judged by it.
        let distance_change = match judged {
            Some((after, distance_change)) if *after == request.after => *distance_change,
            Some(_) | None if *style == HintStyle::Method => None,
            Some(_) | None => distance_change(plan, request.before.as_ref(), &request.board),
        };
        let hint = plan.next(&request.board)?;
        Some(GivenHint { after: request.after, hint, distance_change })
    }

    /// Adds what the player's last plan knows of the board.
    fn with_known(&self, request: HintRequest) -> HintRequest {
        match self.plans.get(&request.player) {
            Some(CachedPlan { plan, .. }) => HintRequest { known: plan.known(), ..request },
            None => request,
        }
    }

    /// Drops all plans: the heat is over.
    pub(crate) fn clear(&mut self) {
        self.plans = BTreeMap::new();
    }

    fn clear_unless(&mut self, number: u32) {
        if self.number != number {
            self.number = number;
            self.plans.clear();
        }
    }
}

/// Returns how many moves further from home the last move led, by a plan that it lies on; nothing
/// for a move off the plan.
fn distance_change(plan: &Plan, before: Option<&Board>, board: &Board) -> Option<i32> {
    let was = i64::from(plan.remaining(before?)?);
    let is = i64::from(plan.remaining(board)?);
    i32::try_from(is - was).ok()
}
