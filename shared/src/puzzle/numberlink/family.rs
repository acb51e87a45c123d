//! Numberlink as a [`Family`].

use crate::puzzle::counts::{MoveBounds, MoveCount, PieceProgress};
use crate::puzzle::family::Family;
use crate::puzzle::hint_style::HintStyle;
use crate::puzzle::numberlink::deduce::{KnownSolution, LinkHint};
use crate::puzzle::numberlink::generate::{GeneratedPuzzle, generate, generate_while};
use crate::puzzle::numberlink::notation::{LinkId, LinkIdError};
use crate::puzzle::numberlink::{
    Drawing, IllegalStroke, KNOWN_BUDGET, LinkPlan, LinkPolicy, LinkProfile, LinkSpec,
    LinkSpecError, Stroke, replay_codec,
};
use crate::puzzle::skill::Skill;
use crate::solver::budget::{Aim, Budget, NodesUsed, Unsolved};
use crate::util::byte_codec::{ByteReader, ReadError};
use crate::util::grid::{Cell, Size};
use crate::util::seed::{PortableRng, Seed};
use std::sync::Arc;

/// The largest board that is generated within milliseconds, in cells: 12×12. A larger one takes
/// seconds.
const QUICK_CELLS: usize = 144;

#[derive(Debug, Clone, Copy)]
pub struct Link;

impl Family for Link {
    const NAME: &'static str = "link";
    const EXAMPLE: &'static str = "9x9";
    /// A stroke is pressed, drawn and let go: three or four a second are fast.
    const HUMAN_ACT_MILLIS: u64 = 100;

    type Spec = LinkSpec;
    type SpecError = LinkSpecError;
    type Id = LinkId;
    type IdError = LinkIdError;
    type Board = Drawing;
    type Move = Stroke;
    type IllegalMove = IllegalStroke;
    type Hint = LinkHint;
    type Plan = LinkPlan;
    type Knowledge = KnownSolution;
    type Resources = ();
    type Policy = LinkPolicy;
    type MoveCodec = Size;

    fn generate(spec: LinkSpec, seed: &Seed) -> (Drawing, KnownSolution) {
        known(generate(spec.size(), spec.mode(), seed))
    }

    fn generate_while(
        spec: LinkSpec,
        seed: &Seed,
        should_continue: &dyn Fn() -> bool,
    ) -> Option<(Drawing, KnownSolution)> {
        generate_while(spec.size(), spec.mode(), seed, should_continue).map(known)
    }

    fn is_costly_to_generate(spec: LinkSpec) -> bool {
        spec.size().cells() > QUICK_CELLS
    }

    fn parse_id(text: &str) -> Result<LinkId, LinkIdError> {
        LinkId::read(text)
    }

    fn board_of_id(id: &LinkId) -> Result<Drawing, LinkIdError> {
        Ok(Drawing::new(id.puzzle()))
    }

    fn play(drawing: &mut Drawing, stroke: &Stroke) -> Result<MoveCount, IllegalStroke> {
        drawing.play(stroke)
    }

    fn legal_moves(drawing: &Drawing) -> Vec<Stroke> {
        drawing.candidate_strokes().collect()
    }

    fn is_solved(drawing: &Drawing) -> bool {
        drawing.is_solved()
    }

    fn is_untouched(drawing: &Drawing) -> bool {
        drawing.covered() == 0 && drawing.undos() == 0
    }

    fn progress(_: &Drawing, now: &Drawing) -> u16 {
        now.progress()
    }

    fn piece_progress(drawing: &Drawing) -> Option<PieceProgress> {
        let count = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        Some(PieceProgress {
            done: count(drawing.linked()),
            of: count(drawing.puzzle().pairs().len()),
            covered: count(drawing.covered()),
            cells: count(drawing.puzzle().open_cells()),
        })
    }

    fn move_weight(stroke: &Stroke) -> usize {
        match stroke {
            Stroke::Undo => 1,
            Stroke::Draw(cells) => 1 + cells.len(),
        }
    }

    /// The end of the link that the stroke changed.
    fn changed_cell(before: &Drawing, stroke: &Stroke, after: &Drawing) -> Option<Cell> {
        match stroke {
            Stroke::Draw(cells) => cells.last().copied(),
            Stroke::Undo => undone_end(before, after),
        }
    }

    fn find_knowledge(drawing: &Drawing) -> KnownSolution {
        KnownSolution::find(drawing.puzzle(), KNOWN_BUDGET)
    }

