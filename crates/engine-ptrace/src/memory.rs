//! Reading a tracee's memory.

use crate::sys;
use std::fs::File;
use std::os::unix::fs::FileExt;
use stride_event::{Peek, Tid};

/// Reads with process_vm_readv(2). Where that is refused (security modules, seccomp policies of containers) `/proc/TID/mem` may serve,
/// and if not, ptrace word by word; which one works is found out once.
#[derive(Debug, Default)]
pub struct Reader {
    way: Way,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Way {
    #[default]
    VmRead,
    ProcMem,
    Ptrace,
}

impl Reader {
    pub fn of(&mut self, tid: Tid) -> impl Peek {
        Tracee { reader: self, tid }
    }

    fn read(&mut self, tid: Tid, addr: u64, buf: &mut [u8]) -> usize {
        if self.way == Way::VmRead {
            match sys::read_memory(tid, addr, buf) {
                Ok(n) => return n,
                // The thread is gone: no other way would find more.
                Err(nix::errno::Errno::ESRCH) => return 0,
                Err(_) => self.way = Way::ProcMem,
            }
        }
        if self.way == Way::ProcMem {
            match File::open(format!("/proc/{tid}/mem")) {
                Ok(mem) => return read_file(&mem, addr, buf),
                Err(_) => self.way = Way::Ptrace,
            }
        }
        read_words(tid, addr, buf)
    }
}

fn read_file(mem: &File, addr: u64, buf: &mut [u8]) -> usize {
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
    reader: &'a mut Reader,
    tid: Tid,
}

impl Peek for Tracee<'_> {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        self.reader.read(self.tid, addr, buf)
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
            let mut reader = Reader { way };
            let mut buf = [0; 22];
            assert_eq!(reader.of(me).peek(text.as_ptr() as u64, &mut buf), 22);
            assert_eq!(buf, text);
            assert_eq!(reader.of(me).peek(0, &mut buf), 0, "{way:?}: nothing is mapped at 0");
            assert_eq!(reader.of(me).peek(u64::MAX - 5, &mut buf), 0, "{way:?}: the end of the address space");
            assert_eq!(reader.way, way);
        }
    }
}
