//! The recording of a busy machine that no machine made: `busy_machine CALLS FILE [--pids=N] [--stacks]`.
//!
//! Stride's memory must level off, however long it traces. The recording has what makes tables grow: short processes by the
//! hundred thousand, with ids that are used again, threads, programs, paths, pipes, sockets and their peers, locks, mappings,
//! users and containers. With `--stacks`, calls have stacks, and new ones all the time.
//!
//! FILE may be a FIFO, which `--replay` reads as well: so a day's calls need no disk. After each tenth of the calls, their
//! number goes to standard output: `cargo xtask bench STRIDE memory` looks at the reader's memory then.

use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;
use stride_event::{
    BlockRef, Bottom, Call, CodeFile, Event, Lost, Ns, Outcome, Phase, Stack, StackFrame, StartKind, Symbol, Tid,
};
use stride_record::{Metadata, Recorder};
use stride_syscalls::Abi;
use stride_test_support::noise::Noise;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The kernel's numbers for x86-64, which is the calls' ABI whatever machine this runs on.
mod nr {
    pub const READ: u64 = 0;
    pub const WRITE: u64 = 1;
    pub const CLOSE: u64 = 3;
    pub const MMAP: u64 = 9;
    pub const MUNMAP: u64 = 11;
    pub const BRK: u64 = 12;
    pub const MADVISE: u64 = 28;
    pub const SOCKET: u64 = 41;
    pub const CONNECT: u64 = 42;
    pub const SENDTO: u64 = 44;
    pub const RECVFROM: u64 = 45;
    pub const CLONE: u64 = 56;
    pub const EXECVE: u64 = 59;
    pub const WAIT4: u64 = 61;
    pub const UNLINK: u64 = 87;
    pub const SETRESUID: u64 = 117;
    pub const PRCTL: u64 = 157;
    pub const FUTEX: u64 = 202;
    pub const EPOLL_WAIT: u64 = 232;
    pub const EXIT_GROUP: u64 = 231;
    pub const OPENAT: u64 = 257;
    pub const NEWFSTATAT: u64 = 262;
    pub const ACCEPT4: u64 = 288;
    pub const PIPE2: u64 = 293;
    pub const DUP3: u64 = 292;
    pub const EXIT: u64 = 60;
    pub const RENAME: u64 = 82;
    pub const MKDIR: u64 = 83;
    pub const FSYNC: u64 = 74;
}

/// Processes that live for the whole run, such as make(1) and servers: each starts others.
const LASTING: Tid = 16;
/// Short processes that live at the same time.
const AT_ONCE: usize = 256;
/// A process's thread has this id after it.
const CLONE_THREAD_FLAGS: u64 = 0x3d_0f00;
const SIGCHLD: u64 = 17;
const PATH: u64 = 0x7f00_0000_1000;
const OTHER_PATH: u64 = 0x7f00_0000_3000;
const BUFFER: u64 = 0x5555_0000_1000;

fn main() -> Result<()> {
    const USAGE: &str = "usage: busy_machine CALLS FILE [--pids=N] [--stacks]";
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (options, args): (Vec<&str>, Vec<&str>) =
        args.iter().map(String::as_str).partition(|arg| arg.starts_with("--"));
    let [calls, file] = args[..] else { return Err(USAGE.into()) };
    let mut pids = 32_768;
    let mut stacks = false;
    for option in options {
        match option.strip_prefix("--pids=") {
            Some(number) => pids = number.parse()?,
            None if option == "--stacks" => stacks = true,
            None => return Err(USAGE.into()),
        }
    }
    let metadata = Metadata {
        args: vec!["stride".into(), "--all".into()],
        version: "0".into(),
        engine: "ebpf".into(),
        several: true,
        whole_machine: true,
        follows: true,
        text_limit: 32,
        elements_limit: u64::MAX,
        stacks,
        ..Metadata::default()
    };
    let to = Recorder::new(BufWriter::new(File::create(file)?), &metadata)?;
    let mut machine = Machine::new(to, pids, stacks);
    machine.run(calls.parse()?)?;
    machine.to.finish(Lost::default())?;
    Ok(())
}

