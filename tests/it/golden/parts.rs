//! Samples of the parts of messages.

use super::every;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::{Salt, Secret, SeedOrigin};
use gridrace_shared::heat::identity::{Challenge, Fingerprint, Key, Proof};
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::options::{HeatOptions, HintRule, HintStyles, OptionsError};
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::player_name::{NameError, PlayerName};
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::heat::short_text::ShortTextError;
use gridrace_shared::heat::standings::{RaceState, Standing, Standings};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::{
    Ban, Closing, ClosingReason, GivenHint, HeatResult, Member, OwnSeat, Phase, PlayerBoard,
    RoomPhase, Roster, Setup, Snapshot, TableSetup,
};
use gridrace_shared::puzzle::numberlink::deduce::{ForcedSegment, LinkHint, Mistake, Reason};
use gridrace_shared::puzzle::numberlink::{Drawing, IllegalStroke, Puzzle, Stroke};
use gridrace_shared::puzzle::picture::room_image::{RoomImage, SIDE};
use gridrace_shared::puzzle::slide;
use gridrace_shared::puzzle::slide::solve::{ConstructiveStage, Line, StageMoves};
use gridrace_shared::puzzle::{
    Board, HintStyle, IllegalMove, Move, MoveBounds, MoveCount, PieceProgress, PuzzleSpec,
};
use gridrace_shared::solver::budget::Unsolved;
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::tournament::ids::{ResultKey, RoundKey};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};

every!(roles: Role { Player, Spectator });

every!(skills: Skill { Beginner, Casual, Steady, Expert, Master });

every!(hint_rules: HintRule {
    Off, Free,
    Priced => [HintRule::Priced { seconds: 15 }],
});

every!(specs: PuzzleSpec {
    Slide => ["slide:2x2", "slide:4x4", "slide:16x9"].map(spec),
    Link => ["link:4x4", "link:20x9:hard"].map(spec),
});

every!(moves: Move {
    Slide => [Move::Slide(Cell(0)), Move::Slide(Cell(255))],
    Link => strokes().into_iter().map(Move::Link),
});

every!(seed_origins: SeedOrigin { Drawn, Host });

every!(kinds: PlayerKind {
    Human, Bot,
    HouseBot => skills().into_iter().map(PlayerKind::HouseBot),
});

every!(boards: Board {
    Slide => [board()],
    Link => [Board::Link(drawing())],
});

every!(states: RaceState {
    Racing,
    Finished => [RaceState::Finished { time: Millis(83_250) }],
    Dnf,
});

every!(starts: Board {
    Slide => [board()],
    Link => [Board::Link(Drawing::new(puzzle()))],
});

every!(phases: Phase {
    Lobby, Drawing,
    Countdown => [Phase::Countdown { go: HeatInstant(3_000) }],
    Running => starts().into_iter().map(|start| Phase::Running {
        go: HeatInstant(3_000),
        ends: HeatInstant(603_000),
        start,
    }),
    Over => [Phase::Over(HeatResult {
        standings: standings().rows,
        start: board(),
        reveal: secret(),
        best: Some(best()),
    })],
});

every!(name_faults: NameError { Empty, TooLong, Forbidden, StackedMarks, MixedScripts, Reserved });

every!(hint_styles: HintStyle { Shortest, Method });
every!(fixed_styles: HintStyles { Any, Shortest, Method });
every!(options_faults: OptionsError {
    Countdown, TimeLimit, Delay, HintPrice, Grace, Idle, Picture
});

every!(short_text_faults: ShortTextError {
    Empty,
    TooLong => [ShortTextError::TooLong { most: 120 }],
    Forbidden,
});

every!(closing_reasons: ClosingReason { Idle, OnlyBots });

every!(room_phases: RoomPhase { Lobby, Racing, Results });

pub(super) fn closings() -> Vec<Closing> {
    let closing = |why| Closing { ends: HeatInstant(71_234), why };
    closing_reasons().into_iter().map(closing).collect()
}

every!(unsolved: Unsolved { Unsolvable, OverBudget });

every!(illegal_moves: IllegalMove {
    Slide => illegal_slides().into_iter().map(IllegalMove::Slide),
    Link => illegal_strokes().into_iter().map(IllegalMove::Link),
    OtherFamily,
});

fn illegal_slides() -> Vec<slide::IllegalMove> {
    use slide::IllegalMove;
    every!(list: IllegalMove { OutOfBounds, IsBlank, NotInLine });
    list()
}

fn illegal_strokes() -> Vec<IllegalStroke> {
    every!(list: IllegalStroke {
        Empty, TooLong,
        OutOfBounds => [IllegalStroke::OutOfBounds(Cell(400))],
        StartsNowhere => [IllegalStroke::StartsNowhere(Cell(3))],
        NotAdjacent => [IllegalStroke::NotAdjacent(Cell(5))],
        Solid => [IllegalStroke::Solid(Cell(4))],
        OtherTerminal => [IllegalStroke::OtherTerminal(Cell(2))],
        PastTerminal => [IllegalStroke::PastTerminal(Cell(7))],
        Touches => [IllegalStroke::Touches(Cell(1))],
        ChangesNothing, NothingToUndo,
    });
    list()
}

