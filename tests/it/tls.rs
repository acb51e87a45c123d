//! TLS: which certificates the client trusts, how it reports others, and what the server does with
//! peers that don't finish a handshake.

use crate::harness::{PATIENCE, TestServer, dial, options};
use gridrace_client::bot::{BotConfig, BotPlayer, BotResources, Pace};
use gridrace_client::cli::exit_code::Exit;
use gridrace_client::cli::report::HeatReport;
use gridrace_client::net::{Connection, NetError, Network, Tcp, Trust, UntrustedError};
use gridrace_client::session::{Entry, Session, SessionEvent};
use gridrace_server::{ServerConfig, Tls, TlsError};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::heat_view::HeatChange;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_tables::TableStore;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// A certificate authority, as a tournament may have one.
struct Authority {
    folder: TempDir,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        std::fs::write(folder.path().join("ca.pem"), pem).unwrap();
        let issuer = Issuer::new(params, key);
        Self { folder, issuer }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a server with a certificate for this machine.
    fn local_server(&self) -> TestServer {
        self.server("127.0.0.1", |_| {})
    }

    /// Starts a server with a certificate for a name, after `change`.
    fn server(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) -> TestServer {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let pem = params.signed_by(&key, &self.issuer).unwrap().pem();
        serve(self.folder.path(), &pem, &key)
    }

    /// Returns a network that trusts this authority.
    fn tcp(&self) -> Tcp {
        Tcp::trusting(Trust::with(&self.file("ca.pem")).unwrap())
    }

    /// Gets a page over TLS.
    async fn get(&self, server: &TestServer, path: &str) -> String {
        let address = format!("wss://{}", server.address).parse().unwrap();
        let tcp = self.tcp();
        let mut stream = timeout(PATIENCE, tcp.dial(&address)).await.unwrap().unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        // The server may close without TLS's close_notify.
        timeout(PATIENCE, stream.read_to_string(&mut answer)).await.unwrap().ok();
        answer
    }
}

fn serve(folder: &Path, certificate: &str, key: &KeyPair) -> TestServer {
    let (chain, secret) = (folder.join("cert.pem"), folder.join("key.pem"));
    std::fs::write(&chain, certificate).unwrap();
    std::fs::write(&secret, key.serialize_pem()).unwrap();
    TestServer::start_with(ServerConfig {
        tls: Some(Tls::load(&chain, &secret).unwrap()),
        ..ServerConfig::default()
    })
}

/// Connects to a server under a scheme.
async fn dial_by(tcp: &Tcp, scheme: &str, server: &TestServer) -> Result<Connection, NetError> {
    dial(tcp, &format!("{scheme}{}", server.address)).await
}

/// Returns why a server's certificate isn't trusted.
async fn distrust(tcp: &Tcp, server: &TestServer) -> UntrustedError {
    let error = dial_by(tcp, "wss://", server).await.unwrap_err();
    assert_eq!(Exit::from(&error), Exit::Unreachable);
    let NetError::Untrusted(why) = error else { panic!("{error:?}") };
    why
}

#[tokio::test]
async fn a_certificate_is_trusted_by_issuer_name_and_validity() {
    let authority = Authority::new();
    let tcp = authority.tcp();
    let server = authority.local_server();
    for scheme in ["wss://", "https://"] {
        let connection = dial_by(&tcp, scheme, &server).await.unwrap();
        connection.close().await;
    }
    assert_eq!(distrust(&Tcp::default(), &server).await, UntrustedError::Signer);
    let stranger = Authority::new();
    assert_eq!(distrust(&stranger.tcp(), &server).await, UntrustedError::Signer);

    let server = authority.server("race.example", |_| {});
    assert_eq!(distrust(&tcp, &server).await, UntrustedError::Name);
    let server = authority.server("127.0.0.1", |params| {
        params.not_before = date_time_ymd(2019, 1, 1);
        params.not_after = date_time_ymd(2020, 1, 1);
    });
    assert_eq!(distrust(&tcp, &server).await, UntrustedError::Expired);
    let server = authority.server("127.0.0.1", |params| {
        params.not_before = date_time_ymd(4000, 1, 1);
    });
    assert_eq!(distrust(&tcp, &server).await, UntrustedError::Early);
}

#[tokio::test]
async fn a_self_signed_certificate_is_trusted_unless_it_is_an_authority_s() {
    for (is_ca, trusted) in [
        (IsCa::NoCa, None),
        (IsCa::ExplicitNoCa, None),
        (IsCa::Ca(BasicConstraints::Unconstrained), Some(UntrustedError::Authority)),
    ] {
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        params.is_ca = is_ca;
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        let folder = tempfile::tempdir().unwrap();
        let server = serve(folder.path(), &pem, &key);
        let tcp = Tcp::trusting(Trust::with(&folder.path().join("cert.pem")).unwrap());
        match trusted {
            None => dial_by(&tcp, "wss://", &server).await.unwrap().close().await,
            Some(why) => assert_eq!(distrust(&tcp, &server).await, why),
        }
    }
}

#[tokio::test]
async fn a_mismatch_of_tls_and_plain_is_reported() {
    let authority = Authority::new();
    let secure = authority.local_server();
    let error = dial_by(&authority.tcp(), "ws://", &secure).await.unwrap_err();
    assert_eq!(error, NetError::NotPlain);
    assert_eq!(Exit::from(&error), Exit::Protocol);
    let plain = TestServer::start();
    let error = dial_by(&authority.tcp(), "wss://", &plain).await.unwrap_err();
    assert_eq!(error, NetError::NoTls);
    assert_eq!(Exit::from(&error), Exit::Protocol);
}

