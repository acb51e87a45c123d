//! The text of a plan: `series:5:f1`, `ao5`, `heats:32/8+final:5`, `swiss:8x5`, `knockout:bo3`.
//!
//! ```text
//! plan    = stage *("+" stage) ["@teams:" scorers]
//! stage   = format *(":" option) ["~" tie-breaks] ["@" puzzles]
//! format  = "series" ["/" top] | "final" | "ao5" ["/" top] | "mo3" ["/" top]
//!         | "heats:" seats "/" top         | "lastout:" drop ["/" until]
//!         | "swiss:" seats "x" rounds ["/" top]
//!         | "arena:" seats "x" minutes "m" ["/" top]
//!         | "roundrobin" ["/" top] | "knockout" | "double"
//! option  = boards | "linear" | "f1" | "kart" | "p" points *("-" points)
//!         | "place" | "sum" | "bo" boards | "ao" boards | "mo" boards
//! ```
//!
//! Tie-breaks and puzzles are separated by commas. What is left out has the format's default. A plan
//! is shown in the shortest form, and every plan can be.

use crate::puzzle::{PuzzleError, PuzzleSpec};
use crate::tournament::plan::{Format, PlanError, TournamentPlan, TournamentStage};
use crate::tournament::points::{CustomPoints, PointsError, PointsTable};
use crate::tournament::score::ScoreRule;
use crate::tournament::tie_break::TieBreak;
use std::fmt::{self, Display, Write as _};
use std::str::FromStr;
use strum::IntoEnumIterator as _;

/// Longest text of a plan in bytes: eight stages with everything said.
pub const PLAN_CHARACTERS: usize = 4_096;

const TEAMS: &str = "@teams:";
/// The tie-breaks of a stage that has none.
const NO_TIE_BREAKS: &str = "none";

/// An error in the text of a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    #[error("a plan is a text of 1 to {PLAN_CHARACTERS} characters, such as heats:32/8+final:5")]
    Length,
    #[error("stage {}, {text:?}: {error}", .stage + 1)]
    Stage {
        /// From 0.
        stage: usize,
        text: String,
        error: StageTextError,
    },
    #[error("{found:?} in @teams:N is not a number of members")]
    Teams { found: String },
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// An error in the text of a stage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StageTextError {
    #[error(
        "the formats are series, final, ao5, mo3, heats, swiss, roundrobin, knockout, double, lastout and arena"
    )]
    Format,
    #[error("it is written like {0}")]
    Shape(&'static str),
    #[error(
        "{0:?} is no option: a number of boards, linear, f1, kart, p5-3-1, place, sum, bo3, ao5 or mo3"
    )]
    Option(String),
    #[error("a colon is followed by an option; ~ and @ follow without a colon")]
    NoOption,
    #[error("{0:?} says again what an option before it said")]
    Twice(String),
    #[error(transparent)]
    Points(#[from] PointsError),
    #[error("{found:?} is no tie-break; there are none, or some of {}", names_of_tie_breaks())]
    TieBreak { found: String },
    #[error("tie-breaks stand before the puzzles, as in series:3~best@slide:4x4")]
    LateTieBreaks,
    #[error("puzzle {found:?}: {error}")]
    Puzzle { found: String, error: PuzzleError },
}

impl FromStr for TournamentPlan {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let text = text.trim();
        if text.is_empty() || text.len() > PLAN_CHARACTERS {
            return Err(NotationError::Length);
        }
        let (stages, scorers) = match text.split_once(TEAMS) {
            Some((stages, found)) => {
                let scorers = number(found);
                let error = || NotationError::Teams { found: found.to_owned() };
                (stages, Some(scorers.ok_or_else(error)?))
            }
            None => (text, None),
        };
        let parse = |(stage, text): (usize, &str)| {
            let text = text.trim();
            parse_stage(text).map_err(|error| {
                let text = text.chars().take(80).collect();
                NotationError::Stage { stage, text, error }
            })
        };
        let stages = stages.split('+').enumerate().map(parse).collect::<Result<_, _>>()?;
        Ok(Self::new(stages, scorers)?)
    }
}

