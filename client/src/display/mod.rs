//! What every screen and table is drawn with: canvas, theme, terminal-safe text, formats.

pub mod canvas;
pub(crate) mod format;
pub mod safe_text;
pub mod theme;
