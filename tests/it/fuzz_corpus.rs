//! Runs the fuzz targets over their corpus and mutations of it, without libFuzzer.

use gridrace_shared::util::seed::{PortableRng, Seed};
use gridrace_tests::fuzz::{TARGETS, Target};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// Mutated inputs per target: a few seconds for all of them in a debug build.
const CHANGES: usize = 500;
/// Mutations of one input, at most.
const DEPTH: u32 = 4;
const PIECES: [&[u8]; 16] = [
    b"=",
    b"#",
    b":",
    b"/",
    b"x",
    b".",
    b"X",
    b"[",
    b"]",
    b"{",
    b"0",
    b"40",
    b"-1",
    b"65536",
    b"18446744073709551616",
    b"\xff",
];

fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let files = fs::read_dir(home().join("corpus").join(target.name)).unwrap();
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn every_target_has_a_binary_and_a_corpus_that_it_reads() {
    let binaries = fs::read_dir(home().join("fuzz_targets")).unwrap();
    let binaries: BTreeSet<String> =
        binaries.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let wanted = TARGETS.map(|target| format!("{}.rs", target.name));
    assert_eq!(binaries, BTreeSet::from(wanted));
    let manifest = fs::read_to_string(home().join("Cargo.toml")).unwrap();
    for target in TARGETS {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{}.rs\"", target.name)));
        let corpus = corpus(&target);
        assert!(corpus.len() > 2, "{}", target.name);
        // Mutations need a valid input to start from.
        assert!(corpus.iter().any(|input| (target.run)(input)), "{}", target.name);
    }
}

#[test]
fn mutations_of_the_corpus_break_no_target() {
    for target in TARGETS {
        let corpus = corpus(&target);
        let seed: Seed = "change".parse().unwrap();
        let mut chance = seed.rng("fuzz", target.name);
        for _ in 0..CHANGES {
            let mut input = pick(&corpus, &mut chance).clone();
            for _ in 0..=chance.below(DEPTH) {
                change(&mut input, &corpus, &mut chance);
            }
            let shown = String::from_utf8_lossy(&input).into_owned();
            let outcome = std::panic::catch_unwind(|| (target.run)(&input));
            assert!(outcome.is_ok(), "{}: {shown:?}", target.name);
        }
    }
}

fn pick<'a, T>(among: &'a [T], chance: &mut PortableRng) -> &'a T {
    &among[chance.below(among.len() as u32) as usize]
}

/// Mutates an input: flips a bit, sets a byte, inserts or cuts a piece, or appends part of another.
fn change(input: &mut Vec<u8>, corpus: &[Vec<u8>], chance: &mut PortableRng) {
    let at = chance.below(input.len() as u32 + 1) as usize;
    let to = (at + 1 + chance.below(8) as usize).min(input.len());
    match chance.below(6) {
        0 if at < input.len() => input[at] ^= 1 << chance.below(8),
        1 if at < input.len() => input[at] = chance.below(256) as u8,
        2 => drop(input.splice(at..at, pick(&PIECES, chance).iter().copied())),
        3 if at < to => drop(input.drain(at..to)),
        4 if at < to => {
            let twice = input[at..to].to_vec();
            drop(input.splice(at..at, twice));
        }
        _ => {
            let other = pick(corpus, chance);
            let from = chance.below(other.len() as u32 + 1) as usize;
            input.truncate(at);
            input.extend(&other[from..]);
        }
    }
}
