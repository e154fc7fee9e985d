//! Networks against the same networks in plain code.

use matchq_players::Arrays;
use matchq_players::games::{Bilging, Game, Image, Match3, Tetris};
use matchq_players::network::{
    BELOW, Backend, Evaluate, Input, ModelConfig, NetworkConfig, NetworkShape, Processor, SHARE,
};
use matchq_players::random::{Draw, Role, Stream};

use super::toy::Toy;
use super::weights;

fn shape<G: Image>(network: NetworkConfig) -> NetworkShape {
    let config = ModelConfig {
        game: G::NAME.into(),
        rules: Default::default(),
        mask: String::new(),
        points: 10.0,
        relative: true,
        network: NetworkConfig { layers: 3, ..network },
    };
    NetworkShape::of::<G>(&config)
}

fn network(shape: &NetworkShape, weights: &Arrays) -> Box<dyn Evaluate> {
    Processor.network(shape, weights).unwrap()
}

/// Random bits, one in `rarity` set on average.
fn bits(count: usize, rarity: u32, stream: &mut Stream) -> Vec<f32> {
    (0..count).map(|_| f32::from(u8::from(stream.below(rarity) == 0))).collect()
}

/// Features of a board: for each place, row by row, a number a channel.
type Features = Vec<Vec<f64>>;

struct Plain<'a> {
    shape: &'a NetworkShape,
    weights: &'a Arrays,
}

