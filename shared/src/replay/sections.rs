//! The sections of a replay apart from the moves: the heat, its draw, its players, its outcome.

use super::{MAX_RACERS, MAX_TIME, Outcome, Racer, ReplayHeader, UnixSeconds};
use crate::heat::commitment::{Commitment, Salt, Secret, SeedOrigin};
use crate::heat::ids::{PlayerId, RoomCode};
use crate::heat::options::{HeatOptions, HintRule, HintStyles};
use crate::heat::player_kind::PlayerKind;
use crate::heat::player_name::{NAME_BYTES, PlayerName};
use crate::heat::standings::{RaceState, Standing};
use crate::puzzle::skill::Skill;
use crate::puzzle::{Board, MoveBounds, MoveCount, PieceProgress, PuzzleSpec};
use crate::replay::event_log::{EventLog, EventLogWriter};
use crate::replay::move_codec::{put_board, read_board};
use crate::util::byte_codec::{ByteReader, ReadError, put_number, put_text};
use crate::util::seed::SEED_CHARACTERS;
use crate::util::time::Millis;

/// The longest name of a program in bytes.
const WRITER_BYTES: usize = 64;
/// The longest spec in bytes: several times `link:20x20:classic`.
const SPEC_BYTES: usize = 64;
/// The most options that are read: several times as many as there are.
const OPTIONS: u64 = 64;
/// No date of a heat is later, in seconds since 1970: the year 9999.
const LATEST_DATE: u64 = 253_402_300_799;

/// The numbers of the options. One that a reader doesn't know it passes by.
const COUNTDOWN: u64 = 1;
const TIME_LIMIT: u64 = 2;
const HINTS: u64 = 3;
const BOTS: u64 = 4;
const PRIVATE: u64 = 5;
const DELAY: u64 = 6;
const GRACE: u64 = 7;
const IDLE: u64 = 8;
const FINISHERS_WATCH: u64 = 9;
const HINT_STYLES: u64 = 10;
const PICTURE: u64 = 11;

/// The longest span of a result in milliseconds, hints included: 34 years.
const LONGEST: u64 = 1 << 40;

const RACING: u64 = 0;
const FINISHED: u64 = 1;
const DNF: u64 = 2;

/// Where in a file the parts of a replay stand, in bytes from its start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldOffsets {
    pub options: u64,
    pub commitment: u64,
    pub board: u64,
    pub racers: u64,
    /// The first record: what [`super::EventLog::records`] counts from.
    pub records: u64,
    pub ended: u64,
    /// What is known of the best.
    pub best: u64,
    pub rows: Vec<u64>,
}

/// What the first section says.
pub(super) struct HeatSection {
    writer: String,
    code: RoomCode,
    number: u32,
    began: Option<UnixSeconds>,
    options: HeatOptions,
}

pub(super) fn put_heat(out: &mut Vec<u8>, header: &ReplayHeader) {
    let plain = |c: &char| c.is_ascii_graphic() || *c == ' ';
    let writer: String = header.writer.chars().filter(plain).take(WRITER_BYTES).collect();
    put_text(out, &writer);
    put_text(out, &header.code.to_string());
    put_number(out, header.number.into());
    put_number(out, header.began.map_or(0, |UnixSeconds(seconds)| seconds.min(LATEST_DATE)));
    put_options(out, &header.options);
}

pub(super) fn read_heat(
    mut source: ByteReader<'_>,
    places: &mut FieldOffsets,
) -> Result<HeatSection, ReadError> {
    let offset = source.offset();
    let writer = source.text("the name of the program", WRITER_BYTES)?.to_owned();
    if !writer.bytes().all(|c| c.is_ascii_graphic() || c == b' ') {
        let why = "it has other characters than printable ASCII";
        return Err(source.unknown_at(offset, "the name of the program", &why));
    }
    let heat = HeatSection {
        writer,
        code: source.parse("the room's code", 4)?,
        number: source.number("the heat's number", u32::MAX.into())? as u32,
        began: match source.number("the date", LATEST_DATE)? {
            0 => None,
            seconds => Some(UnixSeconds(seconds)),
        },
        options: {
            places.options = source.offset();
            read_options(&mut source)?
        },
    };
    source.end()?;
    Ok(heat)
}

