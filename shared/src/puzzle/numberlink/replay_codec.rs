//! Numberlink in a replay: puzzles by their terminals and solid cells, strokes by their
//! first cell and the way from there on, two bits a step.

use crate::puzzle::numberlink::{
    HEAT_SIDES, LinkSpec, Mode, Puzzle, STROKE_CELLS, Square, Stroke, Touch,
};
use crate::util::byte_codec::{ByteReader, ReadError, put_number, put_size};
use crate::util::grid::{Cell, Direction, Size};

/// The choice of a stroke that draws.
const DRAW: u64 = 0;
/// The choice of a stroke that is taken back.
const UNDO: u64 = 1;
pub(crate) const CHOICES: u64 = 2;

/// Steps in a byte.
const STEPS: usize = 4;

/// Writes a puzzle: rows, columns, 1 where links may not touch themselves, the pairs, the
/// solid cells.
pub(crate) fn put_puzzle(out: &mut Vec<u8>, puzzle: &Puzzle) {
    put_size(out, puzzle.size());
    put_number(out, u64::from(puzzle.touch() == Touch::Forbidden));
    put_number(out, puzzle.pairs().len() as u64);
    for cell in puzzle.pairs().iter().flatten() {
        put_number(out, cell.0.into());
    }
    let squares = (0..).map(Cell).zip(puzzle.squares());
    let solids = || squares.clone().filter(|(_, square)| **square == Square::Solid);
    put_number(out, solids().count() as u64);
    for (cell, _) in solids() {
        put_number(out, cell.0.into());
    }
}

/// Reads a puzzle of a size that a heat may have.
pub(crate) fn read_puzzle(source: &mut ByteReader<'_>) -> Result<Puzzle, ReadError> {
    let size = source.size(*HEAT_SIDES.end(), |size| LinkSpec::new(size, Mode::Any))?;
    let touch = match source.flag("whether links may touch themselves")? {
        false => Touch::Free,
        true => Touch::Forbidden,
    };
    let offset = source.offset();
    let pairs = source.number("the number of pairs", size.cells() as u64 / 2)?;
    let mut terminals = Vec::new();
    for number in 1..=pairs {
        for _ in 0..2 {
            terminals.push((number as u16, source.cell("a number's cell", size)?));
        }
    }
    let count = source.number("the number of solid cells", size.last().0.into())?;
    let solids = (0..count).map(|_| source.cell("a solid cell", size));
    let solids: Vec<Cell> = solids.collect::<Result<_, _>>()?;
    if !solids.is_sorted() {
        let why = "they are not in their order";
        return Err(source.unknown_at(offset, "the solid cells", &why));
    }
    let puzzle = Puzzle::new(size, &terminals, &solids, touch)
        .map_err(|faults| source.unknown_at(offset, "a puzzle", &faults))?;
    if !puzzle.pairs().iter().all(|[a, b]| a < b) {
        let why = "its two cells are not in their order";
        return Err(source.unknown_at(offset, "a pair", &why));
    }
    Ok(puzzle)
}

/// Writes what follows a stroke's choice, and returns the choice; nothing for cells that
/// are none of a stroke's.
pub(crate) fn put_stroke(tail: &mut Vec<u8>, size: Size, stroke: &Stroke) -> Option<u64> {
    let Stroke::Draw(cells) = stroke else {
        return Some(UNDO);
    };
    let (first, rest) = cells.split_first()?;
    if !size.contains(*first) || cells.len() > STROKE_CELLS {
        return None;
    }
    put_number(tail, first.0.into());
    put_number(tail, rest.len() as u64);
    let mut bits = 0;
    for (at, pair) in cells.windows(2).enumerate() {
        bits |= (size.direction(pair[0], pair[1])? as u8) << (2 * (at % STEPS));
        if at % STEPS == STEPS - 1 || at + 1 == rest.len() {
            tail.push(std::mem::take(&mut bits));
        }
    }
    Some(DRAW)
}

/// Reads what follows a stroke's choice, below [`CHOICES`].
pub(crate) fn read_stroke(
    source: &mut ByteReader<'_>,
    size: Size,
    choice: u64,
) -> Result<Stroke, ReadError> {
    if choice == UNDO {
        return Ok(Stroke::Undo);
    }
    let mut cell = source.cell("a stroke's first cell", size)?;
    let steps = source.number("a stroke's length", STROKE_CELLS as u64 - 1)? as usize;
    let offset = source.offset();
    let bits = source.take(steps.div_ceil(STEPS), "a stroke's steps")?;
    let mut cells = vec![cell];
    for at in 0..steps {
        let code = bits[at / STEPS] >> (2 * (at % STEPS)) & 3;
        let way = Direction::ALL[usize::from(code)];
        cell = size.neighbour(cell, way).ok_or_else(|| {
            let at = offset + (at / STEPS) as u64;
            source.unknown_at(at, "a stroke's step", &"it leads off the board")
        })?;
        cells.push(cell);
    }
    let unused = bits.last().map_or(0, |&last| match steps % STEPS {
        0 => 0,
        used => last >> (2 * used),
    });
    if unused != 0 {
        let at = offset + bits.len() as u64 - 1;
        return Err(source.unknown_at(at, "a stroke's steps", &"unused bits are 0"));
    }
    Ok(Stroke::Draw(cells))
}
