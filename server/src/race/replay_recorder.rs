//! Records the replay of a heat while it runs, from what the race says has happened.

use crate::race::{HeatEvent, HeatRecord};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::replay::{
    EventLogWriter, Outcome, RacerEvent, RecordKind, Replay, ReplayHeader,
};
use gridrace_shared::util::time::{HeatInstant, Millis};
use serde::{Deserialize, Serialize};
use tracing::error;

/// The program that a replay names as its writer.
const WRITER: &str = concat!("gridrace ", env!("CARGO_PKG_VERSION"));

/// Records one heat after another.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ReplayRecorder(pub(super) Option<Recording>);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Recording {
    pub(super) go: HeatInstant,
    pub(super) events: EventLogWriter,
}

impl ReplayRecorder {
    /// Records what one event brought about, stamped with the instant after it. Returns the
    /// replay of the heat that ended.
    pub(crate) fn record<'a>(
        &mut self,
        at: HeatInstant,
        events: impl Iterator<Item = &'a HeatEvent>,
    ) -> Option<Replay> {
        let mut replay = None;
        for event in events {
            if let HeatEvent::Started { go, start, racers, outage } = event {
                self.0 = match EventLogWriter::new(start.clone(), racers.clone()) {
                    Ok(events) => Some(Recording { go: *go, events }),
                    Err(error) => {
                        error!(%error, "replay not recorded");
                        None
                    }
                };
                if let Some(recording) = &mut self.0
                    && *outage > Millis(0)
                {
                    recording.write(at, &RecordKind::Outage { away: *outage });
                }
            } else if let HeatEvent::Ended(record) = event {
                replay = self.0.take().map(|recording| recording.finish(record));
            } else if let Some(recording) = &mut self.0 {
                recording.record(at, event);
            }
        }
        replay
    }
}

impl Recording {
    fn record(&mut self, at: HeatInstant, event: &HeatEvent) {
        match event {
            HeatEvent::Played { player, play } => {
                self.act(at, *player, RacerEvent::Move(play.clone()));
            }
            HeatEvent::HintGiven { player } => self.act(at, *player, RacerEvent::Hint),
            HeatEvent::Disconnected { player } => self.act(at, *player, RacerEvent::Lost),
            HeatEvent::Reconnected { player } => self.act(at, *player, RacerEvent::Back),
            HeatEvent::Out { player, exit } => self.act(at, *player, RacerEvent::Out(*exit)),
            HeatEvent::Outage { away } => self.write(at, &RecordKind::Outage { away: *away }),
            // A replay's reader finds out itself who finishes.
            HeatEvent::Finished { .. }
            | HeatEvent::Started { .. }
            | HeatEvent::Ended(_)
            | HeatEvent::Rated { .. } => {}
        }
    }

    fn act(&mut self, at: HeatInstant, player: PlayerId, event: RacerEvent) {
        self.write(at, &RecordKind::Racer { player, event });
    }

    fn write(&mut self, at: HeatInstant, what: &RecordKind) {
        if let Err(error) = self.events.record(at.since(self.go), what) {
            // The race takes only what rules allow, of those who race.
            error!(%error, ?what, "entry missing in a replay");
        }
    }

    fn finish(self, record: &HeatRecord) -> Replay {
        let HeatRecord { code, number, options, origin, duration, result, .. } = record;
        Replay {
            header: ReplayHeader {
                writer: WRITER.to_owned(),
                code: *code,
                number: *number,
                began: None,
                commitment: result.reveal.commitment(&options.spec),
                options: options.clone(),
                origin: *origin,
                secret: result.reveal.clone(),
            },
            events: self.events.finish(),
            outcome: Outcome {
                ended: *duration,
                standings: result.standings.clone(),
                best: result.best,
            },
        }
    }
}
