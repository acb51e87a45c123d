//! Records the replay of a heat while it runs, from what the race says has happened.

use crate::race::{HeatEvent, HeatRecord};
use gridrace_shared::replay::{
    EventLogError, EventLogWriter, Outcome, RacerEvent, RecordKind, Replay, ReplayHeader,
};
use gridrace_shared::util::time::{HeatInstant, Millis};
use serde::{Deserialize, Serialize};

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

/// What an event added to a replay.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    /// The replay of the heat that the event ended.
    pub(crate) replay: Option<Replay>,
    /// What the replay lacks. The race takes only what the rules allow, of those who race, so none of
    /// these is expected.
    pub(crate) errors: Vec<RecorderError>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum RecorderError {
    #[error("the heat is not recorded: {0}")]
    Start(EventLogError),
    #[error("{kind:?} is not recorded: {error}")]
    Record { kind: RecordKind, error: EventLogError },
}

impl ReplayRecorder {
    /// Records what one event brought about, stamped with the instant after it.
    pub(crate) fn record<'a>(
        &mut self,
        at: HeatInstant,
        events: impl Iterator<Item = &'a HeatEvent>,
    ) -> Recorded {
        let mut recorded = Recorded::default();
        for event in events {
            if let HeatEvent::Started { go, start, racers, outage } = event {
                let begun = EventLogWriter::new(start.clone(), racers.clone());
                let begun = begun.map(|events| Recording { go: *go, events });
                self.0 =
                    begun.map_err(|error| recorded.errors.push(RecorderError::Start(error))).ok();
                if let Some(recording) = &mut self.0
                    && *outage > Millis(0)
                {
                    let outage = recording.write(at, RecordKind::Outage { away: *outage });
                    recorded.errors.extend(outage.err());
                }
            } else if let HeatEvent::Ended(record) = event {
                recorded.replay = self.0.take().map(|recording| recording.finish(record));
            } else if let Some(recording) = &mut self.0 {
                recorded.errors.extend(recording.record(at, event).err());
            }
        }
        recorded
    }
}

impl Recording {
    fn record(&mut self, at: HeatInstant, event: &HeatEvent) -> Result<(), RecorderError> {
        let (player, event) = match event {
            HeatEvent::Played { player, play } => (*player, RacerEvent::Move(play.clone())),
            HeatEvent::HintGiven { player } => (*player, RacerEvent::Hint),
            HeatEvent::Disconnected { player } => (*player, RacerEvent::Lost),
            HeatEvent::Reconnected { player } => (*player, RacerEvent::Back),
            HeatEvent::Out { player, exit } => (*player, RacerEvent::Out(*exit)),
            HeatEvent::Outage { away } => {
                return self.write(at, RecordKind::Outage { away: *away });
            }
            // A replay's reader finds out itself who finishes.
            HeatEvent::Finished { .. }
            | HeatEvent::Started { .. }
            | HeatEvent::Ended(_)
            | HeatEvent::Rated { .. } => return Ok(()),
        };
        self.write(at, RecordKind::Racer { player, event })
    }

    fn write(&mut self, at: HeatInstant, kind: RecordKind) -> Result<(), RecorderError> {
        let written = self.events.record(at.since(self.go), &kind);
        written.map_err(|error| RecorderError::Record { kind, error })
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
