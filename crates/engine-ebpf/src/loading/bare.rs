//! Programs as libbpf has prepared them, and loading them without libbpf.
//!
//! libbpf loads one program of an object after the other, each once. Here they are loaded by two threads ([`second_thread`](super::second_thread)), and some
//! for many functions.

use crate::loading::specialize::{self, Constants, Program};
use libbpf_rs::libbpf_sys::{self, bpf_attach_type, bpf_object, bpf_prog_load_opts, bpf_prog_type, bpf_program};
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// A program whose addresses are known.
pub struct Bare {
    pub name: CString,
    program: Program,
    /// The type information that the program refers to.
    types: u32,
}

/// Where a program is attached.
#[derive(Clone, Copy)]
pub enum ProgramPlace {
    /// At no function: it is run when asked for.
    Nowhere,
    /// At a tracepoint, which is named when the program is attached. Or it is run when asked for, or by another program.
    Tracepoint,
    /// At the function or tracepoint whose type has this id.
    At(bpf_attach_type, u32),
}

impl Bare {
    /// The whole program.
    ///
    /// # Safety
    /// `program` is one of libbpf's, and one of those of `object`, which is prepared.
    pub unsafe fn whole(object: *const bpf_object, program: *const bpf_program) -> Bare {
        // SAFETY: the caller's promise; libbpf only reads the object, and the name is a string.
        unsafe {
            let types = libbpf_sys::bpf_object__btf_fd(object);
            let name = CStr::from_ptr(libbpf_sys::bpf_program__name(program)).to_owned();
            Bare { name, program: specialize::prepared(program), types: types.max(0) as u32 }
        }
    }

    /// The program of this name. The code that these settings switch off is left out.
    ///
    /// # Safety
    /// `object` is one of libbpf's, and prepared.
    pub unsafe fn of(object: *mut bpf_object, name: &CStr, settings: &Constants) -> io::Result<Bare> {
        // SAFETY: the caller's promise; libbpf only reads the object.
        unsafe {
            let program = libbpf_sys::bpf_object__find_program_by_name(object, name.as_ptr());
            if program.is_null() {
                return Err(io::Error::from_raw_os_error(libc::ENOENT));
            }
            Ok(Bare::whole(object, program).with(settings))
        }
    }

    /// The same without the code that these settings switch off.
    pub fn with(self, settings: &Constants) -> Bare {
        Bare { program: self.program.with(settings), ..self }
    }

    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.program.instructions.len()
    }

    pub fn load(&self, place: ProgramPlace) -> io::Result<OwnedFd> {
        let (kind, at, target) = match place {
            ProgramPlace::Nowhere => (libbpf_sys::BPF_PROG_TYPE_SYSCALL, 0, 0),
            ProgramPlace::Tracepoint => (libbpf_sys::BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0),
            ProgramPlace::At(how, target) => (libbpf_sys::BPF_PROG_TYPE_TRACING, how, target),
        };
        let functions = if self.types > 0 { &self.program.functions[..] } else { &[] };
        let mut options = bpf_prog_load_opts {
            sz: size_of::<bpf_prog_load_opts>() as libbpf_sys::size_t,
            expected_attach_type: at,
            attach_btf_id: target,
            prog_flags: if kind == SLEEPS { libbpf_sys::BPF_F_SLEEPABLE } else { 0 },
            prog_btf_fd: self.types,
            func_info: functions.as_ptr().cast(),
            func_info_cnt: functions.len() as u32,
            func_info_rec_size: size_of_val(&functions[..functions.len().min(1)]) as u32,
            ..bpf_prog_load_opts::default()
        };
        let instructions = &self.program.instructions;
        // SAFETY: the kernel reads the strings, the instructions and the functions, all of which outlive the call.
        let fd = unsafe {
            libbpf_sys::bpf_prog_load(
                kind,
                self.name.as_ptr(),
                c"Dual BSD/GPL".as_ptr(),
                instructions.as_ptr().cast(),
                instructions.len() as libbpf_sys::size_t,
                &raw mut options,
            )
        };
        if fd < 0 {
            return Err(io::Error::from_raw_os_error(-fd));
        }
        // SAFETY: new, and nobody else's.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }
}

/// Runs a program once.
pub fn run(program: &OwnedFd) -> io::Result<()> {
    // SAFETY: plain numbers and optional pointers, of which zero is the default.
    let result = unsafe {
        let mut options: libbpf_sys::bpf_test_run_opts = std::mem::zeroed();
        options.sz = size_of_val(&options) as libbpf_sys::size_t;
        libbpf_sys::bpf_prog_test_run_opts(program.as_raw_fd(), &raw mut options)
    };
    if result < 0 { Err(io::Error::from_raw_os_error(-result)) } else { Ok(()) }
}

/// Programs that are run when asked for may sleep.
const SLEEPS: bpf_prog_type = libbpf_sys::BPF_PROG_TYPE_SYSCALL;
