//! Ways between a tournament and its tables. The simulation loses connections at any time.

use super::*;
use crate::host::embedded_server;
use crate::test_support::proxy::Proxy;
use gridrace_shared::protocol::tournament::TournamentCommand;
use gridrace_shared::puzzle::PuzzleSpec;

/// How long an answer may take on a machine that is busy.
const LONGEST: Duration = Duration::from_secs(60);

fn friday() -> TournamentName {
    "friday".parse().unwrap()
}

fn owner(key: u8) -> (Key, bool) {
    (Key::from_bytes([key; 32]), false)
}

async fn open(address: &str) -> TournamentSession {
    let spec: PuzzleSpec = "slide:3x3".parse().unwrap();
    let settings = TournamentSettings::new(spec);
    let plan = "series:1".parse().unwrap();
    let new = NewTournament { name: friday(), plan, settings, pin: None };
    TournamentSession::open(&Tcp::default(), address, new, owner(99)).await.unwrap()
}

/// Enters as the owner of a key.
async fn enter(address: &str, name: &str, key: u8) -> TournamentSession {
    let tcp = Tcp::default();
    let key = Some(owner(key));
    let mut session = TournamentSession::follow(&tcp, address, friday(), None, key).await.unwrap();
    let request = TournamentRequest::Enter { name: name.to_owned(), bot: false, team: None };
    done(&mut session, request).await;
    session
}

/// Makes a request, and waits until it is carried out.
async fn done(session: &mut TournamentSession, request: TournamentRequest) {
    session.request(request);
    let is_done = |event: &_| *event == TournamentEvent::View(TournamentChange::Done);
    until(session, is_done).await;
}

async fn until(
    session: &mut TournamentSession,
    is_expected: impl Fn(&TournamentEvent) -> bool,
) -> TournamentEvent {
    loop {
        let event = tokio::time::timeout(LONGEST, session.next()).await.expect("an event").unwrap();
        if is_expected(&event) {
            return event;
        }
    }
}

async fn called(session: &mut TournamentSession) -> TableCall {
    let is_called = |event: &_| matches!(event, TournamentEvent::View(TournamentChange::Called(_)));
    let TournamentEvent::View(TournamentChange::Called(call)) = until(session, is_called).await
    else {
        unreachable!()
    };
    call
}

/// Takes the seat to which a session is called next.
async fn sit_down(mut session: TournamentSession) -> Session {
    let call = called(&mut session).await;
    session.join(call, Entrant { name: "any name".to_owned(), bot: false });
    until(&mut session, |event| *event == TournamentEvent::Joined).await;
    session.into_table().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_to_a_table_that_is_gone_is_led_to_the_next() {
    let hosted = embedded_server::host().unwrap();
    let proxy = Proxy::to(&hosted.address).await;
    let mut organiser = open(&hosted.address).await;
    let anna = enter(&proxy.address, "Anna", 1).await;
    let mut ben = enter(&hosted.address, "Ben", 2).await;
    let command = |command| TournamentRequest::Command { command, confirmed: true };
    done(&mut organiser, command(TournamentCommand::Begin)).await;
    let mut anna = sit_down(anna).await;
    let first = anna.view().code;
    // By then the ticket for the seat has come, too.
    done(&mut organiser, command(TournamentCommand::MoveGo { seconds: 0 })).await;
    while anna.view().race().is_none() {
        tokio::time::timeout(LONGEST, anna.next()).await.expect("the race").unwrap();
    }
    proxy.go_down();
    // The round's draw is the fifth entry: two are of each player.
    let draw = TournamentCommand::TakeBack { entry: 4, reason: "another draw".to_owned() };
    for step in [TournamentCommand::Pause, draw, TournamentCommand::Resume] {
        done(&mut organiser, command(step)).await;
    }
    while called(&mut ben).await.code == first {}
    proxy.come_up();
    let left = loop {
        let event = tokio::time::timeout(LONGEST, anna.next()).await.expect("the table's end");
        if let Err(why) = event {
            break why;
        }
    };
    let is_gone =
        matches!(left, SessionError::Refused(_) | SessionError::Dismissed(Farewell::TableClosed));
    assert!(is_gone, "{left:?}");
    let anna = sit_down(anna.into_tournament().unwrap()).await;
    assert_ne!(anna.view().code, first);
    hosted.stop().await;
}
