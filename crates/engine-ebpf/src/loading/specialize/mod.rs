//! Leaving out the code that the settings switch off, before the kernel sees a program.
//!
//! The settings are constants in a map. The kernel's verifier knows their values, and removes the code that they switch off. But the verifier does
//! so at the end, one run of instructions after the other, and moves all that follows each time. For the program at the return of calls, more
//! than half of which is switched off, that takes a fifth of its loading time. So the same is done here at once.
//!
//! `values` finds the instructions that can be reached. `layout` writes them without the others. Both know no more than the meaning of
//! instructions (Documentation/bpf/standardization/instruction-set.rst). The verifier checks the result, as it checks any program.

mod instruction;
mod layout;
mod program;
mod values;

pub use program::{Constants, Program};

use instruction::Instruction;
use libbpf_rs::libbpf_sys::{self, bpf_insn, bpf_prog_load_opts, bpf_program};
use program::FunctionInfo;
use std::cell::RefCell;

/// The same program without code that these settings switch off. `None`: an instruction is not understood.
fn specialized(program: &Program, constants: &Constants) -> Option<Program> {
    let reached = values::reached(&program.instructions, constants)?;
    layout::without_the_rest(program, &reached)
}

thread_local! {
    /// The settings of the object that this thread loads, and what libbpf hands on to the kernel for its program.
    static CURRENT: RefCell<Option<Constants>> = const { RefCell::new(None) };
    static FUNCTIONS: RefCell<Vec<FunctionInfo>> = const { RefCell::new(Vec::new()) };
}

/// The programs that this thread loads while `load` runs have these settings.
pub fn with<T>(constants: Option<Constants>, load: impl FnOnce() -> T) -> T {
    CURRENT.set(constants);
    let result = load();
    CURRENT.set(None);
    result
}

/// libbpf is about to load a program, of which all addresses are known.
///
/// # Safety
/// To be called from libbpf's callback for that, with its arguments.
pub unsafe fn shorten(program: *mut bpf_program, load: &mut bpf_prog_load_opts) {
    let Some(constants) = CURRENT.with_borrow(Clone::clone) else { return };
    if load.func_info_rec_size as usize != size_of::<FunctionInfo>() && load.func_info_cnt > 0 {
        return;
    }
    // SAFETY: libbpf owns the instructions and the functions, as many as it says, and changes neither meanwhile.
    let whole = unsafe { whole(program, load.func_info.cast(), load.func_info_cnt) };
    let Some(short) = specialized(&whole, &constants) else { return };
    // SAFETY: libbpf copies the instructions. The functions live until this thread loads the next program.
    unsafe {
        let at = short.instructions.as_ptr().cast_mut().cast::<bpf_insn>();
        if libbpf_sys::bpf_program__set_insns(program, at, short.instructions.len() as libbpf_sys::size_t) != 0 {
            return;
        }
    }
    load.func_info_cnt = short.functions.len() as u32;
    FUNCTIONS.set(short.functions);
    load.func_info = FUNCTIONS.with_borrow(|functions| functions.as_ptr().cast());
    // (The lines of the source would have to move, too. Without them, the verifier's complaints name instructions only.)
    (load.line_info, load.line_info_cnt, load.line_info_rec_size) = (std::ptr::null(), 0, 0);
}

/// A program that libbpf has prepared, and does not load itself.
///
/// # Safety
/// `program` is one of libbpf's, and its object is prepared.
pub unsafe fn prepared(program: *const bpf_program) -> Program {
    // SAFETY: the caller's promise.
    unsafe {
        let functions = libbpf_sys::bpf_program__func_info(program);
        whole(program, functions.cast(), libbpf_sys::bpf_program__func_info_cnt(program))
    }
}

impl Program {
    /// The same without the code that these settings switch off.
    pub fn with(self, constants: &Constants) -> Program {
        specialized(&self, constants).unwrap_or(self)
    }
}

/// The program as libbpf has it, with its functions, of which there are `n` at `functions`.
///
/// # Safety
/// `program` is one of libbpf's, all addresses in it are known, and nobody changes it meanwhile.
unsafe fn whole(program: *const bpf_program, functions: *const FunctionInfo, n: u32) -> Program {
    // SAFETY: the caller's promise. Any bytes are instructions.
    unsafe {
        let (at, instructions) = (libbpf_sys::bpf_program__insns(program), libbpf_sys::bpf_program__insn_cnt(program));
        Program {
            instructions: std::slice::from_raw_parts(at.cast::<Instruction>(), instructions as usize).to_vec(),
            functions: if n == 0 { Vec::new() } else { std::slice::from_raw_parts(functions, n as usize).to_vec() },
        }
    }
}

#[cfg(test)]
mod tests;
