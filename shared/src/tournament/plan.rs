//! The plan of a tournament: its stages, and the bounds of all of it.

use crate::puzzle::PuzzleSpec;
use crate::tournament::points::PointsTable;
use crate::tournament::score::ScoreRule;
use crate::tournament::tie_break::TieBreak;
use crate::util::bounded_vec::Bounded;
use crate::util::conversions::serialize_as;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Fewest entrants of a tournament: one has no opponent.
pub const MIN_ENTRANTS: usize = 2;
/// Most entrants of a tournament: what one server carries while it draws and rates for all.
pub const MAX_ENTRANTS: usize = 1_024;
/// Most stages of a plan: more than an evening or a league has.
pub const MAX_STAGES: usize = 8;
/// Seats of a table: a heat has at most 32 players.
pub const TABLE_SEATS: RangeInclusive<u8> = 2..=32;
/// Boards of a round: at ten minutes each, twelve are two hours.
pub const BOARDS: RangeInclusive<u8> = 1..=12;
/// Boards of an average or a mean: fewer leave nothing to average.
pub const AVERAGE_BOARDS: RangeInclusive<u8> = 3..=12;
/// Rounds of a Swiss stage: twice what parts [`MAX_ENTRANTS`] one on one.
pub const SWISS_ROUNDS: RangeInclusive<u8> = 1..=20;
/// Largest field of a round robin: 31 rounds.
pub const MAX_ROUND_ROBIN: usize = 32;
/// Minutes of an arena: up to a day.
pub const ARENA_MINUTES: RangeInclusive<u16> = 1..=1_440;
/// Entrants that each round of a last-out stage drops.
pub const DROPPED: RangeInclusive<u8> = 1..=32;
/// Members of a team that count.
pub const TEAM_SCORERS: RangeInclusive<u8> = 1..=32;
/// Most puzzles of a stage: one a board.
pub const MAX_PUZZLES: usize = 12;
/// Most tie-breaks of a stage: each there is, once.
pub const MAX_TIE_BREAKS: usize = 8;

/// Largest field that races a series by default. Above it, heats find the best with fewer races.
const MAX_DEFAULT_SERIES: usize = 32;
const DEFAULT_SERIES_BOARDS: u8 = 5;
/// The default heats: tables of 32 of whom 8 go on.
const DEFAULT_HEATS: Format = Format::Heats { table: 32, top: 8 };

/// The stages of a tournament, within bounds.
///
/// ```
/// use gridrace_shared::tournament::plan::TournamentPlan;
/// let plan: TournamentPlan = "heats:32/8+final:5".parse()?;
/// assert_eq!(plan, TournamentPlan::for_field(64));
/// # Ok::<(), gridrace_shared::tournament::notation::NotationError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TournamentPlan {
    stages: Vec<TournamentStage>,
    team_scorers: Option<u8>,
}

/// A stage: how its rounds are drawn, and what they count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TournamentStage {
    pub format: Format,
    /// Boards of a round, which one table races one after another.
    pub boards: u8,
    pub score: ScoreRule,
    pub tie_breaks: Vec<TieBreak>,
    /// The puzzles of a round's boards, repeated as needed; without any, the tournament's own.
    pub puzzles: Vec<PuzzleSpec>,
}

/// How the rounds of a stage are drawn, and who goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// One round of all, ranked together.
    Series { top: Option<u16> },
    /// Rounds of all, ranked together; each drops the last `drop`, until `until` remain.
    LastOut { drop: u8, until: u16 },
    /// Tables of at most `table`, of each of which the first `top` go on, until one table holds all.
    Heats { table: u8, top: u8 },
    /// Rounds of tables of entrants with about the same points who haven't met.
    Swiss { table: u8, rounds: u8, top: Option<u16> },
    /// Each meets each once, one on one.
    RoundRobin { top: Option<u16> },
    /// One on one; who loses is out.
    Knockout,
    /// One on one; who loses twice is out.
    Double,
    /// Tables form for some minutes as soon as enough wait.
    Arena { table: u8, minutes: u16, top: Option<u16> },
}

/// What is wrong with a plan, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("a plan has 1 to {MAX_STAGES} stages, not {found}")]
    Stages { found: usize },
    #[error("of a team, {} to {} members count, not {found}", TEAM_SCORERS.start(), TEAM_SCORERS.end())]
    TeamScorers { found: u8 },
    #[error("stage {}: {error}", .stage + 1)]
    Stage {
        /// From 0.
        stage: usize,
        error: StageError,
    },
}

