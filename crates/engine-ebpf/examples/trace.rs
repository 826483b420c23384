//! Traces a command with the eBPF engine and writes its calls as text to stderr: `trace [-f] [-T] [-q] [-x] [-o FILE] PROG [ARGS]`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::time::Instant;
use stride_engine_ebpf::{EbpfEngine, Settings};
use stride_event::{CallSet, Command, Event, FdSet, Limits, Seccomp, TraceSpec};
use stride_output::{Layout, Leader, PidPrefix, Show, Sink, Style, TextView};

fn main() {
    let began = Instant::now();
    let mut settings = Settings::default();
    let (mut follow, mut times, mut quiet, mut out) = (false, false, false, None);
    let mut args = std::env::args_os().skip(1).peekable();
    while let Some(a) = args.next_if(|a| a.as_bytes().starts_with(b"-")) {
        match a.as_bytes() {
            b"-f" => follow = true,
            b"-T" => times = true,
            b"-q" => quiet = true,
            b"-x" => settings.exits_only = true,
            b"-o" => out = args.next(),
            _ => panic!("unknown option"),
        }
    }
    let argv: Vec<OsString> = args.collect();
    let name = argv.first().expect("usage: trace [-f] [-T] [-q] [-o FILE] PROG [ARGS]");
    let path = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|dir| dir.join(name))
        .find(|p| p.is_file())
        .unwrap_or_else(|| name.into());
    let spec = TraceSpec {
        command: Some(Command { path, args: argv.clone(), env: std::env::vars_os().collect(), user: None }),
        attach: Vec::new(),
        follow,
        calls: CallSet::all(),
        limits: Limits { text: 32, elements: 32 },
        dump_read: FdSet::none(),
        dump_write: FdSet::none(),
        seccomp: Seccomp::Off,
        kill_on_exit: false,
        detach_on_execve: false,
        daemonize: 0,
        interruptible: 0,
        entries: false,
        want_ip: false,
        want_times: times,
        want_system_time: false,
        no_memory: false,
    };
    let mut engine = match EbpfEngine::start_with(spec, settings) {
        Ok(engine) => engine,
        Err(e) => {
            eprintln!("trace: {e}");
            std::process::exit(1);
        }
    };
    let started = began.elapsed();
    let layout = Layout {
        column: 40,
        elapsed: times.then_some(6),
        style: Style::default(),
        leader: Leader { pid: if follow { PidPrefix::WhenSeveral } else { PidPrefix::Never }, ..Leader::default() },
    };
    let to: Box<dyn std::io::Write + Send> = match &out {
        Some(path) => Box::new(std::fs::File::create(path).expect("output file")),
        None => Box::new(std::io::stderr()),
    };
    let mut view = TextView::new(layout, Default::default(), Box::new(()), 0, Show::default(), Sink::new("trace", to, false));
    let (mut calls, mut lost) = (0u64, 0u64);
    loop {
        match engine.next() {
            Ok(Some(event)) => {
                match event {
                    Event::Exit(_) => calls += 1,
                    Event::Lost { count, .. } => lost += count,
                    _ => {}
                }
                if !quiet {
                    view.event(&event);
                }
            }
            Ok(None) => break,
            Err(e) => panic!("{e}"),
        }
    }
    view.flush();
    eprintln!("calls {calls} lost {lost} start {started:?} total {:?} entry {}", began.elapsed(), engine.sees_entry());
}
