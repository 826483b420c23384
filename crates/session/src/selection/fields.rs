//! The facts about a call that `--where` asks for. Each is found when it is asked for.

use super::identities::Identities;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use stride_decode::{Decoder, Options, Part, Resolver, Value};
use stride_event::{Call, LibraryCall, Ns, Outcome, errno_word};
use stride_filter::{CallFacts, CallField, Datum, Fault, MOST_INNER_TEXT, MOST_ITEMS, MOST_TEXT};
use stride_output::signal_text;
use stride_syscalls::{FlagPart, For, Set, table};
use stride_track::{ObjectId, Seen, Tracker};

/// Decodes the arguments of calls.
pub struct Arguments {
    decoder: RefCell<Decoder>,
    options: Options,
    resolver: Box<dyn Resolver>,
}

impl Arguments {
    pub fn new(options: Options, resolver: Box<dyn Resolver>) -> Arguments {
        Arguments { decoder: RefCell::default(), options, resolver }
    }

    fn of(&self, call: &Call) -> Vec<(&'static str, Datum<'static>)> {
        let mut decoder = self.decoder.borrow_mut();
        let decoded = decoder.decode(call, Part::Whole, &self.options, &*self.resolver);
        decoded.args.iter().map(|arg| (arg.name, datum(&arg.value, MOST_TEXT as usize, 0))).collect()
    }
}

/// The facts about one call after the latest event.
pub struct CallFields<'a> {
    pub call: &'a Call,
    pub tracker: &'a Tracker,
    pub identities: &'a Identities,
    pub arguments: &'a Arguments,
    /// The time until which the call has lasted.
    pub until: Ns,
    /// The tracker's findings when the call was entered. Its descriptor may be closed since.
    entered: Option<&'a Seen>,
    decoded: OnceCell<Vec<(&'static str, Datum<'static>)>>,
}

impl<'a> CallFields<'a> {
    pub fn new(
        call: &'a Call,
        until: Ns,
        tracker: &'a Tracker,
        identities: &'a Identities,
        arguments: &'a Arguments,
        entered: Option<&'a Seen>,
    ) -> CallFields<'a> {
        CallFields { call, tracker, identities, arguments, until, entered, decoded: OnceCell::new() }
    }

    /// The tracker's findings about the call, if it has just returned.
    fn seen(&self) -> Option<&Seen> {
        self.tracker.seen().filter(|seen| seen.tid == self.call.tid)
    }

    /// The object that the call's descriptor refers to.
    fn object(&self) -> Option<ObjectId> {
        self.seen().and_then(|seen| seen.object).or_else(|| self.entered?.object)
    }

    /// The object that the call is about.
    fn about(&self) -> Option<ObjectId> {
        self.seen().and_then(Seen::subject).or_else(|| self.entered?.subject())
    }

    fn pid(&self) -> i32 {
        self.tracker.thread(self.call.tid).map_or(self.call.tid, |thread| thread.pid)
    }

    fn wait(&self) -> Option<&'static str> {
        let row = self.call.row()?.form(&self.call.args, self.call.abi);
        Some(match row.waits().or_else(|| row.may_wait())? {
            For::Time => "time",
            For::Readiness => "readiness",
            For::Completion => "completion",
            For::Lock => "lock",
            For::Signal => "signal",
            For::Child => "child",
            For::Peer => "peer",
            For::Turn => "turn",
        })
    }

    fn exe(&self) -> Option<Datum<'_>> {
        match self.tracker.process(self.pid()).and_then(|process| process.program) {
            Some(program) => Some(Datum::bytes(self.tracker.name(program))),
            None => self
                .identities
                .program(self.pid())
                .map(|program| Datum::Text(Cow::Owned(String::from_utf8_lossy(&program).into_owned()))),
        }
    }
}

/// The facts about a part of a call of a library's function.
pub struct FunctionFields<'a> {
    pub call: &'a LibraryCall,
    pub tracker: &'a Tracker,
    pub identities: &'a Identities,
}

impl FunctionFields<'_> {
    fn seen(&self) -> Option<&Seen> {
        self.tracker.seen().filter(|_| self.call.operation.is_some())
    }

    fn object(&self) -> Option<ObjectId> {
        self.seen().and_then(|seen| seen.object)
    }
}

