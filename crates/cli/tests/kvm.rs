//! `--kvm`: why virtual CPUs stop running, and their state.

mod common;

use common::*;

/// The lines about KVM_RUN, and those behind them. `None` if the program cannot run a virtual CPU here.
fn lines(options: &[&str]) -> Option<(Scratch, Vec<String>)> {
    let scratch = Scratch::new(&format!("kvm{}", options.concat().replace('/', "")));
    let program = stride_test_support::compile("vcpu").ok()?;
    let mut command = stride();
    command.args(options).args(["-e", "trace=ioctl"]);
    if !options.iter().any(|option| option.starts_with("--record")) {
        command.arg("-o").arg(scratch.path("trace"));
    }
    command.arg(program);
    let run = Run::of(command);
    if run.code() == Some(77) {
        return None;
    }
    assert_eq!(run.code(), Some(0), "{run:?}");
    let trace = if scratch.path("trace").exists() { scratch.read("trace") } else { String::new() };
    let wanted = |l: &&str| l.contains("KVM_RUN") || l.starts_with(" VCPU:");
    let lines = trace.lines().filter(wanted).map(String::from).collect();
    Some((scratch, lines))
}

macro_rules! lines {
    ($($option:expr),*) => {
        match lines(&[$($option),*]) {
            Some(found) => found,
            None => skip!("no virtual CPU can run here"),
        }
    };
}

#[test]
fn the_reason_stands_behind_the_result() {
    let (_scratch, lines) = lines!("--kvm=vcpu");
    assert_eq!(lines.len(), 2, "{lines:?}");
    lines_are(
        &lines.join("\n"),
        &[r"ioctl\(\d+, KVM_RUN, 0\) += 0 \(KVM_EXIT_IO\)", r"ioctl\(\d+, KVM_RUN, 0\) += 0 \(KVM_EXIT_HLT\)"],
    );
}

#[test]
fn without_the_option_there_is_no_reason() {
    let (_scratch, lines) = lines!("-v");
    lines_are(&lines.join("\n"), &[r"ioctl\(\d+, KVM_RUN, 0\) += 0", r"ioctl\(\d+, KVM_RUN, 0\) += 0"]);
}

#[test]
fn the_state_is_told_before_and_after() {
    let (_scratch, lines) = lines!("-e", "kvm=vcpu+");
    let head = r"request_interrupt_window=0, immediate_exit=0";
    let io = r"\{io=\{direction=KVM_EXIT_IO_OUT, size=1, port=0x42, count=1, data_offset=0x00000000001000, data=\[0x17\]\}\}";
    lines_are(
        &lines.join("\n"),
        &[
            r"ioctl\(\d+, KVM_RUN, 0\) += 0 \(KVM_EXIT_IO\)",
            &format!(r" VCPU:0< \{{{head}, exit_reason=0 /\* KVM_EXIT_UNKNOWN \*/, .*\}}"),
            &format!(r" VCPU:0> \{{{head}, exit_reason=2 /\* KVM_EXIT_IO \*/, .*, {io}\}}"),
            r"ioctl\(\d+, KVM_RUN, 0\) += 0 \(KVM_EXIT_HLT\)",
            &format!(r" VCPU:0< \{{{head}, exit_reason=2 /\* KVM_EXIT_IO \*/, .*, {io}\}}"),
            &format!(r" VCPU:0> \{{{head}, exit_reason=5 /\* KVM_EXIT_HLT \*/, .*\}}"),
        ],
    );
}

#[test]
fn recordings_and_json_have_it() {
    let place = Scratch::new("kvm-recorded");
    let file = place.path("run.stride");
    let record = format!("--record={}", file.display());
    lines!("--kvm=vcpu+", &record);
    let mut command = bare_stride();
    command.arg("--json").arg(format!("--replay={}", file.display()));
    let run = Run::of(command);
    let runs: Vec<serde_json::Value> = run
        .out
        .lines()
        .chain(run.err.lines())
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|line: &serde_json::Value| line["args"]["op"]["means"] == "KVM_RUN")
        .collect();
    let [first, second] = &runs[..] else { panic!("{run:?}") };
    assert_eq!(first["note"]["name"], "KVM_EXIT_IO");
    assert_eq!(first["data"][1]["state"]["_extra"]["io"]["data"][0], "0x17", "{first}");
    assert_eq!(second["note"]["name"], "KVM_EXIT_HLT");
    assert_eq!(second["data"][0]["when"], "before");
}

#[test]
fn ebpf_says_why_not() {
    let scratch = Scratch::new("kvm-ebpf");
    let message = refused(&scratch, &["--engine=ebpf", "--kvm=vcpu"]);
    assert!(message.contains("--kvm, which looks for memory that KVM shares"), "{message}");
    assert!(message.contains("needs the ptrace engine"), "{message}");
}
