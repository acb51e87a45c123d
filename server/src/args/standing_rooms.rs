//! The standing rooms of the command line: `--room`, several times, each with options of its own.

use clap::Args;
use gridrace_server::StandingRoom;
use gridrace_server::race::MAX_PLAYERS;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::{HeatOptions, HintRule, HintStyles, OptionsError};
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::heat::short_text::{RoomName, ShortTextError};
use gridrace_shared::puzzle::{PuzzleError, PuzzleSpec};
use gridrace_shared::util::seed::Seed;
use std::str::FromStr;

/// The most standing rooms: as many as the list of rooms shows.
const MAX_STANDING_ROOMS: usize = 64;

/// Options of the standing rooms. Each is the default of every `--room`, which may set it for
/// itself by the option's name.
#[derive(Debug, Args)]
#[command(next_help_heading = "Standing rooms")]
pub(crate) struct StandingRoomsArgs {
    /// Keep a room open as long as the server runs; may be given several times, with a name and
    /// options of its own: --room evening=slide:4x4 --room 'hard=link:9x9:hard hints=off'
    #[arg(long = "room", value_name = "[NAME=]PUZZLE[ KEY=VALUE]…")]
    rooms: Vec<RoomArgument>,

    /// Bots seated in the room: beginner, casual, steady, expert, master
    #[arg(long, value_name = "SKILL,…", value_delimiter = ',', requires = "rooms")]
    bots: Vec<Skill>,

    /// Seed of the room's first board; random by default
    #[arg(long, requires = "rooms")]
    seed: Option<Seed>,

    /// The room's hints: off, free, or the penalty of each in seconds
    #[arg(long, requires = "rooms", value_name = "off|free|SECONDS")]
    hints: Option<HintRule>,

    /// Style of the room's hints: shortest, or method, which teaches; any leaves it to the players
    #[arg(long, requires = "rooms", value_name = "STYLE")]
    only_hints: Option<HintStyles>,

    /// Show a picture on the tiles of the room's sliding puzzles
    #[arg(long, requires = "rooms")]
    picture: bool,

    /// Countdown of the room's heats
    #[arg(long, requires = "rooms", value_name = "SECONDS")]
    countdown: Option<u16>,

    /// Time limit of the room's heats
    #[arg(long, requires = "rooms", value_name = "SECONDS")]
    time_limit: Option<u16>,

    /// Delay of the boards, times and places that spectators see
    #[arg(long, requires = "rooms", value_name = "SECONDS")]
    delay: Option<u16>,

    /// How long a lost connection keeps its seat
    #[arg(long, requires = "rooms", value_name = "SECONDS")]
    grace: Option<u16>,

    /// How long a player may do nothing before the heat ends without them; 0 for as long as they
    /// like
    #[arg(long, requires = "rooms", value_name = "SECONDS")]
    idle: Option<u16>,

    /// Don't list the room: it is joined by its code only
    #[arg(long, requires = "rooms")]
    private: bool,

    /// PIN for joining the room, 4 to 8 digits; implies --private
    #[arg(long, env = "GRIDRACE_PIN", hide_env_values = true)]
    pin: Option<Pin>,

    /// Disallow bots
    #[arg(long, requires = "rooms", conflicts_with = "bots")]
    no_bots: bool,

    /// Don't show the others' boards to players who are done
    #[arg(long, requires = "rooms")]
    no_finishers_watch: bool,
}

/// A room of `--room`, with the options that it sets for itself.
#[derive(Debug, Clone)]
struct RoomArgument {
    name: Option<RoomName>,
    spec: PuzzleSpec,
    settings: Vec<Setting>,
}

#[derive(Debug, Clone)]
enum Setting {
    Bots(Vec<Skill>),
    NoBots(bool),
    Seed(Seed),
    Hints(HintRule),
    OnlyHints(HintStyles),
    Picture(bool),
    Countdown(u16),
    TimeLimit(u16),
    Delay(u16),
    Grace(u16),
    Idle(u16),
    Private(bool),
    Pin(Pin),
    NoFinishersWatch(bool),
}

