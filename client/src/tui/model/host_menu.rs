//! The actions of the host's menu, for hosts and operators.

use crate::tui::model::form::{Field, Form};
use crate::tui::model::{HeatModel, HeatPhase};
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::snapshot::{Ban, Member};

/// The longest line that is typed, in graphemes, as the server takes it.
const ANNOUNCEMENT_LIMIT: usize = 120;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostAction {
    Start,
    /// All go back to the lobby, when the heat is over.
    ToLobby,
    EndHeat,
    /// No heat begins before the host starts it.
    Hold,
    Release,
    /// The options of the next heat, which in the lobby is this one.
    Options,
    Announce,
    Member(MemberAction),
    /// Let a banned key join again.
    Unban,
}

/// What the host may do to another member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberAction {
    Kick,
    Ban,
    HandOver,
}

impl HostAction {
    /// Returns what may be done now, in the order shown.
    pub fn available(heat: &HeatModel) -> Vec<Self> {
        let phase = match &heat.phase {
            HeatPhase::Lobby => Some(Self::Start),
            HeatPhase::Drawing { .. } | HeatPhase::Countdown { .. } => None,
            HeatPhase::Racing(_) | HeatPhase::Watching(_) => Some(Self::EndHeat),
            HeatPhase::Over(_) => Some(Self::ToLobby),
        };
        let hold = if heat.setup.held_by.is_some() { Self::Release } else { Self::Hold };
        let always = [
            hold,
            Self::Options,
            Self::Announce,
            Self::Member(MemberAction::Kick),
            Self::Member(MemberAction::Ban),
            Self::Member(MemberAction::HandOver),
        ];
        let unban = (!liftable_bans(heat).is_empty()).then_some(Self::Unban);
        phase.into_iter().chain(always).chain(unban).collect()
    }

    /// Returns the key that chooses it, and its name.
    pub const fn words(self) -> (char, &'static str) {
        match self {
            Self::Start => ('s', "Start the heat"),
            Self::ToLobby => ('s', "Take everybody to the lobby"),
            Self::EndHeat => ('e', "End the heat now"),
            Self::Hold => ('h', "Hold the start"),
            Self::Release => ('h', "Release the start"),
            Self::Options => ('o', "Next puzzle and options"),
            Self::Announce => ('a', "Announce a line to everybody"),
            Self::Member(MemberAction::Kick) => ('k', "Kick a member"),
            Self::Member(MemberAction::Ban) => ('b', "Ban a member from this room"),
            Self::Member(MemberAction::HandOver) => ('g', "Make another the host"),
            Self::Unban => ('u', "Lift a ban"),
        }
    }
}

/// Returns the bans that this player may lift, the earliest first: a host none of an operator's.
pub fn liftable_bans(heat: &HeatModel) -> Vec<&Ban> {
    let is_operator = heat.me().is_some_and(|me| me.operator);
    heat.banned.iter().filter(|ban| is_operator || !ban.by_operator).collect()
}

fn is_house_bot(member: &Member) -> bool {
    matches!(member.kind, PlayerKind::HouseBot(_))
}

impl MemberAction {
    /// Returns the members that it may be done to, in the order of the lobby.
    pub fn candidates(self, heat: &HeatModel) -> Vec<&Member> {
        let may = |member: &&Member| match self {
            Self::Kick => member.id != heat.you && !member.operator,
            // A ban is for a key, which the server's bots don't have.
            Self::Ban => member.id != heat.you && !member.operator && !is_house_bot(member),
            Self::HandOver => {
                let is_client = matches!(member.kind, PlayerKind::Human | PlayerKind::Bot);
                is_client && member.connected && heat.roster.host != Some(member.id)
            }
        };
        heat.roster.members.iter().filter(may).collect()
    }

    pub const fn title(self) -> &'static str {
        match self {
            Self::Kick => "Kick whom?",
            Self::Ban => "Ban whom from this room?",
            Self::HandOver => "Who becomes the host?",
        }
    }
}

/// Makes the form of a line that is announced.
pub fn announcement_form() -> Form {
    Form::prompt(Field::text("", "", "", ANNOUNCEMENT_LIMIT))
}
