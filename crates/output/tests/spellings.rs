//! Values that have structure instead of punctuation: as text in each style of names, and as JSON.

use stride_decode::{Designation, Operator, Prefix, Text, TextKind, Value};
use stride_output::json::Json;
use stride_output::{NameStyle, Style, Writer};
use stride_syscalls::sets::bpf::{INSN_CLASS, INSN_RETURN};
use stride_syscalls::sets::prctl::MTE_TCF;

const ABBREV: usize = 0;
const RAW: usize = 1;
const VERBOSE: usize = 2;

/// The value as text by name, as a number, and as both; and as JSON.
fn shown(value: &Value<'_>) -> ([String; 3], String) {
    let text = [NameStyle::Abbrev, NameStyle::Raw, NameStyle::Verbose].map(|names| {
        let mut out = Vec::new();
        Writer { out: &mut out, style: Style { names, ..Style::default() } }.value(value);
        String::from_utf8(out).unwrap()
    });
    let mut json = Vec::new();
    Json::new(&mut json).value(value);
    (text, String::from_utf8(json).unwrap())
}

fn is(value: Value<'_>, text: &str, json: &str) {
    let (texts, found) = shown(&value);
    assert_eq!((texts[ABBREV].as_str(), found.as_str()), (text, json), "{value:?}");
}

