//! Tournaments for tests: a log that is raced by the rules, and models that follow it.

use crate::session::tournament_message;
use crate::test_support as fx;
use crate::tui::effect::Effect;
use crate::tui::model::{ConnectionModel, ConnectionStatus, FollowGoal, Goal, Intent, Model};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::TableSetup;
use gridrace_shared::protocol::tournament::{
    OwnEntry, PageChanges, PageOf, PageRows, SeatRow, TableCall, TableRow, TournamentCounts,
    TournamentHead, TournamentPage, TournamentPhase, TournamentRequest, TournamentSnapshot,
    TournamentUpdate,
};
use gridrace_shared::tournament::draw_commitment::{DrawKey, TournamentSecret};
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey};
use gridrace_shared::tournament::log::{LogEntry, Presence, Tournament};
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine, PublicEvent};
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_shared::util::clock_estimate::PingTimes;
use gridrace_shared::util::time::{ClientInstant, Millis, ServerInstant, TournamentInstant};

/// Oneself, the third to enter.
pub(crate) const ME: EntrantId = EntrantId(3);

const NAMES: [&str; 8] = ["Zoë", "Max", "Anna", "Otter", "Heron", "Badger", "Ida", "Bartholomew"];

/// A tournament as its server has it.
#[derive(Debug, Clone)]
pub(crate) struct Raced {
    pub(crate) lines: Vec<LogLine>,
    pub(crate) tournament: Tournament,
    next: u64,
}

impl Raced {
    /// `count` players have entered, and all but the last are checked in.
    pub(crate) fn entered(plan: &str, count: u32) -> Self {
        let tournament = Tournament::new(plan.parse().unwrap());
        let mut raced = Self { lines: Vec::new(), tournament, next: 1_000 };
        for number in 1..=count {
            let entrant = EntrantId(number);
            let name = NAMES[(number as usize - 1) % NAMES.len()];
            let lap = (number as usize - 1) / NAMES.len();
            let name = if lap == 0 { name.to_owned() } else { format!("{name} {lap}") };
            let key = Key::from_bytes([u8::try_from(number % 200).unwrap(); 32]);
            raced.push(PublicEvent::Entrant {
                entrant,
                name: name.parse().unwrap(),
                key: key.public().fingerprint(false),
                kind: if number == 2 { PlayerKind::Bot } else { PlayerKind::Human },
            });
            raced.entry(LogEntry::Enter { entrant, team: None });
            if number < count {
                raced.entry(LogEntry::CheckIn { entrant });
            }
        }
        raced
    }

    pub(crate) fn push(&mut self, event: PublicEvent) {
        let at = TournamentInstant(self.next);
        self.next += 7_000;
        self.lines.push(LogLine { at, by: LogAuthor::Server, event });
    }

    pub(crate) fn entry(&mut self, entry: LogEntry) {
        self.tournament.apply(entry.clone()).unwrap();
        self.push(PublicEvent::Entry { entry, reason: None });
    }

    /// Draws the next round.
    pub(crate) fn draw(&mut self) -> RoundKey {
        let round = self.tournament.next_draw().unwrap();
        let key = DrawKey { round, attempt: 0 };
        let seed = secret().draw_seed(key);
        self.entry(LogEntry::Draw { key, seed, waiting: Vec::new() });
        round
    }

    /// Races one board at every table that needs it; the lower numbers are faster, now and then.
    pub(crate) fn race(&mut self, round: RoundKey, board: u8) {
        let state = self.tournament.round(round).unwrap().clone();
        let stage = &self.tournament.stages()[usize::from(round.stage)];
        let open: Vec<_> = state
            .draw
            .tables
            .iter()
            .filter(|table| !stage.is_table_complete(&state, table))
            .cloned()
            .collect();
        for table in open {
            let time = |&entrant: &EntrantId| {
                let id = u64::from(entrant.0);
                let time = Millis(20_000 + 1_370 * id + 4_410 * ((id * 7 + u64::from(board)) % 5));
                let is_out = (id + u64::from(board)).is_multiple_of(7);
                let outcome = if is_out {
                    BoardOutcome::Dnf { progress: 640 }
                } else {
                    BoardOutcome::Finished { time }
                };
                (entrant, outcome)
            };
            let mut rows: Vec<_> = table.seats.iter().map(time).collect();
            rows.sort_by_key(|(_, outcome)| outcome.order());
            let key = ResultKey { round, table: table.number, board, attempt: 0 };
            self.entry(LogEntry::Result { key, result: BoardResult { rows } });
        }
    }

    /// Races to the end.
    pub(crate) fn finished(mut self) -> Self {
        while !self.tournament.is_over() {
            let round = self.draw();
            let stage = &self.tournament.stages()[usize::from(round.stage)];
            for board in 0..stage.stage().boards {
                self.race(round, board);
            }
        }
        self
    }

    /// Returns the tables of the latest round as the server sends them.
    pub(crate) fn tables(&self, round: RoundKey) -> Vec<TableRow> {
        let state = self.tournament.round(round).unwrap();
        let stage = &self.tournament.stages()[usize::from(round.stage)];
        let boards = stage.stage().boards;
        let row = |table: &gridrace_shared::tournament::draw::DrawnTable| TableRow {
            round,
            number: table.number,
            room: (!stage.is_table_complete(state, table)).then(fx::code),
            seats: table
                .seats
                .iter()
                .map(|&entrant| SeatRow {
                    entrant,
                    outcomes: (0..boards)
                        .map(|board| Some(state.result(table.number, board)?.outcome(entrant)))
                        .collect(),
                })
                .collect(),
            walkover: false,
            attempts: vec![0; boards.into()],
        };
        state.draw.tables.iter().map(row).collect()
    }
}

