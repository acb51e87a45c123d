//! Records a heat while it runs, for its replay.
//!
//! It looks at the race after each event, and notes what has become of the players since: two
//! or three bytes a move. So whatever the race makes of an event, now or again from a
//! journal, is in the replay, and nothing else is.

use crate::race::{Effect, Effects, Event, Line, Race};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::puzzle::Move;
use gridrace_shared::replay::{
    About, EventLogWriter, ExitReason, Outcome, RacerEvent, RecordKind, Replay,
};
use gridrace_shared::util::time::Millis;
use serde::{Deserialize, Serialize};
use tracing::error;

/// RecordKind wrote a replay.
const WRITER: &str = concat!("gridrace ", env!("CARGO_PKG_VERSION"));

/// Records one heat after another.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Recorder {
    /// Which heat of the group was recorded last, or is.
    number: u32,
    /// The one that is recorded now.
    heat: Option<Recording>,
}

/// RecordKind must be known of an event before the race has it.
#[derive(Debug, Clone)]
pub(crate) enum Noted {
    /// A move, which is played or not.
    Move { by: PlayerId, play: Move },
    /// Somebody leaves.
    Leave(PlayerId),
    /// Somebody is sent away.
    Kick(PlayerId),
    /// Somebody gives up.
    GiveUp(PlayerId),
    /// Anything else: what it does shows.
    Other,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Recording {
    /// The instant of GO.
    go: Millis,
    course: EventLogWriter,
    /// How long the server was away, as far as that is recorded.
    away: Millis,
    /// How far everybody was when they were looked at last.
    seen: Vec<Line>,
}

impl Noted {
    pub(crate) fn of(event: &Event) -> Self {
        match event {
            Event::Move { by, play, .. } => Self::Move { by: *by, play: play.clone() },
            Event::Leave { by } => Self::Leave(*by),
            Event::Kick { player, .. } => Self::Kick(*player),
            Event::GiveUp { by } => Self::GiveUp(*by),
            Event::Join { .. }
            | Event::Resume { .. }
            | Event::Return { .. }
            | Event::Confirm { .. }
            | Event::Lost { .. }
            | Event::Options { .. }
            | Event::Ready { .. }
            | Event::Start { .. }
            | Event::Drawn { .. }
            | Event::AddBot { .. }
            | Event::TakeSeat { .. }
            | Event::LeaveSeat { .. }
            | Event::Hint { .. }
            | Event::Hinted { .. }
            | Event::Rated { .. }
            | Event::Rematch { .. }
            | Event::Recovered { .. }
            | Event::Tick => Self::Other,
        }
    }
}

impl Recorder {
    /// Notes what an event has brought, and returns the replay of the heat that it ended, if
    /// it ended one.
    pub(crate) fn note(&mut self, noted: &Noted, race: &Race, effects: &Effects) -> Option<Replay> {
        let is_new = race.number() != self.number;
        if is_new {
            // Nothing is recorded before GO.
            race.begun()?;
            self.number = race.number();
            self.heat = Recording::begin(race);
        }
        let heat = self.heat.as_mut()?;
        heat.look(noted, race, is_new || is_more_than_a_move(effects));
        if effects.0.contains(&Effect::Ended) {
            return self.heat.take()?.end(race);
        }
        None
    }
}

/// Says whether something may have become of others than the one who has moved.
fn is_more_than_a_move(effects: &Effects) -> bool {
    effects.0.iter().any(|effect| {
        let to_the_mover = matches!(effect, Effect::Send { .. } | Effect::Standings(_));
        let to_spectators =
            matches!(effect, Effect::Broadcast { message: ServerMessage::Moves(_), .. });
        !to_the_mover && !to_spectators
    })
}

impl Recording {
    fn begin(race: &Race) -> Option<Self> {
        let (go, start) = race.begun()?;
        let racers = race.racers();
        let seen = racers.iter().map(|racer| Line::at_go(racer.id)).collect();
        match EventLogWriter::new(start.clone(), racers) {
            Ok(course) => Some(Self { go, course, away: Millis(0), seen }),
            Err(error) => {
                error!(heat = %race.code(), %error, "the heat has no replay");
                None
            }
        }
    }

