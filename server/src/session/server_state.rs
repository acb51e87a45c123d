//! What all sessions share.

use crate::hub::Hub;
use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::session::quotas::RoomQuota;
use crate::transport::admission::AdmissionControl;
use crate::transport::client_rate::ClientRate;

/// The server's registries and limits.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) environment: Environment,
    pub(crate) clock: Clock,
    pub(crate) hub: Hub,
    pub(crate) admission: AdmissionControl,
    pub(crate) room_quota: RoomQuota,
    pub(crate) client_rate: ClientRate,
}
