//! The countdown: three, two, one, by the server's clock; and the wait before it.

use crate::display::big_digits::{self, Dots};
use crate::display::canvas::{Canvas, below, line, middle, width_of};
use crate::display::format;
use crate::display::theme::Look;
use crate::tui::model::{HeatModel, Model};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::util::time::HeatInstant;
use ratatui::layout::Rect;

/// Lines below the digits.
const WORDS: u16 = 3;

/// Draws how long it is to GO. The board isn't known yet.
pub(crate) fn draw(
    model: &Model,
    heat: &HeatModel,
    go: HeatInstant,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let left = go.since(model.heat_now(heat));
    let text = match left.seconds_rounded_up() {
        0 => "GO".to_owned(),
        seconds => seconds.to_string(),
    };
    let space = Rect { height: body.height.saturating_sub(WORDS), ..body };
    let ascii = model.settings.appearance.ascii;
    let giant = Dots::largest(&text, space, ascii).filter(|_| model.shows_big_screen());
    let dots = giant.unwrap_or(Dots::Square);
    let (width, height) = big_digits::extent(&text, dots);
    let area = middle(body, body.width, height + WORDS);
    let digits = middle(Rect { height, ..area }, width, height);
    big_digits::draw(canvas, digits, &text, dots, Look::Mark);
    let wait = "the board comes at GO";
    draw_words(heat, wait, canvas, below(area, height + 1));
}

/// Draws that the board is being made, and how many boards come before it.
pub(crate) fn draw_wait(heat: &HeatModel, ahead: u32, canvas: &mut Canvas<'_>, body: Rect) {
    let area = middle(body, body.width, WORDS);
    let wait = match ahead {
        0 => "the board is being made".to_owned(),
        1 => "1 board is made before yours".to_owned(),
        _ => format!("{ahead} boards are made before yours"),
    };
    draw_words(heat, &wait, canvas, area);
}

/// Draws what the race is about, and what a player waits for.
fn draw_words(heat: &HeatModel, wait: &str, canvas: &mut Canvas<'_>, area: Rect) {
    let racing = heat.roster.members.iter().filter(|member| member.role == Role::Player).count();
    let options = &heat.raced_setup().options;
    let dot = canvas.theme.symbols.dot;
    let players = format::counted(racing, "player", "players");
    let hints = format::hint_rule(options);
    let long = format!("{} {dot} {players} {dot} hints {hints}", options.spec);
    let short = format!("{} {dot} {players}", options.spec);
    let first = if width_of(&long) <= area.width { long } else { short };
    canvas.centred(line(area, 0), &first, Look::Text);
    let second = if heat.is_player() { wait } else { "you are watching" };
    canvas.centred(line(area, 1), second, Look::Faint);
}
