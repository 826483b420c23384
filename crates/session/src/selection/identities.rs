//! The users as whom threads run, and the programs of processes whose execve was not seen: asked of /proc when needed, and kept until a call may
//! change them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use stride_event::{Event, Outcome, Question, StartKind, Tid};
use stride_output::Users;
use stride_proc::Source;
use stride_syscalls::{Class, Effect};

/// A machine has fewer threads. Only a hostile recording has more, and their answers are not kept.
const MOST: usize = 1 << 18;

/// The users of threads and the programs of processes.
#[derive(Default)]
pub struct Identities {
    source: Option<Rc<dyn Source>>,
    users: RefCell<HashMap<Tid, Option<u32>>>,
    programs: RefCell<HashMap<Tid, Option<Vec<u8>>>>,
}

impl Identities {
    /// `source` is asked, if anything is wanted.
    pub fn new(source: Option<Rc<dyn Source>>) -> Identities {
        Identities { source, ..Identities::default() }
    }

    /// Follows the events. Each event comes here before questions about its call.
    pub fn note(&mut self, event: &Event<'_>) {
        if self.source.is_none() {
            return;
        }
        let users = self.users.get_mut();
        match *event {
            // A child runs as its parent did when the child was made. /proc has the command while it waits at its gate.
            Event::Started { tid, origin, .. } => match origin {
                StartKind::Forked { parent } => {
                    if let Some(&user) = users.get(&parent)
                        && users.len() < MOST
                    {
                        users.insert(tid, user);
                    }
                }
                StartKind::Spawned | StartKind::Attached => _ = self.user(tid),
            },
            Event::Exit(call) | Event::NamingCall(call) => {
                let Some(row) = call.row() else { return };
                if row.class.intersects(Class::CREDS) && !row.has_effect(Effect::AsksOfItself) {
                    users.remove(&call.tid);
                } else if row.has_effect(Effect::Executes) && matches!(call.outcome, Outcome::Value(_)) {
                    self.programs.get_mut().remove(&call.tid);
                    // Few programs are set-user-ID. One that has ended by now was none of them as far as anybody can tell.
                    let before = users.remove(&call.tid);
                    if self.user(call.tid).is_none()
                        && let Some(before) = before
                    {
                        self.users.get_mut().insert(call.tid, before);
                    }
                }
            }
            Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. } => {
                users.remove(&tid);
                self.programs.get_mut().remove(&tid);
            }
            Event::Superseded { tid, old, .. } => {
                users.remove(&old);
                users.remove(&tid);
            }
            _ => {}
        }
    }

    /// The effective user id of a thread.
    pub fn user(&self, tid: Tid) -> Option<u32> {
        let ask = || String::from_utf8(self.source.as_ref()?.answer(Question::User(tid), None)?).ok()?.parse().ok();
        kept(&self.users, tid, ask)
    }

    /// The path of the program that a process runs.
    pub fn program(&self, pid: Tid) -> Option<Vec<u8>> {
        kept(&self.programs, pid, || self.source.as_ref()?.answer(Question::Program(pid), None))
    }
}

/// For `--by=user`.
pub struct NamedUsers {
    /// The users.
    pub identities: Identities,
    /// The names are those of this machine. A recording may be of another one.
    pub named: bool,
}

impl Users for NamedUsers {
    fn note(&mut self, event: &Event<'_>) {
        self.identities.note(event);
    }

    fn user(&self, tid: Tid) -> Option<u32> {
        self.identities.user(tid)
    }

    fn name(&self, user: u32) -> Option<String> {
        let known = self.named.then(|| nix::unistd::User::from_uid(user.into()).ok().flatten()).flatten();
        known.map(|user| user.name)
    }
}

fn kept<T: Clone>(answers: &RefCell<HashMap<Tid, Option<T>>>, tid: Tid, ask: impl FnOnce() -> Option<T>) -> Option<T> {
    if let Some(known) = answers.borrow().get(&tid) {
        return known.clone();
    }
    let answer = ask();
    let mut answers = answers.borrow_mut();
    if answers.len() < MOST {
        answers.insert(tid, answer.clone());
    }
    answer
}
