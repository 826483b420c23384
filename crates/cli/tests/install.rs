//! `make install` and `make uninstall`.

mod common;

use common::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

fn make(args: &[&str]) -> Output {
    let stride = format!("STRIDE={STRIDE}");
    Command::new("make").args(["-s", "-C"]).arg(root()).arg(stride).args(args).env_remove("MAKEFLAGS").output().unwrap()
}

/// Everything below a directory, by relative path.
fn below(dir: &Path) -> BTreeSet<String> {
    let out = Command::new("find").arg(dir).args(["-mindepth", "1", "-printf", "%P\n"]).output().unwrap();
    String::from_utf8(out.stdout).unwrap().lines().map(str::to_owned).collect()
}

const FILES: [(&str, u32); 12] = [
    ("bin/stride", 0o755),
    ("bin/stride-agent", 0o755),
    ("bin/stride-broker", 0o755),
    ("bin/stride-ci", 0o755),
    ("bin/stride-mcp", 0o755),
    ("lib/systemd/system/stride-agent.service", 0o644),
    ("lib/systemd/system/stride-broker.service", 0o644),
    ("lib/systemd/system/stride-broker.socket", 0o644),
    ("share/bash-completion/completions/stride", 0o644),
    ("share/fish/vendor_completions.d/stride.fish", 0o644),
    ("share/man/man1/stride.1", 0o644),
    ("share/zsh/site-functions/_stride", 0o644),
];

/// A further program that is installed and was not built.
fn missing() -> Option<&'static str> {
    ["stride-broker", "stride-mcp", "stride-agent"]
        .into_iter()
        .find(|name| !Path::new(STRIDE).with_file_name(name).exists())
}

#[test]
fn what_is_installed_runs_and_is_taken_away_again() {
    use std::os::unix::fs::PermissionsExt;
    need!("/usr/bin/make");
    if let Some(name) = missing() {
        skip!("`cargo build -p {name}` must have built it");
    }
    let scratch = Scratch::new("install");
    let home = scratch.path("home");
    std::fs::create_dir_all(home.join("share/man/man1")).unwrap();
    std::fs::write(home.join("share/man/man1/other.1"), "").unwrap();
    let before = below(&home);
    let prefix = format!("PREFIX={}", home.display());
    // A second installation changes nothing.
    for _ in 0..2 {
        let output = make(&["install", &prefix]);
        assert!(output.status.success(), "{output:?}");
    }
    for (file, mode) in FILES {
        let found = std::fs::metadata(home.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(found.len() > 300 && found.permissions().mode() & 0o7777 == mode, "{file}: {found:?}");
    }
    let unit = std::fs::read_to_string(home.join("lib/systemd/system/stride-broker.service")).unwrap();
    assert!(unit.contains(&format!("\nExecStart={}/bin/stride-broker ", home.display())), "{unit}");
    let output = Command::new(home.join("bin/stride")).args(["--engine=ptrace", "-e", "trace=none", "true"]).output();
    assert!(output.as_ref().is_ok_and(|output| output.status.success()), "{output:?}");
    let output = make(&["uninstall", &prefix]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(below(&home), before);
    let again = make(&["uninstall", &prefix]);
    assert!(!again.status.success() && text(&again.stderr).contains("nothing to remove"), "{again:?}");
}

#[test]
fn a_package_is_staged_below_destdir() {
    need!("/usr/bin/make");
    if let Some(name) = missing() {
        skip!("`cargo build -p {name}` must have built it");
    }
    let scratch = Scratch::new("destdir");
    let stage = scratch.path("stage");
    let destdir = format!("DESTDIR={}", stage.display());
    let output = make(&["install", "PREFIX=/usr", &destdir]);
    assert!(output.status.success(), "{output:?}");
    for (file, _) in FILES {
        assert!(stage.join("usr").join(file).exists(), "{file}");
    }
    assert!(make(&["uninstall", "PREFIX=/usr", &destdir]).status.success());
    assert!(!stage.join("usr").exists());
}

#[test]
fn what_cannot_be_installed_is_told() {
    need!("/usr/bin/make");
    let scratch = Scratch::new("uninstallable");
    std::fs::write(scratch.path("file"), "").unwrap();
    for (args, message) in [
        (["install", "PREFIX=here", "DESTDIR="], "has to begin with a slash"),
        (["install", "STRIDE=no/such/program", "PREFIX=/nonexistent"], "run 'make build' first"),
        (["install", &format!("PREFIX={}", scratch.path("file").display()), "DESTDIR="], "cannot make the directory"),
    ] {
        let output = make(&args);
        assert!(!output.status.success() && text(&output.stderr).contains(message), "{args:?}: {output:?}");
    }
}
