//! The comparison as lines of JSON. It contains all differences, whether they are of note or not.

use crate::diff::report::verdict;
use crate::diff::{Change, ChangeKind, Diff};
use crate::profile::Profile;
use crate::profile::figures::Figures;
use stride_output::json::Json;

pub fn diff(out: &mut Vec<u8>, diff: &Diff<'_>, caveats: &[String]) {
    let mut json = Json::new(out);
    json.line("diff", |j| {
        j.key("verdict").str(&verdict(diff));
        j.key("of_note").bool(diff.of_note());
        j.key("times_comparable").bool(diff.times.is_some());
        j.key("circumstances").array(|j| caveats.iter().for_each(|sentence| j.str(sentence)));
        for (name, profile) in [("base", diff.base), ("this", diff.this)] {
            j.key(name).object(|j| whole(j, profile));
        }
    });
    for of in &diff.wavering {
        json.line("wavering", |j| {
            j.key("name").str(&of.name);
            for (name, range) in [("base", &of.base), ("this", &of.this)] {
                j.key(name).object(|j| {
                    j.key("lowest").int(range.lowest);
                    j.key("highest").int(range.highest);
                });
            }
        });
    }
    for (kind, changes) in [("syscall", &diff.syscalls), ("object", &diff.objects)] {
        for change in changes {
            json.line(kind, |j| line(j, change));
        }
    }
}

fn whole(j: &mut Json<'_>, profile: &Profile) {
    figures(j, &profile.total);
    j.key("processes").int(profile.processes);
    j.key("elapsed_ns").int(profile.elapsed);
    j.key("lost_calls").int(profile.lost_calls);
    j.key("unseen_threads").int(profile.lost_threads);
    j.key("recordings").int(profile.recordings as u64);
}

fn line(j: &mut Json<'_>, change: &Change) {
    j.name("name", &change.name);
    j.key("change").str(match change.kind() {
        ChangeKind::Appeared => "appeared",
        ChangeKind::Vanished => "vanished",
        ChangeKind::Changed => "changed",
    });
    j.key("of_note").bool(change.of_note);
    if !change.syscalls.is_empty() {
        j.key("syscalls").array(|j| change.syscalls.iter().for_each(|name| j.str(name)));
    }
    for (name, of) in [("base", &change.base), ("this", &change.this)] {
        j.key(name).object(|j| figures(j, of));
    }
    if !change.callers.is_empty() {
        j.key("callers").array(|j| {
            for caller in change.callers.iter().take(MOST_CALLERS) {
                j.object(|j| {
                    j.caller(&caller.function);
                    j.key("base").int(caller.base);
                    j.key("this").int(caller.this);
                });
            }
        });
    }
}

/// Further functions have still smaller changes.
const MOST_CALLERS: usize = 100;

fn figures(j: &mut Json<'_>, figures: &Figures) {
    j.key("calls").int(figures.calls);
    j.key("errors").int(figures.errors);
    j.key("time_ns").int(figures.time);
    j.key("bytes").int(figures.bytes);
}

/// A number that may have a fraction.
pub fn number(j: &mut Json<'_>, value: f64) {
    if value.fract() == 0.0 {
        j.int(value as u64);
    } else {
        // The value is finite, so Rust's text for it is valid JSON.
        j.out.extend_from_slice(value.to_string().as_bytes());
    }
}