impl Display for TournamentPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.stages().len() - 1;
        for (index, stage) in self.stages().iter().enumerate() {
            if index > 0 {
                f.write_char('+')?;
            }
            fmt_stage(stage, index > 0 && index == last, f)?;
        }
        self.team_scorers().map_or(Ok(()), |scorers| write!(f, "{TEAMS}{scorers}"))
    }
}

fn parse_stage(text: &str) -> Result<TournamentStage, StageTextError> {
    let (text, puzzles) = split_list(text, '@');
    if puzzles.is_some_and(|puzzles| puzzles.contains('~')) {
        return Err(StageTextError::LateTieBreaks);
    }
    let (text, tie_breaks) = split_list(text, '~');
    let mut parts = text.split(':');
    let head = parts.next().unwrap_or_default();
    let (name, top) = match head.split_once('/') {
        Some((name, top)) => (name, Some(top)),
        None => (head, None),
    };
    let mut options = Options::default();
    let format = if let Some(average) = read_average(name) {
        options.read(average, name)?;
        Format::Series { top: read_top(top, "ao5 or ao5/8")? }
    } else {
        parse_format(name, top, &mut parts)?
    };
    for part in parts {
        if part.is_empty() {
            return Err(StageTextError::NoOption);
        }
        let option = read_option(part)?.ok_or_else(|| StageTextError::Option(part.to_owned()))?;
        options.read(option, part)?;
    }
    let mut stage = TournamentStage::new(format);
    stage.boards = options.boards.unwrap_or(stage.boards);
    if let Some(score) = options.score {
        stage.tie_breaks = score.default_tie_breaks();
        stage.score = score;
    }
    if let Some(names) = tie_breaks {
        stage.tie_breaks = parse_tie_breaks(names)?;
    }
    if let Some(puzzles) = puzzles {
        stage.puzzles = puzzles.split(',').map(parse_puzzle).collect::<Result<_, _>>()?;
    }
    Ok(stage)
}

fn parse_format<'a>(
    name: &str,
    top: Option<&str>,
    parts: &mut impl Iterator<Item = &'a str>,
) -> Result<Format, StageTextError> {
    let mut sizes = |shape| match (top, parts.next()) {
        (None, Some(sizes)) => Ok(sizes),
        (Some(_), _) | (_, None) => Err(StageTextError::Shape(shape)),
    };
    match name {
        "series" => Ok(Format::Series { top: read_top(top, "series:5 or series/8:5")? }),
        "final" => match top {
            None => Ok(Format::Series { top: None }),
            Some(_) => Err(StageTextError::Shape("final:5")),
        },
        "roundrobin" => {
            Ok(Format::RoundRobin { top: read_top(top, "roundrobin or roundrobin/4")? })
        }
        "knockout" if top.is_none() => Ok(Format::Knockout),
        "knockout" => Err(StageTextError::Shape("knockout or knockout:bo3")),
        "double" if top.is_none() => Ok(Format::Double),
        "double" => Err(StageTextError::Shape("double or double:bo3")),
        "heats" => {
            let shape = "heats:32/8";
            let parsed = sizes(shape)?.split_once('/').and_then(|(table, top)| {
                Some(Format::Heats { table: number(table)?, top: number(top)? })
            });
            parsed.ok_or(StageTextError::Shape(shape))
        }
        "lastout" => {
            let shape = "lastout:2 or lastout:2/8";
            let sizes = sizes(shape)?;
            let (drop, until) = sizes.split_once('/').unwrap_or((sizes, "1"));
            let parsed = number(drop).zip(number(until));
            let (drop, until) = parsed.ok_or(StageTextError::Shape(shape))?;
            Ok(Format::LastOut { drop, until })
        }
        "swiss" => {
            let shape = "swiss:8x5 or swiss:8x5/8";
            let (table, rounds, top) = read_rounds(sizes(shape)?, shape)?;
            let rounds = number(rounds).ok_or(StageTextError::Shape(shape))?;
            Ok(Format::Swiss { table, rounds, top })
        }
        "arena" => {
            let shape = "arena:4x20m or arena:4x20m/8";
            let (table, time, top) = read_rounds(sizes(shape)?, shape)?;
            let minutes = time.strip_suffix('m').and_then(number);
            let minutes = minutes.ok_or(StageTextError::Shape(shape))?;
            Ok(Format::Arena { table, minutes, top })
        }
        _ => Err(StageTextError::Format),
    }
}

