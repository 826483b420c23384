//! The view: events in, rows out.

use crate::call::TableCall;
use crate::cell::{IdCell, NumberCell, TextCell, TimeCell, WordCell};
use crate::clock::TraceClock;
use crate::destination::{TableDestination, TableStore};
use crate::file::FileError;
use crate::notices;
use crate::operation;
use crate::place::{TracePlace, day};
use crate::process::{self, ProcessEnd};
use crate::stacks::StackRows;
use crate::table_rows::TableRows;
use crate::tables::{self, Calls, LossRow, Losses, Processes, Stacks, TraceRow, Traces};
use crate::writer::{Failed, FileWriter, Written};
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};
use stride_decode::{Options, Resolver};
use stride_event::quantity::{bytes, count};
use stride_event::{Call, Event, LibraryCall, LibraryPart, Ns, Outcome, Tid};
use stride_output::json::{CallArguments, Json, operation_args};
use stride_output::{End, RunInfo, View, ViewError, own_file, why};
use stride_store::{DeliveryEnd, StoreAddress};
use stride_syscalls::Ret;
use stride_track::Tracker;

pub struct ParquetView {
    arguments: CallArguments,
    info: RunInfo,
    clock: TraceClock,
    place: Arc<TracePlace>,
    calls: TableRows<Calls>,
    processes: TableRows<Processes>,
    stacks: TableRows<Stacks>,
    losses: TableRows<Losses>,
    traces: TableRows<Traces>,
    writer: FileWriter,
    store: Option<Arc<TableStore>>,
    stack_rows: StackRows,
    /// Calls have their stacks (`-k`).
    shows_stacks: bool,
    counts: Counts,
    /// Sentences about the whole run.
    notes: Vec<String>,
    /// Reused.
    args: Vec<u8>,
    /// The latest time seen.
    last: Ns,
    /// Writing failed. Nothing is written any more.
    failed: bool,
    error: Option<ViewError>,
    /// At the end, a sentence says how many calls and bytes were written, and where. (`-q` leaves the sentence out.)
    tells: bool,
    remarks: Vec<String>,
}

#[derive(Default)]
struct Counts {
    calls: u64,
    errors: u64,
    unfinished: u64,
    /// Lost calls that are in the table already.
    lost_calls: u64,
}

/// Makes the directory if it is missing, and finds out whether files can be written there.
pub fn check_directory(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let (_, probe) = own_file::create(&directory.join(format!(".stride.{}", std::process::id())), 1)?;
    fs::remove_file(&probe)
}

impl ParquetView {
    /// Starts a thread, which has the signal mask of the caller, and another one for a store. `replays`: nobody waits for the run. `tells`: whether a sentence at the end tells what was
    /// written.
    pub fn new(
        destination: TableDestination,
        replays: bool,
        options: Options,
        resolver: Box<dyn Resolver>,
        info: &RunInfo,
        shows_stacks: bool,
        tells: bool,
    ) -> Result<ParquetView, ViewError> {
        let directory = match &destination {
            TableDestination::Directory(directory) => directory.clone(),
            TableDestination::Store(prepared) => prepared.spool.directory().to_owned(),
        };
        let place = Arc::new(TracePlace::new(directory, info));
        let clock = TraceClock { trace_id: place.trace_id.clone(), wall_offset: info.wall_offset };
        let first_day = day(clock.wall_ns(info.started));
        for table in tables::ALL {
            let path = place.directory.join(place.partition(table.name, first_day)).join(place.file_name(0));
            if path.exists() {
                return Err(failure(&FileError::new(&path, io::ErrorKind::AlreadyExists), 0));
            }
        }
        let store = match destination {
            TableDestination::Directory(_) => None,
            TableDestination::Store(prepared) => {
                let store = TableStore::open(prepared, &place, first_day, replays).map_err(|e| failure(&e, 0))?;
                Some(Arc::new(store))
            }
        };
        let writer = FileWriter::start(place.clone(), store.clone())
            .map_err(|e| failure(&FileError::new(&place.directory, e), 0))?;
        Ok(ParquetView {
            arguments: CallArguments::new(options, resolver),
            info: info.clone(),
            clock,
            calls: TableRows::new(first_day),
            processes: TableRows::new(first_day),
            stacks: TableRows::new(first_day),
            losses: TableRows::new(first_day),
            traces: TableRows::new(first_day),
            place,
            writer,
            store,
            stack_rows: StackRows::default(),
            shows_stacks,
            counts: Counts::default(),
            notes: Vec::new(),
            args: Vec::new(),
            last: 0,
            failed: false,
            error: None,
            tells,
            remarks: Vec::new(),
        })
    }

