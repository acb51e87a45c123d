//! Properties of every log.

use super::*;
use proptest::prelude::*;
use std::sync::Arc;

/// Applies an entry chosen by chance, which often makes no sense.
fn apply_any(tournament: &mut Tournament, chance: &mut PortableRng) {
    let any_entrant = |chance: &mut PortableRng| EntrantId(chance.below(14));
    let rounds: Vec<RoundKey> = (0u8..)
        .zip(tournament.stages())
        .flat_map(|(stage, it)| {
            (0..it.rounds().len() as u16).map(move |round| RoundKey { stage, round })
        })
        .collect();
    let any_round =
        |chance: &mut PortableRng| rounds.get(chance.below(rounds.len() as u32) as usize).copied();
    let latest = rounds.last().copied();
    let entry = match chance.below(40) {
        0 => Some(LogEntry::Enter { entrant: any_entrant(chance), team: None }),
        1 => Some(LogEntry::CheckIn { entrant: any_entrant(chance) }),
        2 if chance.below(3) == 0 => Some(LogEntry::Withdraw { entrant: any_entrant(chance) }),
        3 if chance.below(6) == 0 => Some(LogEntry::Disqualify { entrant: any_entrant(chance) }),
        4 => Some(LogEntry::Seed { order: vec![any_entrant(chance), any_entrant(chance)] }),
        5..=12 => tournament.next_draw().map(|round| {
            let races = tournament.stages().last().map(StageState::open_seats).unwrap_or_default();
            let waiting = (0..14).map(EntrantId).filter(|it| !races.contains(it)).collect();
            draw_of(round, chance.below(2) as u16, waiting)
        }),
        13 if chance.below(4) == 0 => any_round(chance).map(|it| draw_of(it, 2, vec![])),
        14 => any_round(chance).map(|round| {
            let table = Some(chance.below(4) as u16).filter(|_| chance.below(2) == 0);
            let attempt = tournament.next_attempt(round) + chance.below(2) as u16;
            LogEntry::Replay { round, table, board: None, attempt }
        }),
        15 if chance.below(3) == 0 => {
            any_round(chance).map(|round| LogEntry::Void { round, board: 0 })
        }
        20 => latest.map(|round| {
            let (table, entrant) = (chance.below(3) as u16, any_entrant(chance));
            LogEntry::Seat { round, table, entrant }
        }),
        21 if chance.below(2) == 0 => {
            latest.map(|round| LogEntry::Unseat { round, entrant: any_entrant(chance) })
        }
        16 if chance.below(5) == 0 => {
            Some(LogEntry::EndStage { stage: latest.map_or(0, |round| round.stage) })
        }
        17 => Some(LogEntry::TakeBack { entry: chance.below(tournament.log().len() as u32 + 1) }),
        18 | 19 => {
            // A correction, or a result of any round.
            let round = any_round(chance);
            round.and_then(|round| {
                let tables = &tournament.round(round)?.draw.tables;
                let table = tables.get(chance.below(tables.len() as u32) as usize)?.number;
                let attempt = tournament.attempt(round, table, 0)?;
                let key = ResultKey { round, table, board: 0, attempt };
                Some(LogEntry::Result { key, result: race(tournament, key, chance) })
            })
        }
        _ => latest.and_then(|round| {
            let open = open_boards(tournament, round);
            let key = *open.get(chance.below(open.len() as u32) as usize)?;
            let mut result = race(tournament, key, chance);
            if chance.below(8) == 0 {
                result.rows.pop();
            }
            Some(LogEntry::Result { key, result })
        }),
    };
    if let Some(entry) = entry {
        let before = tournament.clone();
        if tournament.apply(entry).is_err() {
            assert_eq!(*tournament, before);
        }
    }
}

fn any_tournament() -> impl Strategy<Value = Tournament> {
    (0..PLANS.len(), "[a-z]{10}", 2u32..12, 0usize..120).prop_map(|(plan, seed, field, steps)| {
        let mut tournament = begun(PLANS[plan], field);
        let mut chance = chance(&seed);
        for _ in 0..steps {
            apply_any(&mut tournament, &mut chance);
        }
        tournament
    })
}

/// Returns a log without one of its entries, which none of it takes back.
fn without(log: &[LogEntry], index: usize) -> Vec<LogEntry> {
    let target = index as u32;
    let kept = log.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, entry)| entry);
    let renumbered = kept.map(|entry| {
        let LogEntry::TakeBack { entry: named } = entry else { return entry.clone() };
        LogEntry::TakeBack { entry: named - u32::from(*named > target) }
    });
    renumbered.collect()
}

/// How many logs a property is tried on: GRIDRACE_TOURNAMENT_LOGS, else a few.
fn logs() -> ProptestConfig {
    let logs = std::env::var("GRIDRACE_TOURNAMENT_LOGS").ok().and_then(|it| it.parse().ok());
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(logs.unwrap_or(96)) }
}

