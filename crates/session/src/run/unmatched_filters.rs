//! A message about filters of `--all` that no process passes. Without it, a misspelt name looks like a quiet program.

use crate::options::LIVE_VIEW;
use crate::options::{MachineFilter, Options};
use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use stride_engine_base::procfs;
use stride_event::{Event, Glob};
use stride_filter::nearest;
use stride_output::shown;
use stride_track::base_name;

/// The kernel's limit for the name of a thread.
const COMM: usize = 15;
/// Running processes that are looked at for a name that may be meant.
const MOST: usize = 1 << 15;

pub struct UnmatchedFilters {
    filters: Vec<MachineFilter>,
    /// A user waits for lines at a terminal, so the message comes at the first quiet moment.
    at_once: bool,
    /// The message was written.
    reported: bool,
}

impl UnmatchedFilters {
    /// `None` if the trace has no such filters.
    pub fn new(options: &Options) -> Option<UnmatchedFilters> {
        let live = options.spec.machine.is_some() && !options.machine_filters.is_empty();
        let at_once = std::io::stderr().is_terminal() && !options.views.has(LIVE_VIEW);
        live.then(|| UnmatchedFilters { filters: options.machine_filters.clone(), at_once, reported: false })
    }

    /// True if the event shows that a process has passed the filters.
    pub fn is_refuted_by(event: &Event<'_>) -> bool {
        !matches!(event, Event::Idle | Event::Stranger { .. })
    }

    /// The message for the first quiet moment, if a user waits for it.
    pub fn at_once(&mut self) -> Option<String> {
        if !self.at_once || self.reported {
            return None;
        }
        self.reported = true;
        // The engine has said so of containers, and which ones run.
        let filters = self.filters.iter().filter(|filter| filter.option != "container");
        let (given, hints) = (given(filters.clone()), hints(filters));
        (!given.is_empty()).then(|| format!("no process matches {given} yet, so Stride waits for one.{hints}"))
    }

    /// The message for the end.
    pub fn at_end(&self) -> String {
        let hints = if self.reported { String::new() } else { hints(self.filters.iter()) };
        format!("No process matched {}.{hints}", given(self.filters.iter()))
    }
}

fn given<'f>(filters: impl Iterator<Item = &'f MachineFilter>) -> String {
    filters.map(MachineFilter::to_string).collect::<Vec<_>>().join(" ")
}

/// Sentences that say what to try, each with a blank before it.
fn hints<'f>(filters: impl Iterator<Item = &'f MachineFilter> + Clone) -> String {
    let running = Running::now();
    let mut hints: Vec<String> = filters.clone().filter_map(|filter| running.hint(filter)).collect();
    if hints.is_empty() && filters.count() > 1 {
        hints.push("A process has to pass all of these filters: leave one of them out.".into());
    }
    hints.iter().map(|hint| format!(" {hint}")).collect()
}

/// The processes that run now.
struct Running(Vec<Names>);

struct Names {
    comm: Vec<u8>,
    exe: Vec<u8>,
}

impl Running {
    fn now() -> Running {
        let of = |pid| {
            let mut comm = std::fs::read(procfs::path(pid, "comm")).ok()?;
            comm.pop_if(|last| *last == b'\n');
            // Threads of the kernel have no executable, and are not traced.
            let exe = std::fs::read_link(procfs::path(pid, "exe")).ok()?;
            Some(Names { comm, exe: exe.as_os_str().as_bytes().to_vec() })
        };
        Running(procfs::processes().take(MOST).filter(|pid| *pid as u32 != std::process::id()).filter_map(of).collect())
    }

    /// A sentence about one filter: what may be meant.
    fn hint(&self, filter: &MachineFilter) -> Option<String> {
        let text = filter.text.as_bytes();
        match filter.option {
            "comm" if !text.starts_with(b"!") => self.comm(text),
            "exe" if !text.starts_with(b"!") => self.exe(text),
            "user" => Some(format!("No process runs as {}: `ps -eo user,pid,comm` lists who does.", shown(text))),
            "cgroup" => Some(format!("No process is in {}: `cat /proc/PID/cgroup` tells where one is.", shown(text))),
            "container" => Some("`stride --all --by=container --for=5s` lists those that run.".into()),
            _ => None,
        }
    }

