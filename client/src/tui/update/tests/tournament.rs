//! A tournament: entering it, the way to its tables and back, and its organiser's commands.

use super::*;
use crate::session::tournament_message;
use crate::test_support::press;
use crate::test_support::tournament::{self as cup, Raced};
use crate::tui::model::TournamentPart;
use gridrace_shared::protocol::snapshot::{Setup, Snapshot};
use gridrace_shared::protocol::tournament::{
    CommandQuestion, OwnEntry, TableCall, TournamentCommand, TournamentError, TournamentHead,
    TournamentPhase, TournamentRequest, TournamentUpdate,
};
use gridrace_shared::tournament::ids::EntrantId;
use gridrace_shared::tournament::log::Presence;

fn asks(request: TournamentRequest) -> Effect {
    Effect::Send(tournament_message(request))
}

fn hears(model: &mut Model, update: TournamentUpdate) -> Vec<Effect> {
    fx::hear(model, cup::update(update))
}

fn joins(role: Role) -> Effect {
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    Effect::Send(ClientMessage::Join { code: fx::code(), entrant, role, pin: None })
}

/// The room of a table in a phase.
fn table(phase: Phase, role: Role) -> ServerMessage {
    let snapshot = fx::snapshot("slide:3x3", role, phase);
    let setup = Setup { table: Some(cup::table_setup()), ..snapshot.setup };
    ServerMessage::Joined { you: fx::ME, room: Box::new(Snapshot { setup, ..snapshot }) }
}

/// A player who follows a tournament of four that is about to race.
fn player() -> Model {
    let mut raced = Raced::entered("series:3", 4);
    raced.draw();
    cup::following(&raced, TournamentPhase::Break, cup::player())
}

/// A player who races at a table, and may resume the seat.
fn racing() -> Model {
    at_table(fx::running("slide:3x3"))
}

/// A player at a table in a phase, who may resume the seat.
fn at_table(phase: Phase) -> Model {
    let mut model = player();
    hears(&mut model, TournamentUpdate::Table(cup::call()));
    fx::hear(&mut model, table(phase, Role::Player));
    let ticket = fx::key();
    let token =
        ServerMessage::Token { code: ticket.code, player: ticket.player, token: ticket.token };
    fx::hear(&mut model, token);
    model
}

fn is_tournament(model: &Model) -> bool {
    matches!(model.screen, Screen::Tournament)
}

#[test]
fn who_enters_by_the_command_line_is_entered_under_a_free_name() {
    let raced = Raced::entered("series:3", 4);
    let mut model = cup::dialled(true);
    let snapshot = cup::snapshot(&raced, TournamentPhase::Entries, OwnEntry::default());
    let sent = hears(&mut model, TournamentUpdate::Snapshot(Box::new(snapshot)));
    let enter = |name: &str| {
        asks(TournamentRequest::Enter { name: name.to_owned(), bot: false, team: None })
    };
    assert!(sent.contains(&enter("Anna")), "{sent:?}");
    let taken = TournamentUpdate::Refused(TournamentError::PlayerNameTaken);
    assert!(hears(&mut model, taken).contains(&enter("Anna 2")));
    hears(&mut model, TournamentUpdate::You(cup::player()));
    assert!(model.notice.unwrap().text.contains("You have entered"));
}

#[test]
fn who_enters_still_does_once_the_pin_is_typed() {
    let mut model = cup::dialled(true);
    let team = Some("RED".parse().unwrap());
    let Some(Intent::Follow(follow)) = model.connection.goal.as_mut().map(|goal| &mut goal.intent)
    else {
        panic!()
    };
    follow.entry = Some(team.clone());
    for (why, pin) in [(TournamentError::NeedsPin, "1234"), (TournamentError::WrongPin, "4711")] {
        hears(&mut model, TournamentUpdate::Refused(why));
        let Screen::Join(form) = &mut model.screen else { panic!("{:?}", model.screen) };
        form.form.fill(3, pin.to_owned());
        press(&mut model, KeyCode::Enter);
        tell(&mut model, connected("s"));
    }
    let raced = Raced::entered("series:3", 2);
    let snapshot = cup::snapshot(&raced, TournamentPhase::Entries, OwnEntry::default());
    let sent = hears(&mut model, TournamentUpdate::Snapshot(Box::new(snapshot)));
    let enter = TournamentRequest::Enter { name: "Anna".to_owned(), bot: false, team };
    assert!(sent.contains(&asks(enter)), "{sent:?}");
}

