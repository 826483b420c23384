//! `--all` and its filters, as users see them. Other processes run meanwhile, so each test looks for its own only.

mod common;

use common::{Killed, Run, STRIDE, Scratch, bare_stride, copy_program, need_ebpf, send, skip, wait_until};
use nix::sys::signal::Signal;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A Stride that traces processes of the machine.
struct Watching<'s> {
    stride: Killed,
    scratch: &'s Scratch,
}

impl<'s> Watching<'s> {
    /// Starts `stride -o trace`. All processes that run are known when this returns.
    fn start(scratch: &'s Scratch, args: &[&str]) -> Watching<'s> {
        let mut command = bare_stride();
        command.env("STRIDE_STATE_ROOT", scratch.path("")).args(["-d", "-o"]).arg(scratch.path("trace")).args(args);
        let err = File::create(scratch.path("err")).unwrap();
        let stride = Killed(command.stdin(Stdio::null()).stderr(err).spawn().unwrap());
        wait_until("Stride to trace", || scratch.read("err").contains("engine: ebpf"));
        Watching { stride, scratch }
    }

    fn wait_for(&self, text: &str) {
        wait_until(text, || self.scratch.read("trace").contains(text));
    }

    /// Interrupts Stride, and returns the trace.
    fn end(mut self) -> String {
        send(&self.stride, Signal::SIGINT);
        self.stride.0.wait().unwrap();
        self.scratch.read("trace")
    }
}

fn copy(program: &str, scratch: &Scratch, name: &str) -> PathBuf {
    let to = scratch.path(name);
    copy_program(program, &to);
    to
}

fn refused(args: &[&str]) -> String {
    let mut command = bare_stride();
    command.args(args);
    let run = Run::of(command);
    assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{run:?}");
    run.messages().join("\n")
}

#[test]
fn programs_are_traced_until_stride_is_interrupted() {
    need_ebpf!();
    let scratch = Scratch::new("all-programs");
    let cat = copy("/bin/cat", &scratch, "cat");
    let watching = Watching::start(&scratch, &[&format!("--exe={}", cat.display()), "-e", "trace=openat"]);
    let mut pids = Vec::new();
    for name in ["first", "second"] {
        fs::write(scratch.path(name), "").unwrap();
        let mut child = Command::new(&cat).arg(scratch.path(name)).spawn().unwrap();
        pids.push(child.id());
        assert!(child.wait().unwrap().success());
    }
    watching.wait_for(&format!("{}<cat> openat(AT_FDCWD, {:?}", pids[1], scratch.path("second")));
    let trace = watching.end();
    for (name, pid) in ["first", "second"].iter().zip(&pids) {
        let path = scratch.path(name).display().to_string();
        let line = trace.lines().find(|line| line.contains(&path)).unwrap_or_else(|| panic!("{trace}"));
        assert!(line.starts_with(&format!("{pid}<cat> ")) && line.contains("openat(AT_FDCWD, "), "{line}");
    }
    assert!(
        trace.lines().all(|line| pids.iter().any(|pid| line.starts_with(&format!("{pid}<cat> openat(")))),
        "{trace}"
    );
    assert!(!scratch.read("err").contains("No process matched"), "{}", scratch.read("err"));
}

#[test]
fn calls_are_counted_in_the_kernel() {
    need_ebpf!();
    let scratch = Scratch::new("all-count");
    let dd = copy("/bin/dd", &scratch, "dd");
    let watching = Watching::start(&scratch, &["-c", &format!("--exe={}", dd.display())]);
    let args = ["if=/dev/zero", "of=/dev/null", "bs=1", "count=1234", "status=none"];
    assert!(Command::new(dd).args(args).status().unwrap().success());
    let trace = watching.end();
    let writes = trace.lines().find(|line| line.ends_with(" write")).unwrap_or_else(|| panic!("{trace}"));
    assert_eq!(writes.split_whitespace().nth(3), Some("1234"), "{trace}");
}

/// A container's id.
fn id(number: usize) -> String {
    format!("{number:064x}")
}

#[test]
fn many_containers_are_told_apart() {
    need_ebpf!();
    const ALL: usize = 200;
    const WANTED: usize = 10;
    let Some(root) = stride_engine_base::cgroup_root() else { skip!("no cgroup hierarchy of version 2") };
    let slice = root.join(format!("stride-containers-{}", std::process::id()));
    if let Err(why) = fs::create_dir(&slice) {
        skip!("{}: {why}", slice.display());
    }
    let scratch = Scratch::new("all-containers");
    let name = |i: usize| if i < WANTED { format!("wanted-{i}") } else { format!("other-{i}") };
    let dir = |i: usize| slice.join(format!("docker-{}.scope", id(i)));
    for i in 0..ALL {
        let state = scratch.path("var/lib/docker/containers").join(id(i));
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("config.v2.json"), format!("{{\"Name\":\"/{}\",\"Config\":{{}}}}", name(i))).unwrap();
        fs::write(scratch.path(&format!("file-{i}")), "").unwrap();
    }
    // Some are there before Stride, and the others come later.
    (0..ALL / 2).for_each(|i| fs::create_dir(dir(i * 2)).unwrap());
    // (Without --quiet, Stride tells of no beginnings.)
    let watching =
        Watching::start(&scratch, &["--container=wanted-?", "--quiet=none", "-e", "trace=openat", "-e", "signal=none"]);
    (0..ALL / 2).for_each(|i| fs::create_dir(dir(i * 2 + 1)).unwrap());
    let enter = |i: usize| {
        let file = scratch.path(&format!("file-{i}"));
        let script = format!("echo $$ >{}/cgroup.procs && read x; exec /bin/cat {}", dir(i).display(), file.display());
        Command::new("/bin/sh").args(["-c", &script]).stdin(Stdio::piped()).spawn().unwrap()
    };
    let mut inside: Vec<_> = (0..ALL).map(enter).collect();
    // A container that begins is known a moment later, so the processes wait for that.
    for child in &inside[..WANTED] {
        wait_until("the wanted ones", || scratch.read("err").contains(&format!("Process {} attached", child.id())));
    }
    inside.iter_mut().for_each(|child| drop(child.stdin.take()));
    inside.iter_mut().for_each(|child| assert!(child.wait().unwrap().success()));
    for i in 0..WANTED {
        watching.wait_for(&format!("[{}] +++ exited with 0 +++", name(i)));
    }
    (0..ALL).for_each(|i| fs::remove_dir(dir(i)).unwrap());
    wait_until("the ends of containers", || scratch.read("err").matches(" has ended").count() >= WANTED);
    fs::remove_dir(&slice).unwrap();
    let trace = watching.end();
    let err = scratch.read("err");
    for i in 0..ALL {
        let path = format!("{:?}", scratch.path(&format!("file-{i}")));
        let lines: Vec<&str> = trace.lines().filter(|line| line.contains(&path)).collect();
        let ended = format!("container {} ({}) has ended", name(i), &id(i)[..12]);
        if i < WANTED {
            assert_eq!(lines.len(), 1, "{path}: {trace}");
            assert!(lines[0].contains(&format!(" [wanted-{i}] openat(")), "{}", lines[0]);
        } else {
            assert_eq!(lines, [""; 0]);
        }
        assert_eq!(err.contains(&ended), i < WANTED, "{ended}: {err}");
    }
}

