//! Robustness: every size, clicks anywhere, and hostile text from a server.

use super::*;

const HOSTILE: &str = "\u{1b}]0;x\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\u{200b}\u{feff}evil";

#[test]
fn any_size_can_be_drawn() {
    let mut models = vec![
        fx::model(),
        lobby(Role::Player),
        fx::racing("slide:4x4"),
        fx::racing("slide:16x16"),
        fx::watching("slide:16x16"),
        fx::racing("link:7x7"),
        fx::racing("link:20x20"),
        fx::watching("link:20x20"),
        fx::over("slide:4x4"),
    ];
    for model in &mut models {
        for width in [1, 5, 39, 40, 41, 57, 60, 79, 80, 120, 250] {
            for height in [1, 2, 11, 12, 13, 17, 20, 24, 50, 100] {
                for overlay in [None, Some(Overlay::Help), Some(Overlay::Bots)] {
                    model.overlay = overlay;
                    buffer(model, (width, height));
                }
            }
        }
    }
}

#[test]
fn a_click_hits_the_tile_that_is_drawn_there() {
    for size in [LARGE, SMALL, (120, 50)] {
        let mut model = fx::racing("slide:4x4");
        let text = shown(&mut model, size);
        for (y, line) in text.lines().enumerate() {
            for tile in 10..=15u16 {
                let Some(at) = line.find(&tile.to_string()) else {
                    continue;
                };
                let x = line[..at].chars().count();
                let Some(hit) = cell_at(&model, x as u16, y as u16) else {
                    continue;
                };
                let Board::Slide(board) = fx::start("slide:4x4") else { unreachable!() };
                assert_eq!(board.tile(hit), tile, "{size:?}");
            }
        }
    }
}

#[test]
fn nothing_hostile_reaches_the_screen() {
    let mut screens = Vec::new();
    let mut choose = fx::model();
    let form = JoinForm::new("192.168.1.5", None, "Anna", Role::Player);
    choose.connection.server = HOSTILE.to_owned();
    let role = Role::Player;
    choose.screen = Screen::Choose(Choose { rooms: Vec::new(), chosen: 0, role, form });
    screens.push(choose);
    let mut waiting = fx::model();
    waiting.screen = Screen::Waiting("Opening a room");
    let intent = Intent::List { role: Role::Player };
    let (address, name) = (HOSTILE.to_owned(), HOSTILE.to_owned());
    waiting.connection.goal = Some(Goal { address, name, variant: 1, intent, pin: None });
    screens.push(waiting);
    for mut model in [
        lobby(Role::Player),
        fx::racing("slide:4x4"),
        fx::watching("slide:4x4"),
        fx::over("slide:4x4"),
    ] {
        let Screen::Heat(heat) = &mut model.screen else { unreachable!() };
        heat.names.values_mut().for_each(|tag| tag.name = HOSTILE.to_owned());
        model.invitation = vec![HOSTILE.to_owned(), HOSTILE.to_owned()];
        screens.push(model.clone());
        model.complain(HOSTILE);
        screens.push(model.clone());
        model.overlay = Some(Overlay::Confirm(Question::Kick(fx::ZOE)));
        screens.push(model);
    }
    for mut model in screens {
        for size in [LARGE, SMALL] {
            for cell in &buffer(&mut model, size).content {
                assert!(cell.symbol().chars().all(is_displayable), "{:?}", cell.symbol());
            }
        }
    }
}

#[test]
fn a_long_roster_scrolls_with_the_cursor() {
    let mut model = lobby(Role::Player);
    let members =
        (1..=40).map(|n| fx::member(PlayerId(n), &format!("player {n}"), PlayerKind::Human));
    let roster = Roster { host: Some(fx::ME), members: members.collect() };
    fx::hear(&mut model, ServerMessage::Roster(roster));
    press(&mut model, KeyCode::Up);
    assert!(shown(&mut model, LARGE).contains("player 40"));
    assert!(!shown(&mut model, LARGE).contains("player 2 "));
}

#[test]
fn the_largest_numbers_can_be_drawn() {
    let most = Millis(u64::MAX);
    let mut standings = fx::standings();
    for row in &mut standings.rows {
        row.place = u16::MAX;
        row.progress = u16::MAX;
        row.moves = MoveCount { moves: u32::MAX, acts: u32::MAX };
        row.hints = u16::MAX;
        row.penalty = most;
    }
    standings.rows[0].state = RaceState::Finished { time: most };
    let start = fx::start("slide:4x4");
    let phases = [
        Phase::Countdown { go: HeatInstant(most.0) },
        Phase::Running { go: HeatInstant(most.0), ends: HeatInstant(0), start: start.clone() },
        Phase::Over(HeatResult {
            standings: standings.rows.clone(),
            start,
            reveal: fx::secret(),
            best: Some(MoveBounds::of(0, 0)),
        }),
    ];
    for phase in phases {
        for role in [Role::Player, Role::Spectator] {
            let mut model = fx::in_heat("slide:4x4", role, phase.clone());
            fx::hear(&mut model, ServerMessage::Standings(standings.clone()));
            for size in [LARGE, SMALL, (250, 100)] {
                buffer(&mut model, size);
            }
        }
    }
}
