//! Records of the ring to calls.

use crate::wire::{block_flag, read, rec_block, rec_call};
use stride_event::{Call, Outcome, Phase, Tid};
use stride_syscalls::Abi;

pub fn abi(abi: u8) -> Abi {
    match abi {
        1 => Abi::I386,
        2 => Abi::Aarch64,
        _ => Abi::X86_64,
    }
}

/// Fills in all but the outcome and the memory.
pub fn facts(call: &mut Call, rec: &rec_call) {
    call.tid = rec.head.tid as Tid;
    call.abi = abi(rec.head.abi);
    call.nr = rec.nr;
    call.args = rec.args;
    call.ip = rec.ip;
    call.sp = rec.sp;
    call.entered = rec.entered;
    call.returned = rec.head.at;
    call.outcome = Outcome::Pending;
    call.netlink = None;
}

/// Appends the memory that follows the fixed part of a record.
pub fn blocks(call: &mut Call, mut bytes: &[u8]) {
    while let Some(block) = read::<rec_block>(bytes) {
        bytes = &bytes[size_of::<rec_block>()..];
        let len = (block.len as usize).min(bytes.len());
        if u32::from(block.flags) & block_flag::BLOCK_NETLINK.0 != 0 {
            call.netlink = read::<u32>(bytes);
            bytes = &bytes[len.next_multiple_of(8).min(bytes.len())..];
            continue;
        }
        let phase = if u32::from(block.flags) & block_flag::BLOCK_EXIT.0 != 0 { Phase::Exit } else { Phase::Entry };
        let faulted = u32::from(block.flags) & block_flag::BLOCK_FAULTED.0 != 0;
        call.blocks.push(block.op, phase, block.addr, len + usize::from(faulted), |buf| {
            buf[..len].copy_from_slice(&bytes[..len]);
            len
        });
        bytes = &bytes[len.next_multiple_of(8).min(bytes.len())..];
    }
}
