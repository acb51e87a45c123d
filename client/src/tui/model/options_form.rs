//! The options of a heat as a form.

use crate::tui::model::form::{Field, Form};
use gridrace_shared::heat::options::{HeatOptions, HintRule, HintStyles, OptionsError};
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::util::seed::Seed;

/// The longest puzzle and seed that are typed, in graphemes.
const TEXT_LIMIT: usize = 40;
/// The longest number that is typed, in digits.
const NUMBER_LIMIT: usize = 4;
const YES_NO: &[&str] = &["no", "yes"];
const HINTS: &[&str] = &["off", "free", "priced"];
const STYLES: &[&str] = &["any", "shortest", "method"];

const PUZZLE: usize = 0;
const TIME_LIMIT: usize = 1;
const COUNTDOWN: usize = 2;
const HINT_RULE: usize = 3;
const HINT_PRICE: usize = 4;
const HINT_STYLES: usize = 5;
const PICTURE: usize = 6;
const BOTS: usize = 7;
const PRIVATE: usize = 8;
const DELAY: usize = 9;
const GRACE: usize = 10;
const IDLE: usize = 11;
const FINISHERS: usize = 12;
const SEED: usize = 13;

/// The default price of a hint, in seconds.
const USUAL_PRICE: u16 = 10;

/// The puzzles that are offered, the usual one first; any other can be typed.
pub const OFFERS: &[&str] = &[
    "slide:4x4",
    "slide:3x3",
    "slide:5x5",
    "link:5x5:easy",
    "link:7x7:easy",
    "link:7x7:normal",
    "link:7x7:hard",
    "link:10x10:easy",
    "link:10x10:normal",
    "link:10x10:hard",
    "link:15x15",
];

/// Returns the puzzle of this index in `OFFERS`.
pub fn offer(number: usize) -> Option<PuzzleSpec> {
    OFFERS.get(number).and_then(|text| text.parse().ok())
}

/// The options of the next heat, being edited.
#[derive(Debug, Clone)]
pub struct OptionsForm {
    pub form: Form,
}

impl OptionsForm {
    /// Fills a form with options, and with the seed that is set.
    pub fn new(options: &HeatOptions, seed: Option<&Seed>) -> Self {
        let (rule, price) = match options.hints {
            HintRule::Off => (0, USUAL_PRICE),
            HintRule::Free => (1, USUAL_PRICE),
            HintRule::Priced { seconds } => (2, seconds),
        };
        let styles = match options.hint_styles {
            HintStyles::Any => 0,
            HintStyles::Shortest => 1,
            HintStyles::Method => 2,
        };
        let number =
            |label, note, value: u16| Field::text(label, note, &value.to_string(), NUMBER_LIMIT);
        let fields = vec![
            Field::offered(
                "puzzle",
                "left, right: others",
                &options.spec.to_string(),
                TEXT_LIMIT,
                OFFERS,
            ),
            number("time limit", "seconds", options.time_limit_seconds),
            number("countdown", "seconds", options.countdown_seconds),
            Field::choice("hints", "", HINTS, rule),
            number("a hint costs", "seconds, if priced", price),
            Field::choice("hint style", "any: as each likes", STYLES, styles),
            Field::choice("picture", "on tiles, to 8x8", YES_NO, usize::from(options.picture)),
            Field::choice("bots", "may take seats", YES_NO, usize::from(options.bots_allowed)),
            Field::choice("private", "only by code", YES_NO, usize::from(options.private)),
            number("delay", "seconds, for spectators", options.delay_seconds),
            number("grace", "seconds, if cut off", options.grace_seconds),
            number("idle after", "seconds, 0: never", options.idle_seconds),
            Field::choice(
                "finishers",
                "watch the others",
                YES_NO,
                usize::from(options.finishers_watch),
            ),
            Field::text(
                "seed",
                "empty: the server chooses",
                seed.map_or("", Seed::as_str),
                TEXT_LIMIT,
            ),
        ];
        Self { form: Form::new(fields, 0) }
    }

