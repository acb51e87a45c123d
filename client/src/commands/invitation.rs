//! The commands, links and QR codes by which others enter what this program hosts.

use crate::cli::args::host::HostArgs;
use crate::host::embedded_server::RunningServer;
use crate::net::address::Address;
use gridrace_lan::interfaces::shell_quoted;
use gridrace_lan::qr_code::QrCode;
use std::io::{self, IsTerminal, Write};

/// Prints the command and the link for each address, which `way` makes of the address, quoted for a shell,
/// and the link's authority. On a terminal the first link, which others most likely reach, has its QR
/// code: several don't fit a screen.
pub(super) fn print(
    out: &mut (impl Write + IsTerminal),
    args: &HostArgs,
    hosted: &RunningServer,
    way: impl Fn(&str, &str) -> (String, String),
) -> io::Result<()> {
    let pin =
        args.pin.clone().map(|pin| format!(" --pin {}", String::from(pin))).unwrap_or_default();
    // This machine has no camera.
    let has_qr_code = !args.no_qr && out.is_terminal() && !hosted.invitation.is_empty();
    for (index, address) in hosted.addresses().iter().enumerate() {
        let authority = address.parse::<Address>().map(|it| it.authority()).unwrap_or_default();
        let (command, link) = way(&shell_quoted(address), &authority);
        writeln!(out, "  {command}{pin}    {link}")?;
        let qr_code = Some(&link).filter(|_| has_qr_code && index == 0);
        let qr_code = qr_code.and_then(|link| QrCode::of_link(link));
        for line in qr_code.iter().flat_map(QrCode::terminal_lines) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}
