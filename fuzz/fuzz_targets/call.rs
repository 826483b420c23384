//! The decoders: calls with any registers and any memory, operations of io_uring, and signals, as text and JSON.
//!
//! `STRIDE_SEEDS=DIR` makes the target write inputs to begin with into an existing directory: one for each syscall, each request of ioctl(2)
//! and each operation of io_uring, and those that the tests have (`kept.txt`).
#![no_main]

#[path = "../../crates/output/tests/hostile/any_call.rs"]
mod any_call;
#[path = "../../crates/output/tests/hostile/inputs.rs"]
mod inputs;

use any_call::{OPERATION, SIGNAL};
use std::path::PathBuf;
use stride_syscalls::{Abi, ioctl, operation, table};

fn write_seeds() {
    let Some(to) = std::env::var_os("STRIDE_SEEDS").map(PathBuf::from) else { return };
    let mut any = inputs::Inputs::new(0x9e37_79b9_7f4a_7c15);
    let mut inputs = vec![any.input(SIGNAL, 0)];
    inputs.extend((0..operation::operations().len() as u16).map(|nr| any.input(OPERATION, nr)));
    for (subject, abi) in (0..).zip(Abi::ALL) {
        inputs.extend(table(abi).iter().map(|entry| any.input(subject, entry.nr as u16)));
        let ioctl = table(abi).by_name("ioctl").next().expect("every ABI has ioctl").nr as u16;
        inputs.extend(ioctl::CASES.iter().map(|case| any.request(subject, ioctl, case.0)));
    }
    inputs.extend(inputs::kept());
    for (i, input) in inputs.iter().enumerate() {
        std::fs::write(to.join(format!("seed-{i:05}")), input).expect("the directory of STRIDE_SEEDS can be written to");
    }
}

libfuzzer_sys::fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    std::hint::black_box(any_call::show(bytes));
});
