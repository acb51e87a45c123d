//! The program on terminals that have kitty's graphics or sixel: the test plays the terminal.

#![expect(clippy::panic, clippy::unwrap_used, reason = "what fails here fails a test")]

mod terminal;

use gridrace_client::display::own_image::OwnImage;
use gridrace_shared::puzzle::Board;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::puzzle::picture::Picture;
use gridrace_shared::puzzle::slide;
use gridrace_shared::util::grid::Cell;
use image::{Rgb, RgbImage};
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::path::PathBuf;
use tempfile::TempDir;
use terminal::{Kind, Pixels, Screen, Sent, Terminal};

const SIZE: (u16, u16) = (80, 24);
const SPEC: &str = "slide:3x3";
const SEED: &str = "graphics";
/// The tiles of the board.
const TILES: usize = 8;

/// A race of one on a board whose tiles have an image.
struct Race {
    terminal: Terminal,
    picture: Picture,
    board: slide::Board,
    _folder: TempDir,
}

impl Race {
    fn start(kind: Kind, graphics: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("image.png");
        // Smooth, and no two places alike.
        let image = RgbImage::from_fn(512, 512, |x, y| {
            Rgb([x / 2, y / 2, (x + y) / 4].map(|level| u8::try_from(level).unwrap()))
        });
        image.save(&file).unwrap();
        let arguments = [
            "play",
            "--puzzle",
            SPEC,
            "--seed",
            SEED,
            "--bots",
            "none",
            "--countdown",
            "1",
            "--colors",
            "true",
            "--theme",
            "dark",
            "--ascii=false",
            "--animation=false",
            "--graphics",
            graphics,
            "--image",
        ];
        let path = file.to_str().unwrap();
        let terminal = Terminal::run(kind, SIZE, &[&arguments[..], &[path]].concat());
        let spec: PuzzleSpec = SPEC.parse().unwrap();
        let Board::Slide(board) = spec.board(&SEED.parse().unwrap()) else { unreachable!() };
        let picture = OwnImage::read(&PathBuf::from(&file)).unwrap().picture(board.size());
        Self { terminal, picture, board, _folder: folder }
    }

    /// Hides the numbers, and waits until all tiles show images and nothing else.
    fn hide_numbers(&mut self, all_shown: impl FnMut(&Screen) -> bool) {
        drop(self.terminal.see("0 moves"));
        self.terminal.type_keys("p");
        drop(self.terminal.wait_until("images on all tiles", all_shown));
    }

    /// Slides a tile; returns its place on the board, by row and column, before and after.
    fn slide(&mut self) -> [(usize, usize); 2] {
        let (size, to) = (self.board.size(), self.board.blank());
        let at = |cell: Cell| (size.row_of(cell), size.col_of(cell));
        let is_beside =
            |play: &Cell| at(*play).0.abs_diff(at(to).0) + at(*play).1.abs_diff(at(to).1) == 1;
        let play = self.board.legal_moves().find(is_beside).unwrap();
        let way = [at(play), at(to)];
        let key = match (way[1].0.cmp(&way[0].0), way[1].1.cmp(&way[0].1)) {
            (std::cmp::Ordering::Greater, _) => "\x1b[B",
            (std::cmp::Ordering::Less, _) => "\x1b[A",
            (_, std::cmp::Ordering::Greater) => "\x1b[C",
            (..) => "\x1b[D",
        };
        self.board.play(play).unwrap();
        self.terminal.type_keys(key);
        drop(self.terminal.see("1 move"));
        way
    }