/// A short process.
struct Short {
    pid: Tid,
    parent: Tid,
    /// The thread that it made.
    thread: Option<Tid>,
    /// Counts the processes of the run.
    number: u64,
    step: u32,
}

struct Machine {
    to: Recorder<BufWriter<File>>,
    dice: Noise,
    now: Ns,
    calls: u64,
    /// Processes are started, so many.
    started: u64,
    next: Tid,
    last: Tid,
    used: Vec<bool>,
    short: Vec<Short>,
    container: Arc<str>,
    /// The next calls are made in the container.
    contained: bool,
    stacks: Option<Stacks>,
    call: Call,
}

impl Machine {
    fn new(to: Recorder<BufWriter<File>>, pids: Tid, stacks: bool) -> Machine {
        Machine {
            to,
            dice: Noise(1),
            now: 1_000_000,
            calls: 0,
            started: 0,
            next: 1000,
            last: pids.max(4 * AT_ONCE as Tid + 1000),
            used: vec![false; pids.max(4 * AT_ONCE as Tid + 1000) as usize + 1],
            short: Vec::new(),
            container: "container-0".into(),
            contained: false,
            stacks: stacks.then(Stacks::default),
            call: Call::default(),
        }
    }

    fn run(&mut self, calls: u64) -> Result<()> {
        for pid in 100..100 + LASTING {
            self.event(Event::Started { tid: pid, process: pid, origin: StartKind::Attached, at: self.now })?;
        }
        let mut tenths = 0;
        while self.calls < calls {
            if self.calls >= calls / 10 * (tenths + 1) {
                tenths += 1;
                println!("{}", self.calls);
            }
            if self.short.len() < AT_ONCE {
                self.start()?;
            } else if self.dice.number().is_multiple_of(8) {
                self.serve()?;
            } else {
                let at = self.below(self.short.len() as u64) as usize;
                if !self.step(at)? {
                    self.short.swap_remove(at);
                }
            }
        }
        Ok(())
    }

    fn below(&mut self, end: u64) -> u64 {
        self.dice.number() % end
    }

    fn event(&mut self, event: Event<'_>) -> Result<()> {
        Ok(self.to.event(&event)?)
    }

    /// The id of a new thread. The kernel counts upwards and begins again.
    fn id(&mut self) -> Tid {
        loop {
            self.next = if self.next >= self.last { 1000 } else { self.next + 1 };
            if !std::mem::replace(&mut self.used[self.next as usize], true) {
                return self.next;
            }
        }
    }

    /// Prepares a call.
    fn call(&mut self, tid: Tid, nr: u64, args: &[u64]) {
        let took = 500 + self.below(20_000);
        self.call.tid = tid;
        self.call.nr = nr;
        self.call.abi = Abi::X86_64;
        self.call.args = [0; 6];
        self.call.args[..args.len()].copy_from_slice(args);
        self.call.entered = Some(self.now);
        self.call.returned = self.now + took;
        self.call.blocks.clear();
        self.call.container = self.contained.then(|| self.container.clone());
        self.call.stack_calls = 1;
        self.now += 1 + took / AT_ONCE as u64 * 8;
    }

    fn block(&mut self, phase: Phase, addr: u64, bytes: &[u8]) {
        self.call.blocks.push_block(BlockRef { op: 0, phase, addr, faulted: false, bytes });
    }

    fn text(&mut self, addr: u64, text: &str) {
        self.block(Phase::Entry, addr, &[text.as_bytes(), b"\0"].concat());
    }

    fn made(&mut self, outcome: Outcome) -> Result<()> {
        self.calls += 1;
        self.call.outcome = outcome;
        if let Some(stacks) = &mut self.stacks {
            self.call.stack = Some(stacks.of(self.call.nr, &mut self.dice));
        }
        Ok(self.to.event(&Event::Exit(&self.call))?)
    }

