//! `--inputs`: the files that a command used and made, live and replayed, under both engines.

mod common;

use common::{Run, RunInScratch, Scratch, bare_stride, engines, need};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// `stride --inputs -o list`, in this directory, with a recording `rec`.
fn inputs(scratch: &Scratch, engine: &str, program: &[&str]) -> String {
    let mut command = bare_stride();
    command.args(["--inputs", "-o", "list", "--record=rec", "-q", engine]).args(program).current_dir(scratch.path(""));
    command.env("PATH", "/usr/bin:/bin");
    let run = Run::of(command);
    assert_eq!(run.err, "", "{engine}: {run:?}");
    let list = scratch.read("list");
    assert_eq!(scratch.replay(&["--inputs"]).out, list, "{engine}: a replay tells the same");
    list
}

/// The lines of a part of the list.
fn part<'l>(list: &'l str, heading: &str) -> Vec<&'l str> {
    let mut lines = list.lines().skip_while(|line| !line.starts_with(&format!("{heading} (")));
    lines.next();
    lines.take_while(|line| !line.is_empty()).map(str::trim_start).collect()
}

/// The paths there, without who used them.
fn paths<'l>(list: &'l str, heading: &str) -> Vec<&'l str> {
    part(list, heading).into_iter().map(|line| line.split("  by ").next().unwrap()).collect()
}

const PROGRAMS: &str = "Programs that were run";
const INTERPRETERS: &str = "Opened by the kernel to start programs";
const LIBRARIES: &str = "Libraries";
const READ: &str = "Files that were read";
const LISTED: &str = "Directories that were listed";
const MADE: &str = "Files that were made";
const REMOVED: &str = "Files that were there and were removed or renamed";
const TEMPORARY: &str = "Temporary files, made and removed again";
const MISSING: &str = "Looked for and not found";

fn is_whole(list: &str) {
    let last = list.lines().last().unwrap();
    assert!(last.ends_with(" calls were seen, 0 calls were lost."), "{list}");
}

/// What the compiler says that it read, and what strace says that was opened.
#[test]
fn a_compiler() {
    need!("/usr/bin/cc");
    for engine in engines() {
        let scratch = Scratch::new(&format!("inputs-cc{engine}"));
        std::fs::write(scratch.path("own.h"), "#define WORD \"x\"\n").unwrap();
        std::fs::write(
            scratch.path("a.c"),
            "#include <stdio.h>\n#include \"own.h\"\nint main(void) { return puts(WORD); }\n",
        )
        .unwrap();
        let list = inputs(&scratch, engine, &["cc", "-MD", "-c", "a.c", "-o", "a.o"]);
        is_whole(&list);
        let read = paths(&list, READ);
        let dependencies = scratch.read("a.d").replace("\\\n", " ");
        let named: Vec<&str> = dependencies.split_once(':').unwrap().1.split_whitespace().collect();
        assert!(named.len() > 10, "{dependencies}");
        for file in named {
            let path = scratch.path("").canonicalize().unwrap().join(file);
            let path = path.canonicalize().unwrap();
            assert!(read.contains(&path.to_str().unwrap()), "{engine}: {file}: {list}");
        }
        let own = |name: &str| scratch.path("").canonicalize().unwrap().join(name).to_str().unwrap().to_owned();
        let made = paths(&list, MADE);
        assert_eq!(made, [own("a.d"), own("a.o")], "{engine}: {list}");
        assert!(paths(&list, PROGRAMS).iter().any(|program| program.ends_with("/cc1")), "{list}");
        assert!(paths(&list, INTERPRETERS).iter().any(|path| path.contains("/ld-")), "{list}");
        assert!(paths(&list, LIBRARIES).iter().any(|path| path.contains("/libc.so.6")), "{list}");
        assert!(paths(&list, TEMPORARY).iter().all(|path| path.starts_with("/tmp/cc")), "{list}");
        as_strace_says(&scratch, &list, engine);
    }
}

/// The same command under strace: each file that it opened is in the list.
fn as_strace_says(scratch: &Scratch, list: &str, engine: &str) {
    need!("/usr/bin/strace");
    let traced = Command::new("/usr/bin/strace")
        .args(["-f", "-qq", "-e", "trace=open,openat,creat,execve", "-s", "4096", "-o", "strace"])
        .args(["cc", "-MD", "-c", "a.c", "-o", "a.o"])
        .current_dir(scratch.path(""))
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .env_remove("LD_LIBRARY_PATH")
        .status();
    assert!(traced.unwrap().success());
    let cwd = scratch.path("").canonicalize().unwrap();
    let text = scratch.read("strace");
    let opened = text.lines().filter(|line| !line.contains(" = -1 ") && !line.contains("<unfinished"));
    let opened: BTreeSet<String> = opened
        .filter_map(|line| {
            let path = line.split('"').nth(1)?;
            // Names of temporary files differ from run to run.
            (!path.starts_with("/tmp/cc")).then(|| tidy(&cwd.join(path)))
        })
        .collect();
    let used = [PROGRAMS, LIBRARIES, READ, MADE].map(|heading| paths(list, heading));
    let listed: BTreeSet<String> =
        used.into_iter().flatten().map(|path| path.trim_end_matches(" (and used)").to_owned()).collect();
    let without: Vec<_> = opened.difference(&listed).collect();
    assert!(opened.len() > 20 && without.is_empty(), "{engine}: only strace has {without:?}: {list}");
    let further = listed.difference(&opened).filter(|path| !path.starts_with("/tmp/cc")).collect::<Vec<_>>();
    assert!(further.is_empty(), "{engine}: strace lacks {further:?}");
}

