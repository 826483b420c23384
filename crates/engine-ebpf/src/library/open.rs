//! The functions that threads are in: a return is paired with its entry, and functions that are left otherwise are found out.
//!
//! An entry and its return have the same place on the stack. A function that is still open, although its thread is already nearer to the
//! beginning of the stack, has been left by longjmp(3) or by an exception.

use crate::reading::records;
use crate::wire::{library_part, library_text, read, rec_call, rec_head, rec_kind, rec_library, record_bound};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use stride_engine_base::{Remote, process};
use stride_event::{
    LIBRARY_TEXT, LIBRARY_WORDS, LibraryCall, LibraryFunction, LibraryPart, LibraryText, Ns, ProbedFile, Tid,
};
use stride_syscalls::library::WordType;
use stride_syscalls::{Abi, Effect, table};

/// Functions that a thread may be in, all of them traced. Of those beyond, only the latest are known.
const DEEPEST: usize = 1024;
/// A stack pointer that jumps farther belongs to another stack, such as that of a signal handler or a coroutine.
const FAR: u64 = 1 << 20;
/// The page to which functions return whose return is watched: the last of the address space, where the kernel maps `[uprobes]`.
const WATCHED: u64 = 0x7fff_ffff_e000;
/// Bytes of the return address, which a return takes from the stack.
const POPPED: u64 = Abi::NATIVE.facts().registers.return_address as u64;

pub struct LibraryCalls {
    functions: Vec<Arc<LibraryFunction>>,
    open: FxHashMap<Tid, Vec<Open>>,
    current: LibraryCall,
}

#[derive(Clone)]
struct Open {
    probe: u32,
    sp: u64,
    at: Ns,
    words: Vec<u64>,
    texts: Vec<LibraryText>,
}

impl LibraryCalls {
    pub fn new(files: &[ProbedFile]) -> LibraryCalls {
        let functions = files.iter().flat_map(|file| &file.probes).map(|probe| probe.function.clone()).collect();
        LibraryCalls { functions, open: FxHashMap::default(), current: LibraryCall::default() }
    }

    /// The place of the part of a call that is reported next.
    pub fn current_mut(&mut self) -> &mut LibraryCall {
        &mut self.current
    }

    /// The part of a call that was reported last.
    pub fn current(&self) -> &LibraryCall {
        &self.current
    }

    /// If the record at the ring's front shows that its thread has left a function without a return, that function is taken away and
    /// is the current one.
    pub fn leaves(&mut self, kind: rec_kind, rec: &[u8]) -> bool {
        if self.open.is_empty() {
            return false;
        }
        let Some(head) = read::<rec_head>(rec) else { return false };
        let Some(top) = self.open.get(&(head.tid as Tid)).and_then(|open| open.last()) else { return false };
        let is_left = match kind {
            rec_kind::REC_LIBRARY => read::<rec_library>(rec).is_some_and(|rec| top.is_left(&rec, self.find(&rec))),
            rec_kind::REC_EXIT | rec_kind::REC_DETACH => true,
            rec_kind::REC_CALL => has_executed(rec),
            _ => false,
        };
        is_left && self.leave(head.tid as Tid, records::began(rec))
    }

    /// Takes away the function that a thread is in, which will not return.
    pub fn leave(&mut self, tid: Tid, at: Ns) -> bool {
        let Some(open) = self.open.get_mut(&tid) else { return false };
        let Some(gone) = open.pop() else { return false };
        let depth = open.len() as u32;
        if open.is_empty() {
            self.open.remove(&tid);
        }
        let Some(function) = self.functions.get(gone.probe as usize) else { return false };
        self.current = LibraryCall {
            tid,
            function: function.clone(),
            part: LibraryPart::Gone,
            depth,
            at,
            entered: gone.at,
            words: gone.words,
            result: 0,
            texts: gone.texts,
            descriptors: Vec::new(),
            operation: None,
        };
        true
    }

    /// The place of the entry that a return belongs to.
    fn find(&self, rec: &rec_library) -> Option<usize> {
        let open = self.open.get(&(rec.head.tid as Tid)).filter(|_| is_return(rec))?;
        open.iter().rposition(|open| open.probe == rec.probe && open.sp.wrapping_add(POPPED) == rec.sp)
    }

