//! The compiled half of the Python package `matchq`; `python/matchq/_matchq.pyi` says what is here, for Python's users.

mod agent;
mod errors;
mod game_logic;
mod games;
mod moves;

use pyo3::prelude::*;

#[pymodule]
fn _matchq(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<agent::Agent>()?;
    module.add_class::<game_logic::GameLogic>()?;
    module.add_class::<games::Games>()?;
    module.add_function(wrap_pyfunction!(moves::action_of_move, module)?)?;
    module.add_function(wrap_pyfunction!(moves::move_of_action, module)?)?;
    module.add_function(wrap_pyfunction!(moves::action_mask, module)?)
}
