//! The standard set of runs.

use crate::echo;
use crate::overload::{self, Overload};
use crate::report::Report;
use crate::run::{Load, Pace, run};
use gridrace_shared::puzzle::PuzzleSpec;
use std::time::Duration;

/// Runs the standard set, one after the other.
pub(crate) async fn run_all(seconds: u64) -> anyhow::Result<Vec<Report>> {
    let spec: PuzzleSpec = "slide:4x4".parse()?;
    let load = |connections, pace, journal| Load {
        connections,
        pace,
        measured: Duration::from_secs(seconds),
        spec,
        journal,
        apart: false,
        strict: false,
        server: Vec::new(),
    };
    let saturated = |window| Pace::Saturated { window };
    let every = |millis| Pace::Every(Duration::from_millis(millis));
    let mut reports = Vec::new();
    for (connections, pace) in [
        (1_000, saturated(8)),
        (1_000, saturated(1)),
        (1_000, every(200)),
        (200, every(200)),
        (10_000, every(1_000)),
        (10_000, Pace::Idle),
    ] {
        if pace != Pace::Idle {
            let load = load(connections, pace, false);
            eprintln!("bare echo, {} …", load.name());
            reports.push(echo::run(&load).await?);
        }
        let load = load(connections, pace, true);
        eprintln!("{} …", load.name());
        reports.push(run(&load).await?);
    }
    // The last, as this program has fewer cores from here on.
    let mut load = load(1_000, Pace::Idle, true);
    load.apart = true;
    eprintln!("more than it carries …");
    let overload = Overload { load, carried: None, times: 2.0 };
    reports.extend(overload::run(&overload).await?);
    Ok(reports)
}
