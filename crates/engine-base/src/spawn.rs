//! Starting the command.
//!
//! The child reports on a socket that it is ready, and waits there until it is traced. Then it installs a seccomp
//! filter if there is one, takes on the user's ids and calls execve(2). The engine hides everything the child does
//! before execve. If the tracer dies first, the child reads the end of the socket and exits: the command was to run
//! traced, so it does not run untraced.
//!
//! With `-D` the roles are swapped: the process that calls [`spawn`] becomes the command, so that the caller's child is the command
//! itself, and the tracer goes on in a grandchild.

use crate::process::{self, Fork, Image, User};
use nix::errno::Errno;
use nix::unistd::{Pid, getpid, read, setpgid, setsid, write};
use std::cell::Cell;
use std::ffi::CString;
use std::fmt;
use std::io::IsTerminal;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use stride_event::{Command, Daemonize, Tid};

/// A seccomp filter that the command installs.
pub struct SeccompFilter {
    pub program: Vec<libc::sock_filter>,
    /// `PR_SET_NO_NEW_PRIVS` is needed to install it.
    pub no_new_privs: bool,
}

#[derive(Debug)]
pub enum SpawnError {
    /// A call that starting the command takes was refused.
    Call(&'static str, Errno),
    /// The command's path, arguments or environment hold a NUL byte.
    Nul,
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (call, errno) = match self {
            SpawnError::Call(call, errno) => (*call, *errno),
            SpawnError::Nul => ("exec", Errno::EINVAL),
        };
        write!(f, "{call}: {}", process::strerror(errno))
    }
}

impl std::error::Error for SpawnError {}

fn failed(call: &'static str) -> impl FnOnce(Errno) -> SpawnError {
    move |errno| SpawnError::Call(call, errno)
}

/// A command that waits to be let go. If this is dropped, the command exits without having run.
#[derive(Debug)]
pub struct Waiting {
    pid: Tid,
    gate: Option<OwnedFd>,
    ready: Cell<bool>,
    /// Not a child of this process.
    daemonized: bool,
}

/// Forks the command, or the tracer if it is to be a grandchild. Returns in the tracer only.
pub fn spawn(command: &Command, filter: Option<&SeccompFilter>, daemonize: Daemonize) -> Result<Waiting, SpawnError> {
    let child = Child::prepare(command, filter)?;
    // Both ends are closed by execve.
    let (ours, theirs) = UnixStream::pair()
        .map_err(|e| SpawnError::Call("socketpair", Errno::from_raw(e.raw_os_error().unwrap_or(libc::EINVAL))))?;
    let (ours, theirs): (OwnedFd, OwnedFd) = (ours.into(), theirs.into());
    let pid = if daemonize == Daemonize::No {
        match process::fork().map_err(failed("fork"))? {
            Fork::Parent(pid) => pid,
            Fork::Child => child.run(ours, theirs, false),
        }
    } else {
        let command = getpid().as_raw();
        if let Fork::Parent(helper) = process::fork().map_err(failed("fork"))? {
            process::wait_for(helper);
            child.run(ours, theirs, true);
        }
        // This is the helper. It only exits, so that the tracer is not a child of the command.
        match process::fork() {
            Ok(Fork::Child) => {}
            _ => process::exit_now(0),
        }
        match daemonize {
            Daemonize::No | Daemonize::Grandchild => {}
            Daemonize::ProcessGroup => setpgid(Pid::from_raw(0), Pid::from_raw(0)).map_err(failed("setpgid"))?,
            Daemonize::Session => drop(setsid().map_err(failed("setsid"))?),
        }
        write(&ours, &getpid().as_raw().to_ne_bytes()).map_err(failed("write"))?;
        command
    };
    Ok(Waiting { pid, gate: Some(ours), ready: Cell::new(false), daemonized: daemonize != Daemonize::No })
}

impl Waiting {
    pub fn pid(&self) -> Tid {
        self.pid
    }

    /// True if the command is a child of the tracer.
    pub fn is_child(&self) -> bool {
        !self.daemonized
    }

    /// Waits until the child is at the gate, and lets this process trace it where the child's consent is needed.
    pub fn ready(&self) -> Result<(), SpawnError> {
        if let Some(gate) = &self.gate
            && !self.ready.replace(true)
        {
            // A signal to Stride is handled later.
            while let Err(errno) = read(gate, &mut [0]) {
                if errno != Errno::EINTR {
                    return Err(SpawnError::Call("read", errno));
                }
            }
        }
        Ok(())
    }

