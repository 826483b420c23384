//! Options that do not fit together, and a command line with nothing to trace.

use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use crate::flags::{table, tips, users};
use crate::views::explains_denials;
use std::ffi::OsString;
use stride_event::Machine;
use stride_filter::{CallField, Expression, Status};
use stride_session::options::{Engine, MachineFilter, Seccomp};

/// A replay has a recording already. Options and operands that are about making one do not fit.
pub fn replaying(raw: &RawOptions, operands: &[OsString]) -> Result<(), Stop> {
    if raw.options.replay.is_none() {
        return Ok(());
    }
    let has_command = !operands.is_empty();
    let whom = [(has_command, "PROG [ARGS]"), (!raw.options.spec.attach.is_empty(), "-p/--attach")];
    // These have values that are not about tracing, or several options stand for one thing.
    let how = [
        (raw.follow_count + raw.old_follow_count > 0 || raw.follow_forks, "-f/--follow-forks"),
        (raw.daemonize_count > 0 || raw.daemonize.is_some(), "-D/--daemonize"),
        (!raw.injections.is_empty(), "--inject/--fault"),
        (raw.options.spec.seccomp == Seccomp::On, "--seccomp-bpf"),
        (raw.options.contexts.is_some(), "--secontext"),
        (raw.options.engine != Engine::Auto, "--engine"),
    ];
    let given = |options: &[(bool, &str)]| options.iter().find(|(given, _)| *given).map(|(_, name)| (*name).to_owned());
    let found = given(&whom).or_else(|| raw.machine(has_command).map(str::to_owned));
    match found.or_else(|| only_traces(raw)).or_else(|| given(&how)) {
        Some(name) => Err(Stop::usage(format!(
            "{name} is about tracing, and --replay shows what has been traced: leave one of them out"
        ))),
        None => Ok(()),
    }
}

/// The first option that was given of those that are always about tracing.
fn only_traces(raw: &RawOptions) -> Option<String> {
    let flags = || table::all().filter(|flag| flag.only_traces);
    raw.options.typed.iter().find_map(|option| {
        let flag = flags().find(|flag| flag.long.is_some_and(|long| option.is_any(&[long])))?;
        Some(flag.spelled())
    })
}

/// There must be something to trace, and options about a command need a command.
pub fn whom(raw: &RawOptions, operands: &[OsString]) -> Result<(), Stop> {
    let no_command = operands.is_empty();
    if no_command
        && raw.options.spec.attach.is_empty()
        && raw.options.replay.is_none()
        && raw.machine(false).is_none()
        && !explains_denials(&raw.options)
    {
        // A tip is worth something without a trace, too.
        return Err(match raw.tip.map(tips::text).filter(|text| !text.is_empty()) {
            Some(tip) => Stop::Explain(tip),
            None => Stop::usage("must have PROG [ARGS] or -p PID"),
        });
    }
    if no_command && raw.argv0.is_some() {
        return Err(Stop::usage("PROG [ARGS] must be specified with --argv0"));
    }
    if raw.daemonize_count > 0 && raw.daemonize.is_some() {
        return Err(Stop::fail("-D and --daemonize cannot be provided simultaneously"));
    }
    if no_command && (raw.daemonize_count > 0 || raw.daemonize.is_some()) {
        return Err(Stop::usage("PROG [ARGS] must be specified with -D/--daemonize"));
    }
    if raw.daemonize_count > 3 {
        let count = raw.daemonize_count;
        return Err(Stop::usage(format!("Too many -D's ({count}), maximum supported -D count is 3")));
    }
    Ok(())
}

