//! `--time-by`: where the time of processes, threads and requests went.

mod common;

use common::*;
use serde_json::Value;

/// The objects about times.
fn times(out: &str) -> Vec<Value> {
    let objects = out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")));
    objects.filter(|object: &Value| object["type"] == "time_spent").collect()
}

fn number(of: &Value, key: &str) -> i64 {
    of[key].as_i64().unwrap_or_else(|| panic!("{key}: {of}"))
}

/// Those parts for which the function holds.
fn part(of: &Value, is: impl Fn(&Value) -> bool) -> i64 {
    of["parts"].as_array().unwrap().iter().filter(|part| is(part)).map(|part| number(part, "time_ns")).sum()
}

/// The parts add up to the total.
fn adds_up(of: &Value) {
    let (sum, total) = (part(of, |_| true), number(of, "total_ns"));
    assert!((sum - total).abs() <= total / 100, "{sum} of {total}: {of}");
}

/// For each process and each thread, the parts add up to the time from its beginning to its end.
#[test]
fn the_time_of_each_process_is_its_life() {
    let script = "sleep 0.2 & cat /dev/null; wait; i=0; while [ $i -lt 300 ]; do test -e /nothing; i=$((i+1)); done";
    for &engine in engines() {
        let scratch = Scratch::new(&format!("time-by-process{engine}"));
        let run = scratch.stride([engine, "-f", "--record=rec", "--time-by=process", "--json", "sh", "-c", script]);
        assert_eq!(run.code(), Some(0), "{run:?}");
        let found = times(&run.trace);
        let replayed = scratch.replay(&["--json"]);
        let mut lives = std::collections::HashMap::new();
        for event in replayed.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let (at, pid) = (event["time_ns"].as_i64().unwrap_or(0), event["pid"].as_i64().unwrap_or(0));
            match event["type"].as_str() {
                // The command's life begins with its program.
                Some("exec") | Some("start") if event["tid"] == event["pid"] => {
                    _ = lives.entry(pid).or_insert((at, at))
                }
                Some("exit") => _ = lives.entry(pid).and_modify(|life| life.1 = at),
                _ => {}
            }
        }
        assert!(found.len() == 3 && lives.len() == 3, "{run:?}");
        for process in &found {
            adds_up(process);
            let (from, to) = lives[&number(process, "pid")];
            let (life, total) = (to - from, number(process, "total_ns"));
            // (The command's start is Stride's in part.)
            assert!((life - total).abs() <= life / 100 + 2_000_000, "{life}: {process}");
        }
        let sleeps = found.iter().find(|process| process["comm"] == "sleep").unwrap();
        assert!(part(sleeps, |part| part["call"] == "clock_nanosleep") > 190_000_000, "{sleeps}");
        // A replay has the same.
        assert_eq!(times(&scratch.replay(&["--time-by=process", "--json"]).out), found);
    }
}

#[test]
fn each_thread_has_its_time() {
    let program = program!("requests").to_str().unwrap().to_string();
    for &engine in engines() {
        let scratch = Scratch::new(&format!("time-by-thread{engine}"));
        let run = scratch.stride([engine, "-f", "--time-by=thread", "--json", &program, "queue"]);
        let found = times(&run.trace);
        // The server, its two workers, and the clients.
        assert_eq!(found.len(), 3 + 4, "{run:?}");
        found.iter().for_each(adds_up);
        let works = |thread: &&Value| part(thread, |part| part["call"] == "clock_nanosleep") >= 4_000_000;
        assert_eq!(found.iter().filter(works).count(), 2, "{run:?}");
        let text = scratch.stride([engine, "-f", "--time-by=thread", &program, "queue"]);
        assert!(text.trace.starts_with("Where the time of each thread went:\n"), "{text:?}");
        assert!(text.trace.contains(" of process "), "{text:?}");
    }
}

