//! The page as a whole, from made-up events.

use super::*;
use serde_json::Value;
use std::io;
use stride_event::{CallWaits, Lost, NamedThread, Ns, Outcome, Sleep, StartKind, Tid, WaitKind, WaitTimes, Waker};
use stride_syscalls::Abi;
use stride_test_support::calls::{Memory, call_of, capture_all, forked, lasting, spawned};
use stride_test_support::written::Disk;

fn call(name: &str, tid: Tid, args: [u64; 6], memory: &[u8], at: Ns, took: Ns, outcome: Outcome) -> Call {
    let mut call = lasting(call_of(Abi::NATIVE, tid, name, &args, Outcome::Pending), at, took);
    capture_all(&mut call, &mut Memory(memory));
    Call { outcome, ..call }
}

fn openat(tid: Tid, path: &[u8], at: Ns, took: Ns, outcome: Outcome) -> Call {
    let memory = [path, b"\0"].concat();
    call("openat", tid, [-100i64 as u64, 0x1000, 0, 0, 0, 0], &memory, at, took, outcome)
}

struct Run {
    view: HtmlView,
    tracker: Tracker,
    out: Disk,
}

impl Run {
    fn new() -> Run {
        let out = Disk::default();
        let info = RunInfo { engine: "made up".into(), ..RunInfo::default() };
        let view = HtmlView::new(
            "page".into(),
            Box::new(out.clone()),
            Style::default(),
            Options::default(),
            Box::new(()),
            &info,
        );
        Run { view, tracker: Tracker::default(), out }
    }

    fn event(&mut self, event: &Event<'_>) {
        self.tracker.event(event, &());
        self.view.event(event, &self.tracker);
    }

    fn started(&mut self, tid: Tid, process: Tid, parent: Option<Tid>, at: Ns) {
        let made = parent.map_or(spawned(process, at), |parent| forked(parent, tid, process, at));
        self.event(&made);
    }

    fn finish(mut self, lost_calls: u64) -> (String, Value) {
        let end = End {
            tracker: &self.tracker,
            lost: Lost { calls: lost_calls, ..Lost::default() },
            with_source: &std::sync::Arc::clone,
        };
        assert_eq!(self.view.finish(&end), "");
        assert_eq!(self.view.take_error(), None);
        let page = self.out.text();
        let (_, data) = page.split_once("id=\"data\">").unwrap();
        let data = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        (page, data)
    }
}

fn sum(list: &Value, key: &str) -> u64 {
    list.as_array().unwrap().iter().map(|row| row[key].as_u64().unwrap()).sum()
}

