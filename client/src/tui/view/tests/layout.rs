//! Layout: board, panel and frame beside each other at every size of the terminal.

use super::*;
use crate::families;
use crate::tui::view::racing::{self, arrange};
use gridrace_shared::puzzle::numberlink::deduce::LinkHint;
use gridrace_shared::puzzle::slide::HEAT_SIDES;
use proptest::prelude::*;

const WIDTHS: std::ops::RangeInclusive<u16> = 20..=220;
const HEIGHTS: std::ops::RangeInclusive<u16> = 6..=70;

/// A board of each size: squares of both families.
fn boards() -> Vec<Board> {
    let slides = HEAT_SIDES.map(|side| format!("slide:{side}x{side}"));
    let links = (4..=20).map(|side| format!("link:{side}x{side}"));
    slides.chain(links).map(|spec| fx::start(&spec)).collect()
}

#[test]
fn board_and_panel_are_beside_each_other_at_every_size() {
    for start in boards() {
        let face = families::face(&start, None);
        for width in LEAST_SIZE.width..=*WIDTHS.end() {
            for height in LEAST_SIZE.height..=*HEIGHTS.end() {
                for rows in [1, 28] {
                    let body = areas::body(Rect::new(0, 0, width, height));
                    let arrangement = arrange(body, &*face, rows);
                    let (board, panel) = (arrangement.grid.area, arrangement.panel);
                    let label = || format!("{:?} {width}x{height}", face.size());
                    assert_eq!(board.intersection(body), board, "{}", label());
                    assert_eq!(panel.intersection(body), panel, "{}", label());
                    assert!(board.intersection(panel).is_empty(), "{}", label());
                    let is_seen = arrangement.grid.cells().any(|(cell, _)| cell == face.focus());
                    assert!(is_seen, "{}", label());
                    // The facts and one's own row, at least.
                    assert!(panel.width >= 13 && panel.height >= 3, "{} {panel:?}", label());
                }
            }
        }
    }
}

#[test]
fn a_larger_terminal_shows_no_smaller_cells() {
    for spec in ["slide:2x2", "slide:4x4", "slide:8x8", "link:7x7", "link:10x10"] {
        let start = fx::start(spec);
        let face = families::face(&start, None);
        let style = |(width, height)| {
            let body = areas::body(Rect::new(0, 0, width, height));
            arrange(body, &*face, 4).grid.style
        };
        let styles = [SMALL, LARGE, MIDDLE, HUGE].map(style);
        assert!(styles.windows(2).all(|two| two[0] >= two[1]), "{spec}: {styles:?}");
        assert!(styles[0] > styles[3], "{spec}: {styles:?}");
    }
}