#[test]
fn a_player_is_led_to_the_table_and_back_to_the_tournament() {
    let mut model = player();
    assert!(is_tournament(&model));
    let sent = hears(&mut model, TournamentUpdate::Table(cup::call()));
    assert_eq!(sent, [joins(Role::Player)]);
    // The countdown is long: the standings are of more use.
    let far = HeatInstant(160_000);
    fx::hear(&mut model, table(Phase::Countdown { go: far }, Role::Player));
    assert!(is_tournament(&model));
    // The same call again leads nowhere else.
    assert_eq!(hears(&mut model, TournamentUpdate::Table(cup::call())), []);
    letter(&mut model, 't');
    assert!(matches!(model.screen, Screen::Heat(_)));
    letter(&mut model, 'q');
    letter(&mut model, 'y');
    assert!(is_tournament(&model));
    // Ten seconds before GO the table comes by itself.
    model.tournament.as_mut().unwrap().wants_table = None;
    model.now.0 += 51_000_000;
    fx::tell(&mut model, Event::Tick);
    assert!(matches!(model.screen, Screen::Heat(_)));
    fx::hear(&mut model, ServerMessage::Phase(fx::running("slide:3x3")));
    assert!(model.shown_heat().unwrap().race().is_some());
    fx::hear(&mut model, ServerMessage::Phase(fx::ended("slide:3x3")));
    assert!(matches!(model.screen, Screen::Heat(_)));
    // The results stay for a while; then the tournament is back.
    model.now.0 += 9_000_000;
    model.connection.heard = model.now;
    fx::tell(&mut model, Event::Tick);
    assert!(is_tournament(&model));
    // The next board brings the table to the front.
    fx::hear(&mut model, ServerMessage::Phase(fx::running("slide:3x3")));
    assert!(matches!(model.screen, Screen::Heat(_)));
    fx::hear(&mut model, ServerMessage::Goodbye(Farewell::TableClosed));
    assert!(is_tournament(&model) && model.tournament.as_ref().unwrap().heat.is_none());
    assert_eq!(model.tournament.as_ref().unwrap().view.call, None);
}

#[test]
fn after_a_lost_connection_the_tournament_is_followed_and_the_seat_resumed() {
    let mut model = racing();
    let now = model.now;
    let lost = update(&mut model, now, lost(LOST));
    assert!(matches!(lost[..], [Effect::Retry { .. }]), "{lost:?}");
    let sent = update(&mut model, now, connected("gridrace"));
    let follows = asks(TournamentRequest::Follow { name: "friday".parse().unwrap(), pin: None });
    assert!(sent.contains(&follows), "{sent:?}");
    assert!(sent.contains(&Effect::Send(fx::key().request())), "{sent:?}");
    // A seat that is gone is asked for again by the key, once the server calls.
    fx::hear(&mut model, ServerMessage::Refused(Refusal::NotResumed));
    assert!(is_tournament(&model));
    let sent = hears(&mut model, TournamentUpdate::Table(cup::call()));
    assert!(sent.contains(&joins(Role::Player)), "{sent:?}");
}

#[test]
fn a_board_that_began_or_ended_without_a_connection_is_shown() {
    let reconnect = |model: &mut Model, phase: Phase| {
        tell(model, lost(LOST));
        tell(model, connected("s"));
        let raced = Raced::entered("series:3", 4);
        let snapshot = cup::snapshot(&raced, TournamentPhase::Racing, cup::player());
        hears(model, TournamentUpdate::Snapshot(Box::new(snapshot)));
        fx::hear(model, table(phase, Role::Player));
        fx::tell(model, Event::Tick);
    };
    let mut model = at_table(Phase::Countdown { go: HeatInstant(160_000) });
    letter(&mut model, 't');
    letter(&mut model, 'q');
    letter(&mut model, 'y');
    assert!(is_tournament(&model), "the player has put the table away");
    reconnect(&mut model, fx::running("slide:3x3"));
    assert!(model.shown_heat().unwrap().race().is_some());

    reconnect(&mut model, fx::ended("slide:3x3"));
    assert!(model.shown_heat().unwrap().result().is_some());
    later(&mut model, Duration::from_secs(9), Event::Tick);
    assert!(is_tournament(&model));
}

