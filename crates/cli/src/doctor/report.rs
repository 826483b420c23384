//! The report of `--doctor`, from the facts.

use super::facts::Facts;
use std::fmt::Write;
use stride_engine_ebpf::probe::ExecSeen;

#[derive(Clone, Copy)]
enum Mark {
    Ok,
    No,
    /// Information that is no obstacle.
    Note,
}

struct Report {
    text: String,
    color: bool,
}

impl Report {
    fn title(&mut self, title: &str) {
        let title = if self.color { format!("\x1b[1m{title}\x1b[0m") } else { title.to_owned() };
        let _ = writeln!(self.text, "\n{title}");
    }

    fn row(&mut self, mark: Mark, what: &str, how: impl AsRef<str>) {
        let (word, paint) = match mark {
            Mark::Ok => ("ok", "32"),
            Mark::No => ("no", "31"),
            Mark::Note => ("--", "2"),
        };
        let word = if self.color { format!("\x1b[{paint}m{word}\x1b[0m") } else { word.to_owned() };
        let _ = writeln!(self.text, "  {word}  {what:<18}{}", how.as_ref());
    }

    fn test(&mut self, what: &str, result: &Result<impl AsRef<str>, impl AsRef<str>>) {
        match result {
            Ok(how) => self.row(Mark::Ok, what, how),
            Err(why) => self.row(Mark::No, what, why),
        }
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }
}

pub fn report(facts: &Facts, color: bool) -> String {
    let mut r = Report { text: String::new(), color };
    let version = env!("CARGO_PKG_VERSION");
    r.line(format!("stride {version} on Linux {} ({})", facts.release, std::env::consts::ARCH));
    ebpf(&mut r, facts);
    ptrace(&mut r, facts);
    surroundings(&mut r, facts);
    r.line("");
    verdict(&mut r, facts);
    r.text
}

fn ebpf(r: &mut Report, facts: &Facts) {
    r.title("eBPF engine: copies the data of calls while the program runs on");
    match facts.missing.as_slice() {
        [] => r.row(Mark::Ok, "capabilities", "cap_bpf and cap_perfmon, or cap_sys_admin"),
        missing => r.row(Mark::No, "capabilities", format!("{} missing", missing.join(" and "))),
    }
    r.test("bpf(2)", &facts.bpf.as_ref().map(|()| "loads a program that does nothing"));
    r.test("BTF", &facts.btf.as_ref().map(|()| "the kernel provides its type information"));
    match facts.lockdown.as_deref() {
        Some("confidentiality") => r.row(Mark::No, "lockdown", "confidentiality: programs may not read memory"),
        Some(mode) => r.row(Mark::Ok, "lockdown", mode),
        None => r.row(Mark::Ok, "lockdown", "not in this kernel, or securityfs is not mounted"),
    }
    let ring = size(u64::from(facts.ring_bytes));
    match &facts.load {
        Ok(time) => {
            let time = time.as_micros() as f64 / 1000.0;
            r.row(Mark::Ok, "trial load", format!("succeeded in {time:.1} ms, with a ring buffer of {ring}"));
        }
        Err(why) => r.row(Mark::No, "trial load", why.to_string()),
    }
    match &facts.broker {
        None => r.row(Mark::Note, "stride-broker", "not needed: Stride may load programs itself"),
        Some(Ok(())) => r.row(
            Mark::Ok,
            "stride-broker",
            "loads the programs for you, and traces what ptrace(2) would let you trace",
        ),
        Some(Err(why)) => r.row(Mark::No, "stride-broker", why),
    }
    let memlock = facts.memlock.map_or("unlimited".to_owned(), size);
    r.row(Mark::Note, "locked memory", format!("{memlock} (RLIMIT_MEMLOCK; limits eBPF only before Linux 5.11)"));
    let execve = match facts.exec_seen {
        ExecSeen::Prepared => "sched_prepare_exec",
        ExecSeen::Checked => "security_bprm_check: sched_prepare_exec came with Linux 6.10",
        ExecSeen::Entered => {
            "entry of the call: sched_prepare_exec came with Linux 6.10, and this kernel cannot trace its functions"
        }
    };
    r.row(Mark::Note, "execve seen at", execve);
    let unprivileged = match facts.unprivileged_bpf {
        Some(0) => "allowed (kernel.unprivileged_bpf_disabled=0), but not enough for tracing".to_owned(),
        Some(n) => format!("disabled (kernel.unprivileged_bpf_disabled={n}); it would not be enough for tracing"),
        None => "unknown".to_owned(),
    };
    r.row(Mark::Note, "unprivileged bpf", unprivileged);
}

