//! Recorded answers to questions about tracees: the files of descriptors, and names of processes.

use stride_event::{FdOf, Question, Tid};
use stride_syscalls::{Namespace, PidKind};

/// The answer to a question about a tracee. It holds until the same question gets another answer, or its thread ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The question. [`Question`] says which form its answer has.
    pub question: Question,
    /// Any bytes: names and paths are a tracee's. `None`: there was no answer.
    pub answer: Option<Vec<u8>>,
}

/// A question as a recording holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coded {
    pub code: u8,
    pub tid: Tid,
    /// The lower half is a descriptor, an interface, a family or an id. The upper half tells whether the call makes the descriptor, or which
    /// kind of id it is. An address and the flag of a namespace take all of it.
    pub number: i64,
}

/// The codes of the questions about descriptors.
fn about_fd(code: u8) -> Option<fn(FdOf) -> Question> {
    Some(match code {
        0 => Question::Link,
        1 => Question::Socket,
        2 => Question::Eventfd,
        3 => Question::Signalfd,
        4 => Question::Pidfd,
        5 => Question::Device,
        6 => Question::Terminal,
        7 => Question::PidfdProcess,
        8 => Question::Netlink,
        12 => Question::Ends,
        14 => Question::Watched,
        22 => Question::Unread,
        _ => return None,
    })
}

const INTERFACE: u8 = 9;
const COMM: u8 = 10;
const OUTER: u8 = 11;
const LOCK_HOLDER: u8 = 13;
const USER: u8 = 15;
const PROGRAM: u8 = 16;
const CONTAINER: u8 = 17;
const NAMESPACE: u8 = 18;
const NETWORK_MOUNTS: u8 = 19;
const COMMAND_LINE: u8 = 20;
const GENERIC_FAMILY: u8 = 21;
const DOING: u8 = 23;
const INTERPRETERS: u8 = 24;

const ID_KINDS: [PidKind; 4] = [PidKind::Tid, PidKind::Tgid, PidKind::Pgid, PidKind::Sid];

fn join(low: i32, high: u8) -> i64 {
    i64::from(low) + (i64::from(high) << 32)
}

fn split(number: i64) -> Option<(i32, u8)> {
    let low = number as i32;
    Some((low, u8::try_from(number.checked_sub(low.into())? >> 32).ok()?))
}

impl Coded {
    pub fn of(question: Question) -> Coded {
        let about = |code, of: FdOf| Coded { code, tid: of.tid, number: join(of.fd, of.made.into()) };
        match question {
            Question::Link(of) => about(0, of),
            Question::Socket(of) => about(1, of),
            Question::Eventfd(of) => about(2, of),
            Question::Signalfd(of) => about(3, of),
            Question::Pidfd(of) => about(4, of),
            Question::Device(of) => about(5, of),
            Question::Terminal(of) => about(6, of),
            Question::PidfdProcess(of) => about(7, of),
            Question::Netlink(of) => about(8, of),
            Question::Ends(of) => about(12, of),
            Question::Watched(of) => about(14, of),
            Question::Unread(of) => about(22, of),
            Question::Doing(tid) => Coded { code: DOING, tid, number: 0 },
            Question::Interface(index) => Coded { code: INTERFACE, tid: 0, number: index.into() },
            Question::GenericFamily(id) => Coded { code: GENERIC_FAMILY, tid: 0, number: id.into() },
            Question::Comm(tid) => Coded { code: COMM, tid, number: 0 },
            Question::Outer { tid, id, kind } => Coded { code: OUTER, tid, number: join(id, kind as u8) },
            Question::User(tid) => Coded { code: USER, tid, number: 0 },
            Question::Program(tid) => Coded { code: PROGRAM, tid, number: 0 },
            Question::CommandLine(tid) => Coded { code: COMMAND_LINE, tid, number: 0 },
            Question::Container(tid) => Coded { code: CONTAINER, tid, number: 0 },
            Question::NetworkMounts(tid) => Coded { code: NETWORK_MOUNTS, tid, number: 0 },
            Question::Interpreters(tid) => Coded { code: INTERPRETERS, tid, number: 0 },
            Question::Namespace { tid, kind } => Coded { code: NAMESPACE, tid, number: kind.flag as i64 },
            Question::LockHolder { tid, addr } => Coded { code: LOCK_HOLDER, tid, number: addr as i64 },
        }
    }

