//! The capabilities that loading needs, and how a user gets them.

use stride_engine_base::process;

/// The capabilities that loading needs, with their numbers. CAP_SYS_ADMIN stands for both.
pub const NEEDED: [(&str, u32); 2] = [("cap_bpf", 39), ("cap_perfmon", 38)];
const SYS_ADMIN: u32 = 21;

/// The [`NEEDED`] capabilities that this process lacks.
pub fn missing_capabilities() -> Vec<&'static str> {
    let have = process::capabilities();
    let has = |bit: u32| have >> bit & 1 != 0;
    NEEDED.iter().filter(|(_, bit)| !has(*bit) && !has(SYS_ADMIN)).map(|(name, _)| *name).collect()
}

/// The command that lets a binary load the engine for every user.
pub fn setcap(stride: &str) -> String {
    format!("setcap {}+ep {stride}", NEEDED.map(|(name, _)| name).join(","))
}
