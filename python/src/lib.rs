//! The compiled half of the Python package `matchq`, described in `python/matchq/_matchq.pyi`.

mod agent;
mod codec;
mod errors;
mod game;
mod game_logic;
mod games;
mod player;
mod positions;
mod reading;
mod replay;
mod report;
mod values;
mod vector;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

#[pymodule]
fn _matchq(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("GAMES", PyTuple::new(module.py(), matchq_players::names())?)?;
    module.add_function(wrap_pyfunction!(errors::after_fork, module)?)?;
    module.add_class::<agent::Player>()?;
    module.add_class::<agent::Agent>()?;
    module.add_function(wrap_pyfunction!(agent::agents, module)?)?;
    module.add_function(wrap_pyfunction!(report::_compared, module)?)?;
    module.add_function(wrap_pyfunction!(replay::_replayed, module)?)?;
    module.add_function(wrap_pyfunction!(replay::_board_svg, module)?)?;
    module.add_class::<game_logic::GameLogic>()?;
    module.add_class::<games::Games>()?;
    module.add_class::<reading::Reading>()?;
    module.add_function(wrap_pyfunction!(reading::read_board, module)?)?;
    module.add_function(wrap_pyfunction!(codec::cells_of_move, module)?)?;
    module.add_function(wrap_pyfunction!(codec::moves_of_a_game, module)?)?;
    module.add_function(wrap_pyfunction!(codec::action_of_move, module)?)?;
    module.add_function(wrap_pyfunction!(codec::move_of_action, module)?)?;
    module.add_function(wrap_pyfunction!(codec::action_mask, module)?)?;
    module.add_function(wrap_pyfunction!(codec::encode, module)?)
}