    /// Lets it go on to execve.
    pub fn go(mut self) -> Result<Tid, SpawnError> {
        // A child that has not reached the gate would find it closed, and die of SIGPIPE.
        self.ready()?;
        if let Some(gate) = self.gate.take() {
            write(&gate, b"g").map_err(failed("write"))?;
        }
        Ok(self.pid)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(gate) = self.gate.take() {
            drop(gate);
            if self.is_child() {
                process::wait_for(self.pid);
            }
        }
    }
}

/// Everything the child needs, allocated before the fork.
struct Child<'a> {
    command: &'a Command,
    filter: Option<&'a SeccompFilter>,
    image: Image,
    /// `strace: `
    name: Vec<u8>,
    /// A second line for a person at a terminal if the file may not be executed. Empty elsewhere.
    forbidden: Vec<u8>,
}

/// Why a file may not be executed, and what can be done.
fn forbidden(path: &Path) -> String {
    let shown = path.display().to_string().escape_default().to_string();
    match path.metadata() {
        Ok(file) if file.is_dir() => format!("'{shown}' is a directory: name a program, such as ls '{shown}'"),
        Ok(file) if file.mode() & 0o111 == 0 => {
            format!(
                "'{shown}' is no program: `chmod +x` makes a program of a script, or name the program that reads it, such as sh '{shown}'"
            )
        }
        _ => format!(
            "'{shown}', or a directory on the way, is forbidden to this user, or its file system is mounted with noexec"
        ),
    }
}

impl<'a> Child<'a> {
    fn prepare(command: &'a Command, filter: Option<&'a SeccompFilter>) -> Result<Child<'a>, SpawnError> {
        let c = |bytes: &[u8]| CString::new(bytes).map_err(|_| SpawnError::Nul);
        let args = command.args.iter().map(|a| c(a.as_bytes())).collect::<Result<_, _>>()?;
        let env = command
            .env
            .iter()
            .map(|(k, v)| c(&[k.as_bytes(), b"=", v.as_bytes()].concat()))
            .collect::<Result<_, _>>()?;
        let image = Image::new(c(command.path.as_os_str().as_bytes())?, args, env);
        let mut name = std::env::args_os().next().map_or(b"stride".to_vec(), |n| n.as_bytes().to_vec());
        name.extend(b": ");
        // (Programs that read the messages expect strace's, which is one line.)
        let mut line = Vec::new();
        if std::io::stderr().is_terminal() {
            line.extend(name.iter().copied().chain(forbidden(&command.path).bytes().take(400)).chain([b'\n']));
        }
        Ok(Child { command, filter, image, name, forbidden: line })
    }

    /// Becomes the command.
    fn run(&self, ours: OwnedFd, theirs: OwnedFd, daemonized: bool) -> ! {
        drop(ours);
        process::restore_inherited();
        process::set_dumpable();
        if daemonized {
            let mut pid = [0; 4];
            if read(&theirs, &mut pid) != Ok(4) {
                process::exit_now(1);
            }
            process::set_tracer(Tid::from_ne_bytes(pid));
        }
        // Ready: from here on every call may stop. (A tracer that does not wait may have closed its end already,
        // after telling the child to go on.)
        process::send(&theirs, b"r");
        // Nothing more to read: the tracer is gone, and has reported why.
        while match read(&theirs, &mut [0]) {
            Ok(1) => false,
            Err(Errno::EINTR) => true,
            _ => process::exit_now(1),
        } {}
        // The write that opened the gate may have put this process on the tracer's CPU, before the tracer waits for events.
        process::give_way();
        if let Some(filter) = self.filter {
            if filter.no_new_privs
                && let Err(e) = process::no_new_privs()
            {
                self.fail("prctl(PR_SET_NO_NEW_PRIVS)", e);
            }
            if let Err(e) = process::set_filter(&filter.program) {
                self.fail("prctl(PR_SET_SECCOMP)", e);
            }
        }
        if let Some((uid, gid, groups)) = &self.command.user
            && let Err((call, e)) = process::set_user(&User { uid: *uid, gid: *gid, groups })
        {
            self.fail(call, e);
        }
        self.fail("exec", process::exec(&self.image))
    }

    /// Writes `strace: exec: No such file or directory` in one write, and exits with status 1.
    fn fail(&self, call: &str, errno: Errno) -> ! {
        let mut text = [0u8; 1024];
        let mut n = process::message(&mut text, &[&self.name, call.as_bytes(), b": "], errno);
        if call == "exec" && errno == Errno::EACCES {
            let more = self.forbidden.len().min(text.len() - n);
            text[n..n + more].copy_from_slice(&self.forbidden[..more]);
            n += more;
        }
        let _ = write(std::io::stderr(), &text[..n]);
        process::exit_now(1)
    }
}
