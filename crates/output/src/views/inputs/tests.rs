//! The list, from made-up calls.

use super::*;
use std::io::Write;
use std::sync::{Arc, Mutex};
use stride_decode::FdInfo;
use stride_event::{Descriptor, FdOf, LibraryCall, LibraryFunction, LibraryPart, LibraryText, Lost};
use stride_event::{Outcome, Tid};
use stride_syscalls::uapi::consts as c;
use stride_test_support::calls::{call, exited, forked, naming, naming_each, spawned};

const PID: Tid = 10;
const CWD: u64 = c::AT_FDCWD;

/// The command begins in /home, and each program has a loader.
struct Home;

impl Resolver for Home {
    fn fd(&self, FdOf { fd, .. }: FdOf, _: Option<&Descriptor>) -> Option<FdInfo> {
        (fd == CWD as i32).then(|| FdInfo { path: b"/home".to_vec(), ..FdInfo::default() })
    }

    fn interpreters(&self, _: Tid, _: &[u8]) -> Option<Vec<Vec<u8>>> {
        Some(vec![b"/lib/ld.so".to_vec()])
    }
}

/// All files are empty.
struct Alike;

impl Digests for Alike {
    fn of(&self, _: &[u8]) -> Digest {
        Digest::Sha256 { hex: "e3b0".to_owned(), size: 0, modified: 0 }
    }
}

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Run {
    view: InputsView,
    tracker: Tracker,
    written: Written,
}

impl Run {
    fn new(format: InputsFormat) -> Run {
        let written = Written::default();
        let sink = Sink::new("list", Box::new(written.clone()), false);
        let info = RunInfo { follows: true, ..RunInfo::default() };
        // (A statement of in-toto is about files whose content is known.)
        let digests = (format == InputsFormat::InToto).then(|| Box::new(Alike) as Box<dyn Digests>);
        let view = InputsView::new(format, Box::new(Home), digests, &info, sink);
        let mut run = Run { view, tracker: Tracker::default(), written };
        run.event(&spawned(PID, 0));
        run.does("execve", &[0x1000, 0, 0], &["/bin/tool"], 0);
        run
    }

    fn event(&mut self, event: &Event<'_>) {
        self.tracker.event(event, &Home);
        self.view.event(event, &self.tracker);
    }

    fn by(&mut self, tid: Tid, name: &str, words: &[u64], paths: &[&str], result: i64) {
        self.event(&Event::Exit(&naming_each(tid, name, words, paths, result)));
    }

    fn does(&mut self, name: &str, words: &[u64], paths: &[&str], result: i64) {
        self.by(PID, name, words, paths, result);
    }

    fn opens(&mut self, path: &str, flags: u64, result: i64) {
        self.does("openat", &[CWD, 0x1000, flags, 0o644], &[path], result);
    }

    fn renames(&mut self, from: &str, to: &str) {
        self.does("rename", &[0x1000, 0x2000], &[from, to], 0);
    }

    fn finish(mut self, lost: Lost) -> String {
        let end = End { tracker: &self.tracker, lost, with_source: &std::sync::Arc::clone };
        assert_eq!(self.view.finish(&end), "");
        String::from_utf8(self.written.0.lock().unwrap().clone()).unwrap()
    }

    /// The paths of a part, without their users.
    fn part(self, heading: &str) -> Vec<String> {
        let list = self.finish(Lost::default());
        let lines = list.lines().skip_while(|line| !line.starts_with(heading)).skip(1);
        let lines = lines.take_while(|line| !line.is_empty());
        lines.map(|line| line.trim_start().split("  by ").next().unwrap().to_owned()).collect()
    }
}

const WRITES: u64 = c::O_WRONLY | c::O_CREAT | c::O_TRUNC;
const ENOENT: i64 = -(c::ENOENT as i64);

