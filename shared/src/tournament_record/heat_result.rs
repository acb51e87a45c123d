//! The result of a board as it follows from the replay of its heat.

use crate::heat::player_kind::PlayerKind;
use crate::heat::player_name::PlayerName;
use crate::replay::Replay;
use crate::tournament::ids::EntrantId;
use crate::tournament::result::{BoardOutcome, BoardResult};
use std::collections::BTreeMap;

/// Why a replay gives no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeatResultError {
    #[error("{0} raced and is no entrant")]
    UnknownPlayer(PlayerName),
    #[error("{0} raced as another kind of player than entered")]
    OtherKind(PlayerName),
}

/// Returns the result of a heat: the players who are entrants, as the heat ranked them. The server's
/// own bots fill tables and are left out.
///
/// # Errors
///
/// A player is no entrant.
pub fn heat_result(
    replay: &Replay,
    entrants: &BTreeMap<PlayerName, (EntrantId, PlayerKind)>,
) -> Result<BoardResult, HeatResultError> {
    let mut rows = Vec::new();
    for standing in &replay.outcome.standings {
        let racer = replay.events.racers().iter().find(|racer| racer.id == standing.player);
        let Some(racer) = racer else { continue };
        match entrants.get(&racer.name) {
            Some((entrant, kind)) if *kind == racer.kind => {
                rows.push((*entrant, BoardOutcome::from(standing)));
            }
            Some(_) => return Err(HeatResultError::OtherKind(racer.name.clone())),
            None if matches!(racer.kind, PlayerKind::HouseBot(_)) => {}
            None => return Err(HeatResultError::UnknownPlayer(racer.name.clone())),
        }
    }
    Ok(BoardResult { rows })
}
