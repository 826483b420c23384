//! The architecture's invariants: dependencies point one way, only engines contain unsafe code, values have no
//! punctuation, documents name what is there, and licences of dependencies ask for no more than a notice.

mod circles;
mod documents;
mod licences;
mod names;
mod source;
mod types;
mod values;

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

/// Each crate with the Stride crates it may use: `syscalls ← event ← {engine-base ← engines ← broker, decode, filter,
/// record} ← track ← advise ← {output ← compare, output ← parquet, proc, stacks} ← session ← top ← cli`.
const LAYERS: &[(&str, &[&str])] = &[
    ("uapi", &[]),
    ("syscalls", &["uapi"]),
    ("event", &["syscalls"]),
    ("engine-base", &["syscalls", "event"]),
    ("engine-ptrace", &["syscalls", "event", "engine-base"]),
    ("engine-ebpf", &["syscalls", "event", "engine-base"]),
    ("broker", &["engine-base", "engine-ebpf"]),
    ("decode", &["uapi", "syscalls", "event"]),
    ("filter", &["syscalls", "event"]),
    ("record", &["syscalls", "event"]),
    ("track", &["syscalls", "event", "decode"]),
    ("advise", &["syscalls", "event", "filter", "track"]),
    ("output", &["syscalls", "event", "decode", "track", "advise"]),
    ("compare", &["syscalls", "event", "filter", "track", "output"]),
    ("parquet", &["syscalls", "event", "decode", "track", "output"]),
    ("proc", &["syscalls", "event", "engine-base", "decode", "filter", "record"]),
    ("test-support", &["syscalls", "event"]),
    ("stacks", &["syscalls", "event", "engine-base"]),
    (
        "session",
        &[
            "syscalls",
            "event",
            "engine-base",
            "engine-ptrace",
            "engine-ebpf",
            "decode",
            "filter",
            "record",
            "track",
            "output",
            "compare",
            "proc",
            "stacks",
        ],
    ),
    ("top", &["syscalls", "event", "engine-base", "decode", "filter", "track", "output", "proc", "session"]),
    // The program knows options and views. Calls are decoded, followed and recorded behind the session's door.
    (
        "cli",
        &[
            "uapi",
            "syscalls",
            "event",
            "engine-base",
            "engine-ptrace",
            "engine-ebpf",
            "filter",
            "advise",
            "output",
            "compare",
            "parquet",
            "session",
            "top",
        ],
    ),
];

pub fn run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let dir = entry?.path();
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        layers(&dir, &name, &mut wrong)?;
        circles::check(&dir, &name, &mut wrong)?;
        names::check(&dir, &name, &mut wrong)?;
        values::check(&dir, &name, &mut wrong)?;
        if !name.starts_with("engine-") {
            no_unsafe(&dir.join("src"), &mut wrong)?;
        }
    }
    types::check(&root.join("crates"), &mut wrong)?;
    documents::check(&root, &mut wrong)?;
    licences::check(&root, &mut wrong)?;
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!(
        "{} crates: dependencies point one way, unsafe stays in the engines, facts about syscalls on their rows, a name is one type's, decoded values have no punctuation, documents name what is there, licences ask for no more than a notice",
        LAYERS.len()
    );
    Ok(())
}

fn layers(dir: &Path, name: &str, wrong: &mut Vec<String>) -> Result<()> {
    let manifest = dir.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?;
    let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
        wrong.push(format!("crates/{name}: give it a place among the layers in xtask/src/check/mod.rs"));
        return Ok(());
    };
    // Tests may use any crate, so dev-dependencies are left out. Other crates must not depend on crates for tests.
    let mut section = "";
    for line in text.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let Some(used) = line.strip_prefix("stride-") else { continue };
        let used = used.split(['.', ' ', '=']).next().unwrap_or_default();
        if section == "[dependencies]" && !allowed.contains(&used) {
            wrong.push(format!("crates/{name} depends on stride-{used}, which is not below it"));
        }
    }
    Ok(())
}

fn no_unsafe(dir: &Path, wrong: &mut Vec<String>) -> Result<()> {
    for file in source::files(dir)? {
        let text = fs::read_to_string(&file)?;
        for (i, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "allow(unsafe_code)"]
                .iter()
                .any(|u| code.contains(u))
            {
                wrong.push(format!("{}:{}: unsafe code outside the engines", file.display(), i + 1));
            }
        }
    }
    Ok(())
}
