//! The meaning of keys, for the updates and for the help.
//!
//! The functions here read default keys; [`bindings`] translates the player's own into them.

mod bindings;

pub use bindings::{Keymap, Scope};

use crate::families::input::{BoardControl, Reach};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gridrace_shared::util::grid::Direction;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceKey {
    Board(BoardControl),
    Hint,
    /// Ask for hints of the other style from now on.
    HintStyle,
    /// Show or hide the numbers on a picture.
    Numbers,
    /// Play the rest of the step, in the tutorial.
    Skip,
    Reverse,
    GiveUp,
    /// Put down what is held, or else leave the heat.
    Escape,
    Leave,
}

/// The meaning of a key in a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayKey {
    /// Stop, or go on.
    Pause,
    /// Some seconds on or back.
    Go {
        forward: bool,
        far: bool,
    },
    /// To the event after, or before.
    Event {
        forward: bool,
    },
    Speed {
        faster: bool,
    },
    /// Go to a percentage of the heat.
    Percent(u64),
    /// The next player alone, or the one before.
    Player {
        forward: bool,
    },
    All,
    Page {
        forward: bool,
    },
    Quit,
}

/// The meaning of a key in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKey {
    Up,
    Down,
    Take,
    /// None; back.
    Back,
    /// A letter or digit of the screen's own.
    Letter(char),
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
pub fn race(key: KeyEvent) -> Option<RaceKey> {
    if is_chord(key) {
        return None;
    }
    if let Some(direction) = direction(key.code) {
        return Some(RaceKey::Board(BoardControl::Go(direction, reach(key))));
    }
    let board = |key| Some(RaceKey::Board(key));
    match key.code {
        KeyCode::Enter | KeyCode::Char(' ') => board(BoardControl::Grip),
        KeyCode::Backspace | KeyCode::Delete => board(BoardControl::Back),
        KeyCode::Tab => board(BoardControl::Jump { forward: true }),
        KeyCode::BackTab => board(BoardControl::Jump { forward: false }),
        KeyCode::Char('c' | 'C') => board(BoardControl::Clear),
        KeyCode::Char('u' | 'U') => board(BoardControl::Undo),
        KeyCode::Char('t' | 'T') => Some(RaceKey::Hint),
        KeyCode::Char('o' | 'O') => Some(RaceKey::HintStyle),
        KeyCode::Char('p' | 'P') => Some(RaceKey::Numbers),
        KeyCode::Char('n' | 'N') => Some(RaceKey::Skip),
        KeyCode::Char('x' | 'X') => Some(RaceKey::Reverse),
        KeyCode::Char('g' | 'G') => Some(RaceKey::GiveUp),
        KeyCode::Char('q' | 'Q') => Some(RaceKey::Leave),
        KeyCode::Char(letter) => {
            let digit = letter.to_digit(10).filter(|&digit| digit > 0)?;
            board(BoardControl::Number(u16::try_from(digit).ok()?))
        }
        KeyCode::Esc => Some(RaceKey::Escape),
        _ => None,
    }
}

/// The host's menu, in every screen of a room.
pub const HOST_MENU: char = 'm';

pub fn is_host_menu(key: KeyEvent) -> bool {
    list(key) == Some(ListKey::Letter(HOST_MENU))
}

/// Shows the boards of others once the own race is over, and goes back.
pub fn is_view(key: KeyEvent) -> bool {
    list(key) == Some(ListKey::Letter('v'))
}

/// Reads a key where something is chosen from a list. Letters that go up and down in a
/// race do so here only where the screen has no other meaning for them.
#[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
pub fn list(key: KeyEvent) -> Option<ListKey> {
    if is_chord(key) {
        return None;
    }
    match key.code {
        KeyCode::Up => Some(ListKey::Up),
        KeyCode::Down | KeyCode::Tab => Some(ListKey::Down),
        KeyCode::BackTab => Some(ListKey::Up),
        KeyCode::Enter | KeyCode::Char(' ') => Some(ListKey::Take),
        KeyCode::Esc => Some(ListKey::Back),
        KeyCode::Char(letter) => Some(ListKey::Letter(letter.to_ascii_lowercase())),
        _ => None,
    }
}

