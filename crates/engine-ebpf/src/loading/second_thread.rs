//! Loading programs on two CPUs.
//!
//! The kernel's verifier takes most of the time that Stride needs to start, and bpf(2) verifies one program at a time. So half of
//! the programs are loaded by a thread of their own, from an object of their own that uses the maps of the first object.

use crate::loading::relocate::{self, Types};
use crate::loading::specialize::{self, Constants};
use crate::ring::size::RingSize;
use crate::wire::{OpenStrideSkel, StrideSkel, StrideSkelBuilder};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{AsRawLibbpf, Error, ErrorExt, MapCore, MapHandle, MapType, Object, Result, libbpf_sys};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope, ScopedJoinHandle};

/// The maps of the first object in their order. `None`: the map is not used.
type Maps = Vec<Option<OwnedFd>>;

/// The programs that stay in the first object. Their verification takes about half of the time, with stacks and without.
const FIRST: [&str; 2] = ["on_sys_exit", "on_exit"];

/// A thread that makes the ring, opens its object, and waits for the other maps.
pub struct SecondLoader<'scope> {
    given: Sender<Given>,
    ring: Receiver<Result<MapHandle>>,
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
        let (made, expected) = channel();
        let run = move || {
            let found = types.map_or(Ok(()), Types::find).map_err(Error::from);
            // (Its pages take some milliseconds.)
            let _ = made.send(found.and_then(|()| new_ring(ring)));
            load(types, &taken)
        };
        let thread = thread::Builder::new().spawn_scoped(scope, run).ok()?;
        Some(SecondLoader { given, ring: expected, thread })
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
        let ring = self.ring.recv().unwrap_or_else(|_| Err(Error::from_raw_os_error(libc::ECANCELED)))?;
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

/// A ring of its own.
pub fn new_ring(size: RingSize) -> Result<MapHandle> {
    // SAFETY: plain numbers, of which zero is the default.
    let mut options: libbpf_sys::bpf_map_create_opts = unsafe { std::mem::zeroed() };
    options.sz = size_of_val(&options) as libbpf_sys::size_t;
    let made = MapHandle::create(MapType::RingBuf, Some("ring"), 0, 0, size.bytes, &options);
    made.map_err(|error| error.context("map 'ring': failed to create"))
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
    // As the first object's, these few words are never freed.
    let object = Box::leak(Box::new(MaybeUninit::uninit()));
    let mut builder = StrideSkelBuilder::default();
    relocate::by(types, &mut builder);
    let mut open = builder.open(object)?;
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

/// Makes the maps of the object.
pub fn prepare<'obj>(open: &mut impl OpenSkel<'obj>) -> Result<()> {
    // SAFETY: the object is open, and nobody else uses it meanwhile.
    match unsafe { libbpf_sys::bpf_object__prepare(open.open_object().as_libbpf_object().as_ptr()) } {
        0 => Ok(()),
        error => Err(Error::from_raw_os_error(-error)),
    }
}

/// The settings of an object whose maps exist.
pub fn settings(open: &OpenStrideSkel<'_>) -> Option<Constants> {
    let map = &open.maps.rodata;
    map.initial_value().map(|bytes| Constants { map: descriptor(map), bytes: bytes.to_vec() })
}

/// The maps of a loaded object by their names. (libbpf puts the object's name before those of its own.) `None`: the map is not used.
pub fn descriptors(object: &Object) -> io::Result<HashMap<String, Option<OwnedFd>>> {
    let descriptor = |map: libbpf_rs::Map<'_>| {
        let fd = descriptor(&map);
        // SAFETY: the descriptor stays open while the object is borrowed.
        let fd = (fd >= 0).then(|| unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned()).transpose()?;
        Ok((own_name(map.name()), fd))
    };
    object.maps().map(descriptor).collect()
}

/// The name of a map without that of its object.
pub fn own_name(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    name.find('.').map_or(&*name, |at| &name[at..]).to_owned()
}

/// The descriptor of a map that exists.
pub fn descriptor(map: &impl AsRawLibbpf<LibbpfType = libbpf_sys::bpf_map>) -> i32 {
    // SAFETY: libbpf only reads what it has made.
    unsafe { libbpf_sys::bpf_map__fd(map.as_libbpf_object().as_ptr()) }
}
