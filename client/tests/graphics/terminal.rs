//! A terminal that is played by the test: the other end of a pty, which answers questions and keeps
//! what the program draws.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use icy_sixel::SixelImage;
use image::RgbaImage;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// The pixels of a cell.
pub(crate) const CELL: (u32, u32) = (10, 20);
/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at a program that may be stopped.
const LOOK: Duration = Duration::from_millis(50);

/// Colours by place.
pub(crate) type Pixels = BTreeMap<(u32, u32), [u8; 3]>;

/// What a terminal understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Kitty,
    Sixel,
    /// Answers, and has no graphics.
    Plain,
    Silent,
}

pub(crate) struct Terminal {
    master: File,
    child: Child,
    shared: Arc<(Mutex<Screen>, Condvar)>,
}

/// A part of an image on the screen: its upper left cell, the columns and lines that it fills, and the
/// rectangle of pixels that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placement {
    pub at: (u32, u32),
    pub cells: (u32, u32),
    pub source: [u32; 4],
}

/// What the program drew.
#[derive(Debug)]
pub(crate) struct Screen {
    kind: Kind,
    unread: Vec<u8>,
    cursor: (u32, u32),
    /// The characters, by line and column.
    pub text: BTreeMap<(u32, u32), char>,
    pub images: BTreeMap<u32, RgbaImage>,
    /// By the ids of image and placement.
    pub placements: BTreeMap<(u32, u32), Placement>,
    /// The pixels that sixels drew, by cell, where nothing was written afterwards.
    cells: BTreeMap<(u32, u32), Pixels>,
    pub is_alternate: bool,
    /// What was sent, in order, without text.
    pub log: Vec<Sent>,
    transmission: (u32, Vec<u8>),
    pub is_closed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sent {
    Question,
    Image(u32),
    Place(u32),
    Remove(u32),
    Delete(u32),
    Sixel { at: (u32, u32), bytes: usize },
    LeaveAlternate,
}

impl Terminal {
    /// Runs `gridrace` on a terminal of some columns and lines.
    pub(crate) fn run(kind: Kind, (columns, lines): (u16, u16), arguments: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        // A program that had this end, too, would never be alone.
        fcntl_setfd(&master, FdFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let path = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let size = size(columns, lines);
        tcsetwinsize(&master, size).unwrap();
        // Else it would become the terminal of a test that leads its session.
        let flags = OpenptFlags::NOCTTY.bits().cast_signed();
        let end =
            || File::options().read(true).write(true).custom_flags(flags).open(&path).unwrap();
        // In a group of its own, so that it stops alone.
        let child = Command::new(env!("CARGO_BIN_EXE_gridrace"))
            .process_group(0)
            .args(arguments)
            .env("TERM", "xterm-256color")
            .env("GRIDRACE_CACHE_DIR", "")
            .env("GRIDRACE_RACES", "")
            .env("GRIDRACE_NO_MDNS", "1")
            .env("GRIDRACE_CONFIG", "")
            .env("GRIDRACE_KEY", "")
            .env_remove("TMUX")
            .env_remove("STY")
            .env_remove("NO_COLOR")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        let screen = Screen {
            kind,
            unread: Vec::new(),
            cursor: (0, 0),
            text: BTreeMap::new(),
            images: BTreeMap::new(),
            placements: BTreeMap::new(),
            cells: BTreeMap::new(),
            is_alternate: false,
            log: Vec::new(),
            transmission: (0, Vec::new()),
            is_closed: false,
        };
        let shared = Arc::new((Mutex::new(screen), Condvar::new()));
        let (reader, writer, of) =
            (File::from(dup(&master)), File::from(dup(&master)), Arc::clone(&shared));
        std::thread::spawn(move || read(reader, writer, &of));
        Self { master: File::from(master), child, shared }
    }

    pub(crate) fn type_keys(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Takes another size, and tells the program.
    pub(crate) fn resize(&self, columns: u16, lines: u16) {
        tcsetwinsize(&self.master, size(columns, lines)).unwrap();
        self.signal(Signal::WINCH);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until something holds of the screen, and returns the screen then.
    pub(crate) fn wait_until(
        &self,
        what: &str,
        mut holds: impl FnMut(&Screen) -> bool,
    ) -> MutexGuard<'_, Screen> {
        let (screen, changed) = &*self.shared;
        let screen = screen.lock().unwrap();
        let (screen, timeout) =
            changed.wait_timeout_while(screen, PATIENCE, |screen| !holds(screen)).unwrap();
        assert!(!timeout.timed_out(), "never saw {what}:\n{}{:?}", screen.shown(), screen.log);
        screen
    }

    /// Like [`Terminal::wait_until`], and has a program that is stopped go on.
    pub(crate) fn continue_until(
        &self,
        what: &str,
        mut holds: impl FnMut(&Screen) -> bool,
    ) -> MutexGuard<'_, Screen> {
        let (screen, changed) = &*self.shared;
        for _ in 0..PATIENCE.as_millis() / LOOK.as_millis() {
            // It may not have stopped yet.
            self.signal(Signal::CONT);
            let screen = screen.lock().unwrap();
            let (screen, timeout) =
                changed.wait_timeout_while(screen, LOOK, |screen| !holds(screen)).unwrap();
            if !timeout.timed_out() {
                return screen;
            }
        }
        let screen = screen.lock().unwrap();
        panic!("never saw {what}:\n{}{:?}", screen.shown(), screen.log);
    }

    pub(crate) fn see(&self, text: &str) -> MutexGuard<'_, Screen> {
        self.wait_until(text, |screen| screen.shown().contains(text))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn dup(fd: &OwnedFd) -> OwnedFd {
    fd.try_clone().unwrap()
}

fn size(columns: u16, lines: u16) -> Winsize {
    let pixels = |cells: u16, pixels: u32| cells * u16::try_from(pixels).unwrap();
    Winsize {
        ws_row: lines,
        ws_col: columns,
        ws_xpixel: pixels(columns, CELL.0),
        ws_ypixel: pixels(lines, CELL.1),
    }
}

fn read(mut reader: File, mut writer: File, shared: &(Mutex<Screen>, Condvar)) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        // The program's end closes the other end of the pty, which is an error here.
        let read = reader.read(&mut buffer).unwrap_or(0);
        let mut screen = shared.0.lock().unwrap();
        let answers = screen.take(&buffer[..read]);
        screen.is_closed = read == 0;
        let is_closed = screen.is_closed;
        drop(screen);
        shared.1.notify_all();
        if is_closed {
            return;
        }
        writer.write_all(&answers).unwrap();
    }
}

impl Screen {
    /// Returns the text line by line.
    pub(crate) fn shown(&self) -> String {
        let mut shown = String::new();
        let last = self.text.keys().map(|(line, _)| *line).max().unwrap_or(0);
        for line in 0..=last {
            let row = self.text.range((line, 0)..(line + 1, 0));
            let mut column = 0;
            for (&(_, x), character) in row {
                shown.extend(std::iter::repeat_n(' ', (x - column) as usize));
                shown.push(*character);
                column = x + 1;
            }
            shown.push('\n');
        }
        shown
    }

