//! Full disks: they do not harm the command, and Stride reports the error.

use super::Scenario;
use super::field::{EBPF, Field, Need, PTRACE};
use super::process::{Proc, words};
use anyhow::{Result, ensure};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "disks",
    about: "on a full disk the command runs to its end, and Stride says what happened",
    needs: &[Need::Root],
    share: 2,
    cases: 10,
    round,
};

const VIEWS: [&[&str]; 7] = [
    &["-o", "full/trace"],
    &["--json", "-o", "full/trace"],
    &["--record=full/x"],
    &["--html=full/x"],
    &["--perfetto=full/x"],
    &["--parquet=full/x"],
    &["--export=prometheus:full/x"],
];

fn round(field: &Field) -> Result<()> {
    let engine = field.case(&[EBPF, PTRACE], 1);
    if engine == EBPF && !field.has(Need::Ebpf) {
        return Ok(());
    }
    let view = field.case(&VIEWS, 2);
    let size = field.pick(&["4k", "16k", "64k"]);
    field.step(format!("{engine} {} on a disk of {size}", view.join(" ")));
    fs::create_dir_all(field.path("full"))?;
    // The disk is unmounted when its mount namespace ends.
    let mut shell = field.tool(Path::new("unshare"));
    shell.args(["--mount", "sh", "-c", "mount -t tmpfs -o \"size=$1\" none full && shift && exec \"$@\"", "sh", size]);
    shell.arg(&field.stride).arg(engine).args(view);
    if view[0].starts_with("--r") || view[0].starts_with("--h") || view[0].starts_with("--p") {
        shell.args(["-o", "/dev/null"]);
    }
    shell.arg(field.path("writers")).args(["2", "10000"]).stdout(fs::File::create(field.path("out"))?);
    let status = field.ends(&mut Proc::spawn(shell)?, Duration::from_secs(40))?;
    let (message, out) = (field.text("stderr"), field.text("out"));
    ensure!(
        status.signal().is_none() && out.split_whitespace().count() == 2,
        "    seen: {}; the command said '{}', Stride '{}'\n    expected: no signal, and the command runs to its end",
        words(status),
        out.trim(),
        message.trim()
    );
    // Output that fits is no error. A page may fit, and packed calls fit on all but the smallest disk.
    let may_fit =
        view[0].starts_with("--h") || view[0].starts_with("--p") || view[0].starts_with("--r") && size != "4k";
    ensure!(
        may_fit || message.contains("space"),
        "    seen: Stride said '{}'\n    expected: Stride says that there is no space left",
        message.trim()
    );
    Ok(())
}
