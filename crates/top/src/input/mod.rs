//! The keys: how each changes the model, and how Tab completes an expression.

pub mod complete;
pub mod keys;
