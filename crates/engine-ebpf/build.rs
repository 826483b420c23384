//! Compiles the eBPF programs and generates their skeletons, the first of which holds the Rust mirror of wire.h; and lists the kernel
//! types that they look into.

use libbpf_cargo::SkeletonBuilder;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

#[path = "src/loading/btf.rs"]
#[allow(dead_code, reason = "only what reads it is needed here")]
mod btf;

// (The crate itself is not at hand for the machine that builds.)
#[path = "../syscalls/src/abi/mod.rs"]
#[allow(dead_code, reason = "only some of the facts are needed here")]
mod abi;

use abi::Abi;

fn main() {
    let machine = std::env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets CARGO_CFG_TARGET_ARCH");
    let native = Abi::of_machine(&machine).unwrap_or_else(|| panic!("Stride does not know the machine {machine}"));
    let arch = native.facts().kernel_arch;
    let mut defined = vec![
        format!("-D__TARGET_ARCH_{arch}"),
        format!("-DMACHINE=\"machine/{arch}.h\""),
        format!("-DSTRIDE_ABIS={}", Abi::ALL.len()),
    ];
    defined.extend(Abi::ALL.map(|abi| format!("-DABI_{}={}", abi.name().to_uppercase(), abi as u8)));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // The same bytes from whichever directory. (clang finds no source there, and so leaves its lines out.)
    let mapped = format!(
        "-ffile-prefix-map={}=/stride",
        std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR")
    );
    let others = ["-Wall", "-Wno-unused-function", "-mcpu=v3", &mapped].map(String::from);
    let options = [defined, others.into()].concat();
    let mut types = BTreeSet::new();
    let mut fingerprint = DefaultHasher::new();
    for name in ["stride", "functions", "poller", "files", "waits", "broker"] {
        let object = out.join(format!("{name}.bpf.o"));
        let mut skeleton = SkeletonBuilder::new();
        skeleton.source(format!("src/bpf/{name}.bpf.c")).clang_args(&options).obj(&object);
        skeleton.build().unwrap_or_else(|e| panic!("building the eBPF programs (is clang installed?): {e:#}"));
        let mut elf = std::fs::read(&object).expect("the object was just built");
        forget_lines(&mut elf).expect("the object holds BTF");
        forget_labels(&mut elf).expect("the object has symbols");
        std::fs::write(&object, &elf).expect("OUT_DIR can be written to");
        skeleton.generate(out.join(format!("{name}.skel.rs"))).unwrap_or_else(|e| panic!("making a skeleton: {e:#}"));
        types.extend(relocated_types(&elf).expect("the object holds BTF"));
        fingerprint.write(&elf);
    }
    same_variables(&out).expect("stride.bpf.c and functions.bpf.c share their maps of variables");
    // The rows decide which memory is copied, and the order of the request's words what is asked for.
    fingerprint.write(std::env::var("CARGO_PKG_VERSION").unwrap_or_default().as_bytes());
    println!("cargo:rustc-env=STRIDE_PROGRAMS={}", fingerprint.finish());
    println!("cargo:rustc-env=STRIDE_CLANG={}", clang());
    let types = Vec::from_iter(types);
    std::fs::write(out.join("types.rs"), format!("&{types:?}")).expect("OUT_DIR can be written to");
    println!("cargo:rerun-if-changed=src/bpf");
    println!("cargo:rerun-if-changed=src/loading/btf.rs");
    println!("cargo:rerun-if-changed=../syscalls/src/abi");
}

/// The compiler of the programs with the first number of its version, such as `clang-14`: each makes other instructions (tests/verified.txt).
fn clang() -> String {
    let told = std::process::Command::new("clang").arg("--version").output().map(|output| output.stdout);
    let told = String::from_utf8_lossy(&told.unwrap_or_default()).into_owned();
    let version = told.split_once("clang version ").map_or("", |(_, version)| version);
    format!("clang-{}", version.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default())
}

/// Checks that the object of programs at functions lays out its variables as the first object does, whose maps it uses.
fn same_variables(out: &Path) -> Option<()> {
    let [first, functions] =
        ["stride", "functions"].map(|name| std::fs::read_to_string(out.join(format!("{name}.skel.rs"))));
    let (first, functions) = (first.ok()?, functions.ok()?);
    let layout = |skeleton: &str, of: &str| {
        let (_, rest) = skeleton.split_once(&format!("pub struct {of} {{"))?;
        rest.split_once('}').map(|(members, _)| members.to_owned())
    };
    ["bss", "rodata", "data_reader"]
        .iter()
        .all(|of| layout(&first, of).is_some() && layout(&first, of) == layout(&functions, of))
        .then_some(())
}

