//! `gridrace-echo`: an echo server on the race server's WebSocket code, for Autobahn's cases.

use std::net::Ipv4Addr;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("listening on {}", listener.local_addr()?);
    gridrace_server::conformance::echo(listener).await?;
    Ok(())
}
