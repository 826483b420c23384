//! Multiplexed calls of i386. socketcall(2) and ipc(2) make one of many calls: the number in the first argument says
//! which one, the target. The first select(2) and mmap(2) have their arguments in memory. Engines report the target. If
//! its arguments cannot be read, or the number is unknown, the multiplexed call itself is reported.
//!
//! Some targets have no number of their own on i386. They have numbers here that the kernel does not give to calls.

/// Calls without a number of their own.
pub const NUMBERS: &[(u32, &str)] = &[
    (ACCEPT, "accept"),
    (SEND, "send"),
    (RECV, "recv"),
    (SEMOP, "semop"),
    (SEMTIMEDOP, "semtimedop"),
    (SELECT, "select"),
    (MMAP, "mmap"),
];

const ACCEPT: u32 = 1000;
const SEND: u32 = 1001;
const RECV: u32 = 1002;
const SEMOP: u32 = 1003;
const SEMTIMEDOP: u32 = 1004;
const SELECT: u32 = 1005;
const MMAP: u32 = 1006;

/// The numbers of the multiplexed calls.
pub const SOCKETCALL: u32 = 102;
/// ipc(2): System V IPC.
pub const IPC: u32 = 117;
/// The first select(2), whose arguments lie in memory.
pub const OLD_SELECT: u32 = 82;
/// The first mmap(2), whose arguments lie in memory.
pub const OLD_MMAP: u32 = 90;

/// The source of the arguments of targets.
pub const NOWHERE: u8 = 0;
/// The position behind which words of memory are counted. Positions before it are those of arguments, the first of
/// which is the number.
pub const MEMORY: u8 = 8;

/// The call that a multiplexed call makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiplexTarget {
    /// The number of the call.
    pub nr: u32,
    /// The source of each argument: [`NOWHERE`], the position of an argument, or [`MEMORY`] and the number of a
    /// word.
    pub from: [u8; 6],
    /// The argument that holds the address of words in memory, and the number of these words.
    pub pointer: u8,
    /// The number of words.
    pub words: u8,
}

const UNKNOWN: MultiplexTarget = MultiplexTarget { nr: 0, from: [NOWHERE; 6], pointer: 0, words: 0 };

const fn socket(nr: u32, words: u8) -> MultiplexTarget {
    in_memory(nr, 1, words)
}

/// A call whose arguments all lie in memory.
const fn in_memory(nr: u32, pointer: u8, words: u8) -> MultiplexTarget {
    let mut from = [NOWHERE; 6];
    let mut i = 0;
    while i < words as usize {
        from[i] = MEMORY + i as u8;
        i += 1;
    }
    MultiplexTarget { nr, from, pointer, words }
}

/// By the number that socketcall(2) takes (linux/net.h).
const SOCKET: &[MultiplexTarget] = &[
    UNKNOWN,
    socket(359, 3),
    socket(361, 3),
    socket(362, 3),
    socket(363, 2),
    socket(ACCEPT, 3),
    socket(367, 3),
    socket(368, 3),
    socket(360, 4),
    socket(SEND, 4),
    socket(RECV, 4),
    socket(369, 6),
    socket(371, 6),
    socket(373, 2),
    socket(366, 5),
    socket(365, 5),
    socket(370, 3),
    socket(372, 3),
    socket(364, 4),
    socket(337, 5),
    socket(345, 4),
];

/// ipc(call, first, second, third, ptr, fifth).
const FIRST: u8 = 1;
const SECOND: u8 = 2;
const THIRD: u8 = 3;
const PTR: u8 = 4;
const FIFTH: u8 = 5;

const fn ipc(nr: u32, from: &[u8]) -> MultiplexTarget {
    let mut target = MultiplexTarget { nr, pointer: PTR, ..UNKNOWN };
    let mut i = 0;
    while i < from.len() {
        target.from[i] = from[i];
        if from[i] >= MEMORY && target.words <= from[i] - MEMORY {
            target.words = from[i] - MEMORY + 1;
        }
        i += 1;
    }
    target
}

/// By the number that ipc(2) takes (linux/ipc.h).
const IPC_CALLS: &[(u32, MultiplexTarget)] = &[
    (1, ipc(SEMOP, &[FIRST, PTR, SECOND])),
    (2, ipc(393, &[FIRST, SECOND, THIRD])),
    (3, ipc(394, &[FIRST, SECOND, THIRD, MEMORY])),
    (4, ipc(SEMTIMEDOP, &[FIRST, PTR, SECOND, FIFTH])),
    (11, ipc(400, &[FIRST, PTR, SECOND, THIRD])),
    (12, MSGRCV),
    (13, ipc(399, &[FIRST, SECOND])),
    (14, ipc(402, &[FIRST, SECOND, PTR])),
    (21, ipc(397, &[FIRST, PTR, SECOND])),
    (22, ipc(398, &[PTR])),
    (23, ipc(395, &[FIRST, SECOND, THIRD])),
    (24, ipc(396, &[FIRST, SECOND, PTR])),
];
/// The first version of msgrcv has two of its arguments in memory.
const MSGRCV: MultiplexTarget = ipc(401, &[FIRST, MEMORY, SECOND, MEMORY + 1, THIRD]);
const MSGRCV_AGAIN: MultiplexTarget = ipc(401, &[FIRST, PTR, SECOND, FIFTH, THIRD]);

