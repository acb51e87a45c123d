//! `gridrace tutorial`.

use super::screen::ScreenArgs;

/// Learn to solve a sliding puzzle and a Numberlink, step by step
///
/// Two boards of your own, with the steps of a method that solves any board: what to do, why, and by
/// which keys. No server is needed, and nothing is kept.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace tutorial")]
pub struct TutorialArgs {
    #[command(flatten)]
    pub screen: ScreenArgs,
}
