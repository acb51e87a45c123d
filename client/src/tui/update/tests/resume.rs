//! A lost connection, and the way back to one's seat.

use super::*;
use crate::tui::race_keeper::RaceRequest;
use gridrace_shared::heat::commitment::Secret;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::heat_view::MAX_IN_FLIGHT;
use gridrace_shared::protocol::snapshot::{OwnSeat, Setup, Snapshot};
use gridrace_shared::util::seed::Seed;

fn token(number: u8) -> ServerMessage {
    ServerMessage::Token {
        code: fx::code(),
        player: fx::ME,
        token: ResumeToken::from_bytes([number; 32]),
    }
}

/// In a race, with a token.
fn racing() -> Model {
    let mut model = fx::racing("slide:4x4");
    hear(&mut model, token(1));
    model
}

/// Makes a move that is legal, whichever that is.
fn slides(model: &mut Model) -> Vec<Effect> {
    for direction in [KeyCode::Down, KeyCode::Up, KeyCode::Left, KeyCode::Right] {
        let before = race(model).play.last();
        let commands = key(model, direction);
        if race(model).play.last() != before {
            return commands;
        }
    }
    panic!("no legal move")
}

/// What the server knows of the race after its first moves.
fn seat(model: &Model, played: u32) -> OwnSeat {
    let racing = race(model);
    let mut board = racing.start.clone();
    let mut moves = MoveCount::default();
    for (_, play) in racing.play.unanswered().take(played as usize) {
        moves += board.play(play).unwrap();
    }
    OwnSeat {
        board,
        seq: Seq(played),
        state: RaceState::Racing,
        moves,
        hints: 1,
        penalty: Millis(10_000),
        hint: None,
        hint_pending: false,
    }
}

fn back(seat: OwnSeat) -> ServerMessage {
    let running = fx::running("slide:4x4");
    let heat = Snapshot { seat: Some(seat), ..fx::snapshot("slide:4x4", Role::Player, running) };
    ServerMessage::Joined { you: fx::ME, room: Box::new(heat) }
}

fn resumes(commands: &[Effect]) -> Option<&ResumeToken> {
    commands.iter().find_map(|command| {
        let Send(ClientMessage::Resume { code, player, token }) = command else {
            return None;
        };
        assert_eq!((*code, *player), (fx::code(), fx::ME));
        Some(token)
    })
}

#[test]
fn options_set_after_a_cancelled_start_are_the_heat_s_for_who_was_away() {
    let mut model =
        fx::in_heat("slide:3x3", Role::Player, Phase::Countdown { go: HeatInstant(9_000) });
    hear(&mut model, token(1));
    let heat = model.shown_heat().unwrap();
    let (number, promised) = (heat.setup.number, heat.raced_setup().clone());
    let snapshot = fx::snapshot("slide:4x4", Role::Player, fx::running("slide:4x4"));
    let setup = Setup { number, ..snapshot.setup };
    assert_ne!(setup, promised);
    tell(&mut model, lost(LOST));
    tell(&mut model, connected("gridrace"));
    let back = Snapshot { setup: setup.clone(), ..snapshot };
    hear(&mut model, ServerMessage::Joined { you: fx::ME, room: Box::new(back) });
    assert_eq!(*model.shown_heat().unwrap().raced_setup(), setup);
}

#[test]
fn moves_go_on_without_a_connection_and_are_sent_when_it_is_back() {
    let mut model = racing();
    assert_eq!(moves(&slides(&mut model)), [Seq(1)]);
    assert_eq!(moves(&slides(&mut model)), [Seq(2)]);
    tell(&mut model, lost(LOST));
    assert_eq!(slides(&mut model), []);
    let shown = board(&model);
    let commands = tell(&mut model, connected("s"));
    assert_eq!(resumes(&commands), Some(&ResumeToken::from_bytes([1; 32])));
    // The server doesn't hear of it before the answer.
    assert_eq!(slides(&mut model), []);
    let ahead = board(&model);
    assert_ne!(ahead, shown);
    let seat = seat(&model, 1);
    let commands = hear(&mut model, back(seat));
    assert_eq!(moves(&commands), [Seq(2), Seq(3), Seq(4)]);
    assert_eq!(board(&model), ahead);
    assert_eq!(model.connection.status, ConnectionStatus::Up);
    assert_eq!(race(&model).hints.taken, 1);
    assert_eq!(moves(&slides(&mut model)), [Seq(5)]);
}

