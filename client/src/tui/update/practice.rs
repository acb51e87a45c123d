//! Races that are kept, and ghosts.

use crate::practice::ghost::{self, Ghost};
use crate::practice::race_recorder::RaceRecorder;
use crate::tui::effect::Effect;
use crate::tui::model::{HeatModel, HeatPhase, Model, NewRoom, Replaying, Screen};
use crate::tui::race_keeper::{RaceAnswer, RaceRequest, ReplayUse};
use crate::tui::update::requests::is_heard_or_complain;
use crate::tui::update::{home, lobby};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat_view::HeatChange;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::Snapshot;
use std::time::Duration;

/// Between two times that the race under way is saved.
const SAVE_INTERVAL: Duration = Duration::from_secs(2);

/// Looks at a message before it is applied.
pub(super) fn before(model: &mut Model, message: &ServerMessage) {
    let Some(heat) = model.shown_heat() else { return };
    let now = model.heat_now(heat);
    let Screen::Heat(heat) = &mut model.screen else { return };
    ghost::withdraw(&mut heat.view.standings);
    if let (Some(race), Some(recorder)) = (heat.view.race(), &mut model.practice.recorder) {
        recorder.observe(race, now, message);
    }
}

/// Looks at the snapshot with which the player comes back, before it is taken over.
pub(super) fn before_resume(model: &mut Model, snapshot: &Snapshot) {
    let Some(heat) = model.shown_heat() else { return };
    let now = model.heat_now(heat);
    let Screen::Heat(heat) = &mut model.screen else { return };
    ghost::withdraw(&mut heat.view.standings);
    if let (Some(race), Some(recorder), Some(seat)) =
        (heat.view.race(), &mut model.practice.recorder, &snapshot.seat)
    {
        recorder.accepted(race, seat.seq, now.since(race.go));
    }
}

/// Follows what a message changed: begins to record at GO, and keeps the race at the end.
pub(super) fn after(model: &mut Model, change: HeatChange) {
    follow(model);
    if change == HeatChange::Rated
        && let Some(heat) = model.shown_heat()
        && let Some(result) = heat.result()
        && let Some(best) = result.best
    {
        let (puzzle, seed) = (heat.raced_setup().options.spec, result.reveal.seed.clone());
        model.emit(Effect::Races(RaceRequest::Rate { puzzle, seed, best }));
    }
}

/// Records the race on the screen, keeps it once it is over, and shows the ghost.
pub(super) fn follow(model: &mut Model) {
    keep_left(model);
    // A lesson is no race.
    if model.tutorial.is_some() {
        return;
    }
    let Some(heat) = model.shown_heat() else { return };
    let now = model.heat_now(heat);
    let Screen::Heat(heat) = &mut model.screen else { return };
    let recorder = &mut model.practice.recorder;
    match &heat.view.phase {
        HeatPhase::Racing(race) => {
            let recorder = recorder.get_or_insert_with(|| RaceRecorder::new(&heat.view, race));
            recorder.note_standing(&heat.view, now);
            save(model);
        }
        HeatPhase::Over(_) => {
            let ended = recorder.take().zip(heat.view.finished());
            if let Some(race) = ended.and_then(|(recorder, heat)| recorder.end(&heat, now)) {
                model.emit(Effect::Races(RaceRequest::Keep(Box::new(race))));
            }
        }
        // Finishers may watch the others.
        HeatPhase::Watching(_)
        | HeatPhase::Lobby
        | HeatPhase::Drawing { .. }
        | HeatPhase::Countdown { .. } => {}
    }
    show_ghost(model);
}

/// Saves the recorded race now and then, lest it be lost with a program that is killed.
fn save(model: &mut Model) {
    let practice = &mut model.practice;
    if practice.next_save <= model.now
        && let Some(race) = practice.recorder.as_ref().and_then(RaceRecorder::left)
    {
        practice.next_save = model.now + SAVE_INTERVAL;
        model.emit(Effect::Races(RaceRequest::Save(Box::new(race))));
    }
}

