//! Watching: each player's board, the leader's marked.

use crate::display::canvas::{Canvas, below, indent, line, width_of};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::families;
use crate::families::face::{Face, Grid};
use crate::tui::model::{HeatModel, Model};
use crate::tui::view::{racing, standings};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat_view::SpectatedBoards;
use gridrace_shared::util::time::Millis;
use ratatui::layout::Rect;

/// Columns and lines between boards.
const GAP: u16 = 3;
/// The least columns of a board with its title.
const LEAST_TITLE: u16 = 16;
/// The fewest lines below the boards that are worth filling with bars.
const LEAST_BARS: u16 = 3;
/// Below this width words are short where boards are cut.
const WORDY: u16 = 60;

/// How many boards there are on a page, and how they are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Arrangement {
    style: usize,
    columns: u16,
    rows: u16,
    width: u16,
    height: u16,
    /// Whether the boards are too large to be shown whole.
    cut: bool,
}

/// Returns on how many pages the boards are; 1 at least.
pub(crate) fn pages(heat: &HeatModel, body: Rect) -> usize {
    heat.watching().map_or(1, |watching| pages_in(watching, below(body, 1)))
}

/// Returns on how many pages boards are in an area; 1 at least.
pub(crate) fn pages_in(watching: &SpectatedBoards, area: Rect) -> usize {
    let all = watching.boards.len();
    all.div_ceil(per_page(watching, all, area)).max(1)
}

/// Returns how many boards there are on a page of an area that is to hold `wanted` of them.
pub(crate) fn per_page(watching: &SpectatedBoards, wanted: usize, area: Rect) -> usize {
    arrange(watching, wanted, area).per_page()
}

pub(crate) fn draw(
    model: &Model,
    heat: &HeatModel,
    watching: &SpectatedBoards,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let elapsed = model.heat_now(heat).since(watching.go);
    let (pages, cut) = draw_boards(heat, watching, elapsed, canvas, below(body, 1));
    let page = heat.panel.page.min(pages - 1);
    draw_facts(model, heat, watching, (page, pages, cut), canvas, line(body, 0));
}

