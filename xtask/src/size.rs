//! The size of the program by part, and what each heavy package is for: writes docs/size.md.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Packages from outside the workspace are listed if their code takes this much, with their purpose.
const HEAVY: u64 = 32 << 10;

/// The purposes of the heavy packages, with the option or the crate that brings each.
const PURPOSES: &[(&str, &str)] = &[
    (
        "C",
        "libbpf loads the kernel side, libelf and zlib read its objects (`engine-ebpf`); zstd compresses recordings and tables",
    ),
    ("addr2line", "lines of source and inlined functions (`stacks`)"),
    ("aho_corasick", "of regular expressions"),
    ("alloc", "Rust's library, with the generic code that others use of it"),
    ("antlr4rust", "the parser of `cel`"),
    ("cel", "expressions of `--where`, `--trigger` and `--switch-on` (`filter`)"),
    ("chrono", "days of the tables' directories and times of `cel`"),
    ("core", "Rust's library, with the generic code that others use of it"),
    ("cpp_demangle", "names of C++ functions (`stacks`)"),
    ("crc_fast", "checksums of what is uploaded (`object_store`)"),
    ("futures_util", "waiting for several answers of an object store (`object_store`)"),
    ("gimli", "debug information and unwind tables (`stacks`)"),
    ("hashbrown", "hash tables, one for each type that is kept in one"),
    ("http", "names and headers of HTTP (`ureq`, `object_store`)"),
    ("miniz_oxide", "compressed sections of debug information (`stacks`)"),
    ("object_store", "`--parquet=s3://...` (`store`)"),
    ("parquet", "`--parquet`"),
    ("quick_xml", "answers of object stores (`object_store`)"),
    ("regex_automata", "regular expressions: `-e trace=/REGEX`, `--called-from`"),
    ("regex_syntax", "of regular expressions"),
    ("ring", "the cryptography of `rustls`"),
    ("rustc_demangle", "names of Rust functions (`stacks`)"),
    ("rustls", "TLS to object stores (`store`)"),
    ("serde_core", "the frame of `serde_json` and of files of settings"),
    ("serde_json", "lines that another Stride sends to `--top`"),
    ("std", "Rust's library, with the generic code that others use of it"),
    ("tokio", "waiting and timers in a thread of their own (`store`, for `object_store`)"),
    ("toml_parser", "files of `--budget` and `--advise-config`"),
    ("ureq", "HTTP to object stores (`store`)"),
    ("ureq_proto", "the protocol of HTTP, for `ureq`"),
    ("url", "addresses of object stores (`object_store`)"),
    ("webpki", "certificates, for `rustls`"),
];

/// `program` is a release build that still has its symbols.
pub fn run(program: &str) -> Result<()> {
    let code = code_by_crate(&output("nm", &["-S", "-C", program])?);
    ensure!(!code.is_empty(), "{program} has no symbols: build it with `--config profile.release.strip=false`");
    let sections = sections(&output("size", &["-A", program])?);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the repository")?;
    let lock = fs::read_to_string(root.join("Cargo.lock"))?;
    let packages = lock.lines().filter(|line| *line == "[[package]]").count();
    let text = page(&code, &sections, packages)?;
    fs::write(root.join("docs/size.md"), text)?;
    Ok(())
}

