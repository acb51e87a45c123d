//! Numberlink's texts: grids, drawings and strokes, and puzz.link's addresses.

use super::text;
use gridrace_shared::puzzle::numberlink::notation::{read_puzz_link, write_grid, write_puzz_link};
use gridrace_shared::puzzle::numberlink::{Drawing, Puzzle, Stroke};

/// Grids round-trip.
pub(super) fn grid(input: &[u8]) -> bool {
    text(input, |text| {
        let puzzle = text.parse::<Puzzle>();
        if let Ok(puzzle) = &puzzle {
            assert_eq!(puzzle.to_string().parse().as_ref(), Ok(puzzle));
            assert_eq!(write_grid(puzzle).parse().as_ref(), Ok(puzzle));
        }
        puzzle.is_ok()
    })
}

/// Drawings and strokes in JSON, one a line: a drawing can be undone to its beginning, and
/// round-trips after any stroke, legal or not.
pub(super) fn drawing(input: &[u8]) -> bool {
    text(input, |text| {
        let mut lines = text.lines();
        let drawing = lines.next().and_then(|line| serde_json::from_str(line).ok());
        let Some(mut drawing): Option<Drawing> = drawing else {
            return false;
        };
        let mut undone = drawing.clone();
        for _ in 0..drawing.undos() {
            undone.play(&Stroke::Undo).unwrap();
        }
        for stroke in lines.filter_map(|line| serde_json::from_str::<Stroke>(line).ok()) {
            drawing.play(&stroke).ok(); // an illegal stroke changes nothing
        }
        let written = serde_json::to_string(&drawing).unwrap();
        assert_eq!(serde_json::from_str::<Drawing>(&written).unwrap(), drawing);
        true
    })
}

/// puzz.link addresses round-trip.
pub(super) fn puzz_link(input: &[u8]) -> bool {
    text(input, |text| {
        let puzzle = read_puzz_link(text);
        if let Ok(puzzle) = &puzzle {
            let address = write_puzz_link(puzzle).unwrap();
            assert_eq!(read_puzz_link(&address).as_ref(), Ok(puzzle));
        }
        puzzle.is_ok()
    })
}
