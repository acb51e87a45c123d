//! Compares the examples of the protocol's page, `docs/bots.md`, with the golden files.

use super::{client, json, server};
use serde::Serialize;
use serde_json::{Deserializer, Value};
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../docs/bots.md");

#[test]
fn each_example_of_the_page_is_a_golden_message_and_each_message_has_one() {
    let messages: Vec<Value> =
        values(&client::messages()).chain(values(&server::messages())).collect();
    let examples = examples();
    for example in &examples {
        assert!(messages.contains(example), "no golden message: {example}");
    }
    let tags = |values: &[Value]| values.iter().map(tag).collect::<BTreeSet<_>>();
    assert_eq!(tags(&examples), tags(&messages));
}

/// Returns the messages of the page's fenced JSON.
fn examples() -> Vec<Value> {
    let blocks = PAGE.split("```json\n").skip(1);
    let block = |block: &'static str| block.split("```").next().unwrap();
    blocks
        .flat_map(|text| Deserializer::from_str(block(text)).into_iter())
        .collect::<Result<_, _>>()
        .unwrap()
}

fn values<T: Serialize>(messages: &[T]) -> impl Iterator<Item = Value> {
    messages.iter().map(|message| serde_json::from_str(&json(message)).unwrap())
}

/// Returns the variant's name: of a string itself, of an object its only key.
fn tag(value: &Value) -> String {
    match value.as_object() {
        Some(object) => object.keys().next().unwrap().clone(),
        None => value.as_str().unwrap().to_owned(),
    }
}
