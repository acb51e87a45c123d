//! Fits the weights of the near-optimal solver's beams, and writes `near_optimal/weights.rs`:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example fit_weights -- \
//!     6x6:5000 8x8:4000 10x10:2000 --rounds 3 --out FILE
//! ```
//!
//! With `--by-position` it fits those of one size by position, as changes to the others, and writes
//! `near_optimal/position_weights_6x6.bin`:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example fit_weights -- \
//!     6x6:20000 --by-position --rounds 2 --step 0.04 --stride 8 --out FILE
//! ```
//!
//! Beams with the weights of the round before solve random boards. In some of a beam's layers the
//! ancestor of the solution is compared with other boards of the layer, drawn at random; those of
//! earlier rounds are used again (as by Ross, Gordon and Bagnell 2011), since new weights keep other
//! boards. The weights maximise the likelihood that the ancestor is chosen when a board is chosen with a
//! probability in proportion to exp(-weight): a conditional logit (McFadden 1974), by stochastic
//! gradient descent with a step for each weight (AdaGrad: Duchi, Hazan and Singer 2011). Its result is
//! the mean of the last pass (Polyak and Juditsky 1992), so that it depends less on the last samples.

#![expect(clippy::expect_used, reason = "a tool has no caller to return an error to")]

use clap::Parser;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::puzzle::slide::solve::weight_fitting::{
    Beam, BeamStatus, BeamWidth, Geometry, PositionFeatures, WEIGHTS, list_features,
    position_weights, store_position_weights,
};
use gridrace_shared::util::grid::Size;
use gridrace_shared::util::seed::Seed;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Weights are stored as integers of this part of a unit of the logit.
const SCALE: f32 = 100.0;

/// The step falls with each sample, down to this part of the first one.
const LEAST_STEP_PART: f32 = 0.02;

/// The samples between two of the weights whose mean is the result.
const MEAN_STRIDE: usize = 256;

/// Fits the weights to beams over random boards.
#[derive(Debug, Parser)]
struct Args {
    /// Sizes, each with the number of boards in a round, such as 6x6:300
    #[arg(required = true)]
    sizes: Vec<String>,
    /// Fits the weights by position of the one size
    #[arg(long)]
    by_position: bool,
    /// Width of the beams, in boards
    #[arg(long, default_value_t = 1024)]
    width: usize,
    /// Beams with new weights, each followed by a fit
    #[arg(long, default_value_t = 1)]
    rounds: u32,
    /// Passes over the layers of all rounds so far
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Use one layer of each this many
    #[arg(long, default_value_t = 48)]
    stride: usize,
    /// The boards of a layer beside the ancestor of the solution
    #[arg(long, default_value_t = 16)]
    rivals: usize,
    /// The step of a weight at its first gradient
    #[arg(long, default_value_t = 0.02)]
    step: f32,
    /// Names the random boards
    #[arg(long, default_value = "fit")]
    seed: String,
    /// Writes the weights to this file
    #[arg(long)]
    out: PathBuf,
}

/// A layer of a beam.
struct Sample {
    size: Size,
    /// The ancestor of the solution, then its rivals, each with what fixed weights add up to.
    boards: Vec<(Vec<u8>, f32)>,
}

/// The weights that are fitted.
enum Model {
    AllSizes,
    ByPosition(PositionFeatures),
}

impl Model {
    fn weights(&self) -> Vec<f32> {
        let weights = match self {
            Self::AllSizes => WEIGHTS.to_vec(),
            Self::ByPosition(features) => position_weights(features),
        };
        weights.into_iter().map(|weight| f32::from(weight) / SCALE).collect()
    }

    fn geometry(&self, size: Size, weights: &[f32]) -> Geometry {
        let integers: Vec<i16> = scaled(weights).map(|weight| weight.round() as i16).collect();
        match self {
            Self::AllSizes => {
                let weights = integers.try_into().expect("a weight for each feature");
                Geometry::with_weights(size, &weights)
            }
            Self::ByPosition(features) => Geometry::with_position_weights(features, &integers),
        }
    }

    /// Appends the features of a board whose weights are fitted.
    fn list(&self, size: Size, tiles: &[u8], features: &mut Vec<usize>) {
        match self {
            Self::AllSizes => list_features(size, tiles, features),
            Self::ByPosition(by_position) => by_position.list_features(tiles, features),
        }
    }

    /// Returns the sum of a board's weights that are not fitted.
    fn fixed_sum(&self, size: Size, tiles: &[u8]) -> f32 {
        let mut features = Vec::new();
        if let Self::ByPosition(_) = self {
            list_features(size, tiles, &mut features);
        }
        features.iter().map(|&feature| f32::from(WEIGHTS[feature]) / SCALE).sum()
    }

    /// Returns the bytes of the file of the weights.
    fn store(&self, weights: &[f32]) -> Vec<u8> {
        let weights: Vec<f32> = scaled(weights).collect();
        match self {
            Self::AllSizes => source_file(&weights).into_bytes(),
            Self::ByPosition(features) => store_position_weights(features, &weights),
        }
    }
}

