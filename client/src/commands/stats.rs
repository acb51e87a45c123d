//! `gridrace stats`: what the player's kept races add up to.

use crate::cli::args::stats::{ChangeArgs, StatsArgs};
use crate::cli::exit_code::Failure;
use crate::commands::write_json_line;
use crate::display::format::{self, rfc3339};
use crate::net::clock;
use crate::practice::kept_race::KeptRace;
use crate::practice::kept_races::{KeptRaces, RaceChange};
use crate::practice::statistics::{self, AverageRow, Histogram, PracticeSession, RaceStatistics};
use csv::{Terminator, WriterBuilder};
use gridrace_shared::heat::averages::Attempt;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::replay::UnixSeconds;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::Millis;
use serde::Serialize;
use std::io::{self, Write};

const SECONDS_A_DAY: u64 = 24 * 60 * 60;
/// How many sessions are shown: an evening's worth of lines.
const SHOWN_SESSIONS: usize = 10;
/// The longest bar of a histogram, in characters.
const BAR: usize = 40;
/// What stands where there are too few races for a value.
const NONE: &str = "-";
/// The characters of a date with its time.
const DATE: usize = 16;

pub fn run(args: &StatsArgs) -> Result<(), Failure> {
    let kept = KeptRaces::of_this_account().map_err(anyhow::Error::from)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    if let Some((numbers, change)) = asked(&args.change) {
        kept.change(numbers, change).map_err(anyhow::Error::from)?;
        let races = format::counted(numbers.len(), "race", "races");
        writeln!(out, "{races} {}", done(change))?;
    } else {
        let races = kept.list().map_err(anyhow::Error::from)?;
        let since = args.days.map_or(0, |days| {
            clock::unix_seconds().saturating_sub(u64::from(days) * SECONDS_A_DAY)
        });
        let keeps_any = !races.is_empty();
        let fits = |race: &KeptRace| {
            race.began >= since && args.puzzle.is_none_or(|puzzle| puzzle == race.result.puzzle)
        };
        let races: Vec<KeptRace> = races.into_iter().filter(fits).collect();
        if races.is_empty() {
            // stderr may be closed.
            writeln!(io::stderr(), "{}", no_races(keeps_any)).ok();
        }
        print(args, &races, &mut out)?;
    }
    out.flush()?;
    Ok(())
}

/// Says why nothing is shown.
const fn no_races(keeps_any: bool) -> &'static str {
    if keeps_any {
        "No kept race matches: `gridrace stats` without options shows all."
    } else {
        "No races yet: `gridrace play` keeps the first."
    }
}

fn print(args: &StatsArgs, races: &[KeptRace], out: &mut impl Write) -> io::Result<()> {
    if args.csv {
        return write_csv(races, out);
    }
    if args.list {
        let mut sorted: Vec<&KeptRace> = races.iter().collect();
        args.sort.sort(&mut sorted);
        if args.json {
            return sorted.iter().try_for_each(|race| write_json_line(out, &RaceLine::of(race)));
        }
        return write!(out, "{}", list(&sorted));
    }
    for (index, puzzle) in statistics::puzzles(races).into_iter().enumerate() {
        let of_puzzle: Vec<&KeptRace> =
            races.iter().filter(|race| race.result.puzzle == puzzle).collect();
        if args.json {
            write_json_line(out, &PuzzleLine::of(puzzle, &of_puzzle))?;
        } else {
            let blank = if index > 0 { "\n" } else { "" };
            write!(out, "{blank}{}", summary(puzzle, &of_puzzle))?;
        }
    }
    Ok(())
}

fn asked(change: &ChangeArgs) -> Option<(&[u32], RaceChange)> {
    let ChangeArgs { delete, exclude, include, mark, unmark } = change;
    [
        (delete, RaceChange::Delete),
        (exclude, RaceChange::Count(false)),
        (include, RaceChange::Count(true)),
        (mark, RaceChange::Mark(true)),
        (unmark, RaceChange::Mark(false)),
    ]
    .into_iter()
    .find(|(numbers, _)| !numbers.is_empty())
    .map(|(numbers, change)| (numbers.as_slice(), change))
}

