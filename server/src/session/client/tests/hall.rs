//! A hall of players of a tournament, all behind one address.

use super::*;
use crate::hub::NewTable;
use crate::race::{ReservedSeat, TableConfig};
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::identity::{Fingerprint, Key};
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey};

/// Players of the hall: more than connections of one address, more than it may try codes.
const PLAYERS: u32 = 520;

fn key(player: u32) -> Key {
    let mut bytes = [7; 32];
    bytes[..4].copy_from_slice(&player.to_le_bytes());
    Key::from_bytes(bytes)
}

fn fingerprint(player: u32) -> Fingerprint {
    key(player).public().fingerprint(false)
}

fn table(number: u16) -> NewTable {
    let seat = |player: u32| ReservedSeat {
        entrant: EntrantId(player),
        key: fingerprint(player),
        name: format!("Player {player}").parse().unwrap(),
        bot: false,
    };
    let first = u32::from(number) * 2;
    let round = RoundKey { stage: 0, round: 0 };
    let table = TableConfig {
        tournament: "hall".parse().unwrap(),
        board: ResultKey { round, table: number, board: 0, attempt: 0 },
        seats: (first..first + 2).map(seat).collect(),
    };
    NewTable {
        table,
        options: HeatOptions::new("slide:3x3".parse().unwrap()),
        secret: Environment::default()
            .rng
            .secret_of("hall".parse().unwrap(), SeedOrigin::Drawn)
            .into(),
        pin: None,
    }
}

#[tokio::test(start_paused = true)]
async fn one_connection_of_an_entrant_gives_back_one_arrival() {
    let state = server();
    state.hub.entrant_keys().add(fingerprint(1));
    let (mut client, _served) = connect_to(&state, PIPE_BYTES).await;
    let ServerMessage::Welcome { challenge, .. } = client.hello().await else { panic!() };
    let admit = || state.admission.admit(ADDRESS, state.clock.now()).is_ok();
    while admit() {}
    for _ in 0..3 {
        let proof = key(1).prove(challenge, "10.0.0.1", false);
        client.send(&ClientMessage::Identify(proof)).await;
    }
    client.send(&ClientMessage::Rooms).await;
    assert!(matches!(client.receive().await, ServerMessage::Rooms(_)));
    assert!(admit() && !admit());
}

#[tokio::test(start_paused = true)]
async fn a_hall_behind_one_address_gets_in_and_takes_its_seats() {
    let state = server();
    (0..PLAYERS).for_each(|player| state.hub.entrant_keys().add(fingerprint(player)));
    let tables: Vec<_> =
        (0..PLAYERS as u16 / 2).map(|n| state.hub.open_table(table(n)).unwrap()).collect();
    let mut hall = Vec::new();
    for player in 0..PLAYERS {
        let (mut client, served) = connect_to(&state, PIPE_BYTES).await;
        let ServerMessage::Welcome { challenge, .. } = client.hello().await else { panic!() };
        let proof = key(player).prove(challenge, "10.0.0.1", false);
        client.send(&ClientMessage::Identify(proof)).await;
        let code = tables[player as usize / 2].code();
        client.send_join(code, "Anyone", Role::Player).await;
        let joined = client.receive().await;
        let ServerMessage::Joined { you, room } = joined else { panic!("{player}: {joined:?}") };
        let own = room.roster.members.iter().find(|member| member.id == you).unwrap();
        assert_eq!(own.name.as_str(), format!("Player {player}"));
        hall.push((client, served));
    }
    assert!(tables.iter().all(|table| table.members() == 2));
    assert_eq!(state.admission.connection_count(), PLAYERS as usize);
}
