//! Convolution of boards: comparison with burn's, and bits.

use std::process::Command;

use burn::tensor::{DType, Device, Tensor, TensorData};
use matchq::instructions::InstructionSet;
use matchq::network::{Activation, Precision, convolve, convolve_by_parts, convolve_in, device, to_vec};
use matchq::random::{Draw, Role, Stream};

type Convolve = fn(Tensor<4>, Tensor<4>, Tensor<2>, Activation) -> Tensor<4>;

#[derive(Clone, Copy, Debug)]
struct Case {
    boards: usize,
    rows: usize,
    columns: usize,
    inputs: usize,
    outputs: usize,
    kernel: usize,
    per_sample_bias: bool,
    activation: Activation,
}

fn tensor<const D: usize>(shape: [usize; D], stream: &mut Stream, device: &Device) -> Tensor<D> {
    let numbers: Vec<f32> = (0..shape.iter().product()).map(|_| 2.0 * stream.unit() - 1.0).collect();
    Tensor::from_data(TensorData::new(numbers, shape), device)
}

/// Output, and gradients of input, weight and bias, for random numbers.
fn results(case: &Case, seed: u64, convolve: Convolve) -> [Vec<f32>; 4] {
    let Case { boards, rows, columns, inputs, outputs, kernel, per_sample_bias, activation } = *case;
    let mut stream = Stream::new(seed, Role::Sample, 0);
    let device = device::select(None).unwrap().1.autodiff();
    let input = tensor([boards, rows, columns, inputs], &mut stream, &device).require_grad();
    let weight = tensor([outputs, inputs, kernel, kernel], &mut stream, &device).require_grad();
    let bias = tensor([if per_sample_bias { boards } else { 1 }, outputs], &mut stream, &device).require_grad();
    let output = convolve(input.clone(), weight.clone(), bias.clone(), activation);
    assert_eq!(output.dims(), [boards, rows, columns, outputs]);
    let slope = tensor(output.dims(), &mut stream, &device);
    let gradients = (output.clone() * slope).sum().backward();
    [
        to_vec(output.inner()).unwrap(),
        to_vec(input.grad(&gradients).unwrap()).unwrap(),
        to_vec(weight.grad(&gradients).unwrap()).unwrap(),
        to_vec(bias.grad(&gradients).unwrap()).unwrap(),
    ]
}

/// Boards of the games, narrow, wide, single-cell and large ones; random channels.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (index, (boards, rows, columns)) in
        [(7, 10, 8), (1, 10, 8), (40, 3, 5), (300, 1, 1), (3, 20, 10), (2, 1, 30), (65, 4, 2), (9, 7, 6), (10, 5, 5)]
            .into_iter()
            .enumerate()
    {
        let mut stream = Stream::new(9, Role::Sample, index as u64);
        for kernel in [1, 3, 5] {
            for activation in [Activation::None, Activation::Relu, Activation::Residual] {
                for per_sample_bias in [false, true] {
                    let inputs = 1 + stream.below(40) as usize;
                    let outputs =
                        if activation == Activation::Residual { inputs } else { 1 + stream.below(40) as usize };
                    cases.push(Case { boards, rows, columns, inputs, outputs, kernel, per_sample_bias, activation });
                }
            }
        }
    }
    cases
}

fn assert_near(fast: &[f32], plain: &[f32], what: &str) {
    assert_eq!(fast.len(), plain.len(), "{what}");
    let scale = plain.iter().map(|number| number.abs()).fold(1.0, f32::max);
    // `total_cmp` makes NaN the largest.
    let difference = fast.iter().zip(plain).map(|(a, b)| (a - b).abs()).max_by(f32::total_cmp).unwrap_or(0.0);
    assert!(difference <= 1e-5 * scale, "{what}: {difference} of {scale}");
}

#[test]
fn output_and_gradients_equal_burns_conv2d_within_rounding() {
    for (seed, case) in cases().iter().enumerate() {
        let (fast, plain) = (results(case, seed as u64, convolve), results(case, seed as u64, convolve_by_parts));
        for (name, fast, plain) in ["output", "input", "weight", "bias"]
            .into_iter()
            .zip(fast.iter().zip(&plain))
            .map(|(name, (fast, plain))| (name, fast, plain))
        {
            assert_near(fast, plain, &format!("{name} of {case:?}"));
        }
    }
}

