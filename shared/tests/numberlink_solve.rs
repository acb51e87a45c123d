//! The Numberlink solvers compared with an independent count: every instance of 3×3 and 4×4, and
//! random boards with solid cells.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails a test")]

mod covers;

use covers::{covers, terminals_of};
use gridrace_shared::puzzle::numberlink::solve::frontier::count_all;
use gridrace_shared::puzzle::numberlink::solve::{SolutionCount, count, first};
use gridrace_shared::puzzle::numberlink::{Puzzle, Rule, Solution, Touch};
use gridrace_shared::solver::budget::{Budget, Unsolved};
use gridrace_shared::util::grid::{Cell, Size};
use gridrace_shared::util::seed::{PortableRng, Seed};
use std::collections::BTreeMap;

const PLENTY: Budget = Budget(10_000_000);
const RULES: [Rule; 3] = [Rule::Loose, Rule::Full, Rule::FullNoTouch];

fn puzzle(size: Size, terminals: &[(u16, Cell)], solids: &[Cell]) -> Puzzle {
    Puzzle::new(size, terminals, solids, Touch::Free).unwrap()
}

/// Checks the solutions and returns 0, 1, or 2 for two or more.
fn counted(puzzle: &Puzzle, rule: Rule) -> u128 {
    let found = first(puzzle, rule, PLENTY).solution;
    let verdict = count(puzzle, rule, PLENTY).verdict;
    match &found {
        Ok(solution) => assert!(solution.solves(puzzle, rule), "{puzzle:?} {solution:?}"),
        Err(why) => assert_eq!(*why, Unsolved::Unsolvable),
    }
    assert_eq!(found.is_ok(), verdict != SolutionCount::None, "{puzzle:?}");
    match verdict {
        SolutionCount::None => 0,
        SolutionCount::Unique(solution) => {
            assert_eq!(found, Ok(solution));
            1
        }
        SolutionCount::Multiple(two) => {
            let solves = |solution: &Solution| solution.solves(puzzle, rule);
            assert!(two.iter().all(solves) && two[0] != two[1], "{puzzle:?} {two:?}");
            2
        }
        SolutionCount::Undecided => panic!("undecided: {puzzle:?}"),
    }
}

/// Solves every instance of a square with a full solution. Returns the number of instances, of
/// those with one full solution, of those whose only full solution has no touch, and of those with
/// one full solution without touches among any others.
fn census(side: usize) -> [usize; 4] {
    let size = Size::new(side, side).unwrap();
    let mut instances: BTreeMap<Vec<(u16, Cell)>, Vec<Solution>> = BTreeMap::new();
    for cover in covers(size) {
        instances.entry(terminals_of(&cover)).or_default().push(cover);
    }
    let mut census = [instances.len(), 0, 0, 0];
    for (n, (terminals, solutions)) in instances.iter().enumerate() {
        let puzzle = puzzle(size, terminals, &[]);
        let calm = |solution: &&Solution| solution.touches(&puzzle) == 0;
        let calm = solutions.iter().filter(calm).count();
        assert_eq!(counted(&puzzle, Rule::Full), solutions.len().min(2) as u128, "{puzzle:?}");
        assert_eq!(counted(&puzzle, Rule::FullNoTouch), calm.min(2) as u128, "{puzzle:?}");
        let loose = counted(&puzzle, Rule::Loose);
        if side < 4 || n % 100 == 0 {
            let all = RULES.map(|rule| count_all(&puzzle, rule, 100_000).unwrap());
            assert_eq!(all[1..], [solutions.len() as u128, calm as u128], "{puzzle:?}");
            assert_eq!(loose, all[0].min(2), "{puzzle:?}");
        }
        census[1] += usize::from(solutions.len() == 1);
        census[2] += usize::from(solutions.len() == 1 && calm == 1);
        census[3] += usize::from(calm == 1);
    }
    census
}

#[test]
fn every_instance_of_3x3_is_counted_correctly() {
    assert_eq!(census(3), [196, 150, 86, 86]);
}

/// 16,410 is the published number of 4×4 instances with a unique full solution. It counts
/// instances whose only full solution, including those that touch themselves, has no touch.
/// Rotations and reflections count separately; renumberings do not.
#[test]
fn every_instance_of_4x4_is_counted_correctly() {
    assert_eq!(census(4), [70_938, 51_836, 16_410, 16_454]);
}

/// Generates random links, some of which may swap an end, and makes some of the remaining cells
/// solid.
fn drawn(chance: &mut PortableRng, size: Size) -> Option<Puzzle> {
    let mut order: Vec<u16> = (0..size.cells() as u16).collect();
    chance.permute(&mut order);
    let mut is_free = vec![true; size.cells()];
    let mut terminals = Vec::new();
    let longest = 2 + chance.below(12) as usize;
    for begin in order.iter().map(|&at| Cell(at)) {
        let mut link = vec![begin];
        while is_free[usize::from(begin.0)] && link.len() <= longest {
            let last = link[link.len() - 1];
            let ways =
                gridrace_shared::util::grid::Direction::ALL.map(|way| size.neighbour(last, way));
            let next = ways[chance.below(4) as usize];
            match next.filter(|cell| is_free[usize::from(cell.0)] && !link.contains(cell)) {
                Some(next) => link.push(next),
                None => break,
            }
        }
        if link.len() > 1 {
            let number = (terminals.len() / 2 + 1) as u16;
            terminals.extend([(number, begin), (number, link[link.len() - 1])]);
            link.iter().for_each(|cell| is_free[usize::from(cell.0)] = false);
        }
    }
    if terminals.len() > 2 && chance.below(4) == 0 {
        let last = terminals.len() - 1;
        (terminals[0].0, terminals[last].0) = (terminals[last].0, terminals[0].0);
    }
    let rest = order.iter().filter(|&&at| is_free[usize::from(at)]);
    let solids: Vec<Cell> = rest.filter(|_| chance.below(3) > 0).map(|&at| Cell(at)).collect();
    (!terminals.is_empty()).then(|| puzzle(size, &terminals, &solids))
}

#[test]
fn the_search_and_the_frontier_agree_on_random_boards() {
    let seed: Seed = "drawn".parse().unwrap();
    let mut chance = seed.rng("test", "link");
    let mut seen = [[0; 3]; 3];
    let boards = std::env::var("BOARDS").map_or(4_000, |boards| boards.parse().unwrap());
    for _ in 0..boards {
        let mut side = || 2 + chance.below(5) as usize;
        let size = Size::new(side(), side()).unwrap();
        let Some(puzzle) = drawn(&mut chance, size) else {
            continue;
        };
        for (rule, seen) in RULES.into_iter().zip(&mut seen) {
            let all = count_all(&puzzle, rule, 100_000).unwrap();
            let found = counted(&puzzle, rule);
            assert_eq!(found, all.min(2), "{rule:?} {puzzle:?}");
            seen[found as usize] += 1;
        }
    }
    // Every result occurs often; only two solutions without touches are too rare on small boards.
    let often = seen.iter().flatten().take(8).min();
    assert!(often > Some(&50), "{seen:?}");
}
