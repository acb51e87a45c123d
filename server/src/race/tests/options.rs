use super::log::options;
use super::*;
use gridrace_shared::heat::options::OptionsError;

#[test]
fn no_race_opens_with_options_out_of_bounds() {
    let mut options = options();
    options.delay_seconds = 61;
    let code = RoomCode::from_number(0);
    let config = RaceConfig::new(code, ServerInstant(0), options, draw("friday"));
    assert_eq!(Race::new(config).err(), Some(OptionsError::Delay));
}

#[test]
fn the_host_s_change_goes_to_all_members_with_a_new_commitment() {
    let mut log = Log::lobby(2);
    let before = log.race.setup();
    log.sets(1, |options| options.spec = "slide:5x5".parse().unwrap());
    let [ServerMessage::Setup(setup), ServerMessage::Roster(_)] = log.told(Audience::All)[..]
    else {
        panic!("{:?}", log.last)
    };
    assert_eq!(setup.options.spec.to_string(), "slide:5x5");
    assert_ne!(setup.commitment, before.commitment);
    assert_eq!(setup.commitment, draw("saturday").secret.commitment(&setup.options.spec));
    assert_eq!(log.race.summary().spec, setup.options.spec);
}

#[test]
fn a_change_makes_no_client_ready() {
    let mut log = Log::lobby(3);
    log.adds_bot(Some(1), 4);
    log.ready(1);
    log.ready(2);
    log.sets(1, |options| options.private = true);
    assert!(log.race.is_private());
    let ready: Vec<bool> = (1..=4).map(|n| log.member(n).unwrap().ready).collect();
    assert_eq!(ready, [false, false, false, true]);
    assert_eq!(log.race.phase_name(), "lobby");
}

#[test]
fn only_the_host_sets_options_and_only_within_bounds() {
    let mut log = Log::lobby(2);
    log.sets(2, |_| {}).refused(2, Refusal::NotHost);
    log.sets(1, |options| options.countdown_seconds = 0)
        .refused(1, Refusal::Options(OptionsError::Countdown));
    assert_eq!(log.race.options.countdown_seconds, 3);
}

/// Sets a larger puzzle, and returns what everybody is told.
fn queues(log: &mut Log) -> Setup {
    log.sets(1, |options| options.spec = "slide:5x5".parse().unwrap());
    let setup = log.told(Audience::All).into_iter().find_map(|message| match message {
        ServerMessage::Setup(setup) => Some(setup.clone()),
        _ => None,
    });
    setup.unwrap()
}

#[test]
fn outside_the_lobby_options_are_for_the_next_heat() {
    let mut log = Log::running(2);
    let before = log.race.setup();
    let setup = queues(&mut log);
    assert_eq!(setup.queued.as_ref().unwrap().spec.to_string(), "slide:5x5");
    assert_eq!(setup, Setup { queued: setup.queued.clone(), ..before });
    log.joins(3, SPECTATOR);
    assert_eq!(log.snapshot(3).setup, setup);
    log.gives_up(1);
    log.gives_up(2);
    log.rematches(1);
    let setup = log.race.setup();
    assert_eq!((setup.options.spec.to_string().as_str(), setup.queued), ("slide:5x5", None));
    assert_eq!(setup.commitment, draw("saturday").secret.commitment(&setup.options.spec));
    log.go();
    let start = setup.options.spec.board(&draw("saturday").secret.seed);
    assert_eq!(log.board(1), start);
}

#[test]
fn queued_options_count_as_soon_as_a_start_is_cancelled() {
    let mut log = Log::lobby(2);
    log.does(Event::Start { by: id(1) });
    queues(&mut log);
    assert_eq!(log.race.phase_name(), "countdown");
    log.does(Event::Hold { by: id(1), hold: true });
    assert_eq!(log.race.setup().options.spec.to_string(), "slide:5x5");
    assert_eq!(log.race.setup().queued, None);
}

#[test]
fn without_bots_house_bots_are_removed_and_others_watch() {
    let mut log = Log::lobby(1);
    log.adds_bot(Some(1), 2);
    log.enters(3, "Robot", true, PLAYER);
    log.sets(1, |options| options.bots_allowed = false);
    assert_eq!(log.last[0], Effect::Release { member: id(2) });
    assert!(log.member(2).is_none());
    assert_eq!(log.member(3).unwrap().role, Role::Spectator);
    assert_eq!(log.race.members.players(), 1);
}

#[test]
fn a_bot_without_a_free_place_to_watch_is_released() {
    let mut log = Log::lobby(1);
    log.enters(3, "Robot", true, PLAYER);
    log.fills_the_stand();
    log.sets(1, |options| options.bots_allowed = false).refused(3, Refusal::NoBots);
    assert!(log.last.contains(&Effect::Release { member: id(3) }));
    assert!(log.member(3).is_none());
}
