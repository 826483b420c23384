//! uname(2), sysinfo(2), kexec_load(2), x86 segments.

use crate::{Dir, Irregular, Len, Ty, structs};

/// A segment's base and limit.
const WIDE: Ty = Ty::Custom(Irregular::PadHex(8), &Ty::Hex);
/// A segment's number; all bits set ask for a free one.
const ENTRY: Ty = Ty::Custom(Irregular::OrMinusOne, &Ty::UInt);

structs! {
    /// uname(2): linux/utsname.h
    pub UTSNAME = new_utsname {
        sysname: Ty::CStr, nodename: Ty::CStr, [v] release: Ty::CStr, [v] version: Ty::CStr, [v] machine: Ty::CStr,
        [v] domainname: Ty::CStr
    }
    /// sysinfo(2): linux/sysinfo.h
    pub SYSINFO = sysinfo {
        uptime: Ty::ULong, loads: Ty::Items(&Ty::ULong), totalram: Ty::ULong, freeram: Ty::ULong, sharedram: Ty::ULong,
        bufferram: Ty::ULong, totalswap: Ty::ULong, freeswap: Ty::ULong, procs: Ty::UInt, totalhigh: Ty::ULong,
        freehigh: Ty::ULong, mem_unit: Ty::UInt
    }
    /// kexec_load(2): linux/kexec.h
    pub KEXEC_SEGMENT = kexec_segment { buf: Ty::Addr, bufsz: Ty::ULong, mem: Ty::Addr, memsz: Ty::ULong }
    /// set_thread_area(2), modify_ldt(2): asm/ldt.h
    pub USER_DESC = x86_64 user_desc {
        entry_number: ENTRY, base_addr: WIDE, limit: WIDE, seg_32bit: Ty::UInt, contents: Ty::UInt,
        read_exec_only: Ty::UInt, limit_in_pages: Ty::UInt, seg_not_present: Ty::UInt, useable: Ty::UInt, lm: Ty::UInt
    }
    /// The same for i386, which has no long mode.
    pub USER_DESC_32 = i386 user_desc {
        entry_number: ENTRY, base_addr: WIDE, limit: WIDE, seg_32bit: Ty::UInt, contents: Ty::UInt,
        read_exec_only: Ty::UInt, limit_in_pages: Ty::UInt, seg_not_present: Ty::UInt, useable: Ty::UInt
    }
    /// _sysctl(2), which no kernel has since 5.5: linux/sysctl.h
    pub SYSCTL_ARGS = __sysctl_args {
        name: Ty::Array(Dir::In, &Ty::Int, Len::Of("nlen")), nlen: Ty::Int, oldval: Ty::Addr, oldlenp: Ty::Addr,
        newval: Ty::Addr, newlen: Ty::ULong
    }
}
