//! The page's module of a finished heat: its replay, and the boards of seeds.

use crate::{CallError, ok, read};
use gridrace_shared::heat::commitment::Commitment;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::Standing;
use gridrace_shared::puzzle::{Board, MoveBounds, PuzzleSpec};
use gridrace_shared::replay::{ParseError, Playback, Replay, SignatureCheck, verify};
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::Millis;
use serde::{Deserialize, Serialize};

#[derive(Default)]
pub(crate) struct ReplayModule {
    playback: Option<Playback>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReplayCall {
    /// Makes the board of a seed.
    Board { spec: PuzzleSpec, seed: Seed },
    /// Goes to an instant of the replay; the answer to this and the next two is a [`Moment`].
    Seek { at: Millis },
    Forward,
    Back,
}

/// What a replay is about.
#[derive(Serialize)]
struct ReplaySummary<'a> {
    code: String,
    number: u32,
    /// Seconds since 1970.
    began: Option<u64>,
    options: &'a HeatOptions,
    seed: &'a Seed,
    /// Which picture the tiles show.
    commitment: Commitment,
    players: Vec<Player<'a>>,
    end: Millis,
    best: Option<MoveBounds>,
    signature: &'static str,
    signer: Option<Fingerprint>,
}

#[derive(Serialize)]
struct Player<'a> {
    id: PlayerId,
    name: &'a str,
    kind: PlayerKind,
}

/// A replay at an instant.
#[derive(Serialize)]
struct Moment<'a> {
    at: Millis,
    over: bool,
    standings: Vec<Standing>,
    boards: Vec<PlayedBoard<'a>>,
}

#[derive(Serialize)]
struct PlayedBoard<'a> {
    player: PlayerId,
    board: &'a Board,
}

impl ReplayModule {
    pub(crate) fn call(&mut self, request: &[u8]) -> Result<Vec<u8>, CallError> {
        let request = read(request)?;
        if let ReplayCall::Board { spec, seed } = &request {
            return ok(spec.board(seed));
        }
        let playback = self.playback.as_mut().ok_or(CallError::NotUnderWay)?;
        match request {
            ReplayCall::Board { .. } => {}
            ReplayCall::Seek { at } => playback.seek(at),
            ReplayCall::Forward => playback.forward(),
            ReplayCall::Back => playback.back(),
        }
        ok(moment(playback))
    }

    /// Reads a replay, without verifying it; it stands at GO.
    pub(crate) fn load(&mut self, file: &[u8]) -> Result<Vec<u8>, CallError> {
        let (replay, _, signature) = Replay::locate(file)?;
        let (signature, signer) = match signature {
            SignatureCheck::Unsigned => ("unsigned", None),
            SignatureCheck::Valid(signer) => ("valid", Some(signer)),
            SignatureCheck::Invalid(signer) => ("invalid", Some(signer)),
        };
        let replay = self.playback.insert(Playback::new(replay)).replay();
        let header = &replay.header;
        let players = replay.events.racers().iter();
        ok(ReplaySummary {
            code: header.code.to_string(),
            number: header.number,
            began: header.began.map(|began| began.0),
            options: &header.options,
            seed: &header.secret.seed,
            commitment: header.commitment,
            players: players
                .map(|racer| Player { id: racer.id, name: racer.name.as_str(), kind: racer.kind })
                .collect(),
            end: replay.outcome.ended,
            best: replay.outcome.best,
            signature,
            signer,
        })
    }
}

/// Returns what doesn't hold in the file of a replay: nothing if all does.
pub(crate) fn verify_file(file: &[u8]) -> Result<Vec<u8>, CallError> {
    let report = verify(file)?;
    ok(report.errors.iter().map(|error| error.kind.to_string()).collect::<Vec<_>>())
}

impl From<ParseError> for CallError {
    fn from(error: ParseError) -> Self {
        Self::Replay { offset: error.offset, kind: error.kind.to_string() }
    }
}

fn moment(playback: &Playback) -> Moment<'_> {
    let boards = playback.players().iter();
    Moment {
        at: playback.at(),
        over: playback.is_over(),
        standings: playback.standings(),
        boards: boards
            .map(|runner| PlayedBoard { player: runner.player, board: &runner.board })
            .collect(),
    }
}
