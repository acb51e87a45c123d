//! The replay of a finished heat, from its server.

use crate::net::{Connection, NetError, Network};
use crate::session::{SessionError, request};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::{ReplayPart, ServerMessage};
use gridrace_shared::replay::MAX_REPLAY_BYTES;

/// Fetches the file of the replay of a finished heat by its name on the server, part by part. A
/// private room's is refused unless the connection has proved the key of one who raced in it.
///
/// # Errors
/// [`SessionError`] if the server refuses it, sends what is no file, or the connection is lost.
pub async fn fetch_replay<N: Network>(
    connection: &mut Connection<N>,
    heat: &str,
) -> Result<Vec<u8>, SessionError> {
    let mut file = Vec::new();
    loop {
        let from = u32::try_from(file.len()).map_err(|_| NetError::Malformed)?;
        let asked = ClientMessage::Replay { heat: heat.to_owned(), from };
        let part = request(connection, &asked, |message| {
            if let ServerMessage::Replay(part) = message { Some(part) } else { None }
        });
        if append(&mut file, part.await?)? {
            return Ok(file);
        }
    }
}

/// Appends the next part of a file; returns whether that was the last.
fn append(file: &mut Vec<u8>, part: ReplayPart) -> Result<bool, NetError> {
    let at = |position: u32| usize::try_from(position).map_err(|_| NetError::Malformed);
    let (from, total) = (at(part.from)?, at(part.total)?);
    let end = file.len().saturating_add(part.bytes.0.len());
    // A part without bytes would never lead to the end.
    if from != file.len() || part.bytes.0.is_empty() || end > total || total > MAX_REPLAY_BYTES {
        return Err(NetError::Malformed);
    }
    file.extend(part.bytes.0);
    Ok(end == total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::util::hex_bytes::HexBytes;

    fn part(from: u32, total: u32, bytes: &[u8]) -> ReplayPart {
        ReplayPart { from, total, bytes: HexBytes(bytes.to_vec()) }
    }

    #[test]
    fn parts_make_a_file_and_what_is_none_is_refused() {
        let mut file = Vec::new();
        assert_eq!(append(&mut file, part(0, 5, b"rep")), Ok(false));
        for wrong in [
            part(0, 5, b"rep"),
            part(3, 5, b""),
            part(3, 5, b"lay"),
            part(3, u32::MAX, b"la"),
            part(4, 5, b"a"),
        ] {
            assert_eq!(append(&mut file.clone(), wrong), Err(NetError::Malformed));
        }
        assert_eq!(append(&mut file, part(3, 5, b"la")), Ok(true));
        assert_eq!(file, b"repla");
    }
}
