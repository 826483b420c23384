//! The command line.

use anyhow::{Result, bail};
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use stride_engine_ebpf::broker::SOCKET;

const HELP: &str = "\
Usage: stride-broker [--socket=PATH] [--idle=SECONDS] [--clients=N] [--clients-per-user=N]

Lets users without privileges trace their own processes with Stride's eBPF engine. A user sees what ptrace(2) would
show the user, and nothing else. Start it as root, or by systemd: systemctl enable --now stride-broker.socket

Options:
  --socket=PATH         Listen at PATH. Default: /run/stride/broker.sock. Users whose broker listens elsewhere
                        set STRIDE_BROKER=PATH. Not used if systemd hands over a socket.
  --idle=SECONDS        End when there was no client for so long. 0: never. Default: 60.
  --clients=N           Serve at most N clients at a time. The last quarter is for users who have none yet. Default: 32.
  --clients-per-user=N  Of which at most N of one user. Users that are not in /etc/passwd count as one. Default: 8.
  -h, --help            Print this.
  -V, --version         Print the version.
";

#[derive(Debug)]
pub struct Options {
    pub socket: PathBuf,
    pub idle: Option<Duration>,
    pub clients: usize,
    pub clients_per_user: usize,
}

impl Options {
    /// `None`: the options asked for something that was printed.
    pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Option<Options>> {
        let mut options =
            Options { socket: SOCKET.into(), idle: Some(Duration::from_secs(60)), clients: 32, clients_per_user: 8 };
        let mut parser = lexopt::Parser::from_iter(args);
        while let Some(arg) = parser.next()? {
            match arg {
                Long("socket") => options.socket = parser.value()?.into(),
                Long("idle") => {
                    let seconds: u64 = parser.value()?.parse()?;
                    options.idle = (seconds > 0).then(|| Duration::from_secs(seconds));
                }
                Long("clients") => options.clients = parser.value()?.parse()?,
                Long("clients-per-user") => options.clients_per_user = parser.value()?.parse()?,
                Short('h') | Long("help") => {
                    print!("{HELP}");
                    return Ok(None);
                }
                Short('V') | Long("version") => {
                    println!("stride-broker {}", env!("CARGO_PKG_VERSION"));
                    return Ok(None);
                }
                other => return Err(other.unexpected().into()),
            }
        }
        if options.clients == 0 || options.clients_per_user == 0 {
            bail!(
                "a broker for no clients has nothing to do: give --clients and --clients-per-user a number from 1 on"
            );
        }
        Ok(Some(options))
    }
}
