//! Boards whose first planes are interchangeable (colours).
//!
//! Weights are shared by colours: a batch of boards becomes stacks, `[batch * colours, rows,
//! columns, channels]`, the colours of a board side by side.

use burn::tensor::Tensor;

/// Network input from planes `[batch, planes, rows, columns]`, of which the first `colours` are
/// interchangeable.
///
/// A colour sees its own plane, the sum of the other colours' planes, and the rest: `[batch *
/// colours, rows, columns, 2 + rest]`; without colours `[batch, rows, columns, planes]`.
pub fn stack(images: Tensor<4>, colours: usize) -> Tensor<4> {
    if colours == 0 {
        return images.permute([0, 2, 3, 1]);
    }
    let [batch, planes, rows, columns] = images.dims();
    let own = images.clone().narrow(1, 0, colours);
    let others = own.clone().sum_dim(1).expand([batch, colours, rows, columns]) - own.clone();
    let plane = |planes: Tensor<4>| planes.reshape([batch * colours, 1, rows, columns]);
    let mut stacks = vec![plane(own), plane(others)];
    let rest = planes - colours;
    if rest > 0 {
        let shared = images.narrow(1, colours, rest).reshape([batch, 1, rest, rows, columns]);
        stacks.push(shared.expand([batch, colours, rest, rows, columns]).reshape([
            batch * colours,
            rest,
            rows,
            columns,
        ]));
    }
    Tensor::cat(stacks, 1).permute([0, 2, 3, 1])
}

/// Channels of a stack.
pub const fn stacked(planes: usize, colours: usize) -> usize {
    if colours == 0 { planes } else { planes - colours + 2 }
}

/// Mean over the colours of each board: `[batch * colours, rows, columns, channels]` to `[batch,
/// rows, columns, channels]`.
pub fn mean(x: Tensor<4>, colours: usize) -> Tensor<4> {
    if colours <= 1 {
        return x;
    }
    let [stacks, rows, columns, channels] = x.dims();
    let batch = stacks / colours;
    let stacks = x.reshape([batch, colours, rows * columns * channels]);
    stacks.mean_dim(1).reshape([batch, rows, columns, channels])
}

/// Adds `y`, `[batch, rows, columns, channels]` or `[batch, 1, 1, channels]`, to every colour of
/// `x`, `[batch * colours, rows, columns, channels]`.
pub fn add(x: Tensor<4>, y: Tensor<4>, colours: usize) -> Tensor<4> {
    if colours <= 1 {
        return x + y;
    }
    let [stacks, rows, columns, channels] = x.dims();
    let [batch, y_rows, y_columns, _] = y.dims();
    let x = x.reshape([batch, colours, rows, columns, channels]);
    let y = y.reshape([batch, 1, y_rows, y_columns, channels]);
    (x + y).reshape([stacks, rows, columns, channels])
}
