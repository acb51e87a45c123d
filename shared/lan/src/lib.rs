//! The local network: the addresses of this machine, the links to its rooms and their QR codes, and
//! the discovery of servers by multicast DNS (RFC 6762) and DNS-SD (RFC 6763).
//!
//! Absent from here: sockets besides mDNS's, and what is done with a server that was found.

pub mod announcer;
pub mod browser;
mod daemon;
pub mod interfaces;
pub mod page_link;
pub mod qr_code;
pub mod record;

pub use daemon::DiscoveryError;
