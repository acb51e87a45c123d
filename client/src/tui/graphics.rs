//! The images of tiles on the terminal's screen, in step with its text; nothing without the feature
//! `graphics`.

#[cfg(feature = "graphics")]
pub use with_images::{Graphics, delete_images};
#[cfg(not(feature = "graphics"))]
pub use without_images::{Graphics, delete_images};

#[cfg(feature = "graphics")]
mod with_images {
    use crate::display::graphics::GraphicsChoice;
    use crate::display::graphics::detection::{self, Support};
    use crate::display::graphics::kitty;
    use crate::display::graphics::painter::Painter;
    use crate::display::graphics::tile_layer::{PlacedImages, ReadyImages};
    use crate::display::graphics::tile_pixels::CellPixels;
    use crate::net::clock::Clock;
    use crossterm::terminal::{WindowSize, window_size};
    use std::io::{self, Write};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    /// How long a screen keeps its size before images are sent for it: a window that is dragged has
    /// many.
    const SETTLE_TIME: Duration = Duration::from_millis(150);
    /// The time for encoding the images of one screen, and again for sending them.
    const SENDING_TIME: Duration = Duration::from_millis(40);
    /// Bytes of images that are sent for one screen: at first, at least and at most.
    const FIRST_BUDGET: usize = 32 << 10;
    const LEAST_BUDGET: usize = 4 << 10;
    const MOST_BUDGET: usize = 256 << 10;
    /// Between two screens while images are missing.
    const FRAME: Duration = Duration::from_millis(16);

    /// How many ids of kitty's images the terminal has from us: also the panic hook deletes them.
    static KITTY_IDS: AtomicU32 = AtomicU32::new(0);

    /// Draws images after the text of each screen.
    #[derive(Debug, Default)]
    pub struct Graphics(Option<Shown>);

    #[derive(Debug)]
    struct Shown {
        painter: Painter,
        /// Columns, lines, and the pixels of both.
        size: [u16; 4],
        clock: Clock,
        /// Until when, on the clock, no images are prepared.
        rests_until: Duration,
        /// How many bytes are sent for one screen.
        budget: usize,
    }

    impl Graphics {
        /// Asks the terminal, which must be in raw mode, what it understands.
        pub fn detect(choice: GraphicsChoice, clock: Clock) -> Self {
            let size = size();
            let variable = |name: &str| std::env::var(name).ok();
            let ask = |question: &str| detection::ask(question, || clock.elapsed());
            let tmux = detection::tmux_features;
            let support = detection::detect(choice, variable, cell(size), ask, tmux);
            let shown = |support: Support| Shown {
                painter: Painter::new(support),
                size,
                clock,
                rests_until: Duration::ZERO,
                budget: FIRST_BUDGET,
            };
            Self(support.map(shown))
        }

        /// Returns the images that the next screen can show, if the terminal has graphics.
        pub fn ready(&self) -> Option<&ReadyImages> {
            self.0.as_ref().map(|shown| shown.painter.ready())
        }

        /// Says whether images are shown, or may be in a moment.
        pub fn is_active(&self) -> bool {
            self.ready().is_some_and(|ready| ready.of.is_some())
        }

        /// Notes if the terminal has another size: then it shows none of the images any more.
        pub fn follow_size(&mut self, out: &mut impl Write) -> io::Result<()> {
            let Some(shown) = &mut self.0 else { return Ok(()) };
            let size = size();
            if size == shown.size {
                return Ok(());
            }
            shown.size = size;
            if let Some(cell) = cell(size) {
                shown.painter.set_cell(cell);
            }
            shown.rests_until = shown.clock.elapsed() + SETTLE_TIME;
            self.forget(out)
        }

        /// Deletes all images, which the terminal doesn't show any more.
        pub fn forget(&mut self, out: &mut impl Write) -> io::Result<()> {
            let Some(shown) = &mut self.0 else { return Ok(()) };
            // Those that were deleted as the terminal was given back are deleted no more.
            shown.painter.forget(&mut Vec::new());
            delete_images(out)
        }

