//! The views that write recordings: `--record` and `--flight`.

mod asking;
mod beginning;
mod flight;
mod record;

pub use asking::Asking;
pub use flight::FlightRecorder;
pub use record::Recording;
