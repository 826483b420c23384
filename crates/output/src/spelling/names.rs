//! Names of errors and signals.

pub use stride_event::errno;
use stride_syscalls::uapi;

/// `SIGINT`, `SIGRTMIN`, `SIGRT_3`, or the number if there is no such signal.
pub fn signal(out: &mut Vec<u8>, signal: i32) {
    if (1..=LAST).contains(&signal) {
        out.extend_from_slice(b"SIG");
    }
    signal_short(out, signal);
}

/// The same as text.
pub fn signal_text(number: i32) -> String {
    let mut out = Vec::new();
    signal(&mut out, number);
    String::from_utf8_lossy(&out).into_owned()
}

const RTMIN: i32 = 32;
const SECOND: i32 = RTMIN + 1;
const LAST: i32 = 64;

/// `INT`, as in a signal set.
pub fn signal_short(out: &mut Vec<u8>, signal: i32) {
    let mut buf = itoa::Buffer::new();
    match signal {
        1..RTMIN => out.extend_from_slice(signal_name(signal as u32).as_bytes()),
        RTMIN => out.extend_from_slice(b"RTMIN"),
        SECOND..=LAST => {
            out.extend_from_slice(b"RT_");
            out.extend_from_slice(buf.format(signal - RTMIN).as_bytes());
        }
        _ => out.extend_from_slice(buf.format(signal).as_bytes()),
    }
}

/// The signal's name without the prefix.
fn signal_name(signal: u32) -> &'static str {
    let table = uapi::signals::SIGNALS;
    let name = table.binary_search_by_key(&signal, |s| s.0).map_or("SIG_???", |i| table[i].1);
    name.strip_prefix("SIG").unwrap_or(name)
}
