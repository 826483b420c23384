//! Capability sets of capget(2) and capset(2). The header's version decides whether they fill one struct or two.

use crate::{Cx, Value};
use stride_event::Phase;
use stride_syscalls::sets::creds::{CAP_HIGH, CAP_LOW};
use stride_syscalls::structs::creds::CAP_DATA;

const VERSION_2: u64 = 0x2007_1026;
const VERSION_3: u64 = 0x2008_0522;

pub fn decode<'a>(cx: &Cx<'a>, addr: u64, phase: Phase) -> Value<'a> {
    if addr == 0 || !cx.verbose || (phase == Phase::Exit && cx.failed()) {
        return Value::Addr(addr);
    }
    // Without the whole header the kernel looks at no data.
    let Some(header) = cx.uint(Phase::Entry, cx.arg("hdrp"), 8) else { return Value::Addr(addr) };
    let version = header & 0xffff_ffff;
    let size = CAP_DATA.size(cx.abi());
    let two = matches!(version, VERSION_2 | VERSION_3);
    let Some(bytes) = cx.read(phase, addr, if two { 2 * size } else { size }) else { return Value::Addr(addr) };
    let word = |at: usize| bytes.get(at..at + 4).map_or(0, |b| crate::cx::le(b, 0, 4));
    let set = |name: &str| {
        let at = CAP_DATA.field(name).map_or(0, |f| f.place(cx.abi()).offset as usize);
        let low = Value::Flags { raw: word(at), set: &CAP_LOW };
        let high = Value::Flags { raw: word(at + size), set: &CAP_HIGH };
        match (word(at), word(at + size)) {
            (_, 0) => low,
            (0, _) => high,
            _ => Value::Or(cx.values(&[low, high])),
        }
    };
    cx.members(&[("effective", set("effective")), ("permitted", set("permitted")), ("inheritable", set("inheritable"))])
}
