//! Names and data that would act if a view did not escape them, and a recording that has them in every place where a
//! tracee, or whoever made the recording, can put a name.

use crate::common::{Recorded, Scratch};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;
use stride_event::{Bottom, Call, Event, Outcome, Phase};
use stride_record::Metadata;
use stride_syscalls::Abi;
use stride_test_support::calls::{call_of, forked, holding, lasting, naming};
use stride_test_support::stacks::{at_line, frame, merging, stack};

/// A line that begins so was begun by a name. The same word is the key of a field that a name made.
pub const INJECTED: &str = "INJECTED";
/// Begins a command to the terminal, as no view does.
pub const TITLE: &str = "\x1b]0;hostile";

const NAMES: &[&[u8]] = &[
    // A terminal's title, a cleared screen, and controls of eight bits.
    b"a\x1b]0;hostile\x07\x1b[2J\r\x08\xc2\x9b31m\x7f",
    b"a</script><img src=x onerror=hostile()><!--",
    b"a\" onload=\"hostile()\" '",
    b"a\nINJECTED 1 = 0",
    b"a\r\n::error file=x::INJECTED",
    b"a\n::stop-commands::INJECTED",
    b"a\",\"INJECTED\":\"b",
    b"a\\\",\\\"INJECTED\\\":\\\"b\\",
    b"'; DROP TABLE calls; --",
    b"=cmd|' /C calc'!A0,\"b\"\t;c",
    b"a;INJECTED 7\n;b 9",
    b"a\xff\xfe\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80",
    "a\u{202e}gpj.\u{2066}b\u{200f}".as_bytes(),
    b"`a`|<b>**b**|[c](http://d)|@e|\n# INJECTED",
    b"{{script}} ${INJECTED} %s%n $(INJECTED)",
    b"a\n[limits]\nINJECTED = 1\n\"\"\"",
    b"../../../../tmp/x",
    b"\0a",
    b"",
];

/// The name of a program, and so of its thread.
pub const PROGRAM: &[u8] = b"<img src=x>\x1b]\n\"\xff;";

/// The names that files can have.
pub fn file_names() -> impl Iterator<Item = &'static [u8]> {
    NAMES.iter().copied().filter(|name| !name.is_empty() && !name.iter().any(|byte| b"/\0".contains(byte)))
}

/// Makes the recording `rec`.
pub fn record(scratch: &Scratch) {
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let all = text(&NAMES.concat());
    let args = ["stride".into()].into_iter().chain(NAMES.iter().map(|name| OsString::from_vec(name.to_vec())));
    let metadata = Metadata {
        args: args.collect(),
        version: all.clone(),
        host: all.clone(),
        release: all.clone(),
        machine: all.clone(),
        engine: all,
        several: true,
        follows: true,
        text_limit: 4096,
        command_limit: 4096,
        descriptors: true,
        dumps: true,
        names: true,
        stacks: true,
        sources: true,
        started: 1000,
        ..Metadata::default()
    };
    let mut to = Recorded::with(scratch, &metadata);
    to.started(100, None, 1000);
    for (tid, name) in (101..).zip(NAMES) {
        to.event(forked(100, tid, tid, at(tid, 0)));
        // A thread's name has fifteen bytes.
        let short = &name[..name.len().min(15)];
        let execve = naming(call(tid, "execve", &[0x1000, 0x2000, 0x3000], 0), 0x1000, name);
        let pointers: Vec<u8> = [0x1000u64, 0x1000, 0].iter().flat_map(|pointer| pointer.to_ne_bytes()).collect();
        let execve = holding(execve, Phase::Entry, 0x2000, &pointers);
        to.exit(&lasting(holding(execve, Phase::Entry, 0x3000, &pointers), at(tid, 1), 100));
        let renamed = naming(call(tid, "prctl", &[15, 0x1000], 0), 0x1000, short);
        to.exit(&lasting(renamed, at(tid, 2), 100));
        let text = text(name);
        let frames = [
            at_line(merging(frame(&text, &text), &[&text, "inner"]), &text, 7),
            frame("/lib/libc.so.6", &text),
            frame(&text, ""),
        ];
        let stack = stack(frames, Bottom::Reached);
        for (i, outcome) in (3..).zip([Outcome::Value(3), Outcome::Error(2), Outcome::Error(13)]) {
            let open = naming(call_of(Abi::NATIVE, tid, "openat", &[-100i64 as u64, 0x1000, 0], outcome), 0x1000, name);
            let open = Call {
                stack: Some(Arc::clone(&stack)),
                stack_calls: 1,
                container: Some(text.as_str().into()),
                ..lasting(open, at(tid, i), 100)
            };
            to.event(Event::Enter(&Call { outcome: Outcome::Pending, returned: at(tid, i), ..open.clone() }));
            to.exit(&open);
        }
        // Enough of them for advice.
        for i in 0..120 {
            let data = holding(call(tid, "read", &[3, 0x4000, 1], 1), Phase::Exit, 0x4000, &name[..name.len().min(1)]);
            to.exit(&lasting(Call { stack: Some(Arc::clone(&stack)), stack_calls: 1, ..data }, at(tid, 10 + i), 100));
        }
        let data = holding(call(tid, "write", &[1, 0x4000, name.len() as u64], 0), Phase::Entry, 0x4000, name);
        to.exit(&lasting(data, at(tid, 200), 100));
        // An address of a socket (AF_UNIX), whose name is the tracee's choice.
        let address = [&1u16.to_ne_bytes()[..], name, b"\0"].concat();
        let connect = call(tid, "connect", &[4, 0x5000, address.len() as u64], 0);
        to.exit(&lasting(holding(connect, Phase::Entry, 0x5000, &address), at(tid, 201), 100));
        // A server of this name, and a request to it.
        to.exit(&lasting(call(tid, "socket", &[1, 1, 0], 5), at(tid, 202), 100));
        let bind = call(tid, "bind", &[5, 0x5000, address.len() as u64], 0);
        to.exit(&lasting(holding(bind, Phase::Entry, 0x5000, &address), at(tid, 203), 100));
        to.exit(&lasting(call(tid, "accept", &[5, 0, 0], 6), at(tid, 204), 100));
        let answer = call(tid, "sendto", &[6, 0x4000, name.len() as u64, 0, 0, 0], name.len() as i64);
        to.exit(&lasting(holding(answer, Phase::Entry, 0x4000, name), at(tid, 205), 100));
        to.ended(tid, at(tid, 300));
    }
    to.ended(100, at(300, 0));
    to.finish();
}

fn at(tid: i32, step: u64) -> u64 {
    tid as u64 * 1_000_000 + step * 1000
}

fn call(tid: i32, name: &str, args: &[u64], result: i64) -> Call {
    call_of(Abi::NATIVE, tid, name, args, Outcome::Value(result))
}
