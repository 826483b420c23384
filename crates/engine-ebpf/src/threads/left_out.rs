//! The processes that `--all` leaves out: Stride, its children, and those that read what Stride writes. A reader of the trace
//! makes calls because there is something to read. If these calls were traced, there would be more to read, without end.
//!
//! Readers are found by /proc: who has the other end of a pipe that Stride writes to, or holds the terminal (a terminal emulator,
//! tmux, sshd). If such a process writes to another pipe or terminal, the reader of that is found, too. Not found are readers
//! of files (tail -f) and those that only get something to do by a reader, such as a display server.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};
use stride_engine_base::procfs;
use stride_engine_base::stat::behind_name;
use stride_event::Tid;

/// Readers of readers are followed so far.
const ROUNDS: usize = 8;
/// Descriptors of a process that are looked at.
const FDS: usize = 4096;
/// When it is looked for readers: the shell starts the programs of a pipeline one by one, and Stride may be the first.
const LOOKS: [Duration; 3] = [Duration::from_millis(50), Duration::from_millis(500), Duration::from_secs(3)];

/// Something that a process writes to, and another one reads from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Channel {
    /// By the inode.
    Pipe(String),
    /// By the number of the terminal.
    Terminal(String),
}

/// A process that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// And so are the processes that it will start.
    pub children: bool,
    /// It is neither Stride nor a process that Stride started.
    pub reads: bool,
}

/// Looks for readers of Stride's output, several times.
pub struct Watch {
    channels: HashSet<Channel>,
    found: BTreeMap<Tid, LeftOut>,
    begun: Instant,
    looks: usize,
    /// Children of this process are not left out.
    own_children: bool,
}

impl Watch {
    pub fn begin(own_children: bool) -> Watch {
        let own = std::process::id() as Tid;
        let mut watch = Watch {
            channels: written(own, FDS),
            found: BTreeMap::new(),
            begun: Instant::now(),
            looks: 0,
            own_children,
        };
        watch.found.insert(own, LeftOut { children: !own_children, reads: false });
        // The other end of a socket that Stride has from its parent (ssh without a terminal).
        for fd in [1, 2] {
            if let Some(peer) = peer(fd).filter(|&peer| peer != own) {
                watch.found.insert(peer, LeftOut { children: false, reads: true });
            }
        }
        watch
    }

    /// The processes that were found up to now.
    pub fn found(&self) -> &BTreeMap<Tid, LeftOut> {
        &self.found
    }

    /// The processes that were found up to now, in words.
    pub fn summary(&self) -> String {
        let named = |pid: &Tid| {
            let name = fs::read(procfs::path(*pid, "comm")).unwrap_or_default();
            format!("{} ({pid})", name.trim_ascii_end().escape_ascii())
        };
        let all: Vec<String> = self.found.keys().map(named).collect();
        format!("not traced, because they are Stride's own or read what it writes: {}", all.join(", "))
    }

    /// If it is time, looks again. Returns those that are new.
    pub fn again(&mut self) -> Vec<Tid> {
        match LOOKS.get(self.looks) {
            Some(&due) if self.begun.elapsed() >= due => {
                self.looks += 1;
                self.look()
            }
            _ => Vec::new(),
        }
    }

    /// Looks for readers, and for Stride's children. Returns those that are new.
    pub fn look(&mut self) -> Vec<Tid> {
        let before: BTreeSet<Tid> = self.found.keys().copied().collect();
        let own = std::process::id() as Tid;
        let processes = processes();
        let group = processes.get(&own).map(|process| process.group);
        for _ in 0..ROUNDS {
            let known = (self.found.len(), self.channels.len());
            for (&pid, process) in &processes {
                if self.found.contains_key(&pid) {
                    continue;
                }
                if !self.own_children && self.found.get(&process.parent).is_some_and(|parent| !parent.reads) {
                    self.found.insert(pid, LeftOut { children: true, reads: false });
                } else if reads(pid, &self.channels) {
                    // In a pipeline of the shell, it is there for this trace, and so is all that it starts.
                    self.found.insert(pid, LeftOut { children: Some(process.group) == group, reads: true });
                    self.channels.extend(written(pid, 3));
                }
            }
            if (self.found.len(), self.channels.len()) == known {
                break;
            }
        }
        self.found.keys().copied().filter(|pid| !before.contains(pid)).collect()
    }
}

