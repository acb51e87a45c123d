//! Requests about the room. Without a connection a notice says so, and nothing is sent.

use crate::tui::model::Model;
use gridrace_shared::protocol::client::ClientMessage;

/// What is said of a request that no connection carries.
pub(super) const NO_CONNECTION: &str = "No connection: try again.";

/// Sends a request about the room, or tells the player that the server doesn't hear it.
pub(super) fn request(model: &mut Model, request: ClientMessage) {
    if is_heard_or_complain(model) {
        model.send(request);
    }
}

/// Says whether requests about the room reach it, and tells the player where they don't.
pub(super) fn is_heard_or_complain(model: &mut Model) -> bool {
    let is_heard = model.connection.is_heard();
    if !is_heard {
        model.complain(NO_CONNECTION);
    }
    is_heard
}