fn ptrace(r: &mut Report, facts: &Facts) {
    r.title("ptrace engine: stops the program at its calls");
    r.test("ptrace(2)", &facts.engine("ptrace").map(|()| "traces a process of ours"));
    let scope = facts.yama.map_or("not in this kernel".to_owned(), |n| format!("kernel.yama.ptrace_scope={n}"));
    let (mark, who) = match facts.yama {
        Some(3) => (Mark::No, "ptrace is forbidden"),
        _ if facts.any_process => (Mark::Ok, "-p can attach to any process"),
        Some(2) => (Mark::No, "tracing needs cap_sys_ptrace"),
        Some(1) => (Mark::No, "-p can attach to descendants only"),
        _ => (Mark::Ok, "-p can attach to processes of the same user"),
    };
    r.row(mark, "Yama", format!("{scope}: {who}"));
    match facts.seccomp {
        true => r.row(Mark::Ok, "seccomp", "filters, for --seccomp-bpf"),
        false => r.row(Mark::No, "seccomp", "no filters: --seccomp-bpf has no effect"),
    }
}

fn surroundings(r: &mut Report, facts: &Facts) {
    r.title("Surroundings");
    match facts.tracer {
        Some(pid) => r.row(
            Mark::Note,
            "traced by",
            format!("process {pid}: programs started here cannot be traced with ptrace as well"),
        ),
        None => r.row(Mark::Note, "traced by", "nobody"),
    }
    let namespace = if facts.first_pid_namespace {
        "the machine's first"
    } else {
        "a nested one; Stride shows the process ids of this one"
    };
    r.row(Mark::Note, "PID namespace", namespace);
    let versions = match (facts.cgroups.v1, &facts.cgroups.v2) {
        (true, Some(_)) => "v1 and v2",
        (true, None) => "v1",
        (false, Some(_)) => "v2",
        (false, None) => "not mounted",
    };
    let freezer = facts.cgroups.freezer.as_ref().map_or("no freezer".to_owned(), |at| format!("freezer in {at}"));
    r.row(Mark::Note, "cgroups", format!("{versions}, {freezer} (not needed)"));
}

