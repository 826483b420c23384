//! The advice as a view: findings, as text, as JSON, or for other tools.

mod annotations;
mod json;
mod markdown;
mod paint;
mod place;
mod sarif;
pub mod text;
mod verified;

use crate::ReportFormat;
use crate::views::time_spent::parts;
use crate::views::view::UNSEEN_OPERATIONS;
use crate::views::view::{End, RunInfo, View};
use paint::ReportPaint;
use stride_advise::{Advisor, Findings};
use stride_event::Event;
use stride_track::Tracker;
pub use verified::{Try, Verified, Verify};

/// Reports the findings at the end.
pub struct AdviseView {
    advisor: Advisor,
    format: ReportFormat,
    paint: ReportPaint,
    /// The recording of the calls, if there is one.
    recording: Option<String>,
    /// The directory that reports for other tools name files from.
    home: Option<String>,
    version: String,
    /// Not all calls are traced.
    partial: bool,
    /// Operations of io_uring. No rule looks at them.
    operations: u64,
    /// The run is over.
    ended: bool,
    /// Compares the run with one after a change, if that is asked for.
    verify: Option<Verify>,
    /// Compares the run with ones after the changes that can be tried, if that is asked for.
    attempt: Option<Try>,
}

impl AdviseView {
    /// With `all`, minor findings are shown as well.
    pub fn new(
        format: ReportFormat,
        all: bool,
        recording: Option<String>,
        home: Option<String>,
        info: &RunInfo,
    ) -> AdviseView {
        let advisor = Advisor::new(info.scope(), all);
        AdviseView {
            advisor,
            format,
            paint: ReportPaint::default(),
            recording,
            home,
            version: info.version.clone(),
            partial: info.scope().partial,
            operations: 0,
            ended: false,
            verify: None,
            attempt: None,
        }
    }

    /// The same, and the report ends with what a change has saved. (Only reports for people do.)
    pub fn verified_by(self, verify: Verify) -> AdviseView {
        AdviseView { verify: Some(verify), ..self }
    }

    /// The same, and the report ends with what the changes have saved that need no other program.
    pub fn tried_by(self, attempt: Try) -> AdviseView {
        AdviseView { attempt: Some(attempt), ..self }
    }

    /// The same with colours, if the report is text.
    pub fn in_colour(self, colour: bool) -> AdviseView {
        AdviseView { paint: ReportPaint(colour), ..self }
    }
}

impl AdviseView {
    /// The sentence of the report about operations of io_uring.
    fn of_operations(&self) -> String {
        if self.advisor.has_unseen_operations() {
            return format!("\n{}\n", text::sentence(UNSEEN_OPERATIONS));
        }
        text::operations(self.operations)
    }

    /// The end of the report, if changes are to be tried or verified.
    fn verified(&mut self, findings: &Findings) -> String {
        let tried = self.attempt.take().map_or_else(String::new, |attempt| verified::tried(attempt, findings));
        let verify = self.verify.take();
        tried + &verify.map_or_else(String::new, |verify| verified::lines(verify(), findings, findings.time.total))
    }
}

