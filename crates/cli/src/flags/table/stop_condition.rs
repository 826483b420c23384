//! Conditions that end tracing.

use crate::flags::flag::{Arg, Category, Flag};
use crate::flags::values;

const BASE: Flag = Flag { category: Category::StopCondition, ..Flag::BASE };

pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("for"),
        arg: Arg::Required("TIME"),
        help: "stop tracing after TIME",
        own: true,
        doc: "Detaches from all processes after TIME: a number followed by h, m, s, ms, us or ns. The processes run on, also a command that Stride has started, \
          unless --kill-on-exit is given. The time begins when Stride is ready. Stride itself then exits with status 0, or earlier, when the last process has ended.",
        only_traces: true,
        update: |raw, given| {
            raw.options.time_limit = Some(values::time(&given.text()).ok_or_else(|| given.no_time())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("syscall-limit"),
        arg: Arg::Required("LIMIT"),
        help: "stop tracing after LIMIT calls",
        doc: "Detaches from all processes after LIMIT calls have been reported. Calls that filters (--trace, --trace-path, \
          --status) leave out do not count.",
        update: |raw, given| {
            let limit = values::integer(&given.text(), i64::MAX as u64).filter(|limit| *limit > 0);
            raw.options.syscall_limit = Some(limit.ok_or_else(|| given.invalid())?);
            Ok(())
        },
        ..BASE
    },
];
