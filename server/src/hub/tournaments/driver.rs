//! The driver: a task that carries out the effects of all tournaments.

use super::handle::{TournamentHandle, TournamentJob};
use crate::hub::{Hub, NewTable};
use crate::race::{
    HeatSecret, TableConfig, TableEvent, TableNews, TablePhase, TableReport, TableStart,
};
use crate::room::Room;
use crate::tournament::{BoardKey, BoardSource, Event, RecoveredTable, TableJob, TableKey};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::tournament::TableCall;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, TournamentName};
use gridrace_shared::util::time::ServerInstant;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, warn};

/// Time until a board or a table that couldn't be had is asked for again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Jobs that are carried out before other tasks have their turn: the starts of that many tables take
/// about a millisecond.
const CARRIED_OUT_AT_ONCE: usize = 16;

/// A table that is to be opened.
struct TableRequest {
    tournament: Arc<TournamentHandle>,
    table: TableKey,
    first: ResultKey,
    seats: Vec<EntrantId>,
}

impl Hub {
    /// Carries out what the tournaments decide; never returns.
    pub(crate) async fn run_tournaments(&self) {
        let Some(mut reports) = self.table_reports() else {
            return std::future::pending().await;
        };
        self.adopt_tables();
        let mut work: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
        loop {
            let deadline = self.wake_tournaments();
            let mut requests = Vec::new();
            for (n, job) in self.tournaments.take_jobs().into_iter().enumerate() {
                self.carry_out(job, &mut requests, &work);
                if n % CARRIED_OUT_AT_ONCE == CARRIED_OUT_AT_ONCE - 1 {
                    tokio::task::yield_now().await;
                }
            }
            if !requests.is_empty() {
                work.push(Box::pin(self.open_requested(requests)));
            }
            tokio::select! {
                biased;
                Some(report) = reports.recv() => self.on_report(report),
                Some(()) = work.next() => {}
                () = self.tournaments.waker.woken() => {}
                () = self.sleep_until(deadline) => {}
            }
            // What runs beside it has its turn, however often tournaments are woken.
            tokio::task::yield_now().await;
        }
    }

    async fn sleep_until(&self, deadline: Option<ServerInstant>) {
        match deadline {
            Some(at) => tokio::time::sleep_until(self.services.clock.timer(at)).await,
            None => std::future::pending().await,
        }
    }

    /// Lets the tournaments do what is due; returns the next deadline.
    fn wake_tournaments(&self) -> Option<ServerInstant> {
        let mut next: Option<ServerInstant> = None;
        for tournament in self.tournaments.all() {
            let (jobs, deadline) = tournament.on_wake();
            if tournament.take_left_tables() {
                self.close_tables_of(&tournament);
            }
            let addresses = tournament.take_new_seat_addresses();
            if !addresses.is_empty() {
                let is_there = |it: Option<IpAddr>| it.is_some_and(|it| addresses.contains(&it));
                for room in self.handles() {
                    Self::exclude_spectators(&tournament, &room, is_there);
                }
            }
            next = next.into_iter().chain(deadline).min();
            if !jobs.is_empty() {
                self.tournaments.push_jobs(jobs);
            }
        }
        next
    }

    /// Closes the tables of a tournament that broke.
    fn close_tables_of(&self, tournament: &TournamentHandle) {
        for (room, status) in self.tables() {
            if tournament.has_table(&status.tournament, status.opened) {
                self.tell(room.code(), TableEvent::Close);
            }
        }
    }

    /// Returns the tournament that a table is of.
    fn tournament_of(
        &self,
        name: &TournamentName,
        opened: ServerInstant,
    ) -> Option<Arc<TournamentHandle>> {
        self.tournaments.find(name).filter(|tournament| tournament.has_table(name, opened))
    }

    /// Tells the tournaments which tables of an earlier server are open. Tables of others are closed.
    fn adopt_tables(&self) {
        let mut adopted: BTreeMap<_, Vec<RecoveredTable>> = BTreeMap::new();
        let mut ended = Vec::new();
        for (room, status) in self.tables() {
            let Some(tournament) = self.tournament_of(&status.tournament, status.opened) else {
                room.apply_table(TableEvent::Close);
                continue;
            };
            let is_running = matches!(status.phase, TablePhase::Running);
            for (key, address) in room.seated_addresses() {
                tournament.note_seat(room.code(), key, address);
            }
            if let TablePhase::Over(result) = status.phase {
                ended.push((tournament, status.board, result));
            }
            let table = RecoveredTable { room: room.code(), key: status.board, is_running };
            adopted.entry(status.tournament).or_default().push(table);
        }
        for (tournament, key, result) in ended {
            tournament.on_board_ended(key, result);
        }
        for tournament in self.tournaments.all() {
            tournament.adopt(adopted.remove(tournament.name()).unwrap_or_default());
        }
    }

