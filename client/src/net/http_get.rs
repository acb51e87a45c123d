//! One file of a server, over HTTP: the record of a tournament, which may have many megabytes and is
//! for all. Replays come over the WebSocket, where the player's key opens those of private rooms.

use crate::net::{NetError, Network};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

/// How long a whole answer may take: a record of a large tournament on a slow line.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);
/// The most bytes of an answer's head.
const MAX_HEAD: usize = 16 * 1024;

/// An error of an HTTP request.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error(transparent)]
    Net(#[from] NetError),
    #[error("the server has no such file")]
    NotFound,
    #[error("the server answers with status {0}")]
    Status(u16),
    #[error("the server's answer is cut off")]
    Malformed,
    #[error("the file has more than {0} bytes")]
    TooLong(usize),
}

/// Gets the file at a path, of at most `limit` bytes.
pub async fn get<N: Network>(
    network: &N,
    address: &str,
    path: &str,
    limit: usize,
) -> Result<Vec<u8>, HttpError> {
    let address: crate::net::address::Address = address.parse().map_err(NetError::from)?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        address.authority()
    );
    let lost = |error: std::io::Error| NetError::Lost(error.kind());
    let answer = async {
        let mut stream = network.dial(&address).await?;
        stream.write_all(request.as_bytes()).await.map_err(lost)?;
        let mut answer = Vec::new();
        let most = u64::try_from(limit.saturating_add(MAX_HEAD)).unwrap_or(u64::MAX);
        stream.take(most).read_to_end(&mut answer).await.map_err(lost)?;
        Ok::<_, NetError>(answer)
    };
    let answer = timeout(ANSWER_TIMEOUT, answer).await.map_err(|_| NetError::TimedOut)??;
    body(&answer, limit)
}

/// Returns the body of an answer, which must have the length that its head says.
fn body(answer: &[u8], limit: usize) -> Result<Vec<u8>, HttpError> {
    const END: &[u8] = b"\r\n\r\n";
    let end = answer.windows(END.len()).position(|window| window == END);
    if !answer.starts_with(b"HTTP/1.1 ") && !answer.is_empty() {
        return Err(NetError::NotGridrace.into());
    }
    let end = end.filter(|end| *end <= MAX_HEAD).ok_or(HttpError::Malformed)?;
    let (head, body) = answer.split_at(end);
    let body = body.get(END.len()..).ok_or(HttpError::Malformed)?;
    let head = std::str::from_utf8(head).map_err(|_| HttpError::Malformed)?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 "));
    let status = status.and_then(|status| status.get(..3)?.parse::<u16>().ok());
    match status.ok_or(NetError::NotGridrace)? {
        200 => {}
        404 => return Err(HttpError::NotFound),
        other => return Err(HttpError::Status(other)),
    }
    let length = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    match length.ok_or(HttpError::Malformed)? {
        length if length > limit => Err(HttpError::TooLong(limit)),
        length if length == body.len() => Ok(body.to_vec()),
        _ => Err(HttpError::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_taken_whole_or_not_at_all() {
        let read = |answer: &str| body(answer.as_bytes(), 4).map_err(|error| error.to_string());
        assert_eq!(read("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nab"), Ok(b"ab".to_vec()));
        assert!(read("HTTP/1.1 404 Not Found\r\n\r\n").unwrap_err().contains("no such file"));
        assert!(read("HTTP/1.1 503 Busy\r\n\r\n").unwrap_err().contains("503"));
        for cut in
            ["", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab", "HTTP/1.1 200 OK\r\n\r\nab"]
        {
            assert!(read(cut).unwrap_err().contains("cut off"), "{cut}");
        }
        for other in ["SSH-2.0\r\n", "HTTP/1.0 404 Not Found\r\n\r\n"] {
            let error = body(other.as_bytes(), 4).unwrap_err();
            assert!(matches!(error, HttpError::Net(NetError::NotGridrace)), "{other}");
        }
        let long = read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde");
        assert!(long.unwrap_err().contains("more than 4 bytes"));
    }
}
