//! Practice: the player's own races, kept on this machine, and what follows from them.
//!
//! - [`race_recorder`] writes down the player's own race while it is raced.
//! - [`race_under_way`] saves it while it is raced, for a program that is killed.
//! - [`kept_race`] is what is kept of one race.
//! - [`kept_races`] is the folder in which races and their replays are kept.
//! - [`statistics`] computes averages, sessions and a histogram of them.
//! - [`ghost`] races a recorded race again, as a rival of the player's.

pub mod ghost;
pub mod kept_race;
pub mod kept_races;
pub mod race_recorder;
pub mod race_under_way;
pub mod statistics;
