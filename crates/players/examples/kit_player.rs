//! A player of the kit's game: the matching move that is lowest on the board.
//!
//!     cargo run --release -p matchq-players --example kit_player

use matchq_players::error::Error;
use matchq_players::games::match3::{Match3, Rules};
use matchq_players::kit::{Game, Move, Player};

struct Lowest;

impl Player for Lowest {
    type Error = Error;

    fn ai_callback(&mut self, board: &str, _score: i32, _moves_left: i32) -> Result<Move, Error> {
        let matching = Match3::with_board(Rules::default(), board)?.matching_moves();
        let lowest = matching.iter().max_by_key(|at| at.y);
        Ok(lowest.map_or((0, 0, true), |at| (at.x as i64, at.y as i64, at.vertical)))
    }

    fn end_of_game_callback(&mut self, _: &[String], _: &[i32], _: &[Move], score: i32) -> Result<bool, Error> {
        println!("{score} points");
        Ok(false)
    }
}

fn main() -> Result<(), Error> {
    Game::new(Lowest).seed(7).run()
}
