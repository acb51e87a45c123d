//! Rooms as tables of tournaments, and the boards that all tables of a round share.

use super::{EntrantKeys, Hub, NewRoom, OpenError};
use crate::background::WorkerPanicked;
use crate::background::board_pool::BoardJob;
use crate::background::rating_pool::RatingJob;
use crate::race::{BoardError, HeatSecret, MAX_PLAYERS, TableConfig, TableReport, TableStatus};
use crate::room::Room;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::puzzle::{Board, MoveBounds, PuzzleSpec};
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::seed::Seed;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Tables that are opened before other tasks have their turn: about a millisecond.
const OPENED_AT_ONCE: usize = 16;
/// Time between two attempts to open a table while the store's queue is full.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// Attempts of all tables of one call together: what a disk that hangs for 10 s takes.
const MAX_RETRIES: usize = 200;

/// The configuration of a new table.
#[derive(Debug, Clone)]
pub struct NewTable {
    pub table: TableConfig,
    pub options: HeatOptions,
    /// The secret of the first board.
    pub secret: HeatSecret,
    /// The PIN that spectators need.
    pub pin: Option<Pin>,
}

impl Hub {
    /// Opens a table with at most [`MAX_PLAYERS`] seats.
    pub fn open_table(&self, new: NewTable) -> Result<Arc<Room>, OpenError> {
        let NewTable { table, options, secret, pin } = new;
        if table.seats.len() > MAX_PLAYERS {
            return Err(OpenError::TooManySeats);
        }
        let room = NewRoom { table: Some(table), ..NewRoom::new(options, pin) };
        self.open_new(room, secret)
    }

    /// Opens tables, as [`Self::open_table`] does, with turns of other tasks between them. Waits for
    /// a store that is busy.
    pub async fn open_tables(&self, tables: Vec<NewTable>) -> Vec<Result<Arc<Room>, OpenError>> {
        let mut opened = Vec::with_capacity(tables.len());
        let mut retries = 0;
        for (n, table) in tables.into_iter().enumerate() {
            if n % OPENED_AT_ONCE == OPENED_AT_ONCE - 1 {
                tokio::task::yield_now().await;
            }
            let mut room = self.open_table(table.clone());
            while room.as_ref().is_err_and(|error| *error == OpenError::Busy)
                && retries < MAX_RETRIES
            {
                retries += 1;
                tokio::time::sleep(RETRY_INTERVAL).await;
                room = self.open_table(table.clone());
            }
            opened.push(room);
        }
        opened
    }

    /// Returns the open tables with how far they are, also those of an earlier server, in the order of
    /// their codes.
    pub fn tables(&self) -> Vec<(Arc<Room>, TableStatus)> {
        let rooms = self.handles().into_iter();
        let mut tables: Vec<_> =
            rooms.filter_map(|room| Some((Arc::clone(&room), room.table_status()?))).collect();
        tables.sort_by_key(|(room, _)| room.code());
        tables
    }

    /// Returns what tables report from now on, once it is durable; nothing if another has it.
    pub fn table_reports(&self) -> Option<mpsc::UnboundedReceiver<TableReport>> {
        self.services.table_reports.take_receiver()
    }

    /// Returns the keys of the entrants of tournaments that aren't over.
    pub const fn entrant_keys(&self) -> &EntrantKeys {
        &self.entrant_keys
    }

    /// Draws the board that all tables of a round share. If the future is dropped, the drawing ends.
    pub async fn draw_board(
        &self,
        spec: PuzzleSpec,
        seed: Seed,
    ) -> Result<GeneratedBoard, BoardError> {
        let (reply, drawn) = oneshot::channel();
        let wanted = Arc::new(());
        let is_wanted = Arc::downgrade(&wanted);
        let job = BoardJob {
            room: None,
            from: None,
            spec,
            seed,
            is_wanted: Box::new(move || is_wanted.strong_count() > 0),
            on_place: Box::new(|_| ()),
            reply: Box::new(move |drawn| {
                // The receiver may have been dropped meanwhile.
                reply.send(drawn).ok();
            }),
        };
        self.services.boards.submit(job).map_err(|_| BoardError::Busy)?;
        let drawn = drawn.await.map_err(|_| BoardError::Busy)?;
        drop(wanted);
        drawn.map_err(|WorkerPanicked| BoardError::Broken)
    }

    /// Rates the board of a round: how many moves it needs; nothing if the solver doesn't know, or
    /// has too much to do. If the future is dropped, the rating ends.
    pub async fn rate_board(&self, spec: PuzzleSpec, board: Board) -> Option<MoveBounds> {
        self.services.metrics.count_board_rating();
        let (reply, rated) = oneshot::channel();
        let wanted = Arc::new(());
        let is_wanted = Arc::downgrade(&wanted);
        let job =
            RatingJob { spec, board, is_wanted: Box::new(move || is_wanted.strong_count() > 0) };
        let reply = move |rating: Result<_, WorkerPanicked>| {
            // As for a drawing.
            reply.send(rating.ok().flatten()).ok();
        };
        self.services.ratings.submit(job, Box::new(reply)).ok()?;
        let rating = rated.await.ok().flatten();
        drop(wanted);
        rating
    }
}