    fn on_report(&self, report: TableReport) {
        let TableReport { room, tournament, opened, board, news } = report;
        let Some(tournament) = self.tournament_of(&tournament, opened) else {
            // It is of an earlier one of the name, or of one that is forgotten.
            if news != TableNews::Closed {
                self.tell(room, TableEvent::Close);
            }
            return;
        };
        match news {
            TableNews::Started { absent } => {
                debug!(tournament = %tournament.name(), %room, %board, ?absent, "board started");
                if let Some(room) = self.find(room) {
                    Self::exclude_spectators(&tournament, &room, |_| true);
                }
            }
            TableNews::Ended(result) => {
                self.services.metrics.count_table_result();
                tournament.on_board_ended(board, result);
                if let (Some(best), Some(room)) = (tournament.rating(board.into()), self.find(room))
                {
                    room.rate_table(board, best);
                }
            }
            TableNews::Closed => tournament.on_table_closed(room),
        }
    }

    fn carry_out<'a>(
        &'a self,
        TournamentJob { tournament, job }: TournamentJob,
        requests: &mut Vec<TableRequest>,
        work: &FuturesUnordered<BoxFuture<'a, ()>>,
    ) {
        match job {
            TableJob::DrawBoard(board) => {
                work.push(Box::pin(self.draw_and_rate(tournament, board)));
            }
            TableJob::Open { table, first, seats } => {
                requests.push(TableRequest { tournament, table, first, seats });
            }
            TableJob::Start { room, key, seats, go } => {
                let go = tournament.server_instant(go);
                self.start_table(&tournament, room, key, &seats, go);
            }
            TableJob::MoveGo { room, go } => {
                let go = tournament.server_instant(go);
                self.tell(room, TableEvent::MoveGo { go });
            }
            TableJob::Cancel { room } => self.tell(room, TableEvent::Cancel),
            TableJob::EndBoard { room } => self.tell(room, TableEvent::End),
            TableJob::Close { room } => self.tell(room, TableEvent::Close),
            TableJob::Call { key, call } => self.call_to_table(tournament, key, call),
            TableJob::AdmitKey { key, admitted: true } => self.entrant_keys().add(key),
            TableJob::AdmitKey { key, admitted: false } => self.entrant_keys().remove(key),
        }
    }

    fn tell(&self, room: RoomCode, event: TableEvent) {
        if let Some(room) = self.find(room) {
            tell(&room, event);
        }
    }

    /// Reserves an entrant's seat in the room of its table, and then calls it there: a client that joins
    /// at once gets in.
    fn call_to_table(&self, tournament: Arc<TournamentHandle>, key: Fingerprint, call: TableCall) {
        let Some(room) = self.find(call.code) else { return tournament.send_call(key, call) };
        let seat = tournament.reserved_seat_of(key);
        act_in_runtime(&room, move |room| {
            if let Some(seat) = seat
                && !room.reserves(Some(key))
            {
                room.apply_table(TableEvent::Seats(vec![seat]));
            }
            tournament.send_call(key, call);
        });
    }

    fn start_table(
        &self,
        tournament: &TournamentHandle,
        room: RoomCode,
        key: ResultKey,
        seats: &[EntrantId],
        go: ServerInstant,
    ) {
        let board = BoardKey::from(key);
        let Some(drawn) = tournament.board(board) else {
            // The runner starts a board only once it is drawn.
            let tournament = tournament.name();
            warn!(%tournament, board = %key, "board start requested before it was drawn; ignored");
            return;
        };
        let Some(BoardSource { spec, secret }) = tournament.board_source(board) else { return };
        let start = TableStart {
            board: key,
            seats: tournament.reserved_seats(seats),
            spec,
            secret: HeatSecret { secret, origin: SeedOrigin::Drawn },
            drawn: GeneratedBoard::clone(&drawn),
            go,
        };
        let Some(room) = self.find(room) else { return };
        Self::exclude_spectators(tournament, &room, |_| true);
        tell(&room, TableEvent::Start(Box::new(start)));
    }

    /// Sends away those who watch a table from some addresses and have its boards to race at another one:
    /// they may have come before they were drawn, or before a player at their address was known.
    fn exclude_spectators(
        tournament: &TournamentHandle,
        room: &Arc<Room>,
        is_concerned: impl Fn(Option<IpAddr>) -> bool,
    ) {
        let spectators = room.table_spectators().into_iter();
        let excluded = spectators.filter(|(_, key, address)| {
            is_concerned(*address) && !tournament.may_watch(room.code(), *key, *address)
        });
        let excluded: Vec<_> = excluded.map(|(member, ..)| member).collect();
        if !excluded.is_empty() {
            tell(room, TableEvent::Exclude(excluded));
        }
    }

    /// Has a board drawn, and then rated, for all tables.
    async fn draw_and_rate(&self, tournament: Arc<TournamentHandle>, board: BoardKey) {
        let Some(BoardSource { spec, secret }) = tournament.board_source(board) else { return };
        let drawn = self.draw_board(spec, secret.seed).await;
        let start = match drawn {
            Ok(drawn) => {
                let start = drawn.board.clone();
                tournament.set_board(board, Some(drawn));
                start
            }
            Err(why) => {
                let tournament_name = tournament.name();
                warn!(tournament = %tournament_name, ?why, "board could not be drawn; drawing it again");
                tokio::time::sleep(RETRY_INTERVAL).await;
                tournament.set_board(board, None);
                return;
            }
        };
        if let Some(best) = self.rate_board(spec, start).await {
            tournament.set_rating(board, best);
            for (room, status) in self.tables() {
                let is_own = tournament.has_table(&status.tournament, status.opened);
                if is_own && BoardKey::from(status.board) == board {
                    room.rate_table(status.board, best);
                }
            }
        }
    }

    async fn open_requested(&self, requests: Vec<TableRequest>) {
        // Without those of a tournament that broke.
        let with_table = |request| Some((self.new_table(&request)?, request));
        let (tables, requests): (Vec<_>, Vec<_>) =
            requests.into_iter().filter_map(with_table).unzip();
        let opened = self.open_tables(tables).await;
        let mut missing = Vec::new();
        let mut last_error = None;
        for (request, room) in requests.into_iter().zip(opened) {
            let TableRequest { tournament, table, .. } = request;
            match room {
                // Another tournament may have taken the name, and then no effect is carried out.
                Ok(room) if tournament.is_closed() => tell(&room, TableEvent::Close),
                Ok(room) => {
                    let room = Some(room.code());
                    tournament.apply(Event::TableOpened { table, room }, None);
                }
                Err(why) => {
                    last_error = Some(why);
                    missing.push((tournament, table));
                }
            }
        }
        if let Some(why) = last_error {
            let names: BTreeSet<_> = missing.iter().map(|(it, _)| it.name().as_str()).collect();
            let tournaments = names.into_iter().collect::<Vec<_>>().join(",");
            let count = missing.len();
            warn!(%tournaments, count, %why, "tables could not be opened; asking for them again");
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
        for (tournament, table) in missing {
            tournament.apply(Event::TableOpened { table, room: None }, None);
        }
    }

    fn new_table(&self, request: &TableRequest) -> Option<NewTable> {
        let TableRequest { tournament, first, seats, .. } = request;
        let saved = tournament.saved();
        let BoardSource { spec, secret } = tournament.board_source(BoardKey::from(*first))?;
        Some(NewTable {
            table: TableConfig {
                tournament: saved.name.clone(),
                board: *first,
                seats: tournament.reserved_seats(seats),
            },
            options: HeatOptions { spec, private: true, ..saved.settings.options.clone() },
            secret: HeatSecret { secret, origin: SeedOrigin::Drawn },
            pin: saved.pin.clone(),
        })
    }
}

fn tell(room: &Arc<Room>, event: TableEvent) {
    act_in_runtime(room, |room| room.apply_table(event));
}

fn act_in_runtime(room: &Arc<Room>, act: impl FnOnce(&Arc<Room>) + Send + 'static) {
    if room.runtime().is_current() {
        act(room);
    } else {
        // A shard is one thread, so that events of one room stay in order.
        let moved = Arc::clone(room);
        room.runtime().spawn(async move { act(&moved) });
    }
}
