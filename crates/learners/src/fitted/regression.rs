//! Least squares.

use nalgebra::{DMatrix, DVector};

/// Weights that minimise `sum of (rows * weights - targets)^2 + ridge * sum of weights^2`; none if
/// not determined.
///
/// `rows` is `[targets, weights]`, row by row. QR decomposition, with `sqrt(ridge)` times the
/// identity below the rows, keeps digits that normal equations would lose.
pub fn least_squares(rows: &[f64], targets: &[f64], ridge: f64) -> Option<Vec<f64>> {
    let (count, width) = (targets.len(), rows.len() / targets.len().max(1));
    let mut matrix = DMatrix::zeros(count + width, width);
    matrix.rows_mut(0, count).copy_from(&DMatrix::from_row_slice(count, width, rows));
    matrix.rows_mut(count, width).fill_diagonal(ridge.sqrt());
    let mut right = DVector::zeros(count + width);
    right.rows_mut(0, count).copy_from_slice(targets);

    let decomposed = matrix.qr();
    decomposed.q_tr_mul(&mut right);
    let triangle = decomposed.unpack_r();
    // An undetermined weight has only rounding on the diagonal.
    let largest = triangle.diagonal().amax();
    if triangle.diagonal().iter().any(|number| number.abs() <= 1e-12 * largest) {
        return None;
    }
    let weights = triangle.solve_upper_triangular(&right.rows(0, width).into_owned())?;
    Some(weights.as_slice().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: &[f64], expected: &[f64]) {
        let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9);
        assert!(found.len() == expected.len() && near, "{found:?} is not {expected:?}");
    }

    #[test]
    fn a_line_through_points_is_found_and_the_best_one_where_they_are_on_none() {
        // 3 - 2 x at 0, 1 and 4.
        let rows = [1.0, 0.0, 1.0, 1.0, 1.0, 4.0];
        assert_near(&least_squares(&rows, &[3.0, 1.0, -5.0], 0.0).unwrap(), &[3.0, -2.0]);
        // Through (0, 0), (1, 0) and (2, 3): slope 3/2 through the mean (1, 1).
        let rows = [1.0, 0.0, 1.0, 1.0, 1.0, 2.0];
        assert_near(&least_squares(&rows, &[0.0, 0.0, 3.0], 0.0).unwrap(), &[-0.5, 1.5]);
    }

    #[test]
    fn a_ridge_draws_weights_to_0() {
        // One weight: sum of x y / (sum of x^2 + ridge) = 10 / (5 + 15).
        assert_near(&least_squares(&[1.0, 2.0], &[2.0, 4.0], 15.0).unwrap(), &[0.5]);
    }

    #[test]
    fn rows_that_do_not_determine_the_weights_give_none_unless_a_ridge_does() {
        let twice = [1.0, 2.0, 1.0, 2.0, 1.0, 2.0];
        assert_eq!(least_squares(&twice, &[5.0; 3], 0.0), None);
        let weights = least_squares(&twice, &[5.0; 3], 1e-6).unwrap();
        assert!((weights[0] + 2.0 * weights[1] - 5.0).abs() < 1e-3, "{weights:?}");
        // Fewer rows than weights.
        assert_eq!(least_squares(&[1.0, 2.0], &[5.0], 0.0), None);
    }

    #[test]
    fn columns_that_are_nearly_alike_keep_their_digits() {
        // The normal equations would be singular in double precision: 1 + 1e-16 is 1.
        let small = 1e-8;
        let rows = [1.0, 1.0, small, 0.0, 0.0, small];
        let weights = least_squares(&rows, &[3.0, small, 2.0 * small], 0.0).unwrap();
        assert!((weights[0] - 1.0).abs() < 1e-6 && (weights[1] - 2.0).abs() < 1e-6, "{weights:?}");
    }
}
