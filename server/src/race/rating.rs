//! What a heat's board needs: found out meanwhile, and told to nobody before the end.

use super::{Audience, Effects, HeatEvent, Race};
use crate::race::phase::{Over, Running, Stage};
use gridrace_shared::heat::standings::Standing;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::puzzle::MoveBounds;

impl Race {
    /// Says whether what the board of a heat needs is still of interest: that is the one
    /// that runs, or the last one until the next is made ready.
    #[must_use]
    pub const fn awaits_rating(&self, number: u32) -> bool {
        let begun = match &self.stage {
            Stage::Lobby | Stage::Drawing | Stage::Countdown { .. } => false,
            Stage::Running(_) | Stage::Over(_) => true,
        };
        begun && number == self.number
    }

    /// Takes the solver's word: a running heat keeps it, one that is over tells everybody.
    /// A word about another heat of the group comes too late.
    pub(super) fn rated(&mut self, number: u32, best: MoveBounds, out: &mut Effects) {
        if !self.awaits_rating(number) {
            return;
        }
        match &mut self.stage {
            Stage::Lobby | Stage::Drawing | Stage::Countdown { .. } => {}
            Stage::Running(run) => run.best = Some(best),
            Stage::Over(over) => {
                let Over { result, .. } = over.as_mut();
                let best = best.with(&result.standings);
                if result.best.replace(best) != Some(best) {
                    let rated = ServerMessage::Rated { number, best };
                    out.broadcast(Audience::Everybody, rated);
                    let result = Box::new(result.clone());
                    out.report(HeatEvent::Rated { number, best, result });
                }
            }
        }
    }
}

impl Running {
    /// Returns what is known by the end, the players' own ways home included.
    pub(super) fn best(&self, rows: &[Standing]) -> Option<MoveBounds> {
        self.best.map(|best| best.with(rows))
    }
}
