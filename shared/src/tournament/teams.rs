//! The ranking of teams: that of their members, folded by tag.

use crate::tournament::ids::{EntrantId, TeamTag};
use crate::tournament::rank::Ranked;
use crate::tournament::score::Score;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A team's line in the ranking of teams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankedTeam {
    pub team: TeamTag,
    /// From 1. Teams of the same total and best member's place share the better place.
    pub place: u16,
    pub score: Score,
    /// The members that count, the best first.
    pub members: Vec<EntrantId>,
}

/// Ranks teams by their best `scorers` members.
///
/// By points, a team has the sum of its members' points. Otherwise it has the sum of their places as in
/// cross-country running, where a missing member has one place more than there are entrants. Ties go
/// by the place of the best member.
pub fn rank_teams(
    ranking: &[Ranked],
    by_points: bool,
    scorers: usize,
    team_of: impl Fn(EntrantId) -> Option<TeamTag>,
) -> Vec<RankedTeam> {
    let mut members: BTreeMap<TeamTag, Vec<&Ranked>> = BTreeMap::new();
    for row in ranking {
        if let Some(team) = team_of(row.entrant) {
            members.entry(team).or_default().push(row);
        }
    }
    let absent = u32::try_from(ranking.len()).unwrap_or(u32::MAX).saturating_add(1);
    let mut teams: Vec<(Score, u16, TeamTag, Vec<EntrantId>)> = Vec::new();
    for (team, mut rows) in members {
        if by_points {
            rows.sort_by_key(|row| (row.score.order(), row.place));
        }
        rows.truncate(scorers);
        let score = if by_points {
            Score::Points(rows.iter().map(|row| row.score.points()).sum())
        } else {
            let missing = u32::try_from(scorers - rows.len()).unwrap_or(u32::MAX);
            let places: u32 = rows.iter().map(|row| u32::from(row.place)).sum();
            Score::Places(places.saturating_add(missing.saturating_mul(absent)))
        };
        let best = rows.iter().map(|row| row.place).min().unwrap_or(u16::MAX);
        teams.push((score, best, team, rows.iter().map(|row| row.entrant).collect()));
    }
    teams.sort_by_key(|(score, best, ..)| (score.order(), *best));
    let mut ranked = Vec::with_capacity(teams.len());
    for equal in teams.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let place = u16::try_from(ranked.len() + 1).unwrap_or(u16::MAX);
        ranked.extend(equal.iter().cloned().map(|(score, _, team, members)| RankedTeam {
            team,
            place,
            score,
            members,
        }));
    }
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::time::Millis;

    fn teams(scores: &[Score], scorers: usize) -> Vec<(String, u16, Score)> {
        let rows: Vec<Ranked> = (0u32..)
            .zip(scores)
            .map(|(entrant, &score)| Ranked {
                entrant: EntrantId(entrant),
                place: entrant as u16 + 1,
                score,
                started: true,
            })
            .collect();
        // Entrants 0, 3 and 6 are of one team, 1 and 4 of the second; 2 and 5 of none.
        let team = |entrant: EntrantId| ["A", "B", ""][entrant.0 as usize % 3].parse().ok();
        let by_points = matches!(scores[0], Score::Points(_));
        let ranked = rank_teams(&rows, by_points, scorers, team);
        ranked.into_iter().map(|row| (row.team.to_string(), row.place, row.score)).collect()
    }

    #[test]
    fn points_of_the_best_members_add_up() {
        let points = [9, 8, 7, 2, 5, 4, 3].map(Score::Points);
        let (a, b) = ("A".to_owned(), "B".to_owned());
        assert_eq!(
            teams(&points, 2),
            [(b.clone(), 1, Score::Points(13)), (a.clone(), 2, Score::Points(12))]
        );
        assert_eq!(teams(&points, 3), [(a, 1, Score::Points(14)), (b, 2, Score::Points(13))]);
    }

    #[test]
    fn without_points_places_add_up_and_a_missing_member_is_last() {
        let times = [Score::Time(Some(Millis(1))); 7];
        let (a, b) = ("A".to_owned(), "B".to_owned());
        assert_eq!(
            teams(&times, 3),
            [(a, 1, Score::Places(1 + 4 + 7)), (b, 2, Score::Places(2 + 5 + 8))]
        );
    }
}
