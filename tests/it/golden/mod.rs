//! Compares bytes and JSON of every message with the files in `tests/golden`.
//!
//! A line that differs is a change of the wire, which clients and bots in other languages must
//! follow. It needs a line under *Wire* in the CHANGELOG, and a higher protocol version if an old
//! peer would misread it. `GRIDRACE_BLESS=1 cargo test -p gridrace-tests golden` rewrites the files.

mod client;
mod page;
mod parts;
mod replays;
mod server;
mod tournament;

use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::codec::{
    CLIENT_FRAME_LIMIT, Codec, Frame, SERVER_FRAME_LIMIT, decode_binary, decode_text, encode,
};
use gridrace_shared::protocol::server::ServerMessage;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::{Debug, Write};
use std::path::PathBuf;

/// Lists values of an enum under each of its variants; a unit variant needs no values. A variant
/// without an entry doesn't compile, and an entry without a value of its variant fails.
macro_rules! every {
    ($list:ident: $type:ident { $($variant:ident $(=> $values:expr)?),+ $(,)? }) => {
        pub(super) fn $list() -> Vec<$type> {
            const _: fn(&$type) = |value| match value {
                $($type::$variant { .. } => (),)+
            };
            let mut all = Vec::new();
            $(
                let values: Vec<$type> = Vec::from_iter(every!(@ $type $variant $($values)?));
                assert!(!values.is_empty());
                assert!(values.iter().all(|value| matches!(value, $type::$variant { .. })));
                all.extend(values);
            )+
            all
        }
    };
    (@ $type:ident $variant:ident) => {
        [$type::$variant]
    };
    (@ $type:ident $variant:ident $values:expr) => {
        $values
    };
}
use every;

#[test]
fn client_messages_have_their_golden_bytes_and_json() {
    check::<ClientMessage, CLIENT_FRAME_LIMIT>("client.txt", &client::messages());
}

#[test]
fn server_messages_have_their_golden_bytes_and_json() {
    check::<ServerMessage, SERVER_FRAME_LIMIT>("server.txt", &server::messages());
}

fn check<T, const LIMIT: usize>(file: &str, samples: &[T])
where
    T: Serialize + DeserializeOwned + Debug + PartialEq,
{
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(file);
    let now = render(samples);
    if std::env::var_os("GRIDRACE_BLESS").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    for (golden, now) in golden.lines().zip(now.lines()) {
        assert_eq!(golden, now, "the wire has changed: see tests/it/golden/mod.rs");
    }
    assert_eq!(golden.lines().count(), now.lines().count(), "messages came or went");

    let lines = golden.lines().filter(|line| !line.starts_with('#'));
    for (line, sample) in lines.zip(samples) {
        let [_, hex, json] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        assert_eq!(&decode_binary::<T, LIMIT>(&from_hex(hex)).unwrap(), sample, "{line}");
        assert_eq!(&decode_text::<T, LIMIT>(json).unwrap(), sample, "{line}");
    }
}

fn render<T: Serialize + Debug>(samples: &[T]) -> String {
    let mut text = "# name <tab> bincode in hexadecimal <tab> JSON\n".to_owned();
    let mut seen = BTreeMap::<String, u32>::new();
    for sample in samples {
        let name = name(sample);
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        let number = if *count > 1 { format!(" {count}") } else { String::new() };
        let (hex, json) = (hex(sample), json(sample));
        writeln!(text, "{name}{number}\t{hex}\t{json}").unwrap();
    }
    text
}

/// Names a message after its variants: `Refused(Name(Empty))` is `Refused Name Empty`.
fn name(sample: &impl Debug) -> String {
    let debug = format!("{sample:?}");
    let end = debug.find(|c: char| !c.is_alphanumeric() && c != '(').unwrap_or(debug.len());
    let mut words: Vec<&str> = debug[..end].split('(').filter(|word| !word.is_empty()).collect();
    // `Roster(Roster { .. })` holds a struct of its own name.
    words.dedup();
    words.join(" ")
}

fn hex(sample: &impl Serialize) -> String {
    match encode(Codec::Binary, sample).unwrap() {
        Frame::Binary(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Frame::Text(text) => panic!("binary is text: {text}"),
    }
}

fn json(sample: &impl Serialize) -> String {
    match encode(Codec::Json, sample).unwrap() {
        Frame::Text(text) => text,
        Frame::Binary(bytes) => panic!("JSON is binary: {bytes:?}"),
    }
}

fn from_hex(hex: &str) -> Vec<u8> {
    let digits = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    hex.as_bytes().chunks(2).map(digits).collect()
}
