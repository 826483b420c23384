//! Delivers the files of a spool, from a thread of its own.

use crate::address::StoreAddress;
use crate::client::StoreClient;
use crate::failure::StoreFailure;
use crate::spool::SpooledFile;
use crate::upload::{Upload, UploadStep};
use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};
use stride_engine_base::signal::without_signals;

/// The time between two looks at the reasons to end the wait at the end.
const PAUSE: Duration = Duration::from_millis(50);
/// When all is given up, the request that is under way may take so long. (The thread is left behind then.)
const LAST_TIME: Duration = Duration::from_secs(2);

/// The waits after failures that follow one another. Each is twice as long as the one before.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    pub first: Duration,
    pub longest: Duration,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff { first: Duration::from_millis(250), longest: Duration::from_secs(15) }
    }
}

pub struct Delivery {
    shared: Arc<Shared>,
    address: StoreAddress,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// In the order of delivery. The first one stays until the store has it.
    waiting: VecDeque<SpooledFile>,
    delivered: DeliveryEnd,
    /// No more files come.
    is_last: bool,
    given_up: bool,
    /// The thread has ended.
    over: bool,
    /// The failure of the last request, if it failed.
    failure: Option<StoreFailure>,
    /// The time of the last request that succeeded.
    success: Option<Instant>,
    remark: Option<String>,
}

/// The facts to tell at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryEnd {
    pub files: u64,
    pub bytes: u64,
    /// Requests that failed and were made again.
    pub again: u64,
    /// Files that are still in the spool.
    pub left: Vec<SpooledFile>,
    /// Why they are.
    pub why: Option<String>,
}

/// The facts to tell meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryState {
    pub delivered: u64,
    pub delivered_bytes: u64,
    /// Files that wait, with the one that is under way.
    pub waiting: usize,
    pub waiting_bytes: u64,
    /// Requests that failed so far.
    pub failed: u64,
    /// The last request failed.
    pub failure: Option<StoreFailure>,
}

impl DeliveryEnd {
    pub fn left_bytes(&self) -> u64 {
        self.left.iter().map(|file| file.bytes).sum()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, longest: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, longest).map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state)
    }
}

impl Delivery {
    pub fn start(client: StoreClient, spool: PathBuf, backoff: Backoff) -> io::Result<Delivery> {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() });
        let of_thread = shared.clone();
        let address = client.address().clone();
        let run = move || {
            deliver_all(&client, &spool, backoff, &of_thread);
            of_thread.lock().over = true;
            of_thread.changed.notify_all();
        };
        without_signals(|| Builder::new().name("stride-store".into()).spawn(run))?;
        Ok(Delivery { shared, address })
    }

    pub fn address(&self) -> &StoreAddress {
        &self.address
    }

    pub fn state(&self) -> DeliveryState {
        let state = self.shared.lock();
        DeliveryState {
            delivered: state.delivered.files,
            delivered_bytes: state.delivered.bytes,
            waiting: state.waiting.len(),
            waiting_bytes: state.waiting.iter().map(|file| file.bytes).sum(),
            failed: state.delivered.again,
            failure: state.failure.clone(),
        }
    }

    /// Hands over a file that is complete.
    pub fn add(&self, file: SpooledFile) {
        self.shared.lock().waiting.push_back(file);
        self.shared.changed.notify_all();
    }

    /// The bytes that wait to be delivered.
    pub fn waiting(&self) -> u64 {
        self.shared.lock().waiting.iter().map(|file| file.bytes).sum()
    }

    /// Waits until less than this waits to be delivered. The error says why that takes too long.
    pub fn wait_until_below(&self, bytes: u64, longest: Duration) -> Result<(), StoreFailure> {
        let began = Instant::now();
        let mut state = self.shared.lock();
        while state.waiting.iter().map(|file| file.bytes).sum::<u64>() >= bytes {
            if state.over || is_over(&state, began, longest) {
                return Err(state.failure.clone().unwrap_or_else(|| StoreFailure::passing("it takes too long")));
            }
            state = self.shared.wait(state, PAUSE);
        }
        Ok(())
    }

    /// Something that the user should know now.
    pub fn take_remark(&self) -> Option<String> {
        self.shared.lock().remark.take()
    }

    /// Waits until all is delivered. That ends if nothing succeeds for `longest`, if a failure lasts, or if `stop` says so. `tell` is
    /// called from time to time with the bytes that wait.
    pub fn end(&self, longest: Duration, mut stop: impl FnMut() -> bool, mut tell: impl FnMut(u64)) -> DeliveryEnd {
        let began = Instant::now();
        let mut state = self.shared.lock();
        state.is_last = true;
        // A failure of long ago does not decide.
        state.failure = None;
        self.shared.changed.notify_all();
        while !state.over {
            let lasts = state.failure.as_ref().is_some_and(|failure| failure.lasts);
            if lasts || is_over(&state, began, longest) || stop() {
                break;
            }
            tell(state.waiting.iter().map(|file| file.bytes).sum());
            state = self.shared.wait(state, PAUSE);
        }
        state.given_up = true;
        self.shared.changed.notify_all();
        let until = Instant::now() + LAST_TIME;
        while !state.over && Instant::now() < until {
            state = self.shared.wait(state, PAUSE);
        }
        let mut ended = std::mem::take(&mut state.delivered);
        ended.left = state.waiting.drain(..).collect();
        let failure = state.failure.take().map(|failure| failure.why);
        ended.why = (!ended.left.is_empty()).then(|| failure.unwrap_or_else(|| "the wait was ended".into()));
        ended
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.given_up = true;
        self.shared.changed.notify_all();
    }
}

