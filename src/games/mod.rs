//! The interface every game implements, and the games.

mod action_mask;
pub mod conformance;
pub mod match3;
mod vector;

use std::fmt::{self, Debug};
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use action_mask::ActionMask;
pub use match3::Match3;
pub use vector::{Games, Outcome};

use crate::error::Error;
use crate::random::Draw;

/// What one move brought.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// The points the move gained.
    pub reward: f32,
    /// Whether the game is over.
    pub terminal: bool,
    /// How often something was cleared: the waves of a chain. 0 in games where nothing is.
    pub clearings: u32,
}

/// What follows from an action for certain.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct After<S> {
    /// The position that it leaves, in which tokens may be unknown: only what is certain of actions, and their afterstates, may be
    /// asked of it; no game stands in it.
    pub state: S,
    /// The points that it gains.
    pub points: f32,
    /// The actions that are certain to gain something there; none where the game has ended.
    pub actions: ActionMask,
}

/// Which moves are offered to a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MaskKind {
    /// All moves the rules allow.
    Legal,
    /// Moves that change what is seen; where there is none, the legal ones.
    #[default]
    Effective,
    /// Moves that match at once; where there is none, the effective ones.
    Matching,
    /// The matching moves and, before the last move, some set-ups: moves that match nothing, and after which the next is certain to
    /// gain more than any would now. Where there is none of either, the effective ones.
    Setups,
}

impl MaskKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Legal, Self::Effective, Self::Matching, Self::Setups];

    /// The name used in configurations and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Legal => "legal",
            Self::Effective => "effective",
            Self::Matching => "matching",
            Self::Setups => "setups",
        }
    }
}

impl fmt::Display for MaskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for MaskKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .ok_or_else(|| Error::user(format!("'{name}' is no mask: use legal, effective, matching or setups")))
    }
}

/// What is taken as known of an action before anything is learned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prior {
    /// Nothing.
    #[default]
    None,
    /// The points that follow from it for certain, whatever chance brings.
    Chain,
    /// The points of the best certain plan of two actions that begins with it, where a point of the second is worth
    /// [`LATER`](Self::LATER).
    Plan,
    /// The same; of an afterstate the best certain plans of two actions that follow are shown too, so that plans of three are
    /// seen.
    Plan3,
}

impl Prior {
    /// What a point of the second action of a plan is worth.
    pub const LATER: f64 = 0.5;

    /// Factor of a number that is shown at every place, where so many of them add up in a sum over the board.
    pub const EVERYWHERE: f32 = 1.0 / 16.0;

    /// Actions of a plan.
    pub const fn depth(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Chain => 1,
            Self::Plan | Self::Plan3 => 2,
        }
    }

    /// Actions of the longest plans that follow an afterstate and are shown with it.
    pub const fn shown_after(self) -> usize {
        match self {
            Self::None | Self::Chain => 0,
            Self::Plan => 1,
            Self::Plan3 => 2,
        }
    }

    /// Planes that show what is certain after an afterstate, where `action_planes` show one number for each action.
    pub const fn planes_after(self, action_planes: usize) -> usize {
        match self {
            Self::None | Self::Chain => 0,
            Self::Plan => action_planes,
            Self::Plan3 => 2 * (action_planes + 1),
        }
    }
}

/// The actions of a mask with the points of the best certain plans of `depth` actions that begin with them, those of later
/// actions at [`Prior::LATER`] of their worth: the most points first, of equal ones the lower action.
pub fn by_certain_points<G: Game>(state: &G::State, mask: &ActionMask, depth: u32) -> Vec<(usize, f32)> {
    let mut points = [0.0; ActionMask::CAPACITY];
    G::certain(state, mask, depth, Prior::LATER, &mut points);
    let mut ranked: Vec<(usize, f32)> = mask.iter().map(|action| (action, points[action])).collect();
    ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    ranked
}

/// Whether a state's mask of a kind is that of the effective actions, because there is none of its kind. Costs nothing for the kinds
/// that cannot fall back to it.
pub fn falls_back<G: Game>(state: &G::State, kind: MaskKind, mask: &ActionMask) -> bool {
    matches!(kind, MaskKind::Matching | MaskKind::Setups) && *mask == G::mask(state, MaskKind::Effective)
}

/// A game for one player, played by numbered actions.
///
/// The image of a position is `[PLANES, ROWS, COLUMNS]`, rows from the top, each number 0 or 1; the
/// scalars are whole-board facts in `0.0..=1.0`. Q-values are read off `[ACTION_PLANES, ROWS, COLUMNS]`.
pub trait Game: Clone + Send + Sync + Serialize + DeserializeOwned {
    /// The parameters of the rules.
    type Rules: Clone + Send + Sync + Serialize + DeserializeOwned;
    /// All that a player may know of a position, packed: what replay stores.
    type State: Copy + Send + Sync + PartialEq + Debug + Serialize + DeserializeOwned;

