//! Whether the options fit together, and what follows from them.
//!
//! The checks come in strace's order, so that of several mistakes it is the same one that is reported.

use super::draft::Draft;
use super::options::*;
use super::stop::Stop;
use super::{summary, users};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use stride_filter::{FdDetail, PathSet, Quiet, WordSet, with_nameless};

/// Whoever prints warnings; they come before the error that may follow.
type Warn<'a> = &'a mut dyn FnMut(String);

pub fn validate(
    mut draft: Draft,
    operands: Vec<OsString>,
    program: &str,
    no_color: bool,
    warn: Warn,
) -> Result<Options, Stop> {
    draft.summary_only |= draft.by.is_some() && !draft.summary_too;
    replaying(&draft, &operands)?;
    whom(&draft, &operands)?;
    two_spellings(&draft)?;
    let seccomp_bpf = seccomp(&draft, warn);
    let follow_forks = follow(&draft, warn);
    let output_separately = draft.output_separately || draft.follow_count > 1;
    summaries(&draft, output_separately, warn)?;
    json(&draft, output_separately)?;
    if draft.output.is_none() {
        // -ff alone is too common to complain about.
        if draft.output_separately && !follow_forks {
            warn("--output-separately has no effect without -o/--output".into());
        }
        if draft.append {
            warn("-A/--output-append-mode has no effect without -o/--output".into());
        }
    }
    if draft.status_count > 1 {
        warn(
            "Only the last of -z/--successful-only/-Z/--failed-only options will take effect. \
             See status qualifier for more complex filters."
                .into(),
        );
    }
    if draft.engine == Engine::Ptrace {
        for (given, name) in
            [(draft.on_overflow.is_some(), "--on-overflow"), (draft.ring_size.is_some(), "--ring-size")]
        {
            if given {
                warn(format!("{name} has no effect with --engine=ptrace, which never loses calls"));
            }
        }
    }
    let paths = resolve_paths(&draft, warn);
    let user = draft.user.as_deref().map(users::run_as).transpose()?;
    let has_command = !operands.is_empty();
    let several = draft.attach.len() + usize::from(has_command) > 1;
    if seccomp_bpf && has_command && draft.trace.is_all() {
        warn(
            "Seccomp filter is requested but there are no syscalls to filter.  See -e trace to filter syscalls.".into(),
        );
    }
    if draft.kill_on_exit && !draft.attach.is_empty() {
        return Err(Stop::fail("--kill-on-exit and -p/--attach are mutually exclusive options"));
    }
    let output = output(&draft, output_separately)?;
    let to_file = output != Output::Stderr;
    let files = [&draft.record, &draft.perfetto, &draft.html, &draft.budget_write, &draft.diff, &draft.budget];
    let elsewhere = to_file || files.iter().any(|file| file.is_some());
    // In JSON they are data like the rest.
    let quiet = quiet(&draft, elsewhere && !draft.json)?;
    let daemonize = daemonize(&draft);
    let summarizes = draft.summarizes();

    Ok(Options {
        program: program.to_owned(),
        engine: draft.engine,
        command: command(operands, draft.argv0, draft.env, user),
        // A filter for all calls would only cost time.
        seccomp_bpf: seccomp_bpf && !draft.trace.is_all(),
        kill_on_exit: draft.kill_on_exit || (seccomp_bpf && draft.attach.is_empty()),
        attach: draft.attach,
        follow_forks,
        daemonize,
        detach_on_exec: draft.detach_on_exec,
        interruptible: draft.interruptible.unwrap_or(match daemonize {
            Daemonize::No if elsewhere && has_command => Interruptible::Never,
            Daemonize::No => Interruptible::Waiting,
            _ => Interruptible::NeverTstp,
        }),
        syscall_limit: draft.syscall_limit,
        on_overflow: draft.on_overflow,
        ring_size: draft.ring_size,
        debug: draft.debug,
        trace: with_nameless(draft.trace, draft.catalog),
        trace_fds: draft.trace_fds,
        paths,
        signals: draft.signals,
        status: draft.status,
        pid_prefix: match (draft.always_show_pid, to_file, output_separately) {
            (true, ..) => PidPrefix::Always,
            (false, true, true) => PidPrefix::Never,
            (false, true, false) if follow_forks || several => PidPrefix::Always,
            _ => PidPrefix::WhenSeveral,
        },
        output_separately: output_separately && matches!(output, Output::File(_)),
        output,
        advise: draft.advise,
        record: draft.record.map(Into::into),
        diff: draft.diff.map(Into::into),
        budget: draft.budget.map(Into::into),
        budget_write: draft.budget_write.map(Into::into),
        perfetto: draft.perfetto.map(Into::into),
        html: draft.html.map(Into::into),
        replay: draft.replay.map(Into::into),
        json: draft.json,
        append: draft.append,
        color: if draft.color == Color::Auto && no_color { Color::Never } else { draft.color },
        columns: draft.columns,
        timestamps: match draft.timestamps_count {
            0 => draft.timestamps.and_then(|t| Some(Timestamps { format: t.format?, precision: t.precision })),
            1 => Some(Timestamps { format: TimeFormat::Time, precision: Precision::Seconds }),
            2 => Some(Timestamps { format: TimeFormat::Time, precision: Precision::Micros }),
            _ => Some(Timestamps { format: TimeFormat::Unix, precision: Precision::Micros }),
        },
        relative_timestamps: draft.relative_timestamps,
        syscall_times: draft.syscall_times,
        instruction_pointer: draft.instruction_pointer,
        stack_trace: draft.stack_trace.filter(|_| !draft.summary_only),
        stack_trace_frame_limit: draft.stack_trace_frame_limit.unwrap_or(STACK_TRACE_FRAME_LIMIT),
        syscall_number: draft.syscall_number,
        arg_names: draft.arg_names,
        string_limit: draft.string_limit,
        hex_strings: match draft.hex_count {
            0 => draft.hex_strings.unwrap_or_default(),
            1 => HexStrings::NonAscii,
            _ => HexStrings::All,
        },
        const_style: draft.const_style,
        abbrev: draft.abbrev,
        verbose: draft.verbose,
        raw: draft.raw,
        dump_read: draft.dump_read,
        dump_write: draft.dump_write,
        decode_fds: match draft.decode_fds_count {
            0 => draft.decode_fds.unwrap_or(WordSet::NONE),
            1 => WordSet::of(&[FdDetail::Path]),
            _ => WordSet::ALL,
        },
        decode_pids: draft.decode_pids,
        quiet,
        summary: summarizes.then(|| {
            let by = draft.by.unwrap_or_else(|| vec![Key::Syscall]);
            Summary {
                only: draft.summary_only,
                // Not every engine knows more where it does not count by itself; tables of the same calls shall be the same.
                wall_clock: draft.wall_clock || by != [Key::Syscall],
                sort: draft.sort.unwrap_or(SortKey::By(Column::TimePercent)),
                columns: draft.summary_columns.unwrap_or_else(|| summary::default_columns(&by)),
                overhead: draft.overhead,
                by,
            }
        }),
    })
}

