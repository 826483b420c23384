//! The whole machine (`--all`): which processes are traced, from when, and until when. Other processes run meanwhile, so each test
//! looks for its own only.

mod common;

use common::everything;
use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stride_engine_base::Engine as _;
use stride_engine_ebpf::{EbpfEngine, Settings};
use stride_event::{CgroupPath, Event, Glob, Machine, Outcome, Tid, TraceSpec};
use stride_syscalls::table;
use stride_test_support::state::state;
use stride_test_support::{Killed, Scratch, need_ebpf, or_skip, program, skip};

#[path = "common/counter.rs"]
mod counter;

fn spec(machine: Machine) -> TraceSpec {
    TraceSpec { machine: Some(machine), ..everything() }
}

/// Watches the machine, also what this test starts.
fn watch(machine: Machine) -> EbpfEngine {
    EbpfEngine::start_with(spec(machine), Settings { own_children: true, ..Settings::default() }).unwrap()
}

fn exe(path: &Path) -> Machine {
    Machine { exe: vec![Glob::of_path(path.as_os_str().as_bytes()).unwrap()], ..Machine::default() }
}

/// A copy of a program under a name of its own.
fn copy(program: &str, scratch: &Scratch, name: &str) -> PathBuf {
    let to = scratch.path(name);
    // Another process writes it: a child that another thread forks meanwhile keeps this process's files open.
    fs::write(&to, "").unwrap();
    fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).unwrap();
    let written = Command::new("/bin/sh").args(["-c", "cat \"$0\" >\"$1\"", program]).arg(&to).status();
    assert!(written.is_ok_and(|status| status.success()));
    to
}

fn has_ended(pid: Tid) -> bool {
    state(pid).is_none_or(|state| state == 'Z')
}

/// The names of the calls of each thread, until `last` has ended or was released. (If it was never traced, until it is quiet
/// after its end.)
fn calls_until(engine: &mut EbpfEngine, last: Tid) -> HashMap<Tid, Vec<&'static str>> {
    let mut calls: HashMap<Tid, Vec<&'static str>> = HashMap::new();
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Exit(call) => {
                let name = table(call.abi).get(call.nr).map_or("?", |entry| entry.row.name);
                calls.entry(call.tid).or_default().push(name);
            }
            Event::Exited { tid, .. } | Event::Detached { tid, .. } if tid == last => break,
            // Its records may have come since: they are read before the engine has stopped.
            Event::Idle if has_ended(last) => engine.stop(),
            _ => {}
        }
    }
    calls
}

#[test]
fn all_of_many_short_processes_are_seen() {
    need_ebpf!();
    let brood = program!("brood");
    const CHILDREN: u64 = 3000;
    let counter = or_skip!(counter::Counter::start());
    // All records find room, however slow the machine is.
    let settings = Settings { ring_bytes: Some(64 << 20), own_children: true, ..Settings::default() };
    let mut engine = EbpfEngine::start_with(spec(exe(brood)), settings).unwrap();
    let mut parent = Killed(Command::new(brood).arg(CHILDREN.to_string()).spawn().unwrap());
    let pid = parent.tid();
    let (mut started, mut ended) = (0, 0);
    let mut returned: HashMap<Tid, u64> = HashMap::new();
    let mut gone = 0;
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Started { tid, .. } if tid != pid => {
                started += 1;
                returned.insert(tid, 0);
            }
            Event::Exit(call) if call.tid != pid => match call.outcome {
                Outcome::Gone => gone += 1,
                _ => *returned.get_mut(&call.tid).expect("it started") += 1,
            },
            Event::Exited { tid, .. } if tid == pid => break,
            Event::Idle if has_ended(pid) => engine.stop(),
            Event::Exited { status: 0, .. } => ended += 1,
            _ => {}
        }
    }
    assert_eq!((started, gone, ended), (CHILDREN, CHILDREN, CHILDREN));
    assert!(engine.lost().is_none(), "{:?}", engine.lost());
    // On x86-64 the other count has the child's return from the fork of its parent, too.
    let more = u64::from(cfg!(target_arch = "x86_64"));
    let missed: Vec<_> =
        returned.iter().filter(|&(&tid, &seen)| counter.returned(tid).0 != seen + more).take(5).collect();
    assert!(missed.is_empty(), "{missed:?}");
    engine.stop();
    while engine.next().unwrap().is_some() {}
    assert!(parent.0.wait().unwrap().success());
}

