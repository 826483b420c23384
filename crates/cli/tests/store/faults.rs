//! Files that are delivered through a proxy which does harm: nothing is lost, nothing is there twice, and nothing half is visible.

use super::common::*;
use super::proxy::{Fault, ProxiedRequest, Proxy};
use super::server::{StoreServer, settings};
use super::{contents, rows, run_with, spooled};
use nix::sys::signal::Signal;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;
use stride_store::{Backoff, Delivery, SpooledFile, StoreAddress, StoreClient, StoreSettings};

/// A number that looks random, and is the same for the same seed.
fn mixed(seed: u64) -> u64 {
    let mut x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

const SLOW_DOWN: &str = "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>";
const QUOTA: &str = "<Error><Code>QuotaExceeded</Code><Message>The bucket is full.</Message></Error>";

/// Two of three requests have a fault.
fn any_fault(seed: u64, request: &ProxiedRequest) -> Fault {
    let number = mixed(seed << 32 | request.number);
    match number % 15 {
        0 => Fault::Refused,
        1 | 2 => Fault::Cut,
        3 | 4 => Fault::Unanswered,
        5 | 6 => Fault::DoneBut(500),
        7 => Fault::Answer(503, SLOW_DOWN),
        8 => Fault::Answer(507, ""),
        9 => Fault::Slow,
        _ => Fault::None,
    }
}

/// The check at the beginning of a replay makes so many requests, and that of a live run.
const CHECK: u64 = 8;
const LIVE_CHECK: u64 = 3;
/// So many faults must have happened.
const FAULTS: u64 = 200;

#[test]
fn files_of_all_sizes_through_two_hundred_faults() {
    let mut server = s3!();
    let scratch = Scratch::new("store-faults");
    let target = server.port;
    let mut expected = BTreeMap::new();
    let mut faults = 0;
    for seed in 0.. {
        // Each round has a spool of its own, and files of one part and of three.
        let spool = scratch.path(&format!("spool{seed}"));
        let proxy = Proxy::start(target, move |request| any_fault(seed, request));
        let delivery = delivery(&format!("s3://traces/r{seed}"), proxy.port, &spool);
        for number in 0..12 {
            let size = if number == 5 { 17 << 20 } else { mixed(seed << 16 | number) as usize % 50_000 };
            let bytes: Vec<u8> =
                (0..size as u64).map(|at| mixed(at / 8 + (number << 40)).to_le_bytes()[at as usize % 8]).collect();
            let below = format!("calls/date=2026-11-23/host=a%2Fb/{number:04}.parquet");
            let path = spool.join(&below);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &bytes).unwrap();
            expected.insert(PathBuf::from(format!("r{seed}/{below}")), bytes);
            delivery.add(SpooledFile { below, bytes: size as u64 });
        }
        let ended = delivery.end(Duration::from_secs(100), || false, |_| ());
        assert_eq!((ended.files, &ended.left, &ended.why), (12, &vec![], &None), "{seed}: {ended:?}");
        assert_eq!(contents(&spool), BTreeMap::new());
        faults += proxy.faults.load(Ordering::Relaxed);
        if faults >= FAULTS {
            break;
        }
    }
    server.save("traces", &scratch.path("objects"));
    let found = contents(&scratch.path("objects"));
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    assert!(found == expected, "bytes differ");
}

fn delivery(address: &str, port: u16, spool: &Path) -> Delivery {
    let variables = [
        ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}")),
        ("AWS_ACCESS_KEY_ID", "test".into()),
        ("AWS_SECRET_ACCESS_KEY", "test".into()),
    ];
    let settings = StoreSettings::of(variables.map(|(name, value)| (name.to_owned(), value)));
    let address = StoreAddress::parse(address).unwrap().unwrap();
    let client = StoreClient::new(&address, &settings).unwrap();
    let backoff = Backoff { first: Duration::from_millis(1), longest: Duration::from_millis(20) };
    Delivery::start(client, spool.to_owned(), backoff).unwrap()
}

