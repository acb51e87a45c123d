//! Finds the server of a room or tournament without a given address: on this machine, or else on
//! the local network.

use crate::cli::args::place::RoomPlace;
use crate::cli::exit_code::{Exit, Failure};
use crate::commands::request::tournaments;
use crate::net::address::HERE;
use crate::net::{self, Connection, NetError, Network, Tcp, nearby};
use anyhow::anyhow;
use gridrace_lan::browser::{self, NearbyServer};
use gridrace_lan::interfaces::shell_quoted;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::tournament::ids::TournamentName;
use std::time::Duration;
use tokio::time::timeout;

/// How long servers nearby may take to answer: Wi-Fi may lose the first question, and the second
/// follows after a second.
const SEARCH_TIMEOUT: Duration = Duration::from_millis(2_500);
/// How long others are collected after the first: two servers may have rooms of the same code.
const COLLECT_TIME: Duration = Duration::from_millis(250);
/// How long a server's list may take.
const LIST_TIMEOUT: Duration = Duration::from_secs(2);
/// How long one of several addresses of a server may take.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(2);

/// A server, with the connection to it if there is one already.
pub struct FoundServer {
    pub address: String,
    pub connection: Option<Box<Connection>>,
}

/// The result of [`find`].
pub enum ServerSearchResult {
    Server(FoundServer),
    /// Several servers nearby, of which none was asked for.
    Several(Vec<NearbyServer>),
}

impl ServerSearchResult {
    /// Returns the address of the server; several are a failure that names them.
    pub fn only_address(self) -> Result<String, Failure> {
        match self {
            Self::Server(found) => Ok(found.address),
            Self::Several(servers) => {
                let addresses: Vec<String> = servers.iter().map(shown).collect();
                let (count, addresses) = (servers.len(), addresses.join(", "));
                Err(Failure::other(format!(
                    "{count} servers on this network; name one: {addresses}"
                )))
            }
        }
    }
}

/// Finds the server of a room: at its address, on this machine, or, if `mdns`, nearby.
pub async fn find(place: &RoomPlace, tcp: &Tcp, mdns: bool) -> Result<ServerSearchResult, Failure> {
    if let Some(address) = &place.address {
        let address = address.to_string();
        return Ok(ServerSearchResult::Server(FoundServer { address, connection: None }));
    }
    let own = match net::connect_over(tcp, HERE).await {
        Ok(connection) => match listed(connection, place.code).await {
            Ok(connection) => return Ok(ServerSearchResult::Server(FoundServer::own(connection))),
            Err(error) => error,
        },
        Err(error) => LocalServer::None(error),
    };
    if !mdns {
        return own.or_failure().map_err(without_discovery);
    }
    let what = place.code.map_or_else(|| "rooms".to_owned(), |code| code.to_string());
    tcp.notify(format_args!("looking for {what} on this network"));
    let is_wanted = |server: &NearbyServer| has_room(server, place.code);
    let nearby = browser::search(SEARCH_TIMEOUT, COLLECT_TIME, is_wanted).await;
    let nearby = nearby.map_err(|error| Failure::new(Exit::Unreachable, error))?;
    let nearby: Vec<_> = nearby.into_iter().filter(is_spoken_to).collect();
    let with_room: Vec<_> = nearby.iter().filter(|server| is_wanted(server)).collect();
    match (&with_room[..], &nearby[..], place.code) {
        ([server], _, Some(code)) => {
            tcp.notify(format_args!("found {code} on {}", shown(server)));
            connect(server, tcp).await
        }
        ([server], [_], None) => connect(server, tcp).await,
        ([], [], _) => own.or_else_nothing(place.code),
        // Private rooms and rooms with a PIN are announced by none.
        ([], [server], Some(code)) if own.is_none() => {
            let server_shown = shown(server);
            tcp.notify(format_args!(
                "{code} isn't announced; asking the only server, {server_shown}"
            ));
            connect(server, tcp).await
        }
        ([], several, Some(code)) if own.is_none() => Err(not_announced(code, several)),
        ([], _, Some(_)) => own.or_failure(),
        (several, _, Some(code)) => Err(ambiguous(code, several)),
        (_, _, None) => Ok(ServerSearchResult::Several(nearby)),
    }
}