/// Keeps the recorded race if the screen shows another heat by now, or none.
pub(super) fn keep_left(model: &mut Model) {
    let is_here = |recorder: &RaceRecorder| match model.shown_heat() {
        Some(heat) => match &heat.view.phase {
            HeatPhase::Racing(_) | HeatPhase::Watching(_) | HeatPhase::Over(_) => {
                recorder.is_of(heat.view.code, heat.view.raced_setup().number)
            }
            HeatPhase::Lobby | HeatPhase::Drawing { .. } | HeatPhase::Countdown { .. } => false,
        },
        None => false,
    };
    if !model.practice.recorder.as_ref().is_none_or(is_here) {
        leave(model);
    }
}

/// Keeps the recorded race as it stands: the player leaves before the end of the heat.
pub(super) fn leave(model: &mut Model) {
    if let Some(race) = model.practice.recorder.take().and_then(|recorder| recorder.left()) {
        model.emit(Effect::Races(RaceRequest::Keep(Box::new(race))));
    }
}

/// Lets the ghost go on to the present.
pub(super) fn show_ghost(model: &mut Model) {
    let Some(heat) = model.shown_heat() else { return };
    let now = model.heat_now(heat);
    let (Screen::Heat(heat), Some(ghost)) = (&mut model.screen, &mut model.practice.ghost) else {
        return;
    };
    let go = heat.view.race().map_or(now, |race| race.go);
    ghost.appear(&mut heat.view, now.since(go));
}

pub(super) fn answered(model: &mut Model, answer: RaceAnswer) {
    match answer {
        RaceAnswer::Kept(note) => {
            if let Some(HeatModel { panel, view, .. }) = model.joined_heat_mut()
                && view.result().is_some()
            {
                panel.results.kept = Some(note);
            }
        }
        RaceAnswer::Listed { races, now } => {
            if let Screen::Stats(stats) = &mut model.screen {
                stats.fill(races, now);
            }
        }
        RaceAnswer::Replay(replay, ReplayUse::Watch) => {
            if let Screen::Stats(stats) = &mut model.screen {
                model.practice.stats_behind = Some(std::mem::take(stats));
                model.screen = Screen::Replay(Box::new(Replaying::new(*replay)));
            }
        }
        RaceAnswer::Replay(replay, ReplayUse::Ghost) if asks_for_ghosts(model) => {
            match Ghost::new(*replay) {
                Some(ghost) => race_against(model, ghost),
                None => model.complain("There is no player in this replay."),
            }
        }
        // The player has gone elsewhere.
        RaceAnswer::Replay(_, ReplayUse::Ghost) => {}
        RaceAnswer::Failed(why) => model.complain(why),
    }
}

/// Goes back from a replay to the statistics that it was chosen from; returns whether there are
/// any.
pub(super) fn back_to_stats(model: &mut Model) -> bool {
    let Some(stats) = model.practice.stats_behind.take() else { return false };
    model.screen = Screen::Stats(stats);
    true
}

/// Says whether the screen is one on which ghosts are asked for.
fn asks_for_ghosts(model: &Model) -> bool {
    matches!(model.screen, Screen::Stats(_))
        || model.shown_heat().is_some_and(|heat| matches!(heat.phase, HeatPhase::Over(_)))
}

/// Asks for the ghost of the player's best race on the puzzle of the heat that is over.
pub(super) fn race_best(model: &mut Model) {
    let Some(heat) = model.shown_heat() else { return };
    let spec = heat.raced_setup().options.spec;
    if !heat.is_host() || model.other_people() > 0 {
        return model.notice("Ghosts race only when you race alone.");
    }
    model.emit(Effect::Races(RaceRequest::Best(spec)));
}

/// Races on a ghost's board: in the room that the player is alone in, or in a new one.
fn race_against(model: &mut Model, ghost: Ghost) {
    let (spec, seed) = ghost.board_name();
    let seed = Some(seed.clone());
    if model.shown_heat().is_some() && !is_heard_or_complain(model) {
        return;
    }
    model.practice.ghost = Some(ghost);
    if let Some(heat) = model.shown_heat() {
        let options = HeatOptions { spec, ..heat.setup.options.clone() };
        let is_over = matches!(heat.phase, HeatPhase::Over(_));
        if is_over && heat.is_host() && model.other_people() == 0 {
            model.send(ClientMessage::Rematch);
            lobby::send_options(model, options, seed);
            model.send(ClientMessage::Start);
        }
        return;
    }
    let options = HeatOptions { private: true, ..HeatOptions::new(spec) };
    let room = NewRoom { options, seed, bots: Vec::new(), image: None, start: true };
    home::race_alone(model, room);
}
