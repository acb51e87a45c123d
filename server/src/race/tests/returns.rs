//! Resuming by a key; and in a random log, by tokens and by a key.

use super::*;
use gridrace_shared::heat::identity::Fingerprint;
use proptest::prelude::*;

/// What a client presents to resume a seat.
#[derive(Debug, Clone, Copy)]
pub(super) enum Credential {
    Latest,
    /// The one before: the latest was lost on its way.
    Before,
    Foreign,
    /// The key, in place of a token.
    Key,
}

/// The key of everybody who joins: all play on one machine.
pub(super) fn key_of_all() -> Fingerprint {
    let text = "5cddbf834b39bc6694cb80fcbfe49ecc";
    text.to_owned().try_into().unwrap()
}

pub(super) fn any_token() -> impl Strategy<Value = Credential> {
    prop_oneof![
        6 => Just(Credential::Latest),
        2 => Just(Credential::Before),
        1 => Just(Credential::Foreign),
        2 => Just(Credential::Key),
    ]
}

impl World {
    /// Comes back, or tries to: a member who is here, away or gone.
    pub(super) fn resumes(&mut self, index: usize, shown: Credential) {
        // As the shell does: what is due goes to the old connection.
        self.does(&Event::Tick);
        let all: Vec<PlayerId> = self.log.race.members.iter().map(|m| m.id).collect();
        let Some(&by) = all.get(index % all.len().max(1)) else {
            return;
        };
        let latest = self.tokens.get(&by).copied().unwrap_or_default();
        let presented = match shown {
            Credential::Latest => token(by.0, latest),
            Credential::Before => token(by.0, latest.saturating_sub(1)),
            Credential::Foreign => token(by.0 + 1, latest),
            Credential::Key => return self.returns(by, latest.saturating_add(1)),
        };
        let next = token(by.0, latest.saturating_add(1));
        if self.log.race.may_resume(by, &presented) {
            // And the old connection is closed.
            self.tokens.insert(by, latest.saturating_add(1));
            self.views.remove(&by);
        }
        self.does(&Event::Resume { by, presented, next });
    }

    fn returns(&mut self, by: PlayerId, n: u8) {
        let (identity, next) = (key_of_all(), token(by.0, n));
        if self.log.race.members.has_key(by, identity) {
            // The old connection is closed.
            self.tokens.insert(by, n);
            self.views.remove(&by);
        }
        self.does(&Event::Return { by, identity, next });
    }
}

/// A client that proves the key of all.
fn enters(log: &mut Log, number: u32, name: &str, bot: bool, role: Role) -> Option<u32> {
    let newcomer = Newcomer {
        bot,
        role,
        identity: Some(key_of_all()),
        ..Newcomer::person(name.parse().unwrap())
    };
    // As the shell does.
    let returning = log.race.seat_to_return_to(&newcomer);
    match returning {
        Some(by) => log.does(Event::Return { by, identity: key_of_all(), next: token(by.0, 9) }),
        None => log.does(Event::Join { id: id(number), newcomer, token: token(number, 0) }),
    };
    returning.map(|by| by.0)
}

/// Ben with a key and Anna without one, two moves after GO; Ben is away.
fn ben_away() -> Log {
    let mut log = Log::new();
    log.joins(1, PLAYER);
    assert_eq!(enters(&mut log, 2, "Ben", false, PLAYER), None);
    log.go();
    log.moves_on(2);
    log.moves_on(2);
    log.is_lost(2);
    log
}

#[test]
fn a_seat_is_resumed_by_its_key() {
    for name in ["Ben", "Benjamin"] {
        let mut log = ben_away();
        let board = log.board(2);
        assert_eq!(enters(&mut log, 3, name, false, PLAYER), Some(2));
        let joined = log.sent(2);
        let [ServerMessage::Joined { you, room }] = &joined[..] else { panic!("{joined:?}") };
        let seat = room.seat.as_ref().unwrap();
        assert_eq!((*you, seat.seq, &seat.board), (id(2), Seq(2), &board));
        assert!(log.row(2).connected && log.member(3).is_none());
        // What took it up before is void, and what came with it is good.
        log.is_lost(2);
        log.resumes(2, 0);
        assert_eq!(log.last, []);
        assert!(log.race.may_resume(id(2), &token(2, 9)));
    }
}

#[test]
fn another_key_and_no_key_take_no_seat() {
    let mut log = ben_away();
    let stranger = Newcomer::person("Ben".parse().unwrap());
    assert_eq!(log.race.seat_to_return_to(&stranger), None);
    let other = "00000000000000000000000000000000".to_owned();
    let foreign = Newcomer { identity: Some(other.try_into().unwrap()), ..stranger };
    assert_eq!(log.race.seat_to_return_to(&foreign), None);
    log.does(Event::Return { by: id(2), identity: foreign.identity.unwrap(), next: token(2, 9) });
    assert_eq!(log.last, []);
    // Nor does the key of all take Anna's, who came without one.
    log.is_lost(1);
    log.resumes(2, 0);
    assert_eq!(enters(&mut log, 3, "Person 1", false, PLAYER), None);
    assert_eq!(log.refusal(3), Some(Refusal::NameTaken));
}

