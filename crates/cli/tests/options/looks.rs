//! How lines look.

use crate::common::*;

#[test]
fn times_and_numbers_in_front() {
    let scratch = Scratch::new("leaders");
    for (option, pattern) in [
        ("-t", r"\d\d:\d\d:\d\d "),
        ("-tt", r"\d\d:\d\d:\d\d\.\d{6} "),
        ("-ttt", r"\d{10}\.\d{6} "),
        ("--absolute-timestamps=ns", r"\d\d:\d\d:\d\d\.\d{9} "),
        ("--absolute-timestamps=format:unix,precision:ms", r"\d{10}\.\d{3} "),
        ("-r", r" +\d+\.\d{6} "),
        ("--relative-timestamps=ns", r" +\d+\.\d{9} "),
        ("--always-show-pid", r"\d+ +"),
    ] {
        let run = scratch.stride([option, "-a1", "-e", "trace=chdir", "sh", "-c", "cd /"]);
        lines_are(
            &run.trace,
            &[&format!(r#"{pattern}chdir\("/"\) = 0"#), &format!(r"{pattern}\+\+\+ exited with 0 \+\+\+")],
        );
    }
    let number = |name| stride_test_support::calls::number(stride_syscalls::Abi::NATIVE, name);
    let number = (number("chdir"), number("exit_group"));
    let run = scratch.stride(["-n", "-a1", "-e", "trace=chdir", "sh", "-c", "cd /"]);
    // The last line has the number of the last call, although that call is hidden.
    lines_are(
        &run.trace,
        &[
            &format!(r#"\[ *{}\] chdir\("/"\) = 0"#, number.0),
            &format!(r"\[ *{}\] \+\+\+ exited with 0 \+\+\+", number.1),
        ],
    );
    let run = scratch.stride(["-i", "-a1", "-e", "trace=chdir", "sh", "-c", "cd /"]);
    lines_are(&run.trace, &[r#"\[[0-9a-f]{16}\] chdir\("/"\) = 0"#, r"\[\?{16}\] \+\+\+ exited with 0 \+\+\+"]);
    let run = scratch.stride(["-T", "-a1", "-qq", "-e", "trace=chdir", "sh", "-c", "cd /"]);
    lines_are(&run.trace, &[r#"chdir\("/"\) = 0 <\d+\.\d{6}>"#]);
}

#[test]
fn relative_times_begin_with_nothing_and_add_up() {
    let scratch = Scratch::new("relative");
    let began = std::time::Instant::now();
    let run = scratch.stride(["-r", "-e", "trace=chdir", "sh", "-c", "cd /; sleep 0.05; cd /"]);
    let took = began.elapsed().as_secs_f64();
    let times: Vec<f64> = run.trace.lines().filter_map(|l| l.split_whitespace().next()?.parse().ok()).collect();
    assert_eq!(times[0], 0.0);
    let total: f64 = times.iter().sum();
    assert!((0.05..took).contains(&total), "{times:?} in {took} s");
}

#[test]
fn styles_of_names_and_strings() {
    let scratch = Scratch::new("styles");
    std::fs::write(scratch.path("data"), "a\u{e9}\tz").unwrap();
    let with =
        |args: &[&str]| scratch.stride(args.iter().copied().chain(["-a1", "-qq", "-P", "data", "cat", "data"])).trace;
    let names = |style: &str, flags: &str, dir: &str| {
        (vec!["-X".to_owned(), style.to_owned()], format!(r#"openat\({dir}, "data", {flags}\) = 3"#))
    };
    for (args, pattern) in [
        names("raw", "0", "-100"),
        names("abbrev", "O_RDONLY", "AT_FDCWD"),
        names("verbose", r"0 /\* O_RDONLY \*/", r"-100 /\* AT_FDCWD \*/"),
        (vec!["-N".into()], r#"openat\(dirfd=AT_FDCWD, pathname="data", flags=O_RDONLY\) = 3"#.into()),
        (vec!["-y".into()], r#"openat\(AT_FDCWD<.*>, "data", O_RDONLY\) = 3</.*/data>"#.into()),
        (vec!["-xx".into()], r#"openat\(AT_FDCWD, "\\x64\\x61\\x74\\x61", O_RDONLY\) = 3"#.into()),
        (vec![], r#"read\(3, "a\\303\\251\\tz", \d+\) = 5"#.into()),
        (vec!["-x".into()], r#"read\(3, "\\x61\\xc3\\xa9\\x09\\x7a", \d+\) = 5"#.into()),
        (vec!["-s2".into()], r#"read\(3, "a\\303"\.\.\., \d+\) = 5"#.into()),
        (vec!["-e".into(), "raw=read".into()], r"read\(0x3, 0x[0-9a-f]+, 0x[0-9a-f]+\) = 0x5".into()),
    ] {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        lines_include(&with(&args), &[&pattern]);
    }
}

#[test]
fn structures_in_full_or_not_at_all() {
    let scratch = Scratch::new("verbose");
    let with = |args: &[&str]| {
        scratch
            .stride(args.iter().copied().chain(["-a1", "-qq", "-e", "trace=execve", "env", "-i", "A=1", "/bin/true"]))
            .trace
    };
    need!("/bin/true");
    lines_include(&with(&[]), &[r#"execve\("/bin/true", \["/bin/true"\], 0x[0-9a-f]+ /\* 1 var \*/\) = 0"#]);
    lines_include(&with(&["-v"]), &[r#"execve\("/bin/true", \["/bin/true"\], \["A=1"\]\) = 0"#]);
    lines_include(&with(&["-e", "verbose=none"]), &[r#"execve\("/bin/true", 0x[0-9a-f]+, 0x[0-9a-f]+\) = 0"#]);
}

#[test]
fn dumps() {
    let scratch = Scratch::new("dumps");
    std::fs::write(scratch.path("data"), "0123456789abcdefXYZ\n").unwrap();
    let run = scratch.stride(["-qq", "-e", "trace=read", "-e", "read=3", "-P", "data", "cat", "data"]);
    lines_include(
        &run.trace,
        &[
            r#"read\(3, .*\) = 20"#,
            r" \| 00000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef \|",
            r" \| 00010  58 59 5a 0a +XYZ\. +\|",
        ],
    );
}

#[test]
fn names_of_threads() {
    let run = run(["-Y", "-f", "-q", "-e", "trace=none", "-e", "signal=none", "sh", "-c", "(exit 1); exit 0"]);
    lines_include(&run.err, &[r"\[pid +\d+<sh>\] \+\+\+ exited with 1 \+\+\+", r"\+\+\+ exited with 0 \+\+\+"]);
}

#[test]
fn the_column_of_the_result() {
    let scratch = Scratch::new("column");
    for (option, column) in [("-a1", 11), ("-a20", 20), ("-a40", 40)] {
        let run = scratch.stride([option, "-qq", "-e", "trace=chdir", "sh", "-c", "cd /"]);
        assert_eq!(run.trace.find("= 0"), Some(column), "{option}: {}", run.trace);
    }
}

/// Nobody reads /dev/null, so the trace is written in large pieces, like a file. A pipe may be read meanwhile, so each
/// line is written at once.
#[test]
fn a_device_that_nobody_reads_is_written_like_a_file() {
    need!("/bin/dash");
    let scratch = Scratch::new("device");
    let program = "i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo >/dev/null; done";
    let writes = |to: &[&str]| {
        let inner = [&[STRIDE, "--engine=ptrace"], to, &["/bin/dash", "-c", program]].concat();
        let seen = scratch.stride([&["-e", "trace=write"], &inner[..]].concat());
        seen.trace.lines().filter(|line| line.starts_with("write(")).count()
    };
    let (null, file, pipe) = (writes(&["-o", "/dev/null"]), writes(&["-o", "file"]), writes(&["-o", "/dev/stdout"]));
    assert!(pipe > 400, "{pipe} writes to a pipe");
    // The buffer is also written out after a quiet tenth of a second, which can happen on a busy machine.
    assert!(file < pipe / 4 && null < pipe / 4, "{file} writes to a file, {null} to /dev/null, {pipe} to a pipe");
}
