//! The invitation: links to the page of the room or the tournament.

use crate::net::address::Address;
use crate::net::own_addresses::is_this_machine;
use crate::tui::model::Model;
use gridrace_lan::page_link::{page_link, tournament_link};

impl Model {
    /// Returns the links that others can open: by each address of the server in this program, or by
    /// the address of the server that was joined. None where only this machine reaches it.
    pub fn links(&self) -> Vec<String> {
        let reached = self.page_addresses().filter(|address| !is_this_machine(address));
        reached.filter_map(|address| self.link_at(&address)).collect()
    }

    /// Returns the link that a browser on this machine can open.
    pub fn own_link(&self) -> Option<String> {
        self.page_addresses().find_map(|address| self.link_at(&address))
    }

    fn page_addresses(&self) -> impl Iterator<Item = Address> {
        let joined = self.connection.goal.iter().map(|goal| &goal.address);
        let addresses: Vec<&String> = match &self.invitation[..] {
            [] => joined.collect(),
            own => own.iter().collect(),
        };
        addresses.into_iter().filter_map(|text| text.parse().ok())
    }

    fn link_at(&self, address: &Address) -> Option<String> {
        let (is_tls, authority) = (address.is_secure(), address.authority());
        match (self.shown_heat(), &self.tournament) {
            (Some(heat), _) => Some(page_link(is_tls, &authority, Some(heat.code))),
            (None, Some(followed)) => {
                Some(tournament_link(is_tls, &authority, &followed.view.name))
            }
            (None, None) => None,
        }
    }
}
