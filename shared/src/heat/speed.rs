//! The mark of players that were faster than a person can be.
//!
//! A mark in the results, for hosts and rivals to judge by; it changes no place. It follows from what
//! each result holds, so it needs no field in replays, and results of earlier versions have it, too.

use crate::heat::player_kind::PlayerKind;
use crate::heat::standings::{RaceState, Standing};
use crate::puzzle::{MoveCount, PuzzleSpec};
use crate::util::time::Millis;

/// Fewest acts that are judged: a short way may be guessed before the board is seen.
const MIN_JUDGED_ACTS: u32 = 10;

/// Returns whether a finish took less than [`PuzzleSpec::human_act_time`] an act, by a player who
/// isn't labelled a bot. The time goes from GO to the last move, so that pauses count for the player.
///
/// ```
/// use gridrace_shared::heat::player_kind::PlayerKind;
/// use gridrace_shared::heat::speed::is_inhuman;
/// use gridrace_shared::puzzle::MoveCount;
/// use gridrace_shared::util::time::Millis;
/// let spec = "slide:4x4".parse()?;
/// let moves = MoveCount { moves: 80, acts: 60 };
/// assert!(is_inhuman(&spec, PlayerKind::Human, moves, Millis(1_500)));
/// assert!(!is_inhuman(&spec, PlayerKind::Human, moves, Millis(3_000)));
/// assert!(!is_inhuman(&spec, PlayerKind::Bot, moves, Millis(1_500)));
/// # Ok::<(), gridrace_shared::puzzle::PuzzleError>(())
/// ```
pub fn is_inhuman(spec: &PuzzleSpec, kind: PlayerKind, moves: MoveCount, time: Millis) -> bool {
    kind == PlayerKind::Human
        && moves.acts >= MIN_JUDGED_ACTS
        && time.0 < u64::from(moves.acts) * spec.human_act_time().0
}

impl Standing {
    /// Returns whether the finish was too fast for a person; see [`is_inhuman`].
    pub fn is_inhuman(&self, spec: &PuzzleSpec, kind: PlayerKind) -> bool {
        match self.state {
            // Hints cost time that nothing was played in.
            RaceState::Finished { time } => {
                is_inhuman(spec, kind, self.moves, time.since(self.penalty))
            }
            RaceState::Racing | RaceState::Dnf => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heat::ids::PlayerId;
    use crate::puzzle::skill::Skill;

    fn standing(state: RaceState, acts: u32, penalty: u64) -> Standing {
        Standing {
            player: PlayerId(1),
            place: 1,
            state,
            progress: 1_000,
            tally: None,
            moves: MoveCount { moves: acts, acts },
            hints: 0,
            penalty: Millis(penalty),
            connected: true,
        }
    }

    fn finished(millis: u64) -> RaceState {
        RaceState::Finished { time: Millis(millis) }
    }

    fn is_marked(spec: &str, standing: &Standing, kind: PlayerKind) -> bool {
        standing.is_inhuman(&spec.parse().unwrap(), kind)
    }

    #[test]
    fn the_fastest_people_are_not_marked() {
        // Records of single solves are some 20 acts a second, over a few seconds.
        for (acts, millis) in [(100, 5_000), (22, 900), (1_000, 45_000)] {
            let record = standing(finished(millis), acts, 0);
            assert!(!is_marked("slide:4x4", &record, PlayerKind::Human), "{acts} in {millis} ms");
        }
        assert!(!is_marked("link:9x9", &standing(finished(4_000), 20, 0), PlayerKind::Human));
    }

    #[test]
    fn a_sustained_speed_that_no_hand_has_is_marked_for_people_only() {
        let fast = standing(finished(900), 30, 0);
        assert!(is_marked("slide:4x4", &fast, PlayerKind::Human));
        assert!(!is_marked("slide:4x4", &fast, PlayerKind::Bot));
        assert!(!is_marked("slide:4x4", &fast, PlayerKind::HouseBot(Skill::Master)));
        // A stroke takes longer than the push of a tile.
        assert!(is_marked("link:9x9", &standing(finished(1_900), 20, 0), PlayerKind::Human));
    }

    #[test]
    fn a_penalty_is_no_time_that_was_played() {
        let hinted = standing(finished(20_500), 30, 20_000);
        assert!(is_marked("slide:4x4", &hinted, PlayerKind::Human));
    }

    #[test]
    fn a_lucky_guess_and_a_race_without_a_finish_are_not_marked() {
        assert!(!is_marked("slide:2x2", &standing(finished(30), 6, 0), PlayerKind::Human));
        assert!(!is_marked("slide:4x4", &standing(RaceState::Dnf, 1_000, 0), PlayerKind::Human));
    }
}
