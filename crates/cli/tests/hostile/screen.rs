//! A view that draws on a terminal.

use crate::common::{STRIDE, Scratch, copy_program, wait_until};
use crate::fixtures::Fixture;
use crate::scene;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::pty::{Winsize, openpty};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Runs a shell with a hostile name, waits until the screen shows the name, and leaves. All that was drawn is in the
/// fixture's file.
pub fn of_a_program(scratch: &Scratch, engine: &str, fixture: &Fixture) {
    let program = scratch.path("").join(OsStr::from_bytes(scene::PROGRAM));
    std::fs::remove_file(&program).unwrap();
    copy_program("/bin/dash", &program);
    let size = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = openpty(&size, None).unwrap();
    for end in [&terminal.master, &terminal.slave] {
        fcntl(end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).unwrap();
    }
    let end = || terminal.slave.try_clone().unwrap();
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait", STRIDE, engine]).args(fixture.options).arg(&program);
    command.args(["-c", "i=0; while [ $i -lt 50 ]; do : < /dev/null; : < nowhere; i=$((i + 1)); done"]);
    command.current_dir(scratch.path("")).env("TERM", "xterm-256color").stdin(end()).stdout(end()).stderr(end());
    let mut stride = crate::common::Killed(command.spawn().unwrap());
    drop(command);
    drop(terminal.slave);
    let mut keys = File::from(terminal.master);
    let mut screen = keys.try_clone().unwrap();
    let drawn = Arc::new(Mutex::new(Vec::new()));
    let all = Arc::clone(&drawn);
    // Reading fails when nobody has the terminal any more.
    let reading = std::thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(n @ 1..) = screen.read(&mut part) {
            all.lock().unwrap().extend_from_slice(&part[..n]);
        }
    });
    let shows = |text: &str| String::from_utf8_lossy(&drawn.lock().unwrap()).contains(text);
    wait_until("the escaped name", || shows(r"img src=x") && shows(r"\33]"));
    keys.write_all(b"q").unwrap();
    stride.0.wait().unwrap();
    reading.join().unwrap();
    std::fs::write(scratch.path(fixture.file), &*drawn.lock().unwrap()).unwrap();
}
