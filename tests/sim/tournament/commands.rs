//! Builds the organiser's commands, with targets chosen from the organiser's log.

use super::plan::CommandKind;
use gridrace_shared::protocol::tournament::{TournamentCommand, TournamentPhase};
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey};
use gridrace_shared::tournament::log::{LogEntry, Presence, Tournament};
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine};
use gridrace_shared::tournament::score::ScoreRule;
use gridrace_shared::tournament_view::TournamentView;
use std::collections::BTreeSet;

/// Seconds from now to which GO is moved, fewest, and how many more at most.
const GO_SECONDS: [u32; 2] = [5, 10];
/// So many entrants stay, so that there is something to race.
const LEAST_ENTRANTS: usize = 3;

/// The commands of one kind that make sense now, in order; none if there is nothing to apply it to.
pub fn build(kind: CommandKind, choice: u32, view: &TournamentView) -> Vec<TournamentCommand> {
    let (lines, tournament) = (view.log.lines(), view.log.tournament());
    let has_go = matches!(view.head.phase, TournamentPhase::Break | TournamentPhase::Pause);
    let is_over = tournament.is_over();
    let command = match kind {
        CommandKind::CorrectResult => correct_result(choice, tournament),
        CommandKind::TakeBack => take_back(choice, lines),
        CommandKind::ReplayTable => replay(choice, tournament, false),
        CommandKind::ReplayBoard => replay(choice, tournament, true),
        CommandKind::VoidBoard => void_board(choice, tournament),
        CommandKind::Pause if is_over => None,
        CommandKind::MoveGo if !has_go => None,
        CommandKind::Pause => Some(TournamentCommand::Pause),
        CommandKind::MoveGo => {
            let [least, more] = GO_SECONDS;
            Some(TournamentCommand::MoveGo { seconds: least + choice % (more + 1) })
        }
        CommandKind::Withdraw | CommandKind::ChangeSeat | CommandKind::Redraw if is_over => None,
        CommandKind::Withdraw => withdraw(choice, tournament),
        CommandKind::ChangeSeat => return change_seat(choice, tournament),
        CommandKind::Disqualify => one_to_spare(choice, tournament).map(|entrant| {
            let reason = "two keyboards".to_owned();
            TournamentCommand::Disqualify { entrant, reason }
        }),
        CommandKind::Redraw => {
            latest_round(tournament).map(|_| TournamentCommand::Redraw { reason: None })
        }
    };
    command.into_iter().collect()
}

fn pick<T: Clone>(of: &[T], choice: u32) -> Option<T> {
    (!of.is_empty()).then(|| of[choice as usize % of.len()].clone())
}

pub fn latest_round(tournament: &Tournament) -> Option<RoundKey> {
    rounds(tournament).last()
}

pub fn rounds(tournament: &Tournament) -> impl DoubleEndedIterator<Item = RoundKey> {
    let stages = (0..).zip(tournament.stages());
    let rounds = stages.flat_map(|(stage, state)| {
        (0..state.rounds().len()).map(move |round| RoundKey { stage, round: round as u16 })
    });
    rounds.collect::<Vec<_>>().into_iter()
}

/// Returns the boards whose results count.
fn counting(tournament: &Tournament) -> Vec<ResultKey> {
    let mut keys = Vec::new();
    for round in rounds(tournament) {
        let state = tournament.round(round).unwrap();
        let boards = tournament.stages()[usize::from(round.stage)].stage().boards;
        for table in state.draw.tables.iter().map(|table| table.number) {
            let counts =
                |&board: &u8| state.result(table, board).is_some() && !state.is_void(board);
            keys.extend((0..boards).filter(counts).map(|board| {
                let attempt = tournament.attempt(round, table, board).unwrap();
                ResultKey { round, table, board, attempt }
            }));
        }
    }
    keys
}

/// Exchanges the first two of a result.
fn correct_result(choice: u32, tournament: &Tournament) -> Option<TournamentCommand> {
    let key = pick(&counting(tournament), choice)?;
    let mut result = tournament.round(key.round)?.result(key.table, key.board)?.clone();
    let [first, second, ..] = &mut result.rows[..] else { return None };
    std::mem::swap(&mut first.0, &mut second.0);
    let reason = "the keyboards were exchanged".to_owned();
    Some(TournamentCommand::SetResult { key, result, reason })
}

