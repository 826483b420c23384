//! `--parquet=s3://...` and `az://...`: tables in an object store. A server of S3 (moto) comes from PyPI, and one of Azure (Azurite) from npm, into directories below target/. Where these cannot be
//! reached, the tests are reported as skipped.

/// A server with the bucket `traces`.
macro_rules! s3 {
    () => {{
        let mut server = match StoreServer::s3(false) {
            Ok(server) => server,
            Err(why) => skip!("no S3 server: {why}"),
        };
        server.bucket("traces");
        server
    }};
}

mod azure;
#[path = "../common/mod.rs"]
mod common;
mod faults;
#[path = "../common/packages.rs"]
mod packages;
mod proxy;
#[path = "../common/python_packages.rs"]
mod python;
mod server;

use common::*;
use parquet::file::reader::{FileReader, SerializedFileReader};
use proxy::{Fault, Proxy};
use server::{StoreServer, settings};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// All files below a directory, with their bytes.
fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn add(directory: &Path, below: &Path, to: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(directory).into_iter().flatten() {
            let entry = entry.unwrap();
            let (path, name) = (entry.path(), below.join(entry.file_name()));
            if path.is_dir() { add(&path, &name, to) } else { _ = to.insert(name, fs::read(path).unwrap()) }
        }
    }
    let mut all = BTreeMap::new();
    add(directory, Path::new(""), &mut all);
    all
}

/// Runs Stride with a server on this port.
fn run_with(port: u16, scratch: &Scratch, args: &[&str]) -> Run {
    let chooses = args[0].starts_with("--replay") || args[0].starts_with("--engine");
    let mut command = if chooses { bare_stride() } else { stride() };
    settings(&mut command, port, scratch);
    command.args(args).current_dir(scratch.path(""));
    Run::of(command)
}

/// The rows of a table, as text.
fn rows(directory: &Path, table: &str) -> Vec<BTreeMap<String, String>> {
    let mut all = Vec::new();
    for name in contents(&directory.join(table)).keys() {
        assert!(name.to_str().unwrap().ends_with(".parquet"), "{name:?}");
        let reader = SerializedFileReader::new(fs::File::open(directory.join(table).join(name)).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            all.push(row.get_column_iter().map(|(name, value)| (name.clone(), value.to_string())).collect());
        }
    }
    all
}

/// The files that wait in spools.
fn spooled(scratch: &Scratch) -> BTreeMap<PathBuf, Vec<u8>> {
    contents(&scratch.path("cache"))
}