#[test]
fn output_and_gradients_are_the_same_bits_at_every_run_and_any_number_of_threads() {
    let rounded: Convolve =
        |input, weight, bias, activation| convolve_in(input, weight, bias, activation, Precision::Bf16);
    let bits = |case: &Case, convolve: Convolve| -> [Vec<u32>; 4] {
        results(case, 1, convolve).map(|numbers| numbers.into_iter().map(f32::to_bits).collect())
    };
    for case in [
        Case { boards: 300, rows: 10, columns: 8, ..cases()[0] },
        // With three boards per block, the last block has one.
        Case { boards: 301, inputs: 20, outputs: 20, kernel: 3, activation: Activation::Residual, ..cases()[0] },
        Case { boards: 90, inputs: 16, outputs: 16, kernel: 3, activation: Activation::Residual, ..cases()[0] },
        Case { boards: 700, rows: 1, columns: 1, per_sample_bias: true, ..cases()[0] },
    ] {
        for convolve in [convolve as Convolve, rounded] {
            let once = bits(&case, convolve);
            assert!(bits(&case, convolve) == once, "{case:?} again");
            for threads in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                assert!(pool.install(|| bits(&case, convolve)) == once, "{case:?} at {threads} threads");
            }
        }
    }
}

#[test]
fn a_weight_that_is_no_number_reaches_output_and_gradients_as_in_burns_conv2d() {
    let device = device::select(None).unwrap().1.autodiff();
    for activation in [Activation::None, Activation::Relu, Activation::Residual] {
        let are_nan = |convolve: Convolve| {
            let mut stream = Stream::new(2, Role::Sample, 0);
            let mut tensor = |shape| tensor::<4>(shape, &mut stream, &device);
            let input = tensor([3, 10, 8, 18]).require_grad();
            let weight = tensor([18, 18, 3, 3]).slice_fill([17..18, 4..5, 1..2, 1..2], f32::NAN).require_grad();
            let bias = Tensor::<2>::zeros([1, 18], &device).require_grad();
            let output = convolve(input.clone(), weight.clone(), bias.clone(), activation);
            let gradients = (output.clone() * tensor([3, 10, 8, 18])).sum().backward();
            let are_nan = |numbers: Vec<f32>| numbers.into_iter().map(f32::is_nan).collect::<Vec<_>>();
            let bias = are_nan(to_vec(bias.grad(&gradients).unwrap()).unwrap());
            let [output, input, weight] =
                [output.inner(), input.grad(&gradients).unwrap(), weight.grad(&gradients).unwrap()]
                    .map(|tensor| are_nan(to_vec(tensor).unwrap()));
            (output, input, weight, bias)
        };
        let fast = are_nan(convolve);
        assert!(fast.0.iter().skip(17).step_by(18).all(|is_nan| *is_nan), "{activation:?}: outputs of that channel");
        assert!(fast == are_nan(convolve_by_parts), "{activation:?}");
    }
}

#[test]
fn a_tensor_of_any_layout_is_convolved_as_its_copy() {
    let device = device::select(None).unwrap().1;
    let mut stream = Stream::new(3, Role::Sample, 0);
    let planes = tensor([4, 6, 10, 8], &mut stream, &device);
    let weight = tensor([3, 3, 6, 5], &mut stream, &device).permute([3, 2, 0, 1]);
    let bias = tensor([5, 1], &mut stream, &device).permute([1, 0]);
    let channels_last = planes.permute([0, 2, 3, 1]);
    let fast = convolve(channels_last.clone(), weight.clone(), bias.clone(), Activation::Relu);
    let plain = convolve_by_parts(channels_last, weight, bias, Activation::Relu);
    for (fast, plain) in to_vec(fast).unwrap().into_iter().zip(to_vec(plain).unwrap()) {
        assert!((fast - plain).abs() < 1e-5, "{fast}, not {plain}");
    }
}

/// Input, weight, bias and an output slope of a convolution with six channels.
fn constants() -> (Tensor<4>, Tensor<4>, Tensor<2>, Tensor<4>) {
    let (device, mut stream) = (device::select(None).unwrap().1, Stream::new(4, Role::Sample, 0));
    let mut four = |shape| tensor::<4>(shape, &mut stream, &device);
    let (input, weight, slope) = (four([7, 10, 8, 6]), four([6, 6, 3, 3]), four([7, 10, 8, 6]));
    (input, weight, tensor([1, 6], &mut stream, &device), Tensor::from_inner(slope))
}

#[test]
fn gradients_of_one_operand_are_right_whatever_the_others_are() {
    fn variable<const D: usize>(constant: &Tensor<D>, wanted: bool, tracked: bool) -> Tensor<D> {
        match (wanted, tracked) {
            (true, _) => Tensor::from_inner(constant.clone()).require_grad(),
            (false, true) => Tensor::from_inner(constant.clone()),
            (false, false) => constant.clone(),
        }
    }
    let (input, weight, bias, slope) = constants();
    for (wanted, tracked) in [(0, true), (0, false), (1, true), (1, false), (2, true), (2, false)] {
        let gradient = |convolve: Convolve| {
            let input = variable(&input, wanted == 0, tracked);
            let weight = variable(&weight, wanted == 1, tracked);
            let bias = variable(&bias, wanted == 2, tracked);
            let output = convolve(input.clone(), weight.clone(), bias.clone(), Activation::Residual);
            let gradients = (output * slope.clone()).sum().backward();
            match wanted {
                0 => to_vec(input.grad(&gradients).unwrap()).unwrap(),
                1 => to_vec(weight.grad(&gradients).unwrap()).unwrap(),
                _ => to_vec(bias.grad(&gradients).unwrap()).unwrap(),
            }
        };
        assert_near(&gradient(convolve), &gradient(convolve_by_parts), &format!("operand {wanted}, {tracked}"));
    }
}

