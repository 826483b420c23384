//! The reader of the calls that a program can make: ELF, machine instructions, and the ways between functions.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(code) = stride_reach::MachineCode::parse(bytes) {
        stride_reach::reachable([("program".to_owned(), true, code)]);
    }
});
