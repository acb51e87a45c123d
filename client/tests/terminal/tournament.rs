//! An evening by the documentation: an organiser gives the commands of docs/tournaments.md, and three
//! people enter and race to the champion.

use super::tmux::{Terminal, key};
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::solve::constructive;
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::Size;
use std::fs;
use std::path::Path;

const SIZE: (u16, u16) = (80, 24);
/// Where the commands stand, their heading, and what stands there in place of the server's address.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/tournaments.md");
const HEADING: &str = "## An evening for 12 friends";
const ADDRESS: &str = "192.168.1.5";
/// The boards of the documented plan, and the side of each.
const BOARDS: u32 = 5;
const SIDE: usize = 4;
/// Columns of a tile at this size.
const PITCH: usize = 7;

/// Returns the five commands of an evening as the documentation has them, without the program's name.
fn documented() -> [String; 5] {
    let document = fs::read_to_string(DOCUMENT).expect("the documentation");
    let section = document.split_once(HEADING).expect("the section about an evening").1;
    let block = section.split_once("```sh\n").expect("its commands").1;
    let block = block.split_once("```").expect("the end of the commands").0;
    let command = |line: &str| {
        let command = line.split('#').next().unwrap_or_default().trim();
        command.strip_prefix("gridrace ").expect("a command of gridrace").to_owned()
    };
    let commands: Vec<String> = block.lines().map(command).collect();
    commands.try_into().expect("five commands")
}

/// Puts `new` in place of `old`, which must be there.
fn replaced(command: &str, old: &str, new: &str) -> String {
    assert!(command.contains(old), "no {old}: {command}");
    command.replacen(old, new, 1)
}

/// The organiser and three people, each with a key.
struct Evening<'a> {
    folder: &'a Path,
}

impl Evening<'_> {
    /// Runs a command in a terminal of its own, with a person's key.
    fn run(&self, terminal: &str, name: &str, command: &str) -> Terminal {
        let key = self.folder.join(format!("{name}.key"));
        let arguments = format!("{command} --identity {}", key.display());
        Terminal::run(&format!("cup-{terminal}"), SIZE, &arguments)
    }

    /// Runs a command of the organiser that ends, and returns what it printed.
    fn printed(&self, number: u32, command: &str) -> String {
        let terminal = self.run(&format!("command-{number}"), "Olga", command);
        terminal.see("ended with 0")
    }
}

/// Reads the board from the screen, as the player does.
fn board(screen: &str) -> Option<Board> {
    let size = Size::new(SIDE, SIDE).ok()?;
    let mut rows = Vec::new();
    for line in screen.lines() {
        let letters: Vec<char> = line.chars().take(PITCH * SIDE + 3).collect();
        let mut row = vec![0; SIDE];
        let mut seen = 0;
        for (end, two) in letters.windows(2).enumerate() {
            let [last, after] = two else { return None };
            if !last.is_ascii_digit() || after.is_ascii_digit() {
                continue;
            }
            let number: String = letters[end.saturating_sub(1)..=end].iter().collect();
            *row.get_mut(end.checked_sub(PITCH - 1)? / PITCH)? = number.trim().parse().ok()?;
            seen += 1;
        }
        if seen + 1 >= SIDE {
            rows.extend(row);
        }
    }
    Board::from_tiles(size, rows).ok()
}