#[test]
fn a_tournament_that_is_refused_after_a_lost_connection_is_asked_for_again() {
    let follows = asks(TournamentRequest::Follow { name: "friday".parse().unwrap(), pin: None });
    let reconnected = || {
        let mut model = player();
        tell(&mut model, lost(LOST));
        assert!(tell(&mut model, connected("s")).contains(&follows));
        model
    };
    let mut model = reconnected();
    // The pauses grow.
    let refusals =
        [TournamentError::TooManyFollowers, TournamentError::TooFast, TournamentError::Busy];
    for (why, pause) in refusals.into_iter().zip([1_500, 2_500, 4_500]) {
        let pause = Duration::from_millis(pause);
        hears(&mut model, TournamentUpdate::Refused(why));
        // The server would refuse what only a follower may ask for.
        assert_eq!(letter(&mut model, 'c'), []);
        assert!(!later(&mut model, pause / 3, Event::Tick).contains(&follows));
        let sent = later(&mut model, pause - pause / 3, Event::Tick);
        model.connection.heard = model.now;
        assert!(sent.contains(&follows), "{sent:?}");
    }
    let raced = Raced::entered("series:3", 4);
    let snapshot = cup::snapshot(&raced, TournamentPhase::CheckIn, cup::player());
    hears(&mut model, TournamentUpdate::Snapshot(Box::new(snapshot)));
    assert_eq!(letter(&mut model, 'c'), [asks(TournamentRequest::CheckIn)]);
    assert!(!later(&mut model, Duration::from_millis(1_500), Event::Tick).contains(&follows));

    let mut model = reconnected();
    hears(&mut model, TournamentUpdate::Refused(TournamentError::NoSuchTournament));
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert!(form.error().unwrap().contains("no tournament of this name"));
}

#[test]
fn a_call_to_another_table_is_followed_once_the_seat_at_the_one_before_is_back() {
    let mut model = racing();
    let now = model.now;
    update(&mut model, now, lost(LOST)).clear();
    update(&mut model, now, connected("gridrace")).clear();
    let mut other = cup::call();
    other.code = "BRMX".parse().unwrap();
    assert_eq!(hears(&mut model, TournamentUpdate::Table(other)), []);
    let effects = fx::hear(&mut model, table(fx::running("slide:3x3"), Role::Player));
    let joins = |effect: &Effect| matches!(effect, Effect::Send(ClientMessage::Join { code, .. }) if *code == other.code);
    let leaves = |effect: &Effect| *effect == Effect::Send(ClientMessage::Leave);
    let (leaves, joins) = (effects.iter().position(leaves), effects.iter().position(joins));
    assert!(leaves.is_some() && leaves < joins, "{effects:?}");
}

#[test]
fn a_seat_that_is_refused_for_now_is_asked_for_again() {
    let mut model = player();
    hears(&mut model, TournamentUpdate::Table(cup::call()));
    fx::hear(&mut model, ServerMessage::Refused(Refusal::NoSuchRoom));
    model.now.0 += 1_500_000;
    model.connection.heard = model.now;
    let now = model.now;
    let sent = update(&mut model, now, Event::Tick);
    assert!(sent.contains(&joins(Role::Player)), "{sent:?}");
}

#[test]
fn a_spectator_watches_the_table_under_the_cursor() {
    let mut raced = Raced::entered("heats:4/2+final:3", 10);
    raced.draw();
    let mut model = cup::following(&raced, TournamentPhase::Racing, OwnEntry::default());
    let now = model.now;
    letter(&mut model, '2');
    assert_eq!(model.tournament.as_ref().unwrap().part, TournamentPart::Tables);
    let effects = update(&mut model, now, Event::Tick);
    cup::load(&mut model, &raced, effects);
    press(&mut model, KeyCode::Down);
    assert_eq!(press(&mut model, KeyCode::Enter), [joins(Role::Spectator)]);
    // The answer is awaited.
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    // A player at this table has the name.
    let sent = fx::hear(&mut model, ServerMessage::Refused(Refusal::NameTaken));
    let entrant = Entrant { name: "Anna 2".to_owned(), bot: false };
    let (code, role) = (fx::code(), Role::Spectator);
    assert_eq!(sent, [Effect::Send(ClientMessage::Join { code, entrant, role, pin: None })]);
    fx::hear(&mut model, table(fx::running("slide:3x3"), Role::Spectator));
    assert!(matches!(model.screen, Screen::Heat(_)));
    letter(&mut model, 'q');
    assert_eq!(letter(&mut model, 'y'), [Effect::Send(ClientMessage::Leave)]);
    assert!(is_tournament(&model));
}

