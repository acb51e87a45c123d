//! The terminal: raw mode and the alternate screen, restored on every exit.

use crate::display::graphics::GraphicsChoice;
use crate::display::graphics::tile_layer::{PlacedImages, ReadyImages};
use crate::net::clock::Clock;
use crate::tui::graphics::{Graphics, delete_images};
use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Position, Rect};
use rustix::process::{Signal, kill_current_process_group};
use std::io::{self, Stdout, Write};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};
use std::thread::ThreadId;
use std::time::Duration;

/// Whether the terminal is ours at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// The first panic of a thread that isn't the screen's, to be told once the terminal is
/// given back.
static ELSEWHERE: Mutex<Option<String>> = Mutex::new(None);
/// The panic hook is put in once, however often the terminal is taken.
static HOOK: Once = Once::new();

/// The terminal, as long as it is ours; dropping it gives it back.
#[derive(Debug)]
pub struct Screen {
    /// Never dropped: dropping it shows the cursor, which [`restore`] does, and panics where the
    /// terminal is gone and stderr with it.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
    graphics: Graphics,
}

impl Screen {
    /// Takes the terminal over: raw mode, alternate screen, mouse, bracketed paste; asks it for its graphics.
    pub fn take(graphics: GraphicsChoice, clock: Clock) -> io::Result<Self> {
        let drawing = std::thread::current().id();
        HOOK.call_once(|| restore_on_panic(drawing));
        // Our theme takes colours out by itself: crossterm's way would take bold with them.
        crossterm::style::force_color_output(true);
        enter()?;
        // Whatever a terminal may write for the question, the first screen covers.
        let graphics = Graphics::detect(graphics, clock);
        let terminal =
            Terminal::new(CrosstermBackend::new(io::stdout())).inspect_err(|_| restore())?;
        let mut terminal = ManuallyDrop::new(terminal);
        // A program that was killed leaves its screen behind, which isn't cleared by entering it again.
        terminal.clear().inspect_err(|_| restore())?;
        Ok(Self { terminal, graphics })
    }

    /// Draws a screen by a view that says where images of tiles are, of those that are ready.
    pub fn draw(
        &mut self,
        view: impl FnOnce(&mut ratatui::Frame<'_>, Option<&ReadyImages>) -> PlacedImages,
    ) -> io::Result<()> {
        let mut out = io::stdout();
        self.graphics.follow_size(&mut out)?;
        // Text and images change at once.
        let is_active = self.graphics.is_active();
        if is_active {
            queue!(out, BeginSynchronizedUpdate)?;
        }
        let ready = self.graphics.ready();
        let mut placed = PlacedImages::default();
        self.terminal.draw(|frame| placed = view(frame, ready))?;
        self.graphics.show(&mut out, &placed)?;
        if is_active {
            execute!(out, EndSynchronizedUpdate)?;
        }
        Ok(())
    }

    /// Returns after which time another screen would show more images of tiles; none if not at all.
    pub fn images_due(&self) -> Option<Duration> {
        self.graphics.next_due()
    }

    pub fn ring(&mut self) -> io::Result<()> {
        let mut out = io::stdout();
        out.write_all(b"\x07")?;
        out.flush()
    }

    /// Returns the size in columns and lines.
    pub fn size(&self) -> io::Result<ratatui::layout::Size> {
        self.terminal.size()
    }

    /// Puts a text into the clipboard of the terminal, by OSC 52: it works over SSH as well.
    /// Terminals that don't know it ignore it.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        write_clipboard(&mut io::stdout(), text)
    }

    /// Draws all of the next screen, over whatever else has written to the terminal.
    pub fn redraw(&mut self) -> io::Result<()> {
        self.graphics.forget(&mut io::stdout())?;
        // Unlike `Terminal::clear`, this doesn't ask the terminal for the cursor's position: the answer
        // isn't read while the runtime waits for events.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from((Position::ORIGIN, size)))
    }

    /// Gives the terminal back, stops the program until it is called up again, and takes
    /// the terminal over again.
    pub fn suspend(&mut self) -> io::Result<()> {
        restore();
        stop()?;
        enter()?;
        self.redraw()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn write_clipboard(out: &mut impl Write, text: &str) -> io::Result<()> {
    execute!(out, CopyToClipboard::to_clipboard_from(text))
}

/// Gives the terminal back; does nothing where it isn't ours.
pub fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // When the terminal is gone, no one can be told.
    let mut out = io::stdout();
    delete_images(&mut out).ok();
    execute!(out, DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, Show).ok();
    disable_raw_mode().ok();
    out.flush().ok();
    if let Some(panic) = ELSEWHERE.lock().ok().and_then(|mut panic| panic.take()) {
        // stderr may be closed, and a panic within one would abort.
        writeln!(io::stderr(), "{panic}").ok();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste, Hide)
        .inspect_err(|_| restore())
}

/// A panic's message is to be read, so it comes after the terminal is given back. A panic
/// of another thread, of a bot in the server of this program say, ends no screen: its
/// message waits.
fn restore_on_panic(drawing: ThreadId) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() != drawing && TAKEN.load(Ordering::SeqCst) {
            if let Ok(mut first) = ELSEWHERE.try_lock() {
                first.get_or_insert_with(|| panic.to_string());
            }
            return;
        }
        restore();
        before(panic);
    }));
}

/// Stops the whole job, as the terminal itself does it outside raw mode: started by
/// `cargo run`, cargo stops with us. SIGTSTP is caught, and SIGSTOP would stop even a job that no shell
/// calls up again; SIGTTIN, which isn't caught, stops all others.
fn stop() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::TTIN)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clipboard_is_set_by_osc_52() {
        let mut written = Vec::new();
        write_clipboard(&mut written, "gridrace slide:4x4 · 0:31.480").unwrap();
        // The text in Base64, for the clipboard `c`, ended by ST.
        let expected = "\x1b]52;c;Z3JpZHJhY2Ugc2xpZGU6NHg0IMK3IDA6MzEuNDgw\x1b\\";
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }
}
