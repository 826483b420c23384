//! Where the slowest requests of a kind differ from the others, as lines of text and as JSON.

use super::parts::{self, line, who};
use crate::spelling::wrap::wrapped;
use crate::views::json::Json;
use stride_event::quantity::{count, duration, percent};
use stride_track::{MoreTime, RequestGroup, RequestKind, SlowRequests, TimeShare, Tracker};

/// So many lines tell of the largest differences. What is below a twentieth of all is left out.
const LINES: usize = 4;
const LEAST: u64 = 20;
/// The numbers of calls are told if one is so many times the other.
const MORE_OFTEN: f64 = 1.5;

/// A sentence about the slowest requests, and a line for each activity that takes them longer. `doing` has the words for an activity.
pub fn lines(slow: &SlowRequests, kind: &RequestKind, doing: impl Fn(&TimeShare) -> String, out: &mut String) {
    let (slowest, ordinary) = (slow.slowest, slow.ordinary);
    let longer = slowest.mean - ordinary.mean;
    let (each, requests) = match slowest.requests {
        1 => ("", "request".to_owned()),
        n => (" each", count(n, "request", "requests")),
    };
    let sentence = format!(
        "   The slowest {requests} ({}) took {}{each}, and an ordinary one {} (the middle half). The difference of {}:",
        percent(slowest.requests, kind.answered),
        duration(slowest.mean),
        duration(ordinary.mean),
        duration(longer),
    );
    wrapped(&sentence, "   ", out);
    let told = slow.more.iter().take(LINES).take_while(|more| more.more() >= longer / LEAST);
    for more in told {
        let (part, time) = (percent(more.more(), longer), format!("+{}", duration(more.more())));
        let doing = doing(&more.share) + &how_often(more);
        line(&part, &time, &who(&more.share, Some(&kind.comm)), &doing, out);
    }
}

/// ` (4.1 times for each, 0.2 times for an ordinary one)`.
fn how_often(more: &MoreTime) -> String {
    match more.calls() {
        Some([slow, ordinary]) if slow >= MORE_OFTEN * ordinary => {
            format!(" ({} for each, {} for an ordinary one)", often(slow), often(ordinary))
        }
        _ => String::new(),
    }
}

fn often(times: f64) -> String {
    match times {
        0.0 => "never".to_owned(),
        0.95..1.05 => "once".to_owned(),
        ..9.95 => format!("{times:.1} times"),
        _ => count(times.round() as u64, "time", "times"),
    }
}

/// A member about the slowest requests, whose parts have the times of one request.
pub fn json(slow: &SlowRequests, tracker: &Tracker, j: &mut Json<'_>) {
    let group = |of: RequestGroup, j: &mut Json<'_>| {
        j.key("requests").int(of.requests);
        j.key("mean_ns").int(of.mean);
    };
    j.key("slowest").object(|j| {
        group(slow.slowest, j);
        j.key("ordinary").object(|j| group(slow.ordinary, j));
        j.key("more").array(|j| {
            for more in &slow.more {
                j.object(|j| {
                    parts::part(&more.share, tracker, j);
                    j.key("ordinary_ns").int(more.ordinary);
                    if let Some([slow, ordinary]) = more.calls() {
                        j.key("times").fraction(slow);
                        j.key("ordinary_times").fraction(ordinary);
                    }
                });
            }
        });
    });
}
