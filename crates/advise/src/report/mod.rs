//! The results of rules: findings, and sentences that keep the numbers in them.

pub mod finding;
pub mod quantity;
pub mod statement;
pub mod trial;
