//! The folder of kept races: one line of JSON a race in the index, and a replay file for most.
//!
//! Statistics read the index alone. Replays are written to a second file and renamed, so each is
//! whole or absent; lines of the index are appended, and anything else replaces the index in the
//! same way. Several programs may use the folder at once: each change is made under a lock. A race that
//! is under way is in a file of its own, and is kept from there if its program was killed.

use crate::practice::race_under_way::{AbandonedFile, RaceFile, abandoned};
use etcetera::BaseStrategy;
use gridrace_shared::heat::averages::{self, Attempt};
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::puzzle::{Efficiency, MoveBounds, MoveCount, PuzzleSpec};
use gridrace_shared::replay::{MAX_REPLAY_BYTES, ParseError, Replay, UnixSeconds};
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::Millis;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The variable that names the folder; empty, it says to keep no races.
pub const RACES_VARIABLE: &str = "GRIDRACE_RACES";

/// How many races are kept: decades of evenings, and an index that is read within a blink. Beyond
/// it the oldest go first, but for marked ones.
pub const MAX_RACES: usize = 20_000;
/// How many bytes all replays may take: those of some 50,000 races on 4×4. Beyond it the replays of
/// the oldest races go first, but for marked ones; their results stay.
pub const MAX_TOTAL_REPLAY_BYTES: u64 = 64 * 1024 * 1024;
/// How many races may be marked, and how many bytes their replays may take, so that the bounds above
/// hold.
pub const MAX_MARKED: usize = 1_000;
pub const MAX_MARKED_REPLAY_BYTES: u64 = MAX_TOTAL_REPLAY_BYTES / 2;
/// The share of [`MAX_RACES`] that goes at once, so that few races rewrite the index.
const PRUNED_AT_ONCE: usize = 32;
/// The longest index that is read: three times the bytes that [`MAX_RACES`] lines take.
const MAX_INDEX_BYTES: u64 = 32 * 1024 * 1024;

/// How far apart two estimates of the same GO may be, in seconds: a clock may be set meanwhile.
const SAME_GO_SECONDS: u64 = 60;

const INDEX: &str = "races.jsonl";
const LOCK: &str = "lock";

/// One race of the player's, as its line in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRace {
    /// 1 for the first race that was kept, and higher for each later one.
    pub number: u32,
    /// GO, in seconds since 1970.
    pub began: u64,
    #[serde(flatten)]
    pub result: RaceResult,
    /// Whether it counts for bests and averages.
    pub counts: bool,
    /// Whether it stays when older races go.
    pub marked: bool,
    /// The length of its replay's file; 0 if it has none.
    pub replay_bytes: u64,
}

/// How the player's own race went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceResult {
    pub puzzle: PuzzleSpec,
    /// None for a race that was left before its heat revealed it.
    pub seed: Option<Seed>,
    pub room: RoomCode,
    /// Which heat of the room.
    pub heat: u32,
    /// The finish time with its penalty; none for a DNF.
    pub time: Attempt,
    #[serde(flatten)]
    pub moves: MoveCount,
    pub hints: u16,
    /// What the hints added to the time.
    pub penalty: Millis,
    /// 0 to 1000.
    pub progress: u16,
    /// The moves that the board needs, if they are known.
    pub best: Option<MoveBounds>,
    pub place: u16,
    /// Among how many players.
    pub of: u16,
}

/// A race that has just ended, to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedRace {
    pub result: RaceResult,
    /// Its replay, without a date, if the program saw all of it.
    pub replay: Option<Replay>,
    /// From GO to the end of the player's heat.
    pub lasted: Millis,
}

/// A race that is under way, as it would be kept if it were left now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedRace {
    began: u64,
    #[serde(flatten)]
    result: RaceResult,
}

/// What keeping a race showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptNote {
    pub number: u32,
    /// Whether it counts: the first race on a board does.
    pub counts: bool,
    /// The best time on this puzzle before it, of races that count.
    pub best_before: Attempt,
}

