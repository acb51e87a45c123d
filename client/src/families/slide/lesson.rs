//! The constructive method in words, for those who learn it.

use crate::display::format;
use crate::families::family_ui::{Lesson, direction_key};
use gridrace_shared::puzzle::slide::solve::{ConstructiveStage, Line, StageMoves};
use gridrace_shared::puzzle::slide::{Board, SlideHint};

/// Returns the step of a hint. `reversed` says that direction keys move the blank.
pub(super) fn lesson(board: &Board, hint: &SlideHint, reversed: bool) -> Lesson {
    let (step, why) = match &hint.stage {
        Some(StageMoves { stage, .. }) => (format::capitalised(&stage.to_string()), why(stage)),
        None => ("The shortest way".to_owned(), String::new()),
    };
    let mut lesson = Lesson { step, why, keys: Vec::new(), act: String::new() };
    // The server may have sent an illegal move.
    if let Ok((tiles, direction)) = board.slide_of(hint.play) {
        let key = direction_key(if reversed { direction.opposite() } else { direction });
        lesson.keys = vec![key; tiles.into()];
        let (tile, way) = (board.tile(hint.play), direction_key(direction));
        lesson.act = match tiles {
            1 => format!("tile {tile} slides {way}"),
            _ => format!("{tiles} tiles slide {way}, tile {tile} the last"),
        };
    }
    if let Some(StageMoves { moves, .. }) = hint.stage {
        let left = format::counted(moves as usize, "move", "moves");
        lesson.act = format!("{}; {left} left of this step", lesson.act);
    }
    lesson
}

fn why(stage: &ConstructiveStage) -> String {
    match stage {
        ConstructiveStage::Tile { line, .. } => format!(
            "The top rows are solved one by one, each from the left. To move a tile, bring the blank \
             to the side where the tile is to go, and slide it in. Then take the blank round the tile \
             to the next side. Tiles of {line} that are home stay there."
        ),
        ConstructiveStage::Park { tile, line: Line::Row(_) } => format!(
            "The last two tiles of a row go in together: the last one alone would push out the one \
             before it. First tile {tile}, the last but one, waits at the end of the row."
        ),
        ConstructiveStage::Park { tile, line: Line::Column(_) } => format!(
            "Two rows are left. They are solved column by column, and the two tiles of a column go in \
             together, as at the end of a row. First tile {tile}, the upper one, waits at the foot."
        ),
        ConstructiveStage::ParkBehind { tiles: [first, last], line: Line::Row(_) } => format!(
            "Tile {last} follows right below tile {first}, so that both can turn the corner one behind \
             the other."
        ),
        ConstructiveStage::ParkBehind { tiles: [first, last], line: Line::Column(_) } => format!(
            "Tile {last} follows right beside tile {first}, so that both can turn the corner one behind \
             the other."
        ),
        // The shortest way in ends in one of these two ways.
        ConstructiveStage::Pair { tiles: [first, last], line: Line::Row(_) } => format!(
            "Both are near the corner, and turn in one behind the other: tile {first} from the end of \
             the row, with tile {last} below it; or in mirror image tile {last} from the place before \
             the end, with tile {first} below it. This takes the shorter way. The row is done then."
        ),
        ConstructiveStage::Pair { tiles: [first, last], line: Line::Column(_) } => format!(
            "As in a row: tile {first} turns in from the foot of the column, with tile {last} beside \
             it; or in mirror image tile {last} from the place above, with tile {first} beside it. \
             This takes the shorter way. The column is done then."
        ),
        ConstructiveStage::LastThree { .. } => {
            "Only a square of four is left. Its three tiles go round until they are home; it never \
             takes more than a few turns."
                .to_owned()
        }
        ConstructiveStage::SingleLine => {
            "In a single line nothing can pass: the blank goes to its end.".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::util::grid::Cell;

    fn hint(play: u16) -> SlideHint {
        let stage = ConstructiveStage::Tile { tile: 7, line: Line::Row(3) };
        let stage = Some(StageMoves { stage, moves: 4 });
        SlideHint { play: Cell(play), then: Vec::new(), at_least: 2, at_most: 4, stage }
    }

    #[test]
    fn a_lesson_says_which_keys_slide_the_hinted_tiles() {
        let board = "1 2 3/4 5 6/0 7 8".parse().unwrap();
        let one = lesson(&board, &hint(7), false);
        assert_eq!((one.step.as_str(), &one.keys[..]), ("Row 3: tile 7 home", &["left"][..]));
        assert_eq!(one.act, "tile 7 slides left; 4 moves left of this step");
        assert_eq!(lesson(&board, &hint(8), false).keys, ["left", "left"]);
        assert_eq!(lesson(&board, &hint(8), true).keys, ["right", "right"]);
        // A server may say what it likes.
        assert_eq!(lesson(&board, &hint(1), false).keys, [""; 0]);
    }
}
