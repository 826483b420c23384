//! `--inputs`: the files that a command used and made, live and replayed, under both engines.

mod common;
#[path = "common/python_packages.rs"]
mod python_packages;

use common::{Run, RunInScratch, Scratch, bare_stride, engines, need, need_ebpf, skipped};
use sha2::{Digest, Sha256};
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

/// The files that the compiler says it read, and those that strace says were opened.
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

/// `stride --inputs=FORMAT -o list`, in this directory.
fn formatted(scratch: &Scratch, engine: &str, format: &str, program: &[&str]) -> String {
    let mut command = bare_stride();
    command.args([&format!("--inputs={format}"), "-o", "list", engine]).args(program).current_dir(scratch.path(""));
    command.env("PATH", "/usr/bin:/bin");
    let run = Run::of(command);
    assert_eq!(run.err, "", "{engine}: {run:?}");
    scratch.read("list")
}

const COPIES: &str = "cat 'in $x#: y' in=put > 'out: =put'; cat early; echo more >> early; : > gone; cat gone; rm gone";

#[test]
fn a_document_with_hashes() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("inputs-json{engine}"));
        for file in ["in $x#: y", "in=put", "early"] {
            std::fs::write(scratch.path(file), "abc").unwrap();
        }
        // (Stride takes some milliseconds to begin, and a clock of a file system is late by as much.)
        let mut touch = Command::new("touch");
        touch.args(["-d", "1 hour ago", "in $x#: y", "in=put", "early"]).current_dir(scratch.path(""));
        assert!(touch.status().unwrap().success());
        let list = formatted(&scratch, engine, "json", &["sh", "-c", COPIES]);
        let document: serde_json::Value = serde_json::from_str(&list).unwrap();
        let find = |part: &str, name: &str| {
            let mut files = document[part].as_array().unwrap().iter();
            let ends = |file: &&serde_json::Value| file["path"].as_str().unwrap().ends_with(&format!("/{name}"));
            files.find(ends).cloned().unwrap_or_else(|| panic!("{engine}: no {name} in {part}: {list}"))
        };
        const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        for file in ["in $x#: y", "in=put"] {
            let it = find("read", file);
            assert_eq!((it["sha256"].as_str(), it["size"].as_u64()), (Some(ABC), Some(3)), "{engine}: {it}");
            assert!(it["changed_since"].is_null() && it["changed_by_run"].is_null(), "{engine}: {it}");
            assert_eq!(it["by"][0], "/usr/bin/cat", "{engine}: {it}");
        }
        let early = find("read", "early");
        assert_eq!(
            (&early["changed_by_run"], &early["changed_since"]),
            (&true.into(), &true.into()),
            "{engine}: {early}"
        );
        assert_ne!(early["sha256"].as_str(), Some(ABC));
        assert!(find("made", "out: =put")["sha256"].is_string() && find("changed", "early")["size"] == 8);
        assert!(find("temporary", "gone")["sha256"].is_null());
        assert_eq!((&document["whole"], &document["lost"]), (&true.into(), &0.into()), "{engine}: {list}");
        assert!(document["calls"].as_u64().unwrap() > 50);
    }
}

/// A replay reads no files.
#[test]
fn a_replay_has_no_hashes() {
    let scratch = Scratch::new("inputs-replay");
    inputs(&scratch, "--engine=ptrace", &["sh", "-c", "echo > out; cat out"]);
    let document: serde_json::Value = serde_json::from_str(&scratch.replay(&["--inputs=json"]).out).unwrap();
    assert_eq!(document["hashed"], false);
    assert!(document["programs"].as_array().unwrap().len() > 1);
    assert!(!document.to_string().contains("sha256"));
    let refused = scratch.replay(&["--inputs=in-toto"]);
    assert!(refused.code() == Some(1) && refused.err.contains("a replay reads no files"), "{refused:?}");
}

