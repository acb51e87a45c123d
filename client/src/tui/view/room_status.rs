//! The status line of a room: the end of the heat, what the start waits for, the next heat, absent
//! members, and the host.

use crate::display::canvas::{Canvas, width_of};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::keymap::Scope;
use crate::tui::model::{HeatModel, HeatPhase, Model};
use crate::tui::view::key_labels::label;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::{ClosingReason, Member};
use ratatui::layout::Rect;

/// Columns of a name in a line with others.
const NAME: usize = 16;

/// Draws the first line of the screen where the heat ends soon. Returns whether it does.
pub(super) fn draw_closing(model: &Model, canvas: &mut Canvas<'_>, area: Rect) -> bool {
    let Some(heat) = model.shown_heat() else { return false };
    let Some(closing) = heat.closing else { return false };
    let left = closing.ends.since(model.heat_now(heat));
    let left = format::minutes_left(left);
    let races = heat.race().is_some_and(OwnRace::is_on);
    let (long, short) = match (closing.why, races) {
        (ClosingReason::OnlyBots, _) => ("only bots still race", "only bots still race"),
        (ClosingReason::Idle, true) => ("everybody left is idle: move to go on", "move to go on"),
        (ClosingReason::Idle, false) => ("everybody left is idle", "everybody left is idle"),
    };
    let long = format!(" Heat ends in {left}: {long}");
    let short = format!(" Ends in {left}: {short}");
    let text = if width_of(&long) <= area.width { long } else { short };
    canvas.banner(area, &text, Look::Mark);
    true
}

/// Draws the line between the body and the keys, in the colours of what is said: as much as it
/// holds, the most urgent first.
pub(super) fn draw(model: &Model, heat: &HeatModel, canvas: &mut Canvas<'_>, row: Rect) {
    let dot = format!(" {} ", canvas.theme.symbols.dot);
    let mut rest = row;
    for (text, look) in parts(model, heat) {
        let before = if rest.x == row.x { "" } else { dot.as_str() };
        if width_of(before) + width_of(&text) > rest.width {
            // What has the line to itself is cut; there are other screens for the rest.
            if before.is_empty() {
                let text = safe_text::text(&text, rest.width.into());
                canvas.text(rest, &text, look);
                return;
            }
            continue;
        }
        let x = canvas.segments(rest, &[(before, Look::Faint), (&text, look)]);
        rest = Rect { x, width: row.right().saturating_sub(x), ..rest };
    }
}

/// Returns what was announced last, which stands in the lobby as long as that.
pub(super) fn announcement(heat: &HeatModel) -> Option<String> {
    let (by, text) =
        heat.announcement.as_ref().filter(|_| matches!(heat.phase, HeatPhase::Lobby))?;
    Some(format!("{}: {text}", name(heat, *by)))
}

fn parts(model: &Model, heat: &HeatModel) -> Vec<(String, Look)> {
    let mut parts = Vec::new();
    if let Some(text) = start(heat).or_else(|| start_needs(model, heat)) {
        parts.push((text, Look::Mark));
    }
    if let Some(text) = rematch(heat) {
        parts.push((text, Look::Own));
    }
    parts.extend(away(model, heat).map(|text| (text, Look::Bad)));
    if let Some(queued) = &heat.setup.queued {
        parts.push((format!("next: {}", queued.spec), Look::Own));
    }
    // The lobby says it behind the names, and of a room without others it says nothing.
    if matches!(heat.phase, HeatPhase::Lobby) || model.other_people() == 0 {
        return parts;
    }
    if let Some(host) = heat.roster.host {
        let who = if host == heat.you {
            "you're the host".to_owned()
        } else {
            format!("host {}", name(heat, host))
        };
        parts.push((who, Look::Faint));
    }
    for operator in heat.roster.members.iter().filter(|member| member.operator) {
        let who = if operator.id == heat.you {
            "you are an operator".to_owned()
        } else {
            format!("operator {}", name(heat, operator.id))
        };
        parts.push((who, Look::Faint));
    }
    parts
}

/// Says by whom the start is held, where a heat doesn't begin by itself.
fn start(heat: &HeatModel) -> Option<String> {
    if let Some(holder) = heat.setup.held_by {
        let by = if holder == heat.you { "you".to_owned() } else { name(heat, holder) };
        return Some(format!("start held by {by}"));
    }
    let host = heat.roster.members.iter().find(|member| heat.roster.host == Some(member.id))?;
    let decides = matches!(heat.phase, HeatPhase::Lobby) && host.role == Role::Spectator;
    let name = if host.id == heat.you {
        "you start".to_owned()
    } else {
        format!("{} starts", name(heat, host.id))
    };
    decides.then(|| format!("{name} the heat"))
}

/// Says what the start waits for, to a player who is ready in the lobby.
fn start_needs(model: &Model, heat: &HeatModel) -> Option<String> {
    let is_ready = heat.is_player() && heat.me().is_some_and(|me| me.ready);
    if !matches!(heat.phase, HeatPhase::Lobby) || !is_ready {
        return None;
    }
    let players = || heat.roster.members.iter().filter(|member| member.role == Role::Player);
    let mut others = players().filter(|member| !member.ready || !member.connected);
    Some(match (players().count(), others.next()) {
        (0 | 1, _) if heat.has_host_powers() => {
            let key = |key| label(model, Scope::Lobby, key);
            format!("you are alone: {} starts, {} adds a bot", key("s"), key("b"))
        }
        (0 | 1, _) => "waiting for another player, or the host".to_owned(),
        (_, Some(first)) => {
            let first = name(heat, first.id);
            match others.count() {
                0 => format!("waiting for {first}"),
                more => {
                    format!("waiting for {first} and {}", format::counted(more, "other", "others"))
                }
            }
        }
        (_, None) => return None,
    })
}

/// Says how many of the people who play want a rematch. At a table of a tournament there is none.
fn rematch(heat: &HeatModel) -> Option<String> {
    heat.result().filter(|_| heat.setup.table.is_none())?;
    let is_player = |member: &&Member| {
        member.role == Role::Player && member.kind == PlayerKind::Human && member.connected
    };
    let players: Vec<&Member> = heat.roster.members.iter().filter(is_player).collect();
    let ready = players.iter().filter(|member| member.ready).count();
    let verb = if ready == 1 { "wants" } else { "want" };
    (ready > 0).then(|| format!("{ready} of {} {verb} a rematch", players.len()))
}

/// Says for whom a seat is kept, and how long. Those who only watch have none, and hold up no one.
fn away(model: &Model, heat: &HeatModel) -> impl Iterator<Item = String> {
    let players = heat.roster.members.iter().filter(|member| member.role == Role::Player);
    players.filter_map(|member| {
        let left = seat_left(model, heat, member)?;
        Some(format!("{} is away, seat kept {left}", name(heat, member.id)))
    })
}

/// Returns for how long the seat of a member who is away is kept.
pub(super) fn seat_left(model: &Model, heat: &HeatModel, member: &Member) -> Option<String> {
    let until = member.away_until.filter(|_| !member.connected)?;
    let left = until.since(model.heat_now(heat));
    Some(format::minutes_left(left))
}

fn name(heat: &HeatModel, player: PlayerId) -> String {
    safe_text::text(&heat.name(player).name, NAME)
}
