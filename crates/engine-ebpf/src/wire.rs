//! The Rust mirror of `bpf/wire.h`, and the programs. build.rs generates both.

#[allow(clippy::all, clippy::pedantic)]
mod skel {
    include!(concat!(env!("OUT_DIR"), "/stride.skel.rs"));
}

#[allow(clippy::all, clippy::pedantic)]
mod functions_skel {
    include!(concat!(env!("OUT_DIR"), "/functions.skel.rs"));
}

#[allow(clippy::all, clippy::pedantic)]
mod poller_skel {
    include!(concat!(env!("OUT_DIR"), "/poller.skel.rs"));
}

#[allow(clippy::all, clippy::pedantic)]
mod files_skel {
    include!(concat!(env!("OUT_DIR"), "/files.skel.rs"));
}

#[allow(clippy::all, clippy::pedantic)]
mod waits_skel {
    include!(concat!(env!("OUT_DIR"), "/waits.skel.rs"));
}

#[allow(clippy::all, clippy::pedantic)]
mod broker_skel {
    include!(concat!(env!("OUT_DIR"), "/broker.skel.rs"));
}

pub use broker_skel::{BrokerSkel, BrokerSkelBuilder};
pub use files_skel::types::uring_fds;
pub use files_skel::{FilesSkel, FilesSkelBuilder};
pub use functions_skel::{FunctionsSkelBuilder, OpenFunctionsSkel};
pub use poller_skel::{PollerSkel, PollerSkelBuilder};
pub use skel::types::{
    block_flag, bound, bss, call_flag, call_plan, case_key, cgroup_part, change_key, choice, code_backing, code_change,
    code_file, code_file_key, code_mapping, count, count_key, count_times, data_reader, fds_all, fds_passed, fds_plan,
    file_detail, file_flag, file_kind, function_name, function_search, glob, glob_atom, left_out_flag, library_part,
    library_text, op, op_count, op_dir, op_kind, op_run, pressure, probe_plan, probe_word, rec_block, rec_blocked,
    rec_call, rec_cgroup, rec_changed, rec_completed, rec_detach, rec_exec, rec_exit, rec_file, rec_flag, rec_head,
    rec_id, rec_kind, rec_library, rec_memory, rec_more, rec_moved, rec_signal, rec_stack, rec_start, rec_stopped,
    rec_submitted, rec_wait, record_bound, rodata, script_end, script_frame, script_layout, script_piece, stack_id,
    stack_key, stack_memo, stack_part, stack_range, stack_return, stack_word, task_flag, task_layout, task_state,
    text_kind, uring_plan, uring_text, wait_cause, wait_flag, waker, waker_kind, word_kind,
};
pub use skel::{OpenStrideSkel, StrideProgs, StrideSkel, StrideSkelBuilder};
pub use waits_skel::{WaitsSkel, WaitsSkelBuilder};

/// A struct of wire.h: integers only, without padding.
///
/// # Safety
/// Every byte pattern must be a valid value, and no byte of it may be padding.
pub unsafe trait Wire: Copy {}

macro_rules! wire {
    ($($ty:ty)*) => { $(
        // SAFETY: wire.h keeps its structs to integers and free of hidden padding.
        unsafe impl Wire for $ty {}
    )* };
}
wire!(rec_head rec_call rec_more rec_block rec_start rec_signal rec_exit rec_exec rec_detach rec_blocked rec_stopped rec_file);
wire!(u64 glob cgroup_part rec_cgroup rec_changed rec_moved count count_key call_plan fds_plan op op_run choice case_key task_state u32 rec_stack stack_return script_frame script_layout script_piece rec_library library_text probe_plan stack_key stack_memo change_key code_change code_file code_file_key);
wire!(rec_id rec_wait rec_memory rec_submitted rec_completed uring_plan uring_fds);

/// Major and minor number of a device in the kernel's own encoding (include/linux/kdev_t.h).
pub fn device_numbers(device: u32) -> (u32, u32) {
    (device >> 20, device & 0xf_ffff)
}

/// The same encoding, of both numbers.
pub fn device_of((major, minor): (u32, u32)) -> u32 {
    major << 20 | minor
}

/// The struct at the start of these bytes.
pub fn read<T: Wire>(bytes: &[u8]) -> Option<T> {
    if bytes.len() < size_of::<T>() {
        return None;
    }
    // SAFETY: there are enough bytes, and any bytes are a valid T.
    Some(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}

/// The bytes of structs, as map keys and values.
pub fn bytes_of<T: Wire>(values: &[T]) -> &[u8] {
    // SAFETY: a T has no padding, so all of its bytes are initialised.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}
