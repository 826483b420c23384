//! Variables of the environment that the run looked up by getenv(3), if that function is traced (`--library-calls`). No system call tells of them.

use super::users::{UsedBy, UserId};
use std::collections::BTreeMap;
use stride_event::{LibraryCall, LibraryPart};

/// The variables that are listed.
const MAX_VARIABLES: usize = if cfg!(test) { 1 << 4 } else { 1 << 14 };
/// The functions that look up one variable by its name.
const FUNCTIONS: [&str; 2] = ["getenv", "secure_getenv"];

/// The uses of one variable. Its value may be a secret, and is not kept.
#[derive(Debug, Default)]
pub struct VariableUse {
    pub times: u64,
    /// How often it was set.
    pub found: u64,
    pub users: UsedBy,
}

#[derive(Default)]
pub struct LookedUpVariables {
    pub all: BTreeMap<Vec<u8>, VariableUse>,
    /// Uses of variables for which there was no room.
    pub left_out: u64,
}

impl LookedUpVariables {
    /// True for the return of a function that looked up a variable.
    pub fn is_lookup(call: &LibraryCall) -> bool {
        let function = call.function.name.rsplit(':').next().unwrap_or_default();
        call.part == LibraryPart::Returned && FUNCTIONS.contains(&function)
    }

    /// Such a return.
    pub fn looked_up(&mut self, call: &LibraryCall, by: UserId) {
        let Some(text) = call.text(Some(0)) else { return };
        let end = text.bytes.iter().position(|byte| *byte == 0).unwrap_or(text.bytes.len());
        let mut name = text.bytes[..end].to_vec();
        if text.cut {
            name.extend_from_slice(b"...");
        }
        if self.all.len() >= MAX_VARIABLES && !self.all.contains_key(&name) {
            self.left_out += 1;
            return;
        }
        let it = self.all.entry(name).or_default();
        it.times += 1;
        it.found += u64::from(call.result != 0);
        it.users.add(by);
    }
}
