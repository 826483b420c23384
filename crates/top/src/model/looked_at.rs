//! The table that the user looks at: its calls, its order, and the chosen row.

use super::sample::SampleKey;
use super::scope::TopScope;
use super::tables::{Sort, Tab};

/// A table that is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    pub tab: Tab,
    pub scope: TopScope,
    pub sort: Sort,
    pub reversed: bool,
    /// The chosen row stays chosen when others overtake it.
    pub chosen: Option<SampleKey>,
    /// The first row that is shown.
    pub first: usize,
}

impl Screen {
    pub fn new(tab: Tab, scope: TopScope) -> Screen {
        let sort = match tab {
            Tab::Slowest | Tab::Waits => Sort::Longest,
            Tab::Errors => Sort::Errors,
            _ => Sort::Calls,
        };
        Screen { tab, scope, sort, reversed: false, chosen: None, first: 0 }
    }
}