    /// The name used in configurations and files.
    const NAME: &'static str;
    /// Planes of the image.
    const PLANES: usize;
    /// Leading planes that are interchangeable (colours): permuting them gives a position of equal value. 0 for none.
    const COLOURS: usize;
    /// Rows of the image.
    const ROWS: usize;
    /// Columns of the image.
    const COLUMNS: usize;
    /// Numbers beside the image, at least one.
    const SCALARS: usize;
    /// Actions, numbered from 0; at most [`ActionMask::CAPACITY`].
    const ACTIONS: usize;
    /// Planes of the Q-network's output.
    const ACTION_PLANES: usize;
    /// Symmetries of the game, numbered from 0, which is the identity.
    const SYMMETRIES: usize;

    /// Deals a new game.
    fn new(rules: &Self::Rules, draw: &mut impl Draw) -> Self;

    /// A game that stands in a position, with a score of 0 and a future of its own.
    fn at(rules: &Self::Rules, state: &Self::State) -> Self;

    /// Plays an action. After the end of the game nothing changes and the reward is 0.
    fn step(&mut self, action: usize, draw: &mut impl Draw) -> Step;

    /// Whether the game has ended.
    fn is_over(&self) -> bool;

    /// The points so far.
    fn score(&self) -> i32;

    /// What a player may know of the position.
    fn state(&self) -> Self::State;

    /// A rough forecast of the points that are still to come in a position; 0 where the game has ended. The better it is, the less a
    /// score varies once its [luck](crate::eval::luck) is taken out; with any forecast it is right on average.
    fn outlook(_state: &Self::State) -> f64 {
        0.0
    }

    /// The actions that are left in a position where the rules set their number, one less after each; 0 in all positions of a
    /// game whose end is not set.
    fn actions_left(_state: &Self::State) -> usize {
        0
    }

    /// The actions offered in a position: never none.
    fn mask(state: &Self::State, kind: MaskKind) -> ActionMask;

    /// Writes for each of the actions the points of the best certain plan of `depth` actions, at least 1, that begins with
    /// it, where a point is worth `weight` an action later. No plan is longer than the game. What stands at other actions
    /// stays.
    fn certain(state: &Self::State, actions: &ActionMask, depth: u32, weight: f64, values: &mut [f32]);

    /// What follows from an action before chance decides anything: the position with it done and all that follows for certain.
    /// What is [certain](Self::certain) of the actions there, and the afterstates of these, can be had as of any position.
    fn after(state: &Self::State, action: usize) -> After<Self::State>;

    /// Writes the image and the scalars of the afterstate of an action, under a symmetry, over all of both slices, and
    /// gives the points that the prior knows of the action. The afterstate is what the action leaves before chance
    /// decides anything: without a prior the position with the action done and nothing that follows from it; else the
    /// position after all that follows for certain, without the tokens that are not known. For [`Prior::Plan`] the image has
    /// `ACTION_PLANES` more planes: the certain points of each action there, at its place. For [`Prior::Plan3`] there are as
    /// many again, of the best certain plans of two actions that begin with each, and then two planes that show everywhere the
    /// highest number of the former and of the latter, times [`Prior::EVERYWHERE`].
    fn encode_after(
        state: &Self::State,
        action: usize,
        prior: Prior,
        symmetry: usize,
        image: &mut [f32],
        scalars: &mut [f32],
    ) -> f32;

    /// Writes the images, as [`encode`](Self::encode) does, of the position with an action done and nothing that follows from
    /// it, and of what each wave of the chain that follows for certain leaves, without the tokens that are not known; and
    /// the points of each wave. Gives the number of waves, at most as many as `points` has room for; `images` has room for one
    /// more than that.
    fn encode_waves(
        state: &Self::State,
        action: usize,
        symmetry: usize,
        images: &mut [f32],
        points: &mut [f32],
    ) -> usize;

    /// Where an action's Q-value is read off: (output plane, row, column).
    fn place(action: usize) -> (usize, usize, usize);

    /// Writes the image and the scalars of a position under a symmetry, over all of both slices.
    fn encode(state: &Self::State, symmetry: usize, image: &mut [f32], scalars: &mut [f32]);

    /// The number of an action on the board that [`encode`](Self::encode) shows under a symmetry.
    fn transform_action(action: usize, symmetry: usize) -> usize;
}
