//! States that have no solution below them: a bounded table of their names.

/// The name of a state: 64 bits of it mixed, never 0. Two states of the same name are taken
/// for the same. That does harm only where one of them is on the way to a solution, and of
/// those there is one a row: it goes wrong with a chance of one in 10^11 where the table is
/// full.
pub(super) type Name = u64;

/// Places a table begins with.
const LEAST: usize = 1 << 5;
/// Places it has at most: 8 MiB. Twice as many save 3 % of the choices at 15×15, and no
/// time.
const MOST: usize = 1 << 17;
/// Names that share a place.
const WAYS: usize = 8;

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
pub(super) struct Naming(u64);

impl Naming {
    /// Begins a name.
    pub const fn new(first: u64) -> Self {
        let mut naming = Self(0x9e37_79b9_7f4a_7c15);
        naming.add(first);
        naming
    }

    /// Mixes a word in: both halves of a product with an odd number.
    #[inline]
    pub const fn add(&mut self, word: u64) {
        let product = (self.0 ^ word) as u128 * 0xd1b5_4a32_d192_ed03;
        self.0 = (product as u64 ^ (product >> 64) as u64).wrapping_add(0x9fb2_1c65_1e98_df25);
    }

    /// Returns the name, which is never that of an empty place.
    pub const fn name(self) -> Name {
        if self.0 == 0 { 1 } else { self.0 }
    }
}

impl Place {
    const EMPTY: Self = Self([0; WAYS]);

    /// Says whether a name is held here.
    #[inline]
    pub fn holds(&self, name: Name) -> bool {
        self.0.contains(&name)
    }
}

impl Memo {
    /// Begins an empty one, which takes no room yet.
    pub const fn new() -> Self {
        Self { places: Vec::new(), held: 0 }
    }

    /// Returns the place where a name is, if it is held. It has to come from far away where
    /// the table is large: ask for it, do something else, and only then look at it.
    #[inline]
    pub fn place(&self, name: Name) -> &Place {
        self.places.get(self.index(name)).unwrap_or(&Place::EMPTY)
    }

    /// Holds a name, in place of another where there is no room.
    pub fn hold(&mut self, name: Name) {
        if self.held * 2 >= self.places.len() * WAYS && self.places.len() < MOST {
            self.grow();
        }
        let index = self.index(name);
        let ways = &mut self.places[index].0;
        match ways.iter_mut().find(|way| **way == 0) {
            Some(way) => {
                *way = name;
                self.held += 1;
            }
            None => ways[(name >> 32) as usize % WAYS] = name,
        }
    }

    fn grow(&mut self) {
        let size = (self.places.len() * 4).clamp(LEAST, MOST);
        let places = std::mem::replace(&mut self.places, vec![Place::EMPTY; size]);
        self.held = 0;
        let names = places.iter().flat_map(|place| place.0);
        for name in names.filter(|name| *name != 0) {
            let index = self.index(name);
            let ways = &mut self.places[index].0;
            if let Some(way) = ways.iter_mut().find(|way| **way == 0) {
                *way = name;
                self.held += 1;
            }
        }
    }

    /// Returns the index of a name's place: without a place, one that there isn't.
    const fn index(&self, name: Name) -> usize {
        name as usize & self.places.len().wrapping_sub(1)
    }
}