impl CallFacts for FunctionFields<'_> {
    fn field(&self, field: CallField) -> Result<Option<Datum<'_>>, Fault> {
        let number = |n: i64| Datum::Int(n.into());
        let thread = self.tracker.thread(self.call.tid);
        Ok(match field {
            CallField::Name => Some(Datum::Text(Cow::Borrowed(&self.call.function.name))),
            CallField::Pid => Some(number(thread.map_or(self.call.tid, |thread| thread.pid).into())),
            CallField::Tid => Some(number(self.call.tid.into())),
            CallField::Comm => thread.filter(|thread| !thread.comm.is_empty()).map(|thread| Datum::bytes(&thread.comm)),
            CallField::Uid => self.identities.user(self.call.tid).map(|uid| number(uid.into())),
            CallField::Ret => stride_decode::library_result(self.call).map(|_| number(self.call.result as i64)),
            CallField::Duration => self.call.duration().map(|time| Datum::Duration(time.into())),
            // Only operations of io_uring are known to fail and to move bytes.
            CallField::Errno => self.call.error().map(|errno| Datum::Text(errno_word(errno))),
            CallField::Bytes => self.call.moved().map(|bytes| Datum::Int(bytes.into())),
            // The tracker knows what operations are about.
            CallField::Path => {
                self.seen().and_then(Seen::subject).map(|object| Datum::bytes(self.tracker.name(object)))
            }
            CallField::FdKind => {
                self.object().map(|object| Datum::Text(Cow::Borrowed(self.tracker.kind(object).word())))
            }
            CallField::FdPeer => self.object().and_then(|object| self.tracker.peer(object)).map(Datum::bytes),
            CallField::Exe | CallField::Container | CallField::Wait => None,
        })
    }

    fn argument(&self, name: &str) -> Result<Option<Datum<'_>>, Fault> {
        let found = stride_decode::library_args(self.call).find(|(known, _)| *known == name);
        Ok(found.map(|(_, value)| datum(&value, MOST_TEXT as usize, 0)))
    }
}

impl CallFacts for CallFields<'_> {
    fn field(&self, field: CallField) -> Result<Option<Datum<'_>>, Fault> {
        let text = |text| Datum::Text(Cow::Borrowed(text));
        let number = |n: i64| Datum::Int(n.into());
        Ok(match field {
            CallField::Name => Some(Datum::Text(table(self.call.abi).name(self.call.nr))),
            CallField::Pid => Some(number(self.pid().into())),
            CallField::Tid => Some(number(self.call.tid.into())),
            CallField::Comm => self
                .tracker
                .thread(self.call.tid)
                .filter(|thread| !thread.comm.is_empty())
                .map(|thread| Datum::bytes(&thread.comm)),
            CallField::Exe => self.exe(),
            CallField::Container => self.call.container.as_deref().map(text),
            CallField::Uid => self.identities.user(self.call.tid).map(|uid| number(uid.into())),
            CallField::Path => self.about().map(|object| Datum::bytes(self.tracker.name(object))),
            CallField::FdKind => self.object().map(|object| text(self.tracker.kind(object).word())),
            CallField::FdPeer => self.object().and_then(|object| self.tracker.peer(object)).map(Datum::bytes),
            CallField::Ret => match self.call.outcome {
                Outcome::Value(value) => Some(number(value)),
                Outcome::Error(_) => Some(number(-1)),
                Outcome::Gone | Outcome::Pending => None,
            },
            CallField::Errno => match self.call.outcome {
                Outcome::Error(errno) => Some(Datum::Text(errno_word(errno))),
                _ => None,
            },
            CallField::Duration => self.call.lasted(self.until).map(|time| Datum::Duration(time.into())),
            CallField::Bytes => self.call.moved().map(|bytes| Datum::Int(bytes.into())),
            CallField::Wait => self.wait().map(text),
        })
    }

    fn argument(&self, name: &str) -> Result<Option<Datum<'_>>, Fault> {
        let all = self.decoded.get_or_init(|| self.arguments.of(self.call));
        Ok(all.iter().find(|(known, _)| *known == name).map(|(_, value)| value.borrowed()))
    }
}

/// Structs in structs are followed to this depth.
const DEEPEST: u32 = 4;

