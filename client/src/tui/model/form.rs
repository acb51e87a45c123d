//! A form: lines to fill in, moved through by keys.

use crossterm::event::{Event, KeyCode, KeyEvent};
use tui_input::backend::crossterm::to_input_request;
use tui_input::{Input, InputRequest};
use unicode_segmentation::UnicodeSegmentation;

/// How many bytes a line takes for each grapheme that it may have.
const MAX_GRAPHEME_BYTES: usize = 4;

#[derive(Debug, Clone)]
pub struct Form {
    pub fields: Vec<Field>,
    pub focus: usize,
    /// Whether the cursor selects the value of the line that it enters.
    selects: bool,
    /// Whether the value of the line with the cursor is selected: the next letter replaces it.
    is_selected: bool,
}

#[derive(Debug, Clone)]
pub struct Field {
    pub label: &'static str,
    pub note: &'static str,
    pub kind: FieldKind,
    pub error: Option<String>,
}

#[derive(Debug, Clone)]
pub enum FieldKind {
    Text {
        input: Input,
        /// The most graphemes it may have.
        limit: usize,
        /// The values that left and right choose from.
        offers: &'static [&'static str],
    },
    Choice {
        among: &'static [&'static str],
        chosen: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormKey {
    Submit,
    Cancel,
    Taken,
}

impl Field {
    pub fn text(label: &'static str, note: &'static str, value: &str, limit: usize) -> Self {
        Self::offered(label, note, value, limit, &[])
    }

    /// Makes a line to type in, where left and right go through what is offered.
    pub fn offered(
        label: &'static str,
        note: &'static str,
        value: &str,
        limit: usize,
        offers: &'static [&'static str],
    ) -> Self {
        let input = Input::new(value.to_owned());
        Self { label, note, kind: FieldKind::Text { input, limit, offers }, error: None }
    }

    pub const fn choice(
        label: &'static str,
        note: &'static str,
        among: &'static [&'static str],
        chosen: usize,
    ) -> Self {
        Self { label, note, kind: FieldKind::Choice { among, chosen }, error: None }
    }

    /// Returns the value as text, without spaces at its ends.
    pub fn value(&self) -> &str {
        match &self.kind {
            FieldKind::Text { input, .. } => input.value().trim(),
            FieldKind::Choice { among, chosen } => among.get(*chosen).copied().unwrap_or_default(),
        }
    }

    /// Takes a key; a letter replaces a selected value. Returns whether the value is an offer that
    /// the key has chosen.
    fn press(&mut self, key: KeyEvent, is_selected: bool) -> bool {
        let is_sideways = matches!(key.code, KeyCode::Left | KeyCode::Right);
        let forward = is_sideways.then_some(key.code == KeyCode::Right);
        match &mut self.kind {
            FieldKind::Text { input, limit, offers } => {
                if let Some(forward) = forward
                    && let Some(offer) = beside(offers, input.value().trim(), forward)
                {
                    *input = Input::new(offer.to_owned());
                    return true;
                }
                if let Some(request) = to_input_request(&Event::Key(key)) {
                    let before = input.clone();
                    if is_selected && matches!(request, InputRequest::InsertChar(_)) {
                        input.reset();
                    }
                    input.handle(request);
                    let value = input.value();
                    let is_too_long = value.graphemes(true).count() > *limit
                        || value.len() > MAX_GRAPHEME_BYTES * *limit;
                    if is_too_long || value.chars().any(char::is_control) {
                        *input = before;
                    }
                }
            }
            FieldKind::Choice { among, chosen } => {
                let letter = matches!(key.code, KeyCode::Char(_)).then_some(true);
                if let Some(forward) = forward.or(letter) {
                    *chosen = around(*chosen, among.len(), forward);
                }
            }
        }
        false
    }
}

