//! The interface between a family of puzzles and everything that knows no puzzle by name.

use crate::puzzle::counts::{MoveBounds, MoveCount, PieceProgress};
use crate::puzzle::hint_style::HintStyle;
use crate::puzzle::skill::Skill;
use crate::puzzle::slide::solve::tables::TableSpec;
use crate::solver::budget::{Aim, Budget, NodesUsed, Unsolved};
use crate::util::byte_codec::{ByteReader, ReadError};
use crate::util::grid::{Cell, Size};
use crate::util::seed::{PortableRng, Seed};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

/// A family of puzzles: its types, its rules, its solver, its bots and its replay codec.
///
/// A family is a unit struct in its own folder that implements this trait, and an entry in the
/// list of [`crate::for_each_family`], from which the closed enums over all families are
/// generated.
pub trait Family {
    /// The name before the colon of specs and ids: `slide` in `slide:4x4`. Unique and permanent.
    const NAME: &'static str;
    /// An example of what follows the colon of a spec, for error messages: `4x4`.
    const EXAMPLE: &'static str;

    /// The shortest time of an act, in milliseconds, that a person keeps up over a whole race.
    const HUMAN_ACT_MILLIS: u64;

    /// The board of a heat: its size and further parameters.
    type Spec: Copy + Debug + Eq + Hash + Display + FromStr<Err = Self::SpecError>;
    type SpecError: Error + Clone + Eq;
    /// The name of one board, of any size that the offline tools take. Displayed with
    /// [`Self::NAME`] and a colon.
    type Id: Clone + Debug + Eq + Display;
    type IdError: Error + Clone + Eq;
    /// A position. Deserialisation accepts valid boards of a heat only.
    type Board: Clone + Debug + Eq + Hash + Serialize + DeserializeOwned;
    type Move: Clone + Debug + Eq + Hash + Serialize + DeserializeOwned;
    /// The error of an illegal move.
    type IllegalMove: Error + Copy + Eq + Serialize + DeserializeOwned;
    /// A solver's advice on a board.
    type Hint: Clone + Debug + Eq + Serialize + DeserializeOwned;
    /// A solution with a cursor, which gives one hint after another.
    type Plan: Clone + Debug + Eq + Serialize + DeserializeOwned;
    /// Knowledge of a board's solutions that saves later plans work. Secret: `()` if none.
    type Knowledge: Clone + Eq + Serialize + DeserializeOwned;
    /// Precomputed data of the solvers, cheap to clone: `()` if none.
    type Resources: Clone + Debug + Default;
    /// A bot's state during one race.
    type Policy: Clone + Debug;
    /// One player's state of the encoding of moves in a replay.
    type MoveCodec: Clone + Debug;

    /// Generates the board of a seed, which never changes and is never solved, with what the
    /// generator knows of its solutions.
    fn generate(spec: Self::Spec, seed: &Seed) -> (Self::Board, Self::Knowledge);

    /// Like [`Family::generate`]; returns `None` once the callback returns false.
    fn generate_while(
        spec: Self::Spec,
        seed: &Seed,
        _should_continue: &dyn Fn() -> bool,
    ) -> Option<(Self::Board, Self::Knowledge)> {
        Some(Self::generate(spec, seed))
    }

    /// Returns true if a board takes much longer than milliseconds to generate.
    fn is_costly_to_generate(_: Self::Spec) -> bool {
        false
    }

    /// Returns the size of the board, if its cells can show the tiles of a picture.
    fn picture_size(_: Self::Spec) -> Option<Size> {
        None
    }

    /// Returns the table that the solvers use for boards of a spec, if any.
    fn table_spec(_: Self::Spec) -> Option<TableSpec> {
        None
    }

    /// Parses what follows the colon of an id.
    fn parse_id(text: &str) -> Result<Self::Id, Self::IdError>;

    /// Returns the board that an id names.
    fn board_of_id(id: &Self::Id) -> Result<Self::Board, Self::IdError>;

    /// Plays a move if it is legal, and returns its cost.
    /// On an error the board is unchanged.
    fn play(board: &mut Self::Board, play: &Self::Move) -> Result<MoveCount, Self::IllegalMove>;

    /// Returns legal moves in a fixed order: all of them, or a bounded selection that includes
    /// the moves of at least one cell.
    fn legal_moves(board: &Self::Board) -> Vec<Self::Move>;

    fn is_solved(board: &Self::Board) -> bool;

    /// Returns true if a heat may start from the board: no trace of earlier moves.
    fn is_untouched(_: &Self::Board) -> bool {
        true
    }

