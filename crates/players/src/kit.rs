//! The interface of the assignment's kit.
//!
//! The kit is a Python program that shows match-3 in a window, asks a player for every move and tells it what came
//! of it. [`Game`] makes the same calls, in the same order and with the same arguments, and deals the same games
//! from the same seed, without a window.

use std::convert::Infallible;
use std::io::{self, Write};
use std::path::Path;

use crate::error::Error;
use crate::games::Episode;
use crate::games::match3::{self, Match3, Rules, State};
use crate::network::Processor;
use crate::random::CPythonRandom;
use crate::{Agent, BoxedPlayer, Setting, parse, parse_with, position_stream};

/// A move, (x, y, vertical).
///
/// The token in column x and row y, from the top left, is swapped with the one below it if vertical, else with the
/// one to its right. A move off the board changes nothing, but is used up.
pub type Move = (i64, i64, bool);

/// What the kit calls.
///
/// Boards are texts of ten rows of `a b c d #`, joined by newlines. An error of any of the three ends the game
/// there and comes out of [`Game::run`].
pub trait Player {
    /// What can go wrong with the player.
    type Error;

    /// Chooses a move, given the board, the score so far and the moves left.
    ///
    /// This one is among the latter: from 25 down to 1.
    ///
    /// # Errors
    /// When the player has no move to give.
    fn ai_callback(&mut self, board: &str, score: i32, moves_left: i32) -> Result<Move, Self::Error>;

    /// Is told what a move brought.
    ///
    /// That is the board before it, the move, its points, the board after it and the moves left then, from 24 down
    /// to 0. The move has been played, whatever this returns.
    ///
    /// # Errors
    /// When the game shall not go on.
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

    /// Is told of a game that is over; says whether another shall be played.
    ///
    /// It is told 26 boards, the start board first; the 26 scores on them, 0 first; the 25 moves; and the final
    /// score.
    ///
    /// # Errors
    /// When no other game shall be played, for a reason.
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

/// The kit's runner: plays games with a player until it wants no other.
pub struct Game<P> {
    player: P,
    rules: Rules,
    seed: Option<u128>,
    /// Deals the seeds of the games, from the first run on.
    session: Option<CPythonRandom>,
}

impl<P: Player> Game<P> {
    /// A player's session of games, by the original's rules and a random seed.
    pub fn new(player: P) -> Self {
        Self { player, rules: Rules::default(), seed: None, session: None }
    }

    /// The same with a given seed, from which all games of the session follow.
    pub fn seed(self, seed: u128) -> Self {
        Self { seed: Some(seed), session: None, ..self }
    }

    /// The same under other rules.
    pub fn rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// The same.
    ///
    /// The kit's speed paces only what it shows, and nothing is shown here.
    pub fn speed(self, _speed: f64) -> Self {
        self
    }

    /// Plays games until the player wants no other.
    ///
    /// The first run begins the session and prints its seed as the kit does, `Seed: N`; running again goes on in
    /// the sequence of games.
    ///
    /// # Errors
    /// The first error of the player, from wherever it came.
    pub fn run(&mut self) -> Result<(), P::Error> {
        while self.play_game()? {}
        Ok(())
    }

    /// The player.
    pub fn player(&self) -> &P {
        &self.player
    }

