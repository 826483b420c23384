//! Reading a tracee's memory.

use crate::present::Present;
use crate::sys;
use nix::errno::Errno;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use stride_engine_base::remote::ReadFn;
use stride_engine_base::{Remote, procfs};
use stride_event::{FileKind, Peek, Tid};

/// Reads with process_vm_readv(2). Where that is refused (security modules, seccomp policies of containers), it tries
/// `/proc/TID/mem`, and then ptrace word by word. It finds out once which of them works.
///
/// Pages that are in memory are read at once. Other pages may be supplied by a thread that waits for this one, so
/// they are read with a time limit ([`Remote`]).
///
/// All reads of one stop after the first are by page, and the pages are kept until the next stop: memory that calls
/// pass in many pieces (arguments of programs, vectors of buffers) tends to lie close together.
#[derive(Debug, Default)]
pub struct MemoryReader {
    way: Way,
    present: Present,
    remote: Remote,
    /// The first piece of this stop is still to be read.
    first: bool,
    /// Pages read at this stop. Their buffers are reused.
    pages: Vec<Page>,
    kept: usize,
    /// The page to replace next when there is no more room.
    oldest: usize,
}

const PAGE: usize = 4096;
const PAGES: usize = 4;

#[derive(Debug)]
struct Page {
    addr: u64,
    /// The number of bytes of the page that were readable, from its beginning on.
    len: usize,
    bytes: Box<[u8; PAGE]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Way {
    #[default]
    VmRead,
    ProcMem,
    Ptrace,
}

impl MemoryReader {
    pub fn of(&mut self, tid: Tid) -> impl Peek {
        self.first = true;
        self.kept = 0;
        self.remote.begin();
        Tracee { reader: self, tid }
    }

    /// The same for a stack, which is read in words that lie close together from the first on.
    pub fn stack_of(&mut self, tid: Tid) -> impl Peek {
        self.first = false;
        self.kept = 0;
        self.remote.begin();
        Tracee { reader: self, tid }
    }

    /// Overwrites memory of a thread that is stopped, whatever its protection is. Returns how many bytes were written: those before the first page
    /// that is not there. A page that another thread is to supply would make the writer wait, so it is asked for by reading it first, which can
    /// be given up.
    pub fn write(&mut self, tid: Tid, addr: u64, bytes: &[u8]) -> usize {
        self.remote.begin();
        let mut old = vec![0; bytes.len()];
        let readable = self.read(tid, addr, &mut old);
        let mut done = 0;
        while done < readable {
            let at = addr.wrapping_add(done as u64);
            let skip = (at % 8) as usize;
            let n = (8 - skip).min(readable - done);
            let start = at - skip as u64;
            if !self.present.can_be_written(tid, at) {
                break;
            }
            let Ok(mut word) = sys::peek_data(tid, start) else { break };
            word[skip..skip + n].copy_from_slice(&bytes[done..done + n]);
            if sys::poke_data(tid, start, word).is_err() {
                break;
            }
            done += n;
        }
        done
    }

    fn read_kept(&mut self, tid: Tid, addr: u64, buf: &mut [u8]) -> usize {
        if std::mem::take(&mut self.first) || buf.len() >= PAGE {
            return self.read(tid, addr, buf);
        }
        let mut got = 0;
        while got < buf.len() {
            let at = addr.wrapping_add(got as u64);
            let offset = at as usize % PAGE;
            let wanted = (buf.len() - got).min(PAGE - offset);
            let page = self.page(tid, at - offset as u64);
            let n = page.len.saturating_sub(offset).min(wanted);
            buf[got..got + n].copy_from_slice(&page.bytes[offset..offset + n]);
            got += n;
            if n < wanted {
                break;
            }
        }
        got
    }

    fn page(&mut self, tid: Tid, addr: u64) -> &Page {
        if let Some(i) = self.pages[..self.kept].iter().position(|page| page.addr == addr) {
            return &self.pages[i];
        }
        let i = if self.kept < PAGES {
            self.kept += 1;
            self.kept - 1
        } else {
            self.oldest = (self.oldest + 1) % PAGES;
            self.oldest
        };
        if i == self.pages.len() {
            self.pages.push(Page { addr, len: 0, bytes: Box::new([0; PAGE]) });
        }
        // Taken out to be filled, then put back.
        let mut page = self.pages.swap_remove(i);
        page.len = self.read(tid, addr, &mut page.bytes[..]);
        page.addr = addr;
        self.pages.push(page);
        let last = self.pages.len() - 1;
        self.pages.swap(i, last);
        &self.pages[i]
    }

