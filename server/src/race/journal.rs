//! The journal of a room: checkpoints, and the events since.
//!
//! Absent from here: files. A journal holds inputs: what clients asked, what workers answered, and
//! when. Applied to the checkpoint they give the same room, effect for effect. A server continues
//! the rooms of the version before its own.

use super::persisted::PersistedRoom;
use super::persisted::checkpoint::{Checkpoint, CheckpointV5, GivenHintV5, HeatOptionsV5};
use super::{Event, HeatSecret, HintError, Newcomer};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::heat::resume_token::ResumeTokenHash;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::codec::{self, DecodeError, EncodeError};
use gridrace_shared::puzzle::HintStyle;
use gridrace_shared::util::time::HeatInstant;
use serde::de::DeserializeOwned;

/// The version of events and checkpoints. A change of their bytes raises it, and keeps a way to
/// read the version before; `tests/golden/journal*.txt` hold the bytes.
pub const VERSION: u16 = 6;
/// The version before.
const VERSION_5: u16 = 5;

/// The longest entry in bytes. The longest by far hold a generated board.
const ENTRY_LIMIT: usize = 1024 * 1024;
/// The longest checkpoint in bytes: some four of the largest boards with their undo history for
/// each of 32 players, and the moves that spectators don't see yet.
const CHECKPOINT_LIMIT: usize = 64 * 1024 * 1024;
/// The number of [`Event::Hinted`] in entries of version 5.
const HINTED_V5: u32 = 23;
/// The number of [`Event::Options`].
const OPTIONS: u32 = 5;
/// The number of [`Event::Join`].
const JOIN: u32 = 0;
/// The number of [`Event::Hint`].
const HINT: u32 = 14;
/// The length of an entry's length, which is in little-endian order.
const LENGTH: usize = 4;

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("an entry of {0} bytes is too long")]
    TooLong(usize),
    #[error("the journal breaks off at byte {0}")]
    BreaksOff(usize),
    #[error("no event at byte {at}: {error}")]
    Entry {
        /// Its first byte.
        at: usize,
        error: DecodeError,
    },
    #[error("no race: {0}")]
    Checkpoint(DecodeError),
    /// It was written by a version that this one can't read.
    #[error(
        "version {0} of the journal is not readable; this server reads {VERSION_5} and {VERSION}"
    )]
    Version(u16),
    /// No part of a room does this.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// Appends an event and its instant to a journal.
///
/// # Errors
/// [`JournalError::TooLong`]; the journal is as before.
pub fn append(journal: &mut Vec<u8>, at: HeatInstant, event: &Event) -> Result<(), JournalError> {
    let entry = codec::encode_binary(&(at, event))?;
    let length = u32::try_from(entry.len())
        .ok()
        .filter(|_| entry.len() <= ENTRY_LIMIT)
        .ok_or(JournalError::TooLong(entry.len()))?;
    journal.extend(length.to_le_bytes());
    journal.extend(entry);
    Ok(())
}

/// Reads a journal, or a part of one that holds whole entries.
pub fn read(journal: &[u8]) -> Result<Vec<(HeatInstant, Event)>, JournalError> {
    read_by(journal, codec::decode_binary::<_, ENTRY_LIMIT>)
}

fn read_by(
    journal: &[u8],
    decode: impl Fn(&[u8]) -> Result<(HeatInstant, Event), DecodeError>,
) -> Result<Vec<(HeatInstant, Event)>, JournalError> {
    let mut entries = Vec::new();
    let mut rest = journal;
    while !rest.is_empty() {
        let at = journal.len() - rest.len();
        let breaks_off = || JournalError::BreaksOff(at);
        let (length, behind) = rest.split_first_chunk::<LENGTH>().ok_or_else(breaks_off)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| breaks_off())?;
        let (entry, behind) = behind.split_at_checked(length).ok_or_else(breaks_off)?;
        entries.push(decode(entry).map_err(|error| JournalError::Entry { at, error })?);
        rest = behind;
    }
    Ok(entries)
}

/// Encodes a checkpoint of a room, the secret included.
///
/// # Errors
/// [`JournalError::TooLong`] for one that could not be read back.
pub(crate) fn checkpoint(room: &PersistedRoom) -> Result<Vec<u8>, JournalError> {
    let written = codec::encode_binary(&room.to_checkpoint())?;
    match written.len() {
        0..=CHECKPOINT_LIMIT => Ok(written),
        length => Err(JournalError::TooLong(length)),
    }
}

/// Decodes a checkpoint of this version.
pub(crate) fn restore(checkpoint: &[u8]) -> Result<PersistedRoom, JournalError> {
    decode::<Checkpoint>(checkpoint).map(PersistedRoom::from)
}