/// A cgroup that looks like a container of Docker, and a name for it.
struct Container {
    dir: PathBuf,
}

impl Container {
    /// `None` if this machine has no cgroup hierarchy of version 2. `scratch` is the root of Docker's files.
    fn describe(scratch: &Scratch, name: &str) -> Option<Container> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let id = format!("{:032x}{:032x}", COUNT.fetch_add(1, Ordering::Relaxed), std::process::id());
        let state = scratch.path("var/lib/docker/containers").join(&id);
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("config.v2.json"), format!("{{\"Name\":\"/{name}\",\"Config\":{{}}}}")).unwrap();
        Some(Container { dir: stride_engine_base::cgroup_root()?.join(format!("docker-{id}.scope")) })
    }

    /// A shell calls chdir once outside, and then three times inside. The container ends.
    fn run(&self) -> std::io::Result<()> {
        fs::create_dir(&self.dir)?;
        let script = format!("cd /usr; echo $$ >{}/cgroup.procs; cd /; cd /; cd /", self.dir.display());
        assert!(Command::new("/bin/sh").args(["-c", &script]).status()?.success());
        fs::remove_dir(&self.dir)
    }
}

#[test]
fn counts_by_container_name_those_that_have_ended() {
    need_ebpf!();
    let scratch = Scratch::new("all-by-container");
    let Some(container) = Container::describe(&scratch, "counted") else { skip!("no cgroup hierarchy of version 2") };
    let watching = Watching::start(&scratch, &["--all", "--by=container,syscall", "-e", "trace=chdir"]);
    if let Err(why) = container.run() {
        skip!("{}: {why}", container.dir.display());
    }
    let trace = watching.end();
    let row = trace.lines().find(|line| line.contains(" counted ")).unwrap_or_else(|| panic!("{trace}"));
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((words[4], words[words.len() - 1]), ("3", "chdir"), "{row}");
}

