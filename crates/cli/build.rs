//! Tells `stride -V` of the commit that it was built from (`STRIDE_COMMIT`): the environment says which, such as in a release script
//! whose sources are no git repository, or else git does.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=STRIDE_COMMIT");
    let commit = std::env::var("STRIDE_COMMIT").ok().filter(|commit| !commit.is_empty());
    if let Some(commit) = commit.or_else(commit_of_repository) {
        println!("cargo:rustc-env=STRIDE_COMMIT={commit}");
    }
    let target = std::env::var("TARGET").expect("cargo sets TARGET");
    println!("cargo:rustc-env=STRIDE_TARGET={target}");
    link_at_fixed_addresses();
}

/// The tables of syscalls hold 67,000 addresses. A position-independent program relocates all of them at each start, which takes more than
/// half of the CPU time of `stride -V`. So `stride` is linked at fixed addresses. (`stride-broker`, which has privileges that its callers
/// have not, is position-independent. For musl, scripts/static says the same to rustc, which brings its own startup files.)
fn link_at_fixed_addresses() {
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|environment| environment == "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}

/// The commit of the repository in which these sources are. None if they are in no repository, or in somebody else's.
fn commit_of_repository() -> Option<String> {
    let top = git(&["rev-parse", "--show-toplevel"])?;
    let ours = std::fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).ok()?;
    if std::fs::canonicalize(top).ok()? != ours {
        return None;
    }
    // Each commit and checkout adds a line to the log of HEAD. (Cargo would build anew each time for the sake of a missing file.)
    if let Ok(log) = std::fs::canonicalize(git(&["rev-parse", "--git-path", "logs/HEAD"])?) {
        println!("cargo:rerun-if-changed={}", log.display());
    }
    println!("cargo:rerun-if-changed=build.rs");
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
