//! The order of entrants by their records.

use crate::tournament::ids::EntrantId;
use crate::tournament::score::{EntrantRecord, Score};
use crate::tournament::tie_break::{PointsMet, TieBreak};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An entrant's line in a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranked {
    pub entrant: EntrantId,
    /// From 1. Entrants whom no rule parts share the better place.
    pub place: u16,
    pub score: Score,
    /// Whether the entrant was there at GO on any board; one who wasn't can't go on.
    pub started: bool,
}

/// Ranks by score, then by the tie-breaks in their order.
///
/// Entrants that all rules leave equal share the place, and are listed by `seeds`, the order in
/// which they came into the stage. Those who started are before those who didn't.
pub fn rank(
    records: &[EntrantRecord],
    tie_breaks: &[TieBreak],
    seeds: &[EntrantId],
) -> Vec<Ranked> {
    let seed: BTreeMap<EntrantId, usize> =
        seeds.iter().enumerate().map(|(index, entrant)| (*entrant, index)).collect();
    let mut sorted: Vec<&EntrantRecord> = records.iter().collect();
    sorted.sort_by_key(|record| seed.get(&record.entrant).copied().unwrap_or(usize::MAX));
    let by_score = |record: &&EntrantRecord| (!record.has_started(), record.score.order());
    sorted.sort_by_key(by_score);
    let meetings = PointsMet::new(records);
    let mut groups = Vec::new();
    for group in sorted.chunk_by(|a, b| by_score(a) == by_score(b)) {
        split(group, tie_breaks, &meetings, &mut groups);
    }
    let mut ranking = Vec::with_capacity(records.len());
    for group in groups {
        let place = u16::try_from(ranking.len() + 1).unwrap_or(u16::MAX);
        ranking.extend(group.into_iter().map(|record| Ranked {
            entrant: record.entrant,
            place,
            score: record.score,
            started: record.has_started(),
        }));
    }
    ranking
}

/// Splits a group of equal entrants into groups that no rule parts, the best first.
fn split<'a>(
    group: &[&'a EntrantRecord],
    tie_breaks: &[TieBreak],
    meetings: &PointsMet,
    groups: &mut Vec<Vec<&'a EntrantRecord>>,
) {
    let (Some((rule, rest)), true) = (tie_breaks.split_first(), group.len() > 1) else {
        groups.push(group.to_vec());
        return;
    };
    let keys = rule.keys(group, meetings);
    let mut keyed: Vec<(Vec<i64>, &'a EntrantRecord)> =
        keys.into_iter().zip(group.iter().copied()).collect();
    // Stable: the order of seeds stays within equal keys.
    keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
    for equal in keyed.chunk_by(|(a, _), (b, _)| a == b) {
        let equal: Vec<&EntrantRecord> = equal.iter().map(|(_, record)| *record).collect();
        split(&equal, rest, meetings, groups);
    }
}