    /// Checks the pixels of all tiles, and that there are no others: by how much they may differ on
    /// average, summed over the primaries.
    fn check_pixels(&self, pixels: &Pixels, most_difference: f64) {
        let areas = areas(pixels);
        assert_eq!(areas.len(), TILES);
        let lines = |of: fn(&[u32; 4]) -> u32| areas.iter().map(of).collect::<BTreeSet<_>>();
        let (lefts, tops) = (lines(|area| area[0]), lines(|area| area[1]));
        assert_eq!((lefts.len(), tops.len()), (3, 3));
        let (mut seen, mut differences) = (BTreeSet::new(), 0);
        for (&place, color) in pixels {
            let row = tops.range(..=place.1).count() - 1;
            let column = lefts.range(..=place.0).count() - 1;
            let area = areas.iter().find(|area| {
                (area[0]..area[0] + area[2]).contains(&place.0)
                    && (area[1]..area[1] + area[3]).contains(&place.1)
            });
            let [left, top, width, height] = *area.unwrap();
            let number = self.board.tile(self.board.size().cell(row, column));
            assert_ne!(number, 0, "the blank is blank");
            let part = |at: u32, of: u32| (at as usize, of as usize);
            let expected = self.picture.part_of_tile(
                self.board.home(number),
                part(place.0 - left, width),
                part(place.1 - top, height),
            );
            let difference: u32 =
                color.iter().zip(expected).map(|(a, b)| u32::from(a.abs_diff(b))).sum();
            differences += difference;
            seen.insert(number);
        }
        assert_eq!(seen.len(), TILES);
        let mean = f64::from(differences) / pixels.len() as f64;
        assert!(mean <= most_difference, "{mean}");
    }
}

/// Cuts pixels into the rectangles of tiles, between which there are gaps: left, top, width, height.
fn areas(pixels: &Pixels) -> Vec<[u32; 4]> {
    let starts = pixels.keys().filter(|&&(x, y)| {
        let is_free = |x: Option<u32>, y: Option<u32>| {
            x.zip(y).is_none_or(|place| !pixels.contains_key(&place))
        };
        is_free(x.checked_sub(1), Some(y)) && is_free(Some(x), y.checked_sub(1))
    });
    let length = |(x, y): (u32, u32), (right, down): (u32, u32)| {
        (0..).find(|&by| !pixels.contains_key(&(x + right * by, y + down * by))).unwrap()
    };
    starts.map(|&at| [at.0, at.1, length(at, (1, 0)), length(at, (0, 1))]).collect()
}

/// Checks that no text stands under an image of kitty's.
fn nothing_is_hidden(screen: &Screen) {
    for placement in screen.placements.values() {
        for y in 0..placement.cells.1 {
            for x in 0..placement.cells.0 {
                let cell = (placement.at.1 + y, placement.at.0 + x);
                assert_eq!(screen.text.get(&cell), Some(&'\u{a0}'), "{cell:?}");
            }
        }
    }
}

fn since(screen: &Screen, from: usize) -> &[Sent] {
    &screen.log[from..]
}

#[test]
fn kitty_gets_each_image_once_and_then_placements() {
    let mut race = Race::start(Kind::Kitty, "auto");
    race.hide_numbers(|screen| screen.placements.len() == TILES);
    let screen = race.terminal.wait_until("images", |screen| screen.images.len() == TILES);
    race.check_pixels(&screen.placed_pixels(), 0.0);
    nothing_is_hidden(&screen);
    let (sent, ids) = (screen.log.len(), screen.images.keys().copied().collect::<Vec<_>>());
    drop(screen);

    race.slide();
    let screen = race.terminal.wait_until("a placement", |screen| screen.log.len() > sent);
    assert!(matches!(since(&screen, sent), [Sent::Place(_)]), "{:?}", since(&screen, sent));
    race.check_pixels(&screen.placed_pixels(), 0.0);
    let sent = screen.log.len();
    drop(screen);

    // The help hides what is under it, and gives it back.
    race.terminal.type_keys("?");
    let screen = race.terminal.see("any key closes this");
    drop(screen);
    let screen = race.terminal.wait_until("parts", |screen| screen.log.len() > sent);
    nothing_is_hidden(&screen);
    assert!(screen.placed_pixels().len() < ids.len() * 100 * 100);
    drop(screen);
    race.terminal.type_keys("?");
    let screen = race.terminal.wait_until("whole tiles", |screen| {
        screen.placements.len() == TILES && !screen.shown().contains("any key closes this")
    });
    race.check_pixels(&screen.placed_pixels(), 0.0);
    assert!(!since(&screen, sent).iter().any(|it| matches!(it, Sent::Image(_))));
    let sent = screen.log.len();
    drop(screen);

    race.terminal.type_keys("\x03");
    let screen = race.terminal.wait_until("the end", |screen| screen.is_closed);
    let deleted = ids.iter().copied().map(Sent::Delete).chain([Sent::LeaveAlternate]);
    assert_eq!(since(&screen, sent), deleted.collect::<Vec<_>>());
}

