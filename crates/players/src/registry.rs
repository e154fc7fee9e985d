//! The games that a program knows: those inside, and others that it [registers](register).

use std::any::TypeId;
use std::marker::PhantomData;
use std::sync::{Once, PoisonError, RwLock};

use serde_json::Value;

use crate::agents::{Agent, Shipped};
use crate::contract::BoxedPlayer;
use crate::network::{Backend, Precision};
use crate::texts::{self, Choice, Preset, Roster, Setting};
use matchq_core::error::{Error, Result};
use matchq_games::{Bejeweled, Bilging, Match3, SameGame, Tetris, TileMatch, Token};

/// A game whose players are made by name.
///
/// The players of a game are compiled in the crate that implements the trait for it, once if that
/// crate writes out both functions, else in each crate that makes players.
pub trait Playable: Roster {
    /// The player of a text; see [`crate::parse_with`].
    fn player(text: &str, rules: &Self::Rules, setting: &Setting) -> Result<BoxedPlayer<Self>> {
        texts::build(text, rules, setting)
    }

    /// The player of an agent; see [`Agent::player`].
    fn player_of(
        agent: &Agent,
        rules: &Self::Rules,
        batch: usize,
        precision: Option<Precision>,
        backend: &dyn Backend,
    ) -> Result<BoxedPlayer<Self>> {
        agent.build(rules, batch, precision, backend)
    }
}

/// Whoever takes games of any type, one after another.
pub trait Register {
    /// Takes a game.
    fn game<G: Playable>(&mut self);
}

macro_rules! games {
    ($($game:ty),+ $(,)?) => {
        /// Gives the games inside, in the order in which people see them.
        pub fn inside(register: &mut impl Register) {
            $(register.game::<$game>();)+
        }

        $(impl Playable for $game {
            fn player(text: &str, rules: &Self::Rules, setting: &Setting) -> Result<BoxedPlayer<Self>> {
                texts::build(text, rules, setting)
            }

            fn player_of(
                agent: &Agent,
                rules: &Self::Rules,
                batch: usize,
                precision: Option<Precision>,
                backend: &dyn Backend,
            ) -> Result<BoxedPlayer<Self>> {
                agent.build(rules, batch, precision, backend)
            }
        })+
    };
}

games!(Match3, Bilging, Tetris, Bejeweled, TileMatch, SameGame);

/// A game without its type.
pub trait AnyGame: Send + Sync {
    /// Name of the game.
    fn name(&self) -> &'static str;

    /// Type of the game.
    fn type_of_game(&self) -> TypeId;
}

/// What is asked of a game by its name alone.
///
/// A crate that asks more has a trait of its own and a list of its own, so that what a game inside
/// needs is compiled once, in that crate.
pub trait Door: AnyGame {
    /// Agents inside the program.
    fn agents(&self) -> &'static [Shipped];

    /// Named weights.
    fn presets(&self) -> &'static [Preset];

    /// Names of the themes that read the game's pictures.
    fn themes(&self) -> &'static [&'static str];

    /// Tokens of a board's text.
    fn tokens(&self) -> &'static [Token];

    /// Columns and rows of the board.
    fn size(&self) -> [usize; 2];

    /// Whether this is the name of a player of the game.
    fn is_player(&self, name: &str) -> bool;

    /// The game's players, or the parameters of one; see [`crate::listing`].
    fn listing(&self, player: Option<&str>) -> Result<String>;

    /// Players that people choose from; see [`crate::choices`].
    fn choices(&self) -> Vec<Choice>;

    /// Whether next moves can be seen to gain, so that searches with a network make sense.
    fn has_plans(&self) -> bool;

    /// Whether a board's text is a position at rest, by the usual rules.
    fn stands(&self, board: &str) -> bool;

    /// Actions of moves as the game writes them in JSON.
    fn actions(&self, moves: &[Value]) -> Result<Vec<usize>>;
}

/// The door of a game.
pub struct Of<G>(PhantomData<fn() -> G>);

impl<G: Playable> Of<G> {
    /// The door, which holds nothing.
    pub const DOOR: &'static Self = &Self(PhantomData);
}

impl<G: Playable> AnyGame for Of<G> {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn type_of_game(&self) -> TypeId {
        TypeId::of::<G>()
    }
}

impl<G: Playable> Door for Of<G> {
    fn agents(&self) -> &'static [Shipped] {
        G::AGENTS
    }

    fn presets(&self) -> &'static [Preset] {
        G::PRESETS
    }

    fn themes(&self) -> &'static [&'static str] {
        G::THEMES
    }

    fn tokens(&self) -> &'static [Token] {
        G::TOKENS
    }

    fn size(&self) -> [usize; 2] {
        [G::COLUMNS, G::ROWS]
    }

    fn is_player(&self, name: &str) -> bool {
        texts::players::<G>().iter().any(|entry| entry.name == name)
    }

    fn listing(&self, player: Option<&str>) -> Result<String> {
        texts::listing::<G>(player)
    }

    fn choices(&self) -> Vec<Choice> {
        texts::choices::<G>()
    }

    fn has_plans(&self) -> bool {
        G::PIECES.is_none()
    }

    fn stands(&self, board: &str) -> bool {
        G::parse(&Default::default(), board, None).is_ok()
    }

    fn actions(&self, moves: &[Value]) -> Result<Vec<usize>> {
        let action = |(number, value): (usize, &Value)| {
            G::from_json(value).map_err(|error| Error::user(format!("move {}: {error}", number + 1)))
        };
        moves.iter().enumerate().map(action).collect()
    }
}

