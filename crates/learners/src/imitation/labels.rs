//! An expert's preferences, and the regression that explains them.

use nalgebra::{Cholesky, DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::players::{LOST, Policy, Roster, Selection};
use crate::random::{Role, Stream};

/// The expert's choice and another action.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Weight in the regression.
    pub weight: f64,
    /// Value of the choice minus value of the other.
    pub gap: f64,
    /// Difference of features, choice minus other, without zeros, by index in the regression.
    pub features: Vec<(u32, f64)>,
}

/// An expert's preferences in a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// The choice with each other action.
    pub pairs: Vec<Pair>,
    /// Whether the apprentice agrees.
    pub agree: bool,
}

/// Minimum weight of a pair.
const MIN_WEIGHT: f64 = 1e-3;

/// Value of an expert, scaled to a largest absolute weight of 1, below which any piece loses.
///
/// A piece of seven that does not lose raises the value by a seventh of [`LOST`].
const DOOMED: f64 = -0.9 * LOST;

/// Asks an expert about a position with its apprentice's choice.
///
/// `selection` are the features of the regression.
pub fn label<G: Roster>(
    state: &G::State,
    expert: &impl Policy<G>,
    choice: usize,
    selection: &Selection,
    temperature: f64,
) -> Labels {
    // The expert's choice comes first and needs no random numbers.
    let values = expert.rank(state, &mut Stream::new(0, Role::Tie, 0));
    let [best, others @ ..] = &values[..] else { return Labels { pairs: Vec::new(), agree: true } };
    // Where any piece loses, values say nothing about the wall.
    if best.value < DOOMED {
        return Labels { pairs: Vec::new(), agree: best.action == choice };
    }
    let mut described = vec![Vec::new(); G::ACTIONS];
    G::action_features(state, |action, features| {
        described[action] = selection.of(features);
    });
    let mut pairs = Vec::new();
    for other in others {
        let gap = best.value - other.value;
        let weight = (-gap / temperature).exp();
        if weight >= MIN_WEIGHT {
            let features = difference(&described[best.action], &described[other.action]);
            pairs.push(Pair { weight, gap, features });
        }
    }
    Labels { pairs, agree: best.action == choice }
}

/// Difference of two lists of features, without zeros.
fn difference(one: &[(u32, f64)], other: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let negative = other.iter().map(|(place, number)| (*place, -number));
    let mut all: Vec<(u32, f64)> = one.iter().copied().chain(negative).collect();
    all.sort_by_key(|(place, _)| *place);
    let summed = all.chunk_by(|one, other| one.0 == other.0);
    summed.map(|same| (same[0].0, same.iter().map(|(_, number)| number).sum())).filter(|(_, sum)| *sum != 0.0).collect()
}

/// Linear regression of gaps on differences of features by normal equations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    width: usize,
    /// Sum of weight * features * features^T: `[width, width]`, where column >= row.
    squares: Vec<f64>,
    /// Sum of weight * features * gap.
    products: Vec<f64>,
    /// Sum of weights.
    weight: f64,
    /// Sum of weight * gap^2.
    gaps: f64,
}

impl Regression {
    /// A regression with `width` weights.
    pub fn new(width: usize) -> Self {
        Self { width, squares: vec![0.0; width * width], products: vec![0.0; width], weight: 0.0, gaps: 0.0 }
    }

    /// Whether a saved regression has this number of weights.
    pub fn fits(&self, width: usize) -> bool {
        self.width == width && self.squares.len() == width * width && self.products.len() == width
    }

    /// Adds a pair to the sums.
    pub fn add(&mut self, pair: &Pair) {
        for (index, (place, number)) in pair.features.iter().enumerate() {
            let weighed = pair.weight * number;
            self.products[*place as usize] += weighed * pair.gap;
            let row = &mut self.squares[*place as usize * self.width..];
            for (column, other) in &pair.features[index..] {
                row[*column as usize] += weighed * other;
            }
        }
        self.weight += pair.weight;
        self.gaps += pair.weight * pair.gap * pair.gap;
    }

