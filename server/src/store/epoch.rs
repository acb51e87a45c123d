//! Whether the store records: a disk may fail, and have room again later.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use tokio::sync::watch;

/// The spells of recording and of failing, one after another. A journal belongs to the spell
/// in which it began, and is lost with it.
#[derive(Debug)]
pub(super) struct Spells {
    /// The number of the present one: even while the store records.
    present: AtomicU64,
    /// No heat of an earlier spell has this number in the store, or a higher one.
    first: AtomicI64,
    /// Says whether the store records to whoever waits for a change.
    told: watch::Sender<bool>,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spell(u64);

impl Default for Spells {
    fn default() -> Self {
        Self {
            present: AtomicU64::new(0),
            first: AtomicI64::new(0),
            told: watch::Sender::new(true),
        }
    }
}

impl Spells {
    pub(super) fn present(&self) -> Spell {
        Spell(self.present.load(Ordering::Acquire))
    }

    /// Says whether the store records.
    pub(super) fn records(&self) -> bool {
        self.present().records()
    }

    /// Says whether what began in a spell is recorded.
    pub(super) fn is_on(&self, spell: Spell) -> bool {
        spell.records() && self.present() == spell
    }

    /// Ends a spell of recording, and says whether it was the present one.
    pub(super) fn end(&self, spell: Spell) -> bool {
        let ended = spell.records() && self.go_on_from(spell);
        if ended {
            self.told.send_replace(false);
        }
        ended
    }

    /// Begins to record again, where nothing is recorded. No heat has the number `first` in
    /// the store yet, or a higher one.
    pub(super) fn begin(&self, first: i64) {
        let spell = self.present();
        if spell.records() {
            return;
        }
        self.first.store(first, Ordering::Release);
        if self.go_on_from(spell) {
            self.told.send_replace(true);
        }
    }

    /// Returns the lowest number that a heat of the present spell has.
    pub(super) fn first(&self) -> i64 {
        self.first.load(Ordering::Acquire)
    }

    /// Returns what says whether the store records.
    pub(super) fn told(&self) -> watch::Receiver<bool> {
        self.told.subscribe()
    }

    fn go_on_from(&self, spell: Spell) -> bool {
        let next = spell.0.wrapping_add(1);
        let changed =
            self.present.compare_exchange(spell.0, next, Ordering::AcqRel, Ordering::Acquire);
        changed.is_ok()
    }
}

impl Spell {
    const fn records(self) -> bool {
        self.0.is_multiple_of(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_began_in_a_spell_is_lost_with_it() {
        let spells = Spells::default();
        let first = spells.present();
        assert!(spells.is_on(first) && spells.records());
        assert!(spells.end(first));
        assert!(!spells.end(first), "it ends once");
        let between = spells.present();
        assert!(!spells.is_on(first) && !spells.is_on(between) && !spells.records());
        spells.begin(7);
        spells.begin(9);
        assert_eq!(spells.first(), 7);
        assert!(spells.records() && !spells.is_on(first) && !spells.is_on(between));
        assert!(!spells.end(first), "an old journal ends no new spell");
        assert!(spells.is_on(spells.present()));
    }
}
