//! The functions of PHP programs among the functions of their stacks (`-k`), with every version of PHP 8 that this machine has.
//!
//! `tests/stacks/frames.php` tells the frames of each of its calls as PHP itself knows them.

mod common;

#[path = "common/fastcgi.rs"]
mod fastcgi;
#[path = "common/phps.rs"]
mod phps;

use common::script_frames::*;
use common::*;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stride_test_support::Killed;

const CALLS: [&str; 2] = ["-e", "trace=access,faccessat,faccessat2"];

fn program() -> PathBuf {
    root().join("tests/stacks/frames.php")
}

fn frames_are_those_that_php_knows(php: &Path, options: &[&str]) {
    for &engine in engines() {
        let run = format!("{} {options:?} {engine}", php.display());
        let scratch =
            Scratch::new(&format!("php-frames-{}{}{engine}", php.display(), options.join("")).replace('/', "-"));
        let php = php.to_string_lossy();
        let command = [&[&*php], options].concat();
        let calls = calls(&traced(&scratch, engine, &command, &program(), &CALLS));
        are_as_told(&run, "mark", None, &told(&scratch), &calls);
        in_their_order(&calls, &run);
    }
}

/// Frames of PHP stand where PHP called them: between the function that a C function calls and the one that calls this C function is the C function itself.
fn in_their_order(calls: &[(usize, Vec<Value>)], run: &str) {
    let in_order = |stack: &[Value]| {
        let place =
            |wanted: &str| stack.iter().position(|frame| frame["symbol"].as_str().is_some_and(|name| name == wanted));
        let (inner, outer) = (place("Shop::compare")?, place("Shop::sorted")?);
        let between = stack.get(inner + 1..outer)?;
        let is_native = !between.is_empty() && between.iter().all(|frame| frame.get("module").is_some());
        Some(is_native && place("mark")? < inner)
    };
    assert!(calls.iter().filter(|(_, stack)| in_order(stack) == Some(true)).count() >= 2, "{run}: {calls:#?}");
    // All evaluation functions have given their places to what they run, also in their rarely executed parts.
    let is_left = |frame: &Value| frame["symbol"].as_str().is_some_and(|name| name.starts_with("execute_ex"));
    assert!(!calls.iter().any(|(_, stack)| stack.iter().any(is_left)), "{run}");
}

/// Functions of PHP are callers as others are, also in recordings.
#[test]
fn as_callers() {
    let Some(php) = phps::newest() else {
        skip!("no PHP 8");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("php-callers{engine}"));
        traced(&scratch, engine, &[&php.to_string_lossy()], &program(), &[&CALLS[..], &["--record=rec"]].concat());
        let told = told(&scratch).len();
        let marks = |options: &[&str]| calls_of_caller(&scratch, "mark (frames.php)", options);
        assert_eq!(marks(&[]), told, "{engine}");
        assert_eq!(marks(&["--called-from=^Shop::compare$"]), 3, "{engine}");
        assert_eq!(marks(&["--called-from=frames\\.php$"]), told, "{engine}");
        let text = scratch.replay(&["-k", "--called-from=^Shop::compare$"]).out;
        let is_in_text =
            |function: &str| text.lines().any(|line| is(line, &format!(r" > .*/frames\.php\({function}\):\d+")));
        assert!(is_in_text("mark") && is_in_text("Shop::sorted"), "{engine}: {text}");
    }
}

/// Functions that PHP compiles have their frames, too, although nothing tells how to unwind their code.
#[test]
fn compiled_functions() {
    let Some(php) = phps::newest().filter(|php| phps::compiles(php)) else {
        skip!("no PHP 8 with opcache");
    };
    for mode in ["tracing", "function"] {
        let mode = format!("opcache.jit={mode}");
        let settings = ["opcache.enable_cli=1", "opcache.jit_buffer_size=32M", "opcache.jit_hot_func=1", &mode];
        let options: Vec<&str> = settings.iter().flat_map(|setting| ["-d", setting]).collect();
        for &engine in engines() {
            let scratch = Scratch::new(&format!("php-{mode}{engine}"));
            let php = php.to_string_lossy();
            let command = [&[&*php], &options[..]].concat();
            let calls = calls(&traced(&scratch, engine, &command, &program(), &CALLS));
            are_as_told(&format!("{mode} {engine}"), "mark", None, &told(&scratch), &calls);
        }
    }
}