#[test]
fn the_files_of_a_directory() {
    let mut server = s3!();
    let scratch = Scratch::new("store-files");
    let script = "cat /etc/passwd > copy; cat nothing; (exit 3)";
    let run =
        run_with(server.port, &scratch, &["-f", "--record=rec", "--parquet=s3://traces/live/", "sh", "-c", script]);
    assert_eq!(run.code(), Some(3), "{run:?}");
    let told = r".*: s3://traces/live: [\d,]+ calls, 5 files \(.*\) as Parquet; the trace_id is \w+";
    assert!(run.err.lines().any(|line| is(line, told)), "{run:?}");
    let port = server.port;
    let replay = |to: &str| run_with(port, &scratch, &["--replay=rec", "--parquet", to]);
    for to in [
        "s3://traces/replayed?spool=1M&wait=10s",
        "dir",
        "s3://traces",
        &format!("file://{}", scratch.path("url").display()),
    ] {
        let again = replay(to);
        assert_eq!(again.code(), Some(0), "{again:?}");
    }
    server.save("traces", &scratch.path("objects"));
    let expected = contents(&scratch.path("dir"));
    assert_eq!(expected.len(), 5);
    assert_eq!(contents(&scratch.path("url")), expected);
    let objects = contents(&scratch.path("objects"));
    let below = |prefix: &str| -> BTreeMap<PathBuf, Vec<u8>> {
        let of = objects
            .iter()
            .filter_map(|(path, bytes)| Some((path.strip_prefix(prefix).ok()?.to_owned(), bytes.clone())));
        of.collect()
    };
    assert_eq!(below("replayed"), expected);
    assert_eq!(below("live").keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    assert_eq!(objects.len(), 15, "{:?}", objects.keys());
    assert_eq!(spooled(&scratch), BTreeMap::new());
    // The same run is not written twice.
    let twice = replay("s3://traces/live");
    assert_eq!(twice.code(), Some(1), "{twice:?}");
    assert!(twice.err.contains("this run is in the store already"), "{twice:?}");
    assert_eq!(server.uploads("traces"), [] as [&str; 0]);
}

#[test]
fn a_store_that_cannot_be_written_is_refused_before_anything_runs() {
    let server = s3!();
    let mut strict = StoreServer::s3(true).unwrap();
    strict.bucket("traces");
    let scratch = Scratch::new("store-refused");
    let closed = Proxy::start(server.port, |_| Fault::Refused);
    let full = Proxy::start(server.port, |_| Fault::Answer(507, "<Error><Code>InsufficientStorage</Code></Error>"));
    for (port, address, why) in [
        (server.port, "s3://nowhere/x", "the answer is 404 Not Found, NoSuchBucket"),
        (strict.port, "s3://traces/x", "the answer is 403 Forbidden, InvalidAccessKeyId"),
        (closed.port, "s3://traces/x", &format!("127.0.0.1:{}: ", closed.port)),
        (full.port, "s3://traces/x", "the answer is 507 Insufficient Storage, InsufficientStorage"),
        (9, "s3://traces/x", "127.0.0.1:9: Connection refused"),
        (server.port, "s3://traces/../x", "the prefix has a part that is empty, '.' or '..'"),
        (server.port, "s3://tra ces", "the bucket is none"),
        (server.port, "s3://", "it has no bucket"),
        (server.port, "s5://traces", "'s5://' is none of"),
        (server.port, "s3://traces/x?spool=9", "takes a spool from spool=1M on"),
        (server.port, "s3://traces/x?wait=9", "takes a time from wait=1s on"),
        (server.port, "s3://traces/x?speed=9", "not 'speed=9'"),
        (server.port, "file://dir", "takes file:///DIR"),
    ] {
        let run = run_with(port, &scratch, &["--parquet", address, "touch", "made"]);
        assert!(run.err.contains(why), "{address}: {run:?}");
        assert_eq!(run.code(), Some(1), "{address}: {run:?}");
        assert!(!run.err.contains("very-secret"), "{run:?}");
        assert!(!scratch.path("made").exists(), "{address}");
    }
    assert_eq!(fs::read_dir(scratch.path("cache/stride")).map_or(0, Iterator::count), 0);
    let mut command = stride();
    settings(&mut command, server.port, &scratch);
    command.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY").current_dir(scratch.path(""));
    let run = Run::of({
        command.args(["--parquet=s3://traces/x", "touch", "made"]);
        command
    });
    assert!(run.err.contains("there are no credentials"), "{run:?}");
    assert!(!scratch.path("made").exists());
}

#[test]
fn two_runs_at_once_and_odd_names() {
    let mut server = s3!();
    let scratch = Scratch::new("store-names");
    let address = "--parquet=s3://traces/a b/\u{e9}=%2F+&'\"//";
    let odd = run_with(server.port, &scratch, &[address, "true"]);
    assert_eq!(odd.code(), Some(0), "{odd:?}");
    let both: Vec<Run> = std::thread::scope(|scope| {
        let runs =
            [(); 2].map(|()| scope.spawn(|| run_with(server.port, &scratch, &["--parquet=s3://traces/both", "true"])));
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(both.iter().all(|run| run.code() == Some(0)), "{both:?}");
    let names = server.names("traces");
    assert_eq!(names.iter().filter(|name| name.starts_with("a b/\u{e9}=%2F+&'\"/calls/date=")).count(), 1, "{names:?}");
    assert_eq!(names.iter().filter(|name| name.starts_with("both/traces/")).count(), 2, "{names:?}");
    assert_eq!(names.len(), 15);
    assert_eq!(spooled(&scratch), BTreeMap::new());
}
