//! Random logs keep the invariants.

use super::acts::{Act, any_act, any_pause};
use super::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn random_logs_keep_the_invariants(
        acts in prop::collection::vec((any_pause(), any_act()), 1..120),
    ) {
        let mut world = World::new();
        for (pause, act) in acts {
            world.log.now = world.log.now + Millis(pause);
            world.act(act);
        }
    }

    #[test]
    fn a_heat_that_is_left_alone_ends(
        acts in prop::collection::vec((any_pause(), any_act()), 1..60),
    ) {
        let mut world = World::new();
        for (pause, act) in acts {
            world.log.now = world.log.now + Millis(pause);
            world.act(act);
        }
        for _ in 0..400 {
            if world.phase == "drawing" {
                let (behind, outcome) = (0, Ok(()));
                world.act(Act::Drawn { behind, outcome });
            }
            if world.log.race.deadline().is_none() {
                break;
            }
            world.act(Act::Deadline);
        }
        prop_assert!(["lobby", "over"].contains(&world.phase));
    }
}

/// The random logs are worth something only if they get everywhere.
#[test]
fn random_logs_reach_finishes_hints_and_rematches() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for _ in 0..300 {
        let acts = prop::collection::vec((any_pause(), any_act()), 120);
        let acts = acts.new_tree(&mut runner).unwrap().current();
        let mut world = World::new();
        for (pause, act) in acts {
            world.log.now = world.log.now + Millis(pause);
            world.act(act);
        }
        for effect in world.log.effects().iter().flatten() {
            *seen.entry(kind(effect)).or_default() += 1;
        }
    }
    for wanted in
        ["accepted", "rejected", "hint", "rated", "ended", "moves", "dismissed", "second heat"]
    {
        assert!(seen.get(wanted).is_some_and(|&times| times > 20), "{wanted}: {seen:?}");
    }
}

fn kind(effect: &Effect) -> &'static str {
    match effect {
        Effect::Send { message: ServerMessage::Accepted { .. }, .. } => "accepted",
        Effect::Send { message: ServerMessage::Rejected { .. }, .. } => "rejected",
        Effect::Send { message: ServerMessage::Hint { .. }, .. } => "hint",
        Effect::Broadcast { message: ServerMessage::Moves(_), .. } => "moves",
        Effect::Broadcast { message: ServerMessage::Setup(setup), .. } if setup.number > 1 => {
            "second heat"
        }
        Effect::Broadcast { message: ServerMessage::Rated { .. }, .. } => "rated",
        Effect::Dismiss { .. } => "dismissed",
        Effect::Heat(HeatEvent::Ended(_)) => "ended",
        _ => "other",
    }
}
