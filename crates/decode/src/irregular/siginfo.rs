//! `siginfo_t` (sigaction(2), asm-generic/siginfo.h). The signal and `si_code`, which tells the sender, decide which
//! members of its union are valid.

use crate::cx::{le, signed};
use crate::{Cx, Member, PidNote, Tail, Value, generic};
use bumpalo::Bump;
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::sets::signal as sets;
use stride_syscalls::{Abi, Dir, PidKind, Set, Ty, table, uapi::consts as c};

/// `sizeof(siginfo_t)`, the same on every ABI.
const SIZE: usize = 128;

/// The `siginfo_t` behind an argument.
pub fn held<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64) -> Value<'a> {
    let dir = if let Ty::Ptr(dir, _) = *shape { dir } else { Dir::In };
    if addr == 0 || !cx.verbose || !cx.filled(dir) {
        return Value::Addr(addr);
    }
    inline(cx, Phase::of(dir), addr).unwrap_or(Value::Addr(addr))
}

/// A `siginfo_t` in captured memory.
pub fn inline<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let info = cx.read(phase, addr, SIZE)?;
    Some(decode(cx.arena, info, cx.abi(), &|id, kind| cx.pid_note(id, kind), &|fd| generic::fd(cx, fd)))
}

/// Decodes the bytes of a whole `siginfo_t`.
pub fn decode<'a>(
    arena: &'a Bump,
    info: &[u8],
    abi: Abi,
    pid_note: &dyn Fn(i32, PidKind) -> PidNote<'a>,
    fd: &dyn Fn(i32) -> Value<'a>,
) -> Value<'a> {
    let mut info = Info { info, abi, members: Vec::with_capacity_in(8, arena), arena, pid_note, fd };
    info.all();
    Value::Struct(info.members.into_bump_slice(), Tail::End)
}

struct Info<'a, 'i> {
    info: &'i [u8],
    abi: Abi,
    members: Vec<'a, Member<'a>>,
    arena: &'a Bump,
    pid_note: &'i dyn Fn(i32, PidKind) -> PidNote<'a>,
    fd: &'i dyn Fn(i32) -> Value<'a>,
}

