//! What can go wrong, in strace's words, and what may help.

use nix::errno::Errno;
use std::fmt;
use stride_engine_base::SpawnError;
use stride_event::Tid;

/// Tracing could not begin.
#[derive(Debug)]
pub enum StartError {
    /// No thread could be attached to.
    Attach(Vec<AttachFailure>),
    /// A call that starting the command takes was refused.
    Spawn { call: &'static str, errno: Errno },
    /// The command's path, arguments or environment hold a NUL byte.
    Nul,
    /// The kernel lacks `PTRACE_GET_SYSCALL_INFO`.
    OldKernel,
}

/// The loop cannot go on. Tracees are released when Stride exits.
#[derive(Debug)]
pub struct EngineError {
    pub call: &'static str,
    pub errno: Errno,
}

/// A thread which could not be attached to.
#[derive(Debug, Clone)]
pub struct AttachFailure {
    pub tid: Tid,
    pub errno: Errno,
    /// Who traces it already.
    pub tracer: Option<Tid>,
    /// The setting of Yama's `ptrace_scope`, if it is present.
    pub yama: Option<u8>,
}

impl AttachFailure {
    pub fn new(tid: Tid, errno: Errno) -> AttachFailure {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        let tracer = read(&format!("/proc/{tid}/status"))
            .and_then(|s| s.lines().find_map(|l| l.strip_prefix("TracerPid:"))?.trim().parse().ok())
            .filter(|&t| t != 0);
        let yama = read("/proc/sys/kernel/yama/ptrace_scope").and_then(|s| s.trim().parse().ok());
        AttachFailure { tid, errno, tracer, yama }
    }

    /// Why, and what to do next; strace's own sentence where it has one.
    pub fn hint(&self) -> Option<String> {
        if self.errno != Errno::EPERM {
            return None;
        }
        if let Some(tracer) = self.tracer {
            return Some(format!("Process {} is already being traced by pid {tracer}", self.tid));
        }
        match self.yama {
            Some(3) => Some("Yama forbids attaching until the next boot (kernel.yama.ptrace_scope=3)".into()),
            Some(2) => Some("Yama allows attaching with CAP_SYS_PTRACE only (kernel.yama.ptrace_scope=2): try as root".into()),
            Some(1) => Some(
                "Yama allows attaching to descendants only (kernel.yama.ptrace_scope=1): try as root, or `sysctl kernel.yama.ptrace_scope=0`".into(),
            ),
            _ if self.tid == 1 => None,
            _ => Some(format!("Process {} belongs to another user, or is a kernel thread or protected: try as root", self.tid)),
        }
    }
}

impl fmt::Display for AttachFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "attach: ptrace(PTRACE_SEIZE, {}): {}", self.tid, crate::sys::strerror(self.errno))
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Attach(failures) => {
                for (i, failure) in failures.iter().enumerate() {
                    write!(f, "{}{failure}", if i > 0 { "\n" } else { "" })?;
                    if let Some(hint) = failure.hint() {
                        write!(f, "\n{hint}")?;
                    }
                }
                Ok(())
            }
            StartError::Spawn { call, errno } => write!(f, "{call}: {}", crate::sys::strerror(*errno)),
            StartError::Nul => write!(f, "exec: {}", crate::sys::strerror(Errno::EINVAL)),
            StartError::OldKernel => write!(f, "the ptrace engine needs PTRACE_GET_SYSCALL_INFO: Linux 5.3 or newer"),
        }
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.call, crate::sys::strerror(self.errno))
    }
}

impl std::error::Error for StartError {}

impl From<SpawnError> for StartError {
    fn from(error: SpawnError) -> StartError {
        match error {
            SpawnError::Call(call, errno) => StartError::Spawn { call, errno },
            SpawnError::Nul => StartError::Nul,
        }
    }
}
impl std::error::Error for EngineError {}