impl Plain<'_> {
    fn convolved(&self, name: &str, x: &Features) -> Features {
        let (weight, bias) = (&self.weights[&format!("{name}.weight")], &self.weights[&format!("{name}.bias")]);
        let [outputs, inputs, side, _] = weight.shape[..] else { panic!("{name} has four sizes") };
        // A single place is a mean over the board.
        let (rows, columns) = if x.len() == 1 { (1, 1) } else { (self.shape.rows, self.shape.columns) };
        let border = side / 2;
        let at = |row: usize, column: usize, output: usize| {
            let mut sum = f64::from(bias.values[output]);
            for (down, right) in (0..side * side).map(|tap| (tap / side, tap % side)) {
                let (Some(row), Some(column)) =
                    ((row + down).checked_sub(border), (column + right).checked_sub(border))
                else {
                    continue;
                };
                if row < rows && column < columns {
                    let weights = weight.values[output * inputs * side * side..].iter().skip(down * side + right);
                    let taps = weights.step_by(side * side).zip(&x[row * columns + column]);
                    sum += taps.map(|(weight, number)| f64::from(*weight) * number).sum::<f64>();
                }
            }
            sum
        };
        let places = (0..rows * columns).map(|place| (place / columns, place % columns));
        places.map(|(row, column)| (0..outputs).map(|output| at(row, column, output)).collect()).collect()
    }

    /// What each colour sees of an image: its plane, the sum of the others, all else, the scalars.
    fn seen(&self, image: &[f32], planes: usize, scalars: &[f32]) -> Vec<Features> {
        let (places, colours) = (self.shape.rows * self.shape.columns, self.shape.colours);
        let number = |plane: usize, place: usize| f64::from(image[plane * places + place]);
        let for_colour = |colour: usize| -> Features {
            let of_place = |place: usize| {
                let mut numbers = Vec::new();
                if colours > 0 {
                    let others = (0..colours).filter(|other| *other != colour);
                    numbers.extend([number(colour, place), others.map(|other| number(other, place)).sum()]);
                }
                numbers.extend((colours..planes).map(|plane| number(plane, place)));
                numbers.extend(scalars.iter().map(|scalar| f64::from(*scalar)));
                numbers
            };
            (0..places).map(of_place).collect()
        };
        (0..colours.max(1)).map(for_colour).collect()
    }

    /// Mean over the colours of an image's features after all layers.
    fn features(&self, image: &[f32], scalars: &[f32]) -> Features {
        let seen = self.seen(image, self.shape.planes, scalars);
        let mut x: Vec<Features> = seen.iter().map(|seen| relu(self.convolved("stem", seen))).collect();
        let layers = self.shape.config.layers - 1;
        for layer in 0..layers {
            let mut shift = vec![vec![0.0; self.shape.config.channels]; x[0].len()];
            if self.shape.colours > 0 {
                shift = self.convolved(&format!("exchange.{layer}"), &mean(&x));
            }
            if layer == layers / 2 {
                let summary = self.convolved("summary", &vec![over_board(&mean(&x))]);
                shift.iter_mut().for_each(|numbers| add(numbers, &summary[0]));
            }
            x = x.iter().map(|x| self.residual(&format!("body.{layer}"), x, &shift)).collect();
        }
        mean(&x)
    }

    fn residual(&self, name: &str, x: &Features, shift: &Features) -> Features {
        let mut sums = self.convolved(name, x);
        sums.iter_mut().zip(shift).for_each(|(sums, shift)| add(sums, shift));
        let mut y = relu(sums);
        y.iter_mut().zip(x).for_each(|(y, x)| add(y, x));
        y
    }

    /// Numbers at the places of values, without the state's value.
    fn read_off(&self, features: &Features) -> Vec<f64> {
        let numbers = self.convolved("advantage", &relu(self.convolved("hidden", features))).concat();
        self.shape.places.iter().map(|place| numbers[*place as usize]).collect()
    }

    /// State value of a dueling network.
    fn value(&self, features: &Features) -> f64 {
        let hidden = relu(self.convolved("value.hidden", &vec![over_board(features)]));
        self.convolved("value.output", &hidden)[0][0]
    }

    fn outputs(&self, image: &[f32], scalars: &[f32]) -> Vec<f64> {
        let read = self.read_off(&self.features(image, scalars));
        match self.shape.view.afterstates() {
            false => read,
            true => {
                let sums = read.chunks(read.len() / self.shape.outputs).map(|chunk| chunk.iter().sum::<f64>());
                sums.map(|sum| f64::from(SHARE) * sum).collect()
            }
        }
    }

    /// Log-odds of the board after a wave, and the wave's points.
    fn wave(&self, board: &[f32]) -> (Vec<f64>, f64) {
        let NetworkShape { colours, board_planes, rows, columns, .. } = *self.shape;
        let seen = self.seen(board, board_planes, &[]);
        let mut x: Vec<Features> = seen.iter().map(|seen| relu(self.convolved("dynamics.stem", seen))).collect();
        for layer in 0..self.shape.config.dynamics_layers - 1 {
            let mut seen = mean(&x);
            let all = seen.clone();
            for (place, numbers) in seen.iter_mut().enumerate() {
                let mut below = vec![0.0; numbers.len()];
                for row in place / columns + 1..rows {
                    add(&mut below, &all[row * columns + place % columns]);
                }
                numbers.extend(below.iter().map(|sum| f64::from(BELOW) * sum));
            }
            let shift = self.convolved(&format!("dynamics.exchange.{layer}"), &seen);
            x = x.iter().map(|x| self.residual(&format!("dynamics.body.{layer}"), x, &shift)).collect();
        }
        let mut odds = Vec::new();
        if colours > 0 {
            odds.extend(x.iter().flat_map(|x| self.convolved("dynamics.own", x).concat()));
        }
        if board_planes > colours {
            let rest = self.convolved("dynamics.rest", &mean(&x));
            odds.extend((0..board_planes - colours).flat_map(|plane| rest.iter().map(move |numbers| numbers[plane])));
        }
        let points = |x: &Features| {
            let hidden = relu(self.convolved("dynamics.hidden", x));
            self.convolved("dynamics.points", &hidden).concat().iter().sum::<f64>()
        };
        (odds, f64::from(SHARE) * x.iter().map(points).sum::<f64>())
    }

    /// Follows a board; returns its points, and how near to 0 log-odds came.
    fn outcome(&self, board: &mut [f32]) -> (f64, f64) {
        let (mut points, mut nearest) = (0.0, f64::INFINITY);
        for _ in 0..self.shape.waves {
            let (odds, gained) = self.wave(board);
            points += gained;
            nearest = odds.iter().fold(nearest, |nearest, odds| nearest.min(odds.abs()));
            let next: Vec<f32> = odds.iter().map(|odds| f32::from(u8::from(*odds > 0.0))).collect();
            if next == board {
                break;
            }
            board.copy_from_slice(&next);
        }
        (points, nearest)
    }
}

fn relu(mut x: Features) -> Features {
    x.iter_mut().flatten().for_each(|number| *number = number.max(0.0));
    x
}

