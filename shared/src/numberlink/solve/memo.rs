//! States that have no solution below them: a bounded table of their names.

/// The name of a state: 128 bits of it mixed. Two states of the same name are taken for the
/// same; among a thousand million of them that happens with a chance of one in 10^20.
pub(super) type Name = [u64; 2];

/// Places a table begins with.
const LEAST: usize = 1 << 6;
/// Places it has at most: 16 MiB. Twice as many save 3 % of the choices at 15×15, and no
/// time.
const MOST: usize = 1 << 18;
/// Names that share a place.
const WAYS: usize = 4;

/// A place for names: one cache line, and never parts of two.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Place([Name; WAYS]);

/// A set of names that forgets some of them once it is full.
#[derive(Debug, Clone)]
pub(super) struct Memo {
    places: Vec<Place>,
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

impl Place {
    const EMPTY: Self = Self([[0; 2]; WAYS]);

    /// Says whether a name is held here.
    #[inline]
    pub fn holds(&self, name: Name) -> bool {
        self.0.contains(&name)
    }
}

impl Memo {
    /// Begins an empty one, which takes no room yet.
    pub const fn new() -> Self {
        Self {
            places: Vec::new(),
            held: 0,
        }
    }

    /// Returns the place where a name is, if it is held. It has to come from far away where
    /// the table is large: ask for it, do something else, and only then look at it.
    #[inline]
    pub fn place(&self, name: Name) -> Place {
        let place = self.places.get(self.index(name));
        place.copied().unwrap_or(Place::EMPTY)
    }

    /// Holds a name, in place of another where there is no room.
    pub fn hold(&mut self, name: Name) {
        if self.held * 2 >= self.places.len() * WAYS && self.places.len() < MOST {
            self.grow();
        }
        let index = self.index(name);
        let ways = &mut self.places[index].0;
        match ways.iter_mut().find(|way| way[1] == 0) {
            Some(way) => {
                *way = name;
                self.held += 1;
            }
            None => ways[(name[1] >> 1) as usize % WAYS] = name,
        }
    }

    fn grow(&mut self) {
        let size = (self.places.len() * 4).clamp(LEAST, MOST);
        let places = std::mem::replace(&mut self.places, vec![Place::EMPTY; size]);
        self.held = 0;
        let names = places.iter().flat_map(|place| place.0);
        for name in names.filter(|name| name[1] != 0) {
            let index = self.index(name);
            let ways = &mut self.places[index].0;
            if let Some(way) = ways.iter_mut().find(|way| way[1] == 0) {
                *way = name;
                self.held += 1;
            }
        }
    }

    /// Returns the index of a name's place: without a place, one that there isn't.
    const fn index(&self, name: Name) -> usize {
        (name[0] as usize / WAYS) & self.places.len().wrapping_sub(1)
    }
}