    fn comm(&self, text: &[u8]) -> Option<String> {
        if text.len() > COMM && !text.contains(&b'*') {
            let cut = shown(&text[..COMM]);
            return Some(format!("A name has at most {COMM} bytes: try --comm='{cut}'."));
        }
        if let Some(glob) = self.begins(text, |of| &of.comm) {
            return Some(format!("A process is called '{}': try --comm='{}'.", glob.1, glob.0));
        }
        // A script, or a program that calls itself otherwise.
        let glob = Glob::of_path(text).ok()?;
        if let Some(it) = self.0.iter().find(|it| glob.matches(&it.exe)) {
            let (exe, comm, text) = (shown(&it.exe), shown(&it.comm), shown(text));
            return Some(format!("A process that runs {exe} is called '{comm}': try --exe='{text}'."));
        }
        let similar = self.nearest(text, |of| &of.comm);
        Some(match similar {
            Some(similar) => format!("Did you mean --comm='{similar}'?"),
            None => "`ps -eo pid,comm` lists the names.".into(),
        })
    }

    fn exe(&self, text: &[u8]) -> Option<String> {
        let path = Path::new(std::ffi::OsStr::from_bytes(text));
        if let Some(real) = path.is_absolute().then(|| std::fs::canonicalize(path).ok()).flatten()
            && real != path
        {
            let real = shown(real.as_os_str().as_bytes());
            return Some(format!("It is a symbolic link, and --exe compares with the file: try --exe='{real}'."));
        }
        if let Some(glob) = self.begins(text, |of| base_name(&of.exe)) {
            return Some(format!("A process runs '{}': try --exe='{}'.", glob.1, glob.0));
        }
        let glob = Glob::parse(text).ok()?;
        if let Some(it) = self.0.iter().find(|it| glob.matches(&it.comm)) {
            let (exe, comm) = (shown(&it.exe), shown(&it.comm));
            return Some(format!("A process called '{comm}' runs {exe}: try --comm='{}'.", shown(text)));
        }
        Some(match self.nearest(text, |of| base_name(&of.exe)) {
            Some(similar) => format!("Did you mean --exe='{similar}'?"),
            None => "`ls -l /proc/PID/exe` tells what a process runs; for a script that is its interpreter.".into(),
        })
    }

    /// A pattern for names that begin with this text, and one of them.
    fn begins(&self, text: &[u8], name: impl Fn(&Names) -> &[u8]) -> Option<(String, String)> {
        let plain = text.len() > 2 && !text.iter().any(|byte| b"*?[\\/".contains(byte));
        let begun = self.0.iter().map(name).find(|name| plain && name.starts_with(text))?;
        Some((format!("{}*", shown(text)), shown(begun)))
    }

    fn nearest(&self, text: &[u8], name: impl Fn(&Names) -> &[u8]) -> Option<String> {
        let names: Vec<String> = self.0.iter().map(|of| shown(name(of))).collect();
        nearest(&shown(text), names.iter().map(String::as_str)).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_meant() {
        let names = |comm: &str, exe: &str| Names { comm: comm.into(), exe: exe.into() };
        let running = Running(vec![
            names("redis-server", "/usr/bin/redis-check-rdb"),
            names("gunicorn: maste", "/usr/bin/python3.11"),
            names("evil\x1b[31m\n", "/tmp/evil"),
        ]);
        let hint = |option, text: &str| running.hint(&MachineFilter { option, text: text.into() }).unwrap();
        for (option, text, expected) in [
            ("comm", "redis", "A process is called 'redis-server': try --comm='redis*'."),
            ("comm", "Redis-Server", "Did you mean --comm='redis-server'?"),
            ("comm", "redis-servre", "Did you mean --comm='redis-server'?"),
            (
                "comm",
                "python3*",
                "A process that runs /usr/bin/python3.11 is called 'gunicorn: maste': try --exe='python3*'.",
            ),
            ("comm", "a-long-name-indeed", "A name has at most 15 bytes: try --comm='a-long-name-ind'."),
            ("comm", "nonsense", "`ps -eo pid,comm` lists the names."),
            ("comm", "evil", "A process is called 'evil\\33[31m\\n': try --comm='evil*'."),
            ("exe", "python", "A process runs 'python3.11': try --exe='python*'."),
            (
                "exe",
                "redis-s*",
                "A process called 'redis-server' runs /usr/bin/redis-check-rdb: try --comm='redis-s*'.",
            ),
            ("user", "daemon", "No process runs as daemon: `ps -eo user,pid,comm` lists who does."),
        ] {
            assert_eq!(hint(option, text), expected, "{text}");
        }
        assert!(running.hint(&MachineFilter { option: "comm", text: "!redis".into() }).is_none());
    }
}
