//! Somebody else owns the directory that Stride writes into, and has something under the names that Stride will choose
//! there.

mod common;

use common::*;
use std::process::Command;

/// The ways to plant something, as commands of a shell. `$name` is the planted name.
const WAYS: [(&str, &str); 4] = [
    ("link", "ln -s victim \"$name\""),
    ("hard", "ln victim \"$name\""),
    ("fifo", "mkfifo \"$name\""),
    ("existing", "echo older >\"$name\""),
];

/// A directory with the file of a victim.
fn scratch(name: &str) -> Scratch {
    let scratch = Scratch::new(&format!("planted-{name}"));
    std::fs::write(scratch.path("victim"), "precious\n").unwrap();
    std::fs::create_dir(scratch.path("etc")).unwrap();
    scratch
}

fn is_unharmed(scratch: &Scratch, name: &str, way: &str) {
    assert_eq!(scratch.read("victim"), "precious\n", "{way}");
    assert_eq!(std::fs::read_dir(scratch.path("etc")).unwrap().count(), 0, "{way}");
    match way {
        "fifo" => assert!(!scratch.path(name).is_file() && scratch.path(name).exists()),
        "existing" => assert_eq!(scratch.read(name), "older\n"),
        _ => {}
    }
}

/// Stride's id is that of the shell that plants something. The name contains `$$`.
fn run_planted(scratch: &Scratch, name: &str, way: &str, args: &[&str]) -> Run {
    let mut command = Command::new("sh");
    let script = format!("name={name}; {way}; exec \"$0\" \"$@\"");
    command.args(["-c", &script, STRIDE]).args(args).current_dir(scratch.path("")).env("LC_ALL", "C");
    Run::of(command)
}

/// The only file with this beginning whose name ends in `.2`.
fn second(scratch: &Scratch, begin: &str) -> String {
    let entries = std::fs::read_dir(scratch.path("")).unwrap();
    let mut names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.find(|name| name.starts_with(begin) && name.ends_with(".2")).unwrap_or_else(|| panic!("no {begin}*.2"))
}

#[test]
fn a_flight_recorder_has_a_file_of_its_own() {
    for (way, plants) in WAYS {
        let scratch = scratch(&format!("flight-{way}"));
        let args = ["--engine=ptrace", "--flight=1M", "--trigger=failed", "--trigger-after=0ms", "sh", "-c", "exit 3"];
        let run = run_planted(&scratch, "stride-flight.$$", plants, &args);
        assert_eq!(run.code(), Some(3), "{run:?}");
        let written = second(&scratch, "stride-flight.");
        is_unharmed(&scratch, written.strip_suffix(".2").unwrap(), way);
        // Both at the beginning and at the end the name is the true one.
        assert_eq!(run.err.matches(&format!("{written}'")).count(), 1, "{}", run.err);
        assert!(run.err.contains(&format!("flight recorder: {written}: ")), "{}", run.err);
        assert!(scratch.path(&written).metadata().unwrap().len() > 100);
    }
}

/// The user names the first recording, and Stride the second.
#[test]
fn later_recordings_have_free_names() {
    for (way, plants) in WAYS {
        let scratch = scratch(&format!("later-{way}"));
        let script = "/bin/cat . 2>/dev/null; /bin/cat . 2>/dev/null; true";
        let args = [
            "--engine=ptrace",
            "-f",
            "--flight=1M",
            "--record=rec",
            "--trigger=errno == 'EISDIR'",
            "--trigger-after=0ms",
            "--trigger-count=2",
            "sh",
            "-c",
            script,
        ];
        let run = run_planted(&scratch, "rec.2", plants, &args);
        assert_eq!(run.code(), Some(0), "{run:?}");
        is_unharmed(&scratch, "rec.2", way);
        assert!(run.err.contains("flight recorder: rec.3: "), "{}", run.err);
        assert!(scratch.path("rec").exists() && scratch.path("rec.3").exists());
    }
}

