//! Damaged files of code: reading them always ends, and never panics.

use crate::elf::{Elf, ElfData};
use crate::examine::examine;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use stride_test_support::skip;

/// Pseudo-random numbers, the same in each run.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 7u64;
    move |below| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below.max(1)
    }
}

/// A small program with all tables, or `None` without a compiler.
fn program(compiler: &str, options: &[&str]) -> Option<Vec<u8>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/stacks/calls.c");
    let to = std::env::temp_dir().join(format!("stride-stacks-{}-{compiler}{}", std::process::id(), options.join("")));
    let done = Command::new(compiler).args(["-w", "-o"]).arg(&to).arg(source).args(options).output();
    let bytes = done.ok().filter(|output| output.status.success()).and_then(|_| std::fs::read(&to).ok());
    let _ = std::fs::remove_file(&to);
    bytes
}

#[test]
fn tampered_files() {
    tamper_with_files_of("cc");
}

#[test]
fn tampered_files_of_32_bits() {
    tamper_with_files_of("i686-linux-gnu-gcc");
}

fn tamper_with_files_of(compiler: &str) {
    for options in [&["-O1", "-g"][..], &["-O1", "-g", "-gz=zlib", "-Wl,--no-eh-frame-hdr"], &["-O1", "-g", "-s"]] {
        let Some(bytes) = program(compiler, options) else {
            skip!("no {compiler}");
        };
        let whole = Elf::parse(ElfData::Memory(Arc::from(&bytes[..]))).unwrap();
        let section = whole.section(b".text").unwrap();
        let text = section.address..section.address + section.size;
        let (rules, names, lines) = examine(&bytes, &text);
        assert!(rules > 5, "the untouched program has rules");
        assert!(options.contains(&"-s") || names > 5 && lines > 5, "and names and lines");
        // The bytes that hold offsets and lengths: headers, and the sections that the reader uses.
        let read: Vec<_> = whole.sections.iter().filter(|s| s.kind != 8 && s.size > 0 && s.name != b".text").collect();
        let mut number = numbers();
        for round in 0..150 {
            let mut tampered = bytes.clone();
            for _ in 0..1 + number(12) {
                let section = read[number(read.len())];
                let at = match number(4) {
                    0 => number(0x400),
                    1 => bytes.len() - 1 - number(64 * whole.sections.len().min(bytes.len() / 64)),
                    _ => section.offset as usize + number(section.size as usize),
                };
                tampered[at] = [0, 0xff, 0x7f, 0x80, number(256) as u8][number(5)];
            }
            if round % 10 == 0 {
                tampered.truncate(number(bytes.len()));
            }
            examine(&tampered, &text);
        }
    }
}

#[test]
fn what_is_no_program() {
    for bytes in [&b""[..], b"\x7fELF", b"#!/bin/sh\n", &[0xff; 4096], &[0x7f; 64]] {
        assert_eq!(examine(bytes, &(0..100)), (0, 0, 0));
    }
}