/// Writes the puzzle, and the other options as numbers with their values.
fn put_options(out: &mut Vec<u8>, options: &HeatOptions) {
    let HeatOptions {
        spec,
        countdown_seconds,
        time_limit_seconds,
        hints,
        bots_allowed,
        private,
        delay_seconds,
        grace_seconds,
        idle_seconds,
        finishers_watch,
        hint_styles,
        picture,
    } = options;
    put_text(out, &spec.to_string());
    let hints = match hints {
        HintRule::Off => 0,
        HintRule::Free => 1,
        HintRule::Priced { seconds } => 1 + u64::from(*seconds),
    };
    let hint_styles = match hint_styles {
        HintStyles::Any => None,
        HintStyles::Shortest => Some((HINT_STYLES, 1)),
        HintStyles::Method => Some((HINT_STYLES, 2)),
    };
    let list = [
        (COUNTDOWN, u64::from(*countdown_seconds)),
        (TIME_LIMIT, u64::from(*time_limit_seconds)),
        (HINTS, hints),
        (BOTS, u64::from(*bots_allowed)),
        (PRIVATE, u64::from(*private)),
        (DELAY, u64::from(*delay_seconds)),
        (GRACE, u64::from(*grace_seconds)),
        (IDLE, u64::from(*idle_seconds)),
        (FINISHERS_WATCH, u64::from(*finishers_watch)),
    ];
    // The defaults are left out, as in files from before there were styles and pictures.
    let picture = picture.then_some((PICTURE, 1));
    let list: Vec<(u64, u64)> = list.into_iter().chain(hint_styles).chain(picture).collect();
    put_number(out, list.len() as u64);
    for (option, value) in list {
        put_number(out, option);
        put_number(out, value);
    }
}

fn read_options(source: &mut ByteReader<'_>) -> Result<HeatOptions, ReadError> {
    let spec: PuzzleSpec = source.parse("the puzzle", SPEC_BYTES)?;
    let mut options = HeatOptions::new(spec);
    let mut last = 0;
    for _ in 0..source.number("the number of options", OPTIONS)? {
        let offset = source.offset();
        let option = source.number("an option", u64::MAX)?;
        if option <= last {
            return Err(source.unknown_at(offset, "an option", &"options are not in their order"));
        }
        last = option;
        match option {
            COUNTDOWN => options.countdown_seconds = source.small("the countdown", u16::MAX)?,
            TIME_LIMIT => options.time_limit_seconds = source.small("the time limit", u16::MAX)?,
            HINTS => {
                options.hints =
                    match source.number("the price of a hint", 1 + u64::from(u16::MAX))? {
                        0 => HintRule::Off,
                        1 => HintRule::Free,
                        price => HintRule::Priced { seconds: (price - 1) as u16 },
                    };
            }
            BOTS => options.bots_allowed = source.flag("whether bots may play")?,
            PRIVATE => options.private = source.flag("whether the heat is private")?,
            DELAY => options.delay_seconds = source.small("the delay", u16::MAX)?,
            GRACE => options.grace_seconds = source.small("the grace", u16::MAX)?,
            IDLE => options.idle_seconds = source.small("when a player is idle", u16::MAX)?,
            FINISHERS_WATCH => options.finishers_watch = source.flag("whether finishers watch")?,
            PICTURE => options.picture = source.flag("whether tiles show a picture")?,
            HINT_STYLES => {
                options.hint_styles = match source.number("the style of hints", 2)? {
                    0 => HintStyles::Any,
                    1 => HintStyles::Shortest,
                    _ => HintStyles::Method,
                };
            }
            _ => {
                source.number("the value of an option", u64::MAX)?;
            }
        }
    }
    Ok(options)
}

pub(super) fn put_draw(out: &mut Vec<u8>, header: &ReplayHeader, start: &Board) {
    put_number(out, u64::from(header.origin == SeedOrigin::Host));
    out.extend_from_slice(header.commitment.bytes());
    out.extend_from_slice(header.secret.salt.bytes());
    put_text(out, header.secret.seed.as_str());
    put_board(out, start);
}

