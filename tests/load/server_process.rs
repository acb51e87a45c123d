//! A server in its own process, and its cost as the system reports it.

use anyhow::{Context, bail, ensure};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// How long a server may take to print its address.
const START: Duration = Duration::from_secs(20);

/// How long a server may take to answer with its metrics: one that is held to a share of a core
/// may take long.
const METRICS_TIMEOUT: Duration = Duration::from_secs(30);
/// Threads whose work a move doesn't need: they rate boards, build tables for that, and draw large
/// boards ahead.
const RATING_THREADS: [&str; 3] = ["ratings", "tables", "stock"];

/// A server, killed when it is dropped.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Where it serves its metrics; the echo has none.
    metrics: Option<SocketAddr>,
}

/// What a process has used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    /// Processor time of its threads in nanoseconds, without the rating of boards.
    pub(crate) cpu_nanos: u64,
    /// Processor time of the rating of boards.
    pub(crate) rating_nanos: u64,
    /// Bytes resident.
    pub(crate) resident: u64,
    /// Bytes written to disks.
    pub(crate) disk_bytes: u64,
}

impl ServerProcess {
    /// Starts the gridrace server that was built beside this program.
    pub(crate) async fn gridrace(arguments: &[String]) -> anyhow::Result<Self> {
        Self::gridrace_at((Ipv4Addr::LOCALHOST, 0).into(), arguments).await
    }

    /// Starts it on its own core, the machine's first, and leaves the others to this
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
        let metrics = free_address()?;
        command.args(["--listen", &address.to_string(), "--log-level", "warn"]);
        command.args(["--metrics", &metrics.to_string()]).args(arguments);
        let mut server = Self::start(command).await.context("can't start the server")?;
        server.metrics = Some(metrics);
        Ok(server)
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
        Ok(Self { child, address, metrics: None })
    }

    pub(crate) fn id(&self) -> anyhow::Result<u32> {
        self.child.id().context("the server has ended")
    }

    /// Reads what the process has used so far.
    pub(crate) fn usage(&self) -> anyhow::Result<Usage> {
        let id = self.id()?.to_string();
        let threads = threads(&id)?;
        let nanos = |rates: bool| {
            let threads = threads.iter().filter(|thread| thread.rates_boards() == rates);
            threads.map(|thread| thread.cpu_nanos).sum()
        };
        let field = |file: &str, name: &str| -> anyhow::Result<u64> {
            let text = std::fs::read_to_string(format!("/proc/{id}/{file}"))?;
            let rest = text.lines().find_map(|line| line.strip_prefix(name));
            let number = rest.and_then(|rest| rest.split_whitespace().next());
            Ok(number.with_context(|| format!("no {name} in {file}"))?.parse()?)
        };
        Ok(Usage {
            cpu_nanos: nanos(false),
            rating_nanos: nanos(true),
            resident: field("status", "VmRSS:")? * 1024,
            disk_bytes: field("io", "write_bytes:")?,
        })
    }

    /// Fails if no thread is known as one that rates boards: renamed, they would count as the cost
    /// of moves. A thread has no name before it has run.
    pub(crate) fn check_thread_names(&self) -> anyhow::Result<()> {
        let rates = threads(&self.id()?.to_string())?.iter().any(Thread::rates_boards);
        ensure!(rates, "the server has none of the threads {RATING_THREADS:?}");
        Ok(())
    }

    /// Reads how often the server has synced its disk; nothing if it doesn't say so.
    pub(crate) async fn syncs(&self) -> anyhow::Result<Option<u64>> {
        let Some(address) = self.metrics else { return Ok(None) };
        let text = timeout(METRICS_TIMEOUT, get_metrics(address)).await;
        let text = text.context("no metrics in time")?.context("no metrics")?;
        let count = text.lines().find_map(|line| line.strip_prefix("gridrace_store_syncs_total "));
        Ok(count.map(str::parse).transpose()?)
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
    Ok(threads("self")?.iter().map(|thread| thread.cpu_nanos).sum())
}

#[derive(Debug)]
struct Thread {
    name: String,
    cpu_nanos: u64,
}

impl Thread {
    fn rates_boards(&self) -> bool {
        RATING_THREADS.contains(&self.name.as_str())
    }
}

/// Returns the threads of a process.
fn threads(process: &str) -> anyhow::Result<Vec<Thread>> {
    let mut threads = Vec::new();
    for thread in std::fs::read_dir(format!("/proc/{process}/task"))? {
        let folder = thread?.path();
        let read = |file| std::fs::read_to_string(folder.join(file));
        // A thread may end between the listing and the reading.
        let (Ok(name), Ok(line)) = (read("comm"), read("schedstat")) else { continue };
        let nanos = line.split_whitespace().next().context("no time in schedstat")?;
        threads.push(Thread { name: name.trim_end().to_owned(), cpu_nanos: nanos.parse()? });
    }
    Ok(threads)
}

async fn get_metrics(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await?;
    Ok(text)
}

/// Returns an address that was free a moment ago.
pub(crate) fn free_address() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?)
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
