//! The state that all tasks of a simulation share.

use gridrace_shared::heat::ids::RoomCode;
use gridrace_tables::TableStore;
use gridrace_tests::scratch_folder;
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::watch;
use turmoil::Sim;

pub const PORT: u16 = 7415;
pub const REFEREE: &str = "referee";
/// How long the last messages may be in transit.
pub const LAST_WORDS: Duration = Duration::from_secs(2);
/// The interval at which a task polls for others.
pub const PAUSE: Duration = Duration::from_millis(50);

/// What all tasks on the thread share.
pub struct Common {
    /// The room's code, once there is one.
    pub code: Cell<Option<RoomCode>>,
    /// Whether there is a tournament to enter.
    pub is_open: Cell<bool>,
    /// Where the server stores its heats, and how often it was started.
    pub data: RefCell<Option<TempDir>>,
    life: Cell<u32>,
    /// Tells the server to shut down.
    pub stop: watch::Sender<bool>,
    /// How many players are in it.
    pub entered: Cell<usize>,
    pub left: Cell<usize>,
    pub ends: RefCell<Vec<Option<String>>>,
    /// Whether a heat's proof didn't hold.
    pub unproven: Cell<bool>,
    pub tables: TableStore,
}

impl Common {
    pub fn new(players: usize, stored: bool, tables: &TableStore) -> Self {
        Self {
            code: Cell::new(None),
            is_open: Cell::new(false),
            data: RefCell::new(stored.then(scratch_folder)),
            life: Cell::new(0),
            stop: watch::Sender::new(false),
            entered: Cell::new(0),
            left: Cell::new(0),
            ends: RefCell::new((0..players).map(|_| None).collect()),
            unproven: Cell::new(false),
            tables: tables.clone(),
        }
    }

    /// Returns where the server stores its heats at present.
    pub fn folder(&self) -> Option<PathBuf> {
        let data = self.data.borrow();
        let data = data.as_ref()?;
        Some(data.path().join(self.life.get().to_string()))
    }

    /// Kills the server: the next one has what is on the disk by now, whatever this one still writes
    /// as it ends.
    pub fn kill(&self, sim: &mut Sim<'_>) {
        let before = self.folder();
        self.life.set(self.life.get() + 1);
        if let (Some(before), Some(after)) = (before, self.folder()) {
            fs::create_dir(&after).unwrap();
            // The memory that SQLite shares is gone with the server.
            for file in fs::read_dir(before).unwrap().map(Result::unwrap) {
                let name = file.file_name();
                if !name.to_str().unwrap().ends_with("-shm") {
                    fs::copy(file.path(), after.join(name)).unwrap();
                }
            }
        }
        sim.crash("server");
    }

    pub fn stop(&self) {
        self.stop.send_modify(|stop| *stop = true);
    }

    pub async fn code(&self) -> RoomCode {
        loop {
            if let Some(code) = self.code.get() {
                return code;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until the tournament is open.
    pub async fn opened(&self) {
        while !self.is_open.get() {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until `members` are in the room.
    pub async fn all_entered(&self, members: usize) {
        while self.entered.get() < members {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until the players have left, and messages in transit have arrived.
    pub async fn all_left(&self, players: usize) {
        while self.left.get() < players {
            tokio::time::sleep(PAUSE).await;
        }
        tokio::time::sleep(LAST_WORDS).await;
    }
}

/// Returns a player's name, and that of the player's host on the network.
pub fn name(player: usize) -> String {
    format!("player-{player}")
}

/// Returns where the server is.
pub fn address() -> String {
    format!("server:{PORT}")
}
