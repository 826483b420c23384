//! What the kernel refused, found out from libbpf's messages.

use crate::error::Why;
use crate::loading::privileges::missing_capabilities;
use crate::loading::probe;
use libbpf_rs::{ErrorKind, PrintLevel, set_print};
use std::sync::Mutex;

/// libbpf's messages since the last question.
#[derive(Debug, Default)]
struct Complaints {
    /// The first line that names a program or map. The later ones are its consequence.
    part: Option<String>,
    /// The verifier's last word on a program.
    verdict: Option<String>,
    first: Option<String>,
}

static COMPLAINTS: Mutex<Complaints> = Mutex::new(Complaints { part: None, verdict: None, first: None });

impl Complaints {
    fn note(&mut self, text: &str) {
        if text.contains("BEGIN PROG LOAD LOG") {
            let is_verdict =
                |l: &&str| !l.is_empty() && !l.starts_with("processed ") && !l.contains("PROG LOAD LOG --");
            self.verdict = self.verdict.take().or(text.lines().map(str::trim).rfind(is_verdict).map(str::to_owned));
            return;
        }
        // (The objects hold no lines of the source on purpose: build.rs.)
        let says = |l: &&str| !l.is_empty() && !l.contains("missing .BTF.ext line info");
        for line in text.lines().map(|l| l.trim().trim_start_matches("libbpf: ")).filter(says) {
            if line.starts_with("prog '") || line.starts_with("map '") {
                self.part.get_or_insert_with(|| line.to_owned());
            }
            self.first.get_or_insert_with(|| line.to_owned());
        }
    }

    /// All of it in one line.
    fn message(self) -> Option<String> {
        let part = self.part.or(self.first)?;
        Some(match self.verdict {
            Some(verdict) => format!("{part}: {verdict}"),
            None => part,
        })
    }
}

/// Makes libbpf report errors here, and not to the terminal.
pub fn listen() {
    set_print(Some((PrintLevel::Warn, |_, text| {
        if let Ok(mut complaints) = COMPLAINTS.lock() {
            complaints.note(&text);
        }
    })));
}

/// Why loading or attaching failed.
pub fn why(error: &libbpf_rs::Error) -> Why {
    let message = COMPLAINTS.lock().ok().and_then(|mut complaints| std::mem::take(&mut *complaints).message());
    let what = message.unwrap_or_else(|| error.to_string());
    if probe::locked_down() {
        return Why::LockedDown(what);
    }
    match error.kind() {
        ErrorKind::PermissionDenied => Why::Denied { missing: missing_capabilities(), what },
        ErrorKind::OutOfMemory => Why::NoMemory(what),
        _ => Why::Refused(what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_and_the_verdict_are_told_in_one_line() {
        let mut complaints = Complaints::default();
        for text in [
            "libbpf: prog 'on_exit': missing .BTF.ext line info for the main program, skipping all of .BTF.ext line info.\n",
            "libbpf: prog 'on_exit': BPF program load failed: -EINVAL\n",
            "libbpf: prog 'on_exit': -- BEGIN PROG LOAD LOG --\n0: R1=ctx()\nunknown func bpf_nonsense#999\n\
             processed 3 insns (limit 1000000)\n-- END PROG LOAD LOG --\n",
            "libbpf: prog 'on_exit': failed to load: -EINVAL\n",
            "libbpf: failed to load object 'stride_bpf'\n",
        ] {
            complaints.note(text);
        }
        let message = complaints.message();
        let expected = "prog 'on_exit': BPF program load failed: -EINVAL: unknown func bpf_nonsense#999";
        assert_eq!(message.as_deref(), Some(expected));
    }

    #[test]
    fn without_a_part_the_first_complaint_counts() {
        let mut complaints = Complaints::default();
        complaints.note("libbpf: Error loading vmlinux BTF: -EIO\n");
        complaints.note("libbpf: failed to load BPF skeleton 'stride_bpf': -EIO\n");
        assert_eq!(complaints.message().as_deref(), Some("Error loading vmlinux BTF: -EIO"));
        assert_eq!(Complaints::default().message(), None);
    }
}
