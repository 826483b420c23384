//! perf_event_open(2)'s `struct perf_event_attr` (linux/perf_event.h). Its size, its type and its flags decide which
//! members are valid.

use crate::cx::le;
use crate::{Cx, Member, Tail, Value};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::sets::perf::*;
use stride_syscalls::sets::time::CLOCKS;
use stride_syscalls::uapi::consts as c;

/// The size of all known members.
const KNOWN: u64 = 144;

pub fn attr<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if addr == 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    // 0 stands for the first version of the struct.
    let declared = cx.uint(Phase::Entry, addr.wrapping_add(4), 4);
    let size = match declared {
        Some(0) => c::PERF_ATTR_SIZE_VER0,
        Some(size) if size >= c::PERF_ATTR_SIZE_VER0 => size,
        _ => return Value::Addr(addr),
    };
    let Some(bytes) = cx.read(Phase::Entry, addr, size.min(KNOWN) as usize) else { return Value::Addr(addr) };
    let mut attr = Attr { cx, bytes, members: Vec::new_in(cx.arena) };
    attr.head(addr);
    if cx.abbrev {
        return Value::Struct(attr.members.into_bump_slice(), Tail::More);
    }
    attr.rest();
    Value::Struct(attr.members.into_bump_slice(), if size > KNOWN { Tail::More } else { Tail::End })
}

struct Attr<'a, 'c> {
    cx: &'c Cx<'a>,
    bytes: &'a [u8],
    members: Vec<'a, Member<'a>>,
}

