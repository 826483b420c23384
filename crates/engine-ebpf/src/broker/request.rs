//! The request: what a trace needs, as words in a fixed order. [`fields`] is the only place that knows the order.

use super::bytes;
use crate::loading::config::Config;
use crate::ring::size::RingSize;
use crate::settings::{Overflow, Settings};
use stride_event::{
    Bounds, CallSet, CountBy, Counting, Endings, ErrnoSet, FdSet, FileFilter, Limits, StackRate, TraceSpec,
    WantedThreads, comm_words,
};

/// A hash of the eBPF programs and of this crate's version. Two builds with different hashes do not understand each other.
const FINGERPRINT: &str = env!("STRIDE_PROGRAMS");
/// "stridebr".
const MAGIC: u64 = 0x7374_7269_6465_6272;
/// The most descriptors that a filter lists.
const MOST_FDS: usize = 64;
/// The largest rings: each, and all of one trace.
const LARGEST_RING: u32 = 64 << 20;
const LARGEST_RINGS: u64 = 64 << 20;
const MOST_RINGS: u32 = 8;

/// The options by which processes of the whole machine are traced.
pub const MACHINE: &str = "--all/--cgroup/--comm/--container/--exe/--user/--top";

const WORDS: usize = 2 + 2 * (3 * CallSet::NUMBERS / 64 + 1) + 3 * (2 + MOST_FDS) + ErrnoSet::WORDS + 49;
/// The size of every request.
pub const REQUEST_BYTES: usize = 8 * WORDS;

/// The settings of a trace, as both sides understand them.
#[derive(Clone, Debug)]
pub struct Request {
    pub spec: TraceSpec,
    pub settings: Settings,
}

/// Reads or writes one word after the other.
trait Words {
    fn word(&mut self, word: &mut u64);

    fn number<T: Copy + TryFrom<u64>>(&mut self, number: &mut T)
    where
        u64: TryFrom<T>,
        Self: Sized,
    {
        let mut word = u64::try_from(*number).unwrap_or(u64::MAX);
        self.word(&mut word);
        match T::try_from(word) {
            Ok(read) => *number = read,
            Err(_) => self.fail(),
        }
    }

    fn flag(&mut self, flag: &mut bool)
    where
        Self: Sized,
    {
        let mut word = u64::from(*flag);
        self.word(&mut word);
        if word > 1 {
            self.fail();
        }
        *flag = word == 1;
    }

    fn signed(&mut self, number: &mut i64) {
        let mut word = *number as u64;
        self.word(&mut word);
        *number = word as i64;
    }

    /// Notes that a value was read that no writer writes.
    fn fail(&mut self);
}

struct Writer(Vec<u64>);

impl Words for Writer {
    fn word(&mut self, word: &mut u64) {
        self.0.push(*word);
    }

    fn fail(&mut self) {}
}

struct Reader<'b> {
    words: std::slice::ChunksExact<'b, u8>,
    failed: bool,
}

impl Words for Reader<'_> {
    fn word(&mut self, word: &mut u64) {
        match self.words.next().and_then(|bytes| bytes.try_into().ok()) {
            Some(bytes) => *word = u64::from_ne_bytes(bytes),
            None => self.failed = true,
        }
    }

    fn fail(&mut self) {
        self.failed = true;
    }
}

impl Request {
    /// The request for this trace. The error names an option that a broker does not serve.
    pub fn of(config: &Config, spec: &TraceSpec) -> Result<Request, &'static str> {
        if let Some(option) = unserved(spec) {
            return Err(option);
        }
        let on_overflow = Some(if config.ring.wait { Overflow::Wait } else { Overflow::Drop });
        let settings =
            Settings { on_overflow, ring_bytes: Some(config.ring.bytes), rings: config.rings, own_children: false };
        let spec = TraceSpec { command: None, attach: Vec::new(), stacks: StackRate::None, ..spec.clone() };
        Ok(Request { spec, settings })
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut writer = Writer(Vec::with_capacity(WORDS));
        fields(&mut self.clone(), &mut writer);
        debug_assert_eq!(writer.0.len(), WORDS);
        bytes(&writer.0)
    }

    /// `Err(true)`: these bytes are a request of another build.
    pub fn read(bytes: &[u8]) -> Result<Request, bool> {
        let mut request = Request { spec: TraceSpec::default(), settings: Settings::default() };
        let mut reader = Reader { words: bytes.chunks_exact(8), failed: false };
        let first = bytes.chunks_exact(8).take(2).map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()));
        let first: Vec<u64> = first.collect();
        if first.first() != Some(&MAGIC) {
            return Err(false);
        }
        if first.get(1) != Some(&fingerprint()) {
            return Err(true);
        }
        if bytes.len() != REQUEST_BYTES {
            return Err(false);
        }
        fields(&mut request, &mut reader);
        // There is one way to say a thing.
        if reader.failed || !request.is_allowed() || request.bytes() != bytes {
            return Err(false);
        }
        Ok(request)
    }

    fn is_allowed(&self) -> bool {
        let Settings { ring_bytes: Some(bytes), rings, .. } = self.settings else { return false };
        let is_size = bytes.is_power_of_two() && (4096..=LARGEST_RING).contains(&bytes);
        let all = u64::from(bytes) * u64::from(rings);
        // (A ring is enlarged where records are large.)
        is_size
            && (1..=MOST_RINGS).contains(&rings)
            && all <= LARGEST_RINGS
            && RingSize::of(bytes, true).bytes <= LARGEST_RING
            && (rings == 1 || !self.spec.descriptors && !self.spec.wants_waits())
    }
}

