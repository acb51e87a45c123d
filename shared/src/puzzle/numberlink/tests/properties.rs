//! Properties that connect generator, solvers, rules and strokes. Failures shrink to the smallest
//! board, the plainest mode and the shortest seed and strokes.

use super::{PLENTY, RULES, counted};
use crate::puzzle::numberlink::generate::{GeneratedPuzzle, make};
use crate::puzzle::numberlink::solve::{SolutionCount, count, first};
use crate::puzzle::numberlink::tests::samples::{
    any_puzzle, any_random_stroke, any_seed, solutions,
};
use crate::puzzle::numberlink::{Drawing, Mode, Puzzle, Rule, Stroke, Touch};
use crate::util::grid::{Cell, Size};
use crate::util::seed::Seed;
use proptest::prelude::*;
use proptest::sample::{Index, select};

const PLAIN: &[Mode] = &[Mode::Any, Mode::Classic];

/// The generator's input; its `Debug` output is the board's id.
#[derive(Clone)]
struct BoardName {
    size: Size,
    mode: Mode,
    seed: Seed,
}

impl BoardName {
    fn made(&self) -> GeneratedPuzzle {
        make(self.size, self.mode, &self.seed).unwrap()
    }
}

impl std::fmt::Debug for BoardName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "link:{}:{}#{}", self.size, self.mode, self.seed)
    }
}

/// A board of one of these modes, from 4×4 up to a number of cells.
fn any_board_name(modes: &'static [Mode], most_cells: usize) -> impl Strategy<Value = BoardName> {
    let sizes = (4..=(most_cells / 4).min(10)).prop_flat_map(move |rows| {
        let cols = 4..=(most_cells / rows).clamp(4, 12);
        cols.prop_map(move |cols| Size::new(rows, cols).unwrap())
    });
    (sizes, select(modes), any_seed()).prop_map(|(size, mode, seed)| BoardName { size, mode, seed })
}

/// A generated board from which a pair was removed, so that it has no solution or several.
fn any_damaged_puzzle() -> impl Strategy<Value = Puzzle> {
    let board_name = any_board_name(PLAIN, 25);
    let solids = prop::collection::vec(any::<Index>(), 0..3);
    let touch = select(&[Touch::Free, Touch::Forbidden][..]);
    (board_name, any::<Index>(), any::<bool>(), solids, touch).prop_map(
        |(board_name, number, joins, solids, touch)| {
            let made = board_name.made();
            let mut pairs = made.puzzle.pairs().to_vec();
            let gone = pairs.remove(number.index(pairs.len()));
            if joins && let Some(other) = pairs.first_mut() {
                // The neighbouring pair gets its second terminal.
                *other = [other[0], gone[1]];
            }
            if pairs.is_empty() {
                pairs.push(gone);
            }
            let numbered = (1u16..).zip(&pairs);
            let terminals: Vec<_> = numbered.flat_map(|(n, pair)| pair.map(|c| (n, c))).collect();
            let cells = (0..made.puzzle.size().cells() as u16).map(Cell);
            let open: Vec<Cell> = cells.filter(|c| terminals.iter().all(|t| t.1 != *c)).collect();
            let mut solids: Vec<Cell> = solids.iter().map(|solid| *solid.get(&open)).collect();
            solids.sort_unstable();
            solids.dedup();
            Puzzle::new(made.puzzle.size(), &terminals, &solids, touch).unwrap()
        },
    )
}

/// A quarter of the cases, since each generates and proves a larger board.
fn quarter_of_cases() -> ProptestConfig {
    let config = ProptestConfig::default();
    let cases = config.cases.div_ceil(4);
    ProptestConfig { cases, ..config }
}

proptest! {
    #![proptest_config(quarter_of_cases())]

    #[test]
    fn generated_boards_keep_their_guarantees_and_have_one_solution(
        board_name in any_board_name(&[Mode::Any, Mode::Easy, Mode::Normal, Mode::Hard], 80),
    ) {
        let made = board_name.made();
        prop_assert_eq!(made.unique, Some(Rule::Loose));
        let GeneratedPuzzle { puzzle, solution, .. } = &made;
        prop_assert_eq!(puzzle.open_cells(), puzzle.size().cells());
        prop_assert!(solution.solves(puzzle, Rule::FullNoTouch));
        prop_assert!(puzzle.pairs().is_sorted());
        for (link, &[from, to]) in solution.0.iter().zip(puzzle.pairs()) {
            prop_assert!(link.len() >= 3 && puzzle.size().distance(from, to) > 1);
        }
        for rule in RULES {
            let verdict = count(puzzle, rule, PLENTY).verdict;
            prop_assert_eq!(verdict, SolutionCount::Unique(solution.clone()));
            prop_assert_eq!(&first(puzzle, rule, PLENTY).solution, &Ok(solution.clone()));
        }
    }

    #[test]
    fn classic_boards_marked_unique_have_one_full_solution(
        board_name in any_board_name(&[Mode::Classic], 100),
    ) {
        let made = board_name.made();
        let GeneratedPuzzle { puzzle, solution, .. } = &made;
        prop_assert!(solution.solves(puzzle, Rule::FullNoTouch));
        prop_assert!(solution.0.iter().all(|link| link.len() >= 2));
        if made.unique.is_some() {
            prop_assert_eq!(made.unique, Some(Rule::Full));
            let verdict = count(puzzle, Rule::Full, PLENTY).verdict;
            prop_assert_eq!(verdict, SolutionCount::Unique(solution.clone()));
        }
    }
}

proptest! {
    #[test]
    fn the_search_counts_the_solutions_that_there_are(
        puzzle in prop_oneof![any_puzzle(2..=5), any_damaged_puzzle()],
    ) {
        for rule in RULES {
            let all = solutions(&puzzle, rule).len();
            prop_assert_eq!(counted(&puzzle, rule), all.min(2), "{:?}", rule);
        }
    }

    #[test]
    fn drawing_the_solution_wins_from_any_drawing(
        board_name in any_board_name(PLAIN, 64),
        random_strokes in prop::collection::vec(any_random_stroke(), 0..20),
    ) {
        let made = board_name.made();
        let mut drawing = Drawing::new(made.puzzle);
        for random in &random_strokes {
            drawing.play(&random.stroke(&drawing)).ok(); // Chance may be wrong.
        }
        let mut moves = 0;
        for link in &made.solution.0 {
            // Illegal if it is drawn already.
            moves += drawing.play(&Stroke::Draw(link.clone())).map_or(0, |count| count.moves);
        }
        prop_assert!(drawing.is_solved());
        prop_assert_eq!(drawing.links(), made.solution.0.clone());
        if random_strokes.is_empty() {
            prop_assert_eq!(moves as usize, made.solution.0.len());
        }
    }
}
