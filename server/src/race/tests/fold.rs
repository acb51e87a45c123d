//! A client's fold of the messages it is sent.

use super::*;
use gridrace_shared::protocol::snapshot::Roster;
use gridrace_shared::puzzle::picture::room_image::RoomImage;

/// A heat as one member knows it.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub(super) setup: Setup,
    pub(super) roster: Roster,
    pub(super) phase: Phase,
    /// The boards that a spectator sees.
    pub(super) boards: BTreeMap<PlayerId, Board>,
    pub(super) image: Option<RoomImage>,
}

impl View {
    /// Begins with the snapshot; anything before it is a fault.
    pub(super) fn begin(message: &ServerMessage) -> Self {
        let ServerMessage::Joined { room, .. } = message else {
            panic!("before the snapshot: {message:?}")
        };
        let boards =
            room.boards.iter().map(|PlayerBoard { player, board }| (*player, board.clone()));
        Self {
            setup: room.setup.clone(),
            roster: room.roster.clone(),
            phase: room.phase.clone(),
            boards: boards.collect(),
            image: None,
        }
    }

    pub(super) fn fold(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Roster(roster) => self.roster = roster.clone(),
            ServerMessage::Setup(setup) => {
                if self.phase != Phase::Lobby {
                    // What is queued, and who holds the start.
                    let Setup { queued, held_by, .. } = setup.clone();
                    let same = Setup { queued, held_by, ..self.setup.clone() };
                    assert_eq!(*setup, same, "another setup outside the lobby");
                }
                self.setup = setup.clone();
            }
            ServerMessage::Phase(phase) => self.enter(phase),
            ServerMessage::Moves(moves) => moves.iter().for_each(|moved| self.replay(moved)),
            ServerMessage::Boards(known) => {
                assert!(matches!(self.phase, Phase::Running { .. }), "{message:?}");
                self.boards.extend(known.iter().map(|known| (known.player, known.board.clone())));
            }
            ServerMessage::Image(image) => {
                assert_ne!(*image, self.image, "the same image again");
                self.image.clone_from(image);
            }
            ServerMessage::Joined { .. } => panic!("a second snapshot"),
            ServerMessage::Accepted { .. } => {
                let raced = matches!(self.phase, Phase::Running { .. } | Phase::Over(_));
                assert!(raced, "{message:?}");
            }
            ServerMessage::Hint { .. } | ServerMessage::Resync(_) => {
                assert!(matches!(self.phase, Phase::Running { .. }), "{message:?}");
            }
            ServerMessage::Token { .. } => panic!("a token in an effect"),
            ServerMessage::Rated { number, .. } => {
                assert!(matches!(self.phase, Phase::Over(_)), "{message:?}");
                assert_eq!(*number, self.setup.number);
            }
            _ => {}
        }
    }

    /// Every step from phase to phase is one that there is.
    fn enter(&mut self, phase: &Phase) {
        match (&self.phase, phase) {
            (Phase::Lobby, Phase::Drawing)
            | (Phase::Drawing, Phase::Countdown { .. })
            // At a table.
            | (Phase::Lobby | Phase::Countdown { .. }, Phase::Countdown { .. })
            | (Phase::Drawing | Phase::Countdown { .. } | Phase::Over(_), Phase::Lobby) => {}
            (Phase::Countdown { go: announced }, Phase::Running { go, start, .. }) => {
                assert_eq!(announced, go);
                let racers = self.roster.members.iter().filter(|member| member.role == PLAYER);
                self.boards = racers.map(|member| (member.id, start.clone())).collect();
            }
            (Phase::Running { .. }, Phase::Over(result)) => {
                assert!(result.reveal.proves(&self.setup.options.spec, self.setup.commitment));
                let names: Vec<_> = self.roster.members.iter().map(|member| member.id).collect();
                assert!(result.standings.iter().all(|row| names.contains(&row.player)));
            }
            (from, to) => panic!("from {from:?} to {to:?}"),
        }
        self.phase = phase.clone();
    }

    fn replay(&mut self, moved: &Moved) {
        assert!(matches!(self.phase, Phase::Running { .. }), "a move outside the race");
        let board = self.boards.get_mut(&moved.player).expect("a racer's move");
        board.play(&moved.play).expect("a legal move");
    }
}
