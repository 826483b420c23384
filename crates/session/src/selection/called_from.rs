//! `--called-from`: the choice of calls by their stacks.

use stride_event::quantity::count;
use stride_event::{Call, Outcome, PerStack};
use stride_filter::FramePattern;
use stride_syscalls::Effect;

pub struct CalledFrom {
    pattern: FramePattern,
    known: PerStack<Choice>,
    /// Calls that were left out although their stacks are not known as a whole.
    unsure: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Chosen,
    LeftOut,
    /// No known frame matches, and some frames are not known.
    Unsure,
}

impl CalledFrom {
    pub fn new(pattern: FramePattern) -> CalledFrom {
        CalledFrom { pattern, known: PerStack::default(), unsure: 0 }
    }

    /// True if a function that the pattern names led to the call. A call keeps the stack of its entry. If that is not known at the
    /// entry, only the return decides.
    pub fn led_to(&mut self, call: &Call) -> bool {
        let choice = match &call.stack {
            None => Choice::Unsure,
            Some(stack) => *self.known.get(stack, |stack| match stack.is_whole() {
                _ if self.pattern.matches(stack) => Choice::Chosen,
                true => Choice::LeftOut,
                false => Choice::Unsure,
            }),
        };
        let returned = matches!(call.outcome, Outcome::Value(_) | Outcome::Error(_));
        // The command's own execve has no stack.
        let is_start = || call.stack.is_none() && call.row().is_some_and(|row| row.has_effect(Effect::Executes));
        if choice == Choice::Unsure && returned && !is_start() {
            self.unsure += 1;
        }
        choice == Choice::Chosen
    }

    /// A sentence about calls for which the choice is not certain.
    pub fn uncertainty(&self) -> Option<String> {
        (self.unsure > 0).then(|| {
            let calls = count(self.unsure, "call was", "calls were");
            format!("--called-from: {calls} left out of which the stack is not known, or only in part; a matching function may have led there")
        })
    }
}
