//! The size of a replay.

use super::*;
use crate::bot::{Bot, Skill};
use crate::solver::plan::SolverResources;

/// Lets bots race to the end, each by itself.
pub(super) fn race(spec: &str, seed: &str, skills: &[Skill]) -> Replay {
    let mut header = header(spec);
    header.secret.seed = seed.parse().unwrap();
    header.commitment = header.secret.commitment(&header.options.spec);
    let start = board(&header);
    let mut acts: Vec<(Millis, PlayerId, RacerEvent)> = Vec::new();
    let mut racers = Vec::new();
    for (id, &skill) in (1..).zip(skills) {
        racers.push(racer(id, PlayerKind::HouseBot(skill)));
        let mut bot = Bot::new(skill, &format!("{seed}-{id}").parse().unwrap());
        let (mut at, mut board) = (Millis(0), start.clone());
        while !board.is_solved() {
            let decision = bot.decide(&board, &SolverResources::none()).unwrap();
            at = at + decision.after;
            board.play(&decision.play).unwrap();
            acts.push((at, PlayerId(id), RacerEvent::Move(decision.play)));
        }
    }
    acts.sort_by_key(|&(at, ..)| at);
    let mut writer = EventLogWriter::new(start, racers).unwrap();
    let ended = acts.last().map_or(Millis(0), |&(at, ..)| at);
    for (at, player, event) in acts {
        writer.record(at, &RecordKind::Racer { player, event }).unwrap();
    }
    replay(header, writer.finish(), ended)
}

#[test]
fn a_heat_of_four_is_below_two_kilobytes() {
    let skills = [Skill::Beginner, Skill::Casual, Skill::Steady, Skill::Expert];
    for (spec, seed) in ["friday", "one", "two", "three"]
        .map(|seed| ("slide:4x4", seed))
        .into_iter()
        .chain([("link:10x10", "friday")])
    {
        let replay = race(spec, seed, &skills);
        let file = replay.encode();
        let moves = replay.events.records().count();
        assert!(file.len() < 2_000, "{} bytes for {moves} moves", file.len());
        let per_move = replay.events.bytes().len() as f64 / moves as f64;
        assert!(per_move < 2.2 || spec == "link:10x10", "{per_move} bytes a move");
        assert_eq!(verify(&file).map(|verdict| verdict.errors), Ok(Vec::new()));
    }
}