    /// Returns the replay of a race that is over.
    fn end(self, race: &Race) -> Option<Replay> {
        let result = race.result()?;
        let options = race.options().clone();
        Some(Replay {
            about: About {
                writer: WRITER.to_owned(),
                code: race.code(),
                number: race.number(),
                began: None,
                commitment: result.reveal.commitment(&options.spec),
                options,
                origin: race.origin(),
                secret: result.reveal.clone(),
            },
            course: self.course.finish(),
            outcome: Outcome {
                ended: race.instant().since(self.go),
                standings: result.standings.clone(),
                best: result.best,
            },
        })
    }

    /// Notes what has become of the players since: of all, or of the one who has moved.
    fn look(&mut self, noted: &Noted, race: &Race, all: bool) {
        let at = race.instant().since(self.go);
        self.look_away(at, race);
        let mover = match noted {
            Noted::Move { by, .. } => Some(*by),
            Noted::Leave(_) | Noted::Kick(_) | Noted::GiveUp(_) | Noted::Other => None,
        };
        let mut seen = std::mem::take(&mut self.seen);
        for before in &mut seen {
            if (all || mover.is_none_or(|mover| mover == before.player))
                && let Some(now) = race.line(before.player)
            {
                self.compare(at, noted, *before, now);
                *before = now;
            }
        }
        self.seen = seen;
    }

    /// Notes for how long the server was away since; before GO, too.
    fn look_away(&mut self, at: Millis, race: &Race) {
        let away = race.outage().since(self.away);
        if away > Millis(0) {
            self.away = race.outage();
            self.write(at, &RecordKind::Outage { away });
        }
    }

    fn compare(&mut self, at: Millis, noted: &Noted, before: Line, now: Line) {
        let player = now.player;
        if let Noted::Move { by, play } = noted
            && *by == player
            && now.acts > before.acts
        {
            self.record(at, player, RacerEvent::Move(play.clone()));
        }
        for _ in before.hints..now.hints {
            self.record(at, player, RacerEvent::Hint);
        }
        if let Noted::GiveUp(by) = noted
            && *by == player
            && now.out
            && !before.out
        {
            self.record(at, player, RacerEvent::Out(ExitReason::GaveUp));
        }
        if now.connected && !before.connected {
            self.record(at, player, RacerEvent::Back);
        }
        self.compare_presence(at, noted, before, now);
    }

    fn compare_presence(&mut self, at: Millis, noted: &Noted, before: Line, now: Line) {
        let player = now.player;
        let goes = before.present && !now.present;
        let exit = match noted {
            Noted::Leave(by) if *by == player => ExitReason::Left,
            Noted::Kick(whom) if *whom == player => ExitReason::SentAway,
            Noted::Move { .. }
            | Noted::Leave(_)
            | Noted::Kick(_)
            | Noted::GiveUp(_)
            | Noted::Other => ExitReason::Expired,
        };
        let is_lost = before.connected && !now.connected;
        if is_lost && (!goes || exit == ExitReason::Expired) {
            self.record(at, player, RacerEvent::Lost);
        }
        if goes {
            self.record(at, player, RacerEvent::Out(exit));
        }
    }

    fn record(&mut self, at: Millis, player: PlayerId, act: RacerEvent) {
        self.write(at, &RecordKind::Racer { player, event: act });
    }

    fn write(&mut self, at: Millis, what: &RecordKind) {
        if let Err(error) = self.course.record(at, what) {
            // The race takes only what rules allow, of those who race.
            error!(%error, ?what, "something is missing in a replay");
        }
    }
}
