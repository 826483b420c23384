use crate::{Blocks, Call, Phase};
use stride_syscalls::{Abi, table};

/// A call with memory at these addresses.
fn call(abi: Abi, name: &str, args: [u64; 6], memory: &[(Phase, u64, &[u8])]) -> Call {
    let nr = table(abi).by_name(name).next().unwrap_or_else(|| panic!("{abi:?} has no {name}")).nr.into();
    let mut blocks = Blocks::default();
    for (phase, addr, bytes) in memory {
        blocks.push(0, *phase, *addr, bytes.len(), |to| {
            to.copy_from_slice(bytes);
            bytes.len()
        });
    }
    Call { abi, nr, args, blocks, ..Call::default() }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

#[test]
fn members_are_where_the_abi_has_them() {
    // st_ino of asm/stat.h: at 8 in 8 bytes where words have 8; i386's struct stat64 at 88 in 8; its struct stat at 4 in 4.
    let wide = &0x1_2345_6789u64.to_le_bytes()[..];
    let some = [
        (Abi::X86_64, "stat", 8, wide),
        (Abi::I386, "stat64", 88, wide),
        (Abi::I386, "stat", 4, &0x2345_6789u32.to_le_bytes()),
    ];
    let more = Abi::ALL.into_iter().filter(|abi| abi.word() == 8).map(|abi| (abi, "newfstatat", 8, wide));
    for (abi, name, at, inode) in some.into_iter().chain(more) {
        let mut stat = [0xff; 256];
        put(&mut stat, at, inode);
        let args = if name == "newfstatat" { [0, 0x1000, 0x2000, 0, 0, 0] } else { [0x1000, 0x2000, 0, 0, 0, 0] };
        let call = call(abi, name, args, &[(Phase::Exit, 0x2000, &stat), (Phase::Entry, 0x1000, b"/etc\0rest")]);
        let expected = inode.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
        assert_eq!(call.field("statbuf", "st_ino"), Some(expected), "{abi:?} {name}");
        assert_eq!(call.field("statbuf", "st_nothing"), None);
        assert_eq!(call.path("pathname"), Some(&b"/etc"[..]));
    }
    // statx(2) is the same everywhere.
    for abi in Abi::ALL {
        let mut statx = [0xff; 256];
        put(&mut statx, 32, &7u64.to_le_bytes());
        let call = call(abi, "statx", [0, 0, 0, 0, 0x2000, 0], &[(Phase::Exit, 0x2000, &statx)]);
        assert_eq!(call.field("statxbuf", "stx_ino"), Some(7), "{abi:?}");
    }
}

#[test]
fn times_that_are_asked_for() {
    let mut old = [0; 8];
    put(&mut old, 0, &3u32.to_le_bytes());
    put(&mut old, 4, &500u32.to_le_bytes());
    let mut new = [0; 16];
    put(&mut new, 0, &3u64.to_le_bytes());
    put(&mut new, 8, &500u64.to_le_bytes());
    for abi in Abi::ALL {
        let (name, bytes) = ("nanosleep", if abi.word() == 8 { &new[..] } else { &old });
        let call = call(abi, name, [0x1000, 0, 0, 0, 0, 0], &[(Phase::Entry, 0x1000, bytes)]);
        let time = call.fields("req").unwrap();
        assert_eq!((time.get("tv_sec"), time.get("tv_nsec")), (Some(3), Some(500)), "{abi:?} {name}");
    }
    let call = call(Abi::I386, "clock_nanosleep_time64", [0, 0, 0x1000, 0, 0, 0], &[(Phase::Entry, 0x1000, &new)]);
    assert_eq!(call.field("request", "tv_sec"), Some(3));
}

#[test]
fn strings_of_a_vector() {
    for abi in Abi::ALL {
        let word = abi.word();
        let pointers: Vec<u8> =
            [0x2000u64, 0x3000, 0].iter().flat_map(|at| at.to_le_bytes()[..word].to_vec()).collect();
        let call = call(
            abi,
            "execve",
            [0x1000, 0x1100, 0, 0, 0, 0],
            &[(Phase::Entry, 0x1100, &pointers), (Phase::Entry, 0x2000, b"ls\0"), (Phase::Entry, 0x3000, b"-l\0junk")],
        );
        assert_eq!(call.strings("argv"), [&b"ls"[..], b"-l"], "{abi:?}");
    }
}

#[test]
fn messages_of_each_width() {
    for abi in Abi::ALL {
        let word = abi.word();
        let words =
            |values: &[u64]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()[..word].to_vec()).collect() };
        // msg_name, msg_namelen, msg_iov, msg_iovlen, msg_control, msg_controllen, msg_flags; msg_len.
        let header = words(&[0, 0, 0x5000, 1, 0, 0, 0]);
        let mut both = header.clone();
        both.resize(if word == 8 { 64 } else { 32 }, 0);
        both.extend(words(&[0, 0, 0x6000, 1, 0, 0, 0]));
        both.resize(2 * if word == 8 { 64 } else { 32 }, 0);
        let memory: &[(Phase, u64, &[u8])] = &[
            (Phase::Entry, 0x4000, &both),
            (Phase::Entry, 0x5000, &words(&[0x7000, 11])),
            (Phase::Entry, 0x6000, &words(&[0x8000, 22])),
        ];
        let pieces =
            |name, args| call(abi, name, args, memory).messages(8).iter().map(|p| (p.addr, p.len)).collect::<Vec<_>>();
        assert_eq!(pieces("sendmmsg", [3, 0x4000, 2, 0, 0, 0]), [(0x7000, 11), (0x8000, 22)], "{abi:?}");
        assert_eq!(pieces("sendmsg", [3, 0x4000, 0, 0, 0, 0]), [(0x7000, 11)], "{abi:?}");
        assert_eq!(pieces("writev", [3, 0x5000, 1, 0, 0, 0]), [(0x7000, 11)], "{abi:?}");
        assert_eq!(pieces("sendto", [3, 0x7000, 11, 0, 0, 0]), [(0x7000, 11)], "{abi:?}");
    }
}

