//! Prints the raw events: `raw [-f] [-c] [-b] [-q] [-k] [-n] [-D] [-S on|auto] [-I LEVEL] [-e NAME,...] [-o FILE] (-p PID | PROG ARGS)`.
//! `-q` prints nothing but a count at the end, `-w` writes a line per call (number and captured size), `-n` captures no memory.

use std::io::Write;
use std::os::unix::process::CommandExt;
use stride_engine_base::Engine as _;
use stride_engine_ptrace::PtraceEngine;
use stride_event::{CallSet, Command, Daemonize, Event, Interruptible, Seccomp, TraceSpec};
use stride_syscalls::{Abi, table};

fn main() {
    let mut args: Vec<_> = std::env::args().skip(1).rev().collect();
    let mut spec = TraceSpec { entries: true, want_times: true, ..TraceSpec::default() };
    let (mut quiet, mut brief) = (false, false);
    let mut out: Box<dyn Write> = Box::new(std::io::stderr());
    while let Some(arg) = args.pop_if(|a| a.starts_with('-')) {
        let mut value = || args.pop().expect("value");
        match &*arg {
            "-f" => spec.follow = true,
            "-q" => quiet = true,
            "-w" => brief = true,
            "-n" => spec.no_memory = true,
            "-x" => spec.entries = false,
            "-b" => spec.detach_on_execve = true,
            "-k" => spec.kill_on_exit = true,
            "-c" => spec.want_system_time = true,
            "-D" => {
                spec.daemonize = match spec.daemonize {
                    Daemonize::No => Daemonize::Grandchild,
                    Daemonize::Grandchild => Daemonize::ProcessGroup,
                    _ => Daemonize::Session,
                };
                spec.interruptible = Interruptible::NeverTstp;
            }
            "-I" => {
                spec.interruptible = match &*value() {
                    "1" => Interruptible::Anywhere,
                    "2" => Interruptible::Waiting,
                    "3" => Interruptible::Never,
                    _ => Interruptible::NeverTstp,
                };
            }
            "-p" => spec.attach.push(value().parse().expect("pid")),
            "-S" => spec.seccomp = if value() == "on" { Seccomp::On } else { Seccomp::Auto },
            "-o" => out = Box::new(std::io::BufWriter::new(std::fs::File::create(value()).expect("create"))),
            "-u" => {
                let id = value().parse().expect("uid");
                user(&mut spec, id);
            }
            "-e" => {
                spec.calls = CallSet::empty();
                for name in value().split(',').filter(|n| !n.is_empty()) {
                    for abi in [Abi::X86_64, Abi::I386] {
                        numbers(abi).iter().filter(|n| n.1 == name).for_each(|n| spec.calls.insert(abi, n.0));
                    }
                }
            }
            other => panic!("{other}?"),
        }
    }
    args.reverse();
    if let Some(prog) = args.first() {
        let path = which(prog);
        let user = spec.command.take().and_then(|c| c.user);
        spec.command = Some(Command {
            path,
            args: args.iter().map(Into::into).collect(),
            env: std::env::vars_os().collect(),
            user,
        });
    }
    let mut engine = PtraceEngine::start(spec).unwrap_or_else(|e| {
        eprintln!("raw: {e}");
        std::process::exit(1)
    });
    for f in engine.failures() {
        eprintln!("raw: {f}");
    }
    let mut calls = 0u64;
    loop {
        match engine.next() {
            Ok(Some(event)) => {
                if let Event::Exit(call) = &event {
                    calls += 1;
                    if brief {
                        let size: usize =
                            (0..call.blocks.len()).filter_map(|i| call.blocks.get(i)).map(|b| b.3.len()).sum();
                        let _ = writeln!(out, "{} {} {:x?} {:?} {size}", call.tid, call.nr, call.args, call.outcome);
                    }
                }
                if !quiet && !brief {
                    show(&mut out, &event);
                }
                if let Event::Idle = event {
                    let _ = out.flush();
                }
            }
            Ok(None) => break,
            Err(e) => {
                eprintln!("raw: {e}");
                break;
            }
        }
    }
    let _ = out.flush();
    if quiet {
        eprintln!("{calls} calls");
    }
    if let Some(signal) = engine.interrupted() {
        drop(engine);
        let _ = std::process::Command::new("/bin/sh").args(["-c", &format!("kill -{signal} $$")]).exec();
    }
}

fn user(spec: &mut TraceSpec, id: u32) {
    spec.command = Some(Command { path: "".into(), args: vec![], env: vec![], user: Some((id, id, vec![])) });
}

fn numbers(abi: Abi) -> &'static [(u32, &'static str)] {
    use stride_syscalls::uapi::numbers::*;
    if abi == Abi::I386 { I386 } else { X86_64 }
}

fn which(prog: &str) -> std::path::PathBuf {
    if prog.contains('/') {
        return prog.into();
    }
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|d| d.join(prog))
        .find(|p| p.exists())
        .unwrap_or(prog.into())
}

fn show(out: &mut dyn Write, event: &Event) {
    let _ = match event {
        Event::Enter(c) | Event::Exit(c) => {
            let what = if matches!(event, Event::Enter(_)) { "enter" } else { "exit " };
            let name = table(c.abi)
                .get(c.nr)
                .map(|e| e.row.name)
                .or(numbers(c.abi).iter().find(|n| u64::from(n.0) == c.nr).map(|n| n.1));
            let mut blocks = String::new();
            for i in 0..c.blocks.len() {
                if let Some((op, addr, phase, bytes)) = c.blocks.get(i) {
                    blocks += &format!(" {op}@{addr:x}:{phase:?}={}", bytes[..bytes.len().min(40)].escape_ascii());
                }
            }
            let resumes = c.resumes.map_or(String::new(), |n| format!(" resumes {n}"));
            writeln!(
                out,
                "{} {what} {:?} {}{:x?} {:?}{resumes}{blocks}",
                c.tid,
                c.abi,
                name.unwrap_or("?"),
                c.args,
                c.outcome
            )
        }
        Event::Signal { tid, info, .. } => writeln!(out, "{tid} signal {} code {}", info[0], info[8] as i8),
        Event::Detached { tid, call, .. } => writeln!(out, "{tid} detached in {:?}", call.map(|c| c.nr)),
        other => writeln!(out, "{other:?}"),
    };
}
