use serde::{Deserialize, Serialize};

use super::value::LinearValue;
use super::weights_file;
use crate::agent_file::{AgentFile, Kind};
use crate::contract::{Moved, Policy, Valued, play_by_choice};
use matchq_core::error::{Error, Result};
use matchq_core::random::Stream;
use matchq_games::{ActionFeatures, MaskKind, weighed};

/// Feature of an action that counts its points.
const POINTS: &str = "points";

/// Negated value of a lost position, in multiples of the largest absolute weight.
pub const LOST: f64 = 1e6;

/// Weights of features of actions, by their places in the game's list.
#[derive(Clone, PartialEq, Debug)]
pub struct Linear {
    terms: Vec<(usize, f64)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelConfig {
    features: Vec<String>,
}

impl Linear {
    /// An agent of features, by their places in the game's list, with weights.
    pub fn new(terms: Vec<(usize, f64)>) -> Self {
        Self { terms }
    }

    /// Features and weights of a saved run.
    pub fn saved<G: ActionFeatures>(terms: &[(usize, f64)]) -> Result<Self> {
        let known = G::action_names().len();
        match terms.iter().all(|(feature, _)| *feature < known) {
            true => Ok(Self::new(terms.to_vec())),
            false => Err(Error::user(format!("the saved weights are of features that {} does not have", G::NAME))),
        }
    }

    /// Divides all weights by the largest absolute weight, since only ratios count.
    #[must_use]
    pub fn scaled(mut self) -> Self {
        let scale = scale(&self.terms);
        self.terms.iter_mut().for_each(|(_, weight)| *weight /= scale);
        self
    }

    /// Rounds all weights to single precision, in which files hold weights.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        self.terms.iter_mut().for_each(|(_, weight)| *weight = f64::from(*weight as f32));
        self
    }

    /// Features by their places, with weights.
    pub fn terms(&self) -> &[(usize, f64)] {
        &self.terms
    }

    /// The agent's file, in single precision.
    pub fn to_file<G: ActionFeatures>(&self, rules: &G::Rules) -> Result<AgentFile> {
        let names = G::action_names();
        let features = self.terms.iter().map(|(feature, _)| names[*feature].to_owned()).collect();
        let weights: Vec<f64> = self.terms.iter().map(|(_, weight)| *weight).collect();
        weights_file::write::<G>(Kind::Linear, rules, &ModelConfig { features }, &weights)
    }

    /// The agent of a file; `name` stands for the file in errors.
    pub fn from_file<G: ActionFeatures>(file: &AgentFile, name: &str) -> Result<Self> {
        let ModelConfig { features } = weights_file::config::<G, _>(file, Kind::Linear, name)?;
        let features = numbers::<G>(&features, name)?;
        let weights = weights_file::weights(file, features.len(), name)?;
        Ok(Self { terms: features.into_iter().zip(weights).collect() })
    }

    /// Value of a position in points, by the ratios of its features' weights to that of a move's points;
    /// an error where the weights are not of an action's points and its afterstate.
    pub fn value<G: ActionFeatures>(&self) -> Result<LinearValue> {
        let of_afterstates =
            G::action_names().split_first().is_some_and(|(first, rest)| *first == POINTS && rest == G::NAMES);
        let mut weights = vec![0.0; G::NAMES.len() + 1];
        for (feature, weight) in &self.terms {
            if let Some(known) = weights.get_mut(*feature) {
                *known = *weight;
            }
        }
        let points = std::mem::take(&mut weights[0]);
        if !of_afterstates || points <= 0.0 {
            let needed =
                format!("an agent that values positions of {} weighs the feature \"{POINTS}\" above 0", G::NAME);
            return Err(Error::user(needed));
        }
        weights.iter_mut().for_each(|weight| *weight /= points);
        Ok(LinearValue::new(weights, 1))
    }

    /// The player that looks `depth` pieces ahead, the present one included.
    pub fn player<G: ActionFeatures>(&self, depth: u32) -> impl Policy<G> + use<G> {
        let is_of_action = |feature| G::PIECES.is_some_and(|pieces| pieces.is_of_placement(feature));
        let of_action = self.terms.iter().copied().filter(|(feature, _)| is_of_action(*feature)).collect();
        LinearPlayer { terms: self.terms.clone(), of_action, scale: scale(&self.terms), depth }
    }
}

/// Largest absolute weight; 1 if all are 0.
fn scale(terms: &[(usize, f64)]) -> f64 {
    let largest = terms.iter().fold(0.0, |largest: f64, (_, weight)| largest.max(weight.abs()));
    if largest > 0.0 { largest } else { 1.0 }
}

/// Selected features of a game's actions, in any order.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Places in the game's list.
    features: Vec<usize>,
    /// Place in this selection of each of the game's features.
    places: Vec<Option<u32>>,
}

