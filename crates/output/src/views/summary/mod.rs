//! The summary of `-c` and `-C`: calls counted by a key, which is the syscall unless `--by` names others.

mod column;
mod interval;
mod json;
mod key;
mod label;
mod names;
mod part;
mod rows;
mod table;
mod truss;
mod view;

pub use column::{Column, SortKey};
pub use interval::Interval;
pub use key::Key;
pub use label::errno_name;
pub use names::Users;
pub use view::SummaryView;

use names::Names;
use part::KeyPart;
use rows::Rows;
use stride_event::{Call, CallStats, Counted, Event, LibraryCall, Ns, Outcome, Times};
use stride_track::Tracker;

/// The layout of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryLayout {
    pub by: Vec<Key>,
    pub columns: Vec<Column>,
    pub sort: SortKey,
    /// The `Time…` columns show wall-clock time instead of the tracee's system time.
    pub wall_clock: bool,
    /// Calls come with the waits of their threads.
    pub waits: bool,
    /// The time that is subtracted from each call.
    pub overhead: Ns,
    /// True if the output is JSON instead of a table.
    pub json: bool,
    /// The terminal's width, if the output goes to one.
    pub width: Option<usize>,
}

impl SummaryLayout {
    /// For things that have neither CPU times nor waits.
    fn without_waits(&self) -> SummaryLayout {
        let columns = self.columns.iter().copied().filter(|column| !column.is_of_waits()).collect();
        SummaryLayout { columns, waits: false, wall_clock: true, ..self.clone() }
    }
}

/// Calls that did not reach the views.
#[derive(Clone, Copy, Debug, Default)]
pub struct LostCalls {
    pub calls: u64,
    /// True if the engine had counted the calls before they were lost.
    pub counted: bool,
}

/// Counts calls.
pub struct Summary {
    layout: SummaryLayout,
    /// The interval, if there are several summaries.
    interval: Option<Interval>,
    rows: Rows,
    names: Names,
    /// The key of the call that is being counted; reused.
    key: Vec<KeyPart>,
    of: SummaryKind,
}

/// The things that a summary counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SummaryKind {
    Calls,
    /// Functions of libraries.
    Functions,
    /// Operations of io_uring.
    Operations,
}

impl SummaryKind {
    /// The words for one thing and for several.
    fn words(self) -> [&'static str; 2] {
        match self {
            SummaryKind::Calls | SummaryKind::Functions => ["call", "calls"],
            SummaryKind::Operations => ["operation", "operations"],
        }
    }
}

impl Summary {
    pub fn new(layout: SummaryLayout) -> Summary {
        Summary {
            layout,
            interval: None,
            rows: Rows::default(),
            names: Names::default(),
            key: Vec::new(),
            of: SummaryKind::Calls,
        }
    }

    /// The summary of functions of libraries that goes with one of system calls. Functions have no CPU times, and no
    /// errors that are known.
    pub fn of_functions(layout: &SummaryLayout) -> Summary {
        let layout = SummaryLayout { by: vec![Key::Syscall], ..layout.without_waits() };
        let columns = layout.columns.iter().copied().filter(|column| *column != Column::Errors).collect();
        let layout = SummaryLayout { columns, ..layout };
        Summary { of: SummaryKind::Functions, ..Summary::new(layout) }
    }

    /// The summary of operations of io_uring that goes with one of system calls. Operations have no CPU times.
    pub fn of_operations(layout: &SummaryLayout) -> Summary {
        Summary { of: SummaryKind::Operations, ..Summary::new(layout.without_waits()) }
    }

    /// Counts an operation that was completed, or never will be. The tracker has just seen it. Of one with several
    /// completions, each adds its bytes.
    pub fn add_operation(&mut self, call: &LibraryCall, tracker: Option<&Tracker>) {
        let names = &mut self.names;
        self.key.clear();
        self.key.extend(self.layout.by.iter().map(|key| key.of_operation(call, tracker, names)));
        let row = self.rows.row(&self.key);
        row.bytes += call.moved().unwrap_or(0);
        if !call.is_counted_here() {
            return;
        }
        row.calls += 1;
        row.errors += u64::from(call.error().is_some());
        row.add_wall(call.duration().map(|time| time.saturating_sub(self.layout.overhead)));
    }