/// The number of requests, and for how long the server says they lasted.
fn known(run: &Run) -> (i64, i64) {
    let (requests, lasted) = run.out.trim().split_once(' ').unwrap_or_else(|| panic!("{run:?}"));
    (requests.parse().unwrap(), lasted.parse().unwrap())
}

/// A server's own figures are those of the report, whether the thread that receives answers or another one.
#[test]
fn requests_last_as_long_as_the_server_says() {
    let program = program!("requests").to_str().unwrap().to_string();
    for &engine in engines() {
        for way in ["queue", "threads"] {
            let scratch = Scratch::new(&format!("time-by-request{engine}{way}"));
            // (A recording has waits only if that is asked for.)
            let waits = if engine.contains("ebpf") { &["--waits"][..] } else { &[] };
            let args = [engine, "-f", "--record=rec", "--time-by=request", "--json"];
            let run = scratch.stride(args.iter().chain(waits).copied().chain([&*program, way]));
            assert_eq!(run.code(), Some(0), "{run:?}");
            let found = times(&run.trace);
            let [requests] = &found[..] else { panic!("{run:?}") };
            adds_up(requests);
            let (count, lasted) = known(&run);
            assert_eq!((number(requests, "requests"), number(requests, "unanswered")), (count, 0), "{way}: {run:?}");
            // The report has the receiving call's end and the sending call besides, and the first request of each connection from its beginning.
            let total = number(requests, "total_ns");
            assert!(total >= lasted - lasted / 1000, "{way}: {total} of {lasted}: {run:?}");
            assert!(
                requests["comm"].as_str().unwrap().starts_with("requests")
                    && requests["object"].as_str().unwrap().contains("clients"),
                "{run:?}"
            );
            let least = 5_000_000 * count;
            let work = match way {
                "queue" => part(requests, |part| part["call"] == "clock_nanosleep"),
                _ => part(requests, |part| part["activity"] == "computing" || part["activity"] == "runnable"),
            };
            assert!(work >= least - least / 20, "{way}: {work} of {least}: {run:?}");
            let known = part(requests, |part| part["activity"] != "unknown");
            assert!(known > total - total / 20, "{way}: {run:?}");
            assert!(number(requests, "p50_ns") >= 4_000_000 && number(requests, "max_ns") <= total, "{run:?}");
            if way == "queue" {
                // There are more clients than workers, so requests wait for a worker.
                assert!(part(requests, |part| part["activity"] == "busy") > 0, "{run:?}");
            }
            let replayed = scratch.replay(&["--time-by=request", "--json"]);
            assert_eq!(times(&replayed.out), found);
        }
    }
}

/// A server that nobody wrote for this test.
#[test]
fn requests_to_a_web_server() {
    const SCRIPT: &str = "
import http.server, threading, time, urllib.request
class Slow(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.02)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'hello')
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Slow)
threading.Thread(target=server.serve_forever, daemon=True).start()
for _ in range(5):
    assert urllib.request.urlopen('http://127.0.0.1:%d/' % server.server_address[1]).read() == b'hello'
";
    answers_after_sleeps("http", SCRIPT);
}

/// A socket for the datagrams of all clients. A thread answers each.
#[test]
fn requests_in_datagrams() {
    const SCRIPT: &str = "
import socket, socketserver, threading, time
class Slow(socketserver.BaseRequestHandler):
    def handle(self):
        data, server = self.request
        time.sleep(0.02)
        server.sendto(data.upper(), self.client_address)
server = socketserver.ThreadingUDPServer(('127.0.0.1', 0), Slow)
threading.Thread(target=server.serve_forever, daemon=True).start()
clients = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(5)]
for client in clients:
    client.sendto(b'hello', server.server_address)
for client in clients:
    assert client.recvfrom(10)[0] == b'HELLO'
";
    answers_after_sleeps("udp", SCRIPT);
}

