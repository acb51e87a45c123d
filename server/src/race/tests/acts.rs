//! The acts of a random log.

use super::host_image::image;
use super::returns::{Credential, any_token, key_of_all};
use super::solver::plan;
use super::*;
use proptest::prelude::*;

/// Indexes below this pick a member who is here.
const HERE: usize = 16;

/// What may happen. Members are picked by an index, see [`World::who`]; `behind` counts back from the
/// latest request or heat; `Deadline` advances the clock to it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    Join { bot: bool, role: Role },
    JoinAs { taken: usize },
    Leave(usize),
    Lost(usize),
    Recovered { away: u64, is_damaged: bool },
    Recording(bool),
    Resume { by: usize, token: Credential },
    AddressChanged { member: usize, last: Option<u8> },
    Confirm(usize),
    Options { by: usize, change: u8 },
    Ready(usize, bool),
    EverybodyReady,
    Start(usize),
    Drawn { behind: u32, outcome: Result<(), BoardError> },
    Kick(usize, usize),
    AddBot(Option<usize>),
    TakeSeat(usize),
    LeaveSeat(usize),
    Move { by: usize, skew: u32, pick: usize },
    Advance { by: usize, moves: usize },
    Hint(usize, HintStyle),
    Hinted(usize),
    Rated { behind: u32, best: u32 },
    GiveUp(usize),
    Rematch(Option<usize>),
    EndHeat(usize),
    Ban(usize, usize),
    Unban(usize),
    Hold(usize, bool),
    HandOver(usize, usize),
    Announce(usize),
    Image(usize, bool),
    Configured(bool),
    Tick,
    Deadline,
}

pub(super) fn any_act() -> impl Strategy<Value = Act> {
    let who = || 0usize..HERE + 2;
    let role = prop_oneof![3 => Just(PLAYER), 1 => Just(SPECTATOR)];
    prop_oneof![
        6 => (prop::bool::weighted(0.2), role).prop_map(|(bot, role)| Act::Join { bot, role }),
        1 => who().prop_map(|taken| Act::JoinAs { taken }),
        1 => who().prop_map(Act::Leave),
        2 => who().prop_map(Act::Lost),
        1 => (0u64..90_000, any::<bool>())
            .prop_map(|(away, is_damaged)| Act::Recovered { away, is_damaged }),
        1 => any::<bool>().prop_map(Act::Recording),
        6 => (who(), any_token()).prop_map(|(by, token)| Act::Resume { by, token }),
        3 => (who(), prop::option::of(0u8..3))
            .prop_map(|(member, last)| Act::AddressChanged { member, last }),
        2 => who().prop_map(Act::Confirm),
        1 => (who(), any::<u8>()).prop_map(|(by, change)| Act::Options { by, change }),
        2 => (who(), any::<bool>()).prop_map(|(by, ready)| Act::Ready(by, ready)),
        2 => Just(Act::EverybodyReady),
        2 => who().prop_map(Act::Start),
        8 => (prop_oneof![8 => Just(0u32), 1 => Just(1)], any_outcome())
            .prop_map(|(behind, outcome)| Act::Drawn { behind, outcome }),
        2 => (who(), who()).prop_map(|(by, whom)| Act::Kick(by, whom)),
        2 => prop::option::of(who()).prop_map(Act::AddBot),
        1 => who().prop_map(Act::TakeSeat),
        1 => who().prop_map(Act::LeaveSeat),
        6 => (who(), prop_oneof![4 => Just(1u32), 1 => Just(0), 1 => Just(2)], 0usize..6)
            .prop_map(|(by, skew, pick)| Act::Move { by, skew, pick }),
        12 => (who(), 1usize..25).prop_map(|(by, moves)| Act::Advance { by, moves }),
        10 => (who(), prop_oneof![Just(HintStyle::Shortest), Just(HintStyle::Method)])
            .prop_map(|(by, style)| Act::Hint(by, style)),
        12 => who().prop_map(Act::Hinted),
        2 => (prop_oneof![4 => Just(0u32), 1 => Just(1)], 1u32..9)
            .prop_map(|(behind, best)| Act::Rated { behind, best }),
        1 => who().prop_map(Act::GiveUp),
        3 => prop::option::of(who()).prop_map(Act::Rematch),
        1 => who().prop_map(Act::EndHeat),
        1 => (who(), who()).prop_map(|(by, whom)| Act::Ban(by, whom)),
        1 => who().prop_map(Act::Unban),
        1 => (who(), prop::bool::weighted(0.3)).prop_map(|(by, hold)| Act::Hold(by, hold)),
        2 => (who(), who()).prop_map(|(by, whom)| Act::HandOver(by, whom)),
        1 => who().prop_map(Act::Announce),
        2 => (who(), any::<bool>()).prop_map(|(by, has_image)| Act::Image(by, has_image)),
        1 => any::<bool>().prop_map(Act::Configured),
        1 => Just(Act::Tick),
        5 => Just(Act::Deadline),
    ]
}

