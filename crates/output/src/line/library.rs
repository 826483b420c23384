//! Lines of library calls: name, arguments, result; indented by depth.

use super::Line;
use crate::Writer;
use crate::clock::seconds;
use crate::color::{Role, Span};
use crate::moment::Moment;
use stride_event::{LibraryCall, LibraryPart};

/// Functions of libraries that call one another are indented up to this depth.
const DEEPEST: u32 = 32;

impl Line {
    /// A part of a call of a library's function. `shown`: its beginning has been shown.
    pub fn library(&mut self, m: Moment<'_>, call: &LibraryCall, shown: bool) {
        let ends = call.part != LibraryPart::Entered;
        if ends && shown && self.open_function.take_if(|open| *open == (call.tid, call.depth)).is_some() {
            self.library_end(call);
            return;
        }
        self.leader(m);
        self.out.resize(self.out.len() + 2 * call.depth.min(DEEPEST) as usize, b' ');
        if ends && shown {
            self.out.extend_from_slice(b"<... ");
            self.function(call);
            self.out.extend_from_slice(b" resumed>");
        } else {
            self.function(call);
            self.out.push(b'(');
            self.library_args(call);
        }
        if ends {
            self.library_end(call);
        } else {
            self.open_function = Some((call.tid, call.depth));
        }
        self.paint();
    }

    /// The name, with marks for colours.
    fn function(&mut self, call: &LibraryCall) {
        self.mark(Span::Whole(Role::Syscall));
        // (Names come from files, which may be hostile.)
        self.out.extend_from_slice(crate::shown(call.function.name.as_bytes()).as_bytes());
        self.mark(Span::Whole(Role::Punctuation));
    }

    pub(crate) fn library_args(&mut self, call: &LibraryCall) {
        self.mark(Span::Values(Role::ArgValue));
        let mut w = Writer { out: &mut self.out, style: self.layout.style };
        for (i, (name, value)) in stride_decode::library_args(call).enumerate() {
            if i > 0 {
                w.str(", ");
            }
            if w.style.arg_names && !name.is_empty() && name != "..." {
                w.str(&crate::shown(name.as_bytes()));
                w.out.push(b'=');
            }
            w.value(&value);
        }
        if call.entered == 0 {
            w.str("...");
        }
    }

    /// `6`, or nothing for a function that returns nothing.
    pub(crate) fn library_result(&mut self, call: &LibraryCall) {
        let mut w = Writer { out: &mut self.out, style: self.layout.style };
        match stride_decode::library_result(call) {
            Some(value) => w.value(&value),
            None if call.part == LibraryPart::Gone => w.str("?"),
            None => w.str("void"),
        }
    }

    fn library_end(&mut self, call: &LibraryCall) {
        self.mark(Span::Whole(Role::Punctuation));
        self.out.push(b')');
        if call.part != LibraryPart::Passed {
            self.align();
            self.mark(Span::Values(Role::Return));
            self.library_result(call);
            if let Some(digits) = self.layout.elapsed {
                let mut w = Writer { out: &mut self.out, style: self.layout.style };
                match call.duration() {
                    Some(duration) => {
                        w.str(" <");
                        seconds(w.out, duration, 1, digits);
                        w.str(">");
                    }
                    None => w.str(" <unavailable>"),
                }
            }
        }
        self.mark(Span::Plain);
        self.out.push(b'\n');
        self.paint();
    }
}
