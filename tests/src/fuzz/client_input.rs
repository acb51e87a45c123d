//! Input of the terminal client: command line, forms, environment variables, key file, boards to
//! solve; and texts that it makes safe to display.

use super::{reads, text};
use clap::Parser;
use gridrace_client::bot::Pace;
use gridrace_client::cli::args::heat::{Bots, HeatArgs};
use gridrace_client::cli::args::place::PlaceArgs;
use gridrace_client::cli::args::tables::Which;
use gridrace_client::cli::identity_file::{self, KeyError};
use gridrace_client::display::safe_text;
use gridrace_client::display::theme::Colors;
use gridrace_client::fuzzing::{is_heat_id, is_link, links, slides};
use gridrace_client::net::address::{Address, ServerNames};
use gridrace_client::tui::model::{JoinForm, OptionsForm};
use gridrace_client::tui::settings::Settings;
use gridrace_server::TrustedProxy;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::player_name::{PlayerName, is_displayable};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::util::grid::Size;
use gridrace_tables::{FileRole, parse_file_name};
use ratatui::buffer::{Buffer, Cell};
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{IpAddr, Ipv6Addr};
use tokio_tungstenite::tungstenite::http::Uri;

/// The largest width for a text, in cells: wider terminals are rare.
const WIDTH: u8 = 250;
/// The largest number of seeds in a list: the largest boards take a millisecond each.
const SEEDS: usize = 4;
/// What follows the host in a test's address.
const PATH: &str = "/ws";

/// Arguments of several commands: a room's address and code, and its options.
#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    heat: HeatArgs,
}

/// Server addresses: URL, TLS setting and host name agree.
pub(super) fn address(input: &[u8]) -> bool {
    text(input, |text| {
        let is_one = reads::<Address>(text);
        if let Ok(address) = text.parse::<Address>() {
            let host = address.host();
            assert_eq!(host.contains(':'), host.parse::<Ipv6Addr>().is_ok());
            let uri: Uri = address.url().parse().unwrap();
            let bare = uri.host().unwrap().trim_matches(['[', ']']);
            assert_eq!(bare, host);
            let usual = if address.is_secure() { 443 } else { 80 };
            assert_eq!(uri.port_u16().unwrap_or(usual), address.port());
            assert_eq!(uri.path(), PATH);
        }
        is_one
    })
}

/// Arguments of a command line, one a line: accepted values are within their bounds.
pub(super) fn command_line(input: &[u8]) -> bool {
    text(input, |text| {
        let words = || text.lines().filter(|line| !line.is_empty());
        for word in words() {
            word.parse::<Bots>().ok(); // must not panic
            word.parse::<Which>().ok(); // must not panic; sizes and specs have their own target
            reads::<Pace>(word);
            if let Ok(proxy) = word.parse::<TrustedProxy>() {
                let itself: IpAddr = word.parse().unwrap_or([127, 0, 0, 1].into());
                assert!(proxy.matches(itself), "{proxy:?}");
            }
        }
        let Ok(line) = Line::try_parse_from(std::iter::once("gridrace").chain(words())) else {
            return false;
        };
        assert_eq!(line.heat.options().check(), Ok(()));
        match line.place.read(&ServerNames::default()) {
            Ok(place) => {
                if let Some(address) = place.address {
                    assert_eq!(address.to_string().parse::<Address>(), Ok(address));
                }
                true
            }
            Err(failure) => {
                assert!(!failure.why.to_string().is_empty());
                false
            }
        }
    })
}

/// Fields of the forms, the options before the join form: accepted values are within their bounds.
pub(super) fn forms(input: &[u8]) -> bool {
    text(input, |text| {
        let mut lines = text.split('\n').map(str::to_owned);
        let usual = HeatOptions::new("slide:4x4".parse().unwrap());
        let mut options = OptionsForm::new(&usual, None);
        let mut join = JoinForm::new("", None, "", Role::Player);
        for form in [&mut options.form, &mut join.form] {
            for (number, line) in (0..form.fields.len()).zip(&mut lines) {
                form.fill(number, line);
            }
        }
        let options = options.read();
        if let Some((options, _)) = &options {
            assert_eq!(options.check(), Ok(()));
        }
        let goal = join.goal(&ServerNames::default());
        if let Some(goal) = &goal {
            assert!(goal.address.parse::<Address>().is_ok(), "{goal:?}");
            assert!(goal.name.parse::<PlayerName>().is_ok(), "{goal:?}");
        }
        // Errors are shown at their fields.
        let errors = join.form.fields.iter().any(|field| field.error.is_some());
        assert_eq!(goal.is_none(), errors);
        options.is_some() && goal.is_some()
    })
}

