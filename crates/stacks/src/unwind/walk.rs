//! Walks from frame to frame by the rules of the modules.
//!
//! A register is fetched from memory only when a frame depends on it. So the words that were read are those that prove
//! the stack.

use crate::image::Preceding;
use crate::unwind::cfi::{Cfa, FrameRule, RegisterPlace, UnwindRule};
use crate::unwind::place::FramePlace;
use crate::unwind::registers::{I386_AMONG_ALL, Registers, SignalFrame};
use gimli::{Encoding, EndianSlice, EvaluationResult, Expression, Format, LittleEndian, Value as DwarfValue};
use stride_event::{Bottom, CodeKind, Regs};

/// Reads a word of the stack. A word is as large as an address of the thread's code ([`CodeKind::word`]).
pub type ReadWord<'a> = dyn FnMut(u64) -> Option<u64> + 'a;

/// The questions that the walk asks about the process.
pub trait Code {
    fn rule(&mut self, address: u64) -> UnwindRule;
    fn is_executable(&self, address: u64) -> bool;
    /// The kind of the instructions before this address.
    fn preceding(&self, address: u64) -> Preceding;
    /// The frame that the code at this address ends, if a signal handler returns there.
    fn returns_from_signal(&mut self, address: u64) -> Option<SignalFrame>;
    /// True if the return address belongs to a trampoline of an interpreter. Such a trampoline has a stack frame of 8
    /// bytes and no frame pointer.
    fn is_trampoline(&self, _address: u64) -> bool {
        false
    }
}

#[derive(Debug, Default)]
pub struct Walk {
    /// The addresses to look up, innermost first.
    pub frames: Vec<u64>,
    /// Where these frames are.
    pub places: Vec<FramePlace>,
    pub reads: Vec<(u64, u64)>,
    pub used_bp: bool,
    pub used_all: bool,
    /// An address in no known code. Code may have been mapped there recently.
    pub missing: Option<u64>,
}

/// A register of a frame.
#[derive(Clone, Copy, Debug)]
enum Value {
    Known(u64),
    /// In memory, and not read yet.
    At(u64),
    /// [`Regs::bp`].
    Bp(u64),
    /// From [`Regs::all`].
    Given(u64),
    Unknown,
}

struct Machine<'a, 'r> {
    walk: &'a mut Walk,
    read: &'a mut ReadWord<'r>,
    kind: CodeKind,
    names: &'static Registers,
    ip: u64,
    registers: [Value; 16],
    /// True if `ip` is where the thread stands or was interrupted, not a return address.
    exact: bool,
}

/// The limit that ends a loop in a DWARF expression.
const MOST_OPERATIONS: u32 = 1000;

impl Walk {
    /// Walks the stack that begins at `regs`, for at most `limit` frames.
    pub fn run(&mut self, regs: &Regs, limit: usize, code: &mut dyn Code, read: &mut ReadWord<'_>) -> Bottom {
        self.frames.clear();
        self.places.clear();
        self.reads.clear();
        self.used_bp = false;
        self.used_all = false;
        self.missing = None;
        let mut registers = [Value::Unknown; 16];
        match (regs.all, regs.kind) {
            (Some(all), CodeKind::X86_64) => registers = all.map(Value::Given),
            (Some(all), CodeKind::I386) => {
                registers.iter_mut().zip(I386_AMONG_ALL).for_each(|(to, from)| *to = Value::Given(all[from]));
            }
            (None, _) => {}
        }
        let names = Registers::of(regs.kind);
        registers[usize::from(names.bp)] = Value::Bp(regs.bp);
        registers[usize::from(names.sp)] = Value::Known(regs.sp);
        let mut machine = Machine { walk: self, read, kind: regs.kind, names, ip: regs.ip, registers, exact: true };
        loop {
            let at = if machine.exact { machine.ip } else { machine.ip.wrapping_sub(1) };
            if !code.is_executable(at) {
                machine.walk.missing = Some(at);
                if machine.exact {
                    machine.begin_frame(at);
                }
                return Bottom::Unknown;
            }
            machine.begin_frame(at);
            if machine.walk.frames.len() >= limit {
                return Bottom::Limit;
            }
            // A system call may end its function, and then `ip` is behind it. Tables are looked up within the function.
            let before = if machine.exact { code.preceding(at) } else { Preceding::Other };
            let step = match before {
                Preceding::SignalReturn(frame) => machine.handled(frame),
                Preceding::Call => machine.step(at.wrapping_sub(1), code),
                Preceding::Other => machine.step(at, code),
            };
            match step {
                Step::Caller => {}
                Step::Ended(bottom) => return bottom,
            }
        }
    }
}

