//! Puzzles and drawings as they go over the wire and into a journal: those of heats only,
//! so that whatever is larger is refused before it is looked at.

use crate::puzzle::numberlink::drawing::{Drawing, LinkChange, UNDO_STROKES};
use crate::puzzle::numberlink::spec::{LinkSpec, LinkSpecError, Mode};
use crate::puzzle::numberlink::{
    DrawingError, NumberlinkErrors, Puzzle, STROKE_CELLS, Square, Touch,
};
use crate::util::bounded_vec::Bounded;
use crate::util::conversions::serialize_as;
use crate::util::grid::{Cell, Direction, Size};
use serde::{Deserialize, Serialize};

/// As many cells as the largest heat's board has.
const CELLS: usize = 400;

/// How a solid cell is written, and an open one.
const SOLID: i16 = -1;
const OPEN: i16 = 0;

/// A puzzle that isn't checked yet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RawPuzzle {
    size: Size,
    /// Row by row: 0 for an open cell, -1 for a solid one, else the number.
    cells: Bounded<i16, CELLS>,
    touch: Touch,
}

/// A drawing that isn't checked yet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RawDrawing {
    puzzle: Puzzle,
    links: Bounded<Bounded<Cell, CELLS>, { CELLS / 2 }>,
    last: Option<u16>,
    undo: Bounded<Bounded<RawLinkChange, STROKE_CELLS>, UNDO_STROKES>,
}

/// What a link was before a stroke: its first cells as they are, then the cell that came
/// next and the way from there on, in letters.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct RawLinkChange {
    number: u16,
    keep: u16,
    lost: Option<(Cell, String)>,
}

/// An error in a puzzle or drawing from outside.
#[derive(Debug, thiserror::Error)]
pub(super) enum RawError {
    #[error(transparent)]
    Size(#[from] LinkSpecError),
    #[error("{found} cells for {expected}")]
    CellCount { expected: usize, found: usize },
    #[error("{0} is no cell")]
    NoCell(i16),
    #[error(transparent)]
    Puzzle(#[from] NumberlinkErrors),
    #[error(transparent)]
    Drawing(#[from] DrawingError),
}

impl TryFrom<RawPuzzle> for Puzzle {
    type Error = RawError;

    fn try_from(raw: RawPuzzle) -> Result<Self, RawError> {
        let size = LinkSpec::new(raw.size, Mode::Any)?.size();
        let (expected, found) = (size.cells(), raw.cells.0.len());
        if expected != found {
            return Err(RawError::CellCount { expected, found });
        }
        let (mut terminals, mut solids) = (Vec::new(), Vec::new());
        for (cell, &square) in (0..).map(Cell).zip(&raw.cells.0) {
            match square {
                OPEN => {}
                SOLID => solids.push(cell),
                _ => {
                    let number = u16::try_from(square).map_err(|_| RawError::NoCell(square))?;
                    terminals.push((number, cell));
                }
            }
        }
        Ok(Self::new(size, &terminals, &solids, raw.touch)?)
    }
}

impl From<Puzzle> for RawPuzzle {
    fn from(puzzle: Puzzle) -> Self {
        let square = |square: &Square| match *square {
            Square::Open => OPEN,
            Square::Solid => SOLID,
            // At most 800 pairs on the largest board.
            Square::Terminal(number) => number.cast_signed(),
        };
        Self {
            size: puzzle.size(),
            cells: Bounded(puzzle.squares().iter().map(square).collect()),
            touch: puzzle.touch(),
        }
    }
}

impl TryFrom<RawDrawing> for Drawing {
    type Error = RawError;

    fn try_from(raw: RawDrawing) -> Result<Self, RawError> {
        let links: Vec<_> = raw.links.0.into_iter().map(|link| link.0).collect();
        let size = raw.puzzle.size();
        let drawing = Self::from_links(raw.puzzle, &links)?;
        let stroke = |stroke: Bounded<RawLinkChange, STROKE_CELLS>| {
            let changes = stroke.0.into_iter();
            changes.map(|change| change.read(size)).collect()
        };
        let strokes = raw.undo.0.into_iter().map(stroke);
        let strokes = strokes.collect::<Result<_, DrawingError>>()?;
        Ok(drawing.with_history(raw.last, strokes)?)
    }
}

impl From<Drawing> for RawDrawing {
    fn from(drawing: Drawing) -> Self {
        let puzzle = Puzzle::clone(drawing.puzzle());
        let numbers = (1u16..).take(puzzle.pairs().len());
        let links = numbers.map(|number| Bounded(drawing.link(number).to_vec()));
        let stroke = |stroke: &Vec<LinkChange>| {
            let changes = stroke.iter();
            let changes = changes.map(|change| RawLinkChange::write(change, puzzle.size()));
            Bounded(changes.collect())
        };
        Self {
            links: Bounded(links.collect()),
            last: drawing.last_number(),
            undo: Bounded(drawing.history().strokes().map(stroke).collect()),
            puzzle,
        }
    }
}

impl RawLinkChange {
    fn write(change: &LinkChange, size: Size) -> Self {
        let steps = change.lost.windows(2).filter_map(|two| size.direction(two[0], two[1]));
        let steps: String = steps.map(Direction::letter).collect();
        Self {
            number: change.number,
            // At most 1,600 cells.
            keep: u16::try_from(change.keep).unwrap_or(u16::MAX),
            lost: change.lost.first().map(|&first| (first, steps)),
        }
    }

    fn read(self, size: Size) -> Result<LinkChange, DrawingError> {
        let mut lost = Vec::new();
        if let Some((mut cell, steps)) = self.lost {
            if steps.len() >= CELLS || !size.contains(cell) {
                return Err(DrawingError::UndoHistory);
            }
            lost.push(cell);
            for letter in steps.chars() {
                let way = Direction::from_letter(letter).ok_or(DrawingError::UndoHistory)?;
                let next = size.neighbour(cell, way);
                cell = next.ok_or(DrawingError::UndoHistory)?;
                lost.push(cell);
            }
        }
        Ok(LinkChange { number: self.number, keep: usize::from(self.keep), lost })
    }
}

serialize_as!(Puzzle => RawPuzzle, Drawing => RawDrawing);

#[cfg(test)]
mod tests;
