//! The image that the host of a private room shows on the tiles.

use gridrace_shared::puzzle::picture::room_image::RoomImage;
use gridrace_shared::util::time::{HeatInstant, Millis};
use serde::{Deserialize, Serialize};

/// Least time between two changes of a room's image: each goes to all members, and is some hundred
/// times as long as what the host sends else.
pub(super) const IMAGE_INTERVAL: Millis = Millis(5_000);

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct HostImage {
    pub(super) image: Option<RoomImage>,
    changed: Option<HeatInstant>,
}

impl HostImage {
    pub(super) fn may_change(&self, now: HeatInstant) -> bool {
        self.changed.is_none_or(|changed| now >= changed + IMAGE_INTERVAL)
    }

    /// Takes another image, or none, and returns whether that is a change.
    pub(super) fn change(&mut self, image: Option<RoomImage>, now: HeatInstant) -> bool {
        let is_other = self.image != image;
        if is_other {
            *self = Self { image, changed: Some(now) };
        }
        is_other
    }
}
