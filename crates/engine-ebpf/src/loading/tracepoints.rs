//! The kernel's tracepoints, and loading programs at them, for which the code that the settings switch off is left out ([`specialize`]).
//!
//! Some of these programs have arguments of the kernel's types. libbpf's own section for such programs, `tp_btf`, makes libbpf read the types of the whole kernel once more for each object, which takes
//! 10 ms. Stride walks over these types once ([`kernel_types`]). So the programs' section is `typed_tp/NAME`, and the handler for
//! it gives the kernel what libbpf would have looked for: the id of the tracepoint's type.

use crate::loading::btf::{Btf, Tracepoint};
use crate::loading::{kernel_types, specialize};
use libbpf_rs::libbpf_sys::{self, bpf_link, bpf_prog_load_opts, bpf_program};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_long};
use std::sync::{Once, OnceLock};

type Tracepoints = HashMap<Vec<u8>, Tracepoint>;

static OF_KERNEL: OnceLock<Tracepoints> = OnceLock::new();

/// Keeps the tracepoints of the kernel, whose types these are, for later.
pub fn note(kernel: &Btf<'_>) {
    OF_KERNEL.get_or_init(|| kernel.tracepoints());
}

/// The tracepoint of this name, if the kernel has it.
pub fn find(name: &str) -> Option<Tracepoint> {
    let tracepoints =
        OF_KERNEL.get_or_init(|| kernel_types::read(|kernel| Some(kernel.tracepoints())).unwrap_or_default());
    tracepoints.get(name.as_bytes()).copied()
}

pub const TYPED: &[u8] = b"typed_tp/";
pub const RAW: &[u8] = b"raw_tp/";

type Prepare = unsafe extern "C" fn(*mut bpf_program, *mut bpf_prog_load_opts, c_long) -> c_int;
type Attach = unsafe extern "C" fn(*const bpf_program, c_long, *mut *mut bpf_link) -> c_int;

/// Makes libbpf load the programs of both sections by the functions here. To be called before the first object is opened.
pub fn handle_sections() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        // Without a name, this is the handler of all sections that libbpf does not know. Only that one stays when a program's type is set.
        handle(std::ptr::null(), prepare_typed, attach_typed);
        handle(c"raw_tp+".as_ptr(), prepare_raw, attach_raw);
    });
}

fn handle(section: *const c_char, prepare: Prepare, attach: Attach) {
    // SAFETY: plain numbers and optional functions, of which zero is the default.
    let mut handler: libbpf_sys::libbpf_prog_handler_opts = unsafe { std::mem::zeroed() };
    handler.sz = size_of_val(&handler) as libbpf_sys::size_t;
    handler.prog_prepare_load_fn = Some(prepare);
    handler.prog_attach_fn = Some(attach);
    // SAFETY: libbpf copies the options. (If it had no memory, it would refuse the programs, and say so.)
    unsafe {
        libbpf_sys::libbpf_register_prog_handler(
            section,
            libbpf_sys::BPF_PROG_TYPE_RAW_TRACEPOINT,
            libbpf_sys::BPF_TRACE_RAW_TP,
            &raw const handler,
        )
    };
}

/// The name behind the section's prefix.
///
/// # Safety
/// `program` is one of libbpf's. Its section has a name.
unsafe fn tracepoint_of<'p>(program: *const bpf_program, prefix: &[u8]) -> Option<&'p str> {
    // SAFETY: the caller's promise.
    let section = unsafe { CStr::from_ptr(libbpf_sys::bpf_program__section_name(program)) }.to_bytes();
    section.strip_prefix(prefix).and_then(|name| std::str::from_utf8(name).ok())
}

/// libbpf is about to load the program. Before, it must not know the type, from which it concludes that the kernel's types are needed.
unsafe extern "C" fn prepare_typed(program: *mut bpf_program, load: *mut bpf_prog_load_opts, _: c_long) -> c_int {
    // SAFETY: libbpf owns both, and hands them to nobody else meanwhile.
    unsafe {
        let Some(tracepoint) = tracepoint_of(program, TYPED).and_then(find) else { return -libc::ESRCH };
        (*load).attach_btf_id = tracepoint.id;
        (*load).expected_attach_type = libbpf_sys::BPF_TRACE_RAW_TP;
        specialize::shorten(program, &mut *load);
        libbpf_sys::bpf_program__set_type(program, libbpf_sys::BPF_PROG_TYPE_TRACING)
    }
}

unsafe extern "C" fn prepare_raw(program: *mut bpf_program, load: *mut bpf_prog_load_opts, _: c_long) -> c_int {
    // SAFETY: libbpf owns both, and hands them to nobody else meanwhile.
    unsafe {
        // (Such programs have no type of attachment.)
        (*load).expected_attach_type = 0;
        specialize::shorten(program, &mut *load);
    }
    0
}

unsafe extern "C" fn attach_typed(program: *const bpf_program, _: c_long, link: *mut *mut bpf_link) -> c_int {
    // SAFETY: the program is loaded, and libbpf takes the link.
    unsafe {
        *link = libbpf_sys::bpf_program__attach_trace(program);
        libbpf_sys::libbpf_get_error((*link).cast()) as c_int
    }
}

unsafe extern "C" fn attach_raw(program: *const bpf_program, _: c_long, link: *mut *mut bpf_link) -> c_int {
    // SAFETY: the program is loaded, and libbpf takes the link.
    unsafe {
        let Some(name) = tracepoint_of(program, RAW).and_then(|name| CString::new(name).ok()) else {
            return -libc::EINVAL;
        };
        *link = libbpf_sys::bpf_program__attach_raw_tracepoint(program, name.as_ptr());
        libbpf_sys::libbpf_get_error((*link).cast()) as c_int
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracepoints_of_this_kernel() {
        if !std::path::Path::new(crate::loading::probe::BTF).exists() {
            println!("skipped: tracepoints_of_this_kernel: this kernel tells no types");
            return;
        }
        let arguments = |name| find(name).map(|found| found.arguments);
        assert_eq!(arguments("sys_exit"), Some(2), "the registers and the result");
        assert!(arguments("sched_process_exit").is_some_and(|n| n > 0));
        assert_eq!(arguments("no_such_tracepoint"), None);
        assert_ne!(find("sys_enter").unwrap().id, find("sys_exit").unwrap().id);
    }
}