/// What is wrong with a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    #[error("{what} is {} to {}, not {found}", .accepted.0, .accepted.1)]
    OutOfBounds { what: &'static str, accepted: (u16, u16), found: u16 },
    #[error("a best-of match has an odd number of boards, not {found}")]
    EvenMatch { found: u8 },
    #[error("of a table of {table}, at most half may go on, not {top}: else the heats have no end")]
    TooManyThrough { table: u8, top: u8 },
    #[error("its rounds add up, so it takes points or best-of matches")]
    DoesNotAddUp,
    #[error("{0} comes last: it leaves only one")]
    LeavesOne(&'static str),
    #[error("heats are followed by a stage, such as +final:5, for those who remain")]
    HeatsComeLast,
    #[error("it is the last stage, so nobody goes on from it: leave out /{found}")]
    TopOfLast { found: u16 },
    #[error("a tie-break is named once")]
    RepeatedTieBreak,
    #[error("at most {MAX_PUZZLES} puzzles, not {found}")]
    Puzzles { found: usize },
}

/// The error of a field that a plan can't take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum FieldError {
    #[error(
        "{} checked in; a tournament begins with {MIN_ENTRANTS} to {MAX_ENTRANTS} checked-in entrants",
        match .found {
            0 => "nobody has".to_owned(),
            1 => "only one entrant has".to_owned(),
            found => format!("{found} entrants have"),
        }
    )]
    Entrants { found: usize },
    #[error(
        "stage {}: a round robin has at most {MAX_ROUND_ROBIN} entrants, not {found}", .stage + 1
    )]
    RoundRobin { stage: usize, found: usize },
}

impl TournamentPlan {
    /// Makes a plan; every bound is checked.
    pub fn new(stages: Vec<TournamentStage>, team_scorers: Option<u8>) -> Result<Self, PlanError> {
        if !(1..=MAX_STAGES).contains(&stages.len()) {
            return Err(PlanError::Stages { found: stages.len() });
        }
        if let Some(found) = team_scorers.filter(|scorers| !TEAM_SCORERS.contains(scorers)) {
            return Err(PlanError::TeamScorers { found });
        }
        let last = stages.len() - 1;
        for (index, stage) in stages.iter().enumerate() {
            let error = stage.check(index == last);
            error.map_err(|error| PlanError::Stage { stage: index, error })?;
        }
        Ok(Self { stages, team_scorers })
    }

    /// Returns the plan for a field of which nothing but the size is known: up to 32 a series of
    /// five boards, above it heats of 32 of whom 8 go on, and a final of five.
    pub fn for_field(entrants: usize) -> Self {
        let series = TournamentStage {
            boards: DEFAULT_SERIES_BOARDS,
            ..TournamentStage::new(Format::Series { top: None })
        };
        let stages = if entrants <= MAX_DEFAULT_SERIES {
            vec![series]
        } else {
            vec![TournamentStage::new(DEFAULT_HEATS), series]
        };
        Self { stages, team_scorers: None }
    }

    pub fn stages(&self) -> &[TournamentStage] {
        &self.stages
    }

    /// Returns how many members of a team count; none if there are no teams.
    pub const fn team_scorers(&self) -> Option<u8> {
        self.team_scorers
    }

    /// Returns the most entrants that may race this plan.
    pub fn largest_field(&self) -> usize {
        if self.check_field(MAX_ENTRANTS).is_ok() { MAX_ENTRANTS } else { MAX_ROUND_ROBIN }
    }

    /// Checks whether this number of entrants may race the plan.
    pub fn check_field(&self, entrants: usize) -> Result<(), FieldError> {
        if !(MIN_ENTRANTS..=MAX_ENTRANTS).contains(&entrants) {
            return Err(FieldError::Entrants { found: entrants });
        }
        let mut found = entrants;
        for (stage, format) in self.stages.iter().map(|stage| stage.format).enumerate() {
            if matches!(format, Format::RoundRobin { .. }) && found > MAX_ROUND_ROBIN {
                return Err(FieldError::RoundRobin { stage, found });
            }
            found = found.min(format.most_through());
        }
        Ok(())
    }
}

impl TournamentStage {
    /// Returns a stage of a format with the format's own number of boards, score and tie-breaks.
    pub fn new(format: Format) -> Self {
        let score = format.default_score();
        let tie_breaks = score.default_tie_breaks();
        Self { format, boards: format.default_boards(), score, tie_breaks, puzzles: Vec::new() }
    }

    /// Returns the puzzle of a board; none if it is the tournament's own.
    pub fn puzzle(&self, board: u8) -> Option<PuzzleSpec> {
        self.puzzles.iter().copied().cycle().nth(board.into())
    }

    /// Returns whether its tables are matches, whose sides follow from a bracket, a schedule or the draw
    /// alone.
    pub fn has_matches(&self) -> bool {
        matches!(self.format, Format::RoundRobin { .. } | Format::Knockout | Format::Double)
            || self.score == ScoreRule::BestOf
    }

