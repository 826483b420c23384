//! Writes the end of a line: the result of the call, its note, and the time that the call took.

use super::Line;
use super::color::{Role, Span};
use super::waits::waits;
use crate::spelling::clock::seconds;
use crate::spelling::names;
use crate::{NameStyle, Style, Writer};
use stride_decode::{Decoded, Return, Value};
use stride_event::{Call, Outcome};
use stride_syscalls::Ret;

impl Line {
    /// Goes to the column of `=`, and writes that.
    pub(crate) fn align(&mut self) {
        let column = self.column();
        if column < self.layout.column {
            self.out.resize(self.out.len() + self.layout.column - column, b' ');
        }
        self.out.extend_from_slice(if column < self.layout.column { b"= " } else { b" = " });
    }

    pub(super) fn ret(&mut self, call: &Call, decoded: &Decoded<'_>, ret: &Return<'_>) {
        self.align();
        self.outcome(decoded, ret);
        if let Some(digits) = self.layout.elapsed {
            let mut w = Writer { out: &mut self.out, style: self.layout.style };
            match (ret.outcome, call.took()) {
                (Outcome::Value(_) | Outcome::Error(_), Some(took)) => {
                    w.str(" <");
                    seconds(w.out, took, 1, digits);
                    if let Some(found) = call.waits.as_deref().filter(|_| self.layout.waits) {
                        waits(&mut w, found);
                    }
                    w.str(">");
                }
                _ => w.str(" <unavailable>"),
            }
        }
        self.out.push(b'\n');
    }

    /// The return value, with the error's text and the note.
    pub(crate) fn outcome(&mut self, decoded: &Decoded<'_>, ret: &Return<'_>) {
        let style = self.layout.style;
        let mut w = Writer { out: &mut self.out, style };
        let colored = self.layout.palette.is_some();
        let mut mark = |w: &Writer<'_>, span| {
            if colored {
                self.spans.mark(w.out.len(), span);
            }
        };
        mark(&w, Span::Values(Role::Return));
        match ret.outcome {
            Outcome::Value(v) => {
                if matches!(decoded.row.map(|r| r.ret), Some(Ret::Never)) {
                    w.str("?");
                } else if matches!(ret.value, Value::Addr(0)) {
                    w.int(v);
                } else {
                    w.value(&ret.value);
                }
            }
            Outcome::Error(e) => match names::errno(e) {
                // The program never sees the kernel's internal codes. The call will be restarted.
                Some((name, text)) if matches!(e, 512..=514 | 516 | 530) => {
                    w.str("? ");
                    mark(&w, Span::Whole(Role::Error));
                    w.str(name);
                    w.str(" (");
                    w.str(text);
                    w.str(")");
                }
                Some((name, text)) => {
                    w.str("-1 ");
                    mark(&w, Span::Whole(Role::Error));
                    w.str(name);
                    w.str(" (");
                    w.str(text);
                    w.str(")");
                }
                None => {
                    w.str("-1 ");
                    mark(&w, Span::Whole(Role::Error));
                    w.str("(errno ");
                    w.int(e);
                    w.str(")");
                }
            },
            Outcome::Gone | Outcome::Pending => w.str("?"),
        }
        mark(&w, Span::Values(Role::ArgValue));
        // A note that explains the number follows `-X`. Any other note always keeps its names.
        let raw = style.names == NameStyle::Raw;
        match &ret.note {
            None => {}
            Some(Value::Macro { .. } | Value::Known(..) | Value::Gloss(_)) if raw => {}
            Some(Value::Macro { name, args, .. }) => {
                w.str(" (");
                w.macro_call(name, args);
                w.str(")");
            }
            Some(note) => {
                let (note, names) = match note {
                    Value::Known(_, meaning) => (*meaning, style.names),
                    Value::Styled(_) => (note, style.names),
                    note => (note, NameStyle::Abbrev),
                };
                w.str(" (");
                Writer { out: &mut *w.out, style: Style { names, ..style } }.value(note);
                w.str(")");
            }
        }
        let changed = decoded.call.tampering;
        w.str(match (changed.arguments, changed.result) {
            (false, false) => "",
            (false, true) => " (INJECTED)",
            (true, false) => " (INJECTED: args)",
            (true, true) => " (INJECTED: args, retval)",
        });
        if changed.delay {
            w.str(" (DELAYED)");
        }
        mark(&w, Span::Plain);
    }
}