    /// Counts a function that returned, or whose return is not seen.
    pub fn add_function(&mut self, call: &LibraryCall) {
        if !call.is_counted_here() {
            return;
        }
        self.key.clear();
        self.key.push(self.names.part(call.function.name.as_bytes()));
        let row = self.rows.row(&self.key);
        row.calls += 1;
        row.add_wall(call.duration().map(|time| time.saturating_sub(self.layout.overhead)));
    }

    /// The heading of a key.
    fn heading(&self, key: Key) -> &'static str {
        match (self.of, key) {
            (SummaryKind::Functions, _) => "function",
            (SummaryKind::Operations, Key::Syscall) => "operation",
            _ => key.name(),
        }
    }

    /// Follows the users of threads, for [`Key::User`].
    pub fn note(&mut self, event: &Event<'_>) {
        if let Some(users) = &self.names.users {
            users.borrow_mut().note(event);
        }
    }

    /// The summary of the interval that ended. The next one begins with no calls.
    pub fn of_interval(&mut self, ended: Interval, lost: LostCalls, tracker: Option<&Tracker>) -> String {
        self.interval = Some(ended);
        let text = self.text(lost, tracker);
        self.rows = Rows::default();
        text
    }

    /// Counts a returned call, unless the engine did. The tracker has just seen the call.
    pub fn add(&mut self, call: &Call, tracker: Option<&Tracker>) {
        if call.counted {
            return;
        }
        let failed = match call.outcome {
            Outcome::Value(_) => false,
            Outcome::Error(_) => true,
            Outcome::Pending | Outcome::Gone => return,
        };
        let wall = call.took().map(|wall| wall.saturating_sub(self.layout.overhead));
        let cpu = call.system_time.saturating_sub(self.layout.overhead);
        let names = &mut self.names;
        self.key.clear();
        self.key.extend(self.layout.by.iter().map(|key| key.part(call, tracker, names)));
        let row = self.rows.row(&self.key);
        row.calls += 1;
        row.errors += u64::from(failed);
        row.bytes += call.moved().unwrap_or(0);
        row.add_wall(wall);
        row.cpu.add(cpu);
        if let Some(waits) = call.waits.as_deref() {
            row.blocked += waits.in_call.asleep();
            row.runnable += waits.in_call.all() - waits.in_call.asleep();
        }
    }

    /// Adds the engine's counts.
    pub fn merge(&mut self, counted: &Counted) {
        let (overhead, calls) = (self.layout.overhead, counted.tally.calls);
        let less = |t: &Times| Times {
            total: t.total.saturating_sub(overhead * calls),
            min: if t.min == Ns::MAX { t.min } else { t.min.saturating_sub(overhead) },
            max: t.max.saturating_sub(overhead),
        };
        let mut tally = counted.tally.clone();
        (tally.wall, tally.cpu) = (less(&tally.wall), less(&tally.cpu));
        let names = &mut self.names;
        self.key.clear();
        self.key.extend(self.layout.by.iter().map(|key| key.counted(counted, names)));
        self.rows.row(&self.key).merge(&tally);
    }

    /// The whole summary, and what is missing in it.
    pub fn text(&self, lost: LostCalls, tracker: Option<&Tracker>) -> String {
        if self.layout.json {
            let mut out = Vec::new();
            self.render_json(lost, tracker, &mut out);
            return String::from_utf8_lossy(&out).into_owned();
        }
        let mut out = String::new();
        self.render(lost, tracker, &mut out);
        out
    }

    /// The time in the `Time…` columns.
    fn time<'r>(&self, row: &'r CallStats) -> &'r Times {
        if self.layout.wall_clock { &row.wall } else { &row.cpu }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