fn tidy(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.to_str().unwrap().split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

const SCRIPT: &str = r#"
cd sub
echo one > ../tmp; mv ../tmp ../target
echo two > middle; cat middle ../given > ../joined
mv ../old ../new
rm ../gone
echo > short; rm short
cat missing missing ./missing
ls .. > /dev/null
../tool
mkdir d; echo > d/f; mv d e; cat e/f
"#;

#[test]
fn a_script() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("inputs-script{engine}"));
        std::fs::create_dir(scratch.path("sub")).unwrap();
        for file in ["given", "old", "gone"] {
            std::fs::write(scratch.path(file), file).unwrap();
        }
        std::fs::write(scratch.path("tool"), "#!/usr/bin/env -S sh -e\n:\n").unwrap();
        std::fs::set_permissions(scratch.path("tool"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::write(scratch.path("script"), SCRIPT).unwrap();
        let list = inputs(&scratch, engine, &["sh", "-c", ". ./script 2>/dev/null"]);
        is_whole(&list);
        let root = scratch.path("").canonicalize().unwrap();
        let own = |heading: &str| -> Vec<String> {
            let below = |path: &&str| Some(path.strip_prefix(root.to_str()?)?.strip_prefix('/')?.to_owned());
            paths(&list, heading).iter().filter_map(below).collect()
        };
        assert_eq!(own(READ), ["given", "old", "script"], "{engine}: {list}");
        assert_eq!(own(PROGRAMS), ["tool"], "{engine}: {list}");
        assert_eq!(
            own(MADE),
            ["joined", "new", "sub/e/", "sub/e/f (and used)", "sub/middle (and used)", "target"],
            "{engine}: {list}"
        );
        assert_eq!(own(REMOVED), ["gone", "old"], "{engine}: {list}");
        assert_eq!(own(TEMPORARY), ["sub/short"], "{engine}: {list}");
        assert_eq!(own(MISSING), ["sub/missing (3 times)"], "{engine}: {list}");
        assert_eq!(paths(&list, LISTED), [root.to_str().unwrap()], "{engine}: {list}");
        assert!(paths(&list, INTERPRETERS).iter().any(|path| path.contains("/ld-")), "{engine}: {list}");
        assert!(paths(&list, PROGRAMS).contains(&"/usr/bin/cat"), "{engine}: {list}");
        let env =
            paths(&list, PROGRAMS).contains(&"/usr/bin/env") || paths(&list, INTERPRETERS).contains(&"/usr/bin/env");
        assert!(env, "{engine}: {list}");
    }
}

#[test]
fn a_name_with_a_line_in_it() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("inputs-lines{engine}"));
        let list = inputs(&scratch, engine, &["sh", "-c", "echo > \"$(printf 'a\\nb\\033[2J\\377')\""]);
        is_whole(&list);
        let made = paths(&list, MADE);
        assert_eq!(made.len(), 1, "{engine}: {list}");
        assert!(made[0].ends_with(r"/a\nb\33[2J\377"), "{engine}: {list}");
        assert!(list.bytes().all(|byte| byte == b'\n' || (0x20..0x7f).contains(&byte)), "{engine}: {list}");
    }
}

/// Only what starts every program.
#[test]
fn an_empty_run() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("inputs-true{engine}"));
        let list = inputs(&scratch, engine, &["true"]);
        is_whole(&list);
        assert_eq!(paths(&list, PROGRAMS), ["/usr/bin/true"], "{engine}: {list}");
        assert_eq!(paths(&list, MADE), [""; 0], "{engine}: {list}");
    }
}

/// The child of a shell that has ended makes a file.
#[test]
fn a_child_that_outlives_its_parent() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("inputs-child{engine}"));
        let list = inputs(&scratch, engine, &["sh", "-c", "(sleep 0.3; echo > late) & exit 0"]);
        is_whole(&list);
        assert!(paths(&list, MADE).iter().any(|path| path.ends_with("/late")), "{engine}: {list}");
    }
}

/// Filters are a reason why something may be missing.
#[test]
fn a_list_with_holes_says_so() {
    let scratch = Scratch::new("inputs-filter");
    let run = scratch.stride(["--inputs", "-e", "trace=openat", "true"]);
    assert!(run.trace.contains("The list may not be whole:\n  Filters left out calls.\n"), "{run:?}");
}
