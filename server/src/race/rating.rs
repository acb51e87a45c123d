//! The board's rating: how many moves it needs. Secret until the end of the heat.

use super::{Audience, Effects, HeatEvent, Race};
use crate::race::phase::{Over, RacePhase, Running};
use gridrace_shared::heat::standings::Standing;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::puzzle::MoveBounds;

impl Race {
    /// Returns whether a heat runs, beside which ratings are throttled.
    pub const fn is_running(&self) -> bool {
        matches!(self.phase, RacePhase::Running(_))
    }

    /// Returns whether the rating of a heat's board is of use: of the running heat, or of the last
    /// one until the next start.
    pub const fn awaits_rating(&self, number: u32) -> bool {
        let begun = match &self.phase {
            RacePhase::Lobby | RacePhase::Drawing | RacePhase::Countdown { .. } => false,
            RacePhase::Running(_) | RacePhase::Over(_) => true,
        };
        begun && number == self.number
    }

    /// Takes the rating: a running heat keeps it, one that is over broadcasts it. A rating of an
    /// earlier heat is ignored.
    pub(super) fn rated(&mut self, number: u32, best: MoveBounds, out: &mut Effects) {
        if !self.awaits_rating(number) {
            return;
        }
        match &mut self.phase {
            RacePhase::Lobby | RacePhase::Drawing | RacePhase::Countdown { .. } => {}
            RacePhase::Running(run) => run.best = Some(best),
            RacePhase::Over(over) => {
                let Over { result, .. } = over.as_mut();
                let best = best.with(&result.standings);
                if result.best.replace(best) != Some(best) {
                    let rated = ServerMessage::Rated { number, best };
                    out.broadcast(Audience::All, rated);
                    let result = Box::new(result.clone());
                    out.report(HeatEvent::Rated { number, best, result });
                }
            }
        }
    }
}

impl Running {
    /// Returns the rating, improved by the players' own solutions.
    pub(super) fn best(&self, rows: &[Standing]) -> Option<MoveBounds> {
        self.best.map(|best| best.with(rows))
    }
}
