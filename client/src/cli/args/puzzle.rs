//! A puzzle on the command line.

use gridrace_shared::puzzle::{PuzzleError, PuzzleSpec};

/// Reads a puzzle, `slide:3x3`; a bare size is the sliding puzzle's.
///
/// # Errors
/// Why it is none.
pub(super) fn puzzle(text: &str) -> Result<PuzzleSpec, PuzzleError> {
    if text.contains(':') { text.parse() } else { format!("slide:{text}").parse() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_size_is_the_sliding_puzzle_s() {
        assert_eq!(puzzle("3x3").unwrap(), puzzle("slide:3x3").unwrap());
        for bad in ["", "3", "1x9", "slide:", "chess:8x8"] {
            assert!(puzzle(bad).is_err(), "{bad}");
        }
    }
}
