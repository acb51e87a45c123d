//! Detects the terminal's graphics protocol from its answers to queries.
//!
//! First a question that every terminal answers, and whose answer crossterm swallows if it comes late;
//! then, if that came, the one about kitty's protocol, with the first one behind it: the answer to
//! that says that no other is to come.

use super::GraphicsChoice;
use super::kitty;
use super::tile_pixels::CellPixels;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long a terminal may take to answer: enough for a slow remote shell.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(500);
/// The longest answer that is read.
const MAX_ANSWER_BYTES: usize = 4_096;
/// The size of a cell and the primary device attributes (DA1).
const FIRST_QUESTION: &str = "\x1b[16t\x1b[c";
/// Only the primary device attributes.
const ATTRIBUTES: &str = "\x1b[c";
/// The attribute of a terminal that draws sixels.
const SIXEL: u16 = 4;
/// The cells of a VT340, where a protocol is forced and the terminal doesn't say.
const USUAL_CELL: CellPixels = CellPixels { width: 10, height: 20 };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Kitty,
    Sixel,
}

/// The protocol of the terminal, and the size of its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Support {
    pub protocol: Protocol,
    pub cell: CellPixels,
}

/// The terminal's answers to the queries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answers {
    /// It said something to the last question, so that no more is to come.
    pub is_complete: bool,
    pub sixel: bool,
    pub kitty: bool,
    pub cell: Option<CellPixels>,
}

/// Finds what to draw with. `ask` writes a question to the terminal and returns what it answered;
/// `cell` is the size of a cell as the system says; `tmux_features` are what tmux knows of the terminal
/// around it.
pub fn detect(
    choice: GraphicsChoice,
    variable: impl Fn(&str) -> Option<String>,
    cell: Option<CellPixels>,
    mut ask: impl FnMut(&str) -> Answers,
    tmux_features: impl FnOnce() -> Option<String>,
) -> Option<Support> {
    let forced = match choice {
        GraphicsChoice::Blocks => return None,
        GraphicsChoice::Kitty => Some(Protocol::Kitty),
        GraphicsChoice::Sixel => Some(Protocol::Sixel),
        GraphicsChoice::Auto => None,
    };
    if let (Some(protocol), Some(cell)) = (forced, cell) {
        return Some(Support { protocol, cell });
    }
    let term = variable("TERM").unwrap_or_default();
    // The console of Linux would show the question.
    if forced.is_none() && matches!(term.as_str(), "" | "dumb" | "linux") {
        return None;
    }
    let first = ask(FIRST_QUESTION);
    let cell = cell.or(first.cell);
    if let Some(protocol) = forced {
        return Some(Support { protocol, cell: cell.unwrap_or(USUAL_CELL) });
    }
    let is_multiplexer = variable("TMUX").is_some_and(|it| !it.is_empty())
        || variable("STY").is_some_and(|it| !it.is_empty())
        || term.starts_with("tmux")
        || term.starts_with("screen");
    if is_multiplexer {
        // It would take kitty's question for a title. tmux has sixel also where the terminal around it
        // has none, and draws a box of text there.
        let is_known = |features: String| features.trim().split(',').any(|it| it == "sixel");
        let passes = first.sixel && tmux_features().is_some_and(is_known);
        return cell.filter(|_| passes).map(|cell| Support { protocol: Protocol::Sixel, cell });
    }
    if first.is_complete {
        let second = ask(&format!("{}{ATTRIBUTES}", kitty::QUERY));
        if second.kitty {
            let cell = cell.unwrap_or(USUAL_CELL);
            return Some(Support { protocol: Protocol::Kitty, cell });
        }
    }
    let protocol = Protocol::Sixel;
    cell.filter(|_| first.sixel).map(|cell| Support { protocol, cell })
}

/// Asks the tmux in which this runs what its terminal has, if it runs in one. A tmux that hangs
/// counts as one that doesn't know, and keeps only its own thread waiting.
pub fn tmux_features() -> Option<String> {
    std::env::var_os("TMUX").filter(|it| !it.is_empty())?;
    let mut question = Command::new("tmux");
    question.args(["display-message", "-p", "#{client_termfeatures}"]);
    output_within(question, ANSWER_TIMEOUT)
}

/// Returns what a program prints, if it ends in time.
fn output_within(mut program: Command, timeout: Duration) -> Option<String> {
    let (answered, answer) = mpsc::channel();
    let asking = move || {
        let output = program.stdin(Stdio::null()).stderr(Stdio::null()).output();
        answered.send(output).ok(); // the caller may have given up
    };
    std::thread::Builder::new().spawn(asking).ok()?;
    let output = answer.recv_timeout(timeout).ok()?.ok()?;
    String::from_utf8(output.stdout).ok()
}

