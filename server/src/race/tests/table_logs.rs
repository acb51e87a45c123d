//! Random logs of a table: of what its entrants, others and the tournament do.

use super::acts::{Act, any_act, any_pause};
use super::*;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Entrants of a table.
const ENTRANTS: u8 = 4;

/// What a table has reported so far.
#[derive(Debug, Default)]
pub(super) struct Reports {
    started: BTreeSet<ResultKey>,
    ended: BTreeSet<ResultKey>,
    is_closed: bool,
}

impl Reports {
    pub(super) fn take(&mut self, report: &TableReport, race: &Race) {
        assert!(!self.is_closed, "{report:?}");
        assert_eq!(report.room, race.code());
        match &report.news {
            TableNews::Started { absent } => {
                assert!(self.started.insert(report.board), "started twice: {report:?}");
                let absent: BTreeSet<_> = absent.iter().collect();
                assert!(absent.len() <= usize::from(ENTRANTS));
            }
            TableNews::Ended(result) => {
                assert!(self.started.contains(&report.board));
                assert!(self.ended.insert(report.board), "ended twice: {report:?}");
                let entrants: BTreeSet<_> =
                    result.rows.iter().map(|(entrant, _)| entrant).collect();
                assert_eq!(entrants.len(), result.rows.len(), "one row an entrant");
            }
            TableNews::Closed => {
                self.is_closed = true;
                assert_eq!(self.started, self.ended, "each board that started has a result");
            }
        }
    }
}

/// What happens at a table only. `entrant` joins by its key, under whatever name and role.
#[derive(Debug, Clone, Copy)]
enum TableAct {
    Any(Act),
    Join { entrant: u8, role: Role },
    Start { is_next: bool, entrants: u8, in_millis: u64 },
    MoveGo { in_millis: u64 },
    Cancel,
    End,
    Close,
    Seat { entrant: u8 },
}

fn any_table_act() -> impl Strategy<Value = TableAct> {
    let role = prop_oneof![3 => Just(PLAYER), 1 => Just(SPECTATOR)];
    prop_oneof![
        40 => any_act().prop_map(TableAct::Any),
        16 => (0..ENTRANTS, role).prop_map(|(entrant, role)| TableAct::Join { entrant, role }),
        8 => (prop::bool::weighted(0.7), 0..=ENTRANTS, 0u64..4_000).prop_map(
            |(is_next, entrants, in_millis)| TableAct::Start { is_next, entrants, in_millis }
        ),
        3 => (0u64..4_000).prop_map(|in_millis| TableAct::MoveGo { in_millis }),
        1 => Just(TableAct::Cancel),
        1 => Just(TableAct::End),
        2 => (0..ENTRANTS).prop_map(|entrant| TableAct::Seat { entrant }),
    ]
}

fn key_of(entrant: u8) -> Fingerprint {
    Fingerprint::try_from(format!("{entrant:02x}").repeat(16)).unwrap()
}

pub(super) fn seat_of(entrant: u8) -> ReservedSeat {
    ReservedSeat {
        entrant: EntrantId(entrant.into()),
        key: key_of(entrant),
        name: format!("Entrant {entrant}").parse().unwrap(),
        bot: false,
    }
}

pub(super) fn board(board: u8) -> ResultKey {
    ResultKey { round: RoundKey { stage: 0, round: 0 }, table: 1, board, attempt: 0 }
}

pub(super) fn table_config(entrants: u8) -> RaceConfig {
    let mut options = super::log::options();
    options.spec = "slide:2x2".parse().unwrap();
    options.time_limit_seconds = 20;
    options.delay_seconds = 1;
    options.idle_seconds = 10;
    options.finishers_watch = true;
    let table = TableConfig {
        tournament: "friday-cup".parse().unwrap(),
        board: board(0),
        seats: (0..entrants).map(seat_of).collect(),
    };
    RaceConfig {
        table: Some(table),
        ..RaceConfig::new(RoomCode::from_number(7), ServerInstant(0), options, draw("hushhush0"))
    }
}

