use super::*;
use crate::puzzle::numberlink::Stroke;
use crate::puzzle::numberlink::tests::samples::any_drawing;
use proptest::prelude::*;
use serde_json::{Value, json};

fn sample() -> Value {
    json!({
        "puzzle": {
            "size": "4x4",
            "cells": [1, 0, 0, 2, 0, 0, 0, 0, 0, 0, -1, 0, 1, 0, 0, 2],
            "touch": "free",
        },
        "links": [[0, 1, 5, 9, 13, 12], [3, 2]],
        "last": 1,
        "undo": [
            [{ "number": 2, "keep": 0, "lost": null }],
            [
                { "number": 2, "keep": 2, "lost": [6, "R"] },
                { "number": 1, "keep": 1, "lost": [4, "D"] },
            ],
        ],
    })
}

fn read(value: Value) -> Result<Drawing, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn a_drawing_reads_as_the_document_says() {
    let mut drawing = read(sample()).unwrap();
    assert_eq!((drawing.linked(), drawing.covered()), (1, 8));
    assert_eq!(serde_json::to_value(&drawing).unwrap(), sample());
    drawing.play(&Stroke::Undo).unwrap();
    assert_eq!(drawing.link(1), [0, 4, 8].map(Cell));
    assert_eq!(drawing.link(2), [3, 2, 6, 7].map(Cell));
}

#[test]
fn what_is_no_drawing_of_a_heat_is_refused_with_its_reason() {
    let long: Vec<u16> = (0..401).collect();
    for (path, wrong, why) in [
        ("/puzzle/size", json!("21x4"), "4 to 20 rows"),
        ("/puzzle/size", json!("4x5"), "16 cells for 20"),
        ("/puzzle/cells/1", json!(-2), "-2 is no cell"),
        ("/puzzle/cells/1", json!(1), "3 times"),
        ("/puzzle/cells", json!(long), "invalid length 401"),
        ("/links", json!([[]]), "1 links for 2 pairs"),
        ("/links/0", json!(long), "invalid length 401"),
        ("/links/0", json!([0]), "not drawn from its terminal"),
        ("/links/0", json!([5, 1]), "not drawn from its terminal"),
        ("/links/0/1", json!(2), "the link of 1 can't enter cell 2"),
        ("/links/1", json!([3, 2, 1]), "the link of 2 can't enter cell 1"),
        ("/links/1/1", json!(65_535), "can't enter cell 65535"),
        ("/links/1", json!([3, 2, 6, 10]), "can't enter cell 10"),
        ("/links/1", json!([3, 2, 3]), "can't enter cell 3"),
        ("/links/0", json!([0, 4, 8, 12, 13]), "can't enter cell 13"),
        ("/last", json!(3), "no number 3"),
        ("/last", json!(null), "undone makes no sense"),
        ("/undo/1", json!([]), "undone makes no sense"),
        ("/undo/1/0/keep", json!(3), "undone makes no sense"),
        ("/undo/1/0/number", json!(0), "no number 0"),
        ("/undo/1/0/lost/1", json!("D"), "can't enter cell 10"),
        ("/undo/1/0/lost/1", json!("UU"), "undone makes no sense"),
        ("/undo/1/0/lost/1", json!("R?"), "undone makes no sense"),
        ("/undo/1/0/lost/0", json!(99), "undone makes no sense"),
        ("/undo/1/1/keep", json!(2), "can't enter cell 4"),
        ("/undo", json!(vec![json!([]); 33]), "invalid length 33"),
    ] {
        let mut drawing = sample();
        *drawing.pointer_mut(path).unwrap() = wrong.clone();
        let error = read(drawing).expect_err(path);
        assert!(error.contains(why), "{path} {wrong}: {error}");
    }
}

#[test]
fn a_link_that_touches_itself_is_refused_where_none_may() {
    let mut drawing = sample();
    drawing["puzzle"]["touch"] = json!("forbidden");
    assert!(read(drawing.clone()).unwrap_err().contains("at cell 7"));
    drawing["undo"] = json!([]);
    assert!(read(drawing.clone()).is_ok());
    drawing["links"][0] = json!([0, 1, 5, 4]);
    let error = read(drawing).unwrap_err();
    assert!(error.contains("touches itself at cell 4"), "{error}");
}

#[test]
fn a_stroke_reads_as_the_document_says_and_no_longer_than_it_may() {
    let read = |text: &str| serde_json::from_str::<Stroke>(text).ok();
    assert_eq!(read("\"undo\""), Some(Stroke::Undo));
    let cells = [0, 1, 2].map(Cell).to_vec();
    assert_eq!(read("{\"draw\":[0,1,2]}"), Some(Stroke::Draw(cells)));
    let list = |cells: usize| format!("{{\"draw\":[{}0]}}", "0,".repeat(cells - 1));
    assert!(read(&list(STROKE_CELLS)).is_some());
    assert!(read(&list(STROKE_CELLS + 1)).is_none());
}

const LIMIT: usize = 65_536;

fn from_bytes<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Option<(T, usize)> {
    let settings = bincode::config::standard().with_limit::<LIMIT>();
    bincode::serde::decode_from_slice(bytes, settings).ok()
}

fn to_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    let settings = bincode::config::standard().with_limit::<LIMIT>();
    bincode::serde::encode_to_vec(value, settings).unwrap()
}

proptest! {
    #[test]
    fn a_drawing_is_read_as_it_was_written(drawing in any_drawing(4..=7)) {
        let text = serde_json::to_string(&drawing).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Drawing>(&text).unwrap(), &drawing);
        let bytes = to_bytes(&drawing);
        prop_assert_eq!(from_bytes(&bytes), Some((drawing, bytes.len())));
    }

    #[test]
    fn any_bytes_are_a_drawing_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        from_bytes::<Drawing>(&bytes);
        from_bytes::<Stroke>(&bytes);
    }

    #[test]
    fn a_drawing_with_a_byte_changed_is_an_error_or_one_that_can_be_undone(
        drawing in any_drawing(4..=5),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = to_bytes(&drawing);
        *at.get_mut(&mut bytes) = byte;
        if let Some((mut drawing, _)) = from_bytes::<Drawing>(&bytes) {
            for _ in 0..drawing.undos() {
                prop_assert!(drawing.play(&Stroke::Undo).is_ok());
            }
        }
    }
}