#[test]
fn executables_are_told_apart_by_their_paths() {
    need_ebpf!();
    let scratch = Scratch::new("all-exe");
    let (wanted, other) = (copy("/bin/true", &scratch, "wanted"), copy("/bin/true", &scratch, "other"));
    let mut engine = watch(exe(&wanted));
    let mut other = Command::new(other).spawn().unwrap();
    other.wait().unwrap();
    let mut wanted = Command::new(wanted).spawn().unwrap();
    let calls = calls_until(&mut engine, wanted.id() as Tid);
    wanted.wait().unwrap();
    assert_eq!(calls.keys().copied().collect::<Vec<_>>(), [wanted.id() as Tid]);
    let calls = &calls[&(wanted.id() as Tid)];
    // The first call of every program, and its last.
    assert_eq!((calls[0], calls[calls.len() - 1]), ("brk", "exit_group"));
}

#[test]
fn names_are_looked_at_when_a_program_is_executed() {
    need_ebpf!();
    let scratch = Scratch::new("all-comm");
    let name = format!("sh{}", std::process::id());
    let shell = copy("/bin/sh", &scratch, &name);
    let machine =
        |pattern: String| Machine { comm: vec![Glob::parse(pattern.as_bytes()).unwrap()], ..Machine::default() };
    let mut engine = watch(machine(name[..name.len() - 1].to_owned() + "?"));
    let mut child = Command::new(shell).args(["-c", "cd / && exec /bin/true"]).spawn().unwrap();
    let pid = child.id() as Tid;
    let calls = calls_until(&mut engine, pid);
    child.wait().unwrap();
    // Dropped when it executed the other program.
    assert!(calls[&pid].contains(&"chdir") && !calls[&pid].contains(&"exit_group"), "{calls:?}");
    assert_eq!(calls.len(), 1);
}

#[test]
fn patterns_turned_round_leave_out_what_matches() {
    need_ebpf!();
    let scratch = Scratch::new("all-not");
    let dir = scratch.path("").to_string_lossy().into_owned();
    let (a, b) = (copy("/bin/true", &scratch, "a"), copy("/bin/true", &scratch, "b"));
    let globs = [format!("{dir}*"), "!*[b-z]".to_owned()].map(|text| Glob::parse(text.as_bytes()).unwrap());
    let mut engine = watch(Machine { exe: globs.to_vec(), ..Machine::default() });
    Command::new(b).status().unwrap();
    let mut a = Command::new(a).spawn().unwrap();
    let calls = calls_until(&mut engine, a.id() as Tid);
    a.wait().unwrap();
    assert_eq!(calls.keys().copied().collect::<Vec<_>>(), [a.id() as Tid]);
}

#[test]
fn a_process_is_traced_while_it_is_in_the_cgroup() {
    need_ebpf!();
    let Some(root) = stride_engine_base::cgroup_root() else { skip!("no cgroup hierarchy of version 2") };
    let cgroup = root.join(format!("stride-test-{}", std::process::id()));
    if let Err(why) = fs::create_dir(&cgroup) {
        skip!("{}: {why}", cgroup.display());
    }
    let below = cgroup.join("below");
    fs::create_dir(&below).unwrap();
    let mut engine = watch(in_cgroup(&root, &cgroup));
    let script = format!(
        "cd /; echo $$ >{0}/cgroup.procs; cd /bin; cd /etc; echo $$ >{1}/cgroup.procs; cd /lib",
        below.display(),
        root.display()
    );
    let mut child = Command::new("/bin/sh").args(["-c", &script]).stdout(Stdio::null()).spawn().unwrap();
    let pid = child.id() as Tid;
    let calls = calls_until(&mut engine, pid);
    assert!(child.wait().unwrap().success());
    drop(engine);
    fs::remove_dir(below).unwrap();
    fs::remove_dir(cgroup).unwrap();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[&pid].iter().filter(|name| **name == "chdir").count(), 2, "{calls:?}");
}

