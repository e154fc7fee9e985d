//! A trained agent in the kit's game: the one that ships, or that of a checkpoint.
//!
//!     cargo run --release --example kit_checkpoint -- checkpoints/dqn

use matchq::error::Error;
use matchq::kit::{AgentPlayer, Game};

fn main() -> Result<(), Error> {
    let text = match std::env::args().nth(1) {
        Some(checkpoint) => format!("network:checkpoint={checkpoint}"),
        None => "network".into(),
    };
    let mut game = Game::new(AgentPlayer::parse(&text)?.games(3)).seed(7);
    game.run()?;
    println!("{:?} points", game.player().scores());
    Ok(())
}