/// A change of races that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceChange {
    Delete,
    /// Whether they count.
    Count(bool),
    /// Whether they stay when older races go.
    Mark(bool),
}

#[derive(Debug, thiserror::Error)]
pub enum KeptRacesError {
    #[error("no races are kept: {RACES_VARIABLE} is empty")]
    Off,
    /// The system names no folder for data.
    #[error("there is no folder for your races: name one by {RACES_VARIABLE}")]
    Nowhere,
    #[error("can't use {}: {}", .0.display(), .1)]
    File(PathBuf, #[source] io::Error),
    #[error("there is no race {0}; gridrace stats --list shows their numbers")]
    NoRace(u32),
    #[error("race {0} has no replay")]
    NoReplay(u32),
    #[error("no race on {0} is kept with its replay and counts")]
    NoBest(PuzzleSpec),
    #[error("at most {MAX_MARKED} races can be marked")]
    TooManyMarked,
    #[error("the replays of marked races take at most {} MiB", MAX_MARKED_REPLAY_BYTES / (1024 * 1024))]
    MarkedTooLarge,
    #[error("the replay of race {0} is damaged {1}")]
    Damaged(u32, #[source] ParseError),
}

/// A folder of kept races; it is created when the first race is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRaces {
    folder: PathBuf,
}

/// The index as it is read.
#[derive(Debug, Default)]
struct Index {
    races: Vec<KeptRace>,
    /// Lines that aren't understood, which another version may have written: they stay.
    others: Vec<String>,
    /// Whether the last line has its end. A crash may have cut it.
    ends_whole: bool,
}

impl EndedRace {
    /// Writes the date of GO into the replay.
    pub fn date(&mut self, began: u64) {
        if let Some(replay) = &mut self.replay {
            replay.header.began = Some(UnixSeconds(began));
        }
    }
}

impl KeptRace {
    /// Returns the moves a second, in hundredths, while it was raced; none for a DNF.
    pub fn hundredth_moves_a_second(&self) -> Option<u64> {
        let raced = self.result.time?.since(self.result.penalty);
        (u64::from(self.result.moves.moves) * 100_000).checked_div(raced.0)
    }

    /// Returns its moves as a multiple of the fewest; none for a DNF or where those aren't known.
    pub fn efficiency(&self) -> Option<Efficiency> {
        self.result.time?;
        self.result.best?.efficiency_of(self.result.moves.moves)
    }
}

impl KeptRaces {
    /// Returns the folder of this account, or why there is none.
    pub fn of_this_account() -> Result<Self, KeptRacesError> {
        match std::env::var_os(RACES_VARIABLE) {
            Some(none) if none.is_empty() => Err(KeptRacesError::Off),
            Some(folder) => Ok(Self::at(folder)),
            None => {
                let base = etcetera::choose_base_strategy().map_err(|_| KeptRacesError::Nowhere)?;
                Ok(Self::at(base.data_dir().join("gridrace").join("races")))
            }
        }
    }

    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns every race that is kept, the oldest first; also those that a killed program left.
    pub fn list(&self) -> Result<Vec<KeptRace>, KeptRacesError> {
        if abandoned(&self.folder).iter().any(|file| file.is_old) {
            let _lock = self.lock()?;
            let mut index = self.read()?;
            let adopted = adopt_abandoned(&self.folder, &mut index, None);
            self.write(&index)?;
            adopted.into_iter().for_each(AbandonedFile::remove);
            return Ok(index.races);
        }
        self.read().map(|index| index.races)
    }

    /// Creates the file in which a race is saved while it is under way.
    pub fn begin_race(&self) -> Result<RaceFile, KeptRacesError> {
        RaceFile::create(&self.folder)
            .map_err(|error| KeptRacesError::File(self.folder.clone(), error))
    }

    /// Saves a race that is under way, as it would be kept if it were left now.
    pub fn save_race(
        &self,
        file: &mut RaceFile,
        race: EndedRace,
        began: u64,
    ) -> Result<(), KeptRacesError> {
        let saved = SavedRace { began, result: race.result };
        let save = |file: &mut RaceFile| file.save(&line(&saved)?);
        save(file).map_err(|error| KeptRacesError::File(self.folder.clone(), error))
    }

