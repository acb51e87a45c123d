//! The standard set of runs, each beside the bare echo under the same load.

use crate::cpu_quota::CpuQuota;
use crate::echo;
use crate::overload::{self, Overload};
use crate::report::RunReport;
use crate::run::{Load, Pace, run};
use clap::ValueEnum;
use gridrace_shared::puzzle::PuzzleSpec;
use std::collections::BTreeSet;
use std::time::Duration;

/// The spinning processes of the busy part that has no quota.
const BUSY: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Part {
    /// On a machine with nothing else to do
    Quiet,
    /// On a machine that others keep busy
    Busy,
    /// More moves than the server carries: the last part, as it takes a core from this program
    Overload,
}

/// Runs parts of the set, one after the other.
pub(crate) async fn run_parts(parts: &[Part], seconds: u64) -> anyhow::Result<Vec<RunReport>> {
    let spec: PuzzleSpec = "slide:4x4".parse()?;
    let load = |connections, pace| Load {
        connections,
        pace,
        measured: Duration::from_secs(seconds),
        spec,
        journal: true,
        apart: false,
        strict: false,
        busy: 0,
        cpu_share: None,
        server: Vec::new(),
    };
    let parts: BTreeSet<_> = parts.iter().collect();
    let mut reports = Vec::new();
    for part in parts {
        reports.extend(match part {
            Part::Quiet => quiet(load).await?,
            Part::Busy => busy(load).await?,
            Part::Overload => {
                eprintln!("more than it carries …");
                let load = Load { apart: true, ..load(1_000, Pace::Idle) };
                overload::run(&Overload { load, carried: None, times: 2.0 }).await?
            }
        });
    }
    Ok(reports)
}

async fn quiet(load: impl Fn(usize, Pace) -> Load) -> anyhow::Result<Vec<RunReport>> {
    let saturated = |window| Pace::Saturated { window };
    let mut reports = Vec::new();
    for (connections, pace) in [
        (1_000, saturated(8)),
        (1_000, saturated(1)),
        (1_000, every(200)),
        (200, every(200)),
        (8, every(200)),
        (10_000, every(1_000)),
    ] {
        reports.extend(beside_echo(&[load(connections, pace)]).await?);
    }
    Ok(reports)
}

async fn busy(load: impl Fn(usize, Pace) -> Load) -> anyhow::Result<Vec<RunReport>> {
    let spinning = Load { busy: BUSY, ..load(1_000, every(200)) };
    let mut reports = beside_echo(&[spinning]).await?;
    if let Err(why) = CpuQuota::check() {
        eprintln!("left out: runs held to a share of a core, as no cgroup can be made: {why:#}");
        return Ok(reports);
    }
    for (share, connections, pace) in
        [(0.3, 5_000, every(1_000)), (0.15, 5_000, every(1_000)), (0.15, 1_000, every(200))]
    {
        let journalled = Load { cpu_share: Some(share), ..load(connections, pace) };
        let ephemeral = Load { journal: false, ..journalled.clone() };
        reports.extend(beside_echo(&[journalled, ephemeral]).await?);
    }
    Ok(reports)
}

const fn every(millis: u64) -> Pace {
    Pace::Every(Duration::from_millis(millis))
}

/// Puts a load on the bare echo server, and then on the race server, with and without a journal
/// where there are several.
pub(crate) async fn beside_echo(loads: &[Load]) -> anyhow::Result<Vec<RunReport>> {
    let mut reports: Vec<RunReport> = Vec::new();
    for load in loads {
        if reports.is_empty() {
            let bare = Load { journal: false, ..load.clone() };
            eprintln!("bare echo, {} …", bare.name());
            reports.push(echo::run(&bare).await?);
        }
        eprintln!("{} …", load.name());
        let mut report = run(load).await?;
        report.compare_with(&reports[0]);
        reports.push(report);
    }
    Ok(reports)
}
