//! `--redact`: no secret gets out of Stride, whichever view writes.

mod common;

use common::*;

/// Secrets that occur nowhere else, one for each place where a program shows them.
const SECRETS: &[&str] =
    &["arghush1", "envhush2", "headhush3", "urlhush4", "filehush5", "keyhush6", "opthush7", "ownhush8", "jsonhush9"];

/// Shows each of the secrets by a system call, in the directory with the files.
const PROGRAM: &str = r#"
import os, sys
quiet = os.open('/dev/null', os.O_WRONLY)
os.write(quiet, b'GET / HTTP/1.1\r\nAuthorization: Bearer headhush3\r\n\r\n')
os.writev(quiet, [b'postgres://me:urlhush4@db/x', b'{"password": "jsonhush9"}'])
key = os.open('server.key', os.O_RDONLY)
os.read(key, 10)
os.read(key, 100)
os.close(key)
again = os.dup(os.open('.netrc', os.O_RDONLY))
os.pread(again, 100, 0)
try:
    os.open('/nowhere/customer-ownhush8/x', os.O_RDONLY)
except OSError:
    pass
os.write(quiet, b'nothing to hide: plainword')
os.execve('/bin/true', ['true', '--password=arghush1', '--token', 'opthush7', 'plainarg'], {'DB_PASSWORD': 'envhush2', 'HOME': '/plainhome'})
"#;

fn prepared(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    std::fs::write(scratch.path("program.py"), PROGRAM).unwrap();
    std::fs::write(scratch.path("server.key"), "-----BEGIN keyhush6 keyhush6 keyhush6").unwrap();
    std::fs::write(scratch.path(".netrc"), "filehush5 is in no known form").unwrap();
    std::fs::write(scratch.path("own"), "# customers\ncustomer-([0-9a-z]+)\n").unwrap();
    scratch
}

fn shown(text: &[u8]) -> Vec<&'static str> {
    let holds = |secret: &&&str| text.windows(secret.len()).any(|part| part == secret.as_bytes());
    SECRETS.iter().filter(holds).copied().collect()
}

/// Every file that a run has written, and what it said.
fn written(scratch: &Scratch, run: &Run) -> Vec<u8> {
    let mut all = [run.out.as_bytes(), run.err.as_bytes(), run.trace.as_bytes()].concat();
    for file in ["json", "page.html", "pf", "graph.folded", "trace"] {
        all.extend(std::fs::read(scratch.path(file)).unwrap_or_default());
        let _ = std::fs::remove_file(scratch.path(file));
    }
    all
}

const VIEWS: &[&[&str]] = &[
    &["-v", "-s", "200"],
    &["-s", "200", "--json"],
    &["--html=page.html"],
    &["--perfetto=pf"],
    &["--tree"],
    &["-yy", "-P", ".netrc", "-s99"],
];

#[test]
fn no_view_shows_a_secret() {
    need!("/usr/bin/python3");
    for &engine in engines() {
        for view in VIEWS {
            let scratch = prepared(&format!("redact{engine}{}", view.concat().replace(['/', '.'], "")));
            let options = [&[engine, "-f", "--redact=own"], *view].concat();
            let run =
                scratch.stride(options.iter().chain(&["/usr/bin/python3", "program.py", "--password", "opthush7"]));
            assert_eq!(run.code(), Some(0), "{run:?}");
            assert_eq!(shown(&written(&scratch, &run)), [""; 0], "{engine} {view:?}");
        }
    }
}

#[test]
fn all_else_is_shown() {
    need!("/usr/bin/python3");
    for &engine in engines() {
        let scratch = prepared(&format!("redact-else{engine}"));
        let run = scratch.stride([engine, "-v", "-s", "200", "--redact=own", "/usr/bin/python3", "program.py"]);
        let plain = scratch.stride([engine, "-v", "-s", "200", "/usr/bin/python3", "program.py"]);
        assert_eq!(shown(plain.trace.as_bytes()), SECRETS, "without the option they are shown");
        for text in [
            r#""GET / HTTP/1.1\r\nAuthorization: Bearer *********\r\n\r\n""#,
            r#"[{iov_base="postgres://me:********@db/x", iov_len=27}, {iov_base="{\"password\": \"*********\"}", iov_len=25}]"#,
            r#""/nowhere/customer-********/x""#,
            r#"["true", "--password=********", "--token", "********", "plainarg"], ["DB_PASSWORD=********", "HOME=/plainhome"]"#,
            r#""nothing to hide: plainword""#,
            r#"read(4, "**********", 10) "#,
        ] {
            assert!(run.trace.contains(text), "{engine}: {text}\n{}", run.trace);
        }
        let told = r"--redact: \d+ secrets were redacted: \d+ values of secrets' names, \d+ requests' credentials, \d+ parts of URLs, 3 pieces of files of secrets, 1 match of your own patterns";
        assert!(is_in(&run.err, told), "{engine}: {}", run.err);
    }
}

fn is_in(text: &str, pattern: &str) -> bool {
    regex::Regex::new(pattern).unwrap().is_match(text)
}

const TEXTS: [&str; 5] = ["plainword", "plainarg", "plainhome", "Authorization", "PASSWORD"];

