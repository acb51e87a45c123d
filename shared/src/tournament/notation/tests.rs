use super::*;
use crate::tournament::plan::StageError;
use proptest::option;
use proptest::prelude::*;

fn plan(text: &str) -> TournamentPlan {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn error(text: &str) -> String {
    text.parse::<TournamentPlan>().unwrap_err().to_string()
}

#[test]
fn the_short_notations_are_shown_as_they_are_written() {
    for text in [
        "series:5",
        "series:5:f1",
        "series/8:3+knockout",
        "series:bo5",
        "series:3:p10-6-3-1",
        "series:4:sum",
        "ao5",
        "ao12",
        "mo3",
        "ao5/8+ao5",
        "heats:32/8+final:5",
        "heats:8/2+final:3",
        "heats:8/2:3:kart+final:5:f1",
        "swiss:8x5",
        "swiss:2x6:bo3",
        "swiss:8x5/8+final:5",
        "roundrobin",
        "roundrobin:bo3",
        "roundrobin/4+knockout:bo5",
        "knockout",
        "knockout:bo3",
        "knockout:ao5",
        "double",
        "double:bo5",
        "lastout:2",
        "lastout:4/4+final:5",
        "arena:4x20m",
        "arena:4x20m/8+knockout",
        "series:5~best,progress",
        "series:5~none",
        "series:5@slide:4x4,link:9x9:hard",
        "swiss:8x5@slide:3x3+final:3@slide:5x5@teams:3",
        "series:5@teams:4",
    ] {
        assert_eq!(plan(text).to_string(), text);
    }
}

#[test]
fn what_says_the_default_is_left_out() {
    for (long, short) in [
        ("series", "series:5"),
        ("series:5:linear", "series:5"),
        ("final:5", "series:5"),
        ("series:ao5", "ao5"),
        ("knockout:bo1", "knockout"),
        ("heats:32/8:1:place + final", "heats:32/8+final:5"),
        ("lastout:2/1", "lastout:2"),
        ("swiss:8x5:linear", "swiss:8x5"),
        ("series:5~countback,best,progress", "series:5"),
    ] {
        assert_eq!(plan(long).to_string(), short);
    }
}

#[test]
fn a_wrong_text_is_refused_with_place_and_what_is_accepted() {
    for (text, expected) in [
        ("", "a plan is a text of 1 to 4096 characters, such as heats:32/8+final:5"),
        ("chess", "stage 1, \"chess\": the formats are series, final, ao5, mo3, heats"),
        ("series:5+", "stage 2, \"\": the formats are"),
        ("heats:32", "stage 1, \"heats:32\": it is written like heats:32/8"),
        ("heats", "stage 1, \"heats\": it is written like heats:32/8"),
        ("swiss:8+final:5", "it is written like swiss:8x5 or swiss:8x5/8"),
        ("arena:4x20", "it is written like arena:4x20m"),
        ("knockout/4", "it is written like knockout or knockout:bo3"),
        ("series:five", "\"five\" is no option: a number of boards, linear, f1"),
        ("series:5:3", "\"3\" says again what an option before it said"),
        ("ao5:f1", "\"f1\" says again"),
        ("series:p1-2", "points are 1 to 32 numbers up to 1000"),
        ("series:5~luck", "\"luck\" is no tie-break; there are none, or some of wins, countback"),
        ("series:5@chess", "puzzle \"chess\": a puzzle is written like"),
        ("series:5@teams:many", "\"many\" in @teams:N is not a number of members"),
        ("series:05", "\"05\" is no option"),
        ("series:2:~none", "a colon is followed by an option; ~ and @ follow without a colon"),
        ("series@slide:4x4~best", "tie-breaks stand before the puzzles"),
        ("series:13", "stage 1: the number of boards is 1 to 12, not 13"),
        ("heats:32/17+final", "stage 1: the number that goes on from a table is 1 to 16, not 17"),
        ("series:5@teams:33", "of a team, 1 to 32 members count, not 33"),
    ] {
        assert!(error(text).contains(expected), "{text}: {}", error(text));
    }
    assert_eq!(
        "knockout+final".parse::<TournamentPlan>(),
        Err(NotationError::Plan(PlanError::Stage {
            stage: 0,
            error: StageError::LeavesOne("knockout")
        }))
    );
}

fn any_format() -> impl Strategy<Value = Format> {
    let top = || option::of(2u16..=1_024);
    prop_oneof![
        top().prop_map(|top| Format::Series { top }),
        (1u8..=32, 1u16..=1_024).prop_map(|(drop, until)| Format::LastOut { drop, until }),
        (2u8..=32, 1u8..=16).prop_map(|(table, top)| Format::Heats { table, top }),
        (2u8..=32, 1u8..=20, top()).prop_map(|(table, rounds, top)| Format::Swiss {
            table,
            rounds,
            top
        }),
        top().prop_map(|top| Format::RoundRobin { top }),
        Just(Format::Knockout),
        Just(Format::Double),
        (2u8..=32, 1u16..=1_440, top()).prop_map(|(table, minutes, top)| Format::Arena {
            table,
            minutes,
            top
        }),
    ]
}

fn any_score() -> impl Strategy<Value = ScoreRule> {
    let custom = prop::collection::vec(0u16..=1_000, 1..32).prop_map(|mut points| {
        points.sort_unstable_by(|a, b| b.cmp(a));
        points[0] = points[0].max(1);
        PointsTable::Custom(CustomPoints::new(points).unwrap())
    });
    prop_oneof![
        Just(ScoreRule::Points(PointsTable::Linear)),
        Just(ScoreRule::Points(PointsTable::F1)),
        Just(ScoreRule::Points(PointsTable::Kart)),
        custom.prop_map(ScoreRule::Points),
        Just(ScoreRule::Place),
        Just(ScoreRule::Sum),
        Just(ScoreRule::BestOf),
        Just(ScoreRule::Average),
        Just(ScoreRule::Mean),
    ]
}

fn any_stage() -> impl Strategy<Value = TournamentStage> {
    let tie_breaks =
        option::of(prop::sample::subsequence(TieBreak::iter().collect::<Vec<_>>(), 0..=8));
    let puzzle = prop_oneof![Just("slide:4x4"), Just("link:9x9:hard")];
    let puzzles = prop::collection::vec(puzzle.prop_map(|text| text.parse().unwrap()), 0..3);
    (any_format(), option::of(1u8..=12), option::of(any_score()), tie_breaks, puzzles).prop_map(
        |(format, boards, score, tie_breaks, puzzles)| {
            let mut stage = TournamentStage::new(format);
            stage.boards = boards.unwrap_or(stage.boards);
            stage.score = score.unwrap_or(stage.score);
            stage.tie_breaks = tie_breaks.unwrap_or_else(|| stage.score.default_tie_breaks());
            stage.puzzles = puzzles;
            stage
        },
    )
}

/// Plans out of any stages, most of which don't pass the checks of a plan.
fn any_plan() -> impl Strategy<Value = Option<TournamentPlan>> {
    (prop::collection::vec(any_stage(), 1..4), option::of(1u8..=32))
        .prop_map(|(stages, scorers)| TournamentPlan::new(stages, scorers).ok())
}

#[test]
fn enough_of_the_generated_plans_are_plans() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut draw = || any_plan().new_tree(&mut runner).unwrap().current();
    assert!((0..1_000).filter(|_| draw().is_some()).count() > 100);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_plan_is_read_back_as_it_is_shown(plan in any_plan()) {
        if let Some(plan) = plan {
            let text = plan.to_string();
            prop_assert_eq!(text.parse::<TournamentPlan>(), Ok(plan.clone()), "{}", text);
            let json = serde_json::to_string(&plan).unwrap();
            prop_assert_eq!(serde_json::from_str::<TournamentPlan>(&json).unwrap(), plan);
        }
    }

    #[test]
    fn no_text_makes_the_reader_fail(text in "(series|heats:|swiss:|ao|knockout)?[0-9x/+:@~a-z,-]{0,24}") {
        if let Ok(plan) = text.parse::<TournamentPlan>() {
            prop_assert_eq!(plan.to_string().parse::<TournamentPlan>(), Ok(plan));
        }
    }
}
