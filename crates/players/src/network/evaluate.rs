use std::collections::BTreeSet;

use matchq_kernels::{Kernel, Parts, Precision, Tower, WaveParts, WaveTower};

use super::{BELOW, NetworkShape, SHARE};
use crate::agent_file::{Array, Arrays};
use matchq_core::error::{Error, Result};

/// A network without gradients.
pub trait Evaluate: Send {
    /// Outputs `[batch, outputs]` of images `[batch, planes, rows, columns]` and scalars `[batch,
    /// scalars]`.
    fn outputs(&mut self, images: &[f32], scalars: &[f32]) -> Result<Vec<f32>>;

    /// Follows each board's chain by the dynamics model to the last board, and adds its points.
    ///
    /// Boards are `[batch, planes, rows, columns]`, points in the network's units.
    fn outcome(&mut self, boards: &mut [f32], points: &mut [f32]) -> Result<()>;
}

/// Where networks compute.
pub trait Backend: Sync {
    /// The network of this shape; weights that do not fit are refused.
    fn network(&self, shape: &NetworkShape, weights: &Arrays) -> Result<Box<dyn Evaluate>>;
}

/// The processor, with this program's kernels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Processor;

impl Backend for Processor {
    fn network(&self, shape: &NetworkShape, weights: &Arrays) -> Result<Box<dyn Evaluate>> {
        Ok(Box::new(Network::new(shape, weights)?))
    }
}

struct Network {
    tower: Tower,
    chains: Option<WaveTower>,
    waves: usize,
}

impl Evaluate for Network {
    fn outputs(&mut self, images: &[f32], scalars: &[f32]) -> Result<Vec<f32>> {
        Ok(self.tower.forward(images, scalars))
    }

    fn outcome(&mut self, boards: &mut [f32], points: &mut [f32]) -> Result<()> {
        if let Some(chains) = &self.chains {
            chains.outcome(boards, points, self.waves);
        }
        Ok(())
    }
}

impl NetworkShape {
    /// Refuses weights of another network, before memory is taken for one.
    pub fn check(&self, weights: &Arrays) -> Result<()> {
        Reader::read(self, weights, false).map(|_| ())
    }
}

impl Network {
    fn new(shape: &NetworkShape, weights: &Arrays) -> Result<Self> {
        shape.check(weights)?;
        let (parts, chains) = Reader::read(shape, weights, true)?;
        let tower = Tower::new(&parts, [shape.planes, shape.rows, shape.columns], shape.scalars);
        let board = [shape.board_planes, shape.rows, shape.columns];
        let chains = chains.map(|parts| WaveTower::new(&parts, board));
        Ok(Self { tower, chains, waves: shape.waves })
    }
}

/// Part of a network, or the fault of its weights.
type Read<T> = std::result::Result<T, String>;

struct Reader<'a> {
    weights: &'a Arrays,
    /// Names of tensors not read yet.
    left: BTreeSet<&'a str>,
    /// Whether numbers are copied; else kernels have none.
    copies: bool,
}

impl<'a> Reader<'a> {
    fn read(shape: &NetworkShape, weights: &'a Arrays, copies: bool) -> Result<(Parts, Option<WaveParts>)> {
        let mut reader = Reader { weights, left: weights.keys().map(String::as_str).collect(), copies };
        let read = reader.network(shape).and_then(|network| match reader.left.first() {
            None => Ok(network),
            Some(name) => Err(format!("'{name}' is no tensor of it")),
        });
        read.map_err(|wrong| Error::user(format!("the weights do not fit the network of the configuration: {wrong}")))
    }

    fn network(&mut self, shape: &NetworkShape) -> Read<(Parts, Option<WaveParts>)> {
        let NetworkShape { config, colours, .. } = shape;
        let (width, body) = (config.channels, config.layers - 1);
        let square = [width, width, 1];
        let parts = Parts {
            colours: *colours,
            stem: self.kernel("stem", [width, shape.stacked(shape.planes) + shape.scalars, 3])?,
            body: self.kernels("body", body, [width, width, 3])?,
            exchange: self.kernels("exchange", if *colours > 0 { body } else { 0 }, square)?,
            summary: self.kernel("summary", square)?,
            hidden: self.kernel("hidden", square)?,
            advantage: self.kernel("advantage", [shape.output_planes, width, 1])?,
            value: match config.dueling {
                true => Some([self.kernel("value.hidden", square)?, self.kernel("value.output", [1, width, 1])?]),
                false => None,
            },
            places: shape.places.clone(),
            sums: shape.view.afterstates().then_some((shape.outputs, SHARE)),
        };
        let parts = Parts { body: parts.body.into_iter().map(|one| one.with(config.precision)).collect(), ..parts };
        let chains = match shape.waves {
            0 => None,
            _ => Some(self.chains(shape)?),
        };
        Ok((parts, chains))
    }

    fn chains(&mut self, shape: &NetworkShape) -> Read<WaveParts> {
        let NetworkShape { config, colours, board_planes: planes, .. } = shape;
        let (width, body) = (config.channels, config.dynamics_layers - 1);
        Ok(WaveParts {
            colours: *colours,
            stem: self.kernel("dynamics.stem", [width, shape.stacked(*planes), 3])?,
            body: self.kernels("dynamics.body", body, [width, width, 3])?,
            exchange: self.kernels("dynamics.exchange", body, [width, 2 * width, 1])?,
            below: BELOW,
            own: match colours {
                0 => None,
                _ => Some(self.kernel("dynamics.own", [1, width, 1])?),
            },
            rest: match planes - colours {
                0 => None,
                rest => Some(self.kernel("dynamics.rest", [rest, width, 1])?),
            },
            hidden: self.kernel("dynamics.hidden", [width, width, 1])?,
            points: self.kernel("dynamics.points", [1, width, 1])?,
            share: SHARE,
        })
    }

    fn kernels(&mut self, name: &str, count: usize, sizes: [usize; 3]) -> Read<Vec<Kernel>> {
        (0..count).map(|layer| self.kernel(&format!("{name}.{layer}"), sizes)).collect()
    }

    /// The convolution `name`; `sizes` are channels out, channels in and side.
    fn kernel(&mut self, name: &str, sizes: [usize; 3]) -> Read<Kernel> {
        let [outputs, inputs, side] = sizes;
        let weight = self.tensor(format!("{name}.weight"), &[outputs, inputs, side, side])?;
        let bias = self.tensor(format!("{name}.bias"), &[outputs])?;
        Ok(Kernel { sizes, weight, bias, precision: Precision::F32 })
    }

    fn tensor(&mut self, name: String, shape: &[usize]) -> Read<Vec<f32>> {
        let Some(Array { shape: found, values }) = self.weights.get(&name) else {
            return Err(format!("there is no {name}"));
        };
        self.left.remove(name.as_str());
        match found == shape {
            true if self.copies => Ok(values.clone()),
            true => Ok(Vec::new()),
            false => Err(format!("{name} has shape {found:?}, not {shape:?}")),
        }
    }
}
