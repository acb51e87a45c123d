//! The page's module of a race: the own board ahead of the server, the others' boards, and the key.

use crate::{CallError, ok, read};
use gridrace_shared::heat::commitment::{Commitment, Secret};
use gridrace_shared::heat::identity::{Challenge, Fingerprint, Key};
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::standings::Standing;
use gridrace_shared::heat_view::{OwnRace, SpectatedBoards};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::{Moved, Rejection};
use gridrace_shared::protocol::snapshot::{GivenHint, OwnSeat, PlayerBoard};
use gridrace_shared::puzzle::numberlink::{IllegalStroke, Stroke, extend_stroke};
use gridrace_shared::puzzle::{Board, IllegalMove, Move, MoveCount, PuzzleSpec};
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::{ClientInstant, HeatInstant, Millis};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Default)]
pub(crate) struct RaceModule {
    race: Option<OwnRace>,
    watched: Option<SpectatedBoards>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum RaceCall {
    /// Begins the own race; the answer to this and to the next ones is a [`OwnRaceState`].
    Begin { go: HeatInstant, ends: HeatInstant, start: Board },
    /// Takes over what a new connection says of the seat.
    Resume { seat: Box<OwnSeat> },
    Resync { seat: Box<OwnSeat> },
    /// Plays a move ahead of the server.
    Play { play: Move },
    Accepted { seq: Seq, at: HeatInstant, moves: MoveCount },
    Rejected { now: ClientInstant, seq: Seq, why: Rejection },
    Hint { after: Seq, hint: Hint, distance_change: Option<i32>, taken: u16, penalty: Millis },
    HintAsked,
    /// A request was refused, which may be one for a hint.
    HintRefused,
    Standing { row: Standing },
    /// Asks for the moves that may leave by now; the answer is an [`Outgoing`].
    Send { now: ClientInstant },
    /// Draws a stroke on a copy of the board; the answer is a [`Trial`].
    Try { cells: Vec<Cell> },
    /// Extends a stroke to the cell of a pointer; the answer is the longest legal part as a
    /// [`Trial`].
    Extend { cells: Vec<Cell>, to: Cell },
    /// Begins to watch; the answer to this and the next two is the boards that changed.
    Watch {
        go: HeatInstant,
        ends: HeatInstant,
        start: Board,
        players: Vec<PlayerId>,
        boards: Vec<PlayerBoard>,
    },
    Boards { boards: Vec<PlayerBoard> },
    Moves { moves: Vec<Moved> },
    /// Says of each row of the standings whether its place is final.
    Final { rows: Vec<Standing>, elapsed: Millis },
    /// Makes a key of 64 hexadecimal digits, or of entropy; the answer is its [`Identity`].
    Key { secret: String },
    /// Proves a key to the server at `host`.
    Prove { secret: String, challenge: Challenge, host: String },
    /// Checks the seed and salt that were revealed against the commitment.
    Proves { spec: PuzzleSpec, reveal: Secret, commitment: Commitment },
}

/// The own race as it is shown.
#[derive(Serialize)]
struct OwnRaceState<'a> {
    board: &'a Board,
    moves: MoveCount,
    solved: bool,
    /// Whether the server has confirmed the solution.
    solved_at: Option<HeatInstant>,
    /// Whether moves may still be played.
    on: bool,
    out: bool,
    /// Cells of tiles that may slide; empty for other puzzles.
    movable: Vec<Cell>,
    hint: Option<&'a GivenHint>,
    hint_pending: bool,
    hints: u16,
    penalty: Millis,
}

#[derive(Serialize)]
struct Outgoing {
    moves: Vec<OutgoingMove>,
    /// When the next one may leave.
    due: Option<ClientInstant>,
}

/// What the message `move` says.
#[derive(Serialize)]
struct OutgoingMove {
    seq: Seq,
    play: Move,
}

/// A stroke in the making.
#[derive(Serialize)]
struct Trial {
    /// The cells that are legal from the first on.
    cells: Vec<Cell>,
    board: Option<Board>,
    /// Why the next cell is not.
    refused: Option<IllegalMove>,
    /// Whether the stroke links its number and ends at a terminal.
    whole: bool,
}

#[derive(Serialize)]
struct Identity {
    secret: String,
    fingerprint: Fingerprint,
}

