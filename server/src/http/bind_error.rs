//! Explains why a server can't listen: another gridrace server has the port, or another program,
//! and what to do.

use gridrace_lan::interfaces::shell_quoted;
use gridrace_shared::protocol::PATH;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long the program that has the port may take to answer: it is on this machine.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);
/// How much of its answer is read, in bytes: the head of a gridrace server's is far shorter.
const ANSWER_BYTES: u64 = 4 * 1024;

/// Says why `address` can't be listened on, by what it is taken, and what to do.
pub async fn explain_bind_error(address: SocketAddr, error: &io::Error) -> String {
    if error.kind() != ErrorKind::AddrInUse {
        return format!("can't listen on {address}: {error}");
    }
    let port = address.port();
    let free = shell_quoted(&SocketAddr::new(address.ip(), 0).to_string());
    let elsewhere = format!("--listen {free} takes a free port");
    let taken = reachable(address);
    match timeout(ANSWER_TIMEOUT, is_gridrace(taken)).await {
        Ok(Ok(true)) => {
            let taken = shell_quoted(&taken.to_string());
            format!(
                "port {port} is taken by a gridrace server: gridrace join {taken} joins it, \
                 gridrace host --on {taken} opens a room there; {elsewhere}"
            )
        }
        Ok(Ok(false) | Err(_)) | Err(_) => {
            format!(
                "port {port} is taken by another program, or by a gridrace server with TLS; {elsewhere}"
            )
        }
    }
}

/// Returns the address by which this machine reaches what listens on another.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Asks for the WebSocket as a plain page: a gridrace server answers what it is.
async fn is_gridrace(address: SocketAddr) -> io::Result<bool> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {PATH} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    Ok(answer.starts_with("HTTP/1.1 426") && answer.contains("gridrace server"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    /// Explains that the port of a listener is taken.
    async fn explain(taken: SocketAddr) -> String {
        let error = io::Error::from(ErrorKind::AddrInUse);
        explain_bind_error(taken, &error).await
    }

    #[tokio::test]
    async fn another_program_s_port_is_told_from_a_server_s() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let other = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(b"HTTP/1.1 404 Not Found\r\n\r\n").await.unwrap();
        });
        let text = explain(address).await;
        assert!(
            text.contains("by another program") && text.contains("--listen 127.0.0.1:0"),
            "{text}"
        );
        other.await.unwrap();
    }

    #[tokio::test]
    async fn what_answers_nothing_is_waited_for_no_longer_than_a_second() {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let text = explain(listener.local_addr().unwrap()).await;
        assert!(text.contains("by another program"), "{text}");
    }

    #[tokio::test]
    async fn brackets_are_quoted_for_the_shell() {
        // Nothing listens on port 1 of this machine.
        let text = explain(SocketAddr::from((Ipv6Addr::LOCALHOST, 1))).await;
        assert!(text.contains("--listen '[::1]:0' takes a free port"), "{text}");
    }

    #[tokio::test]
    async fn any_other_reason_is_the_system_s() {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 80));
        let error = io::Error::from(ErrorKind::PermissionDenied);
        let text = explain_bind_error(address, &error).await;
        assert!(text.starts_with("can't listen on 127.0.0.1:80: "), "{text}");
    }
}