#[test]
fn who_joins_a_table_between_boards_has_the_last_board_s_seed_checked() {
    for role in [Role::Player, Role::Spectator] {
        let mut model = player();
        hears(&mut model, TournamentUpdate::Table(cup::call()));
        let Phase::Over(mut result) = fx::ended("slide:3x3") else { panic!() };
        let is_player = role == Role::Player;
        result.standings.retain(|row| is_player || row.player != fx::ME);
        let effects = fx::hear(&mut model, table(Phase::Over(result), role));
        // The own table stays behind the tournament's screen.
        assert_eq!(is_tournament(&model), is_player);
        // The board was asked for, and answered.
        assert!(model.joined_heat_mut().unwrap().panel.results.check.board.is_some());
        assert_eq!(effects.contains(&Effect::Send(ClientMessage::Results)), is_player);
    }
}

#[test]
fn the_cursor_of_a_list_that_became_shorter_is_on_its_last_row() {
    let mut raced = Raced::entered("heats:4/2+final:3", 10);
    raced.draw();
    let mut model = cup::following(&raced, TournamentPhase::Racing, OwnEntry::default());
    letter(&mut model, '2');
    let effects = tell(&mut model, Event::Tick);
    cup::load(&mut model, &raced, effects);
    press(&mut model, KeyCode::End);
    let tournament = model.tournament.as_mut().unwrap();
    let chosen = tournament.chosen_table().map(|it| (it.number, it.room));
    assert_eq!(chosen, Some((2, Some(fx::code()))));
    // The next draw has fewer tables.
    tournament.view.tables.truncate(1);
    let chosen = tournament.chosen_table().map(|it| (it.number, it.room));
    assert_eq!(chosen, Some((0, Some(fx::code()))));
    assert_eq!(press(&mut model, KeyCode::Enter), [joins(Role::Spectator)]);
    letter(&mut model, '3');
    let tournament = model.tournament.as_mut().unwrap();
    tournament.row = 30;
    assert_eq!(tournament.chosen_entrant(), Some(EntrantId(10)));
}

#[test]
fn a_call_that_comes_while_another_table_is_joined_is_followed() {
    let mut raced = Raced::entered("heats:4/2+final:3", 10);
    raced.draw();
    let mut model = cup::following(&raced, TournamentPhase::Racing, cup::player());
    let now = model.now;
    letter(&mut model, '2');
    let effects = update(&mut model, now, Event::Tick);
    cup::load(&mut model, &raced, effects);
    press(&mut model, KeyCode::Down);
    assert_eq!(press(&mut model, KeyCode::Enter), [joins(Role::Spectator)]);
    let code = RoomCode::from_number(7);
    let call = TableCall { code, ..cup::call() };
    assert_eq!(hears(&mut model, TournamentUpdate::Table(call)), []);
    let sent = fx::hear(&mut model, table(fx::running("slide:3x3"), Role::Spectator));
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    let join = ClientMessage::Join { code, entrant, role: Role::Player, pin: None };
    assert_eq!(sent, [Effect::Send(ClientMessage::Leave), Effect::Send(join)]);
}

#[test]
fn a_key_without_a_connection_keeps_nobody_from_the_table_that_waits_afterwards() {
    let mut raced = Raced::entered("heats:4/2+final:3", 10);
    raced.draw();
    let mut model = cup::following(&raced, TournamentPhase::Racing, cup::player());
    letter(&mut model, '2');
    let effects = tell(&mut model, Event::Tick);
    cup::load(&mut model, &raced, effects);
    press(&mut model, KeyCode::Down);
    tell(&mut model, lost(LOST));
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    assert!(model.notice.as_ref().unwrap().text.contains("No connection"));
    tell(&mut model, connected("s"));
    let you = cup::player();
    let snapshot = cup::snapshot(&raced, TournamentPhase::Racing, you);
    hears(&mut model, TournamentUpdate::Snapshot(Box::new(snapshot)));
    let sent = hears(&mut model, TournamentUpdate::Table(cup::call()));
    assert!(sent.contains(&joins(Role::Player)), "{sent:?}");
}

