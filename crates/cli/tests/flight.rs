//! `--flight`: the latest calls are kept in memory, and written when something happens.

mod common;

use common::*;
use nix::fcntl::{FcntlArg, FdFlag};
use nix::sys::signal::Signal;
use std::fs::File;
use std::process::{Command, Stdio};

/// A shell that opens a file, makes more calls than are kept, and then does what the trigger waits for.
const SCRIPT: &str = "exec 5<marker; dd if=/dev/urandom of=/dev/null bs=64 count=40000 2>/dev/null; \
                      /bin/cat <&5; /bin/cat . 2>/dev/null; exit 7";
const EISDIR: &str = "--trigger=errno == 'EISDIR'";

fn scratch(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    std::fs::write(scratch.path("marker"), "the marker\n").unwrap();
    scratch
}

fn run_in(scratch: &Scratch, args: &[&str]) -> Run {
    let mut command = bare_stride();
    command.args(args).current_dir(scratch.path(""));
    Run::of(command)
}

fn replay(scratch: &Scratch, file: &str, options: &[&str]) -> Run {
    let mut command = bare_stride();
    command.arg(format!("--replay={file}")).args(options).current_dir(scratch.path(""));
    let run = Run::of(command);
    assert_eq!(run.code(), Some(0), "{run:?}");
    run
}

fn files(scratch: &Scratch) -> Vec<String> {
    let entries = std::fs::read_dir(scratch.path("")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The most memory that calls took, as the recorder counts.
fn memory(run: &Run) -> usize {
    let message = run.err.split_once("memory for calls: ").unwrap_or_else(|| panic!("{run:?}")).1;
    message.split_once(' ').unwrap().0.parse().unwrap()
}

#[test]
fn the_dump_has_the_trigger_and_names_from_before() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = scratch(&format!("flight{engine}"));
        let args = [*engine, "-d", "-f", "--flight=1M", "--record=rec", EISDIR, "sh", "-c", SCRIPT];
        let run = run_in(&scratch, &args);
        assert_eq!((run.code(), run.out.as_str()), (Some(7), "the marker\n"), "{engine} {run:?}");
        assert!(run.err.contains("flight recorder: rec: ") && run.err.contains("(errno == 'EISDIR')"), "{}", run.err);
        // 80,000 calls took several times as much.
        assert!((700_000..=1 << 20).contains(&memory(&run)), "{engine}: {}", memory(&run));
        assert_eq!(files(&scratch), ["marker", "rec"], "{engine}");
        let text = replay(&scratch, "rec", &["-q", "-y"]).out;
        assert!(text.contains("= -1 EISDIR") && !text.contains("\"marker\""), "{engine}");
        assert!(text.contains("marker>"), "{engine}: the name of a descriptor that was opened before");
        assert!(text.lines().count() > 5_000, "{engine}");
        let table = replay(&scratch, "rec", &["-q", "--by=comm"]).out;
        for name in ["sh", "dd", "cat"] {
            assert!(table.lines().any(|line| line.ends_with(&format!(" {name}"))), "{engine} {name}: {table}");
        }
    }
}

#[test]
fn without_a_trigger_nothing_is_written() {
    for engine in engines() {
        let scratch = scratch(&format!("flight-none{engine}"));
        let run = run_in(&scratch, &[*engine, "-f", "--flight=10s", EISDIR, "sh", "-c", "cat marker; exit 3"]);
        assert_eq!((run.code(), run.out.as_str()), (Some(3), "the marker\n"), "{run:?}");
        assert_eq!(files(&scratch), ["marker"], "{engine}");
        let message = run.messages();
        assert!(
            message[0].starts_with("flight recorder: kill -USR1 ") && message[0].contains("stride-flight."),
            "{message:?}"
        );
        assert_eq!(
            message[1..],
            ["flight recorder: nothing was written, because neither a trigger nor SIGUSR1 came"],
            "{engine}"
        );
    }
}