/// Returns where something is drawn, apart from spaces.
fn inked(size: (u16, u16), model: &Model, draw: impl FnOnce(&mut Canvas<'_>)) -> Vec<bool> {
    let mut buffer = Buffer::empty(Rect::new(0, 0, size.0, size.1));
    draw(&mut Canvas::new(&mut buffer, model.theme()));
    let is_inked = |cell: &ratatui::buffer::Cell| cell.symbol() != " " || cell.bg != Color::Reset;
    buffer.content.iter().map(is_inked).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_is_drawn_over_something_else(
        (width, height) in (WIDTHS, HEIGHTS),
        side in 0usize..6,
        rivals in 0u32..30,
        is_slide: bool,
        ascii: bool,
        colored: bool,
    ) {
        let sides = if is_slide { [2, 3, 4, 5, 8, 16] } else { [4, 5, 7, 10, 15, 20] };
        let family = if is_slide { "slide" } else { "link" };
        let spec = format!("{family}:{side}x{side}", side = sides[side]);
        let mut model = fx::racing_against(rivals, &spec);
        model.settings.appearance.ascii = ascii;
        if !colored {
            model.settings.appearance.colors = Colors::None;
        }
        let size = (width, height);
        let text = shown(&mut model, size);
        if width < LEAST_SIZE.width || height < LEAST_SIZE.height {
            return Ok(());
        }
        let place = format!("{0} of {0}", rivals + 4);
        prop_assert!(text.contains(&place), "{place} in\n{text}");
        prop_assert!(text.contains("Anna"), "one's own row in\n{text}");
        let (heat, area) = (model.shown_heat().unwrap(), Rect::new(0, 0, width, height));
        let (race, body) = (heat.race().unwrap(), areas::body(area));
        let layers = [
            inked(size, &model, |canvas| frame::draw(&model, canvas, area)),
            inked(size, &model, |canvas| racing::draw_board(&model, heat, race, canvas, body)),
            inked(size, &model, |canvas| racing::draw_panel(&model, heat, race, canvas, body)),
        ];
        for (index, cells) in layers[0].iter().zip(&layers[1]).zip(&layers[2]).enumerate() {
            let ((frame, board), panel) = cells;
            let count = u8::from(*frame) + u8::from(*board) + u8::from(*panel);
            prop_assert!(count <= 1, "{} {} in\n{text}", index % usize::from(width), index / usize::from(width));
        }
    }
}

#[test]
fn the_room_of_a_large_terminal_is_used() {
    for (name, mut model) in [
        ("slide_4x4", fx::racing("slide:4x4")),
        ("slide_16x16", fx::racing_against(24, "slide:16x16")),
        ("link_10x10", link::drawn("link:10x10", 5)),
    ] {
        insta::assert_snapshot!(format!("{name}_120x40"), shown(&mut model, MIDDLE));
        insta::assert_snapshot!(format!("{name}_200x60"), shown(&mut model, HUGE));
    }
    let mut ascii = fx::racing("slide:4x4");
    ascii.settings.appearance.ascii = true;
    let text = shown(&mut ascii, MIDDLE);
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!("ascii_slide_4x4_120x40", text);
}

#[test]
fn long_reasons_for_a_hint_are_wrapped() {
    let mut model = fx::racing("link:20x20");
    let cells = vec![Cell(0), Cell(1)];
    link::hinted(&mut model, LinkHint::Reveal { number: 1, cells });
    let text = shown(&mut model, SMALL);
    let line = text.lines().position(|line| line.ends_with("nothing that is")).unwrap();
    assert!(text.lines().nth(line + 1).unwrap().ends_with("easy to see"), "{text}");
    assert!(shown(&mut model, LARGE).contains("nothing that is easy to see"));
}

#[test]
fn a_narrow_panel_names_the_tiles_of_a_hint_and_the_distance_once() {
    let mut model = fx::racing("slide:16x16");
    let hint = fx::hint(model.shown_heat().unwrap().race().unwrap().play.board());
    let (after, taken, penalty) = (Seq(0), 1, Millis(0));
    let given = ServerMessage::Hint { after, hint, distance_change: None, taken, penalty };
    fx::hear(&mut model, given);
    let text = shown(&mut model, (60, 20));
    assert!(text.contains("Hint: "), "{text}");
    assert_eq!(text.matches("to go").count(), 1, "{text}");
}

#[test]
fn a_tile_is_seen_to_slide_and_a_key_cuts_that_short() {
    let mut model = fx::racing("slide:4x4");
    let at_rest = buffer(&mut model, LARGE);
    press(&mut model, KeyCode::Down);
    let start = model.now;
    let mut at = |micros: u64| {
        model.now = ClientInstant(start.0 + micros);
        buffer(&mut model, LARGE)
    };
    let (first, halfway, over) = (at(0), at(30_000), at(80_000));
    // It starts where it was and ends where it is from then on.
    let board = |buffer: &Buffer| -> Vec<_> {
        let cells = buffer.content.chunks(80).flat_map(|row| row[..32].to_vec());
        cells.collect()
    };
    assert_eq!(board(&first), board(&at_rest));
    assert_ne!(board(&halfway), board(&first));
    assert_ne!(board(&halfway), board(&over));
    assert_eq!(board(&at(10_000_000)), board(&over));
    // The next key acts at once, on the board as it is after the first.
    model.now = ClientInstant(start.0 + 30_000);
    assert_eq!(press(&mut model, KeyCode::Right).len(), 1);
    assert!(model.is_animating());
    model.settings.animation = false;
    assert!(!model.is_animating());
    let still = buffer(&mut model, LARGE);
    model.now.0 += 80_000;
    assert_eq!(board(&buffer(&mut model, LARGE)), board(&still));
}

#[test]
fn a_solved_board_is_lit_and_a_dead_key_marked() {
    let mut model = fx::racing("slide:4x4");
    let reversed = |model: &mut Model| {
        let cells = buffer(model, LARGE).content;
        cells.iter().filter(|cell| cell.modifier.contains(Modifier::REVERSED)).count()
    };
    assert_eq!(reversed(&mut model), 0);
    let now = model.now;
    model.joined_heat_mut().unwrap().panel.feedback.solved(now);
    assert!(reversed(&mut model) > 400);
    model.now.0 += 1_000_000;
    assert_eq!(reversed(&mut model), 0);
    press(&mut model, KeyCode::Up);
    for size in [SMALL, LARGE] {
        let text = shown(&mut model, size);
        assert!(text.contains("does nothing") && text.contains('╭'), "{text}");
    }
    model.now.0 += 1_000_000;
    assert!(!shown(&mut model, LARGE).contains("does nothing"));
}

#[test]
fn without_colours_lines_of_the_chart_are_told_apart_by_their_dots() {
    let mut model = fx::racing("slide:4x4");
    model.settings.appearance.colors = Colors::None;
    let chart = |model: &mut Model| {
        let text = shown(model, MIDDLE);
        text.lines().skip_while(|line| !line.contains("100%")).collect::<Vec<_>>().join("\n")
    };
    let all = chart(&mut model);
    let marked =
        |text: &str| text.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count();
    // One's own line is whole, the others' have gaps.
    model.joined_heat_mut().unwrap().view.standings.retain(|row| row.player == fx::ME);
    let own = chart(&mut model);
    assert!(marked(&own) > 40, "{own}");
    assert!(marked(&all) > marked(&own) + 20, "{all}");
    assert!(marked(&all) < 3 * marked(&own), "{all}");
}

#[test]
fn facts_beside_a_large_board_on_a_small_screen_are_whole() {
    let mut model = fx::racing("slide:8x8");
    model.joined_heat_mut().unwrap().view.race_mut().unwrap().hints.taken = 0;
    let text = shown(&mut model, SMALL);
    let line = text.lines().find(|line| line.contains("no hints")).expect("the hints");
    assert!(line.ends_with("no hints"), "{text}");
}
