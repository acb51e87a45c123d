//! The powers of the host and of operators.

use super::log::options;
use super::*;
use crate::race::host::MAX_BANS;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::server::Farewell;

fn key(number: u8) -> Fingerprint {
    Key::from_bytes([number; 32]).public().fingerprint(false)
}

/// The operator's key.
const OPERATOR: u8 = 200;

/// A room of a server with an operator.
fn room(is_standing: bool) -> Log {
    let code = RoomCode::from_number(7);
    let config = RaceConfig::new(code, ServerInstant(0), options(), draw("friday"));
    let operators = [key(OPERATOR)].into();
    Log::of(RaceConfig { operators, is_standing, ..config })
}

/// Joins with its own key.
fn enters(log: &mut Log, number: u32, role: Role, key_number: u8) {
    let name = format!("Person {number}").parse().unwrap();
    let identity = Some(key(key_number));
    let newcomer = Newcomer { role, identity, ..Newcomer::person(name) };
    log.does(Event::Join { id: id(number), newcomer, token: token(number, 0) });
}

/// Hosts 1 and 2, 3 in a room with the operator 9, who plays.
fn with_operator(is_standing: bool) -> Log {
    let mut log = room(is_standing);
    for number in 1..=3 {
        enters(&mut log, number, PLAYER, number as u8);
    }
    enters(&mut log, 9, PLAYER, OPERATOR);
    log
}

fn holds(log: &mut Log, by: u32, hold: bool) -> &mut Log {
    log.does(Event::Hold { by: id(by), hold })
}

fn bans(log: &mut Log, by: u32, player: u32) -> &mut Log {
    log.does(Event::Ban { by: id(by), player: id(player) })
}

fn unbans(log: &mut Log, by: u32, key_number: u8) -> &mut Log {
    log.does(Event::Unban { by: id(by), key: key(key_number) })
}

fn hands_over(log: &mut Log, by: u32, player: u32) -> &mut Log {
    log.does(Event::HandOver { by: id(by), player: id(player) })
}

#[test]
fn the_host_ends_a_heat_with_the_standings_as_they_are() {
    let mut log = Log::running(3);
    log.finishes(2);
    log.silently_at(9_000);
    let by = id(3);
    log.does(Event::EndHeat { by }).refused(3, Refusal::NotHost);
    let before: Vec<PlayerId> = (1..=3)
        .map(|n| (log.row(n).place, id(n)))
        .collect::<BTreeMap<_, _>>()
        .into_values()
        .collect();
    log.does(Event::EndHeat { by: id(1) });
    assert!(log.has_ended());
    let after: Vec<PlayerId> = log.result().standings.iter().map(|row| row.player).collect();
    assert_eq!(after, before);
    assert_eq!((log.row(1).state, log.row(3).state), (RaceState::Dnf, RaceState::Dnf));
    log.does(Event::EndHeat { by: id(1) }).refused(1, Refusal::WrongPhase);
}

#[test]
fn a_banned_key_is_kept_out_and_another_isn_t() {
    for in_heat in [false, true] {
        let mut log = room(false);
        for number in 1..=3 {
            enters(&mut log, number, PLAYER, number as u8);
        }
        if in_heat {
            log.go();
        }
        bans(&mut log, 2, 3).refused(2, Refusal::NotHost);
        bans(&mut log, 1, 3);
        let banned = Effect::Dismiss { member: id(3), why: Farewell::Banned };
        assert!(log.last.contains(&banned), "{:?}", log.last);
        enters(&mut log, 4, SPECTATOR, 3);
        log.refused(4, Refusal::Banned);
        assert!(log.last.contains(&Effect::Release { member: id(4) }));
        enters(&mut log, 5, SPECTATOR, 5);
        assert!(log.member(5).is_some());
        for invalid in [1, 3, 77] {
            bans(&mut log, 1, invalid).refused(1, Refusal::NoSuchPlayer);
        }
    }
}

#[test]
fn a_ban_removes_all_who_share_the_key_and_one_without_a_key_is_removed() {
    let mut log = room(false);
    enters(&mut log, 1, PLAYER, 1);
    enters(&mut log, 2, PLAYER, 2);
    enters(&mut log, 3, SPECTATOR, 2);
    log.joins(4, PLAYER);
    bans(&mut log, 1, 3);
    assert!(log.member(2).is_none() && log.member(3).is_none());
    bans(&mut log, 1, 4);
    assert!(log.member(4).is_none());
    log.joins(4, PLAYER);
    assert!(log.member(4).is_some());
}

