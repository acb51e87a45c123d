use super::*;
use crate::puzzle::numberlink::tests::samples::{any_drawing, any_puzzle, any_random_stroke};
use crate::puzzle::numberlink::{UNDO_STROKES, UNDO_WEIGHT};
use proptest::prelude::*;

fn cells(text: &str) -> Vec<Cell> {
    let cells = text.split_whitespace();
    cells.map(|cell| Cell(cell.parse().unwrap())).collect()
}

fn draw(drawing: &mut Drawing, text: &str) -> Result<u32, IllegalStroke> {
    let stroke = Stroke::Draw(cells(text));
    drawing.play(&stroke).map(|count| count.moves)
}

/// ```text
///  1  .  .  2      0  1  2  3
///  .  .  .  .      4  5  6  7
///  .  .  X  .      8  9 10 11
///  1  .  .  2     12 13 14 15
/// ```
fn drawing(touch: Touch) -> Drawing {
    let terminals = [(1, Cell(0)), (2, Cell(3)), (1, Cell(12)), (2, Cell(15))];
    Drawing::new(Puzzle::new("4x4".parse().unwrap(), &terminals, &[Cell(10)], touch).unwrap())
}

fn free() -> Drawing {
    drawing(Touch::Free)
}

#[test]
fn a_perfect_solution_counts_one_move_per_pair() {
    let mut drawing = free();
    assert_eq!(draw(&mut drawing, "0 4 8 12"), Ok(1));
    assert_eq!((drawing.linked(), drawing.covered()), (1, 4));
    assert_eq!(draw(&mut drawing, "3 2 1 5 9"), Ok(1));
    assert!(!drawing.is_solved());
    // Complete the link, or redraw all of it.
    let mut copy = drawing.clone();
    assert_eq!(draw(&mut copy, "9 13 14 15"), Ok(0));
    assert_eq!((copy.linked(), copy.progress()), (2, 900));
    let mut drawing = free();
    assert_eq!(draw(&mut drawing, "0 1 2 6 5 4 8 9 13 12"), Ok(1));
    assert_eq!(draw(&mut drawing, "3 7 11 15"), Ok(1));
    assert_eq!(drawing.covered(), 14);
    assert_eq!(draw(&mut drawing, "15 14"), Ok(0));
    assert_eq!(drawing.link(2), cells("15 14"));
    assert!(!drawing.is_linked(2) && drawing.is_linked(1));
}

#[test]
fn a_link_restarts_from_either_terminal() {
    let mut drawing = free();
    draw(&mut drawing, "0 4 8 12").unwrap();
    assert_eq!(draw(&mut drawing, "12 13"), Ok(0));
    assert_eq!(drawing.link(1), cells("12 13"));
    assert_eq!(draw(&mut drawing, "0 1"), Ok(0));
    assert_eq!(drawing.link(1), cells("0 1"));
    assert_eq!(drawing.owner(Cell(12)), None);
}

#[test]
fn a_link_continues_from_any_of_its_cells() {
    let mut drawing = free();
    draw(&mut drawing, "0 1 2").unwrap();
    draw(&mut drawing, "2 6 7").unwrap();
    assert_eq!(drawing.link(1), cells("0 1 2 6 7"));
    draw(&mut drawing, "1 5").unwrap();
    assert_eq!(drawing.link(1), cells("0 1 5"));
    draw(&mut drawing, "5 4 8 12").unwrap();
    // A complete link is kept on the side where it was started.
    draw(&mut drawing, "4 8 9").unwrap();
    assert_eq!(drawing.link(1), cells("0 1 5 4 8 9"));
}

#[test]
fn a_single_cell_clears_or_shortens_a_link() {
    let mut drawing = free();
    draw(&mut drawing, "0 1 2 6").unwrap();
    assert_eq!(draw(&mut drawing, "1"), Ok(0));
    assert_eq!(drawing.link(1), cells("0 1"));
    // Either terminal clears the link.
    assert_eq!(draw(&mut drawing, "12"), Ok(0));
    assert_eq!((drawing.link(1).len(), drawing.covered()), (0, 0));
    assert_eq!(draw(&mut drawing, "3"), Err(IllegalStroke::ChangesNothing));
}

#[test]
fn entering_its_own_cells_shortens_a_link() {
    let mut drawing = free();
    draw(&mut drawing, "0 1 5 1 0 4 8 12 8 9").unwrap();
    assert_eq!(drawing.link(1), cells("0 4 8 9"));
    // The stroke crosses itself and loses the loop.
    draw(&mut drawing, "9 5 4").unwrap();
    assert_eq!(drawing.link(1), cells("0 4"));
    draw(&mut drawing, "4 0").unwrap();
    assert!(drawing.link(1).is_empty());
}

