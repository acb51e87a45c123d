//! The report of a finished heat, as text and as JSON.

use crate::display::format::INHUMAN_SPEED;
use crate::display::safe_text;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::heat_view::FinishedHeat;
use gridrace_shared::puzzle::{Efficiency, MoveBounds, PieceProgress, PuzzleSpec};
use gridrace_shared::replay::{Outcome, Replay};
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::time::Millis;
use serde::Serialize;
use std::fmt;

/// Width of the names' column in cells: the longest name of narrow letters.
const NAME_WIDTH: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeatReport {
    /// The code of the room.
    pub room: String,
    /// Which heat of the room it was, from 1.
    pub heat: u32,
    /// The puzzle with the seed revealed, `slide:4x4#SEED`.
    pub puzzle: String,
    /// Whether the host set the seed, and so may have known the board.
    pub seed_set_by_host: bool,
    pub commitment: String,
    pub salt: String,
    /// Whether seed and salt are what was committed to.
    pub commitment_holds: bool,
    /// Whether the seed names the board that was raced on.
    pub board_holds: bool,
    /// How many moves the board needs, as well as the solver knows.
    pub best: Option<MoveBounds>,
    pub standings: Vec<ReportRow>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReportRow {
    pub place: u16,
    pub name: String,
    pub kind: &'static str,
    /// The skill of a bot, if it is known.
    pub skill: Option<Skill>,
    pub finished: bool,
    /// From GO to the last move, with the penalty added.
    pub time_millis: Option<u64>,
    /// Behind the first.
    pub gap_millis: Option<u64>,
    /// Moves by which solutions are compared; of the sliding puzzle, single-tile moves.
    pub moves: u32,
    /// What was played, move by move; of the sliding puzzle, tiles pushed along together
    /// count once.
    pub acts: u32,
    pub hints: u16,
    pub penalty_millis: u64,
    /// 0 to 1000.
    pub progress: u16,
    /// What is done piece by piece, where the puzzle has pieces: links and cells.
    pub tally: Option<PieceProgress>,
    /// Of who finished, moves by the best that is known, in per cent: 100 for
    /// the best.
    pub efficiency_percent: Option<u32>,
    /// Whether the finish was too fast for a person.
    pub inhuman_speed: bool,
}

impl HeatReport {
    /// Makes the report on a thread that may block, since generating a board may take seconds.
    /// None if the generator panics.
    pub async fn checked(heat: FinishedHeat) -> Option<Self> {
        tokio::task::spawn_blocking(move || Self::new(&heat)).await.ok()
    }

    /// Puts together what the server said about a heat, and checks its proof. May take as
    /// long as it takes to draw a board.
    pub fn new(heat: &FinishedHeat) -> Self {
        let FinishedHeat { code, setup, names, result } = heat;
        let spec = setup.options.spec;
        Self {
            room: code.to_string(),
            heat: setup.number,
            puzzle: format!("{spec}#{}", result.reveal.seed),
            seed_set_by_host: setup.seed == SeedOrigin::Host,
            commitment: setup.commitment.to_string(),
            salt: result.reveal.salt.to_string(),
            commitment_holds: result.reveal.proves(&spec, setup.commitment),
            // On one core, whatever a server says.
            board_holds: GeneratedBoard::of_while(&spec, &result.reveal.seed, &|| true)
                .is_some_and(|made| made.board == result.start),
            best: result.best,
            standings: ReportRow::all(&spec, &result.standings, result.best, |player| {
                names.get(&player).map(|tag| (tag.name.clone(), tag.kind))
            }),
        }
    }

    /// Says whether the heat was raced on the board that was committed to.
    pub const fn is_proven(&self) -> bool {
        self.commitment_holds && self.board_holds
    }
}

impl ReportRow {
    /// Returns the lines of a replay, by place.
    pub fn of_replay(replay: &Replay) -> Vec<Self> {
        let racer = |player| {
            let racer = replay.events.racer(player)?;
            Some((racer.name.to_string(), racer.kind))
        };
        let Outcome { standings, best, .. } = &replay.outcome;
        Self::all(&replay.header.options.spec, standings, *best, racer)
    }

    fn all(
        spec: &PuzzleSpec,
        standings: &[Standing],
        best: Option<MoveBounds>,
        racer: impl Fn(PlayerId) -> Option<(String, PlayerKind)>,
    ) -> Vec<Self> {
        let fastest = standings.iter().find_map(finish_time);
        let row = |standing: &Standing| {
            let racer = racer(standing.player);
            let inhuman_speed =
                racer.as_ref().is_some_and(|&(_, kind)| standing.is_inhuman(spec, kind));
            Self { inhuman_speed, ..Self::new(standing, racer, fastest, best) }
        };
        standings.iter().map(row).collect()
    }

    fn new(
        standing: &Standing,
        racer: Option<(String, PlayerKind)>,
        fastest: Option<Millis>,
        best: Option<MoveBounds>,
    ) -> Self {
        let (kind, skill) = match racer.as_ref().map(|(_, kind)| kind) {
            Some(PlayerKind::Human) => ("human", None),
            Some(PlayerKind::Bot) => ("bot", None),
            Some(PlayerKind::HouseBot(skill)) => ("house_bot", Some(*skill)),
            None => ("unknown", None),
        };
        let time = finish_time(standing);
        Self {
            place: standing.place,
            // A player who is not in the list is called by number.
            name: racer.map_or_else(|| standing.player.to_string(), |(name, _)| name),
            kind,
            skill,
            finished: time.is_some(),
            time_millis: time.map(|time| time.0),
            gap_millis: time.zip(fastest).map(|(time, best)| time.since(best).0),
            moves: standing.moves.moves,
            acts: standing.moves.acts,
            hints: standing.hints,
            penalty_millis: standing.penalty.0,
            progress: standing.progress,
            tally: standing.tally,
            efficiency_percent: best
                .and_then(|best| best.efficiency(standing))
                .map(|Efficiency(percent)| percent),
            inhuman_speed: false,
        }
    }

    fn what(&self) -> &'static str {
        match (self.skill, self.kind) {
            (Some(skill), _) => skill.into_str(),
            (None, "human") => "player",
            (None, kind) => kind,
        }
    }

    fn time(&self) -> String {
        match self.time_millis {
            Some(time) => Millis(time).to_string(),
            None => format!("DNF {} %", self.progress / 10),
        }
    }

    fn times(&self) -> String {
        self.efficiency_percent
            .map_or_else(|| "-".to_owned(), |percent| Efficiency(percent).to_string())
    }

    fn gap(&self) -> String {
        match self.gap_millis {
            Some(gap) if gap > 0 => format!("+{}", Millis(gap)),
            Some(_) | None => String::new(),
        }
    }
}