    fn solved(drawing: &Drawing, knowledge: &KnownSolution) -> Option<Drawing> {
        let mut drawing = Drawing::new(Arc::clone(drawing.puzzle()));
        for link in &knowledge.solution()?.0 {
            drawing.play(&Stroke::Draw(link.clone())).ok()?;
        }
        Some(drawing)
    }

    fn plan(drawing: &Drawing, _: Aim, budget: Budget, (): &()) -> Result<LinkPlan, Unsolved> {
        LinkPlan::plan(drawing, &KnownSolution::Nothing, budget, &mut NodesUsed::default())
    }

    /// In both styles, the easiest deduction with its reason; they differ where none is found, as
    /// [`LinkPlan::explain`] says.
    fn plan_hint(
        drawing: &Drawing,
        _: Option<&Drawing>,
        style: HintStyle,
        knowledge: Option<&KnownSolution>,
        budget: Budget,
        (): &(),
        nodes: &mut NodesUsed,
    ) -> Result<(LinkPlan, Option<i32>), Unsolved> {
        let knowledge = knowledge.unwrap_or(&KnownSolution::Nothing);
        let plan = LinkPlan::plan(drawing, knowledge, budget, nodes)?;
        Ok((plan.explain(drawing, style, nodes), None))
    }

    fn next_hint(plan: &mut LinkPlan, drawing: &Drawing) -> Option<LinkHint> {
        plan.next(drawing)
    }

    fn knowledge_of(plan: &LinkPlan) -> KnownSolution {
        plan.known()
    }

    fn hinted_move(hint: &LinkHint, drawing: &Drawing) -> Option<Stroke> {
        hint.stroke(drawing)
    }

    /// Each link needs one move, and a player who knows the solution needs no more.
    fn rate(
        drawing: &Drawing,
        (): &(),
        _: &dyn Fn() -> bool,
    ) -> Result<Option<MoveBounds>, Unsolved> {
        let pairs = u32::try_from(drawing.puzzle().pairs().len()).unwrap_or(u32::MAX);
        Ok(Some(MoveBounds::of(pairs, pairs)))
    }

    fn policy(skill: Skill, _: &Drawing, rng: &mut PortableRng) -> LinkPolicy {
        LinkPolicy::new(skill, rng)
    }

    fn decide(
        policy: &mut LinkPolicy,
        drawing: &Drawing,
        (): &(),
        rng: &mut PortableRng,
    ) -> Result<(u32, Stroke), Unsolved> {
        policy.decide(drawing, rng)
    }

    fn millis_per_step(skill: Skill) -> u32 {
        LinkProfile::of(skill).cell_millis
    }

    fn encode_board(out: &mut Vec<u8>, drawing: &Drawing) {
        replay_codec::put_puzzle(out, drawing.puzzle());
    }

    fn decode_board(reader: &mut ByteReader<'_>) -> Result<Drawing, ReadError> {
        replay_codec::read_puzzle(reader).map(Drawing::new)
    }

    fn move_codec(start: &Drawing) -> Size {
        start.puzzle().size()
    }

    fn move_codes(_: &Size) -> u64 {
        replay_codec::CHOICES
    }

    fn encode_move(size: &mut Size, tail: &mut Vec<u8>, stroke: &Stroke) -> Option<u64> {
        replay_codec::put_stroke(tail, *size, stroke)
    }

    fn decode_move(
        size: &mut Size,
        reader: &mut ByteReader<'_>,
        code: u64,
    ) -> Result<Stroke, ReadError> {
        replay_codec::read_stroke(reader, *size, code)
    }
}

fn known(made: GeneratedPuzzle) -> (Drawing, KnownSolution) {
    (Drawing::new(made.puzzle.clone()), KnownSolution::from(made))
}

/// Returns the end of the link that an undo changed: of the one that lost cells, or else of one
/// that got them back. A link that is gone ended at its terminal.
fn undone_end(before: &Drawing, after: &Drawing) -> Option<Cell> {
    let numbers = (1u16..).zip(after.puzzle().pairs());
    let changed = numbers.filter_map(|(number, _)| {
        let (was, is) = (before.link(number), after.link(number));
        let end = is.last().or_else(|| was.first())?;
        (was != is).then_some((is.len() >= was.len(), *end))
    });
    changed.min_by_key(|(grown, _)| *grown).map(|(_, end)| end)
}
