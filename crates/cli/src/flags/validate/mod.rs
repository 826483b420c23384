//! Checks that the options fit together, and makes [`Options`] of them.
//!
//! The checks come in strace's order, so that both tools report the same one of several mistakes.

mod conflicts;
mod injections;
mod paths;
mod places;

use super::raw_options::RawOptions;
use super::stop::{Stop, Warn};
use super::time_format::{Precision, TimeFormat};
use super::{summary, users};
use crate::views;
use conflicts::{follow, machine, replaying, seccomp, two_spellings, whom, without_effect};
use places::{daemonize, output, quiet};
use std::ffi::OsString;
use stride_filter::{Catalog, FdDetail, Quiet, WordSet, with_nameless};
use stride_session::options::LIVE_VIEW;
use stride_session::options::*;

pub fn validate(
    mut raw: RawOptions,
    operands: Vec<OsString>,
    program: &str,
    no_color: bool,
    warn: Warn,
) -> Result<Options, Stop> {
    raw.summary_only |= raw.by.is_some() && !raw.summary_too;
    replaying(&raw, &operands)?;
    whom(&raw, &operands)?;
    let machine = machine(&mut raw, &operands)?;
    two_spellings(&raw)?;
    let seccomp_bpf = seccomp(&raw, warn);
    let follow_forks = follow(&raw, warn);
    for view in views::ALL {
        view.check(&raw, warn)?;
    }
    views::check_format(&raw.options).map_err(Stop::usage)?;
    without_effect(&raw, follow_forks, warn);
    conflicts::errors_of_successes(&raw)?;
    conflicts::contexts(&raw)?;
    let paths = paths::resolved(&raw, warn);
    let user = raw.user.as_deref().map(users::run_as).transpose()?;
    let has_command = !operands.is_empty();
    let several = raw.options.spec.attach.len() + usize::from(has_command) > 1;
    if seccomp_bpf && has_command && raw.options.filters.trace.is_all() {
        warn(
            "Seccomp filter is requested but there are no syscalls to filter.  See -e trace to filter syscalls.".into(),
        );
    }
    if raw.options.spec.kill_on_exit && !raw.options.spec.attach.is_empty() {
        return Err(Stop::fail("--kill-on-exit and -p/--attach are mutually exclusive options"));
    }
    let kills = raw.options.spec.kill_on_exit || seccomp_bpf;
    if !kills && raw.injections.iter().any(|rule| rule.injection.short.is_some()) {
        return Err(Stop::usage(
            "short= changes a register for the time of a call, and the program would keep that if Stride were killed meanwhile: add --kill-on-exit",
        ));
    }
    let output_separately = raw.separates_output();
    let output = output(&raw, output_separately)?;
    let to_file = output != Output::Stderr;
    let elsewhere =
        to_file || views::names_files(&raw.options.views) || views::exports(&raw.options) || raw.flight.keep.is_some();
    // In JSON, these messages are data like the rest.
    // On a whole machine, too many threads begin and end for a message each. A report has all of the command.
    let untold = machine.is_some() || elsewhere || views::has_report(&raw.options);
    let quiet = quiet(&raw, untold && !raw.options.json)?;
    let daemonize = daemonize(&raw);
    raw.options.spec.waits |= summary::needs_waits(&raw) || views::draws_waits(&raw.options);
    let summary = summary::settled(&raw);
    let injections = injections::settled(std::mem::take(&mut raw.injections), warn);

    let mut options = raw.options;
    options.quiet_asked = raw.quiet.is_some();
    options.flight = raw.flight.settled();
    options.program = program.to_owned();
    options.command = command(operands, raw.argv0, raw.env, user);
    options.spec.kill_on_exit |= seccomp_bpf && options.spec.attach.is_empty();
    // A filter that stops at every call would only cost time.
    options.spec.seccomp = if seccomp_bpf && !options.filters.trace.is_all() { Seccomp::On } else { Seccomp::Auto };
    options.filters.trace = with_nameless(options.filters.trace, Catalog::native());
    // perf trace follows the children of its command.
    let perf_follows = options.style == LineStyle::Perf && options.command.is_some();
    options.spec.follow = follow_forks || machine.is_some() || perf_follows || views::follow(&options);
    options.cgroups = raw.cgroups;
    options.spec.daemonize = daemonize;
    options.spec.interruptible = raw.interruptible.unwrap_or(match daemonize {
        Daemonize::No if elsewhere && has_command => Interruptible::Never,
        Daemonize::No => Interruptible::Waiting,
        _ => Interruptible::NeverTstp,
    });
    options.filters.paths = paths;
    options.spec.injections = injections;
    options.lines.leader.pid = match (raw.always_show_pid, to_file, output_separately) {
        (true, ..) => PidPrefix::Always,
        // Lines are of one process now and of many in a moment.
        (false, false, _) if machine.is_some() => PidPrefix::Always,
        (false, true, true) => PidPrefix::Never,
        (false, true, false) if follow_forks || several || machine.is_some() => PidPrefix::Always,
        _ => PidPrefix::WhenSeveral,
    };
    options.spec.machine = machine;
    options.output_separately = output_separately && matches!(output, Output::File(_));
    options.output = output;
    if options.color == Color::Auto && no_color {
        options.color = Color::Never;
    }
    let wall =
        |format, precision: Precision| WallClock { epoch: format == TimeFormat::Unix, digits: precision.digits() };
    options.lines.leader.wall = match raw.timestamps_count {
        0 => raw.timestamps.and_then(|given| Some(wall(given.format?, given.precision))),
        1 => Some(wall(TimeFormat::Time, Precision::Seconds)),
        2 => Some(wall(TimeFormat::Time, Precision::Micros)),
        _ => Some(wall(TimeFormat::Unix, Precision::Micros)),
    };
    options.stack_trace = options.stack_trace.filter(|_| !raw.summary_only);
    if let Some(limit) = raw.stack_trace_frame_limit {
        options.stack_trace_frame_limit = limit;
    }
    options.lines.style.hex_strings = match raw.hex_count {
        0 => raw.hex_strings.unwrap_or_default(),
        1 => HexStrings::NonAscii,
        _ => HexStrings::All,
    };
    options.decode_fds = match raw.decode_fds_count {
        0 => raw.decode_fds.unwrap_or(WordSet::NONE),
        1 => WordSet::of(&[FdDetail::Path]),
        _ => WordSet::ALL,
    };
    // Other tools have no such messages, and the live view shows processes that come and go.
    let live = options.views.has(LIVE_VIEW);
    let styled = options.style != LineStyle::Strace;
    options.quiet = if styled || live { quiet.with(Quiet::Attach).with(Quiet::Personality) } else { quiet };
    if live {
        options.quiet = options.quiet.with(Quiet::Exit);
    }
    if options.spec.machine.is_some() {
        options.suit_machine();
    }
    options.summary = summary;
    let about_stacks =
        [(raw.stack_trace_frame_limit.is_some(), "--stack-trace-frame-limit"), (options.debuginfod, "--debuginfod")];
    for (_, name) in about_stacks.iter().filter(|(given, _)| *given && !views::Wanted::of(&options).needs.stacks) {
        warn(format!("{name} has no effect without -k/--stack-trace or another option that needs stacks"));
    }
    Ok(options)
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

    /// The warnings for an accepted command line.
    pub fn warnings(words: &[&str]) -> Vec<String> {
        let parsed = parse_words(words);
        assert!(matches!(parsed.outcome, Outcome::Trace(_)), "{words:?}: {parsed:?}");
        parsed.messages.into_iter().map(|line| line.strip_prefix("stride: ").unwrap().to_owned()).collect()
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
    fn the_command() {
        let command = options_of(&["--argv0=sh", "-E", "A=b=c", "-E", "B", "busybox", "-c", ":"]).command.unwrap();
        assert_eq!(command.program, "busybox");
        assert_eq!(command.argv, ["sh", "-c", ":"]);
        assert_eq!(command.env, [EnvChange::Set("A".into(), "b=c".into()), EnvChange::Remove("B".into())]);
        let options = options_of(&["-p", "1 2,1"]);
        assert_eq!((options.command, options.spec.attach), (None, vec![1, 2]));
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
}
