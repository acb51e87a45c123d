//! A task that reads and writes kept races, so that a slow disk doesn't delay the race.

use crate::display::format;
use crate::net::clock;
use crate::practice::kept_race::{EndedRace, KeptRace};
use crate::practice::kept_races::{KeptNote, KeptRaces, KeptRacesError, RaceChange};
use crate::practice::race_under_way::RaceFile;
use gridrace_shared::puzzle::{MoveBounds, PuzzleSpec};
use gridrace_shared::replay::Replay;
use gridrace_shared::util::seed::Seed;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// How many requests wait at most: far more than a person makes while a disk is slow.
const MAX_WAITING: usize = 64;
/// How long the end of the program waits for the disk.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A request to the folder of kept races.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RaceRequest {
    Keep(Box<EndedRace>),
    /// Save the race that is under way, as it would be kept if it ended here.
    Save(Box<EndedRace>),
    /// Add what its board needs to the race that was kept last, if it was on this board.
    Rate {
        puzzle: PuzzleSpec,
        seed: Seed,
        best: MoveBounds,
    },
    List,
    Change(u32, RaceChange),
    /// Read a race's replay.
    Replay(u32, ReplayUse),
    /// Read the replay of the fastest race on a puzzle, to race against it.
    Best(PuzzleSpec),
}

/// The purpose for which a replay is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayUse {
    Watch,
    /// To race against it.
    Ghost,
}

/// An answer of the folder of kept races.
#[derive(Debug, Clone, PartialEq)]
pub enum RaceAnswer {
    Kept(KeptNote),
    /// All races, the oldest first, and the present in seconds since 1970.
    Listed {
        races: Vec<KeptRace>,
        now: u64,
    },
    Replay(Box<Replay>, ReplayUse),
    /// What went wrong, in a sentence.
    Failed(String),
}

/// The race that was kept last, and its board.
#[derive(Debug, Clone)]
struct LatestRace {
    number: u32,
    puzzle: PuzzleSpec,
    seed: Option<Seed>,
}

/// The task that has the folder.
pub(crate) struct RaceKeeper {
    requests: mpsc::Sender<RaceRequest>,
    answers: mpsc::Receiver<RaceAnswer>,
    task: JoinHandle<()>,
}

impl RaceKeeper {
    pub(crate) fn start(races: Result<KeptRaces, KeptRacesError>) -> Self {
        let (requests, waiting) = mpsc::channel(MAX_WAITING);
        let (sender, answers) = mpsc::channel(MAX_WAITING);
        let task = tokio::spawn(work(Arc::new(races), waiting, sender));
        Self { requests, answers, task }
    }

    /// Asks; more than [`MAX_WAITING`] requests are dropped.
    pub(crate) fn request(&self, request: RaceRequest) {
        self.requests.try_send(request).ok();
    }

    /// Waits for the next answer; safe to cancel.
    pub(crate) async fn next(&mut self) -> RaceAnswer {
        match self.answers.recv().await {
            Some(answer) => answer,
            None => std::future::pending().await,
        }
    }

    /// Waits until what was asked for is done, but not for ever.
    pub(crate) async fn close(self) {
        drop((self.requests, self.answers));
        // The disk is stuck: the program ends without it.
        tokio::time::timeout(CLOSE_TIMEOUT, self.task).await.ok();
    }
}

async fn work(
    races: Arc<Result<KeptRaces, KeptRacesError>>,
    mut requests: mpsc::Receiver<RaceRequest>,
    answers: mpsc::Sender<RaceAnswer>,
) {
    let mut latest: Option<LatestRace> = None;
    let mut under_way: Option<RaceFile> = None;
    while let Some(request) = requests.recv().await {
        let mut keeping = None;
        if let RaceRequest::Keep(race) = &request {
            keeping = Some((race.result.puzzle, race.result.seed.clone()));
            // If keeping it fails, its rating belongs to no race.
            latest = None;
        }
        let (races, rated) = (Arc::clone(&races), latest.clone());
        let mut file = under_way.take();
        let answering = tokio::task::spawn_blocking(move || {
            let answer = match &*races {
                Ok(races) => answer(races, rated, &mut file, request),
                // A player who keeps no races isn't told so after each.
                Err(KeptRacesError::Off) if is_silent(&request) => None,
                Err(error) => Some(RaceAnswer::Failed(sentence(error))),
            };
            (answer, file)
        });
        let Ok((answer, file)) = answering.await else { continue };
        under_way = file;
        let Some(answer) = answer else { continue };
        if let (RaceAnswer::Kept(note), Some((puzzle, seed))) = (&answer, keeping) {
            latest = Some(LatestRace { number: note.number, puzzle, seed });
        }
        // The screen may be gone; what waits is done all the same.
        answers.send(answer).await.ok();
    }
    // The race goes on elsewhere, or was given up before its first move.
    if let Some(file) = under_way {
        file.remove();
    }
}

/// Saves a race that is under way. A failure costs nothing unless the program is killed, and the end of
/// the race tells it.
fn save(races: &KeptRaces, file: &mut Option<RaceFile>, race: EndedRace) {
    let began = began(&race);
    if file.is_none() {
        *file = races.begin_race().ok();
    }
    if let Some(file) = file {
        races.save_race(file, race, began).ok();
    }
}

fn began(race: &EndedRace) -> u64 {
    clock::unix_seconds().saturating_sub(race.lasted.seconds())
}

