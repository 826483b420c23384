//! Changing what calls do: `--inject`, `--fault`. The programs tell what they see.

mod common;

use common::*;
use nix::sys::signal::Signal;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::thread::sleep;
use std::time::Duration;

/// Every call stops, or only the wanted ones stop.
const MODES: [&[&str]; 2] = [&["-f"], &["-f", "--seccomp-bpf"]];

/// The output of the program, and the lines of the trace without ids of threads.
fn tampered(name: &str, options: &[&str], scene: &[&str]) -> (Vec<String>, Vec<String>) {
    let program = compile("tampered").unwrap();
    let scratch = Scratch::new(&format!("inject-{name}"));
    let command = [program.to_str().unwrap()];
    let run = scratch.stride(options.iter().chain(&["-a1", "-e", "signal=none", "-q"]).chain(&command).chain(scene));
    assert_eq!(run.code(), Some(0), "{run:?}");
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let trace = whole_lines(&run.trace).into_iter().map(|(_, line)| line);
    (lines(&run.out), trace.filter(|line| !line.contains("+++")).collect())
}

#[test]
fn results() {
    program!("tampered");
    for mode in MODES {
        let of = |rules: &[&str]| {
            let options: Vec<&str> = mode.iter().chain(&["-e", "trace=chdir,getcwd"]).chain(rules).copied().collect();
            tampered("results", &options, &[])
        };
        let (out, trace) = of(&["--inject=chdir:error=EIO:when=1", "-e", "inject=getcwd:retval=0x2a"]);
        assert_eq!(out, ["chdir: error 5", "chdir: 0", "chdir: 0", "chdir: 0", "getcwd: 42", "dir: ????"], "{mode:?}");
        assert_eq!(trace[0], "chdir(\"/dev\") = -1 EIO (Input/output error) (INJECTED)");
        assert_eq!(trace[1], "chdir(\"/dev\") = 0");
        assert_eq!(trace[4], "getcwd(\"????\", 16) = 42 (INJECTED)");
        // A call in place of another one hides behind the result.
        let (out, trace) = of(&["--inject=chdir:syscall=getppid:retval=7", "--fault=getcwd:syscall=getpid:error=999"]);
        assert_eq!(out, ["chdir: 7", "chdir: 7", "chdir: 7", "chdir: 7", "getcwd: error 999", "dir: ????"], "{mode:?}");
        assert_eq!(trace[3], "chdir(\"/dev\") = 7 (INJECTED)");
        assert!(trace[4].ends_with("= -1 (errno 999) (INJECTED)"), "{trace:?}");
        // The last rule for a call counts, and calls are counted by name.
        let (out, _) = of(&["--fault=chdir", "--fault=chdir,getcwd:error=EPERM:when=2..3"]);
        assert_eq!(out[..5], ["chdir: 0", "chdir: error 1", "chdir: error 1", "chdir: 0", "getcwd: 5"], "{mode:?}");
        let (out, _) = of(&["--fault=chdir:when=1+2"]);
        assert_eq!(out[..4], ["chdir: error 38", "chdir: 0", "chdir: error 38", "chdir: 0"], "{mode:?}");
    }
}

/// Calls that are not traced are left alone, and so is the start of the command.
#[test]
fn only_traced_calls() {
    program!("tampered");
    let (out, _) = tampered("untraced", &["-e", "trace=getcwd", "--fault=chdir"], &[]);
    assert_eq!(out[0], "chdir: 0");
    let (out, trace) = tampered("start", &["-e", "trace=execve", "--fault=execve"], &[]);
    assert_eq!((out.len(), trace.len()), (6, 1));
    // An expression chooses which calls are shown, not which are changed.
    let (out, trace) = tampered("where", &["--fault=chdir:error=EIO", "--where=name == 'getcwd'"], &[]);
    assert_eq!((out[0].as_str(), trace.len()), ("chdir: error 5", 1));
}

#[test]
fn paths_and_descriptors() {
    program!("tampered");
    let fault = ["-e", "trace=chdir,getcwd,write", "--fault=chdir,write:error=EIO:when=1"];
    let of = |filter: &[&str]| tampered("paths", &[&fault[..], filter].concat(), &[]).0;
    assert_eq!(of(&["-P", "/dev"])[0], "chdir: error 5");
    assert_eq!(of(&["-P", "/nothing"])[0], "chdir: 0");
    // Only the first line is lost, because calls that are not chosen are not counted.
    assert_eq!(of(&["--trace-fds=1"])[0], "chdir: 0");
    assert_eq!(of(&["--trace-fds=1"]).len(), 5);
    assert_eq!(of(&["--trace-fds=2"]).len(), 6);
}

