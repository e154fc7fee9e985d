//! The traits of a game: what each part of the program asks of it.

use std::fmt::Debug;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{ActionMask, Features, Mask, MaskKind, Text};
use crate::random::{Draw, Role, SeededDraw, Stream};

/// What one move brought.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// The points the move gained.
    pub reward: f32,
    /// Whether the game is over.
    pub terminal: bool,
    /// Waves of the move's chain; 0 in games that have none.
    pub waves: u32,
}

/// A measure of how near to its end a game is.
pub type Danger<G> = fn(&G) -> usize;

/// A game for one player, played by numbered actions.
///
/// A state is what a player may know; a game is a state with its score and the parameters of its rules.
pub trait Game: Clone + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// The parameters of the rules, by their names.
    ///
    /// The default is the game as it is known.
    type Rules: Clone + Default + PartialEq + Debug + Send + Sync + Serialize + DeserializeOwned;
    /// All that a player may know of a position, packed: what replay stores.
    type State: Copy + Send + Sync + PartialEq + Debug + Serialize + DeserializeOwned;
    /// The generator by which a seed means a game.
    type Rng: SeededDraw;

    /// The name used in configurations, in files and on the command line.
    const NAME: &'static str;
    /// One line on the game, for lists.
    const ABOUT: &'static str;
    /// Actions, numbered from 0; at most [`ActionMask::CAPACITY`].
    const ACTIONS: usize;
    /// The masks there are, the first one of the legal actions.
    const MASKS: &'static [Mask];
    /// The mask that players use where none is named.
    const DEFAULT_MASK: MaskKind;
    /// How near to its end a game is, where it can tell.
    ///
    /// It is a level, 0 far from the end.
    /// From level to level the chance that the game ends soon grows by about the same factor, a small one.
    /// By a poor measure means are far off now and then, which their intervals do not tell.
    const DANGER: Option<Danger<Self>> = None;
    /// Whether a game may end before its moves are played, or has no number of moves.
    const MAY_END_EARLY: bool = false;

    /// Deals a new game.
    fn new(rules: &Self::Rules, draw: &mut impl Draw) -> Self;

    /// A game in a position, with a score of 0 and a future of its own.
    fn at(rules: &Self::Rules, state: &Self::State) -> Self;

    /// Plays an action.
    ///
    /// After the end of the game nothing changes and the reward is 0.
    fn step(&mut self, action: usize, draw: &mut impl Draw) -> Step;

    /// Whether the game has ended.
    fn is_over(&self) -> bool;

    /// The points so far.
    fn score(&self) -> i32;

    /// What a player may know of the position.
    fn state(&self) -> Self::State;

    /// The actions of a mask in a position; none where it holds none.
    ///
    /// Players are [offered](super::offered) another mask's then. Of the legal actions there is always one.
    fn mask(state: &Self::State, kind: MaskKind) -> ActionMask;

    /// The mask by which positions that may follow are judged.
    ///
    /// Another than the given one where that takes too long to find in so many positions.
    fn successor_mask(kind: MaskKind) -> MaskKind {
        kind
    }

    /// Whether a game can stand in a position: nothing of it is unknown.
    fn is_whole(_state: &Self::State) -> bool {
        true
    }

    /// Actions left in a position where the rules set their number, else 0.
    ///
    /// One less after each action.
    fn actions_left(_state: &Self::State) -> usize {
        0
    }

    /// What the points of a position are in the units of its [`Lookahead`].
    ///
    /// It is 1 by default, and another number where a game scales all of them alike.
    fn unit(_state: &Self::State) -> f64 {
        1.0
    }

    /// A heuristic for the return: a rough forecast of the points to come.
    ///
    /// 0 where the game has ended. Where games do not end early it serves as a control variate: the better it is, the
    /// less a score varies once its [luck](crate::eval::luck) is taken out; with any it is right on average.
    fn heuristic(_state: &Self::State) -> f64 {
        0.0
    }
}

/// Actions of a whole game where the rules set their number, else 0.
///
/// The rules are the default ones.
pub fn actions_of_a_game<G: Game>() -> usize {
    G::actions_left(&G::new(&G::Rules::default(), &mut Stream::new(0, Role::Game, 0)).state())
}

/// An afterstate: what follows from an action for certain.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct After<S> {
    /// The position that it leaves, parts of which may be unknown.
    ///
    /// Only what is certain, and its image, may be asked of it; no game stands in it.
    pub state: S,
    /// The points that it gains.
    pub points: f32,
    /// The actions that are certain to gain something there.
    ///
    /// None where the game has ended.
    pub actions: ActionMask,
}

