//! The line of a call in the trace.

use rustc_hash::FxHashSet;
use stride_event::{Event, Tid};

/// Counts the lines that the text view writes: one for most events, two for a call that another thread's line cuts in
/// two.
#[derive(Default)]
pub struct Lines {
    written: u64,
    /// The thread whose line has begun and not ended yet.
    open: Option<Tid>,
    /// Threads whose call is shown as unfinished.
    cut: FxHashSet<Tid>,
}

impl Lines {
    /// The line, counted from 1, on which this event is shown or begins.
    pub fn of(&mut self, event: &Event<'_>) -> u64 {
        match *event {
            Event::Enter(call) => {
                self.interrupt();
                self.open = Some(call.tid);
                self.written + 1
            }
            Event::Exit(call) if self.open == Some(call.tid) => {
                self.open = None;
                self.whole()
            }
            Event::Exit(call) => {
                self.cut.remove(&call.tid);
                self.interrupt();
                self.whole()
            }
            Event::Signal { .. }
            | Event::Stopped { .. }
            | Event::Exited { .. }
            | Event::Killed { .. }
            | Event::Superseded { .. } => {
                self.interrupt();
                self.whole()
            }
            _ => self.written,
        }
    }

    fn whole(&mut self) -> u64 {
        self.written += 1;
        self.written
    }

    fn interrupt(&mut self) {
        if let Some(tid) = self.open.take() {
            self.cut.insert(tid);
            self.written += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::Call;

    #[test]
    fn cut_lines_count_twice() {
        let of = |tid| Call { tid, ..Call::default() };
        let (one, two) = (of(1), of(2));
        let mut lines = Lines::default();
        assert_eq!(lines.of(&Event::Exit(&one)), 1);
        assert_eq!(lines.of(&Event::Enter(&one)), 2);
        assert_eq!(lines.of(&Event::Exit(&one)), 2);
        assert_eq!(lines.of(&Event::Enter(&one)), 3);
        assert_eq!(lines.of(&Event::Exit(&two)), 4, "the first is unfinished on 3");
        assert_eq!(lines.of(&Event::Exit(&one)), 5);
    }
}
