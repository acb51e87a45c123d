use super::*;

#[test]
fn a_newcomer_gets_the_snapshot_before_the_others_get_the_roster() {
    let mut log = Log::lobby(1);
    log.joins(2, PLAYER);
    let [Effect::Send { to, message }, Effect::Broadcast { to: others, message: roster }] =
        log.last.as_slice()
    else {
        panic!("{:?}", log.last)
    };
    assert_eq!((*to, *others), (id(2), Audience::Others(id(2))));
    let ServerMessage::Joined { you, room } = message else { panic!("{message:?}") };
    assert_eq!(*you, id(2));
    assert_eq!(room.phase, Phase::Lobby);
    assert_eq!(*roster, ServerMessage::Roster(room.roster.clone()));
    assert_eq!(room.roster.members.len(), 2);
    assert_eq!((room.standings.clone(), room.boards.len()), (None, 0));
}

#[test]
fn the_first_client_is_the_host() {
    let mut log = Log::new();
    log.adds_bot(None, 9);
    assert_eq!(log.host(), None);
    log.joins(1, PLAYER);
    log.joins(2, PLAYER);
    assert_eq!(log.host(), Some(1));
}

#[test]
fn a_person_succeeds_the_host_before_a_bot() {
    let mut log = Log::new();
    log.joins(1, PLAYER);
    log.enters(2, "Bot", true, PLAYER);
    log.joins(3, PLAYER);
    log.does(Event::Leave { by: id(1) });
    assert_eq!(log.host(), Some(3));
    log.does(Event::Leave { by: id(3) });
    assert_eq!(log.host(), Some(2));
}

#[test]
fn a_screen_that_only_watches_leaves_the_host_s_place_to_the_first_player() {
    let mut log = Log::new();
    log.joins(1, SPECTATOR);
    assert_eq!(log.host(), Some(1));
    log.joins(2, PLAYER);
    assert_eq!(log.host(), Some(2));
    // A host who gets up to watch stays the host.
    log.does(Event::LeaveSeat { by: id(2) });
    log.joins(3, PLAYER);
    assert_eq!(log.host(), Some(2));
}

#[test]
fn a_name_that_looks_like_another_is_refused_and_its_bearer_released() {
    let mut log = Log::new();
    log.enters(1, "paypal", false, PLAYER);
    log.enters(2, "PAYPAL", false, PLAYER);
    let refused = ServerMessage::Refused(Refusal::NameTaken);
    assert_eq!(
        log.last,
        [Effect::Send { to: id(2), message: refused }, Effect::Release { member: id(2) }]
    );
    assert_eq!(log.race.members.players(), 1);
}

#[test]
fn a_number_that_is_taken_changes_nothing() {
    let mut log = Log::lobby(1);
    log.enters(1, "Somebody else", false, PLAYER);
    assert_eq!(log.last, []);
}

#[test]
fn seats_and_places_to_watch_are_counted() {
    let mut log = Log::new();
    log.people(MAX_PLAYERS as u32);
    log.joins(500, PLAYER).refused(500, Refusal::Full);
    log.fills_the_stand();
    log.joins(501, SPECTATOR).refused(501, Refusal::Full);
    log.does(Event::LeaveSeat { by: id(1) }).refused(1, Refusal::Full);
    log.does(Event::TakeSeat { by: id(100) }).refused(100, Refusal::Full);
    assert!(!log.race.summary().is_joinable());
    assert_eq!(usize::from(log.race.summary().spectators), MAX_SPECTATORS);
}

#[test]
fn bots_are_kept_out_of_seats_where_the_options_say_so() {
    let mut log = Log::with(|options| options.bots_allowed = false);
    log.joins(1, PLAYER);
    log.enters(2, "Robot", true, PLAYER).refused(2, Refusal::NoBots);
    log.enters(3, "Robot", true, SPECTATOR);
    assert_eq!(log.refusal(3), None);
    log.does(Event::TakeSeat { by: id(3) }).refused(3, Refusal::NoBots);
    log.adds_bot(Some(1), 4).refused(1, Refusal::NoBots);
}

