//! Interface of the kit, the Python program of docs/match3.md, which shows match-3 in a window.
//!
//! [`Game`] makes the kit's calls and deals the kit's games, without a window.

use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::agents::Agent;
use crate::by_name::{parse, parse_with};
use crate::contract::{BoxedPlayer, position_stream};
use crate::texts::Setting;
use matchq_core::error::Error;
use matchq_core::random::CPythonRandom;
use matchq_games::Episode;
use matchq_games::match3::{self, Match3, Rules, State};

/// A swap (x, y, vertical) of the token in column x and row y, from the top left, with the one
/// below if vertical, else to the right. A move off the board changes nothing, but is used up.
pub type Move = (i64, i64, bool);

/// The kit's callbacks.
///
/// Boards are texts of ten rows of `a b c d #`, joined by newlines. [`Game::run`] returns a
/// callback's error at once.
pub trait Player {
    /// Error of the callbacks.
    type Error;

    /// Chooses a move; `moves_left` counts this one, from 25 down to 1.
    fn ai_callback(&mut self, board: &str, score: i32, moves_left: i32) -> Result<Move, Self::Error>;

    /// Receives the result of a played move; `moves_left` is from 24 down to 0.
    fn transition_callback(
        &mut self,
        board: &str,
        played: Move,
        score_delta: i32,
        next_board: &str,
        moves_left: i32,
    ) -> Result<(), Self::Error> {
        let _ = (board, played, score_delta, next_board, moves_left);
        Ok(())
    }

    /// Receives a finished game: 26 boards, the start first, 26 scores, 25 moves and the final
    /// score. The result says whether to play another.
    fn end_of_game_callback(
        &mut self,
        boards: &[String],
        scores: &[i32],
        moves: &[Move],
        final_score: i32,
    ) -> Result<bool, Self::Error> {
        let _ = (boards, scores, moves, final_score);
        Ok(false)
    }
}

/// A session of games by a player, without a window.
pub struct Game<P> {
    player: P,
    rules: Rules,
    seed: Option<u128>,
    /// Source of the games' seeds, from the first run on.
    session: Option<CPythonRandom>,
}

impl<P: Player> Game<P> {
    /// A session with the original's rules and a random seed.
    pub fn new(player: P) -> Self {
        Self { player, rules: Rules::default(), seed: None, session: None }
    }

    /// Sets the seed of the session, from which each game's seed comes.
    pub fn seed(self, seed: u128) -> Self {
        Self { seed: Some(seed), session: None, ..self }
    }

    /// Sets the rules of the games.
    pub fn rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Does nothing: the kit's speed paces only its window.
    pub fn speed(self, _speed: f64) -> Self {
        self
    }

    /// Plays games until the player wants no other.
    ///
    /// The first run prints `Seed: N`; later runs continue the sequence of games.
    pub fn run(&mut self) -> Result<(), P::Error> {
        while self.play_game()? {}
        Ok(())
    }

    /// The player.
    pub fn player(&self) -> &P {
        &self.player
    }

    fn play_game(&mut self) -> Result<bool, P::Error> {
        let session = self.session.get_or_insert_with(|| {
            let seed = self.seed.unwrap_or_else(random_seed);
            // A closed standard output is no reason to stop.
            writeln!(io::stdout(), "Seed: {seed}").ok();
            CPythonRandom::new(seed)
        });
        let mut game = GameLogic::new(session.getrandbits128(), &self.rules);
        let (mut boards, mut scores, mut moves) = (vec![game.board()], vec![0], vec![]);
        let mut board = game.board();
        while !game.is_gameover() {
            let chosen = self.player.ai_callback(&board, game.score(), game.moves_left())?;
            let Played { board: next, score_delta, .. } = game.play(chosen);
            self.player.transition_callback(&board, chosen, score_delta, &next, game.moves_left())?;
            boards.push(next.clone());
            scores.push(game.score());
            moves.push(chosen);
            board = next;
        }
        self.player.end_of_game_callback(&boards, &scores, &moves, game.score())
    }
}