/// Shows the standings as a table, and what the check of the seed gave.
impl fmt::Display for HeatReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = if self.seed_set_by_host { "seed set by the host" } else { "random seed" };
        writeln!(f, "room {}, heat {}: {} ({origin})", self.room, self.heat, self.puzzle)?;
        let name = safe_text::column("name", NAME_WIDTH);
        writeln!(
            f,
            "place  {name}  skill     {:>10}  {:>10}  {:>6}  {:>6}",
            "time", "gap", "moves", "x best"
        )?;
        for row in &self.standings {
            writeln!(f, "{:>5}  {row}", row.place)?;
        }
        if let Some(best) = self.best {
            writeln!(f, "{}", needs(best))?;
        }
        write!(f, "{}", self.check())
    }
}

/// Shows everything but the place, in columns.
impl fmt::Display for ReportRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = safe_text::column(&self.name, NAME_WIDTH);
        let (what, time, gap) = (self.what(), self.time(), self.gap());
        let (moves, times) = (self.moves, self.times());
        write!(f, "{name}  {what:<8}  {time:>10}  {gap:>10}  {moves:>6}  {times:>6}")?;
        if self.inhuman_speed { write!(f, "  {INHUMAN_SPEED}") } else { Ok(()) }
    }
}

impl HeatReport {
    fn check(&self) -> String {
        let commitment = &self.commitment;
        if !self.commitment_holds {
            return format!("commitment {commitment}: seed and salt DON'T match it");
        }
        if !self.board_holds {
            return format!("commitment {commitment}: the board is NOT the seed's");
        }
        format!("commitment {commitment}: checked, seed and salt match it, the board is the seed's")
    }
}