/// In a summary's run, metrics of the same calls have labels that the summary does not ask for.
#[test]
fn metrics_name_containers() {
    need_ebpf!();
    let scratch = Scratch::new("all-export-container");
    let Some(container) = Container::describe(&scratch, "exported") else { skip!("no cgroup hierarchy of version 2") };
    let export = format!("--export=prometheus:{}", scratch.path("m.prom").display());
    let watching = Watching::start(&scratch, &["--all", "-c", &export, "-e", "trace=chdir"]);
    if let Err(why) = container.run() {
        skip!("{}: {why}", container.dir.display());
    }
    let summary = watching.end();
    let metrics = scratch.read("m.prom");
    let inside = "stride_calls_total{syscall=\"chdir\",thread_name=\"sh\",container_name=\"exported\"} 3\n";
    assert!(metrics.contains(inside), "{metrics}");
    let durations =
        "stride_call_duration_seconds_count{syscall=\"chdir\",thread_name=\"sh\",container_name=\"exported\"} 3\n";
    assert!(metrics.contains(durations), "{metrics}");
    let row = summary.lines().find(|line| line.ends_with(" chdir")).unwrap_or_else(|| panic!("{summary}"));
    let counted: u64 = row.split_whitespace().nth(3).unwrap().parse().unwrap();
    let calls = metrics.lines().filter(|line| line.starts_with("stride_calls_total{syscall=\"chdir\""));
    assert_eq!(calls.map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap()).sum::<u64>(), counted);
}

#[test]
fn expressions_ask_for_the_container() {
    need_ebpf!();
    let scratch = Scratch::new("all-where-container");
    let Some(container) = Container::describe(&scratch, "asked") else { skip!("no cgroup hierarchy of version 2") };
    let record = format!("--record={}", scratch.path("recording").display());
    let watching =
        Watching::start(&scratch, &["--all", &record, "--where=name == 'chdir' && container == 'asked'", "-a1"]);
    if let Err(why) = container.run() {
        skip!("{}: {why}", container.dir.display());
    }
    let trace = watching.end();
    let calls: Vec<_> = trace.lines().filter_map(|line| line.split_once(' ')).map(|(_, call)| call.trim()).collect();
    assert_eq!(calls, ["[asked] chdir(\"/\") = 0"; 3], "{trace}");
    assert_eq!(trace.matches("<sh> ").count(), 3, "{trace}");
    // A recording has the names, too.
    let mut replay = Command::new(STRIDE);
    replay.args(["--replay=recording", "--where=container == 'asked'", "-a1"]).current_dir(scratch.path(""));
    let replayed = Run::of(replay);
    // (Other processes of the machine may have been killed meanwhile.)
    let lines: String = replayed.out.split_inclusive('\n').filter(|line| line.contains("[asked]")).collect();
    assert_eq!(lines, trace, "{replayed:?}");
    // Without --all nobody knows what container a thread is in.
    let run = Run::of({
        let mut command = Command::new(STRIDE);
        command.args(["--where=container == 'asked'", "true"]);
        command
    });
    assert!(run.code() == Some(1) && run.err.contains("give --all"), "{run:?}");
}

