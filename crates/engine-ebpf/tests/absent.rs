//! Memory that was not present when its call was read. (Not among the tests that boot other kernels: the emulator runs one processor at a
//! time, so that no reader runs while a thread waits for it.)

mod common;

use common::command;
use stride_engine_base::Engine as _;
use stride_engine_ebpf::EbpfEngine;
use stride_event::{Event, Memory as _, Phase};
use stride_test_support::{need_ebpf, program, skip};

/// The program unmaps each page right after the call, for which the thread waits, but not for long. So on a busy machine not every page is
/// read in time.
#[test]
fn memory_that_vanishes_after_the_call_is_read() {
    need_ebpf!();
    if std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() == 1) {
        skip!("on one CPU, the reader cannot run while a thread waits for it");
    }
    let program = program!("vanishing");
    let mut engine = EbpfEngine::start(command(program, &[])).unwrap();
    let (mut calls, mut read) = (0, 0);
    while let Some(event) = engine.next().unwrap() {
        let Event::Exit(call) = event else { continue };
        if call.nr == libc::SYS_openat2 as u64 {
            calls += 1;
            read += u32::from(call.blocks.prefix(Phase::Entry, call.args[1], 9) == b"untouched");
        }
    }
    assert_eq!(calls, 100);
    assert!(read > 0);
    println!("{read} of {calls} were read");
}