/// Reads `8x5/4` as 8, `5` and 4.
fn read_rounds<'a>(
    text: &'a str,
    shape: &'static str,
) -> Result<(u8, &'a str, Option<u16>), StageTextError> {
    let (sizes, top) = match text.split_once('/') {
        Some((sizes, top)) => (sizes, Some(top)),
        None => (text, None),
    };
    let top = read_top(top, shape)?;
    let parsed = sizes.split_once('x').and_then(|(table, rest)| Some((number(table)?, rest, top)));
    parsed.ok_or(StageTextError::Shape(shape))
}

fn read_top(text: Option<&str>, shape: &'static str) -> Result<Option<u16>, StageTextError> {
    let read = |text| number(text).ok_or(StageTextError::Shape(shape));
    text.map(read).transpose()
}

/// What the options of a stage said so far.
#[derive(Default)]
struct Options {
    boards: Option<u8>,
    score: Option<ScoreRule>,
}

/// One option: boards, a score, or both.
type StageOption = (Option<u8>, Option<ScoreRule>);

impl Options {
    fn read(&mut self, (boards, score): StageOption, text: &str) -> Result<(), StageTextError> {
        let twice = boards.is_some() && self.boards.is_some();
        if twice || score.is_some() && self.score.is_some() {
            return Err(StageTextError::Twice(text.to_owned()));
        }
        self.boards = boards.or(self.boards);
        self.score = score.or_else(|| self.score.take());
        Ok(())
    }
}

fn read_option(text: &str) -> Result<Option<StageOption>, StageTextError> {
    let points = |table| Some((None, Some(ScoreRule::Points(table))));
    Ok(match text {
        "linear" => points(PointsTable::Linear),
        "f1" => points(PointsTable::F1),
        "kart" => points(PointsTable::Kart),
        "place" => Some((None, Some(ScoreRule::Place))),
        "sum" => Some((None, Some(ScoreRule::Sum))),
        text => {
            if let Some(boards) = number(text) {
                return Ok(Some((Some(boards), None)));
            }
            if let Some(boards) = text.strip_prefix("bo").and_then(number) {
                return Ok(Some((Some(boards), Some(ScoreRule::BestOf))));
            }
            let list = text.strip_prefix('p').map(|list| list.split('-').map(number));
            match list.and_then(Iterator::collect::<Option<Vec<u16>>>) {
                Some(list) => points(PointsTable::Custom(CustomPoints::new(list)?)),
                None => read_average(text),
            }
        }
    })
}

fn read_average(text: &str) -> Option<StageOption> {
    let (score, boards) = match text.split_at_checked(2)? {
        ("ao", boards) => (ScoreRule::Average, boards),
        ("mo", boards) => (ScoreRule::Mean, boards),
        (_, _) => return None,
    };
    Some((Some(number(boards)?), Some(score)))
}

fn parse_tie_breaks(names: &str) -> Result<Vec<TieBreak>, StageTextError> {
    if names == NO_TIE_BREAKS {
        return Ok(Vec::new());
    }
    let parse = |found: &str| {
        let tie_break = TieBreak::iter().find(|rule| name_of_tie_break(*rule) == found);
        tie_break.ok_or_else(|| StageTextError::TieBreak { found: found.to_owned() })
    };
    names.split(',').map(parse).collect()
}