/// make(1) finds that the product is older than an input, and which one.
#[test]
fn a_rule_for_make() {
    need!("/usr/bin/make");
    for engine in engines() {
        let scratch = Scratch::new(&format!("inputs-make{engine}"));
        for file in ["in $x#: y", "in=put", "line\nend"] {
            std::fs::write(scratch.path(file), "abc").unwrap();
        }
        let rule = formatted(&scratch, engine, "make", &["sh", "-c", "cat line* 'in $x#: y' in=put > 'out: =put'"]);
        assert!(rule.ends_with(" calls were seen, 0 calls were lost.\n"), "{rule}");
        assert!(rule.contains("# make cannot name this file: "), "{engine}: {rule}");
        let root = scratch.path("").canonicalize().unwrap();
        let newer = |file: &str, time: &str| {
            let touched = Command::new("touch").args(["-d", time, file]).current_dir(scratch.path("")).status();
            assert!(touched.unwrap().success());
            let mut make = Command::new("make");
            make.args(["-rR", "-n", "-d", "-f", "list"]).env("LC_ALL", "C").current_dir(scratch.path(""));
            let run = make.output().unwrap();
            let out = String::from_utf8_lossy(&run.stdout).into_owned();
            assert!(run.status.success(), "{engine}: {out}{} {rule}", String::from_utf8_lossy(&run.stderr));
            let of =
                format!("Prerequisite '{}/{file}' is newer than target '{}/out: =put'", root.display(), root.display());
            out.contains(&of)
        };
        for file in ["in $x#: y", "in=put"] {
            assert!(!newer(file, "1 hour ago") && newer(file, "1 hour"), "{engine}: {file}: {rule}");
        }
    }
}

/// Two readers of the documents that others have written: they know the formats.
const READERS: &str = r#"
import json, sys
text = open("list", encoding="utf-8").read()
document = json.loads(text)
if sys.argv[1] == "in-toto":
    from google.protobuf import json_format
    from in_toto_attestation.v1 import resource_descriptor, resource_descriptor_pb2, statement, statement_pb2
    def check(document):
        statement.Statement.copy_from_pb(json_format.ParseDict(document, statement_pb2.Statement())).validate()
        for it in document["predicate"]["monitorLog"]["fileAccess"]:
            read = json_format.ParseDict(it, resource_descriptor_pb2.ResourceDescriptor())
            resource_descriptor.ResourceDescriptor.copy_from_pb(read).validate()
    broken = dict(document, subject=[])
else:
    from cyclonedx.model.bom import Bom
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    def check(document):
        fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(document))
        assert fault is None, fault
        bom = Bom.from_json(document)
        bom.validate()
        assert len(bom.components) == len(document["components"])
    broken = dict(document, components=[{"name": "no type"}])
check(document)
try:
    check(broken)
except Exception:
    pass
else:
    sys.exit("the reader takes everything")
"#;

/// The paths and digests of a document: `(path, Some(digest))`.
type Hashed = BTreeSet<(String, Option<String>)>;

