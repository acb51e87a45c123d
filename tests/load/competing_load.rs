//! Competing load: processes that spin, and a quota for the server.

use crate::cpu_quota::CpuQuota;
use crate::run::Load;
use crate::server_process::ServerProcess;
use std::process::Stdio;
use tokio::process::{Child, Command};

/// The competing load of a run, ended when it is dropped.
#[derive(Debug)]
pub(crate) struct CompetingLoad {
    _spinning: Vec<Child>,
    _quota: Option<CpuQuota>,
}

impl CompetingLoad {
    /// Starts what a run wants, once all its players are connected.
    pub(crate) fn start(load: &Load, server: &ServerProcess) -> anyhow::Result<Self> {
        let quota = load.cpu_share.map(|share| CpuQuota::hold(server.id()?, share)).transpose()?;
        let spinning = (0..load.busy).map(|_| spin()).collect::<anyhow::Result<_>>()?;
        Ok(Self { _spinning: spinning, _quota: quota })
    }
}

/// Starts this program again, as a process that needs a whole core.
fn spin() -> anyhow::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("spin").stdin(Stdio::null()).kill_on_drop(true);
    Ok(command.spawn()?)
}