every!(strokes: Stroke {
    Draw => [Stroke::Draw(vec![Cell(0)]), Stroke::Draw(vec![Cell(0), Cell(1), Cell(300)])],
    Undo,
});

every!(reasons: Reason {
    Corner, OnlyWayOut, PassThrough, Ring, WouldTouch, DeadEnd, WouldCutOff, WouldStrand,
    Trial => [Reason::Trial { depth: 3 }],
    Follows,
});

every!(link_hints: LinkHint {
    Wrong => [LinkHint::Wrong(Mistake { number: 2, from: Cell(9) })],
    Forced => reasons().into_iter().map(|reason| LinkHint::Forced(ForcedSegment {
        number: Some(1),
        cells: vec![Cell(0), Cell(1)],
        reason,
    })),
    Reveal => [LinkHint::Reveal { number: 1, cells: vec![Cell(0), Cell(1), Cell(2)] }],
});

pub(super) fn spec(text: &str) -> PuzzleSpec {
    text.parse().unwrap()
}

pub(super) fn code() -> RoomCode {
    "KQZT".parse().unwrap()
}

pub(super) fn options(spec: PuzzleSpec, hints: HintRule) -> HeatOptions {
    HeatOptions {
        spec,
        countdown_seconds: 3,
        time_limit_seconds: 600,
        hints,
        bots_allowed: true,
        private: false,
        delay_seconds: 2,
        grace_seconds: 60,
        idle_seconds: 60,
        finishers_watch: true,
        hint_styles: HintStyles::Any,
        picture: false,
    }
}

/// Options that cover each spec, each hint rule, each style of hints, and a picture.
pub(super) fn many_options() -> Vec<HeatOptions> {
    let specs = specs().into_iter().map(|spec| options(spec, HintRule::Off));
    let rules = hint_rules().into_iter().map(|hints| options(spec("slide:4x4"), hints));
    let styles = fixed_styles().into_iter().skip(1).map(|hint_styles| HeatOptions {
        hint_styles,
        ..options(spec("slide:4x4"), HintRule::Free)
    });
    let pictured = HeatOptions { picture: true, ..options(spec("slide:4x4"), HintRule::Off) };
    specs.chain(rules).chain(styles).chain([pictured]).collect()
}

pub(super) fn setup(seed: SeedOrigin) -> Setup {
    let options = options(spec("slide:3x3"), HintRule::Priced { seconds: 10 });
    let commitment = secret().commitment(&options.spec);
    let queued = (seed == SeedOrigin::Host).then(|| options.clone());
    let held_by = queued.as_ref().map(|_| PlayerId(1));
    Setup { number: 2, options, seed, commitment, queued, held_by, table: None }
}

pub(super) fn setup_of_table() -> Setup {
    let board =
        ResultKey { round: RoundKey { stage: 0, round: 1 }, table: 2, board: 0, attempt: 0 };
    let tournament = "friday-cup".parse().unwrap();
    Setup { table: Some(TableSetup { tournament, board }), ..setup(SeedOrigin::Drawn) }
}

/// The host and a bot of the server's.
pub(super) fn two_members() -> Roster {
    let bot = PlayerKind::HouseBot(Skill::Expert);
    let members = vec![member(1, "Zoë", PlayerKind::Human), member(2, "Otter", bot)];
    Roster { host: Some(PlayerId(1)), members }
}

/// Members of every kind, role and state.
pub(super) fn members_of_all_kinds() -> Roster {
    let of_kind =
        |(id, kind)| Member { ready: id % 2 == 0, ..member(id, &format!("Player {id}"), kind) };
    let with_role = |(id, role)| Member {
        role,
        next_seat: true,
        connected: false,
        away_until: Some(HeatInstant(121_234)),
        ..member(id, &format!("Member {id}"), PlayerKind::Human)
    };
    let mut members: Vec<Member> = (1..).zip(kinds()).map(of_kind).collect();
    members.extend((300..).zip(roles()).map(with_role));
    Roster { host: Some(PlayerId(1)), members }
}

fn member(id: u32, name: &str, kind: PlayerKind) -> Member {
    Member {
        id: PlayerId(id),
        name: name.parse::<PlayerName>().unwrap(),
        kind,
        role: Role::Player,
        ready: true,
        next_seat: false,
        connected: true,
        identity: (id == 1).then(fingerprint),
        operator: id == 1,
        away_until: None,
    }
}

pub(super) fn fingerprint() -> Fingerprint {
    proof(false).key.fingerprint(false)
}

pub(super) fn ban() -> Ban {
    Ban { key: fingerprint(), name: "R2".parse().unwrap(), by_operator: true }
}

