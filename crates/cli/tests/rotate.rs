//! `--rotate`: files of bounded size, each of which is whole.

mod common;

use common::*;
use std::process::Command;

/// A shell that opens a file, does much else, and reads the file at the end.
const SCRIPT: &str =
    "exec 5<marker; i=0; while [ $i -lt 60 ]; do /bin/cat a >/dev/null; i=$((i+1)); done; /bin/cat <&5; exit 7";

fn run_in(scratch: &Scratch, args: &[&str]) -> Run {
    let mut command = bare_stride();
    command.args(args).current_dir(scratch.path(""));
    Run::of(command)
}

fn scratch(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    std::fs::write(scratch.path("a"), "aaa\n").unwrap();
    std::fs::write(scratch.path("marker"), "the marker\n").unwrap();
    scratch
}

fn replay(scratch: &Scratch, file: &str, options: &[&str]) -> Run {
    let mut command = bare_stride();
    command.arg(format!("--replay={file}")).args(options).current_dir(scratch.path(""));
    Run::of(command)
}

#[test]
fn text_and_recordings_are_whole_in_each_file() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = scratch(&format!("rotate{engine}"));
        let args = [*engine, "-f", "-o", "log", "--record=rec", "--rotate=16K:3", "sh", "-c", SCRIPT];
        let run = run_in(&scratch, &args);
        assert_eq!((run.code(), run.out.as_str()), (Some(7), "the marker\n"), "{engine} {run:?}");
        assert!(!scratch.path("log.3").exists() && !scratch.path("rec.3").exists(), "{engine}");
        for name in ["log", "log.1", "log.2"] {
            let text = scratch.read(name);
            assert!(text.len() <= 16 << 10 && text.ends_with('\n'), "{engine} {name}: {}", text.len());
            assert!(text.lines().all(|line| line.as_bytes()[0].is_ascii_digit()), "{engine} {name}");
        }
        assert!(scratch.read("log").contains("the marker"), "{engine}");
        for name in ["rec", "rec.1", "rec.2"] {
            let size = scratch.path(name).metadata().unwrap().len();
            assert!(size <= 16 << 10, "{engine} {name}: {size}");
            let again = replay(&scratch, name, &["-q"]);
            assert_eq!((again.code(), again.err.as_str()), (Some(0), ""), "{engine} {name}");
            // The latest file may have just begun.
            assert!(again.out.lines().count() > if name == "rec" { 0 } else { 100 }, "{engine} {name}: {}", again.out);
        }
        // The descriptor was opened in a file that is gone, and still has its name.
        let last = ["rec.1", "rec"].map(|name| replay(&scratch, name, &["-q", "-y"]).out).concat();
        assert!(!last.contains("\"marker\"") && last.contains("marker>"), "{engine}: {last}");
        let by_name = replay(&scratch, "rec.1", &["-q", "--by=comm"]).out;
        assert!(by_name.contains("sh\n") && by_name.contains("cat\n"), "{engine}: {by_name}");
    }
}

/// With -y and -Y, the recorded answers are those of /proc, and each file has those that it needs.
#[test]
fn recorded_answers_are_in_each_file() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = scratch(&format!("rotate-y{engine}"));
        let args = [*engine, "-f", "-y", "-Y", "-o", "log", "--record=rec", "--rotate=20K:2", "sh", "-c", SCRIPT];
        let run = run_in(&scratch, &args);
        assert_eq!(run.code(), Some(7), "{engine} {run:?}");
        let last = ["rec.1", "rec"].map(|name| replay(&scratch, name, &["-q", "-y", "-Y"]).out).concat();
        assert!(last.contains("marker>"), "{engine}: {last}");
        // The live text took its answers from where the recording took them. Only calls that name a file are compared:
        // a call that waits for a child is on two lines of the live text, and on one where a recording begins in
        // between.
        let live = scratch.read("log.1") + &scratch.read("log");
        let names_a_file = |line: &&str| line.contains("</");
        let end = |text: &str| text.lines().rev().filter(names_a_file).take(10).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(end(&last), end(&live), "{engine}");
    }
}

