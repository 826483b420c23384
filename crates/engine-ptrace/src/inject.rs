//! Changes what calls do (`-e inject=`), while their thread stands still at the entry or at the exit.
//!
//! # A call with another result
//! The number of the call becomes -1 and the result is put in its place, both at the entry and with one request
//! (`PTRACE_SETREGS`). The kernel makes no call of that number and leaves the result as it is. So there is no moment at which
//! the thread could go on with a changed number and without its result: not if Stride detaches, and not if Stride is killed.
//!
//! Only a call that is made in place of another one (`syscall=`) still has to get its result when it returns. These calls
//! change nothing and do not wait. A thread that is let go between the two stops gets the result at once, without that call
//! (`settle`). If SIGKILL ends Stride in between, the kernel lets the thread go on, and the thread sees the result of that call.
//!
//! # A call that moves fewer bytes (`short=`)
//! The register with the number of bytes gets its value back when the call returns, or when the thread is let go (`settle`): a program may rely on it. If SIGKILL ended Stride in
//! between, nobody would do that, so this goes together with `--kill-on-exit` only.
//!
//! # What else is changed
//! A signal goes with the request that resumes the thread; the kernel takes signals at the stops for entry and exit, but not at
//! those of a seccomp filter. Memory is written only if its pages are there ([`Plans::poke`]). Delays are in `delays`.

use crate::plans::Plans;
use crate::threads::Tracee;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use stride_engine_base::Choose;
use stride_event::{InjectedResult, Injection, Ns, Outcome, Poke, ThreadKey};
use stride_syscalls::{Abi, table};

/// Sentences for the user, at most.
const MOST_REMARKS: usize = 64;

/// The rules, and all that is needed to follow them.
#[derive(Default)]
pub struct Injector {
    rules: Vec<Injection>,
    choice: Option<Rc<RefCell<dyn Choose>>>,
    /// Keys given to threads that no traced thread made.
    roots: u64,
    remarks: Vec<String>,
    /// Messages about calls that are being entered. They are written when a call returns, so that they do not cut its line in two.
    early: Vec<String>,
    /// The failures that were reported, with the ABI and the number of the call. The same failure is reported once.
    reported: Vec<(Failure, Abi, u64)>,
}

/// Why a call's arguments could not be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// The call has no such argument.
    Missing(usize),
    /// So many of the bytes could be written.
    Memory { addr: u64, done: usize, of: usize },
}

impl fmt::Debug for Injector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Injector").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// How a thread is to go on after the stop at which its call was changed.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoingOn {
    pub signal: i32,
    pub delay: Option<Ns>,
}

impl Injector {
    pub fn new(rules: Vec<Injection>) -> Injector {
        Injector { rules, ..Injector::default() }
    }