impl View for AdviseView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        if let Event::Library(call) = event {
            self.operations += u64::from(call.operation.is_some() && call.is_counted_here());
        }
        self.advisor.event(event, tracker);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let findings = self.advisor.findings(end.lost.calls, end.tracker, end.with_source);
        self.ended = true;
        let home = self.home.as_deref();
        match self.format {
            ReportFormat::Text => {
                text::report(&findings, self.recording.as_deref(), end.lost.calls, self.paint)
                    + &parts::lines(&findings.time, end.tracker, self.partial)
                    + &self.of_operations()
                    + &self.verified(&findings)
            }
            ReportFormat::Json => {
                let mut out = Vec::new();
                json::lines(&findings.reported, &mut out);
                parts::json(&findings.time, end.tracker, &mut out);
                String::from_utf8_lossy(&out).into_owned()
            }
            ReportFormat::Markdown => {
                markdown::report(&findings, end.lost.calls) + &self.of_operations() + &self.verified(&findings)
            }
            ReportFormat::GitHub => annotations::lines(&findings, home),
            ReportFormat::Sarif => sarif::log(&findings, home, &self.version),
        }
    }

    /// Reports for machines have findings only.
    fn take_remark(&mut self) -> Option<String> {
        let is_told = matches!(self.format, ReportFormat::Text | ReportFormat::Markdown);
        let unseen = !is_told && std::mem::take(&mut self.ended) && self.advisor.has_unseen_operations();
        unseen.then(|| UNSEEN_OPERATIONS.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_advise::{Callers, Confidence, Finding, Saving};
    use stride_event::{CallingFunction, SourceLine};

    /// A finding whose calls come from a line, or from no known one.
    fn finding(source: Option<(&str, u32)>) -> Finding {
        let source = source.map(|(file, line)| SourceLine { file: file.into(), line });
        let caller =
            CallingFunction { module: None, function: Some("load".into()), source, offset: None, package: None };
        Finding {
            id: "stat-storm",
            title: "stat storm",
            sentence: "/tmp/a_b was checked 9 times.".into(),
            figures: Vec::new(),
            evidence: Vec::new(),
            calls: Vec::new(),
            callers: Callers { shares: vec![(caller, 1.0)], sampled: 9, of: 9 },
            next: Callers::default(),
            table: None,
            advice: "Check it once.".into(),
            confidence: Confidence::Certain,
            saving: Saving {
                calls: 8,
                of: 10,
                time: 3000,
                up_to: 3000,
                work: 3000,
                how: "every check but the first".into(),
            },
            trial: None,
            minor: false,
        }
    }

    fn both() -> Findings {
        Findings {
            reported: vec![finding(Some(("/home/me/src/a b.c", 7))), finding(None)],
            calls: 10,
            ..Findings::default()
        }
    }

    #[test]
    fn markdown_has_no_markup_of_the_program() {
        assert_eq!(
            markdown::report(&both(), 3).lines().take(6).collect::<Vec<_>>(),
            [
                "1. **stat storm** <code>stat-storm</code>: /tmp/a&#95;b was checked 9 times.",
                "",
                "   - **saves**: 8 of 10 calls (80%), about 3.00 µs: every check but the first",
                "   - **from**: <code>load (a b.c:7)</code>",
                "   - **do**: Check it once.",
                "   - **sure**: certain",
            ]
        );
        assert!(
            markdown::report(&both(), 3)
                .ends_with("\n3 calls were lost: the figures of the others may be too small.\n")
        );
        let none = Findings { calls: 4, ..Findings::default() };
        assert!(markdown::report(&none, 0).starts_with("Nothing to advise: in 4 calls,"));
    }

    #[test]
    fn annotations_stand_at_the_line() {
        let message = "/tmp/a_b was checked 9 times.%0AA change would save 8 of 10 calls (80%25), about 3.00 µs: every check but the first.%0A\
                       Check it once.";
        assert_eq!(
            annotations::lines(&both(), Some("/home/me")),
            format!(
                "::warning file=src/a b.c,line=7,title=stat storm::{message}\n::warning title=stat storm::{message}\n"
            )
        );
    }

    #[test]
    fn sarif_has_results_with_a_place_and_notifications_without() {
        let log: serde_json::Value = serde_json::from_str(&sarif::log(&both(), Some("/home/me/"), "1.2.3")).unwrap();
        let run = &log["runs"][0];
        assert_eq!(log["version"], "2.1.0");
        assert_eq!(run["tool"]["driver"]["version"], "1.2.3");
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert!(
            rules.len() == 1 && rules[0]["id"] == "stat-storm" && rules[0]["help"]["text"].is_string(),
            "{rules:?}"
        );
        let [result] = &run["results"].as_array().unwrap()[..] else { panic!("{run}") };
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(
            (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
            (&"src/a%20b.c".into(), &7.into())
        );
        assert_eq!(result["ruleIndex"], 0);
        let notifications = &run["invocations"][0]["toolExecutionNotifications"];
        assert_eq!((notifications.as_array().unwrap().len(), &notifications[0]["level"]), (1, &"note".into()));
        let elsewhere = sarif::log(&both(), Some("/srv"), "1");
        assert!(elsewhere.contains("\"uri\": \"file:///home/me/src/a%20b.c\""), "{elsewhere}");
    }
}
