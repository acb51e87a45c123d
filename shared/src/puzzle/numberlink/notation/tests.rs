use super::*;
use crate::puzzle::numberlink::NumberlinkError;
use crate::puzzle::numberlink::tests::samples::any_puzzle;
use proptest::prelude::*;

fn read(text: &str) -> Result<Puzzle, GridTextError> {
    text.parse()
}

fn id(text: &str) -> Result<LinkId, LinkIdError> {
    LinkId::read(text.strip_prefix("link:").unwrap_or(text))
}

/// A board that is full of terminals, with equal numbers adjacent.
fn full(size: &str) -> Puzzle {
    let size: Size = size.parse().unwrap();
    let cells = (0..size.cells() as u16).map(Cell);
    let terminals: Vec<_> = (2u16..).map(|n| n / 2).zip(cells).collect();
    Puzzle::new(size, &terminals, &[], Touch::Free).unwrap()
}

#[test]
fn links_are_written_as_lines() {
    // The worked example of the classic generator's source.
    let puzzle = read("......4/.....3./..22..3/....X.1/..6..77/54.X.X1/.5.6...").unwrap();
    let links: [&[u16]; 7] = [
        &[27, 26, 19, 18, 11, 10, 9, 8, 15, 22, 23, 24, 31, 32, 39, 46, 47, 48, 41],
        &[16, 17],
        &[12, 13, 20],
        &[6, 5, 4, 3, 2, 1, 0, 7, 14, 21, 28, 29, 36],
        &[35, 42, 43],
        &[30, 37, 44, 45],
        &[33, 34],
    ];
    let links = links.map(|link| link.iter().copied().map(Cell).collect::<Vec<_>>());
    let lines = "
┌─────╴
│┌──┐╶┐
││╶╴└┐╵
│└─┐X└╴
└┐╷└┐╶╴
╷╵│X│X╷
└╴└╴└─┘
";
    assert_eq!(write_links(&puzzle, &links), write_grid(&puzzle) + lines);
    // Part of a link, as a drawing may have it.
    let text = write_links(&read("1.2/.X./1.2").unwrap(), &[vec![Cell(0), Cell(1)], Vec::new()]);
    assert!(text.ends_with("\n\n╶╴.\n.X.\n...\n"), "{text}");
}

#[test]
fn grids_parse_with_any_separator() {
    let puzzle = read("1 . 2/. X ./1 . 2").unwrap();
    for text in ["1.2\n.X.\r\n1.2\n", " 1,.,2 / .X. / 1  . 2 /", "1.2/. X ./1.2"] {
        assert_eq!(read(text), Ok(puzzle.clone()), "{text:?}");
    }
    let no_touch = read("no-touch\n1.2\n.X.\n1.2").unwrap();
    assert_eq!(no_touch.touch(), Touch::Forbidden);
    assert_eq!(no_touch.to_string(), "no-touch/1.2/.X./1.2");
    assert_eq!(write_grid(&no_touch), "no-touch\n1 . 2\n. X .\n1 . 2\n");
}

#[test]
fn boards_with_many_pairs_parse_back() {
    let ten = full("4x5");
    assert_eq!(ten.to_string(), "11223/34455/66778/899aa");
    assert!(write_grid(&ten).ends_with(" 8  9  9 10 10\n"));
    let sixty = full("12x10");
    assert!(sixty.to_string().ends_with("VVWWYYZZ"), "{sixty}");
    let more = full("4x31");
    assert!(more.to_string().ends_with(" 61 62 62"), "{more}");
    for puzzle in [ten, sixty, more, full("40x40")] {
        assert_eq!(read(&puzzle.to_string()), Ok(puzzle.clone()));
        assert_eq!(read(&write_grid(&puzzle)), Ok(puzzle.clone()));
        let address = write_puzz_link(&puzzle).unwrap();
        assert_eq!(read_puzz_link(&address), Ok(puzzle.clone()));
        let written = LinkId::Written(puzzle);
        assert_eq!(id(&written.to_string()), Ok(written));
    }
}

#[test]
fn parsing_a_grid_returns_the_reason_for_every_invalid_text() {
    let no_cell = |word: &str| Err(GridTextError::NoCell(word.to_owned()));
    for text in ["", " \n ", "/", "///", "no-touch/"] {
        assert!(read(text).is_err(), "{text:?}");
    }
    assert_eq!(read(""), Err(GridTextError::Empty));
    assert_eq!(read("1#/1."), no_cell("#"));
    assert_eq!(read("1 -1/1 ."), no_cell("-1"));
    assert_eq!(read("1 99999/1 ."), no_cell("99999"));
    assert_eq!(read("1é/1."), no_cell("é"));
    let (row, expected, found) = (2, 2, 3);
    let ragged = Err(GridTextError::Ragged { row, expected, found });
    assert_eq!(read("1./1.."), ragged);
    let once = NumberlinkErrors(vec![NumberlinkError::Once(1)]);
    assert_eq!(read("1./.."), Err(GridTextError::Faults(once)));
    assert!(matches!(read(&"./".repeat(129)), Err(GridTextError::Size(_))));
    assert_eq!(read(&".".repeat(MAX_TEXT_BYTES + 1)), Err(GridTextError::TooLong));
}

