//! The data of a heat: options, names, identities, standings, the seed's commitment, averages of
//! several heats.

pub mod averages;
pub mod commitment;
pub mod identity;
pub mod ids;
pub mod options;
pub mod pin;
pub mod player_kind;
pub mod player_name;
pub mod resume_token;
pub mod short_text;
pub mod speed;
pub mod standings;
