//! The big screen: a room as a hall watches it, on a projector or a television.
//!
//! The clock and the code are giant, all places are in sight at any time, the boards of those who
//! still race come first, and pages turn by themselves.

use crate::display::big_digits::{self, Dots};
use crate::display::canvas::{Canvas, Segment, below, indent, line, middle};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::model::{HeatModel, Model};
use crate::tui::view::{lobby, podium, standings, watching};
use gridrace_lan::interfaces::shell_quoted;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::heat_view::SpectatedBoards;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::{HeatResult, Member};
use ratatui::layout::Rect;

/// The smallest body that is laid out so; a smaller one is shown as to any spectator.
const LEAST_WIDTH: u16 = 70;
const LEAST_HEIGHT: u16 = 18;
/// The widest and the narrowest row of a place.
const ROW: u16 = 36;
const NARROW_ROW: u16 = 18;
/// Columns between two columns of rows, and between the boards and the rows.
const GAP: u16 = 2;
/// Columns of a time with its thousandths, of per cent, and of the place with the space behind it.
const TIME: u16 = 9;
const SHORT_TIME: u16 = 6;
const PLACE: u16 = 3;
/// Columns of the facts beside the clock below which they have fewer words.
const NARROW_FACTS: u16 = 18;
/// Columns that the clock leaves them at least, `12 of 32 in`, and those between.
const LEAST_FACTS: u16 = 11;
const CLOCK_GAP: u16 = 3;
/// The widest name beside a bar.
const NAME: u16 = 14;
/// Lines of the podium above the places.
const PODIUM: u16 = 14;
/// Columns of a member in the lobby: the widest in which all are in sight.
const MEMBER: [u16; 3] = [28, 22, 16];

/// Says whether a body has room for the big screen.
pub(crate) const fn fits(body: Rect) -> bool {
    body.width >= LEAST_WIDTH && body.height >= LEAST_HEIGHT
}

/// Draws the code, giant, how to join, and who is here.
pub(crate) fn draw_lobby(model: &Model, heat: &HeatModel, canvas: &mut Canvas<'_>, body: Rect) {
    let code = heat.code.to_string();
    let space = Rect { height: body.height / 3, ..body };
    let used = draw_giant(model, &code, Look::Mark, canvas, space);
    let area = below(body, used + 1);
    let pin = if lobby::has_pin(model) { " with the PIN" } else { "" };
    let join = format!("gridrace join {code} {}", shell_quoted(&lobby::place(model)));
    let join = safe_text::text(&join, body.width.into());
    canvas.centred_segments(
        line(area, 0),
        &[("join", Look::Faint), (pin, Look::Mark), ("   ", Look::Text), (&join, Look::Strong)],
    );
    let options = &heat.setup.options;
    let dot = canvas.theme.symbols.dot;
    let seed = if heat.setup.seed == SeedOrigin::Host { ", seed set by the host" } else { "" };
    let about = format!(
        "{} {dot} {} {dot} hints {}{seed}",
        options.spec,
        format::minutes(options.time_limit()),
        format::hint_rule(options),
    );
    canvas.centred(line(area, 1), &about, Look::Text);
    draw_members(heat, canvas, below(area, 3));
}

