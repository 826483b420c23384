//! The two threads of the view, what goes from one to the other, and the terminal.

pub mod sampler;
pub mod terminal;
pub mod ui;
pub mod view;
