//! A bot's schedule, on a clock that stands still while it thinks.

use super::*;
use crate::bot::Pace;
use crate::bot::resources::Aids;
use gridrace_server::tables::TableStore;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::standings::State;
use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::util::time::Millis;

fn brain(pace: Pace) -> Brain {
    Brain {
        skill: Skill::Master,
        pace,
        seed: "friday".parse().unwrap(),
        aids: Aids::of(TableStore::default()),
    }
}

/// A bot in a race, and the server's side of it.
struct Race {
    racing: Box<Racing>,
    brain: Brain,
    start: Board,
    /// What the server has played.
    played: Vec<Move>,
    /// Everything that has come in, what came twice as well.
    sent: usize,
}

impl Race {
    async fn start(pace: Pace) -> Self {
        let brain = brain(pace);
        let spec: gridrace_shared::puzzle::PuzzleSpec = "slide:6x6".parse().unwrap();
        let start = spec.board(&"friday".parse().unwrap());
        let racing = Racing::new(start.clone(), brain.mind(1));
        Self {
            racing: racing.think(&brain).await.unwrap(),
            brain,
            start,
            played: Vec::new(),
            sent: 0,
        }
    }

    /// Lets the bot play for a while; what has left is answered at once, or never.
    async fn plays(mut self, time: Duration, answered: bool) -> Self {
        let over = tokio::time::sleep(time);
        tokio::pin!(over);
        loop {
            tokio::select! {
                biased;
                () = &mut over => return self,
                () = self.racing.due() => {}
            }
            self.racing.play();
            while let Some((seq, play)) = self.racing.leave() {
                self.sent += 1;
                if answered {
                    assert_eq!(seq.0 as usize, self.played.len() + 1);
                    self.played.push(play);
                    self.racing.acknowledge(seq);
                }
            }
            self.racing = self.racing.think(&self.brain).await.unwrap();
        }
    }

    /// Brings the bot back to where the server is.
    async fn comes_back(mut self) -> Self {
        let mut board = self.start.clone();
        for play in &self.played {
            board.play(play).unwrap();
        }
        self.racing.come_back(&OwnSeat {
            board,
            seq: Seq(self.played.len() as u32),
            state: State::Racing,
            moves: MoveCount::default(),
            hints: 0,
            penalty: Millis(0),
            hint: None,
            hint_pending: false,
        });
        self.sent = 0;
        self.racing = self.racing.think(&self.brain).await.unwrap();
        self
    }
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_bot_that_was_away_goes_on_at_its_pace() {
    let race = Race::start(Pace::REAL).await.plays(2 * SECOND, true).await;
    let before = race.sent;
    assert!((10..=45).contains(&before), "{before}");
    tokio::time::advance(12 * SECOND).await;
    let race = race.comes_back().await.plays(2 * SECOND, true).await;
    // Not also those that it could have made in twelve seconds.
    assert!(race.sent <= before + 10, "{} and {before}", race.sent);
    assert!(race.sent >= before / 2, "{} and {before}", race.sent);
}

#[tokio::test(start_paused = true)]
async fn what_the_server_never_answered_leaves_again_at_once_and_the_rest_at_its_pace() {
    let race = Race::start(Pace::REAL).await.plays(9 * SECOND, false).await;
    assert_eq!(race.sent, UNANSWERED);
    tokio::time::advance(12 * SECOND).await;
    let race = race.comes_back().await.plays(SECOND, true).await;
    let made_since = race.played.len() - UNANSWERED;
    assert!((8..=22).contains(&made_since), "{made_since}");
}

#[tokio::test(start_paused = true)]
async fn answers_that_were_late_are_made_up_for_by_half_a_second_at_most() {
    let mut race = Race::start(Pace::REAL).await.plays(9 * SECOND, false).await;
    assert_eq!(race.sent, UNANSWERED);
    race.played = race.racing.flying.iter().map(|(_, play)| play.clone()).collect();
    race.racing.acknowledge(Seq(UNANSWERED as u32));
    race.sent = 0;
    let race = race.plays(SECOND, true).await;
    assert!((8..=35).contains(&race.sent), "{}", race.sent);
}

#[tokio::test(start_paused = true)]
async fn the_quickest_bot_sends_no_more_than_a_server_lets_in() {
    let race = Race::start(Pace::times(10)).await.plays(2 * SECOND, true).await;
    assert!((60..=131).contains(&race.sent), "{}", race.sent);
}

#[tokio::test(start_paused = true)]
async fn what_a_busy_server_refused_is_sent_again_once_for_each_pause() {
    let mut race = Race::start(Pace::REAL).await.plays(SECOND, false).await;
    let made = race.sent;
    assert!(made < UNANSWERED);
    for _ in 0..3 {
        race.sent = 0;
        for seq in 1..=made as u32 {
            race.racing.hold(Seq(seq), SECOND);
        }
        race = race.plays(SECOND / 2, false).await;
        assert_eq!(race.sent, 0);
        race = race.plays(SECOND, false).await;
        assert!((made..=UNANSWERED).contains(&race.sent), "{}", race.sent);
    }
}