#[test]
fn the_next_token_is_confirmed_and_shown_the_next_time() {
    let mut model = racing();
    assert_eq!(hear(&mut model, token(1)), [], "the first needs no word");
    for number in [2, 3] {
        tell(&mut model, lost(LOST));
        let commands = tell(&mut model, connected("s"));
        let before = ResumeToken::from_bytes([number - 1; 32]);
        assert_eq!(resumes(&commands), Some(&before));
        let seat = seat(&model, 0);
        hear(&mut model, back(seat));
        assert_eq!(hear(&mut model, token(number)), [Send(ClientMessage::Confirm)]);
    }
}

#[test]
fn moves_without_a_connection_are_bounded() {
    let mut model = racing();
    tell(&mut model, lost(LOST));
    for _ in 0..MAX_IN_FLIGHT {
        slides(&mut model);
    }
    let full = board(&model);
    for direction in [KeyCode::Down, KeyCode::Up, KeyCode::Left, KeyCode::Right] {
        key(&mut model, direction);
    }
    assert_eq!(board(&model), full);
    assert!(model.notice.unwrap().text.contains("No more moves"));
}

#[test]
fn a_seat_that_is_gone_is_said_and_one_key_joins_again() {
    let mut model = racing();
    tell(&mut model, lost(LOST));
    tell(&mut model, connected("s"));
    let commands = hear(&mut model, ServerMessage::Refused(Refusal::NotResumed));
    assert_eq!(besides_keeping(commands), [Effect::Disconnect]);
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert!(form.error().unwrap().contains("seat is gone"));
    later(&mut model, KEYS_REST, Event::Tick);
    assert!(matches!(key(&mut model, KeyCode::Enter)[..], [Effect::Connect { .. }]));
    let commands = tell(&mut model, connected("s"));
    let joins = |command: &Effect| matches!(command, Send(ClientMessage::Join { code, .. }) if *code == fx::code());
    assert!(commands.iter().any(joins), "{commands:?}");
}

#[test]
fn a_spectator_comes_back_to_the_room_and_not_to_a_seat() {
    let mut model = fx::watching("slide:4x4");
    hear(&mut model, token(1));
    tell(&mut model, lost(LOST));
    tell(&mut model, connected("s"));
    hear(&mut model, joined(Role::Spectator, fx::running("slide:4x4")));
    assert_eq!(model.notice.unwrap().text, "Back in the room.");
    // Without a token it is a new place.
    let mut model = fx::watching("slide:4x4");
    tell(&mut model, lost(LOST));
    tell(&mut model, connected("s"));
    hear(&mut model, joined(Role::Spectator, fx::running("slide:4x4")));
    assert_eq!(model.notice.unwrap().text, "Back as a spectator, Anna: your old place is gone.");
}

#[test]
fn a_spectator_whose_place_is_gone_joins_again_as_a_spectator() {
    let mut model = fx::watching("slide:4x4");
    hear(&mut model, token(1));
    tell(&mut model, lost(LOST));
    tell(&mut model, connected("s"));
    hear(&mut model, ServerMessage::Refused(Refusal::NotResumed));
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert!(form.error().unwrap().contains("as a spectator"));
    later(&mut model, KEYS_REST, Event::Tick);
    key(&mut model, KeyCode::Enter);
    let commands = tell(&mut model, connected("s"));
    let watches = |command: &Effect| {
        matches!(command, Send(ClientMessage::Join { role: Role::Spectator, .. }))
    };
    assert!(commands.iter().any(watches), "{commands:?}");
}