enum Step {
    Caller,
    Ended(Bottom),
}

impl Machine<'_, '_> {
    fn begin_frame(&mut self, address: u64) {
        let sp = match self.registers[usize::from(self.names.sp)] {
            Value::Known(sp) => Some(sp),
            _ => None,
        };
        self.walk.frames.push(address);
        self.walk.places.push(FramePlace { sp, bp: None });
    }

    /// A signal handler is over, and its thread calls rt_sigreturn(2).
    fn handled(&mut self, frame: SignalFrame) -> Step {
        let Value::Known(sp) = self.registers[usize::from(self.names.sp)] else { return Step::Ended(Bottom::Unknown) };
        match self.signal(frame, sp) {
            Some(()) => Step::Caller,
            None => Step::Ended(Bottom::Unknown),
        }
    }

    fn step(&mut self, at: u64, code: &mut dyn Code) -> Step {
        let sp = match self.registers[usize::from(self.names.sp)] {
            Value::Known(sp) => sp,
            _ => return Step::Ended(Bottom::Unknown),
        };
        let found = match code.rule(at) {
            UnwindRule::Bottom => return Step::Ended(Bottom::Reached),
            // (Go keeps frame pointers in 64-bit code only.)
            UnwindRule::OtherStack if self.kind == CodeKind::X86_64 => self.behind_frame_pointer(0),
            UnwindRule::OtherStack => None,
            UnwindRule::FramePointer { caller_sp } => self.behind_frame(sp, caller_sp),
            UnwindRule::Lost => None,
            UnwindRule::Frame(rule) => self.frame(&rule, sp),
            UnwindRule::Signal if self.kind == CodeKind::X86_64 => self.signal(SignalFrame::X86_64, sp),
            rule => match (code.returns_from_signal(self.ip), rule) {
                (Some(frame), _) => self.signal(frame, sp),
                (None, UnwindRule::Signal) => None,
                (None, _) => self.without_rule(sp, code),
            },
        };
        match found {
            Some(()) if self.ip == 0 => Step::Ended(Bottom::Reached),
            Some(()) => Step::Caller,
            None if self.ip == 0 => Step::Ended(Bottom::Reached),
            None => Step::Ended(Bottom::Unknown),
        }
    }

    /// The size of an address.
    fn size(&self) -> u64 {
        self.kind.word().into()
    }

    /// A place at a distance from an address. Addresses of 32-bit code have 32 bits.
    fn at(&self, address: u64, distance: i64) -> u64 {
        let at = address.wrapping_add_signed(distance);
        if self.kind == CodeKind::I386 { at & u64::from(u32::MAX) } else { at }
    }

    fn word(&mut self, address: u64) -> Option<u64> {
        let value = (self.read)(address)?;
        self.walk.reads.push((address, value));
        Some(value)
    }

    fn get(&mut self, register: u8) -> Option<u64> {
        let slot = usize::from(register);
        let value = self.resolve(*self.registers.get(slot)?)?;
        // The word is read once.
        if let Value::At(_) = self.registers[slot] {
            self.registers[slot] = Value::Known(value);
        }
        Some(value)
    }

    fn resolve(&mut self, value: Value) -> Option<u64> {
        match value {
            Value::Known(value) => Some(value),
            Value::Bp(value) => {
                self.walk.used_bp = true;
                Some(value)
            }
            Value::Given(value) => {
                self.walk.used_all = true;
                Some(value)
            }
            Value::At(address) => self.word(address),
            Value::Unknown => None,
        }
    }

    fn frame(&mut self, rule: &FrameRule, sp: u64) -> Option<()> {
        let cfa = match &rule.cfa {
            Cfa::Offset { register, offset } => {
                let from = self.get(*register)?;
                self.at(from, *offset)
            }
            Cfa::Expression(code) => self.evaluate(code, None)?,
        };
        // A call pushes its return address, so each caller's frame lies above. But vfork(3) pops its return address.
        if cfa < sp || cfa == sp && !self.exact {
            return None;
        }
        let return_address = self.place(&rule.return_address, Value::Unknown, cfa)?;
        let ip = self.resolve(return_address)?;
        let mut registers = [Value::Unknown; 16];
        for (place, &register) in rule.saved.iter().zip(self.names.saved) {
            let slot = usize::from(register);
            registers[slot] = self.place(place, self.registers[slot], cfa).unwrap_or(Value::Unknown);
        }
        registers[usize::from(self.names.sp)] = Value::Known(cfa);
        self.registers = registers;
        self.ip = ip;
        self.exact = false;
        Some(())
    }