impl Selection {
    /// The selection of features by their places in the game's list.
    pub fn new<G: ActionFeatures>(features: Vec<usize>) -> Self {
        let mut places = vec![None; G::action_names().len()];
        (0..).zip(&features).for_each(|(place, feature)| places[*feature] = Some(place));
        Self { features, places }
    }

    /// Places of the selected features in the game's list.
    pub fn features(&self) -> &[usize] {
        &self.features
    }

    /// Selected features of an action, by their places in this selection.
    pub fn of(&self, features: &[(usize, f64)]) -> Vec<(u32, f64)> {
        features.iter().filter_map(|(feature, number)| Some((self.places[*feature]?, *number))).collect()
    }

    /// (Feature's place in the game's list, weight) of each selected feature.
    pub fn with_weights(&self, weights: &[f64]) -> Vec<(usize, f64)> {
        self.features.iter().copied().zip(weights.iter().copied()).collect()
    }
}

/// Places of features by their names; an error begins with `of`.
pub(crate) fn numbers<G: ActionFeatures>(names: &[String], of: &str) -> Result<Vec<usize>> {
    let known = G::action_names();
    let number = |name: &String| {
        let place = known.iter().position(|known| known == name);
        place.ok_or_else(|| Error::user(format!("{of} weighs a feature \"{name}\", which {} does not have", G::NAME)))
    };
    names.iter().map(number).collect()
}

/// Name of the set of all features of a game.
const ALL: &str = "all";

/// Places of features by names of features and of sets, each once; an error begins with `of`.
pub fn places<G: ActionFeatures>(names: &[String], of: &str) -> Result<Vec<usize>> {
    let all = G::action_names();
    let sets = G::PIECES.map_or_else(Vec::new, |pieces| pieces.feature_sets());
    let mut found = Vec::new();
    let known = || {
        let sets: Vec<&str> = sets.iter().map(|(set, _)| *set).collect();
        // Hundreds of shapes are best named by their set.
        let few = all.len().min(30);
        let more = if few < all.len() { " and more" } else { "" };
        let features = format!("{}{more}", all[..few].join(", "));
        match sets.is_empty() {
            true => format!("the features of {}, together {ALL}, are {features}", G::NAME),
            false => format!("the sets of {} are {}, {ALL}, and its features {features}", G::NAME, sets.join(", ")),
        }
    };
    for name in names {
        let set = sets.iter().find(|(set, _)| set == name).map(|(_, features)| features.clone());
        let wanted = set.unwrap_or_else(|| if name == ALL { all.clone() } else { vec![name.as_str()] });
        for feature in wanted {
            let place = all.iter().position(|known| *known == feature);
            let place =
                place.ok_or_else(|| Error::user(format!("{of}: there is no feature \"{feature}\": {}", known())))?;
            if !found.contains(&place) {
                found.push(place);
            }
        }
    }
    match found.is_empty() {
        true => Err(Error::user(format!("{of} is empty: {}", known()))),
        false => Ok(found),
    }
}

struct LinearPlayer {
    terms: Vec<(usize, f64)>,
    /// Terms of features of the action alone.
    of_action: Vec<(usize, f64)>,
    scale: f64,
    depth: u32,
}

impl LinearPlayer {
    fn lost(&self) -> f64 {
        -LOST * self.scale
    }

    /// Value of each action: its weighted features plus the mean over next pieces of the best value
    /// that may follow.
    fn further<G: ActionFeatures>(&self, state: &G::State) -> Vec<Valued> {
        let mut values = Vec::new();
        weighed::each::<G>(std::slice::from_ref(state), &self.of_action, |_, action, value| {
            values.push(Valued::new(action, value))
        });
        let lost = self.lost();
        // Range of each action's next positions in the list of all.
        let (mut following, mut ranges) = (Vec::new(), Vec::new());
        for valued in &values {
            let first = following.len();
            let after = G::after(state, valued.action).state;
            if let Some(pieces) = G::PIECES {
                following.extend((0..pieces.letters().len()).map(|piece| pieces.with_piece(&after, piece)));
            }
            ranges.push(first..following.len());
        }
        let mut best = vec![f64::NEG_INFINITY; following.len()];
        weighed::each::<G>(&following, &self.terms, |index, _, value| best[index] = best[index].max(value));
        for (index, best) in best.iter_mut().enumerate() {
            *best = if G::is_whole(&following[index]) { best.max(lost) } else { lost };
        }
        for (valued, range) in values.iter_mut().zip(ranges) {
            let count = range.len();
            let mean = best[range].iter().sum::<f64>() / count.max(1) as f64;
            // Losing at once is worse than losing with any next piece.
            valued.value = if count == 0 { 2.0 * lost } else { (valued.value + mean).max(2.0 * lost) };
        }
        values
    }
}

