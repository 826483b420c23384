//! When to stop tracing.

use crate::flags::flag::{Arg, Category, Flag};
use crate::flags::values;

const BASE: Flag = Flag { category: Category::StopCondition, ..Flag::BASE };

pub const FLAGS: &[Flag] = &[Flag {
    long: Some("syscall-limit"),
    arg: Arg::Required("LIMIT"),
    help: "stop tracing after LIMIT calls",
    doc: "Detaches from all processes after LIMIT calls have been reported. Calls that filters (--trace, --trace-path, \
          --status) leave out do not count.",
    update: |draft, given| {
        let limit = values::integer(&given.text(), i64::MAX as u64).filter(|limit| *limit > 0);
        draft.options.syscall_limit = Some(limit.ok_or_else(|| given.invalid())?);
        Ok(())
    },
    ..BASE
}];
