//! The data that views need from the engine and the tracker.

use crate::options::Options;
use std::time::Duration;
use stride_event::{Counting, StackRate};
use stride_filter::{CallField, Expression};
use stride_output::ShowStack;

/// The needs of one view, or of several together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Single calls. Counts by the engine are not enough.
    pub calls: bool,
    /// Calls that the engine may count instead of reporting, if it can.
    pub counting: Option<Counting>,
    /// Entries of calls.
    pub entries: bool,
    /// Signals that threads get.
    pub signals: bool,
    /// The memory that arguments point to.
    pub memory: bool,
    /// In it, the data that calls receive through descriptors.
    pub received: bool,
    /// The times of entry and return.
    pub times: bool,
    /// The time that each call takes on a CPU.
    pub system_times: bool,
    /// The files of descriptors, as the kernel names them.
    pub descriptors: bool,
    /// The tracker.
    pub tracker: bool,
    /// The view uses paths that nothing refers to only while their calls are shown. If all views say so that need the tracker, it forgets such paths then.
    pub passing_paths: bool,
    /// Of the tracker, the names of threads.
    pub tracked_names: bool,
    /// Calls that tell which programs threads run and what descriptors refer to, although the filters leave these calls
    /// out.
    pub naming_calls: bool,
    /// Whole names of threads, however few bytes of a string are shown.
    pub thread_names: bool,
    /// The whole arguments and environments of programs that are executed, or nearly so.
    pub whole_commands: bool,
    /// All calls, because a shown call may depend on others.
    pub all_calls: bool,
    /// The names of processes behind ids, as /proc has them when the call is shown.
    pub process_ids: bool,
    /// The stacks of calls.
    pub stacks: bool,
    /// The lines of source in these stacks, and the functions that the compiler merged into others.
    pub sources: bool,
    /// The stacks of some calls, enough to tell which functions make most of them. Engines that cannot take stacks take none.
    pub sampled_stacks: bool,
    /// The waits of threads, if the engine can measure them.
    pub waits: bool,
    /// A note of each answer from /proc.
    pub answers_noted: bool,
    /// The end of each interval of this length.
    pub every: Option<Duration>,
}

impl Needs {
    /// All events and their objects. A view that shows more than lines needs this.
    pub fn everything(options: &Options) -> Needs {
        Needs {
            calls: true,
            entries: true,
            signals: true,
            memory: true,
            received: true,
            times: true,
            descriptors: !options.decode_fds.is_empty(),
            tracker: true,
            naming_calls: true,
            thread_names: true,
            ..Needs::default()
        }
    }

    /// The needs of the filters that the reader decides.
    pub fn of_filters(options: &Options) -> Needs {
        let asks =
            |fields: &[CallField]| options.expressions().any(|of| fields.iter().any(|&field| of.mentions(field)));
        let about_files = asks(&[CallField::Path, CallField::FdKind, CallField::FdPeer]);
        let names = asks(&[CallField::Comm, CallField::Exe]);
        let arguments = options.expressions().any(Expression::mentions_arguments);
        let needs = Needs {
            // The file behind a descriptor may change during the call.
            entries: about_files,
            memory: about_files || names || arguments,
            received: arguments,
            times: options.filters.endings().needs_times() || asks(&[CallField::Duration]),
            // A secret may be known by its file alone.
            descriptors: about_files || options.redacts(),
            tracker: about_files || names || asks(&[CallField::Pid]),
            naming_calls: about_files || names,
            thread_names: names,
            ..Needs::default()
        };
        if options.filters.called_from.is_some() { needs.and(Needs::functions()) } else { needs }
    }

    /// The stacks that `-k` asks for.
    pub fn shown_stacks(options: &Options) -> Needs {
        Needs {
            stacks: options.stack_trace.is_some(),
            sources: options.stack_trace == Some(ShowStack::Source),
            ..Needs::default()
        }
    }

    /// Stacks in which each function is known, including those that the compiler merged into others.
    pub fn functions() -> Needs {
        Needs { stacks: true, sources: true, ..Needs::default() }
    }

    /// The share of the calls that have to come with their stacks.
    pub fn stack_rate(&self) -> StackRate {
        match self {
            Needs { stacks: true, .. } => StackRate::All,
            Needs { sampled_stacks: true, .. } => StackRate::Sampled,
            _ => StackRate::None,
        }
    }

    /// The needs of both.
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            calls: self.calls || other.calls,
            counting: match (self.counting, other.counting) {
                (Some(own), Some(others)) => Some(own.and(others)),
                (own, others) => own.or(others),
            },
            entries: self.entries || other.entries,
            signals: self.signals || other.signals,
            memory: self.memory || other.memory,
            received: self.received || other.received,
            times: self.times || other.times,
            system_times: self.system_times || other.system_times,
            descriptors: self.descriptors || other.descriptors,
            tracker: self.tracker || other.tracker,
            passing_paths: (self.passing_paths || !self.tracker)
                && (other.passing_paths || !other.tracker)
                && (self.tracker || other.tracker),
            tracked_names: self.tracked_names || other.tracked_names,
            naming_calls: self.naming_calls || other.naming_calls,
            thread_names: self.thread_names || other.thread_names,
            whole_commands: self.whole_commands || other.whole_commands,
            all_calls: self.all_calls || other.all_calls,
            process_ids: self.process_ids || other.process_ids,
            stacks: self.stacks || other.stacks,
            sources: self.sources || other.sources,
            sampled_stacks: self.sampled_stacks || other.sampled_stacks,
            waits: self.waits || other.waits,
            answers_noted: self.answers_noted || other.answers_noted,
            every: self.every.or(other.every),
        }
    }
}
