//! Samples of all messages about tournaments.

use super::{every, parts};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::tournament::{
    AnnouncedLine, CommandQuestion, EntrantRow, MatchRow, MatchSource, OwnEntry, PageChanges,
    PageOf, PageRows, PastCursor, PastTournament, PastTournaments, SeatRow, TableCall, TableRow,
    TournamentCommand, TournamentCounts, TournamentError, TournamentHead, TournamentOutcome,
    TournamentPage, TournamentPhase, TournamentRequest, TournamentSnapshot, TournamentSummary,
    TournamentUpdate,
};
use gridrace_shared::tournament::draw_commitment::{DrawKey, TournamentSecret};
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey, TournamentName};
use gridrace_shared::tournament::log::{LogEntry, LogEntryError, Presence};
use gridrace_shared::tournament::plan::{FieldError, TournamentPlan};
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine, PublicEvent};
use gridrace_shared::tournament::rank::Ranked;
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};
use gridrace_shared::tournament::score::Score;
use gridrace_shared::tournament::settings::{SettingsError, TournamentSettings};
use gridrace_shared::tournament::stage_state::DrawError;
use gridrace_shared::tournament::stage_state::seats::SeatError;
use gridrace_shared::tournament::teams::RankedTeam;
use gridrace_shared::util::time::{Millis, ServerInstant, TournamentInstant, UnixMillis};

every!(requests: TournamentRequest {
    List,
    Open => [
        (None, "series:5"),
        (Some(parts::pin()), "heats:8/2+final:3:f1"),
        // All formats, rules of scores and tie-breaks.
        (None, "swiss:8x5/64:kart~wins,opponents+arena:4x20m/32:p10-6-3+lastout:2/16:sum+\
                roundrobin/8:bo1~wins,head+mo3/4+ao5/3+knockout:bo3"),
        (None, "double:place"),
    ]
    .map(|(pin, text)| TournamentRequest::Open {
        name: tournament_name(),
        plan: plan(text),
        settings: settings(),
        pin,
    }),
    Follow => [TournamentRequest::Follow { name: tournament_name(), pin: Some(parts::pin()) }],
    Unfollow,
    Enter => [None, Some("red")].map(|team| TournamentRequest::Enter {
        name: "Zoë".to_owned(),
        bot: false,
        team: team.map(|team| team.parse().unwrap()),
    }),
    CheckIn, Withdraw,
    Page => pages_of().into_iter().map(|of| TournamentRequest::Page { of, from: 64 }),
    Command => commands().into_iter().map(|command| TournamentRequest::Command {
        confirmed: matches!(command, TournamentCommand::Redraw { .. }),
        command,
    }),
    Past => [None, Some(past_cursor())].map(|before| TournamentRequest::Past { before }),
});

every!(pages_of: PageOf {
    Entrants, Standings, Teams,
    Tables => [None, Some(round())].map(|round| PageOf::Tables { round }),
    Bracket, Log,
});

fn reason(text: &str) -> Option<String> {
    Some(text.to_owned())
}