    fn returns(&mut self, tid: Tid, nr: u64, args: &[u64], value: i64) -> Result<()> {
        self.call(tid, nr, args);
        self.made(Outcome::Value(value))
    }

    fn named(&mut self, tid: Tid, nr: u64, args: &[u64], path: &str, outcome: Outcome) -> Result<()> {
        self.call(tid, nr, args);
        self.text(PATH, path);
        self.made(outcome)
    }

    /// A long-lived process makes another.
    fn start(&mut self) -> Result<()> {
        self.contained = false;
        let parent = 100 + self.below(LASTING as u64) as Tid;
        let pid = self.id();
        self.started += 1;
        if self.started.is_multiple_of(500) {
            self.container = format!("container-{}", self.started / 500).into();
        }
        self.event(Event::Started { tid: pid, process: pid, origin: StartKind::Forked { parent }, at: self.now })?;
        self.returns(parent, nr::CLONE, &[SIGCHLD], pid.into())?;
        self.short.push(Short { pid, parent, thread: None, number: self.started, step: 0 });
        Ok(())
    }

    /// A long-lived process serves a client, or does what servers do meanwhile.
    fn serve(&mut self) -> Result<()> {
        self.contained = false;
        let pid = 100 + self.below(LASTING as u64) as Tid;
        let client = self.dice.number();
        let number = self.calls;
        self.returns(pid, nr::EPOLL_WAIT, &[4, BUFFER, 64, u64::MAX], 1)?;
        self.call(pid, nr::ACCEPT4, &[3, PATH, PATH + 256, 0x80800]);
        self.block(Phase::Entry, PATH + 256, &16u32.to_le_bytes());
        self.block(Phase::Exit, PATH + 256, &16u32.to_le_bytes());
        self.block(Phase::Exit, PATH, &peer(client, (client >> 40) as u16));
        self.made(Outcome::Value(9))?;
        self.call(pid, nr::RECVFROM, &[9, BUFFER, 4096, 0, 0, 0]);
        self.block(Phase::Exit, BUFFER, b"GET / HTTP/1.1\r\nHost: example\r\n\r\n");
        self.made(Outcome::Value(34))?;
        self.named(
            pid,
            nr::NEWFSTATAT,
            &[AT_FDCWD, PATH, BUFFER, 0],
            &format!("/srv/www/{number:x}/index.html"),
            ABSENT,
        )?;
        let kept = format!("/srv/cache/{:02x}/{number:x}", number % 256);
        self.named(pid, nr::OPENAT, &[AT_FDCWD, PATH, 0x241, 0o644], &kept, Outcome::Value(10))?;
        self.returns(pid, nr::WRITE, &[10, BUFFER, 512], 512)?;
        self.returns(pid, nr::FSYNC, &[10], 0)?;
        self.returns(pid, nr::CLOSE, &[10], 0)?;
        self.call(pid, nr::SENDTO, &[9, BUFFER, 512, 0x4000, 0, 0]);
        self.made(Outcome::Value(512))?;
        self.returns(pid, nr::CLOSE, &[9], 0)
    }

