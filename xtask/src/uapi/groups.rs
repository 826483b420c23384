//! Headers that contradict each other must not share a translation unit, but one unit per header would need three
//! thousand runs of clang. So all headers are compiled together, those that clang blames go to the next unit, and so
//! on, until each header is in a unit or known to be broken.

use super::{Abi, headers::Source};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The headers of one translation unit, in order of inclusion.
pub type Group = Vec<String>;

/// Every unit starts with these, as most programs do; many headers rely on it.
const PRELUDE: &str = "#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n#include <limits.h>\n#include <linux/types.h>\n\
                       #include <xen/interface/xen.h>\n";

/// The C text of a group. Each line is one header, so that a line number in an error names the header.
pub fn text(group: &[String]) -> String {
    let includes: String = group.iter().map(|name| format!("#include <{name}>\n")).collect();
    format!("{PRELUDE}{includes}")
}

pub fn partition(abi: Abi, source: &Source, work: &Path) -> Result<Vec<Group>> {
    let mut pending = source.headers(abi)?;
    // scraped.h repeats names that other headers spell differently, so it gets a unit of its own.
    let mut groups = vec![vec!["scraped.h".to_string()]];
    pending.retain(|name| name != "scraped.h");
    let extra = pending.iter().take_while(|name| !name.contains('/')).count(); // they have no folder
    let rest = pending.split_off(extra);
    groups.insert(0, pending); // ours, which must agree among themselves
    if let Some(blamed) = blame(abi, source, work, &groups[0], true)?.first() {
        bail!("xtask/extra/{blamed} does not compile for {}: see {}", abi.name(), work.join("blame.log").display());
    }
    let mut pending = rest;
    while !pending.is_empty() {
        let mut group = pending.clone();
        let mut out = BTreeSet::new();
        loop {
            let blamed = blame(abi, source, work, &group, true)?;
            if blamed.is_empty() {
                break;
            }
            out.extend(blamed.iter().cloned());
            group.retain(|name| !blamed.contains(name));
        }
        pending.retain(|name| out.contains(name));
        if group.is_empty() {
            // All remaining headers conflict with each other or are broken: each is tried alone, with redefinitions
            // allowed.
            for name in std::mem::take(&mut pending) {
                if blame(abi, source, work, std::slice::from_ref(&name), false)?.is_empty() {
                    groups.push(vec![name]);
                } else if abi == Abi::X86_64 {
                    eprintln!("skipped, does not compile: {name}");
                }
            }
        } else {
            groups.push(group);
        }
    }
    Ok(groups)
}

/// The headers of a group that clang refuses.
fn blame(abi: Abi, source: &Source, work: &Path, group: &[String], strict: bool) -> Result<Vec<String>> {
    if group.is_empty() {
        return Ok(Vec::new());
    }
    let main = work.join("blame.c");
    fs::write(&main, text(group))?;
    let mut clang = source.clang(abi, work);
    if strict {
        clang.arg("-Werror=macro-redefined");
    }
    let output = clang.arg("-fsyntax-only").arg(&main).output().context("cannot run clang")?;
    let log = String::from_utf8_lossy(&output.stderr);
    fs::write(work.join("blame.log"), log.as_bytes())?;
    let main = main.to_string_lossy();
    let skip = PRELUDE.lines().count();
    let mut blamed = Vec::new();
    // clang prints the chain of inclusion only if it differs from that of the last diagnostic, notes included. So the
    // last chain is remembered, and each error belongs to it.
    let mut current: Option<usize> = None;
    let mut pending_error = false;
    for line in log.lines() {
        let included = line.strip_prefix("In file included from ").unwrap_or(line);
        if let Some(rest) = included.strip_prefix(&*main).and_then(|rest| rest.strip_prefix(':')) {
            current = rest.split(':').next().and_then(|number| number.parse().ok());
        }
        if line.contains(": error: ") || line.contains(": fatal error: ") {
            pending_error = true;
            let Some(number) = current else { bail!("clang complains of nothing of ours: {line}") };
            let Some(name) = number.checked_sub(skip + 1).and_then(|index| group.get(index)) else {
                bail!("the prelude does not compile: {line}")
            };
            if !blamed.contains(name) {
                blamed.push(name.clone());
            }
        }
    }
    if !output.status.success() && !pending_error {
        bail!("clang failed: {log}");
    }
    Ok(blamed)
}