    pub fn choose_with(&mut self, choice: Rc<RefCell<dyn Choose>>) {
        self.choice = Some(choice);
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The key of a thread that no traced thread made.
    pub fn next_root(&mut self) -> ThreadKey {
        self.roots += 1;
        ThreadKey::root(self.roots)
    }

    pub fn remarks(&mut self) -> Vec<String> {
        std::mem::take(&mut self.remarks)
    }

    /// Changes the call that was entered. Its memory was captured, and is captured again with `capture` if it was changed.
    pub fn at_entry(
        &mut self,
        thread: &mut Tracee,
        plans: &mut Plans,
        capture: impl FnOnce(&mut Plans, &mut Tracee),
    ) -> GoingOn {
        thread.injections.rule = None;
        thread.injections.owed = None;
        thread.injections.shortened = None;
        let (abi, nr) = (thread.call.abi, thread.call.nr);
        let Some(at) = self.rules.iter().rposition(|rule| rule.calls.contains(abi, nr)) else {
            return GoingOn::default();
        };
        if self.choice.as_ref().is_some_and(|choice| !choice.borrow_mut().chooses(&thread.call)) {
            return GoingOn::default();
        }
        let n = thread.injections.count(abi, nr);
        if !self.rules[at].changes(thread.injections.key, abi, nr, n) {
            return GoingOn::default();
        }
        thread.injections.rule = Some(at);
        let mut capture_again = self.poke(thread, plans, at, |rule| &rule.poke_enter);
        if capture_again {
            thread.call.tampering.arguments = true;
            thread.call.blocks.clear();
        }
        if let Some(most) = self.rules[at].short
            && shorten(thread, most)
        {
            thread.call.tampering.arguments = true;
            thread.call.blocks.clear();
            capture_again = true;
        }
        if capture_again {
            capture(plans, thread);
        }
        let rule = &self.rules[at];
        if let Some(result) = rule.result {
            let raw = raw(result, abi);
            let (number, value) = match rule.instead[abi as usize] {
                Some(instead) => (i64::from(instead), None),
                None => (-1, Some(raw)),
            };
            let replaced = thread.stopped().is_some_and(|stopped| stopped.replace_call(number, value).is_ok());
            thread.call.tampering.result = replaced;
            thread.injections.owed = (replaced && value.is_none()).then_some(raw);
        }
        thread.call.tampering.signal = rule.signal.is_some();
        thread.call.tampering.delay = rule.delay_enter.is_some();
        GoingOn { signal: rule.signal.unwrap_or(0), delay: rule.delay_enter }
    }

    /// Changes the call that has returned, and its outcome. To be followed by capturing its memory.
    pub fn at_exit(&mut self, thread: &mut Tracee, plans: &mut Plans) -> GoingOn {
        self.remarks.append(&mut self.early);
        let Some(at) = thread.injections.rule.take() else { return GoingOn::default() };
        settle(thread);
        let rule = &self.rules[at];
        if let (true, Some(result)) = (thread.call.tampering.result, rule.result) {
            thread.call.outcome = match result {
                InjectedResult::Error(errno) => Outcome::Error(errno),
                InjectedResult::Value(_) => Outcome::Value(raw(result, thread.call.abi)),
            };
        }
        let delay = rule.delay_exit;
        thread.call.tampering.delay |= delay.is_some();
        thread.call.tampering.arguments |= self.poke(thread, plans, at, |rule| &rule.poke_exit);
        self.remarks.append(&mut self.early);
        GoingOn { signal: 0, delay }
    }

    /// Writes to memory that arguments point to. Returns whether anything was written.
    fn poke(
        &mut self,
        thread: &Tracee,
        plans: &mut Plans,
        rule: usize,
        of: impl FnOnce(&Injection) -> &Vec<Poke>,
    ) -> bool {
        let call = &thread.call;
        let row = table(call.abi).get(call.nr).map(|entry| entry.row);
        let args = row.map_or(6, |row| row.registers(call.abi)).min(6);
        let mut written = false;
        let mut failures = Vec::new();
        for poke in of(&self.rules[rule]) {
            let Some(&addr) = call.args.get(poke.arg).filter(|_| poke.arg < args) else {
                failures.push(Failure::Missing(poke.arg));
                continue;
            };
            let done = plans.poke(thread.tid, addr, &poke.bytes);
            written |= done > 0;
            if done < poke.bytes.len() {
                failures.push(Failure::Memory { addr, done, of: poke.bytes.len() });
            }
        }
        let name = row.map_or("this call", |row| row.name);
        for failure in failures {
            let key = (failure, call.abi, call.nr);
            if self.reported.len() >= MOST_REMARKS || self.reported.contains(&key) {
                continue;
            }
            self.reported.push(key);
            let tid = thread.tid;
            // These are strace's words.
            self.early.push(match failure {
                Failure::Missing(arg) => format!(
                    "Failed to tamper with process {tid}: requested to tamper with argument #{}, but system call '{name}' has only \
                     {args} arguments",
                    arg + 1
                ),
                Failure::Memory { done: 0, .. } => format!("Failed to tamper with process {tid}: couldn't poke"),
                Failure::Memory { addr, done, of } => format!(
                    "pid:{tid} short write ({done} < {of}) @{addr:#x}: the rest of the memory cannot be written, or is not resident"
                ),
            });
        }
        written
    }
}

/// Has the call move fewer bytes than it was asked to. Returns whether it does.
fn shorten(thread: &mut Tracee, most: u64) -> bool {
    let (abi, nr) = (thread.call.abi, thread.call.nr);
    let Some(row) = table(abi).get(nr).map(|entry| entry.row) else { return false };
    let Some(position) =
        row.transfer().and_then(|transfer| transfer.asked).map(|asked| row.register(row.index(asked), abi))
    else {
        return false;
    };
    if thread.call.args.get(position).is_none_or(|asked| *asked <= most) {
        return false;
    }
    let Some(Ok(old)) = thread.stopped().map(|stopped| stopped.set_argument(abi, Some(nr), position, most)) else {
        return false;
    };
    thread.injections.shortened = Some((position, old));
    thread.call.args[position] = most;
    true
}

/// Gives a thread the result that it is owed, and the register that was changed, wherever in its call it stands.
pub fn settle(thread: &mut Tracee) {
    let abi = thread.call.abi;
    if let Some((position, value)) = thread.injections.shortened.take()
        && let Some(stopped) = thread.stopped()
    {
        let _ = stopped.set_argument(abi, None, position, value);
    }
    if let Some(result) = thread.injections.owed.take()
        && let Some(stopped) = thread.stopped()
    {
        // The thread was killed meanwhile if this fails.
        let _ = stopped.replace_call(-1, Some(result));
    }
}

/// The result as the kernel would return it.
fn raw(result: InjectedResult, abi: Abi) -> i64 {
    match result {
        InjectedResult::Error(errno) => -i64::from(errno),
        InjectedResult::Value(value) if abi.word() == 4 => i64::from(value as i32),
        InjectedResult::Value(value) => value as i64,
    }
}