#[test]
fn a_stroke_cuts_the_links_that_it_crosses() {
    let mut drawing = free();
    draw(&mut drawing, "3 2 1 5 9 13 14 15").unwrap();
    assert_eq!(draw(&mut drawing, "0 4 5 6"), Ok(1));
    assert_eq!(drawing.link(2), cells("3 2 1"));
    assert_eq!((drawing.linked(), drawing.covered()), (0, 7));
    // Cut down to its terminal, the link disappears.
    draw(&mut drawing, "0 1 2").unwrap();
    assert_eq!((drawing.link(2).len(), drawing.covered()), (0, 3));
    drawing.play(&Stroke::Undo).unwrap();
    assert_eq!(drawing.link(2), cells("3 2 1"));
    drawing.play(&Stroke::Undo).unwrap();
    assert_eq!(drawing.link(2), cells("3 2 1 5 9 13 14 15"));
    assert!(drawing.is_linked(2) && drawing.link(1).is_empty());
}

#[test]
fn cells_taken_back_by_the_stroke_cut_nothing() {
    let mut drawing = free();
    draw(&mut drawing, "3 2 1 5").unwrap();
    draw(&mut drawing, "0 1 2 1 0 4").unwrap();
    assert_eq!(drawing.link(2), cells("3 2 1 5"));
}

#[test]
fn illegal_strokes_return_their_reason_and_change_nothing() {
    let mut drawing = free();
    draw(&mut drawing, "0 4 8").unwrap();
    let before = drawing.clone();
    let long = "0 4 ".repeat(STROKE_CELLS);
    for (stroke, why) in [
        ("", IllegalStroke::Empty),
        (long.as_str(), IllegalStroke::TooLong),
        ("16", IllegalStroke::OutOfBounds(Cell(16))),
        ("8 12 16", IllegalStroke::OutOfBounds(Cell(16))),
        ("65535", IllegalStroke::OutOfBounds(Cell(65_535))),
        ("5 6", IllegalStroke::StartsNowhere(Cell(5))),
        ("10 9", IllegalStroke::StartsNowhere(Cell(10))),
        ("3 7 6 4", IllegalStroke::NotAdjacent(Cell(4))),
        ("3 4", IllegalStroke::NotAdjacent(Cell(4))),
        ("3 2 2", IllegalStroke::NotAdjacent(Cell(2))),
        ("8 9 10", IllegalStroke::Solid(Cell(10))),
        ("3 2 1 0", IllegalStroke::OtherTerminal(Cell(0))),
        ("8 12 13", IllegalStroke::PastTerminal(Cell(13))),
        ("0 4 8", IllegalStroke::ChangesNothing),
        ("8", IllegalStroke::ChangesNothing),
        ("8 9 8", IllegalStroke::ChangesNothing),
    ] {
        assert_eq!(draw(&mut drawing, stroke), Err(why), "{stroke}");
        assert_eq!(drawing, before);
    }
}

#[test]
fn touching_strokes_are_illegal_where_touch_is_forbidden() {
    let mut drawing = drawing(Touch::Forbidden);
    let touches = |cell| Err(IllegalStroke::Touches(Cell(cell)));
    assert_eq!(draw(&mut drawing, "0 1 5 4"), touches(0));
    assert_eq!(draw(&mut drawing, "0 1 5 9 8 4"), touches(0));
    // Taken back within the stroke.
    assert_eq!(draw(&mut drawing, "0 1 5 4 5 9"), Ok(1));
    assert_eq!(draw(&mut drawing, "9 8"), Ok(0));
    assert_eq!(draw(&mut drawing, "8 4"), touches(0));
    assert_eq!(draw(&mut free(), "0 1 5 4"), Ok(1));
}

#[test]
fn undo_neither_counts_nor_refunds_moves() {
    let mut drawing = free();
    let undo = |drawing: &mut Drawing| drawing.play(&Stroke::Undo).map(|count| count.moves);
    assert_eq!(undo(&mut drawing), Err(IllegalStroke::NothingToUndo));
    assert_eq!(draw(&mut drawing, "0 4"), Ok(1));
    assert_eq!(draw(&mut drawing, "3 7"), Ok(1));
    assert_eq!(undo(&mut drawing), Ok(0));
    // The same number, redrawn.
    assert_eq!(draw(&mut drawing, "3 2"), Ok(0));
    assert_eq!(draw(&mut drawing, "4 8"), Ok(1));
    assert_eq!([0; 3].map(|_| undo(&mut drawing)), [Ok(0); 3]);
    assert_eq!(undo(&mut drawing), Err(IllegalStroke::NothingToUndo));
    assert_eq!(drawing.covered(), 0);
}

