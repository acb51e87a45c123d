//! Arguments that name a room and its server, and their parser.

use crate::cli::exit_code::Failure;
use crate::net::address::{Address, LinkTarget, ServerLink, ServerNames};
use gridrace_shared::heat::ids::{RoomCode, RoomCodeError};
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::DEFAULT_PORT;
use std::ops::RangeInclusive;

/// The lengths of words that are codes, or mistyped ones.
const CODE_LENGTHS: RangeInclusive<usize> = 3..=5;

/// A room's code and a server's address, each where it was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoomPlace {
    /// The room; the only open one where there is no code.
    pub code: Option<RoomCode>,
    /// The server; one on this machine or nearby where there is none.
    pub address: Option<Address>,
    pub pin: Option<Pin>,
}

/// What is written on the command line for it.
#[derive(Debug, Clone, clap::Args)]
pub struct PlaceArgs {
    /// The room's code, the server's address, or both in either order: KQZT, 192.168.1.5,
    /// 192.168.1.5:7415, KQZT@192.168.1.5; or the room's link; your own names of servers, too
    #[arg(value_name = "CODE or ADDRESS", num_args = 0..=2)]
    place: Vec<String>,
    /// The room's PIN, if it has one
    #[arg(long, env = "GRIDRACE_PIN", hide_env_values = true)]
    pin: Option<Pin>,
}

impl PlaceArgs {
    /// Reads what was given, with the player's own names of servers.
    pub fn read(&self, servers: &ServerNames) -> Result<RoomPlace, Failure> {
        let mut place = RoomPlace { pin: self.pin.clone(), ..RoomPlace::default() };
        if let Some(why) = self.mistyped(servers) {
            return Err(Failure::usage(why));
        }
        for word in &self.place {
            place.take(word, servers).map_err(Failure::usage)?;
        }
        Ok(place)
    }

    /// Says what is wrong where neither of two words is a code, though one of them must be: the
    /// one that looks less like an address is one mistyped.
    fn mistyped(&self, servers: &ServerNames) -> Option<String> {
        let [one, two] = &self.place[..] else {
            return None;
        };
        let is_code = |word: &String| word.contains('@') || word.parse::<RoomCode>().is_ok();
        if is_code(one) || is_code(two) {
            return None;
        }
        let mut words = [one, two];
        words.sort_by_key(|word| (word.contains(['.', ':']), word.len()));
        // A server of the player's is no code, however it is called.
        words.sort_by_key(|word| servers.get(word).is_some());
        let [odd, _] = words;
        let error = odd.parse::<RoomCode>().err()?;
        let may_be_code = !odd.contains(['.', ':']) && servers.get(odd).is_none();
        may_be_code.then(|| no_code(odd, error))
    }
}

impl RoomPlace {
    fn take(&mut self, word: &str, servers: &ServerNames) -> Result<(), String> {
        if let Some((code, address)) = word.split_once('@') {
            self.take_code(code)?;
            return self.take_address(address, servers);
        }
        // Four letters of the codes' alphabet are a code first; a server of such a name
        // can be given after the code, or with its port.
        match word.parse::<RoomCode>() {
            // A link says a code, too, and may be followed by the same.
            Ok(code) if self.code.is_none() || self.address.is_some() => self.set_code(code)?,
            Err(error) if self.code.is_none() && looks_like_a_code(word, servers) => {
                let why = no_code(word, error);
                return Err(format!(
                    "{why}; a server of that name is written {word}:{DEFAULT_PORT}"
                ));
            }
            Ok(_) | Err(_) => self.take_address(word, servers)?,
        }
        Ok(())
    }

    fn take_code(&mut self, text: &str) -> Result<(), String> {
        let code = text.parse().map_err(|error| no_code(text, error))?;
        self.set_code(code)
    }

    fn set_code(&mut self, code: RoomCode) -> Result<(), String> {
        let other = self.code.replace(code).filter(|other| *other != code);
        other.map_or(Ok(()), |_| Err("two codes were given".to_owned()))
    }

    fn take_address(&mut self, text: &str, servers: &ServerNames) -> Result<(), String> {
        let ServerLink { address, target } = link(text, servers)?;
        match target {
            Some(LinkTarget::Room(code)) => self.set_code(code)?,
            Some(LinkTarget::Tournament(name)) => {
                return Err(format!(
                    "{text:?} leads to a tournament: gridrace tournament watch {name}@{address}"
                ));
            }
            None => {}
        }
        self.address.replace(address).map_or(Ok(()), |_| Err("two addresses were given".to_owned()))
    }
}

/// Reads a server's address, or the player's own name for a server.
pub fn server(text: &str, servers: &ServerNames) -> Result<Address, String> {
    servers.resolve(text).map_err(|error| format!("{text:?} isn't an address: {error}"))
}

/// Reads a link of a server's pages; an address alone, or the player's own name for it, is one too.
pub fn link(text: &str, servers: &ServerNames) -> Result<ServerLink, String> {
    servers.resolve_link(text).map_err(|error| format!("{text:?} isn't an address: {error}"))
}

