//! The player's own races: averages, a histogram, the trend, and a list.

use crate::display::canvas::{Canvas, below, indent, line, middle, scrolled, width_of};
use crate::display::format;
use crate::display::theme::Look;
use crate::families;
use crate::practice::kept_race::KeptRace;
use crate::practice::statistics::{self, Histogram, RaceStatistics, Sort};
use crate::tui::model::{Stats, StatsPage};
use gridrace_shared::heat::averages::Attempt;
use gridrace_shared::replay::UnixSeconds;
use gridrace_shared::util::time::Millis;
use ratatui::layout::Rect;

/// The least width and height at which averages, charts and races are shown at once.
const ALL_WIDTH: u16 = 70;
const ALL_HEIGHT: u16 = 18;
/// The widest page: longer bars say nothing more.
const MOST_WIDTH: u16 = 120;
/// Columns of the table of averages, of its names and of its values.
const AVERAGES: u16 = 32;
const NAME: usize = 10;
const VALUE: usize = 10;
/// Lines of the averages with their heading, and of the trend.
const AVERAGES_HEIGHT: u16 = 9;
const TREND_HEIGHT: u16 = 2;
/// Columns of a histogram's label and count.
const LABEL: u16 = 8;
const COUNT: u16 = 5;
/// The characters of a date with its time.
const DATE: usize = 16;
/// Columns of a place in the list, ` 128 of 128`, with which it is as wide as a terminal of 80.
const PLACE: usize = 11;
/// From this width on the list has all columns.
const WIDE_LIST: u16 = 70;

/// Says whether averages, charts and races are shown at once.
pub(crate) const fn shows_all(body: Rect) -> bool {
    body.width >= ALL_WIDTH && body.height >= ALL_HEIGHT
}

/// Says whether the list of races is in sight.
pub(crate) fn shows_races(stats: &Stats, body: Rect) -> bool {
    stats.page == StatsPage::Races || shows_all(body)
}

pub(crate) fn draw(stats: &Stats, canvas: &mut Canvas<'_>, body: Rect) {
    let body = middle(body, body.width.min(MOST_WIDTH), body.height);
    let Some(puzzle) = stats.puzzle() else {
        let text = if stats.is_read() {
            "No races yet: every race of yours is kept and shown here."
        } else {
            "Reading your races"
        };
        canvas.wrapped(body, text, Look::Text);
        return;
    };
    let races = stats.shown();
    let summary = statistics::summarize(&races);
    let [right, left] = canvas.theme.symbols.hint;
    let name = format!(" {} ", families::title(&puzzle));
    let span = format!("  {}  ", stats.span.words());
    let head =
        [(left, Look::Key), (name.as_str(), Look::Own), (right, Look::Key), (&span, Look::Strong)];
    let x = canvas.segments(line(body, 0), &head);
    let rest = Rect { x, width: body.right().saturating_sub(x), ..line(body, 0) };
    let counted = [counts(&summary), format::counted(summary.races, "race", "races")];
    if let Some(text) = counted.iter().find(|text| width_of(text) <= rest.width) {
        canvas.text(rest, text, Look::Faint);
    }
    let attempts = statistics::attempts(races.iter().copied());
    if shows_all(body) {
        canvas.text(line(body, 1), &sessions(&races), Look::Faint);
        let area = below(body, 2);
        draw_averages(&summary, canvas, Rect { width: AVERAGES, ..area });
        let charts = Rect { height: AVERAGES_HEIGHT, ..indent(area, AVERAGES + 3) };
        draw_histogram(&attempts, canvas, charts);
        let area = below(area, AVERAGES_HEIGHT);
        let trend_height = TREND_HEIGHT + area.height.saturating_sub(ALL_HEIGHT) / 4;
        draw_trend(&attempts, canvas, Rect { height: trend_height, ..area });
        return draw_races(stats, canvas, below(area, trend_height + 1));
    }
    let area = below(body, 1);
    match stats.page {
        StatsPage::Averages => draw_averages(&summary, canvas, area),
        StatsPage::Charts => {
            let trend = Rect { height: TREND_HEIGHT, ..area };
            draw_trend(&attempts, canvas, trend);
            draw_histogram(&attempts, canvas, below(area, TREND_HEIGHT));
        }
        StatsPage::Races => draw_races(stats, canvas, area),
    }
}