    /// Plays the next game of the session; whether another is wanted.
    fn play_game(&mut self) -> Result<bool, P::Error> {
        let session = self.session.get_or_insert_with(|| {
            let seed = self.seed.unwrap_or_else(random_seed);
            // Where standard output is gone there is no one to tell.
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

/// Three closures as a player; its errors are their panics.
pub struct Callbacks<A, T, E> {
    ai: A,
    transition: T,
    end_of_game: E,
}

impl<A, T, E> Game<Callbacks<A, T, E>>
where
    A: FnMut(&str, i32, i32) -> Move,
    T: FnMut(&str, Move, i32, &str, i32),
    E: FnMut(&[String], &[i32], &[Move], i32) -> bool,
{
    /// A session with three closures in the kit's order.
    ///
    /// [`Player`] says what they are given.
    pub fn with_callbacks(ai: A, transition: T, end_of_game: E) -> Self {
        Self::new(Callbacks { ai, transition, end_of_game })
    }
}

impl<A, T, E> Player for Callbacks<A, T, E>
where
    A: FnMut(&str, i32, i32) -> Move,
    T: FnMut(&str, Move, i32, &str, i32),
    E: FnMut(&[String], &[i32], &[Move], i32) -> bool,
{
    type Error = Infallible;

    fn ai_callback(&mut self, board: &str, score: i32, moves_left: i32) -> Result<Move, Infallible> {
        Ok((self.ai)(board, score, moves_left))
    }

    fn transition_callback(
        &mut self,
        board: &str,
        played: Move,
        score_delta: i32,
        next_board: &str,
        moves_left: i32,
    ) -> Result<(), Infallible> {
        (self.transition)(board, played, score_delta, next_board, moves_left);
        Ok(())
    }

    fn end_of_game_callback(
        &mut self,
        boards: &[String],
        scores: &[i32],
        moves: &[Move],
        final_score: i32,
    ) -> Result<bool, Infallible> {
        Ok((self.end_of_game)(boards, scores, moves, final_score))
    }
}

/// Any of the program's players as a player of the kit.
///
/// Trained agents are among them. The kit does not say which game is played, so what a player leaves to chance,
/// among equal moves and in a search, is drawn by the position: unless it has a budget in milliseconds, the same
/// position always gets the same move. `eval` and `compare` draw it by the game's seed: there such choices may be
/// others.
pub struct AgentPlayer {
    agent: BoxedPlayer<Match3>,
    games: usize,
    scores: Vec<i32>,
}

impl AgentPlayer {
    /// A player for one game.
    pub fn new(agent: BoxedPlayer<Match3>) -> Self {
        Self { agent, games: 1, scores: vec![] }
    }

    /// The player of a text such as `network:checkpoint=FILE`.
    ///
    /// `matchq players` lists them. The rules are the original's.
    ///
    /// # Errors
    /// A text that is no player, and a checkpoint that cannot be loaded.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Ok(Self::new(parse::<Match3>(text, &Rules::default())?))
    }

    /// The network of an agent's file, or of a folder's `best.safetensors`.
    ///
    /// Without a path it is the agent that ships.
    ///
    /// # Errors
    /// A checkpoint that cannot be loaded.
    pub fn load(checkpoint: Option<&Path>) -> Result<Self, Error> {
        let agent = checkpoint.map_or_else(Agent::default_of::<Match3>, Agent::load)?;
        let setting = Setting { backend: &Processor, agent: Some(&agent) };
        Ok(Self::new(parse_with("network", &Rules::default(), &setting)?))
    }

    /// The same for a number of games, at least one.
    pub fn games(self, games: usize) -> Self {
        Self { games, ..self }
    }

    /// The final scores of the games so far.
    pub fn scores(&self) -> &[i32] {
        &self.scores
    }

    /// Chooses a move.
    ///
    /// # Errors
    /// A text that is no board at rest, moves left that no game has, and a failure of the agent's device.
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

/// The kit's class of that name: the game of a seed.
#[derive(Clone, Debug)]
pub struct GameLogic {
    episode: Episode<Match3>,
}

/// What [`GameLogic::play`] gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The board after the move.
    pub board: String,
    /// The points of the move: -5 if it gained none, 0 after the game's end.
    pub score_delta: i32,
    /// Whether the game is over.
    pub game_over: bool,
    /// The boards on the way, without the last.
    ///
    /// They are those after the swap, every pass of falling and every clearing.
    pub intermediate: Vec<String>,
}

impl GameLogic {
    /// The game of a seed.
    pub fn new(seed: u128, rules: &Rules) -> Self {
        Self { episode: Episode::deal(rules, seed) }
    }

    /// The points so far.
    pub fn score(&self) -> i32 {
        self.episode.score()
    }

    /// Whether 25 moves have been played.
    pub fn is_gameover(&self) -> bool {
        self.episode.is_over()
    }

    /// The moves that match at once, by x, then y, horizontal before vertical.
    pub fn matching_moves(&self) -> Vec<match3::Move> {
        self.episode.game.matching_moves()
    }

    /// The board's text.
    pub fn board(&self) -> String {
        self.episode.game.board()
    }

    /// Moves left; below zero where moves were played after the end.
    pub fn moves_left(&self) -> i32 {
        self.episode.game.moves_left()
    }

    /// Plays a move.
    pub fn play(&mut self, (x, y, vertical): Move) -> Played {
        let Episode { game, stream } = &mut self.episode;
        let (play, intermediate) = game.play_watched(x, y, vertical, stream);
        Played { board: self.board(), score_delta: play.score_delta, game_over: play.game_over, intermediate }
    }
}

/// A seed of 128 random bits from the operating system.
///
/// # Panics
/// Where the operating system has no random numbers to give.
pub fn random_seed() -> u128 {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system gives random numbers");
    u128::from_le_bytes(bytes)
}
