//! Texts for a race alone: without an opponent, with one's earlier races, or with a ghost.

use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::practice::ghost::GHOST;
use crate::practice::kept_races::KeptNote;
use crate::tui::model::HeatModel;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::util::time::Millis;

/// The most cells of a ghost's name.
const NAME: usize = 24;

/// Says whether the player races, or raced, without others; a ghost is none.
pub(crate) fn is_solo(heat: &HeatModel) -> bool {
    let mut players = rows(heat).iter().filter(|row| row.player != GHOST);
    players.next().is_some_and(|row| row.player == heat.you) && players.next().is_none()
}

/// Says whether the player's best race can be raced in this room: one is kept that has a time, and
/// the player is the host, and alone with bots.
pub(crate) fn may_race_best(heat: &HeatModel) -> bool {
    let others = heat.roster.members.iter().filter(|member| member.id != heat.you);
    let is_alone = !others.map(|member| member.kind).any(|kind| kind == PlayerKind::Human);
    let mine = rows(heat).iter().find(|row| row.player == heat.you);
    let has_finished = mine.is_some_and(|mine| matches!(mine.state, RaceState::Finished { .. }));
    let kept = heat.panel.results.kept;
    heat.is_host()
        && is_alone
        && kept.is_some_and(|kept| has_finished || kept.best_before.is_some())
}

/// Compares the player's finish with the ghost's, or else with the best race that is kept.
pub(crate) fn remark(heat: &HeatModel) -> Option<(String, Look)> {
    let mine = rows(heat).iter().find(|row| row.player == heat.you)?;
    let RaceState::Finished { time } = mine.state else { return None };
    match rows(heat).iter().find(|row| row.player == GHOST) {
        Some(ghost) => Some(against_ghost(time, ghost, &heat.name(GHOST).name)),
        None => Some(against_best(time, heat.panel.results.kept?)),
    }
}

fn rows(heat: &HeatModel) -> &[Standing] {
    heat.result().map_or(&heat.standings, |result| &result.standings)
}

fn against_ghost(time: Millis, ghost: &Standing, name: &str) -> (String, Look) {
    let name = safe_text::text(name, NAME);
    match ghost.state {
        RaceState::Finished { time: ghost } if time < ghost => {
            (format!("{} ahead of {name}.", format::difference(ghost.since(time))), Look::Good)
        }
        RaceState::Finished { time: ghost } if time == ghost => {
            (format!("As fast as {name}."), Look::Text)
        }
        RaceState::Finished { time: ghost } => {
            (format!("{} behind {name}.", format::difference(time.since(ghost))), Look::Text)
        }
        RaceState::Racing | RaceState::Dnf => {
            (format!("In this race {name} did not finish."), Look::Good)
        }
    }
}

fn against_best(time: Millis, note: KeptNote) -> (String, Look) {
    match note.best_before {
        _ if !note.counts => {
            ("You have raced this board before: it doesn't count.".to_owned(), Look::Faint)
        }
        None => ("Your first finish of this puzzle.".to_owned(), Look::Good),
        Some(best) if time < best => {
            (format!("Personal best: {} faster.", format::difference(best.since(time))), Look::Good)
        }
        Some(best) => {
            let behind = format::difference(time.since(best));
            (format!("Your best: {}, {behind} faster.", format::result(Some(best))), Look::Faint)
        }
    }
}