#[test]
fn what_is_shown_follows_the_phase_until_the_player_chooses() {
    let mut raced = Raced::entered("series:3", 4);
    let begun = |raced: &Raced| TournamentUpdate::Head(cup::head(raced, TournamentPhase::Break));
    let part = |model: &Model| model.tournament.as_ref().unwrap().part;
    let mut model = cup::following(&raced, TournamentPhase::Entries, cup::player());
    let mut chooser = model.clone();
    assert_eq!(part(&model), TournamentPart::Entrants);
    letter(&mut chooser, '4');
    letter(&mut chooser, '3');
    raced.draw();
    hears(&mut model, begun(&raced));
    hears(&mut chooser, begun(&raced));
    assert_eq!(part(&model), TournamentPart::Standings);
    assert_eq!(part(&chooser), TournamentPart::Entrants);
}

#[test]
fn players_are_told_that_a_board_is_raced_again() {
    let mut raced = Raced::entered("series:3", 4);
    raced.draw();
    let mut model = cup::following(&raced, TournamentPhase::Racing, cup::player());
    let mut told = |phase, board| {
        let head = TournamentHead { board, ..cup::head(&raced, phase) };
        hears(&mut model, TournamentUpdate::Head(head));
        model.announcement.take().map(|line| line.text)
    };
    let again = |board: u8| Some(format!("Round 1, board {board} of 3 is raced again."));
    for board in [0, 1, 2] {
        assert_eq!(told(TournamentPhase::Pause, board), None);
        assert_eq!(told(TournamentPhase::Racing, board), None);
    }
    assert_eq!(told(TournamentPhase::Pause, 1), again(2));
    assert_eq!(told(TournamentPhase::Racing, 1), None);
    // All boards are raced, and no round follows yet.
    assert_eq!(told(TournamentPhase::Waiting, 0), None);
    assert_eq!(told(TournamentPhase::Pause, 2), again(3));
    assert_eq!(told(TournamentPhase::Over, 0), None);
    assert_eq!(told(TournamentPhase::Pause, 0), again(1));
}

#[test]
fn the_organiser_s_commands_are_read_sent_and_confirmed() {
    let raced = Raced::entered("series:3", 4);
    let mut model = cup::following(&raced, TournamentPhase::Entries, cup::organiser());
    letter(&mut model, 'm');
    letter(&mut model, 'b');
    let command = |command, confirmed| asks(TournamentRequest::Command { command, confirmed });
    assert_eq!(press(&mut model, KeyCode::Enter), [command(TournamentCommand::Begin, false)]);
    assert!(model.overlay.is_none());
    let asked = TournamentUpdate::NeedsConfirmation(CommandQuestion {
        command: TournamentCommand::Begin,
        discards: 2,
        unraced: 0,
        first: Vec::new(),
    });
    hears(&mut model, asked);
    assert_eq!(letter(&mut model, 'y'), [command(TournamentCommand::Begin, true)]);
    hears(&mut model, TournamentUpdate::Done);
    assert_eq!(model.notice.as_ref().unwrap().text, "Done.");
    // Only an organiser has the menu.
    hears(&mut model, TournamentUpdate::You(cup::player()));
    letter(&mut model, 'm');
    assert!(model.overlay.is_none());
}

#[test]
fn a_phase_of_the_own_table_takes_no_line_away_in_which_the_organiser_types() {
    let you = OwnEntry { organiser: true, ..cup::player() };
    let mut raced = Raced::entered("series:3", 4);
    raced.draw();
    let mut model = cup::following(&raced, TournamentPhase::Break, you);
    hears(&mut model, TournamentUpdate::Table(cup::call()));
    fx::hear(&mut model, table(Phase::Lobby, Role::Player));
    letter(&mut model, 'm');
    letter(&mut model, 'a');
    let countdown = Phase::Countdown { go: HeatInstant(160_000) };
    for phase in [Phase::Drawing, countdown, Phase::Lobby] {
        fx::hear(&mut model, ServerMessage::Phase(phase));
        assert!(matches!(model.overlay, Some(Overlay::OrganiserLine(_))));
        assert_eq!(letter(&mut model, 'w'), []);
    }
    // A race that begins takes it away, and the letters that were meant for it do nothing.
    model.now.0 += 51_000_000;
    fx::hear(&mut model, ServerMessage::Phase(Phase::Countdown { go: HeatInstant(160_000) }));
    assert!(matches!(model.screen, Screen::Heat(_)) && model.overlay.is_none());
    letter(&mut model, 'q');
    assert!(model.overlay.is_none() && model.ignored_words().is_some());
}

