//! The picture of the model: the lines above the table, the table, and the list of keys.

pub mod colors;
pub mod curve;
pub mod draw;
pub mod head;
pub mod help;
pub mod table;