fn needs(best: MoveBounds) -> String {
    let MoveBounds { at_least, at_most } = best;
    if best.is_optimal() {
        format!("the shortest solution has {at_most} moves")
    } else {
        format!("the shortest solution has {at_least} to {at_most} moves")
    }
}

fn finish_time(standing: &Standing) -> Option<Millis> {
    match standing.state {
        RaceState::Finished { time } => Some(time),
        RaceState::Racing | RaceState::Dnf => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::heat::commitment::{Salt, Secret};
    use gridrace_shared::heat::options::HeatOptions;
    use gridrace_shared::heat_view::NameTag;
    use gridrace_shared::protocol::snapshot::{HeatResult, Setup};
    use gridrace_shared::puzzle::MoveCount;

    fn report(raced_on: &str) -> HeatReport {
        let spec = "slide:3x3".parse().unwrap();
        let reveal = Secret { seed: "friday".parse().unwrap(), salt: Salt::from_bytes([1; 16]) };
        let setup = Setup {
            number: 2,
            options: HeatOptions::new(spec),
            seed: SeedOrigin::Drawn,
            commitment: reveal.commitment(&spec),
            queued: None,
            held_by: None,
            table: None,
        };
        let kind = PlayerKind::HouseBot(Skill::Expert);
        let racer = NameTag { name: "Zoë".to_owned(), kind };
        let line = |player, place, state| Standing {
            player: PlayerId(player),
            place,
            state,
            progress: 640,
            tally: None,
            moves: MoveCount { moves: 30, acts: 20 },
            hints: 0,
            penalty: Millis(0),
            connected: true,
        };
        let standings = vec![
            line(1, 1, RaceState::Finished { time: Millis(9_250) }),
            line(2, 2, RaceState::Finished { time: Millis(10_000) }),
            line(3, 3, RaceState::Dnf),
        ];
        let start = spec.board(&raced_on.parse().unwrap());
        let result = HeatResult { standings, start, reveal, best: Some(MoveBounds::of(20, 24)) };
        let names = [(PlayerId(1), racer)].into();
        HeatReport::new(&FinishedHeat { code: "KQZT".parse().unwrap(), setup, names, result })
    }

    #[test]
    fn the_table_shows_places_gaps_and_the_check() {
        let text = report("friday").to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "room KQZT, heat 2: slide:3x3#friday (random seed)");
        assert_eq!(
            lines[2],
            "    1  Zoë                   expert      0:09.250                  30    1.25"
        );
        assert_eq!(
            lines[3],
            "    2  #2                    unknown     0:10.000   +0:00.750      30    1.25"
        );
        assert!(lines[4].contains("DNF 64 %"), "{text}");
        assert!(lines[4].ends_with("30       -"), "{text}");
        assert_eq!(lines[5], "the shortest solution has 20 to 24 moves");
        assert!(lines[6].contains("checked"), "{text}");
    }

    #[test]
    fn a_person_who_was_too_fast_is_marked() {
        let mut row = ReportRow { inhuman_speed: true, ..ReportRow::default() };
        assert!(row.to_string().ends_with("  too fast for a person"), "{row}");
        row.inhuman_speed = false;
        assert!(!row.to_string().contains("too fast"), "{row}");
    }

    #[test]
    fn another_board_than_the_seed_s_is_said() {
        assert!(report("friday").is_proven());
        let other = report("monday");
        assert!(!other.is_proven());
        assert!(other.to_string().contains("NOT the seed's"));
    }
}
