//! A program and its settings.

use super::instruction::Instruction;

/// The settings: the contents of a map, and its descriptor, by which instructions name it.
#[derive(Clone, Debug)]
pub struct Constants {
    pub map: i32,
    pub bytes: Vec<u8>,
}

/// A program as the kernel gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub instructions: Vec<Instruction>,
    /// Where each function begins, and the id of its type.
    pub functions: Vec<FunctionInfo>,
}

/// `struct bpf_func_info` (linux/bpf.h).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FunctionInfo {
    pub begin: u32,
    pub type_id: u32,
}