fn add(to: &mut [f64], numbers: &[f64]) {
    to.iter_mut().zip(numbers).for_each(|(to, number)| *to += number);
}

/// Mean over the colours.
fn mean(x: &[Features]) -> Features {
    let of = |place: usize, channel: usize| x.iter().map(|x| x[place][channel]).sum::<f64>() / x.len() as f64;
    (0..x[0].len()).map(|place| (0..x[0][0].len()).map(|channel| of(place, channel)).collect()).collect()
}

/// Mean over the places.
fn over_board(x: &Features) -> Vec<f64> {
    (0..x[0].len()).map(|channel| x.iter().map(|x| x[channel]).sum::<f64>() / x.len() as f64).collect()
}

fn assert_near(found: &[f32], plain: &[f64], what: &str) {
    assert_eq!(found.len(), plain.len(), "{what}");
    let scale = plain.iter().map(|number| number.abs()).fold(1.0, f64::max);
    for (found, plain) in found.iter().zip(plain) {
        assert!((f64::from(*found) - plain).abs() < 1e-5 * scale, "{what}: {found}, not {plain}");
    }
}

fn inputs(shape: &NetworkShape, count: usize) -> (Vec<f32>, Vec<f32>) {
    let mut stream = Stream::new(3, Role::Sample, 0);
    let images = bits(count * shape.planes * shape.rows * shape.columns, 4, &mut stream);
    (images, (0..count * shape.scalars).map(|_| stream.unit()).collect())
}

/// A network that sees the position alone and predicts nothing.
fn plain_config() -> NetworkConfig {
    NetworkConfig {
        input: Input::Position,
        share_colours: false,
        dueling: false,
        dynamics_waves: 0,
        ..Default::default()
    }
}

fn check_outputs<G: Image>(config: NetworkConfig) {
    let shape = shape::<G>(config);
    let weights = weights::random(&shape, 7);
    let mut network = network(&shape, &weights);
    let plain = Plain { shape: &shape, weights: &weights };
    let (images, scalars) = inputs(&shape, 9);
    let (image, scalar) = (images.len() / 9, shape.scalars);
    let expected: Vec<Vec<f64>> = images
        .chunks(image)
        .zip(scalars.chunks(scalar))
        .map(|(image, scalars)| plain.outputs(image, scalars))
        .collect();
    let what = format!("{} {:?}", G::NAME, shape.config);
    assert_near(&network.outputs(&images, &scalars).unwrap(), &expected.concat(), &what);
    assert_near(&network.outputs(&images[..image], &scalars[..scalar]).unwrap(), &expected[0], &what);
}

#[test]
fn outputs_are_those_of_the_network_written_out_plainly_whatever_its_width_and_what_it_sees() {
    for channels in [1, 5, 16, 19] {
        let config = NetworkConfig { channels, ..plain_config() };
        let shared = NetworkConfig { share_colours: true, ..config.clone() };
        check_outputs::<Match3>(config.clone());
        check_outputs::<Match3>(shared.clone());
        check_outputs::<Toy>(NetworkConfig { input: Input::Afterstate, ..config.clone() });
        check_outputs::<Bilging>(NetworkConfig { input: Input::Afterstate, ..shared.clone() });
        check_outputs::<Match3>(NetworkConfig { input: Input::Plans, next_moves: 2, ..shared });
        check_outputs::<Tetris>(config);
    }
}

#[test]
fn the_values_of_a_dueling_network_are_the_states_value_and_the_advantages_less_their_mean() {
    for (channels, share_colours) in [(6, false), (16, true), (17, true)] {
        let shape = shape::<Match3>(NetworkConfig { channels, share_colours, dueling: true, ..plain_config() });
        let weights = weights::random(&shape, 8);
        let plain = Plain { shape: &shape, weights: &weights };
        let (images, scalars) = inputs(&shape, 3);
        let found = network(&shape, &weights).outputs(&images, &scalars).unwrap();
        let each = images.chunks(images.len() / 3).zip(scalars.chunks(1)).zip(found.chunks(Match3::ACTIONS));
        for ((image, scalars), found) in each {
            let features = plain.features(image, scalars);
            let (value, advantages) = (plain.value(&features), plain.read_off(&features));
            let mean = advantages.iter().sum::<f64>() / advantages.len() as f64;
            assert!(value.abs() > 0.01 && mean.abs() > 0.01, "{value} {mean}");
            let expected: Vec<f64> = advantages.iter().map(|advantage| value + advantage - mean).collect();
            assert_near(found, &expected, &format!("{channels} channels"));
        }
    }
}

