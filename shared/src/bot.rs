//! Bots: the decisions of a player of a given skill.
//!
//! A bot is an ordinary player. The caller keeps the time and sends the moves, from inside the
//! server or over a socket.

pub use crate::puzzle::skill::{Skill, SkillError};

use crate::puzzle::skill::vary;
use crate::puzzle::{Board, Family, Move, PuzzleSpec, families};
use crate::solver::budget::Unsolved;
use crate::solver::plan::SolverResources;
use crate::util::seed::{PortableRng, Seed};
use crate::util::time::Millis;
use sha2::{Digest, Sha256};

/// By how much a bot's pace differs from its skill's at most, in percent: ten of a skill finish
/// seconds apart, and most of them still behind the next skill.
const PACE_SPREAD: u32 = 35;
/// By how much each pause differs from the bot's own pace at most, in percent: people are not
/// metronomes.
const PAUSE_SPREAD: u32 = 25;

macro_rules! define_policy {
    ($($Variant:ident = $module:ident,)+) => {
        #[derive(Debug, Clone)]
        enum Policy {
            $($Variant(<families::$Variant as Family>::Policy),)+
        }

        impl Policy {
            fn new(board: &Board, skill: Skill, rng: &mut PortableRng) -> Self {
                match board {
                    $(Board::$Variant(board) => {
                        Self::$Variant(families::$Variant::policy(skill, board, rng))
                    })+
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

        /// Returns a seed that is the same for the same board.
        fn seed_of(board: &Board) -> Seed {
            let mut bytes = Vec::new();
            match board {
                $(Board::$Variant(board) => families::$Variant::encode_board(&mut bytes, board),)+
            }
            let digest: [u8; 32] = Sha256::digest(&bytes).into();
            Seed::from_entropy(std::array::from_fn(|at| digest[at]))
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

/// The next action of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub after: Millis,
    pub play: Move,
}

/// A bot during one heat.
///
/// Bots of one skill differ: each draws its pace, its method and its share of slips around those
/// of its skill.
#[derive(Debug, Clone)]
pub struct Bot {
    skill: Skill,
    rng: PortableRng,
    /// Its pace, in thousandths of its skill's pauses.
    pace: u16,
    policy: Option<Policy>,
}

impl Bot {
    /// Makes a bot; `seed` decides its pace, its method and its slips.
    pub fn new(skill: Skill, seed: &Seed) -> Self {
        Self::with(skill, seed.rng("gridrace bot", skill.into_str()))
    }

    /// Makes the bot of a heat's starting board and a seat: the same for the same board and seat.
    pub fn of_seat(skill: Skill, start: &Board, seat: u32) -> Self {
        Self::with(skill, seed_of(start).rng("gridrace house bot", &format!("{skill} {seat}")))
    }

    fn with(skill: Skill, mut rng: PortableRng) -> Self {
        let pace = vary(1_000, PACE_SPREAD, &mut rng);
        Self { skill, rng, pace, policy: None }
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
        let rng = &mut self.rng;
        let policy = self.policy.get_or_insert_with(|| Policy::new(board, self.skill, rng));
        let (millis, play) = policy.decide(board, solvers, rng)?;
        let after = self.pause(millis);
        Ok(Decision { after, play })
    }

    /// Returns how long this bot takes, this time, for what takes its skill `millis`.
    fn pause(&mut self, millis: u32) -> Millis {
        let percent = 100 - PAUSE_SPREAD + self.rng.below(2 * PAUSE_SPREAD + 1);
        Millis(u64::from(millis) * u64::from(self.pace) / 1_000 * u64::from(percent) / 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::PuzzleSpec;
    use std::collections::BTreeSet;

    /// Returns the milliseconds and moves of a bot on a board, and the moves themselves.
    fn run(mut bot: Bot, mut board: Board) -> (u64, u32, Vec<Move>) {
        let (mut millis, mut moves, mut way) = (0, 0, Vec::new());
        while !board.is_solved() {
            let decision = bot.decide(&board, &SolverResources::none()).unwrap();
            millis += decision.after.0;
            moves += board.play(&decision.play).unwrap().moves;
            way.push(decision.play);
            assert!(moves < 20_000, "{bot:?} runs in circles");
        }
        (millis, moves, way)
    }

    fn board(spec: &str, seed: &str) -> Board {
        spec.parse::<PuzzleSpec>().unwrap().board(&seed.parse().unwrap())
    }

    fn race(skill: Skill, spec: &str, seed: &str) -> (u64, u32) {
        let bot = Bot::new(skill, &seed.parse().unwrap());
        let (millis, moves, _) = run(bot, board(spec, seed));
        (millis, moves)
    }

    /// The finish times of ten bots on one board in ascending order, and how many ways they took.
    fn ten(skill: Skill, spec: &str, seed: &str) -> (Vec<u64>, usize) {
        let start = board(spec, seed);
        let mut ways = BTreeSet::new();
        let mut times = Vec::new();
        for seat in 1..=10 {
            let (millis, _, way) = run(Bot::of_seat(skill, &start, seat), start.clone());
            times.push(millis);
            ways.insert(format!("{way:?}"));
        }
        times.sort_unstable();
        (times, ways.len())
    }

    #[test]
    fn ten_of_a_skill_finish_seconds_apart_and_by_different_ways() {
        // Masters take a shortest way, and some boards have only one.
        let least_ways = [10, 8, 4, 3, 1];
        for (spec, seconds) in [("slide:4x4", [20, 10, 5, 2, 1]), ("link:9x9", [20, 15, 10, 6, 2])]
        {
            for ((&skill, seconds), least_ways) in Skill::ALL.iter().zip(seconds).zip(least_ways) {
                let (times, ways) = ten(skill, spec, "monday");
                let apart = times[9] - times[0];
                assert!(apart >= seconds * 1_000, "{skill} on {spec}: {times:?}");
                assert!(ways >= least_ways, "{skill} on {spec}: {ways} ways");
            }
        }
    }

    #[test]
    fn the_median_of_many_is_about_that_of_the_skill_s_own_pace() {
        for &skill in Skill::ALL {
            let mut paces: Vec<u16> = (0..200)
                .map(|seat| Bot::of_seat(skill, &board("slide:3x3", "a"), seat).pace)
                .collect();
            paces.sort_unstable();
            assert!((950..=1_050).contains(&paces[100]), "{skill}: {}", paces[100]);
        }
    }

    #[test]
    fn a_seat_on_a_board_always_has_the_same_bot() {
        let start = board("slide:4x4", "friday");
        let of = |seat| run(Bot::of_seat(Skill::Steady, &start, seat), start.clone());
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
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
                |skill| -> u64 { (0..12).map(|n| race(skill, spec, &format!("seed-{n}")).0).sum() };
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
