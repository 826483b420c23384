//! Processes: creation, execution, end.