#[test]
fn a_file_without_certificates_is_reported() {
    let authority = Authority::new();
    let said = |name: &str, text: Option<&str>| {
        let file = authority.file(name);
        if let Some(text) = text {
            std::fs::write(&file, text).unwrap();
        }
        let why = Trust::with(&file).unwrap_err().to_string();
        assert!(why.contains(name), "{why}");
        why
    };
    assert!(said("none.pem", None).contains("No such file"));
    assert!(said("empty.pem", Some("")).contains("holds no certificate"));
    let nonsense = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(said("nonsense.pem", Some(nonsense)).contains("can't be used"));
    let key = KeyPair::generate().unwrap().serialize_pem();
    assert!(said("key.pem", Some(&key)).contains("holds no certificate"));
}

#[test]
fn errors_in_the_server_s_certificate_and_key_files_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let [made, other] =
        [(); 2].map(|()| rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap());
    for (name, text) in [
        ("cert.pem", made.cert.pem()),
        ("key.pem", made.signing_key.serialize_pem()),
        ("other.pem", other.signing_key.serialize_pem()),
        ("empty.pem", String::new()),
    ] {
        std::fs::write(file(name), text).unwrap();
    }
    let load = |certificate, key| Tls::load(&file(certificate), &file(key));
    let said = |certificate, key| load(certificate, key).unwrap_err().to_string();
    assert!(load("cert.pem", "key.pem").is_ok());
    assert!(said("none.pem", "key.pem").contains("No such file"));
    assert!(said("empty.pem", "key.pem").contains("holds no certificate"));
    assert!(said("cert.pem", "empty.pem").contains("no private key"));
    assert!(said("cert.pem", "cert.pem").contains("no private key"));
    assert!(matches!(load("cert.pem", "other.pem"), Err(TlsError::OtherKey)));
}

#[tokio::test]
async fn peers_without_a_whole_tls_handshake_are_closed_and_block_no_other_client() {
    let authority = Authority::new();
    let server = authority.local_server();
    let mut peers = Vec::new();
    // Silence, plain HTTP, and the header of a record that announces a ClientHello of 512 bytes.
    for sent in [&b""[..], b"GET / HTTP/1.1\r\n\r\n", &[22, 3, 1, 2, 0, 1]] {
        let mut peer = TcpStream::connect(server.address).await.unwrap();
        peer.write_all(sent).await.unwrap();
        peers.push(peer);
    }
    let answer = authority.get(&server, "/healthz").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    for mut peer in peers {
        let mut answer = Vec::new();
        // A TLS alert, or any kind of end.
        timeout(PATIENCE, peer.read_to_end(&mut answer)).await.unwrap().ok();
        assert!(!answer.starts_with(b"HTTP/"));
    }
}

#[tokio::test]
async fn the_index_of_a_tls_server_shows_tls_addresses() {
    let authority = Authority::new();
    let index = authority.get(&authority.local_server(), "/").await;
    for wanted in ["gridrace join CODE wss://localhost\n", " wss://localhost/ws "] {
        assert!(index.contains(wanted), "{index}");
    }
}

/// Forwards connections to a server, until the counter changes. Returns the address.
async fn line_to(server: SocketAddr, cuts: watch::Receiver<u32>) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut cuts = cuts.clone();
            cuts.mark_unchanged();
            tokio::spawn(async move {
                let mut server = TcpStream::connect(server).await.unwrap();
                tokio::select! {
                    // Both ends see the cut.
                    ended = copy_bidirectional(&mut client, &mut server) => drop(ended),
                    cut = cuts.changed() => drop(cut),
                }
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_over_tls_has_its_identity_and_resumes_after_a_cut() {
    let authority = Authority::new();
    let tcp = authority.tcp();
    let server = authority.local_server();
    let entry = Entry::Open { options: options("slide:3x3"), seed: None, pin: None };
    let address = format!("wss://{}", server.address);
    let name = || "Anna".to_owned();
    let mut host = Session::enter(&tcp, &address, &entry, name, None).await.unwrap();
    host.send(ClientMessage::LeaveSeat);
    let (cut, cuts) = watch::channel(0);
    let line = line_to(server.address, cuts).await;
    let config = BotConfig {
        skill: Skill::Expert,
        pace: Pace::times(5),
        seed: "one".parse().unwrap(),
        resources: BotResources::new(TableStore::default()),
    };
    let (entry, key) = (Entry::join(host.view().code), Key::from_bytes([7; 32]));
    let address = format!("wss://{line}");
    let names = || "R2".to_owned();
    let bot = BotPlayer::enter(&tcp, &address, &entry, names, config, Some(&key)).await.unwrap();
    let id = bot.id();
    let (over, mut reports) = mpsc::channel(8);
    let (_stop, stopped) = watch::channel(false);
    let playing = tokio::spawn(bot.play(false, over, stopped));
    host.send(ClientMessage::Start);
    let (mut identity, mut is_cut) = (None, false);
    while host.view().result().is_none() {
        let event = timeout(PATIENCE, host.next()).await.unwrap().unwrap();
        let of_bot = host.view().roster.members.iter().find(|member| member.id == id);
        identity = of_bot.and_then(|bot| bot.identity).or(identity);
        if event == SessionEvent::View(HeatChange::Boards) && !is_cut {
            cut.send_modify(|cuts| *cuts += 1);
            is_cut = true;
        }
    }
    assert!(is_cut);
    assert_eq!(identity, Some(key.public().fingerprint(true)));
    let row = &host.view().standings[0];
    assert!(matches!(row.state, RaceState::Finished { .. }), "{row:?}");
    assert!(HeatReport::new(&reports.recv().await.unwrap()).is_proven());
    playing.await.unwrap().unwrap();
}
