//! Differences that are known and stay, with the reasons. Each rule is about a kind of text, and a few about one call.

mod impossible;
mod memory;
mod shape;
mod text;

use crate::places::{Explained, Places, Rule};

const RULES: [&[Rule]; 4] = [text::RULES, memory::RULES, shape::RULES, impossible::RULES];

/// Explains the difference, if it is known.
pub fn explained(places: &Places<'_>) -> Option<Explained> {
    RULES.iter().flat_map(|rules| rules.iter()).find_map(|rule| rule(places))
}
