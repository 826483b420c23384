//! PID namespaces: every id in a trace is one of Stride's own namespace, whatever the tracee's namespace is, under both
//! engines.

mod common;

use common::*;
use std::process::{Command, Stdio};

/// `unshare` with options for a PID namespace with a /proc of its own.
fn unshare() -> Option<Command> {
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--mount-proc"]);
    let mut trial = Command::new("unshare");
    let works = trial.args(["--pid", "--fork", "--mount-proc", "true"]).stderr(Stdio::null()).status();
    works.is_ok_and(|status| status.success()).then_some(command)
}

macro_rules! unshare {
    () => {
        match unshare() {
            Some(command) => command,
            None => skip!("no PID namespace can be made"),
        }
    };
}

#[test]
fn stride_in_a_namespace_shows_the_ids_of_it() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("inside{engine}"));
        let mut command = unshare!();
        let script = "echo $$; cd /; sh -c 'echo $$; cd /; exit 1'; kill -TERM $$";
        command.arg(STRIDE).arg(engine).args(["-f", "-e", "trace=chdir", "-o"]);
        command.arg(scratch.path("trace")).args(["sh", "-c", script]);
        let run = Run::of(command);
        let ids: Vec<u32> = run.out.lines().map(|l| l.parse().unwrap()).collect();
        let [parent, child] = ids[..] else { panic!("{engine}: {run:?}") };
        assert!(parent < 100 && child < 100, "{engine}: {ids:?} are not of a new namespace");
        lines_are(
            &scratch.read("trace"),
            &[
                &format!(r#"{parent} +chdir\("/"\) += 0"#),
                &format!(r#"{child} +chdir\("/"\) += 0"#),
                &format!(r"{child} +\+\+\+ exited with 1 \+\+\+"),
                &format!(r"{parent} +--- SIGCHLD \{{.*, si_pid={child}, .*\}} ---"),
                &format!(r"{parent} +--- SIGTERM \{{si_signo=SIGTERM, si_code=SI_USER, si_pid={parent}, .*\}} ---"),
                &format!(r"{parent} +\+\+\+ killed by SIGTERM \+\+\+"),
            ],
        );
    }
}

#[test]
fn in_a_namespace_a_thread_that_calls_execve_has_its_ids_of_it() {
    let actor = program!("actor");
    let pattern = regex::Regex::new(r"^(\d+) +\+\+\+ superseded by execve in pid (\d+) \+\+\+$").unwrap();
    for engine in engines() {
        let scratch = Scratch::new(&format!("exec{engine}"));
        let mut command = unshare!();
        command.arg(STRIDE).arg(engine).args(["-f", "-e", "trace=none", "-o"]);
        command.arg(scratch.path("trace")).arg(actor).arg("exec_from_thread");
        let run = Run::of(command);
        let trace = scratch.read("trace");
        let line =
            trace.lines().find(|l| l.contains("superseded")).unwrap_or_else(|| panic!("{engine}: {run:?}\n{trace}"));
        let ids = pattern.captures(line).unwrap_or_else(|| panic!("{engine}: {line}"));
        let [leader, thread] = [1, 2].map(|i| ids[i].parse::<u32>().unwrap());
        assert!(0 < leader && leader < thread && thread < 100, "{engine}: {line}");
    }
}

#[test]
fn a_process_of_an_inner_namespace_is_known_by_its_outer_id() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("outside{engine}"));
        let mut command = unshare!();
        let script = "n=0; while [ $n -lt 10000 ]; do n=$((n + 1)); cd /; sleep 0.01; done";
        let mut target = Killed(command.arg("--kill-child").args(["sh", "-c", script]).spawn().unwrap());
        need!("/proc/thread-self/children");
        let pid = wait_for("the process within", || {
            let pid = first_child(target.0.id())?;
            // unshare has executed the shell.
            std::fs::read_to_string(format!("/proc/{pid}/comm"))
                .is_ok_and(|comm| {
                    comm == "sh
"
                })
                .then_some(pid)
        });
        let pid = pid.to_string();
        let mut command = Command::new(STRIDE);
        command.arg(engine).args(["--syscall-limit=5", "-f", "-e", "trace=chdir", "-p", &pid]);
        command.args(["-e", "signal=none", "-o"]).arg(scratch.path("trace"));
        let run = Run::of(command);
        assert!(run.err.contains(&format!("Process {pid} attached\n")), "{engine}: {}", run.err);
        let trace = scratch.read("trace");
        let calls: Vec<_> = trace.lines().filter(|l| l.contains("chdir")).collect();
        assert!(calls.len() >= 5 && calls.iter().all(|l| l.starts_with(&format!("{pid} "))), "{engine}: {trace}");
        let _ = target.0.kill();
    }
}