const fn is_silent(request: &RaceRequest) -> bool {
    match request {
        RaceRequest::Keep(_) | RaceRequest::Save(_) | RaceRequest::Rate { .. } => true,
        RaceRequest::List
        | RaceRequest::Change(..)
        | RaceRequest::Replay(..)
        | RaceRequest::Best(_) => false,
    }
}

fn answer(
    races: &KeptRaces,
    latest: Option<LatestRace>,
    under_way: &mut Option<RaceFile>,
    request: RaceRequest,
) -> Option<RaceAnswer> {
    let answered = match request {
        RaceRequest::Keep(mut race) => {
            let began = began(&race);
            race.date(began);
            // If keeping it fails, what was saved of it stays.
            let file = under_way.take();
            races.keep(*race, began).map(|note| {
                file.into_iter().for_each(RaceFile::remove);
                Some(RaceAnswer::Kept(note))
            })
        }
        RaceRequest::Rate { puzzle, seed, best } => {
            match latest.filter(|race| race.puzzle == puzzle && race.seed.as_ref() == Some(&seed)) {
                Some(race) => races.rate(race.number, best).map(|()| None),
                // The heat was watched, or its race isn't kept.
                None => Ok(None),
            }
        }
        RaceRequest::Save(race) => {
            save(races, under_way, *race);
            Ok(None)
        }
        RaceRequest::List => list(races).map(Some),
        RaceRequest::Change(number, change) => {
            races.change(&[number], change).and_then(|()| list(races)).map(Some)
        }
        RaceRequest::Replay(number, use_) => replay(races, number, use_).map(Some),
        RaceRequest::Best(puzzle) => {
            races.best(puzzle).and_then(|number| replay(races, number, ReplayUse::Ghost)).map(Some)
        }
    };
    answered.unwrap_or_else(|error| Some(RaceAnswer::Failed(sentence(&error))))
}

fn list(races: &KeptRaces) -> Result<RaceAnswer, KeptRacesError> {
    let now = clock::unix_seconds();
    races.list().map(|races| RaceAnswer::Listed { races, now })
}

fn replay(races: &KeptRaces, number: u32, use_: ReplayUse) -> Result<RaceAnswer, KeptRacesError> {
    races.replay(number).map(|replay| RaceAnswer::Replay(Box::new(replay), use_))
}

fn sentence(error: &KeptRacesError) -> String {
    format::sentence(&error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice::kept_races::tests::ended;
    use crate::practice::race_under_way::abandoned;
    use std::fs;

    fn rate(seed: &str, best: MoveBounds) -> RaceRequest {
        let (puzzle, seed) = ("slide:3x3".parse().unwrap(), seed.parse().unwrap());
        RaceRequest::Rate { puzzle, seed, best }
    }

    fn keep(seed: &str) -> RaceRequest {
        RaceRequest::Keep(Box::new(ended("slide:3x3", seed, Some(9_000))))
    }

    async fn bests(keeper: &mut RaceKeeper) -> Vec<Option<MoveBounds>> {
        keeper.request(RaceRequest::List);
        let RaceAnswer::Listed { races, .. } = keeper.next().await else { panic!("no list") };
        races.iter().map(|race| race.result.best).collect()
    }

    #[tokio::test]
    async fn a_race_that_was_saved_is_kept_once_or_left_for_later() {
        let folder = tempfile::tempdir().unwrap();
        let races = KeptRaces::at(folder.path());
        let mut keeper = RaceKeeper::start(Ok(races.clone()));
        let race = || Box::new(ended("slide:3x3", "friday", None));
        let files = || abandoned(folder.path()).len();
        keeper.request(RaceRequest::Save(race()));
        keeper.request(RaceRequest::Keep(race()));
        assert!(matches!(keeper.next().await, RaceAnswer::Kept(_)));
        keeper.request(RaceRequest::Save(race()));
        keeper.request(RaceRequest::List);
        let RaceAnswer::Listed { races, .. } = keeper.next().await else { panic!("no list") };
        assert_eq!((races.len(), files()), (1, 0), "its program has it");
        keeper.task.abort();
        drop((keeper.requests, keeper.answers));
        assert!(keeper.task.await.unwrap_err().is_cancelled());
        assert_eq!(files(), 1);
    }

    #[tokio::test]
    async fn only_the_board_of_the_race_kept_last_is_rated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("races");
        let mut keeper = RaceKeeper::start(Ok(KeptRaces::at(&path)));
        let (best, other) = (MoveBounds::of(20, 20), MoveBounds::of(30, 30));
        keeper.request(keep("friday"));
        assert!(matches!(keeper.next().await, RaceAnswer::Kept(_)));
        keeper.request(rate("friday", best));
        // That heat was watched.
        keeper.request(rate("monday", other));
        assert_eq!(bests(&mut keeper).await, [Some(best)]);

        // A file in place of the folder: the next race can't be kept.
        let aside = folder.path().join("aside");
        fs::rename(&path, &aside).unwrap();
        fs::write(&path, "").unwrap();
        keeper.request(keep("monday"));
        assert!(matches!(keeper.next().await, RaceAnswer::Failed(_)));
        fs::remove_file(&path).unwrap();
        fs::rename(&aside, &path).unwrap();
        keeper.request(rate("friday", other));
        keeper.request(rate("monday", other));
        assert_eq!(bests(&mut keeper).await, [Some(best)]);
        keeper.close().await;
    }
}
