//! The views, which show decoded calls. Only this crate knows strace's punctuation.
//!
//! Architecture invariant: no registers, no memory; values in, bytes out.

mod brief;
mod form;
mod line;
pub mod progress;
pub mod reference;
pub mod report;
mod sink;
mod spelling;
mod value;
mod views;

pub use brief::call::Brief;
pub use brief::caller::caller_name;
pub use form::{LineForm, PerfForm, RunTimes, STYLES, TrussForm, form_of};
pub use line::color::Palette;
pub use line::moment::Moment;
pub use line::stack::ShowStack;
pub use line::waits::waker_name;
pub use line::{Layout, Leader, Line, PidPrefix, WallClock};
pub use report::ReportFormat;
pub use sink::Sink;
pub use sink::error::{ViewError, why};
pub use sink::own_file;
pub use spelling::names::signal_text;
pub use spelling::quote::{escape_path, quote, shown};
pub use spelling::shell::{push_word, shell_word};
pub use spelling::style::{HexStrings, NameStyle, Style};
pub use stride_event::grouped;
pub use value::Writer;
pub use views::advise::{AdviseView, Try, Verified, Verify};
pub use views::flamegraph::{FlameFormat, FlameView, FlameWeight};
pub use views::harden::{CodeFiles, HardenEvidence, HardenFormat, HardenView, Links, explain_denials};
pub use views::html::HtmlView;
pub use views::inputs::{DeclaredInputs, Digest, Digests, InputsFormat, InputsView};
pub use views::json::{self, JsonView};
pub use views::perfetto::Perfetto;
pub use views::summary::errno_name;
pub use views::summary::{Column, Interval, Key, SortKey, SummaryLayout, SummaryView, Users};
pub use views::text::{OpenSink, Show, TextView};
pub use views::time_spent::{TimeBy, TimeView};
pub use views::tree::{TreeLayout, TreeView};
pub use views::view::{End, RunInfo, UNSEEN_OPERATIONS, View};