    /// The next step of a short process. False if it has ended.
    fn step(&mut self, at: usize) -> Result<bool> {
        let Short { pid, parent, thread, number, step } = self.short[at];
        self.short[at].step += 1;
        self.contained = number % 8 == 3;
        match step {
            0 => {
                // Many programs at few places, and some that a build makes.
                let program = match number % 16 {
                    0 => format!("/tmp/build-{number}/a.out"),
                    n => format!("/usr/bin/tool-{n}"),
                };
                self.call(pid, nr::EXECVE, &[PATH, 0x7f00_0000_2000, 0]);
                self.text(PATH, &program);
                let words: Vec<u8> =
                    [OTHER_PATH, OTHER_PATH + 256, 0].iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
                self.block(Phase::Entry, 0x7f00_0000_2000, &words);
                self.text(OTHER_PATH, program.rsplit('/').next().unwrap_or_default());
                self.text(OTHER_PATH + 256, &format!("--job={number}"));
                self.made(Outcome::Value(0))?;
            }
            1 => self.returns(pid, nr::BRK, &[0], 0x5555_5555_0000)?,
            2..=5 => {
                let library = format!("/usr/lib/x86_64-linux-gnu/lib{}.so.1", step + number as u32 % 8);
                self.named(pid, nr::OPENAT, &[AT_FDCWD, PATH, 0x80000, 0], &library, Outcome::Value(3))?;
                let base = 0x7f10_0000_0000 + u64::from(step) * 0x10_0000;
                self.returns(pid, nr::MMAP, &[0, 0x10_0000, 5, 2, 3, 0], base as i64)?;
                self.returns(pid, nr::CLOSE, &[3], 0)?;
            }
            6..=12 => {
                let source = format!("/home/user/project-{}/src/{number:x}/file-{step}.h", number % 97);
                self.named(pid, nr::NEWFSTATAT, &[AT_FDCWD, PATH, BUFFER, 0], &source, ABSENT)?;
                self.named(pid, nr::OPENAT, &[AT_FDCWD, PATH, 0, 0], &source, Outcome::Value(3))?;
                self.returns(pid, nr::READ, &[3, BUFFER, 4096], 700)?;
                self.returns(pid, nr::READ, &[3, BUFFER, 4096], 0)?;
                self.returns(pid, nr::CLOSE, &[3], 0)?;
            }
            13 => {
                self.call(pid, nr::PIPE2, &[BUFFER, 0x80000]);
                let ends: Vec<u8> = [5u32, 6].iter().flat_map(|fd| fd.to_le_bytes()).collect();
                self.block(Phase::Exit, BUFFER, &ends);
                self.made(Outcome::Value(0))?;
                self.returns(pid, nr::DUP3, &[6, 1, 0], 1)?;
                self.returns(pid, nr::WRITE, &[1, BUFFER, 10], 10)?;
                self.returns(pid, nr::READ, &[5, BUFFER, 4096], 10)?;
            }
            14 => {
                self.returns(pid, nr::SOCKET, &[2, 0x80001, 0], 7)?;
                self.call(pid, nr::CONNECT, &[7, PATH, 16]);
                self.block(Phase::Entry, PATH, &peer(number, 443));
                let outcome = if number.is_multiple_of(3) { Outcome::Error(111) } else { Outcome::Value(0) };
                self.made(outcome)?;
                self.call(pid, nr::SENDTO, &[7, BUFFER, 100, 0x4000, 0, 0]);
                self.made(Outcome::Value(100))?;
            }
            15 => {
                let tid = self.id();
                self.short[at].thread = Some(tid);
                let parent = pid;
                self.event(Event::Started { tid, process: pid, origin: StartKind::Forked { parent }, at: self.now })?;
                self.returns(pid, nr::CLONE, &[CLONE_THREAD_FLAGS, 0, 0, BUFFER], tid.into())?;
                self.call(tid, nr::PRCTL, &[15, PATH]);
                self.text(PATH, &format!("worker-{}", number % 5000));
                self.made(Outcome::Value(0))?;
            }
            16..=18 => {
                let Some(tid) = thread else { return Ok(true) };
                // Each process has its locks where it likes.
                let word = 0x5555_0000_0000 + number % 100_000 * 64 + u64::from(step) * 4;
                self.returns(tid, nr::FUTEX, &[word, 128, 2, 0], 0)?;
                self.returns(pid, nr::FUTEX, &[word, 129, 1], 1)?;
                self.returns(tid, nr::MADVISE, &[0x7f20_0000_0000, 0x1000, 4], 0)?;
            }
            19 => {
                let Some(tid) = thread else { return Ok(true) };
                self.call(tid, nr::EXIT, &[0]);
                self.made(Outcome::Gone)?;
                self.event(Event::Exited { tid, status: 0, at: self.now })?;
                self.used[tid as usize] = false;
            }
            20 => {
                let user = number % 10_000;
                self.returns(pid, nr::SETRESUID, &[user, user, user], 0)?;
                let made = format!("/tmp/build-{number}");
                self.named(pid, nr::MKDIR, &[PATH, 0o755], &made, Outcome::Value(0))?;
                self.named(
                    pid,
                    nr::OPENAT,
                    &[AT_FDCWD, PATH, 0x241, 0o644],
                    &format!("{made}/out.o.tmp"),
                    Outcome::Value(3),
                )?;
                self.returns(pid, nr::WRITE, &[3, BUFFER, 4096], 4096)?;
                self.returns(pid, nr::CLOSE, &[3], 0)?;
                self.call(pid, nr::RENAME, &[PATH, OTHER_PATH]);
                self.text(PATH, &format!("{made}/out.o.tmp"));
                self.text(OTHER_PATH, &format!("{made}/out.o"));
                self.made(Outcome::Value(0))?;
                self.named(pid, nr::UNLINK, &[PATH], &format!("{made}/lock"), ABSENT)?;
            }
            21 => self.returns(pid, nr::MUNMAP, &[0x7f10_0020_0000, 0x10_0000], 0)?,
            _ => {
                self.call(pid, nr::EXIT_GROUP, &[0]);
                self.made(Outcome::Gone)?;
                self.event(Event::Exited { tid: pid, status: 0, at: self.now })?;
                self.returns(parent, nr::WAIT4, &[u64::MAX, BUFFER, 0, 0], pid.into())?;
                self.used[pid as usize] = false;
                return Ok(false);
            }
        }
        Ok(true)
    }
}

