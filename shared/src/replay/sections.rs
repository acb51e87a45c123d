//! What is known before GO: which heat, its draw, its players.

use super::file::FieldOffsets;
use super::{About, MAX_RACERS, Racer, UnixSeconds};
use crate::heat::commitment::SeedOrigin;
use crate::heat::commitment::{Commitment, Salt, Secret};
use crate::heat::ids::{PlayerId, RoomCode};
use crate::heat::options::{HeatOptions, HintRule};
use crate::heat::player_kind::PlayerKind;
use crate::heat::player_name::NAME_BYTES;
use crate::puzzle::skill::Skill;
use crate::puzzle::{Board, PuzzleSpec};
use crate::replay::event_log::{EventLog, EventLogWriter};
use crate::replay::move_codec::{put_board, read_board};
use crate::util::byte_codec::{ByteReader, ReadError, put_number, put_text};
use crate::util::seed::SEED_CHARACTERS;

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

/// What the first section says.
pub(super) struct Heat {
    writer: String,
    code: RoomCode,
    number: u32,
    began: Option<UnixSeconds>,
    options: HeatOptions,
}

/// What the second section says.
pub(super) struct Draw {
    origin: SeedOrigin,
    commitment: Commitment,
    secret: Secret,
    pub(super) start: Board,
}

impl Heat {
    pub(super) fn with(self, draw: Draw) -> About {
        let Draw { origin, commitment, secret, start: _ } = draw;
        About {
            writer: self.writer,
            code: self.code,
            number: self.number,
            began: self.began,
            options: self.options,
            origin,
            commitment,
            secret,
        }
    }
}

pub(super) fn put_heat(out: &mut Vec<u8>, about: &About) {
    let plain = |c: &char| c.is_ascii_graphic() || *c == ' ';
    let writer: String = about.writer.chars().filter(plain).take(WRITER_BYTES).collect();
    put_text(out, &writer);
    put_text(out, &about.code.to_string());
    put_number(out, about.number.into());
    put_number(out, about.began.map_or(0, |UnixSeconds(seconds)| seconds.min(LATEST_DATE)));
    put_options(out, &about.options);
}

pub(super) fn read_heat(
    mut source: ByteReader<'_>,
    places: &mut FieldOffsets,
) -> Result<Heat, ReadError> {
    let offset = source.offset();
    let writer = source.text("the name of the program", WRITER_BYTES)?.to_owned();
    if !writer.bytes().all(|c| c.is_ascii_graphic() || c == b' ') {
        let why = "it has other characters than printable ASCII";
        return Err(source.unknown_at(offset, "the name of the program", &why));
    }
    let heat = Heat {
        writer,
        code: source.parse("the heat's code", 4)?,
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
    } = options;
    put_text(out, &spec.to_string());
    let hints = match hints {
        HintRule::Off => 0,
        HintRule::Free => 1,
        HintRule::Priced { seconds } => 1 + u64::from(*seconds),
    };
    let list = [
        (COUNTDOWN, u64::from(*countdown_seconds)),
        (TIME_LIMIT, u64::from(*time_limit_seconds)),
        (HINTS, hints),
        (BOTS, u64::from(*bots_allowed)),
        (PRIVATE, u64::from(*private)),
        (DELAY, u64::from(*delay_seconds)),
        (GRACE, u64::from(*grace_seconds)),
    ];
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
            _ => {
                source.number("the value of an option", u64::MAX)?;
            }
        }
    }
    Ok(options)
}

pub(super) fn put_draw(out: &mut Vec<u8>, about: &About, start: &Board) {
    put_number(out, u64::from(about.origin == SeedOrigin::Host));
    out.extend_from_slice(about.commitment.bytes());
    out.extend_from_slice(about.secret.salt.bytes());
    put_text(out, about.secret.seed.as_str());
    put_board(out, start);
}

pub(super) fn read_draw(
    mut source: ByteReader<'_>,
    places: &mut FieldOffsets,
) -> Result<Draw, ReadError> {
    let draw = Draw {
        origin: if source.flag("whether the host set the seed")? {
            SeedOrigin::Host
        } else {
            SeedOrigin::Drawn
        },
        commitment: {
            places.commitment = source.offset();
            Commitment::from_bytes(source.array("the commitment")?)
        },
        secret: {
            let salt = Salt::from_bytes(source.array("the salt")?);
            let seed = source.parse("the seed", SEED_CHARACTERS)?;
            Secret { seed, salt }
        },
        start: {
            places.board = source.offset();
            read_board(&mut source)?
        },
    };
    source.end()?;
    Ok(draw)
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
            name: source.parse("a player's name", NAME_BYTES)?,
        })
    };
    let count = source.number("the number of players", MAX_RACERS as u64)?;
    let racers: Result<_, ReadError> = (0..count).map(|_| racer(&mut source)).collect();
    let course = EventLogWriter::new(start, racers?)
        .map_err(|error| source.unknown_at(offset, "the players", &error))?;
    source.end()?;
    Ok(course.finish())
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
