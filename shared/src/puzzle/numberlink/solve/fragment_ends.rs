//! The ends of drawn fragments.
//!
//! Every end stores the fragment's other end, and whether the fragment contains a number. An
//! untouched cell is its own fragment, and the two terminals of a number start as the ends of
//! one fragment. So a loop is detected as it closes, and a link between two numbers as it is
//! drawn. The mates are those of Knuth's Simpath (The Art of Computer Programming 4A, 7.1.4,
//! exercise 225).

use super::layout::{NUMBERED, ROOM};

/// The other end of the fragment that ends at a cell, with [`NUMBERED`] if it contains a number.
/// The entries of other cells are undefined.
#[derive(Debug, Clone)]
pub(super) struct FragmentEnds(Box<[u16; ROOM]>);

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct JoinUndo {
    ends: [u16; 2],
    were: [u16; 2],
}

impl FragmentEnds {
    pub fn new(mates: &[u16]) -> Self {
        let mut ends = Box::new([0; ROOM]);
        ends[..mates.len()].copy_from_slice(mates);
        Self(ends)
    }

    #[inline]
    pub fn mate(&self, end: usize) -> u16 {
        self.0[end % ROOM]
    }

    /// Joins two ends, or returns `None` if that closes a loop or joins two numbers.
    #[inline]
    pub fn join(&mut self, a: u16, b: u16) -> Option<JoinUndo> {
        let mates = [a, b].map(|end| self.mate(end.into()));
        let numbered = (mates[0] | mates[1]) & NUMBERED;
        let ends = mates.map(|mate| mate & !NUMBERED);
        if ends[0] == b {
            // The link is complete: neither the join nor its undo changes anything.
            let were = [mates[1], mates[0]];
            return (numbered != 0).then_some(JoinUndo { ends: [b, a], were });
        }
        if mates[0] & mates[1] & NUMBERED != 0 {
            return None;
        }
        self.0[usize::from(ends[0]) % ROOM] = ends[1] | numbered;
        self.0[usize::from(ends[1]) % ROOM] = ends[0] | numbered;
        let were = [a | mates[0] & NUMBERED, b | mates[1] & NUMBERED];
        Some(JoinUndo { ends, were })
    }

    #[inline]
    pub fn part(&mut self, join: JoinUndo) {
        self.0[usize::from(join.ends[1]) % ROOM] = join.were[1];
        self.0[usize::from(join.ends[0]) % ROOM] = join.were[0];
    }
}
