//! A tournament with a replayed table, a corrected result, an absent entrant and a withdrawal.

use super::*;
use crate::bot::{Bot, Skill};
use crate::heat::commitment::{Salt, Secret, SeedOrigin};
use crate::heat::ids::PlayerId;
use crate::replay::{
    EventLogWriter, Outcome, Racer, RacerEvent, RecordKind, Replay, ReplayHeader, Simulation,
    UnixSeconds,
};
use crate::solver::plan::SolverResources;
use crate::tournament::draw_commitment::{DrawKey, TournamentSecret};
use crate::tournament::public_log::LogAuthor;

const OPENED: u64 = 1_795_219_200;
const NAMES: [&str; 5] = ["Zoë", "Anna", "Robo", "Otter", "Émile"];

/// A tournament that is being recorded.
struct Recorder {
    head: RecordHead,
    secret: TournamentSecret,
    tournament: Tournament,
    log: Vec<LogLine>,
    heats: Vec<RecordedHeat>,
}

impl Recorder {
    fn new(plan: &str) -> Self {
        let secret = TournamentSecret::from_entropy([9; 32]);
        let plan: TournamentPlan = plan.parse().unwrap();
        let head = RecordHead {
            writer: "gridrace 0.1.0".to_owned(),
            name: "friday".parse().unwrap(),
            plan: plan.clone(),
            settings: TournamentSettings {
                title: "Friday, 8 o'clock".parse().ok(),
                ..TournamentSettings::new("slide:2x3".parse().unwrap())
            },
            opened: OPENED,
            commitment: secret.commitment(),
        };
        let tournament = Tournament::new(plan);
        Self { head, secret, tournament, log: Vec::new(), heats: Vec::new() }
    }

    fn add(&mut self, by: LogAuthor, event: PublicEvent) {
        let at = TournamentInstant(1_000 * self.log.len() as u64);
        self.log.push(LogLine { at, by, event });
    }

    fn enter(&mut self, number: u32) {
        let entrant = EntrantId(number);
        let key = fingerprint(number);
        let name = NAMES[number as usize - 1].parse().unwrap();
        let kind = if number == 3 { PlayerKind::Bot } else { PlayerKind::Human };
        let by = LogAuthor::Key(key);
        self.add(by, PublicEvent::Entrant { entrant, name, key, kind });
        let team = ["RED", "BLUE"][number as usize % 2].parse().ok();
        self.entry(by, LogEntry::Enter { entrant, team });
        self.entry(by, LogEntry::CheckIn { entrant });
    }

    fn entry(&mut self, by: LogAuthor, entry: LogEntry) {
        self.tournament.apply(entry.clone()).unwrap();
        let organiser = LogAuthor::Key(fingerprint(99));
        let reason = (by == organiser).then(|| "a keyboard was broken".parse().unwrap());
        self.add(by, PublicEvent::Entry { entry, reason });
    }

    fn draw(&mut self) -> RoundKey {
        let round = self.tournament.next_draw().unwrap();
        let key = DrawKey { round, attempt: 0 };
        let commitment = self.secret.commit_to_draw(key);
        self.add(LogAuthor::Server, PublicEvent::DrawCommitted { key, commitment });
        let seed = self.secret.draw_seed(key);
        self.entry(LogAuthor::Server, LogEntry::Draw { key, seed, waiting: Vec::new() });
        round
    }

    /// Races a board at a table without `absent`.
    fn race(&mut self, round: RoundKey, table: u16, board: u8, absent: Option<EntrantId>) {
        let attempt = self.tournament.attempt(round, table, board).unwrap();
        let key = ResultKey { round, table, board, attempt };
        let seats = &self.tournament.round(round).unwrap().draw.table(table).unwrap().seats;
        let cards = entrant_cards(&self.log);
        let racing = seats.iter().filter(|seat| Some(**seat) != absent);
        let racers = racing.map(|entrant| Racer {
            id: PlayerId(entrant.0),
            name: cards[entrant].name.clone(),
            kind: cards[entrant].kind,
        });
        let replay = self.heat(key, racers.collect());
        let entrants = cards.iter().map(|(id, card)| (card.name.clone(), (*id, card.kind)));
        let result = heat_result(&replay, &entrants.collect()).unwrap();
        self.heats.push(RecordedHeat { key, replay: replay.sign(&server_key()) });
        self.entry(LogAuthor::Server, LogEntry::Result { key, result });
    }

