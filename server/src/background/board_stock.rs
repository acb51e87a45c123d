//! Boards that are drawn ahead, so that the largest are there at once.
//!
//! A heat whose host sets no seed may take the seed of a board in the stock; the board then waits
//! until the heat starts. A seed leaves the stock once, so it is in one commitment only.

use crate::background::WorkerPanicked;
use crate::background::cpu_throttle::CpuThrottle;
use crate::background::idle_pool::{catch, set_idle_priority};
use crate::platform::lock::lock;
use crate::platform::rng::Rng;
use crate::platform::token_bucket::Bucket;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::ServerInstant;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use tracing::{error, warn};

/// The puzzles in the stock: the largest of each grade, which take seconds each.
const SPECS: [&str; 4] = ["link:20x20", "link:20x20:easy", "link:20x20:normal", "link:20x20:hard"];
/// Boards of each puzzle in the stock: for two rooms at the same instant.
const BOARDS_OF_A_SPEC: usize = 2;
/// Boards that wait for the start of their heats. Beyond that the oldest is forgotten, and drawn
/// from its seed at the start.
const MAX_TAKEN: usize = 64;
/// Boards that one address may take at once.
const ADDRESS_BURST: u32 = 2;
/// Seconds after which an address may take one more: the machine draws several meanwhile.
const ADDRESS_INTERVAL: u32 = 30;

/// A handle on the stock, whose thread ends with the last handle.
#[derive(Clone)]
pub(crate) struct BoardStock(Arc<StockHost>);

struct StockHost(Arc<Shared>);

#[derive(Default)]
struct Shared {
    stock: Mutex<Stock>,
    /// Notified of a board that was taken, and of the end.
    wake: Condvar,
}

#[derive(Default)]
struct Stock {
    drawn: Vec<DrawnBoard>,
    /// Boards whose seeds were taken, the oldest first.
    taken: VecDeque<DrawnBoard>,
    /// Addresses that took boards lately; this machine's own addresses count as one. There are at
    /// most as many as boards can be drawn until a bucket is full again.
    by_address: BTreeMap<Option<IpAddr>, Bucket>,
    closed: bool,
}

/// Secret until its heat's end.
struct DrawnBoard {
    spec: PuzzleSpec,
    seed: Seed,
    board: GeneratedBoard,
}

impl BoardStock {
    /// Makes a stock into which nothing is drawn.
    pub(crate) fn empty() -> Self {
        Self(Arc::new(StockHost(Arc::default())))
    }

    /// Starts a thread that keeps the stock full. It runs on idle cores only, and is throttled
    /// while heats run.
    pub(crate) fn start(rng: Rng, throttle: CpuThrottle) -> Self {
        let stock = Self::empty();
        let shared = Arc::clone(&stock.0.0);
        let draw = move || {
            set_idle_priority();
            shared.keep_full(&rng, &throttle, GeneratedBoard::of_while);
        };
        if let Err(error) = std::thread::Builder::new().name("stock".to_owned()).spawn(draw) {
            warn!(%error, "failed to start the thread that draws boards ahead");
        }
        stock
    }

    /// Takes the seed of a board out of the stock. The board waits for [`Self::claim`].
    pub(crate) fn take_seed(
        &self,
        spec: &PuzzleSpec,
        from: Option<IpAddr>,
        now: ServerInstant,
    ) -> Option<Seed> {
        let mut stock = lock(&self.0.0.stock);
        let place = stock.drawn.iter().position(|drawn| drawn.spec == *spec)?;
        stock.by_address.retain(|_, bucket| !bucket.is_full(now));
        let new = || Bucket::new(ADDRESS_BURST * ADDRESS_INTERVAL, 1, now);
        let bucket = stock.by_address.entry(from).or_insert_with(new);
        if !bucket.take(ADDRESS_INTERVAL, now) {
            return None;
        }
        let board = stock.drawn.remove(place);
        let seed = board.seed.clone();
        if stock.taken.len() >= MAX_TAKEN {
            stock.taken.pop_front();
        }
        stock.taken.push_back(board);
        drop(stock);
        self.0.0.wake.notify_one();
        Some(seed)
    }