#[test]
fn bans_are_bounded_and_the_oldest_goes_first() {
    let mut log = room(false);
    enters(&mut log, 1, PLAYER, 250);
    for number in 0..=MAX_BANS {
        let player = 2 + number as u32;
        enters(&mut log, player, SPECTATOR, number as u8);
        bans(&mut log, 1, player);
    }
    enters(&mut log, 500, SPECTATOR, 0);
    assert!(log.member(500).is_some());
    enters(&mut log, 501, SPECTATOR, 1);
    log.refused(501, Refusal::Banned);
}

#[test]
fn a_held_start_waits_for_the_host() {
    let mut log = Log::lobby(2);
    holds(&mut log, 2, true).refused(2, Refusal::NotHost);
    holds(&mut log, 1, true);
    assert_eq!(log.race.setup().held_by, Some(id(1)));
    log.ready(1);
    log.ready(2);
    assert_eq!(log.race.phase_name(), "lobby");
    log.joins(3, SPECTATOR);
    assert_eq!(log.snapshot(3).setup.held_by, Some(id(1)));
    log.does(Event::Start { by: id(1) });
    assert_eq!(log.race.phase_name(), "countdown");
    // During the countdown it goes back, and those who were ready still are.
    holds(&mut log, 1, true);
    assert_eq!(log.race.phase_name(), "lobby");
    assert!(log.member(2).unwrap().ready);
    holds(&mut log, 1, false);
    assert_eq!(log.race.phase_name(), "countdown");
}

#[test]
fn a_hold_passes_to_the_next_host_and_ends_where_no_person_is_host() {
    let mut log = Log::lobby(3);
    holds(&mut log, 1, true);
    log.ready(2);
    log.ready(3);
    log.leaves(1);
    assert_eq!((log.host(), log.race.setup().held_by), (Some(2), Some(id(2))));
    assert_eq!(log.race.phase_name(), "lobby");
    holds(&mut log, 2, false);
    assert_eq!(log.race.phase_name(), "countdown");

    let mut log = with_operator(true);
    hands_over(&mut log, 9, 9);
    holds(&mut log, 9, true);
    log.leaves(9);
    assert_eq!((log.host(), log.race.setup().held_by), (None, None));
}

#[test]
fn the_host_lifts_a_ban_but_no_operator_s() {
    let mut log = with_operator(false);
    bans(&mut log, 1, 3);
    let banned = |log: &Log, to| match log.sent(to)[..] {
        [ServerMessage::HostInfo { banned, .. }] => banned.clone(),
        ref other => panic!("{other:?}"),
    };
    for with_powers in [1, 9] {
        let listed = banned(&log, with_powers);
        assert_eq!(listed.iter().map(|ban| ban.key).collect::<Vec<_>>(), [key(3)]);
    }
    assert_eq!(log.sent(2), [] as [&ServerMessage; 0]);
    unbans(&mut log, 2, 3).refused(2, Refusal::NotHost);
    unbans(&mut log, 1, 2).refused(1, Refusal::NotBanned);
    unbans(&mut log, 1, 3);
    assert_eq!((banned(&log, 1), banned(&log, 9)), (Vec::new(), Vec::new()));
    enters(&mut log, 30, PLAYER, 3);
    assert!(log.member(30).is_some());

    bans(&mut log, 9, 30);
    unbans(&mut log, 1, 3).refused(1, Refusal::OperatorOnly);
    unbans(&mut log, 9, 3);
    enters(&mut log, 31, PLAYER, 3);
    assert!(log.member(31).is_some());
}

#[test]
fn no_heat_begins_without_a_host_who_watches() {
    let mut log = Log::lobby(3);
    log.does(Event::LeaveSeat { by: id(1) });
    log.ready(2);
    log.ready(3);
    assert_eq!(log.race.phase_name(), "lobby");
    log.does(Event::Start { by: id(1) });
    assert_eq!(log.race.phase_name(), "countdown");
}

