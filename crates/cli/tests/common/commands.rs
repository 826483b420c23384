//! Compiles a program of any language, or finds its interpreter.

use super::{Scratch, cc, stem, text};
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// The words with which the program of a file is run. An error says which compiler or interpreter is missing.
pub fn command_of(file: &Path, scratch: &Scratch) -> Result<Vec<String>, String> {
    let source = file.to_string_lossy().into_owned();
    let built = scratch.path("program");
    let program = vec![built.to_string_lossy().into_owned()];
    match file.extension().unwrap_or_default().to_str().unwrap_or_default() {
        "c" => cc(file, &built).map(|()| program),
        "rs" => {
            build(Command::new("rustc").args(["--edition=2021", "-O", "-o"]).arg(&built).arg(&source)).map(|()| program)
        }
        "go" => {
            let mut go = Command::new("go");
            if std::env::var_os("HOME").is_none() {
                go.env("GOCACHE", scratch.path("cache"));
            }
            build(go.args(["build", "-o"]).arg(&built).arg(&source)).map(|()| program)
        }
        "java" => {
            let classes = scratch.path("classes").to_string_lossy().into_owned();
            build(Command::new("javac").args(["-d", &classes]).arg(&source))?;
            Ok(["java", "-cp", &classes, &stem(file)].map(str::to_owned).to_vec())
        }
        "py" => python().map(|python| vec![python, source]),
        "js" => interpreter("node", source),
        "pl" => interpreter("perl", source),
        "sh" => interpreter("bash", source),
        other => panic!("{source}: nothing runs files that end in {other:?}"),
    }
}

/// Python's interpreter itself: a wrapper that chooses between versions would be traced as well.
fn python() -> Result<String, String> {
    static PYTHON: LazyLock<Result<String, String>> = LazyLock::new(|| {
        let found = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        let found = found.map_err(|why| format!("the python3 command does not run: {why}"))?;
        Ok(text(&found.stdout).trim().to_owned())
    });
    PYTHON.clone()
}

fn interpreter(name: &str, source: String) -> Result<Vec<String>, String> {
    match Command::new(name).arg("--version").output() {
        Ok(_) => Ok(vec![name.to_owned(), source]),
        Err(why) => Err(format!("the {name} command does not run: {why}")),
    }
}

fn build(compiler: &mut Command) -> Result<(), String> {
    let name = Path::new(compiler.get_program()).to_string_lossy().into_owned();
    // Flags that cargo sets for this test are not meant for other programs.
    let output = compiler
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .map_err(|why| format!("the {name} command does not run: {why}"))?;
    if output.status.success() { Ok(()) } else { panic!("{name}: {}", text(&output.stderr)) }
}
