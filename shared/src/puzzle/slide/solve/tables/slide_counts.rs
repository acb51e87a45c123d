//! Counts the slides of a colouring by breadth-first search from the goal.
//!
//! There are two counts for each arrangement: of the slides to the goal with one within the line
//! after the last, and of those without. In the second case the last slide must bring the blank
//! home. A slide within the line may be missing anywhere, so the second count is at most two above
//! the first: across and back again. On two rows there is the first count alone.
//!
//! A layer is spread from the arrangements that were reached last; once most are reached, the
//! others look for a neighbour in the last layer instead.

use super::colour_rank::{ColourRanking, RankBlock, RankBlocks};
use super::colouring::Colouring;
use super::retrograde_search::Workers;
use super::tile_sequence::{Axis, TileSequence};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};

const UNKNOWN: u8 = u8::MAX;
/// A byte holds the first count below, and what the second one is above it: three if that is
/// unknown. No count of a board of 16 cells comes near 63.
const EXTRA_SHIFT: u32 = 6;
const FIRST_COUNT: u8 = (1 << EXTRA_SHIFT) - 1;

/// Fills a zeroed database. Calls `found` with the counts so far, of twice its values.
pub(super) fn fill(
    colouring: &Colouring,
    workers: Workers<'_>,
    found: &(dyn Fn(u64) + Sync),
    table: &mut [u8],
) {
    let (ranking, blocks) = colouring.ranking();
    let mut values = Vec::new();
    values.resize_with(colouring.values(), || AtomicU8::new(UNKNOWN));
    let half = values.len() as u64;
    let axis = colouring.axis;
    let goal = (axis.lines - 1, colouring.goal());

    let first = SlideSearch::<EndsWithin>::new(axis, &ranking, &blocks, &values);
    first.reach(goal.0, goal.1, 0);
    first.run(0, workers, &|count| found(count.min(half)));

    let is_on_two_rows = colouring.is_on_two_rows();
    if !is_on_two_rows {
        let second = SlideSearch::<EndsAcross>::new(axis, &ranking, &blocks, &values);
        axis.any_slide(goal.1, goal.0, axis.width - 1, |line, sequence| {
            second.reach(line, sequence, 1);
            false
        });
        second.run(1, workers, &|count| found(half + count.min(half)));
    }
    found(2 * half);
    for (byte, pair) in table.iter_mut().zip(values.chunks(2)) {
        let packed = if is_on_two_rows { halved } else { packed };
        let values = pair.iter().rev().map(|value| packed(value.load(Relaxed)));
        *byte = values.fold(0, |byte, value| byte << 4 | value);
    }
}

/// Returns the remainder of the first count by three, plus three times what the second one is
/// above it. No moves lead from the goal to an arrangement with an unknown count.
const fn packed(value: u8) -> u8 {
    if value == UNKNOWN { 0 } else { (value & FIRST_COUNT) % 3 + 3 * (value >> EXTRA_SHIFT) }
}

/// Returns half of the first count.
const fn halved(value: u8) -> u8 {
    if value == UNKNOWN { 0 } else { (value & FIRST_COUNT) / 2 }
}

/// How a way to the goal ends, and its count in a byte.
trait End: Sync {
    fn count(value: u8) -> Option<u8>;
    fn with_count(value: u8, count: u8) -> u8;
}

/// With a slide within the line, which may be missing.
struct EndsWithin;

/// With a slide across lines.
struct EndsAcross;

impl End for EndsWithin {
    fn count(value: u8) -> Option<u8> {
        (value != UNKNOWN).then_some(value & FIRST_COUNT)
    }

    fn with_count(_: u8, count: u8) -> u8 {
        count | !FIRST_COUNT
    }
}

impl End for EndsAcross {
    fn count(value: u8) -> Option<u8> {
        let extra = value >> EXTRA_SHIFT;
        (extra < 3).then_some((value & FIRST_COUNT) + extra)
    }

