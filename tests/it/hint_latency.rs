//! Measures how long a hint takes.
//!
//! ```text
//! cargo test --release -p gridrace-tests -- --ignored --nocapture hints_while_a_heat_runs
//! ```

use crate::harness::{TestClient, TestServer, options};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::solver::hint::Hint;
use std::time::{Duration, Instant};

const HEATS: usize = 40;
const HINTS: usize = 8;
/// Moves before each hint, the last of which the hint judges.
const MOVES_BEFORE_HINT: usize = 3;
/// Pause between two messages: a server allows a client sixty a second.
const PAUSE: Duration = Duration::from_millis(18);
/// Bots that race in another room at the same time.
const BOTS: usize = 16;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement, not a test"]
async fn hints_while_a_heat_runs() {
    let server = TestServer::start();
    let mut host = server.client().await;
    load_with_bots(&mut host).await;

    let mut anna = server.client().await;
    let mut mine = options("slide:4x4");
    mine.hints = HintRule::Free;
    mine.time_limit_seconds = 3_600;
    let (mut times, mut loose, mut unjudged) = (Vec::new(), 0, 0);
    for heat in 0..=HEATS {
        anna.open_seeded("Anna", &mine, Some(&format!("measure-{heat}"))).await;
        anna.start().await;
        for _ in 0..HINTS {
            play_without_reversing(&mut anna).await;
            let asked = now();
            let (gap, judged) = hint_gap(&mut anna).await;
            // The tables are built during the first heat.
            if heat > 0 {
                times.push(now() - asked);
                loose += usize::from(gap > 0);
                unjudged += usize::from(!judged);
            }
        }
        anna.leave().await;
    }
    times.sort();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    println!(
        "{} hints on 4x4 while {BOTS} bots race: p50 {:?}, p90 {:?}, p99 {:?}, most {:?}; \
         {loose} not known to be the shortest, {unjudged} moves not judged",
        times.len(),
        at(50),
        at(90),
        at(99),
        at(100)
    );
}

/// Loads the server with racing bots.
async fn load_with_bots(host: &mut TestClient) {
    let mut theirs = options("slide:8x8");
    theirs.time_limit_seconds = 3_600;
    host.open("Host", &theirs).await;
    for _ in 1..BOTS {
        host.say(ClientMessage::AddBot { skill: Skill::Beginner }).await;
    }
    host.until_members(BOTS).await;
    host.start().await;
}

/// Asks for a hint; returns the difference of its bounds, and whether it judged the last move.
async fn hint_gap(anna: &mut TestClient) -> (u32, bool) {
    let (hint, further) = anna.hint().await;
    let Hint::Slide(hint) = hint else { panic!("{hint:?}") };
    (hint.at_most - hint.at_least, further.is_some())
}

/// Plays some moves, none of which reverses another.
async fn play_without_reversing(anna: &mut TestClient) {
    for step in 0..MOVES_BEFORE_HINT {
        let mut moves = anna.state.board().legal_moves();
        let taken = anna.state.sent.len();
        let pick = (step * 5 + taken) % moves.len();
        anna.play(moves.swap_remove(pick)).await;
        tokio::time::sleep(PAUSE).await;
    }
}

#[expect(clippy::disallowed_methods, reason = "it measures the time that people wait")]
fn now() -> Instant {
    Instant::now()
}
