//! `ci/get-stride`, by which the Action finds the released program of its version: on releases that are directories.

mod common;

use common::*;
use std::path::PathBuf;
use std::process::Command;

/// A place with a release whose archive holds a program that says that it is Stride.
struct Releases(Scratch);

impl Releases {
    fn new(name: &str) -> Releases {
        let releases = Releases(Scratch::new(name));
        let name = Releases::name();
        let program = releases.0.path(&name).join("bin/stride");
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        std::fs::create_dir_all(releases.release()).unwrap();
        std::fs::write(&program, "#!/bin/sh\necho stride -- version 0\n").unwrap();
        let archive = releases.release().join(format!("{name}.tar.gz"));
        releases.shell(&format!("chmod +x {name}/bin/stride && tar -czf '{}' {name}", archive.display()));
        releases.shell(&format!("cd '{}' && sha256sum -- *.tar.gz >SHA256SUMS", releases.release().display()));
        releases
    }

    /// The name that `make release` gives the archive.
    fn name() -> String {
        format!("stride-{}-{}-linux", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH)
    }

    fn release(&self) -> PathBuf {
        self.0.path("releases/download").join(concat!("v", env!("CARGO_PKG_VERSION")))
    }

    fn shell(&self, script: &str) {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(self.0.path(""));
        let run = Run::of(command);
        assert!(run.status.success(), "{run:?}");
    }

    fn get(&self) -> Run {
        let mut command = Command::new(root().join("ci/get-stride"));
        command.arg(format!("file://{}", self.0.path("").display().to_string().trim_end_matches('/')));
        command.arg(self.0.path("got"));
        Run::of(command)
    }
}

#[test]
fn the_released_program_is_taken() {
    need!("/usr/bin/curl");
    let releases = Releases::new("get-stride");
    let run = releases.get();
    let expected = releases.0.path("got").join(Releases::name()).join("bin/stride");
    assert_eq!((run.code(), run.out.trim()), (Some(0), expected.to_str().unwrap()), "{run:?}");
    assert!(run.err.contains("stride -- version"), "{run:?}");
}

#[test]
fn without_a_release_it_says_so_and_names_no_program() {
    need!("/usr/bin/curl");
    let releases = Releases::new("get-stride-none");
    std::fs::remove_dir_all(releases.0.path("releases")).unwrap();
    let run = releases.get();
    assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{run:?}");
    assert!(run.err.contains("there is no file://"), "{run:?}");
}

#[test]
fn a_file_that_is_not_the_released_one_is_refused() {
    need!("/usr/bin/curl");
    let releases = Releases::new("get-stride-changed");
    releases.shell(&format!("echo more >>'{}'/{}.tar.gz", releases.release().display(), Releases::name()));
    let run = releases.get();
    assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{run:?}");
    assert!(run.err.contains("is not the file that SHA256SUMS of the release describes"), "{run:?}");
}