fn hashed(all: &serde_json::Value, digest: &str) -> Hashed {
    let text = |it: &serde_json::Value| it.as_str().map(str::to_owned);
    let one = |it: &serde_json::Value| (text(&it["name"]).unwrap(), it.pointer(digest).and_then(text));
    all.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn documents_that_others_read() {
    for (format, package) in [("in-toto", "in-toto-attestation"), ("cyclonedx", "cyclonedx")] {
        let python = match python_packages::with(package) {
            Ok(python) => python,
            Err(why) => {
                skipped::report_of(&format!("documents_that_others_read ({format})"), why);
                continue;
            }
        };
        for engine in engines() {
            let scratch = Scratch::new(&format!("inputs-{format}{engine}"));
            for file in ["in $x#: y", "in=put", "early"] {
                std::fs::write(scratch.path(file), "abc").unwrap();
            }
            let command = format!("{COPIES}; echo > \"$(printf 'l\\nm\\033\\377')\"");
            let list = formatted(&scratch, engine, format, &["sh", "-c", &command]);
            let mut reader = Command::new(&python);
            let read = reader.args(["-c", READERS, format]).current_dir(scratch.path("")).output().unwrap();
            assert!(read.status.success(), "{engine}: {}{list}", String::from_utf8_lossy(&read.stderr));

            let document: serde_json::Value = serde_json::from_str(&list).unwrap();
            let (all, made) = match format {
                "in-toto" => {
                    let log = &document["predicate"]["monitorLog"];
                    assert!(log["process"].as_array().unwrap().iter().any(|it| it["processBinary"] == "/usr/bin/cat"));
                    (hashed(&log["fileAccess"], "/digest/sha256"), hashed(&document["subject"], "/digest/sha256"))
                }
                _ => {
                    assert_eq!(document["compositions"][0]["aggregate"], "complete", "{engine}: {list}");
                    let (mut all, digest) = (document["components"].clone(), "/hashes/0/content");
                    let every = hashed(&all, digest);
                    let is_product = |it: &serde_json::Value| {
                        ["made", "changed"].iter().any(|part| it["properties"][0]["value"] == *part)
                    };
                    all.as_array_mut().unwrap().retain(is_product);
                    (every, hashed(&all, digest))
                }
            };
            let root = scratch.path("").canonicalize().unwrap();
            let of = |name: &str, content: &str| -> (String, Option<String>) {
                (format!("{}/{name}", root.display()), Some(sha256(content)))
            };
            let own = |files: &Hashed| {
                files.iter().filter(|(path, _)| path.starts_with(root.to_str().unwrap())).cloned().collect::<Hashed>()
            };
            let products =
                BTreeSet::from([of("early", "abcmore\n"), of("out: =put", "abcabc"), of("l\nm\u{1b}\u{fffd}", "\n")]);
            assert_eq!(own(&made), products, "{engine}: {list}");
            let materials = BTreeSet::from([of("in $x#: y", "abc"), of("in=put", "abc")]);
            assert_eq!(own(&all), &products | &materials, "{engine}: {list}");
            assert!(
                all.iter().any(|(path, digest)| path.contains("/libc.so.6") && digest.is_some()),
                "{engine}: {list}"
            );
            assert!(list.contains("/l%0Am%1B%FF"), "{engine}: {list}");
        }
    }
}

fn sha256(content: &str) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// in-toto wants to know what a statement is about.
#[test]
fn a_statement_about_nothing() {
    let scratch = Scratch::new("inputs-nothing");
    let run = scratch.stride(["--inputs=in-toto", "true"]);
    assert!(run.code() == Some(1) && run.err.contains("this command left none that can be read"), "{run:?}");
    assert_eq!(run.trace, "", "{run:?}");
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

#[test]
fn against_what_was_declared() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("inputs-declared{engine}"));
        for file in ["one", "two"] {
            std::fs::write(scratch.path(file), file).unwrap();
        }
        let against = |declared: &str, status: i32| {
            std::fs::write(scratch.path("declared"), declared).unwrap();
            let mut command = bare_stride();
            command.args(["--inputs-declared=declared", "-o", "list", engine]).current_dir(scratch.path(""));
            command.args(["sh", "-c", "cat one two; echo > out; cat out; exit 4"]).env("PATH", "/usr/bin:/bin");
            let run = Run::of(command);
            let list = scratch.read("list");
            assert_eq!((run.code(), run.err.as_str()), (Some(status), ""), "{engine}: {list}");
            list
        };
        const SYSTEM: &str = "/usr\n/lib\n/lib64\n/etc/\n";
        let list = against(&format!("{SYSTEM}one\n./two\n"), 4);
        assert!(list.starts_with("Each input is declared.\n"), "{engine}: {list}");
        let list = against(&format!("{SYSTEM}one\nthree\n"), 3);
        let root = scratch.path("").canonicalize().unwrap();
        let expected = format!(
            "Inputs that were not declared (1):\n  {0}/two  by cat\n\nDeclared and not used (1):\n  {0}/three\n\n",
            root.display()
        );
        assert!(list.starts_with(&expected), "{engine}: {list}");
    }
}

