//! The tutorial, as a beginner goes through it.

use super::tmux::Terminal;

/// The most keys and steps that the lessons may take.
const MOST: usize = 300;

/// The arrow keys as the screen and as tmux name them.
const ARROWS: [(&str, &str); 4] = [("←", "Left"), ("→", "Right"), ("↑", "Up"), ("↓", "Down")];

/// Returns the keys that a screen names after `Press`.
fn named_keys(screen: &str) -> Vec<&'static str> {
    let Some((_, line)) = screen.lines().find_map(|line| line.split_once("Press ")) else {
        return Vec::new();
    };
    let name = |word: &str| match word {
        "space" => Some("Space"),
        arrow => ARROWS.iter().find(|(sign, _)| *sign == arrow).map(|(_, name)| *name),
    };
    line.split_whitespace().map_while(name).collect()
}

/// Returns the text of the panel, which stands to the right of the board: it changes with each key and
/// step, and holds nothing that changes by itself, as the latency in the first line does.
fn panel(screen: &str) -> String {
    let column = |line: &str| line.find("Press ").map(|at| line[..at].chars().count());
    let left = screen.lines().find_map(column).unwrap_or(0);
    screen.lines().skip(1).map(|line| line.chars().skip(left).collect::<String>() + "\n").collect()
}

/// Types a key, and returns the screen once the lesson has gone on by it: between a move and the hint
/// for the board after it no key is named.
fn go_on(terminal: &Terminal, screen: &str, key: &str) -> String {
    let before = panel(screen);
    terminal.type_key(key);
    terminal.wait_until("the lesson go on", |screen| {
        screen.contains("Solved!") || screen.contains("Press ") && panel(screen) != before
    })
}

/// Types the key that the lesson names first.
fn follow(terminal: &Terminal, screen: &str) -> String {
    let key = named_keys(screen).first().copied();
    go_on(terminal, screen, key.unwrap_or_else(|| panic!("no key is named:\n{screen}")))
}

#[test]
#[ignore = "needs tmux; .ci/run runs it"]
fn a_beginner_is_led_through_both_lessons() {
    let terminal = Terminal::run("tutorial", (80, 24), "tutorial --name Anna --animation=false");
    terminal.see("Learn to solve a board");
    terminal.type_key("Enter");
    let mut screen = terminal.see("Press ");
    assert!(screen.contains("Row 1: tile 1 home"), "{screen}");

    // The first tile by the keys that are named.
    for _ in 0..MOST {
        if !screen.contains("Row 1: tile 1 home") {
            break;
        }
        screen = follow(&terminal, &screen);
    }
    assert!(screen.contains("Row 1: tile 2 home"), "{screen}");

    // One move of one's own: the hint for the board after it would be to take it back.
    assert_eq!(named_keys(&screen), ["Left", "Left"], "{screen}");
    terminal.type_key("Up");
    terminal.see("move of your own");

    // The rest by skipping each step.
    screen = terminal.see("Press ");
    for _ in 0..MOST {
        if screen.contains("Solved!") {
            break;
        }
        screen = go_on(&terminal, &screen, "n");
    }
    terminal.see("Next: Numberlink");
    terminal.type_key("Enter");

    // All links by the keys that are named.
    screen = terminal.see("Press space");
    for _ in 0..MOST {
        if screen.contains("Solved!") {
            break;
        }
        screen = follow(&terminal, &screen);
    }
    terminal.see("What to try next");
    terminal.type_key("Enter");
    terminal.see("Play now");
    terminal.type_key("q");
    terminal.see("ended with 0");
    terminal.is_restored();
}