    /// Returns the pixels that all placements show.
    pub(crate) fn placed_pixels(&self) -> Pixels {
        let mut pixels = Pixels::new();
        for ((id, _), Placement { at, cells, source: [left, top, width, height] }) in
            &self.placements
        {
            let image = &self.images[id];
            for y in 0..cells.1 * CELL.1 {
                for x in 0..cells.0 * CELL.0 {
                    let (from_x, from_y) = (
                        left + x * width / (cells.0 * CELL.0),
                        top + y * height / (cells.1 * CELL.1),
                    );
                    let [red, green, blue, alpha] = image.get_pixel(from_x, from_y).0;
                    if alpha > 0 {
                        let place = (at.0 * CELL.0 + x, at.1 * CELL.1 + y);
                        let before = pixels.insert(place, [red, green, blue]);
                        assert_eq!(before, None, "two images at {place:?}");
                    }
                }
            }
        }
        pixels
    }

    /// Returns the pixels that sixels drew.
    pub(crate) fn sixel_pixels(&self) -> Pixels {
        self.cells.values().flatten().map(|(place, color)| (*place, *color)).collect()
    }

    /// Takes what the program wrote; returns what a terminal answers.
    fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.unread.extend_from_slice(bytes);
        let (mut answers, unread) = (Vec::new(), std::mem::take(&mut self.unread));
        let mut rest = &unread[..];
        while let Some((used, answer)) = self.take_one(rest) {
            answers.extend_from_slice(answer);
            rest = &rest[used..];
        }
        self.unread = rest.to_vec();
        answers
    }

    /// Takes a character or an escape sequence, if it is there to its end.
    fn take_one(&mut self, bytes: &[u8]) -> Option<(usize, &'static [u8])> {
        match bytes {
            [] | [0x1b] => None,
            [0x1b, b'[', rest @ ..] => {
                let end = rest.iter().position(|byte| (0x40..0x7f).contains(byte))?;
                let answer = self.control(&rest[..end], rest[end]);
                Some((end + 3, answer))
            }
            [0x1b, kind @ (b'_' | b'P' | b']'), rest @ ..] => {
                let end = rest.windows(2).position(|two| two == b"\x1b\\")?;
                let answer = match kind {
                    b'_' => self.graphics(&rest[..end]),
                    b'P' => self.sixel(&bytes[..end + 4]),
                    _ => b"",
                };
                Some((end + 4, answer))
            }
            [0x1b, _, ..] => Some((2, b"")),
            [byte, ..] => {
                let length = match byte {
                    0xf0.. => 4,
                    0xe0.. => 3,
                    0xc0.. => 2,
                    _ => 1,
                };
                let text = std::str::from_utf8(bytes.get(..length)?).unwrap();
                let character = text.chars().next().unwrap();
                if character >= ' ' {
                    self.write(character);
                }
                Some((length, b""))
            }
        }
    }