#[test]
fn a_list() {
    let mut run = Run::new(InputsFormat::Text);
    run.opens("in", c::O_RDONLY, 3);
    run.opens("none", c::O_RDONLY, ENOENT);
    run.opens("./none", c::O_RDONLY, ENOENT);
    run.opens("out", WRITES, 4);
    run.event(&forked(PID, 11, 11, 0));
    run.by(11, "execve", &[0x1000, 0, 0], &["/bin/other"], 0);
    run.by(11, "openat", &[CWD, 0x1000, 0], &["out"], 3);
    run.by(11, "openat", &[CWD, 0x1000, 0], &["in"], 4);
    run.event(&exited(11, 0));
    run.event(&exited(PID, 0));
    let expected = "\
Programs that were run (2):
  /bin/other  by tool
  /bin/tool  by tool

Opened by the kernel to start programs (1):
  /lib/ld.so  by tool, other

Files that were read (1):
  /home/in  by tool, other

Files that were made (1):
  /home/out (and used)  by tool, other

Looked for and not found (1):
  /home/none (2 times)  by tool

8 calls were seen, 0 calls were lost.
";
    assert_eq!(run.finish(Lost::default()), expected);
}

#[test]
fn what_is_made_and_what_was_there() {
    let mut run = Run::new(InputsFormat::Text);
    // Nobody knows whether this one was there.
    run.opens("log", c::O_WRONLY | c::O_CREAT | c::O_APPEND, 3);
    run.does("write", &[3, 0x1000, 1], &[], 1);
    // It was not there.
    run.does("access", &[0x1000, 0], &["new"], ENOENT);
    run.opens("new", c::O_WRONLY | c::O_CREAT | c::O_APPEND, 4);
    // It was opened for both, and only read.
    run.opens("base", c::O_RDWR, 5);
    run.does("read", &[5, 0x1000, 1], &[], 1);
    // It was written and then read: what was read is the run's own.
    run.opens("own", c::O_RDWR, 6);
    run.does("write", &[6, 0x1000, 1], &[], 1);
    run.does("read", &[6, 0x1000, 1], &[], 1);
    // Opened for writing, and nothing was written.
    run.opens("idle", c::O_WRONLY, 7);
    run.does("chmod", &[0x1000, 0o600], &["mode"], 0);
    run.does("ftruncate", &[7, 0], &[], 0);
    let list = run.finish(Lost::default());
    for part in [
        "Files that were read (1):\n  /home/base ",
        "Files that were made (1):\n  /home/new ",
        "Files that were changed, or perhaps made (4):\n  /home/idle  by tool\n  /home/log  by tool\n  /home/mode  by tool\n  /home/own ",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
}

#[test]
fn renames_carry_over() {
    let mut run = Run::new(InputsFormat::Text);
    run.opens("tmp", WRITES, 3);
    run.renames("tmp", "target");
    // The file is still open, under its new name.
    run.does("mmap", &[0, 1, c::PROT_READ, c::MAP_PRIVATE, 3, 0], &[], 0x7000_0000);
    run.does("mkdir", &[0x1000, 0o755], &["d"], 0);
    run.opens("d/a", WRITES, 4);
    run.opens("d.a", WRITES, 5);
    run.renames("d", "e/../f");
    run.renames("old", "f/b");
    run.opens("f/b", c::O_RDONLY, 6);
    run.opens("f/a", c::O_RDONLY, 7);
    run.does("unlink", &[0x1000], &["f/b"], 0);
    let list = run.finish(Lost::default());
    for part in [
        "Files that were made (4):\n  /home/d.a  by tool\n  /home/f/  by tool\n  /home/f/a (and used)  by tool\n  /home/target (and used) ",
        "Files that were there and were removed or renamed (1):\n  /home/old ",
        "Temporary files, made and removed again (1):\n  /home/f/b ",
        "Files that were read (1):\n  /home/old ",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
}

#[test]
fn two_names_are_exchanged() {
    let mut run = Run::new(InputsFormat::Text);
    run.opens("made", WRITES, 3);
    let words = [CWD, 0x1000, CWD, 0x2000, c::RENAME_EXCHANGE];
    run.does("renameat2", &words, &["made", "old"], 0);
    assert_eq!(run.part("Files that were made"), ["/home/made", "/home/old"]);
}

/// A queue and the source of a mount are no files, and names in no directory are told of.
#[test]
fn names_of_other_things() {
    let mut run = Run::new(InputsFormat::Text);
    run.does("mq_unlink", &[0x1000], &["queue"], 0);
    run.does("mount", &[0x1000, 0x2000, 0, 0, 0], &["proc", "/mnt"], 0);
    let list = run.finish(Lost::default());
    assert!(!list.contains("queue") && !list.contains("proc ") && !list.contains("/mnt"), "{list}");
    assert!(
        list.ends_with("A process changed its mounts or its root (mount, pivot_root): its paths are as it saw them.\n"),
        "{list}"
    );
}

#[test]
fn a_list_with_losses() {
    let mut run = Run::new(InputsFormat::Text);
    run.view.note("the recording breaks off");
    let list = run.finish(Lost { calls: 3, ..Lost::default() });
    let expected = "1 call was seen, 3 calls were lost. The list may not be whole:\n  3 calls were lost.\n  1 process was still running when tracing ended.\n  The recording breaks off.\n";
    assert!(list.ends_with(expected), "{list}");
}

/// A program that makes up names all the time.
#[test]
fn names_without_end() {
    for format in InputsFormat::ALL {
        let mut run = Run::new(format);
        for i in 0..5_000 {
            run.opens(&format!("f{i}"), WRITES, 3);
            run.renames(&format!("f{i}"), &format!("g{i}"));
        }
        let list = run.finish(Lost::default());
        assert!(list.contains("The list was full: "), "{format:?}");
        assert!(list.len() < 1 << 20, "{}", list.len());
    }
}

#[test]
fn names_that_make_reads_otherwise() {
    let mut run = Run::new(InputsFormat::Make);
    for name in ["a b", "c=d", "e#f", "g$h", "i:j", "k*l", "m\\ n", "o\np", "q;r", "s(t)"] {
        run.opens(name, c::O_RDONLY, 3);
    }
    run.opens("out", WRITES, 4);
    run.opens("50%", WRITES, 5);
    let list = run.finish(Lost::default());
    let expected = r"stride_equals := =
/home/out: \
  /bin/tool \
  /home/a\ b \
  /home/c$(stride_equals)d \
  /home/e\#f \
  /home/g$$h \
  /home/i\:j \
  /home/k\*l \
  /home/m\\\ n \
  /lib/ld.so
# make cannot name this file: /home/50%
# make cannot name this file: /home/o\np
# make cannot name this file: /home/q;r
# make cannot name this file: /home/s(t)
";
    assert!(list.starts_with(expected), "{list}");
}

#[test]
fn nothing_was_made() {
    let list = Run::new(InputsFormat::Make).finish(Lost::default());
    assert!(list.starts_with("# The command made no file.\n# 1 call was seen"), "{list}");
}

/// A server that is not traced does work of which the list knows nothing.
#[test]
fn servers_that_are_not_traced() {
    let mut run = Run::new(InputsFormat::Text);
    let connects = |run: &mut Run, name: &str, path: &str| {
        run.does("socket", &[c::AF_UNIX, c::SOCK_STREAM, 0], &[], 3);
        let address = [&(c::AF_UNIX as u16).to_ne_bytes()[..], path.as_bytes()].concat();
        let made = call(PID, name, &[3, 0x5000, address.len() as u64 + 1], Outcome::Value(0));
        run.event(&Event::Exit(&naming(made, 0x5000, address)));
    };
    connects(&mut run, "bind", "own");
    connects(&mut run, "connect", "own");
    connects(&mut run, "connect", "/run/server");
    run.event(&exited(PID, 0));
    let list = run.finish(Lost::default());
    let part = "Addresses (3):\n  connect UNIX /home/own  by tool\n  connect UNIX /run/server  by tool\n  bind UNIX /home/own  by tool\n";
    assert!(list.contains(part), "{list}");
    let reason = "  UNIX /run/server belongs to a program that was not traced: what that used and made is not here.\n";
    assert!(list.ends_with(&format!("may not be whole:\n{reason}")), "{list}");
}

/// Each byte of a path is in its URI, and each file is in its place once.
#[test]
fn a_bill_of_materials() {
    let mut run = Run::new(InputsFormat::CycloneDx);
    run.opens("a b", c::O_RDONLY, 3);
    run.opens("50%", WRITES, 4);
    // The run made it and then read it: a product, and no material.
    run.opens("50%", c::O_RDONLY, 5);
    run.opens("log", c::O_RDWR | c::O_APPEND, 6);
    run.does("write", &[6, 0x1000, 1], &[], 1);
    run.opens("gone", WRITES, 7);
    run.does("unlink", &[0x1000], &["gone"], 0);
    let list = run.finish(Lost { calls: 2, ..Lost::default() });
    let bill: serde_json::Value = serde_json::from_str(&list).unwrap();
    let texts = |all: &serde_json::Value, of: &str| -> Vec<String> {
        all.as_array().unwrap().iter().map(|it| it.pointer(of).unwrap().as_str().unwrap().to_owned()).collect()
    };
    let used = ["file:///bin/tool", "file:///lib/ld.so", "file:///home/a%20b"];
    let made = ["file:///home/50%25", "file:///home/log"];
    assert_eq!(texts(&bill["components"], "/bom-ref"), [&used[..], &made[..]].concat(), "{list}");
    assert_eq!(texts(&bill["components"], "/name")[2..4], ["/home/a b", "/home/50%"]);
    assert_eq!(
        texts(&bill["components"], "/properties/0/value"),
        ["programs", "interpreters", "read", "made", "changed"]
    );
    assert_eq!(bill["dependencies"][0], serde_json::json!({"ref": "run", "dependsOn": used}));
    assert_eq!(bill["dependencies"][1], serde_json::json!({"ref": made[0], "dependsOn": ["run"]}));
    let workflow = &bill["formulation"][0]["workflows"][0];
    assert_eq!(texts(&workflow["inputs"], "/resource/ref"), used);
    assert_eq!(texts(&workflow["outputs"], "/resource/ref"), made);
    assert_eq!(bill["compositions"][0]["aggregate"], "incomplete");
    assert!(list.contains(r#"{"name":"stride:may_be_incomplete","value":"2 calls were lost."}"#), "{list}");
}

/// A link that the run makes hides no input.
#[test]
fn links_that_the_run_makes_are_followed() {
    let mut run = Run::new(InputsFormat::Text);
    run.does("symlink", &[0x1000, 0x2000], &["in.c", "sub/link.c"], 0);
    run.does("symlink", &[0x1000, 0x2000], &["sub/link.c", "second"], 0);
    run.renames("second", "third");
    run.opens("third", c::O_RDONLY, 3);
    run.does("symlink", &[0x1000, 0x2000], &["/bin/real", "prog"], 0);
    run.does("execve", &[0x1000, 0, 0], &["prog"], 0);
    // A circle, and links that are gone or are not followed.
    run.does("symlink", &[0x1000, 0x2000], &["one", "other"], 0);
    run.does("symlink", &[0x1000, 0x2000], &["other", "one"], 0);
    run.opens("one", c::O_RDONLY, -(c::ELOOP as i64));
    run.does("symlink", &[0x1000, 0x2000], &["never", "short"], 0);
    run.opens("short", c::O_PATH | c::O_NOFOLLOW, 4);
    run.does("unlink", &[0x1000], &["short"], 0);
    run.opens("short", c::O_RDONLY, 5);
    let list = run.finish(Lost::default());
    for part in [
        "  /home/sub/in.c  by tool\n",
        "Programs that were run (2):\n  /bin/real  by tool\n  /bin/tool  by tool\n",
        "  /home/third (and used)  by tool\n",
        "Files that were read (2):\n  /home/short  by real\n  /home/sub/in.c  by tool\n",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
    assert!(!list.contains("/home/never"), "{list}");
}

/// Paths of /proc lead to files of other names.
#[test]
fn files_behind_proc() {
    let mut run = Run::new(InputsFormat::Text);
    run.opens("/proc/self/cwd/a", c::O_RDONLY, 3);
    run.opens(&format!("/proc/{PID}/cwd/b"), c::O_RDONLY, 4);
    run.opens("/proc/self/root/etc/c", c::O_RDONLY, 5);
    run.opens("dir", c::O_RDONLY, 6);
    run.opens("/proc/self/fd/6/d", c::O_RDONLY, 7);
    run.opens("/proc/self/status", c::O_RDONLY, 8);
    run.opens("/proc/4000000/cwd/e", c::O_RDONLY, ENOENT);
    let read = run.part("Files that were read");
    assert_eq!(read, ["/etc/c", "/home/a", "/home/b", "/home/dir", "/home/dir/d"]);
}

/// A directory that was opened like a file, and a file that was opened like a directory.
#[test]
fn directories_that_were_opened() {
    let mut run = Run::new(InputsFormat::Text);
    run.opens("dir", c::O_RDONLY, 3);
    run.does("openat", &[3, 0x1000, c::O_RDONLY], &["in"], 4);
    run.does("newfstatat", &[4, 0x1000, 0x3000, c::AT_EMPTY_PATH], &[""], 0);
    run.opens("file", c::O_RDONLY | c::O_DIRECTORY, -(c::ENOTDIR as i64));
    run.opens("file/x", c::O_RDONLY, -(c::ENOTDIR as i64));
    let list = run.finish(Lost::default());
    for part in [
        "Files that were read (1):\n  /home/dir/in ",
        "not opened (2):\n  /home/dir  by tool\n  /home/file  by tool\n",
        "Looked for and not found (1):\n  /home/file/x ",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
}

/// Files without a name, or without one any more.
#[test]
fn files_that_have_no_name() {
    let mut run = Run::new(InputsFormat::Text);
    run.opens("gone", c::O_RDWR | c::O_CREAT | c::O_EXCL, 3);
    run.does("unlink", &[0x1000], &["gone"], 0);
    run.does("write", &[3, 0x1000, 1], &[], 1);
    run.opens("dir", c::O_RDWR | TMPFILE, 4);
    run.does("write", &[4, 0x1000, 1], &[], 1);
    let list = run.finish(Lost::default());
    assert!(list.contains("Temporary files, made and removed again (1):\n  /home/gone "), "{list}");
    assert!(!list.contains("perhaps made"), "{list}");
}

/// Variables that were looked up, with no values.
#[test]
fn the_environment() {
    let look = |name: &str, part: LibraryPart, result: u64| LibraryCall {
        tid: PID,
        function: Arc::new(LibraryFunction { name: "libc:getenv".into(), ..LibraryFunction::default() }),
        part,
        result,
        texts: [(Some(0), name.as_bytes()), (None, &b"secret"[..])]
            .map(|(word, bytes)| LibraryText { word, bytes: bytes.into(), cut: name.len() > 8 })
            .into(),
        ..LibraryCall::default()
    };
    let mut run = Run::new(InputsFormat::Text);
    for (name, result) in [("LANG", 0x7000), ("TZ", 0), ("LANG", 0), ("VERY_LONG", 0x7000)] {
        run.event(&Event::Library(&look(name, LibraryPart::Entered, 0)));
        run.event(&Event::Library(&look(name, LibraryPart::Returned, result)));
    }
    let other = Arc::new(LibraryFunction { name: "libc:puts".into(), ..LibraryFunction::default() });
    run.event(&Event::Library(&LibraryCall { function: other, ..look("puts", LibraryPart::Returned, 1) }));
    let list = run.finish(Lost::default());
    let expected = "\
Variables of the environment that were looked up (3):
  LANG (set 1 of 2 times)  by tool
  TZ (not set)  by tool
  VERY_LONG... (set)  by tool
";
    assert!(list.contains(expected) && !list.contains("secret") && !list.contains("puts"), "{list}");
    let mut run = Run::new(InputsFormat::Text);
    (0..20).for_each(|i| run.event(&Event::Library(&look(&format!("V{i}"), LibraryPart::Returned, 0))));
    assert!(run.finish(Lost::default()).contains("4 uses of further files, addresses and variables are not here"));
}