    /// Keeps a race that began at a date. Older ones go where there are too many.
    pub fn keep(&self, race: EndedRace, began: u64) -> Result<KeptNote, KeptRacesError> {
        let _lock = self.lock()?;
        let mut index = self.read()?;
        let EndedRace { result, replay, lasted: _ } = race;
        let adopted = adopt_abandoned(&self.folder, &mut index, Some((began, &result)));
        let number = index.races.last().map_or(1, |last| last.number.saturating_add(1));
        let known = |old: &KeptRace| {
            let is_board = old.result.puzzle == result.puzzle && old.result.seed == result.seed;
            is_board && result.seed.is_some()
        };
        let counts = !index.races.iter().any(known);
        let counted = index.races.iter().filter(|old| old.counts);
        let times: Vec<Attempt> = counted
            .filter(|old| old.result.puzzle == result.puzzle)
            .map(|old| old.result.time)
            .collect();
        let best_before = averages::best_single(&times);
        let replay_bytes = match replay {
            Some(replay) => {
                let bytes = replay.encode();
                self.write_whole(&self.replay_path(number), &bytes)?;
                bytes.len() as u64
            }
            None => 0,
        };
        let race = KeptRace { number, began, result, counts, marked: false, replay_bytes };
        index.races.push(race);
        let pruned = prune(&mut index);
        if !(pruned.is_empty() && adopted.is_empty() && index.ends_whole) {
            self.write(&index)?;
        } else if let Some(race) = index.races.last() {
            self.append(race)?;
        }
        // Only now: the index names no replay that is gone.
        pruned.iter().for_each(|&number| self.remove_replay(number));
        adopted.into_iter().for_each(AbandonedFile::remove);
        Ok(KeptNote { number, counts, best_before })
    }

    /// Adds to a race what its board needs.
    pub fn rate(&self, number: u32, best: MoveBounds) -> Result<(), KeptRacesError> {
        let _lock = self.lock()?;
        let mut index = self.read()?;
        let race = index.races.iter_mut().find(|race| race.number == number);
        let race = race.ok_or(KeptRacesError::NoRace(number))?;
        race.result.best = Some(best);
        self.write(&index)
    }

    /// Changes races; all of them, or on an error none.
    pub fn change(&self, numbers: &[u32], change: RaceChange) -> Result<(), KeptRacesError> {
        let _lock = self.lock()?;
        let mut index = self.read()?;
        for &number in numbers {
            let race = index.races.iter_mut().find(|race| race.number == number);
            let race = race.ok_or(KeptRacesError::NoRace(number))?;
            match change {
                RaceChange::Delete => {}
                RaceChange::Count(counts) => race.counts = counts,
                RaceChange::Mark(marked) => race.marked = marked,
            }
        }
        if change == RaceChange::Mark(true) {
            let marked = || index.races.iter().filter(|race| race.marked);
            if marked().count() > MAX_MARKED {
                return Err(KeptRacesError::TooManyMarked);
            }
            if marked().map(|race| race.replay_bytes).sum::<u64>() > MAX_MARKED_REPLAY_BYTES {
                return Err(KeptRacesError::MarkedTooLarge);
            }
        }
        if change == RaceChange::Delete {
            index.races.retain(|race| !numbers.contains(&race.number));
        }
        self.write(&index)?;
        if change == RaceChange::Delete {
            numbers.iter().for_each(|&number| self.remove_replay(number));
        }
        Ok(())
    }

