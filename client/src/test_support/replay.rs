//! Replays for snapshots of screens: the moves of each player are fixed.

use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::replay::{
    EventLog, EventLogWriter, ExitReason, Outcome, Racer, RacerEvent, RecordKind, Replay,
    ReplayHeader, Simulation, UnixSeconds,
};
use gridrace_shared::util::time::Millis;

/// A small heat in which Zoë finishes at 8 s, Anna takes a hint and gives up, and the
/// server is away for five seconds.
pub(crate) fn slides() -> Replay {
    let header = header("slide:2x2");
    let start = header.options.spec.board(&header.secret.seed);
    let mut events = events(&start);
    for (second, play) in (1..).zip(home(&start)) {
        record(&mut events, second * 1_000, 1, RacerEvent::Move(play));
        if second == 2 {
            record(&mut events, 2_500, 2, RacerEvent::Hint);
        }
        if second == 3 {
            let away = Millis(5_000);
            let outage = RecordKind::Outage { away };
            events.record(Millis(4_000), &outage).unwrap();
        }
    }
    record(&mut events, 20_000, 2, RacerEvent::Out(ExitReason::GaveUp));
    ended(header, events.finish(), Millis(20_000))
}

/// Four players who draw the links of a board one after the other, of whom one gets
/// home, or who slide tiles to and fro.
pub(crate) fn four(puzzle: &str) -> Replay {
    let header = header(puzzle);
    let start = header.options.spec.board(&header.secret.seed);
    let names = ["Anna", "Zoë Müller-東京", "Rover", "Pip"];
    let kinds = [
        PlayerKind::Human,
        PlayerKind::Human,
        PlayerKind::HouseBot(Skill::Expert),
        PlayerKind::Bot,
    ];
    let racers = (1..).zip(names).zip(kinds).map(|((id, name), kind)| Racer {
        id: PlayerId(id),
        name: name.parse().unwrap(),
        kind,
    });
    let mut events = EventLogWriter::new(start.clone(), racers.collect()).unwrap();
    let mut boards = vec![start; 4];
    for at in 0..160u64 {
        let who = (at % 4) as usize;
        let legal = boards[who].legal_moves();
        let play = legal[(7 * at as usize + at as usize / 5) % legal.len()].clone();
        boards[who].play(&play).unwrap();
        record(&mut events, 400 + at * 370, who as u32 + 1, RacerEvent::Move(play));
    }
    record(&mut events, 60_000, 2, RacerEvent::Lost);
    ended(header, events.finish(), Millis(90_000))
}

fn header(puzzle: &str) -> ReplayHeader {
    let options = HeatOptions::new(super::spec(puzzle));
    let secret = super::secret();
    ReplayHeader {
        writer: "gridrace 0.1.0".to_owned(),
        code: "KQZT".parse().unwrap(),
        number: 3,
        began: Some(UnixSeconds(1_795_219_200)),
        commitment: secret.commitment(&options.spec),
        options,
        origin: SeedOrigin::Drawn,
        secret,
    }
}

fn events(start: &Board) -> EventLogWriter {
    let racer = |id, name: &str| Racer {
        id: PlayerId(id),
        name: name.parse().unwrap(),
        kind: PlayerKind::Human,
    };
    let racers = vec![racer(1, "Zoë"), racer(2, "Anna")];
    EventLogWriter::new(start.clone(), racers).unwrap()
}

fn record(events: &mut EventLogWriter, at: u64, player: u32, act: RacerEvent) {
    let player = PlayerId(player);
    events.record(Millis(at), &RecordKind::Racer { player, event: act }).unwrap();
}

/// Returns the way home on a board of two by two, which goes round in a circle.
fn home(start: &Board) -> Vec<Move> {
    let mut board = start.clone();
    let mut moves: Vec<Move> = Vec::new();
    let mut back = None;
    while !board.is_solved() {
        let Board::Slide(now) = &board else { panic!() };
        let blank = Move::Slide(now.blank());
        let legal = board.legal_moves();
        let play = legal.into_iter().find(|play| Some(play) != back.as_ref());
        let play = play.unwrap();
        board.play(&play).unwrap();
        moves.push(play);
        back = Some(blank);
    }
    moves
}

fn ended(header: ReplayHeader, events: EventLog, ended: Millis) -> Replay {
    let mut rerun = Simulation::new(&events, &header.options);
    for (_, record) in events.records() {
        rerun.run(&record).unwrap();
    }
    rerun.end();
    let standings = rerun.standings();
    Replay {
        header,
        events,
        outcome: Outcome { ended, standings, best: Some(MoveBounds::of(4, 4)) },
    }
}