#[test]
fn where_too_many_want_their_seats_back_it_is_tried_again_later_and_later() {
    let mut model = racing();
    tell(&mut model, lost(LOST));
    for attempt in 1..4 {
        tell(&mut model, connected("s"));
        let commands = hear(&mut model, ServerMessage::Refused(Refusal::TooFast));
        assert!(
            matches!(&commands[..], [Effect::Disconnect, Effect::Retry { attempt: n, .. }] if *n == attempt),
            "{commands:?}"
        );
    }
}

#[test]
fn a_seat_that_was_taken_up_elsewhere_is_not_fought_over() {
    let mut model = racing();
    hear(&mut model, ServerMessage::Goodbye(Farewell::Superseded));
    let commands = tell(&mut model, lost(NetError::Closed { code: 4004 }));
    assert_eq!(commands, [Effect::Disconnect]);
    assert!(matches!(model.screen, Screen::Home(_)));
    assert!(model.notice.unwrap().text.contains("another connection"));
}

#[test]
fn a_heat_that_ended_meanwhile_is_found_over_and_checked() {
    let mut model = racing();
    tell(&mut model, lost(LOST));
    tell(&mut model, connected("s"));
    let heat = fx::snapshot("slide:4x4", Role::Player, fx::ended("slide:4x4"));
    let joined = ServerMessage::Joined { you: fx::ME, room: Box::new(heat) };
    let effects = hear(&mut model, joined);
    let [Effect::Races(RaceRequest::Keep(kept)), Effect::Send(ClientMessage::Results)] =
        &effects[..]
    else {
        panic!("{effects:?}")
    };
    // What was played meanwhile isn't known.
    assert!(kept.result.time.is_some() && kept.replay.is_none(), "{kept:?}");
    let check = super::heat(&model).panel.results.check;
    assert_eq!(check, SeedCheck { commitment: true, board: Some(true) });
}

#[test]
fn the_end_of_a_later_heat_is_not_compared_with_the_board_of_the_one_before() {
    let mut model = racing();
    tell(&mut model, lost(LOST));
    tell(&mut model, connected("s"));
    let seed: Seed = "saturday".parse().unwrap();
    let start = fx::spec("slide:4x4").board(&seed);
    let secret = Secret { seed, ..fx::secret() };
    let Phase::Over(result) = fx::ended("slide:4x4") else { panic!() };
    let commitment = secret.commitment(&fx::spec("slide:4x4"));
    let result = HeatResult { start, reveal: secret, ..result };
    let snapshot = fx::snapshot("slide:4x4", Role::Player, Phase::Over(result));
    let number = snapshot.setup.number + 1;
    let setup = Setup { number, commitment, ..snapshot.setup };
    let room = Box::new(Snapshot { setup, ..snapshot });
    hear(&mut model, ServerMessage::Joined { you: fx::ME, room });
    let check = super::heat(&model).panel.results.check;
    assert_eq!(check, SeedCheck { commitment: true, board: Some(true) });
}

#[test]
fn what_the_server_was_too_busy_for_is_sent_again_and_not_taken_back() {
    let mut model = racing();
    slides(&mut model);
    slides(&mut model);
    let shown = board(&model);
    for seq in [1, 2] {
        let why = Rejection::Busy;
        let rejected = ServerMessage::Rejected { seq: Seq(seq), why };
        assert_eq!(hear(&mut model, rejected), []);
    }
    assert_eq!(board(&model), shown);
    let mut sent = Vec::new();
    for _ in 0..20 {
        sent.extend(moves(&later(&mut model, Duration::from_millis(100), Event::Tick)));
    }
    assert_eq!(sent, [Seq(1), Seq(2)]);
}

#[test]
fn a_seat_that_is_got_back_by_the_key_is_played_on_in() {
    let mut before = racing();
    slides(&mut before);
    slides(&mut before);
    let mut model = joining(Some(fx::code()));
    tell(&mut model, connected("s"));
    // A program that knows nothing of the race joins, and is given its own seat.
    hear(&mut model, back(seat(&before, 2)));
    assert_eq!(board(&model), board(&before));
    assert!(model.notice.as_ref().unwrap().text.contains("Back in your seat"));
    assert_eq!(hear(&mut model, token(2)), [], "it is good already");
    assert_eq!(moves(&slides(&mut model)), [Seq(3)]);
}
