//! What a heat is described by: options, names, identities, standings, the seed's commitment.

pub mod commitment;
pub mod identity;
pub mod name;
pub mod options;
pub mod standings;
