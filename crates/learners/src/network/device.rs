//! Compiled devices, named like their features.

use std::env;

pub use burn::tensor::Device;

use crate::error::{Error, Result};
use crate::instructions::InstructionSet;

/// Names of all devices, preferred ones first, and whether they are compiled in.
const DEVICES: [(&str, bool); 4] = [
    ("cuda", cfg!(feature = "cuda")),
    ("wgpu", cfg!(feature = "wgpu")),
    ("flex", cfg!(feature = "flex")),
    ("ndarray", cfg!(feature = "ndarray")),
];

/// Environment variable with the default device.
const VARIABLE: &str = "MATCHQ_DEVICE";

/// The device of a name, else of `MATCHQ_DEVICE`, else the first GPU compiled in and present, else
/// the CPU.
///
/// An unknown or missing device is an error, and so are [instructions](InstructionSet::chosen) that
/// this processor does not have.
pub fn select(name: Option<&str>) -> Result<(&'static str, Device)> {
    InstructionSet::chosen()?;
    if let Some(name) = name {
        return select_by(name, &format!("--device {name}"));
    }
    match env::var_os(VARIABLE).unwrap_or_default().to_string_lossy() {
        name if name.is_empty() => preferred(),
        name => select_by(&name, &format!("{VARIABLE}={name}")),
    }
}

/// The first GPU compiled in and present, else the CPU.
fn preferred() -> Result<(&'static str, Device)> {
    // Drivers that compute on the processor come last, because the CPU's own backends are faster.
    let mut devices = [Wanted::Gpu, Wanted::Any].into_iter().flat_map(|wanted| DEVICES.map(|(name, _)| (name, wanted)));
    devices
        .find_map(|(name, wanted)| Some((name, open(name, wanted)?)))
        .ok_or_else(|| Error::user("no device is present: build with `--features flex` to compute on the CPU"))
}

/// The device of a name; `asked` is its origin in errors.
fn select_by(name: &str, asked: &str) -> Result<(&'static str, Device)> {
    let Some((name, is_compiled)) = DEVICES.into_iter().find(|(known, _)| *known == name) else {
        let names = DEVICES.map(|(name, _)| name).join(", ");
        return Err(Error::user(format!("{asked}: there is no such device; it is one of {names}")));
    };
    if !is_compiled {
        let compiled = DEVICES.into_iter().filter(|(_, is_compiled)| *is_compiled);
        let compiled: Vec<&str> = compiled.map(|(name, _)| name).collect();
        return Err(Error::user(format!(
            "{asked}: not compiled in; build with `--features {name}` (compiled in: {})",
            compiled.join(", ")
        )));
    }
    match open(name, Wanted::Any) {
        Some(device) => Ok((name, device)),
        None => Err(Error::user(format!("{asked}: no such device is present on this machine"))),
    }
}

#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "wgpu"), allow(dead_code))]
enum Wanted {
    /// A GPU, not a processor that acts as one.
    Gpu,
    Any,
}

/// The first device of a name; none if not compiled in or not present.
fn open(name: &str, #[allow(unused_variables)] wanted: Wanted) -> Option<Device> {
    match name {
        #[cfg(feature = "cuda")]
        "cuda" => present(burn::tensor::DeviceType::Cuda).into_iter().next(),
        #[cfg(feature = "wgpu")]
        "wgpu" => present(burn::tensor::DeviceType::Wgpu).into_iter().find(|device| match wanted {
            Wanted::Any => true,
            Wanted::Gpu => *device != Device::wgpu(burn::tensor::DeviceKind::Cpu),
        }),
        #[cfg(feature = "flex")]
        "flex" => Some(Device::flex()),
        #[cfg(feature = "ndarray")]
        #[allow(deprecated)]
        "ndarray" => Some(Device::ndarray()),
        _ => None,
    }
}

/// Whether a device computes on the processor, where small parallel batches are as fast as a large
/// one.
#[allow(unused_variables)]
pub fn is_processor(device: &Device) -> bool {
    #[cfg(feature = "flex")]
    if *device == Device::flex() {
        return true;
    }
    #[cfg(feature = "ndarray")]
    #[allow(deprecated)]
    if *device == Device::ndarray() {
        return true;
    }
    false
}

/// The present devices of a type; none if a missing driver panics.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
fn present(kind: burn::tensor::DeviceType) -> Vec<Device> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let devices = std::panic::catch_unwind(|| Device::enumerate(kind).into_vec());
    std::panic::set_hook(hook);
    devices.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_device_is_refused_with_the_names_that_exist() {
        let error = select(Some("tpu")).unwrap_err().to_string();
        assert!(error.contains("--device tpu") && error.contains("cuda, wgpu, flex, ndarray"), "{error}");
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn a_device_that_is_not_compiled_in_is_refused_with_its_feature() {
        let error = select(Some("cuda")).unwrap_err().to_string();
        assert!(error.contains("--features cuda"), "{error}");
    }
}