    /// The caller's value of a register whose value in this frame is `now`.
    fn place(&mut self, place: &RegisterPlace, now: Value, cfa: u64) -> Option<Value> {
        Some(match place {
            RegisterPlace::Same => now,
            RegisterPlace::Lost => Value::Unknown,
            RegisterPlace::Memory(offset) => Value::At(self.at(cfa, *offset)),
            RegisterPlace::Address(offset) => Value::Known(self.at(cfa, *offset)),
            RegisterPlace::Register(register) => *self.registers.get(usize::from(*register))?,
            RegisterPlace::MemoryAt(code) => Value::At(self.evaluate(code, Some(cfa))?),
            RegisterPlace::Value(code) => Value::Known(self.evaluate(code, Some(cfa))?),
        })
    }

    fn evaluate(&mut self, code: &[u8], initial: Option<u64>) -> Option<u64> {
        let encoding = Encoding { address_size: self.kind.word(), format: Format::Dwarf32, version: 4 };
        let word = self.kind.word();
        let mut evaluation = Expression(EndianSlice::new(code, LittleEndian)).evaluation(encoding);
        evaluation.set_max_iterations(MOST_OPERATIONS);
        if let Some(value) = initial {
            evaluation.set_initial_value(value);
        }
        let mut state = evaluation.evaluate().ok()?;
        loop {
            state = match state {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresRegister { register, .. } => {
                    let value = match register.0 {
                        number if number == u16::from(self.names.return_address) => self.ip,
                        number => self.get(u8::try_from(number).ok()?)?,
                    };
                    evaluation.resume_with_register(DwarfValue::Generic(value)).ok()?
                }
                EvaluationResult::RequiresMemory { address, size, .. } if size == word => {
                    let value = self.word(address)?;
                    evaluation.resume_with_memory(DwarfValue::Generic(value)).ok()?
                }
                _ => return None,
            };
        }
        match evaluation.value_result() {
            Some(DwarfValue::Generic(value)) => Some(value),
            _ => match evaluation.as_result() {
                [piece] => match piece.location {
                    gimli::Location::Address { address } => Some(address),
                    _ => None,
                },
                _ => None,
            },
        }
    }

    /// Continues with the interrupted code, from the registers that the kernel saved.
    fn signal(&mut self, frame: SignalFrame, sp: u64) -> Option<()> {
        // No call led here. The handler will return to the start of the trampoline, so the address is exact.
        if let Some(frame) = self.walk.frames.last_mut() {
            *frame = self.ip;
        }
        let saved = frame.saved();
        let place = |machine: &Self, distance: u64| machine.at(sp, (saved.from + distance) as i64);
        let mut registers = [Value::Unknown; 16];
        for &(register, distance) in saved.places {
            registers[usize::from(register)] = Value::At(place(self, distance));
        }
        self.registers = registers;
        self.ip = self.word(place(self, saved.ip))?;
        let sp = self.get(self.names.sp)?;
        self.registers[usize::from(self.names.sp)] = Value::Known(sp);
        self.exact = true;
        Some(())
    }

    /// Continues where the frame pointer leads to, which lies at this address or above.
    fn behind_frame_pointer(&mut self, least: u64) -> Option<()> {
        let size = self.size() as i64;
        let bp = self.get(self.names.bp)?;
        if bp == 0 {
            self.ip = 0;
            return Some(());
        }
        if bp < least || !bp.is_multiple_of(self.size()) {
            return None;
        }
        if let Some(place) = self.walk.places.last_mut() {
            place.bp = Some(bp);
        }
        let ip = self.word(self.at(bp, size))?;
        self.called(ip, self.at(bp, 2 * size), Some(bp))
    }

    /// The same, if the frame has the caller's stack pointer at this distance from its frame pointer. (Between two frames, there may be room that belongs to neither.)
    fn behind_frame(&mut self, least: u64, caller_sp: i64) -> Option<()> {
        self.behind_frame_pointer(least)?;
        let Some(bp) = self.walk.places.last().and_then(|place| place.bp) else { return Some(()) };
        let sp = self.word(self.at(bp, caller_sp))?;
        // (A called function may have dropped its last argument: then the stack pointer leads to the place of its return address.)
        (sp > bp).then_some(())?;
        self.registers[usize::from(self.names.sp)] = Value::Known(sp);
        Some(())
    }

