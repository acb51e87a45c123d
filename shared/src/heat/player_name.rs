//! Player names: bounds, permitted characters, and keys for comparing look-alikes.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_script::{Script, UnicodeScript};
use unicode_security::MixedScript;
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_segmentation::UnicodeSegmentation;

/// Longest name in graphemes: what fits beside a bar on a small terminal.
pub const NAME_GRAPHEMES: usize = 20;
/// Longest name in bytes: twenty graphemes may else carry any number of marks.
pub const NAME_BYTES: usize = 80;

/// The name of a big screen before its four digits.
const SCREEN: &str = "Screen ";

/// Most accents on one letter: Vietnamese has two.
const MAX_ACCENTS: usize = 2;
/// Most marks of any kind on one letter: vowel signs and the like, of which Burmese has four.
const MAX_MARKS: usize = 4;

/// A player's name: NFC, 1 to 20 graphemes, nothing that steers a terminal or reorders text.
///
/// `FromStr` is for a name that a player chooses: no letter has more than two accents, no glyph is
/// blank, one space is between two words, and scripts mix only as in Japanese, Korean, or Chinese with Latin letters, which is the
/// level "highly restrictive" of Unicode Technical Standard 39, without its list of characters.
/// `Screen` and four digits is the name of a big screen, which [`PlayerName::of_screen`] reads.
/// `TryFrom<String>`, which serde uses, is for a name that a server admitted, maybe by an earlier
/// version without these rules.
///
/// ```
/// use gridrace_shared::heat::player_name::{NameError, PlayerName};
/// let name: PlayerName = "  Zoë ".parse()?;
/// assert_eq!(name.as_str(), "Zoë");
/// assert_eq!("a\u{1b}[2J".parse::<PlayerName>(), Err(NameError::Forbidden));
/// # Ok::<(), NameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlayerName(String);

/// An error in a player's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum NameError {
    /// Nothing is left after spaces at both ends are taken off.
    #[error("a name has at least one character")]
    Empty,
    /// More than [`NAME_GRAPHEMES`] graphemes or [`NAME_BYTES`] bytes.
    #[error("a name has at most 20 characters")]
    TooLong,
    /// A control, format, bidirectional, private or unassigned character.
    #[error("a name has no control or invisible characters")]
    Forbidden,
    /// More accents or marks on a letter than `MAX_ACCENTS` and `MAX_MARKS`, or marks without
    /// a letter.
    #[error("a letter of a name has at most two accents, and an accent has a letter")]
    StackedMarks,
    /// Scripts whose letters may be mistaken for each other, such as Latin and Cyrillic.
    #[error("a name is in one script, or mixes Latin letters with Chinese, Japanese or Korean")]
    MixedScripts,
    /// `Screen` and four digits.
    #[error("names like Screen 1234 are for big screens")]
    Reserved,
}

impl PlayerName {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads the name of a big screen: `Screen` and four digits. Such a screen watches, and lists of
    /// people leave it out.
    pub fn of_screen(text: &str) -> Option<Self> {
        Self::read(text).ok().filter(Self::is_screen)
    }

    /// Returns whether the name is a big screen's.
    pub fn is_screen(&self) -> bool {
        let digits = self.0.strip_prefix(SCREEN);
        digits.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|c| c.is_ascii_digit()))
    }

    /// Returns what is left when characters that look alike are made one
    /// (the skeleton of Unicode Technical Standard 39, without regard to case).
    pub fn skeleton(&self) -> String {
        // Case is folded on both sides of the mapping: `I` maps to `l`, and must meet `i` too.
        let lower: String = unicode_security::skeleton(&self.0.to_lowercase()).collect();
        unicode_security::skeleton(&lower.to_lowercase()).collect()
    }

    /// Returns the same with case folded after the mapping, as a name is seen: a small letter
    /// needn't look like the one whose capital does, `\u{432}` and `\u{412}` beside `b` and `B`.
    /// The mapping makes `I` an `l`, so `i` is one, too.
    pub fn shape(&self) -> String {
        let seen: String = unicode_security::skeleton(&self.0).collect();
        let lower: String = unicode_security::skeleton(&seen.to_lowercase()).collect();
        lower.replace('i', "l")
    }
}

impl std::str::FromStr for PlayerName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        let name = Self::read(&words.join(" "))?;
        if name.0.contains(is_blank_glyph) || has_unseen_dot(&name.0) {
            return Err(NameError::Forbidden);
        }
        if has_stacked_marks(&name.0) {
            return Err(NameError::StackedMarks);
        }
        if has_mixed_scripts(&name.0) {
            return Err(NameError::MixedScripts);
        }
        if name.is_screen() {
            return Err(NameError::Reserved);
        }
        Ok(name)
    }
}

