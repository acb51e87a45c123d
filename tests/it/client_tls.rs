//! TLS of the client: which certificates it trusts, and how it reports others.

use crate::harness::{PATIENCE, TestServer, options};
use gridrace_client::bot::{BotConfig, BotPlayer, BotResources, Pace};
use gridrace_client::cli::exit_code::Exit;
use gridrace_client::cli::report::Report;
use gridrace_client::net::{Connection, Distrust, NetError, Tcp, Trust, connect_over};
use gridrace_client::session::Entry;
use gridrace_server::{ServerConfig, Tls};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::client::{ClientMessage, Entrant};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{Phase, Roster};
use gridrace_tables::TableStore;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::io::copy_bidirectional;
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

/// Connects; tries again after a timeout, as the machine may be busy.
async fn dial(tcp: &Tcp, scheme: &str, server: &TestServer) -> Result<Connection, NetError> {
    let address = format!("{scheme}{}", server.address);
    let dialling = async {
        loop {
            match connect_over(tcp, &address).await {
                Err(error) if error.may_retry() => {}
                outcome => return outcome,
            }
        }
    };
    timeout(PATIENCE, dialling).await.unwrap()
}

/// Returns why a server's certificate isn't trusted.
async fn distrust(tcp: &Tcp, server: &TestServer) -> Distrust {
    let error = dial(tcp, "wss://", server).await.unwrap_err();
    assert_eq!(Exit::from(&error), Exit::Unreachable);
    let NetError::Untrusted(why) = error else { panic!("{error:?}") };
    why
}

#[tokio::test]
async fn a_certificate_is_trusted_by_issuer_name_and_validity() {
    let authority = Authority::new();
    let tcp = authority.tcp();
    let server = authority.server("127.0.0.1", |_| {});
    for scheme in ["wss://", "https://"] {
        let connection = dial(&tcp, scheme, &server).await.unwrap();
        connection.close().await;
    }
    assert_eq!(distrust(&Tcp::default(), &server).await, Distrust::Signer);
    let stranger = Authority::new();
    assert_eq!(distrust(&stranger.tcp(), &server).await, Distrust::Signer);

    let server = authority.server("race.example", |_| {});
    assert_eq!(distrust(&tcp, &server).await, Distrust::Name);
    let server = authority.server("127.0.0.1", |params| {
        params.not_before = date_time_ymd(2019, 1, 1);
        params.not_after = date_time_ymd(2020, 1, 1);
    });
    assert_eq!(distrust(&tcp, &server).await, Distrust::Expired);
    let server = authority.server("127.0.0.1", |params| {
        params.not_before = date_time_ymd(4000, 1, 1);
    });
    assert_eq!(distrust(&tcp, &server).await, Distrust::Early);
}

#[tokio::test]
async fn a_self_signed_certificate_is_trusted_unless_it_is_an_authority_s() {
    for (is_ca, trusted) in [
        (IsCa::NoCa, None),
        (IsCa::ExplicitNoCa, None),
        (IsCa::Ca(BasicConstraints::Unconstrained), Some(Distrust::Authority)),
    ] {
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        params.is_ca = is_ca;
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        let folder = tempfile::tempdir().unwrap();
        let server = serve(folder.path(), &pem, &key);
        let tcp = Tcp::trusting(Trust::with(&folder.path().join("cert.pem")).unwrap());
        match trusted {
            None => dial(&tcp, "wss://", &server).await.unwrap().close().await,
            Some(why) => assert_eq!(distrust(&tcp, &server).await, why),
        }
    }
}

#[tokio::test]
async fn a_mismatch_of_tls_and_plain_is_reported() {
    let authority = Authority::new();
    let secure = authority.server("127.0.0.1", |_| {});
    let error = dial(&authority.tcp(), "ws://", &secure).await.unwrap_err();
    assert_eq!(error, NetError::NotPlain);
    assert_eq!(Exit::from(&error), Exit::Protocol);
    let plain = TestServer::start();
    let error = dial(&authority.tcp(), "wss://", &plain).await.unwrap_err();
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

/// Forwards connections to a server and returns the address; a change of the counter cuts them.
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

/// Opens a heat as its host, and watches it.
async fn open(host: &mut Connection) -> RoomCode {
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    let (options, seed, pin) = (options("slide:3x3"), None, None);
    let open = ClientMessage::Open { entrant, options, seed, pin };
    host.send(&open).await.unwrap();
    host.send(&ClientMessage::LeaveSeat).await.unwrap();
    loop {
        if let ServerMessage::Joined { heat, .. } = hear(host).await {
            return heat.code;
        }
    }
}

async fn hear(host: &mut Connection) -> ServerMessage {
    timeout(PATIENCE, host.next()).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_over_tls_has_its_identity_and_resumes_after_a_cut() {
    let authority = Authority::new();
    let tcp = authority.tcp();
    let server = authority.server("127.0.0.1", |_| {});
    let mut host = dial(&tcp, "wss://", &server).await.unwrap();
    let code = open(&mut host).await;
    let (cut, cuts) = watch::channel(0);
    let line = line_to(server.address, cuts).await;
    let config = BotConfig {
        skill: Skill::Expert,
        pace: Pace::times(5),
        seed: "one".parse().unwrap(),
        resources: BotResources::new(TableStore::default()),
    };
    let (entry, key) = (Entry::join(code), Key::from_bytes([7; 32]));
    let address = format!("wss://{line}");
    let names = || "R2".to_owned();
    let bot = BotPlayer::enter(&tcp, &address, &entry, names, config, Some(&key)).await.unwrap();
    let id = bot.id();
    let (over, mut reports) = mpsc::channel(8);
    let (_stop, stopped) = watch::channel(false);
    let playing = tokio::spawn(bot.play(false, over, stopped));
    host.send(&ClientMessage::Start).await.unwrap();
    let (mut identity, mut seen) = (None, 0);
    let result = loop {
        let heard = hear(&mut host).await;
        if let ServerMessage::Roster(Roster { members, .. }) = &heard {
            let of_bot = members.iter().find(|member| member.id == id);
            identity = of_bot.and_then(|bot| bot.identity).or(identity);
        }
        if let ServerMessage::Moves(moves) = &heard {
            if seen == 0 {
                cut.send_modify(|cuts| *cuts += 1);
            }
            seen += moves.len();
        }
        if let ServerMessage::Phase(Phase::Over(result)) = heard {
            break result;
        }
    };
    assert_eq!(identity, Some(key.public().fingerprint(true)));
    let row = &result.standings[0];
    assert!(matches!(row.state, State::Finished { .. }), "{row:?}");
    assert_eq!(row.moves.acts as usize, seen);
    assert!(Report::new(&reports.recv().await.unwrap()).is_proven());
    playing.await.unwrap().unwrap();
}