impl Form {
    /// Makes a form in which what is typed replaces the value that a line has when the cursor comes
    /// to it; other keys edit that.
    pub const fn new(fields: Vec<Field>, focus: usize) -> Self {
        Self { fields, focus, selects: true, is_selected: true }
    }

    /// Makes a line whose value is continued.
    pub fn prompt(field: Field) -> Self {
        Self { fields: vec![field], focus: 0, selects: false, is_selected: false }
    }

    /// Returns whether the next letter replaces the value of the line with the cursor.
    pub fn replaces_value(&self) -> bool {
        self.is_selected && !self.value(self.focus).is_empty()
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all other keys are the line's")]
    pub fn key(&mut self, key: KeyEvent) -> FormKey {
        match key.code {
            KeyCode::Enter => return FormKey::Submit,
            KeyCode::Esc => return FormKey::Cancel,
            KeyCode::Up | KeyCode::BackTab => self.go(false),
            KeyCode::Down | KeyCode::Tab => self.go(true),
            _ => {
                if let Some(field) = self.fields.get_mut(self.focus) {
                    field.error = None;
                    let has_chosen = field.press(key, self.is_selected);
                    self.is_selected = self.selects && has_chosen;
                }
            }
        }
        FormKey::Taken
    }

    /// Inserts a pasted text into the line with the cursor as if it were typed, with spaces for line
    /// breaks and other control characters. A choice takes none.
    pub fn paste(&mut self, text: &str) {
        let Some(field) = self.fields.get_mut(self.focus) else { return };
        let FieldKind::Text { limit, .. } = field.kind else { return };
        field.error = None;
        let text = text.trim().replace("\r\n", "\n");
        // A value has no more characters than its bytes.
        for letter in text.chars().take(MAX_GRAPHEME_BYTES * limit) {
            let letter = if letter.is_control() { ' ' } else { letter };
            field.press(KeyEvent::from(KeyCode::Char(letter)), self.is_selected);
            self.is_selected = false;
        }
    }

    pub fn value(&self, index: usize) -> &str {
        self.fields.get(index).map_or("", Field::value)
    }

    pub fn fill(&mut self, index: usize, text: String) {
        if let Some(Field { kind: FieldKind::Text { input, .. }, .. }) = self.fields.get_mut(index)
        {
            *input = Input::new(text);
        }
    }

    /// Says what is wrong with a line, and goes there.
    pub fn blame(&mut self, index: usize, error: impl Into<String>) {
        if let Some(field) = self.fields.get_mut(index) {
            field.error = Some(error.into());
            self.focus = index;
            self.is_selected = false;
        }
    }

    /// Returns what is wrong with the line that has the cursor, or else with any.
    pub fn error(&self) -> Option<&str> {
        let here = self.fields.get(self.focus).and_then(|field| field.error.as_deref());
        here.or_else(|| self.fields.iter().find_map(|field| field.error.as_deref()))
    }

    pub fn forgive(&mut self) {
        self.fields.iter_mut().for_each(|field| field.error = None);
    }

    fn go(&mut self, forward: bool) {
        self.focus = around(self.focus, self.fields.len(), forward);
        self.is_selected = self.selects;
    }
}

/// Returns the offer after a text, or before it; the first where it isn't offered.
fn beside(offers: &[&'static str], text: &str, forward: bool) -> Option<&'static str> {
    let at = offers.iter().position(|&offer| offer == text);
    let beside = at.map_or(0, |at| around(at, offers.len(), forward));
    offers.get(beside).copied()
}

/// Returns the next or previous index below `count`, and wraps around.
pub(crate) fn around(index: usize, count: usize, forward: bool) -> usize {
    let step = if forward { 1 } else { count.saturating_sub(1) };
    (index + step).checked_rem(count).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyModifiers;

    fn press(form: &mut Form, code: KeyCode) -> FormKey {
        form.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn a_line_takes_no_more_than_its_limit() {
        let mut form = Form::prompt(Field::text("name", "", "ab", 3));
        for letter in "cdé".chars() {
            press(&mut form, KeyCode::Char(letter));
        }
        assert_eq!(form.value(0), "abc");
        press(&mut form, KeyCode::Backspace);
        assert_eq!(form.value(0), "ab");
    }

    #[test]
    fn a_line_is_edited_where_its_cursor_stands() {
        let mut form = Form::new(vec![Field::text("name", "", "anna", 9)], 0);
        for code in [KeyCode::Home, KeyCode::Delete, KeyCode::Char('H'), KeyCode::Right] {
            press(&mut form, code);
        }
        press(&mut form, KeyCode::Char('n'));
        assert_eq!(form.value(0), "Hnnna");
        press(&mut form, KeyCode::End);
        form.key(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL));
        assert_eq!(form.value(0), "");
    }

    #[test]
    fn what_is_typed_first_replaces_the_value_and_other_keys_edit_it() {
        let fields = || vec![Field::text("limit", "", "600", 4), Field::text("idle", "", "60", 4)];
        for (keys, values) in [
            (&[KeyCode::Char('9'), KeyCode::Char('5')][..], ["95", "60"]),
            (&[KeyCode::Backspace, KeyCode::Char('5')], ["605", "60"]),
            (&[KeyCode::End, KeyCode::Char('5')], ["6005", "60"]),
            (&[KeyCode::Down, KeyCode::Char('7'), KeyCode::Char('0')], ["600", "70"]),
            (&[KeyCode::Char('9'), KeyCode::Down, KeyCode::Up, KeyCode::Char('8')], ["8", "60"]),
        ] {
            let mut form = Form::new(fields(), 0);
            for &code in keys {
                press(&mut form, code);
            }
            assert_eq!([form.value(0), form.value(1)], values, "{keys:?}");
        }
        let mut form = Form::new(fields(), 0);
        form.blame(0, "not allowed");
        press(&mut form, KeyCode::Char('1'));
        assert_eq!(form.value(0), "6001", "a wrong value is mended");
    }

    #[test]
    fn a_paste_is_inserted_as_if_typed() {
        let mut form = Form::new(vec![Field::text("line", "", "before", 9)], 0);
        form.paste(" ab\r\nc\td\n");
        assert_eq!(form.value(0), "ab c d", "it replaces a selected value");
        press(&mut form, KeyCode::Home);
        form.paste("éè");
        assert_eq!(form.value(0), "éèab c d", "it goes where the cursor stands");
        form.paste(&"xyz".repeat(1_000_000));
        assert_eq!(form.value(0), "éèxab c d", "it is cut at the limit");

        let mut form = Form::new(vec![Field::choice("hints", "", &["off", "free"], 1)], 0);
        form.paste("off");
        assert_eq!(form.value(0), "free");
    }

    #[test]
    fn choices_go_around() {
        let mut form = Form::new(vec![Field::choice("hints", "", &["off", "free"], 1)], 0);
        press(&mut form, KeyCode::Right);
        assert_eq!(form.value(0), "off");
        press(&mut form, KeyCode::Left);
        assert_eq!(form.value(0), "free");
    }

    #[test]
    fn offers_go_around_and_what_is_typed_may_be_another() {
        let mut form = Form::new(vec![Field::offered("puzzle", "", "x", 3, &["a", "b"])], 0);
        for (code, value) in [
            (KeyCode::Right, "a"),
            (KeyCode::Left, "b"),
            (KeyCode::Char('x'), "x"),
            (KeyCode::Right, "a"),
        ] {
            press(&mut form, code);
            assert_eq!(form.value(0), value);
        }
    }

    #[test]
    fn enter_submits_and_escape_cancels() {
        let mut form = Form::new(vec![Field::text("a", "", "", 3)], 0);
        assert_eq!(press(&mut form, KeyCode::Enter), FormKey::Submit);
        assert_eq!(press(&mut form, KeyCode::Esc), FormKey::Cancel);
    }
}