#[test]
fn the_reader_of_the_trace_is_left_out() {
    need_ebpf!();
    let scratch = Scratch::new("all-reader");
    let cat = copy("/bin/cat", &scratch, "cat");
    let out = File::create(scratch.path("out")).unwrap();
    let mut reader = Command::new(&cat).stdin(Stdio::piped()).stdout(out).spawn().unwrap();
    let pipe = reader.stdin.take().unwrap();
    let mut command = Command::new(STRIDE);
    let exe = format!("--exe={}", cat.display());
    command.args([&exe, "-d", "-e", "trace=read,write,openat", "--quiet=attach"]).stdin(Stdio::null()).stderr(pipe);
    let mut stride = Killed(command.spawn().unwrap());
    drop(command);
    wait_until("Stride to trace", || scratch.read("out").contains("engine: ebpf"));
    fs::write(scratch.path("file"), "").unwrap();
    let mut other = Command::new(&cat).arg(scratch.path("file")).spawn().unwrap();
    other.wait().unwrap();
    wait_until("the other's end", || scratch.read("out").contains(" +++ exited with 0 +++"));
    send(&stride, Signal::SIGINT);
    stride.0.wait().unwrap();
    reader.wait().unwrap();
    let trace = scratch.read("out");
    assert!(trace.contains("read what it writes: ") && trace.contains(&format!("cat ({})", reader.id())), "{trace}");
    let lines: Vec<&str> = trace.lines().filter(|line| !line.starts_with(STRIDE)).collect();
    assert!(lines.iter().any(|line| line.contains("openat(")), "{trace}");
    assert!(lines.iter().all(|line| line.starts_with(&format!("{}<cat> ", other.id()))), "{trace}");
}

#[test]
fn cgroups_that_cannot_be_followed_are_told() {
    need_ebpf!();
    let message = refused(&["--cgroup=/etc"]);
    if Path::new("/etc").is_dir() && stride_engine_base::cgroup_root().is_some() {
        assert!(message.contains("/etc is not in the cgroup hierarchy of version 2, which is mounted at"), "{message}");
        let message = refused(&["--cgroup=/no/../cgroup"]);
        assert!(message.contains("/no/../cgroup has '..' in it, and is not there"), "{message}");
        let message = refused(&["--cgroup=/cgroup.procs"]);
        assert!(message.contains("/cgroup.procs is no directory: a cgroup is one"), "{message}");
    }
}

#[test]
fn a_cgroup_that_is_not_there_is_waited_for() {
    need_ebpf!();
    if stride_engine_base::cgroup_root().is_none() {
        skip!("no cgroup hierarchy of version 2");
    }
    let scratch = Scratch::new("all-no-cgroup");
    let log = fs::File::create(scratch.path("log")).unwrap();
    let mut stride = bare_stride();
    stride.args(["--cgroup=/no/such/cgroup", "-o"]).arg(scratch.path("out")).stderr(log);
    let mut stride = Killed(stride.spawn().unwrap());
    wait_until("the sentence", || scratch.read("log").contains("/no/such/cgroup yet, so Stride waits for it;"));
    send(&stride, Signal::SIGINT);
    stride.0.wait().unwrap();
    let log = scratch.read("log");
    assert!(log.contains("No process is in /no/such/cgroup"), "{log}");
}

/// A script that gets a signal, makes a call, is stopped, and executes the program `$0`.
const LIVELY: &str = "trap : USR1; kill -USR1 $$; cd /usr; (kill -STOP $$; until grep -q stopped /proc/$$/status; do :; done; kill -CONT $$) & wait; exec \"$0\"";