/// A wave of a chain as an observer of the move sees it.
///
/// What was drawn since the action is unknown in both positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SeenWave<S> {
    /// The position before the wave.
    pub before: S,
    /// The position that it leaves; the same where the chain has ended.
    pub after: S,
    /// Its points.
    pub points: f32,
}

/// Which plans of certain points are looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// Actions of a plan, at least 1.
    ///
    /// No plan is longer than the game.
    pub depth: u32,
    /// The discount per action: what a point is worth an action later.
    pub weight: f64,
    /// First actions after which a plan looks further; 0 for all.
    ///
    /// Those with the most certain points, and those that equal the last of them.
    pub breadth: usize,
}

impl Plan {
    /// All plans of so many actions, at half weight an action later.
    pub const fn of(depth: u32) -> Self {
        Self { depth, weight: 0.5, breadth: 0 }
    }

    /// The certain points of a first action from which on a plan looks further.
    ///
    /// `points` are those of all first actions.
    pub fn least(&self, points: impl Iterator<Item = f32>) -> f32 {
        let mut points: Vec<f32> = points.collect();
        if self.breadth == 0 || points.len() <= self.breadth {
            return f32::NEG_INFINITY;
        }
        *points.select_nth_unstable_by(self.breadth - 1, |a, b| b.total_cmp(a)).1
    }
}

/// How long a search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Simulations a move: as many on any machine and any number of threads.
    Simulations(usize),
    /// Time a move.
    Time(Duration),
}

/// A player that only one game has.
pub struct Specialist<S> {
    /// The name.
    pub name: &'static str,
    /// What it plays, in one line.
    pub about: &'static str,
    /// Its moves in a position, with what it thinks that they are worth.
    ///
    /// There are none where it has no opinion.
    pub values: OwnValues<S>,
}

/// A function that values moves of a position.
#[derive(Clone, Copy)]
pub enum OwnValues<S> {
    /// At once.
    Plain(fn(&S) -> Vec<(usize, f64)>),
    /// By a search within a budget.
    Search(fn(&S, Budget) -> Vec<(usize, f64)>),
}

/// A game as it was dealt, and what was played in it.
pub struct Played<G: Game> {
    /// The game before its first action.
    pub game: G,
    /// Its random numbers.
    pub random: G::Rng,
    /// The actions, in order.
    pub actions: Vec<usize>,
}

/// What the games of a player say beside their scores.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OwnFigures {
    /// Ratios of two sums.
    pub ratios: Vec<Figure>,
    /// How often something was done, by a name for JSON, each kind by its own.
    pub counts: Vec<(&'static str, Vec<(String, u64)>)>,
}

/// A figure of many games: a sum over all of them divided by another.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// Its name in JSON.
    pub name: &'static str,
    /// Its name in tables.
    pub about: &'static str,
    /// What each game adds to both sums.
    pub games: Vec<(f64, f64)>,
}

/// What follows in a game for certain, before chance decides anything.
pub trait Lookahead: Game {
    /// The position with an action done and nothing that follows from it.
    fn done(state: &Self::State, action: usize) -> Self::State;

    /// What follows at once in a position, and its points; `None` if nothing.
    fn wave(state: &Self::State) -> Option<(Self::State, f32)>;

    /// The actions that are certain to gain something in an afterstate; by default none is known.
    fn sure(_state: &Self::State) -> ActionMask {
        ActionMask::empty()
    }

    /// The afterstate of an action: what follows from it for certain.
    ///
    /// It is [done](Self::done), then [waves](Self::wave) until none is left.
    fn after(state: &Self::State, action: usize) -> After<Self::State> {
        let (mut state, mut points) = (Self::done(state, action), 0.0);
        while let Some((next, gained)) = Self::wave(&state) {
            (state, points) = (next, points + gained);
        }
        After { actions: Self::sure(&state), state, points }
    }

    /// Plays an action as [`step`](Game::step) does, and shows its chain.
    ///
    /// What is seen of it is every wave, then the position at rest after the last as a wave that changes nothing. Its
    /// points are those of the action where nothing followed from it, else 0. This default shows the waves that are
    /// certain; a game that can watch its own chains shows all.
    fn step_seen(&mut self, action: usize, draw: &mut impl Draw, mut see: impl FnMut(SeenWave<Self::State>)) -> Step {
        let (mut before, mut seen) = (Self::done(&self.state(), action), false);
        while let Some((after, points)) = Self::wave(&before) {
            see(SeenWave { before, after, points });
            (before, seen) = (after, true);
        }
        let step = self.step(action, draw);
        see(SeenWave { before, after: before, points: if seen { 0.0 } else { step.reward } });
        step
    }

