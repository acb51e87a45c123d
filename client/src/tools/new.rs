//! `gridrace new`: boards for a seed.

use crate::args::new::{New, Only, VariantChoice};
use crate::clock;
use crate::exit::{Exit, Failure};
use gridrace_shared::puzzle_id::PuzzleId;
use gridrace_shared::seed::Seed;
use gridrace_shared::slide;
use gridrace_shared::slide::scramble::{Variant, scramble};
use serde::Serialize;
use std::io::{self, BufWriter, Write};

/// A new board as JSON.
#[derive(Serialize)]
struct Drawn<'a> {
    id: String,
    seed: &'a Seed,
    size: String,
    variant: VariantChoice,
    board: String,
}

/// Prints the boards.
///
/// # Errors
/// [`Failure`] for a seed that is too long to be numbered, and where nothing can be written.
pub fn run(args: &New) -> Result<(), Failure> {
    let seed = args
        .seed
        .clone()
        .unwrap_or_else(|| Seed::from_entropy(clock::entropy()));
    let mut out = BufWriter::new(io::stdout().lock());
    for n in 1..=args.count {
        let seed = match args.count {
            1 => seed.clone(),
            _ => numbered(&seed, n)?,
        };
        let board = scramble(args.puzzle, &seed, Variant::from(args.variant))
            .map_err(|error| Failure::new(Exit::Usage, error))?;
        print(&mut out, args, &seed, board)?;
    }
    out.flush()?;
    Ok(())
}

fn print(out: &mut impl Write, args: &New, seed: &Seed, board: slide::Board) -> io::Result<()> {
    let text = board.to_string();
    let id = match args.variant {
        VariantChoice::Anywhere => PuzzleId::Seeded {
            size: args.puzzle,
            seed: seed.clone(),
        },
        // An id with a seed names the board of the other variant.
        VariantChoice::Home => PuzzleId::Written(board),
    };
    match (args.json, args.only) {
        (true, _) => {
            let drawn = Drawn {
                id: id.to_string(),
                seed,
                size: args.puzzle.to_string(),
                variant: args.variant,
                board: text,
            };
            serde_json::to_writer(&mut *out, &drawn)?;
            writeln!(out)
        }
        (false, Some(Only::Id)) => writeln!(out, "{id}"),
        (false, Some(Only::Board)) => writeln!(out, "{text}"),
        (false, None) => {
            writeln!(out, "{id}")?;
            writeln!(out, "{}", in_columns(&text))
        }
    }
}

/// Puts the rows of a board's text under one another, the numbers right-aligned.
fn in_columns(text: &str) -> String {
    let width = text.split(['/', ' ']).map(str::len).max().unwrap_or(0);
    let row = |row: &str| -> String {
        row.split(' ')
            .map(|tile| format!(" {tile:>width$}"))
            .chain(["\n".to_owned()])
            .collect()
    };
    text.split('/').map(row).collect()
}

fn numbered(seed: &Seed, n: u32) -> Result<Seed, Failure> {
    format!("{seed}-{n}").parse().map_err(|error| {
        Failure::said(
            Exit::Usage,
            format!("the seed of board {n} would be {seed}-{n}: {error}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_under_one_another() {
        assert_eq!(in_columns("1 12 3/4 0 5"), "  1 12  3\n  4  0  5\n");
    }

    #[test]
    fn a_seed_that_can_t_be_numbered_is_a_usage_error() {
        let long: Seed = "x".repeat(32).parse().unwrap();
        assert_eq!(numbered(&long, 1).unwrap_err().exit, Exit::Usage);
    }
}
