//! `gridrace-echo`: the race server's WebSocket as an echo, for suites that test conformance.

use std::net::Ipv4Addr;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("listening on {}", listener.local_addr()?);
    gridrace_server::conformance::echo(listener).await?;
    Ok(())
}
