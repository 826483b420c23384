//! Loading programs on two CPUs.
//!
//! The kernel's verifier takes most of the time that Stride needs to start, and bpf(2) verifies one program at a time. So half of
//! the programs are loaded by a thread of their own, from an object of their own that uses the maps of the first object.

use crate::loading::object::{descriptor, new_ring, prepare, settings};
use crate::loading::relocate::{self, Types};
use crate::loading::specialize::{self, Constants};
use crate::ring::size::RingSize;
use crate::wire::{OpenStrideSkel, StrideSkel, StrideSkelBuilder};
use libbpf_rs::skel::OpenSkel;
use libbpf_rs::{Error, ErrorExt, MapHandle, Result};
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope, ScopedJoinHandle};

/// The maps of the first object in their order. `None`: the map is not used.
type Maps = Vec<Option<OwnedFd>>;

/// The programs that stay in the first object. Their verification takes about half of the time, with stacks and without.
const FIRST: [&str; 2] = ["on_sys_exit", "on_exit"];

/// A thread that finds the kernel's types, opens its object, and waits for the other maps; and one that makes the ring.
pub struct SecondLoader<'scope> {
    given: Sender<Given>,
    types: Receiver<Result<()>>,
    ring: ScopedJoinHandle<'scope, Result<MapHandle>>,
    thread: ScopedJoinHandle<'scope, Result<Loaded>>,
}

/// The parts of the first object that the thread needs.
struct Given {
    maps: Maps,
    /// The names of the programs to load.
    programs: Vec<OsString>,
    /// The contents of the map of settings.
    settings: Vec<u8>,
}

/// A thread that loads programs.
pub struct Loading<'scope>(ScopedJoinHandle<'scope, Result<Loaded>>);

struct Loaded(StrideSkel<'static>);

// SAFETY: libbpf's objects belong to no thread, and this one is handed over whole.
unsafe impl Send for Loaded {}

impl<'scope> SecondLoader<'scope> {
    /// `None`: there is one CPU, or no further thread.
    pub fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        types: Option<&'env Types>,
        ring: RingSize,
    ) -> Option<SecondLoader<'scope>> {
        if thread::available_parallelism().map_or(1, usize::from) < 2 {
            return None;
        }
        let (given, taken) = channel();
        let (found, types_found) = channel();
        let run = move || {
            let _ = found.send(types.map_or(Ok(()), Types::find).map_err(Error::from));
            load(types, &taken)
        };
        // (The ring's pages take some milliseconds.)
        let ring = thread::Builder::new().spawn_scoped(scope, move || new_ring(ring)).ok()?;
        let thread = thread::Builder::new().spawn_scoped(scope, run).ok()?;
        Some(SecondLoader { given, types: types_found, ring, thread })
    }

    /// Makes the first object's maps, and has the thread load those programs that the first object then need not load.
    pub fn begin(self, first: &mut OpenStrideSkel<'_>) -> Result<Loading<'scope>> {
        let mut programs = Vec::new();
        for mut program in first.open_object_mut().progs_mut() {
            if program.autoload() && FIRST.iter().all(|name| program.name() != *name) {
                programs.push(program.name().to_owned());
                program.set_autoload(false);
            }
        }
        // (Nothing comes from a thread that has panicked.)
        self.types.recv().unwrap_or_else(|_| Err(Error::from_raw_os_error(libc::ECANCELED)))?;
        let ring = self.ring.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        first.maps.ring.reuse_fd(ring.as_fd())?;
        prepare(first)?;
        let fds = first.open_object().maps().map(|map| {
            if !map.autocreate() {
                return Ok(None);
            }
            // SAFETY: the map was just made, and its descriptor stays open while the object is borrowed.
            let fd = unsafe { BorrowedFd::borrow_raw(descriptor(&map)) };
            let shared = fd.try_clone_to_owned().map(Some).map_err(Error::from);
            shared.map_err(|error| sharing_failed(map.name(), error))
        });
        let maps = fds.collect::<Result<Maps>>()?;
        let settings = settings(first).map(|settings| settings.bytes).unwrap_or_default();
        // If the thread has failed, it says why at the end.
        let _ = self.given.send(Given { maps, programs, settings });
        Ok(Loading(self.thread))
    }
}

/// The error with the name of the map, as libbpf writes it.
fn sharing_failed(name: &OsStr, error: Error) -> Error {
    let text = format!("map '{}': failed to share: {error}", name.display());
    error.context(text)
}

impl Loading<'_> {
    pub fn join(self) -> Result<StrideSkel<'static>> {
        let loaded = self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        loaded.map(|Loaded(skel)| skel)
    }
}

fn load(types: Option<&Types>, given: &Receiver<Given>) -> Result<Loaded> {
    let mut open = relocate::open(types, StrideSkelBuilder::default())?;
    // The first object has failed if nothing comes.
    let Given { maps, programs, settings: bytes } =
        given.recv().map_err(|_| Error::from_raw_os_error(libc::ECANCELED))?;
    for mut program in open.open_object_mut().progs_mut() {
        let is_ours = programs.iter().any(|name| program.name() == name);
        program.set_autoload(is_ours);
    }
    for (mut map, fd) in open.open_object_mut().maps_mut().zip(maps) {
        match fd {
            Some(fd) => map.reuse_fd(fd.as_fd()).map_err(|error| sharing_failed(map.name(), error))?,
            None => map.set_autocreate(false)?,
        }
    }
    let settings = Constants { map: descriptor(&open.maps.rodata), bytes };
    specialize::with(Some(settings), || open.load()).map(Loaded)
}
