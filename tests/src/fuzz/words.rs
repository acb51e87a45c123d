//! Short texts: ids and specs, options, names, codes, seeds.

use super::{reads, text};
use gridrace_shared::bot::Skill;
use gridrace_shared::grid::Size;
use gridrace_shared::name::{HeatCode, NAME_BYTES, PlayerName, may_stand_in_a_name};
use gridrace_shared::numberlink::{HeatSpec, Mode, notation::LinkId};
use gridrace_shared::options::HeatOptions;
use gridrace_shared::puzzle::{PuzzleSpec, tables::TableSpec};
use gridrace_shared::puzzle_id::{Family, PuzzleId};
use gridrace_shared::reveal::{Commitment, Salt};
use gridrace_shared::seed::Seed;
use gridrace_shared::slide::HeatSize;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// Ids of boards, specs of heats and tables, and what they consist of.
pub(super) fn id(input: &[u8]) -> bool {
    text(input, |text| {
        let whole = [
            reads::<PuzzleId>(text),
            reads::<LinkId>(text),
            reads::<PuzzleSpec>(text),
            reads::<TableSpec>(text),
        ];
        let parts = [
            reads::<HeatSpec>(text),
            reads::<HeatSize>(text),
            reads::<Size>(text),
            reads::<Mode>(text),
            reads::<Family>(text),
            reads::<Skill>(text),
        ];
        whole.contains(&true) || parts.contains(&true)
    })
}

/// Options of a heat in JSON, and whether they are within their bounds.
pub(super) fn options(input: &[u8]) -> bool {
    text(input, |text| {
        reads_json::<HeatOptions>(text).is_some_and(|options| options.check().is_ok())
    })
}

/// Names: what is one is short, and steers no terminal.
pub(super) fn name(input: &[u8]) -> bool {
    text(input, |text| {
        let is_one = reads::<PlayerName>(text);
        if let Ok(name) = text.parse::<PlayerName>() {
            assert!((1..=NAME_BYTES).contains(&name.as_str().len()));
            assert!(name.as_str().chars().all(may_stand_in_a_name));
            // Whoever looks alike looks alike for ever.
            assert_eq!(name.skeleton(), name.clone().skeleton());
        }
        is_one
    })
}

/// Codes of heats, seeds, salts and commitments.
pub(super) fn code(input: &[u8]) -> bool {
    text(input, |text| {
        let quoted = serde_json::Value::from(text).to_string();
        let hex = [
            reads_json::<Salt>(&quoted).is_some(),
            reads_json::<Commitment>(&quoted).is_some(),
        ];
        let plain = [reads::<HeatCode>(text), reads::<Seed>(text)];
        plain.contains(&true) || hex.contains(&true)
    })
}

fn reads_json<T>(text: &str) -> Option<T>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let value: T = serde_json::from_str(text).ok()?;
    let written = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&written).unwrap(), value);
    Some(value)
}
