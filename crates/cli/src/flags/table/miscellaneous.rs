//! The rest.

use crate::flags::artefact::Artefact;
use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value, ask, words};
use crate::flags::stop::Stop;
use crate::flags::tip::Tip;
use crate::flags::values;
use stride_session::options::{Seccomp, Spelling};

const BASE: Flag = Flag { category: Category::Miscellaneous, ..Flag::BASE };

pub const FLAGS: &[Flag] = &[
    Flag {
        short: Some('d'),
        long: Some("debug"),
        help: "say on stderr what the tracer itself does",
        doc: "Prints what the tracer itself does to stderr. This is for finding mistakes in Stride, and its form may \
              change at any time.",
        update: |raw, _| {
            raw.options.debug = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("doctor"),
        own: true,
        help: "say what this machine allows, and which engine works",
        brief: Some(HelpEntry { group: HelpGroup::Stride, place: 1, text: "what works here" }),
        habits: &["check", "diagnose"],
        doc: "Checks what the engines need and prints what this machine allows: privileges, settings of the kernel, and a \
              trial load of the eBPF programs with the time it takes. Then it says which engine --engine=auto would use and why, and what to do if eBPF does not work. The exit status is 0 if at least one engine works, else 1.",
        update: |_, _| Err(Stop::Doctor),
        ..BASE
    },
    Flag {
        long: Some("explain-denial"),
        arg: Arg::Required("FILE"),
        value: Value::File,
        own: true,
        help: "say which rule allows what the kernel's log says was refused",
        doc: "Reads the log of the kernel or of auditd from FILE, or from standard input if FILE is -, and explains the denials of seccomp and AppArmor in it: how often each came, which programs had it, \
              whether the runs in the file of --harden-with needed it, and which line or rule allows it. Nothing is run. For example: journalctl -k | stride --explain-denial=- --harden-with=runs.json.",
        update: ask,
        ..BASE
    },
    Flag {
        short: Some('F'),
        help: "an old spelling of -f",
        doc: "Old spelling of -f, kept for old scripts. It is ignored if -f is given too.",
        update: |raw, _| {
            raw.old_follow_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("generate"),
        arg: Arg::Required("WHAT"),
        value: Value::Word(|| words(Artefact::ALL.map(|(name, _)| name))),
        own: true,
        help: "print the man page or a shell's completions",
        doc: "Prints a file that packages of Stride need: the man page (man), or the completions of a shell (complete-bash, \
              complete-zsh or complete-fish).",
        update: |_, given| {
            let artefact = values::exact_word(&given.text(), &Artefact::ALL).ok_or_else(|| given.invalid())?;
            Err(Stop::Generate(artefact))
        },
        ..BASE
    },
    Flag {
        short: Some('h'),
        long: Some("help"),
        help: "print the most useful options; --help: all of them",
        habits: &["usage", "commands", "options"],
        doc: "-h prints the options that are used most, on one screen, and --help prints all of them with a line each. Then Stride exits.",
        update: |_, given| Err(if given.spelling == Spelling::Short('h') { Stop::Brief } else { Stop::Help }),
        ..BASE
    },
    Flag {
        long: Some("seccomp-bpf"),
        help: "have the kernel stop processes only at calls to report",
        doc: "Has the ptrace engine install a seccomp filter, so that the kernel stops processes only at the calls that \
              are to be reported. It works only with -f, since children inherit the filter, and not for processes \
              attached to with -p, nor with -b or --syscall-limit, which let go of processes that have the filter. \
              It implies --kill-on-exit.\n\n\
              With --kill-on-exit, Stride installs the filter without being asked if that changes nothing else: for a \
              command with -f of which only some calls are traced, if Stride has CAP_SYS_ADMIN or no_new_privs is already \
              set. Without --kill-on-exit it does not, since a command with such a filter cannot outlive Stride.\n\n\
              If the filter cannot be installed, tracing goes on without it.\n\n\
              Calls that another seccomp filter of the program refuses are not seen.",
        update: |raw, _| {
            raw.options.spec.seccomp = Seccomp::On;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("tips"),
        arg: Arg::Optional("[id:]ID,[format:]FORMAT"),
        help: "show a tip about Stride at the end",
        doc: "Shows a tip about using Stride at the end, or at once if there is nothing to trace. ID is the number of a tip, \
              or random (default). FORMAT is none, compact (default) or full.",
        update: |raw, given| {
            let tip = raw.tip.unwrap_or(Tip::ANY);
            let text = given.value.is_some().then(|| given.text());
            raw.tip = Some(tip.with(text.as_deref().unwrap_or_default()).ok_or_else(|| given.invalid())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('V'),
        long: Some("version"),
        help: "print the version and what it was built with",
        doc: "Prints the version of Stride and which of its parts this build has, and exits.",
        update: |raw, _| {
            raw.version = true;
            Ok(())
        },
        ..BASE
    },
];