impl<G: ActionFeatures> Policy<G> for LinearPlayer {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        let mut values = Vec::new();
        if self.depth == 1 {
            let lost = self.lost();
            let weighed = |_, action, value: f64| values.push(Valued::new(action, value.max(lost)));
            weighed::each::<G>(std::slice::from_ref(state), &self.terms, weighed);
        } else {
            values = self.further::<G>(state);
        }
        if values.is_empty() {
            let legal = G::mask(state, MaskKind::LEGAL);
            values.extend(legal.iter().map(|action| Valued::new(action, self.lost())));
        }
        values
    }

    /// The first of equal actions, as in [`weighed::drive`].
    fn pick(&self, values: &[Valued], _: &mut Stream) -> usize {
        let better = |best: Valued, next: Valued| if next.value > best.value { next } else { best };
        values.iter().copied().reduce(better).map_or(0, |best| best.action)
    }

    fn play(&self, game: &mut G, random: &mut G::Rng, ties: &mut Stream, moved: &mut Moved<'_, G>) {
        match self.depth {
            1 => weighed::drive(game, &self.terms, |game, action| {
                let step = game.step(action, random);
                moved(game, random, action, step)
            }),
            _ => play_by_choice(self, game, random, ties, moved),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchq_core::random::Role;
    use matchq_games::tetris::Rules;
    use matchq_games::{Game, Lookahead, StateFeatures as _, Text};
    use matchq_games::{Match3, SameGame, Tetris};

    #[test]
    fn features_are_named_alone_or_by_sets_and_an_unknown_one_is_refused() {
        let of = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            places::<Tetris>(&names, "learning.features")
        };
        assert_eq!(of(&["dellacherie", "holes", "max_height"]).unwrap(), [0, 1, 2, 3, 4, 5, 11]);
        assert_eq!(of(&["bertsekas"]).unwrap().len(), 21);
        // 175 shapes between the sides, as mirror images are one, and 343 at a side.
        assert_eq!(of(&["shapes"]).unwrap().len(), 175 + 343);
        let all = places::<SameGame>(&["moves".to_owned(), "all".to_owned()], "it").unwrap();
        assert_eq!((all.len(), SameGame::action_names()[all[0]]), (1 + SameGame::NAMES.len(), "moves"));
        let refused = of(&["hole"]).unwrap_err().to_string();
        assert!(
            refused.starts_with("learning.features: there is no feature \"hole\": the sets of tetris are"),
            "{refused}"
        );
        let of_another = places::<Match3>(&["hole".to_owned()], "learning.features").unwrap_err().to_string();
        assert!(
            of_another.ends_with("\"hole\": the features of match3, together all, are points, plan, colours"),
            "{of_another}"
        );
        assert!(of(&[]).unwrap_err().to_string().starts_with("learning.features is empty: "));
    }

    #[test]
    fn saved_weights_of_unknown_features_are_refused() {
        let count = Tetris::action_names().len();
        assert!(Linear::saved::<Tetris>(&[(0, 1.0), (count - 1, 2.0)]).is_ok());
        let refused = Linear::saved::<Tetris>(&[(0, 1.0), (count, 2.0)]).unwrap_err().to_string();
        assert_eq!(refused, "the saved weights are of features that tetris does not have");
    }

    #[test]
    fn weights_of_points_and_afterstates_value_positions_in_points() {
        let features = ["points", "moves", "singles 1"];
        let names: Vec<String> = features.iter().map(|name| name.to_string()).collect();
        let terms = |weights: [f64; 3]| numbers::<SameGame>(&names, "it").unwrap().into_iter().zip(weights).collect();
        let value = Linear::new(terms([0.5, 3.0, -4.0])).value::<SameGame>().unwrap();
        let mut stream = Stream::new(3, Role::Game, 0);
        let state = SameGame::new(&Default::default(), &mut stream).state();
        let feature = |name: &str| {
            let place = SameGame::NAMES.iter().position(|known| *known == name).unwrap();
            SameGame::features(&state)[place]
        };
        assert!(feature("moves") > 0.0 && feature("singles 1") > 0.0);
        assert_eq!(value.of::<SameGame>(&state), 6.0 * feature("moves") - 8.0 * feature("singles 1"));
        // Points that count nothing, or weights of something else, say nothing of points.
        assert!(Linear::new(terms([0.0, 3.0, -4.0])).value::<SameGame>().is_err());
        let refused = Linear::new(vec![(0, 1.0)]).value::<Tetris>().unwrap_err().to_string();
        assert_eq!(refused, "an agent that values positions of tetris weighs the feature \"points\" above 0");
    }

    #[test]
    fn placements_that_lose_have_values_below_all_others_whatever_the_depth() {
        let rules = Rules::new(4).unwrap();
        let wall = "....######\n....######\n....######";
        let state = Tetris::with_piece(&Tetris::parse(&Rules::default(), wall, None).unwrap(), 1);
        let state = Tetris::at(&rules, &state).state();
        for depth in [1, 2] {
            let mut player = Linear::named::<Tetris>("dt-10").unwrap().player::<Tetris>(depth);
            let player = &mut player;
            let ranked = Policy::<Tetris>::rank(player, &state, &mut Stream::new(0, Role::Tie, 0));
            assert!(ranked.iter().all(|valued| valued.value.is_finite()), "{ranked:?}");
            let loses =
                |valued: &Valued| !Tetris::mask(&state, MaskKind::default_of::<Tetris>()).contains(valued.action);
            assert!(ranked.is_sorted_by_key(loses), "{ranked:?}");
        }
    }

    #[test]
    fn weights_mean_the_same_at_any_scale() {
        let rules = Rules::new(6).unwrap();
        for (name, depth) in [("report", 1), ("dt-10", 1), ("dt-10", 2)] {
            let known = Linear::named::<Tetris>(name).unwrap();
            let by = |factor: f64| {
                let terms = known.terms().iter().map(|(feature, weight)| (*feature, weight * factor)).collect();
                let player = Linear::new(terms).player::<Tetris>(depth);
                let mut stream = Stream::new(5, Role::Game, 0);
                let mut game = Tetris::new(&rules, &mut stream);
                let mut boards = Vec::new();
                while boards.len() < 60 {
                    let action = player.choose(&game.state(), &mut Stream::new(0, Role::Tie, 0));
                    if game.step(action, &mut stream).terminal {
                        game = Tetris::new(&rules, &mut stream);
                    }
                    boards.push(Tetris::board(&game.state()));
                }
                boards
            };
            // Scaling by a power of two is exact.
            assert!(by(1.0) == by(2_f64.powi(60)) && by(1.0) == by(2_f64.powi(-60)), "{name} {depth}");
        }
    }

    #[test]
    fn a_placement_that_loses_at_once_is_worse_than_one_after_which_any_piece_loses() {
        // Three rows with a hole each: with four rows in all the I lies on them, and stands
        // nowhere.
        let state = Tetris::parse(&Rules::default(), "..........\n#########.\n.#########\n#########.", None).unwrap();
        let state = Tetris::with_piece(&state, 1);
        let rules = Rules::new(4).unwrap();
        let state = Tetris::at(&rules, &state).state();
        let far = Linear::named::<Tetris>("dt-10").unwrap().player::<Tetris>(2);
        let values = far.values(&state, &mut Stream::new(0, Role::Tie, 0));
        let value = |lost: bool| {
            let of = values.iter().filter(move |valued| Tetris::after(&state, valued.action).state.is_lost() == lost);
            of.map(|valued| valued.value).collect::<Vec<_>>()
        };
        let (safe, lost) = (value(false), value(true));
        let (worst, best) =
            (safe.iter().fold(f64::INFINITY, |a, b| a.min(*b)), lost.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b)));
        assert!(safe.len() == 7 && lost.len() == 10 && worst > best, "{values:?}");
    }

    #[test]
    fn a_piece_further_the_value_of_an_action_is_its_own_features_and_the_mean_of_the_best_that_may_follow() {
        let rules = Rules::new(5).unwrap();
        let known = Linear::named::<Tetris>("dt-10").unwrap();
        let (near, far) = (known.player::<Tetris>(1), known.player::<Tetris>(2));
        let mut ties = Stream::new(0, Role::Tie, 0);
        let mut stream = Stream::new(2, Role::Game, 0);
        let mut game = Tetris::new(&rules, &mut stream);
        for _ in 0..25 {
            let state = game.state();
            let mut own = vec![0.0; 40];
            Tetris::action_features(&state, |action, features| {
                let weight =
                    |of: usize| known.terms().iter().find(|(feature, _)| *feature == of).map_or(0.0, |term| term.1);
                // Landing height and eroded cells.
                own[action] = features.iter().filter(|(of, _)| *of < 2).map(|(of, number)| weight(*of) * number).sum();
            });
            let values = far.values(&state, &mut ties);
            for valued in values.iter().filter(|valued| valued.value > -1e5) {
                let after = Tetris::after(&state, valued.action).state;
                let best = |piece: usize| {
                    let next = Tetris::with_piece(&after, piece);
                    near.values(&next, &mut ties).iter().map(|valued| valued.value).fold(f64::NEG_INFINITY, f64::max)
                };
                let best: Vec<f64> = (0..7).map(best).collect();
                let expected = own[valued.action] + best.iter().sum::<f64>() / 7.0;
                assert!((valued.value - expected).abs() < 1e-5, "{} is not {expected}", valued.value);
            }
            if game.step(near.choose(&state, &mut ties), &mut stream).terminal {
                game = Tetris::new(&rules, &mut stream);
            }
        }
    }
}
