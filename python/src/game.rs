//! Games by name: what the package asks of each.

use std::marker::PhantomData;

use matchq_pictures::animation::{Frame, Tiles, animation};
use matchq_pictures::film::Film;
use matchq_pictures::gif::gif;
use matchq_players::error::{Error, Result};
use matchq_players::eval::{Report, Saved};
use matchq_players::games::{ActionMask, Episode, Image, MaskKind, Token, actions_of_a_game, offered};
use matchq_players::random::{Role, Stream};
use matchq_players::roster::last_agent;
use matchq_players::{Agent, Agents, ForGame, Kind, Playable, Shipped, with_game};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use crate::errors::exception;
use crate::player::{AnyNetwork, AnyPlayer, GameNetwork, GamePlayer};
use crate::replay::{Drawn, Replayed};
use crate::vector::{AnyGames, GameVector};

/// A game of any kind; `left` is the actions left, `None` as many as a new game has.
pub trait AnyGame: Send + Sync {
    fn sizes(&self) -> Sizes;

    fn tokens(&self) -> &'static [Token];

    /// Each token's tile as pixels [side, side, 3], red, green and blue.
    fn tiles(&self, side: usize) -> Vec<(char, Vec<u8>)>;

    fn themes(&self) -> &'static [&'static str];

    /// Whether a text is a board at rest, by the usual rules.
    fn stands(&self, board: &str) -> bool;

    /// Writes the image and the scalars of a board.
    fn encode(
        &self,
        rules: &Value,
        board: &str,
        left: Option<i64>,
        image: &mut [u8],
        scalars: &mut [f32],
    ) -> Result<()>;

    /// Actions offered on a board by a mask; an empty name is the default mask.
    fn mask(&self, rules: &Value, board: &str, left: Option<i64>, mask: &str) -> Result<ActionMask>;

    fn to_json(&self, action: usize) -> Value;

    /// Action of a JSON value, above all actions for a wasted move.
    fn read_move(&self, value: &Value) -> Result<usize>;

    /// Games as they were [saved](AnyGames::save).
    fn restored(&self, saved: &[u8]) -> Result<Box<dyn AnyGames>>;

    /// Games that step together, each cut after `longest` moves; `None` without memory for so many.
    fn games(&self, count: usize, rules: &Value, mask: &str, longest: u64) -> Result<Option<Box<dyn AnyGames>>>;

    fn agents(&self) -> &'static [Shipped];

    /// Agent without a name, or the agent to search with.
    fn default_agent(&self, searches: bool) -> Result<Agent>;

    /// Player of an agent, which searches if a budget is given, empty for the usual one, and the
    /// agent's network.
    fn agent(&self, agent: &Agent, search: Option<&str>, rules: &Value) -> Result<(Box<dyn AnyPlayer>, Network)>;

    /// Player of a text, `name:key=value:key=value`.
    fn player(&self, text: &str, rules: &Value, agents: &Agents) -> Result<Box<dyn AnyPlayer>>;

    /// The report of JSON text, with its own figures, and with luck by so many simulations; games
    /// of another program, known by their moves, are replayed. `goes_on` ends the work by false.
    fn report(&self, text: &str, luck: Option<u32>, goes_on: &(dyn Fn() -> bool + Sync)) -> Result<Option<Report>>;

    /// Moves of a new game; 0 where moves are not counted.
    fn moves(&self) -> usize;

    /// Plays actions in the game of a seed; an error names the first after its end.
    fn replay(&self, rules: &Value, seed: u128, actions: &[usize], drawn: Drawn) -> Result<Replayed>;

    /// A board's text as a picture, which need not be a position of the game.
    fn svg(&self, board: &str) -> String;

    /// The cells (row, column) that an action moves; none in games with pieces, where they depend on the board.
    fn cells(&self, action: usize) -> Option<Vec<(usize, usize)>>;
}

pub type Network = Option<Box<dyn AnyNetwork>>;

/// Sizes of what is seen and played.
#[derive(Clone, Copy)]
pub struct Sizes {
    /// Planes, rows and columns of the image.
    pub image: [usize; 3],
    pub scalars: usize,
    pub actions: usize,
}

impl Sizes {
    pub const fn of<G: Image>() -> Self {
        Self { image: [G::PLANES, G::ROWS, G::COLUMNS], scalars: G::SCALARS, actions: G::ACTIONS }
    }

    /// Numbers in an image.
    pub const fn cells(&self) -> usize {
        let [planes, rows, columns] = self.image;
        planes * rows * columns
    }
}

pub fn game(name: &str) -> PyResult<Box<dyn AnyGame>> {
    struct Named;

    impl ForGame for Named {
        type Output = Box<dyn AnyGame>;

        fn run<G: Playable>(self) -> Self::Output {
            Box::new(Known::<G>(PhantomData))
        }
    }

    with_game(name, Named).map_err(exception)
}

struct Known<G>(PhantomData<fn() -> G>);

impl<G: Playable> AnyGame for Known<G> {
    fn sizes(&self) -> Sizes {
        Sizes::of::<G>()
    }

