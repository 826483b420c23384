//! The work that the kernel's verifier has with each program is written down (`verified.txt`), and rises in no commit unseen.
//!
//! The verifier takes most of the time that Stride needs to start, and gives up beyond a million instructions. The number of instructions that
//! it walks depends on the kernel, on the compiler and on the settings, so each row has all of these.
//! `cargo xtask verified` makes the rows of this machine anew, from the lines that this test prints.

mod common;

use common::everything;
use libbpf_rs::query::ProgInfoIter;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stride_engine_ebpf::broker::{Prepared, Reply};
use stride_engine_ebpf::{EbpfEngine, Settings, probe};
use stride_event::{
    Bounds, CallSet, CgroupPath, CountBy, Counting, Endings, Glob, Machine, ProbedFile, StackRate, Tid, TraceSpec,
};
use stride_stacks::{CodeFileToProbe, functions};
use stride_syscalls::Abi;
use stride_test_support::state::kernel_version;
use stride_test_support::{Killed, skip, skipped};

/// The place of the record, and what makes it.
const RECORD: &str = "crates/engine-ebpf/tests/verified.txt";
const REMAKES: &str = "cargo xtask verified";
/// The record itself. (The machines of scripts/test-kernels have no file of it.)
const RECORDED: &str = include_str!("verified.txt");

/// A program may grow by both of these before it has risen: a row is no reason to count instructions.
const PERCENT: u64 = 5;
const INSTRUCTIONS: u64 = 500;

/// Instructions by the settings and the name of the program.
type Rows = BTreeMap<(String, String), u64>;

/// The beginning of the rows that can be compared with this run.
fn kind() -> String {
    let (major, minor) = kernel_version();
    format!("{} {major}.{minor} {}", std::env::consts::ARCH, env!("STRIDE_CLANG"))
}

/// The rows of a record that have this beginning.
fn rows(record: &str, kind: &str) -> Rows {
    let of_kind = |line: &str| -> Option<((String, String), u64)> {
        let mut words = line.strip_prefix(kind)?.strip_prefix(' ')?.split(' ');
        let (settings, program, number) = (words.next()?, words.next()?, words.next()?);
        Some(((settings.to_owned(), program.to_owned()), number.parse().ok()?))
    };
    record.lines().filter_map(of_kind).collect()
}

/// A sentence for each row that is no longer true.
fn differences(recorded: &Rows, found: &Rows) -> Vec<String> {
    let mut differences = Vec::new();
    for ((settings, program), &now) in found {
        match recorded.get(&(settings.clone(), program.clone())) {
            None => differences.push(format!(
                "With {settings}, the verifier walks {now} instructions of the program {program}, which has no row in {RECORD}. `{REMAKES}` adds it."
            )),
            Some(&before) if now > before + INSTRUCTIONS && 100 * now > (100 + PERCENT) * before => differences.push(format!(
                "With {settings}, the verifier walks {now} instructions of the program {program}, and {RECORD} has {before}. If it is worth that, `{REMAKES}` writes the new number."
            )),
            Some(_) => {}
        }
    }
    for (settings, program) in recorded.keys().filter(|key| !found.contains_key(*key)) {
        differences.push(format!(
            "With {settings}, no program {program} is loaded, which has a row in {RECORD}. `{REMAKES}` takes it away."
        ));
    }
    differences
}

/// The programs that this process has loaded, by their names, which the kernel cuts off after 15 characters. Of several that share a name, the largest counts.
fn loaded() -> BTreeMap<String, u64> {
    let number = |text: &str, of: &str| -> Option<u64> {
        text.lines().find_map(|line| line.strip_prefix(of)?.strip_prefix(':')?.trim().parse().ok())
    };
    let own: BTreeMap<u32, u64> = std::fs::read_dir("/proc/self/fdinfo")
        .unwrap()
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok())
        .filter_map(|text| Some((number(&text, "prog_id")? as u32, number(&text, "verified_insns")?)))
        .collect();
    let mut programs = BTreeMap::new();
    for info in ProgInfoIter::default() {
        if let Some(&verified) = own.get(&info.id) {
            let most: &mut u64 = programs.entry(info.name.display().to_string()).or_default();
            *most = verified.max(*most);
        }
    }
    programs
}

