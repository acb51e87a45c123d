//! Bots: named skills, and the mind that plays by them.
//!
//! A bot is an ordinary player. This is the part of it that thinks; who calls it keeps
//! the time and sends the moves, from inside the server or over a socket.

use crate::hint::{Aim, Budget, Guide, Solvers, Unsolved};
use crate::puzzle::{Board, Move};
use crate::seed::{PortableRng, Seed};
use crate::time::Millis;
use serde::{Deserialize, Serialize};

/// How well a bot plays, from a beginner to the best that the solvers can do: the weaker
/// three by a person's method, with slips; the stronger two by the solvers' short ways.
///
/// ```
/// use gridrace_shared::bot::Skill;
/// assert_eq!("expert".parse(), Ok(Skill::Expert));
/// assert!(Skill::Beginner.profile().tile_millis > Skill::Master.profile().tile_millis);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skill {
    /// Slow, plays the plain method, and slips often.
    Beginner,
    /// An evening player: slips now and then.
    Casual,
    /// Knows the method and rarely slips.
    Steady,
    /// A quick hand, and hardly a move too many.
    Expert,
    /// As fast as hands go, by the shortest way that the solvers find.
    Master,
}

/// What a skill means in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// Milliseconds a tile.
    pub tile_millis: u32,
    /// Milliseconds that a look at the board takes.
    pub look_millis: u32,
    /// After how many moves it looks up again: for a shorter way, where there may be one.
    pub look_every: u16,
    /// What its ways are to be.
    pub aim: Aim,
    /// Of a thousand moves, how many are slips: any legal move instead of the right one.
    pub slips: u16,
}

/// The work that one look may cost a bot: of 99 boards of 4×4 in a hundred the shortest way
/// is found, at worst in a fifth of a second.
const LOOK_BUDGET: Budget = Budget(3_000_000);

impl Skill {
    /// Every skill, the weakest first.
    pub const ALL: [Self; 5] = [
        Self::Beginner,
        Self::Casual,
        Self::Steady,
        Self::Expert,
        Self::Master,
    ];

    /// Returns what the skill means.
    #[must_use]
    pub const fn profile(self) -> Profile {
        let (tile_millis, look_millis, look_every, aim, slips) = match self {
            Self::Beginner => (600, 1_500, 200, Aim::Plain, 80),
            Self::Casual => (350, 800, 100, Aim::Plain, 30),
            Self::Steady => (200, 400, 40, Aim::Plain, 8),
            Self::Expert => (150, 300, 40, Aim::Short, 2),
            Self::Master => (70, 70, 20, Aim::Shortest, 0),
        };
        Profile {
            tile_millis,
            look_millis,
            look_every,
            aim,
            slips,
        }
    }

    /// Returns the skill's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Beginner => "beginner",
            Self::Casual => "casual",
            Self::Steady => "steady",
            Self::Expert => "expert",
            Self::Master => "master",
        }
    }
}

impl std::fmt::Display for Skill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// Says that a text names no skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a skill is one of beginner, casual, steady, expert, master")]
pub struct SkillError;

impl std::str::FromStr for Skill {
    type Err = SkillError;

    fn from_str(text: &str) -> Result<Self, SkillError> {
        Self::ALL
            .into_iter()
            .find(|skill| skill.name() == text)
            .ok_or(SkillError)
    }
}

/// What a bot is about to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// How long it takes before it moves.
    pub after: Millis,
    /// The move.
    pub play: Move,
}

/// A bot's mind during one heat.
#[derive(Debug, Clone)]
pub struct Bot {
    profile: Profile,
    chance: PortableRng,
    guide: Option<Guide>,
    since_look: u16,
}

impl Bot {
    /// Makes a bot; `seed` decides its slips and the unevenness of its pace.
    #[must_use]
    pub fn new(skill: Skill, seed: &Seed) -> Self {
        Self {
            profile: skill.profile(),
            chance: seed.rng("gridrace bot", skill.name()),
            guide: None,
            since_look: 0,
        }
    }

