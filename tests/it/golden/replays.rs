//! Compares replay files with those in `tests/golden/replays`.
//!
//! A byte that differs is another format: readers in other languages must follow, existing files
//! must still be readable, and `docs/replays.md` must say how it is written.
//! `GRIDRACE_BLESS=1 cargo test -p gridrace-tests golden` rewrites the files.

use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::commitment::{Salt, Secret};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::puzzle::numberlink::Stroke;
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::replay::{
    EventLog, EventLogWriter, ExitReason, Outcome, Racer, RacerEvent, RecordKind, Replay,
    ReplayHeader, ServerKey, SignatureCheck, Simulation, UnixSeconds, verify,
};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::Millis;
use std::path::PathBuf;

#[test]
fn replays_of_sliding_puzzles_have_their_golden_bytes() {
    check("slide.grr", &slides());
}

#[test]
fn replays_of_numberlinks_have_their_golden_bytes() {
    check("link.grr", &links());
}

#[test]
fn a_signed_replay_has_its_golden_bytes() {
    let key = ServerKey::from_bytes([7; 32]);
    let replay = slides();
    let golden = compare("signed.grr", &replay.sign(&key));
    assert_eq!(Replay::decode(&golden), Ok(replay));
    let signature = verify(&golden).map(|verdict| verdict.signature);
    assert_eq!(signature, Ok(SignatureCheck::Valid(key.fingerprint())));
    assert_eq!(key.fingerprint().to_string(), "114dd0898e6d5b405786262349366cd2");
}

/// Compares a file with the golden one, and returns that.
fn compare(file: &str, bytes: &[u8]) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/replays").join(file);
    if std::env::var_os("GRIDRACE_BLESS").is_some() {
        std::fs::write(&path, bytes).unwrap();
    }
    let golden = std::fs::read(&path).unwrap();
    assert_eq!(golden, bytes, "the format has changed");
    golden
}

fn check(file: &str, replay: &Replay) {
    let golden = compare(file, &replay.encode());
    assert_eq!(Replay::decode(&golden).as_ref(), Ok(replay));
    assert_eq!(verify(&golden).map(|verdict| verdict.errors), Ok(Vec::new()));
}

fn header(spec: &str, origin: SeedOrigin) -> ReplayHeader {
    let options = HeatOptions::new(spec.parse().unwrap());
    let secret = Secret { seed: "golden".parse().unwrap(), salt: Salt::from_bytes([0xab; 16]) };
    ReplayHeader {
        writer: "gridrace 0.1.0".to_owned(),
        code: "KQZT".parse().unwrap(),
        number: 3,
        began: Some(UnixSeconds(1_795_219_200)),
        commitment: secret.commitment(&options.spec),
        options,
        origin,
        secret,
    }
}

fn racer(id: u32, name: &str, kind: PlayerKind) -> Racer {
    let (id, name) = (PlayerId(id), name.parse().unwrap());
    Racer { id, name, kind }
}

fn act(player: u32, act: RacerEvent) -> RecordKind {
    let player = PlayerId(player);
    RecordKind::Racer { player, event: act }
}

fn replay(
    header: ReplayHeader,
    events: EventLog,
    ended: Millis,
    best: Option<MoveBounds>,
) -> Replay {
    let mut rerun = Simulation::new(&events, &header.options);
    for (_, record) in events.records() {
        rerun.run(&record).unwrap();
    }
    rerun.end();
    let standings = rerun.standings();
    let outcome = Outcome { ended, standings, best };
    Replay { header, events, outcome }
}

/// A heat with every kind of record.
fn slides() -> Replay {
    let header = header("slide:2x3", SeedOrigin::Drawn);
    let mut board = header.options.spec.board(&header.secret.seed);
    let racers = vec![
        racer(1, "Zoë", PlayerKind::Human),
        racer(2, "Robo", PlayerKind::Bot),
        racer(5, "Otter", PlayerKind::HouseBot(Skill::Casual)),
        racer(8, "Anna", PlayerKind::Human),
    ];
    let mut events = EventLogWriter::new(board.clone(), racers).unwrap();
    let mut at = Millis(0);
    let mut note = |after: u64, what: &RecordKind| {
        at = at + Millis(after);
        events.record(at, what).unwrap();
        at
    };
    note(0, &act(8, RacerEvent::Lost));
    note(900, &act(2, RacerEvent::Hint));
    note(0, &act(1, RacerEvent::Lost));
    note(70_000, &act(1, RacerEvent::Back));
    note(1, &RecordKind::Outage { away: Millis(12_345) });
    // Player 5 plays the first of player 2's moves.
    let mut other = Vec::new();
    for choice in [0, 2, 1, 2, 0, 1, 2] {
        let play = board.legal_moves()[choice].clone();
        board.play(&play).unwrap();
        note(130, &act(2, RacerEvent::Move(play.clone())));
        other.push(play);
    }
    note(3_000, &act(5, RacerEvent::Move(other.remove(0))));
    note(16_384, &act(5, RacerEvent::Out(ExitReason::SentAway)));
    note(0, &act(8, RacerEvent::Out(ExitReason::Expired)));
    note(0, &act(2, RacerEvent::Out(ExitReason::Left)));
    let ended = note(5, &act(1, RacerEvent::Out(ExitReason::GaveUp)));
    let best = Some(MoveBounds::of(7, 21));
    replay(header, events.finish(), ended, best)
}

/// A heat that is won link by link, after a stroke and its undo.
fn links() -> Replay {
    let mut header = header("link:5x4:classic", SeedOrigin::Host);
    header.options.hints = HintRule::Free;
    header.began = None;
    let board = header.options.spec.board(&header.secret.seed);
    let Board::Link(drawing) = &board else {
        panic!("a Numberlink is drawn");
    };
    let solution = gridrace_shared::puzzle::numberlink::generate::make(
        drawing.puzzle().size(),
        gridrace_shared::puzzle::numberlink::Mode::Classic,
        &header.secret.seed,
    );
    let links: Vec<Vec<Cell>> = solution.unwrap().solution.0;
    let racers = vec![racer(1, "Zoë", PlayerKind::Human), racer(3, "Anna", PlayerKind::Human)];
    let mut events = EventLogWriter::new(board.clone(), racers).unwrap();
    let draw = |cells: &[Cell]| act(3, RacerEvent::Move(Move::Link(Stroke::Draw(cells.to_vec()))));
    let undo = act(3, RacerEvent::Move(Move::Link(Stroke::Undo)));
    events.record(Millis(800), &draw(&links[0][..2])).unwrap();
    events.record(Millis(900), &undo).unwrap();
    events.record(Millis(900), &act(1, RacerEvent::Hint)).unwrap();
    let mut at = Millis(1_000);
    for link in &links {
        at = at + Millis(250);
        events.record(at, &draw(link)).unwrap();
    }
    events.record(at, &act(1, RacerEvent::Cut)).unwrap();
    replay(header, events.finish(), Millis(600_000), None)
}