impl<'a> Attr<'a, '_> {
    fn push(&mut self, name: &'static str, value: Value<'a>) {
        self.members.push(Member { name, value });
    }

    fn uint(&self, at: usize, width: usize) -> u64 {
        le(self.bytes, at, width)
    }

    fn has(&self, at: usize) -> bool {
        self.bytes.len() > at
    }

    fn bit(&self, name: &str) -> bool {
        BITS.items.iter().any(|i| i.name == name && self.uint(40, 8) >> i.value & i.mask != 0)
    }

    /// A value with its place in the struct, which has no name for it.
    fn placed(&self, value: u64, from: u64, to: u64) -> Value<'a> {
        self.cx.comment(Value::Hex(value), Value::Place { unit: "Bits", from, to, content: None })
    }

    /// The members that are always shown.
    fn head(&mut self, addr: u64) {
        let cx = self.cx;
        let size = |raw| Value::Enum { raw, set: &SIZE };
        let (before, after) = (self.uint(4, 4), cx.uint(Phase::Exit, addr.wrapping_add(4), 4));
        self.push("type", Value::Enum { raw: self.uint(0, 4), set: &TYPE });
        // When the kernel refuses a larger struct, it returns the size that it knows.
        self.push(
            "size",
            match after {
                Some(after) if after != before => Value::Change(cx.keep(size(before)), cx.keep(size(after))),
                _ => size(before),
            },
        );
        let config = self.config();
        self.push("config", config);
        self.push(if self.bit("freq") { "sample_freq" } else { "sample_period" }, Value::UInt(self.uint(16, 8)));
        self.push("sample_type", Value::Flags { raw: self.uint(24, 8), set: &SAMPLE });
        self.push("read_format", Value::Flags { raw: self.uint(32, 8), set: &READ });
        let bits = self.uint(40, 8);
        for item in BITS.items {
            let value = bits >> item.value & item.mask;
            if value == 0 && cx.abbrev && item.mask == 1 {
                continue;
            }
            self.push(item.name, if item.name == "precise_ip" { skid(cx, value) } else { Value::UInt(value) });
        }
        let unused = bits >> BITS_UNUSED;
        if unused != 0 {
            let value = self.placed(unused, 63, BITS_UNUSED.into());
            self.push("__reserved_1", value);
        }
    }

    /// The counted event, in the notation of its type.
    fn config(&self) -> Value<'a> {
        let (cx, raw) = (self.cx, self.uint(8, 8));
        let mut parts = Vec::new_in(cx.arena);
        match self.uint(0, 4) {
            c::PERF_TYPE_HARDWARE => {
                if raw >> 32 != 0 {
                    parts.push(cx.shifted(Value::Hex(raw >> 32), 32));
                }
                parts.push(Value::Enum { raw: raw & 0xffff_ffff, set: &HARDWARE });
            }
            c::PERF_TYPE_SOFTWARE => return Value::Enum { raw, set: &SOFTWARE },
            c::PERF_TYPE_TRACEPOINT => return Value::UInt(raw),
            c::PERF_TYPE_HW_CACHE => {
                if raw >> 32 != 0 {
                    parts.push(cx.shifted(Value::Hex(raw >> 32), 32));
                }
                if raw >> 24 & 0xff != 0 {
                    parts.push(cx.shifted(Value::Hex(raw >> 24 & 0xff), 24));
                }
                parts.push(cx.shifted(Value::Enum { raw: raw >> 16 & 0xff, set: &CACHE_RESULT }, 16));
                parts.push(cx.shifted(Value::Enum { raw: raw >> 8 & 0xff, set: &CACHE_OP }, 8));
                parts.push(Value::Enum { raw: raw & 0xff, set: &CACHE });
            }
            _ => return Value::Hex(raw),
        }
        Value::Or(parts.into_bump_slice())
    }

    /// The members that only `-v` shows, within the struct's size.
    fn rest(&mut self) {
        let sample = self.uint(24, 8);
        let wakeup = if self.bit("watermark") { "wakeup_watermark" } else { "wakeup_events" };
        self.push(wakeup, Value::UInt(self.uint(48, 4)));
        if self.uint(0, 4) == c::PERF_TYPE_BREAKPOINT {
            let kind = self.uint(52, 4);
            let kind = match kind {
                5 | 6 => self.cx.comment(Value::Hex(kind), Value::Word("HW_BREAKPOINT_INVALID")),
                raw => Value::Enum { raw, set: &BREAKPOINT },
            };
            self.push("bp_type", kind);
            self.push("bp_addr", Value::Addr(self.uint(56, 8)));
            if self.has(64) {
                self.push("bp_len", Value::UInt(self.uint(64, 8)));
            }
        } else {
            self.push("config1", Value::Hex(self.uint(56, 8)));
            if self.has(64) {
                self.push("config2", Value::Hex(self.uint(64, 8)));
            }
        }
        if self.has(72) && sample & c::PERF_SAMPLE_BRANCH_STACK != 0 {
            self.push("branch_sample_type", Value::Flags { raw: self.uint(72, 8), set: &BRANCH });
        }
        if self.has(80) {
            self.push("sample_regs_user", Value::Hex(self.uint(80, 8)));
        }
        if self.has(88) && sample & c::PERF_SAMPLE_STACK_USER != 0 {
            self.push("sample_stack_user", Value::Hex(self.uint(88, 4)));
        }
        if self.has(92) && self.bit("use_clockid") {
            let clock = Value::Enum { raw: self.uint(92, 4), set: &CLOCKS };
            self.push("clockid", clock);
        }
        if self.has(96) {
            self.push("sample_regs_intr", Value::Hex(self.uint(96, 8)));
        }
        if self.has(104) {
            self.push("aux_watermark", Value::UInt(self.uint(104, 4)));
        }
        if self.has(108) {
            let max = Value::UInt(self.uint(108, 2));
            let value = match self.uint(110, 2) {
                0 => max,
                unused => {
                    let content = Some(self.cx.keep(Value::Hex(unused)));
                    self.cx.comment(max, Value::Place { unit: "bytes", from: 110, to: 111, content })
                }
            };
            self.push("sample_max_stack", value);
        }
        if self.has(112) {
            self.push("aux_sample_size", Value::UInt(self.uint(112, 4)));
        }
        if self.has(116) {
            let action = self.uint(116, 4);
            for (name, bit) in [("aux_start_paused", 0), ("aux_pause", 1), ("aux_resume", 2)] {
                self.push(name, Value::UInt(action >> bit & 1));
            }
            if action >> 3 != 0 {
                let value = self.placed(action >> 3, 931, 959);
                self.push("__reserved_3", value);
            }
        }
        for (name, at) in [("sig_data", 120), ("config3", 128), ("config4", 136)] {
            if self.has(at) {
                self.push(name, Value::Hex(self.uint(at, 8)));
            }
        }
    }
}

/// The distance that a sample may have from its event.
fn skid<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let meaning = match raw {
        0 => "arbitrary skid",
        1 => "constant skid",
        2 => "requested to have 0 skid",
        _ => "must have 0 skid",
    };
    cx.comment(Value::UInt(raw), Value::Word(meaning))
}