impl RaceModule {
    pub(crate) fn call(&mut self, request: &[u8]) -> Result<Vec<u8>, CallError> {
        match read(request)? {
            RaceCall::Begin { go, ends, start } => {
                self.race = Some(OwnRace::new(go, ends, start));
            }
            RaceCall::Resume { seat } => self.race()?.resume(&seat),
            RaceCall::Resync { seat } => self.race()?.resync(&seat),
            RaceCall::Play { play } => {
                let race = self.race()?;
                if !race.is_on() || race.play.play(play).is_none() {
                    return Err(CallError::NotPlayed);
                }
            }
            RaceCall::Accepted { seq, at, moves } => self.race()?.accepted(seq, at, moves),
            RaceCall::Rejected { now, seq, why } => self.race()?.rejected(now, seq, why),
            RaceCall::Hint { after, hint, distance_change, taken, penalty } => {
                let given = GivenHint { after, hint, distance_change };
                self.race()?.hinted(given, taken, penalty);
            }
            RaceCall::HintAsked => self.race()?.hints.pending = true,
            RaceCall::HintRefused => self.race()?.hint_refused(),
            RaceCall::Standing { row } => self.race()?.follow_standing(&row),
            RaceCall::Send { now } => return ok(self.send(now)?),
            RaceCall::Try { cells } => return ok(trial(self.race()?.play.board(), cells)),
            RaceCall::Extend { cells, to } => return ok(self.extend(cells, to)?),
            RaceCall::Watch { go, ends, start, players, boards } => {
                let boards =
                    SpectatedBoards::new(go, ends, start, players.into_iter(), boards);
                let shown = self.watched.insert(boards);
                return ok(all_boards(shown));
            }
            RaceCall::Boards { boards } => {
                let watched = self.watched()?;
                watched.replace(&boards);
                return ok(all_boards(watched));
            }
            RaceCall::Moves { moves } => return ok(self.play_watched(&moves)?),
            RaceCall::Final { rows, elapsed } => {
                let is_final = rows.iter().map(|row| row.is_place_final(&rows, elapsed));
                return ok(is_final.collect::<Vec<_>>());
            }
            RaceCall::Key { secret } => return ok(identity(&parse_key(&secret)?)),
            RaceCall::Prove { secret, challenge, host } => {
                return ok(parse_key(&secret)?.prove(challenge, &host, false));
            }
            RaceCall::Proves { spec, reveal, commitment } => {
                return ok(reveal.proves(&spec, commitment));
            }
        }
        ok(self.state()?)
    }

    fn race(&mut self) -> Result<&mut OwnRace, CallError> {
        self.race.as_mut().ok_or(CallError::NotUnderWay)
    }

    fn watched(&mut self) -> Result<&mut SpectatedBoards, CallError> {
        self.watched.as_mut().ok_or(CallError::NotUnderWay)
    }

    fn state(&self) -> Result<OwnRaceState<'_>, CallError> {
        let race = self.race.as_ref().ok_or(CallError::NotUnderWay)?;
        let board = race.play.board();
        let movable = match board {
            Board::Slide(_) => board.legal_moves().iter().filter_map(slid_cell).collect(),
            Board::Link(_) => Vec::new(),
        };
        Ok(OwnRaceState {
            board,
            moves: race.play.count(),
            solved: board.is_solved(),
            solved_at: race.solved_at,
            on: race.is_on(),
            out: race.out,
            movable,
            hint: race.hint(),
            hint_pending: race.hints.pending,
            hints: race.hints.taken,
            penalty: race.hints.penalty,
        })
    }

    fn send(&mut self, now: ClientInstant) -> Result<Outgoing, CallError> {
        let race = self.race()?;
        let sent = std::iter::from_fn(|| race.next_to_send(now));
        let moves = sent.filter_map(|message| {
            let ClientMessage::Move { seq, play } = message else {
                return None;
            };
            Some(OutgoingMove { seq, play })
        });
        Ok(Outgoing { moves: moves.collect(), due: race.send_due() })
    }

    fn extend(&mut self, mut cells: Vec<Cell>, to: Cell) -> Result<Trial, CallError> {
        let board = self.race()?.play.board().clone();
        if let Board::Link(drawing) = &board {
            extend_stroke(drawing.puzzle().size(), &mut cells, to);
        }
        Ok(trial(&board, cells))
    }

    fn play_watched(&mut self, moves: &[Moved]) -> Result<Vec<PlayerBoard>, CallError> {
        let watched = self.watched()?;
        watched.play(moves);
        let players: BTreeSet<PlayerId> = moves.iter().map(|moved| moved.player).collect();
        let board = |player| {
            let board = watched.boards.get(&player)?.clone();
            Some(PlayerBoard { player, board })
        };
        Ok(players.into_iter().filter_map(board).collect())
    }
}

fn all_boards(watched: &SpectatedBoards) -> Vec<PlayerBoard> {
    let boards = watched.boards.iter();
    boards.map(|(&player, board)| PlayerBoard { player, board: board.clone() }).collect()
}

fn slid_cell(play: &Move) -> Option<Cell> {
    match play {
        Move::Slide(cell) => Some(*cell),
        Move::Link(_) => None,
    }
}

/// Draws the longest legal part of a stroke on a copy, up to the terminal where it links.
fn trial(board: &Board, mut cells: Vec<Cell>) -> Trial {
    let mut refused = None;
    let mut drawn = None;
    // A stroke grows at its end, so a few tries find its longest legal part.
    while cells.len() > 1 {
        let mut copy = board.clone();
        match copy.play(&Move::Link(Stroke::Draw(cells.clone()))) {
            Ok(_) | Err(IllegalMove::Link(IllegalStroke::ChangesNothing)) => drawn = Some(copy),
            Err(why) => {
                refused = Some(why);
                cells.pop();
                continue;
            }
        }
        break;
    }
    let whole = drawn.as_ref().is_some_and(|board| is_whole(board, &cells));
    Trial { cells, board: drawn, refused, whole }
}

fn is_whole(board: &Board, cells: &[Cell]) -> bool {
    let (Board::Link(drawing), Some(last)) = (board, cells.last()) else {
        return false;
    };
    let owner = drawing.owner(*last);
    owner.is_some_and(|number| {
        drawing.is_linked(number) && drawing.link(number).last() == Some(last)
    })
}

fn parse_key(text: &str) -> Result<Key, CallError> {
    text.trim().parse().map_err(|_| CallError::Key("a key has 64 hexadecimal digits"))
}

fn identity(key: &Key) -> Identity {
    Identity { secret: key.to_text(), fingerprint: key.public().fingerprint(false) }
}