    fn with_count(value: u8, count: u8) -> u8 {
        let first = value & FIRST_COUNT;
        first | count.wrapping_sub(first) << EXTRA_SHIFT
    }
}

struct SlideSearch<'a, E> {
    axis: Axis,
    ranking: &'a ColourRanking,
    blocks: &'a RankBlocks,
    values: &'a [AtomicU8],
    /// About the number of arrangements with a count; it increases if any gets one.
    reached: AtomicU64,
    end: PhantomData<E>,
}

impl<'a, E: End> SlideSearch<'a, E> {
    const fn new(
        axis: Axis,
        ranking: &'a ColourRanking,
        blocks: &'a RankBlocks,
        values: &'a [AtomicU8],
    ) -> Self {
        let reached = AtomicU64::new(0);
        Self { axis, ranking, blocks, values, reached, end: PhantomData }
    }

    fn value(&self, line: usize, sequence: TileSequence) -> &AtomicU8 {
        &self.values[line * self.ranking.len() + self.ranking.rank(sequence)]
    }

    /// Gives an arrangement its count if it has none, and returns whether it had none. Two threads
    /// may both find it without one: then they write the same.
    fn reach(&self, line: usize, sequence: TileSequence, count: u8) -> bool {
        let value = self.value(line, sequence);
        let before = value.load(Relaxed);
        let is_new = E::count(before).is_none();
        // Written in any case: a branch that is hard to predict costs more.
        let after = if is_new { E::with_count(before, count) } else { before };
        value.store(after, Relaxed);
        is_new
    }

    fn run(&self, first: u8, workers: Workers<'_>, found: &(dyn Fn(u64) + Sync)) {
        let chunks = self.axis.lines * self.blocks.blocks.len();
        for layer in first..FIRST_COUNT {
            let before = self.reached.load(Relaxed);
            let spreads = before < self.values.len() as u64 / 3 * 2;
            let next = AtomicUsize::new(0);
            workers(&|| {
                loop {
                    let chunk = next.fetch_add(1, Relaxed);
                    if chunk >= chunks {
                        return;
                    }
                    let line = chunk / self.blocks.blocks.len();
                    let block = &self.blocks.blocks[chunk % self.blocks.blocks.len()];
                    if spreads {
                        self.spread(line, block, layer);
                    } else {
                        self.look_around(line, block, layer);
                    }
                }
            });
            let reached = self.reached.load(Relaxed);
            found(reached);
            if reached == before {
                return;
            }
        }
    }

    /// Reaches all neighbours of a block's arrangements in a layer.
    fn spread(&self, line: usize, block: &RankBlock, layer: u8) {
        let mut reached = 0;
        for (value, sequence) in self.arrangements(line, block) {
            if E::count(value.load(Relaxed)) == Some(layer) {
                for place in 0..self.axis.width {
                    self.axis.any_slide(sequence, line, place, |to, sequence| {
                        reached += u64::from(self.reach(to, sequence, layer + 1));
                        false
                    });
                }
            }
        }
        self.reached.fetch_add(reached, Relaxed);
    }

    /// Reaches the arrangements of a block that have a neighbour in a layer.
    fn look_around(&self, line: usize, block: &RankBlock, layer: u8) {
        let mut reached = 0;
        for (value, sequence) in self.arrangements(line, block) {
            let before = value.load(Relaxed);
            let in_layer =
                |to, sequence| E::count(self.value(to, sequence).load(Relaxed)) == Some(layer);
            if E::count(before).is_none()
                && (0..self.axis.width)
                    .any(|place| self.axis.any_slide(sequence, line, place, in_layer))
            {
                value.store(E::with_count(before, layer + 1), Relaxed);
                reached += 1;
            }
        }
        self.reached.fetch_add(reached, Relaxed);
    }

    fn arrangements(
        &self,
        line: usize,
        block: &RankBlock,
    ) -> impl Iterator<Item = (&AtomicU8, TileSequence)> {
        let first = line * self.ranking.len() + block.first_rank;
        self.values[first..].iter().zip(self.blocks.sequences(block))
    }
}
