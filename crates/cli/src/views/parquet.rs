//! `--parquet`: tables of the run, as files that databases read.

use super::declaration::{Declaration, Destination, FileOption};
use crate::flags::flag::{Arg, Category, Flag, Value, ask};
use anyhow::{Result, anyhow};
use stride_engine_base::signal::without_signals;
use stride_filter::Quiet;
use stride_output::View;
use stride_parquet::{ParquetView, check_directory};
use stride_session::{Asks, Before, MakeView, Needs, Opener, Opening, Options, Use, os_error};

const DIRECTORY: &str = "parquet";

const BASE: Flag = Flag { category: Category::Format, ..Flag::BASE };

const FLAGS: &[Flag] = &[Flag {
    long: Some(DIRECTORY),
    arg: Arg::Required("DIR"),
    value: Value::File,
    help: "write tables of the run to DIR as Parquet files, for databases",
    own: true,
    doc: "Writes tables of the run to the directory DIR, as Parquet files that DuckDB, Spark, Trino and others read: calls (a row for each, with \
              its time, process, path, bytes, result, error and arguments), processes, stacks, losses and traces. DIR is made if it is missing, and may \
              have the tables of other runs: each run has its own trace_id. docs/sql.md in Stride's documentation describes the columns, and has questions with their SQL.\n\n\
              The files are in directories by day and host, such as DIR/calls/date=2026-11-23/host=web1. A file is complete from 128 MiB on, or when tracing ends, and gets its \
              name only then. If Stride is killed or the disk is full, the complete files stay, and traces has no row for the run.\n\n\
              Options that choose which calls are shown, and how much of arguments (-e, -P, -s, -v, -y), apply to the tables, too. With -k, calls have their \
              stacks; a replay has those that were recorded. With --waits, calls have the times that their threads slept or had no CPU, and who woke them. The text of the trace is only printed if -o says where to.",
    update: ask,
    ..BASE
}];

/// The view makes the files in the directory itself.
const FILES: &[FileOption] = &[FileOption { long: DIRECTORY, how: Use::Trace }];

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
        if let Some(directory) = before.options.views.path(DIRECTORY) {
            check_directory(directory).map_err(|e| {
                anyhow!("Can't write files to '{}' for --{DIRECTORY}: {}", directory.display(), os_error(&e))
            })?;
        }
        Ok(Box::new(open))
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let options = with.options;
    let directory = options.views.path(DIRECTORY).ok_or_else(|| anyhow!("--{DIRECTORY} has no directory"))?;
    let decoding = options.decoder_options();
    let notifies = !options.is_quiet(Quiet::Files);
    let stacks = options.stack_trace.is_some();
    let (directory, info) = (directory.to_path_buf(), with.info.clone());
    let asks = Asks { names: true, subjects: true, left_out: false };
    let make: MakeView = Box::new(move |resolver| {
        // The thread that writes leaves signals to the one that waits for tracees.
        let view = without_signals(|| ParquetView::new(directory, decoding, resolver, &info, stacks, notifies));
        Ok(Box::new(view?))
    });
    with.view(false, asks, make)
}