    fn check(&self, last: bool) -> Result<(), StageError> {
        let Self { format, boards, score, tie_breaks, puzzles } = self;
        format.check()?;
        check_bounds("the number of boards", &BOARDS, *boards)?;
        match score {
            ScoreRule::BestOf if boards % 2 == 0 => {
                return Err(StageError::EvenMatch { found: *boards });
            }
            ScoreRule::Average | ScoreRule::Mean => {
                check_bounds("the number of boards of an average", &AVERAGE_BOARDS, *boards)?;
            }
            ScoreRule::BestOf | ScoreRule::Points(_) | ScoreRule::Place | ScoreRule::Sum => {}
        }
        let adds_up = matches!(score, ScoreRule::Points(_) | ScoreRule::BestOf);
        if format.adds_rounds() && !adds_up {
            return Err(StageError::DoesNotAddUp);
        }
        let repeated =
            (1..tie_breaks.len()).any(|end| tie_breaks[..end].contains(&tie_breaks[end]));
        if repeated {
            return Err(StageError::RepeatedTieBreak);
        }
        if puzzles.len() > MAX_PUZZLES {
            return Err(StageError::Puzzles { found: puzzles.len() });
        }
        if last { format.check_as_last() } else { format.check_before_another() }
    }
}

impl Format {
    /// Returns the word that begins its notation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Series { .. } => "series",
            Self::LastOut { .. } => "lastout",
            Self::Heats { .. } => "heats",
            Self::Swiss { .. } => "swiss",
            Self::RoundRobin { .. } => "roundrobin",
            Self::Knockout => "knockout",
            Self::Double => "double",
            Self::Arena { .. } => "arena",
        }
    }

    pub const fn default_boards(self) -> u8 {
        match self {
            Self::Series { .. } => DEFAULT_SERIES_BOARDS,
            Self::LastOut { .. }
            | Self::Heats { .. }
            | Self::Swiss { .. }
            | Self::RoundRobin { .. }
            | Self::Knockout
            | Self::Double
            | Self::Arena { .. } => 1,
        }
    }

    pub const fn default_score(self) -> ScoreRule {
        match self {
            Self::Swiss { table: 2, .. }
            | Self::RoundRobin { .. }
            | Self::Knockout
            | Self::Double => ScoreRule::BestOf,
            Self::Heats { .. } | Self::LastOut { .. } => ScoreRule::Place,
            Self::Series { .. } | Self::Swiss { .. } | Self::Arena { .. } => {
                ScoreRule::Points(PointsTable::Linear)
            }
        }
    }

    /// Returns whether all tables of a round are ranked as one.
    pub const fn ranks_together(self) -> bool {
        matches!(self, Self::Series { .. } | Self::LastOut { .. })
    }

    /// Returns whether the scores of the rounds add up.
    pub const fn adds_rounds(self) -> bool {
        matches!(self, Self::Swiss { .. } | Self::RoundRobin { .. } | Self::Arena { .. })
    }

    /// Returns how many go on from the end of the stage, if that is not all.
    pub const fn top(self) -> Option<u16> {
        match self {
            Self::Series { top }
            | Self::Swiss { top, .. }
            | Self::RoundRobin { top }
            | Self::Arena { top, .. } => top,
            Self::LastOut { .. } | Self::Heats { .. } | Self::Knockout | Self::Double => None,
        }
    }

    /// Returns the most that may go on from the stage.
    fn most_through(self) -> usize {
        match self {
            Self::Heats { table, .. } => table.into(),
            Self::LastOut { until, .. } => until.into(),
            Self::Knockout | Self::Double => 1,
            Self::Series { .. }
            | Self::Swiss { .. }
            | Self::RoundRobin { .. }
            | Self::Arena { .. } => self.top().map_or(MAX_ENTRANTS, usize::from),
        }
    }

    fn check(self) -> Result<(), StageError> {
        const TABLE: &str = "the number of seats at a table";
        match self {
            Self::LastOut { drop, until } => {
                check_bounds("the number that each round drops", &DROPPED, drop)?;
                check_bounds("the number that remains", &(1..=MAX_ENTRANTS as u16), until)?;
            }
            Self::Heats { table, top } => {
                check_bounds(TABLE, &TABLE_SEATS, table)?;
                check_bounds("the number that goes on from a table", &TABLE_SEATS_THROUGH, top)?;
                if top > table / 2 {
                    return Err(StageError::TooManyThrough { table, top });
                }
            }
            Self::Swiss { table, rounds, .. } => {
                check_bounds(TABLE, &TABLE_SEATS, table)?;
                check_bounds("the number of rounds", &SWISS_ROUNDS, rounds)?;
            }
            Self::Arena { table, minutes, .. } => {
                check_bounds(TABLE, &TABLE_SEATS, table)?;
                check_bounds("the time of an arena in minutes", &ARENA_MINUTES, minutes)?;
            }
            Self::Series { .. } | Self::RoundRobin { .. } | Self::Knockout | Self::Double => {}
        }
        let accepted = MIN_ENTRANTS as u16..=MAX_ENTRANTS as u16;
        self.top().map_or(Ok(()), |top| check_bounds("the number that goes on", &accepted, top))
    }

    const fn check_as_last(self) -> Result<(), StageError> {
        match (self, self.top()) {
            (Self::Heats { .. }, _) => Err(StageError::HeatsComeLast),
            (Self::LastOut { until: found @ 2.., .. }, _) | (_, Some(found)) => {
                Err(StageError::TopOfLast { found })
            }
            (_, None) => Ok(()),
        }
    }

    const fn check_before_another(self) -> Result<(), StageError> {
        match self {
            Self::Knockout | Self::Double | Self::LastOut { until: 1, .. } => {
                Err(StageError::LeavesOne(self.name()))
            }
            Self::Series { .. }
            | Self::LastOut { .. }
            | Self::Heats { .. }
            | Self::Swiss { .. }
            | Self::RoundRobin { .. }
            | Self::Arena { .. } => Ok(()),
        }
    }
}