/// Restores a room from a checkpoint and the entries since, of this version or version 5.
///
/// # Errors
/// [`JournalError::Version`] for any other version, or why one of them can't be decoded.
pub(crate) fn recover(
    version: u16,
    checkpoint: &[u8],
    entries: &[u8],
) -> Result<PersistedRoom, JournalError> {
    let (mut room, entries) = match version {
        VERSION => (restore(checkpoint)?, read(entries)?),
        VERSION_5 => {
            (Checkpoint::from(decode::<CheckpointV5>(checkpoint)?).into(), read_v5(entries)?)
        }
        other => return Err(JournalError::Version(other)),
    };
    for (at, event) in entries {
        drop(room.apply(at, event));
    }
    Ok(room)
}

/// Reads entries of version 5, which numbers [`Event::Hinted`] otherwise; there, in
/// [`Event::Hint`], [`Event::Options`] and [`Event::Join`] it says less.
pub(super) fn read_v5(entries: &[u8]) -> Result<Vec<(HeatInstant, Event)>, JournalError> {
    read_by(entries, |entry| {
        let prefix = codec::decode_prefix::<(HeatInstant, u32), ENTRY_LIMIT>(entry)?;
        let ((at, number), rest) = prefix;
        let event = match number {
            HINTED_V5 => read_hinted_v5(rest),
            HINT => read_hint_v5(rest),
            OPTIONS => read_options_v5(rest),
            JOIN => read_join_v5(rest),
            _ => return codec::decode_binary::<_, ENTRY_LIMIT>(entry),
        };
        Ok((at, event?))
    })
}

/// That version had one style of hints.
fn read_hint_v5(fields: &[u8]) -> Result<Event, DecodeError> {
    let by = codec::decode_binary::<PlayerId, ENTRY_LIMIT>(fields)?;
    Ok(Event::Hint { by, style: HintStyle::Shortest })
}

fn read_hinted_v5(fields: &[u8]) -> Result<Event, DecodeError> {
    type Fields = (PlayerId, u32, Result<GivenHintV5, HintError>);
    let (by, number, outcome): Fields = codec::decode_binary::<_, ENTRY_LIMIT>(fields)?;
    Ok(Event::Hinted { by, number, outcome: outcome.map(Into::into) })
}

fn read_options_v5(fields: &[u8]) -> Result<Event, DecodeError> {
    type Fields = (PlayerId, HeatOptionsV5, HeatSecret);
    let (by, options, secret): Fields = codec::decode_binary::<_, ENTRY_LIMIT>(fields)?;
    Ok(Event::Options { by, options: options.into(), secret })
}

fn read_join_v5(fields: &[u8]) -> Result<Event, DecodeError> {
    type NewcomerV5 = (PlayerName, bool, Role, Option<Fingerprint>);
    type Fields = (PlayerId, NewcomerV5, ResumeTokenHash);
    let (id, newcomer, token): Fields = codec::decode_binary::<_, ENTRY_LIMIT>(fields)?;
    let (name, bot, role, identity) = newcomer;
    let newcomer = Newcomer { name, bot, role, identity, address: None };
    Ok(Event::Join { id, newcomer, token })
}

fn decode<T: DeserializeOwned>(checkpoint: &[u8]) -> Result<T, JournalError> {
    codec::decode_binary::<_, CHECKPOINT_LIMIT>(checkpoint).map_err(JournalError::Checkpoint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::heat::ids::{PlayerId, Seq};
    use gridrace_shared::puzzle::Move;
    use gridrace_shared::util::grid::Cell;

    fn journal() -> Vec<u8> {
        let by = PlayerId(1);
        let play = Move::Slide(Cell(3));
        let events = [Event::Start { by }, Event::Move { by, seq: Seq(1), play }, Event::Tick];
        let mut journal = Vec::new();
        for (at, event) in (1_000..).zip(events) {
            append(&mut journal, HeatInstant(at), &event).unwrap();
        }
        journal
    }

    #[test]
    fn a_journal_that_breaks_off_says_where() {
        let journal = journal();
        let whole = read(&journal).unwrap();
        assert_eq!(whole.len(), 3);
        assert_eq!(whole[2], (HeatInstant(1_002), Event::Tick));
        let bounds = (0..=journal.len()).filter(|&at| read(&journal[..at]).is_ok()).count();
        assert_eq!(bounds, 4);
        let fault = read(&journal[..journal.len() - 1]).unwrap_err();
        assert!(matches!(fault, JournalError::BreaksOff(at) if at > 0), "{fault}");
    }

    #[test]
    fn an_entry_with_too_many_bytes_or_with_foreign_ones_is_none() {
        let mut longer = journal();
        longer[0] += 1;
        longer.insert(LENGTH, 0);
        assert!(matches!(read(&longer), Err(JournalError::Entry { at: 0, .. })));
        let claims = u32::MAX.to_le_bytes();
        assert!(matches!(read(&claims), Err(JournalError::BreaksOff(0))));
        assert!(matches!(restore(&[7; 40]), Err(JournalError::Checkpoint(_))));
        assert!(matches!(recover(3, &[], &[]), Err(JournalError::Version(3))));
    }
}
