//! The program in a real terminal: tmux holds the screen, types, and is asked what it shows.
//!
//! Ignored unless asked for, because they need tmux and everything else needs nothing;
//! `.ci/run` asks. Without tmux they fail.

#![expect(clippy::expect_used, clippy::panic, reason = "what fails here fails a test")]

mod evening;
mod tmux;
mod tournament;
mod tutorial;

use gridrace_shared::puzzle::numberlink::{Rule, solve};
use gridrace_shared::puzzle::slide::SlideSpec;
use gridrace_shared::puzzle::slide::solve::constructive;
use gridrace_shared::puzzle::{Board, PuzzleSpec};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::{Cell, Size};
use std::process::Command;
use tmux::{Terminal, key};

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_heat_is_played_to_its_end_and_the_terminal_given_back() {
    let play = "play --puzzle slide:3x3 --seed terminal --bots steady --countdown 1 --name Anna";
    let terminal = Terminal::run("play", (80, 24), play);
    terminal.see("0 moves");

    let size: SlideSpec = "3x3".parse().unwrap();
    let board = size.board(&"terminal".parse().unwrap());
    let solution = constructive(&board, Budget(1_000)).unwrap();
    for &direction in solution.moves() {
        terminal.type_key(key(direction));
    }
    // The results come when the bot is home too: it is slower than keys, and no beginner,
    // who would take longer than this test waits.
    let results = terminal.see("Fair:");
    let anna = results.lines().find(|line| line.trim_start().starts_with("1  Anna"));
    let anna = anna.unwrap_or_else(|| panic!("Anna isn't the first:\n{results}"));
    let moves = format!("{}/", solution.moves().len());
    assert!(anna.contains(&moves), "{results}");

    // The terminal takes the line to share into its clipboard.
    terminal.tmux(&["set-option", "-s", "set-clipboard", "on"]);
    terminal.type_key("c");
    terminal.see("Your result in one line");
    let copied = terminal.tmux(&["show-buffer"]);
    let wanted = ["slide:3x3#terminal", "1st of 2", &moves.replace('/', " moves")];
    assert!(wanted.iter().all(|wanted| copied.contains(wanted)), "{copied}");
    terminal.type_key("Escape");
    terminal.see("Fair:");

    terminal.type_key("q");
    terminal.wait_until("the question or the home screen", |screen| {
        screen.contains("yes") || screen.contains("Play now")
    });
    terminal.type_key("y");
    terminal.see("Play now");
    terminal.type_key("q");
    terminal.see("ended with 0");
    terminal.is_restored();
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn tiles_show_an_image_of_one_s_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("violet.png");
    image::RgbImage::from_pixel(300, 200, image::Rgb([123, 45, 210])).save(&file).expect("a file");
    let violet = |terminal: &Terminal| {
        terminal.tmux(&["capture-pane", "-p", "-e"]).contains("8;2;123;45;210")
    };
    let play = "play --puzzle slide:3x3 --bots none --countdown 1 --colors true --ascii=false";
    let terminal = Terminal::run("image", (80, 24), &format!("{play} --image {}", file.display()));
    terminal.see("0 moves");
    assert!(violet(&terminal));
    // The same picture on each tile, so their numbers tell them apart.
    let numbered = |screen: &str| ('1'..='8').all(|tile| screen.contains(tile));
    terminal.wait_until("numbers", |screen| numbered(screen));
    terminal.type_key("C-c");
    terminal.see("ended with");
    terminal.is_restored();

    std::fs::write(&file, "no image").expect("a file");
    let terminal =
        Terminal::run("image-2", (80, 24), &format!("{play} --image {}", file.display()));
    let screen = terminal.see("ended with 1");
    assert!(
        screen.replace('\n', "").contains("violet.png is no image in a known format"),
        "{screen}"
    );
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn nothing_of_another_program_stays_on_the_screen() {
    let text = "what was here before";
    let terminal = Terminal::run_on_remains("remains", text, "");
    let screen = terminal.see("Play now");
    assert!(!screen.contains(text), "{screen}");
    terminal.write_from_elsewhere(text);
    terminal.see(text);
    terminal.type_key("C-l");
    terminal.wait_until("a clean screen", |screen| !screen.contains(text));
    terminal.type_key("C-c");
    terminal.see("ended with");
    terminal.is_restored();
}

/// Returns the keys that go from a cell to another, by way of rows first.
fn way(size: Size, from: Cell, to: Cell) -> Vec<&'static str> {
    let (rows, columns) =
        (size.row_of(to).abs_diff(size.row_of(from)), size.col_of(to).abs_diff(size.col_of(from)));
    let (down, right) = (size.row_of(to) > size.row_of(from), size.col_of(to) > size.col_of(from));
    let mut keys = vec![if down { "Down" } else { "Up" }; rows];
    keys.extend(vec![if right { "Right" } else { "Left" }; columns]);
    keys
}

