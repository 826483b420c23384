//! Sources of answers: /proc, or recorded answers.

use crate::descriptors::{ends, fdinfo, link};
use crate::processes::last_event::ended;
use crate::processes::{contexts, doing, interpreters, lock, mounts, pidns};
use crate::sockets::families::Families;
use crate::sockets::{socket, unread};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::rc::Rc;
use stride_decode::{FdInfo, Labelled, TRACER};
use stride_engine_base::procfs;
use stride_event::{Descriptor, Event, FdOf, Question, Tid};
use stride_record::Fact;

/// Answers questions.
pub trait Source {
    /// `known` is the descriptor as the engine saw it, if the question is about one; or the file that the question is about.
    fn answer(&self, question: Question, known: Option<&Descriptor>) -> Option<Vec<u8>>;

    /// The whole SELinux context of something, now. Recordings do not have it.
    fn context(&self, _tid: Tid, _of: Labelled<'_>) -> Option<Vec<u8>> {
        None
    }

    /// The name that a thread had when it entered the call that has just returned.
    fn comm_at_entry(&self, tid: Tid) -> Option<Vec<u8>> {
        self.answer(Question::Comm(tid), None)
    }

    /// The referent of a descriptor, or that it has none, if earlier calls tell that. This goes before all answers.
    fn followed(&self, _of: FdOf) -> Option<Option<FdInfo>> {
        None
    }
}

/// Overwrites parts of answers.
type Cleaner = Box<dyn Fn(Question, &mut [u8])>;

/// /proc and the kernel's socket diagnostics, now.
pub struct LiveSource {
    clean: Option<Cleaner>,
    sockets: RefCell<socket::Sockets>,
    families: RefCell<Families>,
    namespaces: pidns::Translator,
    /// The inherited descriptors of a command that is started from here on.
    inherited: HashMap<i32, Vec<u8>>,
    /// The name of the command's thread.
    command: Option<Vec<u8>>,
    /// The thread that starts next, and its name.
    named: RefCell<Option<(Tid, [u8; 16])>>,
}

impl LiveSource {
    /// `command` is the program that will be started, if any.
    pub fn new(command: Option<&Path>) -> LiveSource {
        // The kernel names a thread after the program that it executes, and cuts the name.
        const TASK_COMM_LEN: usize = 16;
        let name = command.and_then(Path::file_name).map(OsStrExt::as_bytes);
        LiveSource {
            clean: None,
            sockets: RefCell::default(),
            families: RefCell::default(),
            namespaces: pidns::Translator::default(),
            inherited: link::inherited(),
            command: name.map(|name| name[..name.len().min(TASK_COMM_LEN - 1)].to_vec()),
            named: RefCell::default(),
        }
    }
}

impl LiveSource {
    /// Has `clean` overwrite what nobody is to know of the words with which processes were started.
    pub fn cleaned_by(self, clean: impl Fn(Question, &mut [u8]) + 'static) -> LiveSource {
        LiveSource { clean: Some(Box::new(clean)), ..self }
    }

    /// Notes the name of the thread that starts next, if the event reports it.
    pub fn note_name(&self, event: &Event<'_>) {
        match *event {
            Event::Named { tid, name } => _ = self.named.replace(Some((tid, name))),
            Event::Started { .. } => {}
            // The thread may have another name by now.
            _ => _ = self.named.take(),
        }
    }

    /// Notes the ids in PID namespaces that an event reports.
    pub fn note_ids(&self, event: &Event<'_>) {
        self.namespaces.note(event);
    }
}

impl Source for LiveSource {
    fn context(&self, tid: Tid, of: Labelled<'_>) -> Option<Vec<u8>> {
        contexts::read(tid, of)
    }

