//! Short texts: ids and specs, options, names, codes, seeds, keys and PINs; results.

use super::{reads, text};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::{Commitment, Salt};
use gridrace_shared::heat::identity::{Challenge, Fingerprint, Proof, PublicKey, Signature};
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::heat::player_name::{NAME_BYTES, PlayerName, is_displayable};
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::puzzle::id::{FamilyKind, PuzzleId};
use gridrace_shared::puzzle::numberlink::{LinkSpec, Mode};
use gridrace_shared::puzzle::slide::SlideSpec;
use gridrace_shared::puzzle::{PuzzleSpec, tables::TableSpec};
use gridrace_shared::util::grid::Size;
use gridrace_shared::util::seed::Seed;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// Ids of boards, specs of heats and tables, and their parts.
pub(super) fn id(input: &[u8]) -> bool {
    text(input, |text| {
        let whole = [reads::<PuzzleId>(text), reads::<PuzzleSpec>(text), reads::<TableSpec>(text)];
        let parts = [
            reads::<LinkSpec>(text),
            reads::<SlideSpec>(text),
            reads::<Size>(text),
            reads::<Mode>(text),
            reads::<FamilyKind>(text),
            reads::<Skill>(text),
        ];
        whole.contains(&true) || parts.contains(&true)
    })
}

/// Options of a heat in JSON; valid if within their bounds.
pub(super) fn options(input: &[u8]) -> bool {
    text(input, |text| {
        reads_json::<HeatOptions>(text).is_some_and(|options| options.check().is_ok())
    })
}

/// Names: a valid one is short and displayable.
pub(super) fn name(input: &[u8]) -> bool {
    text(input, |text| {
        let is_one = reads::<PlayerName>(text);
        if let Ok(name) = text.parse::<PlayerName>() {
            assert!((1..=NAME_BYTES).contains(&name.as_str().len()));
            assert!(name.as_str().chars().all(is_displayable));
            // The skeleton is deterministic.
            assert_eq!(name.skeleton(), name.clone().skeleton());
        }
        is_one
    })
}

/// Rooms' codes, seeds, PINs, and values in hexadecimal digits.
pub(super) fn code(input: &[u8]) -> bool {
    text(input, |text| {
        let quoted = serde_json::Value::from(text).to_string();
        let hex = [
            reads_json::<Salt>(&quoted).is_some(),
            reads_json::<Commitment>(&quoted).is_some(),
            reads_json::<Challenge>(&quoted).is_some(),
            reads_json::<PublicKey>(&quoted).is_some(),
            reads_json::<Signature>(&quoted).is_some(),
            reads_json::<Fingerprint>(&quoted).is_some(),
            reads_json::<ResumeToken>(&quoted).is_some(),
            reads_json::<Pin>(&quoted).is_some(),
        ];
        let plain = [reads::<RoomCode>(text), reads::<Seed>(text)];
        plain.contains(&true) || hex.contains(&true)
    })
}

/// Proofs of a key, behind a line with the challenge and one with the host: a valid one is valid for
/// this challenge, host and kind only.
pub(super) fn proof(input: &[u8]) -> bool {
    text(input, |text| {
        let mut lines = text.splitn(3, '\n');
        let challenge = lines.next().and_then(|text| text.to_owned().try_into().ok());
        let (host, proof) = (lines.next().unwrap_or_default(), lines.next());
        let proof = proof.and_then(reads_json::<Proof>);
        let (Some(challenge), Some(proof)) = (challenge, proof) else {
            return false;
        };
        let Ok(who) = proof.check(challenge, host) else {
            return false;
        };
        assert_eq!(who, proof.key.fingerprint(proof.bot));
        let as_dialled = host.to_ascii_uppercase();
        assert!(proof.check(challenge, &as_dialled).is_ok());
        assert!(proof.check(challenge, &format!("{host}.evil.example")).is_err());
        let other = Challenge::default();
        assert!(other == challenge || proof.check(other, host).is_err());
        let of_the_other_kind = Proof { bot: !proof.bot, ..proof };
        assert!(of_the_other_kind.check(challenge, host).is_err());
        true
    })
}

/// Results of heats in JSON, as the store holds them.
pub(super) fn result(input: &[u8]) -> bool {
    text(input, |text| reads_json::<HeatResult>(text).is_some())
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
