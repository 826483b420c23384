//! Calls that no engine saw: from registers and memory to text and JSON.

use stride_decode::{Decoder, Options, Part, RegisterReader};
use stride_output::{Brief, Style};
use stride_syscalls::Abi;

#[allow(dead_code)]
#[path = "../examples/decode_registers.rs"]
mod example;

#[test]
fn the_example_decodes_each_abi() {
    let decoded = example::decoded();
    let texts: Vec<&str> = decoded.iter().map(|(text, _)| text.as_str()).collect();
    let opened = r#"openat(AT_FDCWD, "/etc/hosts", O_RDONLY|O_CLOEXEC) = 3"#;
    assert_eq!(
        texts,
        [
            opened,
            opened,
            opened,
            r#"openat(AT_FDCWD, "/etc/hosts", O_RDONLY) = -1 ENOENT (No such file or directory)"#,
            "openat(AT_FDCWD, 0x1234, O_RDONLY) = -1 EFAULT (Bad address)",
        ]
    );
    for ((_, json), abi) in decoded.iter().zip(["x86_64", "aarch64", "i386"]) {
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!((&json["args"]["pathname"]["text"], &json["abi"]), (&"/etc/hosts".into(), &abi.into()));
        assert_eq!((&json["outcome"], &json["ret"]["fd"]), (&"ok".into(), &3.into()));
    }
}

/// Memory that holds these bytes at 0x1000.
fn at(bytes: &[u8]) -> impl Fn(u64, &mut [u8]) -> usize {
    move |addr, to| {
        let rest = addr.checked_sub(0x1000).and_then(|at| bytes.get(at as usize..)).unwrap_or_default();
        let n = rest.len().min(to.len());
        to[..n].copy_from_slice(&rest[..n]);
        n
    }
}

fn shown(abi: Abi, nr: u64, args: [u64; 6], before: &[u8], after: &[u8], returned: u64) -> String {
    let options = Options::default();
    let (mut reader, mut decoder) = (RegisterReader::new(&options), Decoder::default());
    let mut call = reader.enter(abi, nr, args, at(before));
    reader.leave(&mut call, returned, at(after));
    Brief::new(Style::default()).call(&decoder.decode(&call, Part::Whole, &options, &())).into_owned()
}

#[test]
fn what_the_kernel_wrote_is_read_after_the_call() {
    let read = shown(Abi::X86_64, 0, [3, 0x1000, 5, 0, 0, 0], b"old..", b"fresh", 5);
    assert_eq!(read, r#"read(3, "fresh", 5) = 5"#);
}

#[test]
fn calls_that_stand_for_others_are_those() {
    // The third call of socketcall(2) is connect(2), whose arguments lie in memory.
    let words = [3u32, 0x100c, 8].map(u32::to_le_bytes).concat();
    let memory = [&words[..], b"\x01\0/sock\0"].concat();
    let connect = shown(Abi::I386, 102, [3, 0x1000, 0, 0, 0, 0], &memory, &memory, 0);
    assert_eq!(connect, r#"connect(3, {sa_family=AF_UNIX, sun_path="/sock"}, 8) = 0"#);
    // Without that memory the call is all that is known.
    assert_eq!(shown(Abi::I386, 102, [3, 0x1000, 0, 0, 0, 0], b"", b"", 0), "socketcall(3, 0x1000) = 0");
}

#[test]
fn registers_are_as_wide_as_the_abi() {
    let mapped = shown(Abi::I386, 192, [0, 4096, 1, 0x22, 0xffff_ffff, 0], b"", b"", 0xffff_ffff_f7f0_0000);
    assert!(
        mapped.starts_with("mmap2(NULL, 4096, PROT_READ, ") && mapped.ends_with(", -1, 0) = 0xf7f00000"),
        "{mapped}"
    );
    let failed = shown(Abi::I386, 192, [0, 4096, 1, 0x22, 0xffff_ffff, 0], b"", b"", 0xffff_fff4);
    assert!(failed.ends_with("= -1 ENOMEM (Cannot allocate memory)"), "{failed}");
    assert_eq!(
        shown(Abi::X86_64, 5000, [1, 2, 3, 4, 5, 6], b"", b"", 7),
        "syscall_0x1388(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = 0x7"
    );
}

/// Memory without an end takes neither all time nor all memory.
#[test]
fn memory_without_an_end_is_bounded() {
    let mut reader = RegisterReader::new(&Options::default());
    let endless = |_: u64, to: &mut [u8]| {
        to.fill(1);
        to.len()
    };
    for nr in 0..500 {
        let mut call = reader.enter(Abi::X86_64, nr, [0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000], endless);
        reader.leave(&mut call, 0x10, endless);
        assert!(call.blocks.size() < 64 << 20, "{nr}: {}", call.blocks.size());
    }
}