    /// Takes the board of a seed that was taken.
    pub(crate) fn claim(&self, spec: &PuzzleSpec, seed: &Seed) -> Option<GeneratedBoard> {
        let taken = &mut lock(&self.0.0.stock).taken;
        let place = taken.iter().position(|board| board.spec == *spec && board.seed == *seed)?;
        taken.remove(place).map(|taken| taken.board)
    }
}

impl Shared {
    /// Draws boards until the stock is closed.
    fn keep_full(
        &self,
        rng: &Rng,
        throttle: &CpuThrottle,
        generate: impl Fn(&PuzzleSpec, &Seed, &dyn Fn() -> bool) -> Option<GeneratedBoard>,
    ) {
        let specs: Vec<PuzzleSpec> = SPECS.iter().filter_map(|spec| spec.parse().ok()).collect();
        while let Some(spec) = self.next_missing(&specs) {
            let work = throttle.begin_work();
            let seed = rng.seed();
            let go_on = || work.pause(&|| !lock(&self.stock).closed);
            match catch(|| generate(&spec, &seed, &go_on)) {
                Ok(Some(board)) => lock(&self.stock).drawn.push(DrawnBoard { spec, seed, board }),
                Ok(None) => {} // the stock is closed
                Err(WorkerPanicked) => {
                    error!(%spec, "board generator panicked; no further boards are drawn ahead");
                    return;
                }
            }
        }
    }

    /// Waits until a board is missing, and returns the puzzle with the fewest boards in the stock.
    /// Returns nothing once the stock is closed.
    fn next_missing(&self, specs: &[PuzzleSpec]) -> Option<PuzzleSpec> {
        let missing = |stock: &Stock| {
            let count = |spec| stock.drawn.iter().filter(|drawn| drawn.spec == spec).count();
            let fewest = specs.iter().map(|&spec| (count(spec), spec)).min_by_key(|&(n, _)| n);
            fewest.filter(|&(n, _)| n < BOARDS_OF_A_SPEC).map(|(_, spec)| spec)
        };
        let is_full = |stock: &mut Stock| !stock.closed && missing(stock).is_none();
        let waited = self.wake.wait_while(lock(&self.stock), is_full);
        let stock = waited.unwrap_or_else(PoisonError::into_inner);
        if stock.closed { None } else { missing(&stock) }
    }
}

impl Drop for StockHost {
    fn drop(&mut self) {
        lock(&self.0.stock).closed = true;
        self.0.wake.notify_all();
    }
}