/// The part of the machine to trace, if it is that. It is neither a command nor processes given by id.
pub fn machine(raw: &mut RawOptions, operands: &[OsString]) -> Result<Option<Machine>, Stop> {
    let depth = raw.options.spec.max_depth.is_some();
    let Some(name) = raw.machine(!operands.is_empty()) else {
        if depth && !raw.follows() && raw.options.replay.is_none() {
            return Err(Stop::usage("--max-depth says how deep -f goes: give -f as well"));
        }
        let asks = |expression: &Expression| expression.mentions(CallField::Container);
        if raw.options.replay.is_none() && raw.options.expressions().any(asks) {
            return Err(Stop::usage(
                "an expression asks for container, which is only known if the whole machine is traced: give --all, \
                 --container=NAME or another filter of --all instead of PROG or -p",
            ));
        }
        return Ok(None);
    };
    if !operands.is_empty() || !raw.options.spec.attach.is_empty() {
        let other = if operands.is_empty() { "-p/--attach" } else { "PROG [ARGS]" };
        return Err(Stop::usage(format!(
            "{name} traces processes of the whole machine, and {other} certain ones: leave one of them out"
        )));
    }
    for (given, other) in [
        (raw.options.engine == Engine::Ptrace, "--engine=ptrace"),
        (raw.options.spec.kill_on_exit, "--kill-on-exit"),
        (raw.options.spec.seccomp == Seccomp::On, "--seccomp-bpf"),
        (!raw.injections.is_empty(), "--inject/--fault"),
        (raw.options.contexts.is_some(), "--secontext"),
    ] {
        if given {
            return Err(Stop::usage(format!(
                "{name} and {other} exclude each other: ptrace would have to stop every process of the machine at each call, \
                 so {name} takes the eBPF engine; leave {other} out"
            )));
        }
    }
    if depth {
        return Err(Stop::usage(format!(
            "--max-depth counts from a command or from -p, and {name} has neither: leave one of them out"
        )));
    }
    if raw.comm.len() + raw.exe.len() > Machine::GLOBS {
        return Err(Stop::usage(format!("--comm and --exe take {} patterns together, and no more", Machine::GLOBS)));
    }
    if let Some(user) = &raw.user {
        raw.options.machine_filters.push(MachineFilter { option: "user", text: user.clone() });
    }
    Ok(Some(Machine {
        comm: std::mem::take(&mut raw.comm),
        exe: std::mem::take(&mut raw.exe),
        user: raw.user.take().map(|user| users::id_of(&user)).transpose()?,
        cgroups: Vec::new(),
        containers: std::mem::take(&mut raw.containers),
    }))
}

/// Options whose short form is counted cannot be given in both forms, because it would not be clear which form counts.
pub fn two_spellings(raw: &RawOptions) -> Result<(), Stop> {
    for (both, names) in [
        (raw.timestamps_count > 0 && raw.timestamps.is_some(), "-t and --absolute-timestamps"),
        (raw.hex_count > 0 && raw.hex_strings.is_some(), "-x and --strings-in-hex"),
        (raw.decode_fds_count > 0 && raw.decode_fds.is_some(), "-y and --decode-fds"),
        (raw.follow_count > 0 && raw.follow_forks, "-f and --follow-forks"),
        (raw.follow_count > 1 && raw.output_separately, "-ff and --output-separately"),
    ] {
        if both {
            return Err(Stop::fail(format!("{names} cannot be provided simultaneously")));
        }
    }
    Ok(())
}

/// True if `--seccomp-bpf` is given and possible. Only the first obstacle is reported.
pub fn seccomp(raw: &RawOptions, warn: Warn) -> bool {
    if raw.options.spec.seccomp != Seccomp::On {
        return false;
    }
    if !raw.follows() {
        warn("--seccomp-bpf cannot be used without -f/--follow-forks, disabling".into());
        return false;
    }
    for (obstacle, name) in [
        (raw.options.spec.detach_on_execve, "-b"),
        (raw.options.syscall_limit.is_some(), "--syscall-limit"),
        (raw.options.spec.max_depth.is_some(), "--max-depth"),
    ] {
        if obstacle {
            warn(format!("--seccomp-bpf is not enabled because it is not compatible with {name}"));
            return false;
        }
    }
    if raw.injections.iter().any(|rule| rule.injection.signal.is_some()) {
        warn(
            "--seccomp-bpf is not enabled because it is not compatible with --inject=...:signal=: a call that a seccomp filter has \
             stopped cannot be given a signal"
                .into(),
        );
        return false;
    }
    // It is still enabled for a command that is given in addition.
    if !raw.options.spec.attach.is_empty() {
        warn("--seccomp-bpf is not enabled for processes attached with -p".into());
    }
    true
}

