//! The laws of play.

use proptest::prelude::*;

use super::*;
use crate::slide::MAX_LISTED_FAULTS;
use crate::slide::strategies::any_board;

fn board(text: &str) -> Board {
    text.parse().unwrap()
}

#[test]
fn the_door_names_every_fault() {
    let size = Size::new(40, 2).unwrap();
    let faults = Board::from_tiles(size, [80, 1, 1, 2]).unwrap_err();
    let expected = [
        BoardFault::Size(SizeError::OutOfBounds { least: 1, most: 32 }),
        BoardFault::Count {
            expected: 80,
            found: 4,
        },
        BoardFault::OutOfRange {
            tile: 80,
            largest: 79,
        },
        BoardFault::Repeated { tile: 1 },
        BoardFault::BlankMissing,
    ];
    assert_eq!(faults.listed(), expected);
    assert_eq!(faults.unlisted(), 0);
}

#[test]
fn the_list_of_faults_is_bounded() {
    let faults = Board::from_tiles(Size::new(4, 5).unwrap(), [9; 20]).unwrap_err();
    assert_eq!(faults.listed().len(), MAX_LISTED_FAULTS);
    // 19 repetitions and the missing blank.
    assert_eq!(faults.unlisted(), 20 - MAX_LISTED_FAULTS);
    assert!(faults.to_string().ends_with("; and 4 more"), "{faults}");
}

#[test]
fn a_second_blank_is_a_repetition() {
    let faults = Board::from_tiles(Size::new(1, 3).unwrap(), [0, 1, 0]).unwrap_err();
    assert_eq!(faults.listed(), [BoardFault::Repeated { tile: 0 }]);
}

#[test]
fn every_size_within_bounds_has_a_goal() {
    for (rows, cols) in [(1, 1), (1, 32), (32, 1), (32, 32), (2, 3)] {
        let goal = Board::solved(Size::new(rows, cols).unwrap()).unwrap();
        assert!(goal.is_solved());
        assert_eq!(goal.blank().index(), rows * cols - 1);
    }
    assert!(Board::solved(Size::new(1, 33).unwrap()).is_err());
}

#[test]
fn a_whole_column_slides_at_once() {
    let mut now = board("1 2 3/4 5 6/7 8 0");
    let played = now.play(Cell(2)).unwrap();
    assert_eq!(now, board("1 2 0/4 5 3/7 8 6"));
    assert_eq!(
        played,
        Played {
            blank_before: Cell(8),
            tiles: 2,
            direction: Direction::Down
        }
    );
}

#[test]
fn keys_find_the_tile_that_travels_their_way() {
    let now = board("1 2 3 4/5 6 0 7/8 9 10 11");
    assert_eq!(now.cell_for(Direction::Left, 1), Some(Cell(7)));
    assert_eq!(now.cell_for(Direction::Left, 2), None);
    assert_eq!(now.cell_for(Direction::Right, 2), Some(Cell(4)));
    assert_eq!(now.cell_for(Direction::Right, 0), None);
    assert_eq!(now.cell_for(Direction::Up, 1), Some(Cell(10)));
    assert_eq!(now.far_cell_for(Direction::Down), Some(Cell(2)));
    assert_eq!(now.far_cell_for(Direction::Right), Some(Cell(4)));
    assert_eq!(board("1 2 3 0").far_cell_for(Direction::Left), None);
}

#[test]
fn home_is_told_for_the_blank_as_well() {
    let now = board("1 3/2 0");
    assert_eq!(
        [0, 1, 2, 3].map(|cell| now.at_home(Cell(cell))),
        [true, false, false, true]
    );
    assert!(!now.at_home(Cell(4)));
}

#[test]
fn a_board_on_the_wire_comes_through_the_door() {
    let json = r#"{"size":"2x2","tiles":[1,2,3,0]}"#;
    let read: Board = serde_json::from_str(json).unwrap();
    assert_eq!(read, board("1 2/3 0"));
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
    let refused = serde_json::from_str::<Board>(r#"{"size":"2x2","tiles":[1,2,2,0]}"#);
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("tile 2 is there twice")
    );
}

#[test]
fn an_illegal_move_travels_as_one_word() {
    assert_eq!(
        serde_json::to_string(&IllegalMove::NotInLine).unwrap(),
        r#""not_in_line""#
    );
}

proptest! {
    #[test]
    fn legal_moves_are_the_cells_where_play_succeeds(board in any_board(6)) {
        let listed: Vec<Cell> = board.legal_moves().collect();
        let playable = |&cell: &Cell| board.clone().play(cell).is_ok();
        let played: Vec<Cell> = (0..40).map(Cell).filter(playable).collect();
        prop_assert_eq!(&listed, &played);
        let size = board.size();
        prop_assert_eq!(listed.len(), size.rows() + size.cols() - 2);
    }

    #[test]
    fn undo_takes_a_move_back(board in any_board(6), cell in 0_u16..36) {
        let mut now = board.clone();
        match now.play(Cell(cell)) {
            Ok(played) => {
                prop_assert_eq!(now.blank(), Cell(cell));
                prop_assert_eq!(now.tile(Cell(cell)), Some(0));
                prop_assert_ne!(&now, &board);
                now.undo(played);
            }
            Err(why) => prop_assert_eq!(board.slide_length(Cell(cell)), Err(why)),
        }
        prop_assert_eq!(now, board);
    }

    #[test]
    fn what_was_played_tells_the_tile_and_its_direction(board in any_board(6), cell in 0_u16..36) {
        let mut now = board.clone();
        if let Ok(played) = now.play(Cell(cell)) {
            let reach = usize::from(played.tiles);
            prop_assert_eq!(board.cell_for(played.direction, reach), Some(Cell(cell)));
            let faults = Board::from_tiles(now.size(), now.tiles());
            prop_assert_eq!(faults, Ok(now));
        }
    }

    #[test]
    fn any_tiles_become_a_board_or_a_list_of_faults(
        rows in 1..4_usize, cols in 1..4_usize,
        tiles in prop::collection::vec(0_u16..10, 0..12),
    ) {
        let size = Size::new(rows, cols).unwrap();
        let mut sorted = tiles.clone();
        sorted.sort_unstable();
        let right = sorted.iter().copied().eq((0..).take(size.cells()));
        prop_assert_eq!(Board::from_tiles(size, tiles).is_ok(), right);
    }
}
