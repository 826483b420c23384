//! `--record` and `--replay`: a replay shows the same as a live trace would have.

mod common;

use common::*;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::Duration;

#[track_caller]
fn same(seen: &str, expected: &str, what: &str) {
    for (i, (seen, expected)) in seen.lines().zip(expected.lines()).enumerate() {
        assert_eq!(seen, expected, "{what}, line {}", i + 1);
    }
    assert_eq!(seen.len(), expected.len(), "{what}");
}

#[test]
fn text_replayed_is_text_live() {
    let script =
        "cat a | tr a b > c; ls -l /proc/self/fd; (exit 3); kill -USR1 $$; rm c; cat nothing; sleep 0.2 & wait";
    let programs: &[&[&str]] = &[
        &["sh", "-c", script],
        &["date"],
        &["ls", "-laR", "/etc"],
        &["find", "/usr/share", "-maxdepth", "2", "-name", "*.h"],
        &[
            "python3",
            "-c",
            "import socket, threading, json; s = socket.socketpair(); s[0].send(b'x'); print(s[1].recv(5)); \
           t = threading.Thread(target=lambda: 1); t.start(); t.join(); \
           n = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); n.bind(('::1', 0)); print(socket.if_nameindex())",
        ],
        &["perl", "-e", "print `id`; system('true'); die 'x'"],
        &["sort", "/etc/passwd"],
        &["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=2000"],
        &["tar", "cf", "/dev/null", "/etc"],
        &["gzip", "-kf", "a"],
    ];
    for engine in engines() {
        for (i, program) in programs.iter().enumerate() {
            if !std::process::Command::new("which").arg(program[0]).stdout(Stdio::null()).status().unwrap().success() {
                println!("skipped: {}: it is not here", program[0]);
                continue;
            }
            let options: &[&str] = [
                &["-f"][..],
                &["-f", "-ttt", "-T", "-r", "-v", "-s", "100"],
                &["-f", "-yy", "-Y", "-tt"],
                &["-f", "-i", "-n", "-X", "verbose", "-e", "signal=!chld"],
                &["-f", "-e", "trace=%file,%network,read", "-z"],
            ][i % 5];
            let scratch = Scratch::new(&format!("replay-{i}{engine}"));
            std::fs::write(scratch.path("a"), "aaa\n").unwrap();
            let live = scratch.stride([&[engine, "--record=rec"], options, program].concat());
            assert!(live.trace.lines().count() > 5, "{engine} {program:?}: {live:?}");
            let later: Vec<&str> = options.iter().copied().filter(|option| *option != "-f").collect();
            let again = scratch.replay(&later);
            assert_eq!((again.code(), again.err.as_str()), (Some(0), ""));
            same(&again.out, &live.trace, &format!("{engine} {program:?}"));
        }
    }
}

/// Filters choose the same calls from a recording as from a live run.
#[test]
fn options_apply_afterwards() {
    need!("/bin/cat");
    let scratch = Scratch::new("afterwards");
    std::fs::write(scratch.path("a"), "aaa\n").unwrap();
    let live = scratch.stride(["--record=rec", "-y", "-C", "/bin/cat", "a", "nothing"]);
    let lines = |keep: &dyn Fn(&str) -> bool| -> String {
        live.trace.lines().filter(|line| keep(line)).map(|line| format!("{line}\n")).collect()
    };
    let again = |options: &[&str]| scratch.replay(options).out;
    same(&again(&["-y", "-C"]), &live.trace, "-C");
    let opens = |line: &str| line.starts_with("openat(");
    same(&again(&["-y", "-e", "trace=openat", "-e", "signal=none", "-qqq"]), &lines(&opens), "openat");
    let failed = |line: &str| line.contains(" = -1 E");
    same(&again(&["-y", "-Z", "-qqq"]), &lines(&failed), "-Z");
    let named = |line: &str| line.contains("/a>") || line.starts_with("openat(") && line.contains("\"a\"");
    let path = scratch.path("a");
    let about = again(&["-y", "-P", "a", "-P", path.to_str().unwrap(), "-qqq"]);
    same(&about, &lines(&named), "-P");
    assert!(about.contains("read(3<"), "{about}");
    let plain = again(&["-e", "trace=read", "-s", "2", "-qqq"]);
    assert!(plain.contains("read(3, \"aa\"..., "), "{plain}");
    assert!(again(&["--syscall-limit=3"]).lines().filter(|l| l.contains(" = ")).count() == 3);
    let table = again(&["-c", "-U", "calls,errors,name"]);
    assert!(table.contains("execve") && !table.contains("cat"), "{table}");
    let into_file = scratch.replay(&["-y", "-C", "-o", "again"]);
    assert_eq!(into_file.out, "");
    same(&scratch.read("again"), &live.trace, "-o");
}