    fn answer(&self, question: Question, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        let inode = |of: FdOf| match known {
            Some(known) => link::socket_inode(&known.path),
            None => link::socket_inode(&link::read(of.tid, of.fd)?.path),
        };
        let text = match question {
            Question::Link(of) if of.tid == TRACER => return self.inherited.get(&of.fd).cloned(),
            Question::Link(of) => return link::read(of.tid, of.fd).map(|link| link.pack()),
            Question::Terminal(of) => return link::is_terminal(of.tid, of.fd).then(Vec::new),
            Question::Interface(index) => return self.sockets.borrow_mut().interface(index),
            Question::GenericFamily(id) => return self.families.borrow_mut().name(id),
            Question::Comm(TRACER) => return self.command.clone(),
            Question::Comm(tid) => {
                if let Some((named, name)) = *self.named.borrow()
                    && named == tid
                {
                    return name.split(|byte| *byte == 0).next().map(<[u8]>::to_vec);
                }
                let mut comm = std::fs::read(procfs::path(tid, "comm")).ok()?;
                comm.pop_if(|last| *last == b'\n');
                return Some(comm);
            }
            Question::Socket(of) => {
                let inode = inode(of)?;
                self.sockets.borrow_mut().describe(of.tid, of.fd, inode, known)
            }
            Question::Netlink(of) => {
                let inode = inode(of)?;
                self.sockets.borrow_mut().netlink_protocol(of.tid, of.fd, inode).map(|n| n.to_string())
            }
            Question::Eventfd(of) => fdinfo::eventfd(of.tid, of.fd, known),
            Question::Signalfd(of) => fdinfo::signalfd(of.tid, of.fd, known),
            Question::Pidfd(of) => fdinfo::pidfd(of.tid, of.fd, known),
            Question::PidfdProcess(of) => fdinfo::pid(of.tid, of.fd, known).map(|pid| pid.to_string()),
            Question::Outer { tid, id, kind } => {
                let outer = self.namespaces.outer(tid, id, kind)?;
                Some(outer.map(|id| id.to_string()).unwrap_or_default())
            }
            Question::Namespace { tid, kind } => {
                let namespace = std::fs::metadata(procfs::path(tid, &format!("ns/{}", kind.name)));
                namespace.ok().map(|namespace| namespace.ino().to_string())
            }
            Question::Device(of) => link::device(of.tid, of.fd, known),
            Question::Ends(of) => ends::others(of.tid, of.fd).map(|found| listed(&found)),
            Question::LockHolder { tid, addr } => lock::holder(tid, addr).map(|holder| holder.to_string()),
            Question::Unread(of) => unread::bytes(of.tid, of.fd).map(|(here, there)| format!("{here} {there}")),
            Question::Doing(pid) => doing::of(pid),
            Question::User(tid) => user(tid).map(|uid| uid.to_string()),
            Question::Program(tid) => {
                return std::fs::read_link(procfs::path(tid, "exe")).ok().map(|path| path.into_os_string().into_vec());
            }
            Question::CommandLine(tid) => {
                let mut line = command_line(tid)?;
                self.clean.iter().for_each(|clean| clean(question, &mut line));
                return Some(line);
            }
            // (Calls carry it.)
            Question::Container(_) => None,
            Question::NetworkMounts(tid) => mounts::network(tid),
            Question::Interpreters(tid) => return interpreters::of(tid, &known?.path),
            Question::Watched(of) => fdinfo::watched(of.tid, of.fd).map(|found| listed(&found)),
        };
        text.map(String::into_bytes)
    }
}

/// The beginning of a command line, which may be as long as megabytes.
fn command_line(tid: Tid) -> Option<Vec<u8>> {
    const MOST: u64 = 1 << 14;
    let mut line = Vec::new();
    File::open(procfs::path(tid, "cmdline")).ok()?.take(MOST).read_to_end(&mut line).ok()?;
    Some(line)
}

/// The effective user id.
fn user(tid: Tid) -> Option<u32> {
    let status = procfs::text(procfs::path(tid, "status"))?;
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_whitespace().nth(1)?.parse().ok()
}

fn listed(numbers: &[i32]) -> String {
    numbers.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
}

/// Answers by thread. The end of a thread removes its answers.
#[derive(Default)]
struct Answers {
    by_thread: HashMap<Tid, OfThread>,
    /// The approximate memory of all answers.
    size: usize,
}

type OfThread = HashMap<Question, Option<Vec<u8>>>;

/// Only a hostile recording reaches this size. No program has enough descriptors and threads.
const MAX_SIZE: usize = 256 << 20;
/// The approximate memory of a thread, and of an answer without its text.
const THREAD: usize = 256;
const ANSWER: usize = 128;

