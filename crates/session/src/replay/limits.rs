//! The limits of a recording: options that ask for more than the recording has are reduced.

use crate::options::{Options, PidPrefix};
use crate::start::Needs;
use anyhow::{Result, ensure};
use std::path::Path;
use stride_event::{CallSet, FdSet, Limits};
use stride_filter::{FdDetail, PidDetail, WordSet};
use stride_output::ShowStack;
use stride_record::Metadata;

/// Refuses a recording without stacks for an option that is of no use without them.
pub fn require_stacks(option: &str, recorded: &Metadata, path: &Path) -> Result<()> {
    ensure!(
        recorded.stacks,
        "{option} needs stacks, and the recording '{}' has none: record the program again with -k",
        path.display()
    );
    Ok(())
}

/// Returns what cannot be shown, and why.
pub fn adapt(options: &mut Options, needs: &Needs, recorded: &Metadata) -> Vec<String> {
    let mut notes = Vec::new();
    let text_limit = usize::try_from(recorded.text_limit).unwrap_or(usize::MAX);
    if options.decoding.text > text_limit {
        notes.push(format!("strings were recorded up to {text_limit} bytes (-s {text_limit})"));
        options.decoding.text = text_limit;
    }
    if usize::try_from(recorded.elements_limit).is_ok_and(|n| n < Limits::UNLIMITED)
        && options.decoding.abbrev != CallSet::all()
    {
        notes.push("arrays and structures were only recorded in part; to have them whole, record with -v".into());
        options.decoding.abbrev = CallSet::all();
    }
    if !recorded.descriptors && (!options.decode_fds.is_empty() || !options.filters.paths.is_empty()) {
        if recorded.partial {
            // Descriptors cannot be followed if some of the calls that open and close them are missing.
            notes.push(
                "what descriptors refer to is not known: it was not recorded, and a filter left calls out that would tell; \
                 record with -y or -P, or without a filter"
                    .into(),
            );
            options.decode_fds = WordSet::NONE;
        } else {
            let devices = if options.decode_fds.contains(FdDetail::Dev) { ", without device numbers" } else { "" };
            notes.push(format!(
                "what descriptors refer to was not recorded: it is followed from the calls{devices}, and a descriptor that \
                 no call explains is a bare number; to have what the kernel says, record with -y"
            ));
        }
    }
    if !recorded.names && options.decode_pids.contains(PidDetail::Comm) {
        notes.push("names of processes were not recorded; to have them, record with -Y".into());
        options.decode_pids = WordSet::NONE;
    }
    if !recorded.instruction_pointers && options.lines.leader.ip {
        notes.push("instruction pointers were not recorded; to have them, record with -i".into());
        options.lines.leader.ip = false;
    }
    if !recorded.waits && options.spec.waits {
        notes.push("what threads waited for was not recorded; to have it, record with --waits".into());
        options.spec.waits = false;
    }
    if !recorded.stacks && options.stack_trace.is_some() {
        notes.push("stacks were not recorded; to have them, record with -k".into());
        options.stack_trace = None;
    }
    if !recorded.sources && options.stack_trace == Some(ShowStack::Source) {
        notes.push("lines of source were not recorded; to have them, record with --stack-trace=source".into());
        options.stack_trace = Some(ShowStack::Symbol);
    } else if needs.sources && recorded.stacks && !recorded.sources {
        notes.push(
            "functions that the compiler merged into others were not recorded, and their calls are counted for the functions that contain them; to have them, \
             record with --stack-trace=source"
                .into(),
        );
    }
    if !(recorded.dumps || options.decoding.dump_read.is_empty() && options.decoding.dump_write.is_empty()) {
        notes.push("transfers were not recorded whole; to have them, record with -e read=... or -e write=...".into());
        (options.decoding.dump_read, options.decoding.dump_write) = (FdSet::none(), FdSet::none());
    }
    if let Some(summary) = options.summary.as_mut().filter(|s| !s.layout.wall_clock && !recorded.cpu_times) {
        notes.push("CPU times were not recorded: the summary shows wall clock time (-w)".into());
        summary.layout.wall_clock = true;
    }
    // As with -o, each line names its thread from the start.
    if options.lines.leader.pid == PidPrefix::WhenSeveral && recorded.several {
        options.lines.leader.pid = PidPrefix::Always;
    }
    notes
}
