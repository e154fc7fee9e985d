//! Visitors of a network's parameters.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

use crate::network::QNetwork;

/// A network's parameters, each flattened.
pub fn parameters(network: &QNetwork) -> Vec<Tensor<1>> {
    struct Collector(Vec<Tensor<1>>);
    impl ModuleVisitor for Collector {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            self.0.push(param.val().flatten(0, D - 1));
        }
    }
    let mut collector = Collector(Vec::new());
    network.visit(&mut collector);
    collector.0
}

/// Adds other gradients to those of a module.
pub struct Add<'a> {
    /// Gradients of the module, which become the sums.
    pub gradients: &'a mut GradientsParams,
    /// Gradients to add, of the same module.
    pub others: GradientsParams,
}

impl ModuleVisitor for Add<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let sum = match (self.gradients.remove::<D>(param.id), self.others.remove::<D>(param.id)) {
            (Some(one), Some(other)) => one + other,
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return,
        };
        self.gradients.register(param.id, sum);
    }
}

/// Makes every parameter a leaf of its own in the autodiff graph.
pub struct Untangle;

impl ModuleMapper for Untangle {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (id, tensor, mapper) = param.consume();
        Param::from_mapped_value(id, Tensor::from_inner(tensor.inner()).require_grad(), mapper)
    }
}