/// Reads the draw, which completes what the first section says, and the board.
pub(super) fn read_draw(
    mut source: ByteReader<'_>,
    heat: HeatSection,
    places: &mut FieldOffsets,
) -> Result<(ReplayHeader, Board), ReadError> {
    let HeatSection { writer, code, number, began, options } = heat;
    let origin = match source.flag("whether the host set the seed")? {
        true => SeedOrigin::Host,
        false => SeedOrigin::Drawn,
    };
    places.commitment = source.offset();
    let commitment = Commitment::from_bytes(source.array("the commitment")?);
    let salt = Salt::from_bytes(source.array("the salt")?);
    let secret = Secret { seed: source.parse("the seed", SEED_CHARACTERS)?, salt };
    places.board = source.offset();
    let start = read_board(&mut source)?;
    source.end()?;
    Ok((ReplayHeader { writer, code, number, began, options, origin, commitment, secret }, start))
}

pub(super) fn put_seats(out: &mut Vec<u8>, racers: &[Racer]) {
    put_number(out, racers.len() as u64);
    for Racer { id, name, kind } in racers {
        put_number(out, id.0.into());
        put_number(out, kind_number(*kind));
        put_text(out, name.as_str());
    }
}

/// Reads the players; nothing has happened to them yet.
pub(super) fn read_seats(mut source: ByteReader<'_>, start: Board) -> Result<EventLog, ReadError> {
    let offset = source.offset();
    let racer = |source: &mut ByteReader<'_>| {
        Ok(Racer {
            id: PlayerId(source.number("a player's number", u32::MAX.into())? as u32),
            kind: read_kind(source)?,
            name: read_name(source)?,
        })
    };
    let count = source.number("the number of players", MAX_RACERS as u64)?;
    let racers: Result<_, ReadError> = (0..count).map(|_| racer(&mut source)).collect();
    let events = EventLogWriter::new(start, racers?)
        .map_err(|error| source.unknown_at(offset, "the players", &error))?;
    source.end()?;
    Ok(events.finish())
}

/// Reads a name by the rules of every version, in its canonical form.
fn read_name(source: &mut ByteReader<'_>) -> Result<PlayerName, ReadError> {
    const EXPECTED: &str = "a player's name";
    let offset = source.offset();
    let text = source.text(EXPECTED, NAME_BYTES)?;
    let name = PlayerName::try_from(text.to_owned())
        .map_err(|error| source.unknown_at(offset, EXPECTED, &error))?;
    if name.as_str() != text {
        return Err(source.unknown_at(offset, EXPECTED, &format!("{text:?} is written {name:?}")));
    }
    Ok(name)
}

/// 0 for a person, 1 for a bot from outside, from 2 on for the server's, the weakest first.
fn kind_number(kind: PlayerKind) -> u64 {
    match kind {
        PlayerKind::Human => 0,
        PlayerKind::Bot => 1,
        PlayerKind::HouseBot(skill) => {
            let at = Skill::ALL.iter().position(|&other| other == skill);
            2 + at.unwrap_or(0) as u64
        }
    }
}

fn read_kind(source: &mut ByteReader<'_>) -> Result<PlayerKind, ReadError> {
    let most = 1 + Skill::ALL.len() as u64;
    Ok(match source.number("what a player is", most)? {
        0 => PlayerKind::Human,
        1 => PlayerKind::Bot,
        skill => PlayerKind::HouseBot(Skill::ALL[skill as usize - 2]),
    })
}

pub(super) fn put_outcome(out: &mut Vec<u8>, outcome: &Outcome) {
    put_number(out, outcome.ended.0.min(MAX_TIME.0));
    put_number(out, u64::from(outcome.best.is_some()));
    if let Some(MoveBounds { at_least, at_most }) = outcome.best {
        put_number(out, at_least.into());
        put_number(out, at_most.into());
    }
    put_number(out, outcome.standings.len() as u64);
    outcome.standings.iter().for_each(|row| put_row(out, row));
}

pub(super) fn read_outcome(
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
        RaceState::Racing => put_number(out, RACING),
        RaceState::Finished { time } => {
            put_number(out, FINISHED);
            put_number(out, time.0.min(LONGEST));
        }
        RaceState::Dnf => put_number(out, DNF),
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
            RACING => RaceState::Racing,
            FINISHED => {
                RaceState::Finished { time: Millis(source.number("a finish time", LONGEST)?) }
            }
            _ => RaceState::Dnf,
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
