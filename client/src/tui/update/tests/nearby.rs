//! Rooms on the local network: listed on the home screen, and joined from there.

use super::*;
use crate::net::nearby::{NearbyEntry, NearbyOffer};
use crate::tui::model::HomeChoice;
use crate::tui::model::Purpose;
use gridrace_shared::protocol::tournament::TournamentPhase;

fn room(code: &str, host: u8) -> NearbyEntry {
    let (code, spec) = (code.parse().unwrap(), "slide:4x4".parse().unwrap());
    let offer = NearbyOffer::Room { code, spec, phase: RoomPhase::Lobby };
    NearbyEntry { offer, address: format!("192.168.1.{host}").parse().unwrap() }
}

fn chosen(model: &Model) -> usize {
    let Screen::Home(home) = &model.screen else { panic!("{:?}", model.screen) };
    home.chosen
}

#[test]
fn a_room_nearby_is_joined_from_the_home_screen() {
    let mut model = fx::model();
    assert!(model.looks_nearby());
    tell(&mut model, Event::Nearby(vec![room("BCDF", 5), room("KQZT", 6)]));
    key(&mut model, KeyCode::Up);
    let effects = key(&mut model, KeyCode::Enter);
    assert!(effects.contains(&Effect::Connect { address: "192.168.1.6:7415".to_owned() }));
    let goal = model.connection.goal.as_ref().unwrap();
    let intent = Intent::Join { code: "KQZT".parse().unwrap(), role: Role::Player };
    assert_eq!(goal.intent, intent);
    // Elsewhere nothing is looked for.
    assert!(!model.looks_nearby());
}

#[test]
fn a_tournament_nearby_is_opened_from_the_home_screen() {
    let mut model = fx::model();
    let name = "friday".parse().unwrap();
    let offer = NearbyOffer::Tournament { name, phase: TournamentPhase::Entries };
    let entry = NearbyEntry { offer, address: "192.168.1.7".parse().unwrap() };
    tell(&mut model, Event::Nearby(vec![entry]));
    key(&mut model, KeyCode::Up);
    let effects = key(&mut model, KeyCode::Enter);
    assert!(effects.contains(&Effect::Connect { address: "192.168.1.7:7415".to_owned() }));
    let form = model.join_form().unwrap();
    assert_eq!(
        (&form.purpose, form.form.value(1)),
        (&Purpose::Tournament { entry: None }, "friday")
    );
}

#[test]
fn the_cursor_stays_at_its_room_while_others_come_and_go() {
    let first = HomeChoice::ALL.len();
    let mut model = fx::model();
    tell(&mut model, Event::Nearby(vec![room("KQZT", 6)]));
    key(&mut model, KeyCode::Up);
    assert_eq!(chosen(&model), first);
    tell(&mut model, Event::Nearby(vec![room("BCDF", 5), room("KQZT", 6)]));
    assert_eq!(chosen(&model), first + 1);
    tell(&mut model, Event::Nearby(vec![room("BCDF", 5)]));
    assert_eq!(chosen(&model), first);
    tell(&mut model, Event::Nearby(Vec::new()));
    assert_eq!(chosen(&model), 0);
}

#[test]
fn nothing_is_looked_for_where_the_player_wants_none() {
    let mut model = fx::model();
    model.settings.mdns = false;
    assert!(!model.looks_nearby());
}

#[test]
fn links_lead_to_each_address_that_others_reach() {
    let mut model = fx::in_heat("slide:4x4", Role::Player, Phase::Lobby);
    let code = model.shown_heat().unwrap().code;
    model.invitation = vec!["192.168.1.5".to_owned(), "[2001:db8::5]:7415".to_owned()];
    let links =
        [format!("http://192.168.1.5:7415/{code}"), format!("http://[2001:db8::5]:7415/{code}")];
    assert_eq!(model.links(), links);
    letter(&mut model, 'i');
    key(&mut model, KeyCode::Tab);
    assert_eq!(letter(&mut model, 'c'), [Effect::Copy(links[1].clone())]);
    key(&mut model, KeyCode::Esc);
    assert!(model.overlay.is_none());

    model.invitation.clear();
    for (address, link) in [
        ("wss://race.example", Some(format!("https://race.example/{code}"))),
        ("10.0.0.7:80", Some(format!("http://10.0.0.7:80/{code}"))),
        ("127.0.0.1:7415", None),
        ("localhost:7415", None),
    ] {
        model.connection.goal.as_mut().unwrap().address = address.to_owned();
        assert_eq!(model.links(), Vec::from_iter(link), "{address}");
    }
}