#[test]
fn every_section_counts_the_same_calls() {
    let mut run = Run::new();
    run.started(1, 1, None, 0);
    run.started(2, 1, Some(1), 10);
    run.started(3, 3, Some(1), 20);
    for i in 0..300u64 {
        let tid = 1 + (i % 3) as Tid;
        let outcome = if i % 10 == 0 { Outcome::Error(2) } else { Outcome::Value(5) };
        run.event(&Event::Exit(&openat(tid, format!("/f{}", i % 7).as_bytes(), 100 + i * 50, 10 + i, outcome)));
    }
    run.event(&Event::Exited { tid: 3, status: 4, at: 20_000 });
    let (_, data) = run.finish(0);
    let numbers = &data["numbers"];
    assert_eq!((numbers["calls"].as_u64(), numbers["errors"].as_u64()), (Some(300), Some(30)));
    assert_eq!((numbers["threads"].as_u64(), numbers["processes"].as_u64()), (Some(3), Some(2)));
    assert_eq!(numbers["length"], 20_000);
    let time: u64 = (0..300).map(|i| 10 + i).sum();
    for (section, count, spent) in [
        (&data["calls"]["rows"], "calls", "time"),
        (&data["files"]["rows"], "calls", "time"),
        (&data["timeline"]["lanes"], "calls", "busy"),
        (&data["processes"]["rows"], "calls", "busy"),
    ] {
        assert_eq!((sum(section, count), sum(section, spent), sum(section, "errors")), (300, time, 30), "{section}");
    }
    assert_eq!(sum(&data["errors"]["rows"], "count"), 30);
    assert_eq!(data["processes"]["rows"][1]["end"], "exit 4");
    assert_eq!(data["slowest"].as_array().unwrap().len(), 100);
    assert_eq!(data["slowest"][0]["took"], 309);
    let text = data["slowest"][0]["text"].as_u64().unwrap() as usize;
    assert_eq!(data["texts"][text], r#"openat(AT_FDCWD, "/f5", O_RDONLY) = 5</f5>"#);
    assert_eq!(data["warnings"].as_array().unwrap().len(), 0);
}

#[test]
fn what_was_lost_comes_first() {
    let mut run = Run::new();
    run.view.note("'rec' breaks off at byte 7");
    run.started(1, 1, None, 0);
    run.event(&Event::Lost { tid: 1, count: 1204, at: 40 });
    let (_, data) = run.finish(1204);
    let warnings: Vec<_> = data["warnings"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    assert!(warnings[0].starts_with("1,204 calls were made and not seen"), "{warnings:?}");
    assert_eq!(warnings[1], "'rec' breaks off at byte 7");
    assert_eq!(data["numbers"]["lost"], 1204);
    assert_eq!(data["timeline"]["lanes"][0]["lost"], serde_json::json!([40, 1204]));
}

/// A call that is open when tracing ends is in the timeline. A call that cannot return is not.
#[test]
fn calls_under_way_at_the_end() {
    let mut run = Run::new();
    run.started(1, 1, None, 0);
    let exit = call("exit_group", 1, [0; 6], b"", 50, 30, Outcome::Gone);
    run.event(&Event::Exit(&exit));
    let mut blocked = call("pause", 1, [0; 6], b"", 100, 0, Outcome::Pending);
    blocked.returned = 100;
    run.event(&Event::Detached { tid: 1, call: Some(&blocked), at: 900 });
    let (_, data) = run.finish(0);
    let slices = data["timeline"]["lanes"][0]["slices"].as_array().unwrap();
    let slice: Vec<u64> = slices.iter().map(|n| n.as_u64().unwrap()).collect();
    assert_eq!((slice.len(), slice[0], slice[1], slice[3]), (5, 100, 800, 2));
    assert_eq!(data["texts"][slice[4] as usize], "pause()");
    assert_eq!(data["numbers"]["calls"], 0);
}

/// A thread whose name is markup ended a sleep of this length.
fn waited(time: Ns) -> Option<Box<CallWaits>> {
    let mut in_call = WaitTimes::default();
    in_call.add(WaitKind::Blocked, time);
    in_call.add(WaitKind::Runnable, 103_000);
    let waker = NamedThread { tid: 412, process: 412, comm: *b"<img onerror=1>\xe2" };
    let waker = Some(Waker::Thread(waker, Some((Abi::X86_64, 44))));
    let longest = Some(Sleep { time, kind: WaitKind::Blocked, waker });
    Some(Box::new(CallWaits { in_call, sleeps: 1, longest, ..CallWaits::default() }))
}

/// With `--waits`, each call of the timeline has a text about its waits.
#[test]
fn calls_tell_of_their_waits() {
    let mut run = Run::new();
    run.started(1, 1, None, 0);
    run.started(2, 1, Some(1), 0);
    let plain = openat(1, b"/a", 100, 10, Outcome::Value(3));
    run.event(&Event::Exit(&plain));
    run.event(&Event::Exit(&Call {
        waits: waited(40_020_000),
        ..openat(1, b"/b", 200, 50_000_000, Outcome::Value(4))
    }));
    run.event(&Event::Exit(&Call { tid: 2, ..plain }));
    let (page, data) = run.finish(0);
    let lanes = &data["timeline"]["lanes"];
    let waits: Vec<usize> =
        lanes[0]["waits"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
    assert_eq!((waits.len(), waits[0]), (2, 0));
    let told = r"blocked 40.0 ms by \74img onerror=1\76\342[412] sendto, waited for a CPU 103 µs";
    assert_eq!(data["texts"][waits[1]], told);
    assert_eq!(lanes[1]["waits"], serde_json::json!([]), "nothing is stored for a thread that did not wait");
    // On a CPU throughout, and blocked for four fifths.
    assert_eq!((&lanes[0]["states"], &lanes[1]["states"]), (&"z000007s0010".into(), &"z00000".into()));
    let sendto = data["calls"]["rows"].as_array().unwrap().iter().position(|row| row["name"] == "sendto").unwrap();
    assert_eq!(lanes[0]["wakers"], serde_json::json!([0, 0, 412, sendto + 1]));
    assert_eq!(lanes[1]["wakers"], serde_json::json!([]));
    assert!(!page.contains("<img"));
}

/// A thread that had no CPU between two calls, and a thread that may have been in the midst of a wait when tracing began.
#[test]
fn states_between_calls_and_unknown_ones() {
    let mut run = Run::new();
    run.started(1, 1, None, 0);
    run.event(&Event::Started { tid: 2, process: 2, origin: StartKind::Attached, at: 0 });
    for tid in [1, 2] {
        run.event(&Event::Exit(&openat(tid, b"/a", 100, 20, Outcome::Value(3))));
        let before = WaitTimes::from_iter([(WaitKind::Runnable, 30_000), (WaitKind::Throttled, 10_000)]);
        let waits = Some(Box::new(CallWaits { before, ..CallWaits::default() }));
        run.event(&Event::Exit(&Call { waits, ..openat(tid, b"/b", 50_120, 10, Outcome::Value(3)) }));
    }
    let (_, data) = run.finish(0);
    let lanes = &data["timeline"]["lanes"];
    assert_eq!(data["timeline"]["measured"], true);
    for lane in [&lanes[0], &lanes[1]] {
        let slices: Vec<u64> = lane["slices"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        let known: Vec<_> = slices.chunks(5).map(|slice| (slice[0], slice[1], slice[3])).collect();
        assert_eq!(known, [(100, 20, 0), (20, 50_000, 3), (50_000, 10, 0)]);
        let between = lane["waits"][1].as_u64().unwrap() as usize;
        assert_eq!(data["texts"][between], "waiting for a CPU 30.0 µs, throttled by its cgroup 10.0 µs");
        assert_eq!(lane["calls"], 2);
    }
    assert_eq!(
        (&lanes[0]["states"], &lanes[1]["states"]),
        (&"z000007000l7z00000".into(), &"0000007000l7z00000".into())
    );
    let (_, data) = {
        let mut run = Run::new();
        run.started(1, 1, None, 0);
        run.event(&Event::Exit(&openat(1, b"/a", 100, 20, Outcome::Value(3))));
        run.finish(0)
    };
    let lane = &data["timeline"]["lanes"][0];
    assert_eq!((&data["timeline"]["measured"], &lane["states"]), (&false.into(), &"".into()));
}

/// The page stays small whatever the input, and no input can end its data.
#[test]
fn hostile_and_endless() {
    let mut run = Run::new();
    run.started(1, 1, None, 0);
    let nasty = "</script><img src=x onerror=alert(1)>\u{2028}\n\u{202e}";
    for i in 0..60_000u64 {
        let (at, pid) = (i * 1_000, 100 + i as Tid);
        let path = [format!("/{i}/").as_bytes(), nasty.as_bytes(), b"\xff\xfe", "<".repeat(300).as_bytes()].concat();
        run.started(pid, pid, Some(1), at);
        let outcome = if i % 2 == 0 { Outcome::Error(1 + (i % 130) as u32) } else { Outcome::Value(3) };
        run.event(&Event::Exit(&openat(pid, &path, at, 10 + i * 7919 % 5_000, outcome)));
        let before = WaitTimes::from_iter([(WaitKind::Runnable, i % 3_000)]);
        let waits = waited(1_000 + i * 1_009).map(|waits| Box::new(CallWaits { before, ..*waits }));
        run.event(&Event::Exit(&Call { waits, ..openat(1, &path, at, 100 + i % 512, outcome) }));
        let unknown =
            Call { tid: 1, nr: 1000 + i % 5_000, entered: Some(at), returned: at + (1 << (i % 37)), ..Call::default() };
        run.event(&Event::Exit(&Call { outcome: Outcome::Error(38), ..unknown }));
        run.event(&Event::Lost { tid: pid, count: 1, at });
        if i % 3 > 0 {
            run.event(&Event::Killed { tid: pid, signal: 9, core: true, at: at + 900 });
        }
    }
    let (page, data) = run.finish(7);
    assert!(page.len() < 5_000_000, "{}", page.len());
    assert_eq!(data["numbers"]["calls"], 180_000);
    let lanes = &data["timeline"]["lanes"];
    assert_eq!(lanes.as_array().unwrap().len() as u64 + data["timeline"]["more"].as_u64().unwrap(), 60_001);
    let processes = &data["processes"];
    let hidden = processes["more"].as_u64().unwrap() + sum(&processes["rows"], "more");
    assert_eq!(processes["rows"].as_array().unwrap().len() as u64 + hidden, 60_001);
    // There are the page's own two scripts and no others.
    assert_eq!((page.matches("</script").count(), page.matches("<script").count()), (2, 2));
    assert!(!page.contains("<img") && !page.contains('\u{2028}') && !page.contains('\u{202e}'));
    let name = data["files"]["rows"][0]["name"].as_str().unwrap();
    assert!(name.contains(r"</script><img src=x onerror=alert(1)>\u{2028}\n\u{202e}\xff\xfe"), "{name}");
}

#[test]
fn a_full_disk_is_told() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(28))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (style, options) = (Style::default(), Options::default());
    let mut view = HtmlView::new("p.html".into(), Box::new(Full), style, options, Box::new(()), &RunInfo::default());
    view.finish(&End { tracker: &Tracker::default(), lost: Lost::default(), with_source: &std::sync::Arc::clone });
    assert_eq!(
        view.take_error().map(|e| e.to_string()).as_deref(),
        Some("Can't write the page 'p.html': No space left on device")
    );
    assert_eq!(view.take_error(), None);
}

/// When room is short, texts are dropped first.
#[test]
fn too_much_is_cut() {
    let mut run = Run::new();
    run.started(1, 1, None, 0);
    let gathered = run.view.gathered.take().unwrap();
    let mut data = gathered.data(RunFacts::default(), None, &Marks::default(), &run.tracker);
    data.title = "<".repeat(700_000);
    data.texts = (0..3_000).map(|i| format!("{i}{}", "x".repeat(1_000))).collect();
    let page = page::render(&mut data);
    assert!((3_000_000..5_000_000).contains(&page.len()), "{}", page.len());
    assert!(data.texts.len() > 100 && data.texts[1].starts_with("1x"));
}