fn size(answer: &Option<Vec<u8>>) -> usize {
    ANSWER + answer.as_ref().map_or(0, Vec::len)
}

impl Answers {
    fn get(&self, question: Question) -> Option<&Option<Vec<u8>>> {
        self.by_thread.get(&question.tid())?.get(&question)
    }

    /// Returns whether the answer is new.
    fn set(&mut self, question: Question, answer: &Option<Vec<u8>>) -> bool {
        if self.size > MAX_SIZE {
            *self = Answers::default();
        }
        let of_thread = self.by_thread.entry(question.tid()).or_insert_with(|| {
            self.size += THREAD;
            OfThread::new()
        });
        match of_thread.get_mut(&question) {
            Some(known) if known == answer => return false,
            Some(known) => {
                self.size -= size(known);
                known.clone_from(answer);
            }
            None => _ = of_thread.insert(question, answer.clone()),
        }
        self.size += size(answer);
        true
    }

    fn forget(&mut self, tid: Tid) {
        if let Some(gone) = self.by_thread.remove(&tid) {
            self.size -= THREAD + gone.values().map(size).sum::<usize>();
        }
    }
}

/// Answers as a live source does, and notes new answers.
pub struct RecordingSource {
    live: Rc<dyn Source>,
    known: RefCell<Answers>,
    new_facts: RefCell<Vec<Fact>>,
}

impl RecordingSource {
    pub fn new(live: Rc<dyn Source>) -> RecordingSource {
        RecordingSource { live, known: RefCell::default(), new_facts: RefCell::default() }
    }

    /// The answers since the last call that differ from earlier ones.
    pub fn take_new_facts(&self) -> Vec<Fact> {
        self.new_facts.take()
    }

    /// The answer that a reader of the recording has.
    pub fn known(&self, question: Question) -> Option<Vec<u8>> {
        self.known.borrow().get(question).cloned().flatten()
    }

    /// All answers that a reader has.
    pub fn all(&self) -> Vec<Fact> {
        let known = self.known.borrow();
        let answers = known.by_thread.values().flatten();
        let fact = |(question, answer): (&Question, &Option<Vec<u8>>)| {
            answer.as_ref().map(|answer| Fact { question: *question, answer: Some(answer.clone()) })
        };
        answers.filter_map(fact).collect()
    }

    /// Notes an answer that is about to be written for the reader.
    pub fn note(&self, fact: &Fact) {
        self.known.borrow_mut().set(fact.question, &fact.answer);
    }

    /// The answer is not written after all.
    pub fn withdraw(&self, question: Question) {
        self.known.borrow_mut().set(question, &None);
    }

    fn noted(&self, question: Question, answer: Option<Vec<u8>>) -> Option<Vec<u8>> {
        if self.known.borrow_mut().set(question, &answer) {
            self.new_facts.borrow_mut().push(Fact { question, answer: answer.clone() });
        }
        answer
    }

    /// Processes an event after it has been shown.
    pub fn event(&self, event: &Event<'_>) {
        if let Some(tid) = ended(event) {
            self.known.borrow_mut().forget(tid);
        }
    }
}

impl Source for RecordingSource {
    fn answer(&self, question: Question, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        self.noted(question, self.live.answer(question, known))
    }

    /// A reader of the recording gets the answer in place of the name that the thread has now, for the line of this call.
    fn comm_at_entry(&self, tid: Tid) -> Option<Vec<u8>> {
        self.noted(Question::Comm(tid), self.live.comm_at_entry(tid))
    }
}

/// Answers with the noted answer, as a replay will. Without one, asks and notes.
pub struct CachedSource(pub Rc<RecordingSource>);

impl Source for CachedSource {
    fn context(&self, tid: Tid, of: Labelled<'_>) -> Option<Vec<u8>> {
        self.0.live.context(tid, of)
    }

    fn answer(&self, question: Question, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        let noted = self.0.known.borrow().get(question).cloned();
        noted.unwrap_or_else(|| self.0.answer(question, known))
    }
}

type FactListener = Box<dyn Fn(&Fact)>;

