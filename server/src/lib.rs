//! The race server.
