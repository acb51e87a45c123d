//! The sliding puzzle as a [`Family`].

use crate::puzzle::counts::{MoveBounds, MoveCount};
use crate::puzzle::family::Family;
use crate::puzzle::skill::Skill;
use crate::puzzle::slide::replay_codec::{self, SlideCodec};
use crate::puzzle::slide::solve::tables::{Grade, TableSpec, Tables};
use crate::puzzle::slide::{
    self, Board, HeatSize, HeatSizeError, IllegalMove, Profile, SlideHint, SlideId, SlideIdError,
    SlidePlan, SlidePolicy,
};
use crate::solver::budget::{Aim, Budget, NodesUsed, Unsolved};
use crate::util::byte_codec::{ByteReader, ReadError};
use crate::util::grid::Cell;
use crate::util::seed::{PortableRng, Seed};

#[derive(Debug, Clone, Copy)]
pub struct Slide;

impl Family for Slide {
    const NAME: &'static str = "slide";
    const EXAMPLE: &'static str = "4x4";

    type Spec = HeatSize;
    type SpecError = HeatSizeError;
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

    fn generate(spec: HeatSize, seed: &Seed) -> (Board, ()) {
        (spec.board(seed), ())
    }

    fn table_spec(spec: HeatSize) -> Option<TableSpec> {
        TableSpec::new(spec.size(), Grade::Default).ok()
    }

    fn parse_id(text: &str) -> Result<SlideId, SlideIdError> {
        SlideId::read(text)
    }

    fn board_of_id(id: &SlideId) -> Result<Board, SlideIdError> {
        Ok(id.board()?)
    }

    fn play(board: &mut Board, play: &Cell) -> Result<MoveCount, IllegalMove> {
        let slide::MoveCount { stm, mtm } = slide::MoveCount::of(board.play(*play)?);
        Ok(MoveCount { moves: stm, acts: mtm })
    }

    fn legal_moves(board: &Board) -> Vec<Cell> {
        board.legal_moves().collect()
    }

    fn is_solved(board: &Board) -> bool {
        board.is_solved()
    }

    fn progress(start: &Board, now: &Board) -> u16 {
        slide::progress(start, now)
    }

    fn find_knowledge(_: &Board) {}

    fn plan(
        board: &Board,
        aim: Aim,
        budget: Budget,
        tables: &Tables,
    ) -> Result<SlidePlan, Unsolved> {
        SlidePlan::plan(board, aim, budget, tables)
    }

    fn plan_hint(
        board: &Board,
        before: Option<&Board>,
        _: Option<&()>,
        budget: Budget,
        tables: &Tables,
        nodes: &mut NodesUsed,
    ) -> Result<(SlidePlan, Option<i32>), Unsolved> {
        let plan = SlidePlan::plan_counting(board, Aim::Shortest, budget, tables, nodes)?;
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

    fn is_shortest(plan: &SlidePlan) -> bool {
        plan.is_shortest()
    }

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

    fn policy(skill: Skill) -> SlidePolicy {
        SlidePolicy::new(skill)
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
        Profile::of(skill).tile_millis
    }

    fn uses_tables(skill: Skill) -> bool {
        Profile::of(skill).aim != Aim::Plain
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
