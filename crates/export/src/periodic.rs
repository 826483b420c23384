//! Work that is done in a thread of its own from time to time, and a last time at the end.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use stride_engine_base::signal::without_signals;

pub struct Periodic<T> {
    stop: Sender<()>,
    thread: JoinHandle<T>,
}

/// What is done.
pub trait Task: Send + 'static {
    /// What is left to tell at the end.
    type Result: Send + 'static;

    fn again(&mut self);
    fn last(self) -> Self::Result;
}

impl<T: Send + 'static> Periodic<T> {
    pub fn start(every: Duration, mut task: impl Task<Result = T>) -> io::Result<Periodic<T>> {
        let (stop, stopped) = channel();
        let run = move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                task.again();
            }
            task.last()
        };
        let thread = without_signals(|| thread::Builder::new().name("stride-export".into()).spawn(run))?;
        Ok(Periodic { stop, thread })
    }

    /// Does the work a last time, and waits for that.
    pub fn end(self) -> T {
        drop(self.stop);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
