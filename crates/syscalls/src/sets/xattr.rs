//! Extended attributes.
