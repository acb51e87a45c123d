//! A tournament by the documentation: a server, an organiser, and three people.

use super::tmux::Terminal;
use std::path::Path;

const SIZE: (u16, u16) = (80, 24);

/// A person with a key and a terminal.
fn person(folder: &Path, name: &str, number: u32, command: &str) -> Terminal {
    let key = folder.join(format!("{name}.key"));
    let arguments = format!("{command} --name {name} --identity {}", key.display());
    Terminal::run(&format!("cup-{name}-{number}"), SIZE, &arguments)
}

/// Gives up the board that is raced, which ranks by progress.
fn give_up(player: &Terminal) {
    player.see(" of 10:00");
    player.type_key("g");
    player.see("Give up");
    player.type_key("y");
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn three_people_and_an_organiser_play_a_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let server = Terminal::run_server(
        "cup-server",
        &format!(
            "--listen 127.0.0.1:0 --metrics off --data {}",
            folder.path().join("data").display()
        ),
    );
    let screen = server.see("listening on ");
    let after = screen.split("listening on ").nth(1).unwrap();
    let address = after.split_whitespace().next().unwrap().trim_end_matches(['/', ',']).to_owned();
    let organiser_key = folder.path().join("Olga.key");
    let new = Terminal::run(
        "cup-new",
        SIZE,
        &format!(
            "tournament new cup@{address} --plan series:2 --puzzle slide:3x3 --break 15 \
             --identity {}",
            organiser_key.display()
        ),
    );
    new.see("open for entries");

    let olga = person(folder.path(), "Olga", 1, &format!("tournament watch cup {address}"));
    olga.see("You are the organiser");
    let enter = format!("tournament enter cup {address}");
    let names = ["Anna", "Ben", "Cleo"];
    let people = names.map(|name| person(folder.path(), name, 1, &enter));
    for (person, name) in people.iter().zip(names) {
        person.see("You have entered");
        olga.see(name);
    }
    olga.see("3 players, 3 here");

    // By key: the command's line comes, and Enter gives it.
    olga.type_key("m");
    olga.see("draw the first round");
    olga.type_key("b");
    olga.see("enter do it");
    olga.type_key("Enter");
    let [anna, ben, cleo] = people;
    for person in [&anna, &ben, &cleo] {
        person.see("You meet ");
    }
    olga.see("GO in ");
    // Cleo's client crashes before GO; the same command leads back to the seat.
    cleo.type_key("C-c");
    cleo.see("ended with");
    let cleo = person(folder.path(), "Cleo", 2, &enter);
    for person in [&anna, &ben, &cleo] {
        give_up(person);
    }
    // Results, then the tournament's screen by itself, then the next board.
    for person in [&anna, &ben, &cleo] {
        person.see("board 2 of 2");
    }
    for person in [&anna, &ben, &cleo] {
        give_up(person);
    }
    for person in [&anna, &ben, &cleo, &olga] {
        person.see("The tournament is over.");
        person.see("Standings");
    }
    olga.type_key("5");
    anna.type_key("q");
    anna.see("Leave the tournament?");
    anna.type_key("y");
    anna.see("Play now");
}
