//! A trained agent in the kit's game: the one that ships, or a checkpoint's.
//!
//!     cargo run --release -p matchq-players --example kit_checkpoint -- checkpoints/dqn

use std::path::Path;

use matchq_players::error::Error;
use matchq_players::kit::{AgentPlayer, Game};

fn main() -> Result<(), Error> {
    let checkpoint = std::env::args_os().nth(1);
    let player = AgentPlayer::load(checkpoint.as_deref().map(Path::new))?;
    let mut game = Game::new(player.games(3)).seed(7);
    game.run()?;
    println!("{:?} points", game.player().scores());
    Ok(())
}
