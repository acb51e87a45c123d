//! The standings while a heat is raced: a bar for each player.

use crate::display::canvas::{Canvas, line, width_of};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::families;
use crate::tui::model::HeatModel;
use gridrace_shared::heat::standings::{RaceState, Standing};
use ratatui::layout::Rect;

/// From this width on a player may have two lines.
const WIDE: u16 = 24;
/// Columns of the place and the space after it.
const PLACE: u16 = 4;
/// Columns of the moves, and the least ones of the gap, and of progress or time: some players' need
/// more.
const MOVES: u16 = 5;
const GAP: u16 = 7;
const STATE: u16 = 9;
/// The least columns of progress, or of a time in seconds.
const SHORT_STATE: u16 = 5;
/// The narrowest bar and name that are worth their columns.
const LEAST_BAR: u16 = 8;
const LEAST_NAME: u16 = 6;
/// Columns of ` away`, ` left` or ` bot`.
const NOTE: u16 = 5;
/// Columns of `10/12 links  24 moves`.
const TALLY: u16 = 22;
/// The widest name beside a bar.
const MOST_NAME: u16 = 16;

/// Marks the place of a finish that another may still take.
pub(crate) const PROVISIONAL: &str = "?";
/// What that mark means, in many words and in few.
const LEGEND: [&str; 2] = ["? may still change place", "? not final"];

/// Says whether a player has finished, and one who still races may come before.
pub(crate) fn is_provisional(heat: &HeatModel, standing: &Standing) -> bool {
    matches!(standing.state, RaceState::Finished { .. }) && !heat.is_place_final(standing)
}

/// Draws the standings in an area: the leading, and oneself in any case.
pub(crate) fn draw(heat: &HeatModel, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(leader) = heat.standings.first() else {
        return;
    };
    let has_provisional = heat.standings.iter().any(|standing| is_provisional(heat, standing));
    let mut area = area;
    if has_provisional && usize::from(area.height) > heat.standings.len() {
        area.height -= 1;
        let legend = Rect { y: area.bottom(), height: 1, ..area };
        let [long, short] = LEGEND;
        let text = if width_of(long) <= legend.width { long } else { short };
        canvas.text(legend, text, Look::Faint);
    }
    let count = u16::try_from(heat.standings.len()).unwrap_or(u16::MAX);
    let pitch = match area.height.checked_div(count).unwrap_or(1) {
        space if space >= 3 && area.width >= WIDE => 3,
        2.. => 2,
        _ => 1,
    };
    let rows = shown(heat, area.height / pitch);
    let widest = |least: u16, text: &dyn Fn(&Standing) -> String| {
        rows.iter().map(|row| width_of(&text(row)) + 1).fold(least, u16::max)
    };
    let gap_width = widest(GAP, &|row| format::gap(row, leader));
    let least = if area.width < WIDE { SHORT_STATE } else { STATE };
    let state_width = widest(least, &|row| short_state(row, area.width));
    for (index, standing) in (0u16..).zip(rows) {
        let area = Rect { y: area.y + index * pitch, height: pitch, ..area };
        let row = StandingsRow { heat, standing, leader, gap_width, state_width };
        if pitch == 1 {
            row.draw_line(canvas, area);
        } else {
            row.draw_lines(canvas, area);
        }
    }
}

/// Returns the standings that fit: the first, with the player's own row last if needed.
fn shown(heat: &HeatModel, lines: u16) -> Vec<&Standing> {
    let mut shown: Vec<&Standing> = heat.standings.iter().take(lines.into()).collect();
    let is_shown = shown.iter().any(|standing| standing.player == heat.you);
    if let (Some(mine), Some(last)) = (heat.my_standing(), shown.last_mut())
        && !is_shown
    {
        *last = mine;
    }
    shown
}

/// Returns a player's progress: per cent, or the time.
pub(crate) fn state(standing: &Standing) -> String {
    match standing.state {
        RaceState::Racing => format!("{}%", format::percent(standing)),
        RaceState::Finished { time } => time.to_string(),
        RaceState::Dnf => "out".to_owned(),
    }
}

/// Returns the same where an area is too narrow for a whole time: then in seconds.
pub(crate) fn short_state(standing: &Standing, width: u16) -> String {
    match standing.state {
        RaceState::Finished { time } if width < WIDE => format::minutes(time),
        RaceState::Finished { .. } | RaceState::Racing | RaceState::Dnf => state(standing),
    }
}

struct StandingsRow<'a> {
    heat: &'a HeatModel,
    standing: &'a Standing,
    leader: &'a Standing,
    gap_width: u16,
    state_width: u16,
}

