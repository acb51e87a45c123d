//! The puzzles that are offered where one is chosen; any other can be typed.

use gridrace_shared::puzzle::PuzzleSpec;

/// What is offered, the usual one first.
pub const OFFERS: &[&str] = &[
    "slide:4x4",
    "slide:3x3",
    "slide:5x5",
    "link:5x5:easy",
    "link:7x7:easy",
    "link:7x7:normal",
    "link:7x7:hard",
    "link:10x10:easy",
    "link:10x10:normal",
    "link:10x10:hard",
    "link:15x15",
];

pub fn offer(number: usize) -> Option<PuzzleSpec> {
    OFFERS.get(number).and_then(|text| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offer_is_a_puzzle_that_a_heat_may_have() {
        for (number, text) in OFFERS.iter().enumerate() {
            assert_eq!(offer(number).unwrap().to_string(), *text);
        }
    }
}
