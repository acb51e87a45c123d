//! What the server says.

use crate::tui::effect::Command;
use crate::tui::model::{
    Errand, Heat, JoinFormError, Key, Line, Model, Overlay, Racing, Return, Screen, Stage,
};
use crate::tui::update::{connection, heat, join, racing, results};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::Standings;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::{Farewell, Moved, Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::{GivenHint, Roster, Setup, Snapshot};
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::util::time::{ClientInstant, ClockEstimate, PingTimes};

/// How many names are tried where the first is taken.
const NAME_VARIANTS: u32 = 6;

/// Takes in a message that arrived at an instant.
pub(super) fn heard(
    model: &mut Model,
    arrived: ClientInstant,
    message: ServerMessage,
) -> Vec<Command> {
    model.link.heard = model.now;
    match message {
        // The connection took it already; a second one changes nothing.
        ServerMessage::Welcome { .. } => Vec::new(),
        ServerMessage::Pong { sent, received, replied } => {
            learn(model, PingTimes { sent, received, replied, arrived })
        }
        ServerMessage::Heats(heats) => join::listed(model, heats),
        ServerMessage::Joined { you, heat } => joined(model, you, *heat),
        ServerMessage::Token { code, player, token } => {
            take_key(model, Key { code, player, token })
        }
        ServerMessage::Refused(why) => refused(model, why),
        ServerMessage::Roster(roster) => set_roster(model, roster),
        ServerMessage::Setup(setup) => set_up(model, setup),
        ServerMessage::Phase(phase) => heat::enter(model, phase),
        ServerMessage::Accepted { seq, at, moves } => racing::accepted(model, seq, at, moves),
        ServerMessage::Rejected { seq, why } => racing::rejected(model, seq, why),
        ServerMessage::Resync(seat) => racing::resync(model, *seat),
        ServerMessage::Standings(standings) => rank(model, standings),
        ServerMessage::Moves(moves) => watch(model, &moves),
        ServerMessage::Hint { after, hint, distance_change, taken, penalty } => {
            in_race(model, |racing| {
                let given = GivenHint { after, hint, distance_change };
                racing::hinted(racing, given, taken, penalty);
            })
        }
        ServerMessage::Rated { number, best } => rate(model, number, best),
        ServerMessage::Unrecorded => unrecorded(model),
        // The screen asks for none.
        ServerMessage::Results(_) => Vec::new(),
        ServerMessage::Recorded => recorded(model),
        ServerMessage::Goodbye(farewell) => goodbye(model, farewell),
    }
}

fn unrecorded(model: &mut Model) -> Vec<Command> {
    if let Some(heat) = model.heat_mut() {
        heat.unrecorded = true;
    }
    model.complain("The server's disk is full or fails: the heat isn't recorded.".to_owned());
    Vec::new()
}

fn recorded(model: &mut Model) -> Vec<Command> {
    if let Some(heat) = model.heat_mut() {
        heat.unrecorded = false;
    }
    model.notice("The server's disk has room again: the heat is recorded.");
    Vec::new()
}

fn learn(model: &mut Model, ping: PingTimes) -> Vec<Command> {
    if std::mem::take(&mut model.link.new_clock) {
        model.clock = ClockEstimate::default();
    }
    model.clock.learn(ping);
    Vec::new()
}

/// Comes into a heat; what was to follow on opening it follows now.
fn joined(model: &mut Model, you: PlayerId, snapshot: Snapshot) -> Vec<Command> {
    model.link.attempts = 0;
    if model.link.way_back == Return::Asked {
        return come_back(model, snapshot);
    }
    let Some(goal) = &mut model.link.goal else {
        return vec![Command::Send(ClientMessage::Leave)];
    };
    model.link.asked = false;
    model.link.key = None;
    let by_key = snapshot.seat.is_some();
    let heat = Heat::new(you, snapshot);
    let again = matches!(model.screen, Screen::Heat(_));
    let name = goal.name();
    let renamed = goal.variant > 1;
    let role = match &goal.errand {
        Errand::Open { .. } => Role::Player,
        Errand::Join { role, .. } | Errand::List { role } => *role,
    };
    let errand = std::mem::replace(&mut goal.errand, Errand::Join { code: heat.code, role });
    model.screen = Screen::Heat(Box::new(heat));
    if by_key {
        model.notice("Back in your seat.");
    } else if again {
        model.notice(format!("Back as a new player, {name}; the old seat can't be taken back."));
    } else if renamed {
        model.notice(format!("That name was taken: you are {name} here."));
    }
    let check = results::check(model);
    match errand {
        Errand::Open { bots, start, seed, .. } => {
            model.link.own_seed = seed;
            let bots = bots.into_iter().map(|skill| ClientMessage::AddBot { skill });
            bots.chain(start.then_some(ClientMessage::Start)).map(Command::Send).collect()
        }
        Errand::Join { .. } | Errand::List { .. } => check,
    }
}

/// Is back in one's seat: what the server hasn't answered is sent again.
fn come_back(model: &mut Model, snapshot: Snapshot) -> Vec<Command> {
    model.link.asked = false;
    model.link.way_back = Return::Seated;
    let Some(heat) = model.heat_mut() else {
        return vec![Command::Send(ClientMessage::Leave)];
    };
    heat.come_back(snapshot);
    model.notice("Back in your seat.");
    let mut commands = results::check(model);
    commands.extend(racing::send_due(model));
    commands
}

/// Keeps what takes up the seat, and says so where another was shown for it.
fn take_key(model: &mut Model, key: Key) -> Vec<Command> {
    model.link.key = Some(key);
    match std::mem::take(&mut model.link.way_back) {
        Return::None | Return::Asked => Vec::new(),
        Return::Seated => vec![Command::Send(ClientMessage::Confirm)],
    }
}

fn refused(model: &mut Model, why: Refusal) -> Vec<Command> {
    if why == Refusal::Unproven {
        // Mostly a proxy hides how the server was dialled. One gets in all the same.
        model.complain("Nobody knows you here: the proof of your key does not hold.".to_owned());
        return Vec::new();
    }
    if std::mem::take(&mut model.link.asked) {
        return match model.link.way_back {
            Return::Asked => refused_return(model, why),
            Return::None | Return::Seated => refused_entry(model, why),
        };
    }
    if let Some(Stage::Racing(racing)) = model.heat_mut().map(|heat| &mut heat.stage) {
        racing.hints.pending = false;
    }
    if let (Refusal::Options(fault), Some(Overlay::Options(form))) = (why, &mut model.overlay) {
        form.blame(fault);
    }
    model.complain(sentence(&why.to_string()));
    Vec::new()
}

/// The server doesn't give one's seat back: for good, unless too many want theirs at once.
fn refused_return(model: &mut Model, why: Refusal) -> Vec<Command> {
    if matches!(why, Refusal::TooFast | Refusal::Busy) {
        return connection::resume_later(model);
    }
    let text = if why == Refusal::NotResumed {
        "Your seat is gone: it was kept for a while, and then given up.".to_owned()
    } else {
        sentence(&why.to_string())
    };
    connection::go_home(model, Some(text))
}

/// The server doesn't let one in, or has no list to give.
fn refused_entry(model: &mut Model, why: Refusal) -> Vec<Command> {
    let Some(goal) = &mut model.link.goal else {
        return Vec::new();
    };
    if why == Refusal::NameTaken && goal.variant < NAME_VARIANTS {
        // Often it is one's own seat, whose connection was lost.
        goal.variant += 1;
        model.link.asked = true;
        return vec![Command::Send(goal.request())];
    }
    let text = sentence(&why.to_string());
    let mut form = match &model.screen {
        Screen::Join(form) => form.clone(),
        Screen::Choose(choose) => choose.form.clone(),
        Screen::Home(_) | Screen::Waiting(_) | Screen::Heat(_) | Screen::Replay(_) => {
            return connection::go_home(model, Some(text));
        }
    };
    let fault = match why {
        Refusal::NoSuchHeat => Some(JoinFormError::Code),
        Refusal::Name(_) | Refusal::NameTaken => Some(JoinFormError::Name),
        Refusal::WrongPin => Some(JoinFormError::Pin),
        Refusal::InAHeat
        | Refusal::NotInAHeat
        | Refusal::HelloTwice
        | Refusal::Options(_)
        | Refusal::Full
        | Refusal::Busy
        | Refusal::WrongPhase
        | Refusal::NotHost
        | Refusal::NotSeated
        | Refusal::NoSuchPlayer
        | Refusal::NoBots
        | Refusal::NoPlayers
        | Refusal::NoHints
        | Refusal::HintPending
        | Refusal::HintBusy
        | Refusal::HintUnsolved(_)
        | Refusal::NotDrawn
        | Refusal::NotResumed
        | Refusal::Nobody
        | Refusal::NoResults
        | Refusal::Unproven
        | Refusal::TooFast => None,
    };
    form.fail(fault, text);
    model.screen = Screen::Join(form);
    model.link = crate::tui::model::Link::default();
    vec![Command::Disconnect]
}

fn set_roster(model: &mut Model, roster: Roster) -> Vec<Command> {
    let Some(heat) = model.heat_mut() else {
        return Vec::new();
    };
    let was_host = heat.is_host();
    heat.set_roster(roster);
    if heat.is_host() && !was_host {
        model.notice("You are the host now.");
    }
    Vec::new()
}

fn set_up(model: &mut Model, setup: Setup) -> Vec<Command> {
    if let Some(heat) = model.heat_mut() {
        heat.setup = setup;
    }
    Vec::new()
}

fn rank(model: &mut Model, standings: Standings) -> Vec<Command> {
    let Some(heat) = model.heat_mut() else {
        return Vec::new();
    };
    // Once the heat is over the result has the last word.
    if !matches!(heat.stage, Stage::Results(_)) {
        heat.rank(standings);
    }
    racing::follow_standings(heat);
    Vec::new()
}

/// Takes in what the board of the heat that is over needed.
fn rate(model: &mut Model, number: u32, best: MoveBounds) -> Vec<Command> {
    let Some(heat) = model.heat_mut() else {
        return Vec::new();
    };
    let of_this_heat = heat.raced_setup().number == number;
    if let (Stage::Results(results), true) = (&mut heat.stage, of_this_heat) {
        results.result.best = Some(best);
    }
    Vec::new()
}

fn watch(model: &mut Model, moves: &[Moved]) -> Vec<Command> {
    if let Some(Stage::Watching(watching)) = model.heat_mut().map(|heat| &mut heat.stage) {
        watching.play(moves);
    }
    Vec::new()
}

fn in_race(model: &mut Model, change: impl FnOnce(&mut Racing)) -> Vec<Command> {
    if let Some(Stage::Racing(racing)) = model.heat_mut().map(|heat| &mut heat.stage) {
        change(racing);
    }
    Vec::new()
}

/// Being sent away ends it at once; otherwise the close that follows says what comes next.
fn goodbye(model: &mut Model, farewell: Farewell) -> Vec<Command> {
    model.link.farewell = Some(farewell);
    match farewell {
        Farewell::Kicked => connection::go_home(model, Some(sentence(&farewell.to_string()))),
        Farewell::ShuttingDown
        | Farewell::TooSlow
        | Farewell::Flooding
        | Farewell::Malformed
        | Farewell::Silent
        | Farewell::Superseded
        | Farewell::Version { .. }
        | Farewell::Busy { .. }
        | Farewell::Broken => {
            if model.link.line == Line::Up {
                model.complain(sentence(&farewell.to_string()));
            }
            Vec::new()
        }
    }
}

/// Makes an error's text a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String =
        letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
