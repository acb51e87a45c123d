//! QR codes of links, for terminals and pages.

use fast_qr::{ECL, Module, QRBuilder};
use std::fmt::Write as _;

/// Light modules around the code, by ISO/IEC 18004. Scanners need them to find its corners.
pub const QUIET_ZONE: usize = 4;
/// The narrowest border that phones still read on a dark terminal.
pub const NARROW_QUIET_ZONE: usize = 2;
/// Black on white of xterm's 256 colours, which themes leave as they are, and the end of it.
const BLACK_ON_WHITE: &str = "\u{1b}[38;5;16;48;5;231m";
const RESET: &str = "\u{1b}[0m";

/// A QR code: a square of dark and light modules, without the border.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QrCode {
    size: usize,
    /// Row by row; true is dark.
    dark: Vec<bool>,
}

impl QrCode {
    /// Encodes a link, in the smallest code that holds it; `None` if none does.
    ///
    /// Scheme and host are written in capitals, which say the same and take less room.
    pub fn of_link(link: &str) -> Option<Self> {
        let text = with_capitals(link);
        let smallest = QRBuilder::new(text.as_str()).ecl(ECL::L).build().ok()?;
        // The best correction of errors that needs no larger code.
        let corrected = [ECL::H, ECL::Q, ECL::M].into_iter().find_map(|level| {
            let code = QRBuilder::new(text.as_str()).ecl(level).build().ok()?;
            (code.size == smallest.size).then_some(code)
        });
        let code = corrected.unwrap_or(smallest);
        let rows = (0..code.size).flat_map(|row| code[row].iter().take(code.size).copied());
        Some(Self { size: code.size, dark: rows.map(Module::value).collect() })
    }

    /// Returns the modules of a side, with a border of `quiet_zone` on both ends.
    pub const fn width(&self, quiet_zone: usize) -> usize {
        self.size + 2 * quiet_zone
    }

    /// Returns the code in half blocks, two modules above each other in a cell: dark modules are
    /// inked, so they are to be drawn in black on white.
    pub fn half_blocks(&self, quiet_zone: usize) -> Vec<String> {
        let width = self.width(quiet_zone);
        let cell = |row: usize, column: usize| match (
            self.is_dark(row, column, quiet_zone),
            self.is_dark(row + 1, column, quiet_zone),
        ) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        };
        let rows = (0..width).step_by(2);
        rows.map(|row| (0..width).map(|column| cell(row, column)).collect()).collect()
    }

    /// Returns the code as lines for a terminal, with its colours.
    pub fn terminal_lines(&self) -> Vec<String> {
        let lines = self.half_blocks(QUIET_ZONE).into_iter();
        lines.map(|line| format!("{BLACK_ON_WHITE}{line}{RESET}")).collect()
    }

    /// Returns the code as an SVG document, one unit a module: a line along the middle of each row.
    pub fn svg(&self) -> String {
        let width = self.width(QUIET_ZONE);
        let mut path = String::new();
        for row in 0..width {
            let modules: Vec<bool> =
                (0..width).map(|column| self.is_dark(row, column, QUIET_ZONE)).collect();
            for (n, run) in modules.chunk_by(|one, next| one == next).enumerate() {
                let length = run.len();
                // A String takes everything. Rows begin in the quiet zone.
                match (n, run[0]) {
                    (0, _) => write!(path, "M{length} {row}.5").ok(),
                    (_, true) => write!(path, "h{length}").ok(),
                    (_, false) => write!(path, "m{length} 0").ok(),
                };
            }
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {width}\" \
             shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h{width}v{width}H0z\"/>\
             <path stroke=\"#000\" d=\"{path}\"/></svg>"
        )
    }

    fn is_dark(&self, row: usize, column: usize, quiet_zone: usize) -> bool {
        let inside = |at: usize| at.checked_sub(quiet_zone).filter(|&at| at < self.size);
        let (Some(row), Some(column)) = (inside(row), inside(column)) else { return false };
        self.dark.get(row * self.size + column).copied().unwrap_or(false)
    }
}

/// Returns a link with its scheme and host in capitals; the path stays as it is.
fn with_capitals(link: &str) -> String {
    let host = link.find("://").map_or(0, |scheme| scheme + "://".len());
    let path = link[host..].find('/').map_or(link.len(), |length| host + length);
    link[..path].to_ascii_uppercase() + &link[path..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_of_a_room_takes_29_columns_and_15_lines() {
        let code = QrCode::of_link("http://192.168.178.55:7415/KQZT").unwrap();
        let lines = code.half_blocks(NARROW_QUIET_ZONE);
        assert_eq!((lines[0].chars().count(), lines.len()), (29, 15));
        assert!(lines.iter().all(|line| line.chars().count() == 29));
        assert_eq!(code.terminal_lines().len(), 17);
    }

    #[test]
    fn only_what_has_no_case_is_written_in_capitals() {
        assert_eq!(
            with_capitals("http://[2001:db8::1]:7415/t/cup"),
            "HTTP://[2001:DB8::1]:7415/t/cup"
        );
        assert_eq!(with_capitals("https://race.example"), "HTTPS://RACE.EXAMPLE");
    }

    #[test]
    fn the_border_is_light_and_the_corners_are_finders() {
        let code = QrCode::of_link("http://10.0.0.7:7415/KQZT").unwrap();
        let width = code.width(QUIET_ZONE);
        for at in 0..width {
            for border in (0..QUIET_ZONE).chain(width - QUIET_ZONE..width) {
                assert!(!code.is_dark(at, border, QUIET_ZONE));
                assert!(!code.is_dark(border, at, QUIET_ZONE));
            }
        }
        assert!((0..7).all(|at| code.is_dark(0, at, 0) && code.is_dark(at, 0, 0)));
        assert!(code.svg().contains("M4 4.5h7m"));
    }

    #[test]
    fn what_no_code_holds_has_none() {
        assert_eq!(QrCode::of_link(&"x".repeat(8_000)), None);
    }
}