/// A recording is there already: nothing that is about making one fits.
fn replaying(draft: &Draft, operands: &[OsString]) -> Result<(), Stop> {
    if draft.replay.is_none() {
        return Ok(());
    }
    for (given, name) in [
        (!operands.is_empty(), "PROG [ARGS]"),
        (!draft.attach.is_empty(), "-p/--attach"),
        (draft.record.is_some(), "--record"),
        (draft.follow_count + draft.old_follow_count > 0 || draft.follow_forks, "-f/--follow-forks"),
        (draft.daemonize_count > 0 || draft.daemonize.is_some(), "-D/--daemonize"),
        (draft.detach_on_exec, "-b/--detach-on"),
        (draft.interruptible.is_some(), "-I/--interruptible"),
        (draft.kill_on_exit, "--kill-on-exit"),
        (draft.seccomp_bpf, "--seccomp-bpf"),
        (draft.engine != Engine::Auto, "--engine"),
        (draft.on_overflow.is_some(), "--on-overflow"),
        (draft.ring_size.is_some(), "--ring-size"),
        (draft.user.is_some(), "-u/--user"),
        (!draft.env.is_empty(), "-E/--env"),
        (draft.argv0.is_some(), "--argv0"),
    ] {
        if given {
            return Err(Stop::usage(format!(
                "{name} is about tracing, and --replay shows what has been traced: leave one of them out"
            )));
        }
    }
    Ok(())
}