/// With --paths-only, no view shows a text that is no path, and paths have no secrets.
#[test]
fn only_paths_are_shown() {
    need!("/usr/bin/python3");
    let left = |text: &[u8]| {
        let holds = |secret: &&&str| text.windows(secret.len()).any(|part| part == secret.as_bytes());
        SECRETS.iter().chain(&TEXTS).filter(holds).copied().collect::<Vec<_>>()
    };
    for &engine in engines() {
        for view in VIEWS {
            let scratch = prepared(&format!("paths-only{engine}{}", view.concat().replace(['/', '.'], "")));
            let options = [&[engine, "-f", "--paths-only", "--redact=own"], *view].concat();
            let run =
                scratch.stride(options.iter().chain(&["/usr/bin/python3", "program.py", "--password", "opthush7"]));
            assert_eq!(run.code(), Some(0), "{run:?}");
            assert!(
                is_in(&run.err, r"--paths-only: \d+ texts that are no paths were redacted\. --redact: "),
                "{}",
                run.err
            );
            assert_eq!(left(&written(&scratch, &run)), [""; 0], "{engine} {view:?}");
        }
        // Paths, lengths and numbers stay.
        let scratch = prepared(&format!("paths-only-else{engine}"));
        let program = ["/usr/bin/python3", "program.py"];
        let run = scratch.stride([engine, "-v", "-s", "200", "--paths-only", "--redact=own"].iter().chain(&program));
        for text in [
            r#""server.key", O_RDONLY"#,
            r#""/nowhere/customer-********/x""#,
            r#"execve("/bin/true", ["****", "*******************", "*******", "********", "********"], ["********************", "***************"])"#,
            r#"iov_len=27}, {iov_base="*************************", iov_len=25}]"#,
        ] {
            assert!(run.trace.contains(text), "{engine}: {text}\n{}", run.trace);
        }
        assert!(run.trace.contains(r#""**************************", 26) = 26"#), "{engine}: {}", run.trace);
        // A recording that was made without the option.
        scratch.stride([engine, "-v", "-s", "200", "--record=plain"].iter().chain(&program));
        let mut replay = bare_stride();
        replay.args(["--replay=plain", "--paths-only", "-v", "-s", "200", "--json"]).current_dir(scratch.path(""));
        let shown = Run::of(replay);
        assert!(shown.out.contains("server.key"), "{engine}: {shown:?}");
        let own = shown.out.replace("customer-ownhush8", "");
        assert_eq!(left(own.as_bytes()), [""; 0], "{engine}");
    }
}

/// A recording that was made without the option is redacted when it is shown. One that was made with it has no secrets.
#[test]
fn recordings() {
    need!("/usr/bin/python3");
    for &engine in engines() {
        let scratch = prepared(&format!("redact-recording{engine}"));
        let replay = |recording: &str, options: &[&str]| {
            let mut command = bare_stride();
            command.arg(format!("--replay={recording}")).args(options).current_dir(scratch.path(""));
            Run::of(command)
        };
        let kept = |recording: &str| shown(replay(recording, &["--json", "-s", "200", "-v"]).out.as_bytes());
        let command = ["/usr/bin/python3", "program.py", "--password", "opthush7"];
        let options = [engine, "-f", "-v", "-y", "-s", "200", "--record=plain"];
        scratch.stride(options.iter().chain(&command));
        assert_eq!(kept("plain"), SECRETS, "{engine}");
        let _ = std::fs::remove_file(scratch.path("trace"));
        for view in VIEWS {
            let run = replay("plain", &[&["--redact=own"], *view].concat());
            assert_eq!(run.code(), Some(0), "{run:?}");
            assert_eq!(shown(&written(&scratch, &run)), [""; 0], "{engine} {view:?}");
        }
        let options = [engine, "-f", "-v", "-y", "-s", "200", "--redact=own", "--record=made"];
        scratch.stride(options.iter().chain(&command));
        assert_eq!(kept("made"), [""; 0], "{engine}");
        assert!(replay("made", &[]).out.contains("nothing to hide"), "{engine}");
        // A copy without secrets takes the place of the recording.
        let run = replay("plain", &["--redact=own", "--record=copy"]);
        assert_eq!(run.code(), Some(0), "{run:?}");
        assert_eq!(kept("copy"), [""; 0], "{engine}");
        let same = ["-s", "200", "-v", "-y"];
        let redacted = replay("plain", &[&["--redact=own"], &same[..]].concat()).out;
        assert_eq!(replay("copy", &same).out, redacted, "{engine}");
    }
}

#[test]
fn patterns_that_cannot_be() {
    let scratch = prepared("redact-wrong");
    std::fs::write(scratch.path("wrong"), "fine\n(\n").unwrap();
    for (file, message) in [
        ("nothing", "Can't read the patterns of --redact from 'nothing'"),
        ("wrong", "line 2 of 'wrong' is no regular expression"),
    ] {
        let run = scratch.stride([&format!("--redact={file}"), "true"]);
        assert!(run.code() == Some(1) && run.err.contains(message), "{run:?}");
    }
    let run = scratch.stride(["--redact", "true"]);
    assert!(run.code() == Some(0) && run.err.contains("--redact: no secret was found"), "{run:?}");
}
