//! Where sums become outputs.

use super::geometry::Shape;
use super::line::Line;
use super::register::Register;
use crate::activation::Activation;

/// A cell of a block of boards.
pub struct Cell {
    /// Number of the cell in the block, board by board.
    pub number: usize,
    pub board: usize,
    /// Line of the cell in a padded group.
    pub line: usize,
    /// Number of the cell's sum.
    pub sum: usize,
}

impl Cell {
    pub fn new(shape: &Shape, number: usize, sum: usize) -> Self {
        Self { number, board: number / shape.cells(), line: shape.line(number), sum }
    }
}

/// Way from a group's sums to its outputs.
pub struct Finish<'a> {
    /// Initial sum of each board.
    pub starts: &'a [Line],
    /// Group of a padded block, added to the sums.
    pub added: Option<&'a [Line]>,
    /// Function of the sums.
    pub activation: Activation,
    /// Group of the padded input that a residual adds, or empty.
    pub before: &'a [Line],
}

impl Finish<'_> {
    /// Whether all groups have this number of lines.
    pub fn fits(&self, lines: usize) -> bool {
        let residual = self.activation == Activation::Residual;
        self.added.is_none_or(|added| added.len() == lines) && (!residual || self.before.len() == lines)
    }

    /// Outputs of the sums `at` numbers into a group of a padded block.
    ///
    /// # Safety
    /// A register from `at` on lies within the group; the processor has the instructions of `R`.
    #[inline(always)]
    pub unsafe fn output<R: Register>(&self, mut sum: R, at: usize) -> R {
        // SAFETY: the caller's promise.
        unsafe {
            let load = |lines: &[Line]| R::load(lines.as_ptr().cast::<f32>().add(at));
            if let Some(added) = self.added {
                sum = sum.plus(load(added));
            }
            match self.activation {
                Activation::None => sum,
                Activation::Relu => sum.rectified(),
                Activation::Residual => load(self.before).plus(sum.rectified()),
            }
        }
    }
}
