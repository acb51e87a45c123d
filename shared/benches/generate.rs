//! Benchmarks of the Numberlink generator, by size.
//!
//! `cargo bench -p gridrace-shared --bench generate`

#![expect(clippy::expect_used, reason = "a bench has nobody to hand an error to")]

use divan::{Bencher, black_box};
use gridrace_shared::puzzle::numberlink::LinkSpec;
use gridrace_shared::puzzle::numberlink::generate::make;

fn main() {
    divan::main();
}

/// Generates the boards of the seeds b0, b1, …
fn bench(bencher: Bencher, spec: &str) {
    let spec: LinkSpec = spec.parse().expect("it is a heat's");
    let mut board = 0;
    bencher.bench_local(|| {
        let seed = format!("b{board}").parse().expect("it is a seed");
        board += 1;
        make(black_box(spec.size()), spec.mode(), &seed)
    });
}

#[divan::bench(args = ["4x4", "5x5", "7x7", "4x20", "10x10"], sample_count = 500, sample_size = 1)]
fn unique(bencher: Bencher, spec: &str) {
    bench(bencher, spec);
}

#[divan::bench(args = ["12x12", "15x15"], sample_count = 50, sample_size = 1)]
fn unique_large(bencher: Bencher, spec: &str) {
    bench(bencher, spec);
}

#[divan::bench(args = ["5x5:classic", "10x10:classic", "20x20:classic"], sample_count = 50, sample_size = 1)]
fn classic(bencher: Bencher, spec: &str) {
    bench(bencher, spec);
}
