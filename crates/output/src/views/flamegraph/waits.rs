//! The reasons why the thread of a call was not on a CPU. They are boxes below the call.

use crate::line::waits::{HIDDEN, interrupt_word};
use stride_event::{CallWaits, Ns, WaitKind, Waker};
use stride_syscalls::table;

/// The times off the CPU in a call, each with its kind, and with the waker if that is known. Of several sleeps, only the longest has a
/// known waker.
pub fn parts(waits: &CallWaits) -> impl Iterator<Item = (WaitKind, Option<Waker>, Ns)> {
    let longest = waits.longest;
    let parts = waits.in_call.parts().flat_map(move |(kind, time)| {
        let longest = longest.filter(|sleep| sleep.kind == kind);
        let waker = longest.and_then(|sleep| sleep.waker);
        let ended = longest.filter(|_| waker.is_some()).map_or(0, |sleep| sleep.time.min(time));
        [(kind, waker, ended), (kind, None, time - ended)]
    });
    parts.filter(|(.., time)| *time > 0)
}

/// `woken by redis-server: sendto`. Threads of one name are one, so that their times add up.
pub fn woken_by(waker: &Waker) -> Vec<u8> {
    match waker {
        Waker::Thread(thread, call) => {
            let call = call.map(|(abi, nr)| format!(": {}", table(abi).name(nr))).unwrap_or_default();
            let name = Some(thread.name()).filter(|name| !name.is_empty()).unwrap_or(b"?");
            [b"woken by ", name, call.as_bytes()].concat()
        }
        Waker::Interrupt(interrupt) => match interrupt.device() {
            Some(device) => [b"woken by the device ", device].concat(),
            None => format!("woken by {}", interrupt_word(interrupt)).into_bytes(),
        },
        Waker::Hidden => format!("woken by {HIDDEN}").into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::FlameGraph;
    use super::super::weight::FlameWeight;
    use super::super::{folded, page};
    use super::*;
    use crate::views::html::run_facts::RunFacts;
    use stride_event::{Bottom, Call, Interrupt, NamedThread, Outcome, Sleep};
    use stride_syscalls::Abi;
    use stride_test_support::calls::{call, spawned};
    use stride_test_support::stacks::{frame, stack};
    use stride_track::Tracker;

    fn waiting(name: &str, parts: &[(WaitKind, Ns)], longest: Option<(WaitKind, Ns, Option<Waker>)>) -> Call {
        let in_call = parts.iter().copied().collect();
        let longest = longest.map(|(kind, time, waker)| Sleep { kind, time, waker });
        let waits = CallWaits { in_call, longest, ..CallWaits::default() };
        Call { waits: Some(Box::new(waits)), ..call(1, name, &[0; 6], Outcome::Value(1)) }
    }

    fn graph(calls: &[Call]) -> FlameGraph {
        let mut tracker = Tracker::default();
        tracker.event(&spawned(1, 5), &());
        let mut graph = FlameGraph::new(FlameWeight::Waits);
        calls.iter().for_each(|call| graph.returned(call, &tracker));
        graph.finish();
        graph
    }

    const MS: Ns = 1_000_000;

    /// Calls with all kinds of waits, and one that did not wait.
    fn calls() -> Vec<Call> {
        let redis = |tid| NamedThread { tid, process: tid, comm: *b"redis;\n<i>\0\0\0\0\0\0" };
        let by = |tid| Some(Waker::Thread(redis(tid), Some((Abi::X86_64, 44))));
        let interrupt = |interrupt| Some(Waker::Interrupt(interrupt));
        let device = Interrupt::Device(*b"virtio0-req.0\0\0\0");
        vec![
            // Several sleeps, of which the waker of the longest is known.
            waiting(
                "read",
                &[(WaitKind::Blocked, 50 * MS), (WaitKind::Runnable, 3 * MS)],
                Some((WaitKind::Blocked, 40 * MS, by(412))),
            ),
            // Another thread of this name adds to it. A sleep cannot have been longer than the time asleep.
            waiting("read", &[(WaitKind::Blocked, 5 * MS)], Some((WaitKind::Blocked, 6 * MS, by(413)))),
            waiting("fsync", &[(WaitKind::Disk, 7 * MS)], Some((WaitKind::Disk, 7 * MS, interrupt(device)))),
            waiting(
                "nanosleep",
                &[(WaitKind::Blocked, 9 * MS)],
                Some((WaitKind::Blocked, 9 * MS, interrupt(Interrupt::Timer))),
            ),
            waiting(
                "getppid",
                &[(WaitKind::Throttled, 2 * MS), (WaitKind::Stopped, 4 * MS)],
                Some((WaitKind::Stopped, 4 * MS, None)),
            ),
            waiting("pause", &[(WaitKind::Blocked, 3 * MS)], Some((WaitKind::Blocked, 3 * MS, Some(Waker::Hidden)))),
            waiting("getpid", &[(WaitKind::Runnable, 999)], None),
            waiting("gettid", &[], None),
            call(1, "getuid", &[0; 6], Outcome::Value(0)),
        ]
    }

    #[test]
    fn waits_stand_below_their_calls() {
        let text = String::from_utf8(folded::render(&graph(&calls()))).unwrap();
        let lines: Vec<&str> = text.lines().map(|line| line.split_once("[unknown];").unwrap().1).collect();
        let expected = [
            "fsync;disk;woken by the device virtio0-req.0 7000",
            "getppid;stopped 4000",
            "getppid;throttled 2000",
            "nanosleep;blocked;woken by a timer 9000",
            "pause;blocked;woken by another process 3000",
            "read;blocked 10000",
            "read;blocked;woken by redis:\\n<i>: sendto 45000",
            "read;runnable 3000",
        ];
        assert_eq!(lines, expected);
    }

    /// The functions of the waker's call stand below its name, the innermost first, whichever of the two calls is reported first.
    #[test]
    fn the_stack_of_the_waker() {
        let writer = NamedThread { tid: 2, process: 2, comm: *b"writer\0\0\0\0\0\0\0\0\0\0" };
        let by = Some(Waker::Thread(writer, Some((Abi::X86_64, 1))));
        let woken = |entered| {
            let mut call = waiting("read", &[(WaitKind::Blocked, 5 * MS)], Some((WaitKind::Blocked, 5 * MS, by)));
            call.waits.as_mut().unwrap().sleeps = 1;
            Call { entered: Some(entered), returned: entered + 6 * MS, ..call }
        };
        let writes = |entered, function, bottom| {
            let functions = ["write", function, "main"].map(|function| frame("/bin/writer", function));
            let stack = Some(stack(functions, bottom));
            Call {
                tid: 2,
                stack,
                entered: Some(entered),
                returned: entered + MS / 2,
                ..call(2, "write", &[0; 6], Outcome::Value(1))
            }
        };
        let calls = [
            writes(5 * MS, "answers", Bottom::Reached),
            woken(0),
            woken(10 * MS),
            writes(15 * MS, "asks", Bottom::Limit),
            woken(20 * MS),
        ];
        let text = String::from_utf8(folded::render(&graph(&calls))).unwrap();
        let lines: Vec<&str> = text.lines().map(|line| line.split_once("woken by ").unwrap().1).collect();
        let expected =
            ["writer: write 5000", "writer: write;write;answers;main 5000", "writer: write;write;asks;main;[...] 5000"];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_page_of_waits_has_one_measure() {
        let page = page::render(&graph(&calls()), RunFacts::default());
        assert!(!page.contains("redis;\\\\n<i>"), "the name of a waker is data, and not markup");
        let (_, data) = page.split_once("id=\"data\">").unwrap();
        let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        assert_eq!(data["measures"], serde_json::json!(["waits"]));
        let boxes: Vec<u64> = data["boxes"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        let shown = |numbers: &[u64]| {
            let label = &data["labels"][numbers[1] as usize];
            (label[0].as_str().unwrap().to_owned(), label[2].as_str().unwrap().to_owned(), numbers[2])
        };
        let boxes: Vec<_> = boxes.chunks(3).map(shown).collect();
        // The program, and all waits in its calls.
        assert_eq!((boxes[0].1.as_str(), boxes[0].2), ("program", 83 * MS + 999));
        for (name, kind, time) in [
            ("blocked", "asleep", 55 * MS),
            ("woken by redis;\\n<i>: sendto", "waker", 45 * MS),
            ("runnable", "no-cpu", 3 * MS),
            ("throttled", "no-cpu", 2 * MS),
        ] {
            let found = boxes.iter().any(|of| (of.0.as_str(), of.1.as_str(), of.2) == (name, kind, time));
            assert!(found, "{name}: {boxes:?}");
        }
    }
}