/// Writes a question to the terminal, which is in raw mode, and reads its answers until the one to
/// `ATTRIBUTES`, on a clock that says how long it has run. Keys that are pressed meanwhile are lost.
pub fn ask(question: &str, elapsed: impl Fn() -> Duration) -> Answers {
    let mut bytes = Vec::new();
    match exchange(question, elapsed, &mut bytes) {
        Ok(()) => parse(&bytes),
        Err(_) => Answers::default(),
    }
}

fn exchange(question: &str, elapsed: impl Fn() -> Duration, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(question.as_bytes())?;
    out.flush()?;
    let stdin = io::stdin();
    let deadline = elapsed() + ANSWER_TIMEOUT;
    while !parse(bytes).is_complete && bytes.len() < MAX_ANSWER_BYTES {
        let left = deadline.saturating_sub(elapsed());
        let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        if poll(&mut fds, Some(&timeout))? == 0 {
            return Ok(());
        }
        let mut buffer = [0; 256];
        let read = rustix::io::read(stdin.as_fd(), &mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&buffer[..read]);
    }
    Ok(())
}

/// Reads answers; other bytes between them mean nothing.
pub fn parse(bytes: &[u8]) -> Answers {
    let kitty = bytes.windows(kitty::ANSWER.len()).any(|window| window == kitty::ANSWER);
    let mut answers = Answers { kitty, ..Answers::default() };
    for sequence in control_sequences(bytes) {
        match sequence {
            (b'?', numbers, b'c') => {
                answers.is_complete = true;
                answers.sixel |= numbers.iter().skip(1).any(|&number| number == SIXEL);
            }
            (b'[', numbers, b't') => {
                if let [6, height, width] = numbers[..] {
                    answers.cell = CellPixels::new(width, height);
                }
            }
            _ => {}
        }
    }
    answers
}