#[test]
fn triggers_write_so_often_and_no_more() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = scratch(&format!("flight-count{engine}"));
        let script = "for i in 1 2 3 4 5; do /bin/cat . 2>/dev/null; done; exit 7";
        let args = [
            *engine,
            "-f",
            "--flight=1M",
            "--record=rec",
            EISDIR,
            "--trigger-after=0ms",
            "--trigger-count=2",
            "sh",
            "-c",
            script,
        ];
        assert_eq!(run_in(&scratch, &args).code(), Some(7), "{engine}");
        assert_eq!(files(&scratch), ["marker", "rec", "rec.2"], "{engine}");
        for (name, times) in [("rec", 1), ("rec.2", 2)] {
            let text = replay(&scratch, name, &["-q"]).out;
            // Nothing is waited for, so the call of the trigger is the last one.
            assert!(text.lines().last().unwrap().contains("EISDIR"), "{engine} {name}: {text}");
            assert_eq!(text.matches("EISDIR").count(), times, "{engine} {name}");
        }
    }
}

#[test]
fn ends_of_processes_are_triggers() {
    for engine in engines() {
        for (trigger, script, writes) in [
            ("--trigger=killed", "kill -TERM $$", true),
            ("--trigger=failed", "exit 3", true),
            ("--trigger=killed", "exit 3", false),
            ("--trigger=failed", "exit 0", false),
            ("--trigger=name == 'exit_group' && args.status == 3", "exit 3", true),
        ] {
            let scratch = scratch(&format!("flight-ends{engine}"));
            let args = [*engine, "-f", "--flight=1M", "--record=rec", trigger, "sh", "-c", script];
            let run = run_in(&scratch, &args);
            assert_eq!(scratch.path("rec").exists(), writes, "{engine} {trigger} {script}: {run:?}");
        }
    }
}

#[test]
fn a_full_disk_is_told_and_the_recorder_goes_on() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = scratch(&format!("flight-full{engine}"));
        let script = "/bin/cat . 2>/dev/null; /bin/cat . 2>/dev/null; exit 7";
        let args = [
            *engine,
            "-f",
            "--flight=1M",
            "--record=/dev/full",
            EISDIR,
            "--trigger-count=2",
            "--trigger-after=0ms",
            "sh",
            "-c",
            script,
        ];
        let run = run_in(&scratch, &args);
        assert_eq!(run.code(), Some(7), "{engine} {run:?}");
        let message = "Can't write '/dev/full' (errno == 'EISDIR'): No space left on device. Nothing of it was kept";
        assert_eq!(run.err.matches(message).count(), 2, "{engine}: {}", run.err);
    }
}

/// A process that does nothing cannot bring Stride to write, so the signal has to.
#[test]
fn a_signal_writes_what_there_is_of_an_idle_process() {
    for engine in engines() {
        let scratch = scratch(&format!("flight-idle{engine}"));
        let idle = Killed(Command::new("sleep").arg("1000").spawn().unwrap());
        wait_until_inside(idle.tid(), nix::libc::SYS_clock_nanosleep);
        let mut command = bare_stride();
        command.args([*engine, "-p", &idle.tid().to_string(), "--flight=1M", "--record=rec"]);
        command.current_dir(scratch.path("")).stdin(Stdio::null());
        let mut stride = Killed(command.stderr(File::create(scratch.path("err")).unwrap()).spawn().unwrap());
        wait_until("Stride to be ready", || scratch.read("err").contains("kill -USR1"));
        for (name, number) in [("rec", 1), ("rec.2", 2)] {
            send(&stride, Signal::SIGUSR1);
            wait_until("the recording", || scratch.read("err").matches("(asked for)").count() == number);
            replay(&scratch, name, &[]);
        }
        send(&stride, Signal::SIGINT);
        stride.0.wait().unwrap();
        wait_until("the process to sleep on", || state(idle.tid()) == Some('S'));
    }
}

