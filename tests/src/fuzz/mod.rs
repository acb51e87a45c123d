//! One function for each decoder and parser: valid input round-trips, and invalid input neither
//! panics nor hangs.
//!
//! `cargo test` runs these functions over the corpus and mutations of it (`tests/it/fuzz_corpus.rs`);
//! `tests/fuzz` runs them under libFuzzer.

#![expect(clippy::unwrap_used, reason = "a target says by a panic what it has found")]

mod client_input;
mod http_headers;
mod journal;
mod numberlink;
mod replay;
mod short_texts;
mod slide;
mod table_files;
mod tournament_record;
mod websocket;
mod wire;

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

pub const TARGETS: [Target; 31] = [
    target("client_binary", wire::client_binary),
    target("client_json", wire::client_json),
    target("server_binary", wire::server_binary),
    target("server_json", wire::server_json),
    target("id", short_texts::id),
    target("options", short_texts::options),
    target("name", short_texts::name),
    target("code", short_texts::code),
    target("slide_board", slide::board),
    target("link_grid", numberlink::grid),
    target("link_drawing", numberlink::drawing),
    target("puzz_link", numberlink::puzz_link),
    target("replay", replay::file),
    target("tournament_record", tournament_record::file),
    target("table_header", table_files::header),
    target("journal_row", journal::row),
    target("journal_entries", journal::entries),
    target("checkpoint", journal::checkpoint),
    target("result", short_texts::result),
    target("frames", websocket::frames),
    target("messages", websocket::messages),
    target("headers", http_headers::request),
    target("proof", short_texts::proof),
    target("address", client_input::address),
    target("command_line", client_input::command_line),
    target("forms", client_input::forms),
    target("variables", client_input::variables),
    target("key_file", client_input::key_file),
    target("file_name", client_input::file_name),
    target("boards", client_input::boards),
    target("shown", client_input::shown),
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
