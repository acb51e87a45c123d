//! A client's session, from its hello to its close.

pub(crate) mod client;
pub(crate) mod lifecycle;
pub(crate) mod quotas;
mod requests;
mod results;
mod tournaments;

use crate::hub::Hub;
use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::transport::admission::AdmissionControl;
use crate::transport::client_rate::ClientRate;
use quotas::RoomQuota;

/// What all sessions share: the server's registries and limits.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) environment: Environment,
    pub(crate) clock: Clock,
    pub(crate) hub: Hub,
    pub(crate) admission: AdmissionControl,
    pub(crate) room_quota: RoomQuota,
    pub(crate) client_rate: ClientRate,
    pub(crate) shared_addresses: bool,
}
