//! Texts of the sliding puzzle.

use crate::display::format;
use gridrace_shared::puzzle::slide::solve::{ConstructiveStage, Line, StageMoves};
use gridrace_shared::puzzle::slide::{self, MOVES_AHEAD};

/// Returns which tiles are to slide, `8, then 4, 10`.
pub(super) fn tiles(board: &slide::Board, hint: &slide::SlideHint) -> String {
    let mut board = board.clone();
    let mut names = Vec::new();
    let then = hint.then.iter().take(MOVES_AHEAD);
    for &cell in std::iter::once(&hint.play).chain(then) {
        // The server may have sent an illegal one.
        if board.slide_of(cell).is_err() {
            break;
        }
        names.push(board.tile(cell).to_string());
        board.play(cell).ok();
    }
    match names.split_first() {
        Some((first, [])) => first.clone(),
        Some((first, then)) => format!("{first}, then {}", then.join(", ")),
        None => String::new(),
    }
}

pub(super) fn distance(hint: &slide::SlideHint, distance_change: Option<i32>) -> String {
    let most = format::counted(hint.at_most as usize, "move", "moves");
    let left = if hint.at_least == hint.at_most {
        format!("{most} to go")
    } else {
        format!("{} to {most} to go", hint.at_least)
    };
    let Some(distance_change) = distance_change else {
        return left;
    };
    let by = distance_change.unsigned_abs();
    match distance_change {
        0 => format!("{left}, as far as before"),
        1.. => format!("{left}, {by} further than before"),
        i32::MIN..0 => format!("{left}, {by} nearer"),
    }
}

pub(super) fn short(hint: &slide::SlideHint, distance_change: Option<i32>) -> String {
    let left = if hint.at_least == hint.at_most {
        hint.at_most.to_string()
    } else {
        format!("{}-{}", hint.at_least, hint.at_most)
    };
    match distance_change {
        Some(distance_change @ 1..) => format!("{left} to go, +{distance_change}"),
        Some(_) | None => format!("{left} to go"),
    }
}

/// Returns the stage of a hint by method, and how far it goes.
pub(super) fn stage(stage: &StageMoves) -> String {
    let left = format::counted(stage.moves as usize, "move", "moves");
    format!("{}; {left} left of this step", stage.stage)
}

/// Returns a stage in as few letters as the narrowest panel has columns, 15.
pub(super) fn short_stage(stage: &ConstructiveStage) -> String {
    match stage {
        ConstructiveStage::Tile { tile, .. } => format!("{tile} home"),
        ConstructiveStage::Park { tile, line: Line::Row(_) } => format!("{tile} to row's end"),
        ConstructiveStage::Park { tile, line: Line::Column(_) } => format!("{tile} to the foot"),
        ConstructiveStage::ParkBehind { tiles: [first, last], line: Line::Row(_) } => {
            format!("{last} below {first}")
        }
        ConstructiveStage::ParkBehind { tiles: [first, last], line: Line::Column(_) } => {
            format!("{last} beside {first}")
        }
        ConstructiveStage::Pair { tiles: [first, last], .. } => format!("{first}, {last} home"),
        ConstructiveStage::LastThree { .. } => "the last three".to_owned(),
        ConstructiveStage::SingleLine => "the blank home".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::util::grid::Cell;

    fn hint(at_least: u32, at_most: u32) -> slide::SlideHint {
        slide::SlideHint {
            play: Cell(8),
            then: vec![Cell(5), Cell(4), Cell(99)],
            at_least,
            at_most,
            stage: None,
        }
    }

    #[test]
    fn advice_states_the_distance_and_its_change() {
        for (at_least, at_most, distance_change, words, few) in [
            (41, 41, None, "41 moves to go", "41 to go"),
            (1, 1, Some(-1), "1 move to go, 1 nearer", "1 to go"),
            (31, 33, Some(2), "31 to 33 moves to go, 2 further than before", "31-33 to go, +2"),
            (8, 8, Some(0), "8 moves to go, as far as before", "8 to go"),
        ] {
            let hint = hint(at_least, at_most);
            assert_eq!(distance(&hint, distance_change), words);
            assert_eq!(short(&hint, distance_change), few);
        }
    }

    #[test]
    fn a_stage_is_named_in_many_letters_and_in_few() {
        let (row, column) = (Line::Row(1), Line::Column(1));
        for (named, words, few) in [
            (ConstructiveStage::Tile { tile: 2, line: row }, "row 1: tile 2 home", "2 home"),
            (
                ConstructiveStage::ParkBehind { tiles: [3, 4], line: row },
                "row 1: tile 4 below tile 3",
                "4 below 3",
            ),
            (
                ConstructiveStage::Pair { tiles: [9, 13], line: column },
                "last two rows, column 1: 9 and 13 home together",
                "9, 13 home",
            ),
        ] {
            let moves = StageMoves { stage: named, moves: 7 };
            assert_eq!(stage(&moves), format!("{words}; 7 moves left of this step"));
            assert_eq!(short_stage(&named), few);
        }
    }

    #[test]
    fn tiles_are_named_in_order_up_to_the_first_illegal_move() {
        let board = "1 2 3/4 5 6/0 7 8".parse().unwrap();
        assert_eq!(tiles(&board, &hint(2, 2)), "8, then 6, 5");
    }
}
