//! Journals, byte for byte, held against `tests/golden/journal-*.txt`, one file a version.
//!
//! A line that differs is another format. Then [`VERSION`] is raised, the types of the version
//! before stay readable, and `GRIDRACE_BLESS=1 cargo test -p gridrace-server golden` writes the
//! new version's file.

use super::PersistedRoom;
use crate::race::journal::{self, VERSION};
use crate::race::{
    BoardError, Event, HeatSecret, HintError, Newcomer, OperatorDecisions, Race, RaceConfig,
    ReservedSeat, TableConfig, TableEvent, TableStart,
};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::{Salt, Secret, SeedOrigin};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::heat::resume_token::{ResumeToken, ResumeTokenHash};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::GivenHint;
use gridrace_shared::puzzle::id::PuzzleId;
use gridrace_shared::puzzle::numberlink::Stroke;
use gridrace_shared::puzzle::picture::room_image::{RoomImage, SIDE};
use gridrace_shared::puzzle::{Board, HintStyle, Move, MoveBounds};
use gridrace_shared::solver::budget::{Aim, Budget, NodesUsed, Unsolved};
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::solver::knowledge::{GeneratedBoard, SolutionKnowledge};
use gridrace_shared::solver::plan::{HintAnswer, Plan, SolverResources};
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// Lists events under their names: one that isn't here doesn't compile.
macro_rules! every {
    ($list:ident: $($variant:ident => $values:expr),+ $(,)?) => {
        fn $list() -> Vec<(&'static str, Event)> {
            const _: fn(&Event) = |event| match event {
                $(Event::$variant { .. } => (),)+
            };
            let mut all = Vec::new();
            $(
                let values: Vec<Event> = Vec::from_iter($values);
                assert!(!values.is_empty());
                assert!(values.iter().all(|event| matches!(event, Event::$variant { .. })));
                all.extend(values.into_iter().map(|event| (stringify!($variant), event)));
            )+
            all
        }
    };
}

const BY: PlayerId = PlayerId(1);

