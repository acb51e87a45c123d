//! Kills the server during heats, restarts it, and looks for lost moves that it had acknowledged.
//!
//! Server and bots are the real programs. A witness, which races among the bots, remembers what
//! was acknowledged and compares it with the seat that it resumes. In the end every heat must be
//! in the store, with a replay that verifies.

mod witness;

use crate::server_process::{ServerProcess, beside, free_address};
use anyhow::{Context, bail, ensure};
use gridrace_client::net::clock::Clock;
use gridrace_server::store::Archive;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::replay;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use witness::{News, Witness};

/// The bots of a heat, by how well they play.
const BOTS: [&str; 4] = ["casual", "steady", "expert", "master"];
/// Kills in one heat at most: later ones would find all clients in a pause between attempts to
/// reconnect.
const KILLS_A_HEAT: u32 = 5;
/// The shortest time between a resumed seat and the next kill, and what is added to it, a
/// different part each time.
const PAUSE: (Duration, Duration) = (Duration::from_millis(150), Duration::from_millis(1_100));
/// How long a heat may take, with all its kills.
const HEAT_TIMEOUT: Duration = Duration::from_secs(300);

/// Kills a server `kills` times, over as many heats as that takes.
pub(crate) async fn run(kills: u32) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let address = free_address()?;
    let mut server = start(address, folder.path()).await?;
    let (mut killed, mut heats, mut moves, mut away) = (0, 0, 0, 0);
    while killed < kills {
        let most = KILLS_A_HEAT.min(kills - killed);
        let (news, mut told) = watch::channel(News::default());
        let mut witness = Witness::enter(address, news, BOTS.len()).await?;
        let bots = bots(witness.code(), address, folder.path())?;
        let mut race = tokio::spawn(async move {
            let raced = witness.race().await;
            raced.map(|moves| (witness, moves))
        });
        let mut resumed = 0;
        while resumed < most {
            let calm = told.wait_for(|news| news.races && news.resumed >= resumed);
            tokio::select! {
                calm = calm => { calm?; }
                () = sleep(HEAT_TIMEOUT) => bail!("the witness waits in vain: kill {killed}"),
            }
            let part = killed.wrapping_mul(7_919) % 1_000;
            sleep(PAUSE.0 + PAUSE.1 * part / 1_000).await;
            if race.is_finished() {
                break;
            }
            let gone = Clock::start();
            server.kill().await?;
            server = start(address, folder.path()).await?;
            away += gone.now().0;
            (resumed, killed) = (resumed + 1, killed + 1);
        }
        let raced = timeout(HEAT_TIMEOUT, &mut race).await.context("the heat doesn't end")?;
        let (witness, acknowledged) = raced??;
        moves += acknowledged;
        for bot in bots {
            finished(bot).await?;
        }
        witness.leave().await;
        heats += 1;
        println!("heat {heats}: {killed} of {kills} kills, all have finished");
    }
    server.kill().await?;
    check(&folder.path().join("data"), heats)?;
    println!(
        "{killed} kills in {heats} heats: of {moves} acknowledged moves none was lost; \
         the server was away for {} ms on average",
        away / 1_000 / u64::from(killed.max(1))
    );
    Ok(())
}

/// Checks that every heat is stored, and that its replay verifies.
fn check(folder: &Path, heats: u32) -> anyhow::Result<()> {
    let archive = Archive::at(folder);
    let kept = archive.latest(u32::MAX)?;
    ensure!(kept.len() == heats as usize, "{} of {heats} heats are kept", kept.len());
    for heat in kept {
        let file = archive.replay(&heat.id)?;
        let file = file.with_context(|| format!("{} has no replay", heat.id))?;
        let verdict = replay::verify(&file)?;
        ensure!(verdict.count == 0, "{}: {:?}", heat.id, verdict.errors);
    }
    Ok(())
}

async fn start(address: SocketAddr, folder: &Path) -> anyhow::Result<ServerProcess> {
    let data = folder.join("data").display().to_string();
    ServerProcess::gridrace_at(address, &["--data".to_owned(), data]).await
}

/// Starts the bots, each in its own process.
fn bots(code: RoomCode, address: SocketAddr, folder: &Path) -> anyhow::Result<Vec<Child>> {
    let program = beside("gridrace")?;
    let mut bots = Vec::new();
    for skill in BOTS {
        let mut command = Command::new(&program);
        command.args(["bot", &code.to_string(), &address.to_string()]);
        command.args(["--skill", skill, "--pace", "2", "--json"]);
        // The folders of the account that runs this stay untouched.
        command.env("XDG_DATA_HOME", folder.join(skill));
        command.env("XDG_CONFIG_HOME", folder.join(skill));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        bots.push(command.kill_on_drop(true).spawn()?);
    }
    Ok(bots)
}

/// Waits for a bot, which prints the result of the heat and exits.
async fn finished(bot: Child) -> anyhow::Result<()> {
    let Output { status, stdout, stderr } = timeout(HEAT_TIMEOUT, bot.wait_with_output()).await??;
    ensure!(status.success(), "a bot failed: {}", String::from_utf8_lossy(&stderr));
    let told: serde_json::Value = serde_json::from_slice(&stdout)?;
    let rows = told["standings"].as_array().context("a bot told of no standings")?;
    ensure!(rows.len() == BOTS.len() + 1, "{told}");
    Ok(())
}