/// The settings with names, of which each loads programs that the others do not load, or has them do more.
fn settings() -> Vec<(&'static str, TraceSpec)> {
    let counting = Counting {
        only: true,
        cpu_time: true,
        estimated: false,
        latencies: false,
        bytes: false,
        by: CountBy::SYSCALL,
        intervals: false,
    };
    let by_all = CountBy {
        syscall: true,
        errno: true,
        pid: true,
        tid: true,
        comm: true,
        size: true,
        duration: true,
        user: true,
        container: true,
    };
    let few = |spec| {
        let mut calls = CallSet::empty();
        for name in ["openat", "execve", "recvmsg"] {
            let nr =
                stride_syscalls::table(Abi::NATIVE).iter().find(|entry| entry.row.name == name).map(|entry| entry.nr);
            calls.insert(Abi::NATIVE, nr.expect("every machine has this call"));
        }
        TraceSpec { calls, ..spec }
    };
    let glob = |text: &[u8]| Glob::parse(text).expect("a pattern");
    let machine = Machine {
        comm: vec![glob(b"a*")],
        exe: vec![glob(b"*/b?")],
        user: Some(1),
        cgroups: vec![CgroupPath { root: "/".into(), names: vec!["a".into()] }],
        containers: vec![b"web*".to_vec()],
    };
    let endings = Endings {
        durations: Bounds { least: 1_000_000, ..Bounds::<u64>::ALL },
        bytes: Some(Bounds { least: 1, most: 4096 }),
        ..Endings::default()
    };
    let stacks = TraceSpec { stacks: StackRate::All, ..everything() };
    let heavy = TraceSpec {
        entries: true,
        want_times: true,
        want_ip: true,
        descriptors: true,
        pid_namespaces: true,
        operations: true,
        waits: true,
        ..stacks.clone()
    };
    let mut all = vec![
        ("text", TraceSpec { entries: true, ..everything() }),
        ("no-follow", TraceSpec::default()),
        ("few-calls", few(everything())),
        ("times", TraceSpec { want_times: true, ..everything() }),
        ("count", TraceSpec { want_times: true, counting: Some(counting), ..everything() }),
        (
            "count-estimated",
            TraceSpec { want_times: true, counting: Some(Counting { estimated: true, ..counting }), ..everything() },
        ),
        (
            "count-failures",
            TraceSpec {
                counting: Some(Counting {
                    cpu_time: false,
                    by: CountBy { errno: true, ..CountBy::SYSCALL },
                    intervals: true,
                    ..counting
                }),
                ..everything()
            },
        ),
        (
            "count-by-all",
            TraceSpec {
                want_times: true,
                counting: Some(Counting { latencies: true, bytes: true, by: by_all, ..counting }),
                ..everything()
            },
        ),
        ("endings", TraceSpec { want_times: true, endings, ..everything() }),
        ("descriptors", TraceSpec { descriptors: true, ..everything() }),
        ("descriptors-few-calls", few(TraceSpec { descriptors: true, ..everything() })),
        ("namespaces", TraceSpec { pid_namespaces: true, ..everything() }),
        ("io-uring", TraceSpec { operations: true, ..everything() }),
        ("waits", TraceSpec { want_times: true, waits: true, ..everything() }),
        ("machine", TraceSpec { machine: Some(machine), ..everything() }),
    ];
    if cfg!(target_arch = "x86_64") {
        all.extend([
            ("stacks", stacks),
            ("stacks-sampled", TraceSpec { stacks: StackRate::Sampled, ..everything() }),
            ("all-at-once", heavy),
        ]);
    }
    all
}

/// A function of the C library.
fn getenv() -> Result<Vec<ProbedFile>, String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let library =
        maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..])).find(|path| path.contains("/libc"));
    let library = library.ok_or("this program has no C library of its own")?;
    let file = CodeFileToProbe::open(Path::new(library))?;
    Ok(vec![functions(&file, "libc", "getenv", &Glob::parse(b"getenv")?)?.file])
}