every!(commands: TournamentCommand {
    OpenCheckIn, CloseCheckIn, Begin, Pause, Resume,
    MoveGo => [TournamentCommand::MoveGo { seconds: 120 }],
    Replay => [TournamentCommand::Replay {
        round: round(),
        table: Some(3),
        board: None,
        reason: reason("power cut"),
    }],
    Void => [TournamentCommand::Void { round: round(), board: 1, reason: reason("too easy") }],
    SetResult => [TournamentCommand::SetResult {
        key: result_key(),
        result: result(),
        reason: "clock was wrong".to_owned(),
    }],
    TakeBack => [TournamentCommand::TakeBack { entry: 17, reason: "wrong table".to_owned() }],
    Redraw => [None, reason("two are late")].map(|reason| TournamentCommand::Redraw { reason }),
    Seed => [TournamentCommand::Seed { order: vec![EntrantId(3), EntrantId(0)] }],
    CheckIn => [TournamentCommand::CheckIn { entrant: EntrantId(3) }],
    Withdraw => [TournamentCommand::Withdraw {
        entrant: EntrantId(3),
        reason: reason("gone home"),
    }],
    Seat => [TournamentCommand::Seat {
        table: 3,
        entrant: EntrantId(3),
        reason: reason("came late"),
    }],
    Unseat => [TournamentCommand::Unseat { entrant: EntrantId(3), reason: None }],
    Disqualify => [TournamentCommand::Disqualify {
        entrant: EntrantId(3),
        reason: "two keys".to_owned(),
    }],
    LateEntries => [true, false].map(|open| TournamentCommand::LateEntries { open }),
    Announce => [TournamentCommand::Announce { text: "Pizza is here".to_owned() }],
    HandOver => [TournamentCommand::HandOver { to: key() }],
    AddHelper => [TournamentCommand::AddHelper { key: key() }],
    RemoveHelper => [TournamentCommand::RemoveHelper { key: key() }],
    EndStage,
    End => [None, Some("power cut")].map(|reason| TournamentCommand::End {
        reason: reason.map(str::to_owned),
    }),
});

every!(updates: TournamentUpdate {
    List => [Vec::new(), summaries()].map(TournamentUpdate::List),
    Snapshot => [TournamentUpdate::Snapshot(Box::new(snapshot()))],
    Head => phases().into_iter().map(head).map(TournamentUpdate::Head),
    You => presences().into_iter().map(Some).chain([None]).map(own_entry).map(TournamentUpdate::You),
    Page => page_rows().into_iter().map(|rows| TournamentUpdate::Page(TournamentPage {
        from: 64,
        total: 65,
        rows,
    })),
    Table => [TournamentUpdate::Table(TableCall {
        code: parts::code(),
        round: round(),
        table: 3,
        go: Some(TournamentInstant(1_234_567)),
    })],
    Announcement => [TournamentUpdate::Announcement(announced())],
    Corrected => [TournamentUpdate::Corrected {
        key: result_key(),
        reason: "clock was wrong".parse().unwrap(),
    }],
    Done,
    Refused => errors().into_iter().map(TournamentUpdate::Refused),
    NeedsConfirmation => [
        TournamentUpdate::NeedsConfirmation(CommandQuestion {
            command: TournamentCommand::Redraw { reason: None },
            discards: 9,
            unraced: 0,
            first: vec![result_key()],
        }),
        TournamentUpdate::NeedsConfirmation(CommandQuestion {
            command: TournamentCommand::End { reason: None },
            discards: 0,
            unraced: 3,
            first: vec![result_key()],
        }),
    ],
    Past => [
        TournamentUpdate::Past(PastTournaments { rows: Vec::new(), next: None }),
        TournamentUpdate::Past(PastTournaments {
            rows: past_tournaments(),
            next: Some(past_cursor()),
        }),
    ],
});

every!(phases: TournamentPhase { Entries, CheckIn, Waiting, Break, Racing, Pause, Over });

every!(presences: Presence { Entered, Present, Withdrawn, Disqualified });

every!(page_rows: PageRows {
    Entrants => [PageRows::Entrants(presences().into_iter().map(entrant_row).collect())],
    Standings => scores().into_iter().map(|score| PageRows::Standings(vec![
        Ranked { entrant: EntrantId(3), place: 1, score, started: true },
    ])),
    Teams => [PageRows::Teams(vec![RankedTeam {
        team: "RED".parse().unwrap(),
        place: 1,
        score: Score::Points(61),
        members: vec![EntrantId(3), EntrantId(7)],
    }])],
    Tables => [PageRows::Tables(vec![table(true), table(false)])],
    Bracket => [PageRows::Bracket(match_sources().into_iter().map(match_row).collect())],
    Log => [PageRows::Log(events().into_iter().map(log_line).collect())],
});

every!(scores: Score {
    Points => [Score::Points(61)],
    Places => [Score::Places(4)],
    Time => [Score::Time(Some(Millis(83_250))), Score::Time(None)],
});

