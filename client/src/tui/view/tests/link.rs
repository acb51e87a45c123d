//! Numberlink on the screen.

use super::*;
use crate::test_support::link::strokes;
use crate::tui::model::Feedback;
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::puzzle::numberlink::deduce::{ForcedSegment, LinkHint, Mistake, Reason};
use gridrace_shared::puzzle::numberlink::{Square, Stroke};

/// A race in which the first strokes of the solution are drawn.
pub(super) fn drawn(puzzle: &str, count: usize) -> Model {
    let mut model = fx::racing(puzzle);
    for stroke in strokes(puzzle).into_iter().take(count) {
        racing_of(&mut model).play.play(Move::Link(stroke)).unwrap();
    }
    model
}

fn racing_of(model: &mut Model) -> &mut OwnRace {
    model.joined_heat_mut().unwrap().race_mut().unwrap()
}

fn keys(model: &mut Model, keys: &str) {
    for key in keys.chars() {
        letter(model, key);
    }
}

pub(super) fn hinted(model: &mut Model, hint: LinkHint) {
    let after = racing_of(model).play.last();
    let message = ServerMessage::Hint {
        after,
        hint: Hint::Link(hint),
        distance_change: None,
        taken: 1,
        penalty: Millis(10_000),
    };
    fx::hear(model, message);
}

/// A stroke in the making that cuts two links.
pub(super) fn cutting() -> Model {
    let mut model = drawn("link:10x10", 4);
    keys(&mut model, "8 wwwww");
    model.joined_heat_mut().unwrap().panel.feedback = Feedback::default();
    model.ignored = None;
    model
}

/// A drawing whose second link is wrong.
pub(super) fn astray() -> Model {
    let mut model = drawn("link:7x7", 1);
    keys(&mut model, "2 wwd ");
    model.notice = None;
    let (number, from) = (2, Cell(7 * 4 + 1));
    hinted(&mut model, LinkHint::Wrong(Mistake { number, from }));
    model
}

/// A drawing with a hint how to go on.
pub(super) fn led() -> Model {
    let mut model = drawn("link:10x10", 4);
    let cells = [81, 91, 92, 93, 94, 84].map(Cell).to_vec();
    let reason = Reason::OnlyWayOut;
    let number = Some(5);
    hinted(&mut model, LinkHint::Forced(ForcedSegment { number, cells, reason }));
    model
}

#[test]
fn racing_on_links() {
    picture("link_7x7", drawn("link:7x7", 3));
    picture("link_10x10", drawn("link:10x10", 5));
    picture("link_20x20", fx::racing("link:20x20"));
}

#[test]
fn a_stroke_that_cuts_shows_what_it_cuts() {
    picture("link_cutting", cutting());
}

#[test]
fn hints_are_marked_where_they_lead_and_where_a_link_goes_wrong() {
    picture("link_hint", led());
    picture("link_fault", astray());
}

#[test]
fn a_finished_board_is_drawn_heavy() {
    picture("link_finished", drawn("link:7x7", 8));
}

#[test]
fn watching_links() {
    let mut model = fx::watching("link:7x7");
    for (count, player) in [(8, fx::ROVER), (5, fx::ZOE), (2, fx::PIP)] {
        let moved = |stroke| Moved { player, at: HeatInstant(11_000), play: Move::Link(stroke) };
        let moves = strokes("link:7x7").into_iter().take(count).map(moved);
        fx::hear(&mut model, ServerMessage::Moves(moves.collect()));
    }
    picture("link_watching", model);
}

#[test]
fn the_solution_stands_for_the_places_when_a_heat_is_over() {
    let mut model = fx::over("link:10x10");
    letter(&mut model, 's');
    for size in [LARGE, SMALL] {
        let mut helped = model.clone();
        helped.overlay = Some(Overlay::Help);
        let text = shown(&mut helped, size);
        assert!(text.contains("│ s ") && text.contains("│ ctrl-c"), "{text}");
    }
    picture("link_solution", model);
    let mut slide = fx::over("slide:4x4");
    let places = shown(&mut slide, LARGE);
    letter(&mut slide, 's');
    assert!(slide.ignored.take().is_some());
    assert_eq!(shown(&mut slide, LARGE), places);
}

#[test]
fn of_a_watched_board_too_large_the_last_change_is_in_sight() {
    let mut model = fx::watching("link:20x20");
    insta::assert_snapshot!("link_watching_cut_40x12", shown(&mut model, SMALL));
    let Board::Link(drawing) = fx::start("link:20x20") else { unreachable!() };
    // The last number is at the bottom, far from what is shown at first.
    let [end, _] = *drawing.puzzle().pairs().last().unwrap();
    let size = drawing.puzzle().size();
    let next = Direction::ALL
        .into_iter()
        .filter_map(|direction| size.neighbour(end, direction))
        .find(|&cell| drawing.puzzle().square(cell) == Square::Open)
        .unwrap();
    let play = Move::Link(Stroke::Draw(vec![end, next]));
    let moved = Moved { player: fx::ROVER, at: HeatInstant(11_000), play };
    fx::hear(&mut model, ServerMessage::Moves(vec![moved]));
    picture("link_watching_followed", model);
}

