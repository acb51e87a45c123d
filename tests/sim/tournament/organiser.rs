//! The organiser: begins, gives the commands of the plan, and ends the tournament once nothing is left
//! to be raced.

use super::commands::build;
use super::plan::{CommandKind, PlannedCommand, TournamentPlan};
use super::run::{key, title};
use crate::common::{Common, LAST_WORDS, address};
use crate::network::ClientNetwork;
use gridrace_client::net::clock::Clock;
use gridrace_client::session::{NewTournament, SessionError, TournamentEvent, TournamentSession};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::protocol::tournament::{
    TournamentCommand, TournamentError, TournamentPhase, TournamentRequest,
};
use gridrace_shared::tournament::log::LogEntry;
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine, PublicEvent};
use gridrace_shared::tournament_view::{TournamentChange, TournamentView};
use std::time::Duration;

/// The first byte of the organiser's key; those of the players are their numbers.
const ORGANISER: u8 = 255;
/// How long a pause lasts.
const PAUSE: Duration = Duration::from_secs(8);
/// How long the organiser waits until a command makes sense.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long nothing may be raced or drawn until the stage is ended: too few are there.
const STALLED: Duration = Duration::from_secs(60);

/// What the organiser was told, and what the organiser did.
#[derive(Debug, Default)]
pub struct Organised {
    pub log: Vec<LogLine>,
    /// How many commands were carried out.
    pub done: usize,
    pub refused: Vec<(TournamentCommand, TournamentError)>,
    /// How many were given again, as they were lost with the connection.
    pub given_again: u64,
}

struct Organiser<'a> {
    session: TournamentSession<ClientNetwork>,
    network: ClientNetwork,
    common: &'a Common,
    report: Organised,
}

/// Returns by which key the log names the organiser.
pub fn fingerprint() -> Fingerprint {
    key(ORGANISER).public().fingerprint(false)
}

/// Opens the tournament, leads it to its end, and returns once all players have left.
pub async fn organise(
    plan: &TournamentPlan,
    network: ClientNetwork,
    common: &Common,
) -> Result<Organised, SessionError> {
    let new = NewTournament {
        name: title(),
        plan: plan.stages.clone(),
        settings: plan.settings.clone(),
        pin: None,
    };
    let own_key = (key(ORGANISER), false);
    let mut session = TournamentSession::open(&network, &address(), new, own_key).await?;
    session.load_pages();
    common.is_open.set(true);
    let report = Organised::default();
    let mut organiser = Organiser { session, network, common, report };
    organiser.lead(plan).await?;
    let Organiser { session, mut report, .. } = organiser;
    report.log = session.view().log.lines().to_vec();
    session.close().await;
    Ok(report)
}

