use super::*;
use crate::heat::standings::RaceState;
use crate::puzzle::PuzzleSpec;
use crate::util::time::Millis;
use proptest::prelude::*;

fn start() -> Board {
    let spec: PuzzleSpec = "slide:4x4".parse().unwrap();
    spec.board(&"friday".parse().unwrap())
}

/// What a server says to a move.
enum Answer {
    Accepted(Seq, MoveCount),
    Rejected(Seq),
    Resync(Box<OwnSeat>),
}

/// A server that plays what is next, and now and then finds a reason not to.
struct Server {
    board: Board,
    played: Seq,
    count: MoveCount,
    /// Whether the client was told which number is next.
    told: bool,
    /// Every move that was played, in order.
    log: Vec<Move>,
    inbox: VecDeque<(Seq, Move)>,
    answers: VecDeque<Answer>,
}

impl Server {
    fn new() -> Self {
        Self {
            board: start(),
            played: Seq(0),
            count: MoveCount::default(),
            told: false,
            log: Vec::new(),
            inbox: VecDeque::new(),
            answers: VecDeque::new(),
        }
    }

    fn seat(&self) -> OwnSeat {
        OwnSeat {
            board: self.board.clone(),
            seq: self.played,
            state: RaceState::Racing,
            moves: self.count,
            hints: 0,
            penalty: Millis(0),
            hint: None,
            hint_pending: false,
        }
    }

    fn answer(&mut self, refuse: bool) {
        let Some((seq, play)) = self.inbox.pop_front() else {
            return;
        };
        let answer = if seq <= self.played {
            Answer::Accepted(self.played, self.count)
        } else if seq != self.played.next() {
            if std::mem::replace(&mut self.told, true) {
                return;
            }
            Answer::Resync(Box::new(self.seat()))
        } else if refuse {
            self.told = true;
            Answer::Rejected(seq)
        } else {
            // The client plays by the same rules on the same board.
            self.count += self.board.play(&play).unwrap();
            self.played = seq;
            self.told = false;
            self.log.push(play);
            Answer::Accepted(seq, self.count)
        };
        self.answers.push_back(answer);
    }
}

fn hear(client: &mut Optimistic, server: &mut Server) {
    match server.answers.pop_front() {
        None => {}
        Some(Answer::Accepted(seq, total)) => client.accepted(seq, total),
        Some(Answer::Rejected(seq)) => client.rejected(seq),
        Some(Answer::Resync(seat)) => resync(client, server, &seat),
    }
}

fn resync(client: &mut Optimistic, server: &mut Server, seat: &OwnSeat) {
    client.resync(seat);
    let again = client.unanswered().map(|(seq, play)| (seq, play.clone()));
    server.inbox.extend(again);
}

#[derive(Debug, Clone)]
enum Step {
    Play(usize),
    Answer {
        refuse: bool,
    },
    Hear,
    /// The connection is lost with all that is on its way, and taken up again.
    Cut,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0usize..6).prop_map(Step::Play),
        6 => prop::bool::weighted(0.2).prop_map(|refuse| Step::Answer { refuse }),
        6 => Just(Step::Hear),
        1 => Just(Step::Cut),
    ];
    prop::collection::vec(step, 0..200)
}

fn play_any(client: &mut Optimistic, choice: usize) -> Option<(Seq, Move)> {
    let mut moves = client.board().legal_moves();
    let play = moves.swap_remove(choice % moves.len());
    let seq = client.play(play.clone())?;
    Some((seq, play))
}

/// Takes the steps, then delivers all that is on its way. Returns every move that was played, too.
fn run(steps: Vec<Step>, may_refuse: bool) -> (Optimistic, Server, Vec<Move>) {
    let (mut client, mut server) = (Optimistic::new(start()), Server::new());
    let mut made = Vec::new();
    for step in steps {
        match step {
            Step::Play(choice) => {
                let sent = play_any(&mut client, choice);
                made.extend(sent.clone().map(|(_, play)| play));
                server.inbox.extend(sent);
            }
            Step::Answer { refuse } => server.answer(refuse && may_refuse),
            Step::Hear => hear(&mut client, &mut server),
            Step::Cut => {
                server.inbox.clear();
                server.answers.clear();
                server.told = false;
                let seat = server.seat();
                resync(&mut client, &mut server, &seat);
            }
        }
        assert!(client.in_flight.len() <= MAX_IN_FLIGHT);
    }
    while !server.inbox.is_empty() || !server.answers.is_empty() {
        server.answer(false);
        hear(&mut client, &mut server);
    }
    (client, server, made)
}

proptest! {
    #[test]
    fn whatever_comes_between_the_boards_agree_at_last(steps in steps()) {
        let (client, server, _) = run(steps, true);
        prop_assert_eq!(client.board(), &server.board);
        prop_assert_eq!(client.count(), server.count);
        prop_assert_eq!(client.last(), server.played);
        prop_assert!(client.is_settled());
    }

    #[test]
    fn without_a_refusal_no_cut_loses_a_move_or_plays_one_twice(steps in steps()) {
        let (_, server, made) = run(steps, false);
        prop_assert_eq!(made, server.log);
    }
}

#[test]
fn one_answer_may_stand_for_all_moves_before_it() {
    let mut client = Optimistic::new(start());
    for _ in 0..3 {
        assert!(play_any(&mut client, 0).is_some());
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
        assert!(play_any(&mut client, 0).is_some());
    }
    client.rejected(Seq(1));
    assert_eq!(client.board(), &start());
    assert_eq!(client.count(), MoveCount::default());
    assert_eq!(play_any(&mut client, 1).map(|(seq, _)| seq), Some(Seq(1)));
}

#[test]
fn a_server_that_knows_less_than_it_acknowledged_is_believed() {
    let mut client = Optimistic::new(start());
    let before = Server::new().seat();
    for _ in 0..3 {
        assert!(play_any(&mut client, 0).is_some());
    }
    let total = client.count();
    client.accepted(Seq(2), total);
    client.resync(&before);
    assert_eq!((client.board(), client.last()), (&start(), Seq(0)));
    assert!(client.is_settled());
}

#[test]
fn no_more_moves_fly_than_may() {
    let mut client = Optimistic::new(start());
    for _ in 0..MAX_IN_FLIGHT {
        assert!(play_any(&mut client, 0).is_some());
    }
    assert_eq!(play_any(&mut client, 0), None);
}
