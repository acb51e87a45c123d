//! `gridrace new`: boards for a seed.

use crate::args::new::{New, Only, VariantChoice, Wanted};
use crate::clock;
use crate::exit::{Exit, Failure};
use gridrace_shared::grid::Size;
use gridrace_shared::numberlink::HeatSpec;
use gridrace_shared::numberlink::notation::{LinkId, write_grid};
use gridrace_shared::puzzle_id::PuzzleId;
use gridrace_shared::seed::Seed;
use gridrace_shared::slide::scramble::{Variant, scramble};
use serde::Serialize;
use std::io::{self, BufWriter, Write};

/// A new board as JSON.
#[derive(Serialize)]
struct Drawn<'a> {
    id: &'a str,
    seed: &'a Seed,
    size: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<VariantChoice>,
    board: &'a str,
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
        let board = match args.puzzle {
            Wanted::Slide(size) => slide_board(size, args.variant, &seed)?,
            Wanted::Link(_) if args.variant != VariantChoice::default() => {
                let why = "a Numberlink has no blank to leave at home";
                return Err(Failure::said(Exit::Usage, why));
            }
            Wanted::Link(spec) => link_board(spec, &seed),
        };
        print(&mut out, args, &seed, &board)?;
    }
    out.flush()?;
    Ok(())
}

/// A board in all the ways in which it is printed.
struct Text {
    id: String,
    size: Size,
    line: String,
    /// The same in several lines.
    grid: String,
}

fn slide_board(size: Size, choice: VariantChoice, seed: &Seed) -> Result<Text, Failure> {
    let board = scramble(size, seed, Variant::from(choice));
    let board = board.map_err(|error| Failure::new(Exit::Usage, error))?;
    let line = board.to_string();
    let id = match choice {
        VariantChoice::Anywhere => PuzzleId::Seeded {
            size,
            seed: seed.clone(),
        },
        // An id with a seed names the board of the other variant.
        VariantChoice::Home => PuzzleId::Written(board),
    };
    Ok(Text {
        id: id.to_string(),
        size,
        grid: in_columns(&line),
        line,
    })
}

fn link_board(spec: HeatSpec, seed: &Seed) -> Text {
    let (size, mode) = (spec.size(), spec.mode());
    let id = LinkId::Seeded {
        size,
        mode,
        seed: seed.clone(),
    };
    let puzzle = id.puzzle();
    Text {
        id: id.to_string(),
        size,
        line: puzzle.to_string(),
        grid: write_grid(&puzzle),
    }
}

fn print(out: &mut impl Write, args: &New, seed: &Seed, board: &Text) -> io::Result<()> {
    let Text {
        id,
        size,
        line,
        grid,
    } = board;
    match (args.json, args.only) {
        (true, _) => {
            let drawn = Drawn {
                id,
                seed,
                size: size.to_string(),
                variant: matches!(args.puzzle, Wanted::Slide(_)).then_some(args.variant),
                board: line,
            };
            serde_json::to_writer(&mut *out, &drawn)?;
            writeln!(out)
        }
        (false, Some(Only::Id)) => writeln!(out, "{id}"),
        (false, Some(Only::Board)) => writeln!(out, "{line}"),
        (false, None) => writeln!(out, "{id}\n{grid}"),
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
