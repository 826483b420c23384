//! Rulesets for Landlock, enforced by the kernel.

use super::common::{Scratch, engines, text};
use super::rules;
use std::fmt::Write;
use std::net::TcpListener;
use std::process::Command;
use stride_syscalls::uapi::consts as c;
use stride_test_support::{need, program, skip};
use toml::{Table, Value};

const RIGHTS: [(&str, u64); 18] = [
    ("execute", c::LANDLOCK_ACCESS_FS_EXECUTE),
    ("read_file", c::LANDLOCK_ACCESS_FS_READ_FILE),
    ("read_dir", c::LANDLOCK_ACCESS_FS_READ_DIR),
    ("write_file", c::LANDLOCK_ACCESS_FS_WRITE_FILE),
    ("truncate", c::LANDLOCK_ACCESS_FS_TRUNCATE),
    ("make_reg", c::LANDLOCK_ACCESS_FS_MAKE_REG),
    ("make_dir", c::LANDLOCK_ACCESS_FS_MAKE_DIR),
    ("make_sym", c::LANDLOCK_ACCESS_FS_MAKE_SYM),
    ("make_fifo", c::LANDLOCK_ACCESS_FS_MAKE_FIFO),
    ("make_sock", c::LANDLOCK_ACCESS_FS_MAKE_SOCK),
    ("make_char", c::LANDLOCK_ACCESS_FS_MAKE_CHAR),
    ("make_block", c::LANDLOCK_ACCESS_FS_MAKE_BLOCK),
    ("remove_file", c::LANDLOCK_ACCESS_FS_REMOVE_FILE),
    ("remove_dir", c::LANDLOCK_ACCESS_FS_REMOVE_DIR),
    ("refer", c::LANDLOCK_ACCESS_FS_REFER),
    ("ioctl_dev", c::LANDLOCK_ACCESS_FS_IOCTL_DEV),
    ("bind_tcp", c::LANDLOCK_ACCESS_NET_BIND_TCP),
    ("connect_tcp", c::LANDLOCK_ACCESS_NET_CONNECT_TCP),
];

/// The rights of a list of words.
fn bits(words: Option<&Value>) -> u64 {
    let words = words.and_then(Value::as_array).into_iter().flatten();
    let bit = |word: &Value| RIGHTS.iter().find(|(name, _)| Some(*name) == word.as_str()).expect("a known right").1;
    words.map(bit).fold(0, |all, bit| all | bit)
}

/// The ruleset as `tests/programs/landlocked.c` reads it.
fn lines(ruleset: &str) -> String {
    let ruleset: Table = ruleset.parse().unwrap_or_else(|why| panic!("{why}: {ruleset}"));
    let tables = |name: &str| ruleset.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let handled = |name: &str| tables("ruleset").iter().fold(0, |all, part| all | bits(part.get(name)));
    let mut out = format!("handled {} {}\n", handled("handled_access_fs"), handled("handled_access_net"));
    for (table, list, word) in [("path_beneath", "parent", "path"), ("net_port", "port", "port")] {
        for rule in tables(table) {
            for place in rule[list].as_array().unwrap() {
                let port = place.as_integer().map(|port| port.to_string());
                let place = port.unwrap_or_else(|| place.as_str().unwrap().replace("$$", "$"));
                writeln!(out, "{word} {} {place}", bits(rule.get("allowed_access"))).unwrap();
            }
        }
    }
    out
}

/// The program works under its rules, and cannot do what it did not do before.
#[test]
fn a_program_runs_under_its_ruleset() {
    need!("/bin/bash", "/bin/cat", "/bin/mv", "/bin/rm");
    let landlocked = program!("landlocked");
    let (known, other) = (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let connect = |listener: &TcpListener| format!("exec 3<>/dev/tcp/127.0.0.1/{}", port(listener));
    let works = format!(
        "cat 'in/a\"\\$$b' && mkdir -p out/d && echo x >out/d/f && mv out/d/f out/g && rm out/g && rmdir out/d && {}",
        connect(&known)
    );
    for engine in engines() {
        let scratch = Scratch::new(&format!("harden-landlock{engine}"));
        for directory in ["in", "out", "other"] {
            std::fs::create_dir(scratch.path(directory)).unwrap();
        }
        std::fs::write(scratch.path("in/a\"\\$$b"), "in\n").unwrap();
        std::fs::write(scratch.path("in/b"), "b\n").unwrap();
        let shell = format!("exec /bin/bash -c '{}'", works.replace('\'', "'\\''"));
        let ruleset = rules(&scratch, engine, &["--harden=landlock"], &shell);
        std::fs::write(scratch.path("lines"), lines(&ruleset)).unwrap();
        let under = |script: &str| {
            let mut command = Command::new(landlocked);
            command.args(["lines", "/bin/bash", "-c", script]).env("PATH", "/usr/bin:/bin");
            command.current_dir(scratch.path("")).output().unwrap()
        };
        let ran = under(&works);
        if ran.status.code() == Some(77) {
            skip!("the kernel has no Landlock with rules for ports");
        }
        assert!(ran.status.success(), "{engine}: {}\n{ruleset}", text(&ran.stderr));
        for refused in ["cat in/b", "echo x >other/f", "mkdir other/d", "/bin/ls", &connect(&other)] {
            let ran = under(refused);
            let said = text(&ran.stderr);
            assert!(
                !ran.status.success() && said.contains("ermission denied"),
                "{engine}: {refused}: {said}\n{ruleset}"
            );
        }
    }
}
