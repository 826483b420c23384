//! The functions of languages on stacks (`-k`), wherever their programs run: in processes that run already, in another program, in an environment, and below another root.
//!
//! Each program asks in a loop if a file is there, two functions deep, and the test makes this file when the trace has these functions.

mod common;

#[path = "common/javas.rs"]
#[allow(dead_code)] // Its own test uses the rest.
mod javas;

#[path = "common/nodes.rs"]
mod nodes;

#[path = "common/phps.rs"]
#[allow(dead_code)] // Its own test uses the rest.
mod phps;

#[path = "common/pythons.rs"]
mod pythons;

use common::*;
use pythons::Build;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

const CALLS: &str = "trace=stat,newfstatat,statx,access,faccessat,faccessat2";

const PYTHON: &str = "
import os, sys, time
def check(end):
    return os.path.exists(end)
def rounds(end):
    while not check(end):
        time.sleep(0.001)
rounds(sys.argv[1])
";

const NODE: &str = "
const fs = require('fs');
function check(end) { return fs.existsSync(end); }
function rounds(end) {
  while (!check(end)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}
rounds(process.argv[2]);
";

const PHP: &str = "<?php
function check($end) { clearstatcache(); return file_exists($end); }
function rounds($end) { while (!check($end)) usleep(1000); }
rounds($argv[1]);
";

const RUBY: &str = "
def check(last) = File.exist?(last)
def rounds(last)
  sleep 0.001 until check(last)
end
rounds(ARGV[0])
";

const PERL: &str = "
sub check { -e $_[0] }
sub rounds { select undef, undef, undef, 0.001 until check($_[0]) }
rounds($ARGV[0]);
";

const JAVA: &str = "
class Rounds {
  static boolean check(java.io.File end) { return end.exists(); }
  static void rounds(java.io.File end) throws InterruptedException { while (!check(end)) Thread.sleep(1); }
  public static void main(String[] arguments) throws InterruptedException { rounds(new java.io.File(arguments[0])); }
}
";

/// The functions of the programs above, the inner one first.
const FUNCTIONS: [&str; 2] = ["check", "rounds"];

/// True if the trace has a stack on which these functions follow each other.
fn has_functions(trace: &Path, functions: [&str; 2]) -> bool {
    let text = std::fs::read_to_string(trace).unwrap_or_default();
    let calls = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    calls.into_iter().any(|call| {
        let stack = call["stack"].as_array().cloned().unwrap_or_default();
        let names: Vec<&str> = stack.iter().filter_map(|frame| frame["symbol"].as_str()).collect();
        names.windows(2).any(|two| two == functions)
    })
}

/// Waits until a Stride that writes `trace` has told the functions of a program, and ends the program, with which Stride ends.
fn ends_with_functions(scratch: &Scratch, mut stride: Command, functions: [&str; 2]) {
    let mut stride = Killed(stride.stdout(Stdio::null()).spawn().unwrap());
    wait_until("the trace to have the functions", || has_functions(&scratch.path("trace"), functions));
    std::fs::write(scratch.path("end"), "").unwrap();
    assert!(stride.0.wait().unwrap().success());
}

/// Stride with these options and a command, which gets the path of the file `end`.
fn of_command(scratch: &Scratch, engine: &str, command: &[&str]) -> Command {
    let mut stride = bare_stride();
    stride.args([engine, "-q", "-f", "-k", "--json", "-e", CALLS, "-o"]).arg(scratch.path("trace"));
    stride.args(command).arg(scratch.path("end")).current_dir(scratch.path(""));
    stride
}

/// Stride attaches to the program when its functions have run for a while.
fn while_it_runs(language: &str, command: &[&str], source: &str, functions: [&str; 2]) {
    for engine in engines() {
        let scratch = Scratch::new(&format!("frames-attached-{language}{engine}"));
        let script = scratch.path(&format!("Rounds.{language}"));
        std::fs::write(&script, source).unwrap();
        let mut program = Command::new(command[0]);
        program.args(&command[1..]).arg(&script).arg(scratch.path("end"));
        let mut program = Killed(program.spawn().unwrap());
        let mut stride = bare_stride();
        stride.args([engine, "-q", "-f", "-k", "--json", "-e", CALLS, "-o"]).arg(scratch.path("trace"));
        stride.args(["-p", &program.0.id().to_string()]);
        ends_with_functions(&scratch, stride, functions);
        assert!(program.0.wait().unwrap().success(), "{engine}: the program goes on as if it were alone");
    }
}

fn any_python() -> Option<&'static Path> {
    (8..16).rev().find_map(|minor| pythons::of_version(minor, Build::Usual).first()).map(|path| &**path)
}