#[test]
fn memory_is_overwritten() {
    program!("tampered");
    for mode in MODES {
        let rules = [
            "-e",
            "trace=chdir,getcwd",
            "--inject=chdir:poke_enter=@arg1=2f746d7000",
            "--inject=getcwd:poke_exit=@arg1=4142",
        ];
        let (out, trace) = tampered("poke", &[mode, &rules].concat(), &[]);
        assert_eq!(out, ["chdir: 0", "chdir: 0", "chdir: 0", "chdir: 0", "getcwd: 5", "dir: ABmp"], "{mode:?}");
        assert_eq!(trace[0], "chdir(\"/tmp\") = 0 (INJECTED: args)");
        assert_eq!(trace[4], "getcwd(\"ABmp\", 16) = 5 (INJECTED: args)");
    }
    let program = compile("tampered").unwrap();
    let run = run(["-e", "trace=chdir", "--inject=chdir:poke_enter=@arg2=41", program.to_str().unwrap()]);
    assert!(
        run.err.contains("requested to tamper with argument #2, but system call 'chdir' has only 1 arguments\n"),
        "{run:?}"
    );
}

/// A call that seems to succeed has its memory shown as if the kernel had filled it in.
#[test]
fn memory_of_calls_that_seem_to_succeed() {
    program!("tampered");
    let (out, trace) = tampered("lines", &["-e", "trace=ioctl", "--inject=ioctl:retval=0"], &["lines"]);
    assert_eq!(out, ["info: 0", "handle: 0"]);
    let shown = [
        "ioctl(-1, GPIO_GET_LINEINFO_IOCTL, {line_offset=7} => {flags=GPIOLINE_FLAG_IS_OUT, name=\"seven\", consumer=\"test\"}) = 0 (INJECTED)",
        "ioctl(-1, GPIO_GET_LINEHANDLE_IOCTL, {lines=2, lineoffsets=[3, 4], flags=GPIOHANDLE_REQUEST_OUTPUT, default_values=[1, 0], \
         consumer_label=\"test\"} => {fd=9}) = 0 (INJECTED)",
    ];
    assert_eq!(trace, shown);
}

#[test]
fn signals() {
    program!("tampered");
    let rules = ["-e", "trace=chdir", "--inject=chdir:signal=USR1:error=EACCES"];
    let (out, trace) = tampered("signal", &rules, &["handler"]);
    assert_eq!(out, ["chdir: error 13", "handled: 1"]);
    assert_eq!(trace, ["chdir(\"/\") = -1 EACCES (Permission denied) (INJECTED)"]);
    // A stop of a seccomp filter takes no signal, so there is none.
    let scratch = Scratch::new("inject-seccomp-signal");
    let program = compile("tampered").unwrap();
    let run =
        scratch.stride(["-f", "--seccomp-bpf"].iter().chain(&rules).chain(&[program.to_str().unwrap(), "handler"]));
    assert!(
        run.err.contains("--seccomp-bpf is not enabled because it is not compatible with --inject=...:signal=:"),
        "{run:?}"
    );
    assert!(run.out.contains("handled: 1"), "{run:?}");
}

#[test]
fn each_thread_is_counted_by_itself() {
    program!("tampered");
    for mode in MODES {
        let options = [mode, &["-e", "trace=chdir", "--fault=chdir:error=EIO:when=2"]].concat();
        let (out, _) = tampered("threads", &options, &["threads", "3"]);
        let seen: Vec<&str> = out.iter().filter(|line| line.starts_with("chdir")).map(String::as_str).collect();
        assert_eq!(seen, ["chdir: 0", "chdir: error 5", "chdir: 0", "chdir: 0"].repeat(3), "{mode:?}");
    }
}

