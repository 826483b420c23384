//! Programs as libbpf has prepared them, and loading each for one function.
//!
//! libbpf loads a program once, for one function. Here the same instructions are loaded for many.

use crate::loading::specialize::{self, Constants, Program};
use libbpf_rs::libbpf_sys::{self, bpf_attach_type, bpf_object, bpf_prog_load_opts, bpf_prog_type};
use std::ffi::CStr;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// A program whose addresses are known.
pub struct Bare {
    name: &'static CStr,
    program: Program,
    /// The type information that the program refers to.
    types: u32,
}

/// Where a program is attached.
#[derive(Clone, Copy)]
pub enum ProgramPlace {
    /// At no function: it is run when asked for.
    Nowhere,
    /// At the function whose type has this id.
    At(bpf_attach_type, u32),
}

impl Bare {
    /// The program of this name. `settings`: the code that they switch off is left out.
    ///
    /// # Safety
    /// `object` is one of libbpf's, and prepared.
    pub unsafe fn of(object: *mut bpf_object, name: &'static CStr, settings: &Constants) -> io::Result<Bare> {
        // SAFETY: the caller's promise; libbpf only reads the object.
        unsafe {
            let program = libbpf_sys::bpf_object__find_program_by_name(object, name.as_ptr());
            if program.is_null() {
                return Err(io::Error::from_raw_os_error(libc::ENOENT));
            }
            let types = libbpf_sys::bpf_object__btf_fd(object);
            Ok(Bare { name, program: specialize::prepared(program, settings), types: types.max(0) as u32 })
        }
    }

    pub fn load(&self, place: ProgramPlace) -> io::Result<OwnedFd> {
        let (kind, at, target) = match place {
            ProgramPlace::Nowhere => (libbpf_sys::BPF_PROG_TYPE_SYSCALL, 0, 0),
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

/// Programs that are run when asked for may sleep.
const SLEEPS: bpf_prog_type = libbpf_sys::BPF_PROG_TYPE_SYSCALL;
