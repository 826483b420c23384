//! Results and memory that no program of `tests/syscalls/` can make a kernel return.

use stride_decode::{Decoder, Options, Part, RegisterReader};
use stride_event::Outcome;
use stride_output::{Brief, Style};
use stride_syscalls::Abi;
use stride_syscalls::uapi::consts as c;
use stride_test_support::calls::call;

/// The address of the memory.
const AT: u64 = 0x1000;

/// The call as text. Nothing else than these bytes is there, before the call and after it.
fn shown(name: &str, args: [u64; 6], memory: &[u8], returned: u64) -> String {
    let at = |addr: u64, to: &mut [u8]| {
        let rest = addr.checked_sub(AT).and_then(|at| memory.get(at as usize..)).unwrap_or_default();
        let n = rest.len().min(to.len());
        to[..n].copy_from_slice(&rest[..n]);
        n
    };
    let options = Options::default();
    let (mut reader, mut decoder) = (RegisterReader::new(&options), Decoder::default());
    let nr = call(7, name, &[], Outcome::Pending).nr;
    let mut call = reader.enter(Abi::X86_64, nr, args, at);
    reader.leave(&mut call, returned, at);
    Brief::new(Style::default()).call(&decoder.decode(&call, Part::Whole, &options, &())).into_owned()
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn a_number_that_is_no_signal_has_no_note() {
    let signal = |number| shown("fcntl", [1, c::F_GETSIG, 0, 0, 0, 0], b"", number);
    assert_eq!(signal(64), "fcntl(1, F_GETSIG) = 64 (SIGRT_32)");
    assert_eq!(signal(65), "fcntl(1, F_GETSIG) = 65");
    assert_eq!(signal(0x7fff_ffff), "fcntl(1, F_GETSIG) = 2147483647");
}

#[test]
fn texts_of_keys_end_where_the_kernel_says() {
    let text =
        |memory: &[u8], room, returned| shown("keyctl", [c::KEYCTL_GET_SECURITY, 31, AT, room, 0, 0], memory, returned);
    assert_eq!(text(b"label\0rest", 10, 6), r#"keyctl(KEYCTL_GET_SECURITY, 31, "label", 10) = 6"#);
    assert_eq!(text(b"la\0el\0rest", 10, 6), r#"keyctl(KEYCTL_GET_SECURITY, 31, "la\0el", 10) = 6"#);
    // A text that is longer than its room has no NUL there.
    assert_eq!(text(b"\0\0ab\x1a", 5, 7), r#"keyctl(KEYCTL_GET_SECURITY, 31, "\0\0ab\32", 5) = 7"#);
    let long = [[b'x'; 40].as_slice(), b"\0"].concat();
    let cut = format!(r#"keyctl(KEYCTL_GET_SECURITY, 31, "{}"..., 64) = 41"#, "x".repeat(32));
    assert_eq!(text(&long, 64, 41), cut);
}

#[test]
fn a_context_of_security_ends_where_it_says() {
    let context = |len, text_len| {
        let memory = [words(&[104, 0, len, text_len]), b"abcdefgh".to_vec()].concat();
        shown("lsm_set_self_attr", [c::LSM_ATTR_CURRENT, AT, 40, 0, 0, 0], &memory, 0)
    };
    let line =
        |end: &str| format!("lsm_set_self_attr(LSM_ATTR_CURRENT, {{id=LSM_ID_APPARMOR, flags=0, {end}}}, 40, 0) = 0");
    assert_eq!(context(36, 4), line(r#"len=36, ctx_len=4, ctx="\x61\x62\x63\x64""#));
    assert_eq!(context(36, 1000), line(r#"len=36, ctx_len=1000, ctx="\x61\x62\x63\x64""#));
    assert_eq!(context(50, 2), line(r#"len=50, ctx_len=2, ctx="\x61\x62""#));
    assert_eq!(context(32, 4), line("len=32, ctx_len=4"));
}

#[test]
fn flags_of_a_filter_are_whole_or_absent() {
    let metadata =
        |returned| shown("ptrace", [c::PTRACE_SECCOMP_GET_METADATA, 5, 16, AT, 0, 0], &words(&[2, 1]), returned);
    let line = |members: &str, returned: u64| {
        format!("ptrace(PTRACE_SECCOMP_GET_METADATA, 5, 16, {{filter_off=2{members}}}) = {returned}")
    };
    assert_eq!(metadata(8), line("", 8));
    assert_eq!(metadata(11), line(", ???", 11));
    assert_eq!(metadata(16), line(", flags=SECCOMP_FILTER_FLAG_TSYNC", 16));
}

#[test]
fn a_text_of_which_more_is_there_than_is_shown_is_cut() {
    let reboot = |memory: &[u8]| {
        let args = [0xfee1_dead, c::LINUX_REBOOT_MAGIC2, c::LINUX_REBOOT_CMD_RESTART2, AT, 0, 0];
        let text = shown("reboot", args, memory, (-1i64) as u64);
        text.rsplit_once("RESTART2, ").unwrap().1.to_owned()
    };
    let end = ") = -1 EPERM (Operation not permitted)";
    assert_eq!(reboot(b"now\0"), format!(r#""now"{end}"#));
    assert_eq!(reboot(&[b'x'; 33]), format!(r#""{}"...{end}"#, "x".repeat(32)));
    // The text may end at any place behind this one.
    assert_eq!(reboot(&[b'x'; 32]), format!("0x1000{end}"));
}

#[test]
fn an_extra_of_a_map_that_has_all_bits_has_a_name() {
    let create = |extra| {
        let mut attr = words(&[4 << 32 | 1, 8 << 32 | 4, 0, 0, 0, 0, 0, 0, extra]);
        attr.resize(128, 0);
        shown("bpf", [c::BPF_MAP_CREATE, AT, 72, 0, 0, 0], &attr, 3)
    };
    assert!(create(u64::MAX).contains("map_extra=UINT64_MAX}"), "{}", create(u64::MAX));
    assert!(create(5).contains("map_extra=5}"), "{}", create(5));
}

#[test]
fn a_pointer_of_which_a_part_is_passed_leads_nowhere() {
    let load = |size| {
        let mut attr = words(&[2 << 32 | 1, 0, 0, 16 << 32 | 1, AT + 64, 0, 0, 0]);
        attr.extend(b"log\0");
        attr.resize(128, 0);
        shown("bpf", [c::BPF_PROG_LOAD, AT, size, 0, 0, 0], &attr, 3)
    };
    assert!(load(40).contains(r#"log_size=16, log_buf="log"}"#), "{}", load(40));
    assert!(load(39).contains("log_size=16, log_buf=0x1040}"), "{}", load(39));
}
