//! The table of results: a row a player, and as many columns as there is room for.

use crate::display::canvas::{Canvas, below, line};
use crate::display::format;
use crate::display::safe_text;
use crate::display::symbols::Symbols;
use crate::display::theme::Look;
use crate::families;
use crate::tui::model::HeatModel;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::heat_view::SPLITS;
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::util::time::Millis;
use ratatui::layout::Rect;

/// Columns of the place and the space behind it, and of the time.
const PLACE: usize = 5;
const TIME: usize = 11;
const SHORT_TIME: usize = 9;
/// The narrowest name for which further columns may be shown, and the widest.
const LEAST_NAME: usize = 16;
const LEAST_SHORT_NAME: usize = 8;
const MOST_NAME: usize = 26;
/// Below this width, splits are whole seconds and names are shorter.
const WORDY: u16 = 60;

/// What a column behind the time says of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    /// How far behind the winner.
    Gap,
    /// Moves as a multiple of the best known solution.
    Efficiency,
    /// Moves a second.
    Pace,
    Moves,
    Hints,
    /// How far behind the player one place before.
    GapToNext,
    /// When a quarter was reached: an index into [`SPLITS`].
    Split(usize),
}

/// The columns, in the order in which they are shown.
const COLUMNS: [Column; 9] = [
    Column::Gap,
    Column::Efficiency,
    Column::Pace,
    Column::Moves,
    Column::Hints,
    Column::GapToNext,
    Column::Split(0),
    Column::Split(1),
    Column::Split(2),
];

impl Column {
    fn width(self, width: u16, result: &HeatResult) -> usize {
        let is_wordy = usize::from(width >= WORDY);
        match self {
            Self::Gap => 9,
            Self::GapToNext => 8 + is_wordy,
            Self::Efficiency => 7,
            Self::Pace => 6 + 2 * is_wordy,
            Self::Moves => 10,
            Self::Hints => {
                let widest = result.standings.iter().map(|row| hints(row).len() + 1).max();
                widest.unwrap_or(0).max(8) + is_wordy
            }
            Self::Split(_) => 5 + 3 * is_wordy,
        }
    }

    fn heading(self, heat: &HeatModel, symbols: &Symbols, width: u16) -> String {
        match self {
            Self::Gap => "gap".to_owned(),
            Self::Efficiency => format!("{}best", symbols.times),
            Self::Pace => if width < WORDY { "mov/s" } else { "moves/s" }.to_owned(),
            Self::Moves => families::info(&heat.raced_setup().options.spec).counts.to_owned(),
            Self::Hints => "hints".to_owned(),
            Self::GapToNext => "to next".to_owned(),
            Self::Split(index) => format!("{}%", SPLITS.get(index).map_or(0, |mark| mark / 10)),
        }
    }
}

/// Returns the columns of each page; more than one where they don't fit side by side.
fn pages(width: u16, result: &HeatResult) -> Vec<Vec<Column>> {
    let space = usize::from(width).saturating_sub(PLACE + least_name(width) + time_width(width));
    let mut pages: Vec<Vec<Column>> = vec![Vec::new()];
    let mut used = 0;
    let is_known = |column: &Column| *column != Column::Efficiency || result.best.is_some();
    for column in COLUMNS.into_iter().filter(is_known) {
        let needed = column.width(width, result);
        // Splits are compared with each other, so that they stay on one page.
        let together = if column == Column::Split(0) { SPLITS.len() * needed } else { needed };
        if used + together > space && used > 0 {
            pages.push(Vec::new());
            used = 0;
        }
        used += needed;
        pages.iter_mut().last().into_iter().for_each(|page| page.push(column));
    }
    pages
}

/// Returns on how many pages the columns are; 1 at least.
pub(super) fn page_count(width: u16, result: &HeatResult) -> usize {
    pages(width, result).len()
}

const fn least_name(width: u16) -> usize {
    if width < WORDY { LEAST_SHORT_NAME } else { LEAST_NAME }
}

const fn time_width(width: u16) -> usize {
    if width < WORDY { SHORT_TIME } else { TIME }
}

/// Returns the rows that are shown: from `first` on, but one's own in any case, at the end that is
/// nearer to it.
fn shown(rows: &[Standing], first: usize, space: usize, own: Option<usize>) -> Vec<&Standing> {
    let first = first.min(rows.len().saturating_sub(space));
    let mut shown: Vec<&Standing> = rows.iter().skip(first).take(space).collect();
    if let Some((index, mine)) = own.and_then(|index| Some((index, rows.get(index)?))) {
        if index < first {
            shown.iter_mut().take(1).for_each(|row| *row = mine);
        } else if index >= first + space {
            shown.iter_mut().last().into_iter().for_each(|row| *row = mine);
        }
    }
    shown
}

/// Draws the heading and the rows that fit.
pub(super) fn draw(heat: &HeatModel, result: &HeatResult, canvas: &mut Canvas<'_>, area: Rect) {
    let pages = pages(area.width, result);
    let page = &heat.panel.results;
    let columns = pages.get(page.columns % pages.len()).map_or(&[][..], Vec::as_slice);
    let rows = &result.standings;
    let list = below(area, 1);
    let space = usize::from(list.height);
    let table = ResultsTable { heat, result, columns, width: area.width };
    table.draw_heading(canvas, line(area, 0), page.scroll, space);
    let own = rows.iter().position(|row| row.player == heat.you);
    for (index, standing) in (0u16..).zip(shown(rows, page.scroll, space, own)) {
        table.draw_row(standing, canvas, line(list, index));
    }
}