/// Returns control sequences that have numbers only: `?` or else `[`, the numbers, and the last byte.
fn control_sequences(bytes: &[u8]) -> impl Iterator<Item = (u8, Vec<u16>, u8)> {
    let starts = bytes.windows(2).enumerate().filter(|(_, window)| *window == b"\x1b[");
    starts.filter_map(|(start, _)| {
        let rest = &bytes[start + 2..];
        let (kind, rest) = match rest.strip_prefix(b"?") {
            Some(rest) => (b'?', rest),
            None => (b'[', rest),
        };
        let end = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';')?;
        let numbers = std::str::from_utf8(&rest[..end]).ok()?;
        let numbers = numbers.split(';').map(|number| number.parse().unwrap_or(0)).collect();
        Some((kind, numbers, rest[end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: CellPixels = CellPixels { width: 9, height: 18 };

    #[test]
    fn a_program_that_hangs_is_not_waited_for() {
        let mut echo = Command::new("echo");
        echo.arg("sixel");
        assert_eq!(output_within(echo, Duration::from_secs(60)).as_deref(), Some("sixel\n"));
        let mut hung = Command::new("sleep");
        hung.arg("5");
        assert_eq!(output_within(hung, Duration::ZERO), None);
    }

    /// Detects on a terminal that answers these bytes to the first question and to kitty's.
    fn on(
        variables: &[(&str, &str)],
        cell: Option<CellPixels>,
        answers: [&[u8]; 2],
    ) -> (Option<Support>, usize) {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let mut asked = 0;
        let ask = |question: &str| {
            asked += 1;
            parse(answers[usize::from(question.contains("_G"))])
        };
        let features = || variable("FEATURES");
        let support = detect(GraphicsChoice::Auto, variable, cell, ask, features);
        (support, asked)
    }

    const XTERM: &[(&str, &str)] = &[("TERM", "xterm-256color")];
    const KITTY: Option<Support> = Some(Support { protocol: Protocol::Kitty, cell: CELL });
    const SIXELS: Option<Support> = Some(Support { protocol: Protocol::Sixel, cell: CELL });

    #[test]
    fn answers_decide_and_kitty_comes_before_sixel() {
        let size: &[u8] = b"\x1b[6;18;9t";
        let answer = |attributes: &[u8]| [size, attributes].concat();
        let (plain, sixel) = (answer(b"\x1b[?62;22c"), answer(b"\x1b[?62;4;22c"));
        let (yes, no) = (&b"\x1b_Gi=31;OK\x1b\\\x1b[?62c"[..], &b"\x1b[?62c"[..]);
        assert_eq!(on(XTERM, None, [&plain, yes]), (KITTY, 2));
        assert_eq!(on(XTERM, None, [&sixel, yes]), (KITTY, 2));
        assert_eq!(on(XTERM, None, [&sixel, no]), (SIXELS, 2));
        assert_eq!(on(XTERM, None, [&plain, no]), (None, 2));
        let refused = b"\x1b_Gi=31;ENOTSUPPORTED:no\x1b\\\x1b[?62c";
        assert_eq!(on(XTERM, None, [&plain, refused]), (None, 2));
        // A VT400, whose first number is its level.
        assert_eq!(on(XTERM, Some(CELL), [b"\x1b[?4c", no]), (None, 2));
    }

    #[test]
    fn a_terminal_that_is_silent_garbled_or_cut_short_is_asked_nothing_more() {
        for answer in [
            &b""[..],
            b"\x1b",
            b"\x1b[?62;4",
            b"qwerty\x1b[A\x1b[<35;10;3M",
            b"\x1b[6;18;9t",
            b"\xff\xfe\x1b[?\x1b[?;x",
            b"\x1b_Gi=31;OK\x1b\\",
        ] {
            assert_eq!(on(XTERM, Some(CELL), [answer, b""]), (None, 1), "{answer:?}");
        }
    }

    #[test]
    fn keys_between_answers_are_skipped() {
        let answers =
            parse(b"a\x1b[A\x1b[6;18;9t\x1b[<0;3;4M\x1b_Gi=31;OK\x1b\\\xc3\xa9\x1b[?1;2;4cq");
        assert_eq!(
            answers,
            Answers { is_complete: true, sixel: true, kitty: true, cell: Some(CELL) }
        );
        assert_eq!(parse(b"\x1b[6;0;9t").cell, None);
        assert_eq!(parse(b"\x1b[6;99999999;9t").cell, None);
    }

    #[test]
    fn without_the_size_of_a_cell_sixels_would_have_any_size() {
        let sixel: &[u8] = b"\x1b[?62;4c";
        assert_eq!(on(XTERM, None, [sixel, b"\x1b[?62;4c"]).0, None);
        assert_eq!(on(XTERM, Some(CELL), [sixel, b"\x1b[?62;4c"]).0, SIXELS);
    }

    #[test]
    fn a_multiplexer_is_not_asked_about_kitty_but_may_pass_sixel_on() {
        let tmux = [("TERM", "xterm-256color"), ("TMUX", "/tmp/s")];
        for variables in [&tmux[..], &[("TERM", "tmux-256color")], &[("TERM", "screen")]] {
            let yes = b"\x1b_Gi=31;OK\x1b\\\x1b[?1;2c";
            let sixel: &[u8] = b"\x1b[?1;2;4c";
            let with = |features| [variables, &[("FEATURES", features)]].concat();
            let on = |features, answer| on(&with(features), Some(CELL), [answer, yes]);
            assert_eq!(on("256,RGB,sixel\n", b"\x1b[?1;2c"), (None, 1));
            assert_eq!(on("256,RGB,sixel\n", sixel), (SIXELS, 1));
            assert_eq!(on("256,RGB\n", sixel), (None, 1));
        }
        assert_eq!(on(&tmux, Some(CELL), [b"\x1b[?1;2;4c", b""]), (None, 1), "it can't be asked");
    }

    #[test]
    fn a_terminal_that_would_show_the_question_is_asked_nothing() {
        for variables in [&[("TERM", "linux")][..], &[("TERM", "dumb")], &[]] {
            assert_eq!(on(variables, Some(CELL), [b"\x1b[?62;4c", b""]), (None, 0));
        }
    }

    #[test]
    fn a_forced_protocol_asks_for_no_more_than_the_size_of_a_cell() {
        let forced = |choice, cell, answer: &'static [u8]| {
            let mut asked = 0;
            let ask = |_: &str| {
                asked += 1;
                parse(answer)
            };
            let support = detect(choice, |_| None, cell, ask, || None);
            (support, asked)
        };
        assert_eq!(forced(GraphicsChoice::Kitty, Some(CELL), b""), (KITTY, 0));
        assert_eq!(forced(GraphicsChoice::Sixel, None, b"\x1b[6;18;9t\x1b[?6c"), (SIXELS, 1));
        let unknown = Support { protocol: Protocol::Sixel, cell: USUAL_CELL };
        assert_eq!(forced(GraphicsChoice::Sixel, None, b""), (Some(unknown), 1));
        assert_eq!(forced(GraphicsChoice::Blocks, None, b"\x1b[?62;4c"), (None, 0));
    }
}
