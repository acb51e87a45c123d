//! What happened in a heat, in words.

use gridrace_shared::puzzle::numberlink::Stroke;
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::replay::{EventLog, ExitReason, RacerEvent, Record, RecordKind};
use gridrace_shared::util::grid::{Cell, Size};
use gridrace_shared::util::time::Millis;

/// Returns whom a record is about, by name, and what happened.
#[must_use]
pub fn retell(course: &EventLog, record: &Record) -> (String, String) {
    match &record.what {
        RecordKind::Racer { player, event: act } => {
            let racer = course.racer(*player);
            let name = racer.map_or_else(|| player.to_string(), |racer| racer.name.to_string());
            (name, done(course, act))
        }
        RecordKind::Outage { away } => {
            let away = format!("was away for {away}, which counts for nobody");
            ("the server".to_owned(), away)
        }
    }
}

fn done(course: &EventLog, act: &RacerEvent) -> String {
    match act {
        RacerEvent::Move(play) => moved(course, play),
        RacerEvent::Hint => "takes a hint".to_owned(),
        RacerEvent::Out(ExitReason::GaveUp) => "gives up".to_owned(),
        RacerEvent::Out(ExitReason::Left) => "leaves".to_owned(),
        RacerEvent::Out(ExitReason::SentAway) => "is sent away".to_owned(),
        RacerEvent::Out(ExitReason::Expired) => "is gone for good".to_owned(),
        RacerEvent::Lost => "loses the connection".to_owned(),
        RacerEvent::Back => "is back".to_owned(),
        RacerEvent::Cut => "does more than a replay takes".to_owned(),
    }
}

fn moved(course: &EventLog, play: &Move) -> String {
    match (play, course.start()) {
        (Move::Slide(cell), Board::Slide(board)) => {
            format!("slides {}", place(board.size(), *cell))
        }
        (Move::Slide(cell), Board::Link(_)) => format!("slides {cell}"),
        (Move::Link(Stroke::Undo), _) => "takes a stroke back".to_owned(),
        (Move::Link(Stroke::Draw(cells)), Board::Link(drawing)) => {
            let size = drawing.puzzle().size();
            let ends = [cells.first(), cells.last()];
            match ends.map(|cell| cell.map(|&cell| place(size, cell))) {
                [Some(from), Some(_)] if cells.len() == 1 => format!("clears to {from}"),
                [Some(from), Some(to)] => format!("draws {from} to {to}"),
                [_, _] => "draws nothing".to_owned(),
            }
        }
        (Move::Link(Stroke::Draw(cells)), Board::Slide(_)) => format!("draws {}", cells.len()),
    }
}

/// Returns a cell as `r2c3`: row and column, from 1.
fn place(size: Size, cell: Cell) -> String {
    format!("r{}c{}", size.row_of(cell) + 1, size.col_of(cell) + 1)
}

/// Returns an instant as a clock's face with tenths.
#[must_use]
pub fn clock(at: Millis) -> String {
    let tenths = at.0 / 100;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::replay;

    #[test]
    fn everything_that_happens_has_its_words() {
        let course = replay::slides().course;
        let told: Vec<String> = course
            .records()
            .map(|(_, record)| {
                let (who, what) = retell(&course, &record);
                format!("{} {who} {what}", clock(record.at))
            })
            .collect();
        assert_eq!(told[0], "0:01.0 Zoë slides r1c1");
        assert!(told.contains(&"0:02.5 Anna takes a hint".to_owned()), "{told:?}");
        let away = "0:04.0 the server was away for 0:05.000, which counts for nobody";
        assert!(told.contains(&away.to_owned()), "{told:?}");
    }
}
