//! Work that is done in a thread of its own from time to time, and a last time at the end.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;
use stride_engine_base::signal::without_signals;

pub struct Periodic<T> {
    stop: Sender<()>,
    result: Receiver<T>,
}

/// The work.
pub trait Task: Send + 'static {
    /// Facts that are left to tell at the end.
    type Result: Send + 'static;

    fn first_wait(&self) -> Duration;
    /// Returns how long to wait until it is done again.
    fn again(&mut self) -> Duration;
    fn last(self) -> Self::Result;
}

impl<T: Send + 'static> Periodic<T> {
    pub fn start(mut task: impl Task<Result = T>) -> io::Result<Periodic<T>> {
        let (stop, stopped) = channel();
        let (tell, result) = channel();
        let run = move || {
            let mut wait = task.first_wait();
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = task.again();
            }
            let _ = tell.send(task.last());
        };
        without_signals(|| thread::Builder::new().name("stride-export".into()).spawn(run))?;
        Ok(Periodic { stop, result })
    }

    /// Has the work done a last time, and waits for that, but no longer than this. `None`: it was not done by then, or has failed.
    pub fn end(self, longest: Duration) -> Option<T> {
        drop(self.stop);
        self.result.recv_timeout(longest).ok()
    }
}