    fn write(&mut self, character: char) {
        let (x, y) = self.cursor;
        self.text.insert((y, x), character);
        self.cells.remove(&(x, y));
        self.cursor.0 += 1;
    }

    fn control(&mut self, parameters: &[u8], last: u8) -> &'static [u8] {
        let text = std::str::from_utf8(parameters).unwrap();
        match (text, last) {
            (_, b'H') => {
                let mut numbers = text.split(';').map(|number| number.parse().unwrap_or(1));
                let (line, column) = (numbers.next().unwrap_or(1), numbers.next().unwrap_or(1));
                self.cursor = (column - 1, line - 1);
            }
            ("2", b'J') => {
                self.text.clear();
                self.cells.clear();
                self.placements.clear();
            }
            ("?1049", b'h') => self.is_alternate = true,
            ("?1049", b'l') => {
                self.is_alternate = false;
                self.log.push(Sent::LeaveAlternate);
            }
            ("6", b'n') => return b"\x1b[1;1R",
            ("16", b't') if self.kind != Kind::Silent => return b"\x1b[6;20;10t",
            ("" | "0", b'c') => match self.kind {
                Kind::Sixel => return b"\x1b[?62;4;22c",
                Kind::Kitty | Kind::Plain => return b"\x1b[?62;22c",
                Kind::Silent => {}
            },
            _ => {}
        }
        b""
    }

    fn graphics(&mut self, sequence: &[u8]) -> &'static [u8] {
        let text = std::str::from_utf8(sequence).unwrap().strip_prefix('G').unwrap();
        let (control, payload) = text.split_once(';').unwrap_or((text, ""));
        let keys: BTreeMap<&str, &str> =
            control.split(',').filter_map(|pair| pair.split_once('=')).collect();
        let number = |key: &str| keys.get(key).map_or(0, |value| value.parse().unwrap());
        let id = number("i");
        if keys.get("a") == Some(&"q") {
            self.log.push(Sent::Question);
            return if self.kind == Kind::Kitty { b"\x1b_Gi=31;OK\x1b\\" } else { b"" };
        }
        // An answer to anything else would come as keys.
        assert_eq!(keys["q"], "2", "{control}");
        match keys.get("a").copied() {
            Some("t") | None => {
                if keys.contains_key("a") {
                    assert_eq!((keys["f"], keys["t"]), ("100", "d"));
                    self.transmission = (id, Vec::new());
                }
                assert!(payload.len() <= 4_096);
                self.transmission.1.extend_from_slice(payload.as_bytes());
                if keys["m"] == "0" {
                    let (id, text) = std::mem::take(&mut self.transmission);
                    let png = BASE64.decode(text).unwrap();
                    let image = image::load_from_memory(&png).unwrap().into_rgba8();
                    self.images.insert(id, image);
                    self.log.push(Sent::Image(id));
                }
            }
            Some("p") => {
                assert!(self.images.contains_key(&id), "{control}");
                let placement = Placement {
                    at: self.cursor,
                    cells: (number("c"), number("r")),
                    source: ["x", "y", "w", "h"].map(number),
                };
                self.placements.insert((id, number("p")), placement);
                self.log.push(Sent::Place(id));
            }
            Some("d") if keys["d"] == "i" => {
                assert!(self.placements.remove(&(id, number("p"))).is_some(), "{control}");
                self.log.push(Sent::Remove(id));
            }
            Some("d") => {
                assert_eq!(keys["d"], "I");
                self.images.remove(&id);
                self.placements.retain(|(of, _), _| *of != id);
                self.log.push(Sent::Delete(id));
            }
            Some(other) => panic!("unknown action {other}"),
        }
        b""
    }

    fn sixel(&mut self, sequence: &[u8]) -> &'static [u8] {
        let image = SixelImage::decode(sequence).unwrap();
        let (left, top) = (self.cursor.0 * CELL.0, self.cursor.1 * CELL.1);
        let width = u32::try_from(image.dimensions().0).unwrap();
        for (index, pixel) in (0u32..).zip(image.pixels.chunks_exact(4)) {
            if pixel[3] > 0 {
                let place = (left + index % width, top + index / width);
                let cell = self.cells.entry((place.0 / CELL.0, place.1 / CELL.1)).or_default();
                cell.insert(place, [pixel[0], pixel[1], pixel[2]]);
            }
        }
        self.log.push(Sent::Sixel { at: self.cursor, bytes: sequence.len() });
        b""
    }
}
