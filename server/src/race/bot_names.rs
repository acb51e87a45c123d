//! The names of house bots.

use gridrace_shared::heat::player_name::PlayerName;

/// Short enough for a narrow screen; no two look alike.
const ANIMALS: [&str; 40] = [
    "Otter", "Badger", "Heron", "Lynx", "Marten", "Raven", "Viper", "Ibex", "Tapir", "Gecko",
    "Puffin", "Stoat", "Falcon", "Bison", "Jackal", "Newt", "Osprey", "Panda", "Quail", "Rhino",
    "Shrew", "Toad", "Urchin", "Walrus", "Yak", "Zebra", "Beaver", "Cobra", "Dingo", "Egret",
    "Ferret", "Goose", "Hare", "Impala", "Koala", "Lemur", "Moose", "Narwhal", "Ocelot", "Pike",
];

/// Returns the first animal whose name is free, with a number if all are taken.
pub(super) fn free_bot_name(is_taken: impl Fn(&PlayerName) -> bool) -> Option<PlayerName> {
    let plain = ANIMALS.into_iter().map(str::to_owned);
    let numbered =
        (2..).flat_map(|n| ANIMALS.into_iter().map(move |animal| format!("{animal} {n}")));
    plain
        .chain(numbered)
        // More names than there can be members and reserved seats: one is free.
        .take(2 * super::MAX_PLAYERS + super::MAX_SPECTATORS + ANIMALS.len())
        .filter_map(|name| name.parse().ok())
        .find(|name| !is_taken(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_animals_look_alike() {
        let names = ANIMALS.map(|animal| animal.parse::<PlayerName>().unwrap());
        for look in [PlayerName::skeleton, PlayerName::shape] {
            let looks: BTreeSet<String> = names.iter().map(look).collect();
            assert_eq!(looks.len(), ANIMALS.len());
        }
    }
}
