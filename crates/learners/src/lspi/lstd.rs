//! Least-squares temporal differences.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// Features other than 0, by index.
pub type Sparse = Vec<(u32, f64)>;

/// A played action and what followed.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Features of the action.
    pub features: Sparse,
    /// Points.
    pub reward: f64,
    /// Features of the policy's next action; none at a game's end.
    pub next: Option<Sparse>,
}

/// Least-squares temporal differences for action values (Lagoudakis and Parr 2003, "Least-squares
/// policy iteration").
///
/// `Q(s, a) = weights . (1, features)` with
///
/// ```text
/// sum of f (f - discount * f')^T weights = sum of f * reward
/// ```
///
/// over transitions from features f to features f'.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lstd {
    /// Number of features and the constant.
    width: usize,
    discount: f64,
    /// `[width, width]`
    matrix: Vec<f64>,
    right: Vec<f64>,
    /// Sum of each feature's square.
    squares: Vec<f64>,
}

impl Lstd {
    /// Equations without transitions.
    pub fn new(features: usize, discount: f64) -> Self {
        let width = features + 1;
        let zeros = vec![0.0; width];
        Self { width, discount, matrix: vec![0.0; width * width], right: zeros.clone(), squares: zeros }
    }

    /// Whether saved equations fit.
    pub fn fits(&self, features: usize, discount: f64) -> bool {
        let vectors = [self.right.len(), self.squares.len()];
        self.width == features + 1
            && self.discount == discount
            && self.matrix.len() == self.width * self.width
            && vectors == [self.width; 2]
    }

    /// Adds a transition to the sums.
    pub fn add(&mut self, transition: &Transition) {
        let Transition { features, reward, next } = transition;
        let next = next.as_ref().map(with_constant).unwrap_or_default();
        for (place, number) in with_constant(features) {
            self.right[place] += number * reward;
            self.squares[place] += number * number;
            let row = &mut self.matrix[place * self.width..][..self.width];
            for (column, other) in with_constant(features) {
                row[column] += number * other;
            }
            for (column, other) in &next {
                row[*column] -= number * self.discount * other;
            }
        }
    }

    /// Weights: the constant, then one per feature, 0 if the feature never came up; none without a
    /// solution.
    ///
    /// `ridge` is a share of each feature's sum of squares.
    pub fn solve(&self, ridge: f64) -> Option<Vec<f64>> {
        // Scaling each feature to a sum of squares of 1 makes very different sizes solve alike.
        let scale: Vec<f64> =
            self.squares.iter().map(|square| if *square > 0.0 { square.sqrt().recip() } else { 0.0 }).collect();
        let at = |row: usize, column: usize| {
            let number = self.matrix[row * self.width + column] * scale[row] * scale[column];
            match (row == column, scale[row] > 0.0) {
                (true, true) => number + ridge,
                (true, false) => 1.0,
                _ => number,
            }
        };
        let right = DVector::from_fn(self.width, |row, _| self.right[row] * scale[row]);
        let weights = DMatrix::from_fn(self.width, self.width, at).lu().solve(&right)?;
        let weights: Vec<f64> = weights.iter().zip(&scale).map(|(weight, scale)| weight * scale).collect();
        weights.iter().all(|weight| weight.is_finite()).then_some(weights)
    }
}

/// Features with a constant of 1 at index 0.
fn with_constant(features: &Sparse) -> Vec<(usize, f64)> {
    std::iter::once((0, 1.0)).chain(features.iter().map(|(place, number)| (*place as usize + 1, *number))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transition(features: &[(u32, f64)], reward: f64, next: &[(u32, f64)]) -> Transition {
        Transition { features: features.to_vec(), reward, next: (!next.is_empty()).then(|| next.to_vec()) }
    }

    #[test]
    fn the_values_of_a_chain_are_those_by_hand() {
        // Three positions with an indicator each: 1 point, then 2, then 4 and the end. At discount
        // 0.5 the values are 1 + 0.5 * 4 = 3, 2 + 0.5 * 4 = 4 and 4. The constant adds to each
        // indicator's weight.
        let mut lstd = Lstd::new(3, 0.5);
        for _ in 0..2 {
            lstd.add(&transition(&[(0, 1.0)], 1.0, &[(1, 1.0)]));
            lstd.add(&transition(&[(1, 1.0)], 2.0, &[(2, 1.0)]));
            lstd.add(&transition(&[(2, 1.0)], 4.0, &[]));
        }
        let weights = lstd.solve(1e-9).unwrap();
        for (feature, value) in [(0, 3.0), (1, 4.0), (2, 4.0)] {
            assert!((weights[0] + weights[1 + feature] - value).abs() < 1e-5, "{weights:?}");
        }
    }

    #[test]
    fn one_feature_agrees_with_itself_whatever_its_unit() {
        // f = 1, then 2, and back, a point each time, discount 0.5: the constant is 1 / (1 - 0.5) =
        // 2, the feature's weight 0.
        for unit in [1.0, 1e4] {
            let mut lstd = Lstd::new(1, 0.5);
            lstd.add(&transition(&[(0, unit)], 1.0, &[(0, 2.0 * unit)]));
            lstd.add(&transition(&[(0, 2.0 * unit)], 1.0, &[(0, unit)]));
            let weights = lstd.solve(1e-12).unwrap();
            assert!((weights[0] - 2.0).abs() < 1e-6 && (weights[1] * unit).abs() < 1e-6, "{weights:?}");
        }
        // Points are proportional to the feature and nothing follows: the weight is the ratio.
        let mut lstd = Lstd::new(1, 0.5);
        lstd.add(&transition(&[(0, 1.0)], 3.0, &[]));
        lstd.add(&transition(&[(0, 2.0)], 6.0, &[]));
        let weights = lstd.solve(1e-12).unwrap();
        assert!(weights[0].abs() < 1e-6 && (weights[1] - 3.0).abs() < 1e-6, "{weights:?}");
    }

    #[test]
    fn a_feature_that_never_came_up_has_no_weight_and_a_ridge_makes_weights_smaller() {
        let mut lstd = Lstd::new(2, 0.0);
        lstd.add(&transition(&[(0, 1.0)], 3.0, &[]));
        lstd.add(&transition(&[(0, 2.0)], 6.0, &[]));
        let weights = lstd.solve(1e-12).unwrap();
        assert_eq!(weights[2], 0.0);
        assert!(lstd.solve(0.5).unwrap()[1].abs() < weights[1]);
    }
}
