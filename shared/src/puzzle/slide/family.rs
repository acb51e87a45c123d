//! The sliding puzzle as a [`Family`].

use crate::puzzle::counts::{MoveBounds, MoveCount};
use crate::puzzle::family::Family;
use crate::puzzle::hint_style::HintStyle;
use crate::puzzle::picture;
use crate::puzzle::skill::Skill;
use crate::puzzle::slide::replay_codec::{self, SlideCodec};
use crate::puzzle::slide::solve::tables::{TableGrade, TableSpec, Tables};
use crate::puzzle::slide::{
    self, Board, IllegalMove, SlideHint, SlideId, SlideIdError, SlidePlan, SlidePolicy,
    SlideProfile, SlideSpec, SlideSpecError,
};
use crate::solver::budget::{Aim, Budget, NodesUsed, Unsolved};
use crate::util::byte_codec::{ByteReader, ReadError};
use crate::util::grid::{Cell, Size};
use crate::util::seed::{PortableRng, Seed};

#[derive(Debug, Clone, Copy)]
pub struct Slide;

impl Family for Slide {
    const NAME: &'static str = "slide";
    const EXAMPLE: &'static str = "4x4";
    /// The fastest solvers keep up 20 a second; keys repeat 30 times a second.
    const HUMAN_ACT_MILLIS: u64 = 33;

    type Spec = SlideSpec;
    type SpecError = SlideSpecError;
    type Id = SlideId;
    type IdError = SlideIdError;
    type Board = Board;
    /// The tile at this cell slides towards the blank, with all tiles between them.
    type Move = Cell;
    type IllegalMove = IllegalMove;
    type Hint = SlideHint;
    type Plan = SlidePlan;
    type Knowledge = ();
    type Resources = Tables;
    type Policy = SlidePolicy;
    type MoveCodec = SlideCodec;

    fn generate(spec: SlideSpec, seed: &Seed) -> (Board, ()) {
        (spec.board(seed), ())
    }

    fn picture_size(spec: SlideSpec) -> Option<Size> {
        Some(spec.size()).filter(|&size| picture::fits(size))
    }

    fn table_spec(spec: SlideSpec) -> Option<TableSpec> {
        TableSpec::new(spec.size(), TableGrade::Default).ok()
    }

    fn parse_id(text: &str) -> Result<SlideId, SlideIdError> {
        SlideId::read(text)
    }

    fn board_of_id(id: &SlideId) -> Result<Board, SlideIdError> {
        Ok(id.board()?)
    }

    fn play(board: &mut Board, play: &Cell) -> Result<MoveCount, IllegalMove> {
        Ok(MoveCount { moves: board.play(*play)?.tiles.into(), acts: 1 })
    }

    fn legal_moves(board: &Board) -> Vec<Cell> {
        board.legal_moves().collect()
    }

    fn is_solved(board: &Board) -> bool {
        board.is_solved()
    }

    /// The share of the starting work that is done; it may decrease.
    fn progress(start: &Board, now: &Board) -> u16 {
        if now.is_solved() {
            return 1_000;
        }
        let (remaining, at_start) = (remaining_work(now), remaining_work(start).max(1));
        let done = 1_000 * at_start.saturating_sub(remaining) / at_start;
        u16::try_from(done).unwrap_or(u16::MAX).min(999)
    }

    fn find_knowledge(_: &Board) {}

    fn plan(
        board: &Board,
        aim: Aim,
        budget: Budget,
        tables: &Tables,
    ) -> Result<SlidePlan, Unsolved> {
        SlidePlan::plan(board, aim, budget, tables, &mut NodesUsed::default())
    }

    /// By method, hints are the stages of the constructive solver; distances are those of short ways
    /// only.
    fn plan_hint(
        board: &Board,
        before: Option<&Board>,
        style: HintStyle,
        _: Option<&()>,
        budget: Budget,
        tables: &Tables,
        nodes: &mut NodesUsed,
    ) -> Result<(SlidePlan, Option<i32>), Unsolved> {
        if style == HintStyle::Method {
            return Ok((SlidePlan::by_method(board, budget, nodes)?, None));
        }
        let plan = SlidePlan::plan(board, Aim::Shortest, budget, tables, nodes)?;
        Ok(match before {
            Some(before) => plan.judge(before, slide::plan::JUDGE_BUDGET, tables, nodes),
            None => (plan, None),
        })
    }

    fn next_hint(plan: &mut SlidePlan, board: &Board) -> Option<SlideHint> {
        plan.next(board)
    }

    fn remaining(plan: &SlidePlan, board: &Board) -> Option<u32> {
        plan.remaining(board)
    }

    fn knowledge_of(_: &SlidePlan) {}

    fn hinted_move(hint: &SlideHint, _: &Board) -> Option<Cell> {
        Some(hint.play)
    }

    fn rate(
        board: &Board,
        tables: &Tables,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<Option<MoveBounds>, Unsolved> {
        slide::rate(board, tables, should_continue)
    }

    fn policy(skill: Skill, board: &Board, rng: &mut PortableRng) -> SlidePolicy {
        SlidePolicy::new(skill, board.size(), rng)
    }

    fn decide(
        policy: &mut SlidePolicy,
        board: &Board,
        tables: &Tables,
        rng: &mut PortableRng,
    ) -> Result<(u32, Cell), Unsolved> {
        policy.decide(board, tables, rng)
    }

    fn millis_per_step(skill: Skill) -> u32 {
        SlideProfile::of(skill).tile_millis
    }

    fn uses_tables(skill: Skill) -> bool {
        SlideProfile::of(skill).aim != Aim::Plain
    }

    fn encode_board(out: &mut Vec<u8>, board: &Board) {
        replay_codec::put_board(out, board);
    }

    fn decode_board(reader: &mut ByteReader<'_>) -> Result<Board, ReadError> {
        replay_codec::read_board(reader)
    }

    fn move_codec(start: &Board) -> SlideCodec {
        SlideCodec::new(start)
    }

    fn move_codes(codec: &SlideCodec) -> u64 {
        codec.choices()
    }

    fn encode_move(codec: &mut SlideCodec, _: &mut Vec<u8>, play: &Cell) -> Option<u64> {
        codec.choose(*play)
    }

    fn decode_move(
        codec: &mut SlideCodec,
        _: &mut ByteReader<'_>,
        code: u64,
    ) -> Result<Cell, ReadError> {
        Ok(codec.take(code))
    }
}

/// Returns the sum of the tiles' Manhattan distances plus the number of tiles that are not at home.
fn remaining_work(board: &Board) -> u32 {
    let cells = (0..).map(Cell).take(board.size().cells());
    let away = cells.filter(|&cell| cell != board.blank() && !board.at_home(cell)).count();
    board.manhattan_distance() + away as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::any_board;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn progress_is_complete_only_when_solved(start in any_board(), slides in prop::collection::vec(any::<prop::sample::Index>(), 0..50)) {
            let mut board = start.clone();
            for slide in slides {
                let legal: Vec<_> = board.legal_moves().collect();
                if !legal.is_empty() {
                    board.play(*slide.get(&legal)).unwrap();
                }
                let progress = Slide::progress(&start, &board);
                prop_assert!(progress <= 1_000);
                prop_assert_eq!(progress == 1_000, board.is_solved());
            }
        }
    }
}