    /// Weights of least squared error, with a ridge per pair, and the explained share of the
    /// squared gaps; none if undetermined.
    pub fn solve(&self, ridge: f64) -> Option<(Vec<f64>, f64)> {
        if self.weight == 0.0 {
            return None;
        }
        let square = |row: usize, column: usize| {
            let both = self.squares[row.min(column) * self.width + row.max(column)];
            if row == column { both + ridge * self.weight } else { both }
        };
        let right = DVector::from_column_slice(&self.products);
        let weights = Cholesky::new(DMatrix::from_fn(self.width, self.width, square))?.solve(&right);
        let left = self.gaps - 2.0 * right.dot(&weights) + self.squared(weights.as_slice());
        Some((weights.as_slice().to_vec(), if self.gaps > 0.0 { 1.0 - left / self.gaps } else { 0.0 }))
    }

    /// Sum of weight * (features * weights)^2.
    fn squared(&self, weights: &[f64]) -> f64 {
        let mut sum = 0.0;
        for row in 0..self.width {
            for column in row..self.width {
                let both = self.squares[row * self.width + column] * weights[row] * weights[column];
                sum += if row == column { both } else { 2.0 * both };
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::tetris::Rules;
    use crate::games::{Game, Tetris};
    use crate::players::Linear;

    #[test]
    fn weighed_gaps_are_explained_as_by_hand() {
        // One feature: (2 * 1 * 3 + 1 * 2 * 1) / (2 * 1 + 1 * 4 + ridge * 3) is 8/6 without a
        // ridge, 8/9 with 1.
        let mut regression = Regression::new(1);
        regression.add(&Pair { weight: 2.0, gap: 3.0, features: vec![(0, 1.0)] });
        regression.add(&Pair { weight: 1.0, gap: 1.0, features: vec![(0, 2.0)] });
        let (weights, explained) = regression.solve(1e-15).unwrap();
        assert!((weights[0] - 8.0 / 6.0).abs() < 1e-9);
        // Squared rest: 2 (3 - 4/3)^2 + (1 - 8/3)^2 = 150/18 of 2 * 9 + 1.
        assert!((explained - (1.0 - 150.0 / 18.0 / 19.0)).abs() < 1e-9, "{explained}");
        assert!((regression.solve(1.0).unwrap().0[0] - 8.0 / 9.0).abs() < 1e-12);
        assert_eq!(Regression::new(1).solve(1.0), None);
    }

    #[test]
    fn two_features_are_found_from_their_sums() {
        // Gaps of 5 x - y.
        let mut regression = Regression::new(2);
        for (x, y) in [(1.0, 1.0), (2.0, -1.0), (0.0, 3.0)] {
            regression.add(&Pair { weight: 0.5, gap: 5.0 * x - y, features: vec![(0, x), (1, y)] });
        }
        let (weights, explained) = regression.solve(1e-14).unwrap();
        assert!((weights[0] - 5.0).abs() < 1e-6 && (weights[1] + 1.0).abs() < 1e-6 && explained > 0.999_999);
    }

    #[test]
    fn an_expert_that_looks_no_further_is_found_again() {
        let rules = Rules::new(10).unwrap();
        let known = Linear::named::<Tetris>("dellacherie").unwrap();
        let expert = known.player::<Tetris>(1);
        let selection = Selection::new::<Tetris>(known.terms().iter().map(|(feature, _)| *feature).collect());
        let mut regression = Regression::new(known.terms().len());
        let mut stream = Stream::new(1, Role::Game, 0);
        let mut game = Tetris::new(&rules, &mut stream);
        for _ in 0..300 {
            let choice = expert.choose(&game.state(), &mut stream);
            let labels = label(&game.state(), &expert, choice, &selection, 5.0);
            assert!(labels.agree);
            labels.pairs.iter().for_each(|pair| regression.add(pair));
            game.step(choice, &mut stream);
        }
        let (weights, explained) = regression.solve(1e-12).unwrap();
        assert!(explained > 0.999_999, "{explained}");
        for (found, (_, weight)) in weights.iter().zip(known.terms()) {
            assert!((found - weight).abs() < 1e-4, "{weights:?}");
        }
    }
}