fn scaled(weights: &[f32]) -> impl Iterator<Item = f32> {
    weights.iter().map(|weight| weight * SCALE)
}

fn main() {
    let args = Args::parse();
    let sizes: Vec<(Size, u32)> = args.sizes.iter().map(|text| parse(text)).collect();
    let model = if args.by_position {
        let [(size, _)] = sizes[..].try_into().expect("one size for weights by position");
        Model::ByPosition(PositionFeatures::new(size).expect("a square of at most 7x7"))
    } else {
        Model::AllSizes
    };
    let mut weights = model.weights();
    let mut samples = Vec::new();
    for round in 0..args.rounds {
        let mut held_out = Vec::new();
        for &(size, boards) in &sizes {
            let geometry = model.geometry(size, &weights);
            let (mut moves, mut solved) = (0, 0);
            for (number, of_board) in run_all(&args, &model, &geometry, round, boards) {
                moves += of_board.moves;
                solved += usize::from(of_board.moves > 0);
                if number % 10 == 0 { &mut held_out } else { &mut samples }
                    .extend(of_board.samples);
            }
            eprintln!("{size}: {:.2} moves", moves as f64 / solved as f64);
        }
        eprintln!("{} layers, {} held out", samples.len(), held_out.len());
        assert!(!samples.is_empty(), "too few boards: each tenth is held out");
        fit(&args, &model, &sizes, &samples, &held_out, &mut weights);
        std::fs::write(&args.out, model.store(&weights)).expect("a writable file");
    }
}

/// The samples of a board's beam, and the moves of its solution; none if it found none.
#[derive(Default)]
struct BoardSamples {
    moves: usize,
    samples: Vec<Sample>,
}

/// Runs the beams of a round, and returns their samples by the number of the board.
fn run_all(
    args: &Args,
    model: &Model,
    geometry: &Geometry,
    round: u32,
    boards: u32,
) -> Vec<(u32, BoardSamples)> {
    let next = AtomicU32::new(0);
    let run_some = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let of_boards = numbers.take_while(|&number| number < boards).map(|number| {
            let seed = format!("{}-{round}-{number}", args.seed).parse().expect("a seed");
            (number, run(args, model, geometry, &seed))
        });
        of_boards.collect::<Vec<_>>()
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut all: Vec<(u32, BoardSamples)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(run_some)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("samples")).collect()
    });
    all.sort_by_key(|&(number, _)| number);
    all
}

fn parse(text: &str) -> (Size, u32) {
    let (size, boards) = text.split_once(':').expect("SIZE:BOARDS");
    (size.parse().expect("a size"), boards.parse().expect("a number of boards"))
}

/// Runs a beam and returns samples of its layers.
fn run(args: &Args, model: &Model, geometry: &Geometry, seed: &Seed) -> BoardSamples {
    let board = scramble(geometry.size, seed, Variant::BlankAnywhere).expect("a size of boards");
    let mut random = seed.rng("rivals", "");
    let tiles = to_bytes(&board);
    let cells = tiles.len();
    let mut beam = Beam::new(geometry, tiles, BeamWidth::even(args.width), u32::MAX);
    let mut layers: Vec<(usize, Vec<Vec<u8>>)> = Vec::new();
    let mut next = random.below(args.stride as u32) as usize + 4;
    let found = loop {
        let mut budget = args.width as u64 / 2;
        match beam.advance(geometry, &mut budget) {
            BeamStatus::Running => {}
            BeamStatus::Found(moves) => break moves,
            BeamStatus::Exhausted { .. } => return BoardSamples::default(),
        }
        let (depth, tiles) = beam.layer();
        if depth >= next {
            next = depth + args.stride;
            let boards = tiles.len() / cells;
            let rivals = (0..args.rivals).map(|_| {
                let start = random.below(boards as u32) as usize * cells;
                tiles[start..start + cells].to_vec()
            });
            layers.push((depth, rivals.collect()));
        }
    };
    let mut board = board;
    let mut depth = 0;
    let mut samples = Vec::new();
    for (at, rivals) in layers {
        for &way in &found[depth..at] {
            board.step(way);
        }
        depth = at;
        let ancestor = to_bytes(&board);
        let others = rivals.into_iter().filter(|rival| *rival != ancestor);
        let boards = std::iter::once(ancestor.clone()).chain(others).map(|tiles| {
            let fixed = model.fixed_sum(geometry.size, &tiles);
            (tiles, fixed)
        });
        samples.push(Sample { size: geometry.size, boards: boards.collect() });
    }
    BoardSamples { moves: found.len(), samples }
}

fn to_bytes(board: &Board) -> Vec<u8> {
    board.tiles().iter().map(|&tile| tile as u8).collect()
}