const fn done(change: RaceChange) -> &'static str {
    match change {
        RaceChange::Delete => "deleted",
        RaceChange::Count(true) => "counted again",
        RaceChange::Count(false) => "not counted any more",
        RaceChange::Mark(true) => "marked: kept when old races go",
        RaceChange::Mark(false) => "not marked any more",
    }
}

/// Writes what races on a puzzle add up to.
fn summary(puzzle: PuzzleSpec, races: &[&KeptRace]) -> String {
    let summary = statistics::summarize(races);
    let dnf = summary.counting - summary.finished;
    let mut text = format!(
        "{puzzle}: {}, {dnf} DNF, {} not counted\n\n",
        format::counted(summary.races, "race", "races"),
        summary.races - summary.counting
    );
    text += &format!("{:10}{:>10}{:>10}\n", "", "best", "latest");
    let single =
        AverageRow { name: "single", best: summary.best.map(Some), current: summary.current };
    for AverageRow { name, current, best } in std::iter::once(single).chain(summary.averages) {
        text += &format!("{name:10}{:>10}{:>10}\n", shown(best), shown(current));
    }
    text += &format!("\n{:10}{:>10}{:>10}\n", "", "best", "median");
    let pace = summary.pace.map(|(best, mid)| (format::hundredths(best), format::hundredths(mid)));
    let efficiency = summary.efficiency.map(|(best, mid)| (best.to_string(), mid.to_string()));
    for (name, pair) in [("moves/s", pace), ("x best", efficiency)] {
        let (best, median) = pair.unwrap_or_else(|| (NONE.to_owned(), NONE.to_owned()));
        text += &format!("{name:10}{best:>10}{median:>10}\n");
    }
    text + &histogram(&statistics::attempts(races.iter().copied())) + &sessions(races)
}

fn histogram(attempts: &[Attempt]) -> String {
    let Some(Histogram { from, width, bars, slower }) = statistics::histogram(attempts) else {
        return String::new();
    };
    let most = bars.iter().copied().max().unwrap_or(0).max(slower).max(1);
    let bar = |count: usize| "#".repeat((count * BAR).div_ceil(most));
    let mut text = "\n".to_owned();
    for (index, &count) in (0..).zip(&bars) {
        let label = format::minutes(Millis(from.0 + index * width.0));
        text += format!("{label:>8}  {:BAR$} {count:>5}\n", bar(count)).as_str();
    }
    if slower > 0 {
        text += format!("{:>8}  {:BAR$} {slower:>5}\n", "slower", bar(slower)).as_str();
    }
    text
}

fn sessions(races: &[&KeptRace]) -> String {
    let mut text = format!(
        "\n{:DATE$}  {:>5}{:>10}{:>10}{:>10}{:>10}\n",
        "session", "races", "best", "mean", "ao5", "ao12"
    );
    for PracticeSession { races } in
        statistics::sessions(races).into_iter().rev().take(SHOWN_SESSIONS)
    {
        let summary = statistics::summarize(&races);
        let [_, ao5, ao12, _] = summary.averages;
        let date = races.first().map(|race| date(race)).unwrap_or_default();
        text += &format!(
            "{date:DATE$}  {:>5}{:>10}{:>10}{:>10}{:>10}\n",
            summary.races,
            shown(summary.best.map(Some)),
            shown(summary.mean.map(Some)),
            shown(ao5.best),
            shown(ao12.best),
        );
    }
    text
}

