//! Who answers questions about the world: /proc, or a recording of what it answered.

use crate::{fdinfo, link, socket};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use stride_event::{Event, Tid};
use stride_record::{Asked, Fact, Question};

/// Answers questions.
pub trait Source {
    fn answer(&self, question: Question) -> Option<Vec<u8>>;
}

/// /proc and the kernel's socket diagnostics, now.
#[derive(Default)]
pub struct Live {
    sockets: RefCell<socket::Sockets>,
}

impl Source for Live {
    fn answer(&self, Question { asked, tid, number }: Question) -> Option<Vec<u8>> {
        let fd = number as i32;
        let inode = || link::socket_inode(&link::read(tid, fd)?.path);
        let text = match asked {
            Asked::Link => return link::read(tid, fd).map(|link| link.pack()),
            Asked::Terminal => return link::is_terminal(tid, fd).then(Vec::new),
            Asked::Interface => return self.sockets.borrow_mut().interface(number as u32),
            Asked::Comm => {
                let mut comm = std::fs::read(format!("/proc/{number}/comm")).ok()?;
                comm.pop_if(|last| *last == b'\n');
                return Some(comm);
            }
            Asked::Socket => inode().and_then(|inode| self.sockets.borrow_mut().describe(tid, fd, inode)),
            Asked::Netlink => {
                let inode = inode()?;
                self.sockets.borrow_mut().netlink_protocol(tid, inode).map(|n| n.to_string())
            }
            Asked::Eventfd => fdinfo::eventfd(tid, fd),
            Asked::Signalfd => fdinfo::signalfd(tid, fd),
            Asked::Pidfd => fdinfo::pidfd(tid, fd),
            Asked::PidfdProcess => fdinfo::pid(tid, fd).map(|pid| pid.to_string()),
            Asked::Device => link::device(tid, fd),
        };
        text.map(String::into_bytes)
    }
}

/// Answers by thread: those about a thread end with it.
#[derive(Default)]
struct Answers(HashMap<Tid, HashMap<(Asked, i64), Option<Vec<u8>>>>);

impl Answers {
    fn get(&self, question: Question) -> Option<&Option<Vec<u8>>> {
        self.0.get(&question.tid)?.get(&(question.asked, question.number))
    }

    /// Whether this is news.
    fn set(&mut self, Question { asked, tid, number }: Question, answer: &Option<Vec<u8>>) -> bool {
        let of_thread = self.0.entry(tid).or_default();
        match of_thread.get_mut(&(asked, number)) {
            Some(known) if known == answer => return false,
            Some(known) => known.clone_from(answer),
            None => _ = of_thread.insert((asked, number), answer.clone()),
        }
        true
    }

    fn forget(&mut self, tid: Tid) {
        self.0.remove(&tid);
    }
}

/// The thread that this event is the last of.
pub fn ended(event: &Event<'_>) -> Option<Tid> {
    match *event {
        Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. } => Some(tid),
        Event::Superseded { old, .. } => Some(old),
        _ => None,
    }
}

/// Answers from /proc, and takes note of what is new.
#[derive(Default)]
pub struct Noting {
    live: Live,
    known: RefCell<Answers>,
    news: RefCell<Vec<Fact>>,
}

impl Noting {
    /// What was answered since last asked and is not what was answered before.
    pub fn take_news(&self) -> Vec<Fact> {
        self.news.take()
    }

    /// Takes note of an event that has been shown.
    pub fn event(&self, event: &Event<'_>) {
        if let Some(tid) = ended(event) {
            self.known.borrow_mut().forget(tid);
        }
    }
}

impl Source for Noting {
    fn answer(&self, question: Question) -> Option<Vec<u8>> {
        let answer = self.live.answer(question);
        if self.known.borrow_mut().set(question, &answer) {
            self.news.borrow_mut().push(Fact { question, answer: answer.clone() });
        }
        answer
    }
}

/// Answers what was noted, which is what a replay will answer; else asks and notes.
pub struct Noted(pub Rc<Noting>);

impl Source for Noted {
    fn answer(&self, question: Question) -> Option<Vec<u8>> {
        let known = self.0.known.borrow().get(question).cloned();
        known.unwrap_or_else(|| self.0.answer(question))
    }
}

/// Answers what it was told.
#[derive(Default)]
pub struct Told(RefCell<Answers>);

impl Told {
    pub fn tell(&self, fact: Fact) {
        self.0.borrow_mut().set(fact.question, &fact.answer);
    }

    /// The thread is gone, and its end has been shown.
    pub fn forget(&self, tid: Tid) {
        self.0.borrow_mut().forget(tid);
    }
}

impl Source for Told {
    fn answer(&self, question: Question) -> Option<Vec<u8>> {
        self.0.borrow().get(question)?.clone()
    }
}