/// Doors of one kind.
pub struct Doors<D: ?Sized + 'static>(RwLock<Vec<&'static D>>);

impl<D: ?Sized + AnyGame> Doors<D> {
    /// An empty list.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(RwLock::new(Vec::new()))
    }

    /// All doors.
    pub fn all(&self) -> Vec<&'static D> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds the door of another game; a second game of a name is an error.
    pub fn add(&self, door: &'static D) -> Result<()> {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match all.iter().find(|known| known.name() == door.name()) {
            Some(known) if known.type_of_game() == door.type_of_game() => {}
            Some(_) => return Err(Error::user(format!("there are two games of the name {}", door.name()))),
            None => all.push(door),
        }
        Ok(())
    }

    /// The door of the game of this name.
    pub fn find(&self, name: &str) -> Result<&'static D> {
        let found = self.all().into_iter().find(|door| door.name() == name);
        found.ok_or_else(|| Error::user(format!("there is no game '{name}': the games are {}", names().join(", "))))
    }
}

/// The list, which has the games inside from its first use on.
fn list() -> &'static Doors<dyn Door> {
    struct Inside;

    impl Register for Inside {
        fn game<G: Playable>(&mut self) {
            // Their names differ.
            GAMES.add(Of::<G>::DOOR).ok();
        }
    }

    static GAMES: Doors<dyn Door> = Doors::new();
    static ONCE: Once = Once::new();
    ONCE.call_once(|| inside(&mut Inside));
    &GAMES
}

/// Adds a game whose players and agents are then known by their names, as those of the games inside.
///
/// A game of another type that has the name already is an error, and so is a name of an agent or of a
/// player that stands for something else.
pub fn register<G: Playable>() -> Result<()> {
    if list().all().iter().all(|known| known.type_of_game() != TypeId::of::<G>()) {
        check_names::<G>()?;
    }
    list().add(Of::<G>::DOOR)
}

/// Checks the names that a game brings against those that are known.
fn check_names<G: Playable>() -> Result<()> {
    let mut players: Vec<&str> = vec![];
    for entry in texts::players::<G>() {
        if players.contains(&entry.name) || shipped(entry.name).is_some() {
            return Err(taken::<G>("player", entry.name));
        }
        players.push(entry.name);
    }
    let mut agents: Vec<&str> = vec![];
    for agent in G::AGENTS {
        let name = agent.name;
        if players.contains(&name) || agents.contains(&name) || is_player(name) || shipped(name).is_some() {
            return Err(taken::<G>("agent", name));
        }
        agents.push(name);
    }
    Ok(())
}

fn taken<G: Playable>(what: &str, name: &str) -> Error {
    Error::user(format!("the {what} '{name}' of {} needs another name: a player or an agent has it already", G::NAME))
}

/// The games that are known.
pub fn games() -> Vec<&'static dyn Door> {
    list().all()
}

/// The game of this name.
pub fn game(name: &str) -> Result<&'static dyn Door> {
    list().find(name)
}

/// Names of the games that are known.
pub fn names() -> Vec<&'static str> {
    games().into_iter().map(|game| game.name()).collect()
}

/// Whether this is the name of a player of any game.
pub fn is_player(name: &str) -> bool {
    games().iter().any(|game| game.is_player(name))
}

/// Whether this is the name of weights of any game.
pub fn is_preset(name: &str) -> bool {
    games().iter().flat_map(|game| game.presets()).any(|preset| preset.name == name)
}

/// The agents inside the program.
pub fn agents() -> impl Iterator<Item = &'static Shipped> {
    games().into_iter().flat_map(|game| game.agents())
}

/// The agent of this name that ships.
pub fn shipped(name: &str) -> Option<&'static Shipped> {
    agents().find(|agent| agent.name == name)
}

/// Work for a game inside of any type, for code without a door of its own, such as tests.
pub trait ForGame {
    /// Result of the work.
    type Output;

    /// Does the work for one game.
    fn run<G: Playable>(self) -> Self::Output;
}

/// Does work for the game inside of this name.
pub fn with_game<W: ForGame>(name: &str, work: W) -> Result<W::Output> {
    struct Named<'a, W: ForGame>(&'a str, Option<W>, Option<W::Output>);

    impl<W: ForGame> Register for Named<'_, W> {
        fn game<G: Playable>(&mut self) {
            if self.0 == G::NAME {
                self.2 = self.1.take().map(W::run::<G>);
            }
        }
    }

    let mut named = Named(name, Some(work), None);
    inside(&mut named);
    named.2.ok_or_else(|| Error::user(format!("there is no game '{name}': the games are {}", names().join(", "))))
}