/// The keys of the settings, for messages.
const KEYS: &str = "bots, no-bots, seed, hints, only-hints, picture, countdown, time-limit, delay, \
    grace, idle, private, pin and no-finishers-watch";

/// An error in the value of `--room`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum RoomArgumentError {
    #[error("a puzzle is missing: [NAME=]PUZZLE[ KEY=VALUE]…")]
    NoPuzzle,
    #[error("the name of a room: {0}")]
    Name(ShortTextError),
    #[error(transparent)]
    Puzzle(PuzzleError),
    #[error("`{0}` has no value: options are written as KEY=VALUE")]
    NoValue(String),
    #[error("there is no option `{0}`: the options are {KEYS}")]
    UnknownKey(String),
    #[error("`{key}={value}`: {why}")]
    Value { key: String, value: String, why: String },
    #[error("`{0}` is given twice")]
    Twice(String),
}

/// An error of the rooms on the command line.
#[derive(Debug, thiserror::Error)]
pub(super) enum StandingRoomsError {
    #[error("--room is given {MAX_STANDING_ROOMS} times at most")]
    TooMany,
    #[error("two rooms have the name `{0}`")]
    SameName(RoomName),
    #[error("--room {room}: {why}")]
    Room { room: String, why: RoomError },
}

#[derive(Debug, thiserror::Error)]
pub(super) enum RoomError {
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error("a room takes at most {MAX_PLAYERS} bots")]
    TooManyBots,
    #[error("bots are disallowed, and seated")]
    BotsDisallowed,
}

impl StandingRoomsArgs {
    /// Returns the rooms in their order.
    pub(super) fn rooms(&self) -> Result<Vec<StandingRoom>, StandingRoomsError> {
        if self.rooms.len() > MAX_STANDING_ROOMS {
            return Err(StandingRoomsError::TooMany);
        }
        let mut rooms: Vec<StandingRoom> = Vec::new();
        for argument in &self.rooms {
            if let Some(name) = &argument.name
                && rooms.iter().any(|room| room.name.as_ref() == Some(name))
            {
                return Err(StandingRoomsError::SameName(name.clone()));
            }
            let name = || argument.name.as_ref().map(RoomName::to_string);
            let room = self.room(argument).map_err(|why| StandingRoomsError::Room {
                room: name().unwrap_or_else(|| argument.spec.to_string()),
                why,
            })?;
            rooms.push(room);
        }
        Ok(rooms)
    }

    fn room(&self, argument: &RoomArgument) -> Result<StandingRoom, RoomError> {
        let default = HeatOptions::new(argument.spec);
        let options = HeatOptions {
            hints: self.hints.unwrap_or(default.hints),
            hint_styles: self.only_hints.unwrap_or(default.hint_styles),
            picture: self.picture,
            countdown_seconds: self.countdown.unwrap_or(default.countdown_seconds),
            time_limit_seconds: self.time_limit.unwrap_or(default.time_limit_seconds),
            delay_seconds: self.delay.unwrap_or(default.delay_seconds),
            grace_seconds: self.grace.unwrap_or(default.grace_seconds),
            idle_seconds: self.idle.unwrap_or(default.idle_seconds),
            finishers_watch: !self.no_finishers_watch,
            bots_allowed: !self.no_bots,
            private: self.private,
            ..default
        };
        let (name, seed, pin) = (argument.name.clone(), self.seed.clone(), self.pin.clone());
        let mut room = StandingRoom { name, options, seed, bots: self.bots.clone(), pin };
        for setting in &argument.settings {
            setting.apply(&mut room);
        }
        room.options.private |= room.pin.is_some();
        room.options.check()?;
        if room.bots.len() > MAX_PLAYERS {
            return Err(RoomError::TooManyBots);
        }
        if !room.options.bots_allowed && !room.bots.is_empty() {
            return Err(RoomError::BotsDisallowed);
        }
        Ok(room)
    }
}

impl FromStr for RoomArgument {
    type Err = RoomArgumentError;

