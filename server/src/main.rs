//! `gridrace-server`: the server on its own.

mod args;
mod log;

use anyhow::Context;
use args::Args;
use clap::Parser;
use gridrace_server::{Server, ServerConfig, lan};
use std::process::ExitCode;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

fn main() -> ExitCode {
    match serve(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gridrace-server: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn serve(args: &Args) -> anyhow::Result<()> {
    log::start(args.log, &args.log_level).context("--log-level")?;
    let listener = TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("can't listen on {}", args.listen))?;
    let config = ServerConfig {
        standing: args.standing().into_iter().collect(),
        origins: args.origins.clone(),
    };
    let server = Server::new(listener, config)?;
    announce(&server);
    let mut terminate = signal(SignalKind::terminate()).context("can't wait for SIGTERM")?;
    let asked = async move {
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted.ok().map_or((), drop),
            _ = terminate.recv() => {}
        }
    };
    server.run(asked).await;
    Ok(())
}

fn announce(server: &Server) {
    for address in lan::addresses(server.address()) {
        println!("listening on {address}    http://{address}/");
        for code in server.standing() {
            println!("  gridrace join {code} {address}");
        }
    }
}