/// Draws the players in as many columns as they need, and how many they are.
fn draw_members(heat: &HeatModel, canvas: &mut Canvas<'_>, area: Rect) {
    let is_player = |member: &&Member| member.role == Role::Player;
    let players: Vec<&Member> = heat.roster.members.iter().filter(is_player).collect();
    let ready = players.iter().filter(|member| member.ready).count();
    let count = format::counted(players.len(), "player", "players");
    canvas.centred(line(area, 0), &format!("{count}, {ready} ready"), Look::Strong);
    let list = below(area, 2);
    let all = u16::try_from(players.len()).unwrap_or(u16::MAX);
    let rows = |width: u16| all.div_ceil((list.width / width).max(1)).max(1);
    let all_fit = |width: &u16| rows(*width) <= list.height;
    let [.., narrowest] = MEMBER;
    let width = MEMBER.into_iter().find(all_fit).unwrap_or(narrowest);
    let rows = rows(width).min(list.height.max(1));
    let columns = all.div_ceil(rows).min((list.width / width).max(1)).max(1);
    let space = usize::from(rows * columns);
    let shown = if players.len() > space { space.saturating_sub(1) } else { players.len() };
    let list = middle(list, columns * width, list.height);
    let list = Rect { y: area.y + 2, ..list };
    let place = |index: usize| {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        let (row, column) = (index % rows, index / rows);
        Rect { x: list.x + column * width, width: width - 2, ..line(list, row) }
    };
    let [yes, _] = canvas.theme.symbols.check;
    for (index, member) in players.iter().take(shown).enumerate() {
        let mark = if member.ready { yes } else { " " };
        let mark = format!("{mark:<0$} ", safe_text::cells(yes));
        let space = usize::from(width - 2).saturating_sub(safe_text::cells(&mark));
        let name = safe_text::text(member.name.as_str(), space);
        canvas.segments(place(index), &[(&mark, Look::Good), (&name, Look::Text)]);
    }
    if shown < players.len() {
        canvas.text(place(shown), &format!("and {} more", players.len() - shown), Look::Faint);
    }
}

/// The parts of the race: the clock with what is beside it, the boards below, the places at the
/// right.
struct BigScreenLayout {
    head: Rect,
    boards: Rect,
    places: Places,
}

/// Where the places are: rows of one width, in columns.
struct Places {
    area: Rect,
    columns: u16,
    width: u16,
}

impl BigScreenLayout {
    fn new(count: usize, body: Rect) -> Self {
        let places = Places::at_right(count, body);
        let left = Rect { width: places.area.x.saturating_sub(body.x + GAP), ..body };
        let clock = if left.height >= 2 * LEAST_HEIGHT - 8 { 5 } else { 3 };
        let head = Rect { height: clock, ..left };
        Self { head, boards: below(left, clock + 1), places }
    }
}

impl Places {
    /// Takes as many columns as all need, but no more than half of the width.
    fn at_right(count: usize, body: Rect) -> Self {
        let needed = u16::try_from(count).unwrap_or(u16::MAX).div_ceil(body.height.max(1)).max(1);
        let half = body.width / 2;
        let most = ((half + GAP) / (NARROW_ROW + GAP)).max(1);
        let columns = needed.min(most);
        let width = ((half + GAP) / columns).saturating_sub(GAP).min(ROW);
        let wide = columns * (width + GAP) - GAP;
        let area = Rect { x: body.right().saturating_sub(wide), width: wide, ..body };
        Self { area, columns, width }
    }

    /// Spreads all over an area, in columns of the same length.
    fn over(count: usize, area: Rect) -> Self {
        let rows = area.height.max(1);
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        let most = ((area.width + GAP) / (NARROW_ROW + GAP)).max(1);
        let columns = count.div_ceil(rows).clamp(1, most);
        let width = ((area.width + GAP) / columns).saturating_sub(GAP).min(ROW);
        let area = middle(area, columns * (width + GAP) - GAP, count.div_ceil(columns).min(rows));
        Self { area, columns, width }
    }

    /// Draws the rows down the columns; where they don't all fit, how many more there are. Once the
    /// heat is over, gaps stand in place of bars.
    fn draw(&self, heat: &HeatModel, rows: &[Standing], is_over: bool, canvas: &mut Canvas<'_>) {
        let height = usize::from(self.area.height);
        let space = height * usize::from(self.columns);
        let shown = if rows.len() > space { space.saturating_sub(1) } else { rows.len() };
        let place = |index: usize| {
            let column = u16::try_from(index / height.max(1)).unwrap_or(u16::MAX);
            let row = u16::try_from(index % height.max(1)).unwrap_or(u16::MAX);
            let x = self.area.x.saturating_add(column.saturating_mul(self.width + GAP));
            Rect { x, width: self.width, ..line(self.area, row) }
        };
        for (index, standing) in rows.iter().take(shown).enumerate() {
            let leader = rows.first().filter(|_| is_over);
            draw_place(heat, standing, leader, canvas, place(index));
        }
        if shown < rows.len() {
            let more = format!("and {} more", rows.len() - shown);
            canvas.text(place(shown), &more, Look::Faint);
        }
    }
}

