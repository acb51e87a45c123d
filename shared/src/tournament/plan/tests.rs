use super::*;

fn stage(format: Format) -> TournamentStage {
    TournamentStage::new(format)
}

fn checked(stages: Vec<TournamentStage>) -> Result<TournamentPlan, PlanError> {
    TournamentPlan::new(stages, None)
}

fn error_of(stage: TournamentStage) -> StageError {
    match TournamentPlan::new(vec![stage, TournamentStage::new(Format::Series { top: None })], None)
    {
        Err(PlanError::Stage { stage: 0, error }) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_the_size_of_the_field_is_needed_for_a_plan() {
    for (field, plan) in [
        (2, "series:5"),
        (32, "series:5"),
        (33, "heats:32/8+final:5"),
        (1_024, "heats:32/8+final:5"),
    ] {
        let default = TournamentPlan::for_field(field);
        assert_eq!(default.to_string(), plan);
        assert_eq!(TournamentPlan::new(default.stages().to_vec(), None), Ok(default.clone()));
        assert_eq!(default.check_field(field), Ok(()));
    }
}

#[test]
fn a_tournament_of_one_or_none_is_refused() {
    let plan = TournamentPlan::for_field(0);
    for found in [0, 1, 1_025] {
        assert_eq!(plan.check_field(found), Err(FieldError::Entrants { found }));
    }
    let why = plan.check_field(0).unwrap_err().to_string();
    assert_eq!(
        why,
        "nobody has checked in; a tournament begins with 2 to 1024 checked-in entrants"
    );
    let robin: TournamentPlan = "roundrobin".parse().unwrap();
    assert_eq!(robin.check_field(32), Ok(()));
    assert_eq!(robin.check_field(33), Err(FieldError::RoundRobin { stage: 0, found: 33 }));
    // After heats of which 8 may remain, it is small enough.
    let after_heats: TournamentPlan = "heats:8/4+roundrobin".parse().unwrap();
    assert_eq!(after_heats.check_field(1_000), Ok(()));
}

#[test]
fn each_bound_is_checked() {
    assert_eq!(checked(vec![]), Err(PlanError::Stages { found: 0 }));
    let series = stage(Format::Series { top: None });
    assert_eq!(checked(vec![series.clone(); 9]), Err(PlanError::Stages { found: 9 }));
    assert_eq!(
        TournamentPlan::new(vec![series.clone()], Some(0)),
        Err(PlanError::TeamScorers { found: 0 })
    );
    let with = |change: fn(&mut TournamentStage)| {
        let mut changed = series.clone();
        change(&mut changed);
        error_of(changed)
    };
    assert!(matches!(with(|it| it.boards = 0), StageError::OutOfBounds { found: 0, .. }));
    assert!(matches!(with(|it| it.boards = 13), StageError::OutOfBounds { found: 13, .. }));
    assert_eq!(
        with(|it| (it.boards, it.score) = (4, ScoreRule::BestOf)),
        StageError::EvenMatch { found: 4 }
    );
    assert!(matches!(
        with(|it| (it.boards, it.score) = (2, ScoreRule::Average)),
        StageError::OutOfBounds { accepted: (3, 12), .. }
    ));
    assert_eq!(
        with(|it| it.tie_breaks = vec![TieBreak::Wins, TieBreak::Wins]),
        StageError::RepeatedTieBreak
    );
    assert_eq!(
        with(|it| it.puzzles = vec!["slide:3x3".parse().unwrap(); 13]),
        StageError::Puzzles { found: 13 }
    );
}

#[test]
fn a_plan_that_makes_no_sense_is_refused_with_the_reason() {
    assert_eq!(
        error_of(stage(Format::Heats { table: 8, top: 5 })),
        StageError::TooManyThrough { table: 8, top: 5 }
    );
    assert_eq!(error_of(stage(Format::Knockout)), StageError::LeavesOne("knockout"));
    let swiss = Format::Swiss { table: 8, rounds: 5, top: None };
    assert_eq!(
        error_of(TournamentStage { score: ScoreRule::Place, ..stage(swiss) }),
        StageError::DoesNotAddUp
    );
    let last = |format| checked(vec![stage(format)]).map_err(|error| error.to_string());
    assert_eq!(
        last(Format::Heats { table: 32, top: 8 }),
        Err("stage 1: heats are followed by a stage, such as +final:5, for those who remain".into())
    );
    assert_eq!(
        last(Format::Series { top: Some(8) }),
        Err("stage 1: it is the last stage, so nobody goes on from it: leave out /8".into())
    );
    assert_eq!(
        last(Format::Swiss { table: 33, rounds: 5, top: None }),
        Err("stage 1: the number of seats at a table is 2 to 32, not 33".into())
    );
}

const DOCS: &str = include_str!("../../../../docs/tournaments.md");

#[test]
fn what_a_file_leaves_out_has_the_format_s_default() {
    let (_, text) = DOCS.split_once("```toml").unwrap();
    let plan: TournamentPlan = toml::from_str(text.split_once("```").unwrap().0).unwrap();
    assert_eq!(plan.to_string(), "heats:32/8@slide:3x3+final:7:f1~countback,best@teams:3");
    let written = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<TournamentPlan>(&written).unwrap(), plan);
    let bad = "[[stages]]\nformat = { heats = { table = 32, top = 8 } }";
    assert!(toml::from_str::<TournamentPlan>(bad).unwrap_err().to_string().contains("+final:5"));
}

#[test]
fn the_plans_of_the_documentation_are_plans() {
    let section = DOCS.split_once("## Plans").unwrap().1.split_once("Stages are joined").unwrap().0;
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" |"));
    let mut plans = 0;
    for text in cells.flat_map(|(cell, _)| cell.split(", ")) {
        let text = text.trim_matches('`');
        assert_eq!(text.parse::<TournamentPlan>().unwrap().to_string(), text);
        plans += 1;
    }
    assert!(plans >= 10, "{plans}");
}

#[test]
fn the_puzzles_of_a_round_repeat() {
    let mut series = stage(Format::Series { top: None });
    assert_eq!(series.puzzle(0), None);
    series.puzzles = vec!["slide:3x3".parse().unwrap(), "link:7x7".parse().unwrap()];
    let puzzles = [0, 1, 2].map(|board| series.puzzle(board).unwrap().to_string());
    assert_eq!(puzzles, ["slide:3x3", "link:7x7", "slide:3x3"]);
}
