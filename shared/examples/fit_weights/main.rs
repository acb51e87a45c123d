//! Fits the weights of the near-optimal solver's beams, and prints `near_optimal/weights.rs`:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example fit_weights -- \
//!     6x6:1500 7x7:300 8x8:600 10x10:200 --out FILE
//! ```
//!
//! Beams with the weights of the round before solve random boards. In some of a beam's layers the
//! ancestor of the solution is compared with other boards of the layer, drawn at random. The
//! weights maximise the likelihood that the ancestor is chosen when a board is chosen with a
//! probability in proportion to exp(-weight): a conditional logit (McFadden 1974), by stochastic
//! gradient descent with a step for each weight (AdaGrad: Duchi, Hazan and Singer 2011).

#![expect(clippy::expect_used, reason = "a tool has no caller to return an error to")]

use clap::Parser;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::puzzle::slide::solve::tables::Tables;
use gridrace_shared::puzzle::slide::solve::weight_fitting::{
    Beam, BeamStatus, FEATURES, Geometry, WEIGHTS, list_features,
};
use gridrace_shared::util::grid::Size;
use gridrace_shared::util::seed::Seed;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Weights are stored as integers of this part of a unit of the logit.
const SCALE: f32 = 100.0;

/// Fits the weights to beams over random boards.
#[derive(Debug, Parser)]
struct Args {
    /// Sizes, each with the number of boards in a round, such as 6x6:300
    #[arg(required = true)]
    sizes: Vec<String>,
    /// Width of the beams, in boards
    #[arg(long, default_value_t = 1024)]
    width: usize,
    /// Beams with new weights, each followed by a fit
    #[arg(long, default_value_t = 1)]
    rounds: u32,
    /// Passes over the layers of a round
    #[arg(long, default_value_t = 3)]
    passes: u32,
    /// Use one layer of each this many
    #[arg(long, default_value_t = 6)]
    stride: usize,
    /// The boards of a layer beside the ancestor of the solution
    #[arg(long, default_value_t = 20)]
    rivals: usize,
    /// The step of a weight at its first gradient
    #[arg(long, default_value_t = 0.005)]
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
    /// The ancestor of the solution, then its rivals.
    boards: Vec<Vec<u8>>,
}

fn main() {
    let args = Args::parse();
    let sizes: Vec<(Size, u32)> = args.sizes.iter().map(|text| parse(text)).collect();
    let mut weights: Vec<f32> = WEIGHTS.iter().map(|&weight| f32::from(weight) / SCALE).collect();
    for round in 0..args.rounds {
        let integers = to_integers(&weights);
        let mut samples = Vec::new();
        let mut held_out = Vec::new();
        for &(size, boards) in &sizes {
            let geometry = Geometry::with_weights(size, &Tables::none(), &integers);
            let mut moves = 0;
            for number in 0..boards {
                let seed = format!("{}-{round}-{number}", args.seed).parse().expect("a seed");
                let of_board = run(&args, &geometry, &seed, &mut moves);
                if number % 10 == 0 { &mut held_out } else { &mut samples }.extend(of_board);
            }
            eprintln!("{size}: {:.2} moves", moves as f64 / f64::from(boards));
        }
        eprintln!("{} layers, {} held out", samples.len(), held_out.len());
        fit(&args, &sizes, &samples, &held_out, &mut weights);
        write(&args.out, &to_integers(&weights));
    }
}

fn parse(text: &str) -> (Size, u32) {
    let (size, boards) = text.split_once(':').expect("SIZE:BOARDS");
    (size.parse().expect("a size"), boards.parse().expect("a number of boards"))
}

/// Runs a beam and returns samples of its layers.
fn run(args: &Args, geometry: &Geometry, seed: &Seed, moves: &mut u64) -> Vec<Sample> {
    let board = scramble(geometry.size, seed, Variant::BlankAnywhere).expect("a size of boards");
    let mut random = seed.rng("rivals", "");
    let tiles = to_bytes(&board);
    let cells = tiles.len();
    let mut beam = Beam::new(geometry, tiles, args.width, u32::MAX);
    let mut layers: Vec<(usize, Vec<Vec<u8>>)> = Vec::new();
    let mut next = random.below(args.stride as u32) as usize + 4;
    let found = loop {
        let mut budget = args.width as u64 / 2;
        match beam.advance(geometry, &mut budget) {
            BeamStatus::Running => {}
            BeamStatus::Found(moves) => break moves,
            BeamStatus::Exhausted { .. } => return Vec::new(),
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
    *moves += found.len() as u64;
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
        let boards: Vec<Vec<u8>> = std::iter::once(ancestor.clone()).chain(others).collect();
        samples.push(Sample { size: geometry.size, boards });
    }
    samples
}

fn to_bytes(board: &Board) -> Vec<u8> {
    board.tiles().iter().map(|&tile| tile as u8).collect()
}

/// Improves the weights by passes over the samples.
fn fit(
    args: &Args,
    sizes: &[(Size, u32)],
    samples: &[Sample],
    held_out: &[Sample],
    weights: &mut [f32],
) {
    let mut squares = vec![1.0_f32; FEATURES];
    let mut scratch = Scratch::default();
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let seed: Seed = args.seed.parse().expect("a seed");
    let mut random = seed.rng("order", "");
    report(sizes, held_out, weights, &mut scratch);
    for pass in 0..args.passes {
        let step = args.step * (1.0 - pass as f32 / args.passes as f32);
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last as u32 + 1) as usize);
        }
        let mut sum = 0.0;
        for &n in &order {
            sum += f64::from(scratch.choose(&samples[n], weights));
            scratch.descend(step, weights, &mut squares);
        }
        eprint!("pass {pass}: {:.4};", sum / samples.len() as f64);
        report(sizes, held_out, weights, &mut scratch);
    }
}

/// Prints the mean log-likelihood of held-out samples by size.
fn report(sizes: &[(Size, u32)], held_out: &[Sample], weights: &[f32], scratch: &mut Scratch) {
    for &(size, _) in sizes {
        let of_size = held_out.iter().filter(|sample| sample.size == size);
        let all: Vec<f32> = of_size.map(|sample| scratch.choose(sample, weights)).collect();
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
    fn choose(&mut self, sample: &Sample, weights: &[f32]) -> f32 {
        self.features.clear();
        self.ends.clear();
        self.shares.clear();
        let mut start = 0;
        for board in &sample.boards {
            list_features(sample.size, board, &mut self.features);
            let features = &self.features[start..];
            self.shares.push(-features.iter().map(|&n| weights[n]).sum::<f32>());
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
        self.gradient.resize(FEATURES, 0.0);
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

fn to_integers(weights: &[f32]) -> [i16; FEATURES] {
    std::array::from_fn(|feature| (weights[feature] * SCALE).round() as i16)
}

/// Writes the source file of the weights.
fn write(path: &Path, weights: &[i16]) {
    let mut text = String::from(
        "//! The weights of the features of a board, fitted by `examples/fit_weights`.\n\n\
         use super::features::FEATURES;\n\n/// Lower is better.\n#[rustfmt::skip]\n\
         pub static WEIGHTS: [i16; FEATURES] = [\n",
    );
    for row in weights.chunks(16) {
        let row: Vec<String> = row.iter().map(i16::to_string).collect();
        writeln!(text, "    {},", row.join(", ")).expect("memory");
    }
    text.push_str("];\n");
    std::fs::write(path, text).expect("a writable file");
}