#[test]
fn lines_have_names_and_only_calls_unless_more_is_asked_for() {
    need_ebpf!();
    let scratch = Scratch::new("all-lines");
    let (shell, shown) = (copy("/bin/sh", &scratch, "lively"), copy("/bin/true", &scratch, "shown"));
    let chosen = [format!("--exe={}", shell.display()), format!("--exe={}", shown.display())];
    let record = format!("--record={}", scratch.path("recording").display());
    let run = || {
        let mut lively = Command::new(&shell);
        assert!(lively.args(["-c", LIVELY]).arg(&shown).status().unwrap().success());
    };
    let calls = "trace=chdir,exit_group,rt_sigreturn";
    let watching = Watching::start(&scratch, &[&chosen[0], &chosen[1], "-e", calls, &record, "-a1"]);
    run();
    watching.wait_for("<shown> exit_group(");
    let unasked = watching.end();
    assert!(unasked.contains("<lively> chdir(\"/usr\") = 0"), "{unasked}");
    for line in unasked.lines() {
        assert!(["<lively> ", "<shown> "].iter().any(|name| line.contains(name)), "{line}");
        assert!(!line.contains("---") && !line.contains("+++"), "{line}");
    }
    assert!(!scratch.read("err").contains("attached"), "{}", scratch.read("err"));
    // A recording has what was not shown.
    let replay = |rest: &[&str]| {
        let mut replay = bare_stride();
        replay.args(["--replay=recording", "-e", calls, "-a1"]).args(rest).current_dir(scratch.path(""));
        Run::of(replay).out
    };
    assert_eq!(replay(&[]), unasked);
    for message in [replay(&["--signal=all", "--quiet=none"]), {
        let rest = ["--signal=all", "--quiet=none"];
        let watching = Watching::start(&scratch, &[&chosen[0], &chosen[1], "-e", calls, rest[0], rest[1]]);
        run();
        watching.wait_for("<shown> +++ exited with 0 +++");
        watching.end()
    }] {
        for part in ["<lively> --- SIGUSR1 {", "<lively> --- stopped by SIGSTOP ---", "<shown> +++ exited with 0 +++"] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    assert!(scratch.read("err").contains(" attached"), "{}", scratch.read("err"));
}

#[test]
fn a_filter_that_nobody_passes_is_told() {
    need_ebpf!();
    let scratch = Scratch::new("all-nobody");
    let sleeper = copy("/bin/sleep", &scratch, "sleeping-beauty");
    let sleeping = Killed(Command::new(&sleeper).arg("1000").spawn().unwrap());
    for args in [&["--comm=sleeping-b"][..], &["--comm=sleeping-b", "-c"]] {
        Watching::start(&scratch, args).end();
        let message =
            "No process matched --comm=sleeping-b. A process is called 'sleeping-beauty': try --comm='sleeping-b*'.\n";
        assert!(scratch.read("err").ends_with(message), "{}", scratch.read("err"));
    }
    // A process that makes no call passes, too.
    for args in [&["--comm=sleeping-b*"][..], &["--comm=sleeping-b*", "-c"]] {
        Watching::start(&scratch, args).end();
        assert!(!scratch.read("err").contains("No process matched"), "{}", scratch.read("err"));
    }
    drop(sleeping);
    // On a terminal that is told at once.
    let pty = nix::pty::openpty(None, None).unwrap();
    let mut command = bare_stride();
    command.args(["--exe=/no/such/program", "-e", "trace=none"]).stdin(Stdio::null()).stderr(pty.slave);
    let mut stride = Killed(command.spawn().unwrap());
    drop(command);
    let mut terminal = std::io::BufReader::new(File::from(pty.master));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut terminal, &mut line).unwrap();
    let begin = "no process matches --exe=/no/such/program yet, so Stride waits for one.";
    assert!(line.contains(begin), "{line}");
    send(&stride, Signal::SIGINT);
    stride.0.wait().unwrap();
    line.clear();
    std::io::BufRead::read_line(&mut terminal, &mut line).unwrap();
    assert!(line.trim_end().ends_with("No process matched --exe=/no/such/program."), "{line}");
}