    /// Gives each of the actions the points of the best certain plan from it.
    ///
    /// It gives them in the actions' order.
    fn certain(state: &Self::State, actions: &ActionMask, plan: Plan, mut give: impl FnMut(usize, f32)) {
        let afters: Vec<(usize, After<Self::State>)> =
            actions.iter().map(|action| (action, Self::after(state, action))).collect();
        let least = plan.least(afters.iter().map(|(_, after)| after.points));
        for (action, after) in &afters {
            let further = plan.depth > 1 && after.points >= least;
            let later = if further { best_plan::<Self>(after, Plan { depth: plan.depth - 1, ..plan }) } else { 0.0 };
            give(*action, (f64::from(after.points) + plan.weight * later) as f32);
        }
    }
}

/// The points of the best certain plan after an action.
///
/// 0 where no action is certain to gain any.
fn best_plan<G: Lookahead>(after: &After<G::State>, plan: Plan) -> f64 {
    let mut best = 0.0;
    G::certain(&after.state, &after.actions, Plan { breadth: 0, ..plan }, |_, points| {
        best = f64::from(points).max(best)
    });
    best
}

/// How a convolutional network sees a game.
///
/// The image of a position is `[PLANES, ROWS, COLUMNS]`, rows from the top, each number 0 or 1; the scalars are
/// whole-board facts in `0.0..=1.0`. Q-values are read off `[ACTION_PLANES, ROWS, COLUMNS]`.
pub trait Image: Lookahead {
    /// Planes of the image.
    const PLANES: usize;
    /// Leading planes that are interchangeable (colours); 0 for none.
    ///
    /// Permuting them gives a position of equal value.
    const COLOURS: usize;
    /// Rows of the image.
    const ROWS: usize;
    /// Columns of the image.
    const COLUMNS: usize;
    /// Numbers beside the image, at least one.
    const SCALARS: usize;
    /// Planes of the Q-network's output.
    const ACTION_PLANES: usize;
    /// Symmetries of the game, numbered from 0, which is the identity.
    const SYMMETRIES: usize;

    /// Writes the image and the scalars of a position under a symmetry.
    ///
    /// Both slices are wholly overwritten. What is unknown in an afterstate is 0 in all planes.
    fn encode(state: &Self::State, symmetry: usize, image: &mut [f32], scalars: &mut [f32]);

    /// Writes the image as bytes, and the scalars.
    ///
    /// They are those of [`encode`](Self::encode) without a symmetry.
    fn encode_bytes(state: &Self::State, image: &mut [u8], scalars: &mut [f32]) {
        let mut numbers = vec![0.0; image.len()];
        Self::encode(state, 0, &mut numbers, scalars);
        for (byte, number) in image.iter_mut().zip(numbers) {
            *byte = number as u8;
        }
    }

    /// Where an action's Q-value is read off: (output plane, row, column).
    fn place(action: usize) -> (usize, usize, usize);

    /// The number of an action on the board shown under a symmetry.
    ///
    /// The board is the one that [`encode`](Self::encode) writes.
    fn transform_action(action: usize, symmetry: usize) -> usize;
}

/// The tokens of a board by their numbers, row by row from the top.
pub type TokenRows = Vec<Vec<u8>>;

/// A game that all parts of the program can play.
pub trait Playable: Image + Features + Text {
    /// The networks that ship with the program, the recommended one first.
    ///
    /// Each is its name and its file.
    const AGENTS: &'static [(&'static str, &'static [u8])] = &[];

    /// The agent with linear values that ships with the program, its file.
    const FITTED: Option<&'static [u8]> = None;

    /// The tokens of a position, row by row from the top.
    ///
    /// It is there in games in which any two neighbours may be swapped. Tokens of a number below
    /// [`COLOURS`](Image::COLOURS) match, and a number is a token's place in [`TOKENS`](Text::TOKENS); others match
    /// nothing.
    const GEMS: Option<fn(&Self::State) -> TokenRows> = None;

    /// Players of the game's own, the recommended one first.
    const SPECIALISTS: &'static [Specialist<Self::State>] = &[];

    /// The [themes](crate::vision::NAMES) in the program for pictures of the game.
    const THEMES: &'static [&'static str] = &[];

    /// Whether a game ends by a mishap that may come at any move.
    ///
    /// Scores of good players are near exponential then.
    const IS_EXPONENTIAL: bool = false;

    /// Whether searches count the [heuristic](Game::heuristic), if the game has one.
    ///
    /// It is that of the position in which a simulation ends. It should count where a game may end early, which the
    /// points of a few moves do not show.
    const FORECASTS: Option<bool> = None;

    /// Figures of the game's own; by default none.
    fn figures(_games: &mut dyn Iterator<Item = Played<Self>>) -> OwnFigures {
        OwnFigures::default()
    }
}
