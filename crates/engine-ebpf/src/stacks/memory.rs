//! The memory of a thread that runs on: its stack as it was copied, and the rest of its process's memory as it is by now.

use crate::stacks::copy::StackCopy;
use std::cell::RefCell;
use stride_engine_base::{Remote, process};
use stride_event::{ScriptFrames, ScriptLayout, ThreadMemory, Tid};

const PAGE: usize = 4096;
/// Pages that are kept while one stack is made.
const PAGES: usize = 16;

/// Reads memory of processes that run on, a page at a time.
#[derive(Default)]
pub struct PageReader {
    /// Pages may have to be supplied by a process that waits for Stride, so each read can be given up.
    remote: Remote,
    pages: Vec<(u64, Box<[u8; PAGE]>, usize)>,
}

impl PageReader {
    fn read(&mut self, process: Tid, address: u64, to: &mut [u8]) -> usize {
        let mut done = 0;
        while done < to.len() {
            let at = address.wrapping_add(done as u64);
            let offset = at as usize % PAGE;
            let (bytes, len) = self.page(process, at - offset as u64);
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

/// The memory of the thread that a copy is of.
pub struct CopiedMemory<'a> {
    copy: &'a StackCopy<'a>,
    pages: &'a RefCell<PageReader>,
    /// All words of the stack that were asked for had been copied.
    pub whole: bool,
}

impl<'a> CopiedMemory<'a> {
    pub fn new(copy: &'a StackCopy<'a>, pages: &'a RefCell<PageReader>) -> CopiedMemory<'a> {
        pages.borrow_mut().remote.begin();
        let mut memory = CopiedMemory { copy, pages, whole: true };
        memory.forget_pages();
        memory
    }
}

impl ThreadMemory for CopiedMemory<'_> {
    fn word(&mut self, address: u64) -> Option<u64> {
        let word = self.copy.word(address);
        self.whole &= word.is_some();
        word
    }

    fn read(&mut self, address: u64, to: &mut [u8]) -> usize {
        self.pages.borrow_mut().read(self.copy.place.process as Tid, address, to)
    }

    fn forget_pages(&mut self) {
        self.pages.borrow_mut().pages.clear();
    }

    fn script(&self, _: &ScriptLayout) -> Option<ScriptFrames> {
        None
    }
}
