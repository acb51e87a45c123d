//! A board that plays ahead of the server and comes back to what the server says.
//!
//! Every move that is sent gets one answer, in the order of sending. What is sent and not
//! answered yet is in flight; after a rejection the moves behind it are void, and their
//! own answers are waited for only to be passed over, for their numbers are given again
//! to the moves that follow.

use gridrace_shared::name::Seq;
use gridrace_shared::protocol::server::Rejection;
use gridrace_shared::puzzle::{Board, Move, MoveCount};
use std::collections::VecDeque;

/// The most moves in flight: more than anybody plays while a message goes to the other
/// side of the world and back.
pub const MAX_IN_FLIGHT: usize = 64;

/// The board as the player sees it, and as the server knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Optimistic {
    confirmed: Board,
    acknowledged: Seq,
    confirmed_count: MoveCount,
    in_flight: VecDeque<Flight>,
    shown: Board,
    shown_count: MoveCount,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Flight {
    seq: Seq,
    play: Move,
    void: bool,
}

impl Optimistic {
    /// Starts from the board of the heat, before any move.
    #[must_use]
    pub fn new(start: Board) -> Self {
        Self {
            confirmed: start.clone(),
            acknowledged: Seq(0),
            confirmed_count: MoveCount::default(),
            in_flight: VecDeque::new(),
            shown: start,
            shown_count: MoveCount::default(),
        }
    }

