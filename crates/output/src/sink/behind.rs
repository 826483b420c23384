//! A thread that writes full buffers while more lines are made.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// The full buffers, at most: one that is being written, and one that waits.
const FULL: usize = 2;

/// The bytes of the thread's stack. Buffers are not on the stack.
const STACK: usize = 256 << 10;

pub struct WriteBehind {
    /// None once the thread shall end.
    full: Option<SyncSender<Vec<u8>>>,
    /// For each full buffer, the empty one, or an error. Then the thread has ended.
    empty: Receiver<io::Result<Vec<u8>>>,
    /// The full buffers that are not written yet.
    waiting: usize,
    thread: Option<JoinHandle<()>>,
}

impl WriteBehind {
    /// Starts the thread. If there can be none, the output comes back.
    pub fn start(to: Box<dyn Write + Send>) -> Result<WriteBehind, Box<dyn Write + Send>> {
        let (full, buffers) = sync_channel(FULL);
        let (give_back, empty) = channel();
        let (hand_over, output) = sync_channel::<Box<dyn Write + Send>>(1);
        let run = move || {
            let Ok(mut to) = output.recv() else { return };
            for buffer in buffers {
                let result = put(&mut *to, buffer);
                let failed = result.is_err();
                if give_back.send(result).is_err() || failed {
                    return;
                }
            }
        };
        match Builder::new().name("stride-write".into()).stack_size(STACK).spawn(run) {
            Ok(thread) => {
                hand_over.send(to).map_err(|unsent| unsent.0)?;
                Ok(WriteBehind { full: Some(full), empty, waiting: 0, thread: Some(thread) })
            }
            Err(_) => Err(to),
        }
    }

    /// Hands over a copy of the buffer, and clears it. The error may be that of an earlier buffer.
    ///
    /// The copy leaves the buffer in the cache of this CPU. A buffer that comes back from another CPU is slow to fill, line by line.
    pub fn write(&mut self, buffer: &mut Vec<u8>) -> io::Result<()> {
        let mut copy = if self.waiting < FULL { Vec::new() } else { self.one_written()? };
        copy.extend_from_slice(buffer);
        buffer.clear();
        self.waiting += 1;
        self.full.as_ref().and_then(|full| full.send(copy).ok()).map_or_else(|| self.flush(), Ok)
    }

    /// Waits until all is written.
    pub fn flush(&mut self) -> io::Result<()> {
        while self.waiting > 0 {
            self.one_written()?;
        }
        Ok(())
    }

    fn one_written(&mut self) -> io::Result<Vec<u8>> {
        self.waiting -= 1;
        self.empty
            .recv()
            .unwrap_or_else(|_| Err(io::Error::other("the thread that writes has panicked; please report this")))
    }
}

/// Full buffers are written even if the run breaks off.
impl Drop for WriteBehind {
    fn drop(&mut self) {
        self.full = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn put(to: &mut dyn Write, mut buffer: Vec<u8>) -> io::Result<Vec<u8>> {
    to.write_all(&buffer).and_then(|()| to.flush())?;
    buffer.clear();
    Ok(buffer)
}
