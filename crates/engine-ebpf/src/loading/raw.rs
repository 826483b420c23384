//! Programs at tracepoints, which are loaded and attached without libbpf.

use crate::loading::bare::{Bare, ProgramPlace};
use crate::loading::specialize::Constants;
use crate::loading::tracepoints;
use libbpf_rs::libbpf_sys::{self, bpf_object};
use libbpf_rs::{AsRawLibbpf, Error, Object, OpenObject, Result};
use std::ffi::{CString, OsStr};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

/// The section of a program, as it was understood.
#[derive(Clone, Debug)]
enum Place {
    /// No name: it is run by others.
    Raw(Option<CString>),
    /// It has arguments of the kernel's types.
    Typed(CString),
}

impl Place {
    /// `None`: the program is none of these.
    fn of(section: &OsStr) -> Option<Place> {
        let name = |name: &[u8]| CString::new(name).ok();
        match section.as_bytes() {
            b"raw_tp" => Some(Place::Raw(None)),
            section => match section.strip_prefix(tracepoints::RAW) {
                Some(rest) => Some(Place::Raw(Some(name(rest)?))),
                None => Some(Place::Typed(name(section.strip_prefix(tracepoints::TYPED)?)?)),
            },
        }
    }
}

/// A program that is ready to be loaded.
pub struct Unloaded {
    program: Bare,
    place: Place,
    /// It is attached by the thread that has loaded it.
    at_once: bool,
}

impl Unloaded {
    /// The programs of a prepared object that are to be loaded. libbpf then leaves them out. The smallest come first. `at_once`: which are attached by the thread that has
    /// loaded them, of those that have a place of their own.
    pub fn take(object: &mut OpenObject, at_once: impl Fn(&OsStr) -> bool) -> Vec<Unloaded> {
        let owner: *const bpf_object = object.as_libbpf_object().as_ptr();
        let mut all = Vec::new();
        for mut program in object.progs_mut().filter(|program| program.autoload()) {
            let Some(place) = Place::of(program.section()) else { continue };
            // SAFETY: the object is prepared, as the caller says, and the program is its.
            let bare = unsafe { Bare::whole(owner, program.as_libbpf_object().as_ptr()) };
            let at_once = !matches!(place, Place::Raw(None)) && at_once(program.name());
            all.push(Unloaded { program: bare, place, at_once });
            program.set_autoload(false);
        }
        all.sort_by_key(|unloaded| unloaded.program.len());
        all
    }

    pub fn load(self, settings: &Constants) -> Result<RawProgram> {
        let Unloaded { program, place, at_once } = self;
        let at = match &place {
            Place::Raw(_) => ProgramPlace::Tracepoint,
            Place::Typed(name) => {
                let found = name.to_str().ok().and_then(tracepoints::find);
                let found = found.ok_or_else(|| Error::from_raw_os_error(libc::ESRCH))?;
                ProgramPlace::At(libbpf_sys::BPF_TRACE_RAW_TP, found.id)
            }
        };
        let name = program.name.clone();
        let program = program.with(settings).load(at)?;
        Ok(RawProgram { name, program, place, at_once, link: None })
    }
}

/// A program that is loaded.
pub struct RawProgram {
    name: CString,
    pub program: OwnedFd,
    place: Place,
    /// It is attached by the thread that has loaded it.
    at_once: bool,
    /// If it is attached already.
    link: Option<OwnedFd>,
}

impl RawProgram {
    /// Attaches it if that is to be done at once.
    pub fn attach_at_once(&mut self) -> Result<()> {
        if self.at_once {
            self.link = Some(self.attach()?);
        }
        Ok(())
    }

    /// Attaches it, or hands out the link if it is attached already.
    pub fn attach(&mut self) -> Result<OwnedFd> {
        if let Some(link) = self.link.take() {
            return Ok(link);
        }
        let program = self.program.as_raw_fd();
        // SAFETY: the kernel reads the name, which outlives the call.
        let link = unsafe {
            match &self.place {
                Place::Raw(Some(name)) => libbpf_sys::bpf_raw_tracepoint_open(name.as_ptr(), program),
                Place::Raw(None) => -libc::EINVAL,
                Place::Typed(_) => {
                    libbpf_sys::bpf_link_create(program, 0, libbpf_sys::BPF_TRACE_RAW_TP, std::ptr::null())
                }
            }
        };
        if link < 0 {
            return Err(Error::from_raw_os_error(-link));
        }
        // SAFETY: new, and nobody else's.
        Ok(unsafe { OwnedFd::from_raw_fd(link) })
    }
}

/// All of them.
pub struct RawPrograms(pub Vec<RawProgram>);

impl RawPrograms {
    /// Those that libbpf has loaded itself.
    pub fn of(object: &Object) -> Result<RawPrograms> {
        let mut all = Vec::new();
        for program in object.progs() {
            // SAFETY: libbpf only reads what it has made.
            let fd = unsafe { libbpf_sys::bpf_program__fd(program.as_libbpf_object().as_ptr()) };
            if let Some(place) = Place::of(program.section()).filter(|_| fd >= 0) {
                let name = CString::new(program.name().as_bytes()).unwrap_or_default();
                // SAFETY: the descriptor stays open while the object is borrowed.
                let program = unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned()?;
                all.push(RawProgram { name, program, place, at_once: false, link: None });
            }
        }
        Ok(RawPrograms(all))
    }

    /// The program of this name, if it was loaded.
    pub fn get(&self, name: &OsStr) -> Option<&RawProgram> {
        self.0.iter().find(|program| program.name.as_bytes() == name.as_bytes())
    }

    /// Attaches the program of this name, if it was loaded.
    pub fn attach(&mut self, name: &OsStr) -> Result<Option<OwnedFd>> {
        let found = self.0.iter_mut().find(|program| program.name.as_bytes() == name.as_bytes());
        found.map(RawProgram::attach).transpose()
    }
}
