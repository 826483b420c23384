//! Ways to trace: children, engines, and effects on the tracees.

use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value, words};
use crate::flags::stop::Stop;
use crate::flags::values;
use stride_session::options::{Daemonize, Engine, Interruptible, Overflow};

const BASE: Flag = Flag { category: Category::Tracing, ..Flag::BASE };

const RING_MIN: u64 = 64 << 10;
const RING_MAX: u64 = 1 << 30;

pub const FLAGS: &[Flag] = &[
    Flag {
        short: Some('b'),
        long: Some("detach-on"),
        arg: Arg::Required("SYSCALL"),
        value: Value::Word(|| words(["execve"])),
        help: "let go of a process that makes this call; only execve",
        doc: "Stops tracing a process when it makes the given call. Only execve is supported, and it includes execveat. \
              With -f, this traces all threads of a program, but not the programs that it starts.",
        only_traces: true,
        update: |raw, given| {
            if given.os() != "execve" {
                return Err(Stop::fail(format!("Syscall '{}' for -b isn't supported", given.text())));
            }
            raw.options.spec.detach_on_execve = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('D'),
        help: "trace from a grandchild; -DD: own process group; -DDD: session",
        doc: "Turns the process that was started into the command, and traces it from a grandchild. The command is then a \
              child of the process that started Stride, as it would be without Stride.\n\n\
              -DD also gives the tracer a process group of its own, so that signals to the group of the command do not \
              reach it, and -DDD a session of its own.",
        update: |raw, _| {
            raw.daemonize_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("daemonize"),
        aliases: &["daemonised", "daemonized"],
        arg: Arg::Optional("HOW"),
        value: Value::Word(|| words(["grandchild", "pgroup", "pgrp", "session"])),
        help: "the same as -D, with the kind of detachment by name",
        doc: "Long form of -D.\n\n\
              * grandchild: as -D (default)\n\
              * pgroup: or pgrp, as -DD\n\
              * session: as -DDD\n\n\
              It cannot be combined with -D.",
        update: |raw, given| {
            const WORDS: [(&str, Daemonize); 4] = [
                ("grandchild", Daemonize::Grandchild),
                ("pgroup", Daemonize::ProcessGroup),
                ("pgrp", Daemonize::ProcessGroup),
                ("session", Daemonize::Session),
            ];
            raw.daemonize = Some(match given.value {
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
        value: Value::Word(|| words(["auto", "ebpf", "ptrace"])),
        help: "how to observe calls: auto, ebpf or ptrace",
        habits: &["ebpf", "bpf", "ptrace"],
        own: true,
        doc: "Chooses how the system calls are observed.\n\n\
              * auto: ebpf if it works here and supports all the options given, else ptrace (default). With -Y, --namespace, \
              --decode-pids or --secontext it is always ptrace\n\
              * ebpf: only eBPF, which copies the data of each call while the program runs on. Calls are shown when they \
              return, and the names of -Y are those that the calls tell; the names and ids of processes that are not traced are looked up a little later. If calls are lost, the trace says how many and where\n\
              * ptrace: only ptrace, which stops the program at its calls and needs no privileges\n\n\
              An engine asked for by name is never replaced by the other: if it does not work, Stride says why and exits.",
        update: |raw, given| {
            const WORDS: [(&str, Engine); 3] =
                [("auto", Engine::Auto), ("ebpf", Engine::Ebpf), ("ptrace", Engine::Ptrace)];
            raw.options.engine = values::exact_word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('f'),
        help: "trace children too; -ff: with an output file for each",
        brief: Some(HelpEntry { group: HelpGroup::Processes, place: 1, text: "children, too" }),
        habits: &["follow", "children"],
        doc: "Traces the processes and threads that traced ones create with fork, vfork, clone and clone3. With -p, all \
              threads of the process are traced, not only the one whose id was given.\n\n\
              -ff means -f and --output-separately. It cannot be combined with -c, which counts all processes together.",
        update: |raw, _| {
            raw.follow_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("follow-forks"),
        help: "the same as -f",
        doc: "Long form of -f. The two cannot be combined.",
        update: |raw, _| {
            raw.follow_forks = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('I'),
        long: Some("interruptible"),
        arg: Arg::Required("WHEN"),
        value: Value::Word(|| words(["anywhere", "waiting", "never", "never_tstp"])),
        help: "when signals such as CTRL-C may end the tracing",
        doc: "Says when signals may end the tracing or stop the tracer.\n\n\
              * 1, anywhere: at any time\n\
              * 2, waiting: between calls, but not while one is decoded (default)\n\
              * 3, never: never (default with -o FILE PROG)\n\
              * 4, never_tstp: never, and the tracer is not stopped by CTRL-Z either (default with -D)\n\n\
              With the last two, signals from the terminal only reach the traced command.",
        only_traces: true,
        update: |raw, given| {
            const WORDS: [(&str, Interruptible); 5] = [
                ("anywhere", Interruptible::Anywhere),
                ("waiting", Interruptible::Waiting),
                ("never", Interruptible::Never),
                ("never_tstp", Interruptible::NeverTstp),
                // Accepted, but not advertised.
                ("always", Interruptible::Anywhere),
            ];
            let text = given.text();
            let by_number = values::integer(&text, 4).filter(|n| *n > 0).map(|n| WORDS[n as usize - 1].1);
            let value = by_number.or_else(|| values::word(&text, &WORDS)).ok_or_else(|| given.invalid())?;
            raw.interruptible = Some(value);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("kill-on-exit"),
        help: "kill the traced processes if Stride dies",
        doc: "Has the kernel kill all traced processes with SIGKILL when the tracer exits, whatever the reason. Stride \
              never detaches from a process then. Only the ptrace engine can do this. It cannot be combined with -p, because processes that ran before Stride should still run after it.",
        only_traces: true,
        update: |raw, _| {
            raw.options.spec.kill_on_exit = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("max-depth"),
        arg: Arg::Required("N"),
        help: "with -f, follow so many generations of children",
        own: true,
        doc: "With -f, traces the command (or the processes given with -p) and so many generations of processes below it: \
              its children with 1, its children and their children with 2. With 0, only its own threads are traced. Processes \
              below that are not traced and run at full speed.",
        only_traces: true,
        update: |raw, given| {
            let depth = values::integer(&given.text(), 65534).ok_or_else(|| given.invalid())?;
            raw.options.spec.max_depth = Some(depth as u32);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("on-overflow"),
        arg: Arg::Required("WHAT"),
        value: Value::Word(|| words(["drop", "wait"])),
        help: "if calls come too fast to be read: wait or drop",
        own: true,
        doc: "Says what the eBPF engine does when the program makes calls faster than Stride reads them, so that the ring \
              buffer between the two (--ring-size) fills.\n\n\
              * wait: keeps up to 256 MiB of calls in additional memory, but at most an eighth of the machine's, and once that \
              has twice the size of the buffer, delays each call by up to 0.2 ms (1 ms if it transfers more than 5 KiB that is shown). \
              The program runs slower and notices nothing else. A message at the end says how many calls were delayed and for how long. This is the \
              default for a command that Stride starts\n\
              * drop: delays no call, and loses calls when the ring buffer is full. They are counted exactly: the trace \
              says where calls are missing, and the summary and the last message say how many. This is the default with -p and --all, \
              so that a server does not slow down when the reader of the trace pauses\n\n\
              With wait, if nobody reads the trace (a pager waits for a key), the memory lasts for minutes. After that, \
              calls are lost and counted: the program is never stopped. Calls may also be lost if threads with a real-time \
              priority occupy every CPU, because Stride hardly runs then.\n\n\
              With the ptrace engine the option has no effect: that engine never loses calls.",
        only_traces: true,
        update: |raw, given| {
            const WORDS: [(&str, Overflow); 2] = [("drop", Overflow::Drop), ("wait", Overflow::Wait)];
            let how = values::exact_word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?;
            raw.options.ebpf.on_overflow = Some(how);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("replay"),
        arg: Arg::Required("FILE"),
        value: Value::Recording,
        help: "show the recording in FILE instead of tracing",
        brief: Some(HelpEntry { group: HelpGroup::Later, place: 2, text: "look at it again" }),
        habits: &["report", "script", "play", "show", "view"],
        own: true,
        doc: "Shows the recording in FILE instead of tracing a program. The options that choose what is shown, and how, \
              work as in a live trace. The text is the same as well, but goes to standard output unless -o says otherwise. \
              Options that are about tracing (PROG, -p, -f, -D, --engine, ...) are refused.\n\n\
              -y and -P also work on recordings that were made without them: Stride then follows from the calls what each \
              descriptor refers to. There are some differences to a live trace. Paths are as the program named them, with \
              symbolic links unresolved. Pipes, sockets and devices have no numbers. A descriptor that no recorded call \
              explains, or that a dup2 has just replaced, is a bare number. If a filter left calls out of the recording, \
              descriptors cannot be followed.\n\n\
              A recording that ends early, because Stride was killed or the disk was full, is shown as far as it goes, and the exit status is 0. The exit status is 1 if FILE is damaged or not a recording.",
        update: |raw, given| {
            raw.options.replay = given.value.clone().map(Into::into);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("ring-size"),
        arg: Arg::Required("SIZE"),
        help: "size of the ring buffer of eBPF, such as 512K or 16M",
        own: true,
        doc: "Sets the size of the ring buffer in which the eBPF engine keeps calls that Stride has not read yet. SIZE is a \
              number of bytes from 64K to 1G, where K, M and G stand for units of 1024. It is rounded up to a power of two. \
              The memory is taken while Stride runs, and a large buffer makes Stride start more slowly. The default is 16M, \
              or 4M if only some calls are traced.\n\n\
              With --on-overflow=wait, Stride moves calls to other memory when more than half of the buffer is in use. The buffer has at \
              least 256K then (4M with -s above 1024).\n\n\
              On machines with four or more CPUs, -f takes one such buffer for every two CPUs, up to eight.\n\n\
              With the ptrace engine the option has no effect.",
        only_traces: true,
        update: |raw, given| {
            let text = given.text();
            let size = values::size(&text).filter(|size| (RING_MIN..=RING_MAX).contains(size)).ok_or_else(|| {
                Stop::usage(format!("invalid --ring-size argument: '{text}'; give a size from 64K to 1G, such as 16M"))
            })?;
            raw.options.ebpf.ring_bytes = Some((size as u32).next_power_of_two());
            Ok(())
        },
        ..BASE
    },
];
