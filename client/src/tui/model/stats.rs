//! The screen of the player's own races.

use crate::practice::kept_race::KeptRace;
use crate::practice::statistics::{self, Sort};
use gridrace_shared::puzzle::PuzzleSpec;

#[derive(Debug, Clone, Default)]
pub struct Stats {
    /// All races, the oldest first; none until they are read.
    races: Option<Vec<KeptRace>>,
    /// The puzzles of those, the one that was raced last first.
    puzzles: Vec<PuzzleSpec>,
    /// When they were read, in seconds since 1970.
    now: u64,
    /// The puzzle that is shown.
    puzzle: Option<PuzzleSpec>,
    pub span: TimeSpan,
    pub sort: Sort,
    /// The index of the race under the cursor, as they are sorted.
    pub chosen: usize,
    /// What is shown where there is no room for all.
    pub page: StatsPage,
}

/// Which races are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeSpan {
    #[default]
    All,
    Month,
    Week,
    Day,
    /// Those without a long pause between them, up to the last.
    Session,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StatsPage {
    #[default]
    Averages,
    Charts,
    Races,
}

impl TimeSpan {
    pub const ALL: [Self; 5] = [Self::All, Self::Month, Self::Week, Self::Day, Self::Session];

    pub const fn words(self) -> &'static str {
        match self {
            Self::All => "all time",
            Self::Month => "last 30 days",
            Self::Week => "last 7 days",
            Self::Day => "last 24 hours",
            Self::Session => "last session",
        }
    }

    const fn seconds(self) -> Option<u64> {
        const DAY: u64 = 24 * 60 * 60;
        match self {
            Self::All | Self::Session => None,
            Self::Month => Some(30 * DAY),
            Self::Week => Some(7 * DAY),
            Self::Day => Some(DAY),
        }
    }
}

impl StatsPage {
    pub const ALL: [Self; 3] = [Self::Averages, Self::Charts, Self::Races];
}

impl Stats {
    /// Takes in the races, read at `now`. The puzzle and the cursor stay.
    pub fn fill(&mut self, races: Vec<KeptRace>, now: u64) {
        self.puzzles = statistics::puzzles(&races);
        self.puzzle = self.puzzle.filter(|puzzle| self.puzzles.contains(puzzle));
        self.races = Some(races);
        self.now = now;
        self.keep_cursor();
    }

    pub const fn is_read(&self) -> bool {
        self.races.is_some()
    }

    pub fn puzzle(&self) -> Option<PuzzleSpec> {
        self.puzzle.or(self.puzzles.first().copied())
    }

    /// Shows the next puzzle, or the one before.
    pub fn turn_puzzle(&mut self, forward: bool) {
        let at = self.puzzles.iter().position(|puzzle| Some(*puzzle) == self.puzzle());
        let next = super::around(at.unwrap_or(0), self.puzzles.len().max(1), forward);
        self.puzzle = self.puzzles.get(next).copied();
        self.chosen = 0;
    }

    pub fn turn_span(&mut self) {
        self.span = next(&TimeSpan::ALL, self.span);
        self.chosen = 0;
    }

    pub fn turn_sort(&mut self) {
        self.sort = next(&Sort::ALL, self.sort);
        self.chosen = 0;
    }

    pub fn turn_page(&mut self) {
        self.page = next(&StatsPage::ALL, self.page);
    }

    /// Returns the races that are shown, the oldest first.
    pub fn shown(&self) -> Vec<&KeptRace> {
        let races = self.races.iter().flatten();
        let mut shown: Vec<&KeptRace> =
            races.filter(|race| Some(race.result.puzzle) == self.puzzle()).collect();
        if let Some(seconds) = self.span.seconds() {
            let since = self.now.saturating_sub(seconds);
            shown.retain(|race| race.began >= since);
        }
        if self.span == TimeSpan::Session {
            shown = statistics::sessions(&shown).pop().map(|last| last.races).unwrap_or_default();
        }
        shown
    }

    /// Returns the races that are shown, as they are sorted.
    pub fn sorted(&self) -> Vec<&KeptRace> {
        let mut races = self.shown();
        self.sort.sort(&mut races);
        races
    }

    pub fn chosen_race(&self) -> Option<&KeptRace> {
        self.sorted().get(self.chosen).copied()
    }

    pub fn go(&mut self, forward: bool, by: usize) {
        self.chosen =
            if forward { self.chosen.saturating_add(by) } else { self.chosen.saturating_sub(by) };
        self.keep_cursor();
    }

    fn keep_cursor(&mut self) {
        self.chosen = self.chosen.min(self.shown().len().saturating_sub(1));
    }
}

fn next<T: Copy + PartialEq>(all: &[T], now: T) -> T {
    let at = all.iter().position(|one| *one == now).unwrap_or(0);
    all.get((at + 1) % all.len().max(1)).copied().unwrap_or(now)
}