#[test]
fn undo_is_bounded_by_strokes_and_weight() {
    let mut drawing = free();
    for _ in 0..UNDO_STROKES {
        draw(&mut drawing, "0 1").unwrap();
        draw(&mut drawing, "0 4").unwrap();
    }
    assert_eq!(drawing.undos(), UNDO_STROKES);
    // Strokes along all but one row, then all but one column, of the largest board exceed the
    // weight limit first.
    let terminals = [(1, Cell(0)), (1, Cell(399))];
    let size = "20x20".parse().unwrap();
    let mut drawing = Drawing::new(Puzzle::new(size, &terminals, &[], Touch::Free).unwrap());
    let row = |row: u16| 20 * row..20 * (row + 1);
    let rows = |row_of: &dyn Fn(u16, u16) -> u16| {
        let turned = |n: u16| row(n).rev().collect::<Vec<_>>();
        let rows = (0..20).map(|n| if n % 2 == 0 { row(n).collect() } else { turned(n) });
        let cells = rows.flatten().map(|cell: u16| Cell(row_of(cell / 20, cell % 20)));
        Stroke::Draw(cells.take(380).collect())
    };
    for _ in 0..8 {
        drawing.play(&rows(&|row, col| 20 * row + col)).unwrap();
        drawing.play(&rows(&|row, col| 20 * col + row)).unwrap();
    }
    assert_eq!(drawing.undos(), UNDO_WEIGHT / (24 + 379));
}

/// Recomputes every counter and compares it with the drawing's.
fn assert_counted_right(drawing: &Drawing) {
    let numbers = 1..=drawing.puzzle().pairs().len() as u16;
    let links = drawing.links();
    let copy = Drawing::from_links(drawing.puzzle().clone(), links).unwrap();
    assert_eq!(copy.linked(), drawing.linked());
    assert_eq!(drawing.covered(), links.iter().flatten().count());
    for cell in (0..drawing.puzzle().size().cells() as u16).map(Cell) {
        let owner = numbers.clone().find(|&n| drawing.link(n).contains(&cell));
        assert_eq!(drawing.owner(cell), owner);
    }
    let pair = |n: u16| drawing.puzzle().pairs()[usize::from(n) - 1];
    let ends = |n: u16| Some([*drawing.link(n).first()?, *drawing.link(n).last()?]);
    let linked = |&n: &u16| ends(n).is_some_and(|[a, b]| a != b && pair(n).contains(&b));
    assert_eq!(drawing.linked(), numbers.filter(linked).count());
    let solved = drawing.solution(crate::puzzle::numberlink::Rule::of(drawing.puzzle()));
    assert_eq!(drawing.is_solved(), solved.is_some());
    assert_eq!(drawing.progress() == 1_000, drawing.is_solved());
}

proptest! {
    #[test]
    fn any_strokes_keep_links_simple_disjoint_and_counted(
        puzzle in any_puzzle(2..=6),
        random_strokes in prop::collection::vec(any_random_stroke(), 0..60),
    ) {
        let mut drawing = Drawing::new(puzzle);
        for random in random_strokes {
            let before = drawing.clone();
            match drawing.play(&random.stroke(&drawing)) {
                Ok(_) => assert_counted_right(&drawing),
                Err(_) => prop_assert_eq!(&drawing, &before),
            }
        }
    }

    #[test]
    fn any_cells_are_a_stroke_or_an_error(
        drawing in any_drawing(2..=4),
        cells in prop::collection::vec(0u16..18, 0..8),
    ) {
        let mut after = drawing.clone();
        let stroke = Stroke::Draw(cells.into_iter().map(Cell).collect());
        match after.play(&stroke) {
            Ok(_) => assert_counted_right(&after),
            Err(_) => prop_assert_eq!(drawing, after),
        }
    }

    #[test]
    fn undo_is_the_inverse_of_a_stroke(drawing in any_drawing(2..=6), random in any_random_stroke()) {
        let mut after = drawing.clone();
        let stroke = random.stroke(&drawing);
        if stroke != Stroke::Undo && after.play(&stroke).is_ok() {
            prop_assert_ne!(after.links(), drawing.links());
            after.play(&Stroke::Undo).unwrap();
            prop_assert_eq!(after.links(), drawing.links());
            assert_counted_right(&after);
        }
    }

    #[test]
    fn undo_ends_with_an_error(drawing in any_drawing(2..=5)) {
        let mut drawing = drawing;
        let undos = drawing.undos();
        for _ in 0..undos {
            drawing.play(&Stroke::Undo).unwrap();
            assert_counted_right(&drawing);
        }
        prop_assert_eq!(drawing.play(&Stroke::Undo), Err(IllegalStroke::NothingToUndo));
    }
}
