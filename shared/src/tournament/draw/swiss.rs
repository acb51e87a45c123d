//! The draw of a Swiss round: tables of entrants with about the same points who haven't met.

use crate::tournament::draw::{Meetings, RoundDraw, Walkover, table_sizes};
use crate::tournament::ids::EntrantId;
use std::collections::BTreeMap;

/// Largest field for which the fewest possible re-meetings are searched for, and all byes tried.
const SMALL_FIELD: usize = 16;
/// Steps of a search for tables with a given number of re-meetings: enough for any field of
/// `SMALL_FIELD` that occurs, and for the end of a long list.
const SEARCH_NODES: u32 = 200_000;
/// Exchanges of two seats, where the search gave up: some for each seat of a large field.
const EXCHANGES: usize = 2_000;
/// Exchanges for which an entrant then stays: long enough that the search leaves a dead end.
const EXCHANGE_REST: usize = 12;

/// Draws the first round from the order of seeds: each table has one of each part of the field, so that
/// one on one the first half meets the second. One on one, the last of an odd field has a bye.
pub fn draw_first(seeds: &[EntrantId], table: usize) -> RoundDraw {
    let has_bye = table == 2 && !seeds.len().is_multiple_of(2);
    let seated = &seeds[..seeds.len() - usize::from(has_bye)];
    let count = seated.len().div_ceil(table.max(1));
    let tables =
        (0..count).map(|first| seated.iter().copied().skip(first).step_by(count).collect());
    let mut draw = RoundDraw::of_tables(tables.collect());
    if has_bye {
        add_bye(&mut draw, seeds.last().copied());
    }
    draw
}

fn add_bye(draw: &mut RoundDraw, winner: Option<EntrantId>) {
    let number = u16::try_from(draw.tables.len()).unwrap_or(u16::MAX);
    draw.walkovers.push(Walkover { number, winner, loser: None });
}

/// Draws a later round. `standing` is in order, best first, with equals in an order by lot.
///
/// Up to `SMALL_FIELD` entrants no draw has fewer re-meetings. In larger fields there are none if a
/// search finds such a draw, and else few. One on one, an odd field has a bye: it goes to the lowest of those who
/// had the fewest.
pub fn draw(
    standing: &[EntrantId],
    table: usize,
    met: &Meetings,
    byes: &BTreeMap<EntrantId, u16>,
) -> RoundDraw {
    if table > 2 || standing.len().is_multiple_of(2) {
        return RoundDraw::of_tables(form_tables(standing, table, met).0);
    }
    let had = |entrant: &EntrantId| byes.get(entrant).copied().unwrap_or(0);
    let fewest = standing.iter().map(had).min().unwrap_or(0);
    let candidates = standing.iter().rev().filter(|entrant| had(entrant) == fewest);
    let mut best: Option<(u32, EntrantId, Vec<Vec<EntrantId>>)> = None;
    for &rests in candidates.take(SMALL_FIELD) {
        let others: Vec<EntrantId> = standing.iter().copied().filter(|it| *it != rests).collect();
        let (tables, meetings) = form_tables(&others, table, met);
        if best.as_ref().is_none_or(|(fewest, ..)| meetings < *fewest) {
            best = Some((meetings, rests, tables));
        }
        if meetings == 0 {
            break;
        }
    }
    let Some((_, rests, tables)) = best else { return RoundDraw::default() };
    let mut draw = RoundDraw::of_tables(tables);
    add_bye(&mut draw, Some(rests));
    draw
}

/// Forms tables from the top down, and returns them with how many pairs of them have met, each as
/// often as it did.
fn form_tables(standing: &[EntrantId], table: usize, met: &Meetings) -> (Vec<Vec<EntrantId>>, u32) {
    let mut search = Search::new(standing, table, met);
    let most = if standing.len() <= SMALL_FIELD { u32::MAX } else { 0 };
    let mut allowed = 0;
    let tables = loop {
        match search.run(allowed) {
            Ended::Found => break search.tables,
            Ended::Impossible if allowed < most => allowed += 1,
            Ended::Impossible | Ended::GaveUp => break search.exchange(search.greedy()),
        }
    };
    let names = |table: &Vec<usize>| table.iter().map(|&index| standing[index]).collect();
    let cost = tables.iter().map(|table| search.pairs.cost(table)).sum();
    (tables.iter().map(names).collect(), cost)
}

/// How often any two of a field have met, by their places in the standing.
struct Pairs {
    field: usize,
    met: Vec<u16>,
}

impl Pairs {
    fn between(&self, a: usize, b: usize) -> u32 {
        self.met[a * self.field + b].into()
    }

    fn with(&self, entrant: usize, table: &[usize]) -> u32 {
        table.iter().map(|&other| self.between(entrant, other)).sum()
    }

    fn cost(&self, table: &[usize]) -> u32 {
        let seats = table.iter().enumerate();
        seats.map(|(index, &entrant)| self.with(entrant, &table[..index])).sum()
    }
}

enum Ended {
    Found,
    Impossible,
    GaveUp,
}

/// A depth-first search for tables with at most a number of re-meetings. The first of those left
/// opens a table, and the next in the standing who may join it does.
struct Search {
    pairs: Pairs,
    /// The sizes of tables, and how many of each are still to open; the larger first.
    sizes: Vec<(usize, usize)>,
    tables: Vec<Vec<usize>>,
    seated: Vec<bool>,
    nodes: u32,
}