/// There must be something to trace, and options about a command need one.
fn whom(draft: &Draft, operands: &[OsString]) -> Result<(), Stop> {
    let no_command = operands.is_empty();
    if no_command && draft.attach.is_empty() && draft.replay.is_none() {
        return Err(Stop::usage("must have PROG [ARGS] or -p PID"));
    }
    if no_command && draft.argv0.is_some() {
        return Err(Stop::usage("PROG [ARGS] must be specified with --argv0"));
    }
    if draft.daemonize_count > 0 && draft.daemonize.is_some() {
        return Err(Stop::fail("-D and --daemonize cannot be provided simultaneously"));
    }
    if no_command && (draft.daemonize_count > 0 || draft.daemonize.is_some()) {
        return Err(Stop::usage("PROG [ARGS] must be specified with -D/--daemonize"));
    }
    if draft.daemonize_count > 3 {
        let count = draft.daemonize_count;
        return Err(Stop::usage(format!("Too many -D's ({count}), maximum supported -D count is 3")));
    }
    Ok(())
}

/// Options whose short form is counted cannot be given in both forms: it would not be clear which one counts.
fn two_spellings(draft: &Draft) -> Result<(), Stop> {
    for (both, names) in [
        (draft.timestamps_count > 0 && draft.timestamps.is_some(), "-t and --absolute-timestamps"),
        (draft.hex_count > 0 && draft.hex_strings.is_some(), "-x and --strings-in-hex"),
        (draft.decode_fds_count > 0 && draft.decode_fds.is_some(), "-y and --decode-fds"),
        (draft.follow_count > 0 && draft.follow_forks, "-f and --follow-forks"),
        (draft.follow_count > 1 && draft.output_separately, "-ff and --output-separately"),
    ] {
        if both {
            return Err(Stop::fail(format!("{names} cannot be provided simultaneously")));
        }
    }
    Ok(())
}

/// Whether `--seccomp-bpf` can be had. Only the first obstacle is told.
fn seccomp(draft: &Draft, warn: Warn) -> bool {
    if !draft.seccomp_bpf {
        return false;
    }
    if draft.follow_count == 0 && !draft.follow_forks {
        warn("--seccomp-bpf cannot be used without -f/--follow-forks, disabling".into());
        return false;
    }
    for (obstacle, name) in [(draft.detach_on_exec, "-b"), (draft.syscall_limit.is_some(), "--syscall-limit")] {
        if obstacle {
            warn(format!("--seccomp-bpf is not enabled because it is not compatible with {name}"));
            return false;
        }
    }
    // It still is for a command given beside them.
    if !draft.attach.is_empty() {
        warn("--seccomp-bpf is not enabled for processes attached with -p".into());
    }
    true
}

fn follow(draft: &Draft, warn: Warn) -> bool {
    let follow = draft.follow_count > 0 || draft.follow_forks;
    if draft.old_follow_count > 0 {
        warn(if follow {
            "deprecated option -F ignored".into()
        } else {
            "option -F is deprecated, please use -f/--follow-forks instead".into()
        });
    }
    follow || draft.old_follow_count > 0
}

/// Frames of a stack that are shown unless others are asked for, as in strace.
const STACK_TRACE_FRAME_LIMIT: usize = 256;

/// What a summary excludes, and what makes no sense with or without one.
fn summaries(draft: &Draft, output_separately: bool, warn: Warn) -> Result<(), Stop> {
    const EITHER: &str = "(-c/--summary-only or -C/--summary)";
    if draft.summarizes() && output_separately {
        return Err(Stop::usage(format!("{EITHER} and -ff/--output-separately are mutually exclusive")));
    }
    if !draft.summarizes() && draft.wall_clock {
        return Err(Stop::usage(format!("-w/--summary-wall-clock must be given with {EITHER}")));
    }
    if !draft.summarizes() && draft.summary_columns.is_some() {
        return Err(Stop::usage(format!("-U/--summary-columns must be given with {EITHER}")));
    }
    if draft.summary_only {
        for (given, names) in [
            (draft.instruction_pointer, "-i/--instruction-pointer"),
            (draft.stack_trace.is_some(), "-k/--stack-trace"),
            (draft.syscall_number, "-n/--syscall-number"),
            (draft.arg_names, "-N/--arg-names"),
            (draft.relative_timestamps.is_some(), "-r/--relative-timestamps"),
            (
                draft.timestamps_count > 0 || draft.timestamps.is_some_and(|t| t.format.is_some()),
                "-t/--absolute-timestamps",
            ),
            (draft.syscall_times.is_some(), "-T/--syscall-times"),
            (draft.decode_fds_count > 0 || draft.decode_fds.is_some_and(|set| !set.is_empty()), "-y/--decode-fds"),
        ] {
            if given {
                warn(format!("{names} has no effect with -c/--summary-only"));
            }
        }
    }
    if draft.stack_trace.is_none() && draft.stack_trace_frame_limit.is_some() {
        warn("--stack-trace-frame-limit has no effect without -k/--stack-trace".into());
    }
    if !draft.summarizes() && draft.sort.is_some() {
        warn(format!("-S/--summary-sort-by has no effect without {EITHER}"));
    }
    Ok(())
}

