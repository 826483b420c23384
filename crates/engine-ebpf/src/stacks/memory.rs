//! The memory of a thread that runs on: its stack as it was copied, and the rest of its process's memory as it is by now.

use crate::stacks::copy::StackCopy;
use crate::wire::{bytes_of, script_layout, task_layout};
use std::cell::RefCell;
use stride_engine_base::{Remote, process};
use stride_event::{MIX, ScriptFrames, ScriptLayout, TaskLayout, ThreadMemory, Tid, mix};

const PAGE: usize = 4096;
/// Pages that are kept while one stack is made.
const PAGES: usize = 512;
/// So much is read at a time where objects that belong together lie near each other: handing each read to another thread takes longer than reading.
const AHEAD: usize = 16 * PAGE;
/// Longer pieces are read at once.
const LONG: usize = 4 * PAGE;

/// Reads memory of processes that run on, a page at a time.
#[derive(Default)]
pub struct PageReader {
    /// Pages may have to be supplied by a process that waits for Stride, so each read can be given up.
    remote: Remote,
    pages: Vec<(u64, Box<[u8; PAGE]>, usize)>,
}

impl PageReader {
    fn read(&mut self, process: Tid, address: u64, to: &mut [u8], ahead: bool) -> usize {
        if to.len() >= LONG {
            return self.read_anew(process, address, to);
        }
        let mut done = 0;
        while done < to.len() {
            let at = address.wrapping_add(done as u64);
            let offset = at as usize % PAGE;
            let start = at - offset as u64;
            if ahead && !self.pages.iter().any(|(known, ..)| *known == start) {
                self.read_ahead(process, start);
            }
            let (bytes, len) = self.page(process, start);
            let wanted = (to.len() - done).min(PAGE - offset);
            let n = len.saturating_sub(offset).min(wanted);
            to[done..done + n].copy_from_slice(&bytes[offset..offset + n]);
            done += n;
            if n < wanted {
                break;
            }
        }
        done
    }

    /// The same, not from the pages that are kept.
    fn read_anew(&mut self, process: Tid, address: u64, to: &mut [u8]) -> usize {
        self.remote.read(process::read_memory, process, address, to).unwrap_or(0)
    }

    /// Reads the pages around one, as far as there are such pages.
    fn read_ahead(&mut self, process: Tid, page: u64) {
        if self.pages.len() + AHEAD / PAGE > PAGES {
            self.pages.clear();
        }
        let start = page - page % AHEAD as u64;
        let mut bytes = vec![0; AHEAD];
        let len = self.read_anew(process, start, &mut bytes);
        for (place, bytes) in (start..).step_by(PAGE).zip(bytes[..len].chunks_exact(PAGE)) {
            if let Ok(bytes) = bytes.try_into() {
                self.pages.push((place, Box::new(bytes), PAGE));
            }
        }
    }

    fn page(&mut self, process: Tid, start: u64) -> (&[u8; PAGE], usize) {
        let known = self.pages.iter().position(|(at, ..)| *at == start);
        let index = known.unwrap_or_else(|| {
            if self.pages.len() >= PAGES {
                self.pages.clear();
            }
            let mut bytes = Box::new([0; PAGE]);
            let len = self.remote.read(process::read_memory, process, start, &mut bytes[..]).unwrap_or(0);
            self.pages.push((start, bytes, len));
            self.pages.len() - 1
        });
        let (_, bytes, len) = &self.pages[index];
        (bytes, *len)
    }
}

/// A layout in the form of the kernel side. Members of the same names are listed once, and others are taken for members that have other names there. A member that is
/// left out is an error of the compiler.
macro_rules! wire {
    ($layout:expr, $host:ident { $($same:ident),* $(; $($taken:ident),*)? } => $wire:ident { $($own:ident: $value:expr),* }) => {{
        let $host { $($same,)* $($($taken,)*)? } = *$layout;
        $wire { $($same,)* $($own: $value,)* }
    }};
}

