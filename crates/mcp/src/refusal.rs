//! Errors that a client can act on.

/// An answer that says no: the facts, the reason, and the next step.
#[derive(Debug)]
pub struct Refusal {
    fact: String,
    reason: String,
    next: String,
}

impl Refusal {
    pub fn new(fact: impl Into<String>, reason: impl Into<String>, next: impl Into<String>) -> Refusal {
        Refusal { fact: fact.into(), reason: reason.into(), next: next.into() }
    }

    pub fn text(&self) -> String {
        format!("{}: {}. {}.", self.fact, self.reason.trim_end_matches('.'), self.next.trim_end_matches('.'))
    }
}

/// The request was cancelled, or the client is gone: nobody reads this.
pub fn cancelled() -> Refusal {
    Refusal::new("The request was cancelled", "the client said so, or went away", "Ask again")
}
