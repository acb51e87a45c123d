//! Servers on free ports, and clients.

mod client;
pub(crate) mod raw;
mod records;

pub(crate) use client::{TestClient, dial, join, pick};
pub(crate) use raw::RawSocket;
use records::Records;

use gridrace_client::session::ResumeTicket;
use gridrace_server::store::Data;
use gridrace_server::{Server, ServerConfig};
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::codec::Codec;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;
use tokio::net::TcpSocket;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long a test waits: far above what anything takes, so that only what never happens fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Shards of a server, so that connections move from one to another.
const SHARDS: usize = 2;

pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    /// The stored heats, which are verified at the end.
    pub(crate) records: Records,
}

impl TestServer {
    /// Starts a server on a free port.
    pub(crate) fn start() -> Self {
        Self::start_with(ServerConfig::default())
    }

    pub(crate) fn start_with(config: ServerConfig) -> Self {
        Self::listen(TcpSocket::new_v4().unwrap(), config)
    }

    /// Starts a server with its data in `folder`.
    pub(crate) fn start_at(folder: &Path) -> Self {
        Self::start_with(stored_at(folder))
    }

    /// A room of Anna, its host, and Ben, who speaks JSON.
    pub(crate) async fn two_players(&self, options: &HeatOptions) -> (TestClient, TestClient) {
        let (mut anna, mut ben) = (self.client().await, self.json_client().await);
        let code = anna.open("Anna", options).await;
        ben.join(code, "Ben", Role::Player).await;
        anna.until_members(2).await;
        (anna, ben)
    }

    /// A heat of Anna and Ben that runs.
    pub(crate) async fn two_racers(&self, options: &HeatOptions) -> (TestClient, TestClient) {
        let (mut anna, mut ben) = self.two_players(options).await;
        anna.start().await;
        ben.until_go().await;
        (anna, ben)
    }

    /// Asks the server to stop.
    pub(crate) fn begin_to_stop(self) -> JoinHandle<()> {
        self.stop.send(()).unwrap();
        self.task
    }

    /// Connects a client that speaks binary.
    pub(crate) async fn client(&self) -> TestClient {
        TestClient::connect(self.address, Codec::Binary).await
    }

    /// Connects a client that speaks JSON.
    pub(crate) async fn json_client(&self) -> TestClient {
        TestClient::connect(self.address, Codec::Json).await
    }

    /// Resumes a seat on a new connection, in JSON.
    pub(crate) async fn resume(&self, ticket: &ResumeTicket) -> TestClient {
        let mut client = self.json_client().await;
        client.resume(ticket).await;
        client
    }

    /// Starts a server without a store.
    pub(crate) fn start_ephemeral() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        Self::listen_with(socket, ServerConfig::default(), Records::none())
    }

    fn listen(socket: TcpSocket, mut config: ServerConfig) -> Self {
        let records = Records::of(&mut config);
        Self::listen_with(socket, config, records)
    }

    fn listen_with(socket: TcpSocket, mut config: ServerConfig, records: Records) -> Self {
        if config.shards == 0 {
            config.shards = SHARDS;
        }
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let server = Server::new(socket.listen(64).unwrap(), config).unwrap();
        let address = server.address();
        let (stop, asked) = oneshot::channel();
        let task = tokio::spawn(server.run(async {
            asked.await.ok(); // a test that ends without asking ends the server as well
        }));
        Self { address, stop, task, records }
    }
}

/// A configuration with the data in `folder`.
pub(crate) fn stored_at(folder: &Path) -> ServerConfig {
    ServerConfig { data: Data::At(folder.to_owned()), ..ServerConfig::default() }
}

/// Waits for a server that was asked to stop.
pub(crate) async fn stopped(task: JoinHandle<()>) {
    timeout(PATIENCE, task).await.expect("an end").unwrap();
}

/// Options of a heat that begins as soon as it may.
pub(crate) fn options(spec: &str) -> HeatOptions {
    HeatOptions {
        countdown_seconds: 1,
        time_limit_seconds: 120,
        hints: HintRule::Off,
        delay_seconds: 0,
        ..HeatOptions::new(spec.parse().unwrap())
    }
}