/// Returns how many sessions the races are, and how the last one went.
fn sessions(races: &[&KeptRace]) -> String {
    let sessions = statistics::sessions(races);
    let Some(last) = sessions.last() else { return String::new() };
    let RaceStatistics { races, best, mean, .. } = statistics::summarize(&last.races);
    let races = format::counted(races, "race", "races");
    let (best, mean) = (format::result(best), format::result(mean));
    let which = match sessions.len() {
        1 => "one session".to_owned(),
        count => format!("{count} sessions, the last"),
    };
    format!("{which}: {races}, best {best}, mean {mean}")
}

fn counts(summary: &RaceStatistics) -> String {
    let races = format::counted(summary.races, "race", "races");
    let dnf = summary.counting - summary.finished;
    let out = summary.races - summary.counting;
    let mut text = races;
    if dnf > 0 {
        text += &format!(", {dnf} DNF");
    }
    if out > 0 {
        text += &format!(", {out} not counted");
    }
    text
}

fn draw_averages(summary: &RaceStatistics, canvas: &mut Canvas<'_>, area: Rect) {
    let none = canvas.theme.symbols.none;
    let shown = |average: Option<Attempt>| average.map_or(none.to_owned(), format::result);
    let heading = format!("{:NAME$}{:>VALUE$}{:>VALUE$}", "", "best", "latest");
    canvas.text(line(area, 0), &heading, Look::Faint);
    let single = ("single", shown(summary.best.map(Some)), shown(summary.current));
    let averages =
        summary.averages.iter().map(|row| (row.name, shown(row.best), shown(row.current)));
    for (index, (name, best, current)) in (1..).zip(std::iter::once(single).chain(averages)) {
        let (name, current) = (format!("{name:NAME$}"), format!("{current:>VALUE$}"));
        let best = format!("{best:>VALUE$}");
        let segments =
            [(name.as_str(), Look::Text), (best.as_str(), Look::Own), (&current, Look::Text)];
        canvas.segments(line(area, index), &segments);
    }
    let times = canvas.theme.symbols.times;
    let heading = format!("{:NAME$}{:>VALUE$}{:>VALUE$}", "", "best", "median");
    canvas.text(line(area, 6), &heading, Look::Faint);
    let rows = [
        pair("moves/s", summary.pace, none, format::hundredths),
        pair(&format!("{times}best"), summary.efficiency, none, |efficiency| {
            efficiency.to_string()
        }),
    ];
    for (index, (name, best, median)) in (7..).zip(rows) {
        let text = format!("{name:NAME$}{best:>VALUE$}{median:>VALUE$}");
        canvas.text(line(area, index), &text, Look::Text);
    }
}

/// Returns a row of a value of the best race and of the median.
fn pair<T>(
    name: &str,
    values: Option<(T, T)>,
    none: &str,
    text: impl Fn(T) -> String,
) -> (String, String, String) {
    match values {
        Some((best, median)) => (name.to_owned(), text(best), text(median)),
        None => (name.to_owned(), none.to_owned(), none.to_owned()),
    }
}

fn draw_histogram(attempts: &[Attempt], canvas: &mut Canvas<'_>, area: Rect) {
    let Some(Histogram { from, width, bars, slower }) = statistics::histogram(attempts) else {
        return;
    };
    let most = bars.iter().copied().max().unwrap_or(0).max(slower).max(1);
    let lower = (0..)
        .zip(bars)
        .map(|(bar, count)| (format::minutes(Millis(from.0 + bar * width.0)), count));
    let slower = (slower > 0).then(|| ("slower".to_owned(), slower));
    for (index, (label, count)) in (0..).zip(lower.chain(slower)) {
        let row = line(area, index);
        if row.is_empty() {
            return;
        }
        canvas.right(Rect { width: LABEL.min(row.width) - 1, ..row }, &label, Look::Faint);
        let bar = indent(row, LABEL);
        let bar = Rect { width: bar.width.saturating_sub(COUNT), ..bar };
        let filled = u16::try_from(count * 1_000 / most).unwrap_or(1_000);
        canvas.bar(bar, filled, Look::Good);
        if count > 0 {
            canvas.right(row, &count.to_string(), Look::Text);
        }
    }
}

