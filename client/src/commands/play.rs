//! `gridrace play`.

use crate::cli::args::play::{BEST, PlayArgs};
use crate::cli::args::replay::DataDirArgs;
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::cli::signals;
use crate::commands::replay::ReplaySource;
use crate::commands::{own_server, screen};
use crate::host::embedded_server;
use crate::practice::kept_races::KeptRaces;
use crate::tui::launch::Start;
use crate::tui::model::{Intent, NewRoom};
use gridrace_shared::replay::Replay;

/// Opens a room on a server inside the program, and starts its heat at once.
pub async fn run(args: &PlayArgs, file: &SettingsFile) -> Result<(), Failure> {
    screen::require_terminal()?;
    let ghost = match &args.ghost {
        Some(name) => Some(ghost(name, args, file).await?),
        None => None,
    };
    let (mut options, mut seed) = (args.heat.options(), args.heat.seed.clone());
    if let Some(Replay { header, .. }) = &ghost {
        options.spec = header.options.spec;
        seed = Some(header.secret.seed.clone());
    }
    options.picture |=
        args.screen.display.image_file().is_some() && options.spec.picture_size().is_some();
    options.check().map_err(Failure::usage)?;
    let hosted = embedded_server::host()?;
    let room = NewRoom { options, seed, bots: args.bots.0.clone(), image: None, start: true };
    let start = Start::Serve {
        server: own_server::place(&hosted),
        hosts: false,
        intent: Intent::Open(Box::new(room)),
        pin: None,
        ghost: ghost.map(Box::new),
        news: String::new(),
    };
    let ended = screen::run(start, &args.screen, file).await;
    signals::or_interrupted(hosted.stop()).await;
    ended
}

/// Reads the replay to race against.
async fn ghost(name: &str, args: &PlayArgs, file: &SettingsFile) -> Result<Replay, Failure> {
    let kept = |number: u32| -> Result<Replay, Failure> {
        let races = KeptRaces::of_this_account().map_err(anyhow::Error::from)?;
        Ok(races.replay(number).map_err(anyhow::Error::from)?)
    };
    if name == BEST {
        let races = KeptRaces::of_this_account().map_err(anyhow::Error::from)?;
        return kept(races.best(args.heat.puzzle).map_err(anyhow::Error::from)?);
    }
    match name.parse() {
        Ok(number) => kept(number),
        Err(_) => {
            let (connection, servers) = (&args.screen.connection, &file.servers);
            ReplaySource { data_dir: &DataDirArgs::default(), connection, servers }
                .replay(name)
                .await
        }
    }
}