/// Calls that the eBPF engine counts in the kernel are in the recording as well.
#[test]
fn counted_and_recorded() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = Scratch::new(&format!("counted{engine}"));
        std::fs::write(scratch.path("a"), "aaa\n").unwrap();
        let options = ["-c", "-w", "-U", "calls,errors,name"];
        let args: Vec<&str> = [&[engine, "--record=rec"], &options[..], &["/bin/cat", "a"]].concat();
        let live = scratch.stride(args);
        assert!(live.trace.contains("execve"), "{}", live.trace);
        let counts = |table: &str| {
            let mut rows: Vec<String> = table.lines().map(str::to_owned).collect();
            rows.sort();
            rows
        };
        assert_eq!(counts(&scratch.replay(&options).out), counts(&live.trace), "{engine}");
        assert!(scratch.replay(&["-qqq"]).out.contains("openat("));
    }
}

#[test]
fn alone_it_shows_nothing_and_keeps_the_status() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("alone{engine}"));
        let record = format!("--record={}", scratch.path("rec").display());
        let mut command = stride();
        command.args([*engine, &record, "-q", "-f", "sh", "-c", "echo out; exit 7"]);
        let run = Run::of(command);
        assert_eq!((run.code(), run.out.as_str(), run.err.as_str()), (Some(7), "out\n", ""), "{engine}");
        let again = scratch.replay(&[]);
        assert_eq!(again.code(), Some(0), "{again:?}");
        lines_include(
            &again.out,
            &[r"\d+ +execve\(.*", r#"\d+ +write\(1, "out\\n", 4\) += 4"#, r"\d+ +\+\+\+ exited with 7 \+\+\+"],
        );
    }
}

/// A copy shows all that the recording shows, or the part that filters left in.
#[test]
fn copies() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("copies{engine}"));
        std::fs::write(scratch.path("a"), "aaa\n").unwrap();
        let waits = if engine.contains("ebpf") { &["--waits"][..] } else { &[] };
        let options = [&[engine, "-f", "-k", "-yy", "-Y", "-i", "--record=rec"], waits].concat();
        let script = "cat a | tr a b > c; ls -l /proc/self/fd; (exit 3); kill -USR1 $$; rm c; cat nothing";
        scratch.stride([&options[..], &["sh", "-c", script]].concat());
        let replay = |file: &str, options: &[&str]| {
            let mut command = bare_stride();
            command.arg(format!("--replay={file}")).args(options).current_dir(scratch.path(""));
            let run = Run::of(command);
            assert_eq!(run.code(), Some(0), "{engine} {file} {options:?}: {run:?}");
            run
        };
        let shows: &[&[&str]] =
            &[&["-yy", "-Y", "-i", "-k", "-T", "-ttt"], &["--json", "-yy", "-k"], &["-c"], &["--by=path,comm"]];
        let told = replay("rec", &["--record=copy"]).err;
        assert!(told.contains("copy: ") && told.contains("look at it with stride --replay=copy"), "{told}");
        for show in shows {
            same(&replay("copy", show).out, &replay("rec", show).out, &format!("{engine} {show:?}"));
        }
        let filter = ["-e", "trace=%file,write", "-Z"];
        replay("rec", &[&["--record=part"], &filter[..]].concat());
        for show in shows {
            let chosen = replay("rec", &[*show, &filter].concat());
            same(&replay("part", show).out, &chosen.out, &format!("{engine} a part, {show:?}"));
        }
        assert!(replay("part", &["-c"]).out != replay("rec", &["-c"]).out);
        // The copy of a recording that broke off is not whole either.
        let whole = std::fs::read(scratch.path("rec")).unwrap();
        std::fs::write(scratch.path("cut"), &whole[..whole.len() - 10]).unwrap();
        replay("cut", &["--record=cut-copy"]);
        let run = replay("cut-copy", &["-c"]);
        assert!(run.err.contains("'cut-copy' breaks off"), "{run:?}");
        let refused = |options: &[&str], message: &str| {
            let mut command = bare_stride();
            command.arg("--replay=rec").args(options).current_dir(scratch.path(""));
            let run = Run::of(command);
            assert_eq!(run.code(), Some(1), "{run:?}");
            assert!(run.err.contains(message), "{run:?}");
        };
        refused(&["--record=./rec"], "name the same file");
        refused(&["--record=copy", "--rotate=1M"], "--rotate cannot begin a copy");
        refused(&["--flight=1m"], "--flight is about tracing");
        assert_eq!(std::fs::read(scratch.path("rec")).unwrap(), whole);
    }
}

