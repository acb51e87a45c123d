//! Irregular events of a tournament, and the organiser's reactions: an absent entrant, a late one,
//! a table that is raced again, results that are corrected and corrections that are taken back,
//! with all that followed from them, commands of others and commands after the end. Scores are
//! checked after each, in the organiser's fold of the public log.

use super::organiser::{Organiser, OrganiserAnswer};
use super::{TournamentName, key};
use anyhow::{Context, ensure};
use gridrace_client::net::Tcp;
use gridrace_client::session::TournamentSession;
use gridrace_shared::protocol::tournament::{
    TournamentCommand, TournamentError, TournamentRequest,
};
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey};
use gridrace_shared::tournament::log::LogEntry;
use gridrace_shared::tournament::public_log::LogAuthor;
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};
use gridrace_shared::tournament::stage_state::round::RoundState;
use gridrace_shared::tournament_view::TournamentView;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// The key of one who watches, far above those of the entrants.
const STRANGER: u32 = 1_000_000;
/// The name of the one who never comes to a table.
const ABSENT: &str = "absent";
const REASON: &str = "the keyboards were exchanged";

/// Enters one who never comes to a table.
pub(super) async fn enter_absent(
    address: SocketAddr,
    name: &TournamentName,
    number: u32,
) -> anyhow::Result<TournamentSession> {
    let (tcp, address) = (Tcp::default(), format!("ws://{address}"));
    let key = Some((key(number), false));
    let mut session = TournamentSession::follow(&tcp, &address, name.clone(), None, key).await?;
    let enter = TournamentRequest::Enter { name: ABSENT.to_owned(), bot: false, team: None };
    session.request(enter);
    super::organiser::answer(&mut session).await?.done("enter")?;
    Ok(session)
}

/// A correction by which one goes on in place of another, until it is taken back.
pub(super) struct Promotion {
    /// The number of its entry.
    entry: u32,
    promoted: EntrantId,
    demoted: EntrantId,
}

/// What goes wrong while the first round is raced.
pub(super) async fn first_round(
    organiser: &mut Organiser,
    address: SocketAddr,
    name: &TournamentName,
    late: &str,
) -> anyhow::Result<Promotion> {
    stranger(address, name).await?;
    let round = RoundKey { stage: 0, round: 0 };
    // The late entrant has a seat that was free.
    let is_seated = |view: &TournamentView, name: &str| {
        let found = entrant(view, name);
        let seats =
            |state: &RoundState| state.draw.tables.iter().flat_map(|it| it.seats.clone()).collect();
        let seats: Vec<EntrantId> = view.log.tournament().round(round).map_or_else(Vec::new, seats);
        found.is_some_and(|found| seats.contains(&found))
    };
    organiser.until(|view| is_seated(view, late) && is_seated(view, ABSENT)).await?;
    println!("{late} came late, and has a seat");

    // A table whose result is in is raced again, while others still race.
    let table = result(organiser, round, 0).await?;
    let replay = TournamentCommand::Replay {
        round,
        table: Some(table.table),
        board: None,
        reason: Some("the power failed".to_owned()),
    };
    let asked = organiser.command(replay.clone(), false).await?;
    ensure!(
        matches!(asked, OrganiserAnswer::NeedsConfirmation(1..)),
        "a replay discards a result without asking: {asked:?}"
    );
    organiser.command(replay, true).await?.done("replay")?;
    organiser.until_logged(|entry| matches!(entry, LogEntry::Replay { .. })).await?;
    ensure!(
        board(organiser, table).is_none_or(|it| it.rows.is_empty()),
        "the result of a table that is raced again still counts"
    );
    println!("table {} is raced again", table.table + 1);

    // The first of another table changes places with the next behind it. Two that finish within the
    // same millisecond are level, and neither is behind the other.
    let other = result(organiser, round, 1).await?;
    let next = first_behind(organiser, other, 0)?;
    let (_, first, second) = exchange(organiser, other, next).await?;
    println!("the result of {other} is corrected");
    // The first of one more with the next behind the second, with whom two go on: another goes on.
    let third = result(organiser, round, 2).await?;
    let next = first_behind(organiser, third, 1)?;
    let (entry, promoted, demoted) = exchange(organiser, third, next).await?;
    println!("the result of {third} is corrected: another goes on");
    for (ahead, behind) in [(first, second), (promoted, demoted)] {
        ensure!(
            place(organiser, ahead)? < place(organiser, behind)?,
            "the standings don't follow a correction"
        );
    }
    Ok(Promotion { entry, promoted, demoted })
}