/// The option that a broker does not serve, if there is one.
pub fn unserved(spec: &TraceSpec) -> Option<&'static str> {
    let listed = |fds: &FdSet| fds.listed.len() <= MOST_FDS;
    let file_filter = match &spec.file_filter {
        Some(FileFilter::Fds(fds)) => listed(fds),
        _ => true,
    };
    if spec.machine.is_some() {
        Some(MACHINE)
    } else if !spec.library.is_empty() {
        Some("--library-calls/--usdt")
    } else if spec.operations {
        Some("--io-uring")
    } else if spec.stacks == StackRate::All {
        Some("-k/--stack-trace")
    } else if !spec.injections.is_empty() {
        Some("--inject/--fault")
    } else if !file_filter || !listed(&spec.dump_read) || !listed(&spec.dump_write) {
        Some("a filter for so many descriptors")
    } else {
        None
    }
}

fn fingerprint() -> u64 {
    FINGERPRINT.parse().unwrap_or(0)
}

fn fields(request: &mut Request, words: &mut impl Words) {
    let (mut magic, mut print) = (MAGIC, fingerprint());
    words.word(&mut magic);
    words.word(&mut print);
    let Request { spec, settings } = request;
    call_set(&mut spec.calls, words);
    call_set(&mut spec.names, words);
    words.flag(&mut spec.follow);
    let mut depth = spec.max_depth.unwrap_or(u32::MAX);
    words.number(&mut depth);
    spec.max_depth = (depth != u32::MAX).then_some(depth);
    limits(&mut spec.limits, words);
    fd_set(&mut spec.dump_read, words);
    fd_set(&mut spec.dump_write, words);
    for flag in [
        &mut spec.detach_on_execve,
        &mut spec.want_ip,
        &mut spec.want_times,
        &mut spec.signals,
        &mut spec.descriptors,
        &mut spec.no_memory,
        &mut spec.pid_namespaces,
        &mut spec.waits,
        &mut spec.waits_if_possible,
    ] {
        words.flag(flag);
    }
    counting(&mut spec.counting, words);
    file_filter(&mut spec.file_filter, words);
    endings(&mut spec.endings, words);
    let WantedThreads { processes, threads, comm } = &mut spec.wanted_threads;
    for bound in [&mut processes.least, &mut processes.most, &mut threads.least, &mut threads.most] {
        words.signed(bound);
    }
    let mut named = comm.is_some();
    words.flag(&mut named);
    let mut name = comm_words(comm.unwrap_or_default()).map(u64::to_ne_bytes);
    for part in &mut name {
        let mut word = u64::from_ne_bytes(*part);
        words.word(&mut word);
        *part = word.to_ne_bytes();
    }
    *comm = named.then(|| std::array::from_fn(|i| name[i / 8][i % 8]));
    let mut wait = settings.on_overflow == Some(Overflow::Wait);
    words.flag(&mut wait);
    settings.on_overflow = Some(if wait { Overflow::Wait } else { Overflow::Drop });
    let mut ring = settings.ring_bytes.unwrap_or(0);
    words.number(&mut ring);
    settings.ring_bytes = Some(ring);
    words.number(&mut settings.rings);
}

fn call_set(set: &mut CallSet, words: &mut impl Words) {
    if set.words_mut().count() == 0 {
        *set = CallSet::empty();
    }
    set.words_mut().for_each(|word| words.word(word));
    words.flag(&mut set.unknown);
}

fn limits(limits: &mut Limits, words: &mut impl Words) {
    let Limits { text, command_text, elements, received } = limits;
    words.number(text);
    words.number(command_text);
    words.number(elements);
    words.flag(received);
    // (One is added in places.)
    *text = (*text).min(Limits::UNLIMITED);
    *command_text = (*command_text).min(Limits::UNLIMITED);
    *elements = (*elements).min(Limits::UNLIMITED);
}

fn fd_set(set: &mut FdSet, words: &mut impl Words) {
    words.flag(&mut set.inverted);
    let mut count = set.listed.len();
    words.number(&mut count);
    let mut room = [0; MOST_FDS];
    room.iter_mut().zip(&set.listed).for_each(|(to, &fd)| *to = i64::from(fd));
    room.iter_mut().for_each(|fd| words.signed(fd));
    if count > MOST_FDS {
        return words.fail();
    }
    set.listed = room[..count].iter().map(|&fd| fd as i32).collect();
}