#[test]
fn births_are_prevented() {
    program!("tampered");
    for mode in MODES {
        let options =
            [mode, &["-e", "trace=fork,vfork,clone,clone3", "--fault=fork,vfork,clone,clone3:error=EAGAIN"]].concat();
        let (out, trace) = tampered("births", &options, &["birth"]);
        assert_eq!(out, ["fork: 11", "vfork: 11", "thread: 11"], "{mode:?}");
        assert!(
            trace.iter().all(|line| line.ends_with("= -1 EAGAIN (Resource temporarily unavailable) (INJECTED)")),
            "{trace:?}"
        );
    }
}

/// A thread waits for an hour, and others are served meanwhile, among them the one that kills it.
#[test]
fn a_delayed_thread_delays_no_other_and_can_be_killed() {
    program!("tampered");
    for mode in MODES {
        for term in ["delay_enter", "delay_exit"] {
            let rule = format!("--inject=chdir:{term}=3600s");
            let (out, _) = tampered("killed", &[mode, &["-e", "trace=chdir,getppid", &rule]].concat(), &["delayed"]);
            assert_eq!(out, ["killed: 1"], "{mode:?} {term}");
        }
    }
}

#[test]
fn delays_last_as_long_as_they_should() {
    program!("tampered");
    for (terms, within) in
        [("delay_enter=20ms", true), ("delay_exit=20000", false), ("delay_enter=1:delay_exit=20ms", false)]
    {
        let rule = format!("--inject=chdir:{terms}");
        let start = std::time::Instant::now();
        let (out, trace) = tampered("delays", &["-T", "-e", "trace=chdir", &rule], &[]);
        assert!(start.elapsed().as_millis() >= 80, "{terms}: four delays of 20 ms");
        assert_eq!(out[0], "chdir: 0");
        for line in trace {
            let (head, time) = line.trim_end_matches('>').rsplit_once(" <").unwrap();
            assert_eq!(head, "chdir(\"/dev\") = 0 (DELAYED)");
            assert!(!within || time.parse::<f64>().unwrap() >= 0.02, "{terms}: {line}");
        }
    }
}

/// Which calls of each thread fail. The number of a thread is its place among those that were made.
fn chosen(options: &[&str], name: &str) -> Vec<String> {
    let (out, trace) = tampered(name, &[options, &["-e", "trace=chdir"]].concat(), &["threads", "8"]);
    let injected = trace.iter().map(|line| line.ends_with("(INJECTED)"));
    let seen: Vec<String> = out.into_iter().filter(|line| line.starts_with("chdir")).collect();
    assert!(injected.eq(seen.iter().map(|line| line == "chdir: error 5")), "each changed call is marked, and no other");
    seen
}

#[test]
fn a_seed_chooses_the_same_calls_again() {
    program!("tampered");
    let of = |mode: &[&str], rule: &str| chosen(&[mode, &[rule]].concat(), "seeds");
    let first = of(MODES[0], "--fault=chdir:error=EIO:prob=0.5:seed=7");
    assert_eq!(first, of(MODES[0], "--fault=chdir:error=EIO:prob=0.5:seed=7"));
    assert_eq!(first, of(MODES[1], "--fault=chdir:error=EIO:prob=0.5:seed=7"));
    assert_ne!(first, of(MODES[0], "--fault=chdir:error=EIO:prob=0.5:seed=8"));
    let failed = |seen: &[String]| seen.iter().filter(|line| *line != "chdir: 0").count();
    assert!((4..28).contains(&failed(&first)), "{first:?}");
    assert_eq!(failed(&of(MODES[0], "--fault=chdir:error=EIO:prob=0:seed=7")), 0);
    assert_eq!(failed(&of(MODES[0], "--fault=chdir:error=EIO:prob=1:seed=7")), 32);
}

/// A seed that Stride has chosen is told, and chooses the same calls when it is given.
#[test]
fn a_chosen_seed_is_told() {
    let program = program!("tampered");
    let program = program.to_str().unwrap();
    let first = run(["-f", "-e", "trace=chdir", "--fault=chdir:error=EIO:prob=0.5", program, "threads", "8"]);
    let (_, rest) = first.err.split_once("add seed=").unwrap();
    let seed = rest.split(' ').next().unwrap();
    let rule = format!("--fault=chdir:error=EIO:prob=0.5:seed={seed}");
    assert_eq!(run(["-f", "-e", "trace=chdir", &rule, program, "threads", "8"]).out, first.out);
}

/// The target of `-p`: `tampered loop`, and the letters that it writes.
struct Loop {
    target: Killed,
    out: std::process::ChildStdout,
}

