//! Virtual CPUs (`--kvm`). KVM shares a struct with the program, through a mapping of the CPU's descriptor: linux/kvm.h.

use std::fs;
use stride_event::{Call, Outcome, Peek, Phase, Tid, VcpuDetail};
use stride_syscalls::plan::{VCPU, VCPU_ID};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Effect, table};

/// The beginning of the struct, with the reason why the CPU stopped.
const HEAD: usize = 32;
/// The struct in the first page, and data for I/O ports in the second one.
const WHOLE: usize = 8192;

/// True if the call runs a virtual CPU.
pub fn runs(call: &Call) -> bool {
    call.args[1] & 0xffff_ffff == c::KVM_RUN && table(call.abi).has_effect(call.nr, Effect::ControlsDevice)
}

/// Copies the struct of the CPU that the call runs, if it is mapped.
pub fn capture(detail: VcpuDetail, call: &mut Call, phase: Phase, peek: &mut dyn Peek) {
    let wanted = match phase {
        Phase::Entry => detail == VcpuDetail::State,
        Phase::Exit => matches!(call.outcome, Outcome::Value(_)),
    };
    if !wanted {
        return;
    }
    let Some((id, addr)) = find(call.tid, call.args[0] as i32) else { return };
    let len = if detail == VcpuDetail::State { WHOLE } else { HEAD };
    call.blocks.push(VCPU_ID, phase, id, 0, |_| 0);
    call.blocks.push(VCPU, phase, addr, len, |buf| peek.peek(addr, buf));
}

/// The id of the CPU behind a descriptor, and where its struct is mapped. The map is read each time, because the program may change it
/// unseen.
fn find(tid: Tid, fd: i32) -> Option<(u64, u64)> {
    let file = fs::read_link(format!("/proc/{tid}/fd/{fd}")).ok()?;
    let name = file.to_str()?;
    let id = name.strip_prefix("anon_inode:kvm-vcpu:")?.parse().ok()?;
    let map = fs::read(format!("/proc/{tid}/maps")).ok()?;
    map.split(|&b| b == b'\n').find_map(|line| Some((id, mapped_at(str::from_utf8(line).ok()?, name)?)))
}

/// The address of a mapping with this name, if it begins with the struct.
fn mapped_at(line: &str, name: &str) -> Option<u64> {
    let line = line.strip_suffix(name)?;
    let mut words = line.split_ascii_whitespace();
    let (range, _, offset) = (words.next()?, words.next()?, words.next()?);
    let (from, _) = range.split_once('-')?;
    let from = u64::from_str_radix(from, 16).ok()?;
    (u64::from_str_radix(offset, 16) == Ok(0)).then_some(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_memory_map() {
        let line = "7f1000-7f4000 rw-s 00000000 00:0e 1060                      anon_inode:kvm-vcpu:1";
        assert_eq!(mapped_at(line, "anon_inode:kvm-vcpu:1"), Some(0x7f_1000));
        assert_eq!(mapped_at(line, "anon_inode:kvm-vcpu:0"), None);
        assert_eq!(mapped_at(&line.replace("00000000", "00001000"), "anon_inode:kvm-vcpu:1"), None);
        assert_eq!(mapped_at("", ""), None);
    }
}