/// Only the text of the trace has SELinux contexts, and only the ptrace engine knows them in time.
pub fn contexts(raw: &RawOptions) -> Result<(), Stop> {
    const STANDING: &str = "contexts are looked up while threads stand still, which takes the ptrace engine";
    if raw.options.contexts.is_none() {
        return Ok(());
    }
    let others = [
        (raw.options.json, "--json", "only the text of the trace has contexts"),
        (raw.options.engine == Engine::Ebpf, "--engine=ebpf", STANDING),
        (!raw.options.library.is_empty(), "--library-calls/--usdt", STANDING),
        (raw.options.spec.operations, "--io-uring", STANDING),
    ];
    match others.into_iter().find(|(given, ..)| *given) {
        Some((_, other, why)) => Err(Stop::usage(format!(
            "--secontext and {other} do not fit together, because {why}: leave one of them out"
        ))),
        None => Ok(()),
    }
}

/// Only calls that failed have errors.
pub fn errors_of_successes(raw: &RawOptions) -> Result<(), Stop> {
    if raw.options.filters.errors.is_some() && !raw.options.filters.status.contains(Status::Failed) {
        return Err(Stop::usage(
            "--errno reports calls that failed, and -z/--status leaves them out: leave one of them out",
        ));
    }
    Ok(())
}

pub fn follow(raw: &RawOptions, warn: Warn) -> bool {
    let follow = raw.follows();
    if raw.old_follow_count > 0 {
        warn(if follow {
            "deprecated option -F ignored".into()
        } else {
            "option -F is deprecated, please use -f/--follow-forks instead".into()
        });
    }
    follow || raw.old_follow_count > 0
}