impl Loop {
    fn start() -> Loop {
        let mut target = ready(compile("tampered").unwrap(), "loop");
        let out = target.0.stdout.take().unwrap();
        Loop { target, out }
    }

    fn attach(&self, rule: &str, scratch: &Scratch) -> Killed {
        let mut command = stride();
        command
            .args(["-e", "trace=chdir", rule, "-p", &self.target.0.id().to_string(), "-o"])
            .arg(scratch.path("trace"));
        Killed(command.stderr(std::fs::File::create(scratch.path("err")).unwrap()).spawn().unwrap())
    }

    /// Reads letters up to the first one that is `letter`. None may be an `x`.
    fn read_to(&mut self, letter: u8) {
        let mut seen = [0];
        while seen[0] != letter {
            self.out.read_exact(&mut seen).unwrap();
            assert!(b"oe".contains(&seen[0]), "neither the call's own result nor the injected one");
        }
    }

    /// Reads more letters than there is room for in a pipe, so the last ones are new.
    fn goes_on(&mut self) {
        let mut seen = vec![0; 1 << 17];
        self.out.read_exact(&mut seen).unwrap();
        assert!(seen.iter().all(|letter| b"oe".contains(letter)));
        assert_eq!(seen.last(), Some(&b'o'));
    }
}

/// However Stride ends, a call has the injected result or its own, and never that of a number that no call has.
#[test]
fn no_call_is_left_without_its_result() {
    program!("tampered");
    for signal in [Signal::SIGKILL, Signal::SIGTERM, Signal::SIGKILL, Signal::SIGINT] {
        for terms in ["error=EIO", "error=EIO:delay_enter=100us"] {
            let scratch = Scratch::new("inject-left");
            let mut target = Loop::start();
            target.read_to(b'o');
            for _ in 0..5 {
                let mut tracer = target.attach(&format!("--inject=chdir:{terms}"), &scratch);
                target.read_to(b'e');
                send(&tracer, signal);
                assert_eq!(tracer.0.wait().unwrap().signal(), Some(signal as i32), "{terms}");
                target.read_to(b'o');
            }
        }
    }
}

/// A thread that waits in a delay goes on at once when Stride ends, and its call is made.
#[test]
fn a_delay_ends_with_stride() {
    program!("tampered");
    for signal in [Signal::SIGKILL, Signal::SIGTERM] {
        for (terms, letter) in
            [("delay_enter=3600s", b'o'), ("delay_exit=3600s", b'o'), ("error=EIO:delay_enter=3600s", b'e')]
        {
            let scratch = Scratch::new("inject-delay-ends");
            let mut target = Loop::start();
            target.read_to(b'o');
            let mut tracer = target.attach(&format!("--inject=chdir:{terms}"), &scratch);
            scratch.wait_attached(1);
            let tid = target.target.tid();
            // A call that is to fail has its number taken away before the delay. Other stops of the thread are short.
            let number = if letter == b'e' { -1 } else { 80 };
            let waits = || state(tid) == Some('t') && is_inside(tid, number);
            wait_until("the delay", || {
                (0..10).all(|_| {
                    sleep(Duration::from_millis(10));
                    waits()
                })
            });
            send(&tracer, signal);
            assert_eq!(tracer.0.wait().unwrap().signal(), Some(signal as i32));
            target.read_to(letter);
            target.goes_on();
        }
    }
}

#[test]
fn what_is_refused() {
    let scratch = Scratch::new("inject-refused");
    let refused = |args: &[&str]| {
        let mut command = bare_stride();
        command.args(args).args(["sh", "-c", "echo ran"]).current_dir(scratch.path(""));
        let run = Run::of(command);
        assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{run:?}");
        run.messages()[0].to_owned()
    };
    assert!(refused(&["--fault=nosuch"]).starts_with("invalid system call 'nosuch'"));
    assert!(
        refused(&["--fault=read:delay_enter=1"])
            .starts_with("invalid fault argument 'read:delay_enter=1'; delay_enter= is not for fault")
    );
    assert!(
        refused(&["-e", "inject=read"]).starts_with("invalid inject argument 'read'; nothing is said to be changed")
    );
    assert_eq!(
        refused(&["--engine=ebpf", "--fault=read"]),
        "--fault, which changes calls while their threads stand still, needs the ptrace engine: leave out --engine=ebpf"
    );
    // auto takes the ptrace engine.
    let mut auto = bare_stride();
    auto.args(["-d", "-e", "trace=chdir", "--fault=chdir:error=EIO", "sh", "-c", "cd / || echo fails"])
        .current_dir(scratch.path(""));
    let run = Run::of(auto);
    assert!(run.err.contains("engine: ptrace (--fault,") && run.out == "fails\n", "{run:?}");
}