every!(outcomes: BoardOutcome {
    Finished => [BoardOutcome::Finished { time: Millis(83_250) }],
    Dnf => [BoardOutcome::Dnf { progress: 640 }],
    Dns, Disqualified,
});

every!(match_sources: MatchSource {
    Seed => [MatchSource::Seed(0)],
    Winner => [MatchSource::Winner(1)],
    Loser => [MatchSource::Loser(1)],
    Reset => [MatchSource::Reset(0)],
});

every!(events: PublicEvent {
    Entry => entries().into_iter().map(|entry| PublicEvent::Entry {
        reason: matches!(entry, LogEntry::TakeBack { .. }).then(|| "wrong table".parse().unwrap()),
        entry,
    }),
    Entrant => parts::kinds().into_iter().map(|kind| PublicEvent::Entrant {
        entrant: EntrantId(3),
        name: "Zoë".parse().unwrap(),
        key: key(),
        kind,
    }),
    DrawCommitted => [PublicEvent::DrawCommitted {
        key: draw_key(),
        commitment: secret().commit_to_draw(draw_key()),
    }],
    SecretRevealed => [PublicEvent::SecretRevealed { secret: secret() }],
    CheckInOpened, Paused, Resumed,
    GoMoved => [PublicEvent::GoMoved { to: TournamentInstant(1_234_567) }],
    Announced => [PublicEvent::Announced { text: "Pizza is here".parse().unwrap() }],
    HelperAdded => [PublicEvent::HelperAdded { key: key() }],
    HandedOver => [PublicEvent::HandedOver { to: key() }],
    Ended => [None, Some("power cut")].map(|reason| PublicEvent::Ended {
        reason: reason.map(|reason| reason.parse().unwrap()),
    }),
    CheckInClosed, Begun,
    HelperRemoved => [PublicEvent::HelperRemoved { key: key() }],
    LateEntries => [PublicEvent::LateEntries { open: false }],
});

every!(entries: LogEntry {
    Enter => [LogEntry::Enter { entrant: EntrantId(3), team: Some("RED".parse().unwrap()) }],
    CheckIn => [LogEntry::CheckIn { entrant: EntrantId(3) }],
    Withdraw => [LogEntry::Withdraw { entrant: EntrantId(3) }],
    Disqualify => [LogEntry::Disqualify { entrant: EntrantId(3) }],
    Seed => [LogEntry::Seed { order: vec![EntrantId(3), EntrantId(0)] }],
    Draw => [LogEntry::Draw {
        key: draw_key(),
        seed: secret().draw_seed(draw_key()),
        waiting: vec![EntrantId(3)],
    }],
    Result => [LogEntry::Result { key: result_key(), result: result() }],
    Replay => [LogEntry::Replay { round: round(), table: Some(3), board: None, attempt: 1 }],
    Seat => [LogEntry::Seat { round: round(), table: 3, entrant: EntrantId(3) }],
    Unseat => [LogEntry::Unseat { round: round(), entrant: EntrantId(3) }],
    Void => [LogEntry::Void { round: round(), board: 1 }],
    EndStage => [LogEntry::EndStage { stage: 1 }],
    TakeBack => [LogEntry::TakeBack { entry: 17 }],
});

every!(errors: TournamentError {
    NotOffered, NoSuchTournament, NameTaken, TooManyTournaments, NotFollowing, TooManyFollowers,
    NeedsKey, NotOrganiser, NeedsPin, WrongPin, TooFast, Busy,
    Settings => settings_faults().into_iter().map(TournamentError::Settings),
    PlayerName => parts::name_faults().into_iter().map(TournamentError::PlayerName),
    PlayerNameTaken, AlreadyEntered, NotEntered, EntriesClosed, Full, NoBots, CheckInClosed,
    HasBegun,
    Text => parts::short_text_faults().into_iter().map(TournamentError::Text),
    GoDelay,
    Log => log_faults().into_iter().map(TournamentError::Log),
    TooManyHelpers, Over, TooManyOfKey, NotBegun, CheckInOpen, Paused, NotPaused, NoGo, NoRound,
    TakesLateEntries, TakesNoLateEntries, IsOrganiser, IsHelper, NotHelper,
    KeepsEntries, NoPastTournaments, UnreadablePastTournaments,
});

