//! Signal dispositions, the monotonic clock, and a timer which interrupts this thread's blocking call.
//!
//! Signals only set a mark. A signal that arrives after the mark was checked and before wait4(2) blocks would go
//! unnoticed. So the handler also starts the engine's timer, whose repeated ticks interrupt the blocking call. That
//! costs nothing as long as no signal arrives, unlike changing the signal mask around each wait.
//!
//! A second SIGINT or SIGTERM ends Stride in the handler, whatever Stride waits for. The kernel then releases all
//! tracees.

use crate::policy::set_policy;
use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, sigaction};
use nix::unistd::Pid;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;
use stride_event::{Ns, Tid};

/// The first fatal signal, 0 for none. A later one may be its consequence, such as SIGPIPE when the same ^C ended the
/// reader.
static CAUGHT: AtomicI32 = AtomicI32::new(0);
/// The time of its arrival.
static CAUGHT_AT: AtomicU64 = AtomicU64::new(0);
/// Signals closer together than this count as one: timeout(1) sends one to its child and the same to its process
/// group.
const ONE_SIGNAL: Ns = 100_000_000;
/// The timer which [`on_fatal`] starts: that of the latest engine.
static TIMER: AtomicPtr<libc::c_void> = AtomicPtr::new(NO_TIMER);
/// The id of no timer. (The first timer of a process has the id 0.)
const NO_TIMER: *mut libc::c_void = std::ptr::without_provenance_mut(usize::MAX);

/// The clock of all event times: the machine's monotonic clock, which is that of eBPF programs, too. In a time namespace
/// (time_namespaces(7)) clock_gettime(2) tells another one. Served by the vDSO, without entering the kernel.
pub fn now() -> Ns {
    static OFFSET: OnceLock<i64> = OnceLock::new();
    monotonic().wrapping_sub_signed(*OFFSET.get_or_init(namespace_offset))
}

/// The nanoseconds by which the monotonic clock of this process's time namespace is ahead of the machine's.
fn namespace_offset() -> i64 {
    // The file is about the namespace of children. If that is another one than our own, ours is nearly always the machine's.
    let [own, children] =
        ["time", "time_for_children"].map(|name| std::fs::read_link(format!("/proc/self/ns/{name}")).ok());
    if own.is_none() || own != children {
        return 0;
    }
    let offsets = std::fs::read_to_string("/proc/self/timens_offsets").unwrap_or_default();
    monotonic_offset(&offsets).unwrap_or(0)
}

/// Lines such as `monotonic  100000  0`: seconds and nanoseconds.
fn monotonic_offset(offsets: &str) -> Option<i64> {
    let mut words = offsets.lines().find_map(|line| line.strip_prefix("monotonic"))?.split_whitespace();
    let mut next = || words.next()?.parse::<i64>().ok();
    next()?.checked_mul(1_000_000_000)?.checked_add(next()?)
}

fn monotonic() -> Ns {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec, which outlives the call. CLOCK_MONOTONIC always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// Sleeps. A signal ends the sleep early.
pub fn pause_ms(ms: u64) {
    let t = libc::timespec { tv_sec: 0, tv_nsec: (ms.min(999) * 1_000_000) as i64 };
    // SAFETY: reads one timespec; the remainder is not asked for.
    unsafe { libc::nanosleep(&t, std::ptr::null_mut()) };
}

extern "C" fn on_fatal(signal: i32) {
    if CAUGHT.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        // (Not `now`, which may read a file.)
        CAUGHT_AT.store(monotonic(), Ordering::Relaxed);
    } else if [libc::SIGINT, libc::SIGTERM].contains(&signal)
        && monotonic().saturating_sub(CAUGHT_AT.load(Ordering::Relaxed)) > ONE_SIGNAL
    {
        last_act();
        die_of(signal);
    }
    interrupt_repeatedly();
}

/// Called before a second signal ends this process.
static LAST_ACT: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Has `act` done if a second signal ends this process in the handler, where nothing is dropped. `act` must be async-signal-safe.
pub fn before_dying(act: fn()) {
    LAST_ACT.store(act as *mut (), Ordering::Relaxed);
}

fn last_act() {
    let act = LAST_ACT.load(Ordering::Relaxed);
    if !act.is_null() {
        // SAFETY: only `before_dying` stores there, and stores a `fn()`.
        unsafe { std::mem::transmute::<*mut (), fn()>(act)() };
    }
}