/// Answers with recorded facts.
#[derive(Default)]
pub struct ReplaySource {
    clean: RefCell<Option<Cleaner>>,
    answers: RefCell<Answers>,
    /// They are told each fact.
    listeners: RefCell<Vec<FactListener>>,
    /// The recording was read to its end, and does not break off.
    whole: Cell<bool>,
}

impl ReplaySource {
    /// Has `clean` overwrite what nobody is to know of the facts from here on.
    pub fn clean_with(&self, clean: impl Fn(Question, &mut [u8]) + 'static) {
        self.clean.replace(Some(Box::new(clean)));
    }

    pub fn set(&self, mut fact: Fact) {
        if let (Some(clean), Some(answer)) = (&*self.clean.borrow(), &mut fact.answer) {
            clean(fact.question, answer);
        }
        self.listeners.borrow().iter().for_each(|listener| listener(&fact));
        self.answers.borrow_mut().set(fact.question, &fact.answer);
    }

    /// The recording has been read to its end.
    pub fn ends(&self) {
        self.whole.set(true);
    }

    /// True if nothing of the recording is missing at its end.
    pub fn is_whole(&self) -> bool {
        self.whole.get()
    }

    /// Tells `listener` each fact from here on.
    pub fn tell(&self, listener: impl Fn(&Fact) + 'static) {
        self.listeners.borrow_mut().push(Box::new(listener));
    }

    /// Removes the answers about a thread that is gone, after its end has been shown.
    pub fn forget(&self, tid: Tid) {
        self.answers.borrow_mut().forget(tid);
    }
}

impl Source for ReplaySource {
    fn answer(&self, question: Question, _known: Option<&Descriptor>) -> Option<Vec<u8>> {
        self.answers.borrow().get(question)?.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(tid: Tid, fd: i32) -> Question {
        Question::Link(FdOf { tid, fd, made: false })
    }

    #[test]
    fn answers_hold_until_there_are_others_or_the_thread_is_gone() {
        let recorded = ReplaySource::default();
        let set = |tid, fd, answer: Option<&[u8]>| {
            recorded.set(Fact { question: question(tid, fd), answer: answer.map(<[u8]>::to_vec) });
        };
        set(1, 3, Some(b"a"));
        set(2, 3, Some(b"b"));
        assert_eq!(recorded.answer(question(1, 3), None).as_deref(), Some(&b"a"[..]));
        set(1, 3, Some(b"c"));
        assert_eq!(recorded.answer(question(1, 3), None).as_deref(), Some(&b"c"[..]));
        set(1, 3, None);
        assert_eq!(recorded.answer(question(1, 3), None), None);
        recorded.forget(2);
        assert_eq!(recorded.answer(question(2, 3), None), None);
    }

    #[test]
    fn only_news_is_noted() {
        let (noting, me) = (Rc::new(RecordingSource::new(Rc::new(LiveSource::new(None)))), std::process::id() as Tid);
        let answer = noting.answer(question(me, -100), None);
        assert!(answer.is_some());
        assert_eq!(noting.take_new_facts(), [Fact { question: question(me, -100), answer: answer.clone() }]);
        assert_eq!(noting.answer(question(me, -100), None), answer);
        assert_eq!(CachedSource(noting.clone()).answer(question(me, -100), None), answer);
        assert_eq!(noting.take_new_facts(), []);
        noting.event(&Event::Exited { tid: me, status: 0, at: 0 });
        noting.answer(question(me, -100), None);
        assert_eq!(noting.take_new_facts().len(), 1);
    }

    #[test]
    fn answers_of_endless_threads_are_not_kept() {
        let recorded = ReplaySource::default();
        let mut most = 0;
        for tid in 0..1_000_000 {
            recorded.set(Fact { question: question(tid, 3), answer: Some(b"a".to_vec()) });
            most = most.max(recorded.answers.borrow().by_thread.len());
        }
        assert!((500_000..800_000).contains(&most), "{most}");
    }

    #[test]
    fn endless_answers_are_not_kept() {
        let recorded = ReplaySource::default();
        for fd in 0..600 {
            recorded.set(Fact { question: question(1, fd), answer: Some(vec![0; 1 << 20]) });
            assert!(recorded.answers.borrow().size <= MAX_SIZE + (2 << 20));
        }
    }
}
