//! Calls from registers and memory alone. An emulator, a debugger, or a program that reads core files has both, and
//! needs no engine.

use crate::Options;
use std::collections::HashMap;
use stride_event::{Call, Limits, Outcome, Peek, Phase, actual_call, capture};
use stride_syscalls::plan::Plan;
use stride_syscalls::{Abi, table};

/// Makes calls for a [`Decoder`](crate::Decoder): it copies the memory that a call's row asks for.
///
/// Memory is a function that copies what lies at an address into a buffer, from its beginning, and returns how many
/// bytes it copied. Fewer than asked for mean that memory ends there. It is asked twice:
/// [`enter`](RegisterReader::enter) reads what the program passes, [`leave`](RegisterReader::leave) what the kernel
/// answered. Whoever has only one state of the memory, such as a core file's, passes that. The bytes that one call
/// copies are bounded by [`Options::text`], whatever its arguments are.
///
/// ```
/// use stride_decode::{RegisterReader, Decoder, Options, Part, Value};
/// use stride_syscalls::Abi;
///
/// let memory = |addr: u64, to: &mut [u8]| {
///     let text = b"/etc/hosts\0";
///     let Some(rest) = addr.checked_sub(0x1000).and_then(|at| text.get(at as usize..)) else { return 0 };
///     let n = rest.len().min(to.len());
///     to[..n].copy_from_slice(&rest[..n]);
///     n
/// };
/// let (options, mut decoder) = (Options::default(), Decoder::default());
/// let mut reader = RegisterReader::new(&options);
/// // openat(2) has the number 257, and AT_FDCWD is -100.
/// let mut call = reader.enter(Abi::X86_64, 257, [-100i64 as u64, 0x1000, 0, 0, 0, 0], memory);
/// reader.leave(&mut call, 3, memory);
/// let decoded = decoder.decode(&call, Part::Whole, &options, &());
/// let path = decoded.args.iter().find(|arg| arg.name == "pathname");
/// assert!(matches!(path.unwrap().value, Value::Text(text) if text.bytes == b"/etc/hosts"));
/// ```
///
/// The crate `stride-output` writes decoded calls as text and as JSON (`examples/decode_registers.rs`).
#[derive(Debug)]
pub struct RegisterReader {
    limits: Limits,
    plans: HashMap<(Abi, u64), Plan>,
}

impl RegisterReader {
    /// Copies as much as these options show.
    pub fn new(options: &Options) -> RegisterReader {
        let (text, elements) = (options.text.min(Limits::UNLIMITED), options.elements().min(Limits::UNLIMITED));
        let limits = Limits { text, command_text: 0, elements, received: true };
        RegisterReader { limits, plans: HashMap::new() }
    }

    /// A call at its entry: the number and the six argument registers in the order of the ABI (syscall(2)), and the
    /// memory as the program left it. Upper halves of the registers of 32-bit ABIs do not matter.
    ///
    /// i386's socketcall(2) and ipc(2) become the calls for which they stand. A number without a call is no error: the
    /// decoder shows the registers.
    pub fn enter(&mut self, abi: Abi, nr: u64, args: [u64; 6], memory: impl FnMut(u64, &mut [u8]) -> usize) -> Call {
        let mut memory = Function(memory);
        let (nr, args) = actual_call(abi, abi.cut(nr), args.map(|arg| abi.cut(arg)), &mut memory);
        let mut call = Call { abi, nr, args, ..Call::default() };
        self.copy(&mut call, Phase::Entry, &mut memory);
        call
    }

    /// The call has returned: its return register, and the memory as the kernel left it. Without this the call counts
    /// as one that goes on.
    pub fn leave(&mut self, call: &mut Call, returned: u64, memory: impl FnMut(u64, &mut [u8]) -> usize) {
        let signed = if call.abi.word() == 4 { i64::from(returned as u32 as i32) } else { returned as i64 };
        call.outcome = match Outcome::from_raw(signed) {
            Outcome::Value(_) => Outcome::Value(call.abi.cut(returned) as i64),
            error => error,
        };
        self.copy(call, Phase::Exit, &mut Function(memory));
    }

    fn copy(&mut self, call: &mut Call, phase: Phase, memory: &mut dyn Peek) {
        let Some(entry) = table(call.abi).get(call.nr) else { return };
        let plan = self.plans.entry((call.abi, call.nr)).or_insert_with(|| Plan::of(entry.row, call.abi));
        capture(plan, entry.row, phase, call, &self.limits, memory);
    }
}

struct Function<F>(F);

impl<F: FnMut(u64, &mut [u8]) -> usize> Peek for Function<F> {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        (self.0)(addr, buf).min(buf.len())
    }
}