fn list(races: &[&KeptRace]) -> String {
    if races.is_empty() {
        return String::new();
    }
    let puzzles: Vec<String> = races.iter().map(|race| race.result.puzzle.to_string()).collect();
    let widest = puzzles.iter().map(String::len).max().unwrap_or(0);
    let mut text = format!(
        "{:>4}  {:DATE$}  {:widest$}{:>10}{:>6}{:>8}{:>7}{:>6}  place\n",
        "race", "date", "puzzle", "time", "moves", "moves/s", "x best", "hints"
    );
    for (race, puzzle) in races.iter().zip(puzzles) {
        let result = &race.result;
        let pace = race.hundredth_moves_a_second().map_or(NONE.to_owned(), format::hundredths);
        let best = race.efficiency().map_or(NONE.to_owned(), |efficiency| efficiency.to_string());
        let mut notes = Vec::new();
        if !race.counts {
            notes.push("not counted");
        }
        if race.marked {
            notes.push("marked");
        }
        let line = format!(
            "{:>4}  {:DATE$}  {puzzle:widest$}{:>10}{:>6}{pace:>8}{best:>7}{:>6}  {} of {}  {}",
            race.number,
            date(race),
            format::result(result.time),
            result.moves.moves,
            result.hints,
            result.place,
            result.of,
            notes.join(", ")
        );
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn date(race: &KeptRace) -> String {
    rfc3339(UnixSeconds(race.began)).replace('T', " ").chars().take(DATE).collect()
}

fn shown(average: Option<Attempt>) -> String {
    average.map_or(NONE.to_owned(), format::result)
}

/// A race as JSON and CSV show it.
#[derive(Serialize)]
struct RaceLine<'a> {
    number: u32,
    began: String,
    puzzle: String,
    /// None for a race that was left before its heat ended.
    seed: Option<&'a str>,
    room: String,
    heat: u32,
    time_millis: Option<u64>,
    moves: u32,
    acts: u32,
    hints: u16,
    penalty_millis: u64,
    moves_a_second: Option<String>,
    efficiency: Option<String>,
    place: u16,
    players: u16,
    counts: bool,
    marked: bool,
    has_replay: bool,
}

impl<'a> RaceLine<'a> {
    fn of(race: &'a KeptRace) -> Self {
        let result = &race.result;
        Self {
            number: race.number,
            began: rfc3339(UnixSeconds(race.began)),
            puzzle: result.puzzle.to_string(),
            seed: result.seed.as_ref().map(Seed::as_str),
            room: result.room.to_string(),
            heat: result.heat,
            time_millis: result.time.map(|time| time.0),
            moves: result.moves.moves,
            acts: result.moves.acts,
            hints: result.hints,
            penalty_millis: result.penalty.0,
            moves_a_second: race.hundredth_moves_a_second().map(format::hundredths),
            efficiency: race.efficiency().map(|efficiency| efficiency.to_string()),
            place: result.place,
            players: result.of,
            counts: race.counts,
            marked: race.marked,
            has_replay: race.replay_bytes > 0,
        }
    }
}

/// Writes CSV as in RFC 4180. No text in it is another player's.
fn write_csv(races: &[KeptRace], out: &mut impl Write) -> io::Result<()> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    for race in races {
        writer.serialize(RaceLine::of(race)).map_err(io::Error::other)?;
    }
    writer.flush()
}

/// What races on a puzzle add up to, as JSON shows it.
#[derive(Serialize)]
struct PuzzleLine {
    puzzle: String,
    races: usize,
    counting: usize,
    finished: usize,
    best_millis: Option<u64>,
    mean_millis: Option<u64>,
    averages: Vec<AverageLine>,
    best_moves_a_second: Option<String>,
    median_moves_a_second: Option<String>,
    best_efficiency: Option<String>,
    median_efficiency: Option<String>,
    sessions: Vec<SessionLine>,
}

/// An average; each of both is `null` while there are too few races, and has no time for a DNF.
#[derive(Serialize)]
struct AverageLine {
    name: &'static str,
    best: Option<AverageTime>,
    latest: Option<AverageTime>,
}

#[derive(Serialize)]
struct AverageTime {
    dnf: bool,
    millis: Option<u64>,
}

#[derive(Serialize)]
struct SessionLine {
    began: String,
    races: usize,
    best_millis: Option<u64>,
    mean_millis: Option<u64>,
}

