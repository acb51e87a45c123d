//! Models for tests: a heat of four, in every phase.

pub(crate) mod link;
#[cfg(feature = "host")]
pub(crate) mod proxy;
pub(crate) mod replay;
pub(crate) mod svg;
pub(crate) mod tournament;

use crate::display::graphics::GraphicsChoice;
use crate::display::theme::{Appearance, Colors, TileScheme};
use crate::net::address::ServerNames;
use crate::session::{ConnectionEvent, ResumeTicket};
use crate::tui::effect::Effect;
use crate::tui::event::Event;
use crate::tui::keymap::Keymap;
use crate::tui::model::{
    ConnectionModel, ConnectionStatus, Goal, HeatModel, Intent, Model, Screen,
};
use crate::tui::settings::Settings;
use crate::tui::update::update;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::commitment::{Salt, Secret};
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::heat::standings::{RaceState, Standing, Standings};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{
    HeatResult, Member, Phase, RoomPhase, RoomSummary, Roster, Setup, Snapshot,
};
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::puzzle::slide;
use gridrace_shared::puzzle::{Board, HintStyle, MoveCount, PuzzleSpec};
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::util::clock_estimate::PingTimes;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::{ClientInstant, HeatInstant, Millis, ServerInstant};
use ratatui::layout::Size;

/// GO on the heat's clock, and when those who still race are out.
pub(crate) const GO: HeatInstant = HeatInstant(10_000);
pub(crate) const ENDS: HeatInstant = HeatInstant(610_000);
/// The players: oneself, another person, two bots.
pub(crate) const ME: PlayerId = PlayerId(1);
pub(crate) const ZOE: PlayerId = PlayerId(2);
pub(crate) const ROVER: PlayerId = PlayerId(3);
pub(crate) const PIP: PlayerId = PlayerId(4);

pub(crate) fn settings() -> Settings {
    let (colors, tiles) = (Colors::Indexed, TileScheme::Fringe);
    let appearance = Appearance { light: false, colors, ascii: false, tiles };
    let (animation, flash, bell) = (true, true, true);
    let (keys, servers) = (Keymap::default(), ServerNames::default());
    let (name, mdns) = ("Anna".to_owned(), true);
    Settings {
        appearance,
        reversed: false,
        hint_style: HintStyle::Shortest,
        animation,
        flash,
        bell,
        image: None,
        graphics: GraphicsChoice::Blocks,
        name,
        puzzle: None,
        keys,
        servers,
        mdns,
    }
}

pub(crate) fn model() -> Model {
    Model::new(settings(), Size { width: 80, height: 24 })
}

pub(crate) fn code() -> RoomCode {
    RoomCode::from_number(41_302)
}

pub(crate) fn spec(text: &str) -> PuzzleSpec {
    text.parse().unwrap()
}

pub(crate) fn secret() -> Secret {
    Secret { seed: "friday".parse().unwrap(), salt: Salt::from_bytes([0xab; 16]) }
}

pub(crate) fn start(puzzle: &str) -> Board {
    drawn(puzzle, &secret().seed)
}

/// Draws a board; of Numberlink, those that stand here, whose screens and strokes are known.
fn drawn(puzzle: &str, seed: &Seed) -> Board {
    link::board(puzzle).unwrap_or_else(|| spec(puzzle).board(seed))
}

pub(crate) fn setup(puzzle: &str) -> Setup {
    Setup {
        number: 2,
        options: HeatOptions::new(spec(puzzle)),
        seed: SeedOrigin::Drawn,
        commitment: secret().commitment(&spec(puzzle)),
        queued: None,
        held_by: None,
        table: None,
    }
}

/// A room in the list, with one player.
pub(crate) fn room_summary(code: RoomCode, phase: RoomPhase) -> RoomSummary {
    RoomSummary {
        code,
        name: None,
        host: None,
        spec: spec("slide:4x4"),
        phase,
        people: 1,
        players: 1,
        spectators: 0,
        full: false,
        needs_pin: false,
    }
}

