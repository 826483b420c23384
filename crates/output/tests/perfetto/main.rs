//! Perfetto traces are read back by a reader that shares no code with the writer.

mod reader;
mod scene;
mod schema;

use prost::Message;
use reader::{Arg, Slice, packets};
use scene::{Scene, call, failed};
use std::sync::Arc;
use stride_event::{
    BlockRef, Bottom, Call, CallWaits, Event, Interrupt, NamedThread, Outcome, Phase, Sleep, Stack, Taker, Tid,
    WaitKind, Waker,
};
use stride_syscalls::Abi;
use stride_test_support::calls::{Memory, capture_all, number, spawned};
use stride_test_support::noise::Noise;
use stride_test_support::stacks::{at_line, frame, merging, stack};
use stride_test_support::written::Disk;

fn arg<'s>(slice: &'s Slice, key: &str) -> &'s str {
    match slice.args.get(key) {
        Some(Arg::Text(text)) => text,
        other => panic!("{key} of {slice:?} is text: {other:?}"),
    }
}

#[test]
fn a_slice_for_each_call() {
    let mut scene = Scene::new();
    scene.exit(10, 20, call("openat", [-100i64 as u64, 0x1000, 0, 0], "/etc/passwd", 3));
    scene.exit(30, 50, call("read", [3, 0x2000, 100], "", 7));
    scene.exit(60, 70, failed(call("openat", [-100i64 as u64, 0x1000, 0, 0], "nothing", 0), 2));
    scene.exit(80, 80, call("close", [3], "", 0));
    let read = scene.finish();
    let calls = read.calls();
    let shown: Vec<_> = calls.iter().map(|s| (&s.name[..], s.begin, s.end)).collect();
    let expected =
        [("openat", 10, Some(20)), ("read", 30, Some(50)), ("openat ENOENT", 60, Some(70)), ("close", 80, Some(80))];
    assert_eq!(shown, expected);
    let categories: Vec<_> = calls.iter().map(|s| s.categories.join(",")).collect();
    assert_eq!(categories, ["file", "desc", "file,error", "desc"]);
    assert_eq!(arg(calls[0], "args"), r#"AT_FDCWD, "/etc/passwd", O_RDONLY"#);
    assert_eq!(arg(calls[0], "path"), "/etc/passwd");
    assert_eq!(calls[0].args["ret"], Arg::Int(3));
    assert_eq!(arg(calls[1], "fd"), "/etc/passwd");
    assert_eq!(calls[1].args["ret"], Arg::Uint(7));
    assert_eq!(arg(calls[2], "ret"), "-1 ENOENT (No such file or directory)");
    assert_eq!(arg(calls[2], "errno"), "ENOENT");
    assert_eq!(arg(calls[2], "path"), "/home/nothing");
    assert_eq!(arg(calls[3], "fd"), "/etc/passwd");
}

#[test]
fn a_track_for_each_thread_under_its_process() {
    let mut scene = Scene::new();
    scene.fork(100, 101, 100, 5);
    scene.fork(100, 200, 200, 6);
    scene.exit_of(200, 7, 8, call("execve", [0x1000, 0, 0], "/bin/ls", 0));
    scene.event(Event::Exited { tid: 200, status: 3, at: 9 });
    let read = scene.finish();
    let mut threads: Vec<_> =
        read.threads.values().map(|t| (t.pid.unwrap(), t.tid.unwrap(), t.thread_name())).collect();
    threads.sort_unstable();
    assert_eq!(threads, [(100, 100, "first"), (100, 101, "first"), (200, 200, "ls")]);
    let mut processes: Vec<_> = read.processes.values().map(|p| (p.pid.unwrap(), p.process_name())).collect();
    processes.sort_unstable();
    assert_eq!(processes, [(100, "first"), (200, "ls")]);
    let names: Vec<_> = read.of_thread(200).iter().map(|s| &s.name[..]).collect();
    assert_eq!(names, ["started", "execve", "exec", "exited with 3"]);
}

#[test]
fn flows_lead_from_parent_to_child() {
    let mut scene = Scene::new();
    // The child may start before the parent's call returns. A child of vfork may even have ended by then.
    scene.fork(100, 101, 101, 15);
    scene.exit_of(101, 16, 17, call("getpid", [], "", 101));
    scene.exit(10, 20, call("fork", [], "", 101));
    scene.fork(100, 102, 102, 35);
    scene.event(Event::Killed { tid: 102, signal: 9, core: false, at: 36 });
    scene.exit(30, 40, call("vfork", [], "", 102));
    // In another PID namespace the call returns another number than Stride sees.
    scene.fork(100, 103, 100, 55);
    scene.exit(50, 60, call("clone", [0x3d0f00], "", 4));
    // The call may also be reported first.
    scene.exit(70, 80, call("clone3", [], "", 104));
    scene.fork(100, 104, 104, 82);
    let read = scene.finish();
    let tid = |s: &Slice| read.threads[&s.track].tid.unwrap();
    let flows: Vec<_> = read.flows().into_iter().map(|(a, b)| (&a.name[..], tid(a), &b.name[..], tid(b))).collect();
    let expected = [
        ("fork", 100, "started", 101),
        ("vfork", 100, "started", 102),
        ("clone", 100, "started", 103),
        ("clone3", 100, "started", 104),
    ];
    assert_eq!(flows, expected);
    for (from, to) in read.flows() {
        assert!(from.begin <= to.begin);
    }
}

#[test]
fn marks() {
    let mut scene = Scene::new();
    let mut info = [0; 128];
    info[0] = 17;
    scene.event(Event::Signal { tid: 100, info: &info, ip: None, stack: None, at: 10 });
    scene.event(Event::Stopped { tid: 100, signal: 19, at: 20 });
    scene.event(Event::Lost { tid: 100, count: 1204, at: 30 });
    scene.event(Event::Killed { tid: 100, signal: 11, core: true, at: 40 });
    let read = scene.finish();
    let marks: Vec<_> = read.of_thread(100).iter().map(|s| (&s.name[..], s.begin, s.categories.join(","))).collect();
    let expected = [
        ("attached", 1, "process"),
        ("SIGCHLD", 10, "signal"),
        ("stopped by SIGSTOP", 20, "signal"),
        ("1,204 calls lost", 30, "lost"),
        ("killed by SIGSEGV (core dumped)", 40, "process"),
    ];
    assert_eq!(marks, expected.map(|(name, at, category)| (name, at, category.to_string())));
    let mark = read.instants().into_iter().find(|s| s.name == "SIGCHLD").unwrap().clone();
    assert!(arg(&mark, "info").starts_with("{si_signo=SIGCHLD"));
}

#[test]
fn what_was_lost_is_told_at_the_end() {
    let mut scene = Scene::new();
    scene.lost = 70_000;
    let read = scene.finish();
    let message =
        read.instants().into_iter().find(|s| s.name == "in all, 70,000 calls were lost").expect("it is told").clone();
    assert_eq!(message.args["lost"], Arg::Uint(70_000));
    assert_eq!(read.tracks[&message.track].name(), "Stride");
}

#[test]
fn calls_that_never_returned() {
    let mut scene = Scene::new();
    for tid in 101..105 {
        scene.fork(100, tid, tid, 2);
    }
    let gone = |tid| {
        let mut call = call("read", [0, 0x2000, 1], "", 0);
        (call.tid, call.entered, call.returned, call.outcome) = (tid, Some(10), 10, Outcome::Gone);
        call
    };
    // The thread is killed in its call: the slice ends with the thread.
    scene.event(Event::Exit(&gone(101)));
    scene.event(Event::Killed { tid: 101, signal: 9, core: false, at: 50 });
    // Tracing left the thread in its call, or broke off.
    scene.event(Event::Enter(&gone(102)));
    scene.event(Event::Detached { tid: 102, call: Some(&gone(102)), at: 60 });
    scene.event(Event::Enter(&gone(103)));
    // The call is expected not to return.
    let mut exit = call("exit_group", [3], "", 0);
    (exit.tid, exit.entered, exit.outcome) = (104, Some(20), Outcome::Gone);
    scene.event(Event::Exit(&exit));
    scene.event(Event::Exited { tid: 104, status: 3, at: 21 });
    let read = scene.finish();
    let of = |tid| read.of_thread(tid).into_iter().find(|s| !s.instant).expect("a slice").clone();
    let ends: Vec<_> = (101..105).map(|tid| (of(tid).begin, of(tid).end)).collect();
    assert_eq!(ends, [(10, Some(50)), (10, None), (10, None), (20, Some(21))]);
    for tid in 101..104 {
        assert_eq!(of(tid).args["unfinished"], Arg::Bool(true), "{tid}");
        assert!(!of(tid).args.contains_key("ret"));
    }
    assert!(!of(104).args.contains_key("unfinished"));
    assert_eq!(read.calls().len(), 4);
}

#[test]
fn time_does_not_go_back_on_a_thread() {
    let mut scene = Scene::new();
    scene.exit(10, 100, call("pause", [], "", 0));
    let info = [10; 128];
    scene.event(Event::Signal { tid: 100, info: &info, ip: None, stack: None, at: 50 });
    scene.exit(90, 120, call("getpid", [], "", 0));
    let read = scene.finish();
    assert_eq!(read.calls().iter().map(|s| (s.begin, s.end)).collect::<Vec<_>>(), [(10, Some(100)), (100, Some(120))]);
}

#[test]
fn wall_time() {
    let read = Scene::new().finish();
    assert_eq!(read.wall_offset, Some(1_700_000_000_000_000_000));
}

#[test]
fn counters() {
    let mut scene = Scene::new();
    scene.fork(100, 200, 200, 1);
    for i in 0..1000 {
        scene.exit_of(100, i * 1_000_000 + 1, i * 1_000_000 + 1, call("getpid", [], "", 0));
        scene.exit_of(200, i * 1_000_000 + 1, i * 1_000_000 + 1, call("getpid", [], "", 0));
    }
    let read = scene.finish();
    let peak = |track: &u64| read.counters[track].iter().map(|(_, v)| *v).max().unwrap();
    let named: Vec<_> = read
        .counters
        .keys()
        .map(|track| {
            let descriptor = &read.tracks[track];
            assert_eq!(descriptor.name(), "calls per second");
            let parent = descriptor.parent_uuid.map(|uuid| read.processes[&uuid].pid());
            assert_eq!(read.counters[track].last().unwrap().1, 0, "none after the end");
            (parent, peak(track))
        })
        .collect();
    assert!(named.contains(&(None, 2000)) && named.contains(&(Some(100), 1000)) && named.contains(&(Some(200), 1000)));
}

#[test]
fn threads_that_come_and_go_share_a_sequence() {
    let mut scene = Scene::new();
    for tid in 1000..2000 {
        let at = u64::from(tid as u32) * 10;
        scene.fork(100, tid, tid, at);
        scene.exit_of(tid, at + 1, at + 2, call("openat", [-100i64 as u64, 0x1000, 0, 0], "/etc/passwd", 3));
        scene.event(Event::Exited { tid, status: 0, at: at + 3 });
    }
    let read = scene.finish();
    assert_eq!(read.calls().len(), 1000);
    assert_eq!(read.of_thread(1999).len(), 3);
    assert!(read.sequences.len() <= 4, "{} sequences", read.sequences.len());
}

#[test]
fn interning_begins_anew_before_it_grows_without_end() {
    let mut scene = Scene::new();
    for i in 0..12_000 {
        let path = format!("/tmp/{i}");
        // Each comes a second time, so that it gets a number.
        scene.exit(i, i, call("openat", [-100i64 as u64, 0x1000, 0, 0], &path, 3));
        scene.exit(i, i, call("unlink", [0x1000], &path, 0));
    }
    let read = scene.finish();
    assert!(read.cleared > 2, "{}", read.cleared);
    let calls = read.calls();
    assert_eq!(calls.len(), 24_000);
    for (i, pair) in calls.chunks(2).enumerate() {
        assert_eq!(arg(pair[0], "path"), format!("/tmp/{i}"));
        assert_eq!(arg(pair[1], "args"), format!("\"/tmp/{i}\""));
    }
}

#[test]
fn hostile_bytes() {
    let mut scene = Scene::new();
    let path = b"/tmp/\"\n\x1b[31m\xff</script>\\\xe2\x80\xae";
    scene.exit(10, 20, scene::bytes("execve", [0x1000, 0, 0], path, 0));
    scene.exit(30, 40, scene::bytes("prctl", [15, 0x1000], b"\xff\"\n\x07</script>", 0));
    let read = scene.finish();
    let seen = arg(read.calls()[0], "path").to_string();
    assert_eq!(seen, "/tmp/\"\\n\\u{1b}[31m\\xff</script>\\\\\\u{202e}");
    let name = read.processes.values().next().unwrap().process_name().to_string();
    assert_eq!(name, "\\xff\"\\n\\u{7}</script>");
    for slice in &read.slices {
        for value in slice.args.values() {
            assert!(!matches!(value, Arg::Text(text) if text.chars().any(char::is_control)), "{slice:?}");
        }
    }
}

#[test]
fn unknown_threads_and_calls() {
    let mut scene = Scene::new();
    let mut strange = call("getpid", [], "", 1);
    (strange.tid, strange.nr, strange.entered, strange.returned) = (777, 99_999, Some(10), 20);
    scene.event(Event::Exit(&strange));
    scene.event(Event::Exited { tid: 888, status: 0, at: 30 });
    // The end of this process was lost, and its number is used again.
    scene.fork(100, 777, 777, 40);
    let read = scene.finish();
    assert_eq!(read.calls()[0].name, "syscall_0x1869f");
    assert_eq!(read.threads.values().filter(|t| t.tid == Some(777)).count(), 2);
}

#[test]
fn a_thread_takes_over_its_leader() {
    let mut scene = Scene::new();
    scene.fork(100, 101, 100, 5);
    let mut pause = call("pause", [], "", 0);
    (pause.entered, pause.returned, pause.outcome) = (Some(6), 6, Outcome::Gone);
    scene.event(Event::Exit(&pause));
    let mut exec = call("execve", [0x1000, 0, 0], "/bin/ls", 0);
    (exec.tid, exec.entered) = (101, Some(10));
    scene.event(Event::Enter(&exec));
    scene.event(Event::Superseded { tid: 100, old: 101, call: None, at: 15 });
    scene.exit(10, 20, call("execve", [0x1000, 0, 0], "/bin/ls", 0));
    let read = scene.finish();
    let names = |tid| read.of_thread(tid).iter().map(|s| s.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(101), ["started", "goes on as 100: execve"]);
    assert_eq!(names(100), ["attached", "pause", "execve", "exec"]);
    assert_eq!(read.calls().len(), 2);
}

#[test]
fn a_full_disk() {
    let disk = Disk::of(50_000);
    let mut scene = Scene::on(disk.clone());
    for i in 0..30_000 {
        scene.exit(i, i, call("getpid", [], "", i as i64));
    }
    let error = scene.take_error().expect("it is told");
    assert!(scene.take_error().is_none(), "once");
    scene.exit(30_000, 30_000, call("getpid", [], "", 0));
    let kept = disk.bytes();
    let read = reader::read(&kept);
    let calls = read.calls().len();
    assert!(calls > 1000);
    let message: String = error.to_string().chars().filter(|c| *c != ',').collect();
    let expected = format!("'disk': No space left on device. It ends after {calls} calls ({} bytes)", kept.len());
    assert!(message.contains(&expected), "{message}\n{expected}");
}

#[test]
fn any_call_with_any_memory() {
    let mut scene = Scene::new();
    let mut noise = Noise(88_172_645_463_325_252);
    let mut next = || noise.number();
    for i in 0..5_000u64 {
        let mut call = stride_event::Call { tid: 100 + (next() % 3) as i32, nr: next() % 480, ..Default::default() };
        call.args = std::array::from_fn(|_| if next() % 2 == 0 { 0x1000 } else { next() >> (next() % 64) });
        call.outcome = match next() % 8 {
            0 => Outcome::Error((next() % 600) as u32),
            1 => Outcome::Gone,
            _ => Outcome::Value(next() as i64 >> (next() % 64)),
        };
        (call.entered, call.returned) = (Some(i * 10), i * 10 + next() % 10);
        let memory: Vec<u8> = (0..64).map(|_| next() as u8).collect();
        capture_all(&mut call, &mut Memory(&memory));
        scene.event(Event::Exit(&call));
    }
    assert_eq!(scene.finish().calls().len(), 5_000);
}

#[test]
fn a_call_takes_few_bytes() {
    let disk = Disk::default();
    let mut scene = Scene::on(disk.clone());
    scene.exit(0, 1, call("openat", [-100i64 as u64, 0x1000, 0, 0], "/dev/zero", 3));
    for i in 0..10_000u64 {
        let at = 100_000_000 + i * 20_000;
        scene.exit(at, at + 3_000, call("read", [3, 0x2000, 4096], "", (i % 4096) as i64));
    }
    scene.finish();
    let file = disk.bytes();
    let inflated: usize = reader::packets(&file).iter().map(|packet| packet.encoded_len() + 2).sum();
    let each = |bytes: usize| bytes as f64 / 10_001.0;
    assert!(each(inflated) < 60.0, "{} bytes a call", each(inflated));
    assert!(each(file.len()) < 15.0, "{} bytes a call, deflated", each(file.len()));
}

#[test]
fn origins() {
    let mut scene = Scene::new();
    scene.event(spawned(300, 2));
    let read = scene.finish();
    assert_eq!(read.of_thread(300)[0].name, "started");
    assert_eq!(read.of_thread(100)[0].name, "attached");
    assert!(read.flows().is_empty());
}

#[test]
fn nothing_is_before_the_beginning() {
    const BEGAN: u64 = 1000;
    let mut scene = Scene::begun(BEGAN, Disk::default());
    scene.event(spawned(300, 0));
    scene.exit_of(300, 0, BEGAN + 5, call("pause", [], "", 0));
    let read = scene.finish();
    assert!(read.slices.iter().all(|slice| slice.begin >= BEGAN));
    assert_eq!(read.calls()[0].end, Some(BEGAN + 5));
}

/// A process's command is written with the process, not with each thread.
#[test]
fn threads_of_a_long_command() {
    let disk = Disk::default();
    let mut scene = Scene::on(disk.clone());
    let mut execve = call("execve", [0x1000, 0x8000, 0], "/bin/x", 0);
    let pointers: Vec<u8> = (0..4000u64).flat_map(|i| (0x10_0000 + i * 32).to_ne_bytes()).collect();
    let block = |addr, bytes| BlockRef { op: 0, phase: Phase::Entry, addr, faulted: false, bytes };
    execve.blocks.push_block(block(0x8000, &pointers));
    (0..4000).for_each(|i| execve.blocks.push_block(block(0x10_0000 + i * 32, b"a rather long word\0")));
    scene.exit(10, 20, execve);
    (0..1000).for_each(|i| scene.fork(100, 1000 + i, 100, 100 + u64::from(i as u32)));
    scene.finish();
    let processes = packets(&disk.bytes()).into_iter().filter_map(|packet| packet.track_descriptor?.process);
    let message: Vec<usize> = processes.map(|process| process.cmdline.iter().map(String::len).sum()).collect();
    assert!(message.len() < 4 && message.iter().all(|bytes| *bytes <= 8192), "{message:?}");
    assert!(message.iter().any(|bytes| *bytes > 4000), "{message:?}");
}

/// The command waits for the engine. Its start is reported with its execve.
#[test]
fn waiting_for_the_command_does_not_begin_the_run() {
    const BEGAN: u64 = 1000;
    let mut scene = Scene::empty(0, Disk::default());
    scene.unseen(spawned(300, 5));
    scene.event(Event::Idle);
    scene.exit_of(300, BEGAN, BEGAN + 5, call("execve", [0x1000, 0, 0], "/bin/ls", 0));
    let read = scene.finish();
    assert_eq!(read.slices.iter().map(|slice| slice.begin).min(), Some(BEGAN));
}

/// A call's slice has the functions that led to it, outermost first. What repeats is defined once.
#[test]
fn stacks_of_calls() {
    let (disk, again) = (Disk::default(), Disk::default());
    let merged = merging(at_line(frame("/bin/prog", "main"), "/src/main.c", 7), &["inner"]);
    let known = stack([frame("/lib/libc.so.6", "read"), merged, frame("", "")], Bottom::Unknown);
    let read_call = |stack: &Arc<Stack>| Call { stack: Some(stack.clone()), ..call("read", [3, 0x2000, 100], "", 7) };
    let mut scene = Scene::on(disk.clone());
    scene.fork(100, 200, 200, 5);
    scene.exit(10, 20, read_call(&known));
    scene.exit(30, 40, read_call(&known));
    scene.exit_of(200, 30, 40, read_call(&known));
    scene.exit(50, 60, call("close", [3], "", 0));
    let read = scene.finish();
    let calls = read.calls();
    assert_eq!(calls.len(), 4);
    for call in calls.iter().filter(|call| call.name == "read") {
        assert_eq!(
            call.stack,
            [
                "[unknown]",
                "[anon]",
                "main /bin/prog@abcd+0x1234 /src/main.c:7",
                "inner /bin/prog@abcd+0x1234",
                "read /lib/libc.so.6@abcd+0x1234"
            ]
        );
        assert_eq!(arg(call, "caller"), "inner (prog)");
    }
    assert!(
        calls.iter().any(|call| call.name == "close" && call.stack.is_empty() && !call.args.contains_key("caller"))
    );
    // Without stacks, nothing of them is written.
    let mut scene = Scene::on(again.clone());
    scene.exit(10, 20, call("close", [3], "", 0));
    scene.finish();
    let interned =
        |disk: &Disk| packets(&disk.bytes()).into_iter().filter_map(|packet| packet.interned_data).collect::<Vec<_>>();
    assert!(interned(&again).iter().all(|data| data.function_names.is_empty() && data.callstacks.is_empty()));
    assert_eq!(interned(&disk).iter().map(|data| data.callstacks.len()).sum::<usize>(), 2, "one for each thread");
}

/// The sizes of stacks and the number of different ones are up to the program, or to a recording.
#[test]
fn stacks_without_end() {
    let disk = Disk::default();
    let mut scene = Scene::on(disk.clone());
    let deep = |i: u64| {
        let name = |j: u64| format!("{i}-{j}-{}", "x\n".repeat(400));
        stack((0..300).map(|j| frame("/bin/<prog>\n", &name(j))), Bottom::Limit)
    };
    for i in 0..600 {
        let stack = Some(deep(i));
        scene.exit(10 * i, 10 * i + 1, Call { stack, ..call("close", [3], "", 0) });
    }
    let read = scene.finish();
    assert_eq!(read.calls().len(), 600);
    for slice in read.calls() {
        assert!(slice.stack.len() == 129 && slice.stack[0] == "[...]" && slice.stack[128].contains("-0-x"));
    }
    assert!(read.cleared > 2, "the table of frames is emptied now and then");
}

/// A call that slept once, until the thread ended that with a call of this name.
fn woken(mut call: Call, asleep: u64, by: Tid, inside: &str) -> Call {
    let waker = NamedThread { tid: by, process: by, comm: *b"x\xff\0ooooooooooooo" };
    let waker = Some(Waker::Thread(waker, Some((Abi::NATIVE, number(Abi::NATIVE, inside)))));
    let longest = Some(Sleep { time: asleep, kind: WaitKind::Blocked, waker });
    let mut waits = CallWaits { sleeps: 1, longest, ..CallWaits::default() };
    waits.in_call.add(WaitKind::Blocked, asleep);
    call.waits = Some(Box::new(waits));
    call
}

#[test]
fn waits_are_arguments() {
    let mut scene = Scene::new();
    let slept = woken(call("read", [3, 0x2000, 100], "", 7), 40, 200, "write");
    let mut waits = *slept.waits.clone().unwrap();
    waits.in_call.add(WaitKind::Throttled, 5);
    waits.before.add(WaitKind::Disk, 3);
    waits.before.add(WaitKind::Runnable, 2);
    waits.sleeps = 4;
    waits.taker = Some(Taker::Thread(NamedThread { tid: 9, process: 9, comm: *b"dd\0\0\0\0\0\0\0\0\0\0\0\0\0\0" }));
    scene.exit(10, 60, Call { waits: Some(Box::new(waits)), ..slept.clone() });
    waits.longest.as_mut().unwrap().waker = Some(Waker::Interrupt(Interrupt::Timer));
    scene.exit(70, 120, Call { waits: Some(Box::new(waits)), ..slept });
    scene.exit(130, 140, call("close", [3], "", 0));
    let read = scene.finish();
    let calls = read.calls();
    let times = ["blocked_ns", "throttled_ns", "before_asleep_ns", "before_runnable_ns", "sleeps"];
    for slept in &calls[..2] {
        assert_eq!(times.map(|key| slept.args[key].clone()), [40, 5, 3, 2, 4].map(Arg::Uint));
        assert!(!slept.args.contains_key("disk_ns"), "it is 0");
        assert_eq!(arg(slept, "cpu_taken_by"), "dd[9]");
    }
    assert_eq!([arg(calls[0], "waker"), arg(calls[1], "waker")], ["x\\377[200] write", "a timer"]);
    assert!(!calls[2].args.contains_key("waker") && !calls[2].args.contains_key("blocked_ns"));
    assert!(read.flows().is_empty(), "several sleeps: it is not known when the longest one ended");
}

/// Each thread that waits has a track for that. Waits are as long as they were; in a call, they stand where a single wait does.
#[test]
fn waits_have_tracks() {
    let mut scene = Scene::new();
    let waiting = |call: Call, before: &[(WaitKind, u64)], in_call: &[(WaitKind, u64)]| {
        let times = |parts: &[(WaitKind, u64)]| parts.iter().copied().collect();
        let waits = CallWaits { before: times(before), in_call: times(in_call), ..CallWaits::default() };
        Call { waits: Some(Box::new(waits)), ..call }
    };
    let read_call = || call("read", [3, 0x2000, 1], "", 1);
    scene.fork(1_000, 200, 200, 5);
    let in_call = [(WaitKind::Runnable, 2_000), (WaitKind::Blocked, 5_000), (WaitKind::Throttled, 999)];
    scene.exit(10_000, 20_000, waiting(read_call(), &[(WaitKind::Runnable, 3_000)], &in_call));
    // Parts that do not fit are cut.
    let too_long = [(WaitKind::Stopped, 4_000), (WaitKind::Disk, u64::MAX)];
    scene.exit(22_000, 26_000, waiting(read_call(), &[(WaitKind::Runnable, 9_000)], &too_long));
    scene.exit_of(200, 30_000, 40_000, waiting(read_call(), &[], &[(WaitKind::Blocked, 9_000)]));
    let (tid, entered) = (200, Some(50_000));
    let outcome = Outcome::Pending;
    let lasts = waiting(Call { tid, entered, outcome, ..read_call() }, &[], &[(WaitKind::Blocked, 7_000)]);
    scene.event(Event::Detached { tid, call: Some(&lasts), at: 60_000 });
    let read = scene.finish();
    let waits = |tid| -> Vec<(String, u64, u64)> {
        let waits = read.waits_of(tid).into_iter();
        waits.map(|wait| (wait.name.clone(), wait.begin, wait.end.expect("an end"))).collect()
    };
    let named = |waits: &[(&str, u64, u64)]| -> Vec<_> {
        waits.iter().map(|&(name, from, to)| (name.to_owned(), from, to)).collect()
    };
    let of_command = [
        ("runnable", 7_000, 10_000),
        ("blocked", 10_000, 15_000),
        ("runnable", 15_000, 17_000),
        ("runnable", 20_000, 22_000),
        ("disk", 22_000, 26_000),
    ];
    assert_eq!(waits(100), named(&of_command));
    assert_eq!(waits(200), named(&[("blocked", 30_000, 39_000), ("blocked", 50_000, 57_000)]));
}

#[test]
fn flows_lead_from_wakers_to_the_calls_that_they_woke() {
    let mut scene = Scene::new();
    let write = || call("write", [4, 0x2000, 1], "", 1);
    let slept = |asleep, by, inside| woken(call("read", [3, 0x2000, 1], "", 1), asleep, by, inside);
    scene.fork(100, 200, 200, 5);
    scene.fork(100, 300, 300, 6);
    // The waker's call may return first, or last.
    scene.exit_of(200, 40, 50, write());
    scene.exit_of(200, 51, 52, call("close", [3], "", 0));
    scene.exit(10, 60, slept(35, 200, "write"));
    scene.exit(110, 150, slept(35, 200, "write"));
    scene.exit_of(200, 140, 160, write());
    // The waker's call is not in the trace, nor is the waker.
    scene.exit(210, 250, slept(35, 200, "futex"));
    scene.exit(310, 350, slept(35, 900, "write"));
    // A thread wakes its parent when it is gone.
    let mut exit = call("exit_group", [3], "", 0);
    (exit.tid, exit.entered, exit.returned, exit.outcome) = (300, Some(420), 420, Outcome::Gone);
    scene.event(Event::Exit(&exit));
    scene.event(Event::Exited { tid: 300, status: 3, at: 440 });
    scene.exit(410, 490, woken(call("wait4", [0, 0, 0, 0], "", 300), 50, 300, "exit_group"));
    let read = scene.finish();
    let flows: Vec<_> = read
        .flows()
        .into_iter()
        .filter(|(from, _)| from.name == "wakes")
        .map(|(from, to)| {
            assert_eq!((&to.name[..], from.categories.join(",")), ("woken", "wake".into()));
            let (waker, woken) = (read.around(from).expect("a call"), read.around(to).expect("a call"));
            (&waker.name[..], read.threads[&from.track].tid(), from.begin, &woken.name[..], to.begin)
        })
        .collect();
    let expected =
        [("write", 200, 45, "read", 45), ("write", 200, 145, "read", 145), ("exit_group", 300, 439, "wait4", 460)];
    assert_eq!(flows, expected);
    assert_eq!(read.instants().iter().filter(|mark| mark.categories == ["wake"]).count(), 6);
}

/// A recording may tell anything of waits.
#[test]
fn any_waits() {
    let mut scene = Scene::new();
    let mut noise = Noise(88_172_645_463_325_252);
    let mut next = || noise.number();
    for i in 0..5_000u64 {
        let tid = 100 + (next() % 4) as Tid;
        let by = [0, tid, 100, 101, 102, 103, -1, 9999][next() as usize % 8];
        let asleep = next() >> (next() % 64);
        let mut call = woken(call("read", [3, 0x2000, 1], "", 1), asleep, by, ["read", "write"][next() as usize % 2]);
        let waits = call.waits.as_mut().unwrap();
        waits.sleeps = (next() % 3) as u32;
        waits.before.add(WaitKind::ALL[next() as usize % 5], next() >> (next() % 64));
        waits.in_call.add(WaitKind::ALL[next() as usize % 5], next() >> (next() % 64));
        let at = i * 10;
        call.outcome = if next() % 8 == 0 { Outcome::Gone } else { Outcome::Value(1) };
        (call.tid, call.entered, call.returned) = (tid, (next() % 8 > 0).then_some(at), at + next() % 30);
        scene.event(Event::Exit(&call));
        if next() % 50 == 0 {
            scene.event(Event::Exited { tid, status: 0, at: at + 20 });
        }
    }
    assert_eq!(scene.finish().calls().len(), 5_000);
}
