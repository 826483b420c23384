//! The capabilities that loading needs, and what else may refuse it.

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

/// The reason why bpf(2) is refused to a process that has the capabilities for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// The capabilities hold in a user namespace only (user_namespaces(7)).
    UserNamespace,
    /// A seccomp filter is active (seccomp(2)).
    SeccompFilter,
    Unknown,
}

impl Barrier {
    pub fn found() -> Barrier {
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        let filtered = |status: &str| status.lines().any(|line| line.starts_with("Seccomp:") && line.ends_with('2'));
        // The initial namespace maps all ids.
        let all = ["0", "0", "4294967295"];
        let map = read("/proc/self/uid_map");
        if !map.is_empty() && !map.split_whitespace().eq(all) {
            Barrier::UserNamespace
        } else if filtered(&read("/proc/self/status")) {
            Barrier::SeccompFilter
        } else {
            Barrier::Unknown
        }
    }

    pub fn advice(self) -> &'static str {
        match self {
            Barrier::UserNamespace => {
                "run Stride in the initial user namespace (as root of the machine, or in a container that is not \
                 rootless): capabilities that hold in a user namespace do not allow bpf(2)"
            }
            Barrier::SeccompFilter => {
                "allow bpf(2) in the seccomp filter that is active here: start the container with \
                 `--security-opt seccomp=PROFILE.json`, where the profile allows bpf, or with `--security-opt \
                 seccomp=unconfined`. Some default profiles allow bpf(2) only together with `--cap-add SYS_ADMIN`"
            }
            Barrier::Unknown => {
                "allow bpf(2) where this runs: perhaps a security module (SELinux, AppArmor) forbids it"
            }
        }
    }
}
