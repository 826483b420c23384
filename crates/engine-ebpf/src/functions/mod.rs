//! Programs at the functions of the wanted calls, in place of those at `sys_enter` and `sys_exit` (`bpf/functions.h`).
//!
//! A run begins with the programs at the tracepoints, which take no time to attach and to detach. Once a run turns out to be long, a thread
//! finds the functions (`search`), loads programs for them (`load`), and has a process of their own attach them (`holder`). When no thread is
//! in a wanted call any more that began before, the tracepoints are left, and other calls pay nothing. If anything fails, the run goes on
//! with the tracepoints.

mod holder;
mod hooks;
mod load;
mod preemption;
mod search;

use crate::loading::programs::Programs;
use crate::plans::hooked::HookedCalls;
use hooks::Hooks;
use load::HookInput;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A run is long from then on. Loading takes a billion instructions, and detaching a tenth of a second for each program, which
/// short runs do not earn.
const AFTER: Duration = Duration::from_millis(500);
/// The time between two looks at all threads, of which each takes time for each thread of the machine.
const PERIOD: Duration = Duration::from_millis(50);

/// The way from programs at the tracepoints to programs at functions.
pub struct Functions {
    state: State,
    begun: Instant,
    looked: Instant,
    /// The sentence for -d about the programs that were attached when tracing ended.
    last: Option<String>,
}

enum State {
    /// The run may be short.
    Young(HookedCalls),
    Preparing(Receiver<Result<Hooks, String>>),
    /// Both kinds of programs are attached. `clear`: no thread was in a call that began before, when that was asked last.
    Both {
        hooks: Hooks,
        clear: bool,
    },
    Alone(Hooks),
    /// The tracepoints stay: why, if it is worth telling.
    Unfit(Option<String>),
}

impl Functions {
    pub fn new(wanted: Option<HookedCalls>) -> Functions {
        let now = Instant::now();
        Functions { state: wanted.map_or(State::Unfit(None), State::Young), begun: now, looked: now, last: None }
    }

    /// Takes the next step, if it is time.
    pub fn look(&mut self, programs: &mut Programs) {
        match &self.state {
            State::Unfit(_) => return,
            State::Young(_) if self.begun.elapsed() < AFTER => return,
            _ if self.looked.elapsed() < PERIOD => return,
            _ => {}
        }
        self.looked = Instant::now();
        self.state = match std::mem::replace(&mut self.state, State::Unfit(None)) {
            State::Young(wanted) => Self::prepare(wanted, programs),
            State::Preparing(result) => match result.try_recv() {
                Ok(Ok(hooks)) => State::Both { hooks, clear: false },
                Ok(Err(why)) => State::Unfit(Some(why)),
                Err(TryRecvError::Empty) => State::Preparing(result),
                Err(TryRecvError::Disconnected) => State::Unfit(None),
            },
            State::Both { hooks, .. } if hooks.is_lost() => State::Unfit(Some(LOST.to_owned())),
            State::Both { hooks, clear } => match hooks.missing() {
                // (Behind its function, a thread takes a moment to sys_exit. So the last one has got there when this is asked again.)
                Ok(0) if clear => {
                    programs.leave_tracepoints();
                    State::Alone(hooks)
                }
                Ok(missing) => State::Both { hooks, clear: missing == 0 },
                Err(e) => State::Unfit(Some(format!("threads cannot be looked at: {e}"))),
            },
            State::Alone(hooks) if hooks.is_lost() => {
                let attached = programs.attach_to_calls();
                State::Unfit(Some(attached.err().map_or(LOST.to_owned(), |e| format!("{LOST}, and {e}"))))
            }
            same => same,
        };
    }

    fn prepare(wanted: HookedCalls, programs: &Programs) -> State {
        let given = match HookInput::of(programs, wanted) {
            Ok(given) => given,
            Err(e) => return State::Unfit(Some(e.to_string())),
        };
        let (made, result) = channel();
        // (If tracing has ended meanwhile, nobody takes the result, and the programs go with it.)
        let run = move || drop(made.send(load::attach(given)));
        match thread::Builder::new().name("functions".to_owned()).spawn(run) {
            Ok(_) => State::Preparing(result),
            Err(e) => State::Unfit(Some(e.to_string())),
        }
    }

    /// Tracing ends: the programs at functions do nothing any more. (Nobody waits until they are detached.)
    pub fn end(&mut self) {
        self.last = self.fact();
        self.state = State::Unfit(None);
    }

    /// A sentence about what is attached, for -d.
    pub fn fact(&self) -> Option<String> {
        match &self.state {
            State::Alone(hooks) => {
                Some(format!("{} functions of the kernel are watched, and other calls cost nothing", hooks.functions))
            }
            State::Both { .. } => Some(
                "functions of the kernel are watched, and all calls as well, because a thread is still in a wanted call that began before"
                    .to_owned(),
            ),
            State::Unfit(Some(why)) => Some(format!("all calls are watched, and not only the functions of those wanted: {why}")),
            State::Unfit(None) | State::Young(_) | State::Preparing(_) => self.last.clone(),
        }
    }
}

const LOST: &str = "the process that holds the programs has ended";
