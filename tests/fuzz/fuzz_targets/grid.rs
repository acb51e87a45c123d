//! Grids: what is read is written and read again, with the links and without.
#![no_main]

use gridrace_shared::numberlink::Puzzle;
use gridrace_shared::numberlink::notation::{Marks, read_solved, write_grid, write_links};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(puzzle) = text.parse::<Puzzle>() {
        assert_eq!(puzzle.to_string().parse(), Ok(puzzle.clone()));
        assert_eq!(write_grid(&puzzle).parse(), Ok(puzzle));
    }
    if let Ok((puzzle, solution)) = read_solved(text) {
        let lines = write_links(&puzzle, &solution.0, Marks::Lines);
        assert_eq!(read_solved(&lines), Ok((puzzle, solution)));
    }
});
