//! The JSON documents that `gridrace tournament` prints.

use crate::display::format::rfc3339;
use crate::net::address::Address;
use gridrace_lan::page_link::record_link;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::protocol::tournament::{PastTournament, TournamentPhase, TournamentSummary};
use gridrace_shared::replay::UnixSeconds;
use gridrace_shared::tournament::log::Presence;
use gridrace_shared::tournament::score::Score;
use gridrace_shared::tournament::teams::RankedTeam;
use gridrace_shared::tournament_record::{StandingRow, standing_rows};
use gridrace_shared::tournament_view::{FollowedLog, LoggedProfile, TournamentView};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct SummaryDocument {
    name: String,
    title: Option<String>,
    plan: String,
    phase: TournamentPhase,
    entrants: u16,
    max_entrants: u16,
    needs_pin: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct PastDocument {
    /// With its number if the name was used again.
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) plan: String,
    pub(super) ended: String,
    /// Null if an earlier version of the server closed the tournament, as the champions.
    entrants: Option<u16>,
    champions: Option<Vec<String>>,
    /// How many champions there are besides.
    more_champions: u16,
    /// The link to the record.
    pub(super) record: String,
}

#[derive(Debug, Serialize)]
pub(super) struct TournamentDocument {
    name: String,
    title: Option<String>,
    plan: String,
    phase: TournamentPhase,
    paused: bool,
    commitment: String,
    /// The lines of the public log.
    log: u32,
    entrants: Vec<EntrantDocument>,
    standings: Vec<StandingRow>,
    teams: Option<Vec<TeamDocument>>,
    champions: Vec<String>,
}

#[derive(Debug, Serialize)]
struct EntrantDocument {
    entrant: u32,
    name: String,
    team: Option<String>,
    bot: bool,
    key: String,
    presence: Option<Presence>,
    drawn_next: bool,
}

#[derive(Debug, Serialize)]
struct TeamDocument {
    place: u16,
    team: String,
    /// Of the stage whose points decide.
    points: Option<u32>,
    /// The sum of places, where the lowest wins.
    places: Option<u32>,
    members: Vec<String>,
}

impl SummaryDocument {
    pub(super) fn of(summary: &TournamentSummary) -> Self {
        Self {
            name: summary.name.to_string(),
            title: summary.title.as_ref().map(ToString::to_string),
            plan: summary.plan.clone(),
            phase: summary.phase,
            entrants: summary.entrants,
            max_entrants: summary.max_entrants,
            needs_pin: summary.needs_pin,
        }
    }
}

impl PastDocument {
    pub(super) fn of(past: &PastTournament, server: &Address) -> Self {
        let outcome = past.outcome.as_ref();
        let names = |champions: &[PlayerName]| champions.iter().map(ToString::to_string).collect();
        Self {
            name: past.record.to_string(),
            title: past.title.as_ref().map(ToString::to_string),
            plan: past.plan.clone(),
            ended: rfc3339(UnixSeconds(past.ended.0 / 1_000)),
            entrants: outcome.map(|outcome| outcome.entrants),
            champions: outcome.map(|outcome| names(&outcome.champions)),
            more_champions: outcome.map_or(0, |outcome| outcome.more_champions),
            record: record_link(server.is_secure(), &server.authority(), &past.record),
        }
    }
}

impl TournamentDocument {
    pub(super) fn of(view: &TournamentView) -> Self {
        let log = &view.log;
        let names = |entrants: Vec<_>| entrants.into_iter().map(|it| log.name(it)).collect();
        Self {
            name: view.name.to_string(),
            title: view.settings.title.as_ref().map(ToString::to_string),
            plan: log.tournament().plan().to_string(),
            phase: view.head.phase,
            paused: view.head.paused,
            commitment: view.commitment.to_string(),
            log: view.head.log,
            entrants: entrants(log),
            standings: standing_rows(log.tournament(), log.lines()),
            teams: teams(log),
            champions: names(log.tournament().champions()),
        }
    }
}

fn entrants(log: &FollowedLog) -> Vec<EntrantDocument> {
    let drawn = log.tournament().present();
    // As the protocol has it: who is absent too often is withdrawn until the next check-in.
    let presence = |entrant| match log.presence(entrant) {
        Some(Presence::Present) if !drawn.contains(&entrant) => Some(Presence::Withdrawn),
        presence => presence,
    };
    let document = |profile: &LoggedProfile| EntrantDocument {
        entrant: profile.entrant.0,
        name: profile.name.to_string(),
        team: profile.team.as_ref().map(ToString::to_string),
        bot: profile.kind != PlayerKind::Human,
        key: profile.key.to_string(),
        presence: presence(profile.entrant),
        drawn_next: drawn.contains(&profile.entrant),
    };
    log.profiles().map(document).collect()
}

fn teams(log: &FollowedLog) -> Option<Vec<TeamDocument>> {
    let rows = log.tournament().team_standings()?;
    let document = |row: RankedTeam| TeamDocument {
        place: row.place,
        team: row.team.to_string(),
        points: match row.score {
            Score::Points(points) => Some(points),
            Score::Places(_) | Score::Time(_) => None,
        },
        places: match row.score {
            Score::Places(places) => Some(places),
            Score::Points(_) | Score::Time(_) => None,
        },
        members: row.members.into_iter().map(|it| log.name(it)).collect(),
    };
    Some(rows.into_iter().map(document).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::tournament::{ME, Raced};
    use gridrace_shared::tournament::ids::ResultKey;
    use gridrace_shared::tournament::log::LogEntry;
    use gridrace_shared::tournament::result::BoardResult;

    #[test]
    fn who_is_not_drawn_any_more_for_absences_is_said_to_be_so() {
        let mut raced = Raced::entered("series:3", 4);
        let round = raced.draw();
        let me = |raced: &Raced| {
            let mut log = FollowedLog::new(raced.tournament.plan().clone());
            log.append(0, raced.lines.clone());
            let entrants = entrants(&log);
            let me = entrants.iter().find(|it| it.entrant == ME.0).unwrap();
            (me.presence, me.drawn_next)
        };
        let (present, withdrawn) = (Presence::Present, Presence::Withdrawn);
        for (board, presence) in [(0, present), (1, present), (2, withdrawn)] {
            assert_eq!(me(&raced), (Some(presence), presence == Presence::Present));
            let key = ResultKey { round, table: 0, board, attempt: 0 };
            raced.entry(LogEntry::Result { key, result: BoardResult::default() });
        }
    }
}
