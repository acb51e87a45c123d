//! TLS of the server.

use crate::harness::{PATIENCE, TestServer, greeting, options};
use futures_util::{SinkExt, StreamExt};
use gridrace_server::{ServerConfig, Tls, TlsError};
use gridrace_shared::protocol::client::{ClientMessage, Entrant};
use gridrace_shared::protocol::{PATH, VERSION};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;

/// A self-signed certificate for this machine, in a temporary folder.
struct Paper {
    folder: tempfile::TempDir,
    der: CertificateDer<'static>,
}

impl Paper {
    fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("cert.pem"), made.cert.pem()).unwrap();
        let key = made.signing_key.serialize_pem();
        std::fs::write(folder.path().join("key.pem"), key).unwrap();
        Self { folder, der: made.cert.der().clone() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn load(&self, certificate: &str, key: &str) -> Result<Tls, TlsError> {
        Tls::load(&self.file(certificate), &self.file(key))
    }

    fn server(&self) -> TestServer {
        TestServer::start_with(ServerConfig {
            tls: Some(self.load("cert.pem", "key.pem").unwrap()),
            ..ServerConfig::default()
        })
    }

    /// Connects a client that trusts this certificate.
    async fn connect(&self, server: &TestServer) -> TlsStream<TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let stream = TcpStream::connect(server.address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let shaking = TlsConnector::from(Arc::new(config)).connect(name, stream);
        timeout(PATIENCE, shaking).await.unwrap().unwrap()
    }

    async fn get(&self, server: &TestServer, path: &str) -> String {
        let mut stream = self.connect(server).await;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        // The server may close without TLS's close_notify.
        timeout(PATIENCE, stream.read_to_string(&mut answer)).await.unwrap().ok();
        answer
    }
}

#[tokio::test]
async fn a_room_is_opened_over_tls() {
    let paper = Paper::new();
    let server = paper.server();
    let stream = paper.connect(&server).await;
    let url = format!("wss://localhost{PATH}");
    let (mut socket, response) =
        timeout(PATIENCE, client_async(url, stream)).await.unwrap().unwrap();
    assert_eq!(response.status(), 101);
    let open = ClientMessage::Open {
        entrant: Entrant { name: "Anna".to_owned(), bot: false },
        options: options("slide:3x3"),
        seed: None,
        pin: None,
    };
    // Once seated, the connection is served by the room's shard.
    for message in [greeting(VERSION), open, ClientMessage::Heats] {
        let text = serde_json::to_string(&message).unwrap();
        socket.send(Message::text(text)).await.unwrap();
    }
    let heard = async {
        loop {
            let text = socket.next().await.unwrap().unwrap().into_text().unwrap();
            if text.starts_with(r#"{"heats":[{"#) {
                return;
            }
        }
    };
    timeout(PATIENCE, heard).await.unwrap();
}

#[tokio::test]
async fn plain_http_on_a_tls_port_is_closed_and_blocks_no_other_client() {
    let paper = Paper::new();
    let server = paper.server();
    let mut plain = TcpStream::connect(server.address).await.unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    // The answer is a TLS alert or the end of the connection.
    timeout(PATIENCE, plain.read_to_end(&mut answer)).await.unwrap().ok();
    assert!(!answer.starts_with(b"HTTP/"));

    let answer = paper.get(&server, "/healthz").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn an_unfinished_tls_handshake_is_closed_and_blocks_no_other_client() {
    let paper = Paper::new();
    let server = paper.server();
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    // The header of a record that announces a ClientHello of 512 bytes.
    let mut half = TcpStream::connect(server.address).await.unwrap();
    half.write_all(&[22, 3, 1, 2, 0, 1]).await.unwrap();
    let answer = paper.get(&server, "/healthz").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    for slow in [&mut silent, &mut half] {
        let mut rest = Vec::new();
        timeout(PATIENCE, slow.read_to_end(&mut rest)).await.unwrap().ok(); // any kind of end
        assert_eq!(rest, b"");
    }
}

#[tokio::test]
async fn the_index_of_a_tls_server_shows_tls_addresses() {
    let paper = Paper::new();
    let index = paper.get(&paper.server(), "/").await;
    for wanted in ["gridrace join CODE wss://localhost\n", " wss://localhost/ws "] {
        assert!(index.contains(wanted), "{index}");
    }
}

#[test]
fn errors_in_certificate_and_key_files_are_reported() {
    let paper = Paper::new();
    let other = Paper::new();
    std::fs::copy(other.file("key.pem"), paper.file("other.pem")).unwrap();
    std::fs::write(paper.file("empty.pem"), "").unwrap();
    let said = |certificate, key| paper.load(certificate, key).unwrap_err().to_string();
    assert!(said("none.pem", "key.pem").contains("No such file"));
    assert!(said("empty.pem", "key.pem").contains("holds no certificate"));
    assert!(said("cert.pem", "empty.pem").contains("no private key"));
    assert!(said("cert.pem", "cert.pem").contains("no private key"));
    assert!(matches!(paper.load("cert.pem", "other.pem"), Err(TlsError::OtherKey)));
}
