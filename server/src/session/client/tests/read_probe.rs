//! A client that never reads in a busy heat, behind buffers that take everything.

use super::*;
use crate::race::{Event, Newcomer};
use crate::room::outbox::Outbox;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::puzzle::Board;
use tokio::io::AsyncReadExt;

/// Capacity of the pipe in bytes; never filled.
const LARGE_PIPE_BYTES: usize = 64 * 1024 * 1024;
const PLAYERS: usize = 8;
/// Time between two moves of a player.
const MOVE_INTERVAL: Duration = Duration::from_millis(100);

/// A player inside the server that moves continuously.
struct Runner {
    id: PlayerId,
    outbox: Arc<Outbox>,
    board: Option<Board>,
    moves: u32,
}

impl Runner {
    fn join(room: &Arc<Room>, n: usize) -> Self {
        let outbox = Arc::new(Outbox::default());
        let newcomer = Newcomer::person(format!("Runner {n}").parse().unwrap());
        Self {
            id: room.join(&outbox, newcomer, Rng::default().token()).unwrap(),
            outbox,
            board: None,
            moves: 0,
        }
    }

    /// Plays a move once the room runs.
    fn step(&mut self, room: &Arc<Room>) {
        for message in self.outbox.take(ServerInstant::default()).messages {
            if let ServerMessage::Phase(Phase::Running { start, .. }) = message {
                self.board = Some(start);
            }
        }
        if let Some(board) = &mut self.board {
            let mut moves = board.legal_moves();
            let play = moves.swap_remove(self.moves as usize % moves.len());
            board.play(&play).unwrap();
            self.moves += 1;
            room.apply(Event::Move { by: self.id, seq: Seq(self.moves), play });
        }
    }
}

async fn spectate(code: RoomCode, name: &str, state: &Arc<ServerState>) -> (TestClient, Served) {
    let (mut client, served) = connect_to(state, LARGE_PIPE_BYTES).await;
    client.send_hello().await;
    client.send_join(code, name, Role::Spectator).await;
    (client, served)
}

#[tokio::test(start_paused = true)]
async fn a_spectator_that_never_reads_a_busy_heat_is_closed_within_ten_seconds() {
    let state = server();
    let options = HeatOptions {
        countdown_seconds: 1,
        delay_seconds: 0,
        ..HeatOptions::new("slide:8x8".parse().unwrap())
    };
    let room = state.hub.open(options, None).unwrap();
    let mut runners: Vec<_> = (0..PLAYERS).map(|n| Runner::join(&room, n)).collect();
    let (mut unread_client, served) = spectate(room.code(), "Mute", &state).await;
    let (mut reader, _served) = spectate(room.code(), "Good", &state).await;
    let reading = tokio::spawn(async move { while reader.receive_or_end().await.is_ok() {} });
    room.apply(Event::Start { by: runners[0].id });
    let mut tick = tokio::time::interval(MOVE_INTERVAL);
    while room.phase_name() != "running" {
        tick.tick().await;
    }
    let go = state.clock.now();
    let mut beat = 0;
    while !served.task.is_finished() {
        tick.tick().await;
        runners.iter_mut().for_each(|runner| runner.step(&room));
        beat += 1;
        if beat % 20 == 0 {
            // It isn't silent, and guesses the pong of a probe.
            let guess = Message::Pong(b"word"[..].into());
            unread_client.0.send(guess).await.ok();
        }
        assert!(state.clock.now() <= ServerInstant(go.0 + 10_000_000));
    }
    let mut unread = Vec::new();
    let mut stream = unread_client.0.into_inner();
    stream.read_to_end(&mut unread).await.unwrap();
    let unread = String::from_utf8_lossy(&unread);
    assert!(unread.contains(r#"{"goodbye":"too_slow"}"#));
    for _ in 0..200 {
        tick.tick().await;
        runners.iter_mut().for_each(|runner| runner.step(&room));
    }
    assert!(!reading.is_finished(), "a reader stays");
}
