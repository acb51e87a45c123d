//! The lobby: how others join, who is here, what is to be raced.

use crate::display::big_digits::{self, Dots};
use crate::display::canvas::{Canvas, Segment, below, indent, line, middle, scrolled};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::net::own_addresses::is_this_machine;
use crate::tui::model::{HeatModel, Model};
use crate::tui::view::room_status;
use gridrace_lan::interfaces::shell_quoted;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::Member;
use ratatui::layout::Rect;

/// From this height and width on the code is large and the options have their own column.
const ROOMY_HEIGHT: u16 = 16;
const ROOMY_WIDTH: u16 = 70;
/// The most columns that the lobby has, in the middle of a wider screen.
const MOST_WIDTH: u16 = 100;
/// Columns of the members where the options are beside them.
const MEMBERS: u16 = 40;
/// Columns of a label.
const LABEL: usize = 12;

pub(crate) fn draw(model: &Model, heat: &HeatModel, canvas: &mut Canvas<'_>, body: Rect) {
    if body.height < ROOMY_HEIGHT || body.width < ROOMY_WIDTH {
        return draw_small(model, heat, canvas, body);
    }
    let body = middle(body, body.width.min(MOST_WIDTH), body.height);
    let used = draw_code(model, heat, canvas, body);
    let area = below(body, used + 1);
    let left = Rect { width: MEMBERS, ..area };
    draw_members(model, heat, canvas, left);
    let right = indent(area, MEMBERS + 2);
    draw_options(heat, canvas, right);
}

fn draw_small(model: &Model, heat: &HeatModel, canvas: &mut Canvas<'_>, body: Rect) {
    let code = spaced(&heat.code.to_string());
    let x = canvas.text(line(body, 0), &code, Look::Mark);
    let rest = Rect { x: x + 3, width: body.right().saturating_sub(x + 3), ..line(body, 0) };
    let pin = match pin(heat) {
        Some(pin) => format!(" PIN {pin}"),
        None if has_pin(model) => " and the PIN".to_owned(),
        None => String::new(),
    };
    let how = format!("{}{pin}", place(model));
    canvas.text(rest, &safe_text::text(&how, rest.width.into()), Look::Faint);
    let status = line(body, 2);
    match room_status::announcement(heat).filter(|_| model.announcement.is_none()) {
        Some(text) => {
            let text = safe_text::text(&text, status.width.into());
            canvas.text(status, &text, Look::Mark);
        }
        None => room_status::draw(model, heat, canvas, status),
    }
    let options = &heat.setup.options;
    let dot = canvas.theme.symbols.dot;
    let set = if heat.setup.seed == SeedOrigin::Host { " seed set by host" } else { "" };
    let summary = format!(
        "{} {dot} {} {dot} hints {}{set}",
        options.spec,
        format::minutes(options.time_limit()),
        format::hint_rule(options)
    );
    canvas.text(line(body, 1), &safe_text::text(&summary, body.width.into()), Look::Text);
    draw_members(model, heat, canvas, below(body, 3));
}

