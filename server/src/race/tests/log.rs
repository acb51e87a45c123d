//! A log of stamped events, and their effects.

use super::*;
use crate::race::Effects;
use crate::race::hint_plans::HintPlans;
use gridrace_shared::heat::commitment::{Salt, SeedOrigin};
use gridrace_shared::heat::resume_token::{ResumeToken, ResumeTokenHash};
use gridrace_shared::heat::standings::{Standing, Standings};
use gridrace_shared::protocol::snapshot::HeatResult;

pub(super) const PLAYER: Role = Role::Player;
pub(super) const SPECTATOR: Role = Role::Spectator;

/// A race, and every event that it was given.
pub(super) struct Log {
    pub(super) race: Race,
    pub(super) now: HeatInstant,
    /// The effects of the latest event.
    pub(super) last: Vec<Effect>,
    /// Whether boards are drawn as soon as they are asked for.
    pub(super) draws_at_once: bool,
    /// The boards that were asked for, by their tickets.
    pub(super) commissions: BTreeMap<u32, BoardRequest>,
    pub(super) config: RaceConfig,
    /// The plans of the solver that stands in for the pool, and how often it was asked.
    pub(super) plans: HintPlans,
    pub(super) attempt: u8,
    pub(super) events: Vec<(HeatInstant, Event, Vec<Effect>)>,
}

pub(super) fn id(number: u32) -> PlayerId {
    PlayerId(number)
}

pub(super) fn draw(seed: &str) -> HeatSecret {
    let salt = Salt::from_bytes([seed.len() as u8; 16]);
    HeatSecret { secret: Secret { seed: seed.parse().unwrap(), salt }, origin: SeedOrigin::Drawn }
}

/// The hash of a member's n-th token.
pub(super) fn token(number: u32, n: u8) -> ResumeTokenHash {
    let mut bytes = [n; 32];
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    ResumeToken::from_bytes(bytes).hash()
}

/// A 3×3 with a countdown of 3 s, a limit of 60 s, a delay of 2 s, hints at 10 s.
pub(super) fn options() -> HeatOptions {
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    HeatOptions { time_limit_seconds: 60, idle_seconds: 0, finishers_watch: false, ..options }
}

impl Log {
    pub(super) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(super) fn with(change: impl FnOnce(&mut HeatOptions)) -> Self {
        Self::drawn("friday", change)
    }

    pub(super) fn drawn(seed: &str, change: impl FnOnce(&mut HeatOptions)) -> Self {
        let mut options = options();
        change(&mut options);
        let code = RoomCode::from_number(7);
        Self::of(RaceConfig::new(code, ServerInstant(5_000_000), options, draw(seed)))
    }

    pub(super) fn of(config: RaceConfig) -> Self {
        Self {
            race: Race::new(config.clone()).unwrap(),
            now: HeatInstant(0),
            last: Vec::new(),
            draws_at_once: true,
            commissions: BTreeMap::new(),
            config,
            plans: HintPlans::default(),
            attempt: 1,
            events: Vec::new(),
        }
    }

    /// A lobby with `people` people, numbered from 1; the first is the host.
    pub(super) fn lobby(people: u32) -> Self {
        let mut log = Self::new();
        log.people(people);
        log
    }

    /// A heat at GO, with `people` people.
    pub(super) fn running(people: u32) -> Self {
        Self::running_with(people, |_| {})
    }

    pub(super) fn running_with(people: u32, change: impl FnOnce(&mut HeatOptions)) -> Self {
        let mut log = Self::with(change);
        log.people(people);
        log.go();
        log
    }

    pub(super) fn people(&mut self, people: u32) {
        for number in 1..=people {
            self.joins(number, PLAYER);
        }
    }

    /// The host starts, and the countdown runs down.
    pub(super) fn go(&mut self) {
        let host = self.race.members.host.unwrap();
        self.does(Event::Start { by: host });
        let go = self.race.deadline().unwrap();
        self.at(go.0);
        assert_eq!(self.race.phase_name(), "running");
    }

    /// Lets an event happen, and with it the answer to a drawing that it asks for, unless
    /// the test answers itself.
    pub(super) fn does(&mut self, event: Event) -> &mut Self {
        self.last.clear();
        self.happens(event);
        let hints = self.last.extract_if(.., |effect| matches!(effect, Effect::FindHint(_)));
        for hint in hints.collect::<Vec<_>>() {
            let Effect::FindHint(request) = hint else { unreachable!() };
            let (by, number) = (request.player, request.number);
            match self.plans.start(*request) {
                HintStep::Answer(outcome) => self.happens(Event::Hinted { by, number, outcome }),
                HintStep::Solve(request, attempt) => {
                    self.attempt = attempt;
                    self.last.push(Effect::FindHint(Box::new(request)));
                }
            }
        }
        let asked = self.last.iter().find_map(|effect| match effect {
            Effect::GenerateBoard(commission) => Some(commission.clone()),
            _ => None,
        });
        if let Some(commission) = asked {
            let ticket = commission.ticket;
            self.commissions.insert(ticket, commission);
            if self.draws_at_once {
                self.happens(self.drawing(ticket));
            }
        }
        self
    }