/// The target of a call of i386 with this number and this first argument, if it is multiplexed.
pub fn target(nr: u64, first: u64) -> Option<MultiplexTarget> {
    if nr == u64::from(SOCKETCALL) {
        return SOCKET.get(usize::try_from(first).ok()?).copied().filter(|target| target.nr != 0);
    }
    match u32::try_from(nr).ok()? {
        OLD_SELECT => return Some(in_memory(SELECT, 0, 5)),
        OLD_MMAP => return Some(in_memory(MMAP, 0, 6)),
        IPC => {}
        _ => return None,
    }
    let (call, version) = (first & 0xffff, first >> 16 & 0xffff);
    let (_, target) = IPC_CALLS.iter().find(|(number, _)| u64::from(*number) == call)?;
    Some(if *target == MSGRCV && version != 0 { MSGRCV_AGAIN } else { *target })
}

/// All targets, each with the number and the first argument of its multiplexed call. ipc's newer version stands for
/// itself.
pub fn all() -> impl Iterator<Item = (u32, u32, MultiplexTarget)> {
    let sockets = (0..).zip(SOCKET).filter(|(_, target)| target.nr != 0).map(|(n, target)| (SOCKETCALL, n, *target));
    let ipc = [0, 1].into_iter().flat_map(|version| IPC_CALLS.iter().map(move |(n, _)| version << 16 | n));
    let ipc = ipc.filter_map(|first| Some((IPC, first, target(IPC.into(), first.into())?)));
    let alone = [OLD_SELECT, OLD_MMAP].into_iter().filter_map(|nr| Some((nr, 0, target(nr.into(), 0)?)));
    sockets.chain(ipc).chain(alone)
}

/// The number of the multiplexed call that may make the call of this number.
pub fn multiplexer(nr: u32) -> Option<u32> {
    match nr {
        SELECT => return Some(OLD_SELECT),
        MMAP => return Some(OLD_MMAP),
        _ => {}
    }
    if SOCKET.iter().any(|target| target.nr == nr) {
        return Some(SOCKETCALL);
    }
    IPC_CALLS.iter().any(|(_, target)| target.nr == nr).then_some(IPC)
}

impl MultiplexTarget {
    /// The arguments of the call, from those of the multiplexed call. `read` reads words of memory.
    pub fn args(&self, args: &[u64; 6], read: impl FnOnce(u64, &mut [u32]) -> bool) -> Option<[u64; 6]> {
        let mut words = [0; 6];
        let words = &mut words[..self.words.into()];
        if !words.is_empty() && !read(args[usize::from(self.pointer)], words) {
            return None;
        }
        Some(self.from.map(|from| match from {
            NOWHERE => 0,
            from if from < MEMORY => args[usize::from(from)],
            from => words[usize::from(from - MEMORY)].into(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Abi, table};

    /// Every target has a row with as many arguments.
    #[test]
    fn all_have_rows() {
        let sockets = SOCKET.iter().filter(|target| target.nr != 0);
        for target in sockets.chain(IPC_CALLS.iter().map(|(_, target)| target)).chain([&MSGRCV_AGAIN]) {
            let row = table(Abi::I386).get(target.nr.into()).expect("a row").row;
            let given = target.from.iter().filter(|&&from| from != NOWHERE).count();
            assert_eq!(row.args.len(), given, "{}", row.name);
        }
        let name = |nr, first| table(Abi::I386).name(target(nr, first).unwrap().nr.into());
        assert_eq!([(102, 1), (102, 5), (102, 20)].map(|(nr, n)| name(nr, n)), ["socket", "accept", "sendmmsg"]);
        assert_eq!([(117, 1), (117, 12), (117, 0x1_000c)].map(|(nr, n)| name(nr, n)), ["semop", "msgrcv", "msgrcv"]);
        assert_eq!([(82, 0), (90, 0)].map(|(nr, n)| name(nr, n)), ["select", "mmap"]);
        assert_eq!([target(102, 0), target(102, 21), target(117, 5), target(102, u64::MAX)], [None; 4]);
        assert_eq!((multiplexer(363), multiplexer(1003), multiplexer(4)), (Some(102), Some(117), None));
    }

    #[test]
    fn arguments() {
        let args = [3, 10, 11, 12, 0x1000, 14];
        let read = |at: u64, words: &mut [u32]| {
            words.iter_mut().enumerate().for_each(|(i, word)| *word = at as u32 + i as u32);
            true
        };
        assert_eq!(target(117, 3).unwrap().args(&args, read), Some([10, 11, 12, 0x1000, 0, 0]));
        assert_eq!(target(117, 3).unwrap().args(&args, |_, _| false), None);
        assert_eq!(target(117, 1).unwrap().args(&args, |_, _| false), Some([10, 0x1000, 11, 0, 0, 0]));
        assert_eq!(target(102, 4).unwrap().args(&args, read), Some([10, 11, 0, 0, 0, 0]));
    }
}