/// php-fpm with one worker, which answers requests to a socket.
struct Fpm {
    _master: Killed,
    socket: PathBuf,
    worker: i32,
}

fn fpm(scratch: &Scratch, fpm: &Path) -> Fpm {
    let socket = scratch.path("socket");
    let settings = format!(
        "[global]\nerror_log = \"{}\"\ndaemonize = no\n[www]\n{}listen = \"{}\"\npm = static\npm.max_children = 1\n",
        scratch.path("log").display(),
        if is_root() { "user = root\ngroup = root\n" } else { "" },
        socket.display()
    );
    std::fs::write(scratch.path("settings"), settings).unwrap();
    let mut command = Command::new(fpm);
    command.args(["-R", "-F", "-y"]).arg(scratch.path("settings")).stderr(Stdio::null());
    let master = Killed(command.spawn().unwrap());
    let children = format!("/proc/{0}/task/{0}/children", master.tid());
    let worker = || std::fs::read_to_string(&children).ok()?.split_whitespace().next()?.parse().ok();
    wait_until("a worker", || socket.exists() && worker().is_some());
    Fpm { worker: worker().unwrap(), _master: master, socket }
}

const APPLICATION: &str = "<?php
function setting($name) {
    $settings = parse_ini_string(file_get_contents(__DIR__ . '/settings.ini'));
    return $settings[$name] ?? null;
}

function page() {
    for ($i = 0; $i < 20; $i++) {
        setting('color');
    }
    return 'done';
}

echo page();
";

/// A server that runs already is advised by the lines of its application.
#[test]
fn a_server_of_pages() {
    let Some(program) = phps::fpm() else {
        skip!("no php-fpm of PHP 8");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("php-fpm{engine}"));
        std::fs::write(scratch.path("app.php"), APPLICATION).unwrap();
        std::fs::write(scratch.path("settings.ini"), "color = red\n").unwrap();
        let fpm = fpm(&scratch, &program);
        let page = || fastcgi::get(&fpm.socket, &scratch.path("app.php"));
        // The code was compiled before Stride comes.
        assert!(page().contains("done"), "{engine}");
        let mut command = stride();
        command.args([engine, "--advise=all", "-o"]).arg(scratch.path("advice")).args(["-p", &fpm.worker.to_string()]);
        let mut stride = Killed(command.stderr(File::create(scratch.path("err")).unwrap()).spawn().unwrap());
        scratch.wait_attached(1);
        (0..10).for_each(|_| assert!(page().contains("done"), "{engine}"));
        send(&stride, Signal::SIGINT);
        stride.0.wait().unwrap();
        let advice = scratch.read("advice");
        assert!(advice.contains("setting (app.php:3)"), "{engine}: {advice}");
    }
}

macro_rules! versions {
    ($($name:ident: $minor:literal $word:ident)*) => { $(
        #[test]
        fn $name() {
            let Some(php) = phps::of_version($minor, phps::$word) else {
                skip!("no PHP 8.{} with words of {} bytes", $minor, phps::$word);
            };
            frames_are_those_that_php_knows(php, &[]);
        }
    )* };
}
versions! {
    php_8_0: 0 USUAL
    php_8_1: 1 USUAL
    php_8_2: 2 USUAL
    php_8_3: 3 USUAL
    php_8_4: 4 USUAL
    php_8_5: 5 USUAL
    php_8_2_of_32_bits: 2 NARROW
    php_8_4_of_32_bits: 4 NARROW
}