const AT_FDCWD: u64 = -100i64 as u64;
/// ENOENT.
const ABSENT: Outcome = Outcome::Error(2);

/// A `sockaddr_in`.
fn peer(address: u64, port: u16) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[0] = 2;
    bytes[2..4].copy_from_slice(&port.to_be_bytes());
    bytes[4..8].copy_from_slice(&(0x0a00_0000 | address as u32 & 0xff_ffff).to_be_bytes());
    bytes
}

/// Stacks that are made as they are needed. Most calls have one that was there before.
#[derive(Default)]
struct Stacks {
    known: Vec<Arc<Stack>>,
    frames: Vec<Arc<StackFrame>>,
}

impl Stacks {
    fn of(&mut self, nr: u64, dice: &mut Noise) -> Arc<Stack> {
        const KNOWN: usize = 4096;
        const FRAMES: usize = 1 << 14;
        while self.frames.len() < FRAMES {
            let number = self.frames.len() as u64;
            let path = format!("/usr/lib/lib-{}.so", number % 64).into_bytes().into();
            self.frames.push(Arc::new(StackFrame {
                module: Some(Arc::new(CodeFile { path, build_id: [0; 20].into() })),
                offset: number * 16,
                symbol: Some(Symbol { name: format!("function_{number}").into(), offset: number % 64 }),
                source: None,
                inlined: [].into(),
            }));
        }
        if self.known.len() == KNOWN && !dice.number().is_multiple_of(16) {
            return self.known[((dice.number() % (KNOWN as u64 / 32)) * 32 + nr % 32) as usize].clone();
        }
        let depth = 10 + dice.number() % 90;
        let frames = (0..depth).map(|_| self.frames[dice.number() as usize % FRAMES].clone()).collect();
        let stack = Arc::new(Stack { frames, bottom: Bottom::Reached });
        if self.known.len() == KNOWN {
            let at = dice.number() as usize % KNOWN;
            self.known[at] = stack.clone();
        } else {
            self.known.push(stack.clone());
        }
        stack
    }
}
