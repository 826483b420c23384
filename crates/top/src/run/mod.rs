//! The two threads of the view, the messages between them, and the terminal.

pub mod sampler;
pub mod terminal;
pub mod ui;
pub mod view;
