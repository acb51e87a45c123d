//! Tests of the folder of kept races.

use super::*;
use crate::test_support::replay;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::util::time::Millis;

pub(crate) fn result(puzzle: &str, seed: &str, time: Option<u64>) -> RaceResult {
    RaceResult {
        puzzle: puzzle.parse().unwrap(),
        seed: Some(seed.parse().unwrap()),
        room: RoomCode::from_number(41_302),
        heat: 1,
        time: time.map(Millis),
        moves: MoveCount { moves: 120, acts: 80 },
        hints: 0,
        penalty: Millis(0),
        progress: 1_000,
        best: None,
        place: 1,
        of: 1,
    }
}

pub(crate) fn ended(puzzle: &str, seed: &str, time: Option<u64>) -> EndedRace {
    EndedRace {
        result: result(puzzle, seed, time),
        replay: None,
        lasted: Millis(time.unwrap_or(1)),
    }
}

fn folder() -> (tempfile::TempDir, KeptRaces) {
    let folder = tempfile::tempdir().unwrap();
    let races = KeptRaces::at(folder.path().join("deep").join("races"));
    (folder, races)
}

fn numbers(races: &KeptRaces) -> Vec<u32> {
    races.list().unwrap().iter().map(|race| race.number).collect()
}

/// A date after those of the races of [`fill`].
const LATER: u64 = 1_000_000_000;

/// Writes an index of many races at once.
fn fill(races: &KeptRaces, count: u32, change: impl Fn(&mut KeptRace)) {
    let line = |number: u32| {
        let mut race = KeptRace {
            number,
            began: u64::from(number) * 100,
            result: result("slide:3x3", &format!("s{number}"), Some(u64::from(number))),
            counts: true,
            marked: false,
            replay_bytes: 1,
        };
        change(&mut race);
        String::from_utf8(super::line(&race).unwrap()).unwrap()
    };
    fs::create_dir_all(&races.folder).unwrap();
    let text: String = (1..=count).map(line).collect();
    fs::write(races.folder.join(INDEX), text).unwrap();
}

#[test]
fn a_kept_race_is_listed_with_its_replay() {
    let (_folder, races) = folder();
    assert_eq!(races.list().unwrap(), []);
    let replay = replay::slides();
    let first =
        EndedRace { replay: Some(replay.clone()), ..ended("slide:2x2", "friday", Some(8_000)) };
    let note = races.keep(first, 1_795_219_200).unwrap();
    assert_eq!(note, KeptNote { number: 1, counts: true, best_before: None });
    let note = races.keep(ended("slide:2x2", "monday", Some(9_000)), 1_795_219_300).unwrap();
    assert_eq!(note, KeptNote { number: 2, counts: true, best_before: Some(Millis(8_000)) });
    let listed = races.list().unwrap();
    assert_eq!(listed.len(), 2);
    assert_eq!((listed[0].began, listed[0].result.time), (1_795_219_200, Some(Millis(8_000))));
    assert!(listed[0].replay_bytes > 0 && listed[1].replay_bytes == 0);
    assert_eq!(races.replay(1).unwrap(), replay);
    assert!(matches!(races.replay(2), Err(KeptRacesError::NoReplay(2))));
    assert!(matches!(races.replay(3), Err(KeptRacesError::NoRace(3))));
    assert_eq!(races.best("slide:2x2".parse().unwrap()).unwrap(), 1);
}

#[test]
fn a_board_that_was_raced_before_doesn_t_count() {
    let (_folder, races) = folder();
    assert!(races.keep(ended("slide:3x3", "friday", Some(9_000)), 1).unwrap().counts);
    let again = races.keep(ended("slide:3x3", "friday", Some(5_000)), 2).unwrap();
    assert!(!again.counts);
    assert!(races.keep(ended("slide:4x4", "friday", Some(5_000)), 3).unwrap().counts);
}

#[test]
fn races_are_deleted_marked_and_left_out_all_or_none() {
    let (_folder, races) = folder();
    fill(&races, 4, |_| {});
    races.change(&[1, 2], RaceChange::Count(false)).unwrap();
    races.change(&[3], RaceChange::Mark(true)).unwrap();
    assert!(matches!(races.change(&[4, 9], RaceChange::Delete), Err(KeptRacesError::NoRace(9))));
    races.change(&[1, 4], RaceChange::Delete).unwrap();
    let listed = races.list().unwrap();
    let state: Vec<_> = listed.iter().map(|race| (race.number, race.counts, race.marked)).collect();
    assert_eq!(state, [(2, false, false), (3, true, true)]);
    // A number isn't used again while a higher one is kept.
    assert_eq!(races.keep(ended("slide:3x3", "x", None), 1).unwrap().number, 4);
}