fn any_outcome() -> impl Strategy<Value = Result<(), BoardError>> {
    prop_oneof![
        16 => Just(Ok(())),
        1 => Just(Err(BoardError::Busy)),
        1 => Just(Err(BoardError::Broken)),
    ]
}

pub(super) fn any_pause() -> impl Strategy<Value = u64> {
    prop_oneof![12 => Just(0), 2 => Just(1), 6 => 1u64..150, 1 => 500u64..3_000]
}

impl World {
    /// Picks mostly a member who is here, sometimes one who went, or none.
    fn who(&self, index: usize) -> PlayerId {
        let here: Vec<PlayerId> = self.views.keys().copied().collect();
        match index {
            0..HERE if !here.is_empty() => here[index % here.len()],
            _ => self.came.get(index % HERE).copied().unwrap_or(id(9_999)),
        }
    }

    pub(super) fn fresh(&mut self) -> PlayerId {
        let fresh = id(u32::try_from(self.came.len()).unwrap() + 1);
        self.came.push(fresh);
        fresh
    }

    fn joins(&mut self, newcomer: Newcomer) {
        let id = self.fresh();
        self.does(&Event::Join { id, newcomer, token: token(id.0, 0) });
    }

    pub(super) fn draw(&mut self) -> HeatSecret {
        self.draws += 1;
        draw(&format!("hushhush{}", self.draws))
    }

    pub(super) fn act(&mut self, act: Act) {
        match act {
            Act::Join { bot, role } => {
                let name = format!("Person {}", self.came.len() + 1).parse().unwrap();
                let identity = Some(key_of_all());
                self.joins(Newcomer { bot, role, identity, ..Newcomer::person(name) });
            }
            Act::JoinAs { taken } => {
                let name = format!("Person {}", self.who(taken)).parse().unwrap();
                self.joins(Newcomer::person(name));
            }
            Act::Leave(by) => self.does(&Event::Leave { by: self.who(by) }),
            Act::Lost(by) => self.does(&Event::Lost { by: self.who(by) }),
            Act::Resume { by, token } => self.resumes(by, token),
            Act::Recovered { away, is_damaged } => {
                // The race tells what is due to members that a new server doesn't serve yet.
                self.does(&Event::Tick);
                if is_damaged {
                    self.does(&Event::JournalDamaged);
                }
                self.views.clear(); // the bots' as well
                self.does(&Event::Recovered { away: Millis(away) });
            }
            Act::Recording(recorded) => self.does(&Event::Recording { recorded }),
            Act::AddressChanged { member, last } => {
                let address = last.map(|last| [192, 0, 2, last].into());
                self.does(&Event::AddressChanged { member: self.who(member), address });
            }
            Act::Confirm(by) => self.does(&Event::Confirm { by: self.who(by) }),
            Act::Options { by, change } => {
                let options = changed(&self.log.race.options, change);
                let secret = self.draw();
                self.does(&Event::Options { by: self.who(by), options, secret });
            }
            Act::Ready(by, ready) => self.does(&Event::Ready { by: self.who(by), ready }),
            Act::EverybodyReady => {
                for by in self.came.clone() {
                    self.does(&Event::Ready { by, ready: true });
                }
            }
            Act::Start(by) => self.does(&Event::Start { by: self.who(by) }),
            Act::Drawn { behind, outcome } => self.is_drawn(behind, outcome),
            Act::Kick(by, whom) => {
                self.does(&Event::Kick { by: self.who(by), player: self.who(whom) });
            }
            Act::AddBot(by) => {
                let by = by.map(|by| self.who(by));
                let id = self.fresh();
                self.does(&Event::AddBot { by, id, skill: Skill::Casual });
            }
            Act::TakeSeat(by) => self.does(&Event::TakeSeat { by: self.who(by) }),
            Act::LeaveSeat(by) => self.does(&Event::LeaveSeat { by: self.who(by) }),
            Act::Move { by, skew, pick } => self.moves(self.who(by), skew, pick),
            Act::Advance { by, moves } => (0..moves).for_each(|_| self.advances(self.who(by))),
            Act::Hint(by, style) => self.does(&Event::Hint { by: self.who(by), style }),
            Act::Hinted(by) => self.is_hinted(self.who(by)),
            Act::Rated { behind, best } => {
                let number = self.log.race.number().saturating_sub(behind);
                let best = MoveBounds::of(1, best);
                self.does(&Event::Rated { number, best });
            }
            Act::GiveUp(by) => self.does(&Event::GiveUp { by: self.who(by) }),
            Act::Rematch(by) => {
                let by = by.map(|by| self.who(by));
                let secret = self.draw();
                self.does(&Event::Rematch { by, secret });
            }
            Act::EndHeat(by) => self.does(&Event::EndHeat { by: self.who(by) }),
            Act::Ban(by, whom) => {
                self.does(&Event::Ban { by: self.who(by), player: self.who(whom) });
            }
            Act::Unban(by) => self.does(&Event::Unban { by: self.who(by), key: key_of_all() }),
            Act::Hold(by, hold) => self.does(&Event::Hold { by: self.who(by), hold }),
            Act::HandOver(by, whom) => {
                self.does(&Event::HandOver { by: self.who(by), player: self.who(whom) });
            }
            Act::Announce(by) => {
                let text = "Pause".parse().unwrap();
                self.does(&Event::Announce { by: self.who(by), text });
            }
            Act::Image(by, has_image) => {
                let image = has_image.then(|| image(self.draws));
                self.does(&Event::Image { by: self.who(by), image });
            }
            Act::Configured(obeys) => {
                let operators = obeys.then(key_of_all).into_iter().collect();
                self.does(&Event::Configured { operators, is_standing: true });
            }
            Act::Tick => self.does(&Event::Tick),
            Act::Deadline => {
                self.log.now = self.log.race.deadline().unwrap_or(self.log.now);
                self.does(&Event::Tick);
            }
        }
    }

