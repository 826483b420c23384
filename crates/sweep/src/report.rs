//! The report: findings, the worst first, each with the line that repeats it.

use crate::results::Tested;
use crate::verdict::VerdictKind;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write;
use stride_event::quantity::count;

/// All that was found out.
pub struct SweepReport {
    /// The command line behind Stride's options, for a shell.
    pub command: String,
    /// Stride's name.
    pub program: String,
    pub tested: Vec<Tested>,
    /// Runs that were not made, and why.
    pub left: usize,
    pub why_left: Option<String>,
    /// Sentences about what may be missing.
    pub remarks: Vec<String>,
}

fn title(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Crash => "It crashes",
        VerdictKind::Hang => "It hangs",
        VerdictKind::Endless => "It tries again without end",
        VerdictKind::Lost => "It loses data, and exits with 0",
        VerdictKind::Dropped => "A process fails, and the command exits with 0",
        VerdictKind::WrongStatus => "It complains, and exits with 0",
        VerdictKind::Leak => "It goes on, and descriptors stay open",
        VerdictKind::OtherOutput => "It exits with 0 and another output; the call has a fallback, so this may be meant",
        VerdictKind::Handled | VerdictKind::Recovered | VerdictKind::NotReached | VerdictKind::NotRepeated => "",
    }
}

/// The name of the calling function without its line, or the file of code if nothing names the function.
fn place(caller: &str) -> &str {
    let end = caller.find("+0x").or_else(|| caller.find(" (")).unwrap_or(caller.len());
    &caller[..end]
}

/// The end of a run, whatever was lost.
fn end(what: &str) -> &str {
    what.split("; ").next().unwrap_or(what)
}

impl SweepReport {
    fn of(&self, kind: VerdictKind) -> impl Iterator<Item = &Tested> {
        self.tested.iter().filter(move |tested| tested.verdict.kind == kind)
    }

    pub fn findings(&self) -> usize {
        self.tested.iter().filter(|tested| tested.verdict.kind.is_finding()).count()
    }

    /// The line that repeats a run.
    fn again(&self, tested: &Tested) -> String {
        // (A register that is changed is put back if Stride ends, but not if Stride is killed.)
        let kills = if tested.fault.starts_with("short=") { "--kill-on-exit " } else { "" };
        let mut line = format!("{} -f {kills}", self.program);
        stride_output::push_word(&mut line, format!("--inject={}", tested.rule).as_bytes(), false);
        line + " -- " + &self.command
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        for kind in VerdictKind::FINDINGS.into_iter().chain([VerdictKind::OtherOutput]) {
            self.section(kind, &mut out);
        }
        let n = |kind| self.of(kind).count() as u64;
        let findings = self.findings() as u64;
        let _ = write!(
            out,
            "{} in {}: ",
            if findings == 0 { "Nothing was found".to_owned() } else { count(findings, "finding", "findings") },
            count(self.tested.len() as u64, "fault", "faults")
        );
        let recovered = n(VerdictKind::Recovered);
        let handled = n(VerdictKind::Handled);
        let _ = writeln!(out, "the command recovered from {recovered}, and failed as it should with {handled}.");
        for (kind, sentence) in [
            (VerdictKind::NotReached, "The runs with {} took another way: the call was not made at the same place."),
            (VerdictKind::NotRepeated, "What happened with {} did not happen again, and is not counted as a finding."),
        ] {
            if n(kind) > 0 {
                let _ = writeln!(out, "{}", sentence.replace("{}", &count(n(kind), "fault", "faults")));
            }
        }
        if self.left > 0 {
            let why = self.why_left.as_deref().unwrap_or_default();
            let _ = writeln!(out, "{} were not made: {why}.", count(self.left as u64, "run", "runs"));
        }
        for remark in &self.remarks {
            let _ = writeln!(out, "{remark}");
        }
        out
    }

    fn section(&self, kind: VerdictKind, out: &mut String) {
        if self.of(kind).next().is_none() {
            return;
        }
        let _ = writeln!(out, "{}:", title(kind));
        // Faults in the same function with the same end are one mistake most of the time.
        let mut shown = HashSet::new();
        for tested in self.of(kind) {
            let group = |tested: &Tested| (place(&tested.caller).to_owned(), end(&tested.verdict.what).to_owned());
            if !shown.insert(group(tested)) {
                continue;
            }
            let alike = self.of(kind).filter(|other| group(other) == group(tested)).count() - 1;
            let _ = write!(out, "  {}: {} {}: {}", tested.caller, tested.call, tested.happens, tested.verdict.what);
            if alike > 0 {
                let others = count(alike as u64, "other fault", "other faults");
                let _ = write!(out, " (and with {others} in {})", place(&tested.caller));
            }
            let _ = writeln!(out, "\n    {}", self.again(tested));
        }
        out.push('\n');
    }

    pub fn json(&self) -> String {
        let tested: Vec<Value> = self
            .tested
            .iter()
            .map(|tested| {
                json!({
                    "verdict": tested.verdict.kind,
                    "is_finding": tested.verdict.kind.is_finding(),
                    "what": tested.verdict.what,
                    "caller": tested.caller,
                    "syscall": tested.call,
                    "fault": tested.fault,
                    "inject": tested.rule,
                    "again": self.again(tested),
                })
            })
            .collect();
        let report = json!({
            "type": "stride-sweep",
            "version": 1,
            "findings": self.findings(),
            "faults": tested,
            "left": self.left,
            "why_left": self.why_left,
            "remarks": self.remarks,
        });
        format!("{report}\n")
    }
}