struct ResultsTable<'a> {
    heat: &'a HeatModel,
    result: &'a HeatResult,
    columns: &'a [Column],
    width: u16,
}

impl ResultsTable<'_> {
    /// What is left for the name when the other columns have theirs.
    fn name_width(&self) -> usize {
        let taken: usize =
            self.columns.iter().map(|column| column.width(self.width, self.result)).sum();
        let taken = PLACE + time_width(self.width) + taken;
        usize::from(self.width).saturating_sub(taken).min(MOST_NAME)
    }

    /// Writes the headings; in front of them which rows are shown, unless all are.
    fn draw_heading(&self, canvas: &mut Canvas<'_>, row: Rect, first: usize, space: usize) {
        let (name, time) = (self.name_width(), time_width(self.width));
        let all = self.result.standings.len();
        let first = first.min(all.saturating_sub(space));
        let left = if all > space {
            // One's own row stands in for the first or last of them where it is none of them.
            let own = self.result.standings.iter().position(|row| row.player == self.heat.you);
            let (is_above, is_below) =
                own.map_or((false, false), |own| (own < first, own >= first + space));
            let from = first + 1 + usize::from(is_above);
            let to = (first + space).min(all) - usize::from(is_below);
            let dash = canvas.theme.symbols.none;
            let long = format!("rows {from}{dash}{to} of {all}");
            let short = format!("{from}{dash}{to} of {all}");
            if long.chars().count() <= PLACE + name { long } else { short }
        } else {
            String::new()
        };
        let left = safe_text::column(&left, PLACE + name);
        let rest: String = self
            .columns
            .iter()
            .map(|column| {
                let heading = column.heading(self.heat, canvas.theme.symbols, self.width);
                let width = column.width(self.width, self.result);
                format!("{heading:>width$}")
            })
            .collect();
        canvas.text(row, &format!("{left}{:>time$}{rest}", "time"), Look::Faint);
    }

    fn draw_row(&self, standing: &Standing, canvas: &mut Canvas<'_>, row: Rect) {
        let name = self.name_width();
        let tag = self.heat.name(standing.player);
        let is_own = standing.player == self.heat.you;
        let is_out = standing.state == RaceState::Dnf;
        let is_inhuman = standing.is_inhuman(&self.heat.raced_setup().options.spec, tag.kind);
        let (note, note_look) = match () {
            () if tag.is_bot() => (" bot", Look::Faint),
            () if is_inhuman => (" too fast", Look::Faint),
            () if is_own && self.heat.panel.results.is_personal_best() => (" PB", Look::Good),
            () => ("", Look::Faint),
        };
        let note = if name >= LEAST_SHORT_NAME + note.len() || is_own { note } else { "" };
        let short = safe_text::text(&tag.name, name.saturating_sub(note.len()));
        let look = match (is_own, is_out) {
            (true, _) => Look::Own,
            (false, true) => Look::Faint,
            (false, false) => Look::Text,
        };
        let none = canvas.theme.symbols.none;
        let place = format!("{:>3}  ", standing.place);
        let fill = " ".repeat(name.saturating_sub(safe_text::cells(&short) + note.len()));
        let time = match standing.state {
            RaceState::Finished { time } => time.to_string(),
            RaceState::Racing => format!("{}%", format::percent(standing)),
            RaceState::Dnf => format!("DNF {}%", format::percent(standing)),
        };
        let time = format!("{time:>0$}", time_width(self.width));
        let rest: String = self
            .columns
            .iter()
            .map(|column| {
                let width = column.width(self.width, self.result);
                let cell = self.cell(*column, standing).unwrap_or_else(|| none.to_owned());
                format!("{cell:>width$}")
            })
            .collect();
        let segments = [
            (place.as_str(), look),
            (short.as_str(), look),
            (note, note_look),
            (fill.as_str(), Look::Text),
            (time.as_str(), look),
            (rest.as_str(), if is_own { Look::Strong } else { Look::Text }),
        ];
        canvas.segments(row, &segments);
    }

    /// Returns what a column says of a player; nothing where there is nothing to say.
    fn cell(&self, column: Column, standing: &Standing) -> Option<String> {
        let rows = &self.result.standings;
        match column {
            Column::Gap => Some(format::gap(standing, rows.first()?)),
            Column::GapToNext => {
                let before = usize::from(standing.place).checked_sub(2)?;
                Some(format::gap(standing, rows.get(before)?))
            }
            Column::Efficiency => Some(self.result.best?.efficiency(standing)?.to_string()),
            Column::Pace => raced(standing).map(|span| format::pace(standing.moves.moves, span)),
            Column::Moves => Some(format!("{}/{}", standing.moves.moves, standing.moves.acts)),
            Column::Hints => Some(hints(standing)),
            Column::Split(index) => {
                let splits = self.heat.progress.player(standing.player)?.splits;
                let at: Millis = (*splits.get(index)?)?;
                Some(if self.width < WORDY { format::minutes(at) } else { format::clock(at) })
            }
        }
    }
}

/// Returns the number of a player's hints, and what they cost.
fn hints(standing: &Standing) -> String {
    format!("{}{}", standing.hints, format::penalty(standing.penalty))
}

/// Returns how long a player raced; `None` if the player did not finish.
fn raced(standing: &Standing) -> Option<Millis> {
    match standing.state {
        RaceState::Finished { time } => Some(time.since(standing.penalty)),
        RaceState::Racing | RaceState::Dnf => None,
    }
}
