//! What clients are sent of a tournament, once what led to it is on the disk.

use super::handle::{Follower, Outgoing, Requester, TournamentHandle, TournamentState};
use crate::room::commit_gate::OutputSeq;
use crate::room::frame::SharedFrame;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::protocol::server::{RecordingStatus, ServerMessage};
use gridrace_shared::protocol::tournament::{PageOf, TournamentError, TournamentUpdate};
use gridrace_shared::util::time::ServerInstant;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Outputs that wait for the disk, from which on no page is sent: a page has up to 40 KiB.
const MAX_PENDING: usize = 1_024;
/// The least time between two heads that followers are sent.
const HEAD_INTERVAL: Duration = Duration::from_millis(250);

impl TournamentHandle {
    /// Sends what is on the disk.
    pub(super) fn release_committed(&self, state: &mut TournamentState) {
        while let Some((seq, outgoing)) = state.gate.pop_committed() {
            self.send(state, seq, outgoing);
        }
    }

    fn send(&self, state: &TournamentState, seq: OutputSeq, outgoing: Outgoing) {
        let present = || state.followers.values().filter(|it| it.since <= seq);
        let of_key = |key| present().filter(move |it| it.key == Some(key));
        let message = |update| ServerMessage::Tournament(Box::new(update));
        match outgoing {
            Outgoing::To(outbox, update) => outbox.push(ServerMessage::Tournament(update)),
            Outgoing::All(frame) => present().for_each(|it| it.outbox.push_shared(&frame)),
            Outgoing::Recording(number) if state.recording != RecordingStatus::Recorded => {
                let directs = |it: &&Follower| it.key.is_some_and(|key| self.directs(state, key));
                if let Some(follower) = state.followers.get(&number).filter(directs) {
                    follower.outbox.push(ServerMessage::Recording(state.recording));
                }
            }
            Outgoing::Recording(_) => {}
            Outgoing::You(key) => {
                let own = state.runner.own_entry(Some(key), self.is_operator(key));
                of_key(key).for_each(|it| it.outbox.push(message(TournamentUpdate::You(own))));
            }
            Outgoing::Call(key, call) => {
                of_key(key).for_each(|it| it.outbox.push(message(TournamentUpdate::Table(call))));
            }
        }
    }

    /// Sends a page, once all that it shows is on the disk.
    pub(crate) fn send_page(&self, requester: &Requester, of: PageOf, from: u32) {
        self.with_state(|state| {
            if state.gate.len() >= MAX_PENDING {
                let refusal = TournamentUpdate::Refused(TournamentError::Busy);
                requester.outbox.push(ServerMessage::Tournament(Box::new(refusal)));
                return;
            }
            let connected: BTreeSet<Fingerprint> =
                state.followers.values().filter_map(|follower| follower.key).collect();
            let page = TournamentUpdate::Page(state.runner.page(of, from, &connected));
            state.gate.push(Outgoing::To(Arc::clone(&requester.outbox), Box::new(page)));
            self.release_committed(state);
        });
    }

    /// Sends the head to all who follow if it has changed and the last one is old enough; returns when
    /// to try again otherwise.
    pub(super) fn send_head(&self, state: &mut TournamentState) -> Option<ServerInstant> {
        // A head of lines that aren't on the disk waits for them; their commit wakes the driver.
        if !state.is_head_due || state.followers.is_empty() || !state.gate.is_settled() {
            return None;
        }
        let now = self.clock.now();
        if let Some((sent, _)) = &state.last_head
            && now.since(*sent) < HEAD_INTERVAL
        {
            return Some(*sent + HEAD_INTERVAL);
        }
        state.is_head_due = false;
        let head = state.runner.head();
        if state.last_head.as_ref().is_some_and(|(_, last)| *last == head) {
            return None;
        }
        let update = TournamentUpdate::Head(head.clone());
        let frame = SharedFrame::new(ServerMessage::Tournament(Box::new(update)));
        state
            .followers
            .values()
            .for_each(|it| it.outbox.push_tournament_head(self.saved.id, &frame));
        state.last_head = Some((now, head));
        None
    }

    /// Tells the organisers, at once, what the disk does if that has changed. One who still waits for the
    /// snapshot is told behind it, and those of a tournament that is over only that all is well again.
    pub(super) fn tell_recording(&self, state: &mut TournamentState, status: RecordingStatus) {
        let is_over = state.runner.is_closed();
        if state.recording == status || is_over && status != RecordingStatus::Recorded {
            return;
        }
        state.recording = status;
        let frame = SharedFrame::new(ServerMessage::Recording(status));
        let released = state.gate.next_released();
        let directs = |it: &&Follower| it.key.is_some_and(|key| self.directs(state, key));
        let present = state.followers.values().filter(|it| it.since < released);
        let organisers = present.filter(directs);
        organisers.for_each(|it| it.outbox.push_shared(&frame));
    }
}
