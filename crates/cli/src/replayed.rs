//! What the options of a replay become where the recording has less to show than they ask for.

use crate::flags::{Options, PidPrefix};
use stride_event::{CallSet, FdSet};
use stride_filter::{PidDetail, WordSet};
use stride_record::Metadata;

/// The answer says what cannot be shown, and why.
pub fn adapt(options: &mut Options, recorded: &Metadata) -> Vec<String> {
    let mut notes = Vec::new();
    let text_limit = usize::try_from(recorded.text_limit).unwrap_or(usize::MAX);
    if options.string_limit > text_limit {
        notes.push(format!("strings were recorded up to {text_limit} bytes (-s {text_limit})"));
        options.string_limit = text_limit;
    }
    if usize::try_from(recorded.elements_limit).is_ok_and(|n| n < usize::MAX >> 2) && options.abbrev != CallSet::all() {
        notes.push("arrays and structures were recorded in part: what they are whole takes recording with -v".into());
        options.abbrev = CallSet::all();
    }
    if !recorded.descriptors && (!options.decode_fds.is_empty() || !options.paths.is_empty()) {
        notes.push("what descriptors refer to was not recorded: that takes recording with -y or -P".into());
        options.decode_fds = WordSet::NONE;
    }
    if !recorded.names && options.decode_pids.contains(PidDetail::Comm) {
        notes.push("names of processes were not recorded: that takes recording with -Y".into());
        options.decode_pids = WordSet::NONE;
    }
    if !recorded.instruction_pointers && options.instruction_pointer {
        notes.push("instruction pointers were not recorded: that takes recording with -i".into());
        options.instruction_pointer = false;
    }
    if !(recorded.dumps || options.dump_read.is_empty() && options.dump_write.is_empty()) {
        notes.push("transfers were not recorded whole: that takes recording with -e read=... or -e write=...".into());
        (options.dump_read, options.dump_write) = (FdSet::none(), FdSet::none());
    }
    if let Some(summary) = options.summary.as_mut().filter(|s| !s.wall_clock && !recorded.cpu_times) {
        notes.push("CPU times were not recorded, only how long calls took: the summary is of that (-w)".into());
        summary.wall_clock = true;
    }
    // As with -o: whose line it is may matter.
    if options.pid_prefix == PidPrefix::WhenSeveral && recorded.several {
        options.pid_prefix = PidPrefix::Always;
    }
    notes
}