/// With a command, the key reaches the command, too, as any other key does.
#[test]
fn a_key_writes_what_there_is() {
    need!("/usr/bin/setsid");
    for engine in engines() {
        let scratch = scratch(&format!("flight-key{engine}"));
        let idle = Killed(Command::new("sleep").arg("1000").spawn().unwrap());
        wait_until_inside(idle.tid(), nix::libc::SYS_clock_nanosleep);
        let terminal = nix::pty::openpty(None, None).unwrap();
        // With these descriptors, programs of other tests would be readers of this Stride's output.
        for end in [&terminal.master, &terminal.slave] {
            nix::fcntl::fcntl(end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).unwrap();
        }
        let mut command = Command::new("setsid");
        let pid = idle.tid().to_string();
        command.args(["--ctty", STRIDE, *engine, "-p", &pid, "--flight=1M", "--record=rec"]);
        command.current_dir(scratch.path("")).stdin(terminal.slave).stderr(File::create(scratch.path("err")).unwrap());
        let mut stride = Killed(command.spawn().unwrap());
        wait_until("Stride to be ready", || scratch.read("err").contains(", or Ctrl-\\ here,"));
        // A child of this process is no leader of a group, so setsid(1) needs no child, and is Stride by now.
        nix::unistd::write(&terminal.master, b"\x1c").unwrap();
        wait_until("the recording", || scratch.read("err").contains("(asked for)"));
        replay(&scratch, "rec", &[]);
        assert!(stride.0.try_wait().unwrap().is_none(), "Stride goes on");
        send(&stride, Signal::SIGINT);
        stride.0.wait().unwrap();
    }
}

#[test]
fn processes_of_the_machine_are_recorded() {
    need_ebpf!();
    need!("/bin/cat");
    let scratch = scratch("flight-all");
    copy_program("/bin/cat", scratch.path("flightcat"));
    let mut command = bare_stride();
    command.args(["--comm=flightcat", "--flight=1M", "--record=rec", EISDIR, "--trigger-after=0ms"]);
    command.current_dir(scratch.path("")).stdin(Stdio::null());
    let mut stride = Killed(command.stderr(File::create(scratch.path("err")).unwrap()).spawn().unwrap());
    wait_until("Stride to be ready", || scratch.read("err").contains("kill -USR1"));
    let cat = Command::new(scratch.path("flightcat")).arg(scratch.path("")).stderr(Stdio::null()).status();
    assert_eq!(cat.unwrap().code(), Some(1));
    wait_until("the recording", || scratch.read("err").contains("(errno == 'EISDIR')"));
    send(&stride, Signal::SIGINT);
    stride.0.wait().unwrap();
    let text = replay(&scratch, "rec", &["-q"]).out;
    assert!(text.lines().last().unwrap().contains("EISDIR"), "{text}");
}

#[test]
fn mistakes_are_told_before_anything_runs() {
    let scratch = scratch("flight-mistakes");
    for (args, message) in [
        (&["--flight=10"][..], "invalid --flight argument: '10'; give a size from 1M to 64G"),
        (&["--flight=1K"], "invalid --flight argument: '1K'"),
        (&["--trigger=ret < 0"], "--trigger says when a flight recorder writes: give --flight=SIZE as well"),
        (&["--trigger-count=2"], "--trigger-count says when a flight recorder writes"),
        (&["--flight=1M", "--trigger=errno == 'EFOO'"], "--trigger: "),
        (&["--flight=1M", "--trigger-count=0"], "invalid --trigger-count argument: '0'"),
        (
            &["--flight=1M", "-e", "trace=read", "--trigger=name == 'fsync'"],
            "--trigger='name == 'fsync'' can hold for no call that --trace leaves in: add its calls to --trace",
        ),
        (&["--flight=1M", "--record=nowhere/rec"], "Can't open 'nowhere/rec' for --flight: No such file or directory"),
        (&["--flight=1M", "--rotate=1M"], "--rotate has no file to rotate"),
    ] {
        let run = run_in(&scratch, &[args, &["sh", "-c", "echo ran"]].concat());
        assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{args:?} {run:?}");
        assert!(run.err.contains(message), "{args:?}: {}", run.err);
    }
    let run = run_in(&scratch, &["--replay=x", "--flight=1M"]);
    assert!(run.err.contains("--flight is about tracing"), "{run:?}");
}
