//! Guarantees of the generator for given seeds and sizes; `numberlink/tests/properties.rs` has the
//! properties for any.

use super::*;
use crate::puzzle::numberlink::deduce::solving_effort;
use crate::puzzle::numberlink::notation::write_grid;
use crate::puzzle::numberlink::{LinkSpec, Rule};
use crate::solver::budget::Budget;
use sha2::{Digest, Sha256};

fn made(spec: &str, seed: &str) -> GeneratedPuzzle {
    let spec: LinkSpec = spec.parse().unwrap();
    make(spec.size(), spec.mode(), &seed.parse().unwrap()).unwrap()
}

#[test]
fn every_size_of_a_heat_has_boards() {
    for rows in 4..=20usize {
        for cols in (4..=20usize).filter(|cols| rows * cols <= 120) {
            assert_eq!(made(&format!("{rows}x{cols}"), "size").unique, Some(Rule::Loose));
        }
    }
}

const GRADED: [(Mode, Grade); 3] =
    [(Mode::Easy, Grade::Easy), (Mode::Normal, Grade::Normal), (Mode::Hard, Grade::Hard)];

#[test]
fn a_graded_board_has_its_grade_or_is_nearer_to_it_than_the_first() {
    let size: Size = "6x7".parse().unwrap();
    for (mode, grade) in GRADED {
        for seed in 0..20 {
            let seed = format!("n{seed}").parse().unwrap();
            let pairs_percent = pairs_percent(size, grade);
            let profile = BoardProfile { size, pairs_percent, candidates: 1 };
            let Ok(first) = unique::make(&profile, &seed, |_| 0, &always);
            let (first, graded) = (first.unwrap(), make(size, mode, &seed).unwrap());
            let distance = |made: &GeneratedPuzzle| Grade::of(&made.puzzle).distance(grade);
            match distance(&first) {
                0 => assert_eq!(graded, first),
                far => assert!(graded == first || distance(&graded) < far),
            }
        }
    }
}

/// A median of some boards of a grade, by a measure.
fn median(size: &str, mode: Mode, measure: impl Fn(&GeneratedPuzzle) -> f64) -> f64 {
    let boards = (0..25).map(|seed| made(&format!("{size}:{mode}"), &format!("s{seed}")));
    let mut figures: Vec<f64> = boards.map(|made| measure(&made)).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

#[test]
fn a_harder_grade_takes_more_deductions_and_its_links_wind_more() {
    let score = |made: &GeneratedPuzzle| {
        let effort = solving_effort(&made.puzzle, u32::MAX, Budget(1_000_000)).unwrap();
        f64::from(effort.score())
    };
    let winding = |made: &GeneratedPuzzle| made.solution.winding(&made.puzzle);
    let pairs = |made: &GeneratedPuzzle| made.puzzle.pairs().len() as f64;
    for size in ["7x7", "10x10"] {
        let scores = GRADED.map(|(mode, _)| median(size, mode, score));
        assert!(scores.windows(2).all(|two| two[1] > 1.5 * two[0]), "{scores:?}");
        let windings = GRADED.map(|(mode, _)| median(size, mode, winding));
        assert!(windings.is_sorted_by(|easier, harder| easier < harder), "{windings:?}");
        let pairs = GRADED.map(|(mode, _)| median(size, mode, pairs));
        assert!(pairs.is_sorted_by(|easier, harder| easier > harder), "{pairs:?}");
    }
}

#[test]
fn generation_stops_when_cancelled_and_else_gives_the_same_board() {
    for spec in ["7x7:hard", "7x7:classic"] {
        let spec: LinkSpec = spec.parse().unwrap();
        let seed = "stop".parse().unwrap();
        let whole = make(spec.size(), spec.mode(), &seed).unwrap();
        let asked = std::cell::Cell::new(0);
        let so_often = |most: u32| {
            asked.set(0);
            let go_on = || asked.replace(asked.get() + 1) < most;
            generate_while(spec.size(), spec.mode(), &seed, &go_on)
        };
        assert_eq!(so_often(u32::MAX), Some(whole));
        let enough = asked.get();
        assert!(enough > 0, "{spec}");
        for most in 0..enough {
            assert_eq!(so_often(most), None);
            assert_eq!(asked.get(), most + 1);
        }
    }
}

#[test]
fn golden_seeds_give_their_boards() {
    let boards = GOLDEN.map(|(spec, _)| (spec, made(spec, "golden").puzzle.to_string()));
    let golden = GOLDEN.map(|(spec, board)| (spec, board.to_owned()));
    assert_eq!(boards, golden);
}

#[test]
fn golden_hashes_of_many_seeds_hold() {
    let hash = |(spec, boards, _)| {
        let mut hash = Sha256::new();
        for seed in 0..boards {
            hash.update(write_grid(&made(spec, &format!("g{seed}")).puzzle));
        }
        let bytes = hash.finalize();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        (spec, boards, hex)
    };
    let golden = GOLDEN_HASHES.map(|(spec, boards, hash)| (spec, boards, hash.to_owned()));
    assert_eq!(GOLDEN_HASHES.map(hash), golden);
}

const GOLDEN: [(&str, &str); 10] = [
    ("4x4", "...1/.2.3/.12./3..."),
    ("5x5", "....1/1...2/...../.3.4./.24.3"),
    ("7x7", "....1.2/.1..3../.4...../...2.../.....45/5.3..../....6.6"),
    ("4x10", ".........1/....23..../.24..4.56./13.....6.5"),
    (
        "10x10",
        ".........1/.2......../........../.34......2/........../5.......4./...67...1./...7...8../.8......36/......5...",
    ),
    ("6x6:easy", "1...23/45..../..1236/..56../....47/7....."),
    ("6x6:normal", "....12/.34.5./....../....../31.4../...5.2"),
    ("6x6:hard", "1...../....2./...3../.4..41/.2..3./......"),
    ("5x5:classic", "12..3/.X..4/1..34/..5../26.65"),
    (
        "9x9:classic",
        "......12X/3X..4.1../5...4..X./5.6.77.../..6...8.8/.X.39..../...X9..../abb.a.c.2/....Xdc.d",
    ),
];

const GOLDEN_HASHES: [(&str, u32, &str); 6] = [
    ("4x4", 200, "05f4de0d4137b9df51d176d92435e84f81508030b0b050b6045be0d8b8b1aeae"),
    ("5x5", 200, "4ae4a391daf8c30aa19db1571ea0238cae206cc667ee0ac18935b8aeb893d959"),
    ("7x7", 100, "2e51661fa7b30c23d9081b01cb7f444c5640c10359c77264fd06e326828b85e4"),
    ("10x7", 30, "e669fb928ffeaa95bbf538be3716925322f7bf5cb38ddeb0d11e7985be1c04b6"),
    ("10x10", 20, "dd0868902babca5edb5f907515ddf0264ed9c77c83b99013e71a0df47850c4cd"),
    ("7x7:classic", 100, "0c0a307c535bd76cd2a8128bb2fd15c66d67d8dfd9178cf3982e7ed658cb59eb"),
];