        /// Shows the images of a screen whose text is written.
        pub fn show(&mut self, out: &mut impl Write, placed: &PlacedImages) -> io::Result<()> {
            let Some(shown) = &mut self.0 else { return Ok(()) };
            let start = shown.clock.elapsed();
            let mut bytes = Vec::new();
            let (clock, budget) = (shown.clock, shown.budget);
            let has_budget = |bytes| bytes < budget && clock.elapsed() < start + SENDING_TIME;
            shown.painter.paint(&mut bytes, placed, &has_budget, start >= shown.rests_until);
            let encoded = clock.elapsed();
            KITTY_IDS.store(shown.painter.kitty_ids(), Ordering::SeqCst);
            out.write_all(&bytes)?;
            out.flush()?;
            // A slow connection is ours for half of the time at most.
            let end = clock.elapsed();
            shown.rests_until = shown.rests_until.max(end + (end - encoded));
            if bytes.len() >= LEAST_BUDGET {
                shown.budget = bytes_in_time(bytes.len(), end - encoded);
            }
            Ok(())
        }

        /// Returns after which time another screen would show more images.
        pub fn next_due(&self) -> Option<Duration> {
            let shown = self.0.as_ref().filter(|shown| !shown.painter.is_complete())?;
            Some(shown.rests_until.saturating_sub(shown.clock.elapsed()).max(FRAME))
        }
    }

    /// Returns how many bytes the terminal takes in [`SENDING_TIME`], at the rate at which it took these.
    fn bytes_in_time(bytes: usize, time: Duration) -> usize {
        let bytes = bytes as f64 * SENDING_TIME.as_secs_f64() / time.as_secs_f64().max(1e-6);
        (bytes as usize).clamp(LEAST_BUDGET, MOST_BUDGET)
    }

    /// Deletes whatever images the terminal has.
    pub fn delete_images(out: &mut impl Write) -> io::Result<()> {
        let mut bytes = Vec::new();
        kitty::delete_first(&mut bytes, KITTY_IDS.swap(0, Ordering::SeqCst));
        out.write_all(&bytes)
    }

    fn size() -> [u16; 4] {
        let size = window_size()
            .map(|WindowSize { rows, columns, width, height }| [columns, rows, width, height]);
        size.unwrap_or_default()
    }

    /// Returns the size of a cell, if the system knows it.
    fn cell([columns, lines, width, height]: [u16; 4]) -> Option<CellPixels> {
        CellPixels::new(width.checked_div(columns)?, height.checked_div(lines)?)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_slow_connection_gets_fewer_bytes_at_once() {
            let second = Duration::from_secs(1);
            assert_eq!(bytes_in_time(1_000_000, second), 40_000);
            assert_eq!(bytes_in_time(10_000, second), LEAST_BUDGET);
            assert_eq!(bytes_in_time(50_000, Duration::ZERO), MOST_BUDGET);
        }

        #[test]
        fn images_are_deleted_once_whoever_gives_the_terminal_back() {
            KITTY_IDS.store(2, Ordering::SeqCst);
            let (mut first, mut second) = (Vec::new(), Vec::new());
            delete_images(&mut first).unwrap();
            delete_images(&mut second).unwrap();
            assert_eq!(first.iter().filter(|&&byte| byte == b'G').count(), 2);
            assert!(second.is_empty());
        }

        #[test]
        fn the_size_of_a_cell_is_known_where_the_system_tells_pixels() {
            assert_eq!(cell([80, 24, 805, 480]), CellPixels::new(10, 20));
            assert_eq!(cell([80, 24, 0, 0]), None);
            assert_eq!(cell([0, 0, 800, 480]), None);
        }
    }
}

#[cfg(not(feature = "graphics"))]
mod without_images {
    use crate::display::graphics::GraphicsChoice;
    use crate::display::graphics::tile_layer::{PlacedImages, ReadyImages};
    use crate::net::clock::Clock;
    use std::io::{self, Write};
    use std::time::Duration;

    /// Stands for graphics that no terminal has.
    #[derive(Debug, Default)]
    pub struct Graphics;

    impl Graphics {
        pub const fn detect(_: GraphicsChoice, _: Clock) -> Self {
            Self
        }

        pub const fn ready(&self) -> Option<&ReadyImages> {
            None
        }

        pub const fn is_active(&self) -> bool {
            false
        }

        pub fn follow_size(&mut self, _: &mut impl Write) -> io::Result<()> {
            Ok(())
        }

        pub fn forget(&mut self, _: &mut impl Write) -> io::Result<()> {
            Ok(())
        }

        pub fn show(&mut self, _: &mut impl Write, _: &PlacedImages) -> io::Result<()> {
            Ok(())
        }

        pub const fn next_due(&self) -> Option<Duration> {
            None
        }
    }

    pub fn delete_images(_: &mut impl Write) -> io::Result<()> {
        Ok(())
    }
}
