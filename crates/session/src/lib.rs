//! A session: one run of Stride, from the options to the end of the views.
//!
//! A session chooses the engine and asks it for what the views and filters need (`start`). It decides which events are shown
//! (`selection`), answers questions about descriptors and processes (`resolvers`), and hands each event to the views (`run`). A recording
//! stands in the place of an engine (`replay`). The options are typed here ([`options`]); the command line that makes them is not.
//!
//! Programs that want decoded calls, and no views, need one screen of this: [`Trace`].

#![deny(missing_docs)]

mod comparison;
mod digests;
mod library;
mod links;
pub mod options;
mod os_error;
mod outputs;
mod program_files;
mod recording;
mod redaction;
mod replay;
mod resolvers;
mod run;
mod selection;
mod start;
mod threads;
mod trace;

pub use comparison::{RecordedRun, Side, against, read_budget, replaceable};
pub use digests::FileDigests;
pub use library::list as list_library;
pub use links::FileLinks;
pub use options::Options;
pub use os_error::os_error;
pub use outputs::{
    CompletionNotice, Files, NamedFile, Outputs, Target, Use, Whole, WrittenFile, complain, erase_progress, monotonic,
};
pub use program_files::ProgramFiles;
pub use recording::{keep_latest, record};
pub use resolvers::followed;
pub use run::{
    Asks, Before, Ended, EventSource, MakeView, Opener, Opening, PreparedView, Session, Start, ViewPlan, is_this_host,
};
pub use selection::{Identities, NamedUsers};
pub use start::{CommandNotFound, ENGINES, Needs, TRIALS};
pub use trace::{Trace, TraceBuilder, TracedCall};

/// Facts about this machine and this build that `--version` and the option table tell.
pub mod facts {
    pub use stride_proc::selinux_enabled;
    pub use stride_record::{Keep, VERSION as RECORDING_VERSION};
}
