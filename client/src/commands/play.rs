//! `gridrace play`.

use crate::cli::args::play::Play;
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::cli::signals;
use crate::commands::{host, screen};
use crate::host::embedded_server;
use crate::tui::launch::Start;
use crate::tui::model::{Intent, NewRoom};

/// Opens a heat on a server inside the program, and starts it at once.
pub async fn run(args: &Play, file: &SettingsFile) -> Result<(), Failure> {
    screen::require_terminal()?;
    let hosted = embedded_server::host()?;
    let room = NewRoom {
        options: args.heat.options(),
        seed: args.heat.seed.clone(),
        bots: args.bots.0.clone(),
        start: true,
    };
    let start = Start::Serve {
        server: host::place(&hosted),
        hosts: false,
        intent: Intent::Open(Box::new(room)),
        pin: None,
        news: String::new(),
    };
    let ended = screen::run(start, &args.screen, file).await;
    signals::or_interrupted(hosted.stop()).await;
    ended
}