    /// Returns the board with all moves played.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.shown
    }

    /// Returns the moves played, the unanswered among them.
    #[must_use]
    pub const fn count(&self) -> MoveCount {
        self.shown_count
    }

    /// Returns the number of the last move played.
    #[must_use]
    pub fn last(&self) -> Seq {
        self.valid()
            .last()
            .map_or(self.acknowledged, |flight| flight.seq)
    }

    /// Says whether the server knows the board as it is shown.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.valid().next().is_none()
    }

    /// Plays a move at once and returns the number under which to send it; nothing for
    /// an illegal move, or when too many are in flight.
    #[must_use = "a move that isn't sent is never answered"]
    pub fn play(&mut self, play: Move) -> Option<Seq> {
        if self.in_flight.len() >= MAX_IN_FLIGHT {
            return None;
        }
        let seq = self.last().next();
        self.shown_count += self.shown.play(&play).ok()?;
        self.in_flight.push_back(Flight {
            seq,
            play,
            void: false,
        });
        Some(seq)
    }

    /// Takes in that the server played all moves up to this number.
    pub fn accepted(&mut self, seq: Seq, total: MoveCount) {
        if self.confirm(seq) {
            self.confirmed_count = total;
            self.show();
        }
    }

    /// Takes in that the server didn't play a move.
    pub fn rejected(&mut self, seq: Seq, why: Rejection) {
        match why {
            Rejection::Repeated => self.repeated(seq),
            Rejection::OutOfOrder { expected } => self.roll_back(seq, Some(expected)),
            Rejection::Early | Rejection::Late | Rejection::NotSeated | Rejection::Illegal(_) => {
                self.roll_back(seq, None);
            }
        }
    }

    fn valid(&self) -> impl DoubleEndedIterator<Item = &Flight> {
        self.in_flight.iter().filter(|flight| !flight.void)
    }

    fn repeated(&mut self, seq: Seq) {
        if self.confirm(seq) {
            self.show();
        }
    }

    /// Plays the moves up to `seq` on the confirmed board; says whether that was news.
    /// A void move is never accepted, so the number means the one that isn't void.
    fn confirm(&mut self, seq: Seq) -> bool {
        if !self.valid().any(|flight| flight.seq == seq) {
            return false;
        }
        while let Some(flight) = self.in_flight.pop_front() {
            if flight.void {
                continue;
            }
            // It was legal when it was played on what the server has confirmed since.
            if let Ok(played) = self.confirmed.play(&flight.play) {
                self.confirmed_count += played;
            }
            self.acknowledged = flight.seq;
            if flight.seq == seq {
                break;
            }
        }
        true
    }

    /// Gives up the move with this number and all behind it. The answer is about the
    /// first of the number, void or not: answers come in the order of sending.
    fn roll_back(&mut self, seq: Seq, expected: Option<Seq>) {
        let Some(index) = self.in_flight.iter().position(|flight| flight.seq == seq) else {
            return;
        };
        let was_void = self.in_flight[index].void;
        // Those before it are answered as well, or the server would have said so.
        if let Some(last_played) = expected.and_then(|Seq(expected)| expected.checked_sub(1)) {
            self.confirm(Seq(last_played));
        }
        while self
            .in_flight
            .pop_front()
            .is_some_and(|flight| flight.seq != seq)
        {}
        if !was_void {
            self.in_flight
                .iter_mut()
                .for_each(|flight| flight.void = true);
        }
        self.show();
    }

    /// Plays what is in flight on the confirmed board again.
    fn show(&mut self) {
        self.shown = self.confirmed.clone();
        self.shown_count = self.confirmed_count;
        for flight in self.in_flight.iter().filter(|flight| !flight.void) {
            if let Ok(played) = self.shown.play(&flight.play) {
                self.shown_count += played;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::puzzle::PuzzleSpec;
    use proptest::prelude::*;

    fn start() -> Board {
        let spec: PuzzleSpec = "slide:4x4".parse().unwrap();
        spec.board(&"friday".parse().unwrap())
    }

    /// A server that plays what is next, and now and then finds a reason not to.
    struct Server {
        board: Board,
        played: Seq,
        count: MoveCount,
        inbox: VecDeque<(Seq, Move)>,
        answers: VecDeque<(Seq, Result<MoveCount, Rejection>)>,
    }

    impl Server {
        fn new() -> Self {
            Self {
                board: start(),
                played: Seq(0),
                count: MoveCount::default(),
                inbox: VecDeque::new(),
                answers: VecDeque::new(),
            }
        }

        fn answer(&mut self, refuse: bool) {
            let Some((seq, play)) = self.inbox.pop_front() else {
                return;
            };
            let expected = self.played.next();
            let answer = if refuse && seq == expected {
                Err(Rejection::Late)
            } else if seq <= self.played {
                Err(Rejection::Repeated)
            } else if seq != expected {
                Err(Rejection::OutOfOrder { expected })
            } else {
                match self.board.play(&play) {
                    Err(illegal) => Err(Rejection::Illegal(illegal)),
                    Ok(played) => {
                        self.count += played;
                        self.played = seq;
                        Ok(self.count)
                    }
                }
            };
            self.answers.push_back((seq, answer));
        }
    }

    fn hear(client: &mut Optimistic, server: &mut Server) {
        match server.answers.pop_front() {
            None => {}
            Some((seq, Ok(total))) => client.accepted(seq, total),
            Some((seq, Err(why))) => client.rejected(seq, why),
        }
    }

    #[derive(Debug, Clone)]
    enum Step {
        Play(usize),
        Answer { refuse: bool },
        Hear,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => (0usize..6).prop_map(Step::Play),
            3 => prop::bool::weighted(0.2).prop_map(|refuse| Step::Answer { refuse }),
            3 => Just(Step::Hear),
        ];
        prop::collection::vec(step, 0..200)
    }

    proptest! {
        #[test]
        fn whatever_comes_between_the_boards_agree_at_last(steps in steps()) {
            let (mut client, mut server) = (Optimistic::new(start()), Server::new());
            for step in steps {
                match step {
                    Step::Play(choice) => {
                        let mut moves = client.board().legal_moves();
                        let play = moves.swap_remove(choice % moves.len());
                        if let Some(seq) = client.play(play.clone()) {
                            server.inbox.push_back((seq, play));
                        }
                    }
                    Step::Answer { refuse } => server.answer(refuse),
                    Step::Hear => hear(&mut client, &mut server),
                }
                prop_assert!(client.in_flight.len() <= MAX_IN_FLIGHT);
            }
            while !server.inbox.is_empty() {
                server.answer(false);
            }
            while !server.answers.is_empty() {
                hear(&mut client, &mut server);
            }
            prop_assert_eq!(client.board(), &server.board);
            prop_assert_eq!(client.count(), server.count);
            prop_assert_eq!(client.last(), server.played);
            prop_assert!(client.is_settled());
        }
    }

    #[test]
    fn one_answer_may_stand_for_all_moves_before_it() {
        let mut client = Optimistic::new(start());
        for _ in 0..3 {
            let play = client.board().legal_moves().swap_remove(0);
            assert!(client.play(play).is_some());
        }
        let total = client.count();
        client.accepted(Seq(3), total);
        assert!(client.is_settled());
        assert_eq!(client.last(), Seq(3));
    }

    #[test]
    fn a_rejected_move_takes_those_behind_it_along() {
        let mut client = Optimistic::new(start());
        for _ in 0..3 {
            let play = client.board().legal_moves().swap_remove(0);
            assert!(client.play(play).is_some());
        }
        client.rejected(Seq(1), Rejection::Late);
        assert_eq!(client.board(), &start());
        assert_eq!(client.count(), MoveCount::default());
        let play = client.board().legal_moves().swap_remove(1);
        assert_eq!(client.play(play), Some(Seq(1)));
        // The answers to the void moves are about no move of now.
        client.rejected(Seq(2), Rejection::OutOfOrder { expected: Seq(1) });
        client.rejected(Seq(3), Rejection::OutOfOrder { expected: Seq(1) });
        assert_eq!(client.last(), Seq(1));
    }

    #[test]
    fn no_more_moves_fly_than_may() {
        let mut client = Optimistic::new(start());
        for _ in 0..MAX_IN_FLIGHT {
            let play = client.board().legal_moves().swap_remove(0);
            assert!(client.play(play).is_some());
        }
        let play = client.board().legal_moves().swap_remove(0);
        assert_eq!(client.play(play), None);
    }
}
