//! `stride-broker`: eBPF tracing for users without privileges.
//!
//! Loading eBPF programs takes privileges that no user should have, because such programs can read all memory. This process has them. It
//! loads Stride's programs, and hands a user's `stride` the memory that the programs write their records to. The rule for what a user may
//! see is ptrace(2)'s. docs/security.md tells what is defended against whom, and why this is safe.
//!
//! - [`supervisor`] accepts connections, and counts users' traces. It looks at no byte that a client sends.
//! - [`queue`] has the connections that wait, and decides which of them is served next; [`accounts`] has the users among whom places are shared out.
//! - [`worker`] is a process for each client. It has loaded the programs before the client comes, reads the client's request and orders,
//!   and takes everything with it when it ends. One worker always waits for the next client.
//! - [`confine`] has the filter of system calls, for both.
//!
//! The request, the orders and the programs are in `stride_engine_ebpf::broker`, and the rule itself in its `bpf/guard.h`.

mod accounts;
mod confine;
mod options;
mod queue;
mod supervisor;
mod worker;

use anyhow::{Context, Result, bail};
use nix::sys::stat::{Mode, umask};
use options::Options;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt};
use std::path::Path;
use stride_engine_ebpf::broker::{Connection, Listener, rings_are_safe};

fn main() {
    if let Err(error) = run() {
        eprintln!("stride-broker: {error:#}");
        std::process::exit(1);
    }
}

fn run() -> Result<()> {
    let Some(options) = Options::parse(std::env::args_os())? else { return Ok(()) };
    stride_engine_ebpf::trial().map_err(|why| {
        let advice = "start stride-broker as root, or by systemd with CAP_BPF and CAP_PERFMON";
        anyhow::anyhow!("{why}. {advice}")
    })?;
    if !rings_are_safe().context("the trial of a ring")? {
        bail!(
            "on this kernel, whoever reads a ring can damage the kernel's memory (CVE-2024-41009), so no user may be served. Boot a kernel with \
             the repair (6.10, 6.9.8, 6.6.37, 6.1.97, 5.15.162)"
        );
    }
    let mut listener = match Listener::inherited().context("the socket that systemd hands over")? {
        Some(listener) => listener,
        None => listen(&options.socket)?,
    };
    confine::confine().context("the filter of system calls")?;
    supervisor::run(&mut listener, &options)
}

/// Listens at this path, for all users: the kernel decides what each of them may trace.
fn listen(path: &Path) -> Result<Listener> {
    let named = || path.display().to_string();
    if let Some(parent) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o755).create(parent).with_context(named)?;
    }
    // A socket that nobody listens on is the rest of a broker that was killed.
    if std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket()) {
        if Connection::open_at(path).is_ok() {
            bail!(
                "{}: another stride-broker listens there. Stop that one first, or name another --socket",
                path.display()
            );
        }
        std::fs::remove_file(path).with_context(named)?;
    }
    // The mode is that of the socket before it has a name: whoever owns the directory can put a link in its place.
    let mask = umask(Mode::from_bits_truncate(0o111));
    let listener = Listener::bind(path).with_context(named);
    umask(mask);
    listener
}
