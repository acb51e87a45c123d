//! Response times of players alone and beside expensive peers: in turn, several times, on one
//! server.

use crate::measured_server::{Ended, MeasuredServer, Span};
use crate::peers::{Kind, Peers};
use crate::report::RunReport;
use crate::run::Load;
use anyhow::Context;
use std::time::Duration;
use tokio::time::sleep;

/// How long all race before anything is measured: a server builds tables for new boards and rates
/// each of them.
const WARM_UP: Duration = Duration::from_secs(10);
/// How long a round settles before it is measured.
const ROUND_SETTLE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) load: Load,
    pub(crate) kind: Kind,
    pub(crate) peers: usize,
    pub(crate) rounds: usize,
}

/// Measures players alone and beside the peers.
pub(crate) async fn run(beside: &Beside) -> anyhow::Result<Vec<RunReport>> {
    let Beside { load, kind, peers: many, rounds } = beside;
    let mut server = MeasuredServer::begin(load).await?;
    let peers = Peers::connect(*kind, *many, server.address()).await?;
    sleep(WARM_UP).await;
    let (mut alone, mut pressed): (Option<Span>, Option<Span>) = (None, None);
    for _ in 0..*rounds {
        for (is_on, all) in [(false, &mut alone), (true, &mut pressed)] {
            peers.set_active(is_on);
            sleep(ROUND_SETTLE).await;
            let before = peers.answers();
            let span = server.measure(load.measured).await?;
            if is_on {
                let answers = peers.answers() - before;
                eprintln!("{answers} {}", kind.answers());
            }
            match all {
                Some(all) => all.add(&span),
                None => *all = Some(span),
            }
        }
    }
    peers.leave().await?;
    let seating = server.seating();
    let ended = server.end().await?;
    let (alone, pressed) = (alone.context("no rounds")?, pressed.context("no rounds")?);
    let p99 = |span: &Span| span.counts.acks.value_at_quantile(0.99);
    let change = 100.0 * (p99(&pressed) as f64 / p99(&alone) as f64 - 1.0);
    eprintln!("p99 beside {many} {}: {change:+.1} %", kind.name());
    let (name, offered) = (load.name(), load.offered_per_second());
    Ok(vec![
        RunReport::of(format!("{name}, alone"), offered, seating, &alone, Ended::default()),
        RunReport::of(
            format!("… beside {many} {}", kind.name()),
            offered,
            seating,
            &pressed,
            ended,
        ),
    ])
}
