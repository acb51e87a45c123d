//! Hints and their price.

use crate::harness::{TestServer, options, pick};
use gridrace_shared::heat::options::{HintRule, HintStyles};
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::puzzle::HintStyle;
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::util::time::Millis;

#[tokio::test]
async fn a_priced_hint_is_shown_and_added_to_the_time() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let mut options = options("slide:2x2");
    options.hints = HintRule::Priced { seconds: 7 };
    anna.open("Anna", &options).await;
    anna.start().await;

    while !anna.board().is_solved() {
        let (hint, _) = anna.hint().await;
        let play = hint.play(anna.board()).unwrap();
        anna.play(play).await;
    }
    anna.until_over().await;

    let penalties = pick!(anna, ServerMessage::Hint { penalty, .. } => *penalty);
    let row = &anna.result().standings[0];
    assert_eq!(usize::from(row.hints), penalties.len());
    assert_eq!(row.penalty, Millis(options.hints.price().0 * penalties.len() as u64));
    assert_eq!(Some(&row.penalty), penalties.last());
    let RaceState::Finished { time } = row.state else { panic!("{row:?}") };
    assert!(time >= row.penalty);
}

#[tokio::test]
async fn hints_of_a_room_by_method_name_their_stage_and_lead_home() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let mut options = options("slide:3x3");
    options.hints = HintRule::Free;
    options.hint_styles = HintStyles::Method;
    anna.open("Anna", &options).await;
    anna.start().await;

    let mut left = None;
    while !anna.board().is_solved() {
        // What the player would rather have doesn't count here.
        let (hint, distance_change) = anna.hint_in(HintStyle::Shortest).await;
        let Hint::Slide(slide) = &hint else { panic!("{hint:?}") };
        assert_eq!(distance_change, None);
        let stage = slide.stage.unwrap();
        assert!(left.is_none_or(|left| left == (stage.stage, stage.moves)), "{stage:?}");
        let play = hint.play(anna.board()).unwrap();
        let tiles = anna.board().clone().play(&play).unwrap().moves;
        left = Some((stage.stage, stage.moves - tiles)).filter(|(_, moves)| *moves > 0);
        anna.play(play).await;
    }
    anna.until_over().await;
    assert_eq!(left, None);
}
