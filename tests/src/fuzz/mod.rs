//! One function for each decoder and parser: valid input round-trips, and invalid input neither
//! panics nor hangs.
//!
//! `cargo test` runs these functions over the corpus and mutations of it (`tests/it/fuzz.rs`);
//! `tests/fuzz` runs them under libFuzzer.

#![expect(clippy::unwrap_used, reason = "a target says by a panic what it has found")]

mod headers;
mod journal;
mod link;
mod replay;
mod slide;
mod socket;
mod tables;
mod typed;
mod wire;
mod words;

/// A fuzzed decoder or parser.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of the binary and of the corpus folder.
    pub name: &'static str,
    /// Checks one input and returns whether it is valid.
    ///
    /// # Panics
    /// If a checked property does not hold.
    pub run: fn(&[u8]) -> bool,
}

/// All targets.
pub const TARGETS: [Target; 31] = [
    target("client_binary", wire::client_binary),
    target("client_json", wire::client_json),
    target("server_binary", wire::server_binary),
    target("server_json", wire::server_json),
    target("id", words::id),
    target("options", words::options),
    target("name", words::name),
    target("code", words::code),
    target("slide_board", slide::board),
    target("slide_moves", slide::moves),
    target("link_grid", link::grid),
    target("link_drawing", link::drawing),
    target("puzz_link", link::puzz_link),
    target("replay", replay::file),
    target("table_header", tables::header),
    target("journal_row", journal::row),
    target("journal_entries", journal::entries),
    target("checkpoint", journal::checkpoint),
    target("result", words::result),
    target("frames", socket::frames),
    target("messages", socket::messages),
    target("headers", headers::request),
    target("proof", words::proof),
    target("address", typed::address),
    target("command_line", typed::command_line),
    target("forms", typed::forms),
    target("variables", typed::variables),
    target("key_file", typed::key_file),
    target("file_name", typed::file_name),
    target("boards", typed::boards),
    target("shown", typed::shown),
];

/// Runs the named target on an input, for the binaries of `tests/fuzz`.
///
/// # Panics
/// If a checked property does not hold, or no target has the name.
pub fn run(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap().run)(input);
}

const fn target(name: &'static str, run: fn(&[u8]) -> bool) -> Target {
    Target { name, run }
}

/// Runs a parser if the input is UTF-8.
fn text(input: &[u8], parse: impl FnOnce(&str) -> bool) -> bool {
    std::str::from_utf8(input).is_ok_and(parse)
}

/// Parses a text; a parsed value round-trips through its `Display`.
fn reads<T>(text: &str) -> bool
where
    T: std::str::FromStr + std::fmt::Display + PartialEq + std::fmt::Debug,
    T::Err: std::fmt::Display,
{
    match text.parse::<T>() {
        Ok(value) => {
            let again = value.to_string().parse::<T>();
            assert!(again.is_ok_and(|again| again == value), "{value:?}");
            true
        }
        Err(why) => {
            // Error texts are short.
            assert!(why.to_string().len() < 4_096);
            false
        }
    }
}
