//! Calls of libraries' functions, and operations of io_uring, in a batch. Each function is written where it is needed first, and named by its number from then on.

use crate::descriptors;
use crate::ids::tid;
use crate::stream::{BatchSource, Malformed, Streams};
use std::collections::HashMap;
use std::sync::Arc;
use stride_event::{
    LIBRARY_TEXT, LIBRARY_WORDS, LibraryCall, LibraryFunction, LibraryPart, LibraryText, OperationFacts, Param,
};
use stride_syscalls::library::WordType;

/// Functions that a batch may have.
const MAX_FUNCTIONS: usize = 1 << 14;
/// The writer begins another batch before.
const MANY_FUNCTIONS: usize = MAX_FUNCTIONS / 2;
/// How deep functions may be nested: the engine follows no more.
const MAX_DEPTH: u64 = 1 << 16;
/// In place of the number of an argument.
const RESULT: u8 = u8::MAX;

#[derive(Default)]
pub struct LibraryWriter {
    numbers: HashMap<*const LibraryFunction, usize>,
    /// So that their places are not taken by others meanwhile.
    kept: Vec<Arc<LibraryFunction>>,
}

impl LibraryWriter {
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.kept.clear();
    }

    pub fn is_full(&self) -> bool {
        self.kept.len() >= MANY_FUNCTIONS
    }

    pub fn put(&mut self, to: &mut Streams, call: &LibraryCall) {
        to.int(call.tid.into());
        let next = self.kept.len();
        let number = *self.numbers.entry(Arc::as_ptr(&call.function)).or_insert(next);
        to.uint(number as u64);
        if number == next {
            self.kept.push(call.function.clone());
            function(to, &call.function);
        }
        to.byte(match call.part {
            LibraryPart::Entered => 0,
            LibraryPart::Returned => 1,
            LibraryPart::Passed => 2,
            LibraryPart::Gone => 3,
        });
        to.uint(call.depth.into());
        to.time(call.at);
        to.byte(u8::from(call.entered != 0));
        if call.entered != 0 {
            to.time(call.entered);
        }
        to.uint(call.result);
        to.uint(call.words.len() as u64);
        call.words.iter().for_each(|&word| to.uint(word));
        to.uint(call.texts.len() as u64);
        for text in &call.texts {
            to.byte(text.word.unwrap_or(RESULT));
            to.byte(text.cut.into());
            to.bytes(&text.bytes);
        }
        if let Some(facts) = call.operation {
            to.byte(facts.polled.into());
            to.byte(facts.flags);
            to.uint(facts.user_data);
            to.uint(facts.cqe_flags.into());
            descriptors::put(to, &call.descriptors);
        }
    }
}

fn function(to: &mut Streams, function: &LibraryFunction) {
    to.bytes(function.name.as_bytes());
    to.byte(function.result.is_some().into());
    if let Some(ty) = function.result {
        put_type(to, ty);
    }
    to.uint(function.params.len() as u64);
    for param in &function.params {
        to.bytes(param.name.as_bytes());
        put_type(to, param.ty);
    }
}

fn put_type(to: &mut Streams, ty: WordType) {
    let (code, more) = match ty {
        WordType::Void => (0, 0),
        WordType::Raw => (1, 0),
        WordType::Int { bytes, signed: false } => (2, bytes),
        WordType::Int { bytes, signed: true } => (3, bytes),
        WordType::Bool => (4, 0),
        WordType::Char => (5, 0),
        WordType::Pointer => (6, 0),
        WordType::Text => (7, 0),
        WordType::MaybeText { signed } => (8, signed.into()),
        WordType::Buffer(len) => (9, len),
        WordType::Unreadable => (10, 0),
        // The reader has these from the operation's row.
        _ => (1, 0),
    };
    to.byte(code);
    to.byte(more);
}

#[derive(Default)]
pub struct LibraryReader {
    functions: Vec<Arc<LibraryFunction>>,
    call: LibraryCall,
}

impl LibraryReader {
    pub fn clear(&mut self) {
        self.functions.clear();
    }