impl PuzzleLine {
    fn of(puzzle: PuzzleSpec, races: &[&KeptRace]) -> Self {
        let RaceStatistics {
            races: count,
            counting,
            finished,
            best,
            averages,
            mean,
            pace,
            efficiency,
            ..
        } = statistics::summarize(races);
        let time = |attempt: Attempt| AverageTime {
            dnf: attempt.is_none(),
            millis: attempt.map(|time| time.0),
        };
        let average = |row: AverageRow| AverageLine {
            name: row.name,
            best: row.best.map(time),
            latest: row.current.map(time),
        };
        let (fastest, middle) = pace.unzip();
        let (shortest, median) = efficiency.unzip();
        Self {
            puzzle: puzzle.to_string(),
            races: count,
            counting,
            finished,
            best_millis: best.map(|time| time.0),
            mean_millis: mean.map(|time| time.0),
            averages: averages.into_iter().map(average).collect(),
            best_moves_a_second: fastest.map(format::hundredths),
            median_moves_a_second: middle.map(format::hundredths),
            best_efficiency: shortest.map(|efficiency| efficiency.to_string()),
            median_efficiency: median.map(|efficiency| efficiency.to_string()),
            sessions: statistics::sessions(races).iter().map(SessionLine::of).collect(),
        }
    }
}

impl SessionLine {
    fn of(session: &PracticeSession<'_>) -> Self {
        let summary = statistics::summarize(&session.races);
        let began = session.races.first().map_or(0, |race| race.began);
        Self {
            began: rfc3339(UnixSeconds(began)),
            races: summary.races,
            best_millis: summary.best.map(|time| time.0),
            mean_millis: summary.mean.map(|time| time.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice::kept_races::tests::result;

    fn races() -> Vec<KeptRace> {
        let times = [Some(41_230), Some(38_500), None, Some(52_119), Some(44_000), Some(39_990)];
        (1u32..)
            .zip(times)
            .map(|(number, time)| KeptRace {
                number,
                began: 1_795_219_200 + 60 * u64::from(number),
                result: result("slide:4x4", &format!("s{number}"), time),
                counts: number != 6,
                marked: number == 2,
                replay_bytes: 0,
            })
            .collect()
    }

    fn printed(args: &StatsArgs) -> String {
        let mut out = Vec::new();
        print(args, &races(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn no_races_yet_is_not_no_match() {
        assert_eq!(no_races(false), "No races yet: `gridrace play` keeps the first.");
        assert!(no_races(true).starts_with("No kept race matches"));
    }

    #[test]
    fn statistics_are_a_table_for_each_puzzle() {
        insta::assert_snapshot!(printed(&StatsArgs::default()));
    }

    #[test]
    fn a_list_is_sorted_and_says_what_doesn_t_count() {
        let args = StatsArgs { list: true, sort: statistics::Sort::Time, ..StatsArgs::default() };
        insta::assert_snapshot!(printed(&args));
    }

    #[test]
    fn csv_and_json_have_every_race() {
        let csv = printed(&StatsArgs { csv: true, ..StatsArgs::default() });
        assert_eq!(csv.lines().count(), 7);
        assert!(csv.starts_with("number,began,puzzle,seed,room,heat,time_millis,"), "{csv}");
        assert!(csv.contains("\r\n3,2026-11-21T00:03:00Z,slide:4x4,s3,"), "{csv}");
        let args = StatsArgs { json: true, list: true, ..StatsArgs::default() };
        let lines: Vec<serde_json::Value> =
            printed(&args).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 6);
        assert_eq!(lines[0]["number"], 6);
        let summary: serde_json::Value =
            serde_json::from_str(&printed(&StatsArgs { json: true, ..StatsArgs::default() }))
                .unwrap();
        assert_eq!(summary["best_millis"], 38_500);
        assert_eq!(summary["averages"][1]["name"], "ao5");
        assert_eq!(summary["averages"][1]["latest"]["millis"], 45_780);
    }
}
