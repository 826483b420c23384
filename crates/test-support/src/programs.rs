//! The C programs in `tests/`, compiled.

use crate::scratch::target_tmp;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The programs of a directory below `tests/`, sorted by name.
pub fn sources(dir: &str) -> Vec<PathBuf> {
    let dir = root().join("tests").join(dir);
    let entries = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut sources: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    sources.sort();
    assert!(!sources.is_empty(), "no programs in {}", dir.display());
    sources
}

/// The name of a program's source without its ending.
pub fn stem(source: &Path) -> String {
    source.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A compiled program, or the reason why the machine cannot compile it.
pub type Program = Result<&'static Path, String>;

/// Compiles a C program. Without a C compiler the result is an `Err`. A program that the compiler refuses fails the
/// test.
pub fn cc(source: &Path, program: &Path) -> Result<(), String> {
    build(Command::new("cc").args(["-O1", "-w", "-pthread"]), source, program)
}

/// The same, with the lines of the source in the program.
pub fn cc_with_lines(source: &Path, program: &Path) -> Result<(), String> {
    build(Command::new("cc").args(["-O1", "-g", "-w", "-pthread"]), source, program)
}

/// Compiles an eBPF program, if there is a clang for that target.
pub fn clang_bpf(source: &Path, object: &Path) -> Result<(), String> {
    let arch = format!("-D__{}__", std::env::consts::ARCH);
    build(Command::new("clang").args(["-target", "bpf", "-g", "-O2", &arch, "-c"]), source, object)
}

fn build(compiler: &mut Command, source: &Path, to: &Path) -> Result<(), String> {
    let name = compiler.get_program().to_string_lossy().into_owned();
    match compiler.arg("-o").arg(to).arg(source).output() {
        Err(why) => Err(format!("no C compiler: {name}: {why}")),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => panic!("{name} {}: {}", source.display(), String::from_utf8_lossy(&output.stderr)),
    }
}

/// Compiles `tests/programs/NAME.c`, once per process.
pub fn compile(name: &'static str) -> Program {
    static BUILT: Mutex<Option<HashMap<&str, Program>>> = Mutex::new(None);
    let mut built = BUILT.lock().unwrap_or_else(|e| e.into_inner());
    built.get_or_insert_default().entry(name).or_insert_with(|| up_to_date(name)).clone()
}

fn up_to_date(name: &str) -> Program {
    let source = root().join("tests/programs").join(format!("{name}.c"));
    let text = std::fs::read(&source).unwrap_or_else(|e| panic!("{}: {e}", source.display()));
    // (A large program has a part in a header of its name.)
    let header = std::fs::read(source.with_extension("h")).ok();
    let mut version = DefaultHasher::new();
    (text, header).hash(&mut version);
    let program = target_tmp().join(format!("{name}-{:016x}", version.finish()));
    if !program.exists() {
        // Other processes may compile the same program now.
        let own = target_tmp().join(format!("{name}-{}", std::process::id()));
        cc(&source, &own)?;
        std::fs::rename(&own, &program).unwrap();
    }
    Ok(Box::leak(program.into_boxed_path()))
}
