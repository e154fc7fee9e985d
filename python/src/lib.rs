//! matchq from Python.
use pyo3::prelude::*;

#[pymodule]
fn _matchq(_module: &Bound<'_, PyModule>) -> PyResult<()> {
    Ok(())
}