/// A layout as the kernel side has it.
pub fn wire_layout(layout: &ScriptLayout) -> script_layout {
    let mut wire = wire!(layout, ScriptLayout {
        interpreters, next_interpreter, threads, next_thread, thread_pointer, thread_pointer_there, innermost,
        innermost_there, caller, frame_size, code, code_there, place, place_there, is_place_short, kind, kind_there, outermost,
        code_kind, without_code, without_mask, constant, constant_words, content_there, content_data,
        content_size, compares_contents, has_values, value_text, form, code_map, interpreter;
        contents, narrow, tasks
    } => script_layout {
        id: 0,
        content: contents,
        largest: if narrow == 0 { u64::MAX } else { u32::MAX.into() },
        code_bits: !(ScriptLayout::TAG >> narrow),
        frame_bytes: if frame_size == 0 { ScriptLayout::FRAME as u32 >> narrow } else { frame_size },
        thread_bytes: ScriptLayout::THREAD as u32 >> narrow,
        tasks: wire_tasks(&tasks)
    });
    let words = bytes_of(std::slice::from_ref(&wire)).chunks_exact(8).filter_map(|word| word.try_into().ok());
    wire.id = words.map(u64::from_le_bytes).fold(MIX, mix);
    wire
}

fn wire_tasks(layout: &TaskLayout) -> task_layout {
    wire!(layout, TaskLayout {
        running, task_bytes, awaited_by, by_several, is_task, name, coroutine, coroutine_bytes, kind, state,
        frame, values, used, mask, table, ascii, text, runs, awaited
    } => task_layout {})
}

/// The memory of the thread that a copy is of.
pub struct CopiedMemory<'a> {
    copy: &'a StackCopy<'a>,
    pages: &'a RefCell<PageReader>,
    /// All words of the stack that were asked for had been copied.
    pub whole: bool,
    /// Something was read that had not been copied.
    read_later: bool,
    is_checked: bool,
}

impl<'a> CopiedMemory<'a> {
    pub fn new(copy: &'a StackCopy<'a>, pages: &'a RefCell<PageReader>) -> CopiedMemory<'a> {
        CopiedMemory { copy, pages, whole: true, read_later: false, is_checked: false }
    }

    /// The bytes at an address that were copied, up to `len`.
    fn copied(&self, address: u64, len: usize) -> Option<&'a [u8]> {
        let rest = |(from, bytes): (u64, &'a [u8])| {
            let rest = bytes.get(usize::try_from(address.checked_sub(from)?).ok()?..)?;
            Some(&rest[..len.min(rest.len())])
        };
        // A piece may have the beginning of the next object, too.
        self.copy.pieces().filter_map(rest).max_by_key(|rest| rest.len())
    }
}

impl CopiedMemory<'_> {
    /// Reads memory as it is by now.
    fn read_late(&mut self, address: u64, to: &mut [u8], ahead: bool) -> usize {
        let mut pages = self.pages.borrow_mut();
        if !std::mem::replace(&mut self.read_later, true) {
            pages.pages.clear();
            pages.remote.begin();
        }
        let process = self.copy.place.process as Tid;
        if self.is_checked { pages.read_anew(process, address, to) } else { pages.read(process, address, to, ahead) }
    }
}

impl ThreadMemory for CopiedMemory<'_> {
    fn word(&mut self, address: u64) -> Option<u64> {
        let word = self.copy.word(address);
        self.whole &= word.is_some();
        word
    }

    fn read(&mut self, address: u64, to: &mut [u8]) -> usize {
        if !self.is_checked && self.read_of_call(address, to) == to.len() {
            return to.len();
        }
        self.read_late(address, to, false)
    }

    fn read_now(&mut self, address: u64, to: &mut [u8]) -> usize {
        self.read_late(address, to, true)
    }

    fn read_of_call(&mut self, address: u64, to: &mut [u8]) -> usize {
        let copied = self.copied(address, to.len()).unwrap_or_default();
        to[..copied.len()].copy_from_slice(copied);
        copied.len()
    }

    fn begin_check(&mut self) -> bool {
        // (Numbers tell what was at an address at the moment of the call. If they are the same now, so was all that was read meanwhile, at whatever time.)
        self.is_checked = self.read_later;
        self.is_checked
    }

    fn end_check(&mut self) {
        self.is_checked = false;
    }

    fn script(&self, layout: &ScriptLayout) -> Option<ScriptFrames> {
        self.copy.script_frames().filter(|_| self.copy.place.script_layout == wire_layout(layout).id)
    }
}
