//! The devices that are compiled in, by the name of their feature.

use burn::tensor::Device;

use crate::error::{Error, Result};

/// The names of all devices that can be compiled in, in the order in which they are preferred.
const NAMES: [&str; 4] = ["cuda", "wgpu", "flex", "ndarray"];

/// The device of that name; without a name the first GPU that is compiled in and present, else the CPU.
///
/// # Errors
/// A name that does not exist, a device that is not compiled in (naming the feature) or not present.
pub fn select(name: Option<&str>) -> Result<(&'static str, Device)> {
    match name {
        None => NAMES
            .iter()
            .find_map(|name| Some((*name, open(name)??)))
            .ok_or_else(|| Error::user("no device is present: compile with `--features flex` to train on the CPU")),
        Some(name) => {
            let name = NAMES.into_iter().find(|known| *known == name).ok_or_else(|| {
                Error::user(format!("--device {name}: there is no such device; it is one of {}", NAMES.join(", ")))
            })?;
            match open(name) {
                Some(Some(device)) => Ok((name, device)),
                Some(None) => Err(Error::user(format!(
                    "--device {name}: no such device is present on this machine; leave the flag out to use {}",
                    present().join(" or ")
                ))),
                None => Err(Error::user(format!(
                    "--device {name}: not compiled in; build with `--features {name}` (compiled in: {})",
                    compiled().join(", ")
                ))),
            }
        }
    }
}

/// The devices compiled into this program.
pub fn compiled() -> Vec<&'static str> {
    NAMES.into_iter().filter(|name| open_is_compiled(name)).collect()
}

fn present() -> Vec<&'static str> {
    NAMES.into_iter().filter(|name| matches!(open(name), Some(Some(_)))).collect()
}

fn open_is_compiled(name: &str) -> bool {
    match name {
        "cuda" => cfg!(feature = "cuda"),
        "wgpu" => cfg!(feature = "wgpu"),
        "flex" => cfg!(feature = "flex"),
        _ => cfg!(feature = "ndarray"),
    }
}

/// `None`: not compiled in; `Some(None)`: compiled in but not present.
fn open(name: &str) -> Option<Option<Device>> {
    match name {
        #[cfg(feature = "cuda")]
        "cuda" => Some(first_present(burn::tensor::DeviceType::Cuda)),
        #[cfg(feature = "wgpu")]
        "wgpu" => Some(first_present(burn::tensor::DeviceType::Wgpu)),
        #[cfg(feature = "flex")]
        "flex" => Some(Some(Device::flex())),
        #[cfg(feature = "ndarray")]
        #[allow(deprecated)]
        "ndarray" => Some(Some(Device::ndarray())),
        _ => None,
    }
}

/// The first device of a kind. A missing driver can make the look itself panic, which means that there is none.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
fn first_present(kind: burn::tensor::DeviceType) -> Option<Device> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let devices = std::panic::catch_unwind(|| Device::enumerate(kind).into_vec());
    std::panic::set_hook(hook);
    devices.ok()?.into_iter().next()
}