/// The note is in every view, and in what is made of a recording.
#[test]
fn views() {
    let program = program!("tampered");
    let program = program.to_str().unwrap();
    let scratch = Scratch::new("inject-views");
    let rule = ["-e", "trace=chdir", "-a1", "--inject=chdir:error=EIO:when=2:delay_enter=1"];
    let run = scratch.stride(rule.iter().chain(&["--record=rec", "--html=page.html", program]));
    assert_eq!(run.code(), Some(0), "{run:?}");
    let noted = "chdir(\"/dev\") = -1 EIO (Input/output error) (INJECTED) (DELAYED)";
    assert!(run.trace.contains(noted), "{run:?}");
    assert_eq!(scratch.replay(&["-a1"]).out, run.trace);
    assert!(scratch.read("page.html").contains("(INJECTED) (DELAYED)"));
    let json = scratch.replay(&["--json"]).out;
    let calls = json.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let injected: Vec<_> = calls.filter(|call| call["type"] == "call").map(|call| call["injected"].clone()).collect();
    let none = serde_json::Value::Null;
    assert_eq!(injected, [none.clone(), serde_json::json!(["result", "delay"]), none.clone(), none]);
    let summary = scratch.replay(&["-c", "-U", "calls,errors,name"]).out;
    assert!(summary.lines().any(|line| line.split_whitespace().eq(["4", "1", "chdir"])), "{summary}");
}

/// `short=`: the call moves less, and the register that says how much has its own value again behind the call.
#[test]
fn short_transfers() {
    let scratch = Scratch::new("inject-short");
    let source = scratch.path("short.c");
    let text = r#"
        #include <stdio.h>
        int main(void) {
            long asked = 9, moved;
            __asm__ volatile("syscall" : "=a"(moved), "+d"(asked) : "a"(1), "D"(1), "S"("123456789") : "rcx", "r11", "memory");
            printf(" %ld %ld\n", moved, asked);
            return 0;
        }"#;
    std::fs::write(&source, text).unwrap();
    let program = scratch.path("short");
    or_skip!(cc(&source, &program));
    let program = program.to_str().unwrap();
    for mode in MODES {
        let options = ["--kill-on-exit", "-e", "trace=write", "--inject=write:short=3:when=1", "-q", program];
        let run = scratch.stride(mode.iter().chain(&options));
        assert_eq!((run.code(), &run.out[..]), (Some(0), "123 3 9\n"), "{mode:?}: {run:?}");
        assert!(run.trace.contains("write(1, \"123\", 3)") && run.trace.contains("= 3 (INJECTED: args)"), "{run:?}");
        // A call that asks for less is left alone.
        let options = ["--kill-on-exit", "-e", "trace=write", "--inject=write:short=9", "-q", program];
        assert_eq!(scratch.stride(mode.iter().chain(&options)).out, "123456789 9 9\n", "{mode:?}");
    }
    let mut refused = stride();
    refused.args(["--inject=write:short=3", program]);
    let run = Run::of(refused);
    assert!(run.code() == Some(1) && run.err.contains("add --kill-on-exit"), "{run:?}");
}

/// `thread=`: the calls of one process alone.
#[test]
fn one_thread_alone() {
    for (place, expected) in [("1", "parent\n"), ("1.1", "child 1\n"), ("1.2", "child 2\n"), ("1.3", "")] {
        let scratch = Scratch::new(&format!("inject-thread-{place}"));
        let rule = format!("--fault=chdir:error=EIO:thread={place}");
        let script = "(cd / 2>&- || echo child 1); (cd / 2>&- || echo child 2); cd / 2>&- || echo parent";
        let run = scratch.stride(["-f", "-e", "trace=chdir", &rule, "sh", "-c", script]);
        assert_eq!(run.out, expected, "{place}: {run:?}");
    }
}
