//! Any registers and any memory: every syscall of every ABI, every request of ioctl(2), every operation of io_uring and
//! every signal is captured, decoded and written without a panic, with bounded output.

mod any_call;
mod inputs;

use any_call::{OPERATION, SIGNAL, show};
use inputs::Inputs;
use std::panic::catch_unwind;
use stride_syscalls::{Abi, table};

/// Shows the input, and says which one it is if that fails.
fn check(input: &[u8]) {
    if catch_unwind(|| show(input)).is_err() {
        let hex: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
        panic!("the input {hex}");
    }
}

/// The inputs that the fuzz target kept, because each reaches something that the others do not.
#[test]
fn kept_inputs() {
    let inputs = inputs::kept().inspect(|input| check(input)).count();
    assert!(inputs > 500, "{inputs}");
}

/// The number of inputs that each syscall gets, and each request.
const TRIES: usize = 50;
const REQUEST_TRIES: usize = 10;

#[test]
fn every_syscall() {
    let mut any = Inputs::new(0x9e37_79b9_7f4a_7c15);
    for (subject, abi) in (0..).zip(Abi::ALL) {
        for entry in table(abi).iter() {
            (0..TRIES).for_each(|_| check(&any.input(subject, entry.nr as u16)));
        }
    }
}

/// Random numbers are no requests of ioctl(2), so each is tried by name.
#[test]
fn every_request_of_ioctl() {
    let mut any = Inputs::new(0x2545_f491_4f6c_dd1d);
    for (subject, abi) in (0..).zip(Abi::ALL) {
        let entry = table(abi).by_name("ioctl").next().expect("every ABI has ioctl");
        for case in &stride_syscalls::ioctl::CASES {
            (0..REQUEST_TRIES).for_each(|_| check(&any.request(subject, entry.nr as u16, case.0)));
        }
    }
}

#[test]
fn every_operation_and_signal() {
    let mut any = Inputs::new(0x1234_5678_9abc_def1);
    for subject in [OPERATION, SIGNAL] {
        for nr in 0..=255 {
            (0..TRIES).for_each(|_| check(&any.input(subject, nr)));
        }
    }
}