fn output(program: &str, args: &[&str]) -> Result<String> {
    let output = Command::new(program).args(args).output().with_context(|| format!("{program} is part of binutils"))?;
    ensure!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Bytes of code by crate, from lines such as `000000000035edbc 0000000000004bd8 t cel::parser::parse`.
fn code_by_crate(symbols: &str) -> BTreeMap<String, u64> {
    let mut sizes = BTreeMap::new();
    for line in symbols.lines() {
        let mut words = line.splitn(4, ' ');
        let (Some(_), Some(size), Some("t" | "T"), Some(name)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        if let Ok(size) = u64::from_str_radix(size, 16) {
            *sizes.entry(crate_of(name)).or_default() += size;
        }
    }
    sizes
}

/// The crate of a function, by its demangled name. Methods of a trait count for the type.
fn crate_of(name: &str) -> String {
    let mut rest = name;
    while let Some(shorter) =
        ["<", "&", "[", "(", "mut ", "dyn ", "T as "].iter().find_map(|start| rest.strip_prefix(start))
    {
        rest = shorter;
    }
    let first = rest.split("::").next().unwrap_or_default();
    let is_crate = rest.contains("::") && first.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if is_crate { first.to_owned() } else { "C".to_owned() }
}

/// The sections that take room in the stripped file, the largest first.
fn sections(listed: &str) -> Vec<(String, u64)> {
    let section = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.strip_prefix('.')?.to_owned(), words.next()?.parse().ok()?))
    };
    let mut all: Vec<(String, u64)> = listed.lines().filter_map(section).collect();
    all.retain(|(name, _)| name != "bss" && !name.starts_with("debug"));
    all.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    all
}

fn page(code: &BTreeMap<String, u64>, sections: &[(String, u64)], packages: usize) -> Result<String> {
    let mib = |bytes: u64| format!("{:.2}", bytes as f64 / (1 << 20) as f64);
    let mut text = String::from(
        "# The size of the program\n\n<!-- Made by `cargo xtask size PROGRAM` from a release build with symbols; do not edit. -->\n\n",
    );
    let total: u64 = sections.iter().map(|(_, size)| size).sum();
    writeln!(
        text,
        "The released program is stripped, and takes {} MiB. `Cargo.lock` has {packages} packages, those of tests and tools included.\n",
        mib(total)
    )?;
    writeln!(text, "| section | MiB |\n|---|---:|")?;
    for (name, size) in sections.iter().filter(|(_, size)| *size >= HEAVY) {
        writeln!(text, "| .{name} | {} |", mib(*size))?;
    }
    writeln!(
        text,
        "\nCode by crate. Generic code counts for the crate that defines it.\n\n| crate | MiB | what it is for |\n|---|---:|---|"
    )?;
    let mut heavy: Vec<_> = code.iter().filter(|(_, size)| **size >= HEAVY).collect();
    heavy.sort_by_key(|(_, size)| std::cmp::Reverse(**size));
    for (name, size) in heavy {
        let purpose = match (PURPOSES.iter().find(|(known, _)| known == name), name.strip_prefix("stride_")) {
            (Some((_, purpose)), _) => (*purpose).to_owned(),
            (None, Some(own)) => format!("`crates/{}`", own.replace('_', "-")),
            (None, None) if name == "stride" => "`crates/cli`".to_owned(),
            (None, None) => {
                bail!("{name} takes {size} bytes of code: say in xtask/src/size.rs what it is for, or leave it out")
            }
        };
        writeln!(text, "| {name} | {} | {purpose} |", mib(*size))?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_of_symbols() {
        for (symbol, expected) in [
            ("cel::parser::parse", "cel"),
            ("<stride_filter::Expression as core::fmt::Debug>::fmt", "stride_filter"),
            ("<&mut [gimli::read::Reader] as core::fmt::Debug>::fmt", "gimli"),
            ("bpf_object__open", "C"),
            ("<T as alloc::string::ToString>::to_string", "alloc"),
        ] {
            assert_eq!(crate_of(symbol), expected, "{symbol}");
        }
    }

    #[test]
    fn sections_of_the_stripped_file() {
        let listed = "stride :\nsection size addr\n.rodata 10 0\n.text 20 0\n.bss 90 0\n.debug_info 90 0\nTotal 210\n";
        assert_eq!(sections(listed), [("text".to_owned(), 20), ("rodata".to_owned(), 10)]);
    }

    #[test]
    fn code_is_added_up_and_data_is_not() {
        let symbols = "0000000000001000 0000000000000010 t cel::a\n0000000000002000 0000000000000020 T cel::b\n\
                       0000000000003000 0000000000000040 r cel::DATA\n                 U malloc\n";
        assert_eq!(code_by_crate(symbols), BTreeMap::from([("cel".to_owned(), 0x30)]));
    }
}
