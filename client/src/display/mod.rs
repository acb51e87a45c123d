//! Drawing: canvas, theme, terminal-safe text, formats.

pub(crate) mod big_digits;
pub mod canvas;
pub(crate) mod color;
pub(crate) mod format;
pub mod graphics;
pub mod own_image;
pub mod safe_text;
pub mod symbols;
pub mod theme;
pub(crate) mod tournament_text;
