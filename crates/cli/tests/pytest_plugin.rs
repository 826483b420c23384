//! The plugin for pytest (`integrations/pytest`): built as a wheel, installed in an environment below target/, and
//! tested with its own tests, under both engines.

mod common;

use common::*;
use std::path::Path;
use std::process::{Command, Output};

/// The packages in the virtual environment. Its name has their versions, so that a change of them makes a new
/// environment.
const PACKAGES: [&str; 3] = ["pytest==8.3.4", "setuptools==75.6.0", "wheel==0.45.1"];

fn run(program: impl AsRef<Path>, args: &[&str]) -> Output {
    let mut command = Command::new(program.as_ref());
    command.args(args).env_remove("LD_LIBRARY_PATH").env("PYTHONDONTWRITEBYTECODE", "1");
    command.output().unwrap_or_else(|e| panic!("{}: {e}", program.as_ref().display()))
}

#[test]
fn the_plugin_passes_its_tests() {
    need!("/usr/bin/python3");
    let place =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("python-{}", PACKAGES.join("-").replace("==", "-")));
    let python = place.join("bin/python");
    if !place.join("complete").exists() {
        let _ = std::fs::remove_dir_all(&place);
        let made = run("/usr/bin/python3", &["-m", "venv", &place.display().to_string()]);
        if !made.status.success() {
            skip!("python3 makes no environment (Debian: python3-venv): {}", text(&made.stdout).trim());
        }
        let options = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        let installed = run(&python, &[&options[..], &PACKAGES].concat());
        if !installed.status.success() {
            let why = text(&installed.stderr);
            skip!("pip cannot install {}: {}", PACKAGES.join(" "), why.lines().last().unwrap_or_default());
        }
        std::fs::write(place.join("complete"), "").unwrap();
    }
    // Building leaves files beside the sources, so it works on a copy.
    let scratch = Scratch::new("pytest");
    let copied = run(
        "/bin/cp",
        &["-r", &root().join("integrations/pytest").display().to_string(), &scratch.path("").display().to_string()],
    );
    assert!(copied.status.success(), "{copied:?}");
    let (sources, wheels) =
        (scratch.path("pytest").display().to_string(), scratch.path("wheels").display().to_string());
    let wheel =
        ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "-w"];
    let built = run(&python, &[&wheel[..], &[&wheels, &sources]].concat());
    assert!(built.status.success(), "{built:?}");
    let file = std::fs::read_dir(&wheels).unwrap().next().unwrap().unwrap().path().display().to_string();
    assert!(file.ends_with("/pytest_stride-0.1.0-py3-none-any.whl"), "{file}");
    // (The last run's wheel may be the same version with other contents.)
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", "--disable-pip-version-check"];
    let installed = run(&python, &[&install[..], &[&file]].concat());
    assert!(installed.status.success(), "{installed:?}");

    let engines: Vec<&str> = engines().iter().filter_map(|engine| engine.strip_prefix("--engine=")).collect();
    let tests = scratch.path("pytest/tests").display().to_string();
    let base = scratch.path("runs").display().to_string();
    let mut command = Command::new(&python);
    command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", &base, &tests]);
    command.env("PYTEST_STRIDE", STRIDE).env("STRIDE_ENGINES", engines.join(",")).env_remove("LD_LIBRARY_PATH");
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
    // None was left out.
    let message = text(&done.stdout);
    assert!(message.lines().last().is_some_and(|line| is(line, r"\d+ passed in .*")), "{message}");
}
