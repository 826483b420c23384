//! System call numbers, from the `__NR_` macros of the C headers.

use super::{Abi, abi::facts::Unistd, headers::Source};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// From this number on, a call has the same number in all ABIs.
const COMMON: u32 = 403;

/// The kernel's build generates x86's tables, which Debian packages separately; these come with linux-libc-dev. They
/// may be older than the kernel headers, so newer calls come from asm-generic.
const X86: &str = "/usr/include/x86_64-linux-gnu/asm";

/// Names by number for each ABI in their order, and the calls that only x32 has.
pub struct Numbers {
    pub tables: Vec<BTreeMap<u32, String>>,
    pub x32: BTreeMap<u32, String>,
}

pub fn gather(source: &Source, root: &Path) -> Result<Numbers> {
    let extra = parse(&fs::read_to_string(root.join("xtask/extra/unistd.tbl")).context("cannot read unistd.tbl")?)?;
    let mut tables = Abi::ALL.map(|abi| own(source, abi)).into_iter().collect::<Result<Vec<_>>>()?;
    let is_generic = |abi: &Abi| matches!(abi.facts().unistd, Unistd::Generic(_));
    for (abi, table) in Abi::ALL.iter().zip(&mut tables) {
        if is_generic(abi) {
            table.extend(extra.clone());
        }
    }
    let generic = Abi::ALL.iter().position(is_generic).context("no ABI has the generic list of calls")?;
    let common: BTreeMap<u32, String> =
        tables[generic].iter().filter(|(number, _)| **number > 423).map(|(nr, name)| (*nr, name.clone())).collect();
    for (number, name) in &common {
        for (abi, table) in Abi::ALL.iter().zip(&mut tables) {
            if table.entry(*number).or_insert_with(|| name.clone()) != name {
                bail!("system call {number} is not {name} on {}", abi.name());
            }
        }
    }
    let mut x32 = header("unistd_x32.h")?;
    x32.retain(|number, _| (512..COMMON + 200).contains(number));
    Ok(Numbers { tables, x32 })
}

fn own(source: &Source, abi: Abi) -> Result<BTreeMap<u32, String>> {
    match abi.facts().unistd {
        Unistd::Header(file, newer) => {
            let mut calls = header(file)?;
            calls.extend(newer.iter().map(|(number, name)| (*number, name.to_string())));
            Ok(calls)
        }
        Unistd::Generic(wants) => generic(source, abi, wants),
    }
}

fn header(file: &str) -> Result<BTreeMap<u32, String>> {
    let path = Path::new(X86).join(file);
    let text = fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}: install the Debian package linux-libc-dev", path.display()))?;
    defines(&text)
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

/// The generic list, as an ABI chooses from it.
fn generic(source: &Source, abi: Abi, wants: &[&str]) -> Result<BTreeMap<u32, String>> {
    let work = source.work_dir(abi)?;
    let main = work.join("unistd.c");
    let wants: String = wants.iter().map(|want| format!("#define __ARCH_WANT_{want}\n")).collect();
    fs::write(&main, format!("{wants}#include <asm-generic/unistd.h>\n"))?;
    let output = source.clang(abi, &work).args(["-E", "-dM"]).arg(&main).output()?;
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