    /// Decides on the next move for a board that is not solved yet, with what its solvers
    /// have at hand.
    ///
    /// # Errors
    /// [`Unsolved`] for a board that no moves solve.
    pub fn decide(&mut self, board: &Board, solvers: &Solvers) -> Result<Decision, Unsolved> {
        let looked = self.look_if_due(board, solvers)?;
        let slip = u32::from(self.profile.slips) > self.chance.below(1_000);
        let play = if slip {
            self.slip(board)
        } else {
            self.advice(board)?
        };
        self.since_look = self.since_look.saturating_add(1);
        let pause = if looked { self.profile.look_millis } else { 0 };
        let after = pause + self.profile.tile_millis * tiles(board, &play);
        Ok(Decision {
            after: self.uneven(after),
            play,
        })
    }

    /// Plans where there is no plan for this board, or a look is due and the plan may be
    /// too long: then the new plan is taken only if it is the shorter one, or the bot might
    /// run in circles.
    fn look_if_due(&mut self, board: &Board, solvers: &Solvers) -> Result<bool, Unsolved> {
        let known = self.guide.as_mut().and_then(|guide| guide.next(board));
        if known.is_some() && self.since_look < self.profile.look_every {
            return Ok(false);
        }
        self.since_look = 0;
        let knows_best = self.guide.as_ref().is_some_and(Guide::is_shortest);
        if known.is_some() && (knows_best || self.profile.aim == Aim::Plain) {
            return Ok(true);
        }
        let fresh = Guide::plan(board, self.profile.aim, LOOK_BUDGET, solvers)?;
        let old = self.guide.as_ref().and_then(|old| old.remaining(board));
        let better = known.is_none() || fresh.remaining(board) < old;
        if better {
            self.guide = Some(fresh);
        }
        Ok(true)
    }

    fn advice(&mut self, board: &Board) -> Result<Move, Unsolved> {
        self.guide
            .as_mut()
            .and_then(|guide| guide.next(board))
            .map(|hint| hint.play())
            .ok_or(Unsolved::Unsolvable)
    }

    fn slip(&mut self, board: &Board) -> Move {
        let mut moves = board.legal_moves();
        let count = u32::try_from(moves.len()).unwrap_or(u32::MAX);
        moves.swap_remove(self.chance.below(count) as usize)
    }

    /// Stretches or shortens a pause by up to a quarter: nobody plays like a clock.
    fn uneven(&mut self, millis: u32) -> Millis {
        let percent = 75 + self.chance.below(51);
        Millis(u64::from(millis) * u64::from(percent) / 100)
    }
}

fn tiles(board: &Board, play: &Move) -> u32 {
    board.clone().play(play).map_or(1, |count| count.moves)
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
            let decision = bot.decide(&board, &Solvers::none()).unwrap();
            millis += decision.after.0;
            moves += board.play(&decision.play).unwrap().moves;
            assert!(moves < 20_000, "{skill} runs in circles on {spec}#{seed}");
        }
        (millis, moves)
    }

    #[test]
    fn every_skill_finishes_every_size() {
        for skill in Skill::ALL {
            for spec in [
                "slide:2x2",
                "slide:2x5",
                "slide:5x2",
                "slide:3x3",
                "slide:4x4",
                "slide:6x5",
            ] {
                race(skill, spec, "friday");
            }
        }
    }

    #[test]
    fn the_better_the_skill_the_faster() {
        let total = |skill| -> u64 {
            (0..6)
                .map(|n| race(skill, "slide:4x4", &format!("seed-{n}")).0)
                .sum()
        };
        let times: Vec<u64> = Skill::ALL.into_iter().map(total).collect();
        assert!(times.windows(2).all(|pair| pair[0] > pair[1]), "{times:?}");
    }

    #[test]
    fn a_master_takes_no_move_too_many_where_the_shortest_way_is_found() {
        for seed in 0..5 {
            let seed = format!("seed-{seed}");
            let board = "slide:3x3"
                .parse::<PuzzleSpec>()
                .unwrap()
                .board(&seed.parse().unwrap());
            let best = crate::hint::rate(&board, &Solvers::none(), &|| true);
            let best = best.unwrap().unwrap();
            assert!(best.is_optimal());
            assert_eq!(race(Skill::Master, "slide:3x3", &seed).1, best.at_most);
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