impl TryFrom<String> for PlayerName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::read(&text)
    }
}

impl From<PlayerName> for String {
    fn from(name: PlayerName) -> Self {
        name.0
    }
}

impl PlayerName {
    /// Reads a name by the rules of every version.
    fn read(text: &str) -> Result<Self, NameError> {
        if text.len() > 4 * NAME_BYTES {
            return Err(NameError::TooLong);
        }
        let name: String = text.trim().nfc().collect();
        if name.is_empty() {
            return Err(NameError::Empty);
        }
        if !name.chars().all(is_displayable) {
            return Err(NameError::Forbidden);
        }
        if name.len() > NAME_BYTES || name.graphemes(true).count() > NAME_GRAPHEMES {
            return Err(NameError::TooLong);
        }
        Ok(Self(name))
    }
}

/// Says whether a character may be shown as part of a name: it takes part in no escape
/// sequence, changes no direction of text, is not invisible, and means something: neither
/// unassigned nor for private use.
pub fn is_displayable(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    !c.is_control() && !c.is_whitespace() && !hides_or_turns(c) && c.script() != Script::Unknown
}

fn hides_or_turns(c: char) -> bool {
    matches!(c as u32,
        0x00AD                       // soft hyphen
        | 0x034F                     // combining grapheme joiner
        | 0x0600..=0x0605 | 0x061C | 0x06DD | 0x070F | 0x0890..=0x0891 | 0x08E2
        | 0x115F..=0x1160 | 0x3164 | 0xFFA0 // Hangul fillers
        | 0x17B4..=0x17B5
        | 0x180B..=0x180F            // Mongolian selectors
        | 0x200B..=0x200F            // zero width, marks of direction
        | 0x2028..=0x202E            // separators, embeddings, overrides
        | 0x2060..=0x206F            // invisible operators, isolates
        | 0x2800                     // blank Braille
        | 0xD800..=0xF8FF            // surrogates, private use
        | 0xFE00..=0xFE0F            // variation selectors
        | 0xFEFF | 0xFFF0..=0xFFFF
        | 0x110BD | 0x110CD | 0x13430..=0x1343F | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        | 0xE0000..) // tags, selectors, private planes
}

/// Returns whether a character is a letter that is drawn as nothing and that no property of Unicode
/// tells: a musical null notehead, the filler of Khitan, two hieroglyphic blanks. The others can't
/// be [displayed](is_displayable).
const fn is_blank_glyph(c: char) -> bool {
    matches!(c, '\u{1D159}' | '\u{16FE4}' | '\u{13441}' | '\u{13442}')
}

/// Returns whether a letter carries a dot above that isn't seen: it has one of its own, or looks like
/// one that has.
fn has_unseen_dot(name: &str) -> bool {
    const DOT_ABOVE: char = '\u{307}';
    let mut letter = None;
    name.nfd().any(|c| {
        if !is_combining_mark(c) {
            letter = Some(c);
        }
        let is_dotted = matches!(letter, Some('i' | 'j' | 'l' | 'ı' | 'ȷ' | '\u{456}' | '\u{458}'));
        c == DOT_ABOVE && is_dotted
    })
}

/// Returns whether a letter carries too many marks, or a mark has no letter. A mark is an accent if
/// its combining class is not 0 or its script is inherited.
fn has_stacked_marks(name: &str) -> bool {
    let mut marks = None;
    name.nfd().any(|c| {
        if !is_combining_mark(c) {
            marks = (c != ' ').then_some((0, 0));
            return false;
        }
        let Some((accents, all)) = &mut marks else {
            return true;
        };
        let is_accent = canonical_combining_class(c) != 0 || c.script() == Script::Inherited;
        *accents += usize::from(is_accent);
        *all += 1;
        *accents > MAX_ACCENTS || *all > MAX_MARKS
    })
}

/// Returns whether a name is above the restriction level "highly restrictive": its letters are
/// neither of one script, nor Latin ones among those of Japanese, Korean or Chinese.
fn has_mixed_scripts(name: &str) -> bool {
    let is_latin = |c: &char| AugmentedScriptSet::for_char(*c).base.contains_script(Script::Latin);
    let foreign: String = name.chars().filter(|c| !is_latin(c)).collect();
    let foreign = AugmentedScriptSet::for_str(&foreign);
    let mixes_with_latin = foreign.hanb || foreign.jpan || foreign.kore;
    !name.is_single_script() && !mixes_with_latin
}