/// What goes wrong while a later round is raced, whose field followed from a corrected result.
pub(super) async fn later_round(
    organiser: &mut Organiser,
    Promotion { entry, promoted, demoted }: Promotion,
) -> anyhow::Result<()> {
    let round = RoundKey { stage: 1, round: 0 };
    let raced = result(organiser, round, 0).await?;
    let absent = entrant(organiser.view(), ABSENT).context("the absent entrant")?;
    let seats = seats(organiser, raced)?;
    ensure!(
        seats.contains(&promoted) && !seats.contains(&demoted) && !seats.contains(&absent),
        "the field doesn't follow the corrected result: {seats:?}"
    );

    // A correction, and that it was wrong: all is as it was before.
    let before = organiser.view().log.standings().to_vec();
    let as_raced = board(organiser, raced).context("the result")?;
    let (correction, winner, loser) = exchange(organiser, raced, as_raced.rows.len() - 1).await?;
    ensure!(place(organiser, winner)? < place(organiser, loser)?, "the correction moves nobody");
    ensure!(organiser.view().log.standings() != before, "the standings are as before");
    take_back(organiser, correction).await?;
    ensure!(board(organiser, raced) == Some(as_raced), "the result isn't as it was raced");
    println!("a correction of {raced} was taken back");
    // No board has ended in between: the next begins after the pause.
    ensure!(organiser.view().log.standings() == before, "the standings aren't as before");

    // The correction of the earlier round was wrong as well: the field is another, so what it raced
    // doesn't count, and is raced again.
    let asked = TournamentCommand::TakeBack { entry, reason: REASON.to_owned() };
    let asked = organiser.command(asked, false).await?;
    ensure!(
        matches!(asked, OrganiserAnswer::NeedsConfirmation(1..)),
        "the round that follows is discarded without asking: {asked:?}"
    );
    take_back(organiser, entry).await?;
    let seats = self::seats(organiser, raced)?;
    ensure!(
        seats.contains(&demoted) && !seats.contains(&promoted),
        "the field doesn't follow what was taken back: {seats:?}"
    );
    ensure!(
        board(organiser, raced).is_none_or(|it| it.rows.iter().all(|(it, _)| *it != promoted)),
        "a result of another field still counts"
    );
    println!("the correction of the first round was taken back: the next round has another field");
    // The board is raced again, by those who belong there, and counts.
    organiser
        .until(|view| {
            let fold = view.log.tournament();
            let result = fold.round(round).and_then(|it| it.result(raced.table, raced.board));
            result.is_some_and(|it| it.rows.iter().any(|(entrant, _)| *entrant == demoted))
        })
        .await?;
    ensure!(place(organiser, demoted)? < place(organiser, promoted)?, "who is out is ahead");
    println!("board {} is raced again by the others", raced.board + 1);
    Ok(())
}

/// Returns the first row of a result whose outcome is worse than that of row `ahead`.
fn first_behind(organiser: &Organiser, key: ResultKey, ahead: usize) -> anyhow::Result<usize> {
    let rows = board(organiser, key).context("no result")?.rows;
    let ahead = rows.get(ahead).context("too few rows")?.1.order();
    rows.iter().position(|(_, it)| it.order() > ahead).context("all are level")
}