#[test]
fn the_host_s_place_is_handed_over_and_can_t_be_taken() {
    let mut log = Log::lobby(3);
    log.adds_bot(Some(1), 4);
    hands_over(&mut log, 2, 2).refused(2, Refusal::NotHost);
    for invalid in [4, 77] {
        hands_over(&mut log, 1, invalid).refused(1, Refusal::NoSuchPlayer);
    }
    hands_over(&mut log, 1, 3);
    assert_eq!(log.roster(Audience::All).host, Some(id(3)));
    log.kicks(1, 2).refused(1, Refusal::NotHost);
    // The owner is the new host also after a lost connection.
    log.is_lost(3);
    assert_eq!(log.host(), Some(1));
    log.resumes(3, 0);
    assert_eq!(log.host(), Some(3));
}

#[test]
fn an_acting_host_neither_bans_the_owner_nor_hands_its_place_away_for_good() {
    let mut log = Log::lobby(3);
    log.is_lost(1);
    assert_eq!(log.host(), Some(2));
    bans(&mut log, 2, 1).refused(2, Refusal::NotHost);
    hands_over(&mut log, 2, 3);
    assert_eq!(log.host(), Some(3));
    log.resumes(1, 0);
    assert_eq!(log.host(), Some(1));
}

#[test]
fn an_acting_host_bans_no_key_that_the_owner_has() {
    let mut log = room(false);
    enters(&mut log, 1, PLAYER, 1);
    enters(&mut log, 2, PLAYER, 2);
    enters(&mut log, 3, SPECTATOR, 1);
    log.is_lost(1);
    assert_eq!(log.host(), Some(2));
    bans(&mut log, 2, 3).refused(2, Refusal::NotHost);
    assert!(log.member(3).is_some());
}

#[test]
fn a_host_s_bans_push_out_no_operator_s() {
    let mut log = with_operator(false);
    bans(&mut log, 9, 3);
    for number in 0..=MAX_BANS as u32 {
        enters(&mut log, 100 + number, SPECTATOR, 10 + number as u8);
        bans(&mut log, 1, 100 + number);
    }
    enters(&mut log, 300, SPECTATOR, 3);
    log.refused(300, Refusal::Banned);
    enters(&mut log, 301, SPECTATOR, 10);
    assert!(log.member(301).is_some());
}

#[test]
fn what_the_host_announces_is_told_to_all() {
    let mut log = Log::lobby(2);
    let text: gridrace_shared::heat::short_text::Announcement = "Pause".parse().unwrap();
    log.does(Event::Announce { by: id(2), text: text.clone() }).refused(2, Refusal::NotHost);
    log.does(Event::Announce { by: id(1), text: text.clone() });
    assert_eq!(log.told(Audience::All), [&ServerMessage::Announcement { by: id(1), text }]);
}

#[test]
fn an_operator_has_the_host_s_powers_in_a_room_of_another() {
    let mut log = with_operator(false);
    assert_eq!(log.host(), Some(1));
    assert!(log.member(9).unwrap().operator && !log.member(1).unwrap().operator);
    log.kicks(9, 3);
    assert!(log.member(3).is_none());
    log.sets(9, |options| options.countdown_seconds = 5);
    log.does(Event::Start { by: id(9) });
    assert_eq!(log.race.phase_name(), "countdown");
    log.at(5_000);
    log.does(Event::EndHeat { by: id(9) });
    assert!(log.has_ended());
    log.rematches(9);
    assert_eq!(log.race.phase_name(), "lobby");
    hands_over(&mut log, 9, 9);
    assert_eq!(log.host(), Some(9));
    bans(&mut log, 9, 1);
    assert!(log.member(1).is_none());
}

#[test]
fn no_host_removes_or_overrules_an_operator() {
    let mut log = with_operator(false);
    log.kicks(1, 9).refused(1, Refusal::OperatorOnly);
    bans(&mut log, 1, 9).refused(1, Refusal::OperatorOnly);
    holds(&mut log, 9, true);
    holds(&mut log, 1, false).refused(1, Refusal::OperatorOnly);
    log.does(Event::Start { by: id(1) }).refused(1, Refusal::OperatorOnly);
    assert_eq!(log.race.setup().held_by, Some(id(9)));
    log.does(Event::Start { by: id(9) });
    assert_eq!(log.race.phase_name(), "countdown");
}

