//! Children: wait(2), clone's flags, clone3's results, and descriptors of other processes.

use crate::{Cx, Member, Siblings, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::sets::process::CLONE;
use stride_syscalls::structs::process::CLONE_ARGS;
use stride_syscalls::{Len, Namespace, PidKind, Ret, Ty, plan, uapi::consts as c};

/// wait4(2) returns 0 if no child had changed. Then nothing was written.
pub fn reaped<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64, siblings: Siblings) -> Value<'a> {
    if cx.ret() == Some(0) { Value::Addr(raw) } else { generic::held(cx, shape, raw, siblings) }
}

/// waitid(2)'s id. Its kind depends on the type.
pub fn wait_id<'a>(cx: &Cx<'a>, raw: u64, siblings: Siblings) -> Value<'a> {
    let ty = match cx.arg("idtype") as u32 as u64 {
        c::P_PID => Ty::Pid(PidKind::Tgid),
        c::P_PGID => Ty::Pid(PidKind::Pgid),
        c::P_PIDFD => Ty::Fd,
        _ => Ty::Int,
    };
    generic::held(cx, &ty, raw, siblings)
}

/// The signal in clone(2)'s flags.
const CSIGNAL: u64 = 0xff;

/// Flags. The low byte is the signal that is sent at the child's end.
pub fn clone_flags<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let flags = Value::Flags { raw: raw & !CSIGNAL, set: &CLONE };
    let signal = Value::Signal((raw & CSIGNAL) as i32);
    match (raw & !CSIGNAL, raw & CSIGNAL) {
        (_, 0) => flags,
        (0, _) => signal,
        _ => Value::Or(cx.values(&[flags, signal])),
    }
}

/// A signal in 64 bits, such as clone3(2)'s `exit_signal`.
pub fn wide_signal<'a>(raw: u64) -> Value<'a> {
    match i32::try_from(raw) {
        Ok(number) if number != 0 => Value::Signal(number),
        _ => Value::UInt(raw),
    }
}

/// The values that clone3(2) wrote where the arguments asked for them.
pub fn clone_reply<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    let member = |name| cx.number(&CLONE_ARGS, name, Phase::Entry, addr);
    let size = cx.arg("size");
    let Some(flags) = member("flags") else { return Value::Absent };
    if !cx.verbose || cx.failed() || size < c::CLONE_ARGS_SIZE_VER0 {
        return Value::Absent;
    }
    let mut members = Vec::new_in(cx.arena);
    for (flag, name, ty) in
        [(c::CLONE_PIDFD, "pidfd", Ty::Fd), (c::CLONE_PARENT_SETTID, "parent_tid", Ty::Pid(PidKind::Tid))]
    {
        if let (true, Some(at)) = (flags & flag != 0, member(name)) {
            let value = match cx.read(Phase::Exit, at, 4) {
                Some(_) => generic::elements(cx, Phase::Exit, at, &ty, 1, false),
                None => Value::Addr(at),
            };
            members.push(Member { name, value });
        }
    }
    // A kernel that knows more members than Stride may have answered in them.
    let known = CLONE_ARGS.size(cx.abi()) as u64;
    let want = size.saturating_sub(known).min(plan::MAX_GROWN.into()) as usize;
    let rest = cx.prefix(Phase::Exit, addr.wrapping_add(known), want);
    let mut tail = Tail::End;
    if rest.len() < want {
        tail = Tail::Unknown;
    } else if rest.iter().any(|&b| b != 0) {
        let shown = rest.len().min(cx.options.text);
        let text = Value::Text(Text { bytes: &rest[..shown], cut: shown < rest.len(), kind: TextKind::HexBytes });
        members.push(cx.extra(known, size - 1, text));
    }
    if members.is_empty() && tail == Tail::End {
        return Value::Absent;
    }
    Value::Becomes(cx.keep(Value::Struct(members.into_bump_slice(), tail)))
}

/// The namespaces that a thread, or the child that it made, is in after the call.
pub fn namespaces<'a>(cx: &Cx<'a>, flags: &str) -> Option<Value<'a>> {
    let returned = cx.ret().filter(|_| cx.options.namespaces)?;
    let made = matches!(cx.row.ret, Ret::Pid(_));
    let tid = if made { cx.resolver.process(cx.call.tid, returned as i32)? } else { cx.call.tid };
    let given = cx.row.args.iter().find(|arg| arg.name == flags)?;
    let flags = match given.ty.is_pointer() {
        // (clone3(2)'s flags come first in its struct.)
        true => cx.uint(Phase::Entry, cx.arg(flags), 8)?,
        // The lowest bits of clone(2)'s flags are a signal.
        false if made => cx.arg(flags) & !CSIGNAL,
        false => cx.arg(flags),
    };
    let namespaces = Namespace::of_flags(flags)
        .filter_map(|kind| Some(Value::Namespace { kind: kind.name, inode: cx.resolver.namespace(tid, kind)? }));
    let namespaces = Vec::from_iter_in(namespaces, cx.arena);
    (!namespaces.is_empty()).then(|| Value::Seq(namespaces.into_bump_slice()))
}

/// An id whose kind a sibling gives.
pub fn id_by<'a>(
    cx: &Cx<'a>,
    raw: u64,
    sibling: &'static str,
    kinds: &[(u64, PidKind)],
    siblings: Siblings,
) -> Value<'a> {
    let phase = if cx.failed() { Phase::Entry } else { Phase::Exit };
    let value = cx.len(Len::Of(sibling), phase, siblings);
    let kind = kinds.iter().find(|(known, _)| Some(*known) == value).map(|(_, kind)| *kind);
    generic::held(cx, &kind.map_or(Ty::Int, Ty::Pid), raw, siblings)
}

/// A descriptor of the process that another argument names.
pub fn fd_of<'a>(cx: &Cx<'a>, pid: &str, raw: u64) -> Value<'a> {
    let (pid, fd) = (cx.arg(pid) as i32, raw as u32 as i32);
    // Only descriptors that are looked up need Stride's id of the process.
    let known = if cx.options.fds && pid > 0 { cx.resolver.process(cx.call.tid, pid) } else { Some(pid) };
    match known {
        Some(pid) => fd_in(cx, pid, fd),
        None => Value::Fd { fd, foreign: true, note: None },
    }
}

fn fd_in<'a>(cx: &Cx<'a>, pid: i32, fd: i32) -> Value<'a> {
    if pid == cx.call.tid { generic::fd(cx, fd) } else { generic::fd_of(cx, pid, fd) }
}

/// A descriptor of the process that a pidfd refers to. Where the call succeeded, it made another one for the same file.
pub fn fd_of_pidfd<'a>(cx: &Cx<'a>, pidfd: &str, raw: u64) -> Value<'a> {
    let fd = raw as u32 as i32;
    if let Some(made) = cx.ret().and_then(|ret| cx.call.made(ret as i32)) {
        return generic::fd_of_file(cx, fd, made);
    }
    let pidfd = cx.arg(pidfd) as i32;
    match cx.resolver.pidfd(cx.call.tid, pidfd, cx.call.given(pidfd)) {
        Some(pid) => fd_in(cx, pid, fd),
        None => Value::Fd { fd, foreign: true, note: None },
    }
}
