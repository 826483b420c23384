//! Clocks and timers.