    /// Reads the replay of a race.
    pub fn replay(&self, number: u32) -> Result<Replay, KeptRacesError> {
        let path = self.replay_path(number);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let kept = self.list()?.iter().any(|race| race.number == number);
                return Err(if kept {
                    KeptRacesError::NoReplay(number)
                } else {
                    KeptRacesError::NoRace(number)
                });
            }
            Err(error) => return Err(KeptRacesError::File(path, error)),
        };
        let mut bytes = Vec::new();
        let read = file.take(MAX_REPLAY_BYTES as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| KeptRacesError::File(path, error))?;
        Replay::decode(&bytes).map_err(|error| KeptRacesError::Damaged(number, error))
    }

    /// Returns the number of the fastest race on a puzzle that counts and has a replay.
    pub fn best(&self, puzzle: PuzzleSpec) -> Result<u32, KeptRacesError> {
        let races = self.list()?;
        let fit =
            |race: &&KeptRace| race.counts && race.replay_bytes > 0 && race.result.puzzle == puzzle;
        let timed = races.iter().filter(fit).filter_map(|race| Some((race.result.time?, race)));
        let best = timed.min_by_key(|(time, _)| *time);
        best.map(|(_, race)| race.number).ok_or(KeptRacesError::NoBest(puzzle))
    }

    fn read(&self) -> Result<Index, KeptRacesError> {
        let path = self.folder.join(INDEX);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Index::default()),
            Err(error) => return Err(KeptRacesError::File(path, error)),
        };
        let mut bytes = Vec::new();
        let read = file.take(MAX_INDEX_BYTES).read_to_end(&mut bytes);
        read.map_err(|error| KeptRacesError::File(path, error))?;
        let ends_whole = bytes.last() == Some(&b'\n');
        let text = String::from_utf8_lossy(&bytes);
        let mut index = Index { ends_whole, ..Index::default() };
        for line in text.lines().filter(|line| !line.is_empty()) {
            match serde_json::from_str(line) {
                Ok(race) => index.races.push(race),
                Err(_) => index.others.push(line.to_owned()),
            }
        }
        index.races.sort_by_key(|race| race.number);
        Ok(index)
    }

    fn write(&self, index: &Index) -> Result<(), KeptRacesError> {
        let path = self.folder.join(INDEX);
        let mut text = Vec::new();
        for other in &index.others {
            text.extend_from_slice(other.as_bytes());
            text.push(b'\n');
        }
        for race in &index.races {
            let line = line(race).map_err(|error| KeptRacesError::File(path.clone(), error))?;
            text.extend_from_slice(&line);
        }
        self.write_whole(&path, &text)
    }

    fn append(&self, race: &KeptRace) -> Result<(), KeptRacesError> {
        let path = self.folder.join(INDEX);
        let append = || -> io::Result<()> {
            let line = line(race)?;
            let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
            file.write_all(&line)?;
            file.sync_all()
        };
        append().map_err(|error| KeptRacesError::File(path.clone(), error))
    }

    /// Writes a file under another name and renames it, so that it is whole or as it was.
    fn write_whole(&self, path: &Path, bytes: &[u8]) -> Result<(), KeptRacesError> {
        let beside = path.with_extension("new");
        let write = || -> io::Result<()> {
            let mut file = File::create(&beside)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&beside, path)
        };
        write().map_err(|error| KeptRacesError::File(path.to_owned(), error))
    }

    /// Makes the folder and waits for its lock, which ends with the returned file.
    fn lock(&self) -> Result<File, KeptRacesError> {
        let path = self.folder.join(LOCK);
        let lock = || -> io::Result<File> {
            fs::create_dir_all(&self.folder)?;
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
            file.lock()?;
            Ok(file)
        };
        lock().map_err(|error| KeptRacesError::File(path.clone(), error))
    }

    fn remove_replay(&self, number: u32) {
        // It may have none.
        fs::remove_file(self.replay_path(number)).ok();
    }

    fn replay_path(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number}.grr"))
    }
}

