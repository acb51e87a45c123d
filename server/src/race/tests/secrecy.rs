//! Secrecy: what no client may know before GO, and before the end.

use super::*;
use gridrace_shared::heat::commitment::Commitment;

/// All that can be tried before GO, by everybody.
fn before_go(seed: &str) -> Vec<Vec<Effect>> {
    let mut log = Log::drawn(seed, |_| {});
    log.people(2);
    log.joins(3, SPECTATOR);
    log.adds_bot(Some(1), 4);
    log.ready(1);
    let options = log.race.options.clone();
    log.does(Event::Options { by: id(1), options, secret: draw(seed) });
    let play = Move::Slide(Cell(4));
    for by in 1..=4 {
        log.plays(by, 1, play.clone());
        log.asks_hint(by);
    }
    log.does(Event::Start { by: id(1) });
    log.joins(5, PLAYER);
    log.silently_at(2_999);
    for by in 1..=4 {
        log.plays(by, 1, play.clone());
        log.asks_hint(by);
    }
    log.leaves(5);
    assert_eq!(log.race.phase_name(), "countdown");
    log.effects()
}

/// Makes every commitment the same: the one field that may differ.
fn without_commitments(mut log: Vec<Vec<Effect>>, found: &mut Vec<Commitment>) -> Vec<Vec<Effect>> {
    let blank = Commitment::try_from("0".repeat(64)).unwrap();
    let mut wipe = |setup: &mut Setup| found.push(std::mem::replace(&mut setup.commitment, blank));
    for effect in log.iter_mut().flatten() {
        if let Effect::GenerateBoard(commission) = effect {
            // What the shell alone gets to know.
            commission.seed = "0".parse().unwrap();
        }
        if let Effect::Send { message, .. } | Effect::Broadcast { message, .. } = effect {
            match message {
                ServerMessage::Joined { room, .. } => wipe(&mut room.setup),
                ServerMessage::Setup(setup) => wipe(setup),
                _ => {}
            }
        }
    }
    log
}

/// That no effect before GO holds a board, [`World`] checks in every random log.
#[test]
fn two_heats_that_differ_in_the_seed_look_the_same_before_go() {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let one = without_commitments(before_go("one"), &mut ours);
    let other = without_commitments(before_go("another"), &mut theirs);
    assert_eq!(one, other);
    let text = |log: &[Vec<Effect>]| -> Vec<String> { log.iter().flatten().map(json).collect() };
    assert_eq!(text(&one), text(&other));
    assert_eq!(ours.len(), theirs.len());
    assert!(ours.iter().zip(&theirs).all(|(one, other)| one != other));
}

#[test]
fn the_secret_is_in_no_message_before_the_end() {
    let seed = "verysecretseed";
    let mut log = Log::drawn(seed, |options| options.delay_seconds = 0);
    log.people(2);
    log.joins(3, SPECTATOR);
    log.go();
    log.joins(4, PLAYER);
    log.asks_hint(1);
    log.answers();
    log.finishes(1);
    log.silently_at(5_000);
    let Secret { salt, .. } = draw(seed).secret;
    let tells =
        |effect: &Effect| json(effect).contains(seed) || json(effect).contains(&salt.to_string());
    assert!(!log.effects().iter().flatten().any(tells));
    log.gives_up(2);
    assert!(log.last.iter().any(tells));
}