#[test]
fn no_connected_seat_is_taken_by_a_key() {
    let mut log = Log::new();
    enters(&mut log, 1, "Anna", false, PLAYER);
    assert_eq!(enters(&mut log, 2, "Ben", false, PLAYER), None);
    assert_eq!(enters(&mut log, 3, "Ben", false, PLAYER), None);
    assert_eq!(log.refusal(3), Some(Refusal::NameTaken));
    assert_eq!(log.race.members.players(), 2);
}

#[test]
fn a_connected_seat_may_be_the_newcomer_s_only_with_equal_key_name_and_role() {
    let mut log = Log::new();
    log.joins(1, PLAYER);
    assert_eq!(enters(&mut log, 2, "Ben", false, PLAYER), None);
    let ben = Newcomer { identity: Some(key_of_all()), ..Newcomer::person("ben".parse().unwrap()) };
    assert_eq!(log.race.connected_seat_of(&ben), Some(id(2)));
    let another = |change: fn(&mut Newcomer)| {
        let mut other = ben.clone();
        change(&mut other);
        other
    };
    for other in [
        another(|other| other.name = "Person 1".parse().unwrap()),
        another(|other| other.identity = None),
        another(|other| {
            let stranger = "00000000000000000000000000000000".to_owned();
            other.identity = Some(stranger.try_into().unwrap());
        }),
        another(|other| other.role = SPECTATOR),
        another(|other| other.bot = true),
    ] {
        assert_eq!(log.race.connected_seat_of(&other), None, "{other:?}");
    }
    // A member who is away needs no word of the shell's.
    log.is_lost(2);
    assert_eq!(log.race.connected_seat_of(&ben), None);
}

#[test]
fn a_seat_that_the_shell_hands_over_while_its_connection_stands_stays_the_host_s() {
    let mut log = Log::new();
    enters(&mut log, 1, "Anna", false, PLAYER);
    log.joins(2, PLAYER);
    log.does(Event::Return { by: id(1), identity: key_of_all(), next: token(1, 9) });
    assert!(matches!(log.sent(1)[..], [ServerMessage::Joined { .. }]));
    assert!(log.sent(2).is_empty(), "no member was gone");
    assert_eq!(log.host(), Some(1));
    assert!(!log.race.may_resume(id(1), &token(1, 0)));
    assert!(log.race.may_resume(id(1), &token(1, 9)));
}

#[test]
fn members_that_share_a_key_are_told_apart_by_their_names() {
    let mut log = Log::new();
    for (number, name) in [(1, "Anna"), (2, "Ben"), (3, "Carl")] {
        enters(&mut log, number, name, false, PLAYER);
    }
    log.is_lost(2);
    assert_eq!(enters(&mut log, 4, "Dora", false, PLAYER), None);
    log.is_lost(3);
    assert_eq!(enters(&mut log, 5, "carl", false, PLAYER), Some(3));
    assert_eq!(enters(&mut log, 6, "Ben", false, PLAYER), Some(2));
}

#[test]
fn a_bot_takes_up_the_seat_of_its_own_name_alone() {
    let mut log = Log::new();
    enters(&mut log, 1, "steady-1", true, PLAYER);
    log.is_lost(1);
    assert_eq!(enters(&mut log, 2, "steady-2", true, PLAYER), None);
    assert_eq!(enters(&mut log, 3, "steady-1", true, PLAYER), Some(1));
}

#[test]
fn a_spectator_takes_no_player_s_seat() {
    let mut log = ben_away();
    assert_eq!(enters(&mut log, 3, "Ben's wall", false, SPECTATOR), None);
    assert!(log.member(3).is_some() && !log.row(2).connected);
    // A latecomer has a seat in the next heat, and comes back for that.
    assert_eq!(enters(&mut log, 4, "Late", false, PLAYER), None);
    log.is_lost(4);
    assert_eq!(enters(&mut log, 5, "Late", false, PLAYER), Some(4));
}

#[test]
fn the_host_s_powers_return_with_its_key() {
    let mut log = Log::new();
    enters(&mut log, 1, "Anna", false, PLAYER);
    log.joins(2, PLAYER);
    log.is_lost(1);
    assert_eq!(log.host(), Some(2));
    assert_eq!(log.race.waits_for(key_of_all()), Some(true));
    enters(&mut log, 3, "Anna", false, PLAYER);
    assert_eq!(log.host(), Some(1));
    assert_eq!(log.race.waits_for(key_of_all()), None);
}

#[test]
fn after_the_grace_a_key_takes_up_nothing() {
    let mut log = Log::with(|options| options.grace_seconds = 10);
    log.joins(1, PLAYER);
    enters(&mut log, 2, "Ben", false, PLAYER);
    log.go();
    log.is_lost(2);
    log.at(13_000);
    assert_eq!(enters(&mut log, 3, "Benjamin", false, PLAYER), None);
    assert!(log.member(3).is_some());
}
