//! Lines as other tools than strace write them. A form is one file here: it says how a call that has returned, a signal and an end
//! are written. The text view does the rest, as for strace's lines.
//!
//! Such lines are whole: a call is shown when it has returned, or when its thread is left.

mod kernel_names;
mod perf;
mod truss;

mod truss_totals;

pub use perf::PerfForm;
pub use truss::TrussForm;
pub use truss_totals::{RunTimes, TotalsRow, truss_totals};

use crate::{Moment, Writer};
use std::fmt::Debug;
use stride_decode::{Decoded, Value};
use stride_event::{Ns, Tid};

/// How lines are written.
pub trait LineForm: Debug {
    /// The line of a call that has returned, or that is left without a result.
    fn call(&self, w: &mut Writer<'_>, line: &FormLine<'_>, decoded: &Decoded<'_>);

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
    /// When the trace began.
    pub base: Ns,
    /// The time of the thread's line before, or of the trace's beginning.
    pub before: Ns,
}

/// Blanks up to this column, or one blank.
fn pad(w: &mut Writer<'_>, from: usize, column: usize) {
    let end = (from + column).max(w.out.len() + 1);
    w.out.resize(end, b' ');
}
