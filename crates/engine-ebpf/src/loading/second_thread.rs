//! Loading programs on two CPUs.
//!
//! The kernel's verifier takes most of the time that Stride needs to start, and bpf(2) verifies one program at a time. So a second thread loads
//! programs of the same object, too. Each of the two threads takes the largest one that is left.

use crate::loading::object::{SMALLEST_RING, new_ring, prepare, put, settings};
use crate::loading::raw::{RawProgram, RawPrograms, Unloaded};
use crate::loading::relocate::Types;
use crate::loading::specialize::Constants;
use crate::ring::size::RingSize;
use crate::wire::OpenStrideSkel;
use libbpf_rs::skel::OpenSkel;
use libbpf_rs::{Error, MapHandle, Result};
use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

/// A thread that finds the kernel's types, makes the ring, and then loads programs.
pub struct SecondThread<'scope> {
    given: Sender<Arc<Work>>,
    types: Receiver<Result<()>>,
    ring: Receiver<Result<MapHandle>>,
    thread: ScopedJoinHandle<'scope, Result<Vec<RawProgram>>>,
}

/// The programs that no thread has taken yet. The largest is the last.
struct Work {
    left: Mutex<Vec<Unloaded>>,
    settings: Constants,
}

/// Programs that are being loaded.
pub struct Loading<'scope> {
    work: Arc<Work>,
    thread: Option<ScopedJoinHandle<'scope, Result<Vec<RawProgram>>>>,
}

impl<'scope> SecondThread<'scope> {
    /// `None`: there is one CPU, or no further thread.
    pub fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        types: Option<&'env Types>,
        ring: RingSize,
    ) -> Option<SecondThread<'scope>> {
        if thread::available_parallelism().map_or(1, usize::from) < 2 {
            return None;
        }
        let (given, taken) = channel::<Arc<Work>>();
        let ((found, types_found), (made, ring_made)) = (channel(), channel());
        let run = move || {
            let _ = found.send(types.map_or(Ok(()), Types::find).map_err(Error::from));
            // (The ring's pages take some milliseconds. They are needed last.)
            let _ = made.send(new_ring(ring));
            // The first thread has failed if nothing comes.
            taken.recv().map_or_else(|_| Ok(Vec::new()), |work| work.load())
        };
        let thread = thread::Builder::new().spawn_scoped(scope, run).ok()?;
        Some(SecondThread { given, types: types_found, ring: ring_made, thread })
    }
}

/// What the other thread has sent. (Nothing comes from one that has panicked.)
fn received<T>(from: &Receiver<Result<T>>) -> Result<T> {
    from.recv().unwrap_or_else(|_| Err(Error::from_raw_os_error(libc::ECANCELED)))
}

/// Prepares the object: makes its maps, and finds the addresses in its programs. From then on, a second thread, if there is one, loads those programs
/// that need no libbpf. libbpf loads the others. `at_once`: the programs that are attached by the thread that has loaded them. (Attaching stops all CPUs for a moment several
/// times, for which the thread waits, and so takes a fifth of a millisecond or more.)
pub fn begin<'scope>(
    open: &mut OpenStrideSkel<'_>,
    types: Option<&Types>,
    second: Option<SecondThread<'scope>>,
    at_once: impl Fn(&OsStr) -> bool,
) -> Result<Loading<'scope>> {
    match &second {
        None => types.map_or(Ok(()), Types::find)?,
        Some(second) => {
            received(&second.types)?;
            // The ring that the other thread makes comes in the place of this one. Programs name only the place.
            open.maps.ring.set_max_entries(SMALLEST_RING)?;
        }
    }
    prepare(open)?;
    if let Some(second) = &second {
        put(&open.maps.ring, received(&second.ring)?.as_fd())?;
    }
    let settings = settings(open).ok_or_else(|| Error::from_raw_os_error(libc::ENOENT))?;
    let left = Mutex::new(Unloaded::take(open.open_object_mut(), at_once));
    let work = Arc::new(Work { left, settings });
    let thread = second.map(|SecondThread { given, thread, .. }| {
        // If the thread has failed, it says why at the end.
        let _ = given.send(Arc::clone(&work));
        thread
    });
    Ok(Loading { work, thread })
}

impl Work {
    /// Loads programs until none are left. Then attaches what it has loaded, while the other thread may still load. (Not before: soon after another run, the kernel has
    /// a thread that attaches wait until all CPUs have seen that run's end.)
    fn load(&self) -> Result<Vec<RawProgram>> {
        let mut loaded = Vec::new();
        while let Some(program) = self.take() {
            // (After an error, the other thread need not load any either.)
            loaded.push(program.load(&self.settings).inspect_err(|_| self.end())?);
        }
        loaded.iter_mut().try_for_each(RawProgram::attach_at_once)?;
        Ok(loaded)
    }

    fn take(&self) -> Option<Unloaded> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn end(&self) {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Loading<'_> {
    /// Loads what is left, and waits for the other thread.
    pub fn finish(mut self) -> Result<RawPrograms> {
        let own = self.work.load();
        let others = self.thread.take().map(|thread| thread.join());
        let others = others.map(|joined| joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        let mut all = own?;
        all.extend(others.transpose()?.unwrap_or_default());
        Ok(RawPrograms(all))
    }
}

impl Drop for Loading<'_> {
    fn drop(&mut self) {
        self.work.end();
    }
}