#[test]
fn python_that_runs_already() {
    let Some(python) = any_python() else { skip!("no Python 3.8 to 3.15") };
    while_it_runs("py", &[&python.to_string_lossy()], PYTHON, FUNCTIONS);
}

#[test]
fn node_that_runs_already() {
    let Some(node) = [22, 20, 18].into_iter().find_map(nodes::of_version) else { skip!("no Node 18, 20 or 22") };
    while_it_runs("js", &[&node.to_string_lossy()], NODE, FUNCTIONS);
}

#[test]
fn php_that_runs_already() {
    let Some(php) = phps::newest() else { skip!("no PHP 8") };
    while_it_runs("php", &[&php.to_string_lossy()], PHP, FUNCTIONS);
}

#[test]
fn ruby_that_runs_already() {
    let version = Command::new("ruby").args(["-e", "puts RUBY_VERSION"]).output();
    if !version.is_ok_and(|output| output.stdout.starts_with(b"3.1.")) {
        skip!("no Ruby 3.1");
    }
    while_it_runs("rb", &["ruby"], RUBY, FUNCTIONS);
}

#[test]
fn perl_that_runs_already() {
    need!("/usr/bin/perl");
    while_it_runs("pl", &["/usr/bin/perl"], PERL, ["main::check", "main::rounds"]);
}

#[test]
fn java_that_runs_already() {
    let Some(java) = [17, 21, 25].into_iter().find_map(javas::of_version) else { skip!("no Java 17, 21 or 25") };
    while_it_runs("java", &[&java.to_string_lossy()], JAVA, ["Rounds.check", "Rounds.rounds"]);
}

/// gdb has an interpreter of Python inside.
#[test]
fn in_another_program() {
    let has_python = Command::new("gdb").args(["-batch", "-nx", "-ex", "python print(6 * 7)"]).output();
    if !has_python.is_ok_and(|output| output.stdout.starts_with(b"42")) {
        skip!("no gdb with Python");
    }
    for engine in engines() {
        let scratch = Scratch::new(&format!("frames-gdb{engine}"));
        std::fs::write(scratch.path("rounds.py"), PYTHON).unwrap();
        let end = scratch.path("end");
        let run = format!(
            "python import sys; sys.argv = ['rounds.py', '{}']; exec(compile(open('rounds.py').read(), 'rounds.py', 'exec'))",
            end.display()
        );
        let mut stride = of_command(&scratch, engine, &["gdb", "-batch", "-nx", "-ex", &run]);
        // (gdb takes the last argument for a program, and there is none of this name.)
        stride.stderr(Stdio::null());
        ends_with_functions(&scratch, stride, FUNCTIONS);
    }
}

#[test]
fn in_an_environment() {
    let Some(python) = any_python() else { skip!("no Python 3.8 to 3.15") };
    for engine in engines() {
        let scratch = Scratch::new(&format!("frames-venv{engine}"));
        let environment = scratch.path("venv");
        let made = Command::new(python).args(["-m", "venv", "--without-pip"]).arg(&environment).output().unwrap();
        if !made.status.success() {
            skip!("Python makes no environment: {}", text(&made.stdout));
        }
        std::fs::write(scratch.path("rounds.py"), PYTHON).unwrap();
        let python = environment.join("bin/python").to_string_lossy().into_owned();
        ends_with_functions(&scratch, of_command(&scratch, engine, &[&python, "rounds.py"]), FUNCTIONS);
    }
}