    fn from_str(text: &str) -> Result<Self, RoomArgumentError> {
        let mut words = text.split_whitespace();
        let first = words.next().ok_or(RoomArgumentError::NoPuzzle)?;
        let (name, spec) = match first.split_once('=') {
            Some((name, spec)) => (Some(name.parse().map_err(RoomArgumentError::Name)?), spec),
            None => (None, first),
        };
        if spec.is_empty() {
            return Err(RoomArgumentError::NoPuzzle);
        }
        let spec = PuzzleSpec::from_typed(spec).map_err(RoomArgumentError::Puzzle)?;
        let mut keys = Vec::new();
        let mut settings = Vec::new();
        for word in words {
            let setting = word.split_once('=');
            let (key, value) =
                setting.ok_or_else(|| RoomArgumentError::NoValue(word.to_owned()))?;
            settings.push(Setting::read(key, value)?);
            if keys.contains(&key) {
                return Err(RoomArgumentError::Twice(key.to_owned()));
            }
            keys.push(key);
        }
        Ok(Self { name, spec, settings })
    }
}

impl Setting {
    fn read(key: &str, value: &str) -> Result<Self, RoomArgumentError> {
        let wrong = |why: String| {
            let (key, value) = (key.to_owned(), value.to_owned());
            RoomArgumentError::Value { key, value, why }
        };
        fn parsed<T: FromStr<Err: ToString>>(value: &str) -> Result<T, String> {
            value.parse().map_err(|error: T::Err| error.to_string())
        }
        let seconds = || parsed(value).map_err(|_| "whole seconds are expected".to_owned());
        let flag = || match value {
            "yes" => Ok(true),
            "no" => Ok(false),
            _ => Err("`yes` or `no` is expected".to_owned()),
        };
        let skills = || match value {
            "none" => Ok(Vec::new()),
            list => list.split(',').map(parsed).collect::<Result<Vec<Skill>, String>>(),
        };
        let setting = match key {
            "bots" => skills().map(Self::Bots),
            "no-bots" => flag().map(Self::NoBots),
            "seed" => parsed(value).map(Self::Seed),
            "hints" => parsed(value).map(Self::Hints),
            "only-hints" => parsed(value).map(Self::OnlyHints),
            "picture" => flag().map(Self::Picture),
            "countdown" => seconds().map(Self::Countdown),
            "time-limit" => seconds().map(Self::TimeLimit),
            "delay" => seconds().map(Self::Delay),
            "grace" => seconds().map(Self::Grace),
            "idle" => seconds().map(Self::Idle),
            "private" => flag().map(Self::Private),
            "pin" => parsed(value).map(Self::Pin),
            "no-finishers-watch" => flag().map(Self::NoFinishersWatch),
            _ => return Err(RoomArgumentError::UnknownKey(key.to_owned())),
        };
        setting.map_err(wrong)
    }