pub(crate) fn member(id: PlayerId, name: &str, kind: PlayerKind) -> Member {
    Member {
        id,
        name: name.parse().unwrap(),
        kind,
        role: Role::Player,
        ready: kind != PlayerKind::Human,
        next_seat: false,
        connected: true,
        identity: None,
        operator: false,
        away_until: None,
    }
}

/// Oneself is the host where one plays, and at the end of the list where one watches.
pub(crate) fn roster(role: Role) -> Roster {
    let mut members = vec![
        Member { role, ..member(ME, "Anna", PlayerKind::Human) },
        Member { ready: true, ..member(ZOE, "Zoë Müller-東京", PlayerKind::Human) },
        member(ROVER, "Rover", PlayerKind::HouseBot(Skill::Expert)),
        member(PIP, "Pip", PlayerKind::Bot),
    ];
    if role == Role::Spectator {
        members.rotate_left(1);
    }
    let host = if role == Role::Player { ME } else { ZOE };
    Roster { host: Some(host), members }
}

pub(crate) fn snapshot(puzzle: &str, role: Role, phase: Phase) -> Snapshot {
    Snapshot {
        code: code(),
        name: None,
        epoch: ServerInstant(5_000_000),
        setup: setup(puzzle),
        roster: roster(role),
        phase,
        standings: None,
        boards: Vec::new(),
        seat: None,
        outage: Millis(0),
        closing: None,
    }
}

/// A model in a heat, half a minute after GO, with a known clock.
pub(crate) fn in_heat(puzzle: &str, role: Role, phase: Phase) -> Model {
    let mut model = model();
    let intent = Intent::Join { code: code(), role };
    let address = "192.168.1.5:7415".to_owned();
    let goal = Goal { address, name: "Anna".to_owned(), variant: 1, intent, pin: None };
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
    model.now = ClientInstant(5_000_000 + 44_250 * 1_000);
    model.connection.heard = model.now;
    model.connection.next_ping = ClientInstant(model.now.0 + 1_000_000);
    model.screen = Screen::Heat(Box::new(HeatModel::new(ME, snapshot(puzzle, role, phase), None)));
    model
}

/// By what the seat is taken up again.
pub(crate) fn key() -> ResumeTicket {
    ResumeTicket { code: code(), player: ME, token: ResumeToken::from_bytes([1; 32]) }
}

pub(crate) fn running(puzzle: &str) -> Phase {
    Phase::Running { go: GO, ends: ENDS, start: start(puzzle) }
}

pub(crate) fn racing(puzzle: &str) -> Model {
    let mut model = in_heat(puzzle, Role::Player, running(puzzle));
    let mut standings = standings();
    link::count(puzzle, &mut standings);
    hear(&mut model, ServerMessage::Standings(standings));
    model
}

/// A race against `count` more players, oneself in the last place.
pub(crate) fn racing_against(rivals: u32, puzzle: &str) -> Model {
    let mut model = racing(puzzle);
    let mut roster = roster(Role::Player);
    let mut rows = standings().rows;
    let mine = rows.remove(1);
    for number in 0..rivals {
        let id = PlayerId(100 + number);
        roster.members.push(member(id, &format!("rival {number}"), PlayerKind::Human));
        rows.push(standing(id, 0, RaceState::Racing, 900 - 20 * number as u16, 30 + number));
    }
    rows.push(mine);
    for (place, row) in (1..).zip(&mut rows) {
        row.place = place;
    }
    hear(&mut model, ServerMessage::Roster(roster));
    let at = HeatInstant(44_000);
    hear(&mut model, ServerMessage::Standings(Standings { at, rows }));
    model
}

