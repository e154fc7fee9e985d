//! A plain JPEG encoder: ITU-T T.81, baseline, colours as fine as brightness, codes of one length.

use std::f64::consts::PI;

use matchq_vision::Picture;

/// Quantization of brightness at quality 50 (table K.1).
const BRIGHTNESS: [u32; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
];

/// JPEG bytes of a picture at a quality from 1 to 100 as libjpeg counts it.
pub fn jpeg(picture: &Picture, quality: u8) -> Vec<u8> {
    let scale = if quality < 50 { 5000 / u32::from(quality) } else { 200 - 2 * u32::from(quality) };
    let scaled = |value: u32| ((value * scale + 50) / 100).clamp(1, 255);
    // Table K.2: colours are as coarse as the worst but at low frequencies.
    let colour = |at: usize| match (at % 8, at / 8) {
        (0, 0) => 17,
        (1, 0) | (0, 1) => 18,
        (1, 1) => 21,
        (2, 0) | (0, 2) => 24,
        (2, 1) | (1, 2) => 26,
        (3, 0) | (0, 3) => 47,
        (2, 2) => 56,
        (3, 1) | (1, 3) => 66,
        _ => 99,
    };
    let tables = [BRIGHTNESS.map(scaled), std::array::from_fn(|at| scaled(colour(at)))];
    // Places of coefficients along the diagonals, there and back.
    let mut order: [usize; 64] = std::array::from_fn(|at| at);
    order.sort_by_key(|at| (at / 8 + at % 8, if (at / 8 + at % 8) % 2 == 0 { at % 8 } else { at / 8 }));

    let [width, height] = [picture.width(), picture.height()];
    let mut bytes = vec![0xff, 0xd8];
    let mut segment = |marker: u8, content: &[u8]| {
        bytes.extend([0xff, marker]);
        bytes.extend((content.len() as u16 + 2).to_be_bytes());
        bytes.extend(content);
    };
    for (at, table) in tables.iter().enumerate() {
        let values: Vec<u8> = order.iter().map(|place| table[*place] as u8).collect();
        segment(0xdb, &[&[at as u8][..], &values].concat());
    }
    let [high, wide] = [height, width].map(|side| (side as u16).to_be_bytes());
    segment(0xc0, &[&[8][..], &high, &wide, &[3, 1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1]].concat());
    // Codes are numbers: of 4 bits for the first coefficient's length, of 8 for runs and lengths.
    let lengths = |bits: usize, count: u8| (1..=16).map(move |at| if at == bits { count } else { 0 });
    let values: Vec<u8> = (0..16).flat_map(|run| (0..=10).map(move |length| 16 * run + length)).collect();
    segment(0xc4, &[0].into_iter().chain(lengths(4, 12)).chain(0..12).collect::<Vec<u8>>());
    let codes: Vec<u8> = [0x10].into_iter().chain(lengths(8, values.len() as u8)).chain(values.clone()).collect();
    segment(0xc4, &codes);
    segment(0xda, &[3, 1, 0, 2, 0, 3, 0, 0, 63, 0]);

    let mut bits = Bits::default();
    let mut before = [0; 3];
    let cosines: [[f64; 8]; 8] = std::array::from_fn(|frequency| {
        let norm = if frequency == 0 { 0.125_f64.sqrt() } else { 0.5 };
        std::array::from_fn(|at| norm * ((2 * at + 1) as f64 * frequency as f64 * PI / 16.0).cos())
    });
    for (top, left) in (0..height).step_by(8).flat_map(|top| (0..width).step_by(8).map(move |left| (top, left))) {
        let pixels: [[u8; 3]; 64] =
            std::array::from_fn(|at| picture.at((left + at % 8) as isize, (top + at / 8) as isize));
        for channel in 0..3 {
            let [red, green, blue, zero] =
                [[0.299, 0.587, 0.114, 128.0], [-0.168_736, -0.331_264, 0.5, 0.0], [0.5, -0.418_688, -0.081_312, 0.0]]
                    [channel];
            let samples = pixels
                .map(|[r, g, b]| (red * f64::from(r) + green * f64::from(g) + blue * f64::from(b)).round() - zero);
            // Along rows, then along columns.
            let rows: [f64; 64] =
                std::array::from_fn(|at| (0..8).map(|x| cosines[at % 8][x] * samples[at / 8 * 8 + x]).sum());
            let block: [f64; 64] =
                std::array::from_fn(|at| (0..8).map(|y| cosines[at / 8][y] * rows[8 * y + at % 8]).sum());
            let steps = tables[channel.min(1)];
            let coefficients = order.map(|place| (block[place] / f64::from(steps[place])).round() as i32);
            bits.push_number(coefficients[0] - before[channel], |length| (length, 4));
            before[channel] = coefficients[0];
            let mut run = 0;
            let code = |run: u32, length: u32| (11 * run + length, 8);
            for coefficient in &coefficients[1..] {
                if *coefficient == 0 {
                    run += 1;
                    continue;
                }
                while run > 15 {
                    bits.push(code(15, 0));
                    run -= 16;
                }
                bits.push_number(*coefficient, |length| code(run, length));
                run = 0;
            }
            if run > 0 {
                bits.push(code(0, 0));
            }
        }
    }
    bits.push((0x7f, 7));
    bytes.extend(bits.bytes);
    bytes.extend([0xff, 0xd9]);
    bytes
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    /// Bits that make no byte yet, and their number.
    rest: u32,
    count: u32,
}

impl Bits {
    fn push(&mut self, (value, count): (u32, u32)) {
        for at in (0..count).rev() {
            self.rest = self.rest << 1 | (value >> at & 1);
            self.count += 1;
            if self.count == 8 {
                self.bytes.push(self.rest as u8);
                if self.rest == 0xff {
                    self.bytes.push(0);
                }
                (self.rest, self.count) = (0, 0);
            }
        }
    }

    /// Writes a number's length in bits by its code, then these bits, flipped if negative.
    fn push_number(&mut self, number: i32, code: impl Fn(u32) -> (u32, u32)) {
        let length = 32 - number.unsigned_abs().leading_zeros();
        self.push(code(length));
        self.push(((if number < 0 { number - 1 } else { number }) as u32, length));
    }
}