impl<'a> Info<'a, '_> {
    fn push(&mut self, name: &'static str, value: Value<'a>) {
        self.members.push(Member { name, value });
    }

    /// The offset of the union, which is aligned for pointers.
    fn fields(&self) -> usize {
        12usize.next_multiple_of(self.abi.word())
    }

    /// A number at this offset in the union.
    fn uint(&self, at: usize, width: usize) -> u64 {
        le(self.info, self.fields() + at, width)
    }

    fn int(&self, at: usize) -> i32 {
        self.uint(at, 4) as i32
    }

    fn word(&self, at: usize) -> u64 {
        self.uint(at, self.abi.word())
    }

    fn all(&mut self) {
        let signo = le(self.info, 0, 4) as i32;
        if signo == 0 {
            return;
        }
        let errno = le(self.info, 4, 4) as i32;
        let code = le(self.info, 8, 4);
        self.push("si_signo", Value::Signal(signo));
        self.push("si_code", Value::Enum { raw: code, set: code_set(signo as u64, code as i32) });
        if errno != 0 {
            self.push("si_errno", if errno > 0 { Value::Errno(errno) } else { Value::UInt(errno as u32 as u64) });
        }
        match code as i32 as u64 {
            c::SI_USER | c::SI_TKILL => self.sender(),
            c::SI_TIMER => {
                let id = self.uint(0, 4);
                self.push("si_timerid", Value::Hex(id));
                let overrun = self.int(4);
                self.push("si_overrun", Value::Int(overrun.into()));
                self.sigval(8);
            }
            c::SI_SIGIO => self.io(),
            code if (code as i64) < 0 => {
                self.sender();
                self.sent_value();
            }
            code => self.sent_by_kernel(signo as u64, code),
        }
    }

    /// Codes above zero come from the kernel. Their meaning depends on the signal.
    fn sent_by_kernel(&mut self, signo: u64, code: u64) {
        match signo {
            c::SIGCHLD => {
                self.sender();
                let status = self.int(8);
                let exited = code == c::CLD_EXITED;
                self.push("si_status", if exited { Value::Int(status.into()) } else { Value::Signal(status) });
                // `clock_t` is a word of the ABI.
                let word = self.abi.word();
                let at = 12usize.next_multiple_of(word);
                let ticks = [self.word(at), self.word(at + word)];
                self.push("si_utime", Value::Ticks(ticks[0]));
                self.push("si_stime", Value::Ticks(ticks[1]));
            }
            c::SIGILL | c::SIGFPE | c::SIGSEGV | c::SIGBUS | c::SIGTRAP => self.fault(signo, code),
            c::SIGIO if sets::POLL_CODE.name_of(code).is_some() => self.io(),
            c::SIGIO => {}
            c::SIGSYS => {
                let word = self.abi.word();
                let (addr, nr, arch) = (self.word(0), self.int(word), self.uint(word + 4, 4));
                self.push("si_call_addr", Value::Addr(addr));
                self.push("si_syscall", self.syscall(nr, arch as u32));
                self.push("si_arch", Value::Enum { raw: arch, set: &sets::AUDIT_ARCH });
            }
            _ => {
                if self.uint(0, 8) != 0 {
                    self.sender();
                }
                self.sent_value();
            }
        }
    }

    fn fault(&mut self, signo: u64, code: u64) {
        let word = self.abi.word();
        let addr = self.word(0);
        self.push("si_addr", Value::Addr(addr));
        match (signo, code) {
            (c::SIGBUS, c::BUS_MCEERR_AR | c::BUS_MCEERR_AO) => {
                let lsb = self.uint(word, 2);
                self.push("si_addr_lsb", Value::Hex(lsb));
            }
            (c::SIGSEGV, c::SEGV_BNDERR) => {
                let (lower, upper) = (self.word(2 * word), self.word(3 * word));
                self.push("si_lower", Value::Addr(lower));
                self.push("si_upper", Value::Addr(upper));
            }
            (c::SIGSEGV, c::SEGV_PKUERR) => {
                let pkey = self.uint(2 * word, 4);
                self.push("si_pkey", Value::UInt(pkey));
            }
            _ => {}
        }
    }

    fn sender(&mut self) {
        let id = self.int(0);
        let note = (self.pid_note)(id, PidKind::Tgid);
        self.push("si_pid", Value::Pid { id, kind: PidKind::Tgid, note });
        let uid = self.uint(4, 4) as u32;
        self.push("si_uid", if uid == u32::MAX { Value::Int(-1) } else { Value::UInt(uid.into()) });
    }

    fn io(&mut self) {
        let word = self.abi.word();
        let (band, fd) = (signed(self.word(0), word), self.int(word));
        self.push("si_band", Value::Int(band));
        self.push("si_fd", (self.fd)(fd));
    }

    /// The value that was sent with the signal, if there is one.
    fn sent_value(&mut self) {
        if self.word(8) != 0 {
            self.sigval(8);
        }
    }

    fn sigval(&mut self, at: usize) {
        let (int, ptr) = (self.int(at), self.word(at));
        self.push("si_int", Value::Int(int.into()));
        self.push("si_ptr", Value::Addr(ptr));
    }

    /// The number and name of the call that seccomp rejected.
    fn syscall(&self, nr: i32, arch: u32) -> Value<'a> {
        let name = Abi::from_audit_arch(arch).and_then(|abi| table(abi).shown(nr as u32 as u64)).map(|row| row.name);
        let number = Value::UInt(u64::from(nr as u32));
        match name {
            Some(name) => {
                let name = Value::Word(self.arena.alloc_str(&["__NR_", name].concat()));
                Value::Known(self.arena.alloc(number), self.arena.alloc(name))
            }
            None => number,
        }
    }
}

/// The names of `si_code` for this signal.
fn code_set(signo: u64, code: i32) -> &'static Set {
    let own = match signo {
        c::SIGILL => &sets::ILL_CODE,
        c::SIGFPE => &sets::FPE_CODE,
        c::SIGSEGV => &sets::SEGV_CODE,
        c::SIGBUS => &sets::BUS_CODE,
        c::SIGTRAP => &sets::TRAP_CODE,
        c::SIGCHLD => &sets::CLD_CODE,
        c::SIGIO => &sets::POLL_CODE,
        c::SIGSYS => &sets::SYS_CODE,
        _ => &sets::SI_CODE,
    };
    // Codes above zero belong to the signal. Only `SI_KERNEL` is valid for any signal.
    if code > 0 && code as u64 != c::SI_KERNEL { own } else { &sets::SI_CODE }
}
