//! The descriptors and paths that a call uses.

use crate::irregular;
use stride_event::{Call, Memory, Phase};
use stride_syscalls::{Irregular, Syscall, Ty, table};

/// A descriptor or path among a call's arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch<'a> {
    /// A descriptor, or `AT_FDCWD`.
    Fd(i32),
    /// A path as the program gave it, without its NUL.
    Path(&'a [u8]),
}

/// True if any descriptor or path argument satisfies `test`.
pub fn touches(call: &Call, test: &mut dyn FnMut(Touch<'_>) -> bool) -> bool {
    let Some(row) = table(call.abi).get(call.nr).map(|e| e.row.form(&call.args, call.abi)) else { return false };
    row.args.iter().enumerate().any(|(i, arg)| {
        row.has(arg, &call.args, call.abi) && touched(call, row, &arg.ty, row.held(i, &call.args, call.abi), test)
    })
}

fn touched(call: &Call, row: &Syscall, ty: &Ty, raw: u64, test: &mut dyn FnMut(Touch<'_>) -> bool) -> bool {
    match ty {
        Ty::Fd | Ty::DirFd => test(Touch::Fd(raw as i32)),
        Ty::Path => {
            let bytes = call.blocks.prefix(Phase::Entry, raw, 4096);
            match bytes.iter().position(|&b| b == 0) {
                Some(end) => test(Touch::Path(&bytes[..end])),
                None => false,
            }
        }
        Ty::Custom(Irregular::LinkTarget | Irregular::Untouched, _) => false,
        Ty::Custom(which @ (Irregular::PollFds | Irregular::FdSet), _) => {
            irregular::poll::waited(call, row, raw, *which, &mut |fd| test(Touch::Fd(fd)))
        }
        Ty::Custom(_, shape) | Ty::As(_, shape) => touched(call, row, shape, raw, test),
        _ => false,
    }
}
