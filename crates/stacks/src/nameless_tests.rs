//! The run-time system of a language is found in a stripped file without the names that other builds have, and not in a file that only resembles it.

use crate::elf::{Elf, ElfData};
use crate::image::CodeImage;
use crate::image::separate::DebugFiles;
use crate::script::languages;
use crate::script::runtime::FoundRuntime;
use std::fmt::Write;
use std::process::Command;
use std::rc::Rc;
use stride_test_support::{Scratch, skip};

/// A stripped library that has what Ruby 3.3 has: a function with a table of so many addresses of its own, and functions that begin with reading a pointer.
fn library(scratch: &Scratch, instructions: usize, third_reads: &str) -> Option<Vec<u8>> {
    library_by("cc", scratch, instructions, third_reads)
}

fn library_by(compiler: &str, scratch: &Scratch, instructions: usize, third_reads: &str) -> Option<Vec<u8>> {
    let mut table = String::new();
    let mut code = String::new();
    for number in 0..instructions {
        write!(table, "&&i{number}, ").unwrap();
        writeln!(code, "i{number}: sum = sum * 3 + {number}; goto *table[*at++];").unwrap();
    }
    let source = format!(
        "const char ruby_version[] = \"3.3.8\";
static long *machine, *other;
long *rb_first(long *to) {{ machine = to; other = to; return to; }}
long rb_gc_enable(void) {{ return machine[3]; }}
long rb_gc_count(void) {{ return machine[5]; }}
long rb_during_gc(void) {{ return {third_reads}[7]; }}
__attribute__((noinline)) static long loop(const unsigned char *at, long sum) {{
    static const void *const table[] = {{ {table} &&end }};
    goto *table[*at++];
{code}end:
    return sum;
}}
long rb_run(const unsigned char *at) {{ return loop(at, 1) + 1; }}
"
    );
    let (from, to) = (scratch.path("like-ruby.c"), scratch.path("like-ruby.so"));
    std::fs::write(&from, source).unwrap();
    let options = ["-O1", "-fno-gcse", "-fno-crossjumping", "-fPIC", "-shared", "-s", "-w", "-o"];
    let output = Command::new(compiler).args(options).arg(&to).arg(&from).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(std::fs::read(&to).unwrap())
}

/// The names that addresses of the library have, in its whole code.
fn names(bytes: &[u8]) -> Vec<String> {
    let elf = Elf::parse(ElfData::Memory(bytes.into())).unwrap();
    let text = elf.section(b".text").unwrap().clone();
    let image = CodeImage::new(b"/like-ruby.so", Some(ElfData::Memory(bytes.into())), &Rc::new(DebugFiles::default()));
    let name = |address| image.frame(address, false).symbol.as_ref().map(|symbol| symbol.name.to_string());
    let mut names: Vec<String> = (text.address..text.address + text.size).filter_map(name).collect();
    names.dedup();
    names
}

fn is_known(bytes: &[u8]) -> bool {
    let elf = Elf::parse(ElfData::Memory(bytes.into())).unwrap();
    let language = languages::language_of("rb_vm_exec").unwrap();
    matches!(languages::find(language, &elf, b"/like-ruby.so"), Some(FoundRuntime::Known(_)))
}

fn is_known_without_names(compiler: &str) {
    let scratch = Scratch::new(&format!("ruby-without-names-{compiler}"));
    let library = |instructions, third| library_by(compiler, &scratch, instructions, third);
    let Some(ruby) = library(200, "machine") else { skip!("no {compiler}") };
    assert!(is_known(&ruby));
    assert_eq!(names(&ruby).iter().filter(|name| *name == "rb_vm_exec").count(), 1, "{:?}", names(&ruby));

    // Two pointers are read, so one of them cannot be that to the machine.
    let differing = library(200, "other").unwrap();
    assert!(!is_known(&differing));
    // The table is too small for a language.
    let small = library(60, "machine").unwrap();
    assert!(!names(&small).iter().any(|name| name == "rb_vm_exec"), "{:?}", names(&small));
}

#[test]
fn ruby_without_names() {
    if !cfg!(target_arch = "x86_64") {
        skip!("the functions that tell the pointer are read in code of x86 only");
    }
    is_known_without_names("cc");
}

#[test]
fn ruby_of_32_bits_without_names() {
    is_known_without_names("i686-linux-gnu-gcc");
}

/// The sentence about what is missing tells that the program is one of 32 bits: the same version of 64 bits may be known.
#[test]
fn unknown_ruby_of_32_bits() {
    let scratch = Scratch::new("ruby-of-32-bits");
    let Some(ruby) = library_by("i686-linux-gnu-gcc", &scratch, 200, "other") else { skip!("no i686-linux-gnu-gcc") };
    let elf = Elf::parse(ElfData::Memory(ruby.into())).unwrap();
    let language = languages::language_of("rb_vm_exec").unwrap();
    let Some(FoundRuntime::Unsupported(what)) = languages::find(language, &elf, b"/like-ruby.so") else {
        panic!("no known version");
    };
    assert_eq!(&*what, "Ruby 3.3.8 (32-bit)");
}

/// Damaged files are read to an end.
#[test]
fn damaged_files_without_names() {
    let scratch = Scratch::new("damaged-ruby-without-names");
    let Some(ruby) = library(&scratch, 200, "machine") else { skip!("no C compiler") };
    let mut state = 11_usize;
    let mut number = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for _ in 0..300 {
        let mut damaged = ruby.clone();
        for _ in 0..=number(8) {
            let at = number(damaged.len());
            damaged[at] = number(256) as u8;
        }
        damaged.truncate(if number(4) == 0 { number(damaged.len()) } else { damaged.len() });
        let Some(elf) = Elf::parse(ElfData::Memory(damaged.as_slice().into())) else { continue };
        let language = languages::language_of("rb_vm_exec").unwrap();
        let _ = languages::find(language, &elf, b"/like-ruby.so");
        let image = CodeImage::new(b"/", Some(ElfData::Memory(damaged.into())), &Rc::new(DebugFiles::default()));
        let _ = image.frame(0x1100, false);
    }
}