pub(crate) fn watching(puzzle: &str) -> Model {
    let mut model = in_heat(puzzle, Role::Spectator, running(puzzle));
    let mut standings = standings();
    standings.rows.retain(|row| row.player != ME);
    for (place, row) in (1..).zip(&mut standings.rows) {
        row.place = place;
    }
    link::count(puzzle, &mut standings);
    hear(&mut model, ServerMessage::Standings(standings));
    model
}

pub(crate) fn over(puzzle: &str) -> Model {
    let mut model = in_heat(puzzle, Role::Player, running(puzzle));
    let ended = ended(puzzle);
    if let Phase::Over(result) = &ended {
        run_up(&mut model, &result.standings, 60);
    }
    hear(&mut model, ServerMessage::Phase(ended));
    model
}

/// `count` people race and are watched: the first twelve, or three of few, have
/// finished, the last is out.
pub(crate) fn watching_among(players: u32, puzzle: &str) -> Model {
    let mut model = in_heat(puzzle, Role::Spectator, Phase::Lobby);
    let (roster, mut rows) = crowd(players, Role::Spectator);
    hear(&mut model, ServerMessage::Roster(roster));
    hear(&mut model, ServerMessage::Phase(running(puzzle)));
    let finished = if players > 12 { 12 } else { 3 };
    for row in &mut rows {
        if (finished + 1..players).contains(&row.place.into()) {
            row.state = RaceState::Racing;
            row.progress = 950 - 25 * row.place;
        }
    }
    hear(&mut model, ServerMessage::Standings(Standings { at: HeatInstant(44_000), rows }));
    model
}

/// The lobby of `count` people, of whom one watches.
pub(crate) fn lobby_among(players: u32, puzzle: &str) -> Model {
    let mut model = in_heat(puzzle, Role::Spectator, Phase::Lobby);
    let (mut roster, _) = crowd(players, Role::Spectator);
    for (index, member) in roster.members.iter_mut().enumerate() {
        member.ready = index % 3 > 0;
    }
    hear(&mut model, ServerMessage::Roster(roster));
    model
}

/// The end of a heat of `count` people, which most of them finished; oneself is the fourth last.
pub(crate) fn over_among(players: u32, puzzle: &str, role: Role) -> Model {
    let mut model = in_heat(puzzle, role, running(puzzle));
    let (roster, rows) = crowd(players, role);
    hear(&mut model, ServerMessage::Roster(roster));
    run_up(&mut model, &rows, 60);
    hear(&mut model, ServerMessage::Phase(Phase::Over(result(puzzle, rows))));
    model
}

/// `count` players and how they end: all but the last two finish, a player oneself as the fourth
/// last.
fn crowd(players: u32, role: Role) -> (Roster, Vec<Standing>) {
    let names = ["Rover", "Otter", "Heron", "Badger", "Zoë", "Pip", "Ida", "Bartholomew"];
    let mut roster = roster(role);
    let mut rows = Vec::new();
    for place in 1..=players {
        let is_me = role == Role::Player && place + 3 == players;
        let id = if is_me { ME } else { PlayerId(100 + place) };
        let name = format!("{} {place}", names[place as usize % names.len()]);
        if !is_me {
            roster.members.push(member(id, &name, PlayerKind::Human));
        }
        let out = place + 2 > players;
        let time = Millis(u64::from(28_000 + 1_730 * place + place * place * 37));
        let state = if out { RaceState::Dnf } else { RaceState::Finished { time } };
        let progress = if out { 700 } else { 1_000 };
        let place = u16::try_from(place).unwrap();
        rows.push(standing(id, place, state, progress, 90 + 5 * u32::from(place)));
    }
    roster.members.retain(|member| member.id == ME || member.id.0 > 100);
    (roster, rows)
}