#[test]
fn a_latecomer_watches_with_a_seat_in_the_next_heat() {
    let mut log = Log::running(2);
    log.joins(3, PLAYER);
    let heat = log.snapshot(3);
    assert!(matches!(heat.phase, Phase::Running { .. }));
    assert_eq!(heat.standings.as_ref().unwrap().rows.len(), 2);
    assert_eq!(heat.boards.len(), 2);
    let member = log.member(3).unwrap();
    assert_eq!((member.role, member.next_seat), (SPECTATOR, true));
    log.does(Event::LeaveSeat { by: id(3) });
    assert!(!log.member(3).unwrap().next_seat);
    log.does(Event::TakeSeat { by: id(3) });
    assert!(log.member(3).unwrap().next_seat);
}

#[test]
fn seats_in_the_next_heat_are_counted_too() {
    let mut log = Log::running(MAX_PLAYERS as u32);
    log.joins(100, PLAYER).refused(100, Refusal::Full);
    log.leaves(2);
    log.joins(101, PLAYER);
    assert_eq!(log.refusal(101), None);
    log.joins(102, PLAYER).refused(102, Refusal::Full);
}

#[test]
fn in_the_lobby_seats_change_hands_at_once() {
    let mut log = Log::lobby(2);
    log.joins(3, SPECTATOR);
    log.does(Event::TakeSeat { by: id(3) });
    assert_eq!(log.member(3).unwrap().role, PLAYER);
    log.does(Event::LeaveSeat { by: id(2) });
    assert_eq!(log.member(2).unwrap().role, SPECTATOR);
    log.does(Event::LeaveSeat { by: id(2) });
    assert_eq!(log.last, []);
}

#[test]
fn no_player_gives_the_seat_back_during_a_heat() {
    let mut log = Log::running(2);
    log.does(Event::LeaveSeat { by: id(2) }).refused(2, Refusal::WrongPhase);
}

#[test]
fn a_house_bot_is_started_and_then_joins_as_any_member() {
    let mut log = Log::lobby(1);
    log.adds_bot(Some(1), 2);
    assert_eq!(log.last[0], Effect::RunBot { id: id(2), skill: Skill::Casual });
    assert!(matches!(log.sent(2)[..], [ServerMessage::Joined { .. }]));
    assert_eq!(log.told(Audience::Others(id(2))).len(), 1);
    let bot = log.member(2).unwrap();
    assert_eq!((bot.kind, bot.ready), (PlayerKind::HouseBot(Skill::Casual), true));
}

#[test]
fn house_bots_take_the_names_that_are_free() {
    let mut log = Log::new();
    log.enters(1, "otter", false, PLAYER);
    log.adds_bot(Some(1), 2);
    assert_eq!(log.member(2).unwrap().name.as_str(), "Badger");
    for bot in 3..=MAX_PLAYERS as u32 {
        log.adds_bot(Some(1), bot);
    }
    log.adds_bot(Some(1), 100).refused(1, Refusal::Full);
    assert_eq!(log.race.members.players(), MAX_PLAYERS);
}

#[test]
fn only_the_host_or_the_server_adds_bots_and_only_in_the_lobby() {
    let mut log = Log::lobby(2);
    log.adds_bot(Some(2), 3).refused(2, Refusal::NotHost);
    log.go();
    log.adds_bot(Some(1), 4).refused(1, Refusal::WrongPhase);
    log.adds_bot(None, 5);
    assert_eq!(log.last, []);
}

#[test]
fn a_room_with_house_bots_alone_is_deserted() {
    let mut log = Log::new();
    log.adds_bot(None, 1);
    assert!(log.race.is_deserted());
    log.joins(2, SPECTATOR);
    assert!(!log.race.is_deserted());
}

#[test]
fn a_late_player_needs_a_free_place_to_watch() {
    let mut log = Log::running(2);
    log.fills_the_stand();
    log.joins(500, PLAYER).refused(500, Refusal::Full);
}