/// Starts the engine's timer, if there is one. Async-signal-safe.
fn interrupt_repeatedly() {
    let timer = TIMER.load(Ordering::Relaxed);
    if timer != NO_TIMER {
        let period = Duration::from_millis(10);
        set(timer, period, period);
    }
}

extern "C" fn on_tick(_: i32) {}

fn set(timer: libc::timer_t, first: Duration, period: Duration) {
    let t = |time: Duration| libc::timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    };
    let spec = libc::itimerspec { it_interval: t(period), it_value: t(first) };
    // SAFETY: timer_settime(2) is async-signal-safe; a timer id that is no longer valid is refused with EINVAL.
    unsafe {
        // A handler must leave errno as it found it.
        let errno = *libc::__errno_location();
        libc::timer_settime(timer, 0, &spec, std::ptr::null_mut());
        *libc::__errno_location() = errno;
    }
}

/// Ends this process by a signal, although Rust's runtime ignores SIGPIPE and handles SIGSEGV. Returns if ending is
/// not the signal's default action. Async-signal-safe.
pub fn die_of(signal: i32) {
    // SAFETY: SIG_DFL is a valid disposition for every signal, a number that is none is refused; the set outlives its uses.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        libc::raise(signal);
    }
}

/// Runs `f` with all signals blocked, so that a thread that it starts gets none.
pub fn without_signals<T>(run: impl FnOnce() -> T) -> T {
    let mut old = SigSet::empty();
    let blocked = nix::sys::signal::pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), Some(&mut old));
    let result = run();
    if blocked.is_ok() {
        let _ = old.thread_set_mask();
    }
    result
}

/// This thread's id.
pub fn own_tid() -> Tid {
    // SAFETY: takes nothing.
    unsafe { libc::gettid() }
}

/// Lets this thread run on these CPUs with the default policy, whatever it inherited.
pub fn schedule_normally(cpus: Option<&CpuSet>) {
    let _ = set_policy(0, libc::SCHED_OTHER, 0);
    if let Some(cpus) = cpus {
        let _ = sched_setaffinity(Pid::from_raw(0), cpus);
    }
}

/// The earlier dispositions of these signals, to be put back for the command.
pub type Saved = Vec<(Signal, SigAction)>;

fn replace(signals: &[Signal], handler: SigHandler, saved: &mut Saved) {
    // No SA_RESTART: a blocking call must return.
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    for &signal in signals {
        // SAFETY: the handlers only touch atomics, read the clock, set a timer, and end the process: async-signal-safe.
        if let Ok(old) = unsafe { sigaction(signal, &action) } {
            saved.push((signal, old));
        }
    }
}

pub fn catch(signals: &[Signal], saved: &mut Saved) {
    replace(signals, SigHandler::Handler(on_fatal), saved);
}

extern "C" fn on_nothing(_: i32) {}

/// A write beyond `ulimit -f` fails instead of killing Stride. This does not affect programs that Stride starts,
/// because execve resets handlers. If the signal is ignored, it stays ignored.
pub fn survive_file_limit() {
    // SAFETY: a zeroed sigaction is a valid one; the handler does nothing; the old action is written to a live struct.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGXFSZ, std::ptr::null(), &mut old) == 0 && old.sa_sigaction == libc::SIG_DFL {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_nothing as extern "C" fn(i32) as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(libc::SIGXFSZ, &action, std::ptr::null_mut());
        }
    }
}

pub fn ignore(signals: &[Signal], saved: &mut Saved) {
    replace(signals, SigHandler::SigIgn, saved);
}

pub fn restore_signals(saved: &mut Saved) {
    while let Some((signal, action)) = saved.pop() {
        // SAFETY: puts back an action that was installed before.
        let _ = unsafe { sigaction(signal, &action) };
    }
}

/// Interrupts the blocking calls of the thread which made it.
#[derive(Debug)]
pub struct Timer {
    id: libc::timer_t,
}