every!(settings_faults: SettingsError {
    Options => parts::options_faults().into_iter().map(SettingsError::Options),
    Pause, Break, MaxEntrants,
});

every!(log_faults: LogEntryError {
    LogFull, TooManyReplays,
    AlreadyEntered => [LogEntryError::AlreadyEntered(EntrantId(3))],
    UnknownEntrant => [LogEntryError::UnknownEntrant(EntrantId(3))],
    Disqualified => [LogEntryError::Disqualified(EntrantId(3))],
    EntriesClosed, Seeds,
    Field => field_faults().into_iter().map(LogEntryError::Field),
    OtherRound => [LogEntryError::OtherRound {
        expected: round(),
        found: RoundKey { stage: 0, round: 0 },
    }],
    UsedAttempt => [LogEntryError::UsedAttempt { round: round(), least: 2 }],
    Draw => draw_faults().into_iter().map(LogEntryError::Draw),
    Racing => [LogEntryError::Racing(EntrantId(3))],
    UnknownRound => [LogEntryError::UnknownRound(round())],
    UnknownBoard => [LogEntryError::UnknownBoard(result_key())],
    OtherAttempt => [LogEntryError::OtherAttempt { expected: 1, found: 0 }],
    OtherSeats,
    NotLatestRound => [LogEntryError::NotLatestRound(round())],
    Seat => seat_faults().into_iter().map(LogEntryError::Seat),
    VoidInAverage, NoBoardLeft,
    StageNotRunning => [LogEntryError::StageNotRunning(1)],
    NoSuchEntry => [LogEntryError::NoSuchEntry(17)],
    Over,
});

every!(field_faults: FieldError {
    Entrants => [FieldError::Entrants { found: 1 }],
    RoundRobin => [FieldError::RoundRobin { stage: 0, found: 33 }],
});

every!(seat_faults: SeatError {
    IsMatch, NoOpenTable,
    NotInStage => [SeatError::NotInStage(EntrantId(3))],
    InRound => [SeatError::InRound(EntrantId(3))],
    NotInRound => [SeatError::NotInRound(EntrantId(3))],
    TableFull, TooFewLeft,
});

every!(draw_faults: DrawError { RoundOpen, StageOver, TooFew, Waiting });

fn tournament_name() -> TournamentName {
    "friday".parse().unwrap()
}

fn plan(text: &str) -> TournamentPlan {
    text.parse().unwrap()
}

fn settings() -> TournamentSettings {
    TournamentSettings {
        title: Some("Friday cup".parse().unwrap()),
        options: parts::options(parts::spec("slide:4x4"), HintRule::Off),
        pause_seconds: 20,
        break_seconds: 60,
        max_entrants: 64,
        check_in: true,
        late_entries: true,
    }
}

fn key() -> Fingerprint {
    parts::proof(false).key.fingerprint(false)
}

fn secret() -> TournamentSecret {
    TournamentSecret::from_entropy([0xab; 32])
}

const fn round() -> RoundKey {
    RoundKey { stage: 1, round: 2 }
}

const fn draw_key() -> DrawKey {
    DrawKey { round: round(), attempt: 0 }
}

const fn result_key() -> ResultKey {
    ResultKey { round: round(), table: 3, board: 1, attempt: 0 }
}

fn result() -> BoardResult {
    BoardResult { rows: (0..).map(EntrantId).zip(outcomes()).collect() }
}