/// Exchanges the outcomes of the first row of a result and of row `worse`; returns the number of the
/// entry, and who gained and who lost by it.
async fn exchange(
    organiser: &mut Organiser,
    key: ResultKey,
    worse: usize,
) -> anyhow::Result<(u32, EntrantId, EntrantId)> {
    let mut corrected = board(organiser, key).context("no result")?;
    ensure!(corrected.rows.len() > worse, "nobody to exchange: {corrected:?}");
    let (first, second) = (corrected.rows[0].1, corrected.rows[worse].1);
    ensure!(first.order() < second.order(), "equal rows: {corrected:?}");
    (corrected.rows[0].1, corrected.rows[worse].1) = (second, first);
    corrected.rows.swap(0, worse);
    let (gains, loses) = (corrected.rows[0].0, corrected.rows[worse].0);
    let outcomes = outcomes(&corrected);
    let command =
        TournamentCommand::SetResult { key, result: corrected, reason: REASON.to_owned() };
    organiser.command(command, true).await?.done("correct a result")?;
    let entry = organiser
        .until_logged(
            |entry| matches!(entry, LogEntry::Result { result, .. } if self::outcomes(result) == outcomes),
        )
        .await?;
    ensure!(
        board(organiser, key).is_some_and(|it| self::outcomes(&it) == outcomes),
        "the corrected result doesn't count"
    );
    Ok((entry, gains, loses))
}

/// Returns the outcome of each entrant: the server keeps those that are level in the order of the heat.
fn outcomes(result: &BoardResult) -> BTreeMap<EntrantId, BoardOutcome> {
    result.rows.iter().copied().collect()
}

async fn take_back(organiser: &mut Organiser, entry: u32) -> anyhow::Result<()> {
    let command = TournamentCommand::TakeBack { entry, reason: REASON.to_owned() };
    organiser.command(command, true).await?.done("take an entry back")?;
    let is_it = |it: &LogEntry| *it == LogEntry::TakeBack { entry };
    organiser.until_logged(is_it).await?;
    Ok(())
}

fn entrant(view: &TournamentView, name: &str) -> Option<EntrantId> {
    let mut profiles = view.log.profiles();
    profiles.find(|it| it.name.as_str() == name).map(|it| it.entrant)
}

/// Returns the result of a board that counts.
fn board(organiser: &Organiser, key: ResultKey) -> Option<BoardResult> {
    let round = organiser.view().log.tournament().round(key.round)?;
    round.result(key.table, key.board).cloned()
}

fn seats(organiser: &Organiser, key: ResultKey) -> anyhow::Result<Vec<EntrantId>> {
    let round = organiser.view().log.tournament().round(key.round).context("no round")?;
    Ok(round.draw.table(key.table).context("no table")?.seats.clone())
}

/// Returns the position of an entrant in the standings.
fn place(organiser: &Organiser, entrant: EntrantId) -> anyhow::Result<usize> {
    let mut rows = organiser.view().log.standings().iter();
    rows.position(|row| row.entrant == entrant).context("an entrant isn't in the standings")
}

/// Checks that a finished tournament takes no command, and that nothing changes by one.
pub(super) async fn after_the_end(organiser: &mut Organiser) -> anyhow::Result<()> {
    let redraw = TournamentCommand::Redraw { reason: None };
    for command in [TournamentCommand::Begin, TournamentCommand::Pause, redraw] {
        let answer = organiser.command(command.clone(), true).await?;
        ensure!(
            matches!(answer, OrganiserAnswer::Refused(_)),
            "{command:?} after the end: {answer:?}"
        );
    }
    let late = TournamentRequest::Enter { name: "Late".to_owned(), bot: false, team: None };
    let answer = organiser.request(late).await?;
    ensure!(matches!(answer, OrganiserAnswer::Refused(_)), "an entry after the end: {answer:?}");
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
        answer == OrganiserAnswer::Refused(TournamentError::NotOrganiser),
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
    let results = |view: &TournamentView| {
        let entries = view.log.lines().iter().filter_map(|line| match line.entry() {
            Some(LogEntry::Result { key, .. })
                if key.round == round && key.attempt == 0 && line.by == LogAuthor::Server =>
            {
                Some(*key)
            }
            _ => None,
        });
        entries.collect::<Vec<_>>()
    };
    organiser.until(|view| results(view).len() > skip).await?;
    Ok(results(organiser.view())[skip])
}