/// Environment variables, one a line, as `NAME=value`.
pub(super) fn variables(input: &[u8]) -> bool {
    text(input, |text| {
        let lines = text.lines().filter_map(|line| line.split_once('='));
        let variables: BTreeMap<&str, &str> = lines.collect();
        let variable = |name: &str| variables.get(name).map(|&value| value.to_owned());
        let settings = Settings::from_environment(variable);
        assert!(settings.name.parse::<PlayerName>().is_ok());
        let is_set = |name: &str| variables.get(name).is_some_and(|value| !value.is_empty());
        assert!(!(settings.appearance.colors != Colors::None && is_set("NO_COLOR")));
        assert!(
            settings.appearance.ascii || ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().any(is_set)
        );
        !variables.is_empty()
    })
}

/// Key files: a parsed key is the file's text, and the file is not modified.
pub(super) fn key_file(input: &[u8]) -> bool {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(input).unwrap();
    let read = identity_file::at(file.path());
    assert_eq!(std::fs::read(file.path()).unwrap(), input);
    match read {
        Ok(key) => {
            let text = std::str::from_utf8(input).unwrap().trim_end();
            assert!(text.eq_ignore_ascii_case(&key.to_text()));
            true
        }
        Err(fault) => {
            assert!(matches!(fault, KeyError::NoKey(_) | KeyError::File(..)));
            false
        }
    }
}

/// Texts for the terminal, behind a byte for the width: no control character is left.
pub(super) fn shown(input: &[u8]) -> bool {
    let Some((&width, raw)) = input.split_first() else {
        return false;
    };
    let (raw, width) = (String::from_utf8_lossy(raw), usize::from(width.min(WIDTH)));
    let is_sound = |text: &str| text.chars().all(is_displayable);
    let clean = safe_text::text(&raw, width);
    assert!(is_sound(&clean), "{clean:?}");
    assert!(safe_text::cells(&clean) <= width, "{clean:?}");
    assert_eq!(safe_text::text(&clean, width), clean);
    let column = safe_text::column(&raw, width);
    assert!(is_sound(&column), "{column:?}");
    assert_eq!(safe_text::cells(&column), width, "{column:?}");
    let lines = safe_text::lines(&raw);
    assert!(lines.split('\n').all(is_sound), "{lines:?}");
    assert_eq!(lines.split('\n').count(), raw.split('\n').count());
    for ascii in [false, true] {
        let mut screen = Buffer::with_lines(raw.split('\n').take(usize::from(WIDTH)));
        // `Buffer` filters text by its own rules; `set_symbol` bypasses them.
        for (cell, symbol) in screen.content.iter_mut().zip(raw.split(' ')) {
            cell.set_symbol(symbol);
        }
        safe_text::screen(&mut screen, ascii);
        let mut symbols = screen.content.iter().map(Cell::symbol);
        assert!(symbols.all(|symbol| is_sound(symbol) && (!ascii || symbol.is_ascii())));
    }
    *clean == *raw
}

/// Boards to solve, behind a line with their size, which may be empty; they round-trip.
pub(super) fn boards(input: &[u8]) -> bool {
    text(input, |text| {
        let (size, text) = text.split_once('\n').unwrap_or(("", text));
        let size: Option<Size> = size.parse().ok();
        // Making a seed's board is slow, and ids have their own target.
        let seeds = text.matches('#').count();
        if seeds > SEEDS || (seeds > 0 && text.contains("link:")) {
            return false;
        }
        let said = |why: &String| assert!(why.len() < 4_096, "{why}");
        let boards = slides(text, size).inspect_err(said).unwrap_or_default();
        for board in boards.iter().filter_map(|(_, board)| board.as_ref().ok()) {
            assert!(size.is_none_or(|size| size == board.size()));
            let again = slides(&board.to_string(), Some(board.size()));
            assert_eq!(again, Ok(vec![(1, Ok(board.clone()))]));
        }
        let puzzles = links(text, size).inspect_err(said).unwrap_or_default();
        for puzzle in puzzles.iter().filter_map(|(_, puzzle)| puzzle.as_ref().ok()) {
            assert!(size.is_none_or(|size| size == puzzle.size()));
            let again = links(&puzzle.to_string(), Some(puzzle.size()));
            assert_eq!(again, Ok(vec![(1, Ok(puzzle.clone()))]));
        }
        let numbers = boards.iter().map(|line| line.0).chain(puzzles.iter().map(|line| line.0));
        assert!(numbers.max().unwrap_or(1) <= text.lines().count().max(1));
        match is_link(text) {
            true => puzzles.iter().any(|(_, puzzle)| puzzle.is_ok()),
            false => boards.iter().any(|(_, board)| board.is_ok()),
        }
    })
}

/// File names in the tables' cache, which identify their tables, and ids of stored heats, which are
/// no paths.
pub(super) fn file_name(input: &[u8]) -> bool {
    text(input, |text| {
        let table = parse_file_name(text);
        if let Some((spec, version, role)) = table {
            let ending = match role {
                FileRole::Table => ".table",
                FileRole::Lock => ".lock",
                FileRole::Part => ".part",
            };
            assert!(text.starts_with(&format!("{spec}.v{version}.")), "{text}");
            assert!(text.ends_with(ending), "{text}");
        }
        let is_id = is_heat_id(text);
        assert!(!is_id || !text.contains(['/', '\\', '.', '\0']));
        table.is_some() || is_id
    })
}
