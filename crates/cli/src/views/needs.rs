//! What views need from the engine and the tracker.

use crate::flags::Options;
use stride_event::Counting;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The calls one by one: it is not enough that the engine counts them.
    pub calls: bool,
    /// What the engine counts instead of telling, if it can.
    pub counting: Option<Counting>,
    /// The beginnings of calls.
    pub entries: bool,
    pub signals: bool,
    /// What arguments point to.
    pub memory: bool,
    pub times: bool,
    pub system_times: bool,
    /// What descriptors refer to, as the kernel says it.
    pub descriptors: bool,
    /// The tracker.
    pub tracker: bool,
    /// Calls that tell what threads run and what descriptors refer to, though the filters leave these calls out.
    pub naming_calls: bool,
    /// Names of threads, however few bytes of a string are shown.
    pub thread_names: bool,
    /// All calls, since what is shown of one follows from others.
    pub all_calls: bool,
    /// What ids of processes refer to, as /proc says it when the call is shown.
    pub process_ids: bool,
    /// By which functions calls were made.
    pub stacks: bool,
    /// A note of each answer of /proc.
    pub answers_noted: bool,
}

impl Needs {
    /// All events, and what they are about: what a view needs that shows more than lines.
    pub fn everything(options: &Options) -> Needs {
        Needs {
            calls: true,
            entries: true,
            signals: true,
            memory: true,
            times: true,
            descriptors: !options.decode_fds.is_empty(),
            tracker: true,
            naming_calls: true,
            thread_names: true,
            ..Needs::default()
        }
    }

    /// What both need.
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            calls: self.calls || other.calls,
            counting: self.counting.or(other.counting),
            entries: self.entries || other.entries,
            signals: self.signals || other.signals,
            memory: self.memory || other.memory,
            times: self.times || other.times,
            system_times: self.system_times || other.system_times,
            descriptors: self.descriptors || other.descriptors,
            tracker: self.tracker || other.tracker,
            naming_calls: self.naming_calls || other.naming_calls,
            thread_names: self.thread_names || other.thread_names,
            all_calls: self.all_calls || other.all_calls,
            process_ids: self.process_ids || other.process_ids,
            stacks: self.stacks || other.stacks,
            answers_noted: self.answers_noted || other.answers_noted,
        }
    }
}
