//! A second account of the calls that returned, by a program that shares nothing with the engine: `programs/counter.bpf.c`.

use libbpf_rs::{Link, MapCore, MapFlags, Object, ObjectBuilder};
use std::path::Path;
use std::process::Command;
use stride_event::Tid;

pub struct Counter {
    object: Object,
    _links: Vec<Link>,
}

impl Counter {
    /// `None`, after saying so, where there is no clang.
    pub fn start(test: &str) -> Option<Counter> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/counter.bpf.c");
        let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("counter-{}-{test}.o", std::process::id()));
        let arch = if cfg!(target_arch = "x86_64") { "-D__x86_64__" } else { "-D__aarch64__" };
        let clang = Command::new("clang")
            .args(["-target", "bpf", "-g", "-O2", arch, "-c", "-o"])
            .arg(&built)
            .arg(&source)
            .status();
        if !clang.as_ref().is_ok_and(|s| s.success()) {
            println!("skipped: {test}: clang does not build the counter: {clang:?}");
            return None;
        }
        let object = ObjectBuilder::default().open_file(&built).unwrap().load().unwrap();
        std::fs::remove_file(&built).unwrap();
        let links = object.progs_mut().map(|program| program.attach().unwrap()).collect();
        Some(Counter { object, _links: links })
    }

    /// Calls of the thread that returned, and how many of them before its first execve.
    pub fn returned(&self, tid: Tid) -> (u64, u64) {
        let map = self.object.maps().next().unwrap();
        let Some(bytes) = map.lookup(&tid.to_ne_bytes(), MapFlags::ANY).unwrap() else { return (0, 0) };
        let word = |i: usize| u64::from_ne_bytes(bytes[8 * i..][..8].try_into().unwrap());
        (word(0), word(1))
    }
}
