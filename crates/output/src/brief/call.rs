//! A call as text, whole or in parts, without leader and alignment. Views put it in a table or a field.

use crate::{Layout, Line, Style};
use std::borrow::Cow;
use stride_decode::{Decoded, Value};
use stride_event::{LibraryCall, Taker, Waker};

/// Writes one call at a time. Tracee bytes are escaped as in strace's lines. The caller escapes the text again for its
/// own sink.
pub struct Brief {
    line: Line,
}

impl Brief {
    pub fn new(style: Style) -> Brief {
        Brief { line: Line::new(Layout { style, ..Layout::default() }, 0) }
    }

    /// `openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3`
    pub fn call(&mut self, decoded: &Decoded<'_>) -> Cow<'_, str> {
        self.start();
        self.line.name(decoded);
        self.line.buffer().push(b'(');
        self.line.args(decoded.args, 0);
        self.line.buffer().extend_from_slice(if decoded.unfinished { b" <unfinished ...>)" } else { b")" });
        if let Some(ret) = &decoded.ret {
            self.line.buffer().extend_from_slice(b" = ");
            self.line.outcome(decoded, ret);
        }
        self.text()
    }

    /// `openat`
    pub fn name(&mut self, decoded: &Decoded<'_>) -> Cow<'_, str> {
        self.start();
        self.line.name(decoded);
        self.text()
    }

    /// `AT_FDCWD, "/etc/passwd", O_RDONLY`
    pub fn args(&mut self, decoded: &Decoded<'_>) -> Cow<'_, str> {
        self.start();
        self.line.args(decoded.args, 0);
        self.text()
    }

    /// The arguments of a library's function.
    pub fn library_args(&mut self, call: &LibraryCall) -> Cow<'_, str> {
        self.start();
        self.line.library_args(call, &[]);
        self.text()
    }

    /// And its result.
    pub fn library_result(&mut self, call: &LibraryCall) -> Cow<'_, str> {
        self.start();
        self.line.library_result(call, &[]);
        self.text()
    }

    /// `3`, or `-1 ENOENT (No such file or directory)`
    pub fn outcome(&mut self, decoded: &Decoded<'_>) -> Cow<'_, str> {
        self.start();
        if let Some(ret) = &decoded.ret {
            self.line.outcome(decoded, ret);
        }
        self.text()
    }

    /// `redis-server[412] sendto`, or `a timer`
    pub fn waker(&mut self, waker: &Waker) -> Cow<'_, str> {
        self.start();
        self.line.waker(waker);
        self.text()
    }

    /// `redis-server[412]`
    pub fn taker(&mut self, taker: &Taker) -> Cow<'_, str> {
        self.start();
        self.line.taker(taker);
        self.text()
    }

    /// A value that belongs to no call, such as a siginfo.
    pub fn value(&mut self, value: &Value<'_>) -> Cow<'_, str> {
        self.start();
        self.line.value(value);
        self.text()
    }

    fn start(&mut self) {
        self.line.buffer().clear();
    }

    /// Borrowing works because strace's escapes are ASCII.
    fn text(&mut self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.line.buffer())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_decode::{Decoder, Options, Part};
    use stride_event::{Call, Limits, Outcome, Peek, Phase, capture};
    use stride_syscalls::{Abi, plan::Plan, table};

    struct Memory(&'static [u8]);

    impl Peek for Memory {
        fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
            let from = self.0.get(addr as usize - 0x1000..).unwrap_or_default();
            let n = buf.len().min(from.len());
            buf[..n].copy_from_slice(&from[..n]);
            n
        }
    }

    fn openat(path: &'static [u8], outcome: Outcome) -> Call {
        let (nr, row) = (0..512)
            .find_map(|nr| table(Abi::NATIVE).get(nr).filter(|e| e.row.name == "openat").map(|e| (nr, e.row)))
            .expect("openat is in the table");
        let mut call = Call { nr, args: [-100i64 as u64, 0x1000, 0, 0, 0, 0], ..Call::default() };
        let limits = Limits { text: 32, command_text: 0, elements: 32, received: true };
        capture(&Plan::of(row, call.abi), row, Phase::Entry, &mut call, &limits, &mut Memory(path));
        call.outcome = outcome;
        call
    }

    #[test]
    fn whole_and_in_parts() {
        let (mut decoder, options) = (Decoder::default(), Options::default());
        let mut brief = Brief::new(Style::default());
        let call = openat(b"/etc/passwd\0", Outcome::Value(3));
        let decoded = decoder.decode(&call, Part::Whole, &options, &());
        assert_eq!(brief.call(&decoded), r#"openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3"#);
        assert_eq!(brief.name(&decoded), "openat");
        assert_eq!(brief.args(&decoded), r#"AT_FDCWD, "/etc/passwd", O_RDONLY"#);
        assert_eq!(brief.outcome(&decoded), "3");
    }

    #[test]
    fn hostile_bytes_stay_on_the_line() {
        let (mut decoder, options) = (Decoder::default(), Options::default());
        let mut brief = Brief::new(Style::default());
        let call = openat(b"a\n\"\xff\x1b[31m\0", Outcome::Error(2));
        let decoded = decoder.decode(&call, Part::Whole, &options, &());
        let text = brief.call(&decoded);
        assert!(matches!(text, Cow::Borrowed(_)));
        assert_eq!(text, r#"openat(AT_FDCWD, "a\n\"\377\33[31m", O_RDONLY) = -1 ENOENT (No such file or directory)"#);
    }
}
