//! Logs: what whoever watches metrics should know of them.

use crate::otlp::messages::*;
use crate::otlp::resource::OtlpResource;
use stride_event::quantity::count;

/// Something that has happened since the last look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogNote {
    /// So many calls were lost.
    Lost(u64),
    /// The first calls were folded: there is no room for more series.
    SeriesFull,
}

const WARN: i32 = 13;

impl LogNote {
    fn text(self) -> String {
        match self {
            LogNote::Lost(calls) => {
                format!(
                    "{}: they came faster than they could be read",
                    count(calls, "call was lost", "calls were lost")
                )
            }
            LogNote::SeriesFull => {
                "There is no room for more series: calls with new labels are counted with (others) as a label".into()
            }
        }
    }

    fn event(self) -> &'static str {
        match self {
            LogNote::Lost(_) => "stride.calls.lost",
            LogNote::SeriesFull => "stride.series.full",
        }
    }

    fn record(self, at: u64) -> LogRecord {
        let attributes = match self {
            LogNote::Lost(calls) => vec![KeyValue::number("stride.calls.lost", calls as i64)],
            LogNote::SeriesFull => vec![],
        };
        LogRecord {
            time_unix_nano: at,
            observed_time_unix_nano: at,
            severity_number: WARN,
            severity_text: "WARN".into(),
            body: Some(AnyValue { text: Some(self.text()), number: None }),
            attributes,
            event_name: self.event().into(),
        }
    }
}

/// The request that tells these. Each has its time on the clock, in nanoseconds.
pub fn request(notes: &[(u64, LogNote)], resource: &OtlpResource) -> LogsRequest {
    let log_records = notes.iter().map(|(at, note)| note.record(*at)).collect();
    let scope_logs = vec![ScopeLogs { scope: Some(resource.scope()), log_records }];
    LogsRequest { resource_logs: vec![ResourceLogs { resource: Some(resource.message()), scope_logs }] }
}