/// The names of the types whose layout an object's CO-RE relocations ask for (.BTF.ext; Documentation/bpf/btf.rst).
fn relocated_types(elf: &[u8]) -> Option<BTreeSet<String>> {
    let types = btf::Btf::parse(section(elf, ".BTF")?)?;
    let ext = section(elf, ".BTF.ext")?;
    let word = |at: usize| Some(u32::from_le_bytes(ext.get(at..at + 4)?.try_into().ok()?) as usize);
    let (start, len) = (word(4)? + word(24)?, word(28)?);
    let mut names = BTreeSet::new();
    let size = word(start)?;
    let mut at = start + 4;
    while at < start + len {
        let n = word(at + 4)?;
        at += 8;
        for _ in 0..n {
            names.insert(String::from_utf8(types.name(word(at + 4)? as u32).to_vec()).ok()?);
            at += size;
        }
    }
    Some(names)
}

/// Leaves out the lines of the source, which only the verifier's complaints would show, because each start of Stride would read them.
fn forget_lines(elf: &mut [u8]) -> Option<()> {
    const LEN_OF_LINES: usize = 20;
    let ext = section(elf, ".BTF.ext")?;
    let at = ext.as_ptr() as usize - elf.as_ptr() as usize + LEN_OF_LINES;
    elf.get_mut(at..at + 4)?.fill(0);
    Some(())
}

/// Leaves out the symbols of labels, of which the compiler makes two thousand: libbpf walks over all symbols once for each section and each variable, which takes
/// half of the time that it needs to open an object.
fn forget_labels(elf: &mut [u8]) -> Option<()> {
    const SYMBOLS: usize = 2;
    const RELOCATIONS: usize = 9;
    const SYMBOL: usize = 24;
    const RELOCATION: usize = 16;
    /// Where a relocation has the number of its symbol.
    const ITS_SYMBOL: usize = 12;
    // Symbols of these kinds stand for a variable, a function or a section.
    const NAMED: std::ops::RangeInclusive<u8> = 1..=3;
    let headers = headers(elf)?;
    let of_kind = |kind: usize| headers.iter().filter(move |header| header.kind == kind);
    let symbols = of_kind(SYMBOLS).next()?;
    let places: Vec<usize> = of_kind(RELOCATIONS)
        .flat_map(|header| (header.at..header.at + header.len).step_by(RELOCATION).map(|at| at + ITS_SYMBOL))
        .collect();
    let used = places.iter().map(|&at| number(elf, at, 4)).collect::<Option<BTreeSet<usize>>>()?;
    let mut kept = BTreeMap::new();
    for (old, at) in (0..).zip((symbols.at..symbols.at + symbols.len).step_by(SYMBOL)) {
        if old == 0 || used.contains(&old) || NAMED.contains(&(elf.get(at + 4)? & 0xf)) {
            elf.copy_within(at..at + SYMBOL, symbols.at + kept.len() * SYMBOL);
            kept.insert(old, kept.len() as u32);
        }
    }
    for at in places {
        let new = kept.get(&number(elf, at, 4)?)?.to_le_bytes();
        elf.get_mut(at..at + 4)?.copy_from_slice(&new);
    }
    let len = (kept.len() * SYMBOL).to_le_bytes();
    elf.get_mut(symbols.header + 0x20..symbols.header + 0x28)?.copy_from_slice(&len);
    Some(())
}

/// A number of so many bytes in a little-endian file.
fn number(elf: &[u8], at: usize, len: usize) -> Option<usize> {
    elf.get(at..at + len).map(|b| b.iter().rev().fold(0, |n: usize, &b| n << 8 | b as usize))
}

/// The header of a section: where it lies, its kind, and where the section is.
struct Header {
    header: usize,
    kind: usize,
    at: usize,
    len: usize,
}

/// The sections of a 64-bit little-endian ELF file (elf(5)).
fn headers(elf: &[u8]) -> Option<Vec<Header>> {
    let (first, size, n) = (number(elf, 0x28, 8)?, number(elf, 0x3a, 2)?, number(elf, 0x3c, 2)?);
    let header = |i: usize| {
        let header = first + i * size;
        let (kind, at, len) =
            (number(elf, header + 4, 4)?, number(elf, header + 0x18, 8)?, number(elf, header + 0x20, 8)?);
        Some(Header { header, kind, at, len })
    };
    (0..n).map(header).collect()
}

/// A section of such a file.
fn section<'a>(elf: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let headers = headers(elf)?;
    let contents = |header: &Header| elf.get(header.at..header.at + header.len);
    let strings = contents(headers.get(number(elf, 0x3e, 2)?)?)?;
    let is = |header: &&Header| {
        let at = number(elf, header.header, 4).unwrap_or(0);
        strings.get(at..).is_some_and(|s| s.split(|&b| b == 0).next() == Some(name.as_bytes()))
    };
    contents(headers.iter().find(is)?)
}
