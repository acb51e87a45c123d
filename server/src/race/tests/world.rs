//! A race, its members' views of it, and the invariants that hold after every event.

use super::fold::View;
use super::table_logs::Reports;
use super::*;
use crate::race::members::{HostPlace, is_client};
use std::collections::BTreeSet;

/// A race, and everybody's view of it.
pub(super) struct World {
    pub(super) log: Log,
    pub(super) came: Vec<PlayerId>,
    pub(super) draws: usize,
    pub(super) views: BTreeMap<PlayerId, View>,
    /// Which token everybody has, by number.
    pub(super) tokens: BTreeMap<PlayerId, u8>,
    /// The boards as the accepted moves make them, and how many those were.
    truth: BTreeMap<PlayerId, (Board, u32)>,
    number: u32,
    pub(super) phase: &'static str,
    ended: BTreeSet<u32>,
    seeds: Vec<String>,
    /// What a table has reported.
    reports: Reports,
}

impl World {
    pub(super) fn new() -> Self {
        let log = Log::drawn("hushhush0", |options| {
            options.spec = "slide:2x2".parse().unwrap();
            options.countdown_seconds = 1;
            options.time_limit_seconds = 20;
            options.delay_seconds = 1;
            options.idle_seconds = 10;
            options.finishers_watch = true;
        });
        Self::of(log)
    }

    pub(super) fn of(mut log: Log) -> Self {
        log.draws_at_once = false;
        Self {
            log,
            came: Vec::new(),
            draws: 0,
            views: BTreeMap::new(),
            tokens: BTreeMap::new(),
            truth: BTreeMap::new(),
            number: 1,
            phase: "lobby",
            ended: BTreeSet::new(),
            seeds: vec!["hushhush0".to_owned()],
            reports: Reports::default(),
        }
    }

    pub(super) fn does(&mut self, event: &Event) {
        let before = event.by().and_then(|by| self.seat(by));
        self.log.does(event.clone());
        self.effects_hold(event);
        self.state_holds();
        self.rejections_change_nothing(event, before);
    }

    /// Delivers the effects as the shell does, and checks each.
    fn effects_hold(&mut self, event: &Event) {
        for effect in self.log.last.clone() {
            if ["lobby", "drawing", "countdown"].contains(&self.phase) {
                let go = matches!(
                    &effect,
                    Effect::Broadcast { message: ServerMessage::Phase(Phase::Running { .. }), .. }
                );
                assert!(go || traces_of_boards(&effect) == 0, "before GO: {effect:?}");
            }
            self.follow(&effect, event);
            if self.phase != "over" {
                let json = json(&effect);
                assert!(!self.seeds.iter().any(|seed| json.contains(seed)), "{json}");
            }
        }
    }

    fn follow(&mut self, effect: &Effect, event: &Event) {
        match effect {
            Effect::Send { to, message } => self.deliver(*to, message, event),
            Effect::Broadcast { to, message } => {
                self.enter(message);
                let members: Vec<PlayerId> = self.views.keys().copied().collect();
                for member in members {
                    let gets = match to {
                        Audience::All => true,
                        Audience::Others(but) => member != *but,
                        Audience::Watchers => self.log.race.may_watch(member),
                    };
                    if gets {
                        self.deliver(member, message, event);
                    }
                }
            }
            Effect::Standings(standings) | Effect::DelayedStandings(standings) => {
                let players: BTreeSet<PlayerId> =
                    standings.rows.iter().map(|row| row.player).collect();
                assert_eq!(players.len(), standings.rows.len());
                let places: Vec<u16> = standings.rows.iter().map(|row| row.place).collect();
                let expected: Vec<u16> = (1..).take(places.len()).collect();
                assert_eq!(places, expected);
                assert!(standings.at <= self.log.now);
            }
            Effect::Release { member } | Effect::Dismiss { member, .. } => {
                self.views.remove(member);
            }
            Effect::FindHint(question) => {
                assert_eq!(question.number, self.log.race.number());
                let again = matches!(event, Event::Recovered { .. });
                assert!(again || self.log.race.members.is_connected(question.player));
            }
            Effect::PrepareSolver { .. } => {
                assert!(self.phase == "lobby" || matches!(event, Event::Recovered { .. }));
            }
            Effect::GenerateBoard(commission) => {
                assert!(self.log.race.awaits_board(commission.ticket));
            }
            Effect::RateBoard { number, .. } => assert_eq!(*number, self.log.race.number()),
            Effect::RunBot { .. } => {}
            Effect::MoveAnswered { .. } => {}
            Effect::Heat(HeatEvent::Ended(_)) => {
                assert_eq!(self.phase, "over");
                assert!(self.ended.insert(self.number), "heat {} ended twice", self.number);
            }
            Effect::Heat(_) => assert!(["running", "over"].contains(&self.phase)),
            Effect::Table(report) => self.reports.take(report, &self.log.race),
        }
    }