fn parse_puzzle(found: &str) -> Result<PuzzleSpec, StageTextError> {
    found.parse().map_err(|error| StageTextError::Puzzle { found: found.to_owned(), error })
}

/// Splits off the list that a mark begins.
fn split_list(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(text, list)| (text, Some(list)))
}

/// Reads a number in the one way in which it is written.
fn number<T: FromStr + ToString>(text: &str) -> Option<T> {
    text.parse().ok().filter(|number: &T| number.to_string() == text)
}

fn fmt_stage(stage: &TournamentStage, is_final: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let TournamentStage { format, boards, score, tie_breaks, puzzles } = stage;
    let is_series = matches!(format, Format::Series { .. });
    let is_average = matches!(score, ScoreRule::Average | ScoreRule::Mean);
    if is_series && is_average {
        f.write_str(&name_of_score(score, *boards))?;
    } else {
        f.write_str(if is_series && is_final { "final" } else { format.name() })?;
    }
    match *format {
        Format::Heats { table, top } => write!(f, ":{table}/{top}")?,
        Format::LastOut { drop, .. } => write!(f, ":{drop}")?,
        Format::Swiss { table, rounds, .. } => write!(f, ":{table}x{rounds}")?,
        Format::Arena { table, minutes, .. } => write!(f, ":{table}x{minutes}m")?,
        Format::Series { .. } | Format::RoundRobin { .. } | Format::Knockout | Format::Double => {}
    }
    let remains =
        if let Format::LastOut { until: top @ 2.., .. } = format { Some(*top) } else { None };
    remains.or(format.top()).map_or(Ok(()), |top| write!(f, "/{top}"))?;
    let names_boards = is_average || *score == ScoreRule::BestOf;
    if !names_boards && (is_series || *boards != format.default_boards()) {
        write!(f, ":{boards}")?;
    }
    let is_default =
        *score == format.default_score() && (!names_boards || *boards == format.default_boards());
    if !(is_default || is_series && is_average) {
        write!(f, ":{}", name_of_score(score, *boards))?;
    }
    if *tie_breaks != score.default_tie_breaks() {
        let names: Vec<&str> = tie_breaks.iter().map(|rule| name_of_tie_break(*rule)).collect();
        write!(
            f,
            "~{}",
            if names.is_empty() { NO_TIE_BREAKS.to_owned() } else { names.join(",") }
        )?;
    }
    if !puzzles.is_empty() {
        let names: Vec<String> = puzzles.iter().map(PuzzleSpec::to_string).collect();
        write!(f, "@{}", names.join(","))?;
    }
    Ok(())
}

fn name_of_score(score: &ScoreRule, boards: u8) -> String {
    match score {
        ScoreRule::Points(PointsTable::Linear) => "linear".to_owned(),
        ScoreRule::Points(PointsTable::F1) => "f1".to_owned(),
        ScoreRule::Points(PointsTable::Kart) => "kart".to_owned(),
        ScoreRule::Points(PointsTable::Custom(points)) => {
            let list: Vec<String> = points.as_slice().iter().map(u16::to_string).collect();
            format!("p{}", list.join("-"))
        }
        ScoreRule::Place => "place".to_owned(),
        ScoreRule::Sum => "sum".to_owned(),
        ScoreRule::BestOf => format!("bo{boards}"),
        ScoreRule::Average => format!("ao{boards}"),
        ScoreRule::Mean => format!("mo{boards}"),
    }
}

const fn name_of_tie_break(rule: TieBreak) -> &'static str {
    match rule {
        TieBreak::Wins => "wins",
        TieBreak::Countback => "countback",
        TieBreak::BestSingle => "best",
        TieBreak::TotalTime => "time",
        TieBreak::Progress => "progress",
        TieBreak::HeadToHead => "head",
        TieBreak::Opponents => "opponents",
        TieBreak::LastBoard => "last",
    }
}

fn names_of_tie_breaks() -> String {
    TieBreak::iter().map(name_of_tie_break).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
