//! The ends of link fragments.

use super::row_layout::NUMBERED;

/// For each end of a fragment, its other end, and whether the fragment contains a number's
/// terminals. The entries of other cells are undefined.
#[derive(Debug, Default)]
pub(super) struct Mates {
    pub ends: Vec<u16>,
}

impl Mates {
    /// Joins the fragments that end in two cells and returns their mates, or `None` if that would
    /// close a loop or join two numbers.
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

    /// Undoes a join, given the former mates.
    pub(super) fn part(&mut self, a: usize, b: usize, [x, y]: [u16; 2]) {
        self.ends[usize::from(x & !NUMBERED)] = a as u16 | x & NUMBERED;
        self.ends[usize::from(y & !NUMBERED)] = b as u16 | y & NUMBERED;
        self.ends[a] = x;
        self.ends[b] = y;
    }
}