proptest! {
    #![proptest_config(logs())]

    #[test]
    fn one_by_one_entries_give_the_fold_of_the_log(tournament in any_tournament()) {
        check(&tournament);
        // Of a log that was not applied entry by entry, this need not hold in an arena.
        for stage in tournament.stages() {
            prop_assert_eq!(stage.racing_twice(), None, "a seat at two open tables");
            let is_open = |(number, round): (usize, &Arc<RoundState>)| {
                let mut tables = round.draw.tables.iter();
                (!tables.all(|table| stage.is_table_complete(round, table))).then_some(number)
            };
            let open = stage.rounds().iter().enumerate().filter_map(is_open);
            prop_assert!(open.eq(stage.open_rounds()));
        }
        let fold = Tournament::fold(tournament.plan().clone(), tournament.log().to_vec());
        prop_assert_eq!(fold.stages(), tournament.stages());
        prop_assert_eq!(fold.standings(), tournament.standings());
        prop_assert!(fold == tournament);
    }

    #[test]
    fn no_result_counts_twice(tournament in any_tournament()) {
        let counting = tournament.counting_results();
        let boards: BTreeSet<_> = counting.iter().map(|it| (it.round, it.table, it.board)).collect();
        prop_assert_eq!(boards.len(), counting.len());
        // Whatever the log has of results, once more: the last of each key is what counted before.
        let mut log = tournament.log().to_vec();
        let standing: Vec<LogEntry> = effective(&log).into_iter().cloned().collect();
        log.extend(standing.into_iter().filter(|it| matches!(it, LogEntry::Result { .. })));
        let twice = Tournament::fold(tournament.plan().clone(), log);
        prop_assert_eq!(twice.stages(), tournament.stages());
        prop_assert_eq!(twice.standings(), tournament.standings());
    }

    #[test]
    fn to_take_an_entry_back_is_the_log_without_it(tournament in any_tournament(), at: prop::sample::Index) {
        let log = tournament.log();
        let index = at.index(log.len());
        // One that was taken back and isn't any more is named by entries that would name another.
        let named = log.contains(&LogEntry::TakeBack { entry: index as u32 });
        let mut after = tournament.clone();
        if !named
            && !matches!(log[index], LogEntry::TakeBack { .. })
            && after.apply(LogEntry::TakeBack { entry: index as u32 }).is_ok()
        {
            let fold = Tournament::fold(tournament.plan().clone(), without(log, index));
            prop_assert_eq!(after.stages(), fold.stages());
            prop_assert_eq!(after.standings(), fold.standings());
            check(&after);
            // Put in again, where it stood or, of a result, anywhere, it gives the same state.
            if let LogEntry::Result { key, .. } = &log[index] {
                let last = |entry: &&LogEntry| matches!(entry, LogEntry::Result { key: it, .. } if it == key);
                let is_last = log[index + 1..].iter().find(last).is_none();
                let mut again = log.to_vec();
                again.push(LogEntry::TakeBack { entry: index as u32 });
                again.push(log[index].clone());
                if is_last {
                    let again = Tournament::fold(tournament.plan().clone(), again);
                    prop_assert_eq!(again.stages(), tournament.stages());
                }
            }
        }
    }

    #[test]
    fn the_order_of_the_results_of_a_round_doesn_t_matter(
        plan in 0..PLANS.len() - 1, field in 2u32..12, seed in "[a-z]{10}",
    ) {
        let mut chance = chance(&seed);
        let mut tournament = begun(PLANS[plan], field);
        while tournament.next_draw().is_some() {
            let round = draw(&mut tournament);
            let mut results = Vec::new();
            let start = tournament.clone();
            while let Some(&key) = open_boards(&tournament, round).first() {
                let entry = LogEntry::Result { key, result: race(&tournament, key, &mut chance) };
                results.push(entry.clone());
                tournament.apply(entry).unwrap();
            }
            chance.permute(&mut results);
            let mut other = start;
            for entry in results {
                other.apply(entry).unwrap();
            }
            prop_assert_eq!(other.stages(), tournament.stages());
            prop_assert_eq!(other.standings(), tournament.standings());
        }
        check(&tournament);
        prop_assert!(tournament.is_over());
    }

    #[test]
    fn any_log_folds(entries in prop::collection::vec((0u8..13, 0u32..6, 0u16..3), 0..60)) {
        let entry = |(kind, number, small): (u8, u32, u16)| {
            let (entrant, round) = (EntrantId(number), RoundKey { stage: (small % 2) as u8, round: small / 2 });
            let key = ResultKey { round, table: small, board: number as u8, attempt: small };
            match kind {
                0 => LogEntry::Enter { entrant, team: None },
                1 | 2 => LogEntry::CheckIn { entrant },
                3 => LogEntry::Withdraw { entrant },
                4 => LogEntry::Disqualify { entrant },
                5 => draw_of(round, small, (0..6).map(EntrantId).collect()),
                6 => LogEntry::Result { key, result: in_order(&[number, u32::from(small)]) },
                7 => LogEntry::Replay { round, table: Some(small), board: None, attempt: small },
                8 => LogEntry::Void { round, board: number as u8 },
                9 => LogEntry::EndStage { stage: small as u8 },
                10 => LogEntry::Seat { round, table: small, entrant },
                11 => LogEntry::Unseat { round, entrant },
                _ => LogEntry::TakeBack { entry: number },
            }
        };
        let log: Vec<LogEntry> = entries.into_iter().map(entry).collect();
        for plan in PLANS {
            check(&Tournament::fold(plan.parse().unwrap(), log.clone()));
        }
    }
}