    fn enter(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Phase(phase) => {
                self.phase = match phase {
                    Phase::Lobby => "lobby",
                    Phase::Drawing => "drawing",
                    Phase::Countdown { .. } => "countdown",
                    Phase::Running { .. } => "running",
                    Phase::Over(_) => "over",
                };
                match phase {
                    Phase::Running { start, .. } => self.begin(start),
                    Phase::Over(_) => self.compare_final_boards(),
                    Phase::Lobby | Phase::Drawing | Phase::Countdown { .. } => {}
                }
            }
            ServerMessage::Setup(setup) => {
                self.number = setup.number;
                self.seeds.push(format!("hushhush{}", self.draws));
            }
            _ => {}
        }
    }

    fn begin(&mut self, start: &Board) {
        let players = self.log.race.members.iter().filter(|member| member.role == PLAYER);
        self.truth = players.map(|member| (member.id, (start.clone(), 0))).collect();
    }

    /// At the end spectators have seen every move.
    fn compare_final_boards(&self) {
        for (member, view) in &self.views {
            if self.log.race.may_watch(*member) {
                let truth = self.truth.iter();
                let boards: BTreeMap<_, _> =
                    truth.map(|(&id, (board, _))| (id, board.clone())).collect();
                assert_eq!(view.boards, boards);
            }
        }
    }

    fn deliver(&mut self, to: PlayerId, message: &ServerMessage, event: &Event) {
        if let ServerMessage::Accepted { seq, .. } = message {
            let Event::Move { play, .. } = event else { panic!("{event:?}") };
            let (board, played) = self.truth.get_mut(&to).unwrap();
            // A repeat is acks, and not played.
            if seq.0 > *played {
                assert_eq!(self.phase, "running");
                board.play(play).unwrap();
                *played += 1;
            }
            assert_eq!(seq.0, *played);
        }
        if let ServerMessage::Joined { room, .. } = message
            && let Some(seat) = &room.seat
        {
            assert_eq!(self.truth[&to], (seat.board.clone(), seat.seq.0));
        }
        if let ServerMessage::Resync(seat) = message {
            assert_eq!(self.truth[&to], (seat.board.clone(), seat.seq.0));
        }
        // A bot of the server has no use for the image, and hears of its changes only.
        if matches!(message, ServerMessage::Image(_))
            && !self.log.race.members.get(to).is_some_and(is_client)
        {
            return;
        }
        match self.views.get_mut(&to) {
            Some(view) => view.fold(message),
            None if matches!(message, ServerMessage::Refused(_)) => {}
            None => {
                self.views.insert(to, View::begin(message));
            }
        }
    }

    fn state_holds(&self) {
        let race = &self.log.race;
        let members: Vec<_> = race.members.iter().collect();
        assert!(members.iter().filter(|member| member.role == PLAYER).count() <= MAX_PLAYERS);
        assert!(race.members.spectators() <= MAX_SPECTATORS);
        let host = race.members.host.map(|host| race.members.get(host).unwrap());
        assert!(host.is_none_or(|host| {
            host.connected && !matches!(host.kind, PlayerKind::HouseBot(_))
        }));
        let client = |m: &&Member| m.connected && is_client(m);
        let reserved = race.members.place == HostPlace::Reserved;
        assert!(!reserved || host.is_none_or(|host| host.operator));
        assert!(reserved || host.is_some() == race.members.iter().any(|m| client(&m)));
        assert!(host.is_none() || !race.is_deserted());
        assert!(race.deadline().is_none_or(|deadline| deadline > self.log.now));
        assert_eq!(race.phase_name(), self.phase);
        assert_eq!(race.phase_name() == "over", self.ended.contains(&race.number()));
        let here: Vec<PlayerId> =
            members.iter().filter(|member| member.connected).map(|member| member.id).collect();
        let viewers: Vec<PlayerId> = self.views.keys().copied().collect();
        let sorted: BTreeSet<PlayerId> = here.into_iter().collect();
        assert_eq!(viewers, sorted.into_iter().collect::<Vec<_>>());
        self.views_hold();
    }

    /// What members were told is how it is.
    fn views_hold(&self) {
        let race = &self.log.race;
        for (member, view) in &self.views {
            assert_eq!(view.roster, race.members.roster());
            assert_eq!(view.setup, race.setup());
            if race.members.get(*member).is_some_and(is_client) {
                assert_eq!(view.image.as_ref(), race.host_image.image.as_ref());
                assert!(view.image.is_none() || race.is_private());
            }
            if let RacePhase::Running(run) = &race.phase
                && race.may_watch(*member)
            {
                let shown: BTreeMap<_, _> =
                    run.feed.boards().into_iter().map(|b| (b.player, b.board)).collect();
                assert_eq!(view.boards, shown);
            }
        }
    }

    fn rejections_change_nothing(&self, event: &Event, before: Option<(u32, Board)>) {
        let (Some(by), Some(before)) = (event.by(), before) else {
            return;
        };
        let rejected = self.log.rejection(by.0).is_some() || self.log.refusal(by.0).is_some();
        if let (true, Some(after)) = (rejected, self.seat(by)) {
            assert_eq!(after, before);
        }
    }
}
