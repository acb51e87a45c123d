//! A bot's schedule, on a clock that stands still while it thinks.

use super::*;
use crate::bot::{BotResources, Pace};
use crate::net::clock::{Clock, sleep_until};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::snapshot::OwnSeat;
use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::util::time::{HeatInstant, Millis};
use gridrace_tables::TableStore;

fn config(pace: Pace) -> BotConfig {
    BotConfig {
        skill: Skill::Master,
        pace,
        seed: "friday".parse().unwrap(),
        resources: BotResources::new(TableStore::default()),
    }
}

/// A bot in a race, and the server's side of it.
struct Race {
    schedule: Box<Schedule>,
    race: OwnRace,
    clock: Clock,
    config: BotConfig,
    played: Vec<Move>,
    /// Moves that were sent, repeats included.
    sent: usize,
}

impl Race {
    async fn start(pace: Pace) -> Self {
        let config = config(pace);
        let spec: gridrace_shared::puzzle::PuzzleSpec = "slide:6x6".parse().unwrap();
        let start = spec.board(&"friday".parse().unwrap());
        let race = OwnRace::new(HeatInstant(0), HeatInstant(600_000), start);
        let schedule = Schedule::new(config.policy(1));
        let schedule = schedule.think(race.play.board(), &config).await.unwrap();
        Self { schedule, race, clock: Clock::start(), config, played: Vec::new(), sent: 0 }
    }

    /// Lets the bot play for a while. What is sent is answered at once, or never.
    async fn plays(mut self, time: Duration, answered: bool) -> Self {
        let over = tokio::time::sleep(time);
        tokio::pin!(over);
        loop {
            let sends = self.race.send_due().map(|due| self.clock.at(due));
            let due = self.schedule.due(&self.race).into_iter().chain(sends).min();
            tokio::select! {
                biased;
                () = &mut over => return self,
                () = sleep_until(due) => {}
            }
            if let Some(play) = self.schedule.take_due(&self.race) {
                self.race.play.play(play).unwrap();
            }
            while let Some(message) = self.race.next_to_send(self.clock.now()) {
                let ClientMessage::Move { seq, play } = message else { panic!("{message:?}") };
                self.sent += 1;
                if answered {
                    assert_eq!(seq.0 as usize, self.played.len() + 1);
                    self.played.push(play);
                    self.race.accepted(seq, HeatInstant(0), MoveCount::default());
                }
            }
            self.schedule =
                self.schedule.think(self.race.play.board(), &self.config).await.unwrap();
        }
    }

    /// Brings the bot back to where the server is.
    async fn comes_back(mut self) -> Self {
        let mut board = self.race.start.clone();
        for play in &self.played {
            board.play(play).unwrap();
        }
        self.race.resume(&OwnSeat {
            board,
            seq: Seq(self.played.len() as u32),
            state: RaceState::Racing,
            moves: MoveCount::default(),
            hints: 0,
            penalty: Millis(0),
            hint: None,
            hint_pending: false,
        });
        self.schedule.restart(self.race.play.board());
        self.sent = 0;
        self.schedule = self.schedule.think(self.race.play.board(), &self.config).await.unwrap();
        self
    }
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_bot_that_was_away_goes_on_at_its_pace() {
    let race = Race::start(Pace::times(1)).await.plays(2 * SECOND, true).await;
    let before = race.sent;
    assert!((10..=45).contains(&before), "{before}");
    tokio::time::advance(12 * SECOND).await;
    let race = race.comes_back().await.plays(2 * SECOND, true).await;
    // It doesn't catch up on twelve seconds.
    assert!(race.sent <= before + 10, "{} and {before}", race.sent);
    assert!(race.sent >= before / 2, "{} and {before}", race.sent);
}

#[tokio::test(start_paused = true)]
async fn unanswered_moves_are_sent_again_at_once_and_the_rest_at_the_bot_s_pace() {
    let race = Race::start(Pace::times(1)).await.plays(9 * SECOND, false).await;
    assert_eq!(race.sent, MAX_UNANSWERED);
    tokio::time::advance(12 * SECOND).await;
    let race = race.comes_back().await.plays(SECOND, true).await;
    let made_since = race.played.len() - MAX_UNANSWERED;
    assert!((8..=22).contains(&made_since), "{made_since}");
}

#[tokio::test(start_paused = true)]
async fn late_answers_are_caught_up_for_half_a_second_at_most() {
    let mut race = Race::start(Pace::times(1)).await.plays(9 * SECOND, false).await;
    assert_eq!(race.sent, MAX_UNANSWERED);
    race.played = race.race.play.unanswered().map(|(_, play)| play.clone()).collect();
    race.race.accepted(Seq(MAX_UNANSWERED as u32), HeatInstant(0), MoveCount::default());
    race.sent = 0;
    let race = race.plays(SECOND, true).await;
    assert!((8..=35).contains(&race.sent), "{}", race.sent);
}

#[tokio::test(start_paused = true)]
async fn the_quickest_bot_sends_no_more_than_a_server_accepts() {
    let race = Race::start(Pace::times(10)).await.plays(2 * SECOND, true).await;
    assert!((60..=131).contains(&race.sent), "{}", race.sent);
}