/// Says whether a word may be a code with a letter wrong, too many or missing. Hosts with such
/// short names are rare, and can be given with their port.
fn looks_like_a_code(word: &str, servers: &ServerNames) -> bool {
    let is_short = CODE_LENGTHS.contains(&word.len());
    is_short
        && word.bytes().all(|letter| letter.is_ascii_alphanumeric())
        && servers.get(word).is_none()
}

fn no_code(word: &str, error: RoomCodeError) -> String {
    format!("{word:?} isn't a code: {error}, such as KQZT")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<(String, String), String> {
        let place = words.iter().map(ToString::to_string).collect();
        let mut servers = ServerNames::default();
        servers.insert("Club", "wss://race.example".parse().unwrap());
        let place = PlaceArgs { place, pin: None };
        let place = place.read(&servers).map_err(|failure| failure.why.to_string())?;
        let code = place.code.map_or_else(|| "-".to_owned(), |code| code.to_string());
        let address = place.address.map_or_else(|| "-".to_owned(), |it| it.to_string());
        Ok((code, address))
    }

    fn reads(words: &[&str], code: &str, address: &str) {
        assert_eq!(read(words), Ok((code.to_owned(), address.to_owned())), "{words:?}");
    }

    #[test]
    fn code_and_address_come_in_any_way() {
        reads(&[], "-", "-");
        reads(&["kqzt"], "KQZT", "-");
        reads(&["192.168.1.5"], "-", "192.168.1.5:7415");
        reads(&["192.168.1.5:80"], "-", "192.168.1.5:80");
        reads(&["KQZT@192.168.1.5"], "KQZT", "192.168.1.5:7415");
        reads(&["192.168.1.5", "KQZT"], "KQZT", "192.168.1.5:7415");
        reads(&["KQZT", "192.168.1.5"], "KQZT", "192.168.1.5:7415");
        reads(&["KQZT", "brmx"], "KQZT", "brmx:7415");
    }

    #[test]
    fn a_link_has_the_room_s_code() {
        reads(&["http://192.168.1.5:7415/KQZT"], "KQZT", "192.168.1.5:7415");
        reads(&["192.168.1.5/KQZT"], "KQZT", "192.168.1.5:7415");
        reads(&["KQZT", "https://race.example/KQZT"], "KQZT", "wss://race.example");
        reads(&["https://race.example/results"], "-", "wss://race.example");
        assert_eq!(
            read(&["BRMX", "https://race.example/KQZT"]),
            Err("two codes were given".to_owned())
        );
        reads(&["https://race.example/KQZT", "KQZT"], "KQZT", "wss://race.example");
        let other = read(&["https://race.example/KQZT", "BRMX"]);
        assert_eq!(other, Err("two codes were given".to_owned()));
        let tournament = read(&["https://race.example/t/friday"]).unwrap_err();
        assert!(tournament.ends_with("tournament watch friday@wss://race.example"), "{tournament}");
    }

    #[test]
    fn a_server_is_known_by_the_player_s_name_for_it() {
        reads(&["club"], "-", "wss://race.example");
        reads(&["KQZT", "CLUB"], "KQZT", "wss://race.example");
        reads(&["KQZT@club"], "KQZT", "wss://race.example");
        let why = read(&["KQZO", "club"]).unwrap_err();
        assert!(why.starts_with("\"KQZO\" isn't a code"), "{why}");
    }

    #[test]
    fn a_word_as_short_as_a_code_is_one_mistyped_unless_a_port_follows() {
        for word in ["kozt", "kqz", "kqztb", "kq2t"] {
            let why = read(&[word]).unwrap_err();
            assert!(why.contains("such as KQZT"), "{why}");
            assert!(why.contains(&format!("{word}:7415")), "{why}");
        }
        reads(&["nook:7415"], "-", "nook:7415");
        reads(&["KQZT", "nook"], "KQZT", "nook:7415");
        reads(&["KQZT@nook"], "KQZT", "nook:7415");
    }

    #[test]
    fn of_two_words_one_is_the_code_though_it_is_mistyped() {
        for words in [["ABC", "nook"], ["race.example", "kqzts"], ["localhost", "kq2t"]] {
            let odd = words.iter().min_by_key(|word| word.len()).unwrap();
            let why = read(&words).unwrap_err();
            assert!(why.starts_with(&format!("{odd:?} isn't a code")), "{why}");
        }
        let why = read(&["10.0.0.1", "10.0.0.2"]).unwrap_err();
        assert!(why.contains("two addresses"), "{why}");
    }

    #[test]
    fn what_is_neither_is_refused_with_its_reason() {
        for words in [
            &["KQZT@a", "KQZT@b"][..],
            &["10.0.0.1", "10.0.0.2"],
            &["AEIO@10.0.0.1"],
            &["a b"],
            &["10.0.0.1:99999"],
        ] {
            assert!(read(words).is_err(), "{words:?}");
        }
    }
}
