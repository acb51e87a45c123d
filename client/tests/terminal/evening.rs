//! An evening on a standing server: an operator, a host on it, and four people.

use super::tmux::{Terminal, key};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::puzzle::slide::SlideSpec;
use gridrace_shared::puzzle::slide::solve::constructive;
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::Direction;
use std::fs;
use std::path::Path;

const SIZE: (u16, u16) = (80, 24);
/// The puzzle and the seed of the first heat: the board is known, and soon solved.
const PUZZLE: &str = "3x3";
const SEED: &str = "evening";

/// How many people there are: the cursor goes down at most that often to one of them.
const MEMBERS: usize = 6;

/// A person with a key and a terminal.
fn person(folder: &Path, name: &str, command: &str) -> Terminal {
    let key = folder.join(format!("{name}.key"));
    let arguments = format!("{command} --name {name} --identity {}", key.display());
    Terminal::run(&format!("evening-{name}"), SIZE, &arguments)
}

/// Opens the host's menu and chooses from it.
fn choose(terminal: &Terminal, action: &str) {
    terminal.type_key("m");
    terminal.see("Announce a line");
    terminal.type_key(action);
}

/// Does something to the member of a name, by the host's menu.
fn choose_member(terminal: &Terminal, action: &str, name: &str) {
    choose(terminal, action);
    terminal.wait_until("the members", |screen| {
        screen.contains("│ ▸ ") && !screen.contains("Announce a line")
    });
    // The member under the cursor of the box.
    let chosen = |screen: &str| {
        let (_, after) = screen.split_once("│ ▸ ")?;
        after.split_whitespace().next().map(ToOwned::to_owned)
    };
    for _ in 0..MEMBERS {
        let before = chosen(&terminal.screen());
        if before.as_deref() == Some(name) {
            break;
        }
        terminal.type_key("Down");
        terminal.wait_until("the cursor elsewhere", |screen| chosen(screen) != before);
    }
    terminal.see(&format!("│ ▸ {name}"));
    terminal.type_key("Enter");
    terminal.see("y yes");
    terminal.type_key("y");
}

fn solution() -> Vec<Direction> {
    let size: SlideSpec = PUZZLE.parse().expect("a size");
    let board = size.board(&SEED.parse().expect("a seed"));
    constructive(&board, Budget(1_000)).expect("a solution").moves().to_vec()
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn an_evening_on_a_standing_server() {
    let folder = tempfile::tempdir().unwrap();
    let operator_key = Key::from_bytes([7; 32]);
    let hex: String = [7_u8; 32].iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(folder.path().join("Olga.key"), format!("{hex}\n")).unwrap();
    let fingerprint = operator_key.public().fingerprint(false);
    let server = Terminal::run_server(
        "evening-server",
        &format!(
            "--listen 127.0.0.1:0 --metrics off --data {} --operator {fingerprint} \
             --room slide:{PUZZLE} --seed {SEED}",
            folder.path().join("data").display()
        ),
    );
    let screen = server.see("listening on ");
    let after = screen.split("listening on ").nth(1).unwrap();
    let address = after.split_whitespace().next().unwrap().trim_end_matches(['/', ',']).to_owned();

    // The operator watches; the first who comes to the room isn't its master against that will.
    let olga = person(folder.path(), "Olga", &format!("watch {address}"));
    olga.see("host operator you");
    let hanna = person(folder.path(), "Hanna", &format!("join {address}"));
    hanna.see("not ready");
    choose_member(&olga, "g", "Hanna");
    hanna.see("You are the host now.");
    let names = ["Anna", "Ben", "Cleo", "Dan"];
    let people = names.map(|name| person(folder.path(), name, &format!("join {address}")));
    let [anna, ben, cleo, dan] = &people;
    hanna.see("5 players, 1 watching");

    // The first heat: the host watches, and decides when it begins.
    hanna.type_key("t");
    hanna.see("4 players, 2 watching");
    for person in &people {
        person.type_key("Enter");
    }
    anna.see("Hanna starts the heat");
    choose(&hanna, "a");
    hanna.type_text("Good luck");
    hanna.type_key("Enter");
    dan.see("Hanna: Good luck");
    choose(&hanna, "s");
    for person in &people {
        person.see("0 moves");
    }
    let solve = |person: &Terminal| {
        for direction in solution() {
            person.type_key(key(direction));
        }
    };
    // The first to finish watches the others, and goes back.
    solve(anna);
    anna.see("v watch the others");
    anna.type_key("v");
    anna.see("v own board");
    anna.type_key("v");
    anna.see("v watch the others");
    for person in [ben, cleo, dan] {
        solve(person);
    }
    for person in &people {
        person.see("Fair:");
    }
    dan.see("4th of 4");

    // All want a rematch, but the start is held. The host hands over, and the next one begins the
    // heat and bans a player in the middle of it.
    choose(&hanna, "h");
    anna.see("start held by Hanna");
    for person in &people {
        person.type_key("r");
    }
    ben.see("start held by Hanna");
    ben.see("join with");
    choose_member(&hanna, "g", "Anna");
    anna.see("You are the host now.");
    choose(anna, "s");
    for person in &people {
        person.see("0 moves");
    }
    choose_member(anna, "b", "Dan");
    dan.see("banned");
    dan.see("Play now");
    // Keys that were meant for the board do nothing here, until the reason could be read.
    dan.wait_until("the reason taken away by a key", |screen| {
        dan.type_key("Up");
        !screen.contains("banned")
    });
    dan.type_key("j");
    dan.see("join a room");
    dan.type_key("Enter");
    dan.see("You are banned");
    for person in [anna, ben, cleo] {
        person.type_key("g");
        person.see("Give up");
        person.type_key("y");
    }
    for person in [anna, ben, cleo, &olga] {
        person.see("Fair:");
    }

    // The third heat ends early, by the operator, who has the host's powers as well.
    // The host's wish for a rematch takes all to the lobby, where only the host is ready yet.
    ben.type_key("r");
    ben.see("1 of 3 wants a rematch");
    anna.type_key("r");
    for person in [anna, ben, cleo, &olga] {
        person.see("join with");
    }
    anna.wait_until("a host who is ready", |screen| {
        screen.lines().any(|line| line.contains("Anna host you") && line.contains("✓ ready"))
    });
    anna.see("not ready");
    choose(anna, "s");
    for person in [anna, ben, cleo] {
        person.see("0 moves");
    }
    olga.see(" of 10:00");
    choose(&olga, "e");
    olga.see("End the heat");
    olga.type_key("y");
    for person in [anna, ben, cleo] {
        person.see("Fair:");
        // Results are left without a question.
        person.type_key("q");
        person.see("Play now");
    }
}
