//! The tutorial: races alone, with hints by method.

use crate::families::family_ui::Lesson;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::options::{HeatOptions, HintRule, HintStyles};
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::ClientInstant;

/// The boards of the lessons, by puzzle and seed. The first takes few moves and has every step of
/// the method, the second several kinds of deductions.
const LESSONS: [(&str, &str); 2] = [("slide:4x4", "apple"), ("link:5x5:easy", "one")];

/// The longest limit that a heat may have, in seconds, as a lesson has no clock.
const TIME_LIMIT_SECONDS: u16 = 7_200;

#[derive(Debug, Clone, Default)]
pub struct Tutorial {
    /// Which of the lessons is raced, from 0.
    pub number: usize,
    /// The step that was shown last.
    pub lesson: Option<Lesson>,
    /// The name of the step that is played for the player.
    pub skipping: Option<String>,
    /// Whether the last move was another than the hint's.
    pub has_strayed: bool,
    /// After which move a hint was asked for last, and when.
    pub asked: Option<(Seq, ClientInstant)>,
}

impl Tutorial {
    pub const COUNT: usize = LESSONS.len();

    /// Returns the options and the seed of the lesson's board.
    pub fn board(&self) -> Option<(HeatOptions, Seed)> {
        let (spec, seed) = LESSONS.get(self.number)?;
        let (spec, seed): (PuzzleSpec, Seed) = (spec.parse().ok()?, seed.parse().ok()?);
        let options = HeatOptions {
            countdown_seconds: 1,
            time_limit_seconds: TIME_LIMIT_SECONDS,
            hints: HintRule::Free,
            hint_styles: HintStyles::Method,
            bots_allowed: false,
            private: true,
            idle_seconds: 0,
            ..HeatOptions::new(spec)
        };
        Some((options, seed))
    }

    pub const fn is_last(&self) -> bool {
        self.number + 1 >= Self::COUNT
    }

    /// Returns the tutorial at the lesson after this one.
    #[must_use]
    pub fn next(&self) -> Self {
        Self { number: self.number + 1, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::puzzle::Board;
    use gridrace_shared::puzzle::slide::solve::{ConstructiveStage, constructive_by_stages};
    use gridrace_shared::solver::budget::Budget;

    #[test]
    fn every_lesson_has_a_board() {
        for number in 0..Tutorial::COUNT {
            let (options, seed) = Tutorial { number, ..Tutorial::default() }.board().unwrap();
            assert_eq!(options.check(), Ok(()));
            assert!(!options.spec.board(&seed).is_solved());
        }
    }

    #[test]
    fn the_first_board_has_every_step_of_the_method() {
        let (options, seed) = Tutorial::default().board().unwrap();
        let Board::Slide(board) = options.spec.board(&seed) else { panic!("{}", options.spec) };
        let (solution, stages) = constructive_by_stages(&board, Budget(10_000)).unwrap();
        let has = |is: fn(&ConstructiveStage) -> bool| stages.iter().any(|it| is(&it.stage));
        assert!(has(|stage| matches!(stage, ConstructiveStage::Tile { .. })));
        assert!(has(|stage| matches!(stage, ConstructiveStage::Park { .. })));
        assert!(has(|stage| matches!(stage, ConstructiveStage::ParkBehind { .. })));
        assert!(has(|stage| matches!(stage, ConstructiveStage::Pair { .. })));
        assert!(has(|stage| matches!(stage, ConstructiveStage::LastThree { .. })));
        assert!(solution.len() <= 110, "{} moves are many for a beginner", solution.len());
    }
}