/// Any of the program's players in the kit.
///
/// Choices by chance depend on the position alone: a player without a budget in milliseconds always
/// plays the same move in a position.
pub struct AgentPlayer {
    agent: BoxedPlayer<Match3>,
    games: usize,
    scores: Vec<i32>,
}

impl AgentPlayer {
    /// A player of one game.
    pub fn new(agent: BoxedPlayer<Match3>) -> Self {
        Self { agent, games: 1, scores: vec![] }
    }

    /// The player of a text, by the original's rules.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Ok(Self::new(parse::<Match3>(text, &Rules::default())?))
    }

    /// The network of an agent's file or folder, or of the agent that ships.
    pub fn load(checkpoint: Option<&Path>) -> Result<Self, Error> {
        let agent = checkpoint.map_or_else(Agent::default_of::<Match3>, Agent::load)?;
        let setting = Setting { agent: Some(&agent), ..Setting::default() };
        Ok(Self::new(parse_with("network", &Rules::default(), &setting)?))
    }

    /// Sets the number of games, at least one.
    pub fn games(self, games: usize) -> Self {
        Self { games, ..self }
    }

    /// Scores of the finished games.
    pub fn scores(&self) -> &[i32] {
        &self.scores
    }

    /// Chooses a move; refuses boards not at rest, and moves left that no game has.
    pub fn act(&mut self, board: &str, moves_left: i64) -> Result<match3::Move, Error> {
        let state = State::at_rest(board, moves_left)?;
        let actions = self.agent.act(&[state], &mut [position_stream::<Match3>(&state)])?;
        let action = actions.first().ok_or_else(|| Error::runtime(format!("{} gave no move", self.agent.name())))?;
        Ok(match3::Move::of_action(*action))
    }
}

impl Player for AgentPlayer {
    type Error = Error;

    fn ai_callback(&mut self, board: &str, _score: i32, moves_left: i32) -> Result<Move, Error> {
        let match3::Move { x, y, vertical } = self.act(board, moves_left.into())?;
        Ok((x as i64, y as i64, vertical))
    }

    fn end_of_game_callback(&mut self, _: &[String], _: &[i32], _: &[Move], final_score: i32) -> Result<bool, Error> {
        self.scores.push(final_score);
        Ok(self.scores.len() < self.games)
    }
}

/// The kit's class of this name: a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GameLogic {
    episode: Episode<Match3>,
}

/// The result of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// Text of the board after the move.
    pub board: String,
    /// Points of the move: -5 if it gained none, 0 after the game's end.
    pub score_delta: i32,
    /// Whether the game has ended.
    pub game_over: bool,
    /// Boards after the swap, every pass of falling and every clearing, without the last.
    pub intermediate: Vec<String>,
}

impl GameLogic {
    /// The game of a seed.
    pub fn new(seed: u128, rules: &Rules) -> Self {
        Self { episode: Episode::deal(rules, seed) }
    }

    /// Points so far.
    pub fn score(&self) -> i32 {
        self.episode.score()
    }

    /// Whether no move is left.
    pub fn is_gameover(&self) -> bool {
        self.episode.is_over()
    }

    /// Moves that match at once, by x, then y, horizontal before vertical.
    pub fn matching_moves(&self) -> Vec<match3::Move> {
        self.episode.game.matching_moves()
    }

    /// Text of the board.
    pub fn board(&self) -> String {
        self.episode.game.board()
    }

    /// Moves left; negative after moves beyond the end.
    pub fn moves_left(&self) -> i32 {
        self.episode.game.moves_left()
    }

    /// Plays a move; a move off the board changes nothing, but is used up.
    pub fn play(&mut self, (x, y, vertical): Move) -> Played {
        let Episode { game, stream } = &mut self.episode;
        let (step, intermediate) = game.play_watched(x, y, vertical, stream);
        Played { board: self.board(), score_delta: step.reward as i32, game_over: step.terminal, intermediate }
    }
}

/// 128 random bits from the operating system.
pub fn random_seed() -> u128 {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system gives random numbers");
    u128::from_le_bytes(bytes)
}
