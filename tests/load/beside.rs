//! What players wait beside peers who want much, and beside none: one after the other, several
//! times, on one server.

use crate::course::{Course, Ended, Span};
use crate::peers::{Kind, Peers};
use crate::report::Report;
use crate::run::Load;
use anyhow::Context;
use std::time::Duration;
use tokio::time::sleep;

/// How long all are there before anything is measured: a server builds tables for new boards,
/// and finds out what each needs.
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
pub(crate) async fn run(beside: &Beside) -> anyhow::Result<Vec<Report>> {
    let Beside { load, kind, peers: many, rounds } = beside;
    let mut course = Course::begin(load).await?;
    let peers = Peers::come(*kind, *many, course.address()).await?;
    sleep(WARM_UP).await;
    let (mut alone, mut pressed): (Option<Span>, Option<Span>) = (None, None);
    for _ in 0..*rounds {
        for (is_on, all) in [(false, &mut alone), (true, &mut pressed)] {
            peers.turn(is_on);
            sleep(ROUND_SETTLE).await;
            let before = peers.answers();
            let span = course.measure(load.measured).await?;
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
    let seating = course.seating();
    let ended = course.end().await?;
    let (alone, pressed) = (alone.context("no rounds")?, pressed.context("no rounds")?);
    let p99 = |span: &Span| span.counts.acks.value_at_quantile(0.99);
    let change = 100.0 * (p99(&pressed) as f64 / p99(&alone) as f64 - 1.0);
    eprintln!("p99 beside {many} {}: {change:+.1} %", kind.name());
    let name = load.name();
    Ok(vec![
        Report::of(format!("{name}, alone"), seating, &alone, Ended::default()),
        Report::of(format!("… beside {many} {}", kind.name()), seating, &pressed, ended),
    ])
}
