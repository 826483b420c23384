//! The ids of threads in PID namespaces.

mod common;

use common::command;
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};
use stride_engine_base::Engine as _;
use stride_engine_ebpf::EbpfEngine;
use stride_event::{Event, StartKind, Tid, TraceSpec};
use stride_test_support::{need_ebpf, skip};

/// The namespaces and ids of each thread that started, in the order in which they were told.
fn told(spec: TraceSpec) -> HashMap<Tid, Vec<(u64, Tid)>> {
    let mut engine = EbpfEngine::start(spec).unwrap();
    let mut told = HashMap::new();
    while let Some(event) = engine.next().unwrap() {
        match event {
            Event::Started { tid, origin: StartKind::Forked { .. }, .. } => _ = told.insert(tid, Vec::new()),
            Event::NamespaceId { tid, namespace, id } => {
                told.get_mut(&tid).expect("it has started").push((namespace, id))
            }
            _ => {}
        }
    }
    told
}

#[test]
fn ids_of_all_namespaces_are_told() {
    need_ebpf!();
    let trial = Command::new("unshare").args(["-p", "-f", "true"]).stderr(Stdio::null()).status();
    if !trial.is_ok_and(|status| status.success()) {
        skip!("no PID namespace can be made");
    }
    let script = "unshare -p -f sh -c ':; unshare -p -f true; :'; :";
    let spec = command(Path::new("/bin/sh"), &["-c", script]);
    let told = told(TraceSpec { pid_namespaces: true, ..spec });
    let own = std::fs::metadata("/proc/self/ns/pid").unwrap().ino();
    assert!(told.iter().all(|(&tid, ids)| ids[0] == (own, tid)), "{told:?}");
    // unshare(1) stays in its namespace, and the process that it starts is the first of a new one.
    let mut inner: Vec<&[(u64, Tid)]> = told.values().map(|ids| &ids[1..]).collect();
    inner.sort_by_key(|ids| (ids.len(), ids.first().map(|id| id.1)));
    let [[], [(outer, 1)], [(same, second)], [(around, third), (innermost, 1)]] = inner[..] else {
        panic!("{told:?}");
    };
    assert!(1 < *second && second < third, "{told:?}");
    assert!(outer == same && outer == around && outer != innermost && *outer != own, "{told:?}");
}

#[test]
fn ids_are_told_only_if_asked_for() {
    need_ebpf!();
    let told = told(command(Path::new("/bin/sh"), &["-c", "(:); (:)"]));
    assert!(told.len() == 2 && told.values().all(Vec::is_empty), "{told:?}");
}
