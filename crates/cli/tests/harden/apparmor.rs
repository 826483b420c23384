//! Profiles for AppArmor, parsed by its own tool.

use super::common::{Scratch, engines};
use super::rules;
use std::path::Path;
use std::process::Command;

/// The parser of AppArmor takes the profile, with names that a program chose to break it.
#[test]
fn a_profile_for_apparmor() {
    const HOSTILE: &str =
        "mkdir 'a\" rw,' && echo x >'a\" rw,/*?[]{}^@{HOME}\\' && ln -s d 'l # \"' && mv 'a\" rw,' b, && cat b,/*";
    for engine in engines() {
        let scratch = Scratch::new(&format!("harden-apparmor{engine}"));
        for format in ["--harden=apparmor", "--harden=apparmor-log"] {
            let rules = rules(&scratch, engine, &[format], HOSTILE);
            assert!(rules.contains(" mrix, # execve by ") && rules.contains("libc.so.6\" mr, # "), "{engine}: {rules}");
            let shell = std::fs::canonicalize("/bin/sh").unwrap();
            assert!(
                rules.contains(&format!(
                    "\nprofile stride-{} \"{}\"",
                    shell.file_name().unwrap().display(),
                    shell.display()
                )),
                "{rules}"
            );
            is_understood_by_apparmor(&scratch);
            for made in ["b,", "l # \""] {
                let path = scratch.path(made);
                std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path)).unwrap();
            }
        }
    }
}

fn is_understood_by_apparmor(scratch: &Scratch) {
    const PARSER: &str = "/usr/sbin/apparmor_parser";
    if !Path::new(PARSER).exists() || !Path::new("/etc/apparmor.d/abi/3.0").exists() {
        stride_test_support::skipped::report(format_args!("no {PARSER} with its ABI 3.0"));
        return;
    }
    // (Without the kernel and without a cache.)
    let parsed = Command::new(PARSER).args(["-Q", "-K"]).arg(scratch.path("rules")).output().unwrap();
    assert!(parsed.status.success(), "{parsed:?}\n{}", scratch.read("rules"));
}
