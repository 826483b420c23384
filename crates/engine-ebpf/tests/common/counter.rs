//! A second count of the calls that returned, by a program that shares no code with the engine:
//! `tests/programs/counter.bpf.c`.

use libbpf_rs::{Link, MapCore, MapFlags, Object, ObjectBuilder};
use stride_event::Tid;
use stride_test_support::programs::{clang_bpf, root};
use stride_test_support::{Scratch, test_name};

pub struct Counter {
    object: Object,
    _links: Vec<Link>,
}

impl Counter {
    /// Fails where there is no clang.
    pub fn start() -> Result<Counter, String> {
        let scratch = Scratch::new(&format!("counter-{}", test_name()));
        let built = scratch.path("counter.o");
        clang_bpf(&root().join("tests/programs/counter.bpf.c"), &built)?;
        let object = ObjectBuilder::default().open_file(&built).unwrap().load().unwrap();
        let links = object.progs_mut().map(|program| program.attach().unwrap()).collect();
        Ok(Counter { object, _links: links })
    }

    /// The number of calls of the thread that returned, and of those that returned before its first execve.
    pub fn returned(&self, tid: Tid) -> (u64, u64) {
        let map = self.object.maps().next().unwrap();
        let Some(bytes) = map.lookup(&tid.to_ne_bytes(), MapFlags::ANY).unwrap() else { return (0, 0) };
        let word = |i: usize| u64::from_ne_bytes(bytes[8 * i..][..8].try_into().unwrap());
        (word(0), word(1))
    }
}