fn in_cgroup(root: &Path, cgroup: &Path) -> Machine {
    let names = cgroup.strip_prefix(root).unwrap().iter().map(Into::into).collect();
    Machine { cgroups: vec![CgroupPath { root: root.to_owned(), names }], ..Machine::default() }
}

/// Makes cgroups of a name from different times, and of similar names, and counts the calls of a process in each.
#[test]
fn a_cgroup_is_followed_that_is_made_later_and_again() {
    need_ebpf!();
    let Some(root) = stride_engine_base::cgroup_root() else { skip!("no cgroup hierarchy of version 2") };
    let slice = root.join(format!("stride-again-{}.slice", std::process::id()));
    let unit = slice.join("unit");
    if let Err(why) = fs::create_dir(&slice) {
        skip!("{}: {why}", slice.display());
    }
    let mut engine = watch(in_cgroup(&root, &unit));
    let run = |dir: &Path, moves: usize| {
        fs::create_dir_all(dir).unwrap();
        let script = format!(
            "echo $$ >{}/cgroup.procs; {}echo $$ >{}/cgroup.procs",
            dir.display(),
            "cd /etc; ".repeat(moves),
            root.display()
        );
        let status = Command::new("/bin/sh").args(["-c", &script]).status().unwrap();
        assert!(status.success());
        fs::remove_dir(dir).unwrap();
    };
    run(&slice.join("unit2"), 1);
    run(&unit, 2);
    run(&unit, 3);
    fs::remove_dir(&slice).unwrap();
    // The cgroup above is another one, too.
    run(&unit, 4);
    fs::remove_dir(&slice).unwrap();
    run(&root.join(format!("unit-{}", std::process::id())), 5);
    // And the cgroup is there at the end.
    fs::create_dir_all(&unit).unwrap();
    let script = format!("echo $$ >{}/cgroup.procs; exec /bin/true", unit.display());
    let mut last = Command::new("/bin/sh").args(["-c", &script]).spawn().unwrap();
    let calls = calls_until(&mut engine, last.id() as Tid);
    assert!(last.wait().unwrap().success());
    drop(engine);
    fs::remove_dir(&unit).unwrap();
    fs::remove_dir(&slice).unwrap();
    let moves = |calls: &Vec<&str>| calls.iter().filter(|name| **name == "chdir").count();
    let mut moves: Vec<usize> = calls.values().map(moves).collect();
    moves.sort_unstable();
    assert_eq!(moves, [0, 2, 3, 4], "{calls:?}");
}

#[test]
fn a_process_that_takes_on_the_user_is_traced() {
    need_ebpf!();
    const USER: u32 = 54_321;
    let actor = program!("changes-user");
    let machine = Machine { user: Some(USER), exe: exe(actor).exe, ..Machine::default() };
    let mut engine = watch(machine);
    let mut child = Command::new(actor).arg(USER.to_string()).spawn().unwrap();
    let pid = child.id() as Tid;
    let calls = calls_until(&mut engine, pid);
    if !child.wait().unwrap().success() {
        skip!("setresuid(2) is refused");
    }
    // It was another user before and afterwards. The call that ends it is the user's own.
    let getpgrp = if cfg!(target_arch = "x86_64") { "getpgrp" } else { "getpgid" };
    assert_eq!(calls[&pid], [getpgrp, getpgrp, "setresuid"]);
}

#[test]
fn children_are_followed_so_deep() {
    need_ebpf!();
    for (depth, expected) in [(0, 1), (1, 2), (2, 3)] {
        let script = "cd /; (cd /; (cd /; :); :); :";
        let spec = common::command(Path::new("/bin/sh"), &["-c", script]);
        let mut engine = EbpfEngine::start(TraceSpec { max_depth: Some(depth), ..spec }).unwrap();
        let mut changes = 0;
        while let Some(event) = engine.next().unwrap() {
            if let Event::Exit(call) = event {
                changes += u32::from(table(call.abi).get(call.nr).is_some_and(|entry| entry.row.name == "chdir"));
            }
        }
        assert_eq!(changes, expected, "depth {depth}");
    }
}