pub(crate) fn secret() -> TournamentSecret {
    TournamentSecret::from_entropy([7; 32])
}

/// A player who is here.
pub(crate) const fn player() -> OwnEntry {
    OwnEntry { entrant: Some(ME), presence: Some(Presence::Present), organiser: false }
}

pub(crate) const fn organiser() -> OwnEntry {
    OwnEntry { entrant: None, presence: None, organiser: true }
}

pub(crate) fn head(raced: &Raced, phase: TournamentPhase) -> TournamentHead {
    let stages = raced.tournament.stages();
    let stage = stages.iter().rposition(|stage| !stage.rounds().is_empty());
    let round = stage.map(|stage| RoundKey {
        stage: u8::try_from(stage).unwrap(),
        round: u16::try_from(stages[stage].rounds().len() - 1).unwrap(),
    });
    let log = u32::try_from(raced.lines.len()).unwrap();
    let entrants = u16::try_from(raced.tournament.entrants().count()).unwrap();
    TournamentHead {
        phase,
        paused: false,
        round,
        board: 0,
        // A minute and a second after the instant of the models.
        go: Some(TournamentInstant(161_000)),
        counts: TournamentCounts {
            entrants,
            present: entrants - 1,
            tables: round.map_or(0, |round| raced.tables(round).len().try_into().unwrap()),
            tables_done: 1,
        },
        log,
        changed: PageChanges { entrants: log, standings: log, tables: log },
        late_entries: true,
        closed: false,
    }
}

pub(crate) fn snapshot(raced: &Raced, phase: TournamentPhase, you: OwnEntry) -> TournamentSnapshot {
    let settings = TournamentSettings::new("slide:3x3".parse().unwrap());
    TournamentSnapshot {
        name: "friday".parse().unwrap(),
        plan: raced.tournament.plan().clone(),
        settings: TournamentSettings { title: Some("Friday cup".parse().unwrap()), ..settings },
        epoch: ServerInstant(5_000_000),
        commitment: secret().commitment(),
        organiser: Key::from_bytes([99; 32]).public().fingerprint(false),
        head: head(raced, phase),
        you,
    }
}

pub(crate) fn update(update: TournamentUpdate) -> ServerMessage {
    ServerMessage::Tournament(Box::new(update))
}

/// A model on whose connection a tournament is to be followed.
pub(crate) fn dialled(entry: bool) -> Model {
    let mut model = fx::model();
    let goal = FollowGoal { name: "friday".parse().unwrap(), entry: entry.then_some(None) };
    let goal = Goal {
        address: "192.168.1.5:7415".to_owned(),
        name: "Anna".to_owned(),
        variant: 1,
        intent: Intent::Follow(goal),
        pin: None,
    };
    model.connection = ConnectionModel {
        status: ConnectionStatus::Up,
        goal: Some(goal),
        ..ConnectionModel::default()
    };
    model.clock.learn(PingTimes {
        sent: ClientInstant(1_000_000),
        received: ServerInstant(1_004_200),
        replied: ServerInstant(1_004_200),
        arrived: ClientInstant(1_008_400),
    });
    model.now = ClientInstant(5_000_000 + 100_000 * 1_000);
    model.connection.heard = model.now;
    model.connection.next_ping = ClientInstant(model.now.0 + 1_000_000);
    model
}

/// A model that follows a tournament and has loaded its log.
pub(crate) fn following(raced: &Raced, phase: TournamentPhase, you: OwnEntry) -> Model {
    let mut model = dialled(false);
    let snapshot = TournamentUpdate::Snapshot(Box::new(snapshot(raced, phase, you)));
    let effects = fx::hear(&mut model, update(snapshot));
    load(&mut model, raced, effects);
    model
}

/// Answers requests for pages until there are no more.
pub(crate) fn load(model: &mut Model, raced: &Raced, mut effects: Vec<Effect>) {
    while let Some(page) = effects.iter().find_map(|effect| answer(raced, effect)) {
        effects = fx::hear(model, update(TournamentUpdate::Page(page)));
    }
}

fn answer(raced: &Raced, effect: &Effect) -> Option<TournamentPage> {
    let Effect::Send(message) = effect else { return None };
    let page = |of, from| tournament_message(TournamentRequest::Page { of, from });
    let total = u32::try_from(raced.lines.len()).unwrap();
    let from = (0..=total).find(|from| *message == page(PageOf::Log, *from));
    if let Some(from) = from {
        // Two pages, so that there is one in the middle.
        let lines: Vec<LogLine> =
            raced.lines.iter().skip(from as usize).take(40).cloned().collect();
        return Some(TournamentPage { from, total, rows: PageRows::Log(lines) });
    }
    (*message == page(PageOf::Tables { round: None }, 0)).then(|| {
        let round = head(raced, TournamentPhase::Racing).round.unwrap();
        let rows = raced.tables(round);
        let total = u32::try_from(rows.len()).unwrap();
        TournamentPage { from: 0, total, rows: PageRows::Tables(rows) }
    })
}

/// The call to one's own table.
pub(crate) fn call() -> TableCall {
    let round = RoundKey { stage: 0, round: 0 };
    TableCall { code: fx::code(), round, table: 0, go: Some(TournamentInstant(161_000)) }
}

/// What a room is as a table.
pub(crate) fn table_setup() -> TableSetup {
    let round = RoundKey { stage: 0, round: 0 };
    let board = ResultKey { round, table: 0, board: 0, attempt: 0 };
    TableSetup { tournament: "friday".parse().unwrap(), board }
}