/// Takes back a command that changed what counts, or the result of a table.
fn take_back(choice: u32, lines: &[LogLine]) -> Option<TournamentCommand> {
    let entries = lines.iter().filter_map(|line| Some((line.by, line.entry()?)));
    let entries: Vec<(u32, LogAuthor, &LogEntry)> =
        (0..).zip(entries).map(|(number, (by, entry))| (number, by, entry)).collect();
    let taken = |number: u32| {
        let takes = |(_, _, it): &&(u32, LogAuthor, &LogEntry)| matches!(it, LogEntry::TakeBack { entry } if *entry == number);
        entries.iter().any(|it| takes(&it))
    };
    let is_eligible = |(number, by, entry): &&(u32, LogAuthor, &LogEntry)| {
        let is_command = *by != LogAuthor::Server
            && matches!(
                entry,
                LogEntry::Result { .. }
                    | LogEntry::Replay { .. }
                    | LogEntry::Void { .. }
                    | LogEntry::Disqualify { .. }
                    | LogEntry::TakeBack { .. }
            );
        (is_command || matches!(entry, LogEntry::Result { .. })) && !taken(*number)
    };
    let eligible: Vec<u32> =
        entries.iter().filter(is_eligible).map(|(number, _, _)| *number).collect();
    let reason = "a mistake".to_owned();
    pick(&eligible, choice).map(|entry| TournamentCommand::TakeBack { entry, reason })
}

fn replay(choice: u32, tournament: &Tournament, one_board: bool) -> Option<TournamentCommand> {
    let round = latest_round(tournament)?;
    let tables = &tournament.round(round)?.draw.tables;
    let table = pick(tables, choice)?.number;
    let boards = tournament.stages()[usize::from(round.stage)].stage().boards;
    let board = one_board.then(|| (choice / 7 % u32::from(boards)) as u8);
    Some(TournamentCommand::Replay { round, table: Some(table), board, reason: None })
}

fn void_board(choice: u32, tournament: &Tournament) -> Option<TournamentCommand> {
    let eligible: Vec<(RoundKey, u8)> = rounds(tournament)
        .flat_map(|round| {
            let stage = tournament.stages()[usize::from(round.stage)].stage();
            let state = tournament.round(round).unwrap();
            let left = (0..stage.boards).filter(|&board| !state.is_void(board));
            let left: Vec<u8> = left.collect();
            let is_average = matches!(stage.score, ScoreRule::Average | ScoreRule::Mean);
            let may = !is_average && left.len() > 1;
            left.into_iter().filter(move |_| may).map(move |board| (round, board))
        })
        .collect();
    pick(&eligible, choice).map(|(round, board)| TournamentCommand::Void {
        round,
        board,
        reason: None,
    })
}

/// Returns an entrant who is there, if enough others are.
fn one_to_spare(choice: u32, tournament: &Tournament) -> Option<EntrantId> {
    let present: Vec<EntrantId> = tournament.present().into_iter().collect();
    pick(&present, choice).filter(|_| present.len() > LEAST_ENTRANTS)
}

fn withdraw(choice: u32, tournament: &Tournament) -> Option<TournamentCommand> {
    let is_away = |(_, presence): &(EntrantId, Presence)| *presence == Presence::Withdrawn;
    if let Some((entrant, _)) = tournament.entrants().find(is_away) {
        return Some(TournamentCommand::CheckIn { entrant });
    }
    one_to_spare(choice, tournament)
        .map(|entrant| TournamentCommand::Withdraw { entrant, reason: None })
}

fn change_seat(choice: u32, tournament: &Tournament) -> Vec<TournamentCommand> {
    let Some(round) = latest_round(tournament) else { return Vec::new() };
    let stage = &tournament.stages()[usize::from(round.stage)];
    let open: BTreeSet<EntrantId> = stage.open_seats();
    let eligible: Vec<EntrantId> =
        open.into_iter().filter(|&entrant| stage.check_unseat(entrant).is_ok()).collect();
    let Some(entrant) = pick(&eligible, choice) else { return Vec::new() };
    let tables = &stage.rounds().last().unwrap().draw.tables;
    let table = pick(tables, choice / 7).unwrap().number;
    vec![
        TournamentCommand::Unseat { entrant, reason: None },
        TournamentCommand::Seat { table, entrant, reason: None },
    ]
}
