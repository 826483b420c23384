//! How to trace: children, engines, and what becomes of the tracees.

use crate::flags::flag::{Arg, Category, Flag};
use crate::flags::options::{Daemonize, Engine, Interruptible, Overflow};
use crate::flags::stop::Stop;
use crate::flags::values;

const BASE: Flag = Flag { category: Category::Tracing, ..Flag::BASE };

const RING_MIN: u64 = 64 << 10;
const RING_MAX: u64 = 1 << 30;

pub const FLAGS: &[Flag] = &[
    Flag {
        short: Some('b'),
        long: Some("detach-on"),
        arg: Arg::Required("SYSCALL"),
        choices: &["execve"],
        help: "let go of a process that makes this call; only execve",
        doc: "Stops tracing a process when it makes the given call. Only execve is supported, and includes execveat. With \
              -f this traces a program with many threads without tracing the programs it starts.",
        update: |draft, given| {
            if given.os() != "execve" {
                return Err(Stop::fail(format!("Syscall '{}' for -b isn't supported", given.text())));
            }
            draft.detach_on_exec = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('D'),
        help: "trace from a grandchild; -DD: own process group; -DDD: session",
        doc: "Makes the tracer a grandchild of the process that was started, which becomes the command. Whoever started \
              Stride then has the command for a child, as without Stride.\n\n\
              -DD also gives the tracer a process group of its own, so that signals to the group of the command do not \
              reach it, and -DDD a session of its own.",
        update: |draft, _| {
            draft.daemonize_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("daemonize"),
        aliases: &["daemonised", "daemonized"],
        arg: Arg::Optional("HOW"),
        choices: &["grandchild", "pgroup", "pgrp", "session"],
        help: "the same as -D, with the kind of detachment by name",
        doc: "Long form of -D.\n\n\
              * grandchild: as -D (default)\n\
              * pgroup: or pgrp, as -DD\n\
              * session: as -DDD\n\n\
              It cannot be combined with -D.",
        update: |draft, given| {
            const WORDS: [(&str, Daemonize); 4] = [
                ("grandchild", Daemonize::Grandchild),
                ("pgroup", Daemonize::ProcessGroup),
                ("pgrp", Daemonize::ProcessGroup),
                ("session", Daemonize::Session),
            ];
            draft.daemonize = Some(match given.value {
                None => Daemonize::Grandchild,
                Some(_) => values::word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?,
            });
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("engine"),
        arg: Arg::Required("ENGINE"),
        choices: &["auto", "ebpf", "ptrace"],
        help: "how to observe the calls: auto, ebpf or ptrace",
        own: true,
        doc: "Picks what observes the system calls.\n\n\
              * auto: ebpf where it can be had and serves all options, else ptrace; ptrace with -Y (default)\n\
              * ebpf: only eBPF, which copies what each call did while the program runs on. Calls are shown when \
                they return, ids of -Y are looked up late, and lost calls are counted in place\n\
              * ptrace: only ptrace, which stops the program at its calls, and needs no privilege\n\n\
              An engine asked for by name is never replaced by the other: if it cannot do what is asked, Stride says why \
              and exits.",
        update: |draft, given| {
            const WORDS: [(&str, Engine); 3] =
                [("auto", Engine::Auto), ("ebpf", Engine::Ebpf), ("ptrace", Engine::Ptrace)];
            draft.engine = values::exact_word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('f'),
        help: "trace children too; -ff: with an output file for each",
        doc: "Traces the processes and threads that traced ones create with fork, vfork, clone and clone3. With -p, all \
              threads of the process are traced, not only the one whose id was given.\n\n\
              -ff is -f with --output-separately. It cannot be combined with -c, which adds all processes up.",
        update: |draft, _| {
            draft.follow_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("follow-forks"),
        help: "the same as -f",
        doc: "Long form of -f, which it cannot be combined with.",
        update: |draft, _| {
            draft.follow_forks = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('I'),
        long: Some("interruptible"),
        arg: Arg::Required("WHEN"),
        choices: &["anywhere", "waiting", "never", "never_tstp"],
        help: "when signals such as CTRL-C may end the tracing",
        doc: "Says when signals may end the tracing or stop the tracer.\n\n\
              * 1, anywhere: at any time\n\
              * 2, waiting: between calls, but not while one is decoded (default)\n\
              * 3, never: never (default with -o FILE PROG)\n\
              * 4, never_tstp: never, and the tracer is not stopped by CTRL-Z either (default with -D)\n\n\
              With the latter two, the signals of the terminal are left to the traced command.",
        update: |draft, given| {
            const WORDS: [(&str, Interruptible); 5] = [
                ("anywhere", Interruptible::Anywhere),
                ("waiting", Interruptible::Waiting),
                ("never", Interruptible::Never),
                ("never_tstp", Interruptible::NeverTstp),
                // Understood, but not advertised.
                ("always", Interruptible::Anywhere),
            ];
            let text = given.text();
            let by_number = values::integer(&text, 4).filter(|n| *n > 0).map(|n| WORDS[n as usize - 1].1);
            let value = by_number.or_else(|| values::word(&text, &WORDS)).ok_or_else(|| given.invalid())?;
            draft.interruptible = Some(value);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("kill-on-exit"),
        help: "kill the traced processes if Stride dies",
        doc: "Has the kernel kill all traced processes with SIGKILL when the tracer exits, however it does. Nothing is \
              left running, and nothing is detached from. Only the ptrace engine can do this. It cannot be combined with -p: processes that were there \
              before Stride should be there after it.",
        update: |draft, _| {
            draft.kill_on_exit = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("on-overflow"),
        arg: Arg::Required("WHAT"),
        choices: &["drop", "wait"],
        help: "when calls come too fast to be read: wait or drop",
        own: true,
        doc: "Says what the eBPF engine does when calls are made faster than Stride can read them, so that the memory \
              between the two (--ring-size) fills.\n\n\
              * wait: holds the threads that make them until Stride has caught up. No call is lost, but time passes. How often \
                that was, and how long, is told at the end. This is the default for a command that Stride starts\n\
              * drop: never holds anyone, and loses calls. They are counted exactly, and shown where they are missing, in the \
                summary and at the end. This is the default with -p\n\n\
              Threads are held right behind a call, in a way that neither they nor their parents can see, and the kernel lets \
              them go should Stride die. A thread that has a tracer already cannot be held; if it makes too many calls, they are \
              lost, and told to be.\n\n\
              With the ptrace engine the option has no effect: it never loses calls.",
        update: |draft, given| {
            const WORDS: [(&str, Overflow); 2] = [("drop", Overflow::Drop), ("wait", Overflow::Wait)];
            let how = values::exact_word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?;
            draft.on_overflow = Some(how);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("record"),
        arg: Arg::Required("FILE"),
        help: "keep everything in FILE, to be looked at with --replay",
        own: true,
        doc: "Writes what is traced to FILE, as it was captured and before it is made into text: --replay=FILE shows it later, \
              elsewhere, and with other options. If the trace is wanted at once, too, say where with -o; else it is not shown.\n\n\
              What is not captured cannot be shown later: filters (-e trace=..., -P, -z) say what is recorded, -f whose \
              calls, -s how much of strings, -v that arrays and structures are captured whole. Times always are; what descriptors \
              refer to with -y or -P, names of processes with -Y, instruction pointers with -i, and transfers that are to be \
              dumped with -e read=... and -e write=....\n\n\
              FILE is compressed, and written every fifth of a second or sooner. Should Stride be killed, what was written can be \
              replayed. If FILE cannot be written any further, the program goes on, and Stride says so.",
        update: |draft, given| {
            draft.record = given.value.clone();
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("replay"),
        arg: Arg::Required("FILE"),
        help: "show what --record has kept in FILE, instead of tracing",
        own: true,
        doc: "Shows a recording in place of a program. Options that say what is shown and how are those of a live trace, and so \
              is the text, which goes to the standard output unless -o says otherwise. Options that are about tracing (PROG, \
              -p, -f, -D, --engine, ...) are refused.\n\n\
              A recording that breaks off, because its recorder was killed or its disk full, is shown up to there. The exit \
              status is 0 then, too; it is 1 if FILE is broken or no recording.",
        update: |draft, given| {
            draft.replay = given.value.clone();
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("ring-size"),
        arg: Arg::Required("SIZE"),
        help: "memory for calls not read yet, such as 512K or 16M",
        own: true,
        doc: "Sets how much the eBPF engine lets gather that Stride has not read yet. SIZE is a number of bytes, with K, M or G \
              behind it for units of 1024, from 64K to 1G; it is rounded up to a power of two. Memory of this size is taken \
              while Stride runs, and taking much takes its time. The default is 16M, and 4M where only \
              some calls are wanted.\n\n\
              With --on-overflow=wait, at least 2M are kept for what threads still write while they are brought to a halt: by \
              default threads are held when 14M have gathered (2M of 4M), and if SIZE is less than 4M, when SIZE has gathered, though \
              4M are taken.\n\n\
              On machines with four CPUs and more, -f takes such memory for every two of them, up to eight times.\n\n\
              With the ptrace engine the option has no effect.",
        update: |draft, given| {
            let text = given.text();
            let size = values::size(&text).ok_or_else(|| given.invalid())?;
            if !(RING_MIN..=RING_MAX).contains(&size) {
                return Err(Stop::fail(format!("--ring-size={text} is out of range: give a size from 64K to 1G")));
            }
            draft.ring_size = Some((size as u32).next_power_of_two());
            Ok(())
        },
        ..BASE
    },
];
