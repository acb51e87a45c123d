//! Solves files of Numberlink puzzles and prints times, nodes and results for each puzzle and by
//! size:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example numberlink -- FILE… --rule U0
//! cargo run --release -p gridrace-shared --example numberlink -- FILE… --first --quiet
//! ```
//!
//! A file has puzzles, each as `puzzle ID ROWS COLS PAIRS`, an optional `verdict` line such as
//! `verdict U0=unique`, the grid (`.` empty, a number, `X` solid), optional `path` lines and
//! `end`; or else a single grid. Results are compared with the file's verdicts: U0 counts
//! solutions that may leave cells empty, U1 full ones, U2 full ones that do not touch themselves.
//! Without `--rule` each puzzle is counted under the rule of its verdict.
//!
//! Times are CPU times of the process, of the fastest of several runs for short ones.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement has no caller to return an error to"
)]

mod read;

use clap::Parser;
use gridrace_shared::puzzle::numberlink::Rule;
use gridrace_shared::puzzle::numberlink::solve::{SolutionCount, count, first};
use gridrace_shared::solver::budget::{Budget, Unsolved};
use read::{Entry, read};
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::time::Duration;

/// Short runs are repeated until they have taken this long in total.
const ENOUGH: Duration = Duration::from_millis(2);

/// Solves files of Numberlink puzzles and prints times, nodes and results.
#[derive(Parser)]
struct Args {
    /// Files of puzzles
    #[arg(required = true)]
    files: Vec<String>,
    /// Count under this rule, U0, U1 or U2, instead of that of the puzzle's verdict
    #[arg(long, value_parser = |name: &str| read::rule(name).ok_or("not U0, U1 or U2"))]
    rule: Option<Rule>,
    /// Find one solution instead of counting
    #[arg(long)]
    first: bool,
    /// Print the sums by size only
    #[arg(long)]
    quiet: bool,
    /// Node budget in millions
    #[arg(long, default_value_t = 500.0)]
    nodes: f64,
    /// Minimum cells of a puzzle
    #[arg(long, default_value_t = 0)]
    least: usize,
    /// Maximum cells of a puzzle
    #[arg(long, default_value_t = usize::MAX)]
    most: usize,
}

fn main() {
    let args = Args::parse();
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    for file in &args.files {
        let text = std::fs::read_to_string(file).expect("a file that can be read");
        for entry in read(&text) {
            let entry = match entry {
                Ok(entry) if (args.least..=args.most).contains(&entry.puzzle.size().cells()) => {
                    entry
                }
                Ok(_) => continue,
                Err(refused) => {
                    println!("{refused}");
                    sums.entry("all".to_owned()).or_default().refused += 1;
                    continue;
                }
            };
            let run = solve(&entry, &args);
            if !args.quiet {
                let (size, id) = (entry.puzzle.size().to_string(), &entry.id);
                let verdict = entry.verdict.as_ref().map_or("", |(_, verdict)| verdict);
                let Run { name, nodes, time, .. } = run;
                println!(
                    "{size:>6} {name:>10} {verdict:>14} {nodes:>12} nodes {time:>12.2?}  {id}"
                );
            }
            let size = entry.puzzle.size();
            let (long, short) = (size.rows().max(size.cols()), size.rows().min(size.cols()));
            sums.entry(format!("{short:02}x{long:02}")).or_default().add(&run);
            sums.entry("all".to_owned()).or_default().add(&run);
        }
    }
    println!(
        "{:>6} {:>7} {:>7} {:>9} {:>6} {:>11} {:>11} {:>11} {:>11} {:>12}",
        "size",
        "puzzles",
        "agree",
        "undecided",
        "wrong",
        "mean",
        "median",
        "max",
        "mean nodes",
        "max nodes"
    );
    for (size, sum) in &mut sums {
        sum.print(size);
    }
}

/// The result of a puzzle.
#[derive(Debug, Clone, Copy)]
struct Run {
    name: &'static str,
    nodes: u64,
    time: Duration,
    /// Whether it agrees with the file's verdict, if there is one.
    agrees: Option<bool>,
    is_decided: bool,
}

