//! The tutorial, as a beginner goes through it.

use super::tmux::Terminal;

/// The most keys and steps that the lessons may take.
const MOST: usize = 150;

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

/// Returns the step's name and the keys, by which a screen differs from the one after a move.
fn step(screen: &str) -> String {
    let at = screen.lines().position(|line| line.contains("Press ")).unwrap_or(0);
    screen.lines().take(at + 3).collect::<Vec<_>>().join("\n")
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
        let before = step(&screen);
        let keys = named_keys(&screen);
        terminal.type_key(keys.first().unwrap_or_else(|| panic!("no key is named:\n{screen}")));
        screen = terminal.wait_until("the next move", |screen| {
            screen.contains("Press ") && step(screen) != before
        });
    }
    assert!(screen.contains("Row 1: tile 2 home"), "{screen}");

    // One move of one's own: the hint for the board after it would be to take it back.
    assert_eq!(named_keys(&screen), ["Left", "Left"], "{screen}");
    terminal.type_key("Up");
    terminal.see("move of your own");

    // The rest by skipping each step.
    for _ in 0..MOST {
        if screen.contains("Solved!") {
            break;
        }
        let before = step(&screen);
        terminal.type_key("n");
        screen = terminal.wait_until("the next step", |screen| {
            screen.contains("Solved!") || screen.contains("Press ") && step(screen) != before
        });
    }
    terminal.see("Next: Numberlink");
    terminal.type_key("Enter");

    // All links by the keys that are named.
    screen = terminal.see("Press space");
    for _ in 0..MOST {
        if screen.contains("Solved!") {
            break;
        }
        let before = screen.clone();
        for key in named_keys(&screen) {
            terminal.type_key(key);
        }
        screen = terminal.wait_until("the next link", |screen| {
            screen.contains("Solved!") || screen.contains("Press ") && *screen != before
        });
    }
    terminal.see("What to try next");
    terminal.type_key("Enter");
    terminal.see("Play now");
    terminal.type_key("q");
    terminal.see("ended with 0");
    terminal.is_restored();
}
