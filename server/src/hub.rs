//! The directory of heats. It holds handles and nothing else.

use crate::clock::Clock;
use crate::entropy;
use crate::heat::Heat;
use crate::hints::HintPool;
use crate::race::{Event, RaceConfig};
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use gridrace_shared::bot::Skill;
use gridrace_shared::name::HeatCode;
use gridrace_shared::options::{HeatOptions, OptionsFault};
use gridrace_shared::protocol::heat::HeatSummary;
use gridrace_shared::seed::Seed;
use std::collections::BTreeSet;
use std::sync::Arc;
use tracing::info;

/// Heats that may be open at once: a twentieth of all codes, so that codes stay hard to guess.
const MAX_HEATS: usize = HeatCode::COUNT as usize / 20;
/// Heats in a list: a screenful or two.
const LISTED: usize = 64;

/// All heats that are open.
#[derive(Debug)]
pub struct Hub {
    clock: Clock,
    hints: HintPool,
    heats: DashMap<HeatCode, Arc<Heat>>,
    /// Heats that the server's own command line opened: they outlive their members.
    standing: BTreeSet<HeatCode>,
}

/// A heat that stands as long as the server does.
#[derive(Debug, Clone)]
pub struct StandingHeat {
    /// Its options.
    pub options: HeatOptions,
    /// The seed of its first heat, where it is set.
    pub seed: Option<Seed>,
    /// The bots that have a seat from the start.
    pub bots: Vec<Skill>,
}

/// Why a heat can't be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// As many heats as there may be are open.
    #[error("too many heats are open")]
    Full,
    /// An option is out of bounds.
    #[error(transparent)]
    Options(#[from] OptionsFault),
}

impl Hub {
    /// Opens a hub with its standing heats, and returns their codes in order.
    ///
    /// # Errors
    /// Why one of them can't be opened.
    pub fn new(
        clock: Clock,
        standing: Vec<StandingHeat>,
    ) -> Result<(Self, Vec<HeatCode>), OpenError> {
        let hints = HintPool::start();
        let mut hub = Self {
            clock,
            hints,
            heats: DashMap::new(),
            standing: BTreeSet::new(),
        };
        let mut codes = Vec::new();
        for heat in standing {
            let opened = hub.open(heat.options, heat.seed)?;
            heat.bots
                .into_iter()
                .for_each(|skill| opened.add_bot(None, skill));
            codes.push(opened.code());
        }
        hub.standing = codes.iter().copied().collect();
        Ok((hub, codes))
    }

    /// Opens a heat under a code of its own.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(&self, options: HeatOptions, seed: Option<Seed>) -> Result<Arc<Heat>, OpenError> {
        if self.heats.len() >= MAX_HEATS {
            return Err(OpenError::Full);
        }
        let draw = entropy::draw(seed);
        loop {
            // Nineteen of twenty codes are free, so this ends soon.
            let code = entropy::code();
            if let Entry::Vacant(vacant) = self.heats.entry(code) {
                let config = |epoch| RaceConfig {
                    code,
                    epoch,
                    options,
                    draw,
                };
                let heat = Heat::open(self.clock, self.hints.clone(), config)?;
                vacant.insert(Arc::clone(&heat));
                info!(heat = %code, "heat opened");
                return Ok(heat);
            }
        }
    }

    /// Finds a heat by its code.
    #[must_use]
    pub fn find(&self, code: HeatCode) -> Option<Arc<Heat>> {
        self.heats.get(&code).map(|heat| Arc::clone(&heat))
    }

    /// Lists the heats that aren't private, by code.
    #[must_use]
    pub fn list(&self) -> Vec<HeatSummary> {
        // Copied out first: no heat's lock is taken under a guard of the map.
        let heats: Vec<_> = self.heats.iter().map(|entry| Arc::clone(&entry)).collect();
        let mut listed: Vec<_> = heats.iter().filter_map(|heat| heat.summary()).collect();
        listed.sort_by_key(|heat| heat.code);
        listed.truncate(LISTED);
        listed
    }

    /// Closes a heat that everybody has left; a standing one goes back to its lobby.
    pub fn tidy(&self, heat: &Arc<Heat>) {
        if !heat.is_deserted() {
            return;
        }
        if self.standing.contains(&heat.code()) {
            heat.apply(Event::Rematch {
                by: None,
                draw: entropy::draw(None),
            });
        } else if heat.close_if_deserted() {
            self.heats.remove(&heat.code());
            info!(heat = %heat.code(), "heat closed");
        }
    }
}