#[test]
fn the_oldest_go_first_unless_they_are_marked() {
    let (_folder, races) = folder();
    let most = u32::try_from(MAX_RACES).unwrap();
    fill(&races, most, |race| race.marked = race.number == 2);
    races.keep(ended("slide:4x4", "x", None), LATER).unwrap();
    let kept = numbers(&races);
    assert_eq!(kept.len(), MAX_RACES - MAX_RACES / PRUNED_AT_ONCE);
    assert_eq!((kept[0], kept.last().copied()), (2, Some(most + 1)));
    assert!(kept[1] > 3);
}

#[test]
fn replays_go_before_results() {
    let (_folder, races) = folder();
    fill(&races, 3, |race| {
        race.replay_bytes = MAX_TOTAL_REPLAY_BYTES / 2;
        race.marked = race.number == 1;
    });
    fs::write(races.replay_path(2), "x").unwrap();
    races.keep(ended("slide:4x4", "x", None), LATER).unwrap();
    let bytes: Vec<bool> = races.list().unwrap().iter().map(|race| race.replay_bytes > 0).collect();
    assert_eq!(bytes, [true, false, false, false]);
    assert!(!races.replay_path(2).exists());
}

#[test]
fn a_replay_stays_while_the_index_that_names_it_can_t_be_replaced() {
    let (_folder, races) = folder();
    fill(&races, 3, |race| race.replay_bytes = MAX_TOTAL_REPLAY_BYTES / 2);
    fs::write(races.replay_path(1), "x").unwrap();
    // The new index can't be written: a folder has its name.
    let beside = races.folder.join(INDEX).with_extension("new");
    fs::create_dir(&beside).unwrap();
    assert!(races.keep(ended("slide:4x4", "x", None), 1).is_err());
    assert!(races.replay_path(1).exists());
    fs::remove_dir(&beside).unwrap();
    races.keep(ended("slide:4x4", "x", None), 1).unwrap();
    assert!(!races.replay_path(1).exists());
}

#[test]
fn the_replays_of_marked_races_are_bounded() {
    let (_folder, races) = folder();
    fill(&races, 3, |race| race.replay_bytes = MAX_MARKED_REPLAY_BYTES / 2);
    races.change(&[1, 2], RaceChange::Mark(true)).unwrap();
    let error = races.change(&[3], RaceChange::Mark(true)).unwrap_err();
    assert!(matches!(error, KeptRacesError::MarkedTooLarge), "{error}");
    races.change(&[1], RaceChange::Mark(false)).unwrap();
    races.change(&[3], RaceChange::Mark(true)).unwrap();
}

#[test]
fn races_that_were_left_count_though_their_boards_aren_t_known() {
    let (_folder, races) = folder();
    for number in 1..=2 {
        let mut race = ended("slide:3x3", "x", None);
        (race.result.seed, race.result.heat) = (None, number);
        let note = races.keep(race, number.into()).unwrap();
        assert!(note.counts);
    }
    assert_eq!(races.list().unwrap()[1].result.seed, None);
    let why = races.replay(2).unwrap_err().to_string();
    assert_eq!(why, "race 2 has no replay: it was left before its heat revealed the seed");
}

#[test]
fn a_line_that_a_crash_cut_and_lines_of_other_versions_are_left_alone() {
    let (_folder, races) = folder();
    fill(&races, 2, |_| {});
    let path = races.folder.join(INDEX);
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("{\"of a later version\":1}\n{\"number\":3,\"beg");
    fs::write(&path, &text).unwrap();
    assert_eq!(numbers(&races), [1, 2]);
    races.keep(ended("slide:4x4", "x", Some(1)), LATER).unwrap();
    assert_eq!(numbers(&races), [1, 2, 3]);
    assert!(fs::read_to_string(&path).unwrap().contains("of a later version"));
}

/// Saves a race as a program does that is killed then: its lock ends, its file stays.
fn killed(races: &KeptRaces, race: EndedRace, began: u64) -> PathBuf {
    let before: Vec<PathBuf> = under_way(races);
    let mut file = races.begin_race().unwrap();
    races.save_race(&mut file, race, began).unwrap();
    drop(file);
    let mut after = under_way(races);
    after.retain(|path| !before.contains(path));
    after.remove(0)
}