/// Drops what exceeds the bounds from an index, the oldest first; returns the numbers of the races
/// whose replays go.
fn prune(index: &mut Index) -> Vec<u32> {
    let mut pruned = Vec::new();
    if index.races.len() > MAX_RACES {
        let surplus = index.races.len() - MAX_RACES + MAX_RACES / PRUNED_AT_ONCE;
        index.races.retain(|race| {
            let stays = race.marked || pruned.len() == surplus;
            if !stays {
                pruned.push(race.number);
            }
            stays
        });
    }
    let mut bytes: u64 = index.races.iter().map(|race| race.replay_bytes).sum();
    if bytes > MAX_TOTAL_REPLAY_BYTES {
        // A little more goes than must, so that the next races rewrite nothing.
        let most = MAX_TOTAL_REPLAY_BYTES - MAX_TOTAL_REPLAY_BYTES / PRUNED_AT_ONCE as u64;
        for race in index.races.iter_mut().filter(|race| !race.marked && race.replay_bytes > 0) {
            if bytes <= most {
                break;
            }
            bytes -= race.replay_bytes;
            race.replay_bytes = 0;
            pruned.push(race.number);
        }
    }
    pruned
}

/// Adds the races that killed programs left, but for the one that the player came back to and that is
/// kept now. Returns the files, to be removed once the index is written.
fn adopt_abandoned(
    folder: &Path,
    index: &mut Index,
    kept: Option<(u64, &RaceResult)>,
) -> Vec<AbandonedFile> {
    let mut done = Vec::new();
    for file in abandoned(folder) {
        let saved = serde_json::from_str(&file.line).ok();
        let is_kept = |saved: &SavedRace| {
            kept.is_some_and(|(began, kept)| {
                let of = |result: &RaceResult| (result.room, result.heat, result.puzzle);
                of(&saved.result) == of(kept) && saved.began.abs_diff(began) <= SAME_GO_SECONDS
            })
        };
        match saved {
            Some(saved) if is_kept(&saved) => {}
            _ if !file.is_old => continue,
            Some(SavedRace { began, result }) => {
                let number = index.races.last().map_or(1, |last| last.number.saturating_add(1));
                let (counts, marked, replay_bytes) = (true, false, 0);
                index.races.push(KeptRace { number, began, result, counts, marked, replay_bytes });
            }
            // Cut by a crash, or of another version.
            None => {}
        }
        done.push(file);
    }
    done
}

fn line(race: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(race)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::test_support::replay;

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
        assert!(matches!(
            races.change(&[4, 9], RaceChange::Delete),
            Err(KeptRacesError::NoRace(9))
        ));
        races.change(&[1, 4], RaceChange::Delete).unwrap();
        let listed = races.list().unwrap();
        let state: Vec<_> =
            listed.iter().map(|race| (race.number, race.counts, race.marked)).collect();
        assert_eq!(state, [(2, false, false), (3, true, true)]);
        // A number isn't used again while a higher one is kept.
        assert_eq!(races.keep(ended("slide:3x3", "x", None), 1).unwrap().number, 4);
    }

    #[test]
    fn the_oldest_go_first_unless_they_are_marked() {
        let (_folder, races) = folder();
        let most = u32::try_from(MAX_RACES).unwrap();
        fill(&races, most, |race| race.marked = race.number == 2);
        races.keep(ended("slide:4x4", "x", None), 1).unwrap();
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
        races.keep(ended("slide:4x4", "x", None), 1).unwrap();
        let bytes: Vec<bool> =
            races.list().unwrap().iter().map(|race| race.replay_bytes > 0).collect();
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
            race.result.seed = None;
            let note = races.keep(race, number).unwrap();
            assert!(note.counts);
        }
        assert_eq!(races.list().unwrap()[1].result.seed, None);
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
        races.keep(ended("slide:4x4", "x", Some(1)), 1).unwrap();
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
    }

    #[test]
    fn a_race_that_its_player_came_back_to_is_kept_once() {
        let (_folder, races) = folder();
        let path = killed(&races, left(2), 200);
        let mut finished = ended("slide:3x3", "friday", Some(9_000));
        finished.result.heat = 2;
        races.keep(finished, 202).unwrap();
        assert!(!path.exists());
        let listed = races.list().unwrap();
        assert_eq!(
            listed.iter().map(|race| race.result.time).collect::<Vec<_>>(),
            [Some(Millis(9_000))]
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
}
