//! The binary of the race server.
fn main() {}