/// A proof for [`challenge`], by the key of sevens.
pub(super) fn proof(bot: bool) -> Proof {
    Key::from_bytes([7; 32]).prove(challenge(), "192.168.1.5:7415", bot)
}

pub(super) fn challenge() -> Challenge {
    Challenge::from_bytes([0xc5; 32])
}

/// A row in every state.
pub(super) fn standings() -> Standings {
    let tally = PieceProgress { done: 5, of: 8, covered: 40, cells: 49 };
    let row = |(place, state): (u16, RaceState)| Standing {
        player: PlayerId(u32::from(place)),
        place,
        state,
        progress: 1_000 / place,
        tally: (place == 2).then_some(tally),
        moves: MoveCount { moves: 120, acts: 77 },
        hints: 2,
        penalty: Millis(20_000),
        connected: place != 3,
    };
    Standings { at: HeatInstant(61_234), rows: (1..).zip(states()).map(row).collect() }
}

pub(super) fn snapshot(phase: Phase) -> Snapshot {
    let on = matches!(phase, Phase::Running { .. });
    Snapshot {
        code: code(),
        name: on.then(|| "Friday cup".parse().unwrap()),
        epoch: ServerInstant(7_654_321),
        setup: setup(SeedOrigin::Drawn),
        roster: two_members(),
        phase,
        standings: on.then(standings),
        boards: if on { player_boards() } else { Vec::new() },
        seat: on.then(own_seat),
        outage: Millis(if on { 12_345 } else { 0 }),
        closing: on.then(|| closings().remove(0)),
    }
}

pub(super) fn player_boards() -> Vec<PlayerBoard> {
    let player_board = |board| PlayerBoard { player: PlayerId(1), board };
    boards().into_iter().map(player_board).collect()
}

/// The state of a seat that is resumed.
pub(super) fn own_seat() -> OwnSeat {
    OwnSeat {
        board: board(),
        seq: Seq(77),
        state: RaceState::Racing,
        moves: MoveCount { moves: 120, acts: 77 },
        hints: 2,
        penalty: Millis(20_000),
        hint: Some(GivenHint { after: Seq(77), hint: hints().remove(0), distance_change: Some(2) }),
        hint_pending: false,
    }
}

pub(super) fn pin() -> Pin {
    "4711".parse().unwrap()
}

pub(super) fn token() -> ResumeToken {
    ResumeToken::from_bytes([0xcd; 32])
}

every!(hints: Hint {
    Slide => [Hint::Slide(slide::SlideHint {
        play: Cell(7),
        then: vec![Cell(3), Cell(2)],
        at_least: 39,
        at_most: 41,
        stage: None,
    })]
    .into_iter()
    .chain(stages().into_iter().map(by_method)),
    Link => link_hints().into_iter().map(Hint::Link),
});

fn by_method(stage: ConstructiveStage) -> Hint {
    Hint::Slide(slide::SlideHint {
        play: Cell(7),
        then: vec![Cell(3), Cell(2)],
        at_least: 39,
        at_most: 187,
        stage: Some(StageMoves { stage, moves: 12 }),
    })
}

every!(stages: ConstructiveStage {
    Tile => [ConstructiveStage::Tile { tile: 2, line: Line::Row(1) }],
    Park => [ConstructiveStage::Park { tile: 3, line: Line::Row(1) }],
    ParkBehind => [ConstructiveStage::ParkBehind {
        tiles: [3, 4],
        line: Line::Row(1),
    }],
    Pair => [ConstructiveStage::Pair {
        tiles: [9, 13],
        line: Line::Column(1),
    }],
    LastThree => [ConstructiveStage::LastThree { tiles: [11, 12, 15] }],
    SingleLine,
});

pub(super) fn best() -> MoveBounds {
    MoveBounds::of(48, 52)
}

pub(super) fn secret() -> Secret {
    Secret { seed: "friday-cup".parse().unwrap(), salt: Salt::from_bytes([0xab; 16]) }
}

/// A written-out board, so that the golden files depend on no seed.
fn board() -> Board {
    Board::Slide("1 2 3/4 5 6/0 7 8".parse().unwrap())
}

/// A written-out puzzle with a drawn link, and one that it cut.
fn drawing() -> Drawing {
    let mut drawing = Drawing::new(puzzle());
    for cells in [&[3, 2, 1, 5, 4][..], &[0, 1, 5]] {
        let cells = cells.iter().copied().map(Cell).collect();
        drawing.play(&Stroke::Draw(cells)).unwrap();
    }
    drawing
}

fn puzzle() -> Puzzle {
    "1..2/2.../..../1..X".parse().unwrap()
}

/// An image whose blocks have two colours.
pub(super) fn room_image() -> RoomImage {
    let color = |at: usize| if at.is_multiple_of(2) { [255, 0, 0] } else { [0, 0, 255] };
    RoomImage::encode(&(0..SIDE * SIDE).map(color).collect::<Vec<_>>())
}