/// The processes are gone before the eBPF engine's reader looks at their calls.
#[test]
fn ids_of_an_inner_namespace_are_told_in_both() {
    drop(unshare!());
    let kill =
        regex::Regex::new(r"^(\d+)<\S+> +kill\((\d+)<sh> /\* (\d+) in strace's PID NS \*/, SIGUSR1\) += 0$").unwrap();
    let sent = regex::Regex::new(r"SIGUSR1 \{.*, si_pid=(\d+)(<\S+>)? /\* (\d+) in strace's PID NS \*/, ").unwrap();
    let script = "for i in 1 2 3 4 5 6 7 8 9 10; do sh -c 'trap : USR1; kill -USR1 $$; echo $$'; done";
    for engine in engines() {
        let scratch = Scratch::new(&format!("both{engine}"));
        let mut command = Command::new(STRIDE);
        command.arg(engine).args(["-f", "-Y", "--pidns-translation", "-e", "trace=kill", "-o"]);
        command.arg(scratch.path("trace")).args(["unshare", "--pid", "--fork", "sh", "-c", script]);
        let run = Run::of(command);
        let trace = whole(&scratch.read("trace"));
        let killed: Vec<_> = trace.lines().filter_map(|line| kill.captures(line)).collect();
        let inner: Vec<&str> = killed.iter().map(|found| found.get(2).unwrap().as_str()).collect();
        assert_eq!(inner, run.out.lines().collect::<Vec<_>>(), "{engine}: {trace}");
        assert!(inner.len() == 10 && killed.iter().all(|found| found[1] == found[3]), "{engine}: {trace}");
        for found in &killed {
            let ids = (&found[2], &found[1]);
            let mut signals = trace.lines().filter_map(|line| sent.captures(line));
            assert!(signals.any(|found| (&found[1], &found[3]) == ids), "{engine}: {ids:?} sent nothing in\n{trace}");
        }
    }
}

#[test]
fn each_kind_of_id_is_translated() {
    drop(unshare!());
    let program = program!("inner_ids");
    for engine in engines() {
        let scratch = Scratch::new(&format!("kinds{engine}"));
        let mut command = Command::new(STRIDE);
        command.arg(engine).args(["-f", "-y", "--pidns-translation", "-o"]).arg(scratch.path("trace"));
        command.args(["-e", "trace=fcntl,prctl,kcmp,getpriority", "-e", "signal=none"]).arg(program);
        let run = Run::of(command);
        let trace = whole(&scratch.read("trace"));
        assert_eq!(run.out.lines().count(), 5, "{engine}: {run:?}");
        for line in run.out.lines() {
            assert!(trace.contains(line), "{engine}: {line} is not in\n{trace}");
        }
    }
}

/// `unshare` without `--mount-proc`: /proc stays that of the outer namespace, where each thread has another number.
#[test]
fn a_proc_of_an_outer_namespace_leads_to_the_right_threads() {
    drop(unshare!());
    let kill = regex::Regex::new(r"(?m)^(\d+)<python3> +kill\((\d+)<python3>, 0\) += 0$").unwrap();
    let fchdir = regex::Regex::new(r"fchdir\(\d+</tmp>\)").unwrap();
    for engine in engines() {
        let scratch = Scratch::new(&format!("proc{engine}"));
        let trace = scratch.path("trace");
        let mut command = Command::new("unshare");
        command.args([
            "--pid",
            "--fork",
            STRIDE,
            engine,
            "-f",
            "-y",
            "-Y",
            "-e",
            "trace=kill,fchdir",
            "-e",
            "signal=none",
        ]);
        // The process lives until the line is written (with a limit), because the eBPF engine looks names up later.
        let script = "import os,sys,time\nos.fchdir(os.open('/tmp', 0))\nos.kill(os.getpid(), 0)\n\
                      for i in range(600):\n if 'kill(' in open(sys.argv[1]).read(): break\n time.sleep(0.1)\n";
        command.arg("-o").arg(&trace).args(["python3", "-c", script]).arg(&trace);
        let run = Run::of(command);
        let trace = whole(&scratch.read("trace"));
        let found = kill.captures(&trace).unwrap_or_else(|| panic!("{engine}: {trace}\n{run:?}"));
        assert!(found[1] == found[2] && found[1].parse::<u32>().unwrap() < 1000, "{engine}: {trace}");
        assert!(fchdir.is_match(&trace), "{engine}: {trace}");
    }
}

#[test]
fn entered_namespaces_are_named() {
    drop(unshare!());
    for engine in engines() {
        let scratch = Scratch::new(&format!("entered{engine}"));
        let trace = scratch.path("trace");
        let script = "readlink /proc/self/ns/uts; n=0; until grep -q 'unshare(' \"$0\" || [ $n -gt 200 ]; do n=$((n + 1)); sleep 0.3; done";
        let mut command = Command::new(STRIDE);
        command.arg(engine).args(["--namespace=new", "-e", "trace=unshare", "-o"]).arg(&trace);
        command.arg(format!("--record={}", scratch.path("r").display()));
        command.args(["unshare", "--uts", "sh", "-c", script]).arg(&trace);
        let run = Run::of(command);
        let expected = format!("unshare(CLONE_NEWUTS) = 0 ({})", run.out.trim());
        let shown = scratch.read("trace").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(run.out.starts_with("uts:[") && shown.contains(&expected), "{engine}: {shown} {run:?}");
        let mut replay = Command::new(STRIDE);
        replay.arg(format!("--replay={}", scratch.path("r").display())).arg("--namespace");
        let shown = Run::of(replay).out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(&expected), "{engine}: {shown}");
    }
}
