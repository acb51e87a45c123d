//! A recorded race as a rival: its moves at their times, on the same board.
//!
//! A ghost is known to this client only. Its row is put among the server's rows after each
//! message, and taken out before the next one.

use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::heat_view::{HeatPhase, HeatView, NameTag};
use gridrace_shared::puzzle::{Board, PuzzleSpec};
use gridrace_shared::replay::{Playback, Replay};
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::Millis;

/// The number of the ghost's row. Servers count from 1, and never reach it.
pub const GHOST: PlayerId = PlayerId(u32::MAX - 1);

/// One player of a replay, raced against.
#[derive(Debug, Clone)]
pub struct Ghost {
    playback: Playback,
    player: PlayerId,
    /// Not yet safe to print.
    name: String,
}

impl Ghost {
    /// Takes the best player of a replay; one of the server's bots only if no other player has finished.
    pub fn new(replay: Replay) -> Option<Self> {
        let racer = |row: &Standing| replay.events.racer(row.player);
        let is_house_bot = |row: &&Standing| {
            racer(row).is_some_and(|racer| matches!(racer.kind, PlayerKind::HouseBot(_)))
        };
        let has_finished = |row: &&Standing| matches!(row.state, RaceState::Finished { .. });
        let rows = &replay.outcome.standings;
        let best = rows.iter().find(|row| !is_house_bot(row) && has_finished(row));
        let best = best.or(rows.first())?;
        let player = best.player;
        let name = racer(best)?.name.to_string();
        Some(Self { playback: Playback::new(replay), player, name })
    }

    /// Returns the puzzle and the seed of its board.
    pub fn board_name(&self) -> (PuzzleSpec, &Seed) {
        let header = &self.playback.replay().header;
        (header.options.spec, &header.secret.seed)
    }

    fn start(&self) -> &Board {
        self.playback.replay().events.start()
    }

    /// Returns how its race ended.
    pub fn final_row(&self) -> Option<Standing> {
        let rows = &self.playback.replay().outcome.standings;
        let row = rows.iter().find(|row| row.player == self.player)?;
        Some(Standing { player: GHOST, connected: true, ..row.clone() })
    }

    /// Returns its row at an instant after GO.
    fn row_at(&mut self, at: Millis) -> Option<Standing> {
        self.playback.seek(at);
        if self.playback.is_over() {
            return self.final_row();
        }
        let rows = self.playback.standings();
        let row = rows.into_iter().find(|row| row.player == self.player)?;
        Some(Standing { player: GHOST, connected: true, ..row })
    }

    /// Puts the ghost's row among those of a heat on the same board; of a heat on another board, or
    /// one that this client doesn't race in, nothing changes. `at` counts from GO.
    pub fn appear(&mut self, view: &mut HeatView, at: Millis) {
        let row = match &view.phase {
            HeatPhase::Racing(race) if race.start == *self.start() => self.row_at(at),
            HeatPhase::Over(ended) if ended.result.start == *self.start() => self.final_row(),
            HeatPhase::Racing(_)
            | HeatPhase::Over(_)
            | HeatPhase::Lobby
            | HeatPhase::Drawing { .. }
            | HeatPhase::Countdown { .. }
            | HeatPhase::Watching(_) => None,
        };
        let Some(row) = row.filter(|_| view.my_standing().is_some()) else { return };
        let is_own = view.me().is_some_and(|me| me.name.as_str() == self.name);
        let name = if is_own { "your ghost".to_owned() } else { format!("{}'s ghost", self.name) };
        view.names.insert(GHOST, NameTag { name, kind: PlayerKind::Human });
        view.progress.record(at, std::slice::from_ref(&row));
        if let HeatPhase::Over(ended) = &mut view.phase {
            withdraw(&mut ended.result.standings);
            rank_in(&mut ended.result.standings, &row);
        }
        withdraw(&mut view.standings);
        rank_in(&mut view.standings, &row);
    }
}

/// Returns the rows as the server has them.
pub fn without_ghost(rows: &[Standing]) -> Vec<Standing> {
    let mut rows = rows.to_vec();
    withdraw(&mut rows);
    rows
}