    /// `None` for what no question is written as.
    pub fn question(self) -> Option<Question> {
        let Coded { code, tid, number } = self;
        let question = match code {
            INTERFACE => Question::Interface(u32::try_from(number).ok()?),
            GENERIC_FAMILY => Question::GenericFamily(u16::try_from(number).ok()?),
            COMM => Question::Comm(tid),
            DOING => Question::Doing(tid),
            USER => Question::User(tid),
            PROGRAM => Question::Program(tid),
            COMMAND_LINE => Question::CommandLine(tid),
            CONTAINER => Question::Container(tid),
            NETWORK_MOUNTS => Question::NetworkMounts(tid),
            INTERPRETERS => Question::Interpreters(tid),
            OUTER => {
                let (id, kind) = split(number)?;
                Question::Outer { tid, id, kind: *ID_KINDS.get(usize::from(kind))? }
            }
            NAMESPACE => {
                let kind = Namespace::ALL.into_iter().find(|kind| kind.flag as i64 == number)?;
                Question::Namespace { tid, kind }
            }
            LOCK_HOLDER => Question::LockHolder { tid, addr: number as u64 },
            code => {
                let about = about_fd(code)?;
                let (fd, made) = split(number)?;
                about(FdOf { tid, fd, made: made == 1 })
            }
        };
        (Coded::of(question) == self).then_some(question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recordings that were made before hold these.
    #[test]
    fn codes_stay() {
        let of = FdOf { tid: 7, fd: 3, made: false };
        for (question, code, tid, number) in [
            (Question::Link(FdOf { fd: -100, ..of }), 0, 7, -100),
            (Question::Socket(FdOf { made: true, ..of }), 1, 7, 3 + (1 << 32)),
            (Question::Netlink(of), 8, 7, 3),
            (Question::Interface(2), 9, 0, 2),
            (Question::Comm(7), 10, 7, 0),
            (Question::Outer { tid: 7, id: 5, kind: PidKind::Sid }, 11, 7, 5 + (3 << 32)),
            (Question::Ends(of), 12, 7, 3),
            (Question::LockHolder { tid: 7, addr: u64::MAX }, 13, 7, -1),
            (Question::Watched(of), 14, 7, 3),
            (Question::User(7), 15, 7, 0),
            (Question::Program(7), 16, 7, 0),
            (Question::Container(7), 17, 7, 0),
            (Question::NetworkMounts(7), 19, 7, 0),
            (Question::GenericFamily(21), 21, 0, 21),
            (Question::CommandLine(7), 20, 7, 0),
            (Question::Unread(of), 22, 7, 3),
            (Question::Doing(7), 23, 7, 0),
            (Question::Interpreters(7), 24, 7, 0),
            (Question::Namespace { tid: 7, kind: Namespace::ALL[0] }, 18, 7, 0x0200_0000),
        ] {
            let coded = Coded { code, tid, number };
            assert_eq!((Coded::of(question), coded.question()), (coded, Some(question)));
        }
    }

    #[test]
    fn absurd_questions_are_none() {
        for (code, tid, number) in [
            (0, 7, 2 << 32),
            (0, 7, i64::MIN),
            (9, 0, -1),
            (9, 7, 1),
            (10, 7, 1),
            (11, 7, 4 << 32),
            (18, 7, 0),
            (20, 0, 1 << 16),
            (20, 7, 21),
        ] {
            assert_eq!(Coded { code, tid, number }.question(), None, "{code} {tid} {number}");
        }
    }
}