#[test]
fn what_was_not_recorded_is_told() {
    need!("/bin/cat");
    let scratch = Scratch::new("not-recorded");
    std::fs::write(scratch.path("a"), "0123456789".repeat(10)).unwrap();
    let live = scratch.stride(["--record=rec", "-s", "8", "/bin/cat", "a"]);
    let read = r#"read(3, "01234567"..., "#;
    assert!(live.trace.contains(read), "{}", live.trace);
    let again = scratch.replay(&["-s", "50", "-v", "-Y", "-i", "-e", "read=3"]);
    assert!(again.out.contains(read), "{}", again.out);
    let output = again.messages();
    assert_eq!(output.len(), 5, "{output:?}");
    assert_eq!(output[0], "strings were recorded up to 8 bytes (-s 8)");
}

/// A recording without `-y` still knows the files of descriptors, as far as the calls tell.
#[test]
fn descriptors_that_were_not_recorded_are_followed() {
    need!("/bin/dash", "/bin/cat");
    const SCRIPT: &str = "exec 5<dir/a; read x <&5; exec 5<&-; cd dir; read x < ../dir/b; /bin/cat a - < b; \
                          exec 6>new; rm new; echo >&6; read x < nothing";
    for engine in engines() {
        let scratch = Scratch::new(&format!("followed{engine}"));
        std::fs::create_dir(scratch.path("dir")).unwrap();
        ["a", "b"].iter().for_each(|file| std::fs::write(scratch.path(&format!("dir/{file}")), "x\n").unwrap());
        let run = |options: &[&str]| scratch.stride([&[*engine, "-f"], options, &["/bin/dash", "-c", SCRIPT]].concat());
        run(&["--record=rec"]);
        let at = scratch.path("").canonicalize().unwrap().display().to_string();
        // Calls on the files of this test whose paths come entirely from the program.
        let on_files = |text: &str| -> Vec<String> {
            let lines = whole_lines(text).into_iter().map(|(_, line)| line);
            lines.filter(|line| line.contains(&format!("{at}/dir/")) && !line.contains("dup2(")).collect()
        };
        let live = on_files(&run(&["-y"]).trace);
        let again = scratch.replay(&["-y"]);
        let followed = on_files(&again.out);
        for call in ["read(", "close(", "openat(", "write(1", "fcntl("] {
            assert!(followed.iter().any(|line| line.starts_with(call)), "{engine}: no {call}\n{}", again.out);
        }
        let known =
            |lines: &[String]| -> Vec<String> { lines.iter().filter(|line| !line.contains("new")).cloned().collect() };
        assert_eq!(known(&followed), known(&live), "{engine}");
        let [output] = again.messages()[..] else { panic!("{}", again.err) };
        assert!(
            output.starts_with("what descriptors refer to was not recorded: it is followed from the calls"),
            "{output}"
        );
        // The choice by path uses these files, too.
        let chosen = scratch.replay(&["-P", &format!("{at}/dir/a"), "-e", "read"]);
        assert!(
            chosen.out.lines().filter(|line| line.ends_with(r#" read(0, "x", 1)                   = 1"#)).count() == 1,
            "{}",
            chosen.out
        );
        assert!(!chosen.out.contains("ELF"), "{}", chosen.out);
        // If calls are missing, descriptors cannot be followed, and no names are made up.
        scratch.stride([*engine, "-f", "--record=rec", "-e", "trace=read,openat", "/bin/dash", "-c", SCRIPT]);
        let part = scratch.replay(&["-y"]);
        assert!(!part.out.contains('<') || part.out.lines().all(|line| !line.contains("read(5<")), "{}", part.out);
        assert!(part.messages()[0].contains("it was not recorded, and a filter left calls out"), "{}", part.err);
    }
}

/// The file that dup2(2) replaces is not shown as its result, nor the other way round.
#[test]
fn replaced_descriptors_are_not_misnamed() {
    need!("/bin/dash");
    for engine in engines() {
        let scratch = Scratch::new(&format!("replaced{engine}"));
        ["a", "b"].iter().for_each(|file| std::fs::write(scratch.path(file), "x\n").unwrap());
        scratch.stride([engine, "--record=rec", "/bin/dash", "-c", "exec 5<a; exec 5<b; read x <&5"]);
        let again = scratch.replay(&["-y", "-e", "dup2,read"]);
        assert!(!again.out.lines().any(|line| line.contains("/b>, 5<") && line.contains("/b>) = 5")), "{}", again.out);
        assert!(again.out.contains("read(0<") && again.out.contains("/b>, \"x"), "{}", again.out);
    }
}

/// The notice at the end has the path, the size, and what to do with the file.
#[test]
fn what_was_written_is_said() {
    let scratch = Scratch::new("said");
    let run = |args: &[&str]| {
        let mut command = stride();
        command.args(args).current_dir(scratch.path(""));
        Run::of(command)
    };
    let files = ["--record=a rec", "--html=page.html", "--perfetto=p.pftrace", "--budget-write=b.toml"];
    let all = run(&[&files[..], &["true"]].concat());
    lines_are(
        &all.messages().join("\n"),
        &[
            r"a rec: \d+ calls, [0-9.]+ KiB; look at it with stride --replay='a rec'",
            r"p\.pftrace: \d+ calls, [0-9.]+ KiB; open it at https://ui\.perfetto\.dev",
            r"page\.html: \d+ calls, [0-9.]+ KiB; open it in a browser",
            r"b\.toml: limits for a run of \d+ calls, \d+ B; hold runs to them with stride --budget=b\.toml",
        ],
    );
    let calls =
        |message: &str| message.split(' ').nth(if message.starts_with("a rec") { 2 } else { 1 }).map(str::to_owned);
    assert_eq!(calls(all.messages()[0]), calls(all.messages()[1]), "{}", all.err);
    std::fs::rename(scratch.path("a rec"), scratch.path("rec")).unwrap();
    let replayed = scratch.replay(&["--html=page.html"]);
    assert_eq!(replayed.messages().len(), 1, "{}", replayed.err);
    assert!(replayed.messages()[0].starts_with("page.html: "), "{}", replayed.err);
    for quiet in [&["-q"][..], &["--quiet=files"], &["--quiet"]] {
        assert_eq!(run(&[quiet, &files[..], &["true"]].concat()).err, "", "{quiet:?}");
    }
    // There is no notice for strace's kinds of output, or for output that is no file.
    assert_eq!(run(&["-o", "trace", "true"]).err, "");
    assert_eq!(run(&["--record=/dev/null", "-o", "trace", "true"]).err, "");
    // There is no notice among lines of JSON.
    let json = run(&["--record=a rec", "--json", "true"]).err;
    assert!(json.lines().all(|line| line.starts_with('{')), "{json}");
    // A file that could not be written has an error message and no notice.
    let full = run(&["--html=/dev/full", "true"]).err;
    assert!(full.contains("No space left on device") && !full.contains("open it"), "{full}");
}

#[test]
fn killed_at_any_moment_it_is_read_to_its_last_frame() {
    need!("/bin/dd");
    let engines = engines();
    let output = regex::Regex::new(r"breaks off at byte (\d+), .*: ([\d,]+) calls, ").unwrap();
    let mut whole = 0;
    for i in 0..12u64 {
        let scratch = Scratch::new(&format!("killed-{i}"));
        let mut command = stride();
        command
            .args([engines[i as usize % engines.len()], "--record=rec", "-f", "/bin/sh", "-c"])
            .arg("dd if=/dev/zero of=/dev/null bs=1 & while :; do echo; done")
            .current_dir(scratch.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let mut child = command.spawn().unwrap();
        let pid = Pid::from_raw(child.id() as i32);
        // Some are killed before anything can have been written, others at some later moment.
        if i % 3 > 0 {
            wait_for("calls to be recorded", || {
                scratch.path("rec").metadata().ok().filter(|metadata| metadata.len() > 10_000)
            });
        }
        std::thread::sleep(Duration::from_millis(i * i * 2 + 37 * (i % 3)));
        kill(pid, Signal::SIGKILL).unwrap();
        child.wait().unwrap();
        let _ = killpg(pid, Signal::SIGKILL);
        let Ok(metadata) = scratch.path("rec").metadata() else { continue };
        let again = scratch.replay(&["-e", "signal=none", "-qqq"]);
        let messages = again.messages();
        if again.code() == Some(1) {
            assert!(metadata.len() < 1000, "{messages:?}");
            assert!(
                messages[0].contains("it is empty") || messages[0].contains("it ends before the first event"),
                "{messages:?}"
            );
            continue;
        }
        assert_eq!(again.code(), Some(0), "{messages:?}");
        let [message] = messages[..] else { panic!("{messages:?}") };
        let output = output.captures(message).unwrap_or_else(|| panic!("{message}"));
        // Only a partial frame follows the part that was read.
        let offset: u64 = output[1].parse().unwrap();
        assert!(offset <= metadata.len() && metadata.len() - offset < 2 << 20, "{message}");
        let calls: usize = output[2].replace(',', "").parse().unwrap();
        // A call cut in two has two lines.
        let ends = again.out.lines().filter(|line| !line.ends_with("<unfinished ...>") && line.contains(" = ")).count();
        let gone = again.out.lines().filter(|line| line.ends_with(" = ?")).count();
        assert!(ends.abs_diff(calls) <= gone + 1, "{ends} lines; {message}");
        whole += usize::from(calls > 0);
    }
    assert!(whole >= 8, "only {whole} recordings have calls");
}

#[test]
fn a_disk_that_fills_does_not_stop_the_program() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("full{engine}"));
        // A limit on the size of files takes the place of a full disk.
        let limited = format!(
            "trap '' XFSZ; ulimit -f 512; exec {STRIDE} {engine} --record=rec dd if=/dev/urandom of=/dev/null bs=32 count=25000"
        );
        let mut command = std::process::Command::new("/bin/bash");
        command.args(["-c", &limited]).current_dir(scratch.path(""));
        let run = Run::of(command);
        assert_eq!(run.code(), Some(0), "{run:?}");
        assert!(run.err.contains("25000+0 records out"), "{}", run.err);
        let output: Vec<&str> = run.err.lines().filter(|l| l.contains("Can't write the recording")).collect();
        assert!(output.len() == 1 && output[0].contains("File too large. It ends after "), "{}", run.err);
        let again = scratch.replay(&["-e", "trace=read", "-qqq"]);
        assert_eq!(again.code(), Some(0), "{again:?}");
        assert!(again.err.contains("breaks off") && again.out.lines().count() > 100, "{}", again.err);
        let mut command = stride();
        command.args([engine, "--record=/dev/full", "sh", "-c", "exit 5"]);
        let run = Run::of(command);
        assert_eq!(run.code(), Some(5));
        assert!(run.err.contains("No space left on device. It ends after 0 calls"), "{}", run.err);
    }
}

