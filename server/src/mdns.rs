//! The announcement of the server and its public rooms on the local network, by mDNS.

use crate::hub::Hub;
use gridrace_lan::announcer::Announcer;
use gridrace_lan::record::ServerRecord;
use std::net::SocketAddr;
use std::time::Duration;
use tracing::{info, warn};

/// Between two looks at the rooms, and so between two announcements at least.
const RENEW_INTERVAL: Duration = Duration::from_secs(1);

/// What is announced beside the rooms.
#[derive(Debug)]
pub(crate) struct Announcement {
    pub(crate) listening: SocketAddr,
    /// The host name of the certificate, empty if it is unknown; `None` without TLS.
    pub(crate) tls: Option<String>,
}

/// The announcement under way.
pub(crate) struct RunningAnnouncement {
    announcer: Announcer,
    tls: Option<String>,
}

impl Announcement {
    /// Starts the announcement; a failure is logged, as the server works without it.
    pub(crate) fn start(self) -> Option<RunningAnnouncement> {
        let system = rustix::system::uname();
        match Announcer::start(&system.nodename().to_string_lossy(), self.listening) {
            Ok(announcer) => {
                let announcer = announcer?;
                info!("announced on the local network by mDNS; see --no-mdns");
                Some(RunningAnnouncement { announcer, tls: self.tls })
            }
            Err(error) => {
                warn!(%error, "server not announced on the local network");
                None
            }
        }
    }
}

/// Announces the public rooms and tournaments as they change; never returns.
pub(crate) async fn keep_announced(running: &mut Option<RunningAnnouncement>, hub: &Hub) {
    let Some(RunningAnnouncement { announcer, tls }) = running else {
        return std::future::pending().await;
    };
    loop {
        announcer
            .renew(ServerRecord::new(&hub.public_rooms(), &hub.tournaments.list(), tls.clone()))
            .await;
        tokio::time::sleep(RENEW_INTERVAL).await;
    }
}

/// Takes the announcement back.
pub(crate) async fn withdraw(running: Option<RunningAnnouncement>) {
    if let Some(RunningAnnouncement { announcer, .. }) = running {
        announcer.stop().await;
    }
}
