//! Records that are written, damaged, edited and verified.

mod edited;
mod format;
mod sample;

use super::*;
use crate::replay::{ServerKey, SignatureCheck};
use crate::util::time::{Millis, TournamentInstant};
use sample::sample;

fn server_key() -> ServerKey {
    ServerKey::from_bytes([7; 32])
}
