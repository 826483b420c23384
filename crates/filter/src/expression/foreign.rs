//! Names that other tools have for facts about a call, and the names that they have here.

/// The tool, its name for something, and the field here. Behind a `!` stands a sentence, if there is no field.
const NAMES: &[(&str, &str, &str)] = &[
    ("sysdig", "evt.type", "name"),
    ("sysdig", "syscall.type", "name"),
    ("sysdig", "evt.res", "errno"),
    ("sysdig", "evt.rawres", "ret"),
    ("sysdig", "evt.failed", "ret < 0"),
    ("sysdig", "evt.latency", "duration"),
    ("sysdig", "evt.args", "args.NAME"),
    ("sysdig", "evt.arg", "args.NAME"),
    ("sysdig", "evt.rawarg", "args.NAME"),
    ("sysdig", "evt.buffer", "args.buf"),
    ("sysdig", "evt.buflen", "bytes"),
    ("sysdig", "evt.count", "!every call counts as one: leave it out"),
    ("sysdig", "evt.dir", "!a call is one event here, with its arguments and its result: leave it out"),
    ("sysdig", "evt.time", "!a call has a duration, and --switch-on and --for choose a time"),
    ("sysdig", "evt.cpu", "!it is not known on which CPU a call was made"),
    ("sysdig", "evt.category", "!classes of calls are chosen by -e trace=%file and the like"),
    ("sysdig", "evt.is_wait", "wait != \"\""),
    ("sysdig", "evt.io_dir", "name"),
    ("sysdig", "proc.name", "comm"),
    ("sysdig", "thread.name", "comm"),
    ("sysdig", "proc.exe", "exe"),
    ("sysdig", "proc.exepath", "exe"),
    ("sysdig", "proc.pid", "pid"),
    ("sysdig", "proc.vpid", "pid"),
    ("sysdig", "proc.tid", "tid"),
    ("sysdig", "thread.tid", "tid"),
    ("sysdig", "proc.cmdline", "exe"),
    ("sysdig", "proc.args", "exe"),
    ("sysdig", "proc.cwd", "!it is no field; -P chooses calls by their files"),
    ("sysdig", "proc.ppid", "!parents are no field: trace the parent with -f"),
    ("sysdig", "proc.pname", "!parents are no field: trace the parent with -f"),
    ("sysdig", "proc.aname", "!parents are no field: trace the parent with -f"),
    ("sysdig", "fd.name", "path"),
    ("sysdig", "fd.filename", "path"),
    ("sysdig", "fd.directory", "path"),
    ("sysdig", "fd.num", "args.fd"),
    ("sysdig", "fd.type", "fd.kind"),
    ("sysdig", "fd.typechar", "fd.kind"),
    ("sysdig", "fd.ip", "fd.peer"),
    ("sysdig", "fd.cip", "fd.peer"),
    ("sysdig", "fd.sip", "fd.peer"),
    ("sysdig", "fd.rip", "fd.peer"),
    ("sysdig", "fd.port", "fd.peer"),
    ("sysdig", "fd.cport", "fd.peer"),
    ("sysdig", "fd.sport", "fd.peer"),
    ("sysdig", "fd.rport", "fd.peer"),
    ("sysdig", "fd.sockfamily", "fd.kind"),
    ("sysdig", "user.uid", "uid"),
    ("sysdig", "user.name", "uid"),
    ("sysdig", "container.name", "container"),
    ("sysdig", "container.id", "container"),
    ("sysdig", "k8s.pod.name", "container"),
    ("perf", "common_pid", "tid"),
    ("perf", "common_comm", "comm"),
    ("perf", "prev_comm", "comm"),
    ("perf", "next_comm", "comm"),
    ("perf", "common_type", "name"),
    ("perf", "__syscall_nr", "name"),
    ("perf", "nr", "name"),
    ("perf", "id", "name"),
    ("perf", "filename", "path"),
    ("perf", "COMM", "comm"),
    ("perf", "common_cpu", "!it is not known on which CPU a call was made"),
    ("bpftrace", "retval", "ret"),
    ("bpftrace", "probe", "name"),
    ("bpftrace", "func", "name"),
    ("bpftrace", "cgroup", "container"),
    ("bpftrace", "elapsed", "duration"),
    ("DTrace", "execname", "comm"),
    ("DTrace", "probefunc", "name"),
    ("DTrace", "arg0", "args.arg1"),
    ("DTrace", "arg1", "args.arg2"),
    ("DTrace", "arg2", "args.arg3"),
    ("DTrace", "curpsinfo", "exe"),
    ("", "syscall", "name"),
    ("", "call", "name"),
    ("", "process", "comm"),
    ("", "command", "comm"),
    ("", "program", "exe"),
    ("", "executable", "exe"),
    ("", "file", "path"),
    ("", "error", "errno"),
    ("", "err", "errno"),
    ("", "result", "ret"),
    ("", "time", "duration"),
    ("", "latency", "duration"),
    ("", "size", "bytes"),
    ("", "length", "bytes"),
    ("", "user", "uid"),
    ("", "euid", "uid"),
    ("", "peer", "fd.peer"),
    ("", "socket", "fd.peer"),
    ("", "ppid", "!parents are no field: trace the parent with -f"),
    ("", "gid", "!groups are no field; uid is the effective user id"),
];

/// The field that another tool's name means, if it is one.
pub fn ours(name: &str) -> Option<&'static str> {
    let (.., ours) = NAMES.iter().find(|(_, theirs, _)| *theirs == name)?;
    Some(*ours).filter(|ours| !ours.starts_with('!'))
}

/// A sentence about another tool's name. `name` may have members behind it: `fd.name.x`.
pub fn explanation(name: &str) -> Option<String> {
    let (tool, theirs, ours) = NAMES.iter().find(|(_, theirs, _)| {
        name.strip_prefix(theirs).is_some_and(|rest| rest.is_empty() || rest.starts_with('.') && theirs.contains('.'))
    })?;
    let whose = if tool.is_empty() { String::new() } else { format!("{tool}'s ") };
    Some(match ours.strip_prefix('!') {
        Some(sentence) => format!("{whose}{theirs} has no counterpart: {sentence}"),
        None => format!("{whose}{theirs} is {ours} here"),
    })
}

/// True if some tool's names begin so: `proc` of `proc.name`.
pub fn is_family(name: &str) -> Option<&'static str> {
    let (tool, ..) =
        NAMES.iter().find(|(_, theirs, _)| theirs.split_once('.').is_some_and(|(family, _)| family == name))?;
    Some(tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::field::CallField;

    #[test]
    fn names_lead_to_fields_that_exist() {
        for (tool, theirs, ours) in NAMES {
            if ours.starts_with('!') {
                assert!(!ours.ends_with('.'), "{theirs}");
                continue;
            }
            let field = ours.split([' ', '=']).next().unwrap();
            assert!(field.starts_with("args.") || CallField::named(field).is_some(), "{tool}'s {theirs}: {ours}");
            assert!(CallField::named(theirs).is_none(), "{theirs} is a field");
            assert!(NAMES.iter().filter(|(_, other, _)| other == theirs).count() == 1, "{theirs} is there twice");
        }
        assert_eq!(explanation("proc.name").as_deref(), Some("sysdig's proc.name is comm here"));
        assert_eq!(explanation("evt.arg.flags").as_deref(), Some("sysdig's evt.arg is args.NAME here"));
        assert_eq!(explanation("common_pid").as_deref(), Some("perf's common_pid is tid here"));
        assert_eq!(explanation("nonsense"), None);
    }
}