/// Improves the weights by passes over the samples.
fn fit(
    args: &Args,
    model: &Model,
    sizes: &[(Size, u32)],
    samples: &[Sample],
    held_out: &[Sample],
    weights: &mut [f32],
) {
    let mut squares = vec![1.0_f32; weights.len()];
    let mut scratch = Scratch::default();
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let seed: Seed = args.seed.parse().expect("a seed");
    let mut random = seed.rng("order", "");
    report(model, sizes, held_out, weights, &mut scratch);
    let mut sums = vec![0.0_f64; weights.len()];
    for pass in 0..args.passes {
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last as u32 + 1) as usize);
        }
        let mut sum = 0.0;
        for (at, &n) in order.iter().enumerate() {
            sum += f64::from(scratch.choose(model, &samples[n], weights));
            let done = pass as f32 + at as f32 / order.len() as f32;
            let step = args.step * (1.0 - done / args.passes as f32).max(LEAST_STEP_PART);
            scratch.descend(step, weights, &mut squares);
            if pass + 1 == args.passes && at % MEAN_STRIDE == 0 {
                sums.iter_mut().zip(&*weights).for_each(|(sum, &weight)| *sum += f64::from(weight));
            }
        }
        eprint!("pass {pass}: {:.4};", sum / samples.len() as f64);
        report(model, sizes, held_out, weights, &mut scratch);
    }
    let terms = order.len().div_ceil(MEAN_STRIDE) as f64;
    weights.iter_mut().zip(sums).for_each(|(weight, sum)| *weight = (sum / terms) as f32);
    eprint!("mean:");
    report(model, sizes, held_out, weights, &mut scratch);
}

/// Prints the mean log-likelihood of held-out samples by size.
fn report(
    model: &Model,
    sizes: &[(Size, u32)],
    held_out: &[Sample],
    weights: &[f32],
    scratch: &mut Scratch,
) {
    for &(size, _) in sizes {
        let of_size = held_out.iter().filter(|sample| sample.size == size);
        let all: Vec<f32> = of_size.map(|sample| scratch.choose(model, sample, weights)).collect();
        eprint!(" {:.4}", all.iter().sum::<f32>() / all.len() as f32);
    }
    eprintln!();
}

/// The features of a sample's boards.
#[derive(Default)]
struct Scratch {
    features: Vec<usize>,
    ends: Vec<usize>,
    shares: Vec<f32>,
    gradient: Vec<f32>,
    touched: Vec<usize>,
}

impl Scratch {
    /// Computes each board's probability to be chosen. Returns the logarithm of the ancestor's.
    fn choose(&mut self, model: &Model, sample: &Sample, weights: &[f32]) -> f32 {
        self.features.clear();
        self.ends.clear();
        self.shares.clear();
        let mut start = 0;
        for (tiles, fixed) in &sample.boards {
            model.list(sample.size, tiles, &mut self.features);
            let features = &self.features[start..];
            self.shares.push(-fixed - features.iter().map(|&n| weights[n]).sum::<f32>());
            start = self.features.len();
            self.ends.push(start);
        }
        let most = self.shares.iter().copied().fold(f32::MIN, f32::max);
        let of_ancestor = self.shares[0] - most;
        self.shares.iter_mut().for_each(|share| *share = (*share - most).exp());
        let sum: f32 = self.shares.iter().sum();
        self.shares.iter_mut().for_each(|share| *share /= sum);
        of_ancestor - sum.ln()
    }

    /// Takes a step towards a higher likelihood of the ancestor chosen last.
    fn descend(&mut self, step: f32, weights: &mut [f32], squares: &mut [f32]) {
        self.gradient.resize(weights.len(), 0.0);
        let mut start = 0;
        for (n, (&end, &share)) in self.ends.iter().zip(&self.shares).enumerate() {
            let by = if n == 0 { share - 1.0 } else { share };
            for &feature in &self.features[start..end] {
                let at = &mut self.gradient[feature];
                if *at == 0.0 {
                    self.touched.push(feature);
                }
                *at -= by;
            }
            start = end;
        }
        for feature in self.touched.drain(..) {
            let by = std::mem::take(&mut self.gradient[feature]);
            squares[feature] += by * by;
            weights[feature] -= step * by / squares[feature].sqrt();
        }
    }
}

/// Returns the source file of the weights of all sizes.
fn source_file(weights: &[f32]) -> String {
    let mut text = String::from(
        "//! The weights of the features of a board, fitted by `examples/fit_weights`.\n\n\
         use super::features::FEATURES;\n\n/// Lower is better.\n#[rustfmt::skip]\n\
         pub static WEIGHTS: [i16; FEATURES] = [\n",
    );
    for row in weights.chunks(16) {
        let row: Vec<String> =
            row.iter().map(|weight| (weight.round() as i16).to_string()).collect();
        writeln!(text, "    {},", row.join(", ")).expect("memory");
    }
    text.push_str("];\n");
    text
}