fn counting(counting: &mut Option<Counting>, words: &mut impl Words) {
    let mut any = counting.is_some();
    let none = CountBy { syscall: false, ..CountBy::SYSCALL };
    let mut of = counting.unwrap_or(Counting {
        only: false,
        cpu_time: false,
        // A broker times all calls.
        estimated: false,
        latencies: false,
        bytes: false,
        by: none,
        intervals: false,
    });
    let CountBy { syscall, errno, pid, tid, comm, size, duration, user, container } = &mut of.by;
    for flag in [&mut any, &mut of.only, &mut of.cpu_time, &mut of.latencies, &mut of.bytes, &mut of.intervals] {
        words.flag(flag);
    }
    for flag in [syscall, errno, pid, tid, comm, size, duration, user, container] {
        words.flag(flag);
    }
    *counting = any.then_some(of);
}

fn file_filter(filter: &mut Option<FileFilter>, words: &mut impl Words) {
    let (mut kind, mut fds) = match filter.take() {
        None => (0, FdSet::none()),
        Some(FileFilter::Files) => (1, FdSet::none()),
        Some(FileFilter::Fds(fds)) => (2, fds),
    };
    words.word(&mut kind);
    fd_set(&mut fds, words);
    *filter = match kind {
        0 => None,
        1 => Some(FileFilter::Files),
        2 => Some(FileFilter::Fds(fds)),
        _ => return words.fail(),
    };
}

fn endings(endings: &mut Endings, words: &mut impl Words) {
    let Endings { durations, results, bytes, errors, successes } = endings;
    words.word(&mut durations.least);
    words.word(&mut durations.most);
    words.signed(&mut results.least);
    words.signed(&mut results.most);
    let mut any = bytes.is_some();
    let mut of = bytes.unwrap_or(Bounds { least: 0, most: 0 });
    words.flag(&mut any);
    words.word(&mut of.least);
    words.word(&mut of.most);
    *bytes = any.then_some(of);
    errors.words_mut().iter_mut().for_each(|word| words.word(word));
    words.flag(successes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(spec: TraceSpec) -> Request {
        let config = Config::of(&spec, &Settings::default());
        Request::of(&config, &spec).unwrap()
    }

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let by = CountBy { errno: true, ..CountBy::SYSCALL };
        let counting = Counting {
            only: true,
            cpu_time: true,
            estimated: false,
            latencies: false,
            bytes: true,
            by,
            intervals: false,
        };
        let fds = FdSet { listed: vec![0, 7, 1023], inverted: true };
        let mut spec = TraceSpec {
            follow: true,
            max_depth: Some(3),
            counting: Some(counting),
            file_filter: Some(FileFilter::Fds(fds.clone())),
            limits: Limits { text: 100, command_text: 9, elements: 7, received: false },
            dump_read: fds,
            waits: true,
            ..TraceSpec::default()
        };
        spec.calls.remove(stride_syscalls::Abi::X86_64, 1);
        spec.endings.results.least = -1;
        spec.wanted_threads = WantedThreads::named(b"fifteen letters");
        let written = request(spec).bytes();
        assert_eq!(written.len(), REQUEST_BYTES);
        let read = Request::read(&written).unwrap();
        assert_eq!(read.bytes(), written);
        assert_eq!(format!("{:?}", read.spec.counting), format!("{:?}", Some(counting)));
        assert_eq!((read.spec.max_depth, read.spec.limits.text), (Some(3), 100));
        assert!(!read.spec.calls.contains(stride_syscalls::Abi::X86_64, 1));
        assert_eq!(read.spec.wanted_threads, WantedThreads::named(b"fifteen letters"));
        assert!(read.spec.waits && !read.spec.waits_if_possible);
    }

    /// Nothing that somebody makes up is more than refused.
    #[test]
    fn a_forged_request_is_refused_or_harmless() {
        let good = request(TraceSpec::default()).bytes();
        assert_eq!(Request::read(&[]).err(), Some(false));
        assert_eq!(Request::read(&good[..good.len() - 8]).err(), Some(false));
        assert_eq!(Request::read(&[&good[..], &[0; 8]].concat()).err(), Some(false));
        let mut other = good.clone();
        other[8] ^= 1;
        assert_eq!(Request::read(&other).err(), Some(true));
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut forged = good.clone();
                forged[at] = value;
                if let Ok(request) = Request::read(&forged) {
                    let rings = request.settings.rings;
                    let bytes = request.settings.ring_bytes.unwrap();
                    assert!(u64::from(rings) * u64::from(bytes) <= LARGEST_RINGS && rings > 0);
                    assert_eq!(request.bytes(), forged);
                }
            }
        }
    }
}