/// The instructions of the programs that are loaded for this.
fn verified(spec: TraceSpec) -> Result<BTreeMap<String, u64>, String> {
    // (How many rings there are depends on the number of CPUs.)
    let settings = Settings { rings: 1, ring_bytes: Some(1 << 20), ..Settings::default() };
    let has_command = spec.attach.is_empty() && spec.machine.is_none();
    let command = has_command.then(|| common::command(&PathBuf::from("/bin/true"), &[]).command).flatten();
    let _engine = EbpfEngine::start_with(TraceSpec { command, ..spec }, settings).map_err(|e| e.to_string())?;
    Ok(loaded())
}

/// The instructions of the programs that a broker loads for this. (Without `follow` there is one ring, on each machine.)
fn verified_by_broker(spec: &TraceSpec) -> Result<BTreeMap<String, u64>, String> {
    let serving = Prepared::load(&Prepared::request(spec)).and_then(|prepared| prepared.serve(1, 1));
    let _serving = serving.map_err(|Reply { text, .. }| text)?;
    Ok(loaded())
}

/// The only test of this file that loads programs: all those of this process are of the engine that it has just started.
#[test]
fn verified_instructions_are_written_down() {
    if let Err(why) = stride_engine_ebpf::available() {
        assert!(!why.is_fault(), "{why}");
        skip!("{why}");
    }
    if kernel_version() < (5, 16) {
        skip!("a kernel before 5.16 does not tell how many instructions it has verified");
    }
    if probe::is_nested() {
        skip!("in a PID namespace of its own, Stride loads other programs");
    }
    let mut found = Rows::new();
    let mut wrong = Vec::new();
    let mut note = |settings: &str, programs: Result<BTreeMap<String, u64>, String>| match programs {
        Ok(programs) => {
            assert!(programs.contains_key("on_sys_exit"), "{settings}: {programs:?}");
            found.extend(programs.into_iter().map(|(program, verified)| ((settings.to_owned(), program), verified)));
        }
        Err(why) => wrong.push(format!("With {settings}, the programs cannot be loaded: {why}")),
    };
    for (name, spec) in settings() {
        note(name, verified(spec));
    }
    let sleeper = Killed(Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap());
    note("attach", verified(TraceSpec { attach: vec![sleeper.0.id() as Tid], entries: true, ..everything() }));
    match getenv() {
        Ok(library) => note("library-calls", verified(TraceSpec { library, ..everything() })),
        Err(why) => skipped::report(format_args!("programs for functions of libraries: {why}")),
    }
    note("broker", verified_by_broker(&TraceSpec::default()));
    let more = TraceSpec { want_times: true, waits: true, descriptors: true, ..TraceSpec::default() };
    note("broker-waits", verified_by_broker(&more));
    let kind = kind();
    for ((settings, program), number) in &found {
        println!("verified: {kind} {settings} {program} {number}");
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let recorded = rows(RECORDED, &kind);
    if recorded.is_empty() {
        skip!("{RECORD} has no rows for {kind}; `{REMAKES}` makes them");
    }
    let differences = differences(&recorded, &found);
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}

#[test]
fn a_rise_is_told_with_both_numbers() {
    let rows = |text: &str| rows(text, "m 6.1 clang-14");
    let recorded =
        rows("# m 6.1\nm 6.1 clang-14 text a 1000\nm 6.1 clang-14 text b 100000\nm 6.10 clang-14 text c 1\n");
    assert_eq!(recorded.len(), 2);
    let same = "m 6.1 clang-14 text a 1500\nm 6.1 clang-14 text b 105000\n";
    assert_eq!(differences(&recorded, &rows(same)), Vec::<String>::new());
    let risen = differences(&recorded, &rows("m 6.1 clang-14 text a 1501\nm 6.1 clang-14 text b 105001\n"));
    assert_eq!(risen.len(), 2);
    for part in ["program a,", " 1501 ", " 1000.", REMAKES] {
        assert!(risen[0].contains(part), "{risen:?}");
    }
    let other = differences(&recorded, &rows("m 6.1 clang-14 text a 1\nm 6.1 clang-14 text new 5\n"));
    assert!(
        other.len() == 2 && other[0].contains("new, which has no row") && other[1].contains("no program b"),
        "{other:?}"
    );
}
