//! Weights of the network as arrays.

use std::collections::BTreeSet;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::tensor::{Tensor, TensorData};

use super::{QNetwork, to_vec};
use crate::error::{Error, Result};
use crate::players::{Array, Arrays};

impl QNetwork {
    /// Weights by path: `stem.weight`, `body.0.bias`, ...
    pub fn arrays(&self) -> Result<Arrays> {
        let mut collector = Collector { path: Vec::new(), arrays: Ok(Arrays::new()) };
        self.valid().visit(&mut collector);
        collector.arrays
    }

    /// Replaces the weights; an error if names or shapes differ.
    pub fn with_arrays(self, arrays: &Arrays) -> Result<Self> {
        let mut loader =
            Loader { path: Vec::new(), arrays, left: arrays.keys().map(String::as_str).collect(), wrong: None };
        let network = self.map(&mut loader);
        let more = loader.left.first().map(|name| format!("'{name}' is no tensor of it"));
        let wrong = loader.wrong.or(more);
        match wrong {
            None => Ok(network),
            Some(wrong) => {
                Err(Error::user(format!("the weights do not fit the network of the configuration: {wrong}")))
            }
        }
    }

    /// Numbers the parameters in order, instead of random ids.
    pub(super) fn number_parameters(self) -> Self {
        struct Numberer(u64);
        impl ModuleMapper for Numberer {
            fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
                let (_, tensor, mapper) = param.consume();
                self.0 += 1;
                Param::from_mapped_value(ParamId::from(self.0), tensor, mapper)
            }
        }
        self.map(&mut Numberer(0))
    }
}

struct Collector {
    path: Vec<String>,
    arrays: Result<Arrays>,
}

impl ModuleVisitor for Collector {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Ok(arrays) = &mut self.arrays else { return };
        let shape = param.val().dims().to_vec();
        match to_vec(param.val()) {
            Ok(values) => drop(arrays.insert(self.path.join("."), Array { shape, values })),
            Err(error) => self.arrays = Err(error),
        }
    }
}

struct Loader<'a> {
    path: Vec<String>,
    arrays: &'a Arrays,
    /// Names not yet read.
    left: BTreeSet<&'a str>,
    /// The first mismatch.
    wrong: Option<String>,
}

impl ModuleMapper for Loader<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let name = self.path.join(".");
        let wrong = match self.arrays.get(&name) {
            Some(Array { shape, values }) if shape.iter().product::<usize>() != values.len() => {
                format!("{name} has {} numbers, which are not those of its shape {shape:?}", values.len())
            }
            Some(Array { shape, values }) if *shape == param.val().dims() => {
                self.left.remove(name.as_str());
                let data = TensorData::new(values.clone(), shape.clone());
                return param.map(|before| {
                    Tensor::from_data(data, &before.device()).set_require_grad(before.is_require_grad())
                });
            }
            Some(Array { shape, .. }) => format!("{name} has shape {shape:?}, not {:?}", param.val().dims()),
            None => format!("there is no {name}"),
        };
        self.wrong.get_or_insert(wrong);
        param
    }
}