    /// Returns the options and the seed, or marks what is wrong.
    pub fn read(&mut self) -> Option<(HeatOptions, Option<Seed>)> {
        self.form.forgive();
        let spec = self.spec();
        let seed = self.seed();
        let numbers =
            [TIME_LIMIT, COUNTDOWN, HINT_PRICE, DELAY, GRACE, IDLE].map(|line| self.number(line));
        let [Some(time_limit), Some(countdown), Some(price), Some(delay), Some(grace), Some(idle)] =
            numbers
        else {
            return None;
        };
        let hints = match self.form.value(HINT_RULE) {
            "off" => HintRule::Off,
            "free" => HintRule::Free,
            _ => HintRule::Priced { seconds: price },
        };
        let mut options = HeatOptions::new(spec?);
        options.time_limit_seconds = time_limit;
        options.countdown_seconds = countdown;
        options.hints = hints;
        options.hint_styles = self.form.value(HINT_STYLES).parse().unwrap_or_default();
        options.picture = self.form.value(PICTURE) == "yes";
        options.bots_allowed = self.form.value(BOTS) == "yes";
        options.private = self.form.value(PRIVATE) == "yes";
        options.delay_seconds = delay;
        options.grace_seconds = grace;
        options.idle_seconds = idle;
        options.finishers_watch = self.form.value(FINISHERS) == "yes";
        if let Err(fault) = options.check() {
            self.blame(fault);
            return None;
        }
        Some((options, seed?))
    }

    /// Says which option the server found wrong.
    pub fn blame(&mut self, fault: OptionsError) {
        let line = match fault {
            OptionsError::Countdown => COUNTDOWN,
            OptionsError::TimeLimit => TIME_LIMIT,
            OptionsError::Delay => DELAY,
            OptionsError::HintPrice => HINT_PRICE,
            OptionsError::Grace => GRACE,
            OptionsError::Idle => IDLE,
            OptionsError::Picture => PICTURE,
        };
        self.form.blame(line, fault.to_string());
    }

    fn spec(&mut self) -> Option<PuzzleSpec> {
        let spec = PuzzleSpec::from_typed(self.form.value(PUZZLE));
        spec.map_err(|error| self.form.blame(PUZZLE, error.to_string())).ok()
    }

    fn seed(&mut self) -> Option<Option<Seed>> {
        match self.form.value(SEED) {
            "" => Some(None),
            text => match text.parse::<Seed>() {
                Ok(seed) => Some(Some(seed)),
                Err(error) => {
                    self.form.blame(SEED, error.to_string());
                    None
                }
            },
        }
    }

    fn number(&mut self, line: usize) -> Option<u16> {
        self.form.value(line).parse().map_err(|_| self.form.blame(line, "a number")).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    fn options() -> HeatOptions {
        HeatOptions::new("slide:4x4".parse().unwrap())
    }

    fn retype(form: &mut OptionsForm, line: usize, text: &str) {
        form.form.focus = line;
        form.form.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
        for letter in text.chars() {
            form.form.key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE));
        }
    }

    #[test]
    fn options_come_out_as_they_went_in() {
        assert_eq!(OptionsForm::new(&options(), None).read(), Some((options(), None)));
        let seed: Seed = "friday".parse().unwrap();
        let mut form = OptionsForm::new(&options(), Some(&seed));
        assert_eq!(form.read(), Some((options(), Some(seed))));
    }

    #[test]
    fn a_size_alone_is_a_sliding_puzzle() {
        let mut form = OptionsForm::new(&options(), None);
        retype(&mut form, PUZZLE, "3x5");
        retype(&mut form, SEED, "friday");
        let (read, seed) = form.read().unwrap();
        assert_eq!(read.spec.to_string(), "slide:3x5");
        assert_eq!(seed, Some("friday".parse().unwrap()));
    }

    #[test]
    fn what_is_out_of_bounds_is_said_at_its_line() {
        for (line, text) in [(PUZZLE, "99x99"), (TIME_LIMIT, "1"), (DELAY, "x"), (COUNTDOWN, "")] {
            let mut form = OptionsForm::new(&options(), None);
            retype(&mut form, line, text);
            assert_eq!(form.read(), None);
            assert!(form.form.fields[line].error.is_some(), "{line}");
            assert_eq!(form.form.focus, line);
        }
    }

    #[test]
    fn every_offer_is_a_puzzle_that_a_heat_may_have() {
        for (number, text) in OFFERS.iter().enumerate() {
            assert_eq!(offer(number).unwrap().to_string(), *text);
        }
    }
}
