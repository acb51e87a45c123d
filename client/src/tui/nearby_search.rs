//! The search for rooms on the local network, while the home screen shows them.

use crate::net::nearby;
use crate::tui::event::Event;
use gridrace_lan::browser::Browser;

/// Looks for servers while it is told to; without a search it yields nothing.
#[derive(Default)]
pub(crate) struct NearbySearch {
    browser: Option<Browser>,
    /// Whether the search is wanted, though it may have failed to start.
    is_wanted: bool,
}

impl NearbySearch {
    /// Starts or ends the search. Returns whether it has ended, so that what it found is old.
    pub(crate) fn follow(&mut self, is_wanted: bool) -> bool {
        if is_wanted == self.is_wanted {
            return false;
        }
        self.is_wanted = is_wanted;
        // Without a search the home screen shows no rooms, and joining by address works.
        self.browser = is_wanted.then(Browser::start).and_then(Result::ok);
        !is_wanted
    }

    /// Waits until the rooms nearby have changed. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Event {
        match &mut self.browser {
            Some(browser) => {
                browser.changed().await;
                Event::Nearby(nearby::entries(&browser.servers()))
            }
            None => std::future::pending().await,
        }
    }
}