#[test]
fn images_follow_the_size_of_the_terminal_and_are_deleted_when_it_is_lost() {
    let mut race = Race::start(Kind::Kitty, "auto");
    race.hide_numbers(|screen| screen.placements.len() == TILES);
    race.terminal.resize(140, 45);
    let screen = race.terminal.wait_until("larger images", |screen| {
        screen.placements.len() == TILES
            && screen.placements.values().all(|placement| placement.cells.0 > 16)
    });
    assert_eq!(screen.images.len(), TILES, "those of the other size are deleted");
    nothing_is_hidden(&screen);
    let sent = screen.log.len();
    drop(screen);

    race.terminal.signal(Signal::TERM);
    let screen = race.terminal.wait_until("the end", |screen| screen.is_closed);
    assert_eq!(since(&screen, sent).len(), TILES + 1);
    assert!(screen.images.is_empty() && !screen.is_alternate);
}

#[test]
fn a_program_that_is_called_up_again_sends_its_images_again() {
    let mut race = Race::start(Kind::Kitty, "auto");
    race.hide_numbers(|screen| screen.placements.len() == TILES);
    race.terminal.type_keys("\x1a");
    let screen = race.terminal.continue_until("the same again", |screen| {
        screen.log.contains(&Sent::LeaveAlternate) && screen.placements.len() == TILES
    });
    assert!(screen.is_alternate);
    assert_eq!(screen.images.len(), TILES);
    race.check_pixels(&screen.placed_pixels(), 0.0);
}

#[test]
fn sixel_gets_the_tiles_that_changed() {
    let mut race = Race::start(Kind::Sixel, "auto");
    let whole = |screen: &Screen| {
        let areas = areas(&screen.sixel_pixels());
        let sizes: BTreeSet<_> = areas.iter().map(|area| (area[2], area[3])).collect();
        areas.len() == TILES && sizes.len() == 1
    };
    race.hide_numbers(whole);
    let screen = race.terminal.wait_until("images", whole);
    race.check_pixels(&screen.sixel_pixels(), 15.0);
    let sent = screen.log.len();
    drop(screen);

    race.slide();
    let screen = race.terminal.wait_until("a sixel", |screen| screen.log.len() > sent);
    assert!(matches!(since(&screen, sent), [Sent::Sixel { .. }]), "{:?}", since(&screen, sent));
    race.check_pixels(&screen.sixel_pixels(), 15.0);
    let sent = screen.log.len();
    drop(screen);

    race.terminal.type_keys("?");
    let screen = race.terminal.see("any key closes this");
    assert!(since(&screen, sent).is_empty(), "a dialog is text alone");
    drop(screen);
    race.terminal.type_keys("?");
    drop(race.terminal.wait_until("whole tiles", whole));
    let screen = race.terminal.wait_until("no dialog", |screen| !screen.shown().contains("closes"));
    race.check_pixels(&screen.sixel_pixels(), 15.0);
    drop(screen);
    race.terminal.type_keys("\x03");
    let screen = race.terminal.wait_until("the end", |screen| screen.is_closed);
    assert!(!screen.is_alternate);
}

#[test]
fn a_terminal_without_graphics_or_answers_gets_half_blocks() {
    for (kind, graphics) in [(Kind::Plain, "auto"), (Kind::Silent, "auto"), (Kind::Kitty, "blocks")]
    {
        let mut race = Race::start(kind, graphics);
        let screen = race.terminal.wait_until("half blocks", |screen| {
            screen.text.values().filter(|&&character| character == '▀').count() > 100
        });
        assert!(screen.images.is_empty() && screen.sixel_pixels().is_empty());
        let asks = kind == Kind::Plain;
        assert_eq!(screen.log.contains(&Sent::Question), asks, "{kind:?}");
        drop(screen);
        race.terminal.type_keys("\x03");
        drop(race.terminal.wait_until("the end", |screen| screen.is_closed));
    }
}