fn solve(entry: &Entry, args: &Args) -> Run {
    let verdict = entry.verdict.as_ref();
    let rule = args.rule.or(verdict.map(|(rule, _)| *rule)).unwrap_or(Rule::Full);
    let budget = Budget((args.nodes * 1e6) as u64);
    let mut best = Duration::MAX;
    let mut spent = Duration::ZERO;
    let mut run = None;
    while spent < ENOUGH || run.is_none() {
        let before = cpu_time();
        let this = if args.first { find(entry, rule, budget) } else { tell(entry, rule, budget) };
        let time = cpu_time() - before;
        best = best.min(time);
        spent += time;
        run = Some(this);
    }
    let (name, nodes) = run.expect("it has run");
    let known = entry.links.as_ref();
    let is_full = known.is_some_and(|links| links.solves(&entry.puzzle, Rule::Full));
    let expected = |file_rule: Rule, verdict: &str| match (file_rule == rule, verdict, file_rule) {
        (true, "unique" | "multiple" | "none", _) => Some(verdict.to_owned()),
        // A full solution that is unique even if cells may stay empty is the only full one.
        (false, "unique", Rule::Loose) if is_full => Some("unique".to_owned()),
        _ => None,
    };
    let expected = verdict.and_then(|(rule, verdict)| expected(*rule, verdict));
    let is_decided = name != "undecided";
    let agrees = expected.filter(|_| is_decided).map(|expected| match name {
        "found" => expected != "none",
        name => name == expected,
    });
    Run { name, nodes, time: best, agrees, is_decided }
}

fn find(entry: &Entry, rule: Rule, budget: Budget) -> (&'static str, u64) {
    let found = first(&entry.puzzle, rule, budget);
    let name = match found.solution {
        Ok(solution) => {
            assert!(solution.solves(&entry.puzzle, rule), "{}: {solution:?}", entry.id);
            "found"
        }
        Err(Unsolved::Unsolvable) => "none",
        Err(Unsolved::OverBudget) => "undecided",
    };
    (name, found.nodes)
}

fn tell(entry: &Entry, rule: Rule, budget: Budget) -> (&'static str, u64) {
    let count = count(&entry.puzzle, rule, budget);
    let name = match &count.verdict {
        SolutionCount::None => "none",
        SolutionCount::Unique(solution) => {
            assert!(solution.solves(&entry.puzzle, rule), "{}: {solution:?}", entry.id);
            let known = entry.links.as_ref();
            assert!(known.is_none_or(|known| known == solution), "{}: not the known one", entry.id);
            "unique"
        }
        SolutionCount::Multiple(two) => {
            let both = two.iter().all(|solution| solution.solves(&entry.puzzle, rule));
            assert!(both && two[0] != two[1], "{}: {two:?}", entry.id);
            "multiple"
        }
        SolutionCount::Undecided => "undecided",
    };
    (name, count.nodes)
}

#[derive(Debug, Default)]
struct Sum {
    runs: Vec<Run>,
    refused: usize,
}

impl Sum {
    fn add(&mut self, run: &Run) {
        self.runs.push(*run);
    }

    fn print(&mut self, size: &str) {
        self.runs.sort_by_key(|run| run.time);
        let puzzles = self.runs.len();
        let agree = self.runs.iter().filter(|run| run.agrees == Some(true)).count();
        let wrong = self.runs.iter().filter(|run| run.agrees == Some(false)).count();
        let undecided = self.runs.iter().filter(|run| !run.is_decided).count();
        let each = u32::try_from(puzzles.max(1)).expect("no so many");
        let mean = self.runs.iter().map(|run| run.time).sum::<Duration>() / each;
        let nodes: u64 = self.runs.iter().map(|run| run.nodes).sum();
        let most = self.runs.iter().map(|run| run.nodes).max().unwrap_or(0);
        let nth = |n: usize| self.runs.get(n).map_or(Duration::ZERO, |run| run.time);
        let (median, max) = (nth(puzzles / 2), nth(puzzles.saturating_sub(1)));
        let nodes = nodes / u64::from(each);
        println!(
            "{size:>6} {puzzles:>7} {agree:>7} {undecided:>9} {wrong:>6} {mean:>11.2?} {median:>11.2?} {max:>11.2?} {nodes:>11} {most:>12}"
        );
        if self.refused > 0 {
            println!("{:>6} {:>7} refused", "", self.refused);
        }
    }
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}
