//! The beginning of a recording in the middle of a run: the state of that moment, as if Stride had attached then.

use super::asking::Asking;
use std::collections::HashSet;
use stride_decode::TRACER;
use stride_event::{Event, FdOf, Ns, Question, StartKind};
use stride_proc::{SOME_SOCKET, link_answer};
use stride_record::Fact;
use stride_track::{ObjectId, ObjectKind, Tracker};

/// The facts and the threads of this moment.
pub struct Beginning {
    pub facts: Vec<Fact>,
    pub threads: Vec<Event<'static>>,
}

impl Beginning {
    /// `room`: the bytes that the beginning may take before compression. What descriptors refer to goes first if that is too little.
    pub fn now(tracker: &Tracker, asking: &Asking, at: Ns, room: usize) -> Beginning {
        let live = tracker.live_threads();
        // With -Y and -y, each event came with the answers that are needed to show it. Otherwise the calls tell.
        if !asking.tells_names() {
            for thread in live.iter().filter(|thread| !thread.comm.is_empty()) {
                asking.note(Question::Comm(thread.tid), Some(thread.comm.clone()));
            }
        }
        let followed = !asking.tells_descriptors() && tracker.follows_descriptors();
        let retracted = if followed { descriptors(tracker, asking) } else { Vec::new() };
        for process in tracker.live_processes().filter_map(|pid| tracker.process(pid)) {
            if let Some(program) = process.program {
                asking.note(Question::Program(process.pid), Some(tracker.name(program).to_vec()));
            }
            let command: Vec<u8> = process.command.iter().flat_map(|word| word.iter().copied().chain([0])).collect();
            if !command.is_empty() {
                asking.note(Question::CommandLine(process.pid), Some(command));
            }
        }
        let mut facts = asking.noting().all();
        facts.sort_by_key(|fact| rank(fact.question));
        let mut left = room;
        let exceeds = |fact: &Fact| {
            left = left.saturating_sub(24 + fact.answer.as_ref().map_or(0, Vec::len));
            left == 0
        };
        let kept = facts.iter().position(exceeds).unwrap_or(facts.len());
        for fact in facts.split_off(kept) {
            asking.noting().withdraw(fact.question);
        }
        facts.extend(retracted);
        let threads = live
            .iter()
            .map(|thread| Event::Started { tid: thread.tid, process: thread.pid, origin: StartKind::Attached, at })
            .collect();
        Beginning { facts, threads }
    }
}

/// The most important answers come first.
fn rank(question: Question) -> u8 {
    match question {
        Question::Comm(_) | Question::Program(_) | Question::User(_) => 0,
        Question::CommandLine(_) => 1,
        Question::Link(of) if of.fd < 0 || of.tid == TRACER => 0,
        Question::Link(_) | Question::Socket(_) => 2,
        _ => 1,
    }
}

/// Tells what the followed descriptors refer to now. Returns the answers that hold no longer.
fn descriptors(tracker: &Tracker, asking: &Asking) -> Vec<Fact> {
    let mut answered = HashSet::new();
    for pid in tracker.live_processes() {
        for (fd, object) in tracker.open_descriptors(pid) {
            let of = FdOf { tid: pid, fd, made: false };
            for (question, answer) in answers(tracker, of, object) {
                answered.insert(question);
                asking.note(question, Some(answer));
            }
        }
    }
    let holds_no_longer = |fact: &Fact| match fact.question {
        Question::Link(of) | Question::Socket(of) => of.tid != TRACER && !answered.contains(&fact.question),
        _ => false,
    };
    let mut old: Vec<Fact> = asking.noting().all().into_iter().filter(holds_no_longer).collect();
    for fact in &mut old {
        fact.answer = None;
        asking.noting().note(fact);
    }
    old
}

/// The answers that let a tracker give the object the same name again.
fn answers(tracker: &Tracker, of: FdOf, object: ObjectId) -> Vec<(Question, Vec<u8>)> {
    let name = tracker.name(object);
    match tracker.kind(object) {
        ObjectKind::Socket => {
            vec![(Question::Link(of), link_answer(SOME_SOCKET)), (Question::Socket(of), name.to_vec())]
        }
        ObjectKind::Path | ObjectKind::Pipe | ObjectKind::Anonymous => vec![(Question::Link(of), link_answer(name))],
        ObjectKind::Others => Vec::new(),
    }
}
