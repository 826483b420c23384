//! Operations of io_uring (`--io-uring`): which programs the kernel needs for them, and pairing completions with submissions.
//!
//! The tracepoints of io_uring have changed over time. The kernel's type information says which ones there are, and with which arguments.

mod open;

pub use open::OpenOperations;

use crate::loading::tracepoints;
use crate::wire::{OpenStrideSkel, bytes_of, text_kind, uring_fds, uring_plan, uring_text};
use libbpf_rs::{MapCore, MapFlags};
use stride_syscalls::library::WordType;
use stride_syscalls::operation::{MOST_TEXTS, Operation, operations};

/// The tracepoints of io_uring that this kernel has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracepoints {
    submit_req: bool,
    submit_sqe: bool,
    refused: bool,
    /// The number of its arguments.
    complete: Option<usize>,
    overflow: bool,
}

/// `io_uring_complete` has the completion itself as its third and last argument.
const WITH_COMPLETION: usize = 3;

impl Tracepoints {
    /// The tracepoints of this kernel, or none if no operations are wanted.
    pub fn for_operations(wanted: bool) -> Tracepoints {
        if wanted { Tracepoints::of_kernel() } else { Tracepoints::default() }
    }

    fn of_kernel() -> Tracepoints {
        let has = |name| tracepoints::find(name).is_some();
        Tracepoints {
            submit_req: has("io_uring_submit_req"),
            submit_sqe: has("io_uring_submit_sqe"),
            refused: has("io_uring_req_failed"),
            complete: tracepoints::find("io_uring_complete").map(|found| found.arguments),
            overflow: has("io_uring_cqe_overflow"),
        }
    }

    /// The one of submissions that has the name of Linux 6.3.
    pub fn submits(self) -> bool {
        self.submit_req
    }

    /// The one of submissions that has the name of before.
    pub fn submits_before(self) -> bool {
        self.submit_sqe && !self.submit_req
    }

    /// The one of completions that has the completion itself.
    pub fn completes(self) -> bool {
        self.complete == Some(WITH_COMPLETION)
    }

    /// The one of completions that has its members.
    pub fn completes_before(self) -> bool {
        self.complete.is_some() && !self.completes()
    }

    fn suffice(self) -> bool {
        (self.submit_req || self.submit_sqe) && self.complete.is_some()
    }
}

/// Why operations of io_uring cannot be traced tracepoints.
pub fn operations_refused() -> Option<&'static str> {
    (!Tracepoints::of_kernel().suffice())
        .then_some("this kernel has no io_uring, or not the tracepoints that Linux 6.0 has for it")
}

/// Chooses the programs to load, and which maps are needed.
pub fn configure(open: &mut OpenStrideSkel<'_>, wanted: bool, text: usize) -> libbpf_rs::Result<()> {
    let tracepoints = Tracepoints::for_operations(wanted);
    open.progs.on_submit.set_autoload(tracepoints.submits());
    open.progs.on_submit_before.set_autoload(tracepoints.submits_before());
    open.progs.on_refused.set_autoload(tracepoints.refused);
    open.progs.on_complete.set_autoload(tracepoints.completes());
    open.progs.on_complete_before.set_autoload(tracepoints.completes_before());
    open.progs.on_overflow.set_autoload(tracepoints.overflow);
    open.maps.uring_plans.set_autocreate(wanted)?;
    open.maps.uring_scratches.set_autocreate(wanted)?;
    open.maps.uring_rings.set_autocreate(wanted)?;
    if let (true, Some(rodata)) = (wanted, open.maps.rodata_data.as_deref_mut()) {
        rodata.library_text = text.min(stride_event::LIBRARY_TEXT) as u32;
    }
    Ok(())
}

/// Tells the kernel side which arguments of each operation point to text.
pub fn fill(map: &impl MapCore) -> libbpf_rs::Result<()> {
    for row in operations() {
        map.update(bytes_of(&[u32::from(row.opcode)]), bytes_of(&[plan(row)]), MapFlags::ANY)?;
    }
    Ok(())
}

fn plan(row: &Operation) -> uring_plan {
    let mut plan = uring_plan::default();
    let texts = (0u8..).zip(row.args).filter_map(|(word, arg)| {
        let (kind, len_at) = match arg.ty {
            WordType::Text => (text_kind::TEXT_STRING, 0),
            WordType::Buffer(len) => (text_kind::TEXT_BUFFER, row.args.get(usize::from(len))?.at),
            _ => return None,
        };
        Some(uring_text { word, kind: kind.0 as u8, at: arg.at, len_at })
    });
    for (to, text) in plan.texts.iter_mut().zip(texts) {
        *to = text;
    }
    plan
}

/// The descriptors of each operation, by its opcode.
pub fn fds() -> impl Iterator<Item = (u32, uring_fds)> {
    operations().iter().map(|row| {
        let mut plan = uring_fds { returned: (row.result == WordType::FdOutcome).into(), ..uring_fds::default() };
        let fds = row.args.iter().filter(|arg| matches!(arg.ty, WordType::Fd | WordType::DirFd));
        for (to, arg) in plan.at.iter_mut().zip(fds) {
            *to = arg.at;
        }
        (row.opcode.into(), plan)
    })
}

const _: () = assert!(size_of::<uring_plan>() == MOST_TEXTS * size_of::<uring_text>());