/// A decoded value as expressions have it: flags are lists of names, one of several names is that name, and numbers are
/// numbers, however they are shown.
fn datum(value: &Value<'_>, most: usize, depth: u32) -> Datum<'static> {
    let inner = |value: &Value<'_>| datum(value, MOST_INNER_TEXT as usize, depth + 1);
    let all = |items: &[Value<'_>]| Datum::List(items.iter().take(MOST_ITEMS as usize).map(inner).collect());
    let text = |text: &[u8]| {
        let text = String::from_utf8_lossy(&text[..text.len().min(most)]);
        Datum::Text(Cow::Owned(text.into_owned()))
    };
    if depth > DEEPEST {
        return Datum::Null;
    }
    match *value {
        Value::Int(n) => Datum::Int(n.into()),
        Value::UInt(n)
        | Value::Ticks(n)
        | Value::Hex(n)
        | Value::PadHex { raw: n, .. }
        | Value::Addr(n)
        | Value::Octal(n)
        | Value::Mode(n) => Datum::Int(n.into()),
        Value::Errno(n) => Datum::Text(errno_word(n.unsigned_abs())),
        Value::Fd { fd, .. } => Datum::Int(fd.into()),
        Value::Pid { id, .. } => Datum::Int(id.into()),
        Value::Flags { raw, set } => flags(raw, set),
        Value::Enum { raw, set } => {
            set.name_of(raw).map_or(Datum::Int(raw.into()), |name| Datum::Text(Cow::Borrowed(name)))
        }
        Value::Name { name, .. } => Datum::Text(Cow::Borrowed(name)),
        Value::Signal(n) => Datum::Text(signal_text(n).into()),
        Value::Text(of) => text(of.shown()),
        Value::Word(of) => text(of.as_bytes()),
        Value::Char(byte) | Value::CodeChar(byte) => text(&[byte]),
        Value::Struct(members, _) => Datum::Map(
            members.iter().take(MOST_ITEMS as usize).map(|m| (Cow::Borrowed(m.name), inner(&m.value))).collect(),
        ),
        Value::Array(items, _) | Value::Set(items) | Value::Seq(items) | Value::Or(items) => all(items),
        Value::Bitmap(names, _) => inner(names),
        Value::SigSet(mask) => {
            let has =
                |signal: &i32| mask.get((signal - 1) as usize / 8).is_some_and(|b| b >> ((signal - 1) % 8) & 1 != 0);
            Datum::List((1..=64).filter(has).map(|signal| Datum::Text(signal_text(signal).into())).collect())
        }
        Value::WaitStatus(status) => Datum::Int(status.into()),
        // These numbers are in network or kernel form.
        Value::Call { name: "htons" | "htonl" | "htobe64" | "htobs", args: [host] } => inner(host),
        Value::Known(_, meaning @ Value::Call { name: "htons" | "htonl" | "htobe64", .. }) => inner(meaning),
        Value::Known(number, _) | Value::Split(number, _) | Value::Macro { number, .. } => inner(number),
        Value::Ip(ip) => Datum::Text(Cow::Owned(ip.to_string())),
        Value::Change(_, after) => inner(after),
        Value::Numbered(of)
        | Value::Remarked(of, _)
        | Value::Comment(of, _)
        | Value::Extra { bytes: of, .. }
        | Value::Indexed(_, of)
        | Value::Quantity(of, _)
        | Value::Titled(_, of)
        | Value::Labelled(of, _)
        | Value::Gloss(of)
        | Value::Styled(of)
        | Value::Becomes(of)
        | Value::Named(_, of) => datum(of, most, depth + 1),
        Value::NarrowError(n) => Datum::Int(n.into()),
        Value::Namespace { inode, .. } => Datum::Int(inode.into()),
        Value::Resumes(name) => Datum::Text(Cow::Borrowed(name)),
        Value::Call { .. }
        | Value::Unary(..)
        | Value::Binary(..)
        | Value::Range(..)
        | Value::Place { .. }
        | Value::Decimal { .. }
        | Value::Designation(_)
        | Value::OneOf(_)
        | Value::Unnamed(_)
        | Value::Unknown
        | Value::Unreadable
        | Value::LeftOut
        | Value::Time { .. }
        | Value::Absent => Datum::Null,
    }
}

/// The names of a flag word, and its bits without a name as a number.
fn flags(raw: u64, set: &'static Set) -> Datum<'static> {
    let (mut names, mut left) = (Vec::new(), 0);
    let any = set.parts(raw, |part| match part {
        FlagPart::Name(name) => names.push(Datum::Text(Cow::Borrowed(name))),
        FlagPart::Lead(bits) | FlagPart::Rest(bits) => left |= bits,
        FlagPart::Number(number, by) => names.push(Datum::Text(Cow::Owned(format!("{number}<<{by}")))),
    });
    let left = if any { left } else { raw };
    if left != 0 {
        names.push(Datum::Int(left.into()));
    }
    Datum::List(names)
}