struct Process {
    parent: Tid,
    group: Tid,
}

fn processes() -> BTreeMap<Tid, Process> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Some(stat) = procfs::text(entry.path().join("stat")) else { continue };
        let Some(fields) = behind_name(&stat) else { continue };
        let mut fields = fields.split(' ').skip(1).map(|field| field.parse().unwrap_or(0));
        let (Some(parent), Some(group)) = (fields.next(), fields.next()) else { continue };
        all.insert(pid, Process { parent, group });
    }
    all
}

/// The descriptors of a process, and the names of their files.
fn descriptors(pid: Tid) -> impl Iterator<Item = (RawFd, String)> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten().take(FDS);
    entries.filter_map(|entry| {
        let fd = entry.file_name().to_str()?.parse().ok()?;
        Some((fd, fs::read_link(entry.path()).ok()?.to_str()?.to_owned()))
    })
}

/// The pipes and terminals that a process writes to, by descriptors below `most`.
fn written(pid: Tid, most: usize) -> HashSet<Channel> {
    let of_file = |(fd, name): (RawFd, String)| {
        if fd as usize >= most {
            return None;
        }
        if let Some(terminal) = name.strip_prefix("/dev/pts/").filter(|rest| rest.bytes().all(|b| b.is_ascii_digit())) {
            return Some(Channel::Terminal(terminal.to_owned()));
        }
        (name.starts_with("pipe:[") && opened_for(pid, fd) != Some(libc::O_RDONLY)).then_some(Channel::Pipe(name))
    };
    descriptors(pid).filter_map(of_file).collect()
}

/// True if a process reads the bytes that are written to one of these.
fn reads(pid: Tid, channels: &HashSet<Channel>) -> bool {
    descriptors(pid).any(|(fd, name)| {
        if name == "/dev/ptmx" || name == "/dev/pts/ptmx" {
            return field(pid, fd, "tty-index:").is_some_and(|index| channels.contains(&Channel::Terminal(index)));
        }
        name.starts_with("pipe:[")
            && channels.contains(&Channel::Pipe(name))
            && opened_for(pid, fd) != Some(libc::O_WRONLY)
    })
}

/// A field of what /proc says about a descriptor.
fn field(pid: Tid, fd: RawFd, name: &str) -> Option<String> {
    let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{fd}")).ok()?;
    info.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
}

/// Reading, writing, or both.
fn opened_for(pid: Tid, fd: RawFd) -> Option<i32> {
    let flags = field(pid, fd, "flags:")?;
    i32::from_str_radix(&flags, 8).ok().map(|flags| flags & libc::O_ACCMODE)
}

/// The process that made the other end of a socket.
fn peer(fd: RawFd) -> Option<Tid> {
    let mut cred = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut len = size_of_val(&cred) as libc::socklen_t;
    // SAFETY: writes at most `len` bytes to a struct of that size. (A descriptor that is no socket is refused.)
    let r = unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_PEERCRED, (&raw mut cred).cast(), &raw mut len) };
    (r == 0 && cred.pid > 0).then_some(cred.pid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn children_and_readers_of_a_pipe_are_found() {
        let mut child = Command::new("sleep").arg("100").stdin(Stdio::piped()).spawn().unwrap();
        let mut watch = Watch::begin(false);
        watch.look();
        let pid = child.id() as Tid;
        assert_eq!(watch.found().get(&pid), Some(&LeftOut { children: true, reads: false }));
        // The test writes to the child's input, so the child is found without being a child, too.
        assert!(reads(pid, &written(std::process::id() as Tid, FDS)));
        assert!(!reads(pid, &HashSet::new()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