every!(events:
    Join => [
        joins(1, Newcomer::person("Zoë".parse().unwrap())),
        joins(300, Newcomer {
            name: "Robo".parse().unwrap(),
            bot: true,
            role: Role::Spectator,
            identity: Some(fingerprint()),
            address: Some([192, 0, 2, 7].into()),
        }),
    ],
    Resume => [Event::Resume { by: BY, presented: token(1), next: token(2) }],
    Confirm => [Event::Confirm { by: BY }],
    Leave => [Event::Leave { by: BY }],
    Lost => [Event::Lost { by: BY }],
    Options => [
        ("slide:2x3", HintRule::Off, SeedOrigin::Drawn),
        ("link:9x9:hard", HintRule::Free, SeedOrigin::Host),
        ("link:5x4:classic", HintRule::Priced { seconds: 15 }, SeedOrigin::Host),
    ]
    .map(|(spec, hints, origin)| Event::Options {
        by: BY,
        options: HeatOptions { hints, ..options(spec) },
        secret: HeatSecret { origin, ..draw() },
    }),
    Ready => [true, false].map(|ready| Event::Ready { by: BY, ready }),
    Start => [Event::Start { by: BY }],
    Drawn => [
        Ok(drawn("slide:2x2")),
        Ok(drawn("link:4x4")),
        Err(BoardError::Busy),
        Err(BoardError::Broken),
    ]
    .map(|outcome| Event::Drawn { ticket: 7, outcome }),
    Kick => [Event::Kick { by: BY, player: PlayerId(2) }],
    AddBot => Skill::ALL
        .iter()
        .map(|&skill| Event::AddBot { by: Some(BY), id: PlayerId(4), skill })
        .chain([Event::AddBot { by: None, id: PlayerId(4), skill: Skill::Steady }]),
    TakeSeat => [Event::TakeSeat { by: BY }],
    LeaveSeat => [Event::LeaveSeat { by: BY }],
    Move => [
        Move::Slide(Cell(3)),
        Move::Link(Stroke::Draw(vec![Cell(0), Cell(1), Cell(5)])),
        Move::Link(Stroke::Undo),
    ]
    .map(|play| Event::Move { by: BY, seq: Seq(9), play }),
    Hint => [HintStyle::Shortest, HintStyle::Method].map(|style| Event::Hint { by: BY, style }),
    Hinted => [
        Ok(given("slide:2x2=1 2/0 3", Some(-1))),
        Ok(given("link:2x3=1.2/1.2", None)),
        Ok(by_method("slide:2x2=1 2/0 3")),
        Err(HintError::Busy),
        Err(HintError::Unsolved(Unsolved::Unsolvable)),
        Err(HintError::Unsolved(Unsolved::OverBudget)),
    ]
    .map(|outcome| Event::Hinted { by: BY, number: 2, outcome }),
    Rated => [Event::Rated { number: 2, best: MoveBounds::of(3, 900) }],
    GiveUp => [Event::GiveUp { by: BY }],
    Rematch => [None, Some(BY)].map(|by| Event::Rematch { by, secret: draw() }),
    Recovered => [Event::Recovered { away: Millis(12_345) }],
    Tick => [Event::Tick],
    Return => [Event::Return { by: BY, identity: fingerprint(), next: token(2) }],
    Recording => [true, false].map(|recorded| Event::Recording { recorded }),
    EndHeat => [Event::EndHeat { by: BY }],
    Ban => [Event::Ban { by: BY, player: PlayerId(2) }],
    Hold => [true, false].map(|hold| Event::Hold { by: BY, hold }),
    HandOver => [Event::HandOver { by: BY, player: PlayerId(2) }],
    Announce => [Event::Announce { by: BY, text: "Pause until 8".parse().unwrap() }],
    Table => table_events().map(Event::Table),
    Configured => [false, true].map(|is_standing| Event::Configured {
        operators: is_standing.then(fingerprint).into_iter().collect(),
        is_standing,
    }),
    Unban => [Event::Unban { by: BY, key: fingerprint() }],
    Image => [None, Some(image())].map(|image| Event::Image { by: BY, image }),
    JournalDamaged => [Event::JournalDamaged],
    AddressChanged => [None, Some([192, 0, 2, 8].into())]
        .map(|address| Event::AddressChanged { member: BY, address }),
);

#[test]
fn every_event_and_the_heat_in_each_phase_have_the_bytes_they_always_had() {
    let now = render();
    let golden = golden(VERSION).unwrap_or_default();
    if std::env::var_os("GRIDRACE_BLESS").is_some() && golden != now {
        assert!(golden.is_empty(), "the journal has changed: raise journal::VERSION first");
        std::fs::write(path(VERSION), &now).unwrap();
        return;
    }
    for (golden, now) in golden.lines().zip(now.lines()) {
        assert_eq!(golden, now, "the journal has changed: see server/src/race/persisted/golden.rs");
    }
    assert_eq!(golden.lines().count(), now.lines().count());
}

/// Returns the lines of version 5's golden file, each with its bytes, but those of an event that
/// no server of that version wrote.
/// An image of one colour.
fn image() -> RoomImage {
    RoomImage::encode(&[[255, 128, 0]; SIDE * SIDE])
}

