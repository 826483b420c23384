//! Reads `/tmp/perf-PID.map`, in which a JIT compiler names its functions for profilers.

use crate::files::mounts::Mounts;
use crate::files::open::Identity;
use crate::image::demangle::demangled;
use rustc_hash::FxHashMap;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use stride_engine_base::procfs;
use stride_event::{StackFrame, Symbol, Tid};

const LARGEST: u64 = 64 << 20;

#[derive(Debug, Default)]
pub struct PerfMap {
    place: Option<Place>,
    read: Option<Identity>,
    functions: Vec<(u64, u64, Box<[u8]>)>,
    /// Frames by address, which stacks share.
    frames: FxHashMap<u64, Arc<StackFrame>>,
    /// The file was looked at for the stack that is being made.
    looked: bool,
}

/// Where the map of a process is, learnt while the process is there: short programs are over when their stacks are named, but their maps stay.
#[derive(Clone, Debug)]
struct Place {
    path: String,
    /// The process sees the files that Stride sees.
    is_own: bool,
}

impl Place {
    fn of(process: Tid) -> Option<Place> {
        let status = procfs::text(procfs::path(process, "status"))?;
        let own = procfs::ids(&status, "NSpid:").last()?;
        let seen_by = |process: Tid, name: &str| {
            let metadata = std::fs::metadata(procfs::path(process, name)).ok()?;
            Some((metadata.dev(), metadata.ino()))
        };
        let stride = std::process::id() as Tid;
        let is_own = ["ns/mnt", "root"].iter().all(|name| {
            let seen = seen_by(process, name);
            seen.is_some() && seen == seen_by(stride, name)
        });
        Some(Place { path: format!("/tmp/perf-{own}.map"), is_own })
    }

    fn open(&self, process: Tid) -> Option<File> {
        self.open_below(process).or_else(|| self.is_own.then(|| self.open_below(std::process::id() as Tid))?)
    }

    fn open_below(&self, process: Tid) -> Option<File> {
        if Mounts::of(process).leads_through_served(Path::new(&self.path)) {
            return None;
        }
        OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC)
            .open(procfs::path(process, "root") + &self.path)
            .ok()
    }
}

/// The number of frames that are kept. When it is reached, all are dropped.
const MOST_FRAMES: usize = 1 << 14;

impl PerfMap {
    /// Begins with another stack.
    pub fn begin(&mut self) {
        self.looked = false;
    }

    /// True if the place of the map is known.
    pub fn is_expected(&self) -> bool {
        self.place.is_some()
    }

    /// Learns where the map is, or will be.
    pub fn expect(&mut self, process: Tid) {
        if self.place.is_none() {
            self.place = Place::of(process);
        }
    }

    /// The frame of an address that no file of code has.
    pub fn frame(&mut self, process: Tid, address: u64) -> Arc<StackFrame> {
        let symbol = self.find(process, address);
        if let Some(known) = self.frames.get(&address).filter(|known| known.symbol == symbol) {
            return known.clone();
        }
        let frame = StackFrame { module: None, offset: address, symbol, source: None, inlined: Box::default() };
        let frame = Arc::new(frame);
        if self.frames.len() >= MOST_FRAMES {
            self.frames.clear();
        }
        self.frames.insert(address, frame.clone());
        frame
    }

    /// The function at an address, once the compiler has written its entry.
    pub fn find(&mut self, process: Tid, address: u64) -> Option<Symbol> {
        self.lookup(address).or_else(|| {
            self.refresh(process)?;
            self.lookup(address)
        })
    }

    /// True if the address is the last byte of the call instruction in one of Python's trampolines (`-X perf`).
    ///
    /// Python has a copy of the same few instructions for each of its functions: they make room for 8 bytes, and call
    /// the interpreter. The frame pointer may have any value there.
    pub fn is_trampoline(&self, address: u64) -> bool {
        const CALL: u64 = 5;
        const LARGEST_TRAMPOLINE: u64 = 16;
        self.entry(address).is_some_and(|(start, size, name)| {
            name.starts_with(b"py::") && address - start == CALL && *size <= LARGEST_TRAMPOLINE
        })
    }

    fn lookup(&self, address: u64) -> Option<Symbol> {
        self.entry(address).map(|(start, _, name)| Symbol { name: demangled(name), offset: address - start })
    }