/// Every thirtieth request reads a file that is locked for 40 ms. The report says so.
#[test]
fn the_slowest_requests_are_explained() {
    const SCRIPT: &str = "
import fcntl, os, socket, threading, time
listener = socket.create_server(('127.0.0.1', 0))
os.close(os.open('state.lock', os.O_CREAT | os.O_RDWR))
def hold(held, free):
    with open('state.lock') as lock:
        while True:
            held.acquire()
            fcntl.flock(lock, fcntl.LOCK_EX)
            free.release()
            time.sleep(0.04)
            fcntl.flock(lock, fcntl.LOCK_UN)
held, free = threading.Semaphore(0), threading.Semaphore(0)
threading.Thread(target=hold, args=(held, free), daemon=True).start()
def serve():
    connection, _ = listener.accept()
    lock = open('state.lock')
    for request in range(60):
        connection.recv(100)
        if request % 30 == 20:
            held.release()
            free.acquire()
            fcntl.flock(lock, fcntl.LOCK_EX)
            fcntl.flock(lock, fcntl.LOCK_UN)
        time.sleep(0.001)
        connection.send(b'done')
server = threading.Thread(target=serve)
server.start()
client = socket.create_connection(listener.getsockname())
for _ in range(60):
    client.send(b'ask')
    assert client.recv(100) == b'done'
server.join()
";
    need!("/usr/bin/python3");
    for &engine in engines() {
        let scratch = Scratch::new(&format!("time-by-slowest{engine}"));
        let args = [engine, "-f", "--time-by=request", "--json", "/usr/bin/python3", "-c", SCRIPT];
        let run = scratch.stride(args);
        let found = times(&run.trace);
        let [requests] = &found[..] else { panic!("{run:?}") };
        assert_eq!(number(requests, "requests"), 60, "{run:?}");
        let slowest = &requests["slowest"];
        // (One that was slow for another reason may be slower.)
        assert!((1..=3).contains(&number(slowest, "requests")), "{run:?}");
        let more = number(slowest, "mean_ns") - number(&slowest["ordinary"], "mean_ns");
        let locked = slowest["more"].as_array().unwrap().iter().find(|part| part["call"] == "flock");
        let locked = locked.unwrap_or_else(|| panic!("{run:?}"));
        assert!(number(locked, "time_ns") > more / 2, "{run:?}");
        assert!(locked["object"].as_str().unwrap().ends_with("state.lock"), "{run:?}");
        let text = scratch.stride([engine, "-f", "--time-by=request", "/usr/bin/python3", "-c", SCRIPT]);
        let words = text.trace.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = words.split("The slowest ").nth(1).unwrap_or_else(|| panic!("{text:?}"));
        assert!(told.contains("in flock on ") && told.contains("state.lock"), "{text:?}");
    }
}

/// The script serves five requests, and sleeps in each for 20 ms, or less if its sleep begins late.
fn answers_after_sleeps(name: &str, script: &str) {
    need!("/usr/bin/python3");
    for &engine in engines() {
        let scratch = Scratch::new(&format!("time-by-{name}{engine}"));
        let run = scratch.stride([engine, "-f", "--time-by=request", "--json", "/usr/bin/python3", "-c", script]);
        let found = times(&run.trace);
        let [requests] = &found[..] else { panic!("{run:?}") };
        adds_up(requests);
        assert_eq!((number(requests, "requests"), number(requests, "unanswered")), (5, 0), "{run:?}");
        let sleeps =
            |part: &Value| part["call"].as_str().is_some_and(|call| call.contains("sleep") || call.contains("select"));
        let slept = part(requests, sleeps);
        assert!(slept >= 5 * 10_000_000 && slept <= number(requests, "total_ns"), "{run:?}");
    }
}

#[test]
fn what_is_not_known_is_refused() {
    let run = run(["--time-by=path", "true"]);
    assert_eq!(run.code(), Some(1));
    assert!(
        run.err.contains("--time-by=path is not known; there are --time-by=process, thread and request"),
        "{run:?}"
    );
    let none = common::run(["--time-by=request", "true"]);
    assert!(none.err.contains("No request was seen"), "{none:?}");
}