impl StandingsRow<'_> {
    fn look(&self) -> Look {
        if self.standing.player == self.heat.you { Look::Own } else { Look::Text }
    }

    fn bar_look(&self) -> Look {
        match self.standing.state {
            RaceState::Finished { .. } => Look::Good,
            RaceState::Racing => self.look(),
            RaceState::Dnf => Look::Faint,
        }
    }

    /// Says whether this is the first, of players who don't all stand where they began.
    fn leads(&self) -> bool {
        self.standing.player == self.leader.player && self.standing.progress > 0
    }

    /// Returns what is said of a player who isn't there: whether the seat is kept.
    fn absence(&self) -> &'static str {
        let members = &self.heat.roster.members;
        let member = members.iter().find(|member| member.id == self.standing.player);
        // The roster may be older than the standings.
        let is_expected = member.is_some_and(|it| it.connected || it.away_until.is_some());
        if is_expected { " away" } else { " left" }
    }

    /// `1★ Anna` with `bot`, or `away` or `left` behind it.
    fn draw_name(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let mark = match (self.standing.connected, self.leads()) {
            (false, _) => ("!", Look::Bad),
            (true, _) if is_provisional(self.heat, self.standing) => (PROVISIONAL, Look::Mark),
            (true, true) => (canvas.theme.symbols.leader, Look::Mark),
            (true, false) => (" ", Look::Text),
        };
        let place = format!("{:>2}", self.standing.place);
        let x = canvas.segments(area, &[(&place, self.look()), mark, (" ", Look::Text)]);
        let area = Rect { x, width: area.right().saturating_sub(x), ..area };
        let tag = self.heat.name(self.standing.player);
        let note = match (self.standing.connected, tag.is_bot()) {
            (false, _) => (self.absence(), Look::Bad),
            (true, true) => (" bot", Look::Faint),
            (true, false) => ("", Look::Text),
        };
        let space = usize::from(area.width);
        let note =
            if space >= usize::from(LEAST_NAME) + note.0.len() { note } else { ("", Look::Text) };
        let name = safe_text::text(&tag.name, space.saturating_sub(note.0.len()));
        canvas.segments(area, &[(&name, self.look()), note]);
    }

    /// All in one line. Where it is narrow the gap goes first, the moves next, the bar last.
    fn draw_line(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let Self { gap_width, state_width, .. } = *self;
        let mut space = area.width.saturating_sub(PLACE + LEAST_NAME + state_width);
        let mut afford = |width: u16| {
            let can = space >= width;
            space -= if can { width } else { 0 };
            can
        };
        let with_bar = afford(NOTE + 1 + LEAST_BAR);
        let with_moves = afford(MOVES);
        let with_gap = afford(gap_width);
        let mut right = area.right();
        let mut column = |width: u16| {
            right = right.saturating_sub(width);
            Rect { x: right, width, height: 1, ..area }
        };
        let state = short_state(self.standing, area.width);
        canvas.right(column(state_width), &state, self.bar_look());
        if with_moves {
            let moves = self.standing.moves.moves.to_string();
            canvas.right(column(MOVES), &moves, Look::Text);
        }
        if with_gap {
            let gap = format::gap(self.standing, self.leader);
            canvas.right(column(gap_width), &gap, Look::Faint);
        }
        let left = right.saturating_sub(area.x);
        let name_width =
            if with_bar { (left - 1 - LEAST_BAR).min(PLACE + MOST_NAME + NOTE) } else { left };
        let name = Rect { width: name_width, height: 1, ..area };
        self.draw_name(canvas, name);
        if with_bar {
            let bar = Rect {
                x: area.x + name_width + 1,
                width: left - name_width - 1,
                height: 1,
                ..area
            };
            canvas.bar(bar, self.standing.progress, self.bar_look());
        }
    }

    /// Name and progress, and below them the bar with the moves; where the first line has
    /// room for those, with the gap.
    fn draw_narrow_lines(&self, canvas: &mut Canvas<'_>, area: Rect) {
        self.draw_line(canvas, line(area, 0));
        let second = line(area, 1);
        let moves_above = area.width >= PLACE + LEAST_NAME + self.state_width + MOVES;
        let (number, width) = if moves_above {
            (format::gap(self.standing, self.leader), self.gap_width)
        } else {
            (self.standing.moves.moves.to_string(), MOVES)
        };
        let bar = Rect {
            x: second.x + PLACE,
            width: second.width.saturating_sub(PLACE + width),
            ..second
        };
        canvas.bar(bar, self.standing.progress, self.bar_look());
        canvas.right(second, &number, Look::Faint);
    }

    /// Name and moves, and below them the bar with progress and gap.
    fn draw_lines(&self, canvas: &mut Canvas<'_>, area: Rect) {
        if area.width < WIDE {
            return self.draw_narrow_lines(canvas, area);
        }
        let moves = format::counted(self.standing.moves.moves as usize, "move", "moves");
        let moves = match families::piece_progress(self.standing) {
            Some(tally) if area.width >= PLACE + MOST_NAME + TALLY => format!("{tally}  {moves}"),
            Some(tally) => tally,
            None => moves,
        };
        let first = line(area, 0);
        let end = canvas.right(first, &moves, Look::Faint);
        self.draw_name(canvas, Rect { width: end.saturating_sub(first.x + 1), ..first });
        let second = line(area, 1);
        let numbers = self.state_width + self.gap_width;
        let bar = Rect {
            x: second.x + PLACE,
            width: second.width.saturating_sub(PLACE + numbers),
            ..second
        };
        canvas.bar(bar, self.standing.progress, self.bar_look());
        let state_area = Rect { x: bar.right(), width: self.state_width, ..second };
        canvas.right(state_area, &state(self.standing), self.bar_look());
        let gap_area = Rect { x: state_area.right(), width: self.gap_width, ..second };
        canvas.right(gap_area, &format::gap(self.standing, self.leader), Look::Faint);
    }
}
