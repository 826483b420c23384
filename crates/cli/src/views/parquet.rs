//! `--parquet`: tables of the run, as files that databases read.

use super::declaration::{Declaration, Destination, FileOption};
use crate::flags::flag::{Arg, Category, Flag, Value, ask};
use crate::flags::values;
use anyhow::{Result, anyhow};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stride_engine_base::signal::without_signals;
use stride_filter::Quiet;
use stride_output::View;
use stride_parquet::{ParquetView, PreparedStore, StoreLimits, TableDestination, check_directory};
use stride_session::{Asks, Before, MakeView, Needs, Opener, Opening, Options, Use, os_error};
use stride_store::{Spool, StoreAddress, StoreClient, StoreSettings};

const DIRECTORY: &str = "parquet";

const BASE: Flag = Flag { category: Category::Format, ..Flag::BASE };

const FLAGS: &[Flag] = &[Flag {
    long: Some(DIRECTORY),
    arg: Arg::Required("PLACE"),
    value: Value::File,
    help: "write Parquet tables for databases, to a directory or a store",
    own: true,
    doc: "Writes tables of the run to the directory PLACE, as Parquet files that DuckDB, Spark, Trino and others read: calls (a row for each, with \
              its time, process, path, bytes, result, error and arguments), processes, stacks, losses and traces. The directory is made if it is missing, and may \
              have the tables of other runs: each run has its own trace_id. docs/sql.md in Stride's documentation describes the columns, and has questions with their SQL.\n\n\
              The files are in directories by day and host, such as PLACE/calls/date=2026-11-23/host=web1. A file is complete from 128 MiB on, or when tracing ends, and gets its \
              name only then. If Stride is killed or the disk is full, the complete files stay, and traces has no row for the run.\n\n\
              PLACE may be an object store: s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX. Credentials and endpoints come from the environment (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL and so on) or from AWS_PROFILE. \
              The store is tried before anything runs. Complete files wait in a spool until they are uploaded, also while the store is away. ?spool=4G behind the address sets the limit of the spool (1 GiB by default), beyond which calls are dropped and counted, \
              and ?wait=5m how long the end waits for a store that takes nothing (60s). A message says where files are that were not delivered.\n\n\
              Options that choose which calls are shown, and how much of arguments (-e, -P, -s, -v, -y), apply to the tables, too. With -k, calls have their \
              stacks; a replay has those that were recorded. With --waits, calls have the times that their threads slept or had no CPU, and who woke them. The text of the trace is only printed if -o says where to.",
    update: ask,
    ..BASE
}];

/// The view makes the files in the directory itself.
const FILES: &[FileOption] = &[FileOption { long: DIRECTORY, how: Use::Trace }];

/// The place that the argument names.
enum Place {
    Directory(PathBuf),
    Store(StoreAddress, StoreLimits),
}

const SMALLEST_SPOOL: u64 = 1 << 20;
const SHORTEST_WAIT: Duration = Duration::from_secs(1);

fn place(given: &Path) -> Result<Place, String> {
    let Some(text) = given.to_str() else { return Ok(Place::Directory(given.to_owned())) };
    if let Some(path) = text.strip_prefix("file://") {
        return match path.starts_with('/') {
            true => Ok(Place::Directory(path.into())),
            false => Err(format!("takes file:///DIR with a path from the root on, and not '{text}'")),
        };
    }
    let (address, options) = text.split_once('?').unwrap_or((text, ""));
    let Some(address) = StoreAddress::parse(address) else { return Ok(Place::Directory(given.to_owned())) };
    let address =
        address.map_err(|why| format!("takes a directory or the address of an object store, and of '{text}' {why}"))?;
    let mut limits = StoreLimits::default();
    for option in options.split('&').filter(|option| !option.is_empty()) {
        match option.split_once('=') {
            Some(("spool", size)) => {
                limits.spool = values::size(size)
                    .filter(|size| *size >= SMALLEST_SPOOL)
                    .ok_or_else(|| format!("takes a spool from spool=1M on, such as spool=4G, and not '{option}'"))?;
            }
            Some(("wait", time)) => {
                limits.wait = values::time(time)
                    .filter(|time| *time >= SHORTEST_WAIT)
                    .ok_or_else(|| format!("takes a time from wait=1s on, such as wait=5m, and not '{option}'"))?;
            }
            _ => {
                return Err(format!(
                    "has the options spool=SIZE and wait=TIME behind a question mark, and not '{option}'"
                ));
            }
        }
    }
    Ok(Place::Store(address, limits))
}

/// Tries the store, before anything is run.
fn prepare_store(address: &StoreAddress, limits: StoreLimits) -> Result<PreparedStore> {
    let client =
        StoreClient::new(address, &StoreSettings::from_env()).and_then(|client| client.check().map(|()| client));
    let client = client.map_err(|e| anyhow!("Can't write to {address} for --{DIRECTORY}: {e}"))?;
    let spool = Spool::create().map_err(|e| anyhow!("Can't make a spool for {address}: {}", os_error(&e)))?;
    Ok(PreparedStore { client, spool, limits })
}

pub struct ParquetDeclaration;

impl Declaration for ParquetDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn files(&self) -> &'static [FileOption] {
        FILES
    }

    fn opens_its_files(&self, _: &Options) -> bool {
        true
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        options.views.has(DIRECTORY).then_some(Destination::OwnFile)
    }

    fn needs(&self, options: &Options) -> Needs {
        Needs { passing_paths: true, ..Needs::everything(options).and(Needs::shown_stacks(options)) }
    }

    /// Refuses a directory in which nothing can be written, before anything is run.
    fn prepare(&self, before: &Before<'_>) -> Result<Opener> {
        let given = before.options.views.path(DIRECTORY).ok_or_else(|| anyhow!("--{DIRECTORY} has no directory"))?;
        let destination = match place(given).map_err(|why| anyhow!("--{DIRECTORY} {why}"))? {
            Place::Directory(directory) => {
                check_directory(&directory).map_err(|e| {
                    anyhow!("Can't write files to '{}' for --{DIRECTORY}: {}", directory.display(), os_error(&e))
                })?;
                TableDestination::Directory(directory)
            }
            Place::Store(address, limits) => TableDestination::Store(Box::new(prepare_store(&address, limits)?)),
        };
        Ok(Box::new(|with| open(with, destination)))
    }
}

fn open(with: &mut Opening<'_>, destination: TableDestination) -> Result<Box<dyn View>> {
    let options = with.options;
    let decoding = options.decoder_options();
    let notifies = !options.is_quiet(Quiet::Files);
    let stacks = options.stack_trace.is_some();
    let (info, replays) = (with.info.clone(), options.replay.is_some());
    let asks = Asks { names: true, subjects: true, left_out: false };
    let make: MakeView = Box::new(move |resolver| {
        // The thread that writes leaves signals to the one that waits for tracees.
        let view =
            without_signals(|| ParquetView::new(destination, replays, decoding, resolver, &info, stacks, notifies));
        Ok(Box::new(view?))
    });
    with.view(false, asks, make)
}
