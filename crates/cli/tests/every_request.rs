//! Every request of ioctl(2) of which the kernel's headers tell the argument, made on no descriptor: both engines show its name, and the members of its struct.

mod common;

use common::{Scratch, bare_stride, cc, engines, skipped, text};
use std::collections::BTreeSet;
use std::fmt::Write;
use stride_syscalls::uapi::ioctls::{IOCTL_ARGS, IOCTLS};
use stride_syscalls::uapi::{F, IoctlArg, consts as c};
use stride_syscalls::{Abi, ioctl};

/// A struct has so many members in short.
const IN_SHORT: usize = 8;
const CAPTURED: usize = 1024;

#[test]
fn requests_that_headers_tell() {
    let has_row = |number: u32| {
        let number = u64::from(number);
        // (The device mapper goes by the sizes in its structs.)
        ioctl::CASES.iter().any(|case| case.0 == number)
            || ioctl::BARE.contains(&number)
            || number >> 8 & 0xff == c::DM_IOCTL
    };
    let told: BTreeSet<u32> = IOCTL_ARGS.iter().map(|row| row.0).collect();
    let numbers: Vec<u32> = IOCTLS.iter().map(|row| row.0).filter(|number| !has_row(*number)).collect();

    let scratch = Scratch::new("every-request");
    let (source, program) = (scratch.path("requests.c"), scratch.path("requests"));
    let mut list = String::new();
    numbers.iter().for_each(|number| _ = write!(list, "{number}, "));
    let body = format!(
        "#include <sys/ioctl.h>\n#include <sys/mman.h>\n#include <unistd.h>\n\
         static unsigned requests[] = {{ {list} }};\nint main(void)\n{{\n\
         unsigned char *memory = mmap((void *)0x10000000, 1 << 15, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);\n\
         for (int i = 0; i < 1 << 15; i++) memory[i] = i % 100 + 1;\n\
         chdir(\"MARKER\");\n\
         for (int i = 0; i < sizeof(requests) / sizeof(*requests); i++) ioctl(-1, requests[i], memory);\n\
         return 0;\n}}\n"
    );
    std::fs::write(&source, body).unwrap();
    if let Err(why) = cc(&source, &program) {
        skipped::report_of("every_request", why);
        return;
    }
    let mut logs = Vec::new();
    for engine in engines() {
        let output = bare_stride()
            .args([engine, "-o", "log", "-a1", "-e", "trace=ioctl,chdir"])
            .arg(&program)
            .current_dir(scratch.path(""))
            .output()
            .unwrap();
        assert!(output.status.success(), "{engine}: {}", text(&output.stderr));
        let log = scratch.read("log");
        let lines: Vec<String> =
            log.lines().skip_while(|line| !line.contains("\"MARKER\"")).skip(1).map(String::from).collect();
        logs.push((engine, lines));
    }
    for (engine, lines) in &logs {
        for (number, line) in numbers.iter().zip(lines) {
            let name = ioctl::name(Abi::X86_64, *number).unwrap();
            assert!(line.starts_with("ioctl(-1, ") && line.contains(&format!("{name}, ")), "{engine}, {name}: {line}");
            // (Of several types, not all may be there. The struct of one request grows, and goes by what its first member says.)
            for &(_, dir, ty) in ioctl::arguments(Abi::X86_64, *number) {
                if ioctl::arguments(Abi::X86_64, *number).len() > 1 || name == "PIDFD_GET_INFO" {
                    continue;
                }
                let IoctlArg::Struct(layout) = ty else { continue };
                // The call fails, so the kernel fills in nothing.
                if dir & 1 == 0 {
                    continue;
                }
                let mut at = 0;
                for member in members(layout.fields) {
                    let found = line[at..].find(&format!("{member}="));
                    at += found.unwrap_or_else(|| panic!("{engine}, {name} has no {member}: {line}"));
                }
            }
        }
        assert!(lines.len() > numbers.len(), "{engine}: {} lines for {} requests", lines.len(), numbers.len());
    }
    assert!(told.len() > 2200, "{}", told.len());
    if let [(_, first), (_, second)] = &logs[..] {
        assert_eq!(first.len(), second.len());
        for (first, second) in first.iter().zip(second) {
            assert_eq!(first, second);
        }
    }
}

/// The members that are shown in short: of a union the first one. So many bytes are captured of a struct that has no row.
fn members(fields: &[F]) -> Vec<&str> {
    let mut end = 0;
    let mut names = Vec::new();
    for field in fields.iter().filter(|field| !field.name.contains('.')) {
        let begin = usize::from(field.offset) * 8 + usize::from(field.bits.0);
        if begin >= end && field.end() <= CAPTURED {
            end = if field.bits.1 > 0 { begin + usize::from(field.bits.1) } else { field.end() * 8 };
            names.push(field.name);
        }
    }
    names.truncate(IN_SHORT);
    names
}
