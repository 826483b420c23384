//! The arguments and results of functions of libraries, and of operations of io_uring, as values.

use crate::{FdNote, Text, TextKind, Value};
use stride_event::{LibraryCall, LibraryPart};
use stride_syscalls::Abi;
use stride_syscalls::library::WordType;

/// The names of arguments with their values. Without types there are no names.
pub fn library_args(call: &LibraryCall) -> impl Iterator<Item = (&str, Value<'_>)> {
    library_args_noted(call, &[])
}

/// The same, with the referents of descriptors.
pub fn library_args_noted<'a>(
    call: &'a LibraryCall,
    notes: &'a [(i32, FdNote<'a>)],
) -> impl Iterator<Item = (&'a str, Value<'a>)> {
    let params = call.function.params.iter().enumerate();
    let is_shown = move |i: usize, optional: bool| !optional || call.words.get(i).is_some_and(|&word| word != 0);
    // A function that was entered before tracing began has no words.
    params
        .filter(move |(i, param)| call.entered != 0 && is_shown(*i, param.optional))
        .map(|(i, param)| (&*param.name, argument(call, i, param.ty, notes)))
}

/// The descriptors among the arguments of an operation, and in its result: these are made.
pub fn operation_fds(call: &LibraryCall) -> impl Iterator<Item = (i32, bool)> {
    let fixed = call.operation.is_none_or(|facts| facts.has_fixed_file());
    let params = call.function.params.iter().zip(&call.words).map(|(param, &word)| (param.ty, word));
    let result = call.function.result.filter(|_| call.part == LibraryPart::Returned).map(|ty| (ty, call.result));
    params.chain(result).filter_map(move |(ty, word)| match (ty, word as i32) {
        (WordType::Fd, fd) if !fixed => Some((fd, false)),
        (WordType::DirFd, fd) => Some((fd, false)),
        (WordType::FdOutcome, fd) if fd >= 0 => Some((fd, true)),
        _ => None,
    })
}

fn argument<'a>(call: &'a LibraryCall, i: usize, ty: WordType, notes: &'a [(i32, FdNote<'a>)]) -> Value<'a> {
    match call.words.get(i) {
        _ if call.function.params[i].name.as_bytes() == b"..." => Value::LeftOut,
        Some(&word) => value(call, Some(i), word, ty, notes),
        None => Value::Unreadable,
    }
}

/// The result of a function that returned. `None`: it has none.
pub fn library_result(call: &LibraryCall) -> Option<Value<'_>> {
    library_result_noted(call, &[])
}

/// The same, with the referents of descriptors.
pub fn library_result_noted<'a>(call: &'a LibraryCall, notes: &'a [(i32, FdNote<'a>)]) -> Option<Value<'a>> {
    match call.function.result? {
        _ if call.part != LibraryPart::Returned => None,
        WordType::Void => None,
        ty => Some(value(call, None, call.result, ty, notes)),
    }
}

fn value<'a>(
    call: &'a LibraryCall,
    of: Option<usize>,
    word: u64,
    ty: WordType,
    notes: &'a [(i32, FdNote<'a>)],
) -> Value<'a> {
    let fd = |fd| {
        let note = notes.iter().find(|(noted, _)| *noted == fd).map(|(_, note)| note);
        Value::Fd { fd, foreign: false, note }
    };
    let text = |kind| {
        let text = call.text(of)?;
        Some(Value::Text(Text { bytes: &text.bytes, cut: text.cut, kind }))
    };
    match ty {
        WordType::Void | WordType::Unreadable => Value::Unreadable,
        WordType::Raw => Value::Hex(word),
        WordType::Int { signed: true, .. } | WordType::Char => Value::Int(word as i64),
        WordType::Int { signed: false, .. } | WordType::Bool => Value::UInt(word),
        WordType::Pointer => Value::Addr(word),
        WordType::Text => text(TextKind::Str).unwrap_or(Value::Addr(word)),
        WordType::Buffer(_) => text(TextKind::Bytes).unwrap_or(Value::Addr(word)),
        WordType::MaybeText { signed } => match text(TextKind::Str) {
            Some(Value::Text(text)) if is_text(text.bytes) => Value::Text(text),
            _ if word >= LEAST_ADDRESS => Value::Hex(word),
            _ if signed => Value::Int(word as i64),
            _ => Value::UInt(word),
        },
        // A place in the ring's table of files, which is no descriptor.
        WordType::Fd if call.operation.is_some_and(|facts| facts.has_fixed_file()) => Value::Int(word as i32 as i64),
        WordType::Fd | WordType::DirFd => fd(word as i32),
        WordType::Flags(set) => Value::Flags { raw: word, set: set.of(Abi::NATIVE) },
        WordType::Enum(set) => Value::Enum { raw: word, set: set.of(Abi::NATIVE) },
        WordType::Octal => Value::Octal(word),
        WordType::Outcome | WordType::FdOutcome if (word as i32) < 0 => Value::Errno(word as i32),
        WordType::Outcome => Value::Int(word as i32 as i64),
        WordType::FdOutcome => fd(word as i32),
    }
}

/// Numbers below are shown as such, and from here on as addresses.
const LEAST_ADDRESS: u64 = 1 << 32;
/// Fewer characters may be there by chance.
const SHORTEST: usize = 2;

fn is_text(bytes: &[u8]) -> bool {
    let plain = |text: &str| !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // A character may have been cut.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
        Err(_) => return false,
    };
    bytes.len() >= SHORTEST && plain(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use stride_event::{LibraryFunction, LibraryText, Param};

    #[test]
    fn types_decide_what_words_mean() {
        let types = [
            WordType::Int { bytes: 4, signed: true },
            WordType::Text,
            WordType::Text,
            WordType::MaybeText { signed: false },
            WordType::MaybeText { signed: true },
            WordType::Unreadable,
            WordType::Pointer,
        ];
        let params = types.iter().map(|&ty| Param { name: "p".into(), ty, optional: false }).collect();
        let text = |word, bytes: &[u8]| LibraryText { word: Some(word), bytes: bytes.into(), cut: false };
        let call = LibraryCall {
            function: Arc::new(LibraryFunction { params, ..LibraryFunction::default() }),
            entered: 1,
            words: vec![-5i64 as u64, 0x1000, 0x2000, 0x5555_0000_0000, 7, 0],
            texts: vec![text(1, b"hello"), text(3, b"\x01\x02")],
            ..LibraryCall::default()
        };
        let shown: Vec<String> = library_args(&call).map(|(_, value)| format!("{value:?}")).collect();
        assert_eq!(shown[0], "Int(-5)");
        assert!(shown[1].starts_with("Text("), "{}", shown[1]);
        assert_eq!(shown[2..], ["Addr(8192)", "Hex(93823560581120)", "Int(7)", "Unreadable", "Unreadable"]);
    }
}