/// How many may go on from a table: at most half of the largest.
const TABLE_SEATS_THROUGH: RangeInclusive<u8> = 1..=16;

impl ScoreRule {
    /// Returns the tie-breaks that apply unless a plan names others.
    pub fn default_tie_breaks(&self) -> Vec<TieBreak> {
        match self {
            Self::Points(_) => {
                vec![TieBreak::Countback, TieBreak::BestSingle, TieBreak::Progress]
            }
            Self::Place | Self::Sum => {
                vec![TieBreak::TotalTime, TieBreak::Progress, TieBreak::LastBoard]
            }
            Self::BestOf => vec![
                TieBreak::Wins,
                TieBreak::HeadToHead,
                TieBreak::Opponents,
                TieBreak::BestSingle,
                TieBreak::Progress,
                TieBreak::LastBoard,
            ],
            Self::Average | Self::Mean => vec![TieBreak::BestSingle, TieBreak::Progress],
        }
    }
}

fn check_bounds<T: Copy + PartialOrd + Into<u16>>(
    what: &'static str,
    accepted: &RangeInclusive<T>,
    found: T,
) -> Result<(), StageError> {
    if accepted.contains(&found) {
        return Ok(());
    }
    let accepted = ((*accepted.start()).into(), (*accepted.end()).into());
    Err(StageError::OutOfBounds { what, accepted, found: found.into() })
}

/// A plan as a file or a message has it: what is left out has the format's default.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanForm {
    stages: Bounded<StageForm, MAX_STAGES>,
    #[serde(default)]
    team_scorers: Option<u8>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StageForm {
    format: Format,
    #[serde(default)]
    boards: Option<u8>,
    #[serde(default)]
    score: Option<ScoreRule>,
    #[serde(default)]
    tie_breaks: Option<Bounded<TieBreak, MAX_TIE_BREAKS>>,
    #[serde(default)]
    puzzles: Option<Bounded<PuzzleSpec, MAX_PUZZLES>>,
}

impl From<TournamentPlan> for PlanForm {
    fn from(plan: TournamentPlan) -> Self {
        let stages = plan.stages.into_iter().map(StageForm::from).collect();
        Self { stages: Bounded(stages), team_scorers: plan.team_scorers }
    }
}

impl TryFrom<PlanForm> for TournamentPlan {
    type Error = PlanError;

    fn try_from(form: PlanForm) -> Result<Self, PlanError> {
        let stages = form.stages.0.into_iter().map(TournamentStage::from).collect();
        Self::new(stages, form.team_scorers)
    }
}

impl From<TournamentStage> for StageForm {
    fn from(stage: TournamentStage) -> Self {
        let TournamentStage { format, boards, score, tie_breaks, puzzles } = stage;
        Self {
            format,
            boards: Some(boards),
            score: Some(score),
            tie_breaks: Some(Bounded(tie_breaks)),
            puzzles: Some(Bounded(puzzles)),
        }
    }
}

impl From<StageForm> for TournamentStage {
    fn from(form: StageForm) -> Self {
        let StageForm { format, boards, score, tie_breaks, puzzles } = form;
        let score = score.unwrap_or_else(|| format.default_score());
        Self {
            format,
            boards: boards.unwrap_or_else(|| format.default_boards()),
            tie_breaks: tie_breaks.map_or_else(|| score.default_tie_breaks(), |list| list.0),
            score,
            puzzles: puzzles.map_or_else(Vec::new, |list| list.0),
        }
    }
}

serialize_as!(TournamentPlan => PlanForm);

#[cfg(test)]
mod tests;
