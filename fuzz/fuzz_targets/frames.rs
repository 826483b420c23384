//! The readers of frames of all languages, in memory that has the same bytes everywhere.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    stride_stacks::examine_frames(bytes);
});