    /// Asks the writer why it has stopped. What is not in complete files is gone.
    fn settle(&mut self, result: Result<(), Failed>) {
        if result.is_err() {
            self.failed = true;
            self.end();
        }
    }

    /// Waits until all is written.
    fn end(&mut self) -> Written {
        let (written, result) = self.writer.end();
        if let Err(error) = result {
            self.failed = true;
            self.error.get_or_insert(failure(&error, written.calls));
        }
        written
    }

    fn take(&mut self, event: &Event<'_>, tracker: &Tracker) -> Result<(), Failed> {
        match *event {
            Event::Enter(call) => self.arguments.enter(call, tracker),
            Event::Exit(call) => self.returned(call, tracker)?,
            Event::Library(call) => self.operated(call, tracker)?,
            Event::Exited { tid, status, at } => self.ended(tid, Some(at), ProcessEnd::Exited(status), tracker)?,
            Event::Killed { tid, signal, at, .. } => self.ended(tid, Some(at), ProcessEnd::Killed(signal), tracker)?,
            Event::Detached { tid, call, .. } => {
                if let (Some(call), false) = (call, self.arguments.is_in_call(tid)) {
                    self.arguments.enter(call, tracker);
                }
                self.left(tid, call, tracker)?;
                self.ended(tid, None, ProcessEnd::Left, tracker)?;
            }
            Event::Superseded { tid, old, call, .. } => {
                self.left(tid, None, tracker)?;
                self.arguments.superseded(tid, old, call, tracker);
            }
            Event::Lost { tid, count, at } => {
                self.counts.lost_calls += count;
                let pid = tracker.thread(tid).map(|thread| thread.pid);
                self.loss(Some(at), pid, Some(tid), "calls", count);
                self.losses.write_if_due(&mut self.writer)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn returned(&mut self, call: &Call, tracker: &Tracker) -> Result<(), Failed> {
        self.calls.day(day(self.clock.wall_ns(call.returned)), &mut self.writer)?;
        let stack_id = match call.stack.as_ref().filter(|_| self.shows_stacks) {
            Some(stack) => {
                let id = self.stack_rows.id(stack, self.clock.trace_id.as_bytes(), &mut self.stacks);
                self.stacks.write_if_due(&mut self.writer)?;
                id
            }
            None => None,
        };
        self.args.clear();
        let (head, decoded) = self.arguments.exit(call, tracker, &mut self.args);
        let never = decoded.row.is_some_and(|row| matches!(row.returns(&call.args, call.abi), Ret::Never));
        let unfinished = match call.outcome {
            Outcome::Value(_) => never,
            Outcome::Error(_) => false,
            Outcome::Pending | Outcome::Gone => true,
        };
        self.counts.errors += u64::from(call.outcome.is_error());
        self.row(
            TableCall {
                tid: call.tid,
                abi: call.abi,
                nr: call.nr,
                began: head.entered.unwrap_or(call.returned),
                duration: head.entered.map(|entered| call.returned.saturating_sub(entered)),
                call: Some(call),
                left: None,
                unfinished,
                args: &[],
                stack_id,
                waits: self.info.waits,
            },
            tracker,
        )
    }

    /// Functions of libraries are in no table.
    fn operated(&mut self, call: &LibraryCall, tracker: &Tracker) -> Result<(), Failed> {
        if call.operation.is_none() || call.part == LibraryPart::Entered {
            return Ok(());
        }
        self.calls.day(day(self.clock.wall_ns(call.at)), &mut self.writer)?;
        self.args.clear();
        operation_args(call, &mut self.args);
        let outcome = call.outcome();
        self.counts.calls += 1;
        self.counts.errors += u64::from(outcome == "error");
        self.counts.unfinished += u64::from(outcome == "unfinished");
        operation::write(call, &self.args, tracker, &self.clock, &mut self.calls);
        self.calls.write_if_due(&mut self.writer)
    }

    /// Writes the row of a call whose arguments are in `self.args`.
    fn row(&mut self, row: TableCall<'_>, tracker: &Tracker) -> Result<(), Failed> {
        self.counts.calls += 1;
        self.counts.unfinished += u64::from(row.unfinished);
        TableCall { args: &self.args, ..row }.write(tracker, &self.clock, &mut self.calls);
        self.calls.write_if_due(&mut self.writer)
    }

    /// A thread goes, so its call will not return. `left`: the call that it is in, if tracing ends.
    fn left(&mut self, tid: Tid, left: Option<&Call>, tracker: &Tracker) -> Result<(), Failed> {
        self.args.clear();
        let Some(head) = self.arguments.leave(tid, &mut self.args) else { return Ok(()) };
        let (abi, nr, began) = (head.abi, head.nr, head.entered.unwrap_or(0));
        let row = TableCall {
            tid,
            abi,
            nr,
            began,
            duration: None,
            call: None,
            left,
            unfinished: true,
            args: &[],
            stack_id: None,
            waits: self.info.waits,
        };
        self.row(row, tracker)
    }

    fn ended(&mut self, tid: Tid, at: Option<Ns>, fate: ProcessEnd, tracker: &Tracker) -> Result<(), Failed> {
        self.left(tid, None, tracker)?;
        self.arguments.forget(tid);
        let process = tracker.thread(tid).and_then(|thread| tracker.process(thread.pid));
        if let Some(process) = process.filter(|process| process.threads <= 1) {
            process::write(process, at, fate, tracker, &self.clock, &mut self.processes);
            self.processes.write_if_due(&mut self.writer)?;
        }
        Ok(())
    }

    fn loss(&mut self, at: Option<Ns>, pid: Option<Tid>, tid: Option<Tid>, kind: &str, lost: u64) {
        self.losses.add(LossRow {
            trace_id: WordCell::trace_id(self.clock.trace_id.as_bytes()),
            time: TimeCell(at.and_then(|at| self.clock.micros(at))),
            pid: IdCell(pid),
            tid: IdCell(tid),
            kind: WordCell::of(Some(kind.as_bytes())),
            lost: NumberCell(Some(lost as i64)),
        });
    }

    /// Writes the rows of the end, and completes all files.
    fn complete(&mut self, end: &End<'_>) -> Result<(), Failed> {
        let mut last = None;
        for thread in end.tracker.live_threads() {
            self.left(thread.tid, None, end.tracker)?;
            // The threads of a process come one behind the other.
            if last != Some(thread.pid)
                && let Some(process) = end.tracker.process(thread.pid)
            {
                process::write(process, None, ProcessEnd::Left, end.tracker, &self.clock, &mut self.processes);
                self.processes.write_if_due(&mut self.writer)?;
            }
            last = Some(thread.pid);
        }
        // Some losses belong to no thread.
        let lost = end.lost;
        let others = [
            ("calls", lost.calls.saturating_sub(self.counts.lost_calls)),
            ("threads", lost.threads),
            ("signals", lost.signals),
            ("stacks", self.stack_rows.without),
        ];
        others
            .into_iter()
            .filter(|(_, lost)| *lost > 0)
            .for_each(|(kind, lost)| self.loss(None, None, None, kind, lost));
        self.calls.finish(&mut self.writer)?;
        self.processes.finish(&mut self.writer)?;
        self.stacks.finish(&mut self.writer)?;
        // (The writer has had all calls by now: it takes a group when it is done with the one before.)
        let dropped = self.store.as_ref().map_or(0, |store| store.dropped());
        if dropped > 0 {
            self.loss(None, None, None, "calls", dropped);
            self.notes.push(notices::dropped(dropped));
            self.counts.calls -= dropped;
        }
        self.losses.finish(&mut self.writer)?;
        self.trace(lost.calls + dropped);
        self.traces.finish(&mut self.writer)
    }

    /// The row of the whole trace.
    fn trace(&mut self, lost_calls: u64) {
        let mut command_line = Vec::new();
        let info = &self.info;
        Json::new(&mut command_line).array(|j| info.args.iter().for_each(|word| _ = j.bytes(word.as_encoded_bytes())));
        let note = self.notes.join("\n");
        self.traces.add(TraceRow {
            trace_id: WordCell::trace_id(self.clock.trace_id.as_bytes()),
            started: TimeCell(self.clock.micros(info.started)),
            ended: TimeCell(self.clock.micros(self.last.max(info.started))),
            command_line: TextCell(Some(&command_line)),
            version: WordCell::of(Some(info.version.as_bytes())),
            kernel: WordCell::of(Some(info.release.as_bytes())),
            machine: WordCell::of(Some(info.machine.as_bytes())),
            engine: WordCell::of(Some(info.engine.as_bytes())),
            calls: NumberCell(Some(self.counts.calls as i64)),
            errors: NumberCell(Some(self.counts.errors as i64)),
            unfinished: NumberCell(Some(self.counts.unfinished as i64)),
            lost_calls: NumberCell(Some(lost_calls as i64)),
            note: TextCell((!note.is_empty()).then_some(note.as_bytes())),
        });
    }

    /// The sentence at the end.
    fn completion_notice(&self, written: Written, ended: &DeliveryEnd) -> String {
        let calls = count(written.calls, "call", "calls");
        let (place, size) = match &self.store {
            None => (self.place.directory.display().to_string(), format!("{} as Parquet", bytes(written.bytes))),
            Some(store) => (store.address().to_string(), notices::delivered(ended)),
        };
        format!("{place}: {calls}, {size}; the trace_id is {}", self.place.trace_id)
    }

    /// Waits until the store has all files, or says which it does not have.
    fn deliver(&mut self) -> DeliveryEnd {
        let Some(store) = &self.store else { return DeliveryEnd::default() };
        let ended = store.end();
        self.remarks.extend(store.take_remark());
        if store.dropped() > 0 {
            self.remarks.push(notices::dropped(store.dropped()));
        }
        if let Some(undelivered) = store.undelivered(&ended) {
            self.remarks.push(undelivered);
            self.failed = true;
        }
        ended
    }
}

/// The sentence about a failure. Files that are complete stay.
fn failure(error: &FileError, whole: u64) -> ViewError {
    let path = error.path.display();
    let is_store = error.path.to_str().is_some_and(|path| StoreAddress::parse(path).is_some());
    let (kind, other) = if is_store { ("store", "prefix") } else { ("directory", "directory") };
    if error.error.kind() == io::ErrorKind::AlreadyExists {
        let message = format!(
            "Can't write '{path}': this run is in the {kind} already; remove its files or give --parquet another {other}"
        );
        return ViewError::unopened(&error.error, message);
    }
    let kept = match whole {
        0 => "no call is in a complete file".to_owned(),
        whole => format!("the first {} are in complete files", count(whole, "call", "calls")),
    };
    ViewError::cut(
        &error.error,
        format!("Can't write '{path}': {}; {kept}, and the rest is dropped", why(&error.error)),
    )
}

impl View for ParquetView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.last = self.last.max(event.at().unwrap_or(0));
        if !self.failed {
            let result = self.take(event, tracker);
            self.settle(result);
        }
    }

    fn note(&mut self, what: &str) {
        self.notes.push(what.to_owned());
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        if !self.failed {
            let result = self.complete(end);
            self.settle(result);
            let written = self.end();
            let ended = self.deliver();
            if self.tells && !self.failed {
                self.remarks.push(self.completion_notice(written, &ended));
            }
        } else {
            self.deliver();
        }
        String::new()
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.error.take()
    }

    fn take_remark(&mut self) -> Option<String> {
        let of_store = self.store.as_ref().and_then(|store| store.take_remark());
        of_store.or_else(|| (!self.remarks.is_empty()).then(|| self.remarks.remove(0)))
    }
}
