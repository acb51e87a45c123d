//! Screens as pictures, to be looked at: every screen of which these tests take a snapshot, where
//! the variable [`FOLDER`] names a folder for them.

use super::buffer;
use crate::display::theme::{Appearance, Colors};
use crate::test_support::svg::{self, Palette};
use crate::test_support::{self as fx};
use crate::tui::model::Model;
use crossterm::event::KeyCode;
use gridrace_shared::heat::standings::Standing;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::puzzle::Board;
use gridrace_shared::puzzle::slide::solve::constructive;
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::Direction;
use gridrace_shared::util::time::Millis;
use std::path::Path;

/// The variable of the environment that names the folder of the pictures.
const FOLDER: &str = "GRIDRACE_SCREENS";
const SIZES: [(u16, u16); 4] = [(80, 24), (40, 12), (120, 40), (200, 60)];

/// What a terminal may be like: its name, how the program appears on it, and its own colours.
fn terminals() -> [(&'static str, Appearance, Palette); 4] {
    let dark = fx::settings().appearance;
    [
        ("dark", dark, svg::DARK),
        ("light", Appearance { light: true, ..dark }, svg::LIGHT),
        ("16", Appearance { colors: Colors::Named, ..dark }, svg::DARK),
        ("none", Appearance { colors: Colors::None, ..dark }, svg::DARK),
    ]
}

/// Draws a screen at each size on each terminal, as `NAME-80x24-dark.svg`.
pub(super) fn draw(name: &str, model: &Model) {
    if let Some(folder) = std::env::var_os(FOLDER) {
        draw_into(Path::new(&folder), name, model);
    }
}

fn draw_into(folder: &Path, name: &str, model: &Model) {
    for size in SIZES {
        draw_at(folder, name, model, size);
    }
}

fn draw_at(folder: &Path, name: &str, model: &Model, (width, height): (u16, u16)) {
    std::fs::create_dir_all(folder).unwrap();
    for (terminal, appearance, palette) in terminals() {
        let mut model = model.clone();
        model.settings.appearance = appearance;
        let svg = svg::picture(&buffer(&mut model, (width, height)), &palette);
        let file = format!("{name}-{width}x{height}-{terminal}.svg");
        std::fs::write(folder.join(file), svg).unwrap();
    }
}

/// The picture of README.md: a race in which the first two rows are at home, against four others.
#[test]
fn the_picture_of_the_readme() {
    let mut model = fx::in_heat("slide:4x4", Role::Player, fx::running("slide:4x4"));
    fx::run_up(&mut model, &rivals(), 34);
    let names = &mut model.joined_heat_mut().unwrap().view.names;
    names.get_mut(&fx::ZOE).unwrap().name = "Zoë".to_owned();
    let Board::Slide(start) = fx::start("slide:4x4") else { unreachable!() };
    let solution = constructive(&start, Budget(100_000)).unwrap();
    for direction in solution.moves().iter().take(PLAYED) {
        let key = match direction {
            Direction::Left => KeyCode::Left,
            Direction::Right => KeyCode::Right,
            Direction::Up => KeyCode::Up,
            Direction::Down => KeyCode::Down,
        };
        fx::press(&mut model, key);
    }
    // The last slide has come to its end.
    model.now.0 += 1_000_000;
    model.connection.heard = model.now;
    if let Some(folder) = std::env::var_os(FOLDER) {
        draw_at(Path::new(&folder), "readme", &model, (100, 30));
    }
    assert_eq!(model.shown_heat().unwrap().my_standing().unwrap().place, 2);
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/screens/race.svg");
    let drawn = svg::picture(&buffer(&mut model, (100, 30)), &svg::DARK);
    let is_shown = std::fs::read_to_string(readme).unwrap() == drawn;
    assert!(is_shown, "docs/screens/race.svg is another: docs/development.md says how it is drawn");
}

/// Moves that the picture's player has made.
const PLAYED: usize = 60;

fn rivals() -> Vec<Standing> {
    let row = |player, place, progress, moves| {
        let mut row = fx::standings().rows[1].clone();
        (row.player, row.place, row.progress) = (player, place, progress);
        (row.moves.moves, row.moves.acts) = (moves, moves * 3 / 4);
        (row.hints, row.penalty) = (0, Millis(0));
        row
    };
    vec![
        row(fx::ROVER, 1, 880, 97),
        row(fx::ME, 2, 640, PLAYED as u32),
        row(fx::ZOE, 3, 520, 83),
        row(fx::PIP, 4, 310, 41),
    ]
}

#[test]
fn a_screen_is_drawn_at_each_size_on_each_terminal() {
    let folder = tempfile::tempdir().unwrap();
    draw_into(folder.path(), "home", &fx::model());
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), SIZES.len() * terminals().len());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_ne!(read("home-80x24-dark.svg"), read("home-80x24-light.svg"));
    assert!(read("home-40x12-none.svg").contains("width=\"320\" height=\"192\""));
}