impl Organiser<'_> {
    async fn lead(&mut self, plan: &TournamentPlan) -> Result<(), SessionError> {
        let punctual = plan.punctual();
        self.until(|view| usize::from(view.head.counts.entrants) == punctual).await?;
        self.common.all_entered(punctual).await;
        self.give(TournamentCommand::Begin, false).await?;
        // From now on the network fails.
        self.common.entered.set(punctual + 1);
        for planned in &plan.commands {
            self.carry_out(planned).await?;
        }
        loop {
            self.until_over().await?;
            // A message that is on its way may open the tournament again.
            self.wait(LAST_WORDS).await?;
            if is_over(self.session.view()) {
                break;
            }
        }
        self.give(TournamentCommand::End { reason: None }, false).await?;
        self.common.all_left(plan.players()).await;
        self.until(TournamentView::is_loaded).await
    }

    async fn carry_out(&mut self, planned: &PlannedCommand) -> Result<(), SessionError> {
        let PlannedCommand { kind, results, delay, choice, breaks } = *planned;
        let until = counted_results(self.session.view()) + results as usize;
        self.until_raced(until).await?;
        self.wait(delay).await?;
        let given_up = Clock::instant() + PATIENCE;
        while build(kind, choice, self.session.view()).is_empty()
            && Clock::instant() < given_up
            && !is_over(self.session.view())
        {
            self.wait(LAST_WORDS).await?;
        }
        // What makes no sense is replaced by what does.
        let kinds = CommandKind::ALL.into_iter().cycle();
        let kinds = kinds.skip_while(|it| *it != kind).take(CommandKind::ALL.len());
        let mut commands = kinds.map(|kind| build(kind, choice, self.session.view()));
        let commands = commands.find(|commands| !commands.is_empty()).unwrap_or_default();
        for command in commands {
            let pauses = command == TournamentCommand::Pause;
            if !self.give(command, breaks).await? {
                break;
            }
            if pauses {
                self.wait(PAUSE).await?;
                self.give(TournamentCommand::Resume, false).await?;
            }
        }
        Ok(())
    }

    /// Gives a command, and waits until the log has it; returns whether it was carried out. One that
    /// was lost with the connection is given again, unless the log has it.
    async fn give(
        &mut self,
        command: TournamentCommand,
        breaks: bool,
    ) -> Result<bool, SessionError> {
        let mut breaks = breaks;
        let mut attempts = 0;
        self.until_current().await?;
        let before = own_lines(self.session.view());
        loop {
            if own_lines(self.session.view()) > before {
                self.report.done += 1;
                return Ok(true);
            }
            if attempts > 0 {
                self.report.given_again += 1;
            }
            attempts += 1;
            let request = TournamentRequest::Command { command: command.clone(), confirmed: true };
            self.session.request(request);
            if std::mem::take(&mut breaks) {
                self.network.cut_connections();
            }
            if let Some(why) = self.answer(before).await? {
                self.report.refused.push((command, why));
                return Ok(false);
            }
            self.until_current().await?;
        }
    }

    /// Waits until the log has the organiser's next line, or the connection is replaced; returns why a
    /// command was refused.
    async fn answer(&mut self, before: usize) -> Result<Option<TournamentError>, SessionError> {
        while own_lines(self.session.view()) == before {
            match self.session.next().await? {
                TournamentEvent::Resumed => break,
                TournamentEvent::View(TournamentChange::Refused(why)) => return Ok(Some(why)),
                TournamentEvent::View(_)
                | TournamentEvent::Joined
                | TournamentEvent::Refused(_) => {}
            }
        }
        Ok(None)
    }

    /// Waits until there is a connection, and the log is loaded.
    async fn until_current(&mut self) -> Result<(), SessionError> {
        while !self.session.is_up() || !self.session.view().is_loaded() {
            self.session.next().await?;
        }
        Ok(())
    }

    async fn until(&mut self, holds: impl Fn(&TournamentView) -> bool) -> Result<(), SessionError> {
        while !holds(self.session.view()) {
            self.session.next().await?;
        }
        Ok(())
    }

    /// Waits until the log has this number of results, or the tournament is over.
    async fn until_raced(&mut self, results: usize) -> Result<(), SessionError> {
        while counted_results(self.session.view()) < results && !is_over(self.session.view()) {
            self.next_or_end_stage().await?;
        }
        Ok(())
    }

    async fn until_over(&mut self) -> Result<(), SessionError> {
        while !is_over(self.session.view()) {
            self.next_or_end_stage().await?;
        }
        Ok(())
    }

    /// Waits for an event. If nothing happens as too few are there for a round, ends the stage.
    async fn next_or_end_stage(&mut self) -> Result<(), SessionError> {
        let waits = self.session.view().head.phase == TournamentPhase::Waiting;
        tokio::select! {
            biased;
            event = self.session.next() => event.map(|_| ()),
            () = tokio::time::sleep(STALLED), if waits => {
                self.give(TournamentCommand::EndStage, false).await.map(|_| ())
            }
        }
    }

    /// Follows the tournament for a while.
    async fn wait(&mut self, time: Duration) -> Result<(), SessionError> {
        let until = Clock::instant() + time;
        loop {
            tokio::select! {
                biased;
                event = self.session.next() => drop(event?),
                () = tokio::time::sleep_until(until) => return Ok(()),
            }
        }
    }
}

fn is_over(view: &TournamentView) -> bool {
    view.head.phase == TournamentPhase::Over
}

/// Counts the results that tables brought in.
fn counted_results(view: &TournamentView) -> usize {
    let is_result = |line: &&LogLine| {
        line.by == LogAuthor::Server && matches!(line.entry(), Some(LogEntry::Result { .. }))
    };
    view.log.lines().iter().filter(is_result).count()
}

/// Counts the lines that the organiser's commands have made.
fn own_lines(view: &TournamentView) -> usize {
    view.log.lines().iter().filter(|line| is_own(line)).count()
}

/// Returns whether a line is by a command of the organiser's.
pub fn is_own(line: &LogLine) -> bool {
    line.by == LogAuthor::Key(fingerprint())
        && !matches!(line.event, PublicEvent::SecretRevealed { .. })
}