    pub fn get(&mut self, from: &mut BatchSource, is_operation: bool) -> Result<&LibraryCall, Malformed> {
        let tid = tid(from.int()?)?;
        let number = from.uint()? as usize;
        if number == self.functions.len() && number < MAX_FUNCTIONS {
            self.functions.push(Arc::new(read_function(from)?));
        }
        let function = self.functions.get(number).cloned().ok_or(Malformed("a function is not there"))?;
        let part = match from.byte()? {
            0 => LibraryPart::Entered,
            1 => LibraryPart::Returned,
            2 => LibraryPart::Passed,
            3 => LibraryPart::Gone,
            _ => return Err(Malformed("a function ends in an unknown way")),
        };
        let depth = from.uint()?;
        if depth > MAX_DEPTH {
            return Err(Malformed("functions are nested too deeply"));
        }
        let at = from.time()?;
        let entered = if from.byte()? != 0 { from.time()? } else { 0 };
        let result = from.uint()?;
        let n = from.uint()?;
        if n > LIBRARY_WORDS as u64 {
            return Err(Malformed("a function has too many arguments"));
        }
        let words = (0..n).map(|_| from.uint()).collect::<Result<_, _>>()?;
        let n = from.uint()?;
        // One for each argument, and one for the result.
        if n > LIBRARY_WORDS as u64 + 1 {
            return Err(Malformed("a function has too many texts"));
        }
        let texts = (0..n).map(|_| text(from)).collect::<Result<_, _>>()?;
        let (mut operation, mut descriptors) = (None, Vec::new());
        if is_operation {
            operation = Some(self::operation(from)?);
            descriptors::get(from, &mut descriptors)?;
        }
        let depth = depth as u32;
        self.call =
            LibraryCall { tid, function, part, depth, at, entered, words, result, texts, descriptors, operation };
        Ok(&self.call)
    }
}

fn operation(from: &mut BatchSource) -> Result<OperationFacts, Malformed> {
    let (polled, flags, user_data) = (from.byte()? != 0, from.byte()?, from.uint()?);
    let cqe_flags = from.uint()?.try_into().map_err(|_| Malformed("a completion has impossible flags"))?;
    Ok(OperationFacts { polled, flags, user_data, cqe_flags })
}

fn text(from: &mut BatchSource) -> Result<LibraryText, Malformed> {
    let word = Some(from.byte()?).filter(|word| *word != RESULT);
    let cut = from.byte()? != 0;
    let bytes = from.bytes()?;
    if bytes.len() > LIBRARY_TEXT {
        return Err(Malformed("a text is too long"));
    }
    Ok(LibraryText { word, bytes: bytes.into(), cut })
}

fn read_function(from: &mut BatchSource) -> Result<LibraryFunction, Malformed> {
    let name = name(from)?;
    let result = if from.byte()? != 0 { Some(read_type(from)?) } else { None };
    let n = from.uint()?;
    if n > LIBRARY_WORDS as u64 {
        return Err(Malformed("a function has too many arguments"));
    }
    let params = (0..n)
        .map(|_| Ok(Param { name: self::name(from)?, ty: read_type(from)?, optional: false }))
        .collect::<Result<_, _>>()?;
    Ok(LibraryFunction::of_operation_named(&name).unwrap_or(LibraryFunction { name, params, result }))
}

fn name(from: &mut BatchSource) -> Result<Box<str>, Malformed> {
    Ok(String::from_utf8_lossy(from.bytes()?).into())
}

fn read_type(from: &mut BatchSource) -> Result<WordType, Malformed> {
    let (code, more) = (from.byte()?, from.byte()?);
    let size = |signed| match more {
        1 | 2 | 4 | 8 => Ok(WordType::Int { bytes: more, signed }),
        _ => Err(Malformed("a number has an impossible size")),
    };
    Ok(match code {
        0 => WordType::Void,
        1 => WordType::Raw,
        2 => size(false)?,
        3 => size(true)?,
        4 => WordType::Bool,
        5 => WordType::Char,
        6 => WordType::Pointer,
        7 => WordType::Text,
        8 => WordType::MaybeText { signed: more != 0 },
        9 => WordType::Buffer(more),
        10 => WordType::Unreadable,
        _ => return Err(Malformed("an argument is of an unknown type")),
    })
}