    /// Takes in a record, which becomes the current call. False if it names no function.
    pub fn take(&mut self, rec: &[u8]) -> bool {
        let Some(fixed) = read::<rec_library>(rec) else { return false };
        let Some(function) = self.functions.get(fixed.probe as usize).cloned() else { return false };
        let tid = fixed.head.tid as Tid;
        let data = &rec[size_of::<rec_library>()..];
        let call = &mut self.current;
        call.operation = None;
        call.descriptors.clear();
        call.tid = tid;
        call.at = fixed.at;
        call.result = fixed.result;
        call.function = function;
        if is_return(&fixed) {
            call.part = LibraryPart::Returned;
            let open = self.open.get_mut(&tid);
            // Its entry was the last one: `leaves` has taken away what was above.
            let entry = open.and_then(|open| {
                open.pop_if(|open| open.probe == fixed.probe && open.sp.wrapping_add(POPPED) == fixed.sp)
            });
            (call.entered, call.words, call.texts) = match entry {
                Some(open) => (open.at, open.words, open.texts),
                None => (0, Vec::new(), Vec::new()),
            };
            texts(data, &mut call.texts);
            call.depth = self.open.get(&tid).map_or(0, |open| open.len() as u32);
            if call.depth == 0 {
                self.open.remove(&tid);
            }
            return true;
        }
        call.entered = fixed.at;
        call.result = 0;
        call.words.clear();
        let words = data.chunks_exact(8).take(LIBRARY_WORDS.min(fixed.words.into()));
        call.words.extend(words.filter_map(|word| word.try_into().ok().map(u64::from_ne_bytes)));
        call.texts.clear();
        texts(data.get(LIBRARY_WORDS * 8..).unwrap_or_default(), &mut call.texts);
        call.depth = self.open.get(&tid).map_or(0, |open| open.len() as u32);
        call.part = LibraryPart::Passed;
        if u32::from(fixed.part) == library_part::LIBRARY_ENTERED.0 {
            call.part = LibraryPart::Entered;
            let open = self.open.entry(tid).or_default();
            if open.len() >= DEEPEST {
                open.remove(0);
            }
            let (words, texts) = (call.words.clone(), call.texts.clone());
            open.push(Open { probe: fixed.probe, sp: fixed.sp, at: fixed.at, words, texts });
        }
        true
    }

    /// Reads the strings of the current call that were not in memory when it began, such as constants that the program has not touched
    /// before. The program may have written there since; but whoever writes to a page has it in memory, mostly.
    pub fn complete(&mut self, limit: usize, remote: &mut Remote) {
        let call = &mut self.current;
        if call.part == LibraryPart::Returned {
            return;
        }
        let limit = limit.min(LIBRARY_TEXT);
        let is_missing = |i: usize| call.words[i] != 0 && call.text(Some(i)).is_none();
        let params = call.function.params.iter().enumerate().take(call.words.len());
        let missing = params.filter(|(i, param)| param.ty == WordType::Text && is_missing(*i)).map(|(i, _)| i);
        let missing: Vec<usize> = missing.collect();
        if missing.is_empty() {
            return;
        }
        remote.begin();
        for i in missing {
            let mut bytes = vec![0; limit + 1];
            let read = remote.read(process::read_memory, call.tid, call.words[i], &mut bytes).unwrap_or(0);
            bytes.truncate(read);
            let end = bytes.iter().position(|&b| b == 0);
            // Without its end, it is a string only if there is more than is shown.
            if end.is_some() || read > limit {
                bytes.truncate(end.unwrap_or(limit));
                call.texts.push(LibraryText { word: Some(i as u8), bytes: bytes.into(), cut: end.is_none() });
            }
        }
        if call.part == LibraryPart::Entered
            && let Some(open) = self.open.get_mut(&call.tid).and_then(|open| open.last_mut())
        {
            open.texts.clone_from(&call.texts);
        }
    }

    /// A thread was made. A process that was forked returns from the functions that its parent was in.
    pub fn starts(&mut self, tid: Tid, process: Tid, parent: Tid) {
        if tid == process
            && let Some(open) = self.open.get(&parent).cloned()
        {
            self.open.insert(tid, open);
        }
    }

    /// A thread has taken over another's id. What the other was in is gone.
    pub fn renamed(&mut self, old: Tid, new: Tid) {
        self.open.remove(&new);
        if let Some(open) = self.open.remove(&old) {
            self.open.insert(new, open);
        }
    }
}

impl Open {
    /// True if the record shows that this function, the innermost one, was left without a return. `returns` is the place of the entry
    /// of a return.
    fn is_left(&self, rec: &rec_library, returns: Option<usize>) -> bool {
        if is_return(rec) {
            // Its own return, or one of a function further out. A return that belongs to nothing shows nothing.
            return returns.is_some() && (self.probe != rec.probe || self.sp.wrapping_add(POPPED) != rec.sp);
        }
        // A function that was jumped to in place of a return has the same place on the stack, and returns to where the kernel sees it.
        if self.sp == rec.sp {
            return rec.result != 0 && rec.result & !0xfff != WATCHED;
        }
        self.sp < rec.sp && rec.sp - self.sp < FAR
    }
}

fn is_return(rec: &rec_library) -> bool {
    u32::from(rec.part) == library_part::LIBRARY_RETURNED.0
}

/// True if the call replaced the program.
fn has_executed(rec: &[u8]) -> bool {
    read::<rec_call>(rec).is_some_and(|call| {
        let row = table(records::abi(call.head.abi)).get(call.head.nr as i64 as u64).map(|entry| entry.row);
        call.ret == 0 && row.is_some_and(|row| row.has_effect(Effect::Executes))
    })
}

/// Appends the texts of a record.
pub fn texts(mut data: &[u8], to: &mut Vec<LibraryText>) {
    while let Some(head) = read::<library_text>(data) {
        let rest = &data[size_of::<library_text>()..];
        let len = usize::from(head.len);
        let Some(bytes) = rest.get(..len) else { return };
        let word = (u32::from(head.word) != record_bound::TEXT_OF_RESULT.0).then_some(head.word);
        to.push(LibraryText { word, bytes: bytes.into(), cut: head.cut != 0 });
        data = rest.get(len.next_multiple_of(8)..).unwrap_or_default();
    }
}