#[test]
fn bad_files() {
    let scratch = Scratch::new("bad");
    let output = |bytes: &[u8]| {
        std::fs::write(scratch.path("rec"), bytes).unwrap();
        let run = scratch.replay(&[]);
        assert_eq!((run.code(), run.out.as_str()), (Some(1), ""));
        run.messages().join("\n")
    };
    assert!(output(b"").starts_with("Can't replay 'rec': it is empty."));
    assert!(
        output(b"execve(...) = 0\n")
            .starts_with("Can't replay 'rec': it is not a recording. --replay takes what --record=FILE wrote.")
    );
    assert!(output(b"\x89STRIDE\n\x09\0\0\0").contains("its format is version 9"));
    std::fs::remove_file(scratch.path("rec")).unwrap();
    assert_eq!(scratch.replay(&[]).messages(), ["Can't replay 'rec': No such file or directory."]);
    std::fs::create_dir(scratch.path("rec")).unwrap();
    assert_eq!(scratch.replay(&[]).messages(), ["Can't replay 'rec': it is a directory."]);
    std::fs::remove_dir(scratch.path("rec")).unwrap();

    scratch.stride(["--record=rec", "sh", "-c", "exit 0"]);
    let mut bytes = std::fs::read(scratch.path("rec")).unwrap();
    let last = bytes.len() - 200;
    bytes[last] ^= 4;
    std::fs::write(scratch.path("rec"), &bytes).unwrap();
    let run = scratch.replay(&[]);
    assert_eq!(run.code(), Some(1));
    assert!(run.err.contains("'rec' is broken at byte ") && run.err.contains("its checksum is wrong"), "{}", run.err);
}