impl World {
    fn acts(&mut self, act: TableAct) {
        let now = self.log.now.0;
        let go = |in_millis: u64| ServerInstant((now + in_millis) * 1_000);
        match act {
            TableAct::Any(act) => return self.act(act),
            TableAct::Join { entrant, role } => self.joins_table(entrant, role),
            TableAct::Start { is_next, entrants, in_millis } => {
                let last = self.log.race.table_setup().unwrap().board;
                let secret = self.draw();
                let spec: PuzzleSpec = "slide:2x2".parse().unwrap();
                let drawn = GeneratedBoard::of(&spec, &secret.secret.seed);
                let board = board(last.board + u8::from(is_next));
                let seats = (0..entrants).map(seat_of).collect();
                let go = go(in_millis);
                let start = TableStart { board, seats, spec, secret, drawn, go };
                // As the shell does.
                self.does(&Event::Tick);
                if self.log.race.runs_other_than(board) {
                    self.does(&Event::Table(TableEvent::End));
                }
                self.does(&Event::Table(TableEvent::Start(Box::new(start))));
            }
            TableAct::MoveGo { in_millis } => {
                self.does(&Event::Table(TableEvent::MoveGo { go: go(in_millis) }));
            }
            TableAct::Cancel => self.does(&Event::Table(TableEvent::Cancel)),
            TableAct::End => self.does(&Event::Table(TableEvent::End)),
            TableAct::Close => self.does(&Event::Table(TableEvent::Close)),
            TableAct::Seat { entrant } => {
                self.does(&Event::Table(TableEvent::Seats(vec![seat_of(entrant)])));
            }
        }
        self.table_holds();
    }

    /// Joins as the shell does.
    fn joins_table(&mut self, entrant: u8, role: Role) {
        let name = format!("Someone {}", self.came.len()).parse().unwrap();
        let newcomer = Newcomer { role, identity: Some(key_of(entrant)), ..Newcomer::person(name) };
        // A seat whose grace is over by now is none to return to.
        self.does(&Event::Tick);
        match self.log.race.seat_to_return_to(&newcomer) {
            Some(by) => {
                let next = self.tokens.get(&by).copied().unwrap_or_default().saturating_add(1);
                self.tokens.insert(by, next);
                self.views.remove(&by);
                let (identity, next) = (key_of(entrant), token(by.0, next));
                self.does(&Event::Return { by, identity, next });
                assert!(self.log.race.is_connected(by));
            }
            None => {
                let id = self.fresh();
                self.does(&Event::Join { id, newcomer, token: token(id.0, 0) });
                let is_seated = self.log.race.reserves(Some(key_of(entrant)));
                let is_here = self.log.race.is_connected(id);
                assert!(is_here || !is_seated, "an entrant always gets in");
                assert!(!is_here || is_seated || role == SPECTATOR, "others only watch");
            }
        }
    }

    fn table_holds(&self) {
        let race = &self.log.race;
        assert!(race.members.host.is_none() && race.members.owner.is_none());
        for entrant in (0..ENTRANTS).filter(|entrant| race.reserves(Some(key_of(*entrant)))) {
            let of_key = race.members.of_key(key_of(entrant));
            let present = of_key.filter(|member| race.members.is_present(member.id));
            let present: Vec<_> = present.collect();
            assert!(present.len() <= 1, "one member a key: {present:?}");
            assert!(present.iter().all(|member| member.name == seat_of(entrant).name));
        }
        if ["lobby", "countdown"].contains(&self.phase) {
            let mut players = race.members.iter().filter(|member| member.role == PLAYER);
            assert!(players.all(|player| {
                race.reserves(player.identity) || matches!(player.kind, PlayerKind::HouseBot(_))
            }));
        }
        if let Some(status) = race.table_status() {
            assert!(!race.is_deserted(), "a table is kept until it is closed");
            assert!(status.connected.len() <= usize::from(ENTRANTS));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_logs_of_a_table_keep_the_invariants(
        acts in prop::collection::vec((any_pause(), any_table_act()), 1..120),
    ) {
        let mut world = World::of(Log::of(table_config(ENTRANTS)));
        for (pause, act) in acts {
            world.log.now = world.log.now + Millis(pause);
            world.acts(act);
        }
        // Whatever was going on, the tournament can end it.
        world.acts(TableAct::Close);
        prop_assert!(world.log.race.is_deserted() && world.views.is_empty());
        world.acts(TableAct::Join { entrant: 0, role: PLAYER });
    }
}

#[test]
fn random_logs_of_a_table_reach_results_and_further_boards() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut results, mut boards, mut absent) = (0, 0, 0);
    for _ in 0..60 {
        let acts = prop::collection::vec((any_pause(), any_table_act()), 120);
        let acts = acts.new_tree(&mut runner).unwrap().current();
        let mut world = World::of(Log::of(table_config(ENTRANTS)));
        for (pause, act) in acts {
            world.log.now = world.log.now + Millis(pause);
            world.acts(act);
        }
        for effect in world.log.effects().iter().flatten() {
            let Effect::Table(TableReport { board, news, .. }) = effect else { continue };
            match news {
                TableNews::Ended(result) => {
                    results += usize::from(!result.rows.is_empty());
                    boards += usize::from(board.board > 0);
                }
                TableNews::Started { absent: away } => absent += usize::from(!away.is_empty()),
                TableNews::Closed => {}
            }
        }
    }
    assert!(results > 20 && boards > 20 && absent > 20, "{results} {boards} {absent}");
}
