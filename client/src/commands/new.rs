//! `gridrace new`: boards for a seed.

use crate::cli::args::new::{Asked, NewArgs, Only, VariantChoice};
use crate::cli::exit_code::Failure;
use crate::commands::write_json_line;
use crate::net::clock;
use gridrace_shared::puzzle::numberlink::LinkSpec;
use gridrace_shared::puzzle::numberlink::notation::{LinkId, write_grid, write_puzz_link};
use gridrace_shared::puzzle::slide::SlideId;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::util::grid::Size;
use gridrace_shared::util::seed::{SEED_CHARACTERS, Seed};
use serde::Serialize;
use std::io::{self, BufWriter, Write};

/// A new board, as it is written in JSON.
#[derive(Serialize)]
struct Drawn<'a> {
    id: String,
    seed: &'a Seed,
    size: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<VariantChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    board: String,
    /// The board in as many lines as it has rows.
    #[serde(skip)]
    picture: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

pub fn run(args: &NewArgs) -> Result<(), Failure> {
    let strange = match args.puzzle {
        Asked::Slide(_) if args.only == Some(Only::Url) => Some("puzz.link has no sliding puzzle"),
        Asked::Link(_) if args.variant.is_some() => {
            Some("--variant goes with the sliding puzzle: a Numberlink has no blank")
        }
        Asked::Slide(_) | Asked::Link(_) => None,
    };
    if let Some(why) = strange {
        return Err(Failure::usage(why));
    }
    let seed = match &args.seed {
        Some(seed) => seed.clone(),
        None => drawn_seed(args.count)?,
    };
    write_boards(args, &seed, &mut BufWriter::new(io::stdout().lock()))
}

/// Draws a seed that leaves room for the numbers of the boards.
fn drawn_seed(count: u32) -> Result<Seed, Failure> {
    let seed = clock::random_seed();
    if count == 1 {
        return Ok(seed);
    }
    let most = SEED_CHARACTERS - format!("-{count}").len();
    let text: String = seed.to_string().chars().take(most).collect();
    text.parse().map_err(Failure::other)
}

/// Writes each board once it is drawn: one may take seconds.
fn write_boards(args: &NewArgs, seed: &Seed, out: &mut impl Write) -> Result<(), Failure> {
    if args.count > 1 {
        // The last number is the longest.
        numbered(seed, args.count)?;
    }
    for n in 1..=args.count {
        let seed = match args.count {
            1 => seed.clone(),
            _ => numbered(seed, n)?,
        };
        let drawn = match args.puzzle {
            Asked::Slide(size) => slide(size, args.variant.unwrap_or_default(), &seed)?,
            Asked::Link(spec) => link(spec, &seed),
        };
        print(out, args, &drawn)?;
        out.flush()?;
    }
    Ok(())
}

fn slide(size: Size, variant: VariantChoice, seed: &Seed) -> Result<Drawn<'_>, Failure> {
    let board = scramble(size, seed, Variant::from(variant)).map_err(Failure::usage)?;
    let text = board.to_string();
    let id = match variant {
        VariantChoice::Anywhere => SlideId::Seeded { size, seed: seed.clone() },
        // An id with a seed names the board of the other variant.
        VariantChoice::Home => SlideId::Written(board),
    };
    Ok(Drawn {
        id: id.to_string(),
        seed,
        size: size.to_string(),
        variant: Some(variant),
        mode: None,
        picture: in_columns(&text),
        board: text,
        url: None,
    })
}

fn link(spec: LinkSpec, seed: &Seed) -> Drawn<'_> {
    let id = LinkId::Seeded { size: spec.size(), mode: spec.mode(), seed: seed.clone() };
    let puzzle = &id.puzzle();
    Drawn {
        id: id.to_string(),
        seed,
        size: spec.size().to_string(),
        variant: None,
        mode: Some(spec.mode().into()),
        board: puzzle.to_string(),
        picture: write_grid(puzzle),
        // A board with solid cells has none there.
        url: write_puzz_link(puzzle).ok(),
    }
}

fn print(out: &mut impl Write, args: &NewArgs, drawn: &Drawn<'_>) -> Result<(), Failure> {
    match (args.json, args.only) {
        (true, _) => write_json_line(out, drawn)?,
        (false, Some(Only::Id)) => writeln!(out, "{}", drawn.id)?,
        (false, Some(Only::Board)) => writeln!(out, "{}", drawn.board)?,
        (false, Some(Only::Url)) => match &drawn.url {
            Some(url) => writeln!(out, "{url}")?,
            None => {
                return Err(Failure::other("puzz.link has no solid cells, and this board has"));
            }
        },
        (false, None) => writeln!(out, "{}\n{}", drawn.id, drawn.picture)?,
    }
    Ok(())
}

/// Puts the rows of a board's text under one another, the numbers right-aligned.
fn in_columns(text: &str) -> String {
    let width = text.split(['/', ' ']).map(str::len).max().unwrap_or(0);
    let row = |row: &str| -> String {
        row.split(' ').map(|tile| format!(" {tile:>width$}")).chain(["\n".to_owned()]).collect()
    };
    text.split('/').map(row).collect()
}

fn numbered(seed: &Seed, n: u32) -> Result<Seed, Failure> {
    format!("{seed}-{n}").parse().map_err(|error| {
        Failure::usage(format!(
            "the seed of board {n} would be {seed}-{n}: {error}; give a shorter --seed"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::exit_code::Exit;
    use clap::Parser;

    #[test]
    fn rows_stand_under_one_another() {
        assert_eq!(in_columns("1 12 3/4 0 5"), "  1 12  3\n  4  0  5\n");
    }

    /// What has been written up to the last flush.
    #[derive(Default)]
    struct Flushed {
        pending: Vec<u8>,
        flushes: Vec<String>,
    }

    impl Write for Flushed {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.pending.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            let text = String::from_utf8(std::mem::take(&mut self.pending));
            self.flushes.push(text.map_err(io::Error::other)?);
            Ok(())
        }
    }

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        new: NewArgs,
    }

    #[test]
    fn each_board_is_flushed_once_it_is_drawn() {
        let words = ["new", "--puzzle", "slide:2x2", "--count", "3", "--only", "id"];
        let args = Line::parse_from(words).new;
        let mut out = Flushed::default();
        write_boards(&args, &"cup".parse().unwrap(), &mut out).unwrap();
        assert_eq!(out.flushes, ["slide:2x2#cup-1\n", "slide:2x2#cup-2\n", "slide:2x2#cup-3\n"]);
    }

    #[test]
    fn a_seed_that_is_drawn_leaves_room_for_the_numbers() {
        for count in [2, 1_000_000] {
            assert!(numbered(&drawn_seed(count).unwrap(), count).is_ok());
        }
    }

    #[test]
    fn a_seed_that_can_t_be_numbered_is_a_usage_error() {
        let long: Seed = "x".repeat(32).parse().unwrap();
        assert_eq!(numbered(&long, 1).unwrap_err().exit, Exit::Usage);
    }
}