/// Draws the races that count as columns, the latest at the right: the higher the slower.
fn draw_trend(attempts: &[Attempt], canvas: &mut Canvas<'_>, area: Rect) {
    let label = indent(Rect { width: LABEL.min(area.width), ..area }, 0);
    canvas.text(line(label, 0), "slower", Look::Faint);
    canvas.text(line(label, area.height.saturating_sub(1)), "faster", Look::Faint);
    let area = indent(area, LABEL);
    let space = usize::from(area.width);
    let latest = attempts.get(attempts.len().saturating_sub(space)..).unwrap_or_default();
    let times = latest.iter().flatten().map(|time| time.0);
    let (Some(least), Some(most)) = (times.clone().min(), times.max()) else { return };
    let columns = canvas.theme.symbols.columns;
    let steps = u64::from(area.height) * columns.len() as u64;
    for (x, attempt) in (area.x..).zip(latest) {
        let Some(Millis(time)) = attempt else {
            let foot = Rect { x, width: 1, ..line(area, area.height.saturating_sub(1)) };
            canvas.text(foot, canvas.theme.symbols.times, Look::Bad);
            continue;
        };
        let filled = 1 + (time - least) * (steps - 1) / (most - least).max(1);
        for (row, above) in (0..area.height).rev().zip((0u64..).map(|row| row * 8)) {
            let eighths = filled.saturating_sub(above).min(8);
            if let Some(block) =
                usize::try_from(eighths).ok().and_then(|n| columns.get(n.checked_sub(1)?))
            {
                canvas.text(Rect { x, width: 1, ..line(area, row) }, block, Look::Good);
            }
        }
    }
}

fn draw_races(stats: &Stats, canvas: &mut Canvas<'_>, area: Rect) {
    let wide = area.width >= WIDE_LIST;
    let times = canvas.theme.symbols.times;
    let mark = |sort: Sort, name: &str| {
        if stats.sort == sort { format!("{name}*") } else { name.to_owned() }
    };
    let date = mark(Sort::Date, "date");
    let [time, moves] = [mark(Sort::Time, "time"), mark(Sort::Moves, "moves")];
    let [pace, best] =
        [mark(Sort::Pace, "moves/s"), mark(Sort::Efficiency, &format!("{times}best"))];
    let heading = if wide {
        format!(
            "   {:>5}  {date:DATE$}{time:>10}{moves:>7}{pace:>9}{best:>7}{:>6}{:>PLACE$}",
            "", "hints", "place"
        )
    } else {
        format!("   {:>5} {:<10}{time:>10}{moves:>7}", "", mark(Sort::Date, "day"))
    };
    canvas.text(line(area, 0), &heading, Look::Faint);
    let none = canvas.theme.symbols.none;
    let star = canvas.theme.symbols.leader;
    for (row, race, chosen) in scrolled(below(area, 1), 1, &stats.sorted(), stats.chosen) {
        let look = match (chosen, race.counts) {
            (true, _) => Look::Cursor,
            (false, true) => Look::Text,
            (false, false) => Look::Faint,
        };
        let cursor = canvas.cursor(chosen);
        let marked = if race.marked { star } else { " " };
        let text = race_line(race, wide, none);
        canvas.segments(row, &[(cursor, Look::Cursor), (marked, Look::Mark), (&text, look)]);
    }
}

fn race_line(race: &KeptRace, wide: bool, none: &str) -> String {
    let result = &race.result;
    let date = format::rfc3339(UnixSeconds(race.began)).replace('T', " ");
    let time = format::result(result.time);
    let time = if race.counts { time } else { format!("({time})") };
    let (number, moves) = (race.number, result.moves.moves);
    if !wide {
        let day: String = date.chars().take(10).collect();
        return format!(" {number:>5} {day:<10}{time:>10}{moves:>7}");
    }
    let date: String = date.chars().take(DATE).collect();
    let pace = race.hundredth_moves_a_second().map_or(none.to_owned(), format::hundredths);
    let best = race.efficiency().map_or(none.to_owned(), |efficiency| efficiency.to_string());
    let place = format!("{} of {}", result.place, result.of);
    let place = if result.of == 1 { none.to_owned() } else { place };
    let hints = result.hints;
    let counts = format!("{moves:>7}{pace:>9}{best:>7}{hints:>6}{place:>PLACE$}");
    format!(" {number:>5}  {date:DATE$}{time:>10}{counts}")
}