/// Solves the board that is raced, and waits for each move to show: a program that types ahead of the
/// server for too long is refused further moves.
fn solve(player: &Terminal) {
    let screen = player.wait_until("the board", |screen| board(screen).is_some());
    let mut shown = board(&screen);
    let solution = constructive(shown.as_ref().expect("the board"), Budget(10_000));
    let solution = solution.expect("a solution").moves().to_vec();
    let (last, before) = solution.split_last().expect("a board to solve");
    for direction in before {
        let earlier = shown.take();
        player.type_key(key(*direction));
        let screen = player.wait_until("the move", |screen| {
            let board = board(screen);
            board.is_some() && board != earlier
        });
        shown = board(&screen);
    }
    player.type_key(key(*last));
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
fn three_people_and_an_organiser_play_an_evening_by_the_documentation() {
    let [host, enter, begin, announce, export] = documented();
    let folder = tempfile::tempdir().unwrap();
    let evening = Evening { folder: folder.path() };

    // 1: the server, the tournament, and the screen, which shows the address.
    let olga = evening.run("Olga", "Olga", &format!("{host} --name Olga --listen 0.0.0.0:0"));
    let shown = olga.see("tournament enter friday ");
    let address = shown.split("tournament enter friday ").nth(1).unwrap_or_default();
    let address = address.split_whitespace().next().unwrap_or_default();
    let port = address.rsplit(':').next().unwrap_or_default();
    // Without an address the commands mean the usual port of this machine.
    let here = format!("friday@127.0.0.1:{port}");

    // 2: each player.
    let enter = replaced(&enter, ADDRESS, address);
    let person = |name: &str, terminal: &str| {
        evening.run(terminal, name, &replaced(&enter, "--name Anna", &format!("--name {name}")))
    };
    let names = ["Anna", "Ben", "Cleo"];
    let [anna, ben, cleo] = names.map(|name| {
        let person = person(name, name);
        person.see("You have entered");
        olga.see(name);
        person
    });
    olga.see("3 players, 3 here");

    // 3: all are in.
    let done = evening.printed(3, &replaced(&begin, "friday", &here));
    assert!(done.contains("done: begin"), "{done}");
    for person in [&anna, &ben, &cleo] {
        person.see("You meet ");
        person.see("GO in ");
    }
    olga.see("GO in ");

    // 4: a line to all; and another by key from the screen.
    let done = evening.printed(4, &replaced(&announce, "friday", &here));
    assert!(done.contains("done: announce"), "{done}");
    for screen in [&anna, &ben, &cleo, &olga] {
        screen.see("Pizza after this");
    }
    olga.type_key("m");
    olga.see("send a line to all followers");
    olga.type_key("a");
    olga.see("enter do it");
    olga.type_text("The cake as well");
    olga.type_key("Enter");
    anna.see("The cake as well");

    // Cleo's client crashes before GO; the same command leads back to the seat.
    cleo.type_key("C-c");
    cleo.see("ended with");
    let cleo = person("Cleo", "Cleo-again");
    for number in 1..=BOARDS {
        for person in [&anna, &ben, &cleo] {
            person.see(" of 10:00");
        }
        solve(&anna);
        anna.see("Solved in ");
        if number == 1 {
            solve(&ben);
        } else {
            give_up(&ben);
        }
        give_up(&cleo);
        // The results, then the tournament's screen by itself, then the next board.
        if number < BOARDS {
            for person in [&anna, &ben, &cleo] {
                person.see(&format!("board {} of {BOARDS}", number + 1));
            }
        }
    }
    for screen in [&anna, &ben, &cleo, &olga] {
        screen.see("The tournament is over. Anna has won.");
    }
    cleo.see("You are 3rd of 3.");

    // 5: who won.
    let standings = evening.printed(5, &replaced(&export, "friday", &here));
    let rows: Vec<Vec<&str>> = standings.lines().map(|line| line.split(',').collect()).collect();
    assert!(rows[0].starts_with(&["place", "entrant", "name"]), "{standings}");
    // Three seats: three points for the first place, two for the second, none for a DNF.
    assert_eq!(rows.iter().filter(|row| row.len() > 5).count(), 4, "{standings}");
    for (row, (name, points)) in rows[1..].iter().zip([("Anna", "15"), ("Ben", "2"), ("Cleo", "0")])
    {
        assert!(row[2] == name && row[5] == points, "{standings}");
    }

    anna.type_key("q");
    anna.see("Leave the tournament?");
    anna.type_key("y");
    anna.see("Play now");
}