/// Warns about options that need other options, which are missing.
pub fn without_effect(raw: &RawOptions, follow_forks: bool, warn: Warn) {
    if raw.output.is_none() {
        // -ff alone is too common to complain about.
        if raw.output_separately && !follow_forks {
            warn("--output-separately has no effect without -o/--output".into());
        }
        if raw.options.append {
            warn("-A/--output-append-mode has no effect without -o/--output".into());
        }
    }
    if raw.status_count > 1 {
        warn(
            "Only the last of -z/--successful-only/-Z/--failed-only options will take effect. \
             See status qualifier for more complex filters."
                .into(),
        );
    }
    if raw.options.engine == Engine::Ptrace {
        for (given, name) in [
            (raw.options.ebpf.on_overflow.is_some(), "--on-overflow"),
            (raw.options.ebpf.ring_bytes.is_some(), "--ring-size"),
        ] {
            if given {
                warn(format!("{name} has no effect with --engine=ptrace, which never loses calls"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::warnings;
    use crate::flags::parser::{failure_of, options_of};
    use stride_session::options::*;

    const HINT: &str = "Try 'stride -h' for more information.";

    #[test]
    fn the_whole_machine_is_neither_a_command_nor_a_process() {
        for (line, start) in [
            ("--all x", "--all traces processes of the whole machine, and PROG [ARGS] certain ones"),
            ("--comm=x -p 1", "--comm traces processes of the whole machine, and -p/--attach certain ones"),
            ("--cgroup=/x --engine=ptrace", "--cgroup and --engine=ptrace exclude each other"),
            ("--exe=x --kill-on-exit", "--exe and --kill-on-exit exclude each other"),
            ("--all --max-depth=1", "--max-depth counts from a command or from -p"),
            ("--max-depth=1 x", "--max-depth says how deep -f goes"),
            ("--replay=r --all", "--all is about tracing"),
            ("--comm=", "invalid --comm argument: '': it is empty"),
            ("--exe=a[", "invalid --exe argument: 'a[': a bracket is not closed"),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert!(failure_of(&words)[0].starts_with(start), "{line}: {:?}", failure_of(&words));
        }
        let options = options_of(&["--comm=a*", "--comm=!ab", "--exe=/usr/*"]);
        assert!(options.spec.follow && options.is_quiet(stride_filter::Quiet::Attach));
        let machine = options.spec.machine.unwrap();
        assert_eq!((machine.comm.len(), machine.exe.len(), machine.user), (2, 1, None));
        assert_eq!(options_of(&["--user=root"]).spec.machine.unwrap().user, Some(0));
        assert_eq!(options_of(&["-u", "4711"]).spec.machine.unwrap().user, Some(4711));
        let all = options_of(&["--all"]);
        assert_eq!(all.spec.machine, Some(stride_event::Machine::default()));
        assert!(all.thread_names && !all.filters.signals.contains(17) && all.is_quiet(stride_filter::Quiet::Exit));
        let asked = options_of(&["--all", "-e", "signal=chld", "--quiet=attach"]);
        assert!(
            asked.filters.signals.contains(17)
                && !asked.filters.signals.contains(2)
                && !asked.is_quiet(stride_filter::Quiet::Exit)
        );
        let json = options_of(&["--all", "--json"]);
        assert!(json.filters.signals.contains(17) && json.quiet.is_empty(), "objects are data");
        assert_eq!(options_of(&["-f", "--max-depth=3", "x"]).spec.max_depth, Some(3));
    }

    #[test]
    fn what_excludes_what() {
        for (line, message) in [
            ("", "must have PROG [ARGS] or -p PID"),
            ("-p ,", "must have PROG [ARGS] or -p PID"),
            ("-w", "must have PROG [ARGS] or -p PID"),
            ("--argv0=x -p 1", "PROG [ARGS] must be specified with --argv0"),
            ("-DD -p 1", "PROG [ARGS] must be specified with -D/--daemonize"),
            ("--daemonize=Pgrp -p 1", "PROG [ARGS] must be specified with -D/--daemonize"),
            ("-DDDD x", "Too many -D's (4), maximum supported -D count is 3"),
            ("-c -C x", "-c/--summary-only and -C/--summary are mutually exclusive"),
            ("--summary -cQ", "-c/--summary-only and -C/--summary are mutually exclusive"),
            ("-c -ff x", "(-c/--summary-only or -C/--summary) and -ff/--output-separately are mutually exclusive"),
            ("-w x", "-w/--summary-wall-clock must be given with (-c/--summary-only or -C/--summary)"),
            ("-U name x", "-U/--summary-columns must be given with (-c/--summary-only or -C/--summary)"),
            ("-o | -ff x", "piping the output and -ff/--output-separately are mutually exclusive"),
            ("-o !cat -ff x", "piping the output and -ff/--output-separately are mutually exclusive"),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(failure_of(&words), [message, HINT], "{line}");
        }
        for (line, message) in [
            ("-D --daemonize -p 1", "-D and --daemonize cannot be provided simultaneously"),
            ("-t --timestamps=ns x", "-t and --absolute-timestamps cannot be provided simultaneously"),
            ("-xx --strings-in-hex x", "-x and --strings-in-hex cannot be provided simultaneously"),
            ("-e decode-fd=all -yy x", "-y and --decode-fds cannot be provided simultaneously"),
            ("-f --follow-forks x", "-f and --follow-forks cannot be provided simultaneously"),
            ("-ff --output-separately x", "-ff and --output-separately cannot be provided simultaneously"),
            ("-q -e silent=attach x", "-q and -e quiet/--quiet cannot be provided simultaneously"),
            ("--kill-on-exit -p 1 x", "--kill-on-exit and -p/--attach are mutually exclusive options"),
            ("-p 1,a", "Invalid process id: 'a'"),
            ("-b execve -b chdir", "Syscall 'chdir' for -b isn't supported"),
            ("-q --quiet=fds x", "invalid quiet 'fds'"),
            ("-e read=1,a x", "invalid descriptor 'a'"),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(failure_of(&words), [message], "{line}");
        }
    }

    #[test]
    fn forms_are_for_reports() {
        let reports =
            "--format is for the reports of --advise, --budget and --diff: give one of them, and no other report";
        let findings = "--format=sarif is for the findings of --advise alone: give --advise, and no other report";
        let twice = "--format and --json say in different ways how reports are written: leave one of them out";
        for (line, expected) in [
            ("--format=markdown x", reports),
            ("--format=github --budget-write=b x", reports),
            ("--format=github --html=h x", reports),
            ("--format=markdown --json --advise x", twice),
            ("--format=sarif --diff=d x", findings),
            ("--format=sarif --advise --diff=d x", findings),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(failure_of(&words), [expected, HINT], "{line}");
        }
        for line in ["--format=text x", "--format=markdown --advise --diff=d x", "--format=sarif --advise --html=h x"] {
            options_of(&line.split_whitespace().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_recording_is_not_traced() {
        for (line, name) in [
            ("x", "PROG [ARGS]"),
            ("-p 1", "-p/--attach"),
            ("-f", "-f/--follow-forks"),
            ("-D", "-D/--daemonize"),
            ("--engine=ebpf", "--engine"),
            ("-E A=b", "-E/--env"),
            ("-I 1", "-I/--interruptible"),
            ("--for=1s", "--for"),
            ("-b execve", "-b/--detach-on"),
            ("--flight=1m", "--flight"),
            ("-u root", "-u/--user"),
            ("--usdt=libc:libc:*", "--usdt"),
        ] {
            let words: Vec<&str> = ["--replay=r"].into_iter().chain(line.split_whitespace()).collect();
            let expected =
                format!("{name} is about tracing, and --replay shows what has been traced: leave one of them out");
            assert_eq!(failure_of(&words), [expected.as_str(), HINT], "{line}");
        }
        assert_eq!(options_of(&["--replay=r"]).output, Output::Stdout);
        assert_eq!(options_of(&["--replay=r", "-o", "x"]).output, Output::File("x".into()));
    }

    #[test]
    fn seccomp_tells_its_first_obstacle() {
        for (line, message) in [
            ("--seccomp-bpf", "--seccomp-bpf cannot be used without -f/--follow-forks, disabling"),
            (
                "--seccomp-bpf -f --max-depth=1",
                "--seccomp-bpf is not enabled because it is not compatible with --max-depth",
            ),
            ("--seccomp-bpf -f -b execve", "--seccomp-bpf is not enabled because it is not compatible with -b"),
            (
                "--seccomp-bpf -f --syscall-limit=1 -p 1",
                "--seccomp-bpf is not enabled because it is not compatible with --syscall-limit",
            ),
            ("--seccomp-bpf -f -p 1", "--seccomp-bpf is not enabled for processes attached with -p"),
        ] {
            let mut words: Vec<&str> = line.split_whitespace().collect();
            words.extend(["-e", "trace=read", "x"]);
            assert_eq!(warnings(&words), [message]);
        }
        let options = options_of(&["--seccomp-bpf", "-f", "-e", "trace=read", "x"]);
        assert!(options.spec.seccomp == Seccomp::On && options.spec.kill_on_exit);
        let options = options_of(&["--seccomp-bpf", "-f", "-p", "1", "-e", "trace=read", "x"]);
        assert!(options.spec.seccomp == Seccomp::On && !options.spec.kill_on_exit);
        assert!((options_of(&["--seccomp-bpf", "-f", "x"]).spec.seccomp != Seccomp::On));
    }
}