#[test]
fn a_hint_comes_into_sight_on_a_board_that_is_cut() {
    for held in [false, true] {
        let mut model = fx::racing("link:20x20");
        if held {
            keys(&mut model, " d");
        }
        let cells = vec![Cell(399), Cell(398), Cell(397)];
        hinted(&mut model, LinkHint::Reveal { number: 1, cells });
        let text = shown(&mut model, SMALL);
        assert!(text.contains('*') && text.contains("easy to see"), "{text}");
        // While something is held, the next key brings the pen back into sight.
        keys(&mut model, "w");
        assert_eq!(shown(&mut model, SMALL).contains('*'), !held);
    }
}

#[test]
fn below_a_board_a_hint_has_its_reason_in_a_line_of_its_own() {
    let mut model = fx::racing("link:20x20");
    let cells = [0, 1].map(Cell).to_vec();
    hinted(&mut model, LinkHint::Reveal { number: 1, cells });
    insta::assert_snapshot!("link_hint_below_44x28", shown(&mut model, (44, 28)));
}

#[test]
fn results_and_help_of_links() {
    picture("link_results", fx::over("link:7x7"));
    let mut model = drawn("link:7x7", 3);
    model.overlay = Some(Overlay::Help);
    picture("link_help", model);
}

#[test]
fn the_cursor_is_seen_without_colours_and_stays_in_sight() {
    for size in [LARGE, SMALL] {
        let mut model = fx::racing("link:20x20");
        model.settings.appearance.colors = Colors::None;
        for code in [KeyCode::Down; 25].into_iter().chain([KeyCode::Right; 25]) {
            press(&mut model, code);
            let buffer = buffer(&mut model, size);
            let reversed = Modifier::REVERSED;
            assert!(buffer.content.iter().any(|cell| cell.modifier.contains(reversed)));
        }
    }
}

#[test]
fn a_server_may_say_what_it_likes_about_links() {
    let nowhere = Cell(u16::MAX);
    let far: Vec<_> = (0..500).map(Cell).chain([nowhere]).collect();
    let step =
        ForcedSegment { number: Some(0), cells: far, reason: Reason::Trial { depth: u8::MAX } };
    let mistake = Mistake { number: u16::MAX, from: nowhere };
    let reveal = LinkHint::Reveal { number: 1, cells: Vec::new() };
    let hints = [LinkHint::Wrong(mistake), LinkHint::Forced(step), reveal];
    for hint in hints {
        let mut model = drawn("link:7x7", 2);
        hinted(&mut model, hint.clone());
        // And on a board of the other family.
        let mut other = fx::racing("slide:4x4");
        hinted(&mut other, hint);
        for size in [LARGE, SMALL, (250, 100)] {
            buffer(&mut model, size);
            buffer(&mut other, size);
        }
    }
    // Boards of one family in a heat of the other, and of sizes of their own.
    for (spec, board) in [("slide:4x4", "link:7x7"), ("link:7x7", "slide:4x4")] {
        for role in [Role::Player, Role::Spectator] {
            let mut model = fx::in_heat(spec, role, fx::running(board));
            let play = Move::Link(strokes("link:10x10").swap_remove(0));
            let moved = Moved { player: fx::ZOE, at: HeatInstant(11_000), play };
            fx::hear(&mut model, ServerMessage::Moves(vec![moved]));
            for code in [KeyCode::Enter, KeyCode::Right, KeyCode::Char('u'), KeyCode::Char('?')] {
                press(&mut model, code);
                buffer(&mut model, SMALL);
            }
        }
    }
}

#[test]
fn a_click_hits_the_cell_that_is_drawn_there() {
    for size in [LARGE, SMALL, (120, 50)] {
        let mut model = fx::racing("link:10x10");
        let text = shown(&mut model, size);
        let Board::Link(drawing) = fx::start("link:10x10") else { unreachable!() };
        let mut found = 0;
        for (y, line) in text.lines().enumerate() {
            for (x, letter) in line.chars().enumerate() {
                let Some(hit) = cell_at(&model, x as u16, y as u16) else {
                    continue;
                };
                if letter.is_ascii_uppercase() {
                    let square = drawing.puzzle().square(hit);
                    let number = u16::from(letter as u8 - b'A') + 1;
                    assert_eq!(square, Square::Terminal(number), "{size:?}");
                    found += 1;
                }
            }
        }
        assert_eq!(found, 2 * drawing.puzzle().pairs().len());
    }
}