/// Tracing ends before the program does.
#[test]
fn a_program_that_goes_on() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("inputs-goes-on{engine}"));
        let run = scratch.stride([engine, "--inputs", "--for=300ms", "sleep", "2"]);
        assert!(run.trace.contains(" 1 thread went on after tracing had ended.\n"), "{engine}: {run:?}");
    }
}

#[test]
fn mistakes() {
    let scratch = Scratch::new("inputs-mistakes");
    for (options, words) in [
        (vec!["--inputs=yaml"], "there are --inputs=text, json, make, in-toto and cyclonedx"),
        (vec!["--inputs=in-toto", "--inputs-declared=x"], "leave the format of --inputs out"),
        (vec!["--inputs=json", "--inputs-declared=x"], "leave the format of --inputs out"),
        (vec!["--inputs-declared=nowhere"], "Can't read the inputs in 'nowhere': "),
        (vec!["--inputs", "--json"], "--inputs=json writes the list as one object"),
        (vec!["--inputs", "-ff", "-o", "x"], "the list is about all processes"),
    ] {
        let mut command = bare_stride();
        command.args(options).args(["sh", "-c", "echo ran > ran"]).current_dir(scratch.path(""));
        let run = Run::of(command);
        assert!(run.code() == Some(1) && run.err.contains(words) && !scratch.path("ran").exists(), "{run:?}");
    }
}

/// Filters are a reason why something may be missing.
#[test]
fn a_list_with_holes_says_so() {
    let scratch = Scratch::new("inputs-filter");
    let run = scratch.stride(["--inputs", "-e", "trace=openat", "true"]);
    assert!(run.trace.contains("The list may not be whole:\n  Filters left out calls.\n"), "{run:?}");
}

/// A link that the run makes hides no input, and neither does a path of /proc.
#[test]
fn inputs_behind_other_names() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("inputs-links{engine}"));
        ["in.a", "in.b", "in.c"].iter().for_each(|name| std::fs::write(scratch.path(name), "x\n").unwrap());
        std::fs::copy("/bin/true", scratch.path("program")).unwrap();
        const SCRIPT: &str =
            "ln -s in.a link; cat link /proc/self/cwd/in.b; ln -s program other; ./other; ln -s none none";
        let list = inputs(&scratch, engine, &["/bin/sh", "-c", SCRIPT]);
        let here = |name: &str| scratch.path(name).to_str().unwrap().to_owned();
        let (read, programs) = (paths(&list, READ), paths(&list, PROGRAMS));
        assert!(read.contains(&&*here("in.a")) && read.contains(&&*here("in.b")), "{engine}: {list}");
        assert!(!list.contains("in.c"), "{engine}: {list}");
        assert!(programs.contains(&&*here("program")) && !programs.contains(&&*here("other")), "{engine}: {list}");
        let made = [here("link") + " (and used)", here("none"), here("other") + " (and used)"];
        assert_eq!(paths(&list, MADE), made.each_ref().map(String::as_str), "{engine}: {list}");
        is_whole(&list);
    }
}

/// The variables that a program looks up by getenv(3).
#[test]
fn variables_that_were_looked_up() {
    need_ebpf!();
    let scratch = Scratch::new("inputs-environment");
    let mut command = bare_stride();
    command.args(["--inputs=json", "-o", "list", "-q", "--engine=ebpf", "--library-calls=libc:getenv", "/bin/date"]);
    let run = Run::of({
        command.env("TZ", "secret-zone").env_remove("POSIXLY_CORRECT").current_dir(scratch.path(""));
        command
    });
    assert_eq!(run.err, "", "{run:?}");
    let list: serde_json::Value = serde_json::from_str(&scratch.read("list")).unwrap();
    let all = list["environment"].as_array().unwrap();
    let of = |name: &str| all.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("{name}: {all:?}"));
    assert_eq!(of("TZ")["found"], of("TZ")["times"]);
    assert_eq!(of("POSIXLY_CORRECT")["found"], 0);
    assert!(of("TZ")["by"][0].as_str().unwrap().ends_with("/date"), "{all:?}");
    assert!(!all.iter().any(|it| it.to_string().contains("secret-zone")), "{all:?}");
}