    /// The answer to a drawing.
    pub(super) fn drawing(&self, ticket: u32) -> Event {
        let BoardRequest { spec, seed, .. } = &self.commissions[&ticket];
        Event::Drawn { ticket, outcome: Ok(GeneratedBoard::of(spec, seed)) }
    }

    fn happens(&mut self, event: Event) {
        let Effects(effects) = self.race.apply(self.now, event.clone());
        self.last.extend(effects.clone());
        self.events.push((self.now, event, effects));
    }

    /// Lets the clock come to an instant, and ticks there.
    pub(super) fn at(&mut self, now: u64) -> &mut Self {
        self.now = HeatInstant(now);
        self.does(Event::Tick)
    }

    /// Lets the clock come to an instant before the timer does.
    pub(super) fn silently_at(&mut self, now: u64) {
        self.now = HeatInstant(now);
    }

    pub(super) fn joins(&mut self, number: u32, role: Role) -> &mut Self {
        self.enters(number, &format!("Person {number}"), false, role)
    }

    /// Every place to watch is taken.
    pub(super) fn fills_the_stand(&mut self) {
        for number in 0..MAX_SPECTATORS as u32 {
            self.joins(100 + number, SPECTATOR);
        }
    }

    pub(super) fn enters(&mut self, number: u32, name: &str, bot: bool, role: Role) -> &mut Self {
        self.does(Event::Join {
            id: id(number),
            newcomer: Newcomer { bot, role, ..Newcomer::person(name.parse().unwrap()) },
            token: token(number, 0),
        })
    }

    /// Comes back by the n-th token, for the next one.
    pub(super) fn resumes(&mut self, number: u32, n: u8) -> &mut Self {
        self.does(Event::Resume {
            by: id(number),
            presented: token(number, n),
            next: token(number, n + 1),
        })
    }

    pub(super) fn ready(&mut self, number: u32) -> &mut Self {
        self.does(Event::Ready { by: id(number), ready: true })
    }

    pub(super) fn leaves(&mut self, number: u32) -> &mut Self {
        self.does(Event::Leave { by: id(number) })
    }

    pub(super) fn is_lost(&mut self, number: u32) -> &mut Self {
        self.does(Event::Lost { by: id(number) })
    }

    pub(super) fn kicks(&mut self, by: u32, player: u32) -> &mut Self {
        self.does(Event::Kick { by: id(by), player: id(player) })
    }

    pub(super) fn adds_bot(&mut self, by: Option<u32>, number: u32) -> &mut Self {
        self.does(Event::AddBot { by: by.map(id), id: id(number), skill: Skill::Casual })
    }

    pub(super) fn sets(&mut self, by: u32, change: impl FnOnce(&mut HeatOptions)) -> &mut Self {
        let mut options = self.race.options.clone();
        change(&mut options);
        self.does(Event::Options { by: id(by), options, secret: draw("saturday") })
    }

    pub(super) fn rematches(&mut self, by: u32) -> &mut Self {
        self.does(Event::Rematch { by: Some(id(by)), secret: draw("sunday") })
    }

    pub(super) fn gives_up(&mut self, by: u32) -> &mut Self {
        self.does(Event::GiveUp { by: id(by) })
    }

    pub(super) fn plays(&mut self, by: u32, seq: u32, play: Move) -> &mut Self {
        self.does(Event::Move { by: id(by), seq: Seq(seq), play })
    }

    /// Plays a legal move with the next number.
    pub(super) fn moves_on(&mut self, by: u32) {
        let (seq, play) = (self.seq(by) + 1, self.board(by).legal_moves().swap_remove(0));
        self.plays(by, seq, play);
    }

    /// Plays to the end, at one instant.
    pub(super) fn finishes(&mut self, by: u32) {
        for play in super::solver::solution(&self.board(by)) {
            let seq = self.seq(by) + 1;
            self.plays(by, seq, play);
        }
    }

    pub(super) fn asks_hint(&mut self, by: u32) -> &mut Self {
        self.asks_hint_in(by, HintStyle::Shortest)
    }

    pub(super) fn asks_hint_in(&mut self, by: u32, style: HintStyle) -> &mut Self {
        self.does(Event::Hint { by: id(by), style })
    }

