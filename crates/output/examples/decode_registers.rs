//! Decodes system calls that nobody traces: their registers and the memory behind them are made up here. A debugger or
//! an emulator would read them from its machine.
//!
//! `cargo run -p stride-output --example decode_registers` writes each call as text and as JSON.

use stride_decode::{Decoder, Options, Part, RegisterReader};
use stride_output::json::Json;
use stride_output::{Brief, Style};
use stride_syscalls::Abi;

const PATH: u64 = 0x7000;
const AT_FDCWD: u64 = -100i64 as u64;
const O_CLOEXEC: u64 = 0x8_0000;

/// The memory of the program: a path at one address, and nothing elsewhere.
fn memory(addr: u64, to: &mut [u8]) -> usize {
    let text = b"/etc/hosts\0";
    let Some(rest) = addr.checked_sub(PATH).and_then(|at| text.get(usize::try_from(at).ok()?..)) else { return 0 };
    let n = rest.len().min(to.len());
    to[..n].copy_from_slice(&rest[..n]);
    n
}

/// Each call as text and as JSON.
pub fn decoded() -> Vec<(String, String)> {
    let calls = [
        // openat(2) has a number for each ABI. Its registers are rdi, rsi, rdx, ...; x0, x1, x2, ...; ebx, ecx, edx,
        // ...
        (Abi::X86_64, 257, [AT_FDCWD, PATH, O_CLOEXEC, 0, 0, 0], 3),
        (Abi::Aarch64, 56, [AT_FDCWD, PATH, O_CLOEXEC, 0, 0, 0], 3),
        (Abi::I386, 295, [AT_FDCWD as u32 as u64, PATH, O_CLOEXEC, 0, 0, 0], 3),
        // ENOENT is 2: the kernel returns it negated.
        (Abi::I386, 295, [AT_FDCWD as u32 as u64, PATH, 0, 0, 0, 0], -2i32 as u32 as u64),
        // There is no memory at this address.
        (Abi::X86_64, 257, [AT_FDCWD, 0x1234, 0, 0, 0, 0], -14i64 as u64),
    ];
    let options = Options::default();
    let (mut reader, mut decoder, mut text) =
        (RegisterReader::new(&options), Decoder::default(), Brief::new(Style::default()));
    let decode = |(abi, nr, args, returned)| {
        let mut call = reader.enter(abi, nr, args, memory);
        reader.leave(&mut call, returned, memory);
        let decoded = decoder.decode(&call, Part::Whole, &options, &());
        (text.call(&decoded).into_owned(), Json::of_call(&decoded))
    };
    calls.map(decode).into()
}

fn main() {
    for (text, json) in decoded() {
        println!("{text}\n{json}");
    }
}
