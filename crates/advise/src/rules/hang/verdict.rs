//! Why threads wait, in a sentence.

use crate::report::statement::Statement;

pub struct Verdict {
    pub sentence: Statement,
    pub advice: &'static str,
}

/// For threads of one process that wait for each other.
pub const WAKE_OTHERS: &str = "Look at what the threads wait for, and who should have told them. A thread that ends, or fails, has to wake those that wait for its results: \
                               close the queue, release what it holds, signal the end.";