/// A recording of a small run.
fn record(scratch: &Scratch) {
    let run = scratch.stride(["-f", "--record=rec", "sh", "-c", "cat /etc/passwd > copy; cat nothing; (exit 3)"]);
    assert_eq!(run.code(), Some(3), "{run:?}");
    let run = scratch.replay(&["--parquet=dir"]);
    assert_eq!(run.code(), Some(0), "{run:?}");
}

fn is_upload(request: &ProxiedRequest) -> bool {
    request.method == "PUT"
}

#[test]
fn a_replay_through_faults_has_each_row_once() {
    let mut server = s3!();
    let scratch = Scratch::new("store-replay-faults");
    record(&scratch);
    let proxy =
        Proxy::start(server.port, |request| if request.number < CHECK { Fault::None } else { any_fault(7, request) });
    let run = run_with(proxy.port, &scratch, &["--replay=rec", "--parquet=s3://traces/x"]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    assert!(run.err.contains("made again; the trace_id is"), "{run:?}");
    assert!(run.err.contains("; Stride tries again"), "{run:?}");
    server.save("traces", &scratch.path("objects"));
    assert!(contents(&scratch.path("objects/x")) == contents(&scratch.path("dir")));
    assert_eq!(spooled(&scratch), BTreeMap::new());
}

/// A store that is full, or takes nothing, has nothing half, and all that it does not have is in the spool, below the names for the store.
#[test]
fn undelivered_files_stay_in_the_spool() {
    let mut server = s3!();
    let scratch = Scratch::new("store-undelivered");
    record(&scratch);
    let expected = contents(&scratch.path("dir"));
    for (number, (status, body, why, delivered)) in [
        (507, "", "the answer is 507 Insufficient Storage", 0),
        (403, QUOTA, "the answer is 403 Forbidden, QuotaExceeded: The bucket is full.", 2),
        (503, SLOW_DOWN, "SlowDown: Please reduce your request rate.", 1),
    ]
    .into_iter()
    .enumerate()
    {
        let proxy = Proxy::start(server.port, move |request| {
            let is_over = is_upload(request) && request.number >= CHECK + delivered;
            if is_over { Fault::Answer(status, body) } else { Fault::None }
        });
        let run = run_with(proxy.port, &scratch, &["--replay=rec", &format!("--parquet=s3://traces/{number}?wait=1s")]);
        assert_eq!(run.code(), Some(0), "{run:?}");
        let left = expected.len() as u64 - delivered;
        assert!(run.err.contains(&format!("{left} files (")) && run.err.contains(why), "{run:?}");
        assert!(run.err.contains(&format!("were not delivered to s3://traces/{number}: ")), "{run:?}");
        assert!(run.err.contains("aws s3 cp --recursive --exclude '*' --include '*.parquet' "), "{run:?}");
        assert!(!run.err.contains("as Parquet") && !run.err.contains("very-secret"), "{run:?}");
        let spools: Vec<PathBuf> =
            fs::read_dir(scratch.path("cache/stride")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(spools.len(), 1);
        assert!(run.err.contains(&format!("They are in {}, ", spools[0].display())), "{run:?}");
        let objects = scratch.path(&format!("objects{number}"));
        server.save("traces", &objects);
        let (mut both, stored) = (contents(&spools[0]), contents(&objects.join(number.to_string())));
        assert_eq!((both.len() as u64, stored.len() as u64), (left, delivered));
        both.extend(stored);
        assert!(both == expected, "{:?}", both.keys());
        fs::remove_dir_all(&spools[0]).unwrap();
    }
    assert_eq!(server.uploads("traces"), [] as [&str; 0]);
}

/// Stride waits for the store when it is killed, or interrupted.
#[test]
fn a_killed_or_interrupted_wait_leaves_the_spool() {
    let mut server = s3!();
    for signal in [Signal::SIGKILL, Signal::SIGINT] {
        let scratch = Scratch::new(&format!("store-{signal}"));
        let proxy = Proxy::start(server.port, |request| {
            if request.number >= LIVE_CHECK && is_upload(request) { Fault::Answer(503, "") } else { Fault::None }
        });
        let mut command = stride();
        settings(&mut command, proxy.port, &scratch);
        let address = format!("--parquet=s3://traces/{signal}?wait=600s");
        command.args(["-f", &address, "true"]).current_dir(scratch.path(""));
        let err = fs::File::create(scratch.path("err")).unwrap();
        let mut traced = Killed(command.stderr(err).spawn().unwrap());
        let complete =
            || spooled(&scratch).keys().filter(|path| path.extension().is_some_and(|end| end == "parquet")).count();
        wait_until("all files in the spool", || complete() == 5);
        // (The wait has begun when a request for the first file was refused.)
        let refused = || proxy.faults.load(Ordering::Relaxed) >= 2;
        wait_until("a refused upload", refused);
        send(&traced, signal);
        traced.0.wait().unwrap();
        assert_eq!(complete(), 5);
        assert_eq!(server.names("traces"), [] as [&str; 0]);
        let told = scratch.read("err").contains("5 files (");
        assert_eq!(told, signal == Signal::SIGINT, "{}", scratch.read("err"));
    }
}

/// A live run does not wait for the store: it drops calls and counts them.
#[test]
fn a_full_spool() {
    // (Half a million calls take minutes under ptrace.)
    need_ebpf!();
    let server = s3!();
    let scratch = Scratch::new("store-full");
    let away = Proxy::start(server.port, |request| {
        if request.number >= LIVE_CHECK && is_upload(request) { Fault::Answer(503, "") } else { Fault::None }
    });
    let dd = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=300000", "status=none"];
    let mut args = vec![
        "--engine=ebpf",
        "--record=rec",
        "-e",
        "trace=read,write,openat",
        "--parquet=s3://traces/x?spool=1M&wait=1s",
    ];
    args.extend(dd);
    let run = run_with(away.port, &scratch, &args);
    assert_eq!(run.code(), Some(0), "{run:?}");
    let spool = fs::read_dir(scratch.path("cache/stride")).unwrap().next().unwrap().unwrap().path();
    let [trace] = &rows(&spool, "traces")[..] else { panic!("{run:?}") };
    let calls = rows(&spool, "calls").len() as i64;
    let lost: Vec<i64> = rows(&spool, "losses").iter().map(|row| row["lost"].parse().unwrap()).collect();
    assert_eq!(trace["calls"], calls.to_string());
    assert_eq!(trace["lost_calls"], lost.iter().sum::<i64>().to_string());
    assert!(calls + lost.iter().sum::<i64>() >= 600_000 && calls < 600_000, "{calls} {lost:?}");
    assert!(trace["note"].contains("calls were dropped: the spool was full"), "{trace:?}");
    assert!(run.err.contains("calls were dropped: the spool was full"), "{run:?}");
}

/// A wait for room in the spool ends when the store has taken files, and with an error if the store takes none.
#[test]
fn room_in_the_spool() {
    let server = s3!();
    let scratch = Scratch::new("store-room");
    for (name, fault) in [("slow", Fault::None), ("away", Fault::Answer(503, ""))] {
        let proxy =
            Proxy::start(server.port, move |request| if request.number % 2 == 0 { Fault::Refused } else { fault });
        let spool = scratch.path(name);
        let delivery = delivery(&format!("s3://traces/{name}"), proxy.port, &spool);
        fs::create_dir(&spool).unwrap();
        for number in 0..10 {
            let below = format!("{number}.parquet");
            fs::write(spool.join(&below), [0; 1000]).unwrap();
            delivery.add(SpooledFile { below, bytes: 1000 });
        }
        let waited = delivery.wait_until_below(3000, Duration::from_secs(if name == "slow" { 60 } else { 1 }));
        match name {
            "slow" => assert!(waited.is_ok() && delivery.waiting() < 3000, "{waited:?}"),
            _ => assert!(waited.is_err() && delivery.waiting() == 10_000, "{waited:?}"),
        }
    }
}
