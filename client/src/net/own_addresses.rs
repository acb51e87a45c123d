//! Finds the addresses at which other machines reach a server of this one.

use crate::net::address::Address;
use gridrace_lan::interfaces;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long an address of this machine may take to answer: it answers at once, or a firewall is silent.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(500);

/// Returns the addresses on the network at which this machine answers on a port: none if the server
/// there listens for this machine alone.
pub async fn find(port: u16) -> Vec<String> {
    let mut found = Vec::new();
    for address in interfaces::network_addresses((Ipv6Addr::UNSPECIFIED, port).into()) {
        if let Ok(Ok(_)) = timeout(ANSWER_TIMEOUT, TcpStream::connect(address)).await {
            found.push(interfaces::written(address));
        }
    }
    found
}

/// Says whether an address leads to the machine that uses it.
pub fn is_this_machine(address: &Address) -> bool {
    let host = address.host();
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn a_server_for_this_machine_alone_has_no_address_for_others() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        assert_eq!(find(port).await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn a_server_for_the_network_has_each_address_that_answers() {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let expected = interfaces::network_addresses((Ipv4Addr::UNSPECIFIED, port).into());
        let expected: Vec<String> = expected.into_iter().map(interfaces::written).collect();
        assert_eq!(find(port).await, expected);
    }
}
