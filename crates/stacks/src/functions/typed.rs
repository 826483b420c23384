//! The arguments of a function: their names and types, and where they are.

use super::machine;
use stride_event::{Param, ProbedWord};
use stride_syscalls::library::{WordType, prototype};

/// Words that are shown of a function about which nothing is known.
const RAW_WORDS: usize = 3;

/// Types of a function, from whatever tells them.
pub struct CallSignature {
    pub params: Vec<Param>,
    pub words: Vec<ProbedWord>,
    pub result: WordType,
}

/// Types of a well-known function.
pub fn well_known(label: &str, name: &str) -> Option<CallSignature> {
    let row = prototype(label, name)?;
    let params = row.params.iter().map(|(name, ty)| Param { name: (*name).into(), ty: *ty, optional: false }).collect();
    Some(placed(params, row.result))
}

/// The first registers, if nothing is known.
pub fn raw(registers: &[u16], result: WordType) -> CallSignature {
    let words: Vec<ProbedWord> = registers.iter().take(RAW_WORDS).map(|&reg| machine::whole(reg)).collect();
    let params = words.iter().map(|_| Param { name: "".into(), ty: WordType::Raw, optional: false }).collect();
    CallSignature { params, words, result }
}

/// The places of arguments in the order of the calling convention.
pub fn placed(mut params: Vec<Param>, result: WordType) -> CallSignature {
    let words = machine::places(params.iter().map(|param| param.ty));
    params.truncate(words.len());
    CallSignature { params, words, result }
}
