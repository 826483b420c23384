//! The numbers of all calls.

use crate::{Abi, multiplexed};
use stride_uapi::numbers;

impl Abi {
    /// The number and name of every syscall of this ABI, described or not.
    pub const fn numbers(self) -> &'static [(u32, &'static str)] {
        if matches!(self, Abi::I386) { &I386 } else { stride_uapi::NUMBERS[self as usize] }
    }
}

/// With the calls that only socketcall(2) and ipc(2) make.
const I386: [(u32, &str); numbers::I386.len() + multiplexed::NUMBERS.len()] = {
    let (known, mut all) = (numbers::I386.len(), [(0, ""); numbers::I386.len() + multiplexed::NUMBERS.len()]);
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < known { numbers::I386[i] } else { multiplexed::NUMBERS[i - known] };
        i += 1;
    }
    all
};

// The generated tables are those of these ABIs.
const _: () = {
    let mut i = 0;
    while i < Abi::ALL.len() {
        assert!(crate::check::same(stride_uapi::ABIS[i], Abi::ALL[i].name()), "run `cargo xtask uapi`");
        i += 1;
    }
    assert!(stride_uapi::ABIS.len() == Abi::ALL.len());
};