    /// Lets bots race a heat, each by itself.
    fn heat(&self, key: ResultKey, racers: Vec<Racer>) -> Replay {
        let drawn = DrawKey { round: key.round, attempt: key.attempt };
        let seed = self.secret.board_seed(drawn, key.board);
        let options = self.head.settings.options.clone();
        let secret = Secret { seed, salt: Salt::from_bytes([7; 16]) };
        let start = options.spec.board(&secret.seed);
        let mut acts = Vec::new();
        for racer in &racers {
            let number = 100 * key.table + 10 * u16::from(key.board) + key.attempt;
            let chance = format!("bot-{number}-{}", racer.id.0).parse().unwrap();
            let mut bot = Bot::new(Skill::Steady, &chance);
            let (mut at, mut board) = (Millis(0), start.clone());
            while !board.is_solved() {
                let decision = bot.decide(&board, &SolverResources::none()).unwrap();
                at = at + decision.after;
                board.play(&decision.play).unwrap();
                acts.push((at, racer.id, RacerEvent::Move(decision.play)));
            }
        }
        acts.sort_by_key(|(at, ..)| *at);
        let ended = acts.last().map_or(Millis(0), |(at, ..)| *at);
        let mut writer = EventLogWriter::new(start, racers).unwrap();
        for (at, player, event) in acts {
            writer.record(at, &RecordKind::Racer { player, event }).unwrap();
        }
        let events = writer.finish();
        let mut rerun = Simulation::new(&events, &options);
        for (_, record) in events.records() {
            rerun.run(&record).unwrap();
        }
        rerun.end();
        let standings = rerun.standings();
        // All tables of one attempt have one GO.
        let go = 100 * u64::from(key.round.round) + 50 * u64::from(key.board);
        let began = OPENED + go + 10 * u64::from(key.attempt);
        let header = ReplayHeader {
            writer: self.head.writer.clone(),
            code: "KQZT".parse().unwrap(),
            number: u32::from(key.board) + 1,
            began: Some(UnixSeconds(began)),
            origin: SeedOrigin::Drawn,
            commitment: secret.commitment(&options.spec),
            options,
            secret,
        };
        Replay { header, events, outcome: Outcome { ended, standings, best: None } }
    }

    fn finish(self) -> TournamentRecord {
        TournamentRecord::new(self.head, self.log, self.heats)
    }
}

fn fingerprint(number: u32) -> Fingerprint {
    format!("{number:032x}").try_into().unwrap()
}

pub(super) fn sample() -> TournamentRecord {
    let organiser = LogAuthor::Key(fingerprint(99));
    let mut it = Recorder::new("heats:3/1+final:2@teams:2");
    it.add(organiser, PublicEvent::CheckInOpened);
    (1..=5).for_each(|number| it.enter(number));
    let first = it.draw();
    it.race(first, 0, 0, None);
    it.race(first, 1, 0, None);
    let attempt = it.tournament.next_attempt(first);
    it.entry(organiser, LogEntry::Replay { round: first, table: Some(1), board: None, attempt });
    it.add(organiser, PublicEvent::Announced { text: "Table 2 again".parse().unwrap() });
    it.race(first, 1, 0, None);
    let last = it.draw();
    it.race(last, 0, 0, None);
    // One side isn't there at the last board, and the organiser corrects that.
    let seats = it.tournament.round(last).unwrap().draw.tables[0].seats.clone();
    it.race(last, 0, 1, Some(seats[0]));
    let key = ResultKey { round: last, table: 0, board: 1, attempt: 0 };
    let mut result = it.tournament.round(last).unwrap().result(0, 1).unwrap().clone();
    let (_, outcome) = result.rows[0];
    result.rows.push((seats[0], outcome));
    it.entry(organiser, LogEntry::Result { key, result });
    assert!(it.tournament.is_over());
    let secret = it.secret.clone();
    it.add(LogAuthor::Server, PublicEvent::SecretRevealed { secret });
    it.finish()
}
