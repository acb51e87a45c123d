//! Short lines of text for all members of a room: a room's name, an announcement.

use crate::heat::player_name::is_displayable;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Bytes that a grapheme may take on average: more than any script needs without stacked marks.
const BYTES_PER_GRAPHEME: usize = 4;

/// The name of a room that the server's configuration opens; short enough for a list.
pub type RoomName = ShortText<24>;
/// What a host says to everybody; two lines of a small terminal.
pub type Announcement = ShortText<120>;

/// One line: NFC, 1 to `GRAPHEMES` graphemes, nothing that steers a terminal or reorders text.
///
/// ```
/// use gridrace_shared::heat::short_text::{Announcement, ShortTextError};
/// let text: Announcement = " Pause until 8 ".parse()?;
/// assert_eq!(text.as_str(), "Pause until 8");
/// assert_eq!("a\nb".parse::<Announcement>(), Err(ShortTextError::Forbidden));
/// # Ok::<(), ShortTextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ShortText<const GRAPHEMES: usize>(String);

/// An error in a short text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ShortTextError {
    /// Nothing is left after spaces at both ends are taken off.
    #[error("the text has at least one character")]
    Empty,
    #[error("the text has at most {most} characters")]
    TooLong { most: u16 },
    #[error("the text is one line without control or invisible characters")]
    Forbidden,
}

impl<const GRAPHEMES: usize> ShortText<GRAPHEMES> {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const GRAPHEMES: usize> std::str::FromStr for ShortText<GRAPHEMES> {
    type Err = ShortTextError;

    fn from_str(text: &str) -> Result<Self, ShortTextError> {
        let most = BYTES_PER_GRAPHEME * GRAPHEMES;
        let too_long =
            ShortTextError::TooLong { most: u16::try_from(GRAPHEMES).unwrap_or(u16::MAX) };
        let text = text.trim();
        if text.len() > 4 * most {
            return Err(too_long);
        }
        let text: String = text.nfc().collect();
        if text.is_empty() {
            return Err(ShortTextError::Empty);
        }
        if !text.chars().all(is_displayable) {
            return Err(ShortTextError::Forbidden);
        }
        if text.len() > most || text.graphemes(true).count() > GRAPHEMES {
            return Err(too_long);
        }
        Ok(Self(text))
    }
}

impl<const GRAPHEMES: usize> TryFrom<String> for ShortText<GRAPHEMES> {
    type Error = ShortTextError;

    fn try_from(text: String) -> Result<Self, ShortTextError> {
        text.parse()
    }
}

impl<const GRAPHEMES: usize> From<ShortText<GRAPHEMES>> for String {
    fn from(text: ShortText<GRAPHEMES>) -> Self {
        text.0
    }
}

impl<const GRAPHEMES: usize> std::fmt::Display for ShortText<GRAPHEMES> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_bounded_line() {
        let read = |text: &str| text.parse::<RoomName>().map(String::from);
        assert_eq!(read("  Freitag, 8 Uhr "), Ok("Freitag, 8 Uhr".to_owned()));
        assert_eq!(read(&"東".repeat(24)), Ok("東".repeat(24)));
        assert_eq!(read("  "), Err(ShortTextError::Empty));
        for long in ["x".repeat(25), "e\u{301}\u{323}".repeat(500), "x".repeat(100_000)] {
            assert_eq!(read(&long), Err(ShortTextError::TooLong { most: 24 }));
        }
        for bad in ["two\nlines", "\u{1b}[2J", "a\u{202e}b", "zero\u{200b}width"] {
            assert_eq!(read(bad), Err(ShortTextError::Forbidden), "{bad:?}");
        }
    }
}