/// Takes the ghost's row out; the places are the server's again.
pub fn withdraw(rows: &mut Vec<Standing>) {
    let Some(index) = rows.iter().position(|row| row.player == GHOST) else { return };
    let ghost = rows.remove(index);
    for row in rows.iter_mut().filter(|row| row.place > ghost.place) {
        row.place -= 1;
    }
}

/// Puts a ghost's row in its place; those behind it are one place lower.
fn rank_in(rows: &mut Vec<Standing>, ghost: &Standing) {
    let index = rows.iter().filter(|row| row.rank_key() <= ghost.rank_key()).count();
    for row in rows.iter_mut().skip(index) {
        row.place += 1;
    }
    let place = u16::try_from(index + 1).unwrap_or(u16::MAX);
    rows.insert(index, Standing { place, ..ghost.clone() });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{self as fx, replay};
    use gridrace_shared::protocol::client::Role;
    use gridrace_shared::protocol::snapshot::Phase;
    use gridrace_shared::puzzle::MoveCount;

    fn row(player: u32, place: u16, state: RaceState, progress: u16) -> Standing {
        Standing {
            player: PlayerId(player),
            place,
            state,
            progress,
            tally: None,
            moves: MoveCount::default(),
            hints: 0,
            penalty: Millis(0),
            connected: true,
        }
    }

    fn finished(time: u64) -> RaceState {
        RaceState::Finished { time: Millis(time) }
    }

    #[test]
    fn the_ghost_has_a_place_and_takes_it_back() {
        let server = vec![
            row(1, 1, finished(8_000), 1_000),
            row(2, 2, RaceState::Racing, 600),
            row(3, 3, RaceState::Racing, 200),
            row(4, 4, RaceState::Dnf, 900),
        ];
        for (state, progress, place) in [
            (finished(7_000), 1_000, 1),
            (finished(8_000), 1_000, 2),
            (RaceState::Racing, 400, 3),
            (RaceState::Racing, 100, 4),
            (RaceState::Dnf, 0, 5),
        ] {
            let mut rows = server.clone();
            rank_in(&mut rows, &row(GHOST.0, 0, state, progress));
            let places: Vec<u16> = rows.iter().map(|row| row.place).collect();
            assert_eq!(places, [1, 2, 3, 4, 5]);
            assert_eq!(rows.iter().find(|row| row.player == GHOST).unwrap().place, place);
            withdraw(&mut rows);
            assert_eq!(rows, server);
        }
    }

    #[test]
    fn a_ghost_is_the_best_player_and_moves_when_that_player_moved() {
        let replay = replay::slides();
        let best = replay.outcome.standings[0].clone();
        let mut ghost = Ghost::new(replay).unwrap();
        assert_eq!(ghost.name, "Zoë");
        assert_eq!(ghost.row_at(Millis(999)).unwrap().moves.moves, 0);
        assert_eq!(ghost.row_at(Millis(1_000)).unwrap().moves.moves, 1);
        assert_eq!(ghost.row_at(Millis(3_500)).unwrap().moves.moves, 3);
        let RaceState::Finished { time } = best.state else { panic!("{best:?}") };
        assert_eq!(ghost.row_at(time.since(Millis(1))).unwrap().state, RaceState::Racing);
        assert_eq!(ghost.row_at(time).unwrap().state, best.state);
        assert_eq!(ghost.final_row().unwrap().state, best.state);
    }

    #[test]
    fn a_ghost_appears_on_its_own_board_only() {
        let mut ghost = Ghost::new(replay::slides()).unwrap();
        for (puzzle, appears) in [("slide:2x2", true), ("slide:3x3", false)] {
            let running = Phase::Running { go: fx::GO, ends: fx::ENDS, start: fx::start(puzzle) };
            let mut model = fx::in_heat(puzzle, Role::Player, running);
            let view = &mut model.joined_heat_mut().unwrap().view;
            view.standings = vec![row(fx::ME.0, 1, RaceState::Racing, 0)];
            ghost.appear(view, Millis(60_000));
            ghost.appear(view, Millis(60_000));
            let rows: Vec<PlayerId> = view.standings.iter().map(|row| row.player).collect();
            if appears {
                assert_eq!(rows, [GHOST, fx::ME]);
                assert_eq!(view.name(GHOST).name, "Zoë's ghost");
            } else {
                assert_eq!(rows, [fx::ME]);
            }
        }
    }
}