    fn entry(&self, address: u64) -> Option<&(u64, u64, Box<[u8]>)> {
        // Code is moved and replaced. Of several entries for one address the latest holds; it is sorted behind the
        // others.
        let at = self.functions.partition_point(|f| f.0 <= address).checked_sub(1)?;
        self.functions.get(at).filter(|(start, size, _)| address - start < *size)
    }

    fn refresh(&mut self, process: Tid) -> Option<()> {
        if std::mem::replace(&mut self.looked, true) {
            return None;
        }
        self.expect(process);
        let file = self.place.as_ref()?.open(process)?;
        let identity = Identity::of(&file).filter(|_| file.metadata().is_ok_and(|m| m.is_file()))?;
        if self.read.as_ref() == Some(&identity) {
            return None;
        }
        let mut text = Vec::new();
        file.take(LARGEST).read_to_end(&mut text).ok()?;
        self.read = Some(identity);
        self.functions = parse(&text);
        Some(())
    }
}

/// Parses lines with a start, a size and a name. The result is sorted by start; equal starts keep the order of the
/// file.
fn parse(text: &[u8]) -> Vec<(u64, u64, Box<[u8]>)> {
    let hex = |text: &[u8]| u64::from_str_radix(std::str::from_utf8(text).ok()?.trim_start_matches("0x"), 16).ok();
    let line = |line: &[u8]| {
        let mut fields = line.splitn(3, |&b| b == b' ');
        Some((hex(fields.next()?)?, hex(fields.next()?)?, fields.next()?.into()))
    };
    let mut functions: Vec<_> = text.split(|&b| b == b'\n').filter_map(line).collect();
    functions.sort_by_key(|f: &(u64, u64, Box<[u8]>)| f.0);
    functions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_map() {
        let functions = parse(b"7f00 10 LazyCompile:~a b.js:1\nrubbish\n7f00 20 later\n0x6000 8 first\n9 zz name\n");
        let map = PerfMap { functions, ..PerfMap::default() };
        let name = |address| map.lookup(address).map(|symbol| (symbol.name.to_string(), symbol.offset));
        assert_eq!(name(0x7f18), Some(("later".into(), 0x18)));
        assert_eq!(name(0x6007), Some(("first".into(), 7)));
        assert_eq!(name(0x6008), None);
    }

    /// A process may be over when its map is read.
    #[test]
    fn map_of_a_process_that_has_ended() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let process = child.id() as Tid;
        let mut map = PerfMap::default();
        map.expect(process);
        let path = format!("/tmp/perf-{process}.map");
        std::fs::write(&path, "1000 10 of the past\n").unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let mut stranger = PerfMap::default();
        let found =
            [&mut map, &mut stranger].map(|map| map.find(process, 0x1004).map(|symbol| symbol.name.to_string()));
        std::fs::remove_file(path).unwrap();
        assert_eq!(found, [Some("of the past".into()), None]);
    }

    /// Stacks share the frames of one address, until the function has another name.
    #[test]
    fn frames_are_shared() {
        let nobody = 0;
        let mut map = PerfMap { functions: parse(b"1000 10 first\n"), ..PerfMap::default() };
        let frame = map.frame(nobody, 0x1004);
        assert_eq!(frame.symbol.as_ref().map(|symbol| &*symbol.name), Some("first"));
        assert!(Arc::ptr_eq(&frame, &map.frame(nobody, 0x1004)));
        map.functions = parse(b"1000 10 second\n");
        assert_eq!(map.frame(nobody, 0x1004).symbol.as_ref().map(|symbol| &*symbol.name), Some("second"));
        for address in 0..2 * MOST_FRAMES as u64 {
            map.frame(nobody, address << 8);
            assert!(map.frames.len() <= MOST_FRAMES);
        }
    }

    #[test]
    fn trampolines_of_python() {
        let functions = parse(b"1000 b py::main:/srv/app.py\n2000 b JS:~main\n3000 40 py::large:/srv/app.py\n");
        let map = PerfMap { functions, ..PerfMap::default() };
        assert!(map.is_trampoline(0x1005));
        for address in [0x1000, 0x1004, 0x1006, 0x2005, 0x3005, 0x5] {
            assert!(!map.is_trampoline(address), "{address:#x}");
        }
    }
}
