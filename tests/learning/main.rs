//! The learner on games small enough to compute by hand, resumed runs, the network, and the optimizer. One program, because
//! each test program links the whole of burn.

mod convolution;
mod foresight;
mod learner;
mod network;
mod optimizer;
mod probe_games;
mod resume;
