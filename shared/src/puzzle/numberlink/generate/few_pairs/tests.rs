//! The boards that the generator makes here, on a size that is proved at once, and in
//! `cargo test --release -- --ignored` on the largest.

use super::*;
use crate::puzzle::numberlink::notation::write_grid;
use crate::puzzle::numberlink::solve::{SolutionCount, count};
use crate::solver::budget::Budget;
use sha2::{Digest, Sha256};
use std::cell::Cell as Counter;
use std::convert::Infallible;

fn made(size: &str, seed: u32) -> GeneratedPuzzle {
    let seed = format!("few{seed}").parse().unwrap();
    let go_on = || Ok::<(), Infallible>(());
    let Ok(made) = make(size.parse().unwrap(), &seed, &go_on);
    made.unwrap()
}

/// Returns whether links wind within some bounds. The generator rounds its quotients down, so they may
/// wind by up to a percent more.
fn is_within(percent: f64, [least, most]: [usize; 2]) -> bool {
    (least as f64..=most as f64 + 1.0).contains(&percent)
}

/// Checks the boards of some seeds and returns their hash.
fn hash_of_checked(size: &str, seeds: u32) -> String {
    let mut hash = Sha256::new();
    for seed in 0..seeds {
        let GeneratedPuzzle { puzzle, solution, unique } = made(size, seed);
        assert_eq!(unique, Some(Rule::Loose));
        assert!(solution.solves(&puzzle, Rule::FullNoTouch));
        let counted = count(&puzzle, Rule::Loose, Budget(4_000_000_000));
        assert_eq!(counted.verdict, SolutionCount::Unique(solution.clone()));
        let percent = solution.winding(&puzzle) * 100.0;
        // On boards as small as 12×12 later starts make most of them.
        let bounds = [LATER_WINDING_PERCENT, WINDING_PERCENT];
        assert!(bounds.iter().any(|&bounds| is_within(percent, bounds)), "{percent}");
        hash.update(write_grid(&puzzle));
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn boards_have_one_solution_and_wind_and_are_the_golden_ones() {
    assert_eq!(hash_of_checked("12x12", 4), GOLDEN_12);
}

#[test]
#[ignore = "takes half a minute in release builds"]
fn the_largest_boards_have_one_solution_and_wind_and_are_the_golden_ones() {
    assert_eq!(hash_of_checked("20x20", 2), GOLDEN_20);
}

#[test]
fn later_starts_make_boards_that_wind_less() {
    let (size, seed) = ("12x12".parse().unwrap(), "few0".parse().unwrap());
    let go_on = || Ok::<(), Infallible>(());
    for first in [0, FIRST_LATER_START] {
        let mut made = (first..).filter_map(|number| {
            let Ok(made) = Start::new(size, &seed, number).finish(&go_on);
            made
        });
        let GeneratedPuzzle { puzzle, solution, .. } = made.next().unwrap();
        assert_eq!(puzzle.pairs().len(), 7);
        let percent = solution.winding(&puzzle) * 100.0;
        assert!(is_within(percent, winding_percent(first)), "{percent}");
    }
}

#[test]
fn the_board_is_that_of_the_first_start_however_many_are_made_at_a_time() {
    let size = "12x12".parse().unwrap();
    for number in 0..4 {
        let seed = format!("few{number}").parse().unwrap();
        for threads in [1, 2, 5] {
            assert_eq!(make_on(threads, size, &seed).unwrap(), made("12x12", number));
        }
    }
}

#[test]
fn generation_stops_when_cancelled() {
    let (size, seed) = ("12x12".parse().unwrap(), "few0".parse().unwrap());
    let asked = Counter::new(0);
    let up_to = |most: u32| {
        asked.set(0);
        let go_on = || if asked.replace(asked.get() + 1) < most { Ok(()) } else { Err(()) };
        make(size, &seed, &go_on)
    };
    assert_eq!(up_to(u32::MAX), Ok(Some(made("12x12", 0))));
    let enough = asked.get();
    for most in [0, 1, enough / 2, enough - 1] {
        assert_eq!(up_to(most), Err(()));
        assert_eq!(asked.get(), most + 1);
    }
}

const GOLDEN_12: &str = "14d4945b43de5ace3af2486875a3b920b2b2096e5870331d0b019579bf44a5e3";
const GOLDEN_20: &str = "cd9c6a49e6407d48d12a3ad46fd317cf5550b33d944b5b842d552bd17f8a74c0";