fn summaries() -> Vec<TournamentSummary> {
    let summary = |phase| TournamentSummary {
        name: tournament_name(),
        title: (phase == TournamentPhase::Entries).then(|| "Friday cup".parse().unwrap()),
        plan: "heats:8/2+final:3:f1".to_owned(),
        phase,
        entrants: 12,
        max_entrants: 64,
        needs_pin: phase == TournamentPhase::Entries,
    };
    [TournamentPhase::Entries, TournamentPhase::Racing].map(summary).to_vec()
}

const fn past_cursor() -> PastCursor {
    PastCursor { ended: UnixMillis(1_795_219_200_000), id: 3 }
}

fn past_tournaments() -> Vec<PastTournament> {
    let outcome = TournamentOutcome {
        entrants: 12,
        champions: vec!["Zoë".parse().unwrap()],
        more_champions: 0,
    };
    let past = |record: &str, outcome| PastTournament {
        record: record.parse().unwrap(),
        title: Some("Friday cup".parse().unwrap()),
        plan: "heats:8/2+final:3:f1".to_owned(),
        ended: past_cursor().ended,
        followable: record == "friday~2",
        outcome,
    };
    vec![past("friday~2", Some(outcome)), past("friday~1", None)]
}

fn head(phase: TournamentPhase) -> TournamentHead {
    let has_begun = !matches!(phase, TournamentPhase::Entries | TournamentPhase::CheckIn);
    TournamentHead {
        phase,
        paused: phase == TournamentPhase::Pause,
        round: has_begun.then(round),
        board: u8::from(has_begun),
        go: has_begun.then_some(TournamentInstant(1_234_567)),
        counts: TournamentCounts { entrants: 12, present: 11, tables: 2, tables_done: 1 },
        log: 40,
        changed: PageChanges { entrants: 12, standings: 39, tables: 40 },
        late_entries: true,
        closed: phase == TournamentPhase::Over,
    }
}

fn snapshot() -> TournamentSnapshot {
    TournamentSnapshot {
        name: tournament_name(),
        plan: plan("series:5"),
        settings: settings(),
        epoch: ServerInstant(7_654_321),
        commitment: secret().commitment(),
        organiser: key(),
        head: head(TournamentPhase::CheckIn),
        you: own_entry(Some(Presence::Present)),
    }
}

fn own_entry(presence: Option<Presence>) -> OwnEntry {
    OwnEntry {
        entrant: presence.map(|_| EntrantId(3)),
        presence,
        organiser: presence == Some(Presence::Present),
    }
}

fn announced() -> AnnouncedLine {
    AnnouncedLine { at: TournamentInstant(61_234), text: "Pizza is here".parse().unwrap() }
}

fn entrant_row(presence: Presence) -> EntrantRow {
    EntrantRow {
        entrant: EntrantId(3),
        name: "Zoë".parse().unwrap(),
        kind: PlayerKind::Human,
        key: key(),
        team: Some("RED".parse().unwrap()),
        presence,
        drawn_next: presence == Presence::Present,
        connected: presence != Presence::Withdrawn,
    }
}

fn table(walkover: bool) -> TableRow {
    let seat = |(entrant, outcome)| SeatRow {
        entrant: EntrantId(entrant),
        outcomes: vec![Some(outcome), None],
    };
    TableRow {
        round: round(),
        number: 3,
        room: (!walkover).then(parts::code),
        seats: if walkover { Vec::new() } else { (0..).zip(outcomes()).map(seat).collect() },
        walkover,
        attempts: vec![0, 1],
    }
}

fn match_row(source: MatchSource) -> MatchRow {
    MatchRow {
        number: 3,
        level: 2,
        sources: [source, MatchSource::Winner(2)],
        sides: [Some(EntrantId(3)), None],
        decided: false,
        winner: None,
    }
}

fn log_line(event: PublicEvent) -> LogLine {
    let is_the_server_s = matches!(event, PublicEvent::DrawCommitted { .. });
    let by = if is_the_server_s { LogAuthor::Server } else { LogAuthor::Key(key()) };
    LogLine { at: TournamentInstant(61_234), by, event }
}
