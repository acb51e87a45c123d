//! What goes wrong at a tournament, and what the organiser does about it: an entrant who doesn't come,
//! one who comes late, a table that is raced again, a result that is corrected, commands of others
//! and commands after the end.

use super::organiser::{Answer, Organiser};
use super::{TournamentName, key};
use anyhow::{Context, ensure};
use gridrace_client::net::Tcp;
use gridrace_client::session::TournamentSession;
use gridrace_shared::protocol::tournament::{
    TournamentCommand, TournamentError, TournamentRequest,
};
use gridrace_shared::tournament::ids::{ResultKey, RoundKey};
use gridrace_shared::tournament::log::LogEntry;
use std::net::SocketAddr;

/// The key of one who watches, far above those of the entrants.
const STRANGER: u32 = 1_000_000;

/// Enters one who never comes to a table.
pub(super) async fn enter_absent(
    address: SocketAddr,
    name: &TournamentName,
    number: u32,
) -> anyhow::Result<TournamentSession> {
    let (tcp, address) = (Tcp::default(), format!("ws://{address}"));
    let key = Some((key(number), false));
    let mut session = TournamentSession::follow(&tcp, &address, name.clone(), None, key).await?;
    let enter = TournamentRequest::Enter { name: "absent".to_owned(), bot: false, team: None };
    session.request(enter);
    super::organiser::answer(&mut session).await?.done("enter")?;
    Ok(session)
}

/// Lets all of it happen while the first round is raced.
pub(super) async fn run(
    organiser: &mut Organiser,
    address: SocketAddr,
    name: &TournamentName,
) -> anyhow::Result<()> {
    stranger(address, name).await?;
    let round = RoundKey { stage: 0, round: 0 };
    // A table whose result is in is raced again, while others still race.
    let table = result(organiser, round, 0).await?;
    let replay = TournamentCommand::Replay { round, table: Some(table.table), board: None };
    let asked = organiser.command(replay.clone(), false).await?;
    ensure!(
        matches!(asked, Answer::NeedsConfirmation(1..)),
        "a replay discards a result without asking: {asked:?}"
    );
    organiser.command(replay, true).await?.done("replay")?;
    println!("table {} is raced again", table.table + 1);
    // The first two of another table are exchanged.
    let other = result(organiser, round, 1).await?;
    let state = organiser.view().log.tournament().round(round).context("no round")?;
    let mut corrected = state.result(other.table, other.board).context("no result")?.clone();
    ensure!(corrected.rows.len() >= 2, "nobody to exchange: {corrected:?}");
    let (first, second) = (corrected.rows[0].1, corrected.rows[1].1);
    (corrected.rows[0].1, corrected.rows[1].1) = (second, first);
    corrected.rows.swap(0, 1);
    let reason = "the keyboards were exchanged".to_owned();
    let command = TournamentCommand::SetResult { key: other, result: corrected, reason };
    organiser.command(command, true).await?.done("correct a result")?;
    println!("the result of {other} is corrected");
    Ok(())
}

/// Checks that a finished tournament takes no command, and that nothing changes by one.
pub(super) async fn after_the_end(organiser: &mut Organiser) -> anyhow::Result<()> {
    for command in [TournamentCommand::Begin, TournamentCommand::Pause, TournamentCommand::Redraw] {
        let answer = organiser.command(command.clone(), true).await?;
        ensure!(matches!(answer, Answer::Refused(_)), "{command:?} after the end: {answer:?}");
    }
    let late = TournamentRequest::Enter { name: "Late".to_owned(), bot: false, team: None };
    let answer = organiser.request(late).await?;
    ensure!(matches!(answer, Answer::Refused(_)), "an entry after the end: {answer:?}");
    Ok(())
}

/// Checks that others can't command.
async fn stranger(address: SocketAddr, name: &TournamentName) -> anyhow::Result<()> {
    let (tcp, address) = (Tcp::default(), format!("ws://{address}"));
    let key = Some((key(STRANGER), false));
    let mut session = TournamentSession::follow(&tcp, &address, name.clone(), None, key).await?;
    let command = TournamentCommand::End { reason: None };
    session.request(TournamentRequest::Command { command, confirmed: true });
    let answer = super::organiser::answer(&mut session).await?;
    ensure!(
        answer == Answer::Refused(TournamentError::NotOrganiser),
        "a stranger commands: {answer:?}"
    );
    session.close().await;
    Ok(())
}

/// Waits for the result of a board, other than the first `skip`, and returns its key.
async fn result(
    organiser: &mut Organiser,
    round: RoundKey,
    skip: usize,
) -> anyhow::Result<ResultKey> {
    let results = |view: &gridrace_shared::tournament_view::TournamentView| {
        let entries = view.log.lines().iter().filter_map(|line| match line.entry() {
            Some(LogEntry::Result { key, .. }) if key.round == round && key.attempt == 0 => {
                Some(*key)
            }
            _ => None,
        });
        entries.collect::<Vec<_>>()
    };
    organiser.until(|view| results(view).len() > skip).await?;
    Ok(results(organiser.view())[skip])
}
