//! The arguments and results of functions of libraries as values.

use crate::{Text, TextKind, Value};
use stride_event::{LibraryCall, LibraryPart};
use stride_syscalls::library::WordType;

/// Shown for an argument that cannot be read: it is not in a register that probes see, or not in memory.
const UNKNOWN: Value<'static> = Value::Literal("?");

/// The names of arguments with their values. Without types there are no names.
pub fn library_args(call: &LibraryCall) -> impl Iterator<Item = (&str, Value<'_>)> {
    let params = call.function.params.iter().enumerate();
    // A function that was entered before tracing began has no words.
    params.filter(|_| call.entered != 0).map(|(i, param)| (&*param.name, argument(call, i, param.ty)))
}

fn argument(call: &LibraryCall, i: usize, ty: WordType) -> Value<'_> {
    match call.words.get(i) {
        _ if &*call.function.params[i].name == "..." => Value::Literal("..."),
        Some(&word) => value(call, Some(i), word, ty),
        None => UNKNOWN,
    }
}

/// The result of a function that returned. `None`: it has none.
pub fn library_result(call: &LibraryCall) -> Option<Value<'_>> {
    match call.function.result? {
        _ if call.part != LibraryPart::Returned => None,
        WordType::Void => None,
        ty => Some(value(call, None, call.result, ty)),
    }
}

fn value(call: &LibraryCall, of: Option<usize>, word: u64, ty: WordType) -> Value<'_> {
    let text = |kind| {
        let text = call.text(of)?;
        Some(Value::Text(Text { bytes: &text.bytes, cut: text.cut, kind }))
    };
    match ty {
        WordType::Void | WordType::Unreadable => UNKNOWN,
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
        let params = types.iter().map(|&ty| Param { name: "p".into(), ty }).collect();
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
        assert_eq!(shown[2..], ["Addr(8192)", "Hex(93823560581120)", "Int(7)", "Literal(\"?\")", "Literal(\"?\")"]);
    }
}