#[test]
fn gradients_of_tensors_that_are_used_twice_and_of_parts_of_larger_ones_are_right() {
    let (input, weight, bias, slope) = constants();
    let gradients = |convolve: Convolve| {
        let [input, weight] = [&input, &weight].map(|tensor| Tensor::from_inner(tensor.clone()).require_grad());
        let bias = Tensor::from_inner(bias.clone()).require_grad();
        let once = convolve(input.clone(), weight.clone(), bias.clone(), Activation::Residual);
        let twice = convolve(once + input.clone(), weight.clone(), bias.clone(), Activation::Relu);
        // The last five boards, channels 2 to 4, the first two outputs.
        let part = convolve(
            input.clone().narrow(0, 2, 5).narrow(3, 2, 3),
            weight.clone().narrow(0, 0, 2).narrow(1, 1, 3),
            bias.clone().narrow(1, 3, 2),
            Activation::Relu,
        );
        let loss = (twice * slope.clone()).sum() + (part * slope.clone().narrow(0, 0, 5).narrow(3, 0, 2)).sum();
        let gradients = loss.backward();
        let [input, weight] = [input, weight].map(|tensor| to_vec(tensor.grad(&gradients).unwrap()).unwrap());
        [input, weight, to_vec(bias.grad(&gradients).unwrap()).unwrap()]
    };
    let (fast, plain) = (gradients(convolve), gradients(convolve_by_parts));
    for (name, (fast, plain)) in ["input", "weight", "bias"].into_iter().zip(fast.iter().zip(&plain)) {
        assert_near(fast, plain, name);
    }
}

#[test]
fn floats_of_64_bits_are_convolved_as_such() {
    let (input, weight, bias, _) = constants();
    let (input, weight, bias) = (input.cast(DType::F64), weight.cast(DType::F64), bias.cast(DType::F64));
    let [fast, plain] = [convolve as Convolve, convolve_by_parts]
        .map(|convolve| convolve(input.clone(), weight.clone(), bias.clone(), Activation::Residual));
    assert_eq!(fast.dtype(), DType::F64);
    assert_eq!(to_vec(fast).unwrap(), to_vec(plain).unwrap());
}

#[test]
fn an_empty_batch_gives_an_empty_output_and_gradients_of_zero() {
    for per_sample_bias in [false, true] {
        for activation in [Activation::None, Activation::Relu, Activation::Residual] {
            let case = Case { boards: 0, inputs: 5, outputs: 5, kernel: 3, per_sample_bias, activation, ..cases()[0] };
            let fast = results(&case, 1, convolve);
            assert_eq!(fast, results(&case, 1, convolve_by_parts), "{case:?}");
            assert_eq!(fast[2], [0.0; 5 * 5 * 3 * 3], "{case:?}");
        }
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused_on_every_way() {
    let case = Case { boards: 2, inputs: 3, outputs: 3, kernel: 3, ..cases()[0] };
    for wrong in [
        Case { outputs: 4, activation: Activation::Residual, ..case },
        Case { kernel: 2, ..case },
        Case { kernel: 0, ..case },
        Case { rows: 0, ..case },
        Case { columns: 0, ..case },
        Case { inputs: 0, ..case },
        Case { outputs: 0, ..case },
    ] {
        for convolve in [convolve as Convolve, convolve_by_parts] {
            let refusal = std::panic::catch_unwind(|| results(&wrong, 1, convolve)).unwrap_err();
            let sentence = refusal.downcast_ref::<String>().expect("a sentence");
            assert!(sentence.ends_with("is no convolution of boards"), "{sentence}");
        }
    }
}

#[test]
fn every_instruction_set_that_the_processor_has_convolves_as_burns_conv2d() {
    // One process per set, because a process has only one.
    for set in InstructionSet::present() {
        let tests = [
            "output_and_gradients_equal_burns_conv2d_within_rounding",
            "output_and_gradients_are_the_same_bits_at_every_run_and_any_number_of_threads",
            "a_weight_that_is_no_number_reaches_output_and_gradients_as_in_burns_conv2d",
            "the_instructions_that_were_asked_for_are_used",
        ];
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(tests.map(|test| format!("convolution::{test}"))).arg("--exact");
        let done = command.env("MATCHQ_INSTRUCTIONS", set.to_string()).output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && said.contains(&format!("{} passed", tests.len())), "{set}: {said}");
    }
}

#[test]
fn the_instructions_that_were_asked_for_are_used() {
    match std::env::var("MATCHQ_INSTRUCTIONS") {
        Ok(name) => assert_eq!(InstructionSet::used().to_string(), name),
        Err(_) => assert_eq!(Some(&InstructionSet::used()), InstructionSet::present().last()),
    }
}
