//! The calls that the eBPF engine filters and counts in the kernel equal those that the ptrace engine shows.

mod common;

use common::*;

/// The trace of `cat` under an engine, without addresses and random values.
fn trace(engine: &str, options: &[&str]) -> String {
    let thread = format!("{:?}", std::thread::current().id());
    let scratch = Scratch::new(&format!("engines-{engine}-{}", thread.replace(['(', ')'], "")));
    std::fs::write(scratch.path("a"), "aaa\n").unwrap();
    let engine = format!("--engine={engine}");
    let run = scratch.stride([engine.as_str()].iter().chain(options).chain(&["/bin/cat", "a", "nothing"]));
    assert_eq!(run.out, "aaa\n");
    let varies = regex::Regex::new(r#"0x[0-9a-f]{4,}|getrandom\(".*?"|set_tid_address.*"#).unwrap();
    run.trace.lines().map(|line| format!("{}\n", varies.replace_all(line, "VARIES"))).collect()
}

#[test]
fn filters() {
    need!("/bin/cat");
    need_ebpf!();
    for options in [
        &["-z"][..],
        &["-Z"],
        &["-e", "status=none"],
        &["-e", "trace=%file", "-Z"],
        &["-e", "trace=read,exit_group"],
        &["--trace-fds=3"],
        &["--trace-fds=!3"],
        &["--trace-fds=1,2000", "-z"],
        &["-n", "-e", "trace=openat", "--trace-fds=3"],
        &["-e", "signal=none", "-e", "trace=!%memory"],
    ] {
        let (seen, expected) = (trace("ebpf", options), trace("ptrace", options));
        for (seen, expected) in seen.lines().zip(expected.lines()) {
            assert_eq!(seen, expected, "{options:?}");
        }
        assert_eq!(seen.len(), expected.len(), "{options:?}");
    }
    assert!(trace("ebpf", &["--trace-fds=3"]).contains("read(3"));
}

/// Syscall, calls and errors of a summary, in the order of their names.
fn counts(table: &str) -> Vec<String> {
    let mut rows: Vec<String> = table.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    rows.sort();
    rows
}

#[test]
fn counting_in_the_kernel() {
    need!("/bin/cat");
    need_ebpf!();
    for options in [
        &["-c"][..],
        &["-c", "-Z"],
        &["-c", "-e", "trace=openat,read"],
        &["-c", "-w"],
        &["--by=errno"],
        &["--by=comm,size,syscall,errno", "-f"],
    ] {
        let options: Vec<&str> = options.iter().chain(&["-U", "calls,errors,bytes,name"]).copied().collect();
        assert_eq!(counts(&trace("ebpf", &options)), counts(&trace("ptrace", &options)), "{options:?}");
    }
}

#[test]
fn both_a_trace_and_a_summary() {
    need!("/bin/cat");
    need_ebpf!();
    let trace = trace("ebpf", &["-C", "-U", "calls,name", "-e", "trace=openat"]);
    let (lines, table) = trace.split_once("+++ exited with 1 +++\n").unwrap();
    let shown = lines.lines().filter(|l| l.starts_with("openat(")).count();
    assert!(shown >= 3, "{lines}");
    assert!(counts(table).contains(&format!("{shown} openat")), "{table}");
    assert!(counts(table).contains(&format!("{shown} total")), "{table}");
}

#[test]
fn a_summary_leaves_the_times_of_a_trace_alone() {
    need!("/bin/cat");
    need_ebpf!();
    let trace = trace("ebpf", &["-C", "-T", "-e", "trace=read,close"]);
    let lasted: Vec<f64> =
        trace.lines().filter_map(|line| line.rsplit_once(" <")?.1.strip_suffix('>')?.parse().ok()).collect();
    assert!(lasted.len() >= 3, "{trace}");
    // Durations without a start would be times since boot.
    assert!(lasted.iter().all(|&seconds| seconds < 60.0), "{trace}");
}

#[test]
fn a_number_below_all_calls_is_none_of_them() {
    need_ebpf!();
    let actor = program!("actor");
    for engine in ["--engine=ptrace", "--engine=ebpf"] {
        let scratch = Scratch::new(&format!("below{engine}"));
        let options = [engine, "-qq", "-e", "trace=none"].map(AsRef::as_ref).into_iter();
        let run = scratch.stride(options.chain([actor.as_os_str(), "old_unknown".as_ref()]));
        if run.code() == Some(77) {
            println!("skipped: a_number_below_all_calls_is_none_of_them: the kernel takes no 32-bit calls");
            return;
        }
        lines_include(&run.trace, &[r"syscall_0x(f{8})?fffffc18\(.*\) += -1 ENOSYS \(Function not implemented\)"]);
    }
}

#[test]
fn quantiles_lie_between_the_extremes() {
    need!("/bin/cat");
    need_ebpf!();
    let table = trace("ebpf", &["-c", "-U", "calls,min,p50,p99,max,name"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["calls", "wall-min", "p50", "p99", "wall-max", "syscall"]);
    let times: Vec<Vec<f64>> = rows[2..]
        .iter()
        .filter(|row| !row[0].starts_with('-'))
        .map(|row| row[1..5].iter().map(|cell| cell.parse().unwrap()).collect())
        .collect();
    assert!(times.len() > 5, "{table}");
    assert!(times.iter().all(|t| t.is_sorted()), "{table}");
    assert!(times.iter().any(|t| t[3] > 0.0), "{table}");
}

/// For calls that the reader has to count, the time on a CPU is unknown. The summary says so and does not show zero.
#[test]
fn what_the_reader_counts_is_wall_clock_time() {
    need!("/bin/cat");
    need_ebpf!();
    let scratch = Scratch::new("engines-wall");
    std::fs::write(scratch.path("a"), "aaa\n").unwrap();
    let path = scratch.path("a").canonicalize().unwrap();
    let args =
        ["--engine=ebpf", "-c", "-U", "avg-time,wall-avg,calls,name", "-P", path.to_str().unwrap(), "/bin/cat", "a"];
    let run = scratch.stride(args);
    assert!(
        run.messages()[0].starts_with("the summary shows wall clock time (-w): CPU times are only known if"),
        "{run:?}"
    );
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = run.trace.lines().skip(2).map(cells).collect();
    assert!(rows.iter().all(|row| row[0] == row[1]) && rows.len() > 3, "{rows:?}");
}

#[test]
fn a_limit_is_kept_though_the_program_ran_on() {
    need_ebpf!();
    let scratch = Scratch::new("engines-limit");
    let script = "cd /; cd /tmp; cd /; cd /tmp; cd /; exit 3";
    for more in [&["-e", "trace=chdir"][..], &["-c", "-wU", "name,calls", "-e", "trace=chdir"]] {
        let run =
            scratch.stride(["--engine=ebpf", "--syscall-limit=3"].iter().chain(more).chain(&["sh", "-c", script]));
        assert_eq!(run.messages()[0], "System call limit has been reached, detaching tracees");
        if more.len() == 2 {
            lines_are(&run.trace, &[r#"chdir\("/"\) +.*"#, r#"chdir\("/tmp"\) +.*"#, r#"chdir\("/"\) +.*"#]);
        } else {
            lines_include(&run.trace, &[r" *chdir +3"]);
        }
    }
}

#[test]
fn a_child_given_away_is_buried() {
    need_ebpf!();
    let actor = program!("actor");
    let run = run(["--engine=ebpf", "-e", "trace=none", "-e", "signal=none"]
        .map(AsRef::as_ref)
        .into_iter()
        .chain([actor.as_os_str(), "give_away".as_ref()]));
    let err = run.err.replace(STRIDE, "stride");
    lines_are(&err, &[r"stride: Exit of unknown pid \d+ ignored", r"\+\+\+ exited with 0 \+\+\+"]);
}

#[test]
fn paths_of_descriptors_that_are_closed() {
    need_ebpf!();
    let scratch = Scratch::new("engines-paths");
    std::fs::write(scratch.path("a"), "aaa\n").unwrap();
    let varies = regex::Regex::new(r"0x[0-9a-f]{4,}|pipe:\[\d+\]").unwrap();
    for options in [&["-P", "a"][..], &["-y", "-e", "trace=read,close,openat"]] {
        // Pipe inodes may be one digit longer in the second trace, which would move the results to another column.
        let trace = |engine| scratch.stride([engine, "-a1"].iter().chain(options).chain(&["/bin/cat", "a"])).trace;
        let [seen, expected] =
            ["--engine=ebpf", "--engine=ptrace"].map(|e| varies.replace_all(&trace(e), "VARIES").into_owned());
        assert_eq!(seen, expected, "{options:?}");
        assert!(seen.contains("read(3") && seen.contains("close(3"), "{seen}");
    }
}

/// The root of a mount is in no directory, and is not deleted.
#[test]
fn a_working_directory_at_the_root_of_a_mount() {
    need_ebpf!();
    let scratch = Scratch::new("engines-mount");
    let shown = |engine| {
        let mut command = common::bare_stride();
        command.args([engine, "-y", "-e", "trace=openat", "-o"]).arg(scratch.path("trace"));
        command.args(["/bin/cat", "/dev/null"]).current_dir("/proc");
        let run = common::Run::of(command);
        assert_eq!(run.code(), Some(0), "{run:?}");
        std::fs::read_to_string(scratch.path("trace")).unwrap()
    };
    let [seen, expected] = ["--engine=ebpf", "--engine=ptrace"].map(shown);
    assert_eq!(seen, expected);
    assert!(seen.contains("AT_FDCWD</proc>"), "{seen}");
}