fn under_way(races: &KeptRaces) -> Vec<PathBuf> {
    let entries = fs::read_dir(&races.folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension() == Some("json".as_ref())).collect()
}

fn make_old(path: &Path) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
}

fn left(heat: u32) -> EndedRace {
    let mut race = ended("slide:3x3", "x", None);
    (race.result.seed, race.result.heat) = (None, heat);
    race
}

#[test]
fn a_race_whose_program_was_killed_is_kept_once_it_is_over() {
    let (_folder, races) = folder();
    races.keep(ended("slide:3x3", "friday", Some(9_000)), 100).unwrap();
    let path = killed(&races, left(2), 200);
    // The player may still come back to it.
    assert_eq!(numbers(&races), [1]);
    make_old(&path);
    let listed = races.list().unwrap();
    assert_eq!((listed.len(), listed[1].began, listed[1].result.heat), (2, 200, 2));
    assert!(under_way(&races).is_empty());
    assert_eq!(numbers(&races), [1, 2]);

    // Another race that is kept first takes it along.
    make_old(&killed(&races, left(3), 300));
    assert_eq!(races.keep(ended("slide:3x3", "monday", Some(1)), 400).unwrap().number, 4);
    assert_eq!(numbers(&races), [1, 2, 3, 4]);
    // It is listed where it was raced.
    make_old(&killed(&races, left(4), 150));
    assert_eq!(numbers(&races), [1, 5, 2, 3, 4]);
}

#[test]
fn a_race_that_its_player_came_back_to_is_kept_once() {
    let (_folder, races) = folder();
    // It was left twice, once with its program killed.
    races.keep(left(2), 199).unwrap();
    races.change(&[1], RaceChange::Mark(true)).unwrap();
    races.keep(left(1), 100).unwrap();
    let path = killed(&races, left(2), 200);
    let mut finished = ended("slide:3x3", "friday", Some(9_000));
    finished.result.heat = 2;
    races.keep(finished, 202).unwrap();
    assert!(!path.exists());
    // A program that is killed after another one kept the race leaves nothing more.
    make_old(&killed(&races, left(2), 200));
    assert_eq!(numbers(&races), [2, 3]);
    // Of two that are killed the one counts that went on.
    for moves in [5, 9, 7] {
        let mut race = left(3);
        race.result.moves.moves = moves;
        make_old(&killed(&races, race, 300));
        races.list().unwrap();
    }
    assert_eq!(races.list().unwrap()[2].result.moves.moves, 9);
    races.change(&[4], RaceChange::Delete).unwrap();
    let listed = races.list().unwrap();
    assert_eq!(
        listed
            .iter()
            .map(|race| (race.result.heat, race.result.time, race.marked))
            .collect::<Vec<_>>(),
        [(1, None, false), (2, Some(Millis(9_000)), true)]
    );
}

#[test]
fn a_race_under_way_is_left_to_its_program() {
    let (_folder, races) = folder();
    let mut file = races.begin_race().unwrap();
    for moves in [1, 2_000_000, 3] {
        let mut race = left(2);
        race.result.moves.moves = moves;
        races.save_race(&mut file, race, 200).unwrap();
    }
    let path = under_way(&races).remove(0);
    make_old(&path);
    assert_eq!(numbers(&races), Vec::<u32>::new());
    drop(file);
    make_old(&path);
    assert_eq!(races.list().unwrap()[0].result.moves.moves, 3);
    // What a crash has cut is dropped.
    let path = killed(&races, left(3), 300);
    fs::write(&path, "{\"began\":").unwrap();
    make_old(&path);
    assert_eq!(numbers(&races), [1]);
    assert!(!path.exists());
}

#[test]
fn programs_that_keep_races_at_once_lose_none() {
    let (_folder, races) = folder();
    std::thread::scope(|scope| {
        for program in 0..4 {
            let races = races.clone();
            scope.spawn(move || {
                for race in 0..8 {
                    let seed = format!("{program}-{race}");
                    races.keep(ended("slide:3x3", &seed, Some(1)), 1).unwrap();
                }
            });
        }
    });
    assert_eq!(numbers(&races), (1..=32).collect::<Vec<_>>());
}

/// No replay of these races exists: reading one would be an error.
#[test]
fn ten_thousand_races_are_listed_from_one_file() {
    let (_folder, races) = folder();
    fill(&races, 10_000, |_| {});
    let files = fs::read_dir(&races.folder).unwrap().count();
    assert_eq!((files, numbers(&races).len()), (1, 10_000));
}
