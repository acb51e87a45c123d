use super::*;
use crate::puzzle::family::Family;
use crate::puzzle::numberlink::tests::samples::{RandomStroke, any_random_stroke};
use crate::puzzle::numberlink::{Link, LinkSpec, Mode, Puzzle, Square, Stroke, Touch, generate};
use crate::solver::budget::HINT_BUDGET;
use crate::util::seed::{PortableRng, Seed};
use proptest::prelude::*;

const PLENTY: Budget = Budget(1_000_000);

fn drawing(size: &str, seed: u32) -> Drawing {
    let seed = format!("guide-{seed}").parse().unwrap();
    Drawing::new(generate(size.parse().unwrap(), Mode::Classic, &seed).puzzle)
}

fn scribble(drawing: &mut Drawing, random_strokes: &[RandomStroke]) {
    for random in random_strokes {
        drawing.play(&random.stroke(drawing)).ok(); // Chance may be wrong.
    }
}

fn hint(drawing: &Drawing, known: &KnownSolution) -> Option<LinkHint> {
    let guide = plan(drawing, known, HINT_BUDGET);
    guide.explain(drawing, HintStyle::Shortest, &mut NodesUsed::default()).next(drawing)
}

fn plan(drawing: &Drawing, known: &KnownSolution, budget: Budget) -> LinkPlan {
    LinkPlan::plan(drawing, known, budget, &mut NodesUsed::default()).unwrap()
}