    pub(super) fn seat(&self, by: PlayerId) -> Option<(u32, Board)> {
        self.log.race.seat(by).map(|seat| (seat.seq.0, seat.board.clone()))
    }

    /// Plays any cell of the board, legal or not, or one that is on no board; on a
    /// Numberlink any short stroke, or one that is illegal.
    fn moves(&mut self, by: PlayerId, skew: u32, pick: usize) {
        let seq = self.seat(by).map_or(0, |(seq, _)| seq);
        let play = match self.seat(by) {
            Some((_, board @ Board::Link(_))) => any_stroke(&board, pick),
            Some((_, Board::Slide(_))) | None => Move::Slide(Cell(u16::try_from(pick).unwrap())),
        };
        self.does(&Event::Move { by, seq: Seq(seq + skew), play });
    }

    fn advances(&mut self, by: PlayerId) {
        let Some((seq, board)) = self.seat(by) else {
            return;
        };
        if let Some(hint) = plan(&board).next(&board) {
            self.does(&Event::Move { by, seq: Seq(seq + 1), play: hint.play(&board).unwrap() });
        }
    }

    /// Brings the board that is waited for, or one of before, or none.
    fn is_drawn(&mut self, behind: u32, outcome: Result<(), BoardError>) {
        let ticket = self.log.race.board_requests.saturating_sub(behind);
        let commission = self.log.commissions.get(&ticket);
        let Some(BoardRequest { spec, seed, .. }) = commission else {
            return;
        };
        let outcome = outcome.map(|()| GeneratedBoard::of(spec, seed));
        self.does(&Event::Drawn { ticket, outcome });
    }

    /// Answers a player who waits for a hint, or one who doesn't.
    fn is_hinted(&mut self, by: PlayerId) {
        let race = &self.log.race;
        let waits = |by: &PlayerId| race.seat(*by).is_some_and(|seat| seat.hint_pending.is_some());
        let by = race.members.iter().map(|member| member.id).find(waits).unwrap_or(by);
        let Some((seq, board)) = self.seat(by) else {
            return;
        };
        let number = self.log.race.number();
        let known = SolutionKnowledge::find(&board);
        let style = self.log.race.seat(by).and_then(|seat| seat.hint_pending).unwrap_or_default();
        let step = self.log.answer(by, number, (Seq(seq), style, 1), &board, None, &known);
        if let HintStep::Answer(outcome) = step {
            self.does(&Event::Hinted { by, number, outcome });
        }
    }
}

fn any_stroke(board: &Board, pick: usize) -> Move {
    let mut strokes = board.legal_moves();
    match pick {
        0 => Move::Slide(Cell(0)),
        1 => Move::Link(Stroke::Draw(vec![Cell(900)])),
        2 => Move::Link(Stroke::Undo),
        _ if strokes.is_empty() => Move::Link(Stroke::Draw(Vec::new())),
        _ => strokes.swap_remove(pick * 7 % strokes.len()),
    }
}

fn changed(options: &HeatOptions, change: u8) -> HeatOptions {
    HeatOptions {
        bots_allowed: change & 1 == 0,
        delay_seconds: u16::from(change >> 1 & 3),
        hints: if change & 8 == 0 { HintRule::Priced { seconds: 5 } } else { HintRule::Off },
        // One of four is out of bounds.
        countdown_seconds: u16::from(change >> 4 & 3),
        spec: if change & 64 == 0 {
            "slide:2x2".parse().unwrap()
        } else {
            "link:4x4".parse().unwrap()
        },
        hint_styles: if change & 128 == 0 { HintStyles::Any } else { HintStyles::Method },
        private: change & 32 != 0,
        // Refused where the puzzle is the other one.
        picture: change & 128 != 0,
        ..options.clone()
    }
}
