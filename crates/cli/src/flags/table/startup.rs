//! Options that name the traced command, or traced processes that run already. Options for the whole machine are in machine.rs.

use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value};
use crate::flags::stop::Stop;
use crate::flags::values;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use stride_session::options::EnvChange;

const BASE: Flag = Flag { category: Category::Startup, ..Flag::BASE };

pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("argv0"),
        arg: Arg::Required("NAME"),
        help: "start PROG with NAME as its argv[0]",
        doc: "Starts the command with NAME as its argv[0]. Some programs, such as busybox, choose what they do by this name.",
        only_traces: true,
        update: |raw, given| {
            raw.argv0 = given.value.clone();
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('E'),
        long: Some("env"),
        arg: Arg::Required("VAR[=VAL]"),
        value: Value::Variable,
        help: "set VAR to VAL for PROG, or without =VAL remove it",
        doc: "Starts the command with the environment variable VAR set to VAL, or without =VAL, with VAR removed. May be \
              given several times; the changes apply in that order.",
        only_traces: true,
        update: |raw, given| {
            let bytes = given.os().as_bytes();
            raw.env.push(match bytes.iter().position(|b| *b == b'=') {
                Some(at) => EnvChange::Set(
                    OsString::from_vec(bytes[..at].to_vec()),
                    OsString::from_vec(bytes[at + 1..].to_vec()),
                ),
                None => EnvChange::Remove(given.os().to_owned()),
            });
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('p'),
        long: Some("attach"),
        arg: Arg::Required("PID"),
        value: Value::Pids,
        help: "trace the process with this id as well; may be repeated",
        brief: Some(HelpEntry { group: HelpGroup::Processes, place: 2, text: "attach to a process" }),
        habits: &["pid", "process"],
        doc: "Attaches to a process that runs already, and detaches from it when interrupted (by CTRL-C, say), so that \
              it goes on as before. May be given several times, with or without a command to start. One PID may be a \
              list separated by commas or blanks, which makes -p \"$(pidof PROG)\" work.",
        update: |raw, given| {
            let text = given.text();
            let pids = values::pids(&text).map_err(|pid| Stop::fail(format!("Invalid process id: '{pid}'")))?;
            for pid in pids {
                if pid as u32 == std::process::id() {
                    return Err(Stop::fail(format!(
                        "process {pid} is the tracer itself, which would wait for itself for ever; give another \
                         process id"
                    )));
                }
                if !raw.options.spec.attach.contains(&pid) {
                    raw.options.spec.attach.push(pid);
                }
            }
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('u'),
        long: Some("user"),
        arg: Arg::Required("USER|UID:GID"),
        value: Value::User,
        help: "run PROG as this user; without PROG: trace all of the user's",
        doc: "Starts the command with the user id, the group id and the supplementary groups of USER. UID:GID gives the \
              two as numbers, without looking anything up and without supplementary groups.\n\n\
              Only root can do this. It serves to trace set-user-ID programs as an ordinary user would run them: when an ordinary user traces them, they run without the privileges of their owner.\n\n\
              Without a command, it is a filter of --all, and means --all by itself: all processes with this effective user id are traced. USER may be a number then.",
        only_traces: true,
        update: |raw, given| {
            raw.user = given.value.clone();
            Ok(())
        },
        ..BASE
    },
];