impl std::fmt::Display for PlayerName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex_syntax::hir::{Class, HirKind};

    fn name(text: &str) -> Result<PlayerName, NameError> {
        text.parse()
    }

    fn stored(text: &str) -> Result<PlayerName, NameError> {
        text.to_owned().try_into()
    }

    /// Returns the characters of a class as Unicode has it.
    fn class(pattern: &str) -> impl Iterator<Item = char> {
        let parsed = regex_syntax::parse(pattern).unwrap();
        let HirKind::Class(Class::Unicode(class)) = parsed.kind() else { panic!("{pattern}") };
        let ranges = class.ranges().to_vec();
        ranges.into_iter().flat_map(|range| range.start()..=range.end())
    }

    #[test]
    fn of_all_characters_none_that_steers_hides_or_means_nothing_may_stand_in_a_name() {
        let steers = r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Bidi_Control}]";
        let hides = r"[\p{Default_Ignorable_Code_Point}[\p{Zs}&&[^ ]]\p{Variation_Selector}]";
        // No version will ever assign the ten planes in between.
        let means_nothing = r"[\p{Co}\p{Noncharacter_Code_Point}\x{40000}-\x{DFFFF}\x{378}]";
        for pattern in [steers, hides, means_nothing] {
            let mut passing = class(pattern).filter(|&c| is_displayable(c));
            assert_eq!(passing.next(), None, "of {pattern}");
        }
    }

    #[test]
    fn every_letter_digit_and_sign_that_shows_may_stand_in_a_name() {
        let shows = r"[[\p{L}\p{M}\p{N}\p{P}\p{S}]--\p{Default_Ignorable_Code_Point}--[\x{2800}\x{FFFC}\x{FFFD}]]";
        let mut refused = class(shows).filter(|&c| !is_displayable(c));
        assert_eq!(refused.next(), None);
    }

    #[test]
    fn a_name_is_bounded_in_graphemes_and_bytes() {
        assert_eq!(name(""), Err(NameError::Empty));
        assert_eq!(name("   "), Err(NameError::Empty));
        assert!(name(&"é".repeat(20)).is_ok());
        assert_eq!(name(&"a".repeat(21)), Err(NameError::TooLong));
        assert_eq!(name(&format!("a{}", "\u{301}".repeat(60))), Err(NameError::TooLong));
    }

    #[test]
    fn a_letter_carries_at_most_two_accents() {
        for good in
            ["e\u{323}\u{302}n", "Nguy\u{1ec5}n", "\u{5e9}\u{5c1}\u{5b8}", "\u{e19}\u{e49}\u{e33}"]
        {
            assert!(name(good).is_ok(), "{good}");
        }
        // Words of living languages have more marks that aren't accents.
        for word in ["တို့", "ကြော်", "སྒྲུབ", "क्षीं", "ខ្ញុំ"]
        {
            assert!(name(word).is_ok(), "{word}");
        }
        for stacked in [
            "a\u{301}\u{302}\u{303}",
            "Zo\u{eb}\u{301}\u{301}",
            "z\u{335}\u{327}\u{301}\u{30a}",
            "\u{e01}\u{e47}\u{e47}\u{e47}\u{e47}\u{e47}",
            // Without a letter below them, marks are drawn over what stands before the name.
            "\u{301}a",
            "a \u{20dd}b",
        ] {
            assert_eq!(name(stacked), Err(NameError::StackedMarks), "{stacked}");
        }
    }

    #[test]
    fn no_glyph_is_blank() {
        for blank in
            class(r"[\x{115F}\x{1160}\x{3164}\x{FFA0}\x{2800}\x{1D159}\x{16FE4}\x{13441}\x{13442}]")
        {
            assert_eq!(name(&format!("a{blank}b")), Err(NameError::Forbidden), "{blank:?}");
        }
        for dotted in ["Ni\u{307}na", "j\u{307}o", "N\u{131}\u{307}na", "\u{456}\u{307}"] {
            assert_eq!(name(dotted), Err(NameError::Forbidden), "{dotted}");
        }
        assert_eq!(name("Anna  \u{130}nci ").unwrap().as_str(), "Anna \u{130}nci");
        assert_eq!(stored("Anna  Lee").unwrap().as_str(), "Anna  Lee");
    }

    #[test]
    fn a_name_is_of_one_script_or_of_those_that_a_language_mixes() {
        for good in [
            "Анна",
            "Άννα",
            "Anna 7 ★",
            "安娜",
            "Änna 安娜",
            "Tanaka たなか タナカ",
            "김 Kim 金",
            "Anna_ㄅ安",
            "عمر",
            "रवि",
            "สมชาย",
            "Βύρων-2",
            "😀 Zoë",
            "µTorrent",
        ] {
            assert!(name(good).is_ok(), "{good}");
        }
        for mixed in ["p\u{430}ypal", "Ann\u{3b1}", "Анна Smith", "Ωmega", "김たなか", "רvi"]
        {
            assert_eq!(name(mixed), Err(NameError::MixedScripts), "{mixed}");
        }
    }

    #[test]
    fn the_name_of_a_big_screen_is_no_player_s() {
        assert_eq!(name(" Screen 1234"), Err(NameError::Reserved));
        assert_eq!(PlayerName::of_screen("Screen 1234").unwrap().as_str(), "Screen 1234");
        for other in ["Screen", "Screen 123", "Screen 12345", "Screen 12a4", "My Screen 1234"] {
            assert!(name(other).is_ok() && PlayerName::of_screen(other).is_none(), "{other}");
        }
    }

    #[test]
    fn a_stored_name_is_read_by_the_rules_of_the_version_that_admitted_it() {
        for old in ["p\u{430}ypal", "a\u{301}\u{302}\u{303}"] {
            assert!(serde_json::from_value::<PlayerName>(old.into()).is_ok(), "{old}");
        }
        assert!(serde_json::from_value::<PlayerName>("a\u{1b}".into()).is_err());
    }

    #[test]
    fn names_that_look_alike_share_a_skeleton() {
        let skeleton = |text| name(text).unwrap().skeleton();
        assert_eq!(skeleton("cap"), skeleton("\u{441}\u{430}\u{440}")); // Cyrillic сар
        assert_eq!(skeleton("Anna"), skeleton("ANNA"));
        assert_ne!(skeleton("anna"), skeleton("hanna"));
        let shape = |text| name(text).unwrap().shape();
        assert_eq!(shape("Be"), shape("\u{412}\u{435}")); // Cyrillic В, whose small letter is в
        assert_eq!(shape("ILL"), shape("ill"));
        assert_ne!(shape("anna"), shape("hanna"));
    }

    #[test]
    fn every_code_point_in_a_name_is_clean_or_refused() {
        let mut clean = 0;
        for c in '\0'..=char::MAX {
            match name(&format!("a{c}b")) {
                Ok(name) => {
                    clean += 1;
                    let steers = name.as_str().chars().find(|&c| !is_displayable(c));
                    assert_eq!(steers, None, "of {c:?}");
                    assert!(name.skeleton().len() > 1 && name.shape().len() > 1, "{c:?}");
                }
                Err(NameError::Forbidden) => {}
                Err(error) => assert!(stored(&format!("a{c}b")).is_ok(), "{c:?}: {error}"),
            }
        }
        assert!(clean > 100_000, "{clean}");
    }

    #[test]
    fn whatever_looks_like_a_letter_or_a_digit_of_ascii_is_no_way_to_another_s_name() {
        let skeleton = |c: char| unicode_security::skeleton(&c.to_string()).collect::<String>();
        let plain = ('0'..='z').filter(char::is_ascii_alphanumeric);
        let plain: Vec<_> = plain.map(|c| (c, skeleton(c))).collect();
        let mut alike = 0;
        for c in ('\u{80}'..=char::MAX).filter(|&c| is_displayable(c)) {
            let seen = skeleton(c);
            for (ascii, _) in plain.iter().filter(|(_, plain)| *plain == seen) {
                // Marks join what is before them, and then nothing looks alike.
                let Ok(false_one) = stored(&format!("{c}nn")) else {
                    continue;
                };
                let true_one = name(&format!("{ascii}nn")).unwrap();
                assert_eq!(false_one.shape(), true_one.shape(), "{c:?} and {ascii:?}");
                alike += 1;
            }
        }
        assert!(alike > 500, "{alike}");
    }

    proptest! {
        #[test]
        fn any_text_is_a_clean_name_or_a_fault(text in "\\PC{0,30}|.{0,30}") {
            if let Ok(name) = name(&text) {
                prop_assert!(name.as_str().chars().all(is_displayable));
                prop_assert_eq!(name.as_str().parse(), Ok(name.clone()));
            }
        }
    }
}
