//! The server's own bots: members like everybody else, without a socket.

use crate::entropy;
use crate::heat::Heat;
use crate::outbox::Outbox;
use crate::race::Event;
use gridrace_shared::bot::{Bot, Decision, Skill};
use gridrace_shared::hint::Unsolved;
use gridrace_shared::name::{PlayerId, Seq};
use gridrace_shared::protocol::heat::Phase;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::puzzle::{Board, Move};
use std::sync::Arc;
use std::time::Duration;
use tracing::warn;

/// One heat as the bot plays it.
struct Run {
    board: Board,
    mind: Bot,
    seq: Seq,
    /// The move that was sent and not answered yet.
    sent: Option<Move>,
}

/// Plays heat after heat behind an outbox, until the outbox ends.
pub async fn run(heat: Arc<Heat>, id: PlayerId, skill: Skill, outbox: Arc<Outbox>) {
    let mut run: Option<Run> = None;
    loop {
        outbox.ready().await;
        let taken = outbox.take();
        for frame in taken.frames {
            listen(frame.message(), skill, &mut run);
        }
        if taken.ending.is_some() {
            return;
        }
        let Some(thinking) = run.take_if(|run| run.sent.is_none() && !run.board.is_solved()) else {
            continue;
        };
        let Some((mut thought, decision)) = think(thinking).await else {
            continue;
        };
        match decision {
            Ok(decision) => {
                tokio::time::sleep(Duration::from_millis(decision.after.0)).await;
                thought.sent = Some(decision.play);
                thought.seq = thought.seq.next();
                heat.apply(Event::Move {
                    by: id,
                    seq: thought.seq,
                    play: decision.play,
                });
                run = Some(thought);
            }
            Err(error) => warn!(heat = %heat.code(), bot = %id, %error, "a bot is at a loss"),
        }
    }
}

fn listen(message: &ServerMessage, skill: Skill, run: &mut Option<Run>) {
    match message {
        ServerMessage::Phase(Phase::Running { start, .. }) => {
            let mind = Bot::new(skill, &entropy::seed());
            *run = Some(Run {
                board: start.clone(),
                mind,
                seq: Seq(0),
                sent: None,
            });
        }
        ServerMessage::Phase(Phase::Lobby | Phase::Countdown { .. } | Phase::Over(_)) => {
            *run = None;
        }
        ServerMessage::Accepted { .. } => {
            if let Some(run) = run
                && let Some(play) = run.sent.take()
            {
                run.board.play(play).ok(); // the server played it by the same rules
            }
        }
        ServerMessage::Rejected { .. } => {
            if let Some(run) = run
                && run.sent.take().is_some()
            {
                run.seq = Seq(run.seq.0.saturating_sub(1));
            }
        }
        ServerMessage::Welcome { .. }
        | ServerMessage::Pong { .. }
        | ServerMessage::Heats(_)
        | ServerMessage::Joined { .. }
        | ServerMessage::Refused(_)
        | ServerMessage::Roster(_)
        | ServerMessage::Setup(_)
        | ServerMessage::Standings(_)
        | ServerMessage::Moves(_)
        | ServerMessage::Hint { .. }
        | ServerMessage::Goodbye(_) => {}
    }
}

/// Thinks where it holds up no socket: a deep look takes milliseconds.
async fn think(mut run: Run) -> Option<(Run, Result<Decision, Unsolved>)> {
    tokio::task::spawn_blocking(move || {
        let decision = run.mind.decide(&run.board);
        (run, decision)
    })
    .await
    .ok()
}
