//! Tasks and the commands that do them, for `-h`, `--help` and the man page.

pub struct Example {
    /// The rest of "I want to".
    pub task: &'static str,
    /// Commands, with semicolons between them.
    pub command: &'static str,
    /// The text in `-h`, if it is one of the few that are there.
    pub brief: Option<&'static str>,
}

const fn task(task: &'static str, command: &'static str) -> Example {
    Example { task, command, brief: None }
}

impl Example {
    const fn brief(self, brief: &'static str) -> Example {
        Example { brief: Some(brief), ..self }
    }
}

pub const EXAMPLES: &[Example] = &[
    task("see the system calls of a program and of all that it starts, in a file", "stride -f -o log make")
        .brief("trace make and what it starts, into a file"),
    task("watch a process that runs already, with the time of each call", "stride -p 4242 -T")
        .brief("a process that runs already, with times"),
    task("see which files a program opens, and which it looks for in vain", "stride -f -e trace=%file make"),
    task("see the calls that fail, but not those that are to be tried again", "stride -f --errno='!EAGAIN' make"),
    task("know who touches a file", "stride --all -P /etc/passwd"),
    task(
        "see what a program sends and receives, and to whom",
        "stride -f -yy -s 200 -e trace=%network curl example.org",
    ),
    task("see only calls that were slow", "stride -p 4242 --duration=10ms"),
    task("see calls for which something holds", "stride --where='name == \"read\" && bytes < 16' cat /etc/passwd"),
    task("know which function of the program makes a call", "stride -k -e trace=connect curl example.org"),
    task("count calls, errors and time", "stride -c -f ./configure"),
    task("know which files cost most", "stride -f --by=path,syscall make"),
    task("know what is slow and what would help", "stride -f --advise make")
        .brief("what is wasted, and what would help"),
    task("see live which processes make which calls", "stride --top").brief("which processes make which calls, live"),
    task("see which programs are started anywhere on the machine", "stride --all -e trace=execve")
        .brief("programs that start, anywhere"),
    task("watch a container", "stride --container=web -e trace=%network"),
    task("watch a service", "stride --cgroup=/system.slice/nginx.service -c --for=10s"),
    task(
        "keep a run and look at it later, in other ways",
        "stride -f --record=run make; stride --replay=run --by=path",
    )
    .brief("keep a run, and look at it later"),
    task("see the processes of a run, and how each ended", "stride --tree make"),
    task("look at a run in a browser", "stride -f --html=run.html make"),
    task("ask a run questions in SQL", "stride -f --parquet=runs make"),
    task("see what differs between two runs", "stride --record=old.run ./old; stride --diff=old.run ./new"),
    task(
        "have what led to a rare error",
        "stride -p 4242 --flight=64M --trigger='errno == \"ENOSPC\"' --record=before",
    ),
    task("see how a program takes calls that fail", "stride --fault=openat:error=EACCES ./program"),
    task("feed the calls to a script", "stride -f --json -o run.json make"),
    task("know what Stride shows of a call", "stride --explain=openat"),
    task("know why eBPF does not work here", "stride --doctor"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::{Outcome, parse};
    use std::ffi::OsString;

    /// The words of a command, with single quotes as a shell has them.
    fn words(command: &str) -> Vec<OsString> {
        let mut words = vec![String::new()];
        for (i, part) in command.split('\'').enumerate() {
            let quoted = i % 2 == 1;
            for (i, piece) in part.split(' ').enumerate() {
                if i > 0 && !quoted {
                    words.push(String::new());
                } else if i > 0 {
                    words.last_mut().unwrap().push(' ');
                }
                words.last_mut().unwrap().push_str(piece);
            }
        }
        words.into_iter().map(OsString::from).collect()
    }

    #[test]
    fn commands_are_valid_and_show_what_stride_has() {
        for example in EXAMPLES {
            for command in example.command.split("; ") {
                let parsed = parse(words(command), true);
                assert!(!matches!(parsed.outcome, Outcome::Fail), "{command}: {:?}", parsed.messages);
            }
            assert!(
                !example.task.ends_with('.') && example.task.starts_with(|c: char| c.is_lowercase()),
                "{}",
                example.task
            );
        }
        for option in ["--top", "--all", "--record", "--advise"] {
            let brief = |example: &&Example| example.brief.is_some() && example.command.contains(option);
            assert!(EXAMPLES.iter().any(|example| brief(&example)), "{option} is not in -h");
        }
    }
}