/// Draws a place, the name, progress or time, and where there is room a bar, or the gap to a leader.
fn draw_place(
    heat: &HeatModel,
    standing: &Standing,
    leader: Option<&Standing>,
    canvas: &mut Canvas<'_>,
    row: Rect,
) {
    let look = match standing.state {
        RaceState::Finished { .. } => Look::Good,
        RaceState::Racing => Look::Text,
        RaceState::Dnf => Look::Faint,
    };
    let is_wide = row.width >= ROW - 6;
    let state =
        if is_wide { standings::state(standing) } else { standings::short_state(standing, 0) };
    let state_width = if is_wide { TIME } else { SHORT_TIME };
    canvas.right(row, &state, look);
    let left = row.width.saturating_sub(PLACE + state_width + 1);
    let place = format!("{:>2}", standing.place);
    let is_provisional = leader.is_none() && standings::is_provisional(heat, standing);
    let mark = if is_provisional { standings::PROVISIONAL } else { " " };
    let name = safe_text::column(
        &heat.name(standing.player).name,
        usize::from(if is_wide { left.min(NAME) } else { left }),
    );
    let name_look = if standing.state == RaceState::Dnf { Look::Faint } else { Look::Strong };
    let segments: [Segment<'_>; 3] =
        [(&place, Look::Faint), (mark, Look::Mark), (&name, name_look)];
    let x = canvas.segments(Rect { width: PLACE + left, ..row }, &segments);
    let end = row.right().saturating_sub(state_width + 1);
    if is_wide && end > x + 2 {
        let rest = Rect { x: x + 1, width: end - x - 1, ..row };
        match leader {
            Some(leader) => {
                canvas.right(rest, &format::gap(standing, leader), Look::Faint);
            }
            None => canvas.bar(rest, standing.progress, look),
        }
    }
}

/// Returns the players whose boards are shown: by place, but those who still race first.
fn order(heat: &HeatModel, boards: &SpectatedBoards) -> Vec<PlayerId> {
    let mut order = watching::order(heat, boards);
    order.sort_by_key(|&player| !is_racing(heat, player));
    order
}

fn is_racing(heat: &HeatModel, player: PlayerId) -> bool {
    let mut rows = heat.standings.iter();
    rows.find(|row| row.player == player).is_none_or(|row| row.state == RaceState::Racing)
}

fn racing(heat: &HeatModel, boards: &SpectatedBoards) -> usize {
    boards.boards.keys().filter(|&&player| is_racing(heat, player)).count()
}

/// Returns how many boards the first page is to hold: those on which someone still races, or all.
fn wanted(heat: &HeatModel, boards: &SpectatedBoards) -> usize {
    match racing(heat, boards) {
        0 => boards.boards.len(),
        racing => racing,
    }
}

/// Returns on how many pages all boards are, and on how many of them someone still races; 1 at
/// least.
pub(crate) fn pages(heat: &HeatModel, boards: &SpectatedBoards, body: Rect) -> (usize, usize) {
    let area = BigScreenLayout::new(heat.standings.len(), body).boards;
    let racing = racing(heat, boards);
    let per_page = watching::per_page(boards, wanted(heat, boards), area);
    let all = boards.boards.len().div_ceil(per_page).max(1);
    let with_racing = if racing == 0 { all } else { racing.div_ceil(per_page) };
    (all, with_racing)
}

/// Draws a race: the clock, the boards, and all places.
pub(crate) fn draw_race(
    model: &Model,
    heat: &HeatModel,
    boards: &SpectatedBoards,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let layout = BigScreenLayout::new(heat.standings.len(), body);
    let boards_in_order = (&order(heat, boards)[..], wanted(heat, boards));
    let page = watching::draw_page(heat, boards, boards_in_order, canvas, layout.boards);
    layout.places.draw(heat, &heat.standings, false, canvas);
    let elapsed = model.heat_now(heat).since(boards.go);
    let clock = format::minutes(elapsed);
    let ascii = model.settings.appearance.ascii;
    // As large as leaves room for the facts.
    let width = layout.head.width;
    let width = (2 * width / 3).min(width.saturating_sub(CLOCK_GAP + LEAST_FACTS));
    let space = Rect { width, ..layout.head };
    let width = match Dots::largest(&clock, space, ascii) {
        Some(dots) => {
            big_digits::draw(canvas, layout.head, &clock, dots, Look::Strong);
            big_digits::extent(&clock, dots).0
        }
        None => canvas.text(layout.head, &clock, Look::Strong) - layout.head.x,
    };
    let facts = indent(layout.head, width + CLOCK_GAP);
    let is_narrow = facts.width < NARROW_FACTS;
    let finished = |row: &&Standing| matches!(row.state, RaceState::Finished { .. });
    let done = heat.standings.iter().filter(finished).count();
    let all = heat.standings.len();
    let limit = format::minutes(boards.ends.since(boards.go));
    let join = format!("{} {}", heat.code, lobby::place(model));
    let delay = heat.raced_setup().options.delay_seconds;
    let late = match (delay, is_narrow) {
        (0, _) => String::new(),
        (delay, true) => format!("{delay} s late"),
        (delay, false) => format!("boards {delay} s late"),
    };
    let number = heat.panel.page.min(page.pages - 1) + 1;
    let cut = if page.cut { ", cut" } else { "" };
    let pages = match page.pages {
        ..=1 => late.clone(),
        pages if is_narrow => format!("page {number}/{pages}{cut}"),
        pages => format!("boards {number} of {pages}{cut}"),
    };
    let finished = if is_narrow { "in" } else { "finished" };
    let lines = [
        (format!("{done} of {all} {finished}"), Look::Strong),
        (format!("of {limit}"), Look::Faint),
        (pages, Look::Faint),
        (if page.pages > 1 { late } else { String::new() }, Look::Faint),
        (join, Look::Mark),
    ];
    for (index, (text, look)) in (0u16..).zip(lines) {
        let row = line(facts, index);
        canvas.text(row, &safe_text::text(&text, row.width.into()), look);
    }
}

/// Draws the podium, and below it all places.
pub(crate) fn draw_results(
    heat: &HeatModel,
    result: &HeatResult,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let rows = &result.standings;
    let winner = podium::finishers(rows).first().copied();
    let headline = match winner {
        Some(winner) => {
            format!("{} won", safe_text::text(&heat.name(winner.player).name, 40))
        }
        None => "No player finished".to_owned(),
    };
    canvas.centred(line(body, 0), &headline, Look::Strong);
    let area = below(body, 2);
    // All places come first: the podium takes what they leave.
    let most = ((area.width + GAP) / (NARROW_ROW + GAP)).max(1);
    let needed = u16::try_from(rows.len()).unwrap_or(u16::MAX).div_ceil(most);
    let height = area.height.saturating_sub(needed + 1).min(PODIUM);
    let steps = Rect { height, ..area };
    let used = if winner.is_some() && podium::fits(steps) {
        podium::draw(heat, rows, canvas, steps);
        height + 1
    } else {
        0
    };
    Places::over(rows.len(), below(area, used)).draw(heat, rows, true, canvas);
}

/// Draws a text as large as it fits, in the middle of the width; returns how many lines it took.
fn draw_giant(model: &Model, text: &str, look: Look, canvas: &mut Canvas<'_>, area: Rect) -> u16 {
    let Some(dots) = Dots::largest(text, area, model.settings.appearance.ascii) else {
        canvas.centred(line(area, 0), text, look);
        return 1;
    };
    let (width, height) = big_digits::extent(text, dots);
    let place = middle(Rect { height, ..area }, width, height);
    big_digits::draw(canvas, place, text, dots, look);
    height
}