/// Does as the hints say until nothing is left.
fn follow(drawing: &mut Drawing, mut hint: impl FnMut(&Drawing) -> Option<LinkHint>) {
    for _ in 0..400 {
        let Some(hint) = hint(drawing) else {
            return;
        };
        let stroke = hint.stroke(drawing).unwrap();
        drawing.play(&stroke).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_was_drawn_a_guide_leads_home(
        seed in 0u32..1_000,
        random_strokes in prop::collection::vec(any_random_stroke(), 0..20),
    ) {
        let mut drawing = drawing("6x6", seed);
        scribble(&mut drawing, &random_strokes);
        let guide = plan(&drawing, &KnownSolution::Nothing, PLENTY);
        follow(&mut drawing, |drawing| guide.next(drawing));
        prop_assert!(drawing.is_solved());
    }

    #[test]
    fn whatever_was_drawn_thought_out_hints_lead_home(
        seed in 0u32..1_000,
        random_strokes in prop::collection::vec(any_random_stroke(), 0..20),
    ) {
        let mut drawing = drawing("5x5", seed);
        scribble(&mut drawing, &random_strokes);
        let known = KnownSolution::find(drawing.puzzle(), PLENTY);
        follow(&mut drawing, |drawing| hint(drawing, &known));
        prop_assert!(drawing.is_solved());
    }
}

#[test]
fn what_fits_another_solution_is_no_fault() {
    // 1 . .
    // . . .
    // . . 1
    let terminals = [(1, Cell(0)), (1, Cell(8))];
    let puzzle = Puzzle::new("3x3".parse().unwrap(), &terminals, &[], Touch::Free).unwrap();
    for begun in [[0, 1, 2, 5], [0, 3, 6, 7]] {
        let mut drawing = Drawing::new(puzzle.clone());
        drawing.play(&Stroke::Draw(begun.map(Cell).to_vec())).unwrap();
        let guide = plan(&drawing, &KnownSolution::Nothing, PLENTY);
        assert_eq!(guide.mistake(&drawing), None, "{begun:?}");
    }
    // Straight through the middle leaves cells to no link.
    let mut drawing = Drawing::new(puzzle);
    drawing.play(&Stroke::Draw([0, 1, 4, 7, 8].map(Cell).to_vec())).unwrap();
    assert!(matches!(
        hint(&drawing, &KnownSolution::Nothing),
        Some(LinkHint::Wrong(Mistake { number: 1, .. }))
    ));
}

#[test]
fn a_thought_out_hint_is_for_its_own_drawing_alone() {
    let mut drawing = drawing("7x7", 1);
    let guide = plan(&drawing, &KnownSolution::Nothing, PLENTY);
    let guide = guide.explain(&drawing, HintStyle::Shortest, &mut NodesUsed::default());
    let hint = guide.next(&drawing).unwrap();
    let stroke = hint.stroke(&drawing).unwrap();
    drawing.play(&stroke).unwrap();
    assert_eq!(guide.next(&drawing), None);
}

#[test]
fn most_hints_have_a_reason() {
    let (mut forced, mut all) = (0, 0);
    for seed in 0..8 {
        let mut drawing = drawing("7x7", seed);
        let known = KnownSolution::find(drawing.puzzle(), PLENTY);
        follow(&mut drawing, |drawing| {
            let hint = hint(drawing, &known)?;
            all += 1;
            forced += usize::from(matches!(hint, LinkHint::Forced(_)));
            Some(hint)
        });
    }
    assert!(2 * forced > all, "{forced} of {all}");
}

/// Draws links of a generated board rightly, and then some that leave the solution: from a
/// terminal, as far as there is room for a few cells.
fn go_astray(
    drawing: &mut Drawing,
    known: &KnownSolution,
    strokes: usize,
    chance: &mut PortableRng,
) {
    let right = plan(drawing, known, PLENTY);
    let size = drawing.puzzle().size();
    let pairs = u16::try_from(drawing.puzzle().pairs().len()).unwrap();
    for number in 1..=pairs / 3 {
        let cells = right.rest(drawing, number).unwrap();
        drawing.play(&Stroke::Draw(cells)).unwrap();
    }
    for _ in 0..2_000 {
        if right.mistakes(drawing).count() == strokes {
            return;
        }
        let number = 1 + chance.below(u32::from(pairs)) as u16;
        let mut cells = vec![drawing.puzzle().pairs()[usize::from(number) - 1][0]];
        for _ in 0..5 {
            let free = |cell: &Cell| {
                drawing.owner(*cell).is_none()
                    && drawing.puzzle().square(*cell) == Square::Open
                    && !cells.contains(cell)
            };
            let last = *cells.last().unwrap();
            let ways: Vec<Cell> = size.neighbours(last).filter(free).collect();
            if ways.is_empty() {
                break;
            }
            cells.push(ways[chance.below(u32::try_from(ways.len()).unwrap()) as usize]);
        }
        let before = drawing.clone();
        let played = cells.len() > 2 && drawing.link(number).is_empty();
        let played = played && drawing.play(&Stroke::Draw(cells)).is_ok();
        if played && right.mistakes(drawing).all(|mistake| mistake.number != number) {
            *drawing = before;
        }
    }
    panic!("no room to go astray");
}

/// Makes a board of which this much is known, and draws that many strokes on it that leave its
/// solution.
fn astray(size: &str, mode: Mode, strokes: usize) -> (Drawing, KnownSolution) {
    let seed: Seed = format!("astray-{strokes}").parse().unwrap();
    let spec = LinkSpec::new(size.parse().unwrap(), mode).unwrap();
    let (mut drawing, known) = Link::generate(spec, &seed);
    go_astray(&mut drawing, &known, strokes, &mut seed.rng("astray", size));
    (drawing, known)
}

#[test]
fn what_has_gone_astray_gets_hints_that_lead_home() {
    for (size, mode, strokes) in [
        ("12x12", Mode::Any, 1),
        ("12x12", Mode::Classic, 3),
        ("15x15", Mode::Classic, 1),
        ("15x15", Mode::Any, 3),
        ("20x20", Mode::Classic, 3),
    ] {
        let (mut drawing, known) = astray(size, mode, strokes);
        follow(&mut drawing, |drawing| hint(drawing, &known));
        assert!(drawing.is_solved(), "{size} {mode:?} {strokes}");
    }
}

#[test]
fn where_the_only_solution_is_known_since_the_board_was_made_nothing_is_looked_for() {
    let nothing = Budget(0);
    for (size, strokes) in [("10x10", 1), ("20x20", 3)] {
        let (drawing, known) = astray(size, Mode::Any, strokes);
        let guide = plan(&drawing, &known, nothing);
        assert_eq!(guide.known(), known);
        let hint =
            guide.explain(&drawing, HintStyle::Shortest, &mut NodesUsed::default()).next(&drawing);
        assert!(matches!(hint, Some(LinkHint::Wrong(_))), "{hint:?}");
    }
}

#[test]
fn what_one_hint_finds_out_the_next_takes_for_granted() {
    // Two solutions: 0 1 2 5 4 3 6 7 8, and its mirror image.
    let terminals = [(1, Cell(0)), (1, Cell(8))];
    let puzzle = Puzzle::new("3x3".parse().unwrap(), &terminals, &[], Touch::Free).unwrap();
    let known = KnownSolution::find(&puzzle, PLENTY);
    let Some(solution) = known.solution() else { panic!("{known:?}") };
    let other = if solution.0[0][1] == Cell(1) { 3 } else { 1 };
    let mut drawing = Drawing::new(puzzle);
    let begun = vec![Cell(0), Cell(other)];
    drawing.play(&Stroke::Draw(begun)).unwrap();
    let found = plan(&drawing, &known, HINT_BUDGET);
    assert_ne!(found.known(), known);
    let again = plan(&drawing, &found.known(), Budget(0));
    assert_eq!((again.basis, again.known()), (Basis::Fits, found.known()));
}

#[test]
fn where_a_mistake_can_t_be_told_hints_lead_home_all_the_same() {
    let little = Budget(10);
    for strokes in [1, 3] {
        let (mut drawing, known) = astray("12x12", Mode::Any, strokes);
        // As if it had been written out, and the proof had come to nothing.
        let known = KnownSolution::Solution(known.solution().unwrap().clone());
        let guide = plan(&drawing, &known, little);
        assert_eq!(guide.basis, Basis::Undecided);
        follow(&mut drawing, |drawing| {
            let guide = plan(drawing, &known, little);
            let hint = guide.next(drawing);
            assert!(!matches!(hint, Some(LinkHint::Wrong(_))), "{hint:?}");
            hint
        });
        assert!(drawing.is_solved(), "{strokes}");
    }
}

#[test]
fn hints_by_method_solve_a_board_and_show_one_cell_where_they_know_no_reason() {
    // The last board has a drawing on which nothing is found to be forced.
    let boards = [("4x4", 1), ("5x5:easy", 2), ("7x7:normal", 3), ("12x12:classic", 4)];
    let revealed = |style: HintStyle| -> Vec<usize> {
        boards.iter().flat_map(|(spec, seed)| revealed_cells(spec, *seed, style)).collect()
    };
    let by_method = revealed(HintStyle::Method);
    assert!(!by_method.is_empty() && by_method.iter().all(|&cells| cells == 1), "{by_method:?}");
    assert!(revealed(HintStyle::Shortest).into_iter().any(|cells| cells > 1));
}

/// Follows the hints of a style from the empty board to the end; returns how many cells those show
/// that give no reason.
fn revealed_cells(spec: &str, seed: u32, style: HintStyle) -> Vec<usize> {
    let spec: LinkSpec = spec.parse().unwrap();
    let (mut drawing, known) = Link::generate(spec, &format!("s{seed}").parse().unwrap());
    let mut revealed = Vec::new();
    while !drawing.is_solved() {
        let (known, nodes) = (Some(&known), &mut NodesUsed::default());
        let plan = Link::plan_hint(&drawing, None, style, known, HINT_BUDGET, &(), nodes);
        let hint = plan.unwrap().0.next(&drawing).unwrap();
        if let LinkHint::Reveal { cells, .. } = &hint {
            revealed.push(cells.len() - 1);
        }
        drawing.play(&hint.stroke(&drawing).unwrap()).unwrap();
    }
    revealed
}
