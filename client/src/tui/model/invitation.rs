//! How others come into the room: the links to its page.

use crate::net::address::Address;
use crate::net::own_addresses::is_this_machine;
use crate::tui::model::Model;
use gridrace_lan::page_link::page_link;

impl Model {
    /// Returns the links that others can open: by each address of the server in this program, or by
    /// the address of the server that was joined. None where only this machine reaches it.
    pub fn links(&self) -> Vec<String> {
        let Some(heat) = self.heat() else { return Vec::new() };
        let joined = self.connection.goal.iter().map(|goal| &goal.address);
        let addresses: Vec<&String> = match &self.invitation[..] {
            [] => joined.collect(),
            own => own.iter().collect(),
        };
        let addresses = addresses.iter().filter_map(|text| text.parse::<Address>().ok());
        let reached = addresses.filter(|address| !is_this_machine(address));
        let link = |it: Address| page_link(it.is_secure(), &it.authority(), Some(heat.code));
        reached.map(link).collect()
    }
}
