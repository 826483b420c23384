//! Damaged files of code: reading them always ends, and never panics.

use crate::cfi::UnwindRule;
use crate::elf::{Elf, ElfData};
use crate::image::CodeImage;
use gimli::UnwindContext;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Pseudo-random numbers, the same in each run.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 7u64;
    move |below| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below.max(1)
    }
}

/// A small program with all tables, or `None` without a compiler.
fn program(options: &[&str]) -> Option<Vec<u8>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/stacks/calls.c");
    let to = std::env::temp_dir().join(format!("stride-stacks-{}-{}", std::process::id(), options.join("")));
    let done = Command::new("cc").args(["-w", "-o"]).arg(&to).arg(source).args(options).output();
    let bytes = done.ok().filter(|output| output.status.success()).and_then(|_| std::fs::read(&to).ok());
    let _ = std::fs::remove_file(&to);
    bytes
}

fn image(bytes: &[u8]) -> CodeImage {
    CodeImage::new(b"/program", Some(ElfData::Memory(Arc::from(bytes))))
}

/// Asks a module everything that can be asked.
fn look(image: &CodeImage, text: &std::ops::Range<u64>) -> (usize, usize, usize) {
    let mut context = UnwindContext::new();
    let (mut rules, mut names, mut lines) = (0, 0, 0);
    image.bias(0x7f00_0000, 0x1000);
    for address in text.clone().step_by(23).chain([0, u64::MAX, u64::MAX - 1]) {
        rules += usize::from(!matches!(image.rule(address, &mut context), UnwindRule::Unknown));
        let frame = image.frame(address, true);
        names += usize::from(frame.symbol.is_some());
        lines += usize::from(frame.source.is_some());
        image.returns_from_signal(address);
    }
    (rules, names, lines)
}

#[test]
fn tampered_files() {
    for options in [&["-O1", "-g"][..], &["-O1", "-g", "-gz=zlib", "-Wl,--no-eh-frame-hdr"], &["-O1", "-g", "-s"]] {
        let Some(bytes) = program(options) else {
            eprintln!("skipped: tampered_files: no compiler");
            return;
        };
        let whole = Elf::parse(ElfData::Memory(Arc::from(&bytes[..]))).unwrap();
        let section = whole.section(b".text").unwrap();
        let text = section.address..section.address + section.size;
        let (rules, names, lines) = look(&image(&bytes), &text);
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
            look(&image(&tampered), &text);
        }
    }
}

#[test]
fn what_is_no_program() {
    for bytes in [&b""[..], b"\x7fELF", b"#!/bin/sh\n", &[0xff; 4096], &[0x7f; 64]] {
        assert_eq!(look(&image(bytes), &(0..100)), (0, 0, 0));
    }
}