impl fmt::Debug for BoardStock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It holds secret seeds.
        f.debug_struct("BoardStock").finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::background::cpu_throttle::tests::SimulatedMachine;
    use std::net::Ipv4Addr;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const LARGEST: &str = "link:20x20";

    fn address(n: u8) -> Option<IpAddr> {
        Some(Ipv4Addr::new(10, 0, 0, n).into())
    }

    /// Returns another board than the one of the seed, as that takes long.
    fn quick(seed: &Seed) -> GeneratedBoard {
        GeneratedBoard::of(&"slide:3x3".parse().unwrap(), seed)
    }

    /// Makes a stock that is full of boards of 3×3.
    pub(crate) fn full() -> BoardStock {
        let stock = BoardStock::empty();
        draw(&stock, &SimulatedMachine::default().throttle());
        stock
    }

    /// Draws until the stock is full; returns how many boards that took.
    fn draw(stock: &BoardStock, throttle: &CpuThrottle) -> usize {
        let drawn = AtomicUsize::new(0);
        let lacks = SPECS.len() * BOARDS_OF_A_SPEC - lock(&stock.0.0.stock).drawn.len();
        let generate = |_: &PuzzleSpec, seed: &Seed, go_on: &dyn Fn() -> bool| {
            // Ends the loop instead of waiting in it.
            if drawn.fetch_add(1, Ordering::Relaxed) + 1 == lacks {
                lock(&stock.0.0.stock).closed = true;
                return Some(quick(seed));
            }
            go_on().then(|| quick(seed))
        };
        if lacks > 0 {
            stock.0.0.keep_full(&Rng::default(), throttle, generate);
        }
        lock(&stock.0.0.stock).closed = false;
        drawn.into_inner()
    }

    #[test]
    fn the_largest_boards_of_each_grade_are_in_the_stock() {
        let stock = full();
        for spec in SPECS {
            let spec: PuzzleSpec = spec.parse().unwrap();
            assert!(spec.is_costly_to_generate());
            let drawn = &lock(&stock.0.0.stock).drawn;
            assert_eq!(drawn.iter().filter(|drawn| drawn.spec == spec).count(), BOARDS_OF_A_SPEC);
        }
    }

    #[test]
    fn a_seed_is_taken_once_and_its_board_claimed_once() {
        let (stock, spec) = (full(), LARGEST.parse().unwrap());
        let now = ServerInstant(0);
        let seeds = [1, 2, 3].map(|n| stock.take_seed(&spec, address(n), now));
        let [Some(first), Some(second), None] = seeds else { panic!("{seeds:?}") };
        assert_ne!(first, second);
        assert_eq!(stock.take_seed(&"link:9x9".parse().unwrap(), address(4), now), None);
        assert_eq!(stock.claim(&"link:20x20:hard".parse().unwrap(), &first), None);
        assert_eq!(stock.claim(&spec, &first), Some(quick(&first)));
        assert_eq!(stock.claim(&spec, &first), None);
        // What was taken is drawn anew.
        assert_eq!(draw(&stock, &SimulatedMachine::default().throttle()), 2);
        assert!(stock.take_seed(&spec, address(5), now).is_some());
    }

    #[test]
    fn an_address_leaves_boards_to_others() {
        let (stock, spec) = (full(), LARGEST.parse().unwrap());
        let throttle = SimulatedMachine::default().throttle();
        let take = |from, now| stock.take_seed(&spec, address(from), ServerInstant(now)).is_some();
        assert!(take(1, 0) && take(1, 0));
        draw(&stock, &throttle);
        assert!(!take(1, 0) && take(2, 0));
        let later = u64::from(ADDRESS_INTERVAL) * 1_000_000;
        assert!(!take(1, later - 1) && take(1, later));
    }

    #[test]
    fn boards_that_were_taken_and_never_claimed_are_forgotten_at_last() {
        let (stock, spec) = (BoardStock::empty(), LARGEST.parse().unwrap());
        let throttle = SimulatedMachine::default().throttle();
        let mut seeds = Vec::new();
        for n in 0..=MAX_TAKEN {
            draw(&stock, &throttle);
            let now = ServerInstant(n as u64 * u64::from(ADDRESS_INTERVAL) * 1_000_000);
            seeds.push(stock.take_seed(&spec, None, now).unwrap());
        }
        assert_eq!(lock(&stock.0.0.stock).taken.len(), MAX_TAKEN);
        assert_eq!(stock.claim(&spec, &seeds[0]), None);
        assert_eq!(stock.claim(&spec, &seeds[1]), Some(quick(&seeds[1])));
    }

    #[test]
    fn drawing_ahead_is_throttled_while_a_heat_runs_and_ends_with_the_stock() {
        let machine = SimulatedMachine::default();
        let throttle = machine.throttle();
        let stock = BoardStock::empty();
        draw(&stock, &throttle);
        assert_eq!(machine.times().waits, 0);
        let _heat = throttle.start_heat();
        assert!(stock.take_seed(&LARGEST.parse().unwrap(), None, ServerInstant(0)).is_some());
        assert!(stock.take_seed(&LARGEST.parse().unwrap(), None, ServerInstant(0)).is_some());
        draw(&stock, &throttle);
        assert!(machine.times().waits > 0);

        let shared = Arc::clone(&stock.0.0);
        assert!(
            stock
                .take_seed(&"link:20x20:easy".parse().unwrap(), address(1), ServerInstant(0))
                .is_some()
        );
        drop(stock);
        // Neither draws what is missing nor waits.
        shared.keep_full(&Rng::default(), &throttle, |_, _, _| panic!("the stock is closed"));
    }
}
