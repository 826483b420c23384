//! libbpf's objects before they are loaded: their maps and settings.

use crate::loading::specialize::Constants;
use crate::ring::size::RingSize;
use crate::wire::OpenStrideSkel;
use libbpf_rs::skel::OpenSkel;
use libbpf_rs::{AsRawLibbpf, Error, ErrorExt, MapCore, MapHandle, MapType, Object, Result, libbpf_sys};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

/// A ring of its own.
pub fn new_ring(size: RingSize) -> Result<MapHandle> {
    // SAFETY: plain numbers, of which zero is the default.
    let mut options: libbpf_sys::bpf_map_create_opts = unsafe { std::mem::zeroed() };
    options.sz = size_of_val(&options) as libbpf_sys::size_t;
    let made = MapHandle::create(MapType::RingBuf, Some("ring"), 0, 0, size.bytes, &options);
    made.map_err(|error| error.context("map 'ring': failed to create"))
}

/// The size of a ring that nothing is written to. (libbpf makes a page of it.)
pub const SMALLEST_RING: u32 = 4096;

/// Puts another map in the place of one that exists: its descriptor is that of the other one from now on.
pub fn put(map: &impl AsRawLibbpf<LibbpfType = libbpf_sys::bpf_map>, other: BorrowedFd<'_>) -> Result<()> {
    // SAFETY: the object keeps its descriptor, and nobody has looked at what is behind it.
    match unsafe { libc::dup3(other.as_raw_fd(), descriptor(map), libc::O_CLOEXEC) } {
        -1 => Err(io::Error::last_os_error().into()),
        _ => Ok(()),
    }
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