/// What makes no JSON, or more than one stream of it.
fn json(draft: &Draft, output_separately: bool) -> Result<(), Stop> {
    if draft.json && output_separately {
        return Err(Stop::usage(
            "--json and -ff/--output-separately are mutually exclusive: \
             every object tells its pid and tid, so that one file will do",
        ));
    }
    Ok(())
}

fn resolve_paths(draft: &Draft, warn: Warn) -> PathSet {
    // As in strace, -qqq does not count here: it comes too late.
    let quiet = draft.quiet.is_some_and(|quiet| quiet.contains(Quiet::PathResolution));
    let mut paths = PathSet::default();
    for path in &draft.paths {
        if is_pattern(path) {
            warn(format!(
                "-P takes a path, not a pattern, and there is no file \"{}\", so no call will match: \
                 give each path a -P of its own",
                escape(Path::new(path))
            ));
        }
        if let Some(resolved) = paths.add(path.clone()).filter(|_| !quiet) {
            warn(format!(
                "Requested path \"{}\" resolved into \"{}\"",
                escape(&resolved.given),
                escape(&resolved.resolved)
            ));
        }
    }
    paths
}

/// Whether a path was probably meant as a glob: it has the characters, and no file of that name is there.
fn is_pattern(path: &OsStr) -> bool {
    path.as_bytes().iter().any(|b| b"*?[".contains(b)) && Path::new(path).symlink_metadata().is_err()
}

/// As in a C string: a path may hold anything, and this goes to a terminal.
fn escape(path: &Path) -> String {
    path.as_os_str().as_bytes().escape_ascii().to_string().replace("\\'", "'")
}

fn output(draft: &Draft, separately: bool) -> Result<Output, Stop> {
    let Some(output) = &draft.output else {
        return Ok(if draft.replay.is_some() { Output::Stdout } else { Output::Stderr });
    };
    let Some((b'|' | b'!', command)) = output.as_bytes().split_first() else {
        return Ok(Output::File(output.into()));
    };
    if separately {
        return Err(Stop::usage("piping the output and -ff/--output-separately are mutually exclusive"));
    }
    Ok(Output::Pipe(OsStr::from_bytes(command).to_owned()))
}

fn quiet(draft: &Draft, elsewhere: bool) -> Result<WordSet<Quiet>, Stop> {
    const ATTACH: [Quiet; 2] = [Quiet::Attach, Quiet::Personality];
    match (draft.quiet_count, draft.quiet) {
        (1.., Some(_)) => Err(Stop::fail("-q and -e quiet/--quiet cannot be provided simultaneously")),
        (0, Some(quiet)) => Ok(quiet),
        // Such messages would go to the terminal of a command whose trace is elsewhere.
        (0, None) if elsewhere && draft.attach.is_empty() => Ok(WordSet::of(&ATTACH)),
        (0, None) => Ok(WordSet::NONE),
        (1, None) => Ok(WordSet::of(&ATTACH).with(Quiet::Files)),
        (2, None) => Ok(WordSet::of(&ATTACH).with(Quiet::Files).with(Quiet::Exit)),
        (_, None) => Ok(WordSet::ALL),
    }
}

fn daemonize(draft: &Draft) -> Daemonize {
    match draft.daemonize_count {
        0 => draft.daemonize.unwrap_or_default(),
        1 => Daemonize::Grandchild,
        2 => Daemonize::ProcessGroup,
        _ => Daemonize::Session,
    }
}

