//! Lines of library calls: name, arguments, result; indented by depth. And those of operations of io_uring.

use super::Line;
use crate::Writer;
use crate::line::color::{Role, Span};
use crate::line::moment::Moment;
use crate::spelling::clock::seconds;
use crate::spelling::names;
use stride_decode::{FdNote, Value, library_args_noted, library_result_noted};
use stride_event::{LibraryCall, LibraryPart, OperationFacts};
use stride_syscalls::sets::uring::{CQE_FLAGS, IOSQE};

/// Functions of libraries that call one another are indented up to this depth.
pub(crate) const DEEPEST: u32 = 32;

impl Line {
    /// A part of a call of a library's function. `shown`: its beginning has been shown. `notes`: the referents of
    /// descriptors.
    pub fn library(&mut self, m: Moment<'_>, call: &LibraryCall, shown: bool, notes: &[(i32, FdNote<'_>)]) {
        if let Some(form) = self.form() {
            let began = if call.entered == 0 { call.at } else { call.entered };
            return self.in_form(m, began, |w, line| form.library(w, line, call, notes));
        }
        let ends = call.part != LibraryPart::Entered;
        if ends && shown && self.open_function.take_if(|open| *open == (call.tid, call.depth)).is_some() {
            self.library_end(call, notes);
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
            self.library_args(call, notes);
        }
        if ends {
            self.library_end(call, notes);
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

    pub(crate) fn library_args(&mut self, call: &LibraryCall, notes: &[(i32, FdNote<'_>)]) {
        self.mark(Span::Values(Role::ArgValue));
        let mut w = Writer { out: &mut self.out, style: self.layout.style };
        for (i, (name, value)) in library_args_noted(call, notes).enumerate() {
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
    pub(crate) fn library_result(&mut self, call: &LibraryCall, notes: &[(i32, FdNote<'_>)]) {
        let mut w = Writer { out: &mut self.out, style: self.layout.style };
        match library_result_noted(call, notes) {
            Some(value) => w.value(&value),
            None if call.part == LibraryPart::Gone => w.str("?"),
            None => w.str("void"),
        }
        if let Some((_, text)) = call.error().and_then(names::errno) {
            w.str(" (");
            w.str(text);
            w.str(")");
        }
        if let Some(facts) = call.operation {
            submission(&mut w, call.part, facts);
        }
    }

    fn library_end(&mut self, call: &LibraryCall, notes: &[(i32, FdNote<'_>)]) {
        self.mark(Span::Whole(Role::Punctuation));
        self.out.push(b')');
        if call.part != LibraryPart::Passed {
            self.align();
            self.mark(Span::Values(Role::Return));
            self.library_result(call, notes);
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

/// ` (IOSQE_IO_LINK, submitted by io_uring_enter)`: what the entries of the two queues say besides, and how the
/// operation was submitted.
fn submission(w: &mut Writer<'_>, part: LibraryPart, facts: OperationFacts) {
    w.str(" (");
    if facts.flags != 0 {
        w.value(&Value::Flags { raw: facts.flags.into(), set: &IOSQE });
        w.str(", ");
    }
    // The upper half has the number of a buffer.
    let flags = u64::from(facts.cqe_flags & 0xffff);
    if part == LibraryPart::Returned && flags != 0 {
        w.value(&Value::Flags { raw: flags, set: &CQE_FLAGS });
        w.str(", ");
    }
    if part == LibraryPart::Gone {
        w.str(if facts.is_silent() { "no completion if it succeeds, " } else { "no completion seen, " });
    }
    w.str(submitter(facts));
    w.str(")");
}

/// The words for the thread that took an operation from the queue.
fn submitter(facts: OperationFacts) -> &'static str {
    if facts.polled { "submitted by SQPOLL" } else { "submitted by io_uring_enter" }
}
