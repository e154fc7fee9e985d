//! Nodes, constants, inputs and outputs of a graph, one after the other.

use std::fmt::Display;

use super::format::{Attribute, Dimension, Dimensions, FLOAT, Graph, INT64, Kind, Node, Tensor, TensorKind, ValueInfo};
use crate::players::Array;

/// A graph that grows.
#[derive(Default)]
pub struct Builder {
    graph: Graph,
}

/// A size of an input or output.
#[derive(Clone, Copy)]
pub enum Size {
    Fixed(usize),
    /// Any size, by its name.
    Any(&'static str),
}

/// A number of an operation.
pub fn number(name: &str, number: i64) -> Attribute {
    Attribute { name: name.to_owned(), i: number, kind: 2, ..Attribute::default() }
}

/// Several numbers of an operation.
pub fn numbers(name: &str, numbers: &[i64]) -> Attribute {
    Attribute { name: name.to_owned(), ints: numbers.to_vec(), kind: 7, ..Attribute::default() }
}

impl Builder {
    /// The graph of this name.
    pub fn graph(self, name: &str) -> Graph {
        Graph { name: name.to_owned(), ..self.graph }
    }

    /// Inputs and outputs in words.
    pub fn interface(&self) -> String {
        let names = |values: &[ValueInfo]| values.iter().map(shown).collect::<Vec<_>>().join(", ");
        format!("{} in, {} out", names(&self.graph.input), names(&self.graph.output))
    }

    /// Adds an operation; returns the name of its result.
    pub fn with(&mut self, operation: &str, inputs: &[&str], attribute: Vec<Attribute>) -> String {
        let output = format!("{}_{}", operation.to_lowercase(), self.graph.node.len());
        self.named(operation, inputs, attribute, &output);
        output
    }

    /// Adds an operation without attributes.
    pub fn of(&mut self, operation: &str, inputs: &[&str]) -> String {
        self.with(operation, inputs, Vec::new())
    }

    /// Adds an operation whose result has a name.
    pub fn named(&mut self, operation: &str, inputs: &[&str], attribute: Vec<Attribute>, output: &str) {
        self.graph.node.push(Node {
            input: inputs.iter().map(|&input| input.to_owned()).collect(),
            output: vec![output.to_owned()],
            name: output.to_owned(),
            op_type: operation.to_owned(),
            attribute,
        });
    }

    /// An operation that folds axes, which stay with size 1 if `kept`.
    pub fn fold(&mut self, operation: &str, input: &str, axes: &[i64], kept: bool) -> String {
        let axes = self.integers(axes);
        self.with(operation, &[input, &axes], vec![number("keepdims", kept.into())])
    }

    /// An operation with integers as its second input.
    pub fn by(&mut self, operation: &str, input: &str, integers: &[i64]) -> String {
        let integers = self.integers(integers);
        self.of(operation, &[input, &integers])
    }

    /// Indices along an axis from a first one up to an end.
    pub fn slice(&mut self, input: &str, axis: i64, first: usize, end: usize) -> String {
        let [first, end, axis] = [first as i64, end as i64, axis].map(|one| self.integers(&[one]));
        self.of("Slice", &[input, &first, &end, &axis])
    }

    /// A constant list.
    pub fn integers(&mut self, integers: &[i64]) -> String {
        self.table(&[integers.len()], integers)
    }

    /// A constant table of integers.
    pub fn table(&mut self, shape: &[usize], integers: &[i64]) -> String {
        let bytes = integers.iter().flat_map(|integer| integer.to_le_bytes()).collect();
        let name = format!("integers_{}", self.graph.initializer.len());
        self.constant(&name, shape, INT64, bytes)
    }

    /// A constant number.
    pub fn float(&mut self, number: f32) -> String {
        let name = format!("number_{}", self.graph.initializer.len());
        self.constant(&name, &[], FLOAT, number.to_le_bytes().to_vec())
    }

    /// A constant list of numbers.
    pub fn floats(&mut self, numbers: &[f32]) -> String {
        let name = format!("numbers_{}", self.graph.initializer.len());
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(&name, &[numbers.len()], FLOAT, bytes)
    }

    /// A tensor of the agent, under its own name, once.
    pub fn weights(&mut self, name: &str, array: &Array) -> String {
        if self.graph.initializer.iter().any(|tensor| tensor.name == name) {
            return name.to_owned();
        }
        let bytes = array.values.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(name, &array.shape, FLOAT, bytes)
    }

    fn constant(&mut self, name: &str, shape: &[usize], data_type: i32, raw_data: Vec<u8>) -> String {
        let dims = shape.iter().map(|size| *size as i64).collect();
        self.graph.initializer.push(Tensor { dims, data_type, name: name.to_owned(), raw_data });
        name.to_owned()
    }

    /// Adds an input.
    pub fn input(&mut self, name: &str, data_type: i32, shape: &[Size], about: impl Display) {
        self.graph.input.push(value(name, data_type, shape, about));
    }

    /// Adds an output, which is the result of that name.
    pub fn output(&mut self, name: &str, data_type: i32, shape: &[Size], about: impl Display) {
        self.graph.output.push(value(name, data_type, shape, about));
    }
}

fn value(name: &str, data_type: i32, shape: &[Size], about: impl Display) -> ValueInfo {
    let size = |size: &Size| match size {
        Size::Fixed(size) => Dimension { value: Some(*size as i64), name: None },
        Size::Any(name) => Dimension { value: None, name: Some((*name).to_owned()) },
    };
    let shape = Dimensions { dim: shape.iter().map(size).collect() };
    let tensor = Some(TensorKind { data_type, shape: Some(shape) });
    ValueInfo { name: name.to_owned(), kind: Some(Kind { tensor }), doc_string: about.to_string() }
}

/// A name with its shape.
fn shown(value: &ValueInfo) -> String {
    let shape = value.kind.as_ref().and_then(|kind| kind.tensor.as_ref()).and_then(|tensor| tensor.shape.as_ref());
    let size = |size: &Dimension| match (&size.name, size.value) {
        (Some(name), _) => name.clone(),
        (None, size) => size.unwrap_or_default().to_string(),
    };
    let sizes: Vec<String> = shape.into_iter().flat_map(|shape| &shape.dim).map(size).collect();
    format!("{} [{}]", value.name, sizes.join(", "))
}