#[test]
fn each_file_of_json_begins_with_its_head() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = scratch(&format!("rotate-json{engine}"));
        let run = run_in(&scratch, &[*engine, "-f", "--json", "-o", "log", "--rotate=32K:3", "sh", "-c", SCRIPT]);
        assert_eq!(run.code(), Some(7), "{engine} {run:?}");
        for name in ["log", "log.1", "log.2"] {
            let text = scratch.read(name);
            assert!(text.len() <= 32 << 10, "{engine} {name}: {}", text.len());
            let objects: Vec<serde_json::Value> =
                text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect();
            assert_eq!(objects[0]["type"], "trace", "{engine} {name}");
            assert!(
                objects.len() > if name == "log" { 1 } else { 20 } && objects[1]["type"] != "trace",
                "{engine} {name}"
            );
        }
        assert!(scratch.read("log").lines().last().unwrap().contains(r#""type":"end""#), "{engine}");
    }
}

#[test]
fn names_in_the_way_are_told_before_anything_runs() {
    let scratch = scratch("rotate-names");
    std::fs::create_dir(scratch.path("dir.1")).unwrap();
    for (args, message) in [
        (&["--rotate=1M"][..], "--rotate has no file to rotate: give -o FILE or --record=FILE as well"),
        (&["--rotate=1M", "-o", "|cat"], "--rotate has no file to rotate: give -o FILE or --record=FILE as well"),
        (&["--rotate=1M", "-o", "/dev/null"], "'/dev/null' of -o/--output is no regular file"),
        (&["--rotate=1M", "-o", "dir"], "'dir.1', which is no regular file: move it away"),
        (
            &["--rotate=1M", "-o", "log", "--record=log.2"],
            "'log.2', which --record names: give one of them another name",
        ),
        (&["--rotate=10", "-o", "log"], "invalid --rotate argument: '10'; give a size"),
    ] {
        let run = run_in(&scratch, &[args, &["sh", "-c", "echo ran"]].concat());
        assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{args:?} {run:?}");
        assert!(run.err.contains(message), "{args:?}: {}", run.err);
    }
}

#[test]
fn the_program_goes_on_without_the_directory() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = scratch(&format!("rotate-gone{engine}"));
        std::fs::create_dir(scratch.path("dir")).unwrap();
        let script =
            "i=0; while [ $i -lt 40 ]; do /bin/cat a >/dev/null; [ $i = 10 ] && mv dir gone; i=$((i+1)); done; exit 7";
        let args = [*engine, "-f", "-o", "dir/log", "--record=dir/rec", "--rotate=8K:3", "sh", "-c", script];
        let run = run_in(&scratch, &args);
        assert_eq!(run.code(), Some(7), "{engine} {run:?}");
        let message = run.messages().join("\n");
        assert!(message.contains("dir/log: 'dir/log") && message.contains("cannot be renamed"), "{engine}: {message}");
        assert!(message.contains("Can't write the recording 'dir/rec': 'dir/rec"), "{engine}: {message}");
    }
}

#[test]
fn a_full_disk_cuts_no_line_and_no_program() {
    need!("/bin/cat");
    if !is_root() {
        skip!("mounting a small file system needs root");
    }
    for engine in engines() {
        let scratch = scratch(&format!("rotate-full{engine}"));
        let disk = scratch.path("disk");
        std::fs::create_dir(&disk).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "none"]).arg(&disk).status();
        if !mounted.is_ok_and(|status| status.success()) {
            skip!("a small file system cannot be mounted here");
        }
        let run = run_in(&scratch, &[*engine, "-f", "-o", "disk/log", "--rotate=24K:9", "sh", "-c", SCRIPT]);
        let files = [scratch.read("disk/log.1"), scratch.read("disk/log")];
        let unmounted = Command::new("umount").arg(&disk).status().unwrap();
        assert!(unmounted.success());
        assert_eq!((run.code(), run.out.as_str()), (Some(7), "the marker\n"), "{engine} {run:?}");
        assert_eq!(run.messages(), ["disk/log: No space left on device"], "{engine}");
        assert!(files.iter().all(|text| text.is_empty() || text.ends_with('\n')), "{engine}");
    }
}