impl Timer {
    pub fn new() -> Result<Timer, Errno> {
        static INSTALLED: AtomicBool = AtomicBool::new(false);
        let signal = libc::SIGRTMIN();
        if !INSTALLED.swap(true, Ordering::Relaxed) {
            // SAFETY: a zeroed sigaction is a valid one; the handler does nothing.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_tick as extern "C" fn(i32) as usize;
                Errno::result(libc::sigaction(signal, &action, std::ptr::null_mut()))?;
            }
        }
        // SAFETY: a zeroed sigevent is a valid one; the kernel reads it and writes the timer's id, both of which outlive the call.
        let id = unsafe {
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = signal;
            event.sigev_notify_thread_id = libc::gettid();
            let mut id: libc::timer_t = std::mem::zeroed();
            Errno::result(libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut id))?;
            id
        };
        TIMER.store(id, Ordering::Relaxed);
        Ok(Timer { id })
    }

    /// Ticks until [`Timer::stop`]. If a tick is lost to a race, another one follows.
    pub fn start(&self, period: Duration) {
        set(self.id, period, period);
    }

    /// Ticks after this time, and then with this period. A period of some microseconds would leave no time between the ticks.
    pub fn start_after(&self, first: Duration, period: Duration) {
        set(self.id, first, period);
    }

    pub fn stop(&self) {
        set(self.id, Duration::ZERO, Duration::ZERO);
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let _ = TIMER.compare_exchange(self.id, NO_TIMER, Ordering::Relaxed, Ordering::Relaxed);
        // SAFETY: the timer was made by `new` and is deleted only here.
        unsafe { libc::timer_delete(self.id) };
    }
}

/// The number of arrivals of the signals that [`count_requests`] names.
static ASKED: AtomicU32 = AtomicU32::new(0);
/// Set when the engine should hand out [`stride_event::Event::Idle`] soon, because somebody waits for a moment to act.
static NUDGED: AtomicBool = AtomicBool::new(false);

extern "C" fn on_asked(_: i32) {
    ASKED.fetch_add(1, Ordering::Relaxed);
    NUDGED.store(true, Ordering::Relaxed);
    interrupt_repeatedly();
}

/// From now on these signals are counted, and the engine hands out [`stride_event::Event::Idle`] for each. To be called when the engine
/// has started: the command keeps the dispositions that it would have had.
pub fn count_requests(signals: &[Signal]) -> Result<(), Errno> {
    let action = SigAction::new(SigHandler::Handler(on_asked), SaFlags::SA_RESTART, SigSet::empty());
    // SAFETY: the handler only touches atomics and sets a timer: async-signal-safe.
    signals.iter().try_for_each(|signal| unsafe { sigaction(*signal, &action) }.map(drop))
}

/// The number of such arrivals since [`count_requests`].
pub fn requests() -> u32 {
    ASKED.load(Ordering::Relaxed)
}

/// Lets the engine hand out [`stride_event::Event::Idle`] after this time, also if nothing happens.
pub fn nudge_after(time: Duration) -> std::io::Result<()> {
    set_after("stride-wait", time, &NUDGED)
}

/// Sets a flag after this time, in a thread of this name. As after a fatal signal, the blocking call of an engine returns.
fn set_after(name: &str, time: Duration, flag: &'static AtomicBool) -> std::io::Result<()> {
    let wait = move || {
        std::thread::sleep(time);
        flag.store(true, Ordering::Relaxed);
        interrupt_repeatedly();
    };
    without_signals(|| std::thread::Builder::new().name(name.into()).spawn(wait)).map(drop)
}

/// True once after each request or nudge. For engines.
pub fn take_nudge() -> bool {
    NUDGED.load(Ordering::Relaxed) && NUDGED.swap(false, Ordering::Relaxed)
}

/// Set when tracing has lasted as long as it should.
static OVER: AtomicBool = AtomicBool::new(false);

/// Ends tracing after this time, as [`crate::Engine::stop`] does. To be called when the engine has started, because the command must not be forked by
/// a process with several threads.
pub fn end_after(time: Duration) -> std::io::Result<()> {
    set_after("stride-for", time, &OVER)
}

/// Ends tracing in the same way at once.
pub fn end_now() {
    LEFT.store(true, Ordering::Relaxed);
    interrupt_repeatedly();
}

/// Set by [`end_now`].
static LEFT: AtomicBool = AtomicBool::new(false);

/// True if tracing has to end, although no signal has come.
pub fn is_over() -> bool {
    is_time_over() || LEFT.load(Ordering::Relaxed)
}

/// True if the time of [`end_after`] is over.
pub fn is_time_over() -> bool {
    OVER.load(Ordering::Relaxed)
}

/// The fatal signal that arrived first.
pub fn caught() -> Option<i32> {
    match CAUGHT.load(Ordering::Relaxed) {
        0 => None,
        signal => Some(signal),
    }
}
