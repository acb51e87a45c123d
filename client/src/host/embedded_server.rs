//! A server inside this program.

use gridrace_lan::interfaces::{self, written};
use gridrace_server::platform::rlimit;
use gridrace_server::{Server, ServerConfig, ServerError, UsageQuery};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_tables::{Cache, TableStore};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The time for farewells at shutdown: the server promises two seconds.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(2_200);

/// A server that runs in this program until it is stopped or dropped.
#[derive(Debug)]
pub struct RunningServer {
    /// The address for this program itself.
    pub address: String,
    /// The addresses for others on the network, the likeliest first; none where only
    /// this machine may join.
    pub invitation: Vec<String>,
    /// The codes of the rooms that stand as long as the server does.
    pub standing: Vec<RoomCode>,
    /// The codes of the rooms that go on from an earlier program.
    pub going_on: Vec<RoomCode>,
    /// The one of those in which a seat waits for this player, if there is one.
    pub waiting: Option<RoomCode>,
    /// Says what there is on it.
    pub usage: UsageQuery,
    /// The tables of its solvers, for this program's own bots as well.
    pub tables: TableStore,
    shutdown: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl RunningServer {
    /// Returns the addresses to tell others: those for the network, or this machine's alone.
    pub fn addresses(&self) -> &[String] {
        match &self.invitation[..] {
            [] => std::slice::from_ref(&self.address),
            outward => outward,
        }
    }

    /// Sends every client a farewell, then ends.
    pub async fn stop(self) {
        // Dropping the sender asks the server to shut down.
        drop(self.shutdown);
        // A server that isn't done by then ends with the program.
        tokio::time::timeout(SHUTDOWN_TIMEOUT, self.task).await.ok();
    }
}

#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// No port could be listened on.
    #[error("can't listen: {0}")]
    Listen(#[source] io::Error),
    /// The server refused its configuration or data.
    #[error(transparent)]
    Server(#[from] ServerError),
}

/// Starts a server for this machine alone, on any free port.
pub fn host() -> Result<RunningServer, HostError> {
    rlimit::raise_open_files();
    let listener =
        gridrace_server::listen((Ipv4Addr::LOCALHOST, 0).into()).map_err(HostError::Listen)?;
    let config =
        ServerConfig { tables: TableStore::new(Cache::choose(None)), ..ServerConfig::default() };
    serve(listener, config, None)
}

/// Starts a server on a listener, for a player who has this key.
pub fn serve(
    listener: TcpListener,
    config: ServerConfig,
    key: Option<&Key>,
) -> Result<RunningServer, HostError> {
    let tables = config.tables.clone();
    let server = Server::new(listener, config)?;
    let listening = server.address();
    let (address, invitation) = (own_address(listening).to_string(), invitation(listening));
    let standing = server.standing().to_vec();
    let going_on = server.recovered();
    let waiting = key.and_then(|key| server.waiting_for(key.public().fingerprint(false)));
    let usage = server.usage_query();
    let (shutdown, asked) = oneshot::channel();
    let task = tokio::spawn(server.run(async {
        // Sent or dropped, it means the same.
        asked.await.ok();
    }));
    Ok(RunningServer {
        address,
        invitation,
        standing,
        going_on,
        waiting,
        usage,
        tables,
        shutdown,
        task,
    })
}

/// Returns the address under which this program itself finds the server.
fn own_address(listening: SocketAddr) -> SocketAddr {
    if listening.ip().is_unspecified() {
        (Ipv4Addr::LOCALHOST, listening.port()).into()
    } else {
        listening
    }
}

/// Returns the addresses of this machine; on one that has no network, the only one left.
fn invitation(listening: SocketAddr) -> Vec<String> {
    if listening.ip().is_loopback() {
        return Vec::new();
    }
    let all = interfaces::addresses(listening);
    let outward: Vec<String> = all
        .iter()
        .filter(|address| !address.ip().is_loopback())
        .map(|&address| written(address))
        .collect();
    if outward.is_empty() {
        return vec![written((Ipv4Addr::LOCALHOST, listening.port()).into())];
    }
    outward
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{self, NetError, Tcp};
    use crate::session::tournament_message;
    use gridrace_server::store::Data;
    use gridrace_shared::heat::options::HeatOptions;
    use gridrace_shared::protocol::client::{ClientMessage, Entrant};
    use gridrace_shared::protocol::server::ServerMessage;
    use gridrace_shared::protocol::tournament::TournamentRequest;
    use gridrace_shared::tournament::ids::TournamentName;
    use gridrace_shared::tournament::settings::TournamentSettings;

    fn on(folder: &std::path::Path) -> ServerConfig {
        ServerConfig { data: Data::At(folder.to_owned()), ..ServerConfig::default() }
    }

    async fn serving(folder: &std::path::Path, key: &Key) -> RunningServer {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        serve(listener, on(folder), Some(key)).unwrap()
    }

    #[tokio::test]
    async fn a_program_that_is_started_again_knows_the_rooms_and_its_player_s_seat() {
        let folder = tempfile::tempdir().unwrap();
        let keys = [1, 2].map(|byte| Key::from_bytes([byte; 32]));
        let hosted = serving(folder.path(), &keys[0]).await;
        assert_eq!((hosted.going_on.len(), hosted.waiting), (0, None));
        let mut connection = net::connect_over(&Tcp::default(), &hosted.address).await.unwrap();
        connection.identify(&keys[0], false).await.unwrap();
        let open = ClientMessage::Open {
            entrant: Entrant { name: "Anna".to_owned(), bot: false },
            options: HeatOptions::new("slide:3x3".parse().unwrap()),
            seed: None,
            pin: None,
        };
        connection.send(&open).await.unwrap();
        let code = loop {
            if let ServerMessage::Joined { room, .. } = connection.next().await.unwrap() {
                break room.code;
            }
        };
        hosted.stop().await;
        for (key, waiting) in [(&keys[0], Some(code)), (&keys[1], None)] {
            let hosted = serving(folder.path(), key).await;
            assert_eq!((&hosted.going_on[..], hosted.waiting), (&[code][..], waiting));
            hosted.stop().await;
        }
    }

    #[tokio::test]
    async fn a_server_tells_which_tournaments_run_on_it_and_whether_they_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let key = Key::from_bytes([1; 32]);
        let hosted = [host().unwrap(), serving(folder.path(), &key).await];
        for (hosted, is_kept) in hosted.into_iter().zip([false, true]) {
            assert_eq!(hosted.usage.open_tournaments(), []);
            let mut connection = net::connect_over(&Tcp::default(), &hosted.address).await.unwrap();
            connection.identify(&key, false).await.unwrap();
            let name: TournamentName = "friday".parse().unwrap();
            let open = TournamentRequest::Open {
                name: name.clone(),
                plan: "series:3".parse().unwrap(),
                settings: TournamentSettings::new("slide:3x3".parse().unwrap()),
                pin: None,
            };
            connection.send(&tournament_message(open)).await.unwrap();
            while !matches!(connection.next().await.unwrap(), ServerMessage::Tournament(_)) {}
            assert_eq!(hosted.usage.open_tournaments(), [name]);
            assert_eq!(hosted.usage.is_kept(), is_kept);
            hosted.stop().await;
        }
    }

    #[tokio::test]
    async fn a_server_in_this_program_serves_until_it_is_stopped() {
        let hosted = host().unwrap();
        let address = hosted.address.clone();
        assert!(hosted.invitation.is_empty());
        let connection = net::connect_over(&Tcp::default(), &address).await.unwrap();
        connection.close().await;
        hosted.stop().await;
        assert!(matches!(
            net::connect_over(&Tcp::default(), &address).await,
            Err(NetError::Unreachable(_))
        ));
    }
}