impl Search {
    fn new(standing: &[EntrantId], table: usize, met: &Meetings) -> Self {
        let field = standing.len();
        let pairs = standing.iter().flat_map(|&a| standing.iter().map(move |&b| met.of(a, b)));
        let pairs = Pairs { field, met: pairs.collect() };
        let sizes = table_sizes(field, table);
        let sizes = sizes.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len())).collect();
        Self { pairs, sizes, tables: Vec::new(), seated: vec![false; field], nodes: 0 }
    }

    fn run(&mut self, allowed: u32) -> Ended {
        self.nodes = SEARCH_NODES;
        self.tables.clear();
        self.seated.fill(false);
        match self.open_table(allowed) {
            true => Ended::Found,
            false if self.nodes == 0 => Ended::GaveUp,
            false => Ended::Impossible,
        }
    }

    /// Opens tables for all who are left; whether that is possible.
    fn open_table(&mut self, allowed: u32) -> bool {
        let Some(first) = self.seated.iter().position(|seated| !seated) else { return true };
        self.seated[first] = true;
        for kind in 0..self.sizes.len() {
            let (size, left) = self.sizes[kind];
            if left == 0 {
                continue;
            }
            self.sizes[kind].1 -= 1;
            self.tables.push(vec![first]);
            if self.fill_table(size, first + 1, allowed) {
                self.sizes[kind].1 += 1;
                return true;
            }
            self.tables.pop();
            self.sizes[kind].1 += 1;
        }
        self.seated[first] = false;
        false
    }

    /// Fills the table opened last with entrants from `after` on, and opens the others; whether that is
    /// possible.
    fn fill_table(&mut self, size: usize, after: usize, allowed: u32) -> bool {
        let open = self.tables.len() - 1;
        if self.tables[open].len() == size {
            return self.open_table(allowed);
        }
        for entrant in after..self.pairs.field {
            if self.seated[entrant] {
                continue;
            }
            let cost = self.pairs.with(entrant, &self.tables[open]);
            if cost > allowed {
                continue;
            }
            let Some(nodes) = self.nodes.checked_sub(1) else { return false };
            self.nodes = nodes;
            self.seated[entrant] = true;
            self.tables[open].push(entrant);
            if self.fill_table(size, entrant + 1, allowed - cost) {
                return true;
            }
            self.tables[open].pop();
            self.seated[entrant] = false;
        }
        false
    }

    /// Seats at each table in turn who has met the fewest there, among the next two tables' worth.
    fn greedy(&self) -> Vec<Vec<usize>> {
        let mut left: Vec<usize> = (0..self.pairs.field).collect();
        let mut tables = Vec::new();
        let sizes = self.sizes.iter().flat_map(|&(size, count)| std::iter::repeat_n(size, count));
        for size in sizes {
            let mut table: Vec<usize> = Vec::new();
            while table.len() < size {
                let window = left.iter().take(2 * size).enumerate();
                let next = window.min_by_key(|(_, entrant)| self.pairs.with(**entrant, &table));
                let Some((index, _)) = next else { break };
                table.push(left.remove(index));
            }
            tables.push(table);
        }
        tables
    }

    /// Exchanges those who meet again with whom that leaves the fewest re-meetings, the nearest in the
    /// standing first, and returns the best tables on the way: a tabu search (Glover, 1986).
    fn exchange(&self, mut tables: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        let cost = |tables: &[Vec<usize>]| -> u32 {
            tables.iter().map(|table| self.pairs.cost(table)).sum()
        };
        let mut rests_until = vec![0; self.pairs.field];
        let mut best = (cost(&tables), tables.clone());
        for step in 1..=EXCHANGES {
            let seats = |table: &Vec<usize>, number| {
                (0..table.len()).map(move |seat| (number, seat)).collect::<Vec<_>>()
            };
            let all: Vec<(usize, usize)> =
                tables.iter().zip(0..).flat_map(|(table, number)| seats(table, number)).collect();
            let meets = |&&(table, seat): &&(usize, usize)| {
                self.pairs.with(tables[table][seat], &tables[table]) > 0
            };
            let conflicts = all.iter().filter(meets);
            let Some(&from) =
                conflicts.min_by_key(|(table, seat)| rests_until[tables[*table][*seat]])
            else {
                break;
            };
            let x = tables[from.0][from.1];
            let change = |to: &&(usize, usize)| {
                let y = tables[to.0][to.1];
                let (here, there) = (&tables[from.0], &tables[to.0]);
                let before = self.pairs.with(x, here) + self.pairs.with(y, there);
                let after = self.pairs.with(x, there) + self.pairs.with(y, here);
                let change = i64::from(after) - 2 * i64::from(self.pairs.between(x, y));
                (change - i64::from(before), x.abs_diff(y))
            };
            let free =
                |to: &&(usize, usize)| to.0 != from.0 && rests_until[tables[to.0][to.1]] < step;
            let Some(&to) = all.iter().filter(free).min_by_key(change) else { break };
            let y = tables[to.0][to.1];
            tables[from.0][from.1] = y;
            tables[to.0][to.1] = x;
            rests_until[x] = step + EXCHANGE_REST;
            rests_until[y] = step + EXCHANGE_REST;
            let now = cost(&tables);
            if now < best.0 {
                best = (now, tables.clone());
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests;