fn check_chains<G: Image>(channels: usize, share_colours: bool) {
    const BOARDS: usize = 30;
    let (input, dynamics_waves, dynamics_layers) = (Input::Afterstate, 3, 3);
    let config = NetworkConfig { channels, share_colours, input, dynamics_waves, dynamics_layers, ..plain_config() };
    let shape = shape::<G>(config);
    let weights = weights::random(&shape, 9);
    let plain = Plain { shape: &shape, weights: &weights };
    let size = shape.board_planes * shape.rows * shape.columns;
    let mut boards = bits(BOARDS * size, 4, &mut Stream::new(5, Role::Sample, 0));
    // Points are added to 0.5.
    let (mut points, mut expected) = (vec![0.5; BOARDS], boards.clone());
    let what = format!("{} of {channels} channels", G::NAME);
    let mut sums = Vec::new();
    for board in expected.chunks_mut(size) {
        let (points, nearest) = plain.outcome(board);
        assert!(nearest > 1e-6, "{what}: a cell is undecided, take another seed: {nearest}");
        sums.push(0.5 + points);
    }
    assert!(expected != boards, "something happens");
    network(&shape, &weights).outcome(&mut boards, &mut points).unwrap();
    assert_near(&points, &sums, &what);
    assert!(boards == expected, "{what}: other boards are left");
}

#[test]
fn chains_are_those_of_the_dynamics_model_written_out_plainly_also_where_a_line_is_not_full() {
    for channels in [3, 16, 18] {
        check_chains::<Toy>(channels, false);
        check_chains::<Match3>(channels, true);
        // All planes are colours.
        check_chains::<Bilging>(channels, true);
    }
}

#[test]
fn a_network_without_a_dynamics_model_changes_no_board() {
    let shape = shape::<Toy>(NetworkConfig { channels: 4, input: Input::Afterstate, ..plain_config() });
    let mut boards = bits(shape.board_planes * 12, 2, &mut Stream::new(5, Role::Sample, 0));
    let (before, mut points) = (boards.clone(), [1.0]);
    network(&shape, &weights::random(&shape, 1)).outcome(&mut boards, &mut points).unwrap();
    assert_eq!((boards, points), (before, [1.0]));
}

#[test]
fn weights_that_lack_a_tensor_hold_another_or_one_of_other_sizes_are_refused_by_its_name() {
    let dueling = NetworkConfig { channels: 4, share_colours: true, dueling: true, ..plain_config() };
    let (input, dynamics_waves) = (Input::Afterstate, 2);
    let predicting =
        NetworkConfig { channels: 4, share_colours: true, input, dynamics_waves, dynamics_layers: 2, ..plain_config() };
    for shape in [shape::<Match3>(dueling), shape::<Match3>(predicting)] {
        let good = weights::random(&shape, 1);
        let refused = |weights: &Arrays| {
            let error = Processor.network(&shape, weights).err().unwrap();
            assert_eq!(error.exit_code(), 2);
            let text = error.to_string();
            assert_eq!(shape.check(weights).unwrap_err().to_string(), text, "it is refused before a network is made");
            let what = text.strip_prefix("the weights do not fit the network of the configuration: ");
            what.unwrap_or_else(|| panic!("{text}")).to_owned()
        };
        for name in good.keys() {
            let mut weights = good.clone();
            weights.remove(name);
            assert_eq!(refused(&weights), format!("there is no {name}"));
            let mut weights = good.clone();
            let array = weights.get_mut(name).unwrap();
            let sizes = array.shape.clone();
            array.shape.push(1);
            assert_eq!(refused(&weights), format!("{name} has shape {:?}, not {sizes:?}", [&sizes[..], &[1]].concat()));
            let mut weights = good.clone();
            weights.insert(format!("{name}.too"), good[name].clone());
            assert_eq!(refused(&weights), format!("'{name}.too' is no tensor of it"));
        }
    }
}
