//! The reader of recordings.
#![no_main]

#[path = "../../crates/record/tests/common/frames.rs"]
mod frames;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frames::read(bytes));
