//! Starting the command.
//!
//! The child says on a socket that it is ready, and waits there until it is traced; then it installs the seccomp filter, takes on the user's ids and calls execve(2).
//! The tracer seizes it meanwhile, and lets the loop run: all that the child does before execve happens under
//! [`Startup::Before`](crate::threads::Startup) and is not shown. If the tracer dies first, the child reads the end of the socket and exits.
//!
//! With `-D` the roles are swapped: the process that calls [`spawn`] becomes the command, so that the caller's child is the command
//! itself, and the tracer goes on in a grandchild.

use crate::error::StartError;
use crate::sys::{self, Fork, Image};
use crate::tracee::{Running, Stopped, Until};
use crate::wait::{Status, Waited, wait};
use nix::errno::Errno;
use nix::unistd::{Pid, getpid, read, setpgid, setsid, write};
use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use stride_event::{Command, Tid};

pub struct Plan<'a> {
    pub command: &'a Command,
    /// ptrace options.
    pub options: i32,
    /// The filter to install, and whether that takes `PR_SET_NO_NEW_PRIVS`.
    pub filter: Option<(Vec<libc::sock_filter>, bool)>,
    pub daemonize: u8,
}

/// Starts the command, stopped nowhere, about to call execve(2). Returns in the tracer only.
pub fn spawn(plan: &Plan) -> Result<(Tid, Running), StartError> {
    let failed = |call| move |errno| StartError::Spawn { call, errno };
    let child = Child::prepare(plan)?;
    // Both ends are closed by execve.
    let (ours, theirs) = UnixStream::pair()
        .map_err(|e| failed("socketpair")(Errno::from_raw(e.raw_os_error().unwrap_or(libc::EINVAL))))?;
    let (ours, theirs): (OwnedFd, OwnedFd) = (ours.into(), theirs.into());
    let pid = if plan.daemonize == 0 {
        match sys::fork().map_err(failed("fork"))? {
            Fork::Parent(pid) => pid,
            Fork::Child => child.run(ours, theirs, false),
        }
    } else {
        let command = getpid().as_raw();
        if let Fork::Parent(helper) = sys::fork().map_err(failed("fork"))? {
            sys::wait_for(helper);
            child.run(ours, theirs, true);
        }
        // Here the helper, whose only task is to be no one's parent.
        match sys::fork() {
            Ok(Fork::Child) => {}
            _ => sys::exit_now(0),
        }
        match plan.daemonize {
            1 => {}
            2 => setpgid(Pid::from_raw(0), Pid::from_raw(0)).map_err(failed("setpgid"))?,
            _ => drop(setsid().map_err(failed("setsid"))?),
        }
        write(&ours, &getpid().as_raw().to_ne_bytes()).map_err(failed("write"))?;
        command
    };
    drop(theirs);
    // The child is ready, and where need be has let this process trace it.
    read(&ours, &mut [0]).map_err(failed("read"))?;
    let seized = Running::seize(pid, plan.options).map_err(|errno| {
        if plan.daemonize == 0 {
            sys::kill(pid, libc::SIGKILL);
        }
        StartError::Attach(vec![crate::error::AttachFailure::new(pid, errno)])
    })?;
    let stopped = first_stop(pid, seized).map_err(failed("wait4"))?;
    let until = if plan.filter.is_some() { Until::Event } else { Until::Syscall };
    let running = stopped.resume(until, 0);
    write(&ours, b"g").map_err(failed("write"))?;
    Ok((pid, running))
}

fn first_stop(pid: Tid, seized: Running) -> Result<Stopped, Errno> {
    seized.interrupt()?;
    loop {
        match wait(false, false)? {
            Waited::Report(report) if report.tid == pid => match report.status {
                Status::Stopped(token, _) => return Ok(seized.stopped(token)),
                Status::Continued => {}
                _ => return Err(Errno::ESRCH),
            },
            Waited::NoChildren => return Err(Errno::ECHILD),
            // Another child of Stride's: not ours to care for.
            _ => {}
        }
    }
}

/// Everything the child needs, allocated before the fork.
struct Child<'a> {
    plan: &'a Plan<'a>,
    image: Image,
    /// `strace: `
    name: Vec<u8>,
}

impl<'a> Child<'a> {
    fn prepare(plan: &'a Plan) -> Result<Child<'a>, StartError> {
        let c = |bytes: &[u8]| CString::new(bytes).map_err(|_| StartError::Nul);
        let command = plan.command;
        let args = command.args.iter().map(|a| c(a.as_bytes())).collect::<Result<_, _>>()?;
        let env = command
            .env
            .iter()
            .map(|(k, v)| c(&[k.as_bytes(), b"=", v.as_bytes()].concat()))
            .collect::<Result<_, _>>()?;
        let image = Image::new(c(command.path.as_os_str().as_bytes())?, args, env);
        let mut name = std::env::args_os().next().map_or(b"stride".to_vec(), |n| n.as_bytes().to_vec());
        name.extend(b": ");
        Ok(Child { plan, image, name })
    }

    /// Becomes the command.
    fn run(&self, ours: OwnedFd, theirs: OwnedFd, daemonized: bool) -> ! {
        drop(ours);
        sys::restore_inherited();
        if daemonized {
            let mut pid = [0; 4];
            if read(&theirs, &mut pid) != Ok(4) {
                sys::exit_now(1);
            }
            sys::set_tracer(Tid::from_ne_bytes(pid));
        }
        // Ready: from here on every call may cost a stop.
        let _ = write(&theirs, b"r");
        // Nothing more to read: the tracer is gone, and has told why.
        while match read(&theirs, &mut [0]) {
            Ok(1) => false,
            Err(Errno::EINTR) => true,
            _ => sys::exit_now(1),
        } {}
        if let Some((program, privs)) = &self.plan.filter {
            if *privs && let Err(e) = sys::no_new_privs() {
                self.fail("prctl(PR_SET_NO_NEW_PRIVS)", e);
            }
            if let Err(e) = sys::set_filter(program) {
                self.fail("prctl(PR_SET_SECCOMP)", e);
            }
        }
        if let Some((uid, gid, groups)) = &self.plan.command.user
            && let Err((call, e)) = sys::set_user(&sys::User { uid: *uid, gid: *gid, groups })
        {
            self.fail(call, e);
        }
        self.fail("exec", sys::exec(&self.image))
    }

    /// `strace: exec: No such file or directory`, in one write, and exit status 1.
    fn fail(&self, call: &str, errno: Errno) -> ! {
        let mut text = [0u8; 512];
        let n = sys::message(&mut text, &[&self.name, call.as_bytes(), b": "], errno);
        let _ = write(std::io::stderr(), &text[..n]);
        sys::exit_now(1)
    }
}
