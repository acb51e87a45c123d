//! A real terminal: tmux holds the screen, types, and is asked what it shows.

use gridrace_shared::util::grid::Direction;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

/// How long anything may take to appear, in looks of 50 ms: two minutes, as a tournament's first board
/// starts a minute after `begin`.
const LOOKS: u32 = 2_400;

/// A separate tmux server with one window, killed at the end.
pub(crate) struct Terminal {
    socket: String,
}

impl Terminal {
    /// Runs `gridrace` with these arguments in a window, and a shell behind it that says
    /// how it ended.
    pub(crate) fn run(name: &str, size: (u16, u16), arguments: &str) -> Self {
        Self::run_program(name, size, env!("CARGO_BIN_EXE_gridrace"), arguments)
    }

    /// Runs `gridrace` like [`Terminal::run`], with these variables in its environment.
    pub(crate) fn run_in(name: &str, environment: &str, arguments: &str) -> Self {
        let program = format!("env {environment} {}", env!("CARGO_BIN_EXE_gridrace"));
        Self::run_program(name, (80, 24), &program, arguments)
    }

    /// Runs `gridrace` on the alternate screen of a program that was killed, with this text on it.
    pub(crate) fn run_on_remains(name: &str, text: &str, arguments: &str) -> Self {
        let program = env!("CARGO_BIN_EXE_gridrace");
        let program = format!("printf '\\033[?1049h\\033[20H{text}'; {program}");
        Self::run_program(name, (80, 24), &program, arguments)
    }

    /// Runs `gridrace` with these arguments as a job of a shell, which takes the terminal when the
    /// job stops.
    pub(crate) fn run_in_shell(name: &str, size: (u16, u16), arguments: &str) -> Self {
        let terminal = Self::run_program(name, size, "sh -i", "");
        terminal.type_text(&format!("{} {arguments}", env!("CARGO_BIN_EXE_gridrace")));
        terminal.type_key("Enter");
        terminal
    }

    /// Writes a text to the terminal, as another program in it would.
    pub(crate) fn write_from_elsewhere(&self, text: &str) {
        std::fs::write(self.ask("#{pane_tty}"), text).expect("the terminal takes text");
    }

    /// Runs the server, which is built beside the client.
    pub(crate) fn run_server(name: &str, arguments: &str) -> Self {
        let server = Path::new(env!("CARGO_BIN_EXE_gridrace")).with_file_name("gridrace-server");
        assert!(server.exists(), "build it first: cargo build -p gridrace-server");
        Self::run_program(name, (100, 24), &server.display().to_string(), arguments)
    }

    /// Runs `gridrace` on a terminal of this background, which it is asked for.
    pub(crate) fn on(background: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("tmux.conf");
        let style = format!("set -g window-style 'bg={background}'\n");
        std::fs::write(&config, style).expect("a file");
        let name = format!("on-{}", background.trim_start_matches('#'));
        let program = env!("CARGO_BIN_EXE_gridrace");
        Self::run_with(&config, &name, (80, 24), program, "")
    }

    fn run_program(name: &str, size: (u16, u16), program: &str, arguments: &str) -> Self {
        Self::run_with(Path::new("/dev/null"), name, size, program, arguments)
    }

    fn run_with(
        config: &Path,
        name: &str,
        size: (u16, u16),
        program: &str,
        arguments: &str,
    ) -> Self {
        let terminal = Self { socket: format!("gridrace-{name}-{}", std::process::id()) };
        let command = format!("{program} {arguments}; echo ended with $?; read line");
        let (cols, rows) = (size.0.to_string(), size.1.to_string());
        terminal.tmux(&[
            "-f",
            &config.display().to_string(),
            "new-session",
            "-d",
            "-x",
            &cols,
            "-y",
            &rows,
            "sh",
            "-c",
            &command,
        ]);
        terminal
    }

    pub(crate) fn tmux(&self, arguments: &[&str]) -> String {
        let Output { status, stdout, stderr } = Command::new("tmux")
            .args(["-L", &self.socket])
            .args(arguments)
            .env("LANG", "C.UTF-8")
            .env_remove("NO_COLOR")
            // A test keeps nothing in the folders of this account.
            .env("GRIDRACE_CACHE_DIR", "")
            .env("GRIDRACE_CONFIG", "")
            .env("GRIDRACE_RACES", "")
            // Nor does it look around on the network of this machine.
            .env("GRIDRACE_NO_MDNS", "1")
            .output()
            .expect("tmux must be installed for this test");
        assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8_lossy(&stdout).into_owned()
    }

    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    pub(crate) fn type_key(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Types a text as it stands.
    pub(crate) fn type_text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Pastes a text, in brackets if the program asked for them.
    pub(crate) fn paste(&self, text: &str) {
        self.tmux(&["set-buffer", text]);
        self.tmux(&["paste-buffer", "-p"]);
    }

    /// Does something with the mouse at a column and line, from 0: the terminal's own words
    /// for the left button are 0 for down or up, and 32 for a drag.
    pub(crate) fn mouse(&self, button: u8, (column, line): (usize, usize), end: char) {
        let (column, line) = (column + 1, line + 1);
        self.tmux(&["send-keys", "-l", &format!("\u{1b}[<{button};{column};{line}{end}")]);
    }

    fn ask(&self, format: &str) -> String {
        self.tmux(&["display-message", "-p", format]).trim().to_owned()
    }

    /// Waits until the screen shows a text.
    pub(crate) fn see(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    pub(crate) fn wait_until(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let screen = wait_for(|| Some(self.screen()).filter(|screen| holds(screen)));
        screen.unwrap_or_else(|| panic!("never saw {what}:\n{}", self.screen()))
    }

    /// Checks that the program has left the terminal as it was.
    pub(crate) fn is_restored(&self) {
        let flags = || self.ask("#{alternate_on} #{mouse_any_flag} #{cursor_flag}");
        let restored = wait_for(|| (flags() == "0 0 1").then_some(()));
        assert!(restored.is_some(), "alternate screen, mouse, cursor: {}", flags());
    }

    /// Finds the program below the shell of the window.
    pub(crate) fn program(&self) -> String {
        let shell = self.ask("#{pane_pid}");
        let below = |pid: &str| {
            std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default()
        };
        // tmux may put its own shell around the one of the command.
        let mut pid = shell;
        loop {
            let children = below(&pid);
            match children.split_whitespace().next() {
                Some(child) => pid = child.to_owned(),
                None => return pid,
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output().ok(); // it may be gone
    }
}

/// Waits until a program has ended; one that nobody has waited for yet has no command line either.
pub(crate) fn ends(program: &str) -> bool {
    let line = || std::fs::read(format!("/proc/{program}/cmdline")).unwrap_or_default();
    wait_for(|| line().is_empty().then_some(())).is_some()
}

/// Looks until there is something to see, for [`LOOKS`] times at most.
fn wait_for<T>(look: impl Fn() -> Option<T>) -> Option<T> {
    (0..LOOKS).find_map(|_| {
        look().or_else(|| {
            std::thread::park_timeout(Duration::from_millis(50));
            None
        })
    })
}

pub(crate) fn key(direction: Direction) -> &'static str {
    match direction {
        Direction::Left => "Left",
        Direction::Up => "Up",
        Direction::Right => "Right",
        Direction::Down => "Down",
    }
}