/// Finds the server of a tournament: this machine's if it lists it, or else, if `mdns`, the one nearby
/// that announces it. Where none does, this machine's may have it unlisted.
pub async fn find_tournament(
    name: &TournamentName,
    tcp: &Tcp,
    mdns: bool,
) -> Result<String, Failure> {
    let local = lists_here(name, tcp).await;
    match &local {
        Ok(is_listed) if *is_listed || !mdns => return Ok(HERE.to_owned()),
        Err(error) if !mdns => return Err(without_discovery(Failure::at(HERE, *error))),
        Err(error) if !is_nothing_there(error) => return Err(Failure::at(HERE, *error)),
        Ok(_) | Err(_) => {}
    }
    tcp.notify(format_args!("looking for {name} on this network"));
    let has_it = |server: &NearbyServer| {
        is_spoken_to(server) && server.record.tournaments.iter().any(|it| it.name == *name)
    };
    let nearby = browser::search(SEARCH_TIMEOUT, COLLECT_TIME, has_it).await;
    let nearby = nearby.map_err(|error| Failure::new(Exit::Unreachable, error))?;
    let nearby: Vec<_> = nearby.into_iter().filter(is_spoken_to).collect();
    let with_it: Vec<_> = nearby.iter().filter(|server| has_it(server)).collect();
    let server = match (&with_it[..], &nearby[..]) {
        ([server], _) => server,
        // One with a PIN, and one that isn't listed, are announced by none.
        ([], _) if local.is_ok() => return Ok(HERE.to_owned()),
        ([], [server]) => server,
        (several, _) => return Err(unclear_tournament(name, several)),
    };
    tcp.notify(format_args!("asking {}", shown(server)));
    connect(server, tcp).await?.only_address()
}

/// Returns whether the server of this machine lists a tournament.
async fn lists_here(name: &TournamentName, tcp: &Tcp) -> Result<bool, NetError> {
    let mut connection = net::connect_over(tcp, HERE).await?;
    let listed = timeout(LIST_TIMEOUT, tournaments(&mut connection)).await;
    Ok(listed.is_ok_and(|list| list.is_ok_and(|list| list.iter().any(|it| it.name == *name))))
}

impl FoundServer {
    fn own(connection: Box<Connection>) -> Self {
        Self { address: HERE.to_owned(), connection: Some(connection) }
    }
}

/// What is on this machine.
enum LocalServer {
    None(NetError),
    /// A server that doesn't list the room, which may be private.
    Unlisted(Box<Connection>),
}

impl LocalServer {
    const fn is_none(&self) -> bool {
        matches!(self, Self::None(_))
    }

    /// Returns the server of this machine, or why there is none.
    fn or_failure(self) -> Result<ServerSearchResult, Failure> {
        match self {
            Self::Unlisted(connection) => {
                Ok(ServerSearchResult::Server(FoundServer::own(connection)))
            }
            Self::None(error) => Err(Failure::at(HERE, error)),
        }
    }

    /// Returns the server of this machine, or what to try where none was found at all.
    fn or_else_nothing(self, code: Option<RoomCode>) -> Result<ServerSearchResult, Failure> {
        match self {
            // What answers here is the matter, not the network.
            Self::None(error) if is_nothing_there(&error) => Err(nothing_found(code)),
            own @ (Self::None(_) | Self::Unlisted(_)) => own.or_failure(),
        }
    }
}

/// Returns whether an error says that no server answers.
const fn is_nothing_there(error: &NetError) -> bool {
    matches!(
        error,
        NetError::Unknown | NetError::Unreachable(_) | NetError::TimedOut | NetError::Lost(_)
    )
}

/// Returns the connection if the server lists the room, or none was asked for.
async fn listed(
    connection: Connection,
    code: Option<RoomCode>,
) -> Result<Box<Connection>, LocalServer> {
    let mut connection = Box::new(connection);
    let Some(code) = code else { return Ok(connection) };
    let asked = timeout(LIST_TIMEOUT, async {
        connection.send(&ClientMessage::Rooms).await?;
        loop {
            if let ServerMessage::Rooms(rooms) = connection.next().await? {
                return Ok(rooms.iter().any(|room| room.code == code));
            }
        }
    });
    match asked.await.unwrap_or(Err(NetError::TimedOut)) {
        Ok(true) => Ok(connection),
        Ok(false) => Err(LocalServer::Unlisted(connection)),
        Err(error) => Err(LocalServer::None(error)),
    }
}

/// Connects by the first address that answers.
async fn connect(server: &NearbyServer, tcp: &Tcp) -> Result<ServerSearchResult, Failure> {
    let addresses = nearby::addresses(server);
    let Some((last, others)) = addresses.split_last() else {
        return Err(Failure::new(Exit::Unreachable, anyhow!("{} has no address", shown(server))));
    };
    for address in others {
        let address = address.to_string();
        if let Ok(Ok(connection)) = timeout(ADDRESS_TIMEOUT, net::connect_over(tcp, &address)).await
        {
            return Ok(ServerSearchResult::Server(FoundServer {
                address,
                connection: Some(Box::new(connection)),
            }));
        }
        tcp.notify(format_args!("no answer from {address}"));
    }
    let address = last.to_string();
    match net::connect_aloud(tcp, &address).await {
        Ok(connection) => Ok(ServerSearchResult::Server(FoundServer {
            address,
            connection: Some(Box::new(connection)),
        })),
        Err(error) => Err(Failure::at(&address, error)),
    }
}

