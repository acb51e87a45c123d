//! The public log as far as a follower has loaded it, and what follows from it.

use crate::heat::identity::Fingerprint;
use crate::heat::player_kind::PlayerKind;
use crate::heat::player_name::PlayerName;
use crate::tournament::draw::bracket::Bracket;
use crate::tournament::ids::{EntrantId, RoundKey, TeamTag};
use crate::tournament::log::{LogEntry, Presence, Tournament};
use crate::tournament::plan::{Format, TournamentPlan};
use crate::tournament::public_log::{LogLine, PublicEvent};
use crate::tournament::rank::Ranked;
use crate::tournament::stage_state::StageState;
use crate::tournament::stage_state::round::RoundState;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The lines that were loaded, with their fold.
#[derive(Debug, Clone)]
pub struct FollowedLog {
    lines: Vec<LogLine>,
    tournament: Tournament,
    profiles: BTreeMap<EntrantId, LoggedProfile>,
    /// Computed when it is asked for, as long as no line comes.
    standings: OnceLock<Vec<Ranked>>,
}

/// An entrant's profile, from the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedProfile {
    pub entrant: EntrantId,
    pub name: PlayerName,
    pub key: Fingerprint,
    pub kind: PlayerKind,
    pub team: Option<TeamTag>,
}

/// Where an entrant is in the latest round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntrantSeat {
    Table {
        number: u16,
        /// All who sit there, the entrant among them.
        seats: Vec<EntrantId>,
        /// Whether it needs no more boards.
        is_complete: bool,
    },
    /// Goes on without racing.
    Bye,
    /// Races no more in this stage, or isn't drawn.
    None,
}

impl FollowedLog {
    pub fn new(plan: TournamentPlan) -> Self {
        Self {
            lines: Vec::new(),
            tournament: Tournament::new(plan),
            profiles: BTreeMap::new(),
            standings: OnceLock::new(),
        }
    }

    pub fn lines(&self) -> &[LogLine] {
        &self.lines
    }

    /// Returns how many lines were loaded.
    pub fn len(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }

    pub const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub const fn tournament(&self) -> &Tournament {
        &self.tournament
    }

    /// Appends lines whose first has the number `from`; those that are known already are passed
    /// over. Returns whether there are new ones: none if some are missing before them.
    pub fn append(&mut self, from: u32, lines: Vec<LogLine>) -> bool {
        let Some(known) = self.len().checked_sub(from) else { return false };
        let before = self.lines.len();
        for line in lines.into_iter().skip(usize::try_from(known).unwrap_or(usize::MAX)) {
            if let PublicEvent::Entrant { entrant, name, key, kind } = &line.event {
                let (entrant, name, key, kind) = (*entrant, name.clone(), *key, *kind);
                self.profiles
                    .insert(entrant, LoggedProfile { entrant, name, key, kind, team: None });
            }
            if let Some(entry) = line.entry() {
                self.apply(entry.clone());
            }
            self.lines.push(line);
        }
        let has_grown = self.lines.len() > before;
        if has_grown {
            self.standings = OnceLock::new();
        }
        has_grown
    }

    /// Applies an entry. One that has no effect stays in the log all the same: others count it.
    fn apply(&mut self, entry: LogEntry) {
        if let LogEntry::Enter { entrant, team } = &entry
            && let Some(profile) = self.profiles.get_mut(entrant)
        {
            profile.team.clone_from(team);
        }
        if self.tournament.apply(entry.clone()).is_err() {
            let mut log = self.tournament.log().to_vec();
            log.push(entry);
            self.tournament = Tournament::fold(self.tournament.plan().clone(), log);
        }
    }

    /// Returns the standings of all who were drawn; before the first draw, none.
    pub fn standings(&self) -> &[Ranked] {
        self.standings.get_or_init(|| self.tournament.standings())
    }

    /// Returns all entrants in the order in which they entered.
    pub fn profiles(&self) -> impl Iterator<Item = &LoggedProfile> {
        self.profiles.values()
    }

    pub fn profile(&self, entrant: EntrantId) -> Option<&LoggedProfile> {
        self.profiles.get(&entrant)
    }

    /// Returns an entrant's name; the number of one whose entry isn't loaded.
    pub fn name(&self, entrant: EntrantId) -> String {
        let profile = self.profile(entrant);
        profile.map_or_else(|| entrant.to_string(), |profile| profile.name.to_string())
    }

    pub fn presence(&self, entrant: EntrantId) -> Option<Presence> {
        let mut entrants = self.tournament.entrants();
        entrants.find(|(id, _)| *id == entrant).map(|(_, presence)| presence)
    }

    /// Returns the round that was drawn last.
    pub fn latest_round(&self) -> Option<RoundKey> {
        let stages = self.tournament.stages();
        let stage = stages.iter().rposition(|stage| !stage.rounds().is_empty())?;
        let round = stages[stage].rounds().len().checked_sub(1)?;
        Some(RoundKey { stage: u8::try_from(stage).ok()?, round: u16::try_from(round).ok()? })
    }

    /// Returns a round and its stage.
    pub fn round(&self, key: RoundKey) -> Option<(&StageState, &RoundState)> {
        let stage = self.tournament.stages().get(usize::from(key.stage))?;
        Some((stage, stage.rounds().get(usize::from(key.round))?))
    }

    /// Returns where an entrant is in the round that was drawn last; of an arena, whose rounds go on at the same
    /// time, in the one in which the entrant races.
    pub fn seat(&self, entrant: EntrantId) -> EntrantSeat {
        let Some((stage, latest)) = self.latest_round().and_then(|key| self.round(key)) else {
            return EntrantSeat::None;
        };
        let mut racing = stage.open_rounds().filter_map(|number| stage.rounds().get(number));
        let races = |round: &&Arc<RoundState>| {
            let mut tables = round.draw.tables.iter().filter(|it| it.seats.contains(&entrant));
            tables.any(|table| !stage.is_table_complete(round, table))
        };
        let is_arena = matches!(stage.stage().format, Format::Arena { .. });
        let round = racing.find(races).filter(|_| is_arena).map_or(latest, |round| round);
        if let Some(table) = round.draw.tables.iter().find(|it| it.seats.contains(&entrant)) {
            let is_complete = stage.is_table_complete(round, table);
            return EntrantSeat::Table {
                number: table.number,
                seats: table.seats.clone(),
                is_complete,
            };
        }
        let mut walkovers = round.draw.walkovers.iter();
        let has_bye = walkovers.any(|walkover| walkover.winner == Some(entrant))
            || round.draw.resting.contains(&entrant);
        if has_bye { EntrantSeat::Bye } else { EntrantSeat::None }
    }

    /// Returns the bracket of the latest stage that is one, with its number.
    pub fn bracket(&self) -> Option<(usize, Bracket)> {
        let stages = self.tournament.stages().iter().enumerate().rev();
        let mut brackets = stages
            .filter(|(_, stage)| matches!(stage.stage().format, Format::Knockout | Format::Double));
        brackets.next().map(|(number, stage)| (number, stage.bracket()))
    }
}