    /// Returns the progress since `start`, 0 to 1000; 1000 only if solved.
    fn progress(start: &Self::Board, now: &Self::Board) -> u16;

    /// Returns the pieces that are done, if the family counts pieces.
    fn piece_progress(_: &Self::Board) -> Option<PieceProgress> {
        None
    }

    /// Returns the approximate size of an encoded move, in numbers.
    fn move_weight(_: &Self::Move) -> usize {
        1
    }

    /// Returns the cell that a spectator of a large board follows after a move was played, if
    /// the family has such a cell.
    fn changed_cell(_: &Self::Board, _: &Self::Move, _: &Self::Board) -> Option<Cell> {
        None
    }

    /// Finds out about a board that no generator knows, within 100 ms.
    fn find_knowledge(board: &Self::Board) -> Self::Knowledge;

    /// Returns the solved board to show after the heat, if the solution is known.
    fn solved(_: &Self::Board, _: &Self::Knowledge) -> Option<Self::Board> {
        None
    }

    /// Plans from a board of which nothing is known.
    fn plan(
        board: &Self::Board,
        aim: Aim,
        budget: Budget,
        resources: &Self::Resources,
    ) -> Result<Self::Plan, Unsolved>;

    /// Plans for a hint. If `before`, the board before the last move, is given and the family
    /// counts distances in this style, also returns the change of the distance to the solved board.
    ///
    /// A player who follows hints of one style solves the board, also one who leaves their way in
    /// between.
    fn plan_hint(
        board: &Self::Board,
        before: Option<&Self::Board>,
        style: HintStyle,
        knowledge: Option<&Self::Knowledge>,
        budget: Budget,
        resources: &Self::Resources,
        nodes: &mut NodesUsed,
    ) -> Result<(Self::Plan, Option<i32>), Unsolved>;

    /// Returns the hint for a board on the plan's way; `None` for any other or a solved one.
    fn next_hint(plan: &mut Self::Plan, board: &Self::Board) -> Option<Self::Hint>;

    /// Returns the moves left from a board on the plan's way, if the family counts them.
    fn remaining(_: &Self::Plan, _: &Self::Board) -> Option<u32> {
        None
    }

    fn knowledge_of(plan: &Self::Plan) -> Self::Knowledge;

    /// Returns the move that a hint advises on the board it is about.
    fn hinted_move(hint: &Self::Hint, board: &Self::Board) -> Option<Self::Move>;

    /// Bounds the moves that a board needs. Calls `should_continue` every tens of milliseconds,
    /// and returns `None` once it returns false.
    fn rate(
        board: &Self::Board,
        resources: &Self::Resources,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<Option<MoveBounds>, Unsolved>;

    /// Returns the policy of a bot for one race; `rng` draws in what it differs from others of its
    /// skill.
    fn policy(skill: Skill, board: &Self::Board, rng: &mut PortableRng) -> Self::Policy;

    /// Decides on the next move on an unsolved board, and on the time it takes in milliseconds.
    ///
    /// # Errors
    /// [`Unsolved`] for an unsolvable board.
    fn decide(
        policy: &mut Self::Policy,
        board: &Self::Board,
        resources: &Self::Resources,
        rng: &mut PortableRng,
    ) -> Result<(u32, Self::Move), Unsolved>;

    /// Returns the milliseconds that a bot takes per tile or cell.
    fn millis_per_step(skill: Skill) -> u32;

    /// Returns true if tables shorten the ways of a bot of this skill.
    fn uses_tables(_: Skill) -> bool {
        false
    }

    fn encode_board(out: &mut Vec<u8>, board: &Self::Board);

    /// Decodes a board of a heat.
    fn decode_board(reader: &mut ByteReader<'_>) -> Result<Self::Board, ReadError>;

    fn move_codec(start: &Self::Board) -> Self::MoveCodec;

    /// Returns the number of values of a move's code; constant during a heat.
    fn move_codes(codec: &Self::MoveCodec) -> u64;

    /// Returns the code of a move, below [`Family::move_codes`], and appends to `tail` what the
    /// code doesn't say; `None` for a move that no rules allow.
    fn encode_move(
        codec: &mut Self::MoveCodec,
        tail: &mut Vec<u8>,
        play: &Self::Move,
    ) -> Option<u64>;

    /// Decodes a move from its code, below [`Family::move_codes`], and its tail.
    fn decode_move(
        codec: &mut Self::MoveCodec,
        reader: &mut ByteReader<'_>,
        code: u64,
    ) -> Result<Self::Move, ReadError>;
}
