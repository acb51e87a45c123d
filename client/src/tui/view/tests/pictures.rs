//! Screens as pictures, to be looked at: every screen of which these tests take a snapshot, where
//! the variable [`FOLDER`] names a folder for them.

use super::buffer;
use crate::display::theme::{Appearance, Colors};
use crate::test_support::svg::{self, Palette};
use crate::test_support::{self as fx};
use crate::tui::model::Model;
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
    std::fs::create_dir_all(folder).unwrap();
    for (terminal, appearance, palette) in terminals() {
        for (width, height) in SIZES {
            let mut model = model.clone();
            model.settings.appearance = appearance;
            let svg = svg::picture(&buffer(&mut model, (width, height)), &palette);
            let file = format!("{name}-{width}x{height}-{terminal}.svg");
            std::fs::write(folder.join(file), svg).unwrap();
        }
    }
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