/// Draws the code, large, and how to join beside it; returns how many lines that took.
fn draw_code(model: &Model, heat: &HeatModel, canvas: &mut Canvas<'_>, body: Rect) -> u16 {
    let code = heat.code.to_string();
    let dots = if model.settings.appearance.ascii { Dots::Single } else { Dots::Half };
    let (width, height) = big_digits::extent(&code, dots);
    big_digits::draw(canvas, body, &code, dots, Look::Mark);
    let beside = indent(body, width + 4);
    let others = if is_on_loopback(model) { "Others on this machine" } else { "Others" };
    let how = format!("gridrace join {code} {}", shell_quoted(&place(model)));
    let whole = pin(heat).map(|pin| format!("{how} --pin {pin}"));
    let fits = |text: &String| safe_text::cells(text) <= usize::from(beside.width);
    // A PIN that is cut is of no use: without room behind the address it stands before it.
    let (joins, command) = match (pin(heat), whole.filter(fits)) {
        (Some(_), Some(whole)) => (format!("{others} join with"), whole),
        (Some(pin), None) => (format!("With the PIN {pin} {} join by", others.to_lowercase()), how),
        (None, _) if has_pin(model) => (format!("{others} need the PIN, and join with"), how),
        (None, _) => (format!("{others} join with"), how),
    };
    canvas.text(line(beside, 0), &safe_text::text(&joins, beside.width.into()), Look::Faint);
    let command = safe_text::text(&command, beside.width.into());
    if safe_text::cells(&command) > 0 {
        canvas.text(line(beside, 1), &command, Look::Strong);
    }
    let more: Vec<&str> = model.invitation.iter().skip(1).map(String::as_str).collect();
    let more = match more.as_slice() {
        [] if !is_on_loopback(model) => String::new(),
        [] if model.is_on_own_server() && model.invitation.is_empty() => {
            "The server listens on this machine alone.".to_owned()
        }
        [] if model.is_on_own_server() => "This machine has no address in a network.".to_owned(),
        [] if model.is_loopback_only => "No address of this machine leads here.".to_owned(),
        [] => "from elsewhere, by this machine's own address".to_owned(),
        more => format!("or at {}", more.join(", ")),
    };
    canvas.text(line(beside, 2), &safe_text::text(&more, beside.width.into()), Look::Faint);
    let links = model.links();
    let Some(link) = links.first() else { return height };
    let text = format!("or by {link}");
    canvas.text(line(beside, 3), &safe_text::text(&text, beside.width.into()), Look::Faint);
    height.max(4)
}

/// Says whether the only address that is known leads nowhere from another machine.
fn is_on_loopback(model: &Model) -> bool {
    place(model).parse().is_ok_and(|address| is_this_machine(&address))
}

/// Returns the address by which others join: of this machine, or the server's.
pub(crate) fn place(model: &Model) -> String {
    let server = model.connection.goal.as_ref().map(|goal| goal.address.clone());
    model.invitation.first().cloned().or(server).unwrap_or_default()
}

/// Returns the room's PIN, which the host and operators are shown.
fn pin(heat: &HeatModel) -> Option<String> {
    heat.pin.clone().map(String::from)
}

/// Says whether others need a PIN to join, as far as this client knows.
pub(crate) fn has_pin(model: &Model) -> bool {
    let goal = model.connection.goal.as_ref();
    goal.is_some_and(|goal| goal.pin.is_some())
}

fn draw_members(model: &Model, heat: &HeatModel, canvas: &mut Canvas<'_>, area: Rect) {
    let members = &heat.roster.members;
    let seated = members.iter().filter(|member| member.role == Role::Player).count();
    let heading = format::counted(seated, "player", "players");
    let watching = members.len() - seated;
    let watching = if watching == 0 { String::new() } else { format!(", {watching} watching") };
    canvas.segments(line(area, 0), &[(&heading, Look::Strong), (&watching, Look::Faint)]);
    for (row, member, chosen) in scrolled(below(area, 1), 1, members, heat.panel.chosen) {
        draw_member(model, heat, member, chosen, canvas, row);
    }
}