/// Lets the standings come about within this number of seconds, each place at a pace of its own.
pub(crate) fn run_up(model: &mut Model, rows: &[Standing], seconds: u64) {
    for second in 0..=seconds {
        let mut rows = rows.to_vec();
        for row in &mut rows {
            let ends = match row.state {
                RaceState::Finished { time } => time.since(row.penalty).0,
                RaceState::Racing | RaceState::Dnf => 1_000 * seconds,
            };
            let now = 1_000 * second;
            if now < ends {
                row.state = RaceState::Racing;
                // No player goes at an even pace.
                let done = 1_000 * now / ends;
                let wobble = done * (1_000 - done) / 1_000 * (u64::from(row.place) % 4) / 8;
                let done = (done + wobble) * u64::from(row.progress) / 1_000;
                row.progress = u16::try_from(done.min(999)).unwrap();
            }
        }
        let at = HeatInstant(GO.0 + 1_000 * second);
        hear(model, ServerMessage::Standings(Standings { at, rows }));
    }
}

/// The end of the heat, in which one finished.
pub(crate) fn ended(puzzle: &str) -> Phase {
    let mut rows = standings().rows;
    rows[1].state = RaceState::Finished { time: Millis(64_870) };
    rows[1].progress = 1_000;
    rows[3].state = RaceState::Dnf;
    Phase::Over(result(puzzle, rows))
}

fn result(puzzle: &str, standings: Vec<Standing>) -> HeatResult {
    let best = Some(MoveBounds::of(50, 50));
    HeatResult { standings, start: start(puzzle), reveal: secret(), best }
}

fn standing(player: PlayerId, place: u16, state: RaceState, progress: u16, moves: u32) -> Standing {
    Standing {
        player,
        place,
        state,
        progress,
        tally: None,
        moves: MoveCount { moves, acts: moves * 3 / 4 },
        hints: 0,
        penalty: Millis(0),
        connected: true,
    }
}

pub(crate) fn standings() -> Standings {
    let finished = RaceState::Finished { time: Millis(31_480) };
    let mut rows = vec![
        standing(ROVER, 1, finished, 1_000, 212),
        standing(ME, 2, RaceState::Racing, 620, 57),
        standing(ZOE, 3, RaceState::Racing, 480, 83),
        standing(PIP, 4, RaceState::Racing, 90, 9),
    ];
    rows[1].hints = 2;
    rows[1].penalty = Millis(20_000);
    rows[2].connected = false;
    Standings { at: HeatInstant(44_000), rows }
}

pub(crate) fn received(message: ServerMessage) -> Event {
    Event::Connection(ConnectionEvent::Received(Box::new(message)))
}

/// Lets the model hear the server, and draws a board that it asks for at once.
pub(crate) fn hear(model: &mut Model, message: ServerMessage) -> Vec<Effect> {
    let now = model.now;
    let mut commands = update(model, now, received(message));
    for command in commands.extract_if(.., |command| matches!(command, Effect::Draw { .. })) {
        let Effect::Draw { spec, seed } = command else { unreachable!() };
        let drawn = Box::new(drawn(&spec.to_string(), &seed).into());
        let drawn = Event::Drawn { spec, seed, drawn };
        assert_eq!(update(model, now, drawn), []);
    }
    commands
}

/// Lets something happen; what is to be done then isn't.
pub(crate) fn tell(model: &mut Model, event: Event) {
    let now = model.now;
    drop(update(model, now, event));
}

pub(crate) fn press(model: &mut Model, code: KeyCode) -> Vec<Effect> {
    let now = model.now;
    update(model, now, Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

pub(crate) fn letter(model: &mut Model, letter: char) -> Vec<Effect> {
    press(model, KeyCode::Char(letter))
}

/// A hint for the sliding puzzle's first legal move, 40 moves from home.
pub(crate) fn hint(board: &Board) -> Hint {
    let Board::Slide(board) = board else { unreachable!() };
    Hint::Slide(slide::SlideHint {
        play: board.legal_moves().next().unwrap(),
        then: Vec::new(),
        at_least: 40,
        at_most: 40,
        stage: None,
    })
}