#[test]
fn arguments_by_name() {
    let write =
        call(Abi::X86_64, "write", [0xffff_ffff_0000_0003, 0x1000, 5, 0, 0, 0], &[(Phase::Entry, 0x1000, b"hello")]);
    assert_eq!((write.fd("fd"), write.arg("nothing"), write.flags("flags")), (Some(3), None, 0));
    assert_eq!(write.bytes("buf", 3), b"hel");
    // i386's first mmap(2) has its arguments in memory.
    let args: Vec<u8> = [0u32, 8192, 3, 0x22, u32::MAX, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let old = call(Abi::I386, "mmap", [0x1000, 0, 0, 0, 0, 0], &[(Phase::Entry, 0x1000, &args)]);
    assert_eq!((old.arg("length"), old.flags("flags"), old.fd("fd")), (Some(8192), 0x22, Some(-1)));
    let new = call(Abi::I386, "mmap2", [0, 8192, 3, 0x22, 0xffff_ffff, 0], &[]);
    assert_eq!((new.arg("length"), new.flags("flags"), new.fd("fd")), (Some(8192), 0x22, Some(-1)));
    let clone_args: Vec<u8> = [0x1_0000u64, 0, 0x4000].iter().flat_map(|v| v.to_le_bytes()).collect();
    let clone3 = call(Abi::X86_64, "clone3", [0x1000, 88, 0, 0, 0, 0], &[(Phase::Entry, 0x1000, &clone_args)]);
    assert_eq!(
        (clone3.field("cl_args", "flags"), clone3.field("cl_args", "child_tid")),
        (Some(0x1_0000), Some(0x4000))
    );
    let connect = call(Abi::I386, "connect", [3, 0x1000, 4, 0, 0, 0], &[(Phase::Entry, 0x1000, b"\x02\0\0\x50more")]);
    assert_eq!(connect.address(), Some(&b"\x02\0\0\x50"[..]));
    let accept = call(Abi::X86_64, "accept", [3, 0x1000, 0x2000, 0, 0, 0], &[(Phase::Exit, 0x1000, b"\x02\0\0\x50")]);
    assert_eq!(accept.address(), Some(&b"\x02\0\0\x50"[..]));
    let pipe = call(Abi::X86_64, "pipe2", [0x1000, 0, 0, 0, 0, 0], &[(Phase::Exit, 0x1000, &[3, 0, 0, 0, 4, 0, 0, 0])]);
    assert_eq!(pipe.pair(), Some([3, 4]));
}

#[test]
fn flags_are_those_of_calls_that_open() {
    const HOW: u64 = 0x2000;
    let how = [0x8_0241u64, 0o644, 0].map(u64::to_le_bytes).concat();
    for abi in Abi::ALL {
        // The upper half of the register is not the flags'.
        let openat = call(abi, "openat", [0, 0x1000, 0x1_0008_0241, 0, 0, 0], &[]);
        assert_eq!(openat.open_flags(), 0x8_0241, "{abi:?}");
        let openat2 = call(abi, "openat2", [0, 0x1000, HOW, 24, 0, 0], &[(Phase::Entry, HOW, &how)]);
        assert_eq!(openat2.open_flags(), 0x8_0241, "{abi:?}");
        // These flags are of another kind.
        assert_eq!(call(abi, "eventfd2", [0, 0x241, 0, 0, 0, 0], &[]).open_flags(), 0, "{abi:?}");
    }
    assert_eq!(call(Abi::X86_64, "creat", [0x1000, 0o644, 0, 0, 0, 0], &[]).open_flags(), 0o1101);
}