/// Reads a key like [`list`], where `k` and `j` go up and down as well.
pub fn list_with_letters(key: KeyEvent) -> Option<ListKey> {
    match list(key) {
        Some(ListKey::Letter('k')) => Some(ListKey::Up),
        Some(ListKey::Letter('j')) => Some(ListKey::Down),
        key => key,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
pub fn replay(key: KeyEvent) -> Option<ReplayKey> {
    if is_chord(key) {
        return None;
    }
    let far = key.modifiers.contains(KeyModifiers::SHIFT);
    match key.code {
        KeyCode::Char(' ') | KeyCode::Enter => Some(ReplayKey::Pause),
        KeyCode::Left => Some(ReplayKey::Go { forward: false, far }),
        KeyCode::Right => Some(ReplayKey::Go { forward: true, far }),
        KeyCode::Home => Some(ReplayKey::Percent(0)),
        KeyCode::End => Some(ReplayKey::Percent(100)),
        KeyCode::Up => Some(ReplayKey::Speed { faster: true }),
        KeyCode::Down => Some(ReplayKey::Speed { faster: false }),
        KeyCode::Tab => Some(ReplayKey::Player { forward: true }),
        KeyCode::BackTab => Some(ReplayKey::Player { forward: false }),
        KeyCode::PageDown => Some(ReplayKey::Page { forward: true }),
        KeyCode::PageUp => Some(ReplayKey::Page { forward: false }),
        KeyCode::Esc => Some(ReplayKey::Quit),
        KeyCode::Char(letter) => replay_letter(letter),
        _ => None,
    }
}

fn replay_letter(letter: char) -> Option<ReplayKey> {
    match letter.to_ascii_lowercase() {
        ',' | '<' => Some(ReplayKey::Event { forward: false }),
        '.' | '>' => Some(ReplayKey::Event { forward: true }),
        '+' | '=' => Some(ReplayKey::Speed { faster: true }),
        '-' | '_' => Some(ReplayKey::Speed { faster: false }),
        'n' => Some(ReplayKey::Player { forward: true }),
        'p' => Some(ReplayKey::Player { forward: false }),
        'a' => Some(ReplayKey::All),
        'q' => Some(ReplayKey::Quit),
        digit => {
            let tenths = u64::from(digit.to_digit(10)?);
            Some(ReplayKey::Percent(10 * tenths))
        }
    }
}

pub fn is_control(key: KeyEvent, letter: char) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char(letter)
}

/// A letter with Ctrl or Alt is not that letter.
fn is_chord(key: KeyEvent) -> bool {
    key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
}

/// The arrows, and both sets of letters that stand for them; capitals are the same with
/// shift.
#[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
fn direction(code: KeyCode) -> Option<Direction> {
    match code {
        KeyCode::Left => Some(Direction::Left),
        KeyCode::Right => Some(Direction::Right),
        KeyCode::Up => Some(Direction::Up),
        KeyCode::Down => Some(Direction::Down),
        KeyCode::Char(letter) => match letter.to_ascii_lowercase() {
            'a' | 'h' => Some(Direction::Left),
            'd' | 'l' => Some(Direction::Right),
            'w' | 'k' => Some(Direction::Up),
            's' | 'j' => Some(Direction::Down),
            _ => None,
        },
        _ => None,
    }
}

fn reach(key: KeyEvent) -> Reach {
    let capital = matches!(key.code, KeyCode::Char(letter) if letter.is_ascii_uppercase());
    if capital || key.modifiers.contains(KeyModifiers::SHIFT) { Reach::Line } else { Reach::One }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> Option<RaceKey> {
        race(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn arrows_wasd_and_hjkl_agree() {
        for (arrow, letters) in [
            (KeyCode::Left, "ah"),
            (KeyCode::Right, "dl"),
            (KeyCode::Up, "wk"),
            (KeyCode::Down, "sj"),
        ] {
            for letter in letters.chars() {
                let letter = KeyCode::Char(letter);
                assert_eq!(press(arrow, KeyModifiers::NONE), press(letter, KeyModifiers::NONE));
            }
        }
    }

    #[test]
    fn a_letter_with_control_is_not_that_letter() {
        for letter in "atgqcu1".chars() {
            assert_eq!(press(KeyCode::Char(letter), KeyModifiers::CONTROL), None);
        }
    }

    #[test]
    fn shift_takes_the_whole_line_however_the_terminal_says_it() {
        let line = Some(RaceKey::Board(BoardControl::Go(Direction::Up, Reach::Line)));
        assert_eq!(press(KeyCode::Up, KeyModifiers::SHIFT), line);
        assert_eq!(press(KeyCode::Char('W'), KeyModifiers::SHIFT), line);
        assert_eq!(press(KeyCode::Char('K'), KeyModifiers::NONE), line);
    }
}