#[test]
fn a_reader_that_leaves_is_no_mistake() {
    let scratch = Scratch::new("leaves");
    scratch.stride(["--record=rec", "dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=5000"]);
    let mut command = std::process::Command::new("/bin/bash");
    command
        .args(["-c", &format!("{STRIDE} --replay=rec | head -n1; echo ${{PIPESTATUS[0]}}")])
        .current_dir(scratch.path(""));
    let run = Run::of(command);
    lines_are(&run.out, &["execve.*", "0"]);
    assert_eq!(run.err, "");
}

/// Losses are reported where calls are missing, and at the end.
#[test]
fn losses_are_recorded() {
    need_ebpf!();
    let scratch = Scratch::new("losses");
    let lossy = ["--engine=ebpf", "--on-overflow=drop", "--ring-size=64K", "--record=rec", "-q"];
    let dd = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=200000", "status=none"];
    let live = scratch.stride([&lossy[..], &dd].concat());
    let again = scratch.replay(&[]);
    same(&again.out, &live.trace, "losses");
    let first = |run: &Run| run.messages().first().map(|m| m.to_string());
    assert_eq!(first(&again), first(&live));
    assert_eq!(live.trace.contains("lost here"), first(&live).is_some_and(|m| m.contains("lost")));
}

#[test]
fn files_that_cannot_be() {
    let scratch = Scratch::new("cannot");
    let refused = |args: &[&str]| refused(&scratch, args);
    assert_eq!(refused(&["--record=nowhere/rec"]), "Can't open 'nowhere/rec' for --record: No such file or directory");
    let both = "--record and -o/--output name the same file, 'x': give one of them another name";
    assert_eq!(refused(&["--record=x", "-o", "x"]), both);
    std::fs::write(scratch.path("y"), "kept").unwrap();
    std::os::unix::fs::symlink("y", scratch.path("link")).unwrap();
    assert!(refused(&["--record=link", "-o", "y"]).contains("the same file"));
    assert_eq!(scratch.read("y"), "kept");
    scratch.stride(["--record=rec", "sh", "-c", "exit 0"]);
    let before = std::fs::read(scratch.path("rec")).unwrap();
    let run = scratch.replay(&["-o", "rec"]);
    assert!(run.code() == Some(1) && run.err.contains("--replay and -o/--output name the same file"), "{}", run.err);
    assert!(std::fs::read(scratch.path("rec")).unwrap() == before);
}

/// The reader of the text does not read for a while, so that the replay takes long on each machine.
#[test]
fn a_long_replay_shows_its_progress_on_a_terminal() {
    let scratch = Scratch::new("progress");
    let mut recording = Recorded::new(&scratch);
    recording.started(7, None, 0);
    for n in 0..20_000 {
        recording.exit(&Recorded::call("getpid", 7, &[], 1000 * n));
    }
    recording.finish();
    let terminal = nix::pty::openpty(None, None).unwrap();
    let mut child = bare_stride()
        .args(["--replay=rec", "-o", "/dev/stdout"])
        .current_dir(scratch.path(""))
        .stdout(Stdio::piped())
        .stderr(terminal.slave)
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1200));
    let mut text = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 20_000);
    // A terminal whose other end is closed ends with an error, after all that was written to it.
    let mut shown = Vec::new();
    let _ = std::fs::File::from(terminal.master).read_to_end(&mut shown);
    let shown = String::from_utf8(shown).unwrap();
    let line = regex::Regex::new(r"\rreading \S*rec: \d+%").unwrap();
    assert!(line.is_match(&shown), "{shown:?}");
    assert!(shown.ends_with(" \r"), "the line is erased: {shown:?}");
}
