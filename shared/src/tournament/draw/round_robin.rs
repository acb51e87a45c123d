//! The schedule of a round robin by Johann Berger's tables, as in FIDE's Handbook, C.05, Annex 1.

use crate::tournament::draw::RoundDraw;
use crate::tournament::ids::EntrantId;

/// Returns how many rounds a field takes until each has met each.
pub const fn rounds(field: usize) -> usize {
    // With an odd field one sits out each round.
    if field.is_multiple_of(2) { field.saturating_sub(1) } else { field }
}

/// Returns a round, from 0, of the schedule.
///
/// With the entrants numbered from 1 to an even `n`, those two meet in round `r` whose numbers without
/// `n` add up to `r + 2` modulo `n - 1`; whose own double does, meets `n`. An odd field has nobody
/// for `n`, and who would meet `n` sits out.
pub fn draw(field: &[EntrantId], round: usize) -> RoundDraw {
    let modulus = rounds(field.len()).max(1);
    let sum = (round + 2) % modulus;
    let mut tables = Vec::new();
    let mut resting = Vec::new();
    for a in 1..=modulus {
        let b = (sum + 2 * modulus - a) % modulus;
        // Number 0 modulo n - 1 is n - 1.
        let b = if b == 0 { modulus } else { b };
        let other = if a == b { field.get(modulus) } else { field.get(b - 1) };
        match (field.get(a - 1), other) {
            (Some(&first), Some(&second)) if a <= b => tables.push(vec![first, second]),
            (Some(&first), None) if a == b => resting.push(first),
            _ => {}
        }
    }
    RoundDraw { resting, ..RoundDraw::of_tables(tables) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::draw::Meetings;

    fn pairs(field: usize, round: usize) -> Vec<(u32, u32)> {
        let field: Vec<EntrantId> = (1..=field as u32).map(EntrantId).collect();
        let draw = draw(&field, round);
        let pair = |seats: &[EntrantId]| {
            let (a, b) = (seats[0].0, seats[1].0);
            (a.min(b), a.max(b))
        };
        let mut pairs: Vec<_> = draw.tables.iter().map(|table| pair(&table.seats)).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn the_rounds_are_those_of_the_fide_handbook() {
        // Annex 1, 5 or 6 players: 1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1.
        assert_eq!(pairs(6, 0), [(1, 6), (2, 5), (3, 4)]);
        assert_eq!(pairs(6, 1), [(1, 2), (3, 5), (4, 6)]);
        assert_eq!(pairs(6, 2), [(1, 3), (2, 6), (4, 5)]);
        assert_eq!(pairs(6, 3), [(1, 4), (2, 3), (5, 6)]);
        assert_eq!(pairs(6, 4), [(1, 5), (2, 4), (3, 6)]);
        // 7 or 8 players, the first, the second and the last round, as caissify-pairings 0.5 has them,
        // too.
        assert_eq!(pairs(8, 0), [(1, 8), (2, 7), (3, 6), (4, 5)]);
        assert_eq!(pairs(8, 1), [(1, 2), (3, 7), (4, 6), (5, 8)]);
        assert_eq!(pairs(8, 6), [(1, 7), (2, 6), (3, 5), (4, 8)]);
        assert_eq!(pairs(2, 0), [(1, 2)]);
    }

    #[test]
    fn each_meets_each_exactly_once_and_sits_out_at_most_once() {
        for n in 2..=33u32 {
            let field: Vec<EntrantId> = (1..=n).map(EntrantId).collect();
            let mut met = Meetings::default();
            let mut rested = Vec::new();
            for round in 0..rounds(field.len()) {
                let draw = draw(&field, round);
                let mut seen: Vec<EntrantId> = draw.resting.clone();
                for table in &draw.tables {
                    assert_eq!(table.seats.len(), 2);
                    met.add(&table.seats);
                    seen.extend(&table.seats);
                }
                seen.sort_unstable();
                assert_eq!(seen, field, "round {round} of {n}");
                rested.extend(draw.resting);
            }
            for &a in &field {
                for &b in &field {
                    assert_eq!(met.of(a, b), u16::from(a != b), "{a} and {b} of {n}");
                }
            }
            rested.sort_unstable();
            assert_eq!(rested, if n % 2 == 1 { field } else { vec![] });
        }
    }
}