#[test]
fn in_a_standing_room_the_first_is_host_only_while_no_operator_is_there() {
    let mut log = room(true);
    enters(&mut log, 1, PLAYER, 1);
    assert_eq!(log.host(), Some(1));
    enters(&mut log, 9, SPECTATOR, OPERATOR);
    assert_eq!(log.host(), Some(9));
    log.leaves(9);
    assert_eq!(log.host(), Some(1));
}

#[test]
fn an_operator_gives_the_place_of_a_standing_room_and_takes_it() {
    let mut log = with_operator(true);
    hands_over(&mut log, 9, 2);
    assert_eq!(log.host(), Some(2));
    enters(&mut log, 10, PLAYER, OPERATOR);
    assert_eq!(log.host(), Some(2));
    log.leaves(10);
    // Taken, it stays empty while no operator is there.
    hands_over(&mut log, 9, 9);
    log.leaves(9);
    assert_eq!(log.host(), None);
    log.sets(1, |_| {}).refused(1, Refusal::NotHost);
    // Players still race without a host.
    for player in 1..=3 {
        log.ready(player);
    }
    assert_eq!(log.race.phase_name(), "countdown");
    enters(&mut log, 11, PLAYER, OPERATOR);
    assert_eq!(log.host(), Some(11));
    hands_over(&mut log, 11, 3);
    assert_eq!(log.host(), Some(3));
}

#[test]
fn what_operators_decide_of_a_standing_room_is_kept_and_a_host_s_ban_is_not() {
    let mut log = with_operator(true);
    bans(&mut log, 9, 2);
    hands_over(&mut log, 9, 9);
    let decisions = log.race.operator_decisions();
    let banned: Vec<Fingerprint> = decisions.banned.iter().map(|ban| ban.key).collect();
    assert_eq!((banned, decisions.is_reserved), (vec![key(2)], true));
    let config = RaceConfig { decisions, ..log.config.clone() };
    let mut log = Log::of(config);
    enters(&mut log, 2, PLAYER, 2);
    log.refused(2, Refusal::Banned);
    enters(&mut log, 1, PLAYER, 1);
    assert_eq!(log.host(), None);

    let mut log = room(true);
    enters(&mut log, 1, PLAYER, 1);
    enters(&mut log, 2, PLAYER, 2);
    bans(&mut log, 1, 2);
    assert_eq!(log.race.operator_decisions(), OperatorDecisions::default());
}

#[test]
fn a_server_that_restarts_says_who_its_operators_are() {
    let mut log = with_operator(true);
    assert_eq!(log.host(), Some(9));
    log.does(Event::Configured { operators: [key(2)].into(), is_standing: true });
    let roster = log.roster(Audience::All);
    assert_eq!(roster.host, Some(id(2)));
    let operators: Vec<bool> = roster.members.iter().map(|member| member.operator).collect();
    assert_eq!(operators, [false, true, false, false]);
}

#[test]
fn the_pin_is_told_to_those_with_the_host_s_powers_alone() {
    let pin: gridrace_shared::heat::pin::Pin = "4711".parse().unwrap();
    let config =
        RaceConfig::new(RoomCode::from_number(7), ServerInstant(0), options(), draw("friday"));
    let operators = [key(OPERATOR)].into();
    let mut log = Log::of(RaceConfig { operators, pin: Some(pin.clone()), ..config });
    let told = |log: &Log, to| {
        let info = ServerMessage::HostInfo { pin: Some(pin.clone()), banned: Vec::new() };
        log.sent(to).into_iter().filter(|message| **message == info).count()
    };
    enters(&mut log, 1, PLAYER, 1);
    assert_eq!(told(&log, 1), 1);
    enters(&mut log, 2, PLAYER, 2);
    assert_eq!((told(&log, 1), told(&log, 2)), (0, 0));
    enters(&mut log, 9, PLAYER, OPERATOR);
    assert_eq!(told(&log, 9), 1);
    hands_over(&mut log, 1, 2);
    assert_eq!((told(&log, 1), told(&log, 2)), (0, 1));
    // A new connection is told again.
    log.is_lost(2);
    log.resumes(2, 0);
    assert_eq!(told(&log, 2), 1);
}
