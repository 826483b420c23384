//! Packages from PyPI, each in a virtual environment below target/.

use super::common::*;
use nix::fcntl::{Flock, FlockArg};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The versions that the tests were written with.
const PACKAGES: [(&str, &[&str]); 9] = [
    ("azure-storage-blob", &["azure-storage-blob==12.31.1"]),
    ("cyclonedx", &["cyclonedx-python-lib[json-validation]==11.12.0"]),
    ("duckdb", &["duckdb==2.0.0"]),
    ("duckdb-cli", &["duckdb-cli==1.5.6"]),
    ("in-toto-attestation", &["in-toto-attestation==0.9.3", "protobuf==7.36.2"]),
    ("kubernetes-validate", &["kubernetes-validate==1.37.0"]),
    ("moto", &["moto[server,s3]==5.2.5", "boto3==1.44.8"]),
    ("pyspark", &["pyspark==4.3.0", "py4j==0.10.9.9"]),
    ("opentelemetry-proto", &["opentelemetry-proto==1.45.2", "protobuf==7.36.2"]),
];

/// A Python that has the package. The error says why there is none.
pub fn with(package: &str) -> Result<PathBuf, String> {
    let (_, versions) = PACKAGES.iter().find(|(name, _)| *name == package).expect("a known package");
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("python-{}", versions[0].replace("==", "-")));
    fs::create_dir_all(&place).unwrap();
    // Another test may be about to make it.
    let lock = File::create(place.join("lock")).unwrap();
    let _lock = Flock::lock(lock, FlockArg::LockExclusive).map_err(|(_, e)| e.to_string())?;
    let (environment, ready) = (place.join("venv"), place.join("ready"));
    let python = environment.join("bin/python");
    if !ready.exists() {
        let _ = fs::remove_dir_all(&environment);
        done(Command::new("python3").args(["-m", "venv"]).arg(&environment), "python3 -m venv")?;
        let options = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
            "--retries=1",
            "--timeout=20",
        ];
        done(Command::new(&python).args(options).args(*versions), &format!("pip install {}", versions[0]))?;
        File::create(&ready).unwrap();
    }
    Ok(python)
}

fn done(command: &mut Command, name: &str) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("{name}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let message = text(&output.stderr);
    let last = message.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no message");
    Err(format!("{name}: {last}"))
}