    /// This thread has other memory now (execve), or none.
    pub fn forget(&mut self, tid: Tid) {
        self.present.forget(tid);
    }

    fn read(&mut self, tid: Tid, addr: u64, buf: &mut [u8]) -> usize {
        let mut got = 0;
        while got < buf.len() {
            let at = addr.wrapping_add(got as u64);
            let (present, len) = self.present.run(tid, at, buf.len() - got);
            let n = self.read_run(tid, at, &mut buf[got..got + len], present);
            got += n;
            if n < len {
                break;
            }
        }
        got
    }

    fn read_run(&mut self, tid: Tid, addr: u64, buf: &mut [u8], present: bool) -> usize {
        loop {
            let (read, next): (ReadFn, Way) = match self.way {
                Way::VmRead => (sys::read_memory, Way::ProcMem),
                Way::ProcMem => (read_file, Way::Ptrace),
                // Only this thread may use ptrace, and it must not wait.
                Way::Ptrace => return if present { read_words(tid, addr, buf) } else { 0 },
            };
            match if present { read(tid, addr, buf) } else { self.remote.read(read, tid, addr, buf) } {
                Ok(n) => return n,
                // The thread is gone, so no other way would find more.
                Err(Errno::ESRCH) => return 0,
                Err(_) => self.way = next,
            }
        }
    }
}

/// Reads `/proc/TID/mem`; an error means that it cannot be opened.
fn read_file(tid: Tid, addr: u64, buf: &mut [u8]) -> Result<usize, Errno> {
    let mem =
        File::open(procfs::path(tid, "mem")).map_err(|e| Errno::from_raw(e.raw_os_error().unwrap_or(libc::EIO)))?;
    Ok(read_at(&mem, addr, buf))
}

fn read_at(mem: &File, addr: u64, buf: &mut [u8]) -> usize {
    let mut got = 0;
    while got < buf.len() {
        match mem.read_at(&mut buf[got..], addr.wrapping_add(got as u64)) {
            Ok(n) if n > 0 => got += n,
            _ => break,
        }
    }
    got
}

fn read_words(tid: Tid, addr: u64, buf: &mut [u8]) -> usize {
    let mut got = 0;
    while got < buf.len() {
        let at = addr.wrapping_add(got as u64);
        let skip = (at % 8) as usize;
        let Ok(word) = sys::peek_data(tid, at - skip as u64) else { break };
        let n = (8 - skip).min(buf.len() - got);
        buf[got..got + n].copy_from_slice(&word[skip..skip + n]);
        got += n;
    }
    got
}

struct Tracee<'a> {
    reader: &'a mut MemoryReader,
    tid: Tid,
}

impl Peek for Tracee<'_> {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        self.reader.read_kept(self.tid, addr, buf)
    }

    fn file_kind(&mut self, fd: i32) -> Option<FileKind> {
        let path = std::fs::read_link(procfs::path(self.tid, &format!("fd/{fd}"))).ok()?;
        FileKind::of_path(path.as_os_str().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process can read itself in the first two ways.
    #[test]
    fn reads_up_to_what_is_mapped() {
        let me = std::process::id() as Tid;
        let text = *b"some bytes to be found";
        for way in [Way::VmRead, Way::ProcMem] {
            let mut reader = MemoryReader { way, ..MemoryReader::default() };
            let mut buf = [0; 22];
            assert_eq!(reader.of(me).peek(text.as_ptr() as u64, &mut buf), 22);
            assert_eq!(buf, text);
            assert_eq!(reader.of(me).peek(0, &mut buf), 0, "{way:?}: nothing is mapped at 0");
            assert_eq!(reader.of(me).peek(u64::MAX - 5, &mut buf), 0, "{way:?}: the end of the address space");
            assert_eq!(reader.way, way);
        }
    }

    #[test]
    fn pieces_across_pages_come_out_whole() {
        let me = std::process::id() as Tid;
        let text: Vec<u8> = (0..8 * PAGE).map(|i| (i / 7) as u8).collect();
        let mut reader = MemoryReader::default();
        let mut tracee = reader.of(me);
        for start in (0..text.len() - 300).step_by(251).chain([0, 7 * PAGE, PAGE - 1]) {
            let mut buf = [0; 300];
            assert_eq!(tracee.peek(text[start..].as_ptr() as u64, &mut buf), 300);
            assert_eq!(buf, text[start..start + 300], "from {start}");
        }
        let mut long = vec![0; text.len()];
        assert_eq!(tracee.peek(text.as_ptr() as u64, &mut long), text.len());
        assert_eq!(long, text);
        assert_eq!(tracee.peek(0, &mut long[..8]), 0);
    }
}
