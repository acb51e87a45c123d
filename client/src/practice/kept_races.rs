//! The folder of kept races: one line of JSON a race in the index, and a replay file for most.
//!
//! Statistics read the index alone. Replays are written to a second file and renamed, so each is
//! whole or absent; lines of the index are appended, and anything else replaces the index in the
//! same way. Several programs may use the folder at once: each change is made under a lock. A race that
//! is under way is in a file of its own, and is kept from there if its program was killed.

use crate::practice::kept_race::{EndedRace, KeptRace, RaceResult};
use crate::practice::race_under_way::{AbandonedFile, RaceFile, abandoned};
use etcetera::BaseStrategy;
use gridrace_shared::heat::averages::{self, Attempt};
use gridrace_shared::puzzle::{MoveBounds, PuzzleSpec};
use gridrace_shared::replay::{MAX_REPLAY_BYTES, ParseError, Replay};
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

/// A race that is under way, as it would be kept if it were left now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedRace {
    began: u64,
    #[serde(flatten)]
    result: RaceResult,
}

/// The result of keeping a race.
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
    File(PathBuf, io::Error),
    #[error("there is no race {0}; gridrace stats --list shows their numbers")]
    NoRace(u32),
    /// The seed of a board is revealed with the end of its heat, which the player didn't see.
    #[error("race {0} has no replay: it was left before its heat revealed the seed")]
    Left(u32),
    /// Replays of the oldest races are deleted, and a resumed program saw a part of its race only.
    #[error("race {0} has no replay: it is too old, or only a part of it was seen")]
    NoReplay(u32),
    #[error("you have no race on {0} that counts and has a replay")]
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
            return Ok(by_date(index));
        }
        self.read().map(by_date)
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

    /// Keeps a race that began at a date. It replaces the entry that was kept when the player left the
    /// same race. Older races go where there are too many.
    pub fn keep(&self, race: EndedRace, began: u64) -> Result<KeptNote, KeptRacesError> {
        let _lock = self.lock()?;
        let mut index = self.read()?;
        let EndedRace { result, replay, lasted: _ } = race;
        let adopted = adopt_abandoned(&self.folder, &mut index, Some((began, &result)));
        let was_left = |old: &KeptRace| {
            old.result.seed.is_none() && is_same_race((old.began, &old.result), (began, &result))
        };
        let replaced: Vec<KeptRace> = index.races.extract_if(.., |old| was_left(old)).collect();
        let number = index.races.last().map_or(1, |last| last.number.saturating_add(1));
        let known = |old: &KeptRace| {
            let is_board = old.result.puzzle == result.puzzle && old.result.seed == result.seed;
            is_board && result.seed.is_some()
        };
        let was_taken_out = replaced.iter().any(|old| !old.counts);
        let counts = !was_taken_out && !index.races.iter().any(known);
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
            None => {
                // A killed program may have left the replay of a deleted race.
                self.remove_replay(number);
                0
            }
        };
        let marked = replaced.iter().any(|old| old.marked);
        let race = KeptRace { number, began, result, counts, marked, replay_bytes };
        index.races.push(race);
        let pruned = prune(&mut index);
        let only_adds = replaced.is_empty() && pruned.is_empty() && adopted.is_empty();
        if !(only_adds && index.ends_whole) {
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
                let races = self.list()?;
                return Err(match races.iter().find(|race| race.number == number) {
                    Some(race) if race.result.seed.is_none() => KeptRacesError::Left(number),
                    Some(_) => KeptRacesError::NoReplay(number),
                    None => KeptRacesError::NoRace(number),
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
/// kept now. One that is kept already goes on as it was left last. Returns the files, to be removed once
/// the index is written.
fn adopt_abandoned(
    folder: &Path,
    index: &mut Index,
    kept: Option<(u64, &RaceResult)>,
) -> Vec<AbandonedFile> {
    let mut done = Vec::new();
    for file in abandoned(folder) {
        let saved = serde_json::from_str(&file.line).ok();
        let is_kept = |saved: &SavedRace| {
            kept.is_some_and(|kept| is_same_race((saved.began, &saved.result), kept))
        };
        match saved {
            Some(saved) if is_kept(&saved) => {}
            _ if !file.is_old => continue,
            Some(SavedRace { began, result }) => {
                let is_this = |race: &&mut KeptRace| {
                    is_same_race((race.began, &race.result), (began, &result))
                };
                let last = index.races.last().map_or(0, |last| last.number);
                match index.races.iter_mut().find(is_this) {
                    // The player came back to it in another program.
                    Some(race) if is_further(&result, &race.result) => race.result = result,
                    Some(_) => {}
                    None => index.races.push(KeptRace {
                        number: last.saturating_add(1),
                        began,
                        result,
                        counts: true,
                        marked: false,
                        replay_bytes: 0,
                    }),
                }
            }
            // Cut by a crash, or of another version.
            None => {}
        }
        done.push(file);
    }
    done
}

/// Returns whether a result goes on from another one of the same race, which was left.
fn is_further(result: &RaceResult, left: &RaceResult) -> bool {
    let state = |result: &RaceResult| (result.time.is_some(), result.moves.moves);
    left.seed.is_none() && state(result) > state(left)
}

/// Returns the races of an index, the oldest first: one that is adopted has a later number.
fn by_date(Index { mut races, .. }: Index) -> Vec<KeptRace> {
    races.sort_by_key(|race| (race.began, race.number));
    races
}

/// Returns whether two results, each with the date of GO, are of one race.
fn is_same_race(one: (u64, &RaceResult), other: (u64, &RaceResult)) -> bool {
    let of = |result: &RaceResult| (result.room, result.heat, result.puzzle);
    of(one.1) == of(other.1) && one.0.abs_diff(other.0) <= SAME_GO_SECONDS
}

fn line(race: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(race)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
pub(crate) mod tests;