    fn tokens(&self) -> &'static [Token] {
        G::TOKENS
    }

    fn tiles(&self, side: usize) -> Vec<(char, Vec<u8>)> {
        Tiles::of::<G>().pixels(side)
    }

    fn themes(&self) -> &'static [&'static str] {
        G::THEMES
    }

    fn stands(&self, board: &str) -> bool {
        G::parse(&Default::default(), board, None).is_ok()
    }

    fn encode(
        &self,
        rules: &Value,
        board: &str,
        left: Option<i64>,
        image: &mut [u8],
        scalars: &mut [f32],
    ) -> Result<()> {
        G::encode(&G::parse(&read_rules::<G>(rules)?, board, left)?, 0, image, scalars);
        Ok(())
    }

    fn mask(&self, rules: &Value, board: &str, left: Option<i64>, mask: &str) -> Result<ActionMask> {
        let mask = MaskKind::of::<G>(mask)?;
        Ok(offered::<G>(&G::parse(&read_rules::<G>(rules)?, board, left)?, mask).0)
    }

    fn to_json(&self, action: usize) -> Value {
        G::to_json(action)
    }

    fn read_move(&self, value: &Value) -> Result<usize> {
        G::from_json(value).map_err(Error::user)
    }

    fn restored(&self, saved: &[u8]) -> Result<Box<dyn AnyGames>> {
        let games = postcard::from_bytes::<GameVector<G>>(saved);
        let games = games.map_err(|error| error.to_string()).and_then(GameVector::checked);
        let games = games.map_err(|error| Error::user(format!("these games cannot be restored: {error}")))?;
        Ok(Box::new(games))
    }

    fn games(&self, count: usize, rules: &Value, mask: &str, longest: u64) -> Result<Option<Box<dyn AnyGames>>> {
        let (rules, mask) = (read_rules::<G>(rules)?, MaskKind::of::<G>(mask)?);
        Ok(GameVector::<G>::new(count, rules, mask, longest).map(|games| Box::new(games) as Box<dyn AnyGames>))
    }

    fn agents(&self) -> &'static [Shipped] {
        G::AGENTS
    }

    fn default_agent(&self, searches: bool) -> Result<Agent> {
        match last_agent::<G>(Kind::Network).filter(|_| searches) {
            Some(shipped) => Agent::shipped(shipped),
            None => Agent::default_of::<G>(),
        }
    }

    fn agent(&self, agent: &Agent, search: Option<&str>, rules: &Value) -> Result<(Box<dyn AnyPlayer>, Network)> {
        let rules = read_rules::<G>(rules)?;
        let player = GamePlayer::<G>::of(agent, search, rules.clone())?;
        let network = match agent.file.kind {
            Kind::Network => Some(Box::new(GameNetwork::<G>::of(agent, rules)?) as Box<dyn AnyNetwork>),
            Kind::Value | Kind::Linear => None,
        };
        Ok((Box::new(player), network))
    }

    fn player(&self, text: &str, rules: &Value, agents: &Agents) -> Result<Box<dyn AnyPlayer>> {
        Ok(Box::new(GamePlayer::<G>::parse(text, read_rules::<G>(rules)?, None, agents)?))
    }

    fn report(&self, text: &str, luck: Option<u32>, goes_on: &(dyn Fn() -> bool + Sync)) -> Result<Option<Report>> {
        let wrong = |error| Error::user(format!("this is no report of games: {error}"));
        let Some(series) = Saved::parse(text).map_err(wrong)?.0.pop() else { return Ok(None) };
        let mut report = series.report::<G>().map_err(Error::user)?;
        report.find_own_figures::<G>();
        let whole = luck.map_or(Ok(true), |simulations| report.estimate_luck::<G>(simulations, goes_on))?;
        Ok(Some(report).filter(|_| whole))
    }

    fn moves(&self) -> usize {
        actions_of_a_game::<G>(&Default::default())
    }

    fn replay(&self, rules: &Value, seed: u128, actions: &[usize], drawn: Drawn) -> Result<Replayed> {
        let rules = read_rules::<G>(rules)?;
        let mut episode = Episode::<G>::deal(&rules, seed);
        let mut film = Film::new(&episode, G::UNIT, drawn != Drawn::Nothing);
        let (mut boards, mut scores) = (vec![G::board(&episode.state())], vec![episode.score()]);
        for (number, action) in actions.iter().enumerate() {
            if episode.is_over() {
                return Err(Error::user(format!("the game is over before moves[{number}]")));
            }
            film.play(&mut episode, *action);
            boards.push(G::board(&episode.state()));
            scores.push(episode.score());
        }
        let (title, tiles) = (format!("{}, seed {seed}", G::NAME), Tiles::of::<G>());
        let picture = match drawn {
            Drawn::Nothing => Vec::new(),
            Drawn::Svg => animation(&title, tiles, film.frames()).into_bytes(),
            Drawn::Gif => gif(&title, tiles, film.frames()).map_err(Error::user)?,
        };
        let rules = serde_json::to_value(&rules).unwrap_or_default();
        Ok(Replayed { boards, scores, rules, is_over: episode.is_over(), picture })
    }

    fn svg(&self, board: &str) -> String {
        let rows = board.lines().map(str::to_owned).collect();
        animation(G::NAME, Tiles::of::<G>(), &[Frame { rows, milliseconds: 1, ..Frame::default() }])
    }

    fn cells(&self, action: usize) -> Option<Vec<(usize, usize)>> {
        // A swap's cells are the same in all positions.
        let state = G::new(&Default::default(), &mut Stream::new(0, Role::Game, 0)).state();
        G::PIECES.is_none().then(|| G::cells(&state, action))
    }
}

fn read_rules<G: Playable>(given: &Value) -> Result<G::Rules> {
    G::Rules::deserialize(given).map_err(|error| Error::user(format!("{} has no rules {given}: {error}", G::NAME)))
}
