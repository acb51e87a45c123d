//! A result as one line to be pasted elsewhere.

use crate::display::format;
use crate::display::safe_text;
use crate::display::symbols::Symbols;
use crate::practice::ghost::without_ghost;
use crate::tui::model::HeatModel;
use crate::tui::view::solo;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::util::time::Millis;

/// The longest line that is shared, in cells: it fits into any chat, whatever a server sent.
const MAX_CELLS: usize = 200;
/// The most cells of a board's id or a replay's name: seeds may be long.
const MAX_LINK_CELLS: usize = 56;
/// Parts of the bar of progress: tenths of the player's time.
const BAR: u64 = 10;

/// Returns the line about one's own result, or about the winner's where one watched; nothing
/// before the heat is over. Safe to print.
pub(crate) fn text(heat: &HeatModel, symbols: &Symbols) -> Option<String> {
    let result = heat.result()?;
    let rows = without_ghost(&result.standings);
    let own = rows.iter().find(|row| row.player == heat.you);
    let row = own.or(rows.first())?;
    let spec = heat.raced_setup().options.spec;
    let mut facts = vec![format!("gridrace {spec}")];
    if own.is_none() {
        facts.push(heat.name(row.player).name);
    }
    facts.push(match row.state {
        RaceState::Finished { time } => time.to_string(),
        RaceState::Racing | RaceState::Dnf => format!("DNF {}%", format::percent(row)),
    });
    if !solo::is_solo(heat) && row.state != RaceState::Dnf {
        facts.push(format!("{} of {}", format::ordinal(row.place), rows.len()));
    }
    facts.push(format::counted(row.moves.moves as usize, "move", "moves"));
    if let Some(times) = result.best.and_then(|best| best.efficiency(row)) {
        facts.push(format!("{}{times}", symbols.times));
    }
    if row.hints > 0 {
        facts.push(format::counted(row.hints.into(), "hint", "hints"));
    }
    facts.push(bar(heat, row, symbols));
    // What leads others to the race, or at least to its board.
    let link = match &heat.panel.results.kept_as {
        Some(name) => format!("replay {name}"),
        None => format!("{spec}#{}", result.reveal.seed),
    };
    facts.push(safe_text::text(&link, MAX_LINK_CELLS));
    let line = facts.join(&format!(" {} ", symbols.dot));
    Some(safe_text::text(&line, MAX_CELLS))
}

/// Returns the player's progress at each tenth of the time, as high as it was; or the progress at
/// the end alone, where no more is known.
fn bar(heat: &HeatModel, row: &Standing, symbols: &Symbols) -> String {
    let known = heat.progress.player(row.player).filter(|known| known.points.len() > 1);
    let (Some(known), Some(levels)) = (known, symbols.levels) else {
        let [full, empty] = symbols.bar;
        let filled = usize::from(row.progress / 100);
        let rest = (BAR as usize).saturating_sub(filled);
        return format!("{}{}", full.repeat(filled), empty.repeat(rest));
    };
    let end = known.points.last().map_or(0, |point| point.0.0);
    let progress = (1..=BAR).map(|tenth| known.at(Millis(end * tenth / BAR)));
    let highest = levels.len() - 1;
    progress
        .filter_map(|progress| levels.get(usize::from(progress) * highest / 1_000))
        .copied()
        .collect()
}
