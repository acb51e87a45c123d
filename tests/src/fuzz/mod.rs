//! One function for each decoder and parser: what is read is written and read again, and
//! nothing breaks on the rest.
//!
//! Plain functions, so that `cargo test` runs them over the corpus and some changes of it
//! (`tests/it/fuzz.rs`), and libFuzzer as long as one likes (`tests/fuzz`).

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

/// A decoder or parser that is tried out.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of its binary, and of its corpus.
    pub name: &'static str,
    /// Tries an input, and says whether it is one that is read.
    ///
    /// # Panics
    /// Where a promise is broken.
    pub run: fn(&[u8]) -> bool,
}

/// All of them.
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

/// Tries an input on the target of a name, as the binaries of `tests/fuzz` do.
///
/// # Panics
/// Where a promise is broken, and for a name that no target has.
pub fn run(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap().run)(input);
}

const fn target(name: &'static str, run: fn(&[u8]) -> bool) -> Target {
    Target { name, run }
}

/// Tries a parser on an input that is text.
fn text(input: &[u8], parse: impl FnOnce(&str) -> bool) -> bool {
    std::str::from_utf8(input).is_ok_and(parse)
}

/// Reads a text; what is read reads as the same once it is written.
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
            // What is said of it is for a person's eyes, and short.
            assert!(why.to_string().len() < 4_096);
            false
        }
    }
}
