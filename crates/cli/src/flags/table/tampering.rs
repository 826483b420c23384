//! Changing what calls do.

use crate::flags::flag::{Arg, Category, Flag, Given};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::Stop;
use crate::flags::values;
use stride_filter::{Catalog, Tamper, parse_injection};

const BASE: Flag = Flag { category: Category::Tampering, ..Flag::BASE };

fn add(raw: &mut RawOptions, given: &Given, tamper: Tamper) -> Result<(), Stop> {
    let delay = |text: &str| values::duration(text).map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    raw.injections.push(parse_injection(&given.text(), tamper, Catalog::native(), delay)?);
    Ok(())
}

pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("fault"),
        qualifiers: &["fault"],
        arg: Arg::Required("SET[:TERM]..."),
        help: "make calls fail; may be repeated",
        doc: "Makes the calls of the set fail, with ENOSYS unless error= gives another error. It takes the terms error=, syscall=, when=, prob= and seed= \
              of --inject, and is short for --inject=SET:error=ENOSYS.",
        update: |raw, given| add(raw, given, Tamper::Fault),
        ..BASE
    },
    Flag {
        long: Some("inject"),
        qualifiers: &["inject"],
        arg: Arg::Required("SET[:TERM]..."),
        help: "change what calls do; may be repeated",
        doc: "Changes what the calls of the set do. SET is a set as for --trace. At least one of the terms that change something must be given; error= and \
              retval= exclude each other. These are the terms:\n\n\
              * error=ERRNO: the call is not made, and fails with this error, a name or a number from 1 to 4095\n\
              * retval=VALUE: the call is not made, and succeeds with this value\n\
              * syscall=NAME: with error= or retval=, this call of the class %pure is made in its place; by default, none is made\n\
              * signal=SIGNAL: the thread gets this signal when it enters the call\n\
              * delay_enter=TIME: the thread waits before it makes the call\n\
              * delay_exit=TIME: the thread waits after the call has returned\n\
              * poke_enter=@argN=DATA,...: before the call, the bytes DATA (hexadecimal) are written to the memory that argument N (from 1) points to\n\
              * poke_exit=@argN=DATA,...: the same after the call has returned\n\
              * when=FIRST[..LAST][+[STEP]]: not all calls are changed, but those from FIRST to LAST in steps of STEP; FIRST+ stands for all from FIRST on, and \
              FIRST alone for that one call\n\
              * prob=P: each call that when= leaves is changed with the probability P, from 0 to 1\n\
              * seed=NUMBER: the seed of that choice; without it, Stride chooses one and tells it\n\n\
              TIME is a number of microseconds, or a number with the unit s, ms, us or ns. Calls are counted for each thread and each system call by itself. \
              With the same seed, the same calls of a thread are chosen in every run, in whatever order threads run.\n\n\
              Only calls that --trace, -P and --trace-fds select are counted and changed. If several options name a call, the last one counts. A changed call is \
              shown with (INJECTED), (INJECTED: args) if memory was overwritten, and (DELAYED); in --json, the member injected says what was changed.\n\n\
              The thread has to stand still for this, so the ptrace engine is needed, and taken by default. The execve with which the command starts is not changed.",
        update: |raw, given| add(raw, given, Tamper::Inject),
        ..BASE
    },
];
