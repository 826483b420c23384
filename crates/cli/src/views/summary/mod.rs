//! `-c`, `-C`, `--by`: counts of calls, errors and time.

mod flags;

use super::declaration::{Declaration, Destination};
use crate::flags::flag::Flag;
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::{Result, anyhow};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use stride_event::Counting;
use stride_output::{Column, Key, RunTimes, SortKey, SummaryLayout, SummaryView, Users, View};
use stride_session::options::LineStyle;
use stride_session::{Before, Identities, NamedUsers, Needs, Opener, Opening, Options, monotonic};

pub struct SummaryDeclaration;

impl Declaration for SummaryDeclaration {
    fn flags(&self) -> &'static [Flag] {
        flags::FLAGS
    }

    /// Rejects options that conflict with a summary, and options that make no sense with or without one.
    fn check(&self, raw: &RawOptions, warn: Warn<'_>) -> Result<(), Stop> {
        const EITHER: &str = "(-c/--summary-only or -C/--summary)";
        if raw.summarizes() && raw.separates_output() {
            return Err(Stop::usage(format!("{EITHER} and -ff/--output-separately are mutually exclusive")));
        }
        if !raw.summarizes() && raw.every.is_some() {
            return Err(Stop::usage(format!(
                "--every divides a summary into intervals: give {EITHER} or --by as well"
            )));
        }
        if !raw.summarizes() && raw.wall_clock {
            return Err(Stop::usage(format!("-w/--summary-wall-clock must be given with {EITHER}")));
        }
        if !raw.summarizes() && raw.exact_times {
            return Err(Stop::usage(format!("--exact-times must be given with {EITHER} or --by")));
        }
        if !raw.summarizes() && raw.summary_columns.is_some() {
            return Err(Stop::usage(format!("-U/--summary-columns must be given with {EITHER}")));
        }
        if raw.summary_only {
            for (given, names) in [
                (raw.options.lines.leader.ip, "-i/--instruction-pointer"),
                (raw.options.stack_trace.is_some(), "-k/--stack-trace"),
                (raw.options.lines.leader.number, "-n/--syscall-number"),
                (raw.options.lines.style.arg_names, "-N/--arg-names"),
                (raw.options.lines.leader.relative.is_some(), "-r/--relative-timestamps"),
                (
                    raw.timestamps_count > 0 || raw.timestamps.is_some_and(|t| t.format.is_some()),
                    "-t/--absolute-timestamps",
                ),
                (raw.options.lines.elapsed.is_some(), "-T/--syscall-times"),
                (raw.decode_fds_count > 0 || raw.decode_fds.is_some_and(|set| !set.is_empty()), "-y/--decode-fds"),
            ] {
                if given {
                    warn(format!("{names} has no effect with -c/--summary-only"));
                }
            }
        }
        if !raw.summarizes() && raw.sort.is_some() {
            warn(format!("-S/--summary-sort-by has no effect without {EITHER}"));
        }
        Ok(())
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        let summary = options.summary.as_ref()?;
        Some(if summary.only { Destination::InsteadOfTrace } else { Destination::BehindTrace })
    }

    fn needs(&self, options: &Options) -> Needs {
        let Some(summary) = &options.summary else { return Needs::default() };
        let memory = summary.is_by(Key::needs_memory);
        let counting = counting(options);
        Needs {
            calls: counting.is_none(),
            counting,
            memory,
            times: true,
            every: summary.every,
            system_times: !summary.layout.wall_clock,
            tracker: summary.is_by(Key::is_tracked),
            thread_names: summary.is_by(|key| key == Key::Comm),
            // The files of descriptors and the names of threads follow from other calls.
            all_calls: (memory || summary.is_by(|key| key == Key::User)) && !options.filters.sees_all_calls(),
            ..if summary.is_by(Key::needs_stacks) { Needs::functions() } else { Needs::default() }
        }
    }

    /// Rows that are objects come after the objects of calls and findings.
    fn comes_last(&self, options: &Options) -> bool {
        options.json
    }

    fn prepare(&self, before: &Before<'_>) -> Result<Opener> {
        let by = before.options.summary.iter().flat_map(|summary| &summary.layout.by);
        by.filter(|key| key.needs_stacks())
            .try_for_each(|key| before.require_stacks(&format!("--by={}", key.name())))?;
        Ok(Box::new(open))
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let summary = with.options.summary.as_ref().ok_or_else(|| anyhow!("no summary was asked for"))?;
    let (json, width) = (with.options.json, with.outputs.width());
    let layout = SummaryLayout { json, width, waits: with.options.spec.waits, ..summary.layout.clone() };
    let users = summary.is_by(|key| key == Key::User).then(|| {
        let identities = Identities::new(Some(with.resolvers.tracked.clone()));
        Box::new(NamedUsers {
            identities,
            named: with.options.replay.is_none() || stride_session::is_this_host(&with.info.host),
        }) as Box<dyn Users>
    });
    let view = SummaryView::new(layout, with.counted, summary.every.is_some(), users, with.info.operations);
    Ok(Box::new(match with.options.style {
        LineStyle::Truss(_) if !with.options.json => view.as_truss(run_times(with)),
        _ => view,
    }))
}

/// The times that truss -c tells. A recording has none of them, and of processes that Stride did not start only one is known.
fn run_times(with: &Opening<'_>) -> Box<dyn Fn() -> RunTimes> {
    let (live, started) = (with.options.replay.is_none(), with.info.started);
    let has_command = with.command.is_some();
    Box::new(move || {
        let spent = getrusage(UsageWho::RUSAGE_CHILDREN).ok().filter(|_| live && has_command);
        RunTimes {
            user: spent.map(|usage| usage.user_time().num_microseconds().unsigned_abs() * 1000),
            elapsed: live.then(|| monotonic().saturating_sub(started)),
        }
    })
}

/// The calls that an engine may count by itself for the summary.
fn counting(options: &Options) -> Option<Counting> {
    // (The kernel side does not join waits with calls.)
    let summary = options.summary.as_ref().filter(|_| !options.spec.waits)?;
    let shows = |test: fn(Column) -> bool| {
        summary.layout.columns.iter().any(|&c| test(c)) || matches!(summary.layout.sort, SortKey::By(c) if test(c))
    };
    let latencies = options.json || shows(|c| matches!(c, Column::P50 | Column::P99));
    // (truss has no place to say so.)
    let estimated = !summary.layout.wall_clock
        && !summary.exact_times
        && !latencies
        && !matches!(options.style, LineStyle::Truss(_))
        && !shows(Column::is_of_single_calls);
    Some(Counting {
        only: true,
        cpu_time: !summary.layout.wall_clock,
        estimated,
        latencies,
        bytes: options.json || shows(|c| c == Column::Bytes),
        by: Key::countable(&summary.layout.by)?,
        intervals: summary.every.is_some(),
    })
}