/// Lines and columns from one cell to the next of a board of five by five at 80×24.
const PITCH: [usize; 2] = [3, 6];

/// Returns the column and line of the first A that stands alone within a board's frame.
fn place_of_first(screen: &str) -> Option<(usize, usize)> {
    for (y, line) in screen.lines().enumerate() {
        let letters: Vec<char> = line.chars().collect();
        let mut frame = letters.iter().enumerate().filter(|&(_, &letter)| letter == '│');
        let (Some((left, _)), Some((right, _))) = (frame.next(), frame.next()) else {
            continue;
        };
        let alone = |&x: &usize| letters[x - 1..=x + 1] == [' ', 'A', ' '];
        if let Some(x) = (left + 1..right).find(alone) {
            return Some((x, y));
        }
    }
    None
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_heat_of_links_is_drawn_to_its_end() {
    let play = "play --puzzle link:5x5 --seed terminal --bots steady --countdown 1 --name Anna";
    let terminal = Terminal::run("links", (80, 24), play);
    terminal.see("0 moves");

    let spec: PuzzleSpec = "link:5x5".parse().unwrap();
    let Board::Link(drawing) = spec.board(&"terminal".parse().unwrap()) else {
        panic!("no drawing");
    };
    let puzzle = drawing.puzzle();
    let found = solve::first(puzzle, Rule::Full, Budget(1_000_000));
    let links = found.solution.expect("a heat's board has a solution").0;
    // The first link with the mouse, cell by cell.
    let first = &links[0];
    // The screen may be drawn in part when the moves are seen.
    let screen = terminal.wait_until("an A", |screen| place_of_first(screen).is_some());
    let at = place_of_first(&screen).unwrap();
    let place = |cell: Cell| {
        let (row, column) = (puzzle.size().row_of(cell), puzzle.size().col_of(cell));
        let from = (puzzle.size().row_of(first[0]), puzzle.size().col_of(first[0]));
        let [down, right] = PITCH;
        (at.0 + right * column - right * from.1, at.1 + down * row - down * from.0)
    };
    terminal.mouse(0, place(first[0]), 'M');
    for &cell in &first[1..] {
        terminal.mouse(32, place(cell), 'M');
    }
    let last = first[first.len() - 1];
    terminal.mouse(0, place(last), 'm');
    terminal.see(&format!("1/{} links", links.len()));
    let mut cursor = last;
    for link in &links[1..] {
        for key in way(puzzle.size(), cursor, link[0]) {
            terminal.type_key(key);
        }
        terminal.type_key("Space");
        // The pen comes up by itself at the other terminal.
        for two in link.windows(2) {
            for key in way(puzzle.size(), two[0], two[1]) {
                terminal.type_key(key);
            }
        }
        cursor = link[link.len() - 1];
    }
    let results = terminal.see("Fair:");
    terminal.type_key("f");
    terminal.see("link:5x5#terminal");
    terminal.type_key("Escape");
    terminal.see("Fair:");
    let anna = results.lines().find(|line| line.trim_start().starts_with("1  Anna"));
    let anna = anna.unwrap_or_else(|| panic!("Anna isn't the first:\n{results}"));
    assert!(!anna.contains("DNF"), "{results}");
    // One stroke a link is a perfect race.
    let moves = format!("{0}/{0}", links.len());
    assert!(anna.contains(&moves), "{results}");
    terminal.type_key("C-c");
    terminal.see("ended with");
    terminal.is_restored();
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn the_screen_survives_any_size() {
    let play = "play --puzzle slide:4x4 --bots beginner --countdown 1";
    let terminal = Terminal::run("resize", (80, 24), play);
    terminal.see("0 moves");
    for (cols, rows, sign) in [
        ("40", "12", "0 moves"),
        ("20", "6", "40"),
        ("1", "1", ""),
        ("200", "60", "0 moves"),
        ("80", "24", "0 moves"),
    ] {
        terminal.tmux(&["resize-window", "-x", cols, "-y", rows]);
        terminal.see(sign);
    }
    terminal.type_key("C-c");
    terminal.see("ended with");
    terminal.is_restored();
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_program_that_was_stopped_works_by_the_size_of_its_terminal() {
    let terminal = Terminal::run_in_shell("stopped", (20, 6), "");
    terminal.see("40");
    terminal.type_key("C-z");
    terminal.is_restored();
    terminal.tmux(&["resize-window", "-x", "80", "-y", "24"]);
    terminal.type_text("fg");
    terminal.type_key("Enter");
    terminal.see("Play now");
    // By the size of before, no key would do anything.
    terminal.type_key("j");
    terminal.see("empty: this machine");
    terminal.type_key("C-c");
    terminal.is_restored();
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_program_that_no_shell_would_call_up_again_does_not_stop() {
    let terminal = Terminal::run("without-shell", (80, 24), "");
    terminal.see("Play now");
    terminal.type_key("C-z");
    terminal.type_key("j");
    terminal.see("empty: this machine");
    terminal.type_key("C-c");
    terminal.is_restored();
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_program_that_is_stopped_from_elsewhere_gives_the_terminal_to_the_shell() {
    let terminal = Terminal::run_in_shell("stopped-from-elsewhere", (80, 24), "");
    for _ in 0..2 {
        terminal.see("Play now");
        let stopped = Command::new("kill").args(["-TSTP", &terminal.program()]).status().unwrap();
        assert!(stopped.success());
        terminal.is_restored();
        terminal.type_text("stty -a; fg");
        terminal.type_key("Enter");
    }
    terminal.see("Play now");
    terminal.type_key("C-c");
    terminal.is_restored();
    // What the shell was asked meanwhile: the terminal wasn't in raw mode.
    terminal.see(" icanon");
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_program_that_is_told_to_end_gives_the_terminal_back() {
    for signal in ["-TERM", "-HUP", "-INT", "-QUIT"] {
        let terminal = Terminal::run(&format!("signal{signal}"), (80, 24), "");
        terminal.see("Play now");
        let program = terminal.program();
        let killed = Command::new("kill").args([signal, &program]).status().unwrap();
        assert!(killed.success());
        terminal.see("ended with");
        terminal.is_restored();
    }
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_program_whose_terminal_is_closed_ends() {
    // Whether the end of the input or the signal comes first differs from time to time.
    for time in 0..3 {
        let terminal = Terminal::run(&format!("closed{time}"), (80, 24), "");
        terminal.see("Play now");
        let program = terminal.program();
        drop(terminal);
        assert!(tmux::ends(&program), "{program} still runs");
    }
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_race_is_kept_when_its_terminal_is_closed() {
    for time in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let environment = format!("GRIDRACE_RACES={}", folder.path().display());
        let play = "play --puzzle slide:7x7 --bots none --countdown 1 --no-mdns";
        let terminal = Terminal::run_in(&format!("left{time}"), &environment, play);
        terminal.see("0 moves");
        terminal.type_key("Left");
        terminal.type_key("Right");
        // The server has a move once it stands behind the bar in the standings; the panel shows it before.
        terminal.wait_until("an accepted move", |screen| {
            let rows = screen.lines().filter_map(|line| line.rsplit_once('░'));
            let mut moves = rows.filter_map(|(_, row)| row.split_whitespace().next());
            moves.any(|moves| ["1", "2"].contains(&moves))
        });
        let program = terminal.program();
        drop(terminal);
        assert!(tmux::ends(&program), "{program} still runs");
        let index = std::fs::read_to_string(folder.path().join("races.jsonl"));
        let index = index.expect("the race was kept");
        assert!(index.contains("slide:7x7"), "{index}");
    }
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_pasted_text_goes_into_the_line_that_is_filled_in() {
    let terminal = Terminal::run("paste", (80, 24), "");
    terminal.see("Play now");
    // Its letters would quit, its line break would start a race.
    terminal.paste("\nq");
    terminal.type_key("j");
    terminal.see("empty: this machine");
    terminal.paste("10.0.0.7\n");
    terminal.see("10.0.0.7");
    terminal.type_key("Tab");
    let form = terminal.see("empty: list the rooms");
    assert!(form.contains("enter join") && form.contains("10.0.0.7"), "{form}");
    terminal.type_key("C-c");
    terminal.see("ended with");
    terminal.is_restored();
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn two_keys_lead_from_the_shell_to_the_first_move() {
    let terminal = Terminal::run("first", (80, 24), "");
    terminal.see("Play now");
    terminal.type_key("Enter");
    terminal.see("0 moves");
    // Where the blank stands at the right edge Left does nothing, and Right slides: one arrow is
    // enough, whichever it is.
    terminal.type_key("Left");
    terminal.type_key("Right");
    terminal.wait_until("a move", |screen| {
        [" 1 move", " 2 moves"].iter().any(|moves| screen.contains(moves))
    });
    terminal.type_key("C-c");
    terminal.see("ended with");
    terminal.is_restored();
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn the_home_screen_hosts_where_it_was_told_and_no_wider() {
    let folder = tempfile::tempdir().unwrap();
    let environment = format!(
        "GRIDRACE_LISTEN=127.0.0.1:0 GRIDRACE_PIN=4711 GRIDRACE_DATA_DIR={} GRIDRACE_KEY={}",
        folder.path().join("data").display(),
        folder.path().join("key").display()
    );
    let terminal = Terminal::run_in("told", &environment, "");
    terminal.see("Play now");
    terminal.type_key("h");
    terminal.see("4711");
    terminal.type_key("Enter");
    let lobby = terminal.see("join with");
    let command = lobby.split("gridrace join ").nth(1).unwrap_or_default();
    let mut words = command.split_whitespace();
    let (code, address) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    assert!(address.starts_with("127.0.0.1:") && command.contains("--pin 4711"), "{lobby}");
    // The folder keeps the room, and its host is known again.
    terminal.type_key("C-c");
    terminal.see("ended with");
    let terminal = Terminal::run_in("told-again", &environment, "");
    terminal.see("Play now");
    terminal.type_key("h");
    terminal.see("4711");
    terminal.type_key("Enter");
    let lobby = terminal.see("join with");
    assert!(lobby.contains(&format!("gridrace join {code} ")), "{lobby}");
    assert!(lobby.contains("--pin 4711") && lobby.contains("host you"), "{lobby}");
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn the_terminal_is_asked_whether_it_is_light_or_dark() {
    // The colour of tiles in the first row, as each theme has it among 256.
    for (background, color) in [("#ffffff", "38;5;25"), ("#000000", "38;5;74")] {
        let terminal = Terminal::on(background);
        terminal.see("Play now");
        let screen = terminal.tmux(&["capture-pane", "-p", "-e"]);
        assert!(screen.contains(color), "{background}: {screen}");
    }
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_replay_s_player_races_along_as_a_ghost() {
    let replay = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/replays/link.grr");
    let terminal = Terminal::run("ghost", (100, 30), &format!("play --ghost {replay} --bots none"));
    // Its real moves in real time, without a key of the player's: it finished after 1.75 s.
    terminal.wait_until("the ghost's finish", |screen| {
        ["Anna's ghost", "3/3 links", "0:01.750", "0 moves"].iter().all(|it| screen.contains(it))
    });
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_room_is_opened_on_a_running_server_and_outlives_its_host() {
    let server = Terminal::run_server("on-server", "--listen 127.0.0.1:0 --ephemeral");
    let listening = server.see("listening on ");
    let address =
        listening.split("listening on ").nth(1).unwrap().split_whitespace().next().unwrap();
    let host =
        Terminal::run("on-host", (80, 24), &format!("host --on {address} --puzzle slide:3x3"));
    host.see("host you");
    let guest = Terminal::run("on-guest", (80, 24), &format!("join {address} --name Ben"));
    guest.see("Ben");
    host.type_key("C-c");
    host.see("ended with");
    guest.see("host you");
}