fn verdict(r: &mut Report, facts: &Facts) {
    match (&facts.load, facts.engine("ptrace")) {
        (Ok(_), _) => r.line("--engine=auto takes eBPF, unless an option needs ptrace."),
        _ if facts.has_broker() => {
            r.line("--engine=auto takes eBPF by stride-broker, unless an option needs ptrace or root.")
        }
        (Err(_), Ok(())) => r.line("--engine=auto takes ptrace: eBPF does not work here."),
        (Err(_), Err(_)) => r.line("Neither engine works here."),
    }
    if let Err(why) = &facts.load
        && !facts.has_broker()
    {
        r.line(format!("To get eBPF: {}.", why.advice(facts.root)));
    }
    match facts.yama {
        Some(0..=2) | None if facts.root && !facts.any_process => {
            r.line(
                "To attach to processes of all users with ptrace: this root lacks cap_sys_ptrace. Start the container with \
                 `--cap-add SYS_PTRACE`.",
            );
        }
        Some(1 | 2) if !facts.any_process => {
            r.line(
                "To attach to more processes with ptrace: run Stride as root, or `sysctl kernel.yama.ptrace_scope=0`.",
            );
        }
        Some(3) => r.line(
            "To use ptrace: set kernel.yama.ptrace_scope below 3 for the next boot; it cannot be changed \
                           before.",
        ),
        _ => {}
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 => format!("{} MiB", b >> 20),
        b => format!("{} KiB", b >> 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::facts::Cgroups;
    use std::time::Duration;
    use stride_engine_ebpf::Why;

    fn healthy() -> Facts {
        Facts {
            release: "6.12.0".into(),
            bpf: Ok(()),
            missing: Vec::new(),
            btf: Ok(()),
            lockdown: Some("none".into()),
            unprivileged_bpf: Some(2),
            ring_bytes: 8 << 20,
            memlock: None,
            exec_seen: ExecSeen::Prepared,
            load: Ok(Duration::from_micros(21_340)),
            broker: None,
            engines: vec![("ptrace", Ok(()))],
            any_process: true,
            root: false,
            yama: Some(1),
            seccomp: true,
            tracer: None,
            first_pid_namespace: true,
            cgroups: Cgroups::default(),
        }
    }

    fn denied() -> Why {
        Why::Denied { missing: vec!["cap_bpf", "cap_perfmon"], what: "bpf(BPF_PROG_LOAD): no".into() }
    }

    /// The row about `what`.
    fn row<'a>(report: &'a str, what: &str) -> &'a str {
        report
            .lines()
            .find(|l| l.get(6..).is_some_and(|l| l.starts_with(what)))
            .unwrap_or_else(|| panic!("{what}: {report}"))
    }

    #[test]
    fn nothing_is_wrong_with_a_healthy_machine() {
        let facts = healthy();
        let report = report(&facts, false);
        assert!(facts.any_engine());
        assert!(!report.contains("  no  ") && !report.contains("To ") && !report.contains('\x1b'), "{report}");
        assert_eq!(
            row(&report, "trial load"),
            "  ok  trial load        succeeded in 21.3 ms, with a ring buffer of 8 MiB"
        );
    }

    #[test]
    fn without_privilege_the_better_engine_is_one_command_away() {
        let facts = Facts {
            missing: vec!["cap_bpf", "cap_perfmon"],
            bpf: Err(denied().to_string()),
            load: Err(denied()),
            broker: Some(Err("/run/stride/broker.sock: No such file or directory".into())),
            any_process: false,
            ..healthy()
        };
        assert!(facts.any_engine());
        let report = report(&facts, false);
        assert!(row(&report, "stride-broker").starts_with("  no  "));
        assert_eq!(row(&report, "capabilities"), "  no  capabilities      cap_bpf and cap_perfmon missing");
        assert!(row(&report, "trial load").starts_with("  no  "));
        assert!(report.contains("\n--engine=auto takes ptrace: eBPF does not work here.\n"), "{report}");
        assert!(report.contains("`systemctl enable --now stride-broker.socket`"), "{report}");
        assert!(report.contains("`sysctl kernel.yama.ptrace_scope=0`"), "{report}");
    }

    #[test]
    fn a_broker_is_as_good_for_ones_own_programs() {
        let facts = Facts { load: Err(denied()), broker: Some(Ok(())), any_process: false, ..healthy() };
        let report = report(&facts, false);
        assert!(row(&report, "stride-broker").starts_with("  ok  "));
        assert!(report.contains("\n--engine=auto takes eBPF by stride-broker"), "{report}");
        assert!(!report.contains("To get eBPF"), "{report}");
    }

    #[test]
    fn a_root_without_capabilities_is_told_how_to_get_them() {
        let report = report(&Facts { any_process: false, root: true, ..healthy() }, false);
        assert!(report.contains("lacks cap_sys_ptrace") && report.contains("`--cap-add SYS_PTRACE`"), "{report}");
        assert!(!report.contains("as root"), "{report}");
    }

    #[test]
    fn neither_engine() {
        let facts = Facts { engines: vec![("ptrace", Err("denied".into()))], load: Err(denied()), ..healthy() };
        assert!(!facts.any_engine());
        assert!(report(&facts, false).contains("\nNeither engine works here.\n"));
    }

    #[test]
    fn lockdown_and_a_kernel_without_btf() {
        let facts =
            Facts { lockdown: Some("confidentiality".into()), load: Err(Why::LockedDown("x".into())), ..healthy() };
        let text = report(&facts, false);
        assert!(row(&text, "lockdown").starts_with("  no  ") && text.contains("lockdown=integrity"), "{text}");
        let facts = Facts { btf: Err("gone".into()), load: Err(Why::NoBtf("gone".into())), ..healthy() };
        let text = report(&facts, false);
        assert_eq!(row(&text, "BTF"), "  no  BTF               gone");
        assert!(text.contains("CONFIG_DEBUG_INFO_BTF=y"), "{text}");
    }

    #[test]
    fn colours_change_nothing_else() {
        let painted = report(&healthy(), true);
        let mut plain = String::new();
        for (i, part) in painted.split('\x1b').enumerate() {
            plain.push_str(if i == 0 { part } else { part.split_once('m').unwrap().1 });
        }
        assert_ne!(painted, plain);
        assert_eq!(plain, report(&healthy(), false));
    }
}