#[test]
fn calls() {
    let ret = Value::Or(&[Value::Enum { raw: 6, set: &INSN_CLASS }, Value::Enum { raw: 0, set: &INSN_RETURN }]);
    is(
        Value::Call { name: "BPF_STMT", args: &[ret, Value::Hex(0x50000)] },
        "BPF_STMT(BPF_RET|BPF_K, 0x50000)",
        r#"{"call":"BPF_STMT","args":[{"raw":"0x6","set":["BPF_RET","BPF_K"]},"0x50000"]}"#,
    );
    is(Value::Call { name: "htons", args: &[Value::UInt(80)] }, "htons(80)", "80");
    let bytes = Value::Text(Text { bytes: &[0, 80], cut: false, kind: TextKind::HexBytes });
    let port = Value::Call { name: "htons", args: &[Value::UInt(80)] };
    is(Value::Known(&bytes, &port), "htons(80)", "80");
    let size = Value::Call { name: "EVIOCGNAME", args: &[Value::UInt(255)] };
    let request = Value::Known(&Value::Hex(0x80ff_4506), &size);
    is(request, "EVIOCGNAME(255)", r#"{"raw":"0x80ff4506","call":"EVIOCGNAME","args":[255]}"#);
    let (text, _) = shown(&request);
    assert_eq!((&*text[RAW], &*text[VERBOSE]), ("0x80ff4506", "0x80ff4506 /* EVIOCGNAME(255) */"));
    let device =
        Value::Macro { number: &Value::Hex(0x801), name: "makedev", args: &[Value::Hex(0x8), Value::Hex(0x1)] };
    is(device, "makedev(0x8, 0x1)", r#"{"raw":"0x801","major":8,"minor":1}"#);
}

#[test]
fn expressions() {
    let one = Value::UInt(1);
    is(Value::Binary(&one, Operator::ShiftLeft, &Value::Word("IN")), "1<<IN", r#""1<<IN""#);
    let from_one = Value::Binary(&Value::Word("IN"), Operator::Minus, &one);
    is(Value::Binary(&one, Operator::ShiftLeft, &from_one), "1<<(IN-1)", r#""1<<(IN-1)""#);
    is(Value::Binary(&Value::UInt(8), Operator::Times, &Value::UInt(1024)), "8*1024", r#""8*1024""#);
    is(Value::Binary(&Value::UInt(30), Operator::Over, &one), "30/1", r#""30/1""#);
    is(Value::Unary(Prefix::Not, &Value::Word("PR_X")), "!PR_X", r#"{"not":"PR_X"}"#);
    is(Value::Unary(Prefix::Complement, &Value::Set(&[one])), "~[1]", r#"{"not":[1]}"#);
    is(Value::Unary(Prefix::Minus, &Value::Word("SCOPE")), "-SCOPE", r#"{"minus":"SCOPE"}"#);
    is(Value::Range(Some(1024), None), "1024..", r#""1024..""#);
    is(Value::OneOf(&[Value::Word("TCSETS"), Value::Word("SND")]), "TCSETS or SND", r#""TCSETS or SND""#);
}

#[test]
fn remarks() {
    let place = Value::Binary(&Value::Word("GPFIRST"), Operator::Plus, &Value::UInt(5));
    is(Value::Remarked(&Value::Hex(0x3b9), &place), "0x3b9 /* GPFIRST + 5 */", r#""0x3b9""#);
    let op = Value::Named("op", &Value::Hex(0));
    is(Value::Comment(&Value::Hex(9), &op), "0x9 /* op: 0 */", r#"{"value":"0x9","comment":"op: 0"}"#);
    is(Value::Named("entry_number", &Value::UInt(3)), "entry_number=3", r#"{"entry_number":3}"#);
    let bits = Value::Place { unit: "Bits", from: 63, to: 38, content: None };
    let commented = Value::Comment(&Value::Hex(1), &bits);
    is(commented, "0x1 /* Bits 63..38 */", r#"{"value":"0x1","comment":"Bits 63..38"}"#);
    assert_eq!(shown(&commented).0[RAW], "0x1 /* Bits 63..38 */");
    let bytes = Value::Place { unit: "bytes", from: 110, to: 111, content: Some(&Value::Hex(5)) };
    is(bytes, "bytes 110..111: 0x5", r#""bytes 110..111: 0x5""#);
    let behind = Value::Text(Text { bytes: &[1], cut: false, kind: TextKind::HexBytes });
    is(Value::Extra { from: 8, to: 8, bytes: &behind }, r#"/* bytes 8..8 */ "\x01""#, r#"{"hex":"01"}"#);
    let rate = Value::Quantity(&Value::UInt(440), "Hz");
    is(Value::Remarked(&Value::UInt(2711), &rate), "2711 /* 440 Hz */", "2711");
    let short = Value::Decimal { raw: -1_500, digits: 3 };
    is(Value::Quantity(&short, "s"), "-1.500 s", r#""-1.500 s""#);
    is(Value::Decimal { raw: i128::from(u64::MAX), digits: 9 }, "18446744073.709551615", r#""18446744073.709551615""#);
    is(Value::Unnamed(&MTE_TCF), "PR_MTE_TCF_???", r#""PR_MTE_TCF_???""#);
}

#[test]
fn characters_and_names() {
    for (byte, text) in [
        (b'S', "'S'"),
        (b'\'', r"'\''"),
        (b'"', "'\"'"),
        (b'\\', r"'\\'"),
        (b'\n', r"'\n'"),
        (0x0b, r"'\v'"),
        (0, r"'\x00'"),
        (0xe0, r"'\xe0'"),
    ] {
        assert_eq!(shown(&Value::Char(byte)).0[ABBREV], text);
    }
    assert_eq!(shown(&Value::Char(b'S')).1, r#"{"text":"S"}"#);
    // A code's characters have no letters for controls.
    for (byte, text) in [(b'\r', r"'\x0d'"), (b'J', "'J'"), (b'\'', r"'\''"), (b'\\', r"'\\'"), (b'"', "'\"'")] {
        assert_eq!(shown(&Value::CodeChar(byte)).0[ABBREV], text);
    }
    let abstract_name = Value::Text(Text { bytes: b"\0bus", cut: false, kind: TextKind::Abstract });
    is(abstract_name, "@\"bus\"", r#"{"text":"\u0000bus"}"#);
    is(Value::Designation(Designation::Mac(&[0, 0x16, 0x3e])), "00:16:3e", r#""00:16:3e""#);
    let uuid: Vec<u8> = (0..16).collect();
    let text = "00010203-0405-0607-0809-0a0b0c0d0e0f";
    is(Value::Designation(Designation::Uuid(&uuid)), text, &format!("\"{text}\""));
    is(Value::Designation(Designation::CallSign("DL1ABC", 7)), "DL1ABC-7", r#""DL1ABC-7""#);
    is(Value::Designation(Designation::Family(b"a\x1b")), r"a\33", r#""a\u001b""#);
    is(Value::Namespace { kind: "net", inode: 4 }, "net:[4]", r#"{"net":4}"#);
    is(Value::Indexed(&Value::Word("VINTR"), &Value::Hex(3)), "[VINTR]=0x3", r#"{"index":"VINTR","value":"0x3"}"#);
    is(Value::Resumes("pause"), "<... resuming interrupted pause ...>", r#"{"resumes":"pause"}"#);
    is(Value::Titled("left", &Value::UInt(3)), "left 3", r#"{"left":3}"#);
    is(Value::NarrowError(0xffff_ffea), "4294967274 EINVAL", "4294967274");
    is(Value::Set(&[Value::UInt(1), Value::LeftOut]), "[1 ...]", r#"[1,{"_rest":"abbreviated"}]"#);
    is(Value::Unknown, "???", r#""unknown""#);
}

#[test]
fn wait_statuses() {
    for (status, text) in [
        (0xffff, "{WIFCONTINUED(s)}"),
        (0x0100, "{WIFEXITED(s) && WEXITSTATUS(s) == 1}"),
        (0x0080, "{WIFEXITED(s) && WEXITSTATUS(s) == 0}|0x80"),
        (0x000b, "{WIFSIGNALED(s) && WTERMSIG(s) == SIGSEGV}"),
        (0x018b, "{WIFSIGNALED(s) && WTERMSIG(s) == SIGSEGV && WCOREDUMP(s)}|0x100"),
        (0x857f, "{WIFSTOPPED(s) && WSTOPSIG(s) == SIGTRAP | 0x80}"),
        (0x1057f, "{WIFSTOPPED(s) && WSTOPSIG(s) == SIGTRAP}|PTRACE_EVENT_FORK<<16"),
        (0x00ff, "0xff"),
    ] {
        assert_eq!(shown(&Value::WaitStatus(status)).0[ABBREV], text, "{status:#x}");
    }
    assert_eq!(shown(&Value::WaitStatus(0x1057f)).0[RAW], "{WIFSTOPPED(s) && WSTOPSIG(s) == SIGTRAP}|0x1<<16");
}