#[test]
fn files_of_threads_are_those_of_an_earlier_run_or_new_ones() {
    for (way, plants) in WAYS {
        for rotated in [&[][..], &["--rotate=1M:3"]] {
            let scratch = scratch(&format!("ff-{way}-{}", rotated.len()));
            let mut command = Command::new("sh");
            // The id of the traced thread is that of the shell, whose execve is traced.
            let script = format!("name=log.$$; {plants}; echo $$; read go; echo traced; exit 0");
            command.args(["-c", &script]).current_dir(scratch.path(""));
            command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
            let mut shell = Killed(command.spawn().unwrap());
            let mut said = std::io::BufReader::new(shell.0.stdout.take().unwrap());
            let mut line = String::new();
            std::io::BufRead::read_line(&mut said, &mut line).unwrap();
            let pid = line.trim();
            let mut stride = bare_stride();
            let args = ["--engine=ptrace", "-ff", "-o", "log", "-p", pid];
            stride.args(args).args(rotated).current_dir(scratch.path(""));
            stride.stderr(std::fs::File::create(scratch.path("err")).unwrap());
            let mut stride = Killed(stride.spawn().unwrap());
            scratch.wait_attached(1);
            drop(shell.0.stdin.take());
            stride.0.wait().unwrap();
            let err = scratch.read("err");
            let name = format!("log.{pid}");
            if way == "existing" {
                // As with strace.
                let text = scratch.read(&name);
                assert!(text.contains("traced") && !text.contains("older"), "{text}");
                assert!(!err.contains("is no file"), "{err}");
            } else {
                is_unharmed(&scratch, &name, way);
                let text = scratch.read(&format!("{name}.2"));
                assert!(text.contains("traced"), "{text}");
                let message = format!("'{name}' is no file of yours alone, so it is left as it is, and '{name}.2' is");
                assert!(err.contains(&message), "{err}");
            }
        }
    }
}

/// Renaming replaces a name, and follows no link.
#[test]
fn rotated_files_replace_names() {
    need!("/bin/cat");
    for (way, plants) in WAYS {
        let scratch = scratch(&format!("rotate-{way}"));
        let script = format!(
            "i=0; while [ $i -lt 40 ]; do /bin/cat victim >/dev/null; i=$((i+1)); \
             [ $i = 2 ] && for name in log.1 log.2 log.new; do {plants}; done; done; exit 7"
        );
        let mut command = stride();
        command.args(["-f", "-o", "log", "--rotate=16K:3", "sh", "-c", &script]).current_dir(scratch.path(""));
        let run = Run::of(command);
        assert_eq!((run.code(), run.err.as_str()), (Some(7), ""), "{way}: {run:?}");
        is_unharmed(&scratch, "log.new", way);
        for name in ["log", "log.1", "log.2"] {
            let found = scratch.path(name).symlink_metadata().unwrap();
            assert!(found.is_file() && scratch.read(name).ends_with('\n'), "{way} {name}");
        }
    }
}

#[test]
fn tables_are_written_to_directories_and_not_to_links() {
    for (way, plants) in WAYS {
        let scratch = scratch(&format!("parquet-{way}"));
        std::fs::create_dir(scratch.path("dir")).unwrap();
        // Whoever makes a directory's name a link has Stride make directories elsewhere.
        let args = ["--engine=ptrace", "--parquet=dir", "true"];
        let run = run_planted(&scratch, "dir/.stride.$$", &plants.replace("victim", "\"$PWD/victim\""), &args);
        assert_eq!(run.code(), Some(0), "{run:?}");
        assert!(run.err.contains("as Parquet"), "{}", run.err);
        assert_eq!(scratch.read("victim"), "precious\n", "{way}");
    }
    let scratch = scratch("parquet-directory");
    std::fs::create_dir(scratch.path("dir")).unwrap();
    let run = run_planted(&scratch, "dir/traces", "ln -s ../etc \"$name\"", &["--parquet=dir", "true"]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    assert!(run.err.contains("Can't write 'dir/traces': it is a link or a file"), "{}", run.err);
    is_unharmed(&scratch, "traces", "link");
}

/// The end says what became of the recordings, and not that nobody asked for one.
#[test]
fn a_recording_that_could_not_be_written_is_told_at_the_end() {
    let scratch = scratch("full");
    let args = ["--engine=ptrace", "--flight=1M", "--record=/dev/full", "--trigger=failed", "--trigger-after=0ms"];
    let mut command = bare_stride();
    command.args(args).args(["sh", "-c", "exit 3"]).current_dir(scratch.path(""));
    let run = Run::of(command);
    assert_eq!(run.code(), Some(3), "{run:?}");
    let message = "flight recorder: nothing was kept: 1 recording was asked for and could not be written";
    assert!(run.err.contains(message) && !run.err.contains("came"), "{}", run.err);
}
