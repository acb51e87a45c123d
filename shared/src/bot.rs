//! Bots: the decisions of a player of a given skill.
//!
//! A bot is an ordinary player. The caller keeps the time and sends the moves, from inside the
//! server or over a socket.

pub use crate::puzzle::skill::{Skill, SkillError};

use crate::puzzle::{Board, Family, Move, PuzzleSpec, families};
use crate::solver::budget::Unsolved;
use crate::solver::plan::SolverResources;
use crate::util::seed::{PortableRng, Seed};
use crate::util::time::Millis;

macro_rules! define_policy {
    ($($Variant:ident = $module:ident,)+) => {
        #[derive(Debug, Clone)]
        enum Policy {
            $($Variant(<families::$Variant as Family>::Policy),)+
        }

        impl Policy {
            fn new(board: &Board, skill: Skill) -> Self {
                match board {
                    $(Board::$Variant(_) => Self::$Variant(families::$Variant::policy(skill)),)+
                }
            }

            fn decide(
                &mut self,
                board: &Board,
                solvers: &SolverResources,
                rng: &mut PortableRng,
            ) -> Result<(u32, Move), Unsolved> {
                match (self, board) {
                    $((Self::$Variant(policy), Board::$Variant(board)) => {
                        let (millis, play) =
                            families::$Variant::decide(policy, board, &solvers.$module, rng)?;
                        Ok((millis, Move::$Variant(play)))
                    })+
                    _ => Err(Unsolved::Unsolvable),
                }
            }
        }

        impl Skill {
            /// Returns the milliseconds that a bot of this skill takes per tile or cell.
            pub fn millis_each(self, spec: &PuzzleSpec) -> u32 {
                match spec {
                    $(PuzzleSpec::$Variant(_) => families::$Variant::millis_per_step(self),)+
                }
            }

            pub fn uses_tables(self) -> bool {
                [$(families::$Variant::uses_tables(self)),+].contains(&true)
            }
        }
    };
}

crate::for_each_family!(define_policy);

/// What a bot is about to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub after: Millis,
    pub play: Move,
}

/// A bot's mind during one heat.
#[derive(Debug, Clone)]
pub struct Bot {
    skill: Skill,
    rng: PortableRng,
    policy: Option<Policy>,
}

impl Bot {
    /// Makes a bot; `seed` decides its slips and the unevenness of its pace.
    pub fn new(skill: Skill, seed: &Seed) -> Self {
        Self { skill, rng: seed.rng("gridrace bot", skill.into_str()), policy: None }
    }

    /// Decides on the next move for a board that is not solved yet, with what its solvers
    /// have at hand.
    ///
    /// # Errors
    /// [`Unsolved`] for a board that no moves solve, or of another family than the last.
    pub fn decide(
        &mut self,
        board: &Board,
        solvers: &SolverResources,
    ) -> Result<Decision, Unsolved> {
        let policy = self.policy.get_or_insert_with(|| Policy::new(board, self.skill));
        let (millis, play) = policy.decide(board, solvers, &mut self.rng)?;
        let after = self.vary_pace(millis);
        Ok(Decision { after, play })
    }

    /// Stretches or shortens a pause by up to a quarter: people are not metronomes.
    fn vary_pace(&mut self, millis: u32) -> Millis {
        let percent = 75 + self.rng.below(51);
        Millis(u64::from(millis) * u64::from(percent) / 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::PuzzleSpec;

    fn race(skill: Skill, spec: &str, seed: &str) -> (u64, u32) {
        let spec: PuzzleSpec = spec.parse().unwrap();
        let mut board = spec.board(&seed.parse().unwrap());
        let mut bot = Bot::new(skill, &"bot".parse().unwrap());
        let (mut millis, mut moves) = (0, 0);
        while !board.is_solved() {
            let decision = bot.decide(&board, &SolverResources::none()).unwrap();
            millis += decision.after.0;
            moves += board.play(&decision.play).unwrap().moves;
            assert!(moves < 20_000, "{skill} runs in circles on {spec}#{seed}");
        }
        (millis, moves)
    }

    #[test]
    fn every_skill_finishes_every_size() {
        for &skill in Skill::ALL {
            for spec in [
                "slide:2x2",
                "slide:2x5",
                "slide:5x2",
                "slide:3x3",
                "slide:4x4",
                "slide:6x5",
                "link:4x4",
                "link:5x8",
                "link:9x9",
            ] {
                race(skill, spec, "friday");
            }
        }
    }

    #[test]
    fn the_better_the_skill_the_faster() {
        for spec in ["slide:4x4", "link:8x8"] {
            let total =
                |skill| -> u64 { (0..6).map(|n| race(skill, spec, &format!("seed-{n}")).0).sum() };
            let times: Vec<u64> = Skill::ALL.iter().copied().map(total).collect();
            assert!(times.windows(2).all(|pair| pair[0] > pair[1]), "{times:?}");
        }
    }

    #[test]
    fn a_beginner_goes_astray_and_takes_it_back() {
        let spec: PuzzleSpec = "link:9x9".parse().unwrap();
        let mut board = spec.board(&"friday".parse().unwrap());
        let mut bot = Bot::new(Skill::Beginner, &"bot".parse().unwrap());
        let (mut back, mut best) = (0, 0);
        while !board.is_solved() {
            let decision = bot.decide(&board, &SolverResources::none()).unwrap();
            board.play(&decision.play).unwrap();
            let covered = board.piece_progress().unwrap().covered;
            back += u32::from(covered < best);
            best = covered;
        }
        assert!(back > 0);
    }

    #[test]
    fn a_master_takes_no_move_too_many_where_the_shortest_way_is_found() {
        for (spec, seed) in
            [("link:7x7", "friday"), ("slide:3x3", "seed-0"), ("slide:3x3", "seed-1")]
        {
            let board = spec.parse::<PuzzleSpec>().unwrap().board(&seed.parse().unwrap());
            let best = crate::solver::rating::rate(&board, &SolverResources::none(), &|| true);
            let best = best.unwrap().unwrap();
            assert!(best.is_optimal());
            assert_eq!(race(Skill::Master, spec, seed).1, best.at_most);
        }
    }

    #[test]
    fn the_same_seed_plays_the_same() {
        assert_eq!(
            race(Skill::Beginner, "slide:4x4", "a"),
            race(Skill::Beginner, "slide:4x4", "a")
        );
    }
}
