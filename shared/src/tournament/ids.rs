//! Entrants, and the keys of draws and results.

use crate::util::conversions::convert_as_text;
use serde::{Deserialize, Serialize};

/// An entrant of one tournament; numbered as they enter, never used twice. As a text it counts from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntrantId(pub u32);

impl std::fmt::Display for EntrantId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", u64::from(self.0) + 1)
    }
}

/// Names a round of a tournament. All numbers count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RoundKey {
    pub stage: u8,
    pub round: u16,
}

/// Names the result of one board at one table. All numbers count from 0.
///
/// A board that is raced again has a higher attempt; results of earlier attempts are void.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ResultKey {
    pub round: RoundKey,
    pub table: u16,
    pub board: u8,
    pub attempt: u16,
}

impl std::fmt::Display for RoundKey {
    /// Counts from 1, as people do.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stage {}, round {}", u16::from(self.stage) + 1, u32::from(self.round) + 1)
    }
}

impl std::fmt::Display for ResultKey {
    /// Counts from 1, as people do.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { round, table, board, attempt } = self;
        write!(f, "{round}, table {}, board {}", u32::from(*table) + 1, u16::from(*board) + 1)?;
        if *attempt > 0 { write!(f, ", attempt {}", u32::from(*attempt) + 1) } else { Ok(()) }
    }
}

/// Longest tag of a team in characters: what fits before a name.
pub const TEAM_TAG_CHARACTERS: usize = 6;

/// The tag of a team: 1 to [`TEAM_TAG_CHARACTERS`] of `A-Z 0-9`; read without regard to case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TeamTag(String);

/// A text that is no team's tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a team's tag has 1 to {TEAM_TAG_CHARACTERS} of the characters A-Z 0-9")]
pub struct TeamTagError;

impl std::str::FromStr for TeamTag {
    type Err = TeamTagError;

    fn from_str(text: &str) -> Result<Self, TeamTagError> {
        let fits = (1..=TEAM_TAG_CHARACTERS).contains(&text.len());
        if fits && text.bytes().all(|c| c.is_ascii_alphanumeric()) {
            Ok(Self(text.to_ascii_uppercase()))
        } else {
            Err(TeamTagError)
        }
    }
}

convert_as_text!(TeamTag);

impl std::fmt::Display for TeamTag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}

/// Longest name of a tournament: what fits a line of a list.
pub const TOURNAMENT_NAME_CHARACTERS: usize = 32;

/// The name by which a tournament is addressed: 1 to [`TOURNAMENT_NAME_CHARACTERS`] of `a-z 0-9 -`,
/// without `-` at either end; read without regard to case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TournamentName(String);

/// A text that is no name of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a tournament's name has 1 to {TOURNAMENT_NAME_CHARACTERS} of the characters a-z 0-9 -, and begins and ends with none of the last"
)]
pub struct TournamentNameError;

impl TournamentName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for TournamentName {
    type Err = TournamentNameError;

    fn from_str(text: &str) -> Result<Self, TournamentNameError> {
        let fits = (1..=TOURNAMENT_NAME_CHARACTERS).contains(&text.len());
        let plain = text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
        if fits && plain && !text.starts_with('-') && !text.ends_with('-') {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(TournamentNameError)
        }
    }
}

convert_as_text!(TournamentName);

impl std::fmt::Display for TournamentName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}

/// Names the record of a tournament: `friday` is the latest of that name, `friday~1` the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RecordName {
    pub tournament: TournamentName,
    /// Counts the tournaments of the name from 1, as they were opened.
    pub number: Option<u32>,
}

impl std::str::FromStr for RecordName {
    type Err = TournamentNameError;

    fn from_str(text: &str) -> Result<Self, TournamentNameError> {
        let Some((name, number)) = text.split_once('~') else {
            return Ok(Self { tournament: text.parse()?, number: None });
        };
        let number = number.parse().ok().filter(|&number| number > 0).ok_or(TournamentNameError)?;
        Ok(Self { tournament: name.parse()?, number: Some(number) })
    }
}

convert_as_text!(RecordName);

impl std::fmt::Display for RecordName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.tournament)?;
        self.number.map_or(Ok(()), |number| write!(f, "~{number}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_of_an_earlier_tournament_has_its_number() {
        for name in ["friday", "friday~1", "friday~20"] {
            assert_eq!(name.parse::<RecordName>().map(|it| it.to_string()), Ok(name.to_owned()));
        }
        for bad in ["", "friday~", "friday~0", "~1", "friday~x", "friday~1~2"] {
            assert_eq!(bad.parse::<RecordName>(), Err(TournamentNameError), "{bad}");
        }
    }

    #[test]
    fn a_team_s_tag_is_short_and_plain() {
        assert_eq!("red7".parse::<TeamTag>().map(|tag| tag.to_string()), Ok("RED7".to_owned()));
        for bad in ["", "a b", "sevenab", "é"] {
            assert_eq!(bad.parse::<TeamTag>(), Err(TeamTagError), "{bad}");
        }
    }

    #[test]
    fn a_tournament_s_name_fits_an_address() {
        let read = |text: &str| text.parse::<TournamentName>().map(|name| name.to_string());
        assert_eq!(read("Friday-7"), Ok("friday-7".to_owned()));
        assert_eq!(read(&"x".repeat(32)), Ok("x".repeat(32)));
        for bad in ["", "-", "a-", "a b", "a/b", "..", "é", &"x".repeat(33)] {
            assert_eq!(read(bad), Err(TournamentNameError), "{bad}");
        }
    }

    #[test]
    fn keys_are_shown_counted_from_one() {
        let round = RoundKey { stage: 1, round: 0 };
        let key = ResultKey { round, table: 2, board: 0, attempt: 1 };
        assert_eq!(key.to_string(), "stage 2, round 1, table 3, board 1, attempt 2");
    }
}
