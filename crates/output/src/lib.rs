//! The views, which show decoded calls. Only this crate knows strace's punctuation.
//!
//! Architecture invariant: no registers, no memory; values in, bytes out.

mod advise;
mod brief;
mod caller;
mod clock;
mod color;
mod dump;
mod error;
mod flamegraph;
mod form;
mod frames;
mod html;
pub mod json;
mod known;
mod line;
mod moment;
mod names;
mod perfetto;
mod quote;
pub mod reference;
pub mod report;
mod sink;
mod stack;
mod style;
mod summary;
mod text;
mod value;
mod view;

pub use advise::AdviseView;
pub use brief::Brief;
pub use caller::caller_name;
pub use color::Palette;
pub use error::{ViewError, why};
pub use flamegraph::{FlameFormat, FlameView};
pub use form::{LineForm, PerfForm, RunTimes, STYLES, TrussForm, form_of};
pub use html::HtmlView;
pub use json::JsonView;
pub use line::{Layout, Leader, Line, PidPrefix, WallClock};
pub use moment::Moment;
pub use names::signal_text;
pub use perfetto::Perfetto;
pub use quote::{escape_path, quote, shown};
pub use report::ReportFormat;
pub use sink::Sink;
pub use stack::ShowStack;
pub use stride_event::grouped;
pub use style::{HexStrings, NameStyle, Style};
pub use summary::errno_name;
pub use summary::{Column, Interval, Key, SortKey, SummaryLayout, SummaryView, Users};
pub use text::{OpenSink, Show, TextView};
pub use value::Writer;
pub use view::{End, RunInfo, UNSEEN_OPERATIONS, View};
