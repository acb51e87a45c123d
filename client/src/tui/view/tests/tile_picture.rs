//! A heat whose tiles are a picture.

use super::{LARGE, buffer, picture, shown};
use crate::display::own_image::OwnImage;
use crate::display::theme::Colors;
use crate::test_support::{self as fx, letter};
use crate::tui::model::{HeatModel, Model, Overlay};
use crate::tui::view::{pages, racing};
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::puzzle::Board;
use gridrace_shared::puzzle::picture::Picture;
use gridrace_shared::puzzle::picture::room_image::{RoomImage, SIDE};
use gridrace_shared::puzzle::slide::SlideHint;
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::util::time::Millis;
use image::{ImageFormat, RgbImage};
use ratatui::style::Color;
use std::collections::BTreeSet;
use std::io::Cursor;

fn pictured() -> Model {
    showing(None)
}

fn showing(own: Option<OwnImage>) -> Model {
    let mut model = fx::racing("slide:4x4");
    let mut snapshot = fx::snapshot("slide:4x4", Role::Player, fx::running("slide:4x4"));
    snapshot.setup.options.picture = true;
    *model.joined_heat_mut().unwrap() = HeatModel::new(fx::ME, snapshot, own);
    fx::hear(&mut model, ServerMessage::Standings(fx::standings()));
    model
}

/// The colours of the picture in as many parts as a tile has on the screen.
fn expected(columns: usize, halves: usize) -> BTreeSet<(u8, u8, u8)> {
    let commitment = fx::setup("slide:4x4").commitment.to_string();
    let picture = Picture::named(&commitment, "4x4".parse().unwrap());
    let Board::Slide(board) = fx::start("slide:4x4") else { unreachable!() };
    let parts = (1..16).flat_map(|tile| {
        let (picture, home) = (&picture, board.home(tile));
        (0..halves).flat_map(move |row| {
            (0..columns).map(move |column| {
                let [red, green, blue] =
                    picture.part_of_tile(home, (column, columns), (row, halves));
                (red, green, blue)
            })
        })
    });
    parts.collect()
}

fn colors(model: &mut Model) -> BTreeSet<(u8, u8, u8)> {
    colors_at(model, LARGE)
}

fn colors_at(model: &mut Model, size: (u16, u16)) -> BTreeSet<(u8, u8, u8)> {
    let buffer = buffer(model, size);
    let grounds = buffer.content.iter().flat_map(|cell| [cell.fg, cell.bg]);
    let rgb = grounds.filter_map(|color| {
        let Color::Rgb(red, green, blue) = color else { return None };
        Some((red, green, blue))
    });
    rgb.collect()
}

#[test]
fn tiles_have_the_colours_of_the_picture_that_the_commitment_names() {
    let mut model = pictured();
    model.settings.appearance.colors = Colors::True;
    let place = racing::grid(pages::body(&model), model.shown_heat().unwrap()).unwrap().place(0, 0);
    let expected = expected(place.width.into(), 2 * usize::from(place.height) + 1);
    let shown = colors(&mut model);
    let missing: Vec<_> = expected.difference(&shown).collect();
    assert!(missing.is_empty(), "{} of {} are missing", missing.len(), expected.len());
}

#[test]
fn the_finished_picture_is_shown_beside_the_chart_or_in_its_place() {
    let mut model = pictured();
    model.settings.appearance.colors = Colors::True;
    // Each side of a tile is cut into four parts.
    let finished = expected(4, 4);
    for (width, has_chart) in [(80, true), (70, false)] {
        let shown_colors = colors_at(&mut model, (width, 24));
        assert_eq!(finished.difference(&shown_colors).count(), 0, "{width}");
        let shown = shown(&mut model, (width, 24));
        assert_eq!(shown.contains("progress you leader others"), has_chart, "{shown}");
    }
    let small = colors_at(&mut model, (40, 12));
    assert!(finished.difference(&small).count() > finished.len() / 2);
}

#[test]
fn numbers_are_shown_by_a_key_and_by_a_hint() {
    let mut model = pictured();
    let numbers = |model: &mut Model| shown(model, LARGE).contains("15");
    assert!(numbers(&mut model), "of 256 colours two tiles may have the same");
    model.settings.appearance.colors = Colors::True;
    assert!(!numbers(&mut model));
    letter(&mut model, 'p');
    assert!(numbers(&mut model));
    picture("racing_picture_numbers", model.clone());
    letter(&mut model, 'p');
    assert!(!numbers(&mut model));
    let board = model.shown_heat().unwrap().race().unwrap().play.board();
    let Hint::Slide(SlideHint { play, .. }) = fx::hint(board) else { unreachable!() };
    let Board::Slide(tiles) = board else { unreachable!() };
    let (tile, hint) = (tiles.tile(play), fx::hint(board));
    let (taken, penalty) = (1, Millis(10_000));
    let given = ServerMessage::Hint { after: Seq(0), hint, distance_change: None, taken, penalty };
    fx::hear(&mut model, given);
    assert!(shown(&mut model, LARGE).contains(&format!("›{tile}‹")));
    picture("racing_picture", model);
}

