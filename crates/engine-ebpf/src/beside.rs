//! Loading the largest program beside the others.
//!
//! The kernel's verifier takes most of the time that Stride needs to start, and bpf(2) verifies one program at a time. So the program on
//! `sys_exit` is loaded by a thread of its own, from an object of its own that uses the maps of the first object.

use crate::relocate::{self, Types};
use crate::wire::{OpenStrideSkel, StrideSkel, StrideSkelBuilder};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{AsRawLibbpf, Error, Result, libbpf_sys};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope, ScopedJoinHandle};

/// The maps of the first object in their order. `None`: the map is not used.
type Maps = Vec<Option<OwnedFd>>;

/// A thread that waits for the maps.
pub struct Beside<'scope> {
    maps: Sender<Maps>,
    thread: ScopedJoinHandle<'scope, Result<Loaded>>,
}

/// A thread that loads the program.
pub struct Loading<'scope>(ScopedJoinHandle<'scope, Result<Loaded>>);

struct Loaded(StrideSkel<'static>);

// SAFETY: libbpf's objects belong to no thread, and this one is handed over whole.
unsafe impl Send for Loaded {}

impl<'scope> Beside<'scope> {
    /// `None`: there is one CPU, or no further thread.
    pub fn start<'env>(scope: &'scope Scope<'scope, 'env>, types: Option<&'env Types>) -> Option<Beside<'scope>> {
        if thread::available_parallelism().map_or(1, usize::from) < 2 {
            return None;
        }
        let (maps, given) = channel();
        let thread = thread::Builder::new().spawn_scoped(scope, move || load(types, &given)).ok()?;
        Some(Beside { maps, thread })
    }

    /// Makes the first object's maps, and has the thread load the program with them.
    pub fn load(self, first: &OpenStrideSkel<'_>) -> Result<Loading<'scope>> {
        let object = first.open_object();
        // SAFETY: the object is open, and nobody else uses it meanwhile.
        let prepared = unsafe { libbpf_sys::bpf_object__prepare(object.as_libbpf_object().as_ptr()) };
        if prepared != 0 {
            return Err(Error::from_raw_os_error(-prepared));
        }
        let fds = object.maps().map(|map| {
            if !map.autocreate() {
                return Ok(None);
            }
            // SAFETY: the map was just made, and its descriptor stays open while the object is borrowed.
            let fd = unsafe { BorrowedFd::borrow_raw(libbpf_sys::bpf_map__fd(map.as_libbpf_object().as_ptr())) };
            fd.try_clone_to_owned().map(Some).map_err(Error::from)
        });
        let fds = fds.collect::<Result<Maps>>()?;
        // If the thread has failed, it says why at the end.
        let _ = self.maps.send(fds);
        Ok(Loading(self.thread))
    }
}

impl Loading<'_> {
    pub fn join(self) -> Result<StrideSkel<'static>> {
        let loaded = self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        loaded.map(|Loaded(skel)| skel)
    }
}

fn load(types: Option<&Types>, given: &Receiver<Maps>) -> Result<Loaded> {
    // As the first object's, these few words are never freed.
    let object = Box::leak(Box::new(MaybeUninit::uninit()));
    let mut builder = StrideSkelBuilder::default();
    relocate::by(types, &mut builder);
    let mut open = builder.open(object)?;
    for mut prog in open.open_object_mut().progs_mut() {
        let is_ours = prog.name() == "on_sys_exit";
        prog.set_autoload(is_ours);
    }
    // The first object has failed if there are none.
    let maps = given.recv().map_err(|_| Error::from_raw_os_error(libc::ECANCELED))?;
    for (mut map, fd) in open.open_object_mut().maps_mut().zip(maps) {
        match fd {
            Some(fd) => map.reuse_fd(fd.as_fd())?,
            None => map.set_autocreate(false)?,
        }
    }
    open.load().map(Loaded)
}