fn version_5() -> Vec<(String, Vec<u8>)> {
    let golden = golden(5).unwrap();
    let lines = golden.lines().filter_map(|line| line.split_once('\t'));
    let lines = lines.filter(|(name, _)| !name.starts_with('#') && *name != "PlannedV4");
    lines.map(|(name, hex)| (name.to_owned(), bytes(hex))).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = (0..hex.len()).step_by(2);
    digits.map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn every_event_of_version_5_is_read_as_it_was_written() {
    const SINCE: [&str; 11] = [
        "EndHeat",
        "Ban",
        "Hold",
        "HandOver",
        "Announce",
        "Configured",
        "Unban",
        "Table",
        "Image",
        "JournalDamaged",
        "AddressChanged",
    ];
    let mut events = events();
    events.retain(|(name, event)| !SINCE.contains(name) && !is_by_method(event));
    for (_, event) in &mut events {
        if let Event::Join { newcomer, .. } = event {
            newcomer.address = None;
        }
    }
    let (_, lobby) = version_5().into_iter().find(|(name, _)| name.ends_with(" lobby")).unwrap();
    let lines = version_5();
    let count = events.len();
    let written: Vec<_> = lines.iter().filter(|(name, _)| !name.contains(' ')).collect();
    for (name, event) in events {
        let entries = written.iter().filter(|(written, _)| written == name);
        let read = |bytes: &[u8]| journal::read_v5(bytes).unwrap();
        let count = entries.filter(|(_, bytes)| read(bytes)[0].1 == event).count();
        assert_eq!(count, 1, "{name}");
    }
    assert_eq!(written.len(), count);
    for (name, bytes) in written {
        assert!(journal::recover(5, &lobby, bytes).is_ok(), "{name}");
    }
}

#[test]
fn each_phase_of_version_5_goes_on() {
    let mut phases = BTreeSet::new();
    for (name, bytes) in version_5() {
        let Some((_, phase)) = name.split_once(' ') else {
            continue;
        };
        let mut room = journal::recover(5, &bytes, &[]).unwrap();
        assert_eq!(room.race.phase_name(), phase);
        assert!(!room.race.roster().members.is_empty());
        phases.insert(phase.to_owned());
        // It goes on as a room of this version.
        drop(room.apply(HeatInstant(0), Event::Recovered { away: Millis(1_000) }));
        let written = journal::checkpoint(&room).unwrap();
        let read = journal::restore(&written).unwrap();
        assert_eq!(journal::checkpoint(&read).unwrap(), written, "{name}");
        drop(room.apply(HeatInstant(1 << 40), Event::Tick));
    }
    assert_eq!(phases.len(), 5, "{phases:?}");
}

fn path(version: u16) -> PathBuf {
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/golden");
    golden.join(format!("journal-{version}.txt"))
}

fn golden(version: u16) -> std::io::Result<String> {
    std::fs::read_to_string(path(version))
}

/// Renders the golden file, and checks that all in it is read as it was written.
fn render() -> String {
    let mut text = format!("# version {VERSION}\n# name <tab> bytes in hexadecimal\n");
    for (name, event) in events() {
        let mut entry = Vec::new();
        journal::append(&mut entry, HeatInstant(61_234), &event).unwrap();
        line(&mut text, name, &entry);
        assert_eq!(journal::read(&entry).unwrap(), [(HeatInstant(61_234), event)], "{name}");
    }
    for (name, persisted) in phases() {
        let written = journal::checkpoint(&persisted).unwrap();
        line(&mut text, &name, &written);
        let read = journal::restore(&written).unwrap();
        assert_eq!(journal::checkpoint(&read).unwrap(), written, "{name}");
    }
    text
}

fn line(text: &mut String, name: &str, bytes: &[u8]) {
    write!(text, "{name}\t").unwrap();
    bytes.iter().for_each(|byte| write!(text, "{byte:02x}").unwrap());
    text.push('\n');
}

/// A heat in each of its phases, with whatever may be in them.
fn phases() -> Vec<(String, PersistedRoom)> {
    let phases: Vec<_> = ["slide:2x2", "link:4x4"].into_iter().flat_map(heat).collect();
    let names: BTreeSet<&str> =
        phases.iter().map(|(_, persisted)| persisted.race.phase_name()).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    phases.into_iter().chain(table_of_a_tournament()).collect()
}

/// A table before and in its countdown, in the heat, and after it.
fn table_of_a_tournament() -> Vec<(String, PersistedRoom)> {
    let code = "KQZT".parse().unwrap();
    let config = RaceConfig::new(code, ServerInstant(5_000_000), options("slide:2x2"), draw());
    let config = RaceConfig { table: Some(table()), ..config };
    let mut persisted = PersistedRoom::new(Race::new(config).unwrap());
    let name = "Anna".parse().unwrap();
    let newcomer = Newcomer { identity: Some(fingerprint()), ..Newcomer::person(name) };
    let [start, ..] = table_events();
    let events = [
        (1_000, joins(1, newcomer)),
        (2_000, Event::Table(start)),
        (85_000, Event::Tick),
        (90_000, Event::GiveUp { by: BY }),
        (91_000, Event::Table(TableEvent::Close)),
    ];
    let after = |(at, event)| {
        drop(persisted.apply(HeatInstant(at), event));
        (format!("table {}", persisted.race.phase_name()), persisted.clone())
    };
    events.into_iter().map(after).collect()
}

fn heat(spec: &str) -> Vec<(String, PersistedRoom)> {
    let config = RaceConfig {
        code: "KQZT".parse().unwrap(),
        epoch: ServerInstant(5_000_000),
        options: HeatOptions { private: spec.starts_with("slide"), ..options(spec) },
        secret: draw(),
        pin: Some("4711".parse().unwrap()),
        name: Some("Friday cup".parse().unwrap()),
        operators: [fingerprint()].into(),
        is_standing: true,
        decisions: OperatorDecisions::default(),
        table: None,
    };
    let mut persisted = PersistedRoom::new(Race::new(config).unwrap());
    let mut phases = Vec::new();
    let mut now = 0;
    let mut happen = |persisted: &mut PersistedRoom, event| {
        now += 700;
        drop(persisted.apply(HeatInstant(now), event));
        phases.push((format!("{spec} {}", persisted.race.phase_name()), persisted.clone()));
    };
    let entrants = [
        ("Zoë", false, Role::Player),
        ("Robo", true, Role::Player),
        ("Anna", false, Role::Spectator),
        ("Carl", false, Role::Spectator),
    ];
    for (id, (name, bot, role)) in (1..).zip(entrants) {
        let newcomer = Newcomer {
            name: name.parse().unwrap(),
            bot,
            role,
            identity: match id {
                1 => Some(fingerprint()),
                4 => Fingerprint::try_from("cd".repeat(16)).ok(),
                _ => None,
            },
            address: (id == 3).then(|| "2001:db8:1:2::".parse().unwrap()),
        };
        happen(&mut persisted, joins(id, newcomer));
    }
    let by = PlayerId(2);
    happen(&mut persisted, Event::Ban { by: BY, player: PlayerId(4) });
    happen(&mut persisted, Event::AddBot { by: Some(BY), id: PlayerId(5), skill: Skill::Casual });
    happen(&mut persisted, Event::HandOver { by: BY, player: BY });
    happen(&mut persisted, Event::Ready { by, ready: true });
    happen(&mut persisted, Event::Start { by: BY });
    let drawn = GeneratedBoard::of(&persisted.race.options.spec, &draw().secret.seed);
    let board = drawn.board.clone();
    happen(&mut persisted, Event::Drawn { ticket: 1, outcome: Ok(drawn) });
    (0..5).for_each(|_| happen(&mut persisted, Event::Tick));
    assert_eq!(persisted.race.phase_name(), "running");
    let play = board.legal_moves().swap_remove(0);
    happen(&mut persisted, Event::Move { by: BY, seq: Seq(1), play });
    happen(&mut persisted, Event::Hint { by: BY, style: HintStyle::Shortest });
    happen(&mut persisted, Event::Hint { by, style: HintStyle::Method });
    happen(&mut persisted, Event::Hold { by: BY, hold: true });
    let queued = options("slide:3x3");
    happen(&mut persisted, Event::Options { by: BY, options: queued, secret: draw() });
    let hint = guide(&board).next(&board).unwrap();
    let outcome = Ok(GivenHint { after: Seq(0), hint, distance_change: None });
    happen(&mut persisted, Event::Hinted { by, number: 1, outcome });
    happen(&mut persisted, Event::Lost { by });
    happen(&mut persisted, Event::JournalDamaged);
    happen(&mut persisted, Event::Recovered { away: Millis(4_000) });
    happen(&mut persisted, Event::Resume { by: BY, presented: token(1), next: token(2) });
    happen(&mut persisted, Event::GiveUp { by: BY });
    happen(&mut persisted, Event::Kick { by: BY, player: PlayerId(5) });
    happen(&mut persisted, Event::Leave { by: PlayerId(3) });
    (0..90).for_each(|_| happen(&mut persisted, Event::Tick));
    assert_eq!(persisted.race.phase_name(), "over");
    happen(&mut persisted, Event::Rated { number: 1, best: MoveBounds::of(2, 3) });
    happen(&mut persisted, Event::Image { by: BY, image: Some(image()) });
    // The last of each phase has the most in it.
    phases.dedup_by(|later, before| {
        let same = later.0 == before.0;
        if same {
            before.1 = later.1.clone();
        }
        same
    });
    phases
}

fn table_events() -> [TableEvent; 7] {
    [
        TableEvent::Start(Box::new(TableStart {
            board: ResultKey { attempt: 1, ..table().board },
            seats: table().seats,
            spec: "slide:2x2".parse().unwrap(),
            secret: draw(),
            drawn: drawn("slide:2x2"),
            go: ServerInstant(90_000_000),
        })),
        TableEvent::MoveGo { go: ServerInstant(95_000_000) },
        TableEvent::Cancel,
        TableEvent::End,
        TableEvent::Close,
        TableEvent::Exclude(vec![PlayerId(2), PlayerId(7)]),
        TableEvent::Seats(table().seats),
    ]
}

fn table() -> TableConfig {
    let round = RoundKey { stage: 1, round: 2 };
    TableConfig {
        tournament: "friday-cup".parse().unwrap(),
        board: ResultKey { round, table: 3, board: 0, attempt: 0 },
        seats: vec![ReservedSeat {
            entrant: EntrantId(5),
            key: fingerprint(),
            name: "Zoë".parse().unwrap(),
            bot: false,
        }],
    }
}

fn joins(id: u32, newcomer: Newcomer) -> Event {
    Event::Join { id: PlayerId(id), newcomer, token: token(1) }
}

fn token(n: u8) -> ResumeTokenHash {
    ResumeToken::from_bytes([n; 32]).hash()
}

fn fingerprint() -> Fingerprint {
    Fingerprint::try_from("ab".repeat(16)).unwrap()
}

fn options(spec: &str) -> HeatOptions {
    HeatOptions::new(spec.parse().unwrap())
}

fn draw() -> HeatSecret {
    HeatSecret {
        secret: Secret { seed: "golden".parse().unwrap(), salt: Salt::from_bytes([0xab; 16]) },
        origin: SeedOrigin::Drawn,
    }
}

fn drawn(spec: &str) -> GeneratedBoard {
    GeneratedBoard::of(&spec.parse().unwrap(), &draw().secret.seed)
}

/// The hint on a board that leaves the solver no choice.
fn given(board: &str, distance_change: Option<i32>) -> GivenHint {
    let board = board.parse::<PuzzleId>().unwrap().board().unwrap();
    let hint = guide(&board).next(&board).unwrap();
    GivenHint { after: Seq(8), hint, distance_change }
}

fn by_method(board: &str) -> GivenHint {
    let board = board.parse::<PuzzleId>().unwrap().board().unwrap();
    let (solvers, nodes) = (SolverResources::none(), &mut NodesUsed::default());
    let known = SolutionKnowledge::find(&board);
    let answer = HintAnswer::find(&board, None, HintStyle::Method, &known, &solvers, nodes);
    let hint = answer.unwrap().plan.next(&board).unwrap();
    GivenHint { after: Seq(8), hint, distance_change: None }
}

/// Says whether an event is of a hint by method, which version 5 hadn't.
fn is_by_method(event: &Event) -> bool {
    if let Event::Hinted { outcome: Ok(GivenHint { hint: Hint::Slide(hint), .. }), .. } = event {
        return hint.stage.is_some();
    }
    matches!(event, Event::Hint { style: HintStyle::Method, .. })
}

fn guide(board: &Board) -> Plan {
    Plan::plan(board, Aim::Short, Budget(1_000), &SolverResources::none()).unwrap()
}
