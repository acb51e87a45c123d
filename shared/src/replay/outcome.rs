//! How a heat ended, as its server said.

use super::file::FieldOffsets;
use super::{MAX_RACERS, MAX_TIME, Outcome};
use crate::heat::ids::PlayerId;
use crate::heat::standings::{Standing, State};
use crate::puzzle::MoveBounds;
use crate::puzzle::{MoveCount, PieceProgress};
use crate::util::byte_codec::{ByteReader, ReadError, put_number};
use crate::util::time::Millis;

/// The longest span of a result in milliseconds, hints included: 34 years.
const LONGEST: u64 = 1 << 40;

const RACING: u64 = 0;
const FINISHED: u64 = 1;
const DNF: u64 = 2;

pub(super) fn put(out: &mut Vec<u8>, outcome: &Outcome) {
    put_number(out, outcome.ended.0.min(MAX_TIME.0));
    put_number(out, u64::from(outcome.best.is_some()));
    if let Some(MoveBounds { at_least, at_most }) = outcome.best {
        put_number(out, at_least.into());
        put_number(out, at_most.into());
    }
    put_number(out, outcome.standings.len() as u64);
    outcome.standings.iter().for_each(|row| put_row(out, row));
}

pub(super) fn read(
    mut source: ByteReader<'_>,
    places: &mut FieldOffsets,
) -> Result<Outcome, ReadError> {
    places.ended = source.offset();
    let ended = Millis(source.number("the instant of the end", MAX_TIME.0)?);
    places.best = source.offset();
    let best = if source.flag("whether the best is known")? {
        Some(MoveBounds {
            at_least: count(&mut source, "what the board needs at least")?,
            at_most: count(&mut source, "what the board needs at most")?,
        })
    } else {
        None
    };
    let rows = source.number("the number of rows", MAX_RACERS as u64)?;
    let mut standings = Vec::new();
    for _ in 0..rows {
        places.rows.push(source.offset());
        standings.push(read_row(&mut source)?);
    }
    source.end()?;
    Ok(Outcome { ended, standings, best })
}

fn put_row(out: &mut Vec<u8>, row: &Standing) {
    let Standing {
        player,
        place,
        state,
        progress,
        tally,
        moves: MoveCount { moves, acts },
        hints,
        penalty,
        connected,
    } = *row;
    put_number(out, player.0.into());
    put_number(out, place.into());
    match state {
        State::Racing => put_number(out, RACING),
        State::Finished { time } => {
            put_number(out, FINISHED);
            put_number(out, time.0.min(LONGEST));
        }
        State::Dnf => put_number(out, DNF),
    }
    put_number(out, progress.into());
    put_number(out, u64::from(tally.is_some()));
    if let Some(PieceProgress { done, of, covered, cells }) = tally {
        for number in [done, of, covered, cells] {
            put_number(out, number.into());
        }
    }
    put_number(out, moves.into());
    put_number(out, acts.into());
    put_number(out, hints.into());
    put_number(out, penalty.0.min(LONGEST));
    put_number(out, u64::from(connected));
}

fn read_row(source: &mut ByteReader<'_>) -> Result<Standing, ReadError> {
    Ok(Standing {
        player: PlayerId(count(source, "a player's number")?),
        place: source.small("a place", u16::MAX)?,
        state: match source.number("a player's state", DNF)? {
            RACING => State::Racing,
            FINISHED => State::Finished { time: Millis(source.number("a finish time", LONGEST)?) },
            _ => State::Dnf,
        },
        progress: source.small("a player's progress", 1_000)?,
        tally: if source.flag("whether there are links to count")? {
            Some(PieceProgress {
                done: source.small("the links that are whole", u16::MAX)?,
                of: source.small("the number of links", u16::MAX)?,
                covered: source.small("the cells that are covered", u16::MAX)?,
                cells: source.small("the number of cells", u16::MAX)?,
            })
        } else {
            None
        },
        moves: MoveCount {
            moves: count(source, "a player's moves")?,
            acts: count(source, "a player's acts")?,
        },
        hints: source.small("a player's hints", u16::MAX)?,
        penalty: Millis(source.number("a player's penalty", LONGEST)?),
        connected: source.flag("whether a player is connected")?,
    })
}

fn count(source: &mut ByteReader<'_>, expected: &'static str) -> Result<u32, ReadError> {
    // It is at most what fits.
    Ok(source.number(expected, u32::MAX.into())? as u32)
}
