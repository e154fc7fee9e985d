//! Oklab, a colour space in which equal distances look equally different (Ottosson 2020, "A
//! perceptual color space for image processing").

use std::sync::LazyLock;

/// A colour: lightness from 0 to 1, green to red, blue to yellow.
pub(super) type Oklab = [f32; 3];

/// Light of each 8-bit value of sRGB, from 0 to 1.
static LIGHT: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|value| {
        let value = value as f32 / 255.0;
        match value <= 0.040_45 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    })
});

pub(super) fn oklab(rgb: [u8; 3]) -> Oklab {
    let [r, g, b] = rgb.map(|value| LIGHT[usize::from(value)]);
    let l = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
    let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
    let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
    ]
}

/// Nearest 8-bit red, green and blue.
pub(super) fn rgb(colour: Oklab) -> [u8; 3] {
    let [lightness, a, b] = colour;
    let cube = |value: f32| value * value * value;
    let l = cube(lightness + 0.396_337_78 * a + 0.215_803_76 * b);
    let m = cube(lightness - 0.105_561_346 * a - 0.063_854_17 * b);
    let s = cube(lightness - 0.089_484_18 * a - 1.291_485_5 * b);
    let light = [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_38 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ];
    light.map(|light| {
        let value = match light <= 0.003_130_8 {
            true => 12.92 * light,
            false => 1.055 * light.powf(1.0 / 2.4) - 0.055,
        };
        (255.0 * value).round().clamp(0.0, 255.0) as u8
    })
}

/// Visible difference of two colours; 1 between black and white.
pub(super) fn distance(one: Oklab, other: Oklab) -> f32 {
    one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_colours_lie_where_the_article_has_them() {
        // Examples of oklab() in CSS Color 4.
        for (colour, expected) in [
            ([255, 255, 255], [1.0, 0.0, 0.0]),
            ([0, 0, 0], [0.0, 0.0, 0.0]),
            ([255, 0, 0], [0.627_955, 0.224_863, 0.125_846]),
            ([0, 255, 0], [0.866_44, -0.233_888, 0.179_498]),
        ] {
            assert!(distance(oklab(colour), expected) < 1e-4, "{colour:?} {:?}", oklab(colour));
        }
    }

    #[test]
    fn every_colour_comes_back() {
        for value in
            (0..=255_u32).step_by(5).flat_map(|r| (0..=255).step_by(15).map(move |g| [r, g, 255 - (r + g) / 2]))
        {
            let colour = value.map(|value| value as u8);
            assert_eq!(rgb(oklab(colour)), colour);
        }
    }
}
