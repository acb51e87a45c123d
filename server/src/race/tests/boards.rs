//! Every board that an effect shows to a member.

use super::*;

/// Counts the boards, and the hints and moves from which one could guess at a board.
pub(super) fn traces_of_boards(effect: &Effect) -> usize {
    match effect {
        Effect::Send { message, .. } | Effect::Broadcast { message, .. } => in_message(message),
        Effect::FindHint(_) | Effect::RateBoard { .. } => 1,
        Effect::Standings(standings) | Effect::DelayedStandings(standings) => standings.rows.len(),
        Effect::PrepareSolver { .. }
        | Effect::GenerateBoard(_)
        | Effect::Release { .. }
        | Effect::Dismiss { .. }
        | Effect::RunBot { .. }
        // What it is told of is told by messages, too.
        | Effect::MoveAnswered { .. }
        | Effect::Heat(_)
        | Effect::Table(_) => 0,
    }
}

/// Writes a message as a client that speaks JSON gets it.
pub(super) fn json(effect: &Effect) -> String {
    match effect {
        Effect::Send { message, .. } | Effect::Broadcast { message, .. } => {
            serde_json::to_string(message).unwrap()
        }
        Effect::Standings(standings) | Effect::DelayedStandings(standings) => {
            serde_json::to_string(standings).unwrap()
        }
        Effect::PrepareSolver { .. }
        | Effect::GenerateBoard(_)
        | Effect::FindHint(_)
        | Effect::RateBoard { .. }
        | Effect::Release { .. }
        | Effect::Dismiss { .. }
        | Effect::RunBot { .. }
        | Effect::MoveAnswered { .. }
        | Effect::Heat(_)
        | Effect::Table(_) => String::new(),
    }
}

fn in_message(message: &ServerMessage) -> usize {
    match message {
        ServerMessage::Joined { room, .. } => {
            let own = usize::from(room.standings.is_some()) + usize::from(room.seat.is_some());
            room.boards.len() + own + in_phase(&room.phase)
        }
        ServerMessage::Phase(phase) => in_phase(phase),
        ServerMessage::Accepted { .. }
        | ServerMessage::Hint { .. }
        | ServerMessage::Resync(_)
        | ServerMessage::Rated { .. } => 1,
        ServerMessage::Standings(standings) => standings.rows.len(),
        ServerMessage::Moves(moves) => moves.len(),
        _ => 0,
    }
}

const fn in_phase(phase: &Phase) -> usize {
    match phase {
        Phase::Lobby | Phase::Drawing | Phase::Countdown { .. } => 0,
        Phase::Running { .. } | Phase::Over(_) => 1,
    }
}
