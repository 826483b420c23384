//! A broker that root has started, and the Stride of an ordinary user.

use super::{Killed, Run, STRIDE, Scratch, copy_program, is_root, wait_until};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The user that is usually called "nobody".
pub const USER: u32 = 65534;

/// A broker, and a copy of Stride that everyone may run.
pub struct Place {
    pub scratch: Scratch,
    pub broker: Killed,
}

impl Place {
    pub fn new(name: &str) -> Result<Place, String> {
        stride_engine_ebpf::available().map_err(|why| why.to_string())?;
        let program = Path::new(STRIDE).with_file_name("stride-broker");
        if !is_root() || !program.exists() {
            return Err(
                "only root can start a broker, and `cargo build -p stride-broker` must have built it".to_owned()
            );
        }
        let scratch = Scratch::public(&format!("broker-{name}"));
        copy_program(STRIDE, scratch.path("stride"));
        let mut broker = Command::new(program);
        broker.arg(format!("--socket={}", scratch.path("socket").display())).arg("--idle=0").stderr(Stdio::null());
        let place = Place { broker: Killed(broker.spawn().unwrap()), scratch };
        let socket = place.scratch.path("socket");
        wait_until("the broker listens", || stride_engine_ebpf::broker::Connection::open_at(&socket).is_ok());
        // It may have been built from other sources than this Stride.
        let run = place.run(USER, &["--engine=ebpf", "true"]);
        if run.code() != Some(0) && run.err.contains("another version") {
            return Err("stride-broker is not up to date: run `cargo build -p stride-broker`".to_owned());
        }
        Ok(place)
    }

    pub fn command(&self, user: u32, args: &[&str]) -> Command {
        let mut command = Command::new(self.scratch.path("stride"));
        command.args(args).env("LC_ALL", "C").env("STRIDE_BROKER", self.scratch.path("socket"));
        // (The user cannot look into all directories that cargo names there.)
        command.uid(user).gid(user).current_dir("/").env_remove("LD_LIBRARY_PATH");
        command
    }

    pub fn run(&self, user: u32, args: &[&str]) -> Run {
        Run::of(self.command(user, args))
    }

    /// A program of the test's, with the set-user-ID bit.
    pub fn set_user_id(&self, from: &str) -> PathBuf {
        let to = self.scratch.path("suid");
        copy_program(from, &to);
        std::fs::set_permissions(&to, PermissionsExt::from_mode(0o4755)).unwrap();
        to
    }
}