    /// Unwinds code without a rule, such as that of a JIT compiler or assembly code.
    ///
    /// A function with a hand-written system call often has no frame, so its return address is on top of the stack.
    /// Other functions are assumed to keep the frame pointer.
    fn without_rule(&mut self, sp: u64, code: &mut dyn Code) -> Option<()> {
        let size = self.size() as i64;
        if self.exact
            && let Some(word) = self.word(sp)
            && code.is_executable(word.wrapping_sub(1))
        {
            return self.called(word, self.at(sp, size), None);
        }
        if !self.exact && code.is_trampoline(self.ip.wrapping_sub(1)) {
            let ip = self.word(self.at(sp, size))?;
            return self.called(ip, self.at(sp, 2 * size), None);
        }
        self.behind_frame_pointer(sp)
    }

    fn called(&mut self, ip: u64, sp: u64, saved_bp: Option<u64>) -> Option<()> {
        if let Some(at) = saved_bp {
            // Where the other registers are saved is not known.
            self.registers = [Value::Unknown; 16];
            self.registers[usize::from(self.names.bp)] = Value::At(at);
        }
        self.registers[usize::from(self.names.sp)] = Value::Known(sp);
        self.ip = ip;
        self.exact = false;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unwind::registers::MOST_SAVED;
    use std::rc::Rc;

    const RSP: u8 = 7;

    /// Code from 0x1000 to 0x2000, with one rule.
    struct Plain(UnwindRule);

    impl Code for Plain {
        fn rule(&mut self, _: u64) -> UnwindRule {
            self.0.clone()
        }

        fn is_executable(&self, address: u64) -> bool {
            (0x1000..0x2000).contains(&address)
        }

        fn preceding(&self, _: u64) -> Preceding {
            Preceding::Other
        }

        fn returns_from_signal(&mut self, _: u64) -> Option<SignalFrame> {
            None
        }

        fn is_trampoline(&self, address: u64) -> bool {
            address == 0x120f
        }
    }

    fn frame(cfa: Cfa) -> UnwindRule {
        let saved = [const { RegisterPlace::Same }; MOST_SAVED];
        UnwindRule::Frame(Rc::new(FrameRule { cfa, return_address: RegisterPlace::Memory(-8), saved }))
    }

    fn regs() -> Regs {
        Regs { kind: CodeKind::X86_64, ip: 0x1100, sp: 0x8000, bp: 0x8010, all: None, thread_pointer: 0 }
    }

    #[test]
    fn an_expression_that_loops_ends() {
        // DW_OP_skip back to itself.
        let rule = frame(Cfa::Expression([0x2f, 0xfd, 0xff].into()));
        let mut walk = Walk::default();
        assert_eq!(walk.run(&regs(), 256, &mut Plain(rule), &mut |_| Some(0)), Bottom::Unknown);
        assert_eq!(walk.frames, [0x1100]);
    }

    /// A 32-bit handler: its frame, that of the code which it interrupted, and that one's caller. All addresses have 32
    /// bits.
    #[test]
    fn a_handler_of_32_bits() {
        let regs = Regs { kind: CodeKind::I386, ip: 0x1100, sp: 0xffff_f000, bp: 0, all: None, thread_pointer: 0 };
        for (frame, saved) in [
            (SignalFrame::I386, 0xffff_f004),
            (SignalFrame::I386Popped, 0xffff_f000),
            (SignalFrame::I386Info, 0xffff_f0a0),
        ] {
            let words = [
                (saved + 56, 0x1700),
                (saved + 28, 0xffff_ff00),
                (0xffff_ff00, 0x1900),
                (saved + 24, 0xffff_ff20),
                (0xffff_ff24, 0),
            ];
            let mut read = |at| words.iter().find(|(address, _)| *address == at).map(|(_, word)| *word);
            let mut walk = Walk::default();
            let mut code = Handler { frame };
            assert_eq!(walk.run(&regs, 256, &mut code, &mut read), Bottom::Reached, "{frame:?} {walk:x?}");
            assert_eq!(walk.frames, [0x1100, 0x1700, 0x18ff]);
        }
    }

    /// Code without rules, that returns from a signal handler at 0x1100.
    struct Handler {
        frame: SignalFrame,
    }

    impl Code for Handler {
        fn rule(&mut self, _: u64) -> UnwindRule {
            UnwindRule::Unknown
        }

        fn is_executable(&self, address: u64) -> bool {
            (0x1000..0x2000).contains(&address)
        }

        fn preceding(&self, _: u64) -> Preceding {
            Preceding::Other
        }

        fn returns_from_signal(&mut self, address: u64) -> Option<SignalFrame> {
            (address == 0x1100).then_some(self.frame)
        }
    }

    /// The frame pointer belongs to none of the frames, and is not looked at.
    #[test]
    fn through_a_trampoline() {
        let mut walk = Walk::default();
        let words = [(0x8000, 0x1210), (0x8010, 0x1300)];
        let mut read = |at| words.iter().find(|(address, _)| *address == at).map(|(_, word)| *word);
        let regs = Regs { bp: 0, ..regs() };
        assert_eq!(walk.run(&regs, 256, &mut Plain(UnwindRule::Unknown), &mut read), Bottom::Reached);
        assert_eq!(walk.frames, [0x1100, 0x120f, 0x12ff]);
        assert_eq!(walk.reads, words);
    }

    #[test]
    fn a_stack_without_end_is_cut() {
        let rule = frame(Cfa::Offset { register: RSP, offset: 16 });
        let mut walk = Walk::default();
        assert_eq!(walk.run(&regs(), 9, &mut Plain(rule), &mut |_| Some(0x1200)), Bottom::Limit);
        assert_eq!(walk.frames[..], [[0x1100].as_slice(), &[0x11ff; 8]].concat());
        // Exactly the words that the walk must read.
        let words: Vec<_> = (0..8).map(|i| (0x8008 + 16 * i, 0x1200)).collect();
        assert_eq!(walk.reads, words);
    }

    #[test]
    fn frames_only_go_up() {
        for offset in [0, -16] {
            let rule = frame(Cfa::Offset { register: RSP, offset });
            let mut walk = Walk::default();
            assert_eq!(walk.run(&regs(), 256, &mut Plain(rule), &mut |_| Some(0x1200)), Bottom::Unknown);
            assert!(walk.frames.len() <= 2, "{:x?}", walk.frames);
        }
        // Frame pointers that lead back to an earlier frame.
        let mut walk = Walk::default();
        let mut read = |at| Some(if at == 0x8010 { 0x8010 } else { 0x1200 });
        let bottom = walk.run(&Regs { sp: 0x9000, ..regs() }, 256, &mut Plain(UnwindRule::Unknown), &mut read);
        assert_eq!(bottom, Bottom::Unknown);
        assert!(walk.frames.len() <= 3, "{:x?}", walk.frames);
    }

    /// The frame pointer leads to a stack below.
    #[test]
    fn to_another_stack() {
        let mut walk = Walk::default();
        let words = [(0x4018, 0x1300), (0x4010, 0)];
        let mut read = |at| words.iter().find(|(address, _)| *address == at).map(|(_, word)| *word);
        let regs = Regs { bp: 0x4010, ..regs() };
        assert_eq!(walk.run(&regs, 256, &mut Plain(UnwindRule::OtherStack), &mut read), Bottom::Reached);
        assert_eq!(walk.frames, [0x1100, 0x12ff]);
        assert_eq!(walk.reads, words);
        // A ring of stacks.
        let mut walk = Walk::default();
        let mut read = |at| Some(if at == 0x4010 { 0x4010 } else { 0x1200 });
        assert_eq!(walk.run(&regs, 9, &mut Plain(UnwindRule::OtherStack), &mut read), Bottom::Limit);
    }

    /// Saved registers are read only if a frame depends on them.
    #[test]
    fn only_what_is_needed_is_read() {
        let mut saved = [const { RegisterPlace::Same }; MOST_SAVED];
        saved[1] = RegisterPlace::Memory(-16);
        let by_sp = FrameRule {
            cfa: Cfa::Offset { register: RSP, offset: 32 },
            return_address: RegisterPlace::Memory(-8),
            saved,
        };
        let mut walk = Walk::default();
        let mut memory = |at| Some(if at == 0x8018 { 0x1300 } else { 0 });
        let bottom = walk.run(&regs(), 256, &mut Plain(UnwindRule::Frame(Rc::new(by_sp))), &mut memory);
        assert_eq!((bottom, &walk.frames[..]), (Bottom::Reached, &[0x1100, 0x12ff][..]));
        assert_eq!(walk.reads, [(0x8018, 0x1300), (0x8038, 0)]);
        assert!(!walk.used_all);
    }
}
