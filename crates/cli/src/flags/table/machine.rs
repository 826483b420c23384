//! The whole machine, or the part of it that passes filters.

use crate::flags::flag::{Arg, Category, Flag, Given, HelpEntry, HelpGroup, Value};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::Stop;
use std::os::unix::ffi::OsStrExt;
use stride_event::Glob;
use stride_session::options::MachineFilter;

const BASE: Flag = Flag { category: Category::Startup, own: true, ..Flag::BASE };

pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("all"),
        help: "trace every process on the machine",
        brief: Some(HelpEntry { group: HelpGroup::Processes, place: 3, text: "the whole machine" }),
        habits: &["system", "machine", "everything", "snoop"],
        doc: "Traces all processes that run, and all that will, until Stride is interrupted (by CTRL-C, say). Filters leave \
              processes out: --cgroup, --comm, --container, --exe and --user, which mean --all by themselves. A process is traced \
              if it passes all of them. That is decided in the kernel when a process starts, executes a program, or gets another \
              name, user or cgroup, so calls of processes that are not wanted cost next to nothing.\n\n\
              Not traced are Stride itself, what Stride starts, and the processes that read what it writes, such as a pager \
              or a terminal emulator: each of their calls would give them more to read. Calls are shown when they return. If \
              they come faster than they are read, calls are lost and counted, because --on-overflow=drop is the default here.\n\n\
              Each line has the name of its thread behind the id. Signals, and that threads begin and end, are shown only if asked for: \
              signals by --signal=all or another set, the ends by --quiet=attach,personality, and all of them by --quiet=none. \
              (Objects of --json have all that without being asked.) If no process passes the filters, Stride says so at the end, on a \
              terminal also at once, and what may be meant.\n\n\
              Only the eBPF engine can do this, which takes root.",
        update: |raw, _| {
            raw.all = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("cgroup"),
        arg: Arg::Required("PATH"),
        value: Value::File,
        help: "trace all processes in this cgroup; may be repeated",
        doc: "Traces all processes in the cgroup and in those below it, as --all does, also those that enter it later. PATH is a \
              directory of the hierarchy of version 2 (/sys/fs/cgroup/system.slice/nginx.service), or its path in that \
              hierarchy as in /proc/PID/cgroup (/system.slice/nginx.service). A process that moves to another cgroup is no \
              longer traced. A cgroup that is not there yet is waited for, and one that is removed and made again is followed, as that of \
              a unit of systemd that stops and starts. May be given several times.",
        update: |raw, given| {
            if given.os().is_empty() {
                return Err(given.invalid());
            }
            raw.cgroups.push(given.os().to_owned());
            keep(raw, given);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("comm"),
        arg: Arg::Required("GLOB"),
        help: "trace all processes with such a name; may be repeated",
        brief: Some(HelpEntry { group: HelpGroup::Processes, place: 4, text: "all of such a name" }),
        doc: "Traces all threads whose own name, or that of their process, matches GLOB, as --all does. GLOB is a pattern as in the \
              shell: with *, ? and [a-z]. A name has at most 15 bytes, as `ps -o comm` shows it. --comm='!GLOB' leaves out what \
              matches. May be given several times: a name has to match one of the patterns, and none of those with an \
              exclamation mark.\n\n\
              A program is traced from the return of its execve on, and until it gets a name that does not match.",
        update: |raw, given| {
            raw.comm.push(glob(given, Glob::parse)?);
            keep(raw, given);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("container"),
        arg: Arg::Required("NAME|ID"),
        help: "trace all processes in this container; may be repeated",
        doc: "Traces all processes in a container of Docker, containerd, Podman or CRI-O, as --all does. It is given by its name, by the \
              beginning of its id, by the name of its pod in Kubernetes, or by POD/CONTAINER. NAME may be a pattern as for --comm. \
              Containers are found by their cgroups, which must be of version 2, and their names in the files of their runtimes; no \
              daemon is asked. Containers that begin later are traced from their beginning, and a container that gets \
              another name is traced if that matches. Stride says when a container has ended. May be given several times.\n\n\
              Lines show the container's name behind the id of the process, and --json has it as container. For runtimes whose state is \
              not below /, such as the host's if Stride runs in a container itself, STRIDE_STATE_ROOT in the environment says below \
              which directory it is.",
        update: |raw, given| {
            glob(given, Glob::parse)?;
            raw.containers.push(given.os().as_bytes().to_vec());
            keep(raw, given);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("exe"),
        arg: Arg::Required("GLOB"),
        value: Value::File,
        help: "trace all processes that run such a file; may be repeated",
        doc: "Traces all processes whose executable's path matches GLOB, as --all does. The path is as /proc/PID/exe has it: \
              without symbolic links, and for a script that of its interpreter. GLOB is a pattern as for --comm, and * matches \
              slashes, too. A pattern without a slash is compared with the file's name alone. --exe='!GLOB' leaves out what \
              matches. May be given several times.",
        update: |raw, given| {
            raw.exe.push(glob(given, Glob::of_path)?);
            keep(raw, given);
            Ok(())
        },
        ..BASE
    },
];

/// Keeps the filter as it was given, for messages.
fn keep(raw: &mut RawOptions, given: &Given) {
    if let Some(option) = given.flag.long {
        raw.options.machine_filters.push(MachineFilter { option, text: given.os().to_owned() });
    }
}

fn glob(given: &Given, parse: fn(&[u8]) -> Result<Glob, &'static str>) -> Result<Glob, Stop> {
    parse(given.os().as_bytes())
        .map_err(|why| Stop::usage(format!("invalid {} argument: '{}': {why}", given.spelling, given.text())))
}