#[test]
fn an_own_image_is_shown_instead_with_numbers() {
    let mut bytes = Cursor::new(Vec::new());
    let violet = RgbImage::from_pixel(40, 40, image::Rgb([123, 45, 210]));
    violet.write_to(&mut bytes, ImageFormat::Png).unwrap();
    let own = OwnImage::decode(&bytes.into_inner()).unwrap();
    let mut model = showing(Some(own));
    model.settings.appearance.colors = Colors::True;
    assert!(shown(&mut model, LARGE).contains("15"));
    letter(&mut model, 'p');
    assert!(!shown(&mut model, LARGE).contains("15"));
    assert!(colors(&mut model).contains(&(123, 45, 210)));
    let place = racing::grid(pages::body(&model), model.shown_heat().unwrap()).unwrap().place(0, 0);
    let seeded = expected(place.width.into(), 2 * usize::from(place.height) + 1);
    let left: Vec<_> = seeded.intersection(&colors(&mut model)).copied().collect();
    assert!(left.len() < seeded.len() / 10, "{left:?}");
}

#[test]
fn a_room_s_image_comes_before_the_picture_and_after_an_own_image() {
    let green = RoomImage::encode(&[[24, 130, 33]; SIDE * SIDE]);
    let has_green = |model: &mut Model| colors(model).contains(&(24, 130, 33));
    let mut model = pictured();
    model.settings.appearance.colors = Colors::True;
    fx::hear(&mut model, ServerMessage::Image(Some(green.clone())));
    assert!(has_green(&mut model));
    assert!(shown(&mut model, LARGE).contains("15"), "pieces of it look alike");
    fx::hear(&mut model, ServerMessage::Image(None));
    assert!(!has_green(&mut model));
    assert!(!shown(&mut model, LARGE).contains("15"));

    let violet = RgbImage::from_pixel(40, 40, image::Rgb([123, 45, 210]));
    let mut bytes = Cursor::new(Vec::new());
    violet.write_to(&mut bytes, ImageFormat::Png).unwrap();
    let own = OwnImage::decode(&bytes.into_inner()).unwrap();
    let mut model = showing(Some(own));
    model.settings.appearance.colors = Colors::True;
    fx::hear(&mut model, ServerMessage::Image(Some(green)));
    assert!(!has_green(&mut model));
    assert!(colors(&mut model).contains(&(123, 45, 210)));
}

#[test]
fn a_terminal_of_16_colours_shows_numbers() {
    let mut model = pictured();
    model.settings.appearance.colors = Colors::Named;
    assert!(shown(&mut model, LARGE).contains("15"));
}

#[test]
fn the_key_of_the_numbers_is_shown_where_there_is_a_picture_and_dead_elsewhere() {
    let mut model = pictured();
    assert!(shown(&mut model, LARGE).contains("p numbers"));
    model.overlay = Some(Overlay::Help);
    assert!(shown(&mut model, LARGE).contains("the numbers on a picture"));
    model.overlay = None;
    let mut colourless = model.clone();
    colourless.settings.appearance.colors = Colors::None;
    let mut ascii = model.clone();
    ascii.settings.appearance.ascii = true;
    let mut snapshot = fx::snapshot("slide:8x8", Role::Player, fx::running("slide:8x8"));
    snapshot.setup.options.picture = true;
    let mut small = fx::racing("slide:8x8");
    *small.joined_heat_mut().unwrap() = HeatModel::new(fx::ME, snapshot, None);
    fx::hear(&mut small, ServerMessage::Standings(fx::standings()));
    for (mut model, size) in [(colourless, LARGE), (ascii, LARGE), (small, (40, 12))] {
        assert!(!shown(&mut model, size).contains("p numbers"));
        model.overlay = Some(Overlay::Help);
        assert!(!shown(&mut model, size).contains("picture"));
        model.overlay = None;
        letter(&mut model, 'p');
        assert!(model.ignored_words().is_some(), "{size:?}");
    }
}