#[test]
fn a_command_without_a_connection_stays_in_its_line() {
    let raced = Raced::entered("series:3", 4);
    let mut model = cup::following(&raced, TournamentPhase::Entries, cup::organiser());
    letter(&mut model, 'm');
    letter(&mut model, 'b');
    tell(&mut model, lost(LOST));
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    let Some(Overlay::OrganiserLine(form)) = &model.overlay else { panic!("{:?}", model.overlay) };
    assert_eq!(form.value(0), "begin");
    assert!(model.notice.as_ref().unwrap().text.contains("No connection"));
    assert_eq!(model.tournament.as_ref().unwrap().asked, None);
}

#[test]
fn who_is_withdrawn_checks_in_again_by_a_key() {
    let mut model = player();
    let withdrawn = OwnEntry { presence: Some(Presence::Withdrawn), ..cup::player() };
    hears(&mut model, TournamentUpdate::You(withdrawn));
    assert!(model.notice.as_ref().unwrap().text.contains("withdrawn"));
    assert_eq!(letter(&mut model, 'c'), [asks(TournamentRequest::CheckIn)]);
    letter(&mut model, 'w');
    assert_eq!(letter(&mut model, 'y'), [asks(TournamentRequest::Withdraw)]);
}

#[test]
fn a_connection_that_is_lost_at_the_list_of_tournaments_leads_back_to_the_form() {
    let mut model = cup::dialled(true);
    model.connection.goal.as_mut().unwrap().intent = Intent::Tournaments;
    hears(&mut model, TournamentUpdate::List(Vec::new()));
    assert!(matches!(model.screen, Screen::ChooseTournament(_)));
    model.complain("The server is shutting down.");
    tell(&mut model, lost(LOST));
    assert!(model.notice.is_none(), "the form says why");
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert_eq!((form.form.value(0), form.form.value(1)), ("192.168.1.5:7415", ""));
    let error = form.error().unwrap();
    assert!(error.starts_with("Connection to 192.168.1.5") && error.ends_with('.'), "{error}");
}

#[test]
fn a_tournament_that_is_not_there_leads_back_to_the_form() {
    let mut model = cup::dialled(true);
    hears(&mut model, TournamentUpdate::Refused(TournamentError::NoSuchTournament));
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert!(form.error().unwrap().contains("no tournament of this name"));
    assert_eq!(form.form.value(1), "friday");
}

#[test]
fn escape_in_the_form_of_a_new_tournament_leads_back_to_the_list() {
    let mut model = cup::dialled(true);
    model.connection.goal.as_mut().unwrap().intent = Intent::Tournaments;
    hears(&mut model, TournamentUpdate::List(Vec::new()));
    letter(&mut model, 'o');
    assert!(matches!(model.screen, Screen::Join(_)));
    let address = "192.168.1.5:7415".to_owned();
    assert!(press(&mut model, KeyCode::Esc).contains(&Effect::Connect { address }));
    let effects = tell(&mut model, connected("s"));
    assert!(effects.contains(&asks(TournamentRequest::List)), "{effects:?}");
    hears(&mut model, TournamentUpdate::List(Vec::new()));
    assert!(matches!(model.screen, Screen::ChooseTournament(_)));
}

#[test]
fn the_organiser_at_a_table_learns_where_the_commands_are() {
    let raced = Raced::entered("series:3", 4);
    let mut model = fx::watching("slide:3x3");
    model.tournament = cup::following(&raced, TournamentPhase::Racing, cup::organiser()).tournament;
    letter(&mut model, 'm');
    assert!(model.overlay.is_none());
    assert!(model.notice.as_ref().unwrap().text.starts_with("The tournament's commands"));
}