    pub(super) fn board(&self, of: u32) -> Board {
        self.race.seat(id(of)).unwrap().board.clone()
    }

    pub(super) fn seq(&self, of: u32) -> u32 {
        self.race.seat(id(of)).unwrap().seq.0
    }

    pub(super) fn member(&self, number: u32) -> Option<&Member> {
        self.race.members.get(id(number))
    }

    pub(super) fn host(&self) -> Option<u32> {
        self.race.members.host.map(|host| host.0)
    }

    pub(super) fn result(&self) -> &HeatResult {
        self.race.result().unwrap()
    }

    /// Whether the latest event ended the heat, once.
    pub(super) fn has_ended(&self) -> bool {
        let ends =
            self.last.iter().filter(|effect| matches!(effect, Effect::Heat(HeatEvent::Ended(_))));
        match ends.count() {
            0 => false,
            1 => true,
            times => panic!("ended {times} times"),
        }
    }

    /// What the latest event sent to one member alone.
    pub(super) fn sent(&self, to: u32) -> Vec<&ServerMessage> {
        self.last
            .iter()
            .filter_map(|effect| match effect {
                Effect::Send { to: member, message } if *member == id(to) => Some(message),
                _ => None,
            })
            .collect()
    }

    /// What the latest event sent to many.
    pub(super) fn told(&self, audience: Audience) -> Vec<&ServerMessage> {
        self.last
            .iter()
            .filter_map(|effect| match effect {
                Effect::Broadcast { to, message } if *to == audience => Some(message),
                _ => None,
            })
            .collect()
    }

    /// The only message that the latest event sent to many, a roster.
    pub(super) fn roster(&self, audience: Audience) -> &Roster {
        let told = self.told(audience);
        let [ServerMessage::Roster(roster)] = told[..] else { panic!("{told:?}") };
        roster
    }

    /// The last phase that the latest event led to.
    pub(super) fn phase(&self) -> Option<&Phase> {
        self.told(Audience::All).into_iter().rev().find_map(|message| match message {
            ServerMessage::Phase(phase) => Some(phase),
            _ => None,
        })
    }

    /// The snapshot that the latest event sent to a member.
    pub(super) fn snapshot(&self, to: u32) -> &Snapshot {
        let mut snapshots = self.sent(to).into_iter().filter_map(|message| match message {
            ServerMessage::Joined { you, room } if *you == id(to) => Some(room),
            _ => None,
        });
        snapshots.next().unwrap_or_else(|| panic!("{:?}", self.last))
    }

    pub(super) fn refusal(&self, to: u32) -> Option<Refusal> {
        self.sent(to).into_iter().find_map(|message| match message {
            ServerMessage::Refused(why) => Some(*why),
            _ => None,
        })
    }

    /// Asserts that the server refused the last event to a client.
    pub(super) fn refused(&self, to: u32, why: Refusal) {
        assert_eq!(self.refusal(to), Some(why), "{:?}", self.last);
    }

    pub(super) fn rejection(&self, to: u32) -> Option<Rejection> {
        self.sent(to).into_iter().find_map(|message| match message {
            ServerMessage::Rejected { why, .. } => Some(*why),
            _ => None,
        })
    }

    pub(super) fn rejected(&self, to: u32, why: Rejection) {
        assert_eq!(self.rejection(to), Some(why), "{:?}", self.last);
    }

    pub(super) fn was_accepted(&self, by: u32) -> bool {
        self.sent(by).iter().any(|message| matches!(message, ServerMessage::Accepted { .. }))
    }

    pub(super) fn standings(&self) -> Option<&Standings> {
        self.last.iter().find_map(|effect| match effect {
            Effect::Standings(standings) => Some(standings),
            _ => None,
        })
    }

    /// The row of a player in the standings as they are.
    pub(super) fn row(&self, of: u32) -> Standing {
        let rows = match &self.race.phase {
            RacePhase::Running(run) => run.standings(&self.race.members),
            RacePhase::Over(over) => over.result.standings.clone(),
            other => panic!("no standings in the {}", other.name()),
        };
        rows.into_iter().find(|row| row.player == id(of)).unwrap()
    }

    pub(super) fn solves(&self) -> usize {
        self.last.iter().filter(|effect| matches!(effect, Effect::FindHint { .. })).count()
    }

    /// The effects of every event so far.
    pub(super) fn effects(&self) -> Vec<Vec<Effect>> {
        self.events.iter().map(|(_, _, effects)| effects.clone()).collect()
    }
}

pub(super) fn priced(seconds: u16) -> impl FnOnce(&mut HeatOptions) {
    move |options| options.hints = HintRule::Priced { seconds }
}