fn is_over(state: &State, began: Instant, longest: Duration) -> bool {
    let since = state.success.map_or(began, |success| success.max(began));
    since.elapsed() > longest
}

fn deliver_all(client: &StoreClient, spool: &Path, backoff: Backoff, shared: &Shared) {
    loop {
        let mut state = shared.lock();
        let file = loop {
            match state.waiting.front() {
                _ if state.given_up => return,
                Some(file) => break file.clone(),
                None if state.is_last => return,
                None => state = shared.wait(state, backoff.longest),
            }
        };
        drop(state);
        if !deliver(client, spool, &file, backoff, shared) {
            return;
        }
    }
}

/// Delivers one file. Returns false if it was given up.
fn deliver(client: &StoreClient, spool: &Path, file: &SpooledFile, backoff: Backoff, shared: &Shared) -> bool {
    let mut upload = None;
    let mut wait = backoff.first;
    loop {
        let step = match &mut upload {
            Some(upload) => Upload::step(upload),
            None => match Upload::open(client, spool, file) {
                Ok(opened) => Upload::step(upload.insert(opened)),
                Err(error) => Err(StoreFailure::lasting(stride_output::why(&error))),
            },
        };
        let mut state = shared.lock();
        match step {
            Ok(done) => {
                state.failure = None;
                state.success = Some(Instant::now());
                wait = backoff.first;
                if done == UploadStep::Done {
                    // (Removed before it is forgotten: a file that is told as left is there.)
                    if !state.given_up {
                        let _ = fs::remove_file(spool.join(&file.below));
                        state.waiting.pop_front();
                        state.delivered.files += 1;
                        state.delivered.bytes += file.bytes;
                        shared.changed.notify_all();
                    }
                    return true;
                }
            }
            Err(failure) => {
                if state.delivered.again == 0 {
                    state.remark = Some(format!("{}: {}", client.address(), failure.why));
                }
                state.delivered.again += 1;
                state.failure = Some(failure);
                shared.changed.notify_all();
                // The end is a reason to try once more at once.
                let (until, was_last) = (Instant::now() + wait, state.is_last);
                wait = (wait * 2).min(backoff.longest);
                while Instant::now() < until && !state.given_up && state.is_last == was_last {
                    state = shared.wait(state, until.saturating_duration_since(Instant::now()));
                }
            }
        }
        if state.given_up {
            drop(state);
            upload.iter_mut().for_each(Upload::give_up);
            return false;
        }
    }
}
