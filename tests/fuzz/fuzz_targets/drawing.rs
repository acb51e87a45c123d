//! Drawings and strokes in JSON: what is read can be undone to its beginning, and any
//! stroke is played or refused, after which the drawing still reads as it is written.
#![no_main]

use gridrace_shared::numberlink::{Drawing, Stroke};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let drawing = lines.next().and_then(|line| serde_json::from_str(line).ok());
    let Some(mut drawing): Option<Drawing> = drawing else {
        return;
    };
    let mut undone = drawing.clone();
    for _ in 0..drawing.undos() {
        undone.play(&Stroke::Undo).unwrap();
    }
    for stroke in lines.filter_map(|line| serde_json::from_str::<Stroke>(line).ok()) {
        drawing.play(&stroke).ok();
    }
    let written = serde_json::to_string(&drawing).unwrap();
    assert_eq!(serde_json::from_str::<Drawing>(&written).unwrap(), drawing);
});
