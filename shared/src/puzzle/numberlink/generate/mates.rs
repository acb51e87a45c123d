//! What each fragment of a link ends in.

use super::row_layout::NUMBERED;

/// By cell, where a fragment ends: its other end, and whether a number's terminals hang on
/// it. Of other cells the entry means nothing.
#[derive(Debug, Default)]
pub(super) struct Mates {
    pub ends: Vec<u16>,
}

impl Mates {
    /// Joins the fragments that end in two cells and returns their mates; nothing, where
    /// that would close a loop or join two numbers.
    pub(super) fn join(&mut self, a: usize, b: usize) -> Option<[u16; 2]> {
        let mates = [self.ends[a], self.ends[b]];
        let numbered = (mates[0] | mates[1]) & NUMBERED;
        let [far, near] = mates.map(|mate| mate & !NUMBERED);
        if usize::from(far) == b {
            return (numbered != 0).then_some(mates);
        }
        if mates[0] & mates[1] & NUMBERED != 0 {
            return None;
        }
        self.ends[usize::from(far)] = near | numbered;
        self.ends[usize::from(near)] = far | numbered;
        Some(mates)
    }

    /// Takes a joining back, given the mates from before.
    pub(super) fn part(&mut self, a: usize, b: usize, [x, y]: [u16; 2]) {
        self.ends[usize::from(x & !NUMBERED)] = a as u16 | x & NUMBERED;
        self.ends[usize::from(y & !NUMBERED)] = b as u16 | y & NUMBERED;
        self.ends[a] = x;
        self.ends[b] = y;
    }
}