    fn apply(&self, room: &mut StandingRoom) {
        let options = &mut room.options;
        match self {
            Self::Bots(bots) => room.bots.clone_from(bots),
            Self::NoBots(no_bots) => {
                options.bots_allowed = !no_bots;
                if *no_bots {
                    room.bots.clear();
                }
            }
            Self::Seed(seed) => room.seed = Some(seed.clone()),
            Self::Hints(hints) => options.hints = *hints,
            Self::OnlyHints(styles) => options.hint_styles = *styles,
            Self::Picture(picture) => options.picture = *picture,
            Self::Countdown(seconds) => options.countdown_seconds = *seconds,
            Self::TimeLimit(seconds) => options.time_limit_seconds = *seconds,
            Self::Delay(seconds) => options.delay_seconds = *seconds,
            Self::Grace(seconds) => options.grace_seconds = *seconds,
            Self::Idle(seconds) => options.idle_seconds = *seconds,
            Self::Private(private) => options.private = *private,
            Self::Pin(pin) => room.pin = Some(pin.clone()),
            Self::NoFinishersWatch(no_watch) => options.finishers_watch = !no_watch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses `--room` arguments, then the words of a line.
    fn rooms(given: &[&str], line: &str) -> Result<Vec<StandingRoom>, clap::Error> {
        let mut arguments = vec!["gridrace-server"];
        for room in given {
            arguments.extend(["--room", room]);
        }
        arguments.extend(line.split_whitespace());
        crate::args::Args::read(arguments.into_iter().map(Into::into))?.standing()
    }

    #[test]
    fn the_options_are_the_defaults_of_all_rooms_and_each_sets_its_own() {
        let given = [
            "evening=slide:4x4",
            "hard=link:9x9:hard bots=expert,master hints=off idle=0 pin=4711 only-hints=any",
            "3x3 bots=none delay=9 no-finishers-watch=yes picture=yes",
        ];
        let rooms =
            rooms(&given, "--bots casual --hints free --grace 5 --only-hints method").unwrap();
        let [evening, hard, small] = &rooms[..] else { panic!("{rooms:?}") };
        assert_eq!(evening.name.as_ref().map(RoomName::as_str), Some("evening"));
        assert_eq!(evening.bots, [Skill::Casual]);
        assert_eq!((evening.options.hints, evening.options.grace_seconds), (HintRule::Free, 5));
        assert_eq!(evening.options.hint_styles, HintStyles::Method);
        assert_eq!(hard.options.hint_styles, HintStyles::Any);
        assert_eq!([hard, small].map(|room| room.options.picture), [false, true]);
        assert_eq!(hard.options.spec.to_string(), "link:9x9:hard");
        assert_eq!(hard.bots, [Skill::Expert, Skill::Master]);
        assert_eq!((hard.options.hints, hard.options.idle_seconds), (HintRule::Off, 0));
        assert!(hard.options.private && hard.pin.is_some() && evening.pin.is_none());
        assert_eq!(small.options.spec.to_string(), "slide:3x3");
        assert_eq!((&small.name, &small.bots[..]), (&None, &[][..]));
        assert_eq!((small.options.delay_seconds, small.options.finishers_watch), (9, false));
        assert_eq!(small.options.grace_seconds, 5);
    }

    #[test]
    fn what_is_wrong_with_a_room_is_said() {
        for (given, line, why) in [
            (&["a=slide:3x3", "a=slide:4x4"][..], "", "two rooms have the name `a`"),
            (&["slide:3x3 colour=red"], "", "there is no option `colour`: the options are bots"),
            (&["slide:3x3 hints"], "", "`hints` has no value"),
            (&["slide:3x3 hints=often"], "", "`hints=often`: hints are `off`, `free`"),
            (&["slide:3x3 delay=soon"], "", "`delay=soon`: whole seconds are expected"),
            (&["slide:3x3 delay=1 delay=2"], "", "`delay` is given twice"),
            (&["slide:3x3 pin=12"], "", "`pin=12`: a PIN has 4 to 8 digits"),
            (&["slide:3x3 bots=genius"], "", "`bots=genius`"),
            (&["slide:3x3 private=1"], "", "`yes` or `no` is expected"),
            (&["hard=slide:3x3 countdown=0"], "", "--room hard: the countdown is 1 to 60 seconds"),
            (&["slide:3x3 bots=casual"], "--no-bots", "bots are disallowed, and seated"),
            (&["a=slide:1x9"], "", "slide"),
            (&["a="], "", "a puzzle is missing"),
            (&["=slide:3x3"], "", "the name of a room"),
            (&[""], "", "a puzzle is missing"),
        ] {
            let error = rooms(given, line).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{given:?}");
            assert!(error.to_string().contains(why), "{error}");
        }
        let many = ["slide:3x3"; MAX_STANDING_ROOMS + 1];
        assert!(rooms(&many, "").unwrap_err().to_string().contains("64 times at most"));
    }

    #[test]
    fn the_number_of_bots_is_bounded() {
        let too_many = format!("slide:3x3 bots={}", ["beginner"; MAX_PLAYERS + 1].join(","));
        let error = rooms(&[&too_many], "").unwrap_err();
        assert!(error.to_string().contains("at most 32 bots"), "{error}");
    }
}