fn has_room(server: &NearbyServer, code: Option<RoomCode>) -> bool {
    let has_code = |code| server.record.rooms.iter().any(|room| room.code == code);
    is_spoken_to(server) && code.is_none_or(has_code)
}

fn is_spoken_to(server: &NearbyServer) -> bool {
    server.record.version == VERSION && !nearby::addresses(server).is_empty()
}

/// Returns a server's preferred address.
fn shown(server: &NearbyServer) -> String {
    nearby::addresses(server).first().map(ToString::to_string).unwrap_or_default()
}

/// Lists servers, each with the command that joins the room there.
fn commands<'a>(code: RoomCode, servers: impl IntoIterator<Item = &'a NearbyServer>) -> String {
    let command = |server| format!("\n  gridrace join {code} {}", shell_quoted(&shown(server)));
    servers.into_iter().map(command).collect()
}

fn ambiguous(code: RoomCode, servers: &[&NearbyServer]) -> Failure {
    let commands = commands(code, servers.iter().copied());
    let count = servers.len();
    Failure::other(format!(
        "{count} servers on this network have a room {code}; name one:{commands}"
    ))
}

fn not_announced(code: RoomCode, servers: &[NearbyServer]) -> Failure {
    let (commands, count) = (commands(code, servers), servers.len());
    let why = format!(
        "none of {count} servers on this network announces {code}: private rooms are not announced. \
         Name the server:{commands}"
    );
    Failure::new(Exit::Unreachable, anyhow!(why))
}

/// Says that none of several servers, or more than one, announces a tournament.
fn unclear_tournament(name: &TournamentName, servers: &[&NearbyServer]) -> Failure {
    let lines = servers
        .iter()
        .map(|server| format!("\n  gridrace tournament enter {name} {}", shown(server)));
    let lines: String = lines.collect();
    let why = if servers.is_empty() {
        format!(
            "no tournament {name} found, neither on this machine nor on this network, where those \
             with a PIN are not announced. Ask the organiser for the server's address, and give it: \
             gridrace tournament enter {name} 192.168.1.5"
        )
    } else {
        format!(
            "{} servers on this network have a tournament {name}; name one:{lines}",
            servers.len()
        )
    };
    Failure::new(Exit::Unreachable, anyhow!(why))
}

/// Adds that the network wasn't searched.
fn without_discovery(Failure { exit, why }: Failure) -> Failure {
    let why = anyhow!(
        "{why}\nOnly this machine was asked: discovery is off (no-mdns). Give the server's address to ask \
         another."
    );
    Failure { exit, why }
}

fn nothing_found(code: Option<RoomCode>) -> Failure {
    let (what, command) = match code {
        Some(code) => (format!("room {code}"), format!("gridrace join {code} 192.168.1.5")),
        None => ("server".to_owned(), "gridrace join 192.168.1.5".to_owned()),
    };
    Failure::new(
        Exit::Unreachable,
        anyhow!(
            "no {what} found, neither on this machine nor on this network.
  - Ask the host for the address that its lobby shows, and give it: {command}
  - A phone scans the QR code that the host shows with `i`.
  - Guest Wi-Fi keeps devices apart: use the same ordinary network, or a cable.
  - A firewall may drop mDNS (UDP port 5353) or the server's port (TCP 7415).
  - Or open a room yourself: gridrace host"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    fn said(failure: Result<ServerSearchResult, Failure>) -> String {
        failure.err().map(|failure| failure.why.to_string()).unwrap_or_default()
    }

    #[test]
    fn where_nothing_is_found_opening_a_room_is_offered() {
        let none = || LocalServer::None(NetError::Unreachable(ErrorKind::ConnectionRefused));
        for code in [None, Some("KQZT".parse().unwrap())] {
            let why = said(none().or_else_nothing(code));
            assert!(why.contains("Or open a room yourself: gridrace host"), "{why}");
        }
        // Without a search on the network it is the address that counts.
        let why = said(none().or_failure().map_err(without_discovery));
        for part in ["connection refused by 127.0.0.1:7415", "discovery is off (no-mdns)"] {
            assert!(why.contains(part), "{why}");
        }
    }
}
