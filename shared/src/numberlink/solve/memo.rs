//! States that have no solution below them: a bounded table of their names.

/// The name of a state: 128 bits of it mixed. Two states of the same name are taken for the
/// same; among a thousand million of them that happens with a chance of one in 10^20.
pub(super) type Name = [u64; 2];

/// Names a table begins with.
const LEAST: usize = 1 << 8;
/// Names it holds at most: 32 MiB.
const MOST: usize = 1 << 21;
/// Names that share a place: one cache line.
const WAYS: usize = 4;

/// A set of names that forgets some of them once it is full.
#[derive(Debug, Clone)]
pub(super) struct Memo {
    names: Vec<Name>,
    held: usize,
}

/// Mixes words into a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Naming {
    a: u64,
    b: u64,
}

impl Naming {
    /// Begins a name.
    pub const fn new(first: u64) -> Self {
        Self {
            a: first ^ 0x9e37_79b9_7f4a_7c15,
            b: first.wrapping_add(0xd1b5_4a32_d192_ed03),
        }
    }

    /// Mixes a word in.
    #[inline]
    pub const fn add(&mut self, word: u64) {
        let a = (self.a ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.a = a ^ a >> 32;
        let b = (self.b.rotate_left(23) ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25);
        self.b = b ^ b >> 29;
    }

    /// Returns the name, which is never that of an empty place.
    pub const fn name(self) -> Name {
        [self.a, self.b | 1]
    }
}

impl Memo {
    /// Begins an empty one, which takes no room yet.
    pub const fn new() -> Self {
        Self {
            names: Vec::new(),
            held: 0,
        }
    }

    /// Says whether a name is held.
    #[inline]
    pub fn holds(&self, name: Name) -> bool {
        !self.names.is_empty() && self.names[self.place(name)..][..WAYS].contains(&name)
    }

    /// Holds a name, in place of another where there is no room.
    pub fn hold(&mut self, name: Name) {
        if self.held * 2 >= self.names.len() && self.names.len() < MOST {
            self.grow();
        }
        let place = self.place(name);
        let ways = &mut self.names[place..place + WAYS];
        match ways.iter_mut().find(|way| way[1] == 0) {
            Some(way) => {
                *way = name;
                self.held += 1;
            }
            None => ways[(name[1] >> 1) as usize % WAYS] = name,
        }
    }

    fn grow(&mut self) {
        let size = (self.names.len() * 4).clamp(LEAST, MOST);
        let names = std::mem::replace(&mut self.names, vec![[0; 2]; size]);
        self.held = 0;
        for name in names.into_iter().filter(|name| name[1] != 0) {
            let place = self.place(name);
            let ways = &mut self.names[place..place + WAYS];
            if let Some(way) = ways.iter_mut().find(|way| way[1] == 0) {
                *way = name;
                self.held += 1;
            }
        }
    }

    const fn place(&self, name: Name) -> usize {
        (name[0] as usize & (self.names.len() - 1)) & !(WAYS - 1)
    }
}