/// Draws the boards of the page, by place, and the standings below them where there is
/// room. Says on how many pages the boards are, and whether they are cut.
pub(crate) fn draw_boards(
    heat: &HeatModel,
    watching: &SpectatedBoards,
    elapsed: Millis,
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> (usize, bool) {
    let order = order(heat, watching);
    let page = draw_page(heat, watching, (&order, order.len()), canvas, area);
    if page.rest.height >= LEAST_BARS {
        let own = heat.is_player().then_some(heat.you);
        racing::draw_rivals(heat, own, elapsed, canvas, page.rest);
    }
    (page.pages, page.cut)
}

/// A page of boards as it was drawn.
pub(crate) struct BoardsPage {
    /// On how many pages all boards are.
    pub(crate) pages: usize,
    pub(crate) cut: bool,
    /// What is left below the boards.
    rest: Rect,
}

/// Draws the boards of the page, in this order; so large that `wanted` of them are on it.
pub(crate) fn draw_page(
    heat: &HeatModel,
    watching: &SpectatedBoards,
    (order, wanted): (&[PlayerId], usize),
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> BoardsPage {
    let all = watching.boards.len();
    let arrangement = arrange(watching, wanted, area);
    let per_page = arrangement.per_page();
    let pages = all.div_ceil(per_page).max(1);
    let page = heat.panel.page.min(pages - 1);
    let shown = order.iter().skip(page * per_page).take(per_page);
    for (index, &player) in (0u16..).zip(shown) {
        let (row, column) = (index / arrangement.columns, index % arrangement.columns);
        let place = Rect {
            x: area.x + column * (arrangement.width + GAP),
            y: area.y + row * arrangement.height,
            width: arrangement.width,
            height: arrangement.height,
        };
        if let Some(board) = watching.boards.get(&player) {
            let changed = watching.changed.get(&player).copied();
            let face = families::face(board, changed);
            let place = place.intersection(area);
            draw_one(heat, player, &*face, arrangement.style, canvas, place);
        }
    }
    let rows = all.min(per_page).div_ceil(usize::from(arrangement.columns));
    let used = u16::try_from(rows).unwrap_or(u16::MAX).saturating_mul(arrangement.height);
    BoardsPage { pages, cut: arrangement.cut, rest: below(area, used) }
}

impl Arrangement {
    fn per_page(self) -> usize {
        usize::from(self.columns) * usize::from(self.rows)
    }
}

/// Takes the largest style in which `wanted` boards fit, or else the one with most of them;
/// a board is cut only where it fits in no style.
fn arrange(watching: &SpectatedBoards, wanted: usize, area: Rect) -> Arrangement {
    let all = watching.boards.len();
    let face = families::face(&watching.start, None);
    let whole: Vec<Arrangement> = (0..face.styles())
        .filter(|&style| is_whole(&*face, area, style))
        .map(|style| fit(&*face, all, area, style))
        .collect();
    let most = whole.iter().map(|fit| fit.per_page()).max().unwrap_or(1).min(wanted);
    let enough = whole.into_iter().find(|fit| fit.per_page() >= most);
    enough.unwrap_or_else(|| fit(&*face, all, area, face.styles().saturating_sub(1)))
}

/// Says whether a board fits in a style, with its title.
fn is_whole(face: &dyn Face, area: Rect, style: usize) -> bool {
    let (width, height) = Grid::extent(face, style);
    width <= area.width && height < area.height
}

fn fit(face: &dyn Face, all: usize, area: Rect, style: usize) -> Arrangement {
    let (width, height) = Grid::extent(face, style);
    let width = width.max(LEAST_TITLE);
    let columns = ((area.width + GAP) / (width + GAP)).max(1);
    // The title above; a blank line below if as many rows fit with it, or all boards.
    let tight = height + 1;
    let rows = (area.height / tight).max(1);
    let needed = u16::try_from(all.div_ceil(columns.into())).unwrap_or(rows).min(rows);
    let airy = if area.height / (tight + 1) >= needed { tight + 1 } else { tight };
    let rows = (area.height / airy).max(1);
    Arrangement { style, columns, rows, width, height: airy, cut: !is_whole(face, area, style) }
}

/// Returns the players by place; those whom the standings don't know yet at the end.
pub(crate) fn order(heat: &HeatModel, watching: &SpectatedBoards) -> Vec<PlayerId> {
    let ranked = heat.standings.iter().map(|standing| standing.player);
    let mut order: Vec<PlayerId> =
        ranked.filter(|player| watching.boards.contains_key(player)).collect();
    let known: std::collections::BTreeSet<PlayerId> = order.iter().copied().collect();
    order.extend(watching.boards.keys().filter(|player| !known.contains(player)));
    order
}

fn draw_facts(
    model: &Model,
    heat: &HeatModel,
    watching: &SpectatedBoards,
    (page, pages, cut): (usize, usize, bool),
    canvas: &mut Canvas<'_>,
    row: Rect,
) {
    let elapsed = model.heat_now(heat).since(watching.go);
    let clock = format::clock(elapsed);
    let limit = format!("  of {}", format::minutes(watching.ends.since(watching.go)));
    let wordy = row.width >= WORDY;
    let delay = match heat.raced_setup().options.delay_seconds {
        0 => String::new(),
        seconds if cut && !wordy => format!("   {seconds} s late"),
        seconds => format!("   boards {seconds} s late"),
    };
    let cut = if cut { cut_note(wordy) } else { "" };
    let seat = match (heat.me().is_some_and(|me| me.next_seat), wordy) {
        (false, _) => "",
        (true, true) => "   you race in the next heat",
        (true, false) => "   you race next",
    };
    let mut rest = row;
    if pages > 1 {
        let end = canvas.right(row, &format!("{}/{pages}", page + 1), Look::Faint);
        rest.width = end.saturating_sub(row.x + 1);
    }
    // What matters least has room last, and is left out where it has none.
    for (text, look) in [
        (clock.as_str(), Look::Strong),
        (&limit, Look::Faint),
        (seat, Look::Own),
        (&delay, Look::Faint),
        (cut, Look::Faint),
    ] {
        if width_of(text) <= rest.width {
            let x = canvas.text(rest, text, look);
            rest = indent(rest, x - rest.x);
        }
    }
}

/// Says that boards are too large to be shown whole.
pub(crate) const fn cut_note(wordy: bool) -> &'static str {
    if wordy { "   boards are cut" } else { "   cut" }
}

fn draw_one(
    heat: &HeatModel,
    player: PlayerId,
    face: &dyn Face,
    style: usize,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let standing = heat.standings.iter().find(|standing| standing.player == player);
    let leads = standing.is_some_and(|standing| standing.place == 1 && standing.progress > 0);
    let (place, state) = standing.map_or_else(Default::default, |standing| {
        (format!("{} ", standing.place), standings::short_state(standing, area.width))
    });
    let is_provisional = standing.is_some_and(|standing| standings::is_provisional(heat, standing));
    let mark = match (is_provisional, leads) {
        (true, _) => standings::PROVISIONAL,
        (false, true) => canvas.theme.symbols.leader,
        (false, false) => "",
    };
    let title = line(area, 0);
    let end = canvas.right(title, &state, Look::Text);
    let left = Rect { width: end.saturating_sub(title.x + 1), ..title };
    let look = if leads { Look::Mark } else { Look::Strong };
    let x = canvas.segments(left, &[(&place, look), (mark, Look::Mark)]);
    let left = Rect { x, width: left.right().saturating_sub(x), ..left };
    canvas.text(left, &safe_text::text(&heat.name(player).name, left.width.into()), look);
    face.draw(canvas, &Grid::new(below(area, 1), face, style));
}