/// The files of the interpreter have names that only its own mount namespace has.
#[test]
fn below_another_root() {
    let Some(python) = any_python() else { skip!("no Python 3.8 to 3.15") };
    let (Some(name), Some(prefix)) = (python.file_name(), python.parent().and_then(Path::parent)) else {
        skip!("{} is in no directory of programs", python.display());
    };
    let able = Command::new("unshare").args(["--mount", "true"]).output();
    if !is_root() || !able.is_ok_and(|output| output.status.success()) {
        skip!("no mount namespaces");
    }
    for engine in engines() {
        let scratch = Scratch::new(&format!("frames-root{engine}"));
        std::fs::create_dir(scratch.path("elsewhere")).unwrap();
        std::fs::write(scratch.path("rounds.py"), PYTHON).unwrap();
        let inside = format!(
            "mount --bind {} elsewhere && LD_LIBRARY_PATH=elsewhere/lib exec elsewhere/bin/{} rounds.py \"$0\"",
            prefix.display(),
            name.to_string_lossy()
        );
        let command = ["unshare", "--mount", "sh", "-c", &inside];
        ends_with_functions(&scratch, of_command(&scratch, engine, &command), FUNCTIONS);
    }
}

/// A package that reads a file, and a program that has it do so again and again.
const PACKAGE_OF_NODE: &str = "exports.load = (file) => require('fs').readFileSync(file, 'utf8');";
const USER_OF_NODE: &str = "
const config = require(process.argv[2] + '/node_modules/config');
function settings(file) {
  return config.load(file);
}
for (let n = 0; n < +process.argv[3]; n++) settings(process.argv[2] + '/settings');
";
const PACKAGE_OF_PYTHON: &str = "
def load(path):
    with open(path) as file:
        return file.read()
";
const USER_OF_PYTHON: &str = "
import sys
sys.path.insert(0, sys.argv[1] + '/site-packages')
import config
def settings(path):
    return config.load(path)
for n in range(int(sys.argv[2])):
    settings(sys.argv[1] + '/settings')
";

/// Advice has the line of the program, and names the package that makes the calls for it.
fn names_the_package(program: &Path, script: (&str, &str), package: (&str, &str), expected: &str) {
    for engine in engines() {
        let scratch = Scratch::new(&format!("frames-package-{}{engine}", script.0));
        let of_package = scratch.path(package.0);
        std::fs::create_dir_all(of_package.parent().unwrap()).unwrap();
        std::fs::write(of_package, package.1).unwrap();
        std::fs::write(scratch.path(script.0), script.1).unwrap();
        std::fs::write(scratch.path("settings"), "a setting").unwrap();
        let [program, script, directory] = [program, &scratch.path(script.0), &scratch.path("")].map(Path::to_owned);
        let command = [program, script, directory].map(|path| path.to_string_lossy().trim_end_matches('/').to_owned());
        // (Programs that are over at once may lack functions under eBPF.)
        let rounds = if engine.contains("ebpf") { "60000" } else { "3000" }.to_owned();
        let command: Vec<String> = command.into_iter().chain([rounds]).collect();
        let options = [engine, "-f", "--advise=all"].map(str::to_owned);
        let run = scratch.stride(options.iter().chain(&command));
        let text = run.trace.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(expected), "{engine}: {}", run.trace);
        let run = scratch.stride(options.iter().chain(&["--json".to_owned()]).chain(&command));
        assert!(run.trace.contains(r#""package":"config""#), "{engine}: {}", run.trace);
    }
}

#[test]
fn advice_names_a_package_of_node() {
    let Some(node) = [22, 20, 18].into_iter().find_map(nodes::of_version) else { skip!("no Node 18, 20 or 22") };
    let package = ("node_modules/config/index.js", PACKAGE_OF_NODE);
    names_the_package(node, ("app.js", USER_OF_NODE), package, "settings (app.js:4, package config)");
}

#[test]
fn advice_names_a_package_of_python() {
    let Some(python) = any_python() else { skip!("no Python 3.8 to 3.15") };
    let package = ("site-packages/config.py", PACKAGE_OF_PYTHON);
    names_the_package(python, ("app.py", USER_OF_PYTHON), package, "settings (app.py:6, package config)");
}
