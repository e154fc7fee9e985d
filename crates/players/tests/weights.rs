//! Random weights for a network of any shape.

use matchq_players::network::NetworkShape;
use matchq_players::random::{Role, Stream};
use matchq_players::{Array, Arrays};

/// Convolutions of a network: name, channels out and in, kernel side.
pub fn convolutions(shape: &NetworkShape) -> Vec<(String, [usize; 3])> {
    let NetworkShape { config, colours, .. } = shape;
    let (width, rest) = (config.channels, shape.board_planes - colours);
    let mut found = vec![
        ("stem".to_owned(), [width, shape.stacked(shape.planes) + shape.scalars, 3]),
        ("summary".to_owned(), [width, width, 1]),
        ("hidden".to_owned(), [width, width, 1]),
        ("advantage".to_owned(), [shape.output_planes, width, 1]),
    ];
    for layer in 0..config.layers - 1 {
        found.push((format!("body.{layer}"), [width, width, 3]));
        if *colours > 0 {
            found.push((format!("exchange.{layer}"), [width, width, 1]));
        }
    }
    if config.dueling {
        found.push(("value.hidden".to_owned(), [width, width, 1]));
        found.push(("value.output".to_owned(), [1, width, 1]));
    }
    if shape.waves > 0 {
        found.push(("dynamics.stem".to_owned(), [width, shape.stacked(shape.board_planes), 3]));
        for layer in 0..config.dynamics_layers - 1 {
            found.push((format!("dynamics.body.{layer}"), [width, width, 3]));
            found.push((format!("dynamics.exchange.{layer}"), [width, 2 * width, 1]));
        }
        found.extend((*colours > 0).then(|| ("dynamics.own".to_owned(), [1, width, 1])));
        found.extend((rest > 0).then(|| ("dynamics.rest".to_owned(), [rest, width, 1])));
        found.push(("dynamics.hidden".to_owned(), [width, width, 1]));
        found.push(("dynamics.points".to_owned(), [1, width, 1]));
    }
    found
}

/// Weights of a seed that keep numbers near one from layer to layer.
pub fn random(shape: &NetworkShape, seed: u64) -> Arrays {
    let mut weights = Arrays::new();
    for (index, (name, [outputs, inputs, side])) in (0..).zip(convolutions(shape)) {
        let mut stream = Stream::new(seed, Role::Initialise, index);
        let mut tensor = |shape: Vec<usize>, size: f32| {
            let count = shape.iter().product();
            Array { shape, values: (0..count).map(|_| size * (2.0 * stream.unit() - 1.0)).collect() }
        };
        let size = (3.0 / (inputs * side * side) as f32).sqrt();
        weights.insert(format!("{name}.weight"), tensor(vec![outputs, inputs, side, side], size));
        weights.insert(format!("{name}.bias"), tensor(vec![outputs], 0.1));
    }
    weights
}