fn draw_member(
    model: &Model,
    heat: &HeatModel,
    member: &Member,
    chosen: bool,
    canvas: &mut Canvas<'_>,
    row: Rect,
) {
    let [yes, _] = canvas.theme.symbols.check;
    let cursor = canvas.cursor(chosen);
    let mut marks: Vec<Segment<'_>> = Vec::new();
    match member.kind {
        PlayerKind::Human => {}
        PlayerKind::Bot => marks.push((" bot", Look::Faint)),
        PlayerKind::HouseBot(skill) => {
            marks.extend([(" bot ", Look::Faint), (skill.into_str(), Look::Faint)]);
        }
    }
    if heat.roster.host == Some(member.id) {
        marks.push((" host", Look::Faint));
    }
    if member.operator {
        marks.push((" operator", Look::Faint));
    }
    if member.id == heat.you {
        marks.push((" you", Look::Own));
    }
    let wide: usize = marks.iter().map(|(text, _)| safe_text::cells(text)).sum();
    let wide = wide + safe_text::cells(member.name.as_str());
    let ready = match (member.connected, member.role, member.ready) {
        (false, _, _) => {
            (away(model, heat, member, usize::from(row.width).saturating_sub(wide)), Look::Bad)
        }
        (true, Role::Spectator, _) => ("watches".to_owned(), Look::Faint),
        (true, Role::Player, true) => (format!("{yes} ready"), Look::Good),
        (true, Role::Player, false) => ("not ready".to_owned(), Look::Faint),
    };
    let end = canvas.right(row, &ready.0, ready.1);
    let left = Rect { width: end.saturating_sub(row.x + 1), ..row };
    let wide: usize = marks.iter().map(|(text, _)| safe_text::cells(text)).sum();
    let space = usize::from(left.width).saturating_sub(2 + wide);
    let name = safe_text::text(member.name.as_str(), space);
    let look = if chosen { Look::Cursor } else { Look::Text };
    let mut segments = vec![(cursor, Look::Cursor), (" ", Look::Text), (name.as_str(), look)];
    segments.extend(marks);
    canvas.segments(left, &segments);
}

/// Says that a member is away, and for how long the seat is kept, beside a name that leaves
/// `space` columns.
fn away(model: &Model, heat: &HeatModel, member: &Member, space: usize) -> String {
    let Some(left) = room_status::seat_left(model, heat, member) else {
        return "away".to_owned();
    };
    let long = format!("away, seat kept {left}");
    // The cursor before the name, and a space behind it.
    if long.len() + 3 <= space { long } else { format!("away {left}") }
}

fn draw_options(heat: &HeatModel, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.text(line(area, 0), "Options", Look::Strong);
    let options = &heat.setup.options;
    let yes_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let (seed, seed_look) = match heat.setup.seed {
        SeedOrigin::Drawn => ("chosen by the server", Look::Text),
        SeedOrigin::Host => ("set by the host", Look::Mark),
    };
    let idle = match options.idle_seconds {
        0 => "never ends the heat".to_owned(),
        seconds => format!("{seconds} s ends the heat"),
    };
    let picture = match (options.picture, &heat.image) {
        (false, _) => "",
        (true, None) => ", a picture",
        (true, Some(_)) => ", an image",
    };
    let puzzle = format!("{}{picture}", options.spec);
    let commitment: String = heat.setup.commitment.to_string().chars().take(16).collect();
    let rows = [
        ("puzzle", puzzle, Look::Text),
        ("time limit", format::minutes(options.time_limit()), Look::Text),
        ("countdown", format!("{} s", options.countdown_seconds), Look::Text),
        ("hints", format::hint_rule(options), Look::Text),
        ("bots", yes_no(options.bots_allowed), Look::Text),
        ("private", yes_no(options.private), Look::Text),
        ("delay", format!("{} s for spectators", options.delay_seconds), Look::Text),
        ("grace", format!("{} s, if cut off", options.grace_seconds), Look::Text),
        ("idle", idle, Look::Text),
        ("seed", seed.to_owned(), seed_look),
        ("commitment", format!("{commitment}{}", canvas.theme.symbols.ellipsis), Look::Faint),
    ];
    for (index, (label, value, look)) in (1u16..).zip(rows) {
        let label = format!("{label:<LABEL$}");
        let segments: [Segment<'_>; 2] = [(&label, Look::Faint), (&value, look)];
        canvas.segments(line(area, index), &segments);
    }
}

fn spaced(code: &str) -> String {
    code.chars().map(String::from).collect::<Vec<_>>().join(" ")
}
