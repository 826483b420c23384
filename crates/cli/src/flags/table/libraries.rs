//! Functions of libraries and operations of io_uring beside system calls.

use crate::flags::flag::{Arg, Category, Flag, Given};
use crate::flags::stop::Stop;
use stride_event::Glob;
use stride_session::options::{LibraryList, LibraryPattern};

const BASE: Flag = Flag { category: Category::Filtering, own: true, ..Flag::BASE };

pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("io-uring"),
        help: "show the operations of io_uring, too",
        doc: "Shows the operations that programs submit to io_uring (io_uring_enter(2)). The kernel carries them out without a system call for \
              each, so no other line tells of them: io_uring:read(3, 0x55d0c8a2a2a0, 4096, 0) = 512 (submitted by io_uring_enter). A line \
              stands where the operation was completed, with the thread that submitted it. The text behind the result says what \
              submitted it: io_uring_enter, or SQPOLL, the kernel's own thread that looks into the queue.\n\n\
              -c and --by count operations in a table of their own. Filters of system calls, such as -e trace=... and -P, do not apply to operations; \
              --where and --duration do. -e trace=none leaves only operations. Only the eBPF engine can do this, which takes root.",
        only_traces: true,
        update: |raw, _| {
            raw.options.spec.operations = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("library-calls"),
        arg: Arg::Required("LIB:GLOB[,...]"),
        help: "trace functions of a library or program, too",
        habits: &["ltrace", "probe", "uprobe", "functions"],
        doc: "Shows calls of functions among the system calls, in the order of time: libc:malloc(100) = 0x55d0c8a2a2a0. LIB is the name of \
              a library without .so (libc, libssl, libpython3.11), the name of the traced program, or the path of a file. GLOB is a \
              pattern as for --comm, for the functions' names: --library-calls='libssl:SSL_*,./prog:parse_*'. May be given several \
              times. At most 10,000 functions may match one pattern.\n\n\
              --library-calls=list:LIB:GLOB prints the functions that match, and traces nothing. --library-calls=list:PROGRAM and list:PID print the libraries \
              of a program, or of a running process.\n\n\
              Arguments and results have the types of the file's debug information (DWARF), which may be in a separate file. \
              Otherwise well-known functions of libc, libssl and libz have the types of their man pages, and of any other \
              function the first three registers are shown, in hexadecimal. Strings are cut as -s says, and at 512 bytes.\n\n\
              A function that calls others begins with a line that ends in <unfinished ...> and ends with <... NAME resumed>; the functions \
              that it calls are indented. The return of a function is not shown where the program would fail if it were watched: for \
              programs in Go, C++ and Rust, and for some functions of the C library, such as setjmp.\n\n\
              Filters of system calls, such as -e trace=... and -P, do not apply to functions; --where and --duration do. \
              -e trace=none leaves only functions. With -f, other processes that call these functions get slower by a microsecond or so for each call \
              while Stride runs. Only the eBPF engine can do this, which takes root.",
        only_traces: true,
        update: |raw, given| {
            if let Some(list) = list(&given.text(), false) {
                return Err(Stop::List(list));
            }
            for pattern in given.text().split(',') {
                let (library, rest) = split(given, pattern, "LIB:GLOB, such as libc:malloc")?;
                let glob = glob(given, rest)?;
                raw.options.library.push(LibraryPattern {
                    library: library.into(),
                    text: pattern.to_owned(),
                    provider: None,
                    name: glob,
                });
            }
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("usdt"),
        arg: Arg::Required("LIB:PROVIDER:NAME[,...]"),
        help: "show the USDT probes that programs pass",
        doc: "Shows places in programs and libraries that their authors marked for tracers, as Python, Java, PostgreSQL and the C library \
              have them, among the system calls: libpython3.11:python:function__entry(\"a.py\", \"main\", 1). LIB is given as for \
              --library-calls. PROVIDER and NAME are patterns. May be given several times.\n\n\
              Numbers that may be addresses of strings are shown as strings if there are strings. Many programs have to be built with \
              these probes. --usdt=list prints which files of this machine have some, --usdt=list:PROGRAM the probes of a program and its libraries (or of a library), and \
              --usdt=list:PID those of a running process; nothing is traced. Only the eBPF engine can do this, which takes root.",
        only_traces: true,
        update: |raw, given| {
            if let Some(list) = list(&given.text(), true) {
                return Err(Stop::List(list));
            }
            for pattern in given.text().split(',') {
                const FORM: &str = "LIB:PROVIDER:NAME, such as libc:libc:*";
                let (library, rest) = split(given, pattern, FORM)?;
                let (provider, name) = split(given, rest, FORM)?;
                raw.options.library.push(LibraryPattern {
                    library: library.into(),
                    text: pattern.to_owned(),
                    provider: Some(glob(given, provider)?),
                    name: glob(given, name)?,
                });
            }
            Ok(())
        },
        ..BASE
    },
];

/// `list`, `list:PROGRAM` and `list:LIB:GLOB`.
fn list(text: &str, usdt: bool) -> Option<LibraryList> {
    let rest = text.strip_prefix("list")?;
    if rest.is_empty() {
        return Some(LibraryList { usdt, of: None, pattern: None });
    }
    let rest = rest.strip_prefix(':')?;
    let (of, pattern) = rest.split_once(':').map_or((rest, None), |(of, pattern)| (of, Some(pattern)));
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Some(LibraryList { usdt, of: given(of), pattern: pattern.and_then(given) })
}

fn split<'a>(given: &Given, pattern: &'a str, form: &str) -> Result<(&'a str, &'a str), Stop> {
    pattern.split_once(':').filter(|(first, rest)| !first.is_empty() && !rest.is_empty()).ok_or_else(|| {
        Stop::usage(format!("invalid {} argument: '{}': '{pattern}' is not {form}", given.spelling, given.text()))
    })
}

fn glob(given: &Given, text: &str) -> Result<Glob, Stop> {
    Glob::parse(text.as_bytes())
        .map_err(|why| Stop::usage(format!("invalid {} argument: '{}': {why}", given.spelling, given.text())))
}
