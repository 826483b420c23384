//! Lines as other tools than strace write them. A form is one file here: it says how a call that has returned, a part
//! of a library's call, a signal and an end are written. The text view does the rest, as for strace's lines.
//!
//! These lines are whole: a call is shown when it has returned, or when its thread is left.

mod perf;
mod truss;

mod truss_totals;

pub use perf::PerfForm;
pub use truss::TrussForm;
pub use truss_totals::{RunTimes, TotalsRow, truss_totals};

use crate::{Moment, Writer};
use std::fmt::Debug;
use std::sync::Arc;
use stride_decode::{Decoded, FdNote, Value};
use stride_event::{LibraryCall, Ns, Tid};

/// The names of all styles of lines (`--style`).
pub const STYLES: [&str; 3] = ["perf", "strace", "truss"];

/// The form of a style. strace's lines are no form.
pub fn form_of(style: &str) -> Option<Arc<dyn LineForm>> {
    match style {
        "perf" => Some(Arc::new(PerfForm)),
        "truss" => Some(Arc::new(TrussForm::default())),
        _ => None,
    }
}

/// How lines are written.
pub trait LineForm: Debug + Send + Sync {
    /// The line of a call that has returned, or that is left without a result.
    fn call(&self, w: &mut Writer<'_>, line: &FormLine<'_>, decoded: &Decoded<'_>);

    /// The line of a part of a call of a library's function, of a probe, or of an operation of io_uring; or nothing, if
    /// the part that comes at its end has all of it. `notes`: the referents of descriptors.
    fn library(&self, w: &mut Writer<'_>, line: &FormLine<'_>, call: &LibraryCall, notes: &[(i32, FdNote<'_>)]);

    /// The line of a signal. Nothing is written by default.
    fn signal(&self, _: &mut Writer<'_>, _: &FormLine<'_>, _: i32, _: &Value<'_>) {}

    /// A process was killed by a signal. Nothing is written by default.
    fn killed(&self, _: &mut Writer<'_>, _: &FormLine<'_>) {}

    /// The lines before the first one. `epoch`: the time of the trace's beginning, in nanoseconds since 1970.
    fn head(&self, _: &mut Writer<'_>, _epoch: u64) {}
}

/// The place of a line in the trace.
#[derive(Clone, Copy, Debug)]
pub struct FormLine<'a> {
    pub moment: Moment<'a>,
    pub pid: Tid,
    /// The time of the trace's beginning.
    pub base: Ns,
    /// The time of the thread's line before, or of the trace's beginning.
    pub before: Ns,
}

/// The name of a library's function. Names come from files, which may be hostile.
fn function(w: &mut Writer<'_>, call: &LibraryCall) {
    w.str(&crate::shown(call.function.name.as_bytes()));
}

/// Blanks up to this column, or one blank.
fn pad(w: &mut Writer<'_>, from: usize, column: usize) {
    let end = (from + column).max(w.out.len() + 1);
    w.out.resize(end, b' ');
}
