//! The narration of a replay: one line of text for each record.

use crate::display::format;
use crate::families;
use gridrace_shared::replay::{EventLog, ExitReason, RacerEvent, Record, RecordKind};

/// Returns the name of the player or part that a record is about, and what happened.
pub fn narrate_record(events: &EventLog, record: &Record) -> (String, String) {
    match &record.kind {
        RecordKind::Racer { player, event: act } => {
            let racer = events.racer(*player);
            let name = racer.map_or_else(|| player.to_string(), |racer| racer.name.to_string());
            (name, narrate_act(events, act))
        }
        RecordKind::Outage { away } => {
            let away = format::downtime(*away).unwrap_or_default();
            ("the server".to_owned(), format!("was down for {away}; clocks were paused"))
        }
    }
}

fn narrate_act(events: &EventLog, act: &RacerEvent) -> String {
    match act {
        RacerEvent::Move(play) => families::narrate(events.start(), play),
        RacerEvent::Hint => "takes a hint".to_owned(),
        RacerEvent::Out(ExitReason::GaveUp) => "gives up".to_owned(),
        RacerEvent::Out(ExitReason::Left) => "leaves".to_owned(),
        RacerEvent::Out(ExitReason::SentAway) => "is kicked by the host".to_owned(),
        RacerEvent::Out(ExitReason::Expired) => "doesn't come back in time".to_owned(),
        RacerEvent::Out(ExitReason::HeatEnded) => "still races when the heat is ended".to_owned(),
        RacerEvent::Lost => "loses the connection".to_owned(),
        RacerEvent::Back => "is back".to_owned(),
        RacerEvent::Cut => "does more than a replay holds".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::replay;

    #[test]
    fn everything_that_happens_has_its_words() {
        let events = replay::slides().events;
        let told: Vec<String> = events
            .records()
            .map(|(_, record)| {
                let (who, what) = narrate_record(&events, &record);
                format!("{} {who} {what}", format::clock(record.at))
            })
            .collect();
        assert_eq!(told[0], "0:01.0 Zoë slides r1c1");
        assert!(told.contains(&"0:02.5 Anna takes a hint".to_owned()), "{told:?}");
        let away = "0:04.0 the server was down for 5 s; clocks were paused";
        assert!(told.contains(&away.to_owned()), "{told:?}");
    }
}
