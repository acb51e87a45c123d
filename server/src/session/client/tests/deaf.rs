//! A peer that never reads, in a busy heat, behind a system that takes whatever it is given.

use super::*;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::puzzle::Board;
use tokio::io::AsyncReadExt;

/// Bytes that the system takes: a second's worth would be gone from a smaller one.
const ENDLESS: usize = 64 * 1024 * 1024;
/// Players of the heat, and how often each of them moves.
const PLAYERS: usize = 8;
const PACE: Duration = Duration::from_millis(100);

/// Somebody inside the server who moves and moves.
struct Runner {
    id: PlayerId,
    outbox: Arc<Outbox>,
    board: Option<Board>,
    moves: u32,
}

impl Runner {
    fn joins(heat: &Arc<Room>, n: usize) -> Self {
        let outbox = Arc::new(Outbox::default());
        let newcomer = crate::race::Newcomer::person(format!("Runner {n}").parse().unwrap());
        Self {
            id: heat.join(&outbox, newcomer, rng::token()).unwrap(),
            outbox,
            board: None,
            moves: 0,
        }
    }

    /// Reads, and plays once the board is there.
    fn runs(&mut self, heat: &Arc<Room>) {
        for frame in self.outbox.take().frames {
            if let ServerMessage::Phase(Phase::Running { start, .. }) = frame.message() {
                self.board = Some(start.clone());
            }
        }
        if let Some(board) = &mut self.board {
            let mut moves = board.legal_moves();
            let play = moves.swap_remove(self.moves as usize % moves.len());
            board.play(&play).unwrap();
            self.moves += 1;
            heat.apply(crate::race::Event::Move { by: self.id, seq: Seq(self.moves), play });
        }
    }
}

async fn watches(code: RoomCode, name: &str, state: &Arc<ServerState>) -> Peer {
    let mut peer = Peer::connect_to(Arc::clone(state), ENDLESS).await;
    peer.hello().await;
    peer.say(&ClientMessage::Join {
        code,
        entrant: Entrant { name: name.to_owned(), bot: false },
        role: Role::Spectator,
        pin: None,
    })
    .await;
    peer
}

#[tokio::test(start_paused = true)]
async fn whoever_never_reads_in_a_busy_heat_is_let_go_within_ten_seconds() {
    let state = Peer::connect(PIPE).await.state;
    let options = HeatOptions {
        countdown_seconds: 1,
        delay_seconds: 0,
        ..HeatOptions::new("slide:8x8".parse().unwrap())
    };
    let heat = state.hub.open(options, None).unwrap();
    let mut runners: Vec<_> = (0..PLAYERS).map(|n| Runner::joins(&heat, n)).collect();
    let mut deaf = watches(heat.code(), "Deaf", &state).await;
    let mut good = watches(heat.code(), "Good", &state).await;
    let reading = tokio::spawn(async move { while good.hear().await.is_some() {} });
    heat.apply(crate::race::Event::Start { by: runners[0].id });
    let mut tick = tokio::time::interval(PACE);
    while heat.phase_name() != "running" {
        tick.tick().await;
    }
    let go = state.clock.now();
    let mut beat = 0;
    while !deaf.served.is_finished() {
        tick.tick().await;
        runners.iter_mut().for_each(|runner| runner.runs(&heat));
        beat += 1;
        if beat % 20 == 0 {
            // It isn't silent, and claims to have heard what it hasn't.
            let guess = Message::Pong(b"word"[..].into());
            deaf.stream.send(guess).await.ok();
        }
        assert!(state.clock.now() <= ServerInstant(go.0 + 10_000_000));
    }
    let mut unread = Vec::new();
    let mut stream = deaf.stream.into_inner();
    stream.read_to_end(&mut unread).await.unwrap();
    let unread = String::from_utf8_lossy(&unread);
    assert!(unread.contains(r#"{"goodbye":"too_slow"}"#));
    for _ in 0..200 {
        tick.tick().await;
        runners.iter_mut().for_each(|runner| runner.runs(&heat));
    }
    assert!(!reading.is_finished(), "whoever reads stays");
}
