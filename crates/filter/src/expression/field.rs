//! The fields that expressions can name.

use super::datum::{Datum, Kind};

/// A field of a call. Arguments (`args.NAME`) come besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallField {
    Name,
    Pid,
    Tid,
    Comm,
    Exe,
    Container,
    Uid,
    Path,
    FdKind,
    FdPeer,
    Ret,
    Errno,
    Duration,
    Bytes,
    Wait,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    Int,
    Text,
    Duration,
}

/// Facts about a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldFacts {
    pub field: CallField,
    pub name: &'static str,
    /// The values that it has, if these are few words.
    pub words: &'static [&'static str],
    pub of: FieldType,
    /// The value does not change between entry and return.
    pub at_entry: bool,
    pub about: &'static str,
}

const fn fact(field: CallField, name: &'static str, of: FieldType, about: &'static str) -> FieldFacts {
    FieldFacts { field, name, words: &[], of, at_entry: false, about }
}

const fn at_entry(facts: FieldFacts) -> FieldFacts {
    FieldFacts { at_entry: true, ..facts }
}

const fn of(words: &'static [&'static str], facts: FieldFacts) -> FieldFacts {
    FieldFacts { words, ..facts }
}

pub const FD_KINDS: &[&str] = &["", "file", "pipe", "socket", "other"];
pub const WAITS: &[&str] = &["", "time", "readiness", "completion", "lock", "signal", "child", "peer", "turn"];

/// All fields. A field is added here and in `CallFacts` of the command line's crate, and nowhere else.
pub static FIELDS: [FieldFacts; 15] = [
    at_entry(fact(CallField::Name, "name", FieldType::Text, "name of the system call, or LIB:NAME of a function")),
    at_entry(fact(CallField::Pid, "pid", FieldType::Int, "id of the process")),
    at_entry(fact(CallField::Tid, "tid", FieldType::Int, "id of the thread")),
    fact(CallField::Comm, "comm", FieldType::Text, "name of the thread when the call returned"),
    fact(CallField::Exe, "exe", FieldType::Text, "path of the program that the process runs"),
    fact(CallField::Container, "container", FieldType::Text, "name of the container that the thread is in"),
    fact(CallField::Uid, "uid", FieldType::Int, "effective user id of the thread"),
    fact(CallField::Path, "path", FieldType::Text, "path that the call names, else what its descriptor refers to"),
    of(
        FD_KINDS,
        fact(CallField::FdKind, "fd.kind", FieldType::Text, "kind of file that the call's descriptor refers to"),
    ),
    fact(CallField::FdPeer, "fd.peer", FieldType::Text, "other end of the descriptor's socket"),
    fact(CallField::Ret, "ret", FieldType::Int, "result; -1 if the call failed"),
    fact(CallField::Errno, "errno", FieldType::Text, "name of the error, empty if there was none"),
    fact(CallField::Duration, "duration", FieldType::Duration, "time from entry to return"),
    fact(CallField::Bytes, "bytes", FieldType::Int, "bytes that the call transferred"),
    of(WAITS, fact(CallField::Wait, "wait", FieldType::Text, "the thing that calls of this name wait for")),
];

impl CallField {
    pub fn facts(self) -> &'static FieldFacts {
        &FIELDS[self as usize]
    }

    pub fn named(name: &str) -> Option<CallField> {
        FIELDS.iter().find(|facts| facts.name == name).map(|facts| facts.field)
    }
}

impl FieldFacts {
    pub fn kind(&self) -> Kind {
        match self.of {
            FieldType::Int => Kind::Int,
            FieldType::Text => Kind::Text,
            FieldType::Duration => Kind::Duration,
        }
    }
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The call has no such thing: no argument of that name, no bytes.
    Absent,
    /// A value of another type was needed.
    Mismatch,
    /// A number became too large.
    Overflow,
    DivisionByZero,
    /// Nobody asked about the call yet: only some facts are supposed.
    Unknown,
}

/// The facts about one call, asked for when they are needed.
pub trait CallFacts {
    /// `None` if the call has no such thing.
    fn field(&self, field: CallField) -> Result<Option<Datum<'_>>, Fault>;
    /// The argument of this name.
    fn argument(&self, name: &str) -> Result<Option<Datum<'_>>, Fault>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for facts in &FIELDS {
            assert_eq!(facts.field.facts().name, facts.name);
            assert_eq!(CallField::named(facts.name), Some(facts.field));
        }
        assert_eq!(CallField::named("nonsense"), None);
    }
}
