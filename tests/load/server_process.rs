//! A server in a process of its own, and its cost as the system reports it.

use anyhow::{Context, bail, ensure};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// How long a server may take to print its address.
const START: Duration = Duration::from_secs(20);

/// A server, killed when it is dropped.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) address: SocketAddr,
}

/// What a process has used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    /// Processor time of all its threads, in nanoseconds.
    pub(crate) cpu_nanos: u64,
    /// Bytes resident.
    pub(crate) resident: u64,
}

impl ServerProcess {
    /// Starts the gridrace server that was built beside this program.
    pub(crate) async fn gridrace(arguments: &[String]) -> anyhow::Result<Self> {
        Self::gridrace_at((Ipv4Addr::LOCALHOST, 0).into(), arguments).await
    }

    /// Starts it on a core of its own, the machine's first, and leaves the others to this
    /// program.
    pub(crate) async fn gridrace_apart(arguments: &[String]) -> anyhow::Result<Self> {
        let cores = std::thread::available_parallelism()?.get();
        ensure!(cores > 1, "there is only one core");
        let own = std::process::id().to_string();
        let others = format!("1-{}", cores - 1);
        let moved = Command::new("taskset")
            .args(["--all-tasks", "--cpu-list", "--pid", &others, &own])
            .stdout(Stdio::null())
            .status()
            .await
            .context("no taskset, of util-linux")?;
        ensure!(moved.success(), "can't leave the first core");
        let mut command = Command::new("taskset");
        command.args(["--cpu-list", "0"]);
        command.arg(beside("gridrace-server")?);
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        Self::gridrace_by(command, address, arguments).await
    }

    /// Starts it at an address.
    pub(crate) async fn gridrace_at(
        address: SocketAddr,
        arguments: &[String],
    ) -> anyhow::Result<Self> {
        let command = Command::new(beside("gridrace-server")?);
        Self::gridrace_by(command, address, arguments).await
    }

    async fn gridrace_by(
        mut command: Command,
        address: SocketAddr,
        arguments: &[String],
    ) -> anyhow::Result<Self> {
        command.args(["--listen", &address.to_string(), "--log-level", "warn", "--metrics", "off"]);
        command.args(arguments);
        Self::start(command).await.context("can't start the server")
    }

    /// Starts this program again, as an echo server.
    pub(crate) async fn echo() -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("echo-server");
        Self::start(command).await.context("no echo server")
    }

    async fn start(mut command: Command) -> anyhow::Result<Self> {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let out = child.stdout.take().context("no output")?;
        let mut lines = BufReader::new(out).lines();
        let first = timeout(START, lines.next_line()).await??;
        let line = first.context("it ended without an address")?;
        let address = line.split_whitespace().find_map(|word| word.parse().ok());
        let address = address.with_context(|| format!("no address in {line:?}"))?;
        Ok(Self { child, address })
    }

    /// Reads what the process has used so far.
    pub(crate) fn usage(&self) -> anyhow::Result<Usage> {
        let id = self.child.id().context("the server has ended")?;
        let cpu_nanos = cpu_nanos(&id.to_string())?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let resident = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .and_then(|rest| rest.split_whitespace().next())
            .context("no VmRSS in status")?
            .parse::<u64>()?
            * 1024;
        Ok(Usage { cpu_nanos, resident })
    }

    pub(crate) async fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill().await.context("can't kill the server")
    }

    /// Fails if the server has ended.
    pub(crate) fn still_runs(&mut self) -> anyhow::Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("the server ended: {status}"),
        }
    }
}

/// Returns the processor time of this program so far, in nanoseconds.
pub(crate) fn own_nanos() -> anyhow::Result<u64> {
    cpu_nanos("self")
}

/// Returns the processor time of all threads of a process, in nanoseconds.
fn cpu_nanos(process: &str) -> anyhow::Result<u64> {
    let mut cpu_nanos = 0;
    for thread in std::fs::read_dir(format!("/proc/{process}/task"))? {
        // A thread may end between the listing and the reading.
        let Ok(line) = std::fs::read_to_string(thread?.path().join("schedstat")) else {
            continue;
        };
        let nanos = line.split_whitespace().next().map(str::parse::<u64>);
        cpu_nanos += nanos.context("no time in schedstat")??;
    }
    Ok(cpu_nanos)
}

/// Returns the path of a program in this one's folder.
pub(crate) fn beside(name: &str) -> anyhow::Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name(name);
    if !path.exists() {
        let how = "cargo build --release --bins";
        bail!("{} is missing: {how}", path.display());
    }
    Ok(path)
}
