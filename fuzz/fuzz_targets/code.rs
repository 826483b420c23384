//! The reader of files of code: ELF, tables for unwinding, symbols, DWARF, and Go's table.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    stride_stacks::examine(bytes, &(0x1000..0x1400));
});
