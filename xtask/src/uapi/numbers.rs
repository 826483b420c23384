//! System call numbers, from the `__NR_` macros of the C headers.

use super::{Abi, headers::Source};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// From this number on, a call has the same number in all ABIs.
const COMMON: u32 = 403;

/// The kernel's build generates x86's tables, which Debian packages separately; these come with linux-libc-dev. They
/// may be older than the kernel headers, so newer calls come from asm-generic.
const X86: &str = "/usr/include/x86_64-linux-gnu/asm";

/// Names by number for each ABI: x86_64, i386, aarch64, and the calls that only x32 has.
pub struct Numbers {
    pub tables: Vec<(&'static str, BTreeMap<u32, String>)>,
}

pub fn gather(source: &Source, root: &Path) -> Result<Numbers> {
    let mut aarch64 = aarch64(source)?;
    let extra = parse(&fs::read_to_string(root.join("xtask/extra/unistd.tbl")).context("cannot read unistd.tbl")?)?;
    aarch64.extend(extra);
    let common: BTreeMap<u32, String> =
        aarch64.iter().filter(|(number, _)| **number > 423).map(|(number, name)| (*number, name.clone())).collect();
    let x86 = |file: &str| -> Result<BTreeMap<u32, String>> {
        let path = Path::new(X86).join(file);
        let text = fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}: install the Debian package linux-libc-dev", path.display()))?;
        defines(&text)
    };
    let (mut x86_64, mut i386, mut x32) = (x86("unistd_64.h")?, x86("unistd_32.h")?, x86("unistd_x32.h")?);
    // arch/x86/entry/syscalls/syscall_64.tbl: uretprobe since 6.11, uprobe since 6.18; not on others.
    x86_64.insert(335, "uretprobe".into());
    x86_64.insert(336, "uprobe".into());
    for table in [&mut x86_64, &mut i386] {
        for (number, name) in &common {
            table.entry(*number).or_insert_with(|| name.clone());
        }
    }
    x32.retain(|number, _| (512..COMMON + 200).contains(number));
    for (number, name) in &common {
        if x86_64.get(number) != Some(name) || i386.get(number) != Some(name) {
            bail!("system call {number} is not {name} on x86");
        }
    }
    Ok(Numbers { tables: vec![("X86_64", x86_64), ("I386", i386), ("AARCH64", aarch64), ("X32", x32)] })
}

/// `#define __NR_name number` lines, as the kernel's build writes them.
fn defines(text: &str) -> Result<BTreeMap<u32, String>> {
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some("#define"), Some(name), Some(value)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let Some(name) = name.strip_prefix("__NR_") else {
            continue;
        };
        // x32: (__X32_SYSCALL_BIT + 512)
        let number =
            if value.starts_with('(') { words.last().unwrap_or_default().trim_end_matches(')') } else { value };
        found.insert(number.parse().with_context(|| format!("not a number: {line}"))?, name.to_string());
    }
    Ok(found)
}

/// `number name` lines.
fn parse(text: &str) -> Result<BTreeMap<u32, String>> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or(line).trim()).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (number, name) = line.split_once(' ').with_context(|| format!("not `number name`: {line}"))?;
            Ok((number.parse()?, name.trim().to_string()))
        })
        .collect()
}

/// arm64 uses the generic list. Its choices are macros in its own unistd.h up to 6.10, and in scripts/syscall.tbl since
/// then.
fn aarch64(source: &Source) -> Result<BTreeMap<u32, String>> {
    let work = source.work_dir(Abi::Aarch64)?;
    let main = work.join("unistd.c");
    let wants = ["RENAMEAT", "NEW_STAT", "SET_GET_RLIMIT", "SYS_CLONE3", "MEMFD_SECRET"];
    let wants: String = wants.iter().map(|want| format!("#define __ARCH_WANT_{want}\n")).collect();
    fs::write(&main, format!("{wants}#include <asm-generic/unistd.h>\n"))?;
    let output = source.clang(Abi::Aarch64, &work).args(["-E", "-dM"]).arg(&main).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let macros: BTreeMap<&str, &str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("#define __NR")?.split_once(' '))
        .map(|(name, value)| (name, value.trim()))
        .collect();
    let mut found = BTreeMap::new();
    for (name, value) in &macros {
        let Some(name) = name.strip_prefix('_').filter(|name| *name != "syscalls") else {
            continue;
        };
        // __NR_mmap is __NR3264_mmap is 222.
        let value = value.strip_prefix("__NR").and_then(|other| macros.get(other).copied()).unwrap_or(value);
        // __NR_arch_specific_syscall and similar names stand for a range.
        let Ok(number) = value.parse() else { continue };
        if name != "arch_specific_syscall" {
            found.insert(number, name.to_string());
        }
    }
    if found.len() < 300 {
        bail!("asm-generic/unistd.h gives {} calls only", found.len());
    }
    Ok(found)
}