fn command(
    operands: Vec<OsString>,
    argv0: Option<OsString>,
    env: Vec<EnvChange>,
    user: Option<RunAs>,
) -> Option<Command> {
    let program = operands.first()?.clone();
    let mut argv = operands;
    if let Some(argv0) = argv0 {
        argv[0] = argv0;
    }
    Some(Command { program, argv, env, user })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::parser::{Outcome, failure_of, options_of, parse_words};

    const HINT: &str = "Try 'stride -h' for more information.";

    /// The warnings of a command line that is accepted.
    fn warnings(words: &[&str]) -> Vec<String> {
        let parsed = parse_words(words);
        assert!(matches!(parsed.outcome, Outcome::Trace(_)), "{words:?}: {parsed:?}");
        parsed.messages.into_iter().map(|line| line.strip_prefix("stride: ").unwrap().to_owned()).collect()
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
    fn a_recording_is_not_traced() {
        for (line, name) in [
            ("x", "PROG [ARGS]"),
            ("-p 1", "-p/--attach"),
            ("-f", "-f/--follow-forks"),
            ("--record=y", "--record"),
            ("-D", "-D/--daemonize"),
            ("--engine=ebpf", "--engine"),
            ("-E A=b", "-E/--env"),
            ("-I 1", "-I/--interruptible"),
        ] {
            let words: Vec<&str> = ["--replay=r"].into_iter().chain(line.split_whitespace()).collect();
            let told =
                format!("{name} is about tracing, and --replay shows what has been traced: leave one of them out");
            assert_eq!(failure_of(&words), [told.as_str(), HINT], "{line}");
        }
        assert_eq!(options_of(&["--replay=r"]).output, Output::Stdout);
        assert_eq!(options_of(&["--replay=r", "-o", "x"]).output, Output::File("x".into()));
        assert!(!options_of(&["--record=r", "x"]).prints_calls());
        assert!(options_of(&["--record=r", "-o", "y", "x"]).prints_calls());
        assert!(!options_of(&["--perfetto=p", "x"]).prints_calls());
        assert!(!options_of(&["--replay=r", "--perfetto=p"]).prints_calls());
        assert!(options_of(&["--replay=r", "--perfetto=p", "-o", "y"]).prints_calls());
    }

    #[test]
    fn warnings_come_in_order_and_before_errors() {
        assert_eq!(
            failure_of(&["-cinNrtTyzZ", "-A", "-P", "///", "-q", "--quiet", "x"]),
            [
                "-i/--instruction-pointer has no effect with -c/--summary-only",
                "-n/--syscall-number has no effect with -c/--summary-only",
                "-N/--arg-names has no effect with -c/--summary-only",
                "-r/--relative-timestamps has no effect with -c/--summary-only",
                "-t/--absolute-timestamps has no effect with -c/--summary-only",
                "-T/--syscall-times has no effect with -c/--summary-only",
                "-y/--decode-fds has no effect with -c/--summary-only",
                "-A/--output-append-mode has no effect without -o/--output",
                "Only the last of -z/--successful-only/-Z/--failed-only options will take effect. \
                 See status qualifier for more complex filters.",
                "Requested path \"///\" resolved into \"/\"",
                "-q and -e quiet/--quiet cannot be provided simultaneously",
            ]
        );
        assert_eq!(
            warnings(&["--output-separately", "-S", "errors", "x"]),
            [
                "-S/--summary-sort-by has no effect without (-c/--summary-only or -C/--summary)",
                "--output-separately has no effect without -o/--output",
            ]
        );
        assert_eq!(warnings(&["-ff", "x"]), [""; 0]);
        assert_eq!(warnings(&["-FF", "x"]), ["option -F is deprecated, please use -f/--follow-forks instead"]);
        assert_eq!(warnings(&["-fF", "x"]), ["deprecated option -F ignored"]);
    }

    #[test]
    fn a_glob_is_not_taken_for_a_path_in_silence() {
        for glob in ["/etc/*", "/no/such/?", "/no/[ab]"] {
            let told = warnings(&["-P", glob, "x"]);
            let start =
                format!("-P takes a path, not a pattern, and there is no file \"{glob}\", so no call will match: ");
            assert!(told.len() == 1 && told[0].starts_with(&start), "{told:?}");
        }
        let dir = std::env::temp_dir().join(format!("stride-glob-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let file = dir.join("a*[b]?");
        std::fs::write(&file, "").unwrap();
        let told = warnings(&["-P", file.to_str().unwrap(), "-P", "/no/such/file", "x"]);
        std::fs::remove_dir_all(&dir).unwrap();
        assert_eq!(told, [""; 0]);
    }

    #[test]
    fn seccomp_tells_its_first_obstacle() {
        for (line, message) in [
            ("--seccomp-bpf", "--seccomp-bpf cannot be used without -f/--follow-forks, disabling"),
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
        assert!(options.seccomp_bpf && options.kill_on_exit);
        let options = options_of(&["--seccomp-bpf", "-f", "-p", "1", "-e", "trace=read", "x"]);
        assert!(options.seccomp_bpf && !options.kill_on_exit);
        assert!(!options_of(&["--seccomp-bpf", "-f", "x"]).seccomp_bpf);
    }

    #[test]
    fn quiet_by_count_by_name_and_by_itself() {
        use Quiet::*;
        let quiet = |words: &[&str]| options_of(words).quiet;
        assert_eq!(quiet(&["x"]), WordSet::NONE);
        assert_eq!(quiet(&["-q", "x"]), WordSet::of(&[Attach, Personality, Files]));
        assert_eq!(quiet(&["--quiet", "x"]), WordSet::of(&[Attach, Personality, Files]));
        assert_eq!(quiet(&["-qq", "x"]), WordSet::of(&[Attach, Personality, Files, Exit]));
        assert_eq!(quiet(&["-qqqq", "x"]), WordSet::ALL);
        assert_eq!(quiet(&["-o", "f", "x"]), WordSet::of(&[Attach, Personality]));
        assert_eq!(quiet(&["-o", "f", "-p", "1", "x"]), WordSet::NONE);
        assert_eq!(quiet(&["-o", "f", "-e", "quiet=exit", "x"]), WordSet::of(&[Exit]));
    }

    #[test]
    fn who_may_interrupt() {
        use Interruptible::*;
        let when = |words: &[&str]| options_of(words).interruptible;
        assert_eq!(when(&["x"]), Waiting);
        assert_eq!(when(&["-o", "f", "x"]), Never);
        assert_eq!(when(&["-o", "f", "-p", "1"]), Waiting);
        assert_eq!(when(&["-D", "x"]), NeverTstp);
        assert_eq!(when(&["-I1", "-D", "x"]), Anywhere);
        assert_eq!(when(&["--interruptible=NEVER", "x"]), Never);
    }

    #[test]
    fn where_the_trace_goes() {
        let options = options_of(&["-o", "|cat -n", "-f", "x"]);
        assert_eq!(options.output, Output::Pipe("cat -n".into()));
        assert_eq!(options.pid_prefix, PidPrefix::Always);
        let options = options_of(&["-o", "f", "-ff", "x"]);
        assert!(options.output_separately && options.pid_prefix == PidPrefix::Never);
        let options = options_of(&["-ff", "x"]);
        assert!(options.follow_forks && !options.output_separately && options.pid_prefix == PidPrefix::WhenSeveral);
        assert_eq!(options_of(&["-o", "f", "-ff", "--always-show-pid", "x"]).pid_prefix, PidPrefix::Always);
    }

    #[test]
    fn the_command() {
        let command = options_of(&["--argv0=sh", "-E", "A=b=c", "-E", "B", "busybox", "-c", ":"]).command.unwrap();
        assert_eq!(command.program, "busybox");
        assert_eq!(command.argv, ["sh", "-c", ":"]);
        assert_eq!(command.env, [EnvChange::Set("A".into(), "b=c".into()), EnvChange::Remove("B".into())]);
        let options = options_of(&["-p", "1 2,1"]);
        assert_eq!((options.command, options.attach), (None, vec![1, 2]));
    }

    #[test]
    fn no_color_turns_auto_off() {
        let color = |words: &[&str]| {
            let parsed = crate::flags::parse(words.iter().map(OsString::from), true);
            match parsed.outcome {
                Outcome::Trace(options) => options.color,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(color(&["stride", "x"]), Color::Never);
        assert_eq!(color(&["stride", "--color=always", "x"]), Color::Always);
    }

    #[test]
    fn paths_are_escaped_for_the_terminal() {
        assert_eq!(escape(Path::new("a\n\"b\x1b'")), "a\\n\\\"b\\x1b'");
    }
}
