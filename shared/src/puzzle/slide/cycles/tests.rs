//! The permutation view against the worked example and against play.

use proptest::prelude::*;

use super::*;
use crate::puzzle::slide::scramble::any_board;

#[test]
fn the_worked_example_of_22_moves_is_reproduced() {
    let steps = "(4,5) (5,6) (3,6) (2,3) (2,5) (5,6) (3,6) (2,3) (1,2) (1,4) (4,5) \
                 (5,6) (3,6) (2,3) (2,5) (5,6) (3,6) (2,3) (1,2) (1,4) (4,5) (5,6)";
    let products = "(1,3,2,4,6,5); (1,3,2,4,5); (1,6,3,2,4,5); (1,6,2,4,5); (1,6,5)(2,4); \
                    (1,5)(2,4); (1,5)(2,4)(3,6); (1,5)(2,4,3,6); (1,5,2,4,3,6); \
                    (1,5,2)(3,6,4); (1,4,3,6,5,2); (1,4,3,5,2); (1,4,6,3,5,2); \
                    (1,4,6,2)(3,5); (1,4,6,5,3,2); (1,4,5,3,2); (1,4,5,6,3,2); (1,4,5,6,2); \
                    (1,4,5,6); (4,5,6); (5,6); e";
    let size = Size::new(2, 3).unwrap();
    let mut product = Permutation::parse("(1,3,2,5)(4,6)", 6).unwrap();
    let mut board = product.board(size).unwrap();
    let mut seen = Vec::new();
    for step in steps.split_whitespace() {
        let positions: Transposition = step.parse().unwrap();
        let [low, high] = positions.positions().map(|position| Cell(position - 1));
        // The blank is at one of the positions; the tile at the other is played.
        let cell = if board.blank() == low { high } else { low };
        assert_eq!(transpositions(&board, cell), Ok(vec![positions]));
        board.play(cell).unwrap();
        product.apply(positions);
        assert_eq!(Permutation::of(&board), product);
        seen.push(product.to_string());
    }
    assert_eq!(seen, products.split("; ").map(str::trim).collect::<Vec<_>>());
    assert!(board.is_solved());
}

#[test]
fn parse_returns_the_reason_for_every_invalid_text() {
    use CyclesError as Error;
    let refused = |text: &str| Permutation::parse(text, 6).unwrap_err();
    for text in ["1,2", "(1,2", "(1,2)3", "()", "(1,)", "(1 2)", "(a)", "(1,-2)", "ee"] {
        assert_eq!(refused(text), Error::Malformed, "{text}");
    }
    assert_eq!(refused("(1,7)"), Error::OutOfRange(7));
    assert_eq!(refused("(0,1)"), Error::OutOfRange(0));
    assert_eq!(refused("(1,2,1)"), Error::Repeated(1));
    assert_eq!(refused(&" ".repeat(MAX_CYCLES_TEXT + 1)), Error::TooLong);
    assert_eq!(Permutation::parse("e", 0), Err(Error::Pictures));
    assert_eq!(Permutation::parse("e", MAX_PICTURES + 1), Err(Error::Pictures));
}

#[test]
fn a_product_reads_from_left_to_right() {
    let read = |text: &str| Permutation::parse(text, 6).unwrap();
    let mut product = read("(1,3,2,5)(4,6)");
    product.apply("(4,5)".parse().unwrap());
    assert_eq!(product, read(" (1, 3, 2, 4, 6, 5) "));
    let size = Size::new(3, 3).unwrap();
    assert_eq!(Transposition::of_cells(size, Cell(2), Cell(3)), None);
    assert_eq!(Transposition::of_cells(size, Cell(8), Cell(11)), None);
}

proptest! {
    #[test]
    fn written_cycles_parse_back_to_the_board(board in any_board()) {
        let permutation = Permutation::of(&board);
        let read = Permutation::parse(&permutation.to_string(), board.tiles().len());
        prop_assert_eq!(read.as_ref(), Ok(&permutation));
        prop_assert_eq!(permutation.board(board.size()), Ok(board.clone()));
        prop_assert_eq!(permutation.is_identity(), board.is_solved());
    }

    #[test]
    fn a_move_equals_the_product_of_its_transpositions(board in any_board(), cell in 0_u16..36) {
        let mut moved = board.clone();
        let mut product = Permutation::of(&board);
        let steps = transpositions(&board, Cell(cell));
        prop_assert_eq!(steps.is_ok(), moved.play(Cell(cell)).is_ok());
        for step in steps.into_iter().flatten() {
            product.apply(step);
        }
        prop_assert_eq!(product, Permutation::of(&moved));
    }

    #[test]
    fn parsing_never_panics(text in "[(),0-9e x]{0,30}") {
        Permutation::parse(&text, 9).ok();
        text.parse::<Transposition>().ok();
    }
}