#[test]
fn ids_parse_or_return_their_errors() {
    let read = id;
    for text in [
        "link:7x7#SEED",
        "link:7x7:hard#a-b_c",
        "link:40x2:classic#1",
        "link:2x3=1.2/1.2",
        "link:2x3:no-touch=1.2/1.2",
    ] {
        assert_eq!(read(text).unwrap().to_string(), text);
    }
    assert_eq!(read("link:7x7:any#a"), read("link:7x7#a"));
    for cells in ["1.21.2", "1 . 2 1 . 2", "1.2\n1.2\n"] {
        assert_eq!(read(&format!("link:2x3={cells}")), read("link:2x3=1.2/1.2"));
    }
    for text in ["", "link", "link:7x7"] {
        assert_eq!(read(text), Err(LinkIdError::Malformed), "{text:?}");
    }
    assert!(matches!(read("link:7#a"), Err(LinkIdError::Spec(_))));
    assert!(matches!(read("link:7x7:no-touch#a"), Err(LinkIdError::Spec(_))));
    assert!(matches!(read("link:7x7:hard=1"), Err(LinkIdError::Spec(_))));
    assert!(matches!(read("link:61x7#a"), Err(LinkIdError::Size(_))));
    assert!(matches!(read("link:21x7#a"), Err(LinkIdError::Spec(_))));
    assert!(read("link:21x7:classic#a").is_ok());
    assert!(matches!(read("link:1x7=11....."), Err(LinkIdError::Size(_))));
    assert!(matches!(read("link:7x7#a b"), Err(LinkIdError::Seed(_))));
    for cells in ["1.2/1.", "1.2/1.2/...", "1./21/.2", "12", ""] {
        let read = read(&format!("link:2x3={cells}"));
        assert!(matches!(read, Err(LinkIdError::Grid(_))), "{cells}");
    }
}

#[test]
fn urls_of_any_site_with_the_format_parse() {
    let puzzle = read("1..../2..3./...../.1..2/....3").unwrap();
    for address in [
        "https://puzz.link/p?numlin/5/5/1j2h3m1h2j3",
        "http://pzv.jp/p.html?numlin/5/5/1j2h3m1h2j3",
        " numlin/5/5/1j2h3m1h2j3\n",
        "https://puzz.link/p?arukone/5/5/1j2h3m1h2j3",
    ] {
        assert_eq!(read_puzz_link(address), Ok(puzzle.clone()), "{address}");
    }
    // Numbers with gaps, and a run of open cells in two parts.
    let gaps = "https://puzz.link/p?numlin/5/5/1j-20h+123lg1h-20j+123";
    assert_eq!(read_puzz_link(gaps), Ok(puzzle));
}

#[test]
fn invalid_urls_and_puzzles_without_urls_return_their_errors() {
    use PuzzLinkError::*;
    let of = |body: &str| read_puzz_link(&format!("https://puzz.link/p?numlin/3/2/{body}"));
    assert_eq!(of("1g21g2").unwrap().to_string(), "1.2/1.2");
    for (body, error) in [
        ("1g21g2g", TooMany),
        ("1g21g21", TooMany),
        ("1G2", NoCell(2)),
        ("1.2", NoCell(2)),
        ("1g-2", NoCell(3)),
        ("1g-+2", NoCell(3)),
        ("1g+ab", NoCell(3)),
        ("1é", NoCell(2)),
        ("1-é", NoCell(2)),
    ] {
        assert_eq!(of(body), Err(error), "{body}");
    }
    assert!(matches!(of(""), Err(Faults(_))));
    assert!(matches!(of("0g10g1"), Err(Faults(_))));
    for address in ["", "numlin", "numlin/3/2", "slither/3/2/g", "numlin/+3/2/11", "numlin/a/2/11"]
    {
        assert_eq!(read_puzz_link(address), Err(Malformed), "{address}");
    }
    assert!(matches!(read_puzz_link("numlin/200/2/11"), Err(Size(_))));
    assert_eq!(read_puzz_link(&"g".repeat(9_000)), Err(TooLong));
    assert_eq!(write_puzz_link(&read("1X/1.").unwrap()), Err(Solid));
    assert_eq!(write_puzz_link(&read("no-touch/1./1.").unwrap()), Err(NoTouch));
}

proptest! {
    #[test]
    fn written_puzzles_parse_back(puzzle in any_puzzle(2..=15)) {
        prop_assert_eq!(read(&puzzle.to_string()), Ok(puzzle.clone()));
        prop_assert_eq!(read(&write_grid(&puzzle)), Ok(puzzle.clone()));
        if let Ok(address) = write_puzz_link(&puzzle) {
            prop_assert_eq!(read_puzz_link(&address), Ok(puzzle.clone()));
        }
        let written = LinkId::Written(puzzle);
        prop_assert_eq!(id(&written.to_string()), Ok(written));
    }

    #[test]
    fn parsing_never_panics(text in "(link:[0-9]x[0-9](:(hard|no-touch))?[#=])?[0-9a-cX./ \n-]{0,40}|.{0,60}") {
        if let Ok(puzzle) = read(&text) {
            prop_assert_eq!(read(&puzzle.to_string()), Ok(puzzle));
        }
        if let Ok(read) = id(&text) {
            prop_assert_eq!(id(&read.to_string()), Ok(read));
        }
    }

    #[test]
    fn parsing_urls_never_panics(body in "[0-9a-h+.é-]{0,20}", cols in 0usize..9, rows in 0usize..9) {
        if let Ok(puzzle) = read_puzz_link(&format!("numlin/{cols}/{rows}/{body}")) {
            prop_assert_eq!(read_puzz_link(&write_puzz_link(&puzzle).unwrap()), Ok(puzzle));
        }
    }
}
